"""What waypost knows about the world: brands, suffixes, action words, codes and policies, as files under `data/`.

A `World` never changes and is passed as an argument. Its `version` is a digest over the contents of
every file, so a decision can say what it was made from.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from waypost.errors import RegistryFault

DATA = Path(__file__).resolve().parent / "data"


def document(path: Path) -> Any:
    """One data file, decoded."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError) as fault:
        raise RegistryFault(path.name, str(fault)) from None


def _domains(name: str) -> frozenset[str]:
    return frozenset(document(DATA / "suffixes" / name)["domains"])


@cache
def hosting_suffixes() -> frozenset[str]:
    """Domains below which strangers publish: site builders, cloud hosts, tunnels and dynamic DNS."""
    return _domains("hosting.json") | _domains("dynamic-dns.json")


@cache
def shorteners() -> frozenset[str]:
    """Registrable domains whose addresses stand for another, unknown address."""
    return _domains("shorteners.json")
