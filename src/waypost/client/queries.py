"""Queries of the service: requests, and the methods of both clients for them.

Written by tools/make_client.py from `waypost.operations`.
"""

from __future__ import annotations

from typing import Any

from waypost.client.methods import async_method, method
from waypost.client.requests import query as _query
from waypost.client.responses import DomainProfile, OfficialPage, SchemaIndex
from waypost.client.transport import Request, read_as


def domain(host: str) -> Request[DomainProfile]:
    """Profile of a domain, given as a host without the rest of a URL. Raises NoAnswer."""
    return _query("/v1/domain", read_as(DomainProfile), domain=host)


def jwks() -> Request[dict[str, Any]]:
    """Public keys of receipts, for `waypost.receipts.verify`. Raises NoAnswer."""
    return _query("/.well-known/jwks.json", read_as(dict[str, Any]))


def official(
    query: str, *, kind: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Request[OfficialPage]:
    """Relationships accepted in a review. Raises NoAnswer."""
    return _query("/v1/official", read_as(OfficialPage), q=query, type=kind, limit=limit, cursor=cursor)


def schemas() -> Request[SchemaIndex]:
    """Index of the schemas. Raises NoAnswer."""
    return _query("/v1/schema", read_as(SchemaIndex))


class Queries:
    """Methods that block."""

    domain = method(domain)
    jwks = method(jwks)
    official = method(official)
    schemas = method(schemas)


class AsyncQueries:
    """Methods that are coroutines."""

    domain = async_method(domain)
    jwks = async_method(jwks)
    official = async_method(official)
    schemas = async_method(schemas)
