"""Table `fetch` of the configuration: how pages from the web are requested."""

from __future__ import annotations

import msgspec


class OriginTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What requests to one origin carry. `$NAME` in a value is the environment variable of this name; `$$` is `$`.

    cookie     as `name=value; name=value`.
    auth       as `user:password`.
    cert, key  files of a client certificate and its key, as PEM.
    """

    headers: dict[str, str] = {}
    cookie: str | None = None
    auth: str | None = None
    cert: str | None = None
    key: str | None = None


class FetchTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """User agent of every request, and what each origin (`https://staging.example.com`) gets."""

    user_agent: str | None = None
    origins: dict[str, OriginTable] = {}
