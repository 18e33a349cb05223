"""The endpoint table: every endpoint of every module of `handlers/`, and what may not be missing from one."""

from __future__ import annotations

import pkgutil
import re
from functools import cache
from importlib import import_module

from waypost.api import handlers
from waypost.api.endpoint import ANY_KEY, PUBLIC, SESSION, Endpoint
from waypost.contract.problems import problems
from waypost.errors import WaypostError


class TableError(WaypostError):
    """An endpoint does not say of itself what it must; the service does not start."""

    code = "table-fault"


@cache
def table() -> tuple[Endpoint, ...]:
    """All endpoints, by path and method. Raises TableError."""
    found: list[Endpoint] = []
    for info in sorted(pkgutil.iter_modules(handlers.__path__), key=lambda each: each.name):
        if not info.name.startswith("_"):
            found += import_module(f"{handlers.__name__}.{info.name}").ENDPOINTS
    check(found)
    return tuple(sorted(found, key=lambda each: (each.path, each.method)))


def check(found: list[Endpoint]) -> None:
    """Refuse a table in which an endpoint has no scope, no limit, or a name or path of another."""
    from waypost.api.limits import POLICIES
    from waypost.models.api_key import SCOPES

    seen: set[str] = set()
    policies = {policy.name for policy in POLICIES if not policy.part_of}
    allowed = {PUBLIC, ANY_KEY, SESSION, *SCOPES}
    for each in found:
        where = f"{each.method} {each.path}"
        if not each.needs or not set(each.needs) <= allowed:
            raise TableError(f"{where}: it says no scope that it needs; name one, or PUBLIC where none is meant")
        if each.policy and each.policy not in policies:
            raise TableError(f"{where}: there is no limit named {each.policy!r}")
        if unknown := set(each.problems) - problems().keys():
            raise TableError(f"{where}: there is no problem named {sorted(unknown)}")
        if set(re.findall(r"{(\w+)}", each.path)) != set(each.members):
            raise TableError(f"{where}: its path's members are not described")
        for name in (where, each.name):
            if name in seen:
                raise TableError(f"{where}: {name} is there twice")
            seen.add(name)
