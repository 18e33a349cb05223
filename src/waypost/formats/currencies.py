"""Currency codes of ISO 4217."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

_DATA = Path(__file__).resolve().parent.parent / "data"


class Currencies(msgspec.Struct, frozen=True):
    """ISO 4217: code -> name; withdrawn code -> {"year", "now"}, where `now` is
    the successor of today or None; sign or other spelling -> code."""

    current: dict[str, str]
    withdrawn: dict[str, dict[str, str | int | None]]
    signs: dict[str, str]


@cache
def currencies() -> Currencies:
    return msgspec.json.decode((_DATA / "currencies.json").read_bytes(), type=Currencies)
