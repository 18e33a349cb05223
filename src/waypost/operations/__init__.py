"""Operations of waypost, described once for every interface.

An operation is a function under `@operation` in a module of this package. The first parameter is a struct of
`waypost.models.wire`, the result another struct, the docstring the text for callers. The API makes a route of the
function, the agents' server a tool; neither holds a second description.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from waypost.operations.table import OPERATIONS, Context, Operation

__all__ = ["OPERATIONS", "Context", "Operation"]

for _module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
    import_module(f"{__name__}.{_module.name}")
