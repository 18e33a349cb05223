"""Operations of waypost, described once for every interface.

An operation is a function under `@operation` in a module of this package. The parameters are names of the path, a
struct of `waypost.models.wire` (or no struct) and the `context`; the result is a further struct, the docstring the text
for callers. The API makes a route of the function, the agents' server a tool, `tools/make_client.py` a method of the
clients, without a second description.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from waypost.operations.context import Context, Decided, Posted, Result, ServiceContext
from waypost.operations.table import OPERATIONS, Answer, Method, Operation, Tool

__all__ = [
    "OPERATIONS",
    "Answer",
    "Context",
    "Decided",
    "Method",
    "Operation",
    "Posted",
    "Result",
    "ServiceContext",
    "Tool",
]

for _module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
    import_module(f"{__name__}.{_module.name}")
