"""Errors of releases of the registry."""

from __future__ import annotations

from waypost.errors import WaypostError


class UpdateError(WaypostError):
    """Release of the registry that cannot be built, verified or read. The release in use stays."""

    code, status = "registry-update-refused", 422
