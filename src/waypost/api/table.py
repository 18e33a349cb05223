"""Endpoint table: collects the route handlers of `handlers/` and checks their declarations."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from litestar.handlers import HTTPRouteHandler

from waypost.api import handlers, operations
from waypost.api.endpoint import ANY_KEY, PUBLIC, SESSION, Endpoint, endpoint_of
from waypost.contract.problems import problems
from waypost.errors import WaypostError


class TableError(WaypostError):
    """Invalid declaration of a route handler; the service does not start."""

    code = "table-fault"


@cache
def route_handlers() -> tuple[HTTPRouteHandler, ...]:
    """Route handlers of all modules in `handlers/`, in the order of module names, then those of the operations."""
    found: list[HTTPRouteHandler] = []
    for info in sorted(pkgutil.iter_modules(handlers.__path__), key=lambda module: module.name):
        module = import_module(f"{handlers.__name__}.{info.name}")
        found += [value for value in vars(module).values() if isinstance(value, HTTPRouteHandler)]
    return (*found, *operations.routes())


@cache
def table() -> tuple[Endpoint, ...]:
    """Endpoints by path and method. Raises TableError."""
    found = [endpoint_of(handler) for handler in route_handlers()]
    check(found)
    return tuple(sorted(found, key=lambda endpoint: (endpoint.path, endpoint.method)))


def check(endpoints: Iterable[Endpoint]) -> None:
    """Check declarations. Raises TableError for a missing scope, an unknown limit or problem, or a duplicate."""
    from waypost.api.limits import POLICIES
    from waypost.models.api_key import SCOPES

    seen: set[str] = set()
    limits = {policy.name for policy in POLICIES if not policy.part_of}
    allowed = {PUBLIC, ANY_KEY, SESSION, *SCOPES}
    for endpoint in endpoints:
        where = f"{endpoint.method} {endpoint.path}"
        if not endpoint.scopes or not set(endpoint.scopes) <= allowed:
            raise TableError(f"{where}: it says no scope that it needs; name one, or PUBLIC where none is meant")
        if endpoint.limit and endpoint.limit not in limits:
            raise TableError(f"{where}: there is no limit named {endpoint.limit!r}")
        if unknown := set(endpoint.problems) - problems().keys():
            raise TableError(f"{where}: there is no problem named {sorted(unknown)}")
        if set(re.findall(r"{(\w+)}", endpoint.path)) != set(endpoint.members):
            raise TableError(f"{where}: its path's members are not described")
        for name in (where, endpoint.name):
            if name in seen:
                raise TableError(f"{where}: {name} is there twice")
            seen.add(name)
