"""Country codes of ISO 3166-1 and English country names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_DATA = Path(__file__).resolve().parent.parent / "data"


class Countries(msgspec.Struct, frozen=True):
    """ISO 3166-1: alpha-2 -> (alpha-3, name); English name -> alpha-2; wrong codes in use -> alpha-2."""

    codes: dict[str, tuple[str, str]]
    names: dict[str, str]
    written_for: dict[str, str]


@cache
def countries() -> Countries:
    return msgspec.json.decode((_DATA / "countries.json").read_bytes(), type=Countries)


@cache
def long_codes() -> dict[str, str]:
    """ISO 3166-1 alpha-3 -> alpha-2."""
    return {alpha3: alpha2 for alpha2, (alpha3, _) in countries().codes.items()}


@cache
def country_names() -> dict[str, str]:
    """English country names in lower case -> alpha-2."""
    return {name.casefold(): code for name, code in countries().names.items()}
