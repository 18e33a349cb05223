"""Imported by the process from which workers are forked: what judging takes is loaded there, once for all of them."""

import gc

from waypost import extract
from waypost.api import validation_task
from waypost.registry import registry
from waypost.validate import profiles
from waypost.validate.rulebook import rules_by_name

__all__ = ["extract", "profiles", "validation_task"]

rules_by_name()
assert registry.load().vocabulary
# Nothing of it is ever given back: no search for garbage in a worker copies its pages.
gc.collect()
gc.freeze()
