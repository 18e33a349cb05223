"""Preloaded module of the fork server: imports the validation code before worker processes are forked."""

import gc

from waypost import extract
from waypost.api import validation_task
from waypost.registry import registry
from waypost.validate import profiles
from waypost.validate.rulebook import rules_by_name

__all__ = ["extract", "profiles", "validation_task"]

rules_by_name()
assert registry.load().vocabulary
# Frozen objects are not visited by the collector, so forked workers keep sharing these memory pages.
gc.collect()
gc.freeze()
