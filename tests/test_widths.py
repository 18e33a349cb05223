"""The widths of characters: read right from a font, and what is shipped is what Arial's metrics are."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
WIDTHS = json.loads((ROOT / "site" / "widths.json").read_text("utf-8"))


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_widths", ROOT / "tools" / "make_widths.py")
    assert spec
    assert spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def font(segments: list[tuple[int, int, int]], advances: list[int]) -> bytes:
    """A TrueType font with nothing but what widths are read from. A segment: (first, last, delta to the glyph)."""
    count = len(segments) + 1
    ends = [last for _, last, _ in segments] + [0xFFFF]
    starts = [first for first, _, _ in segments] + [0xFFFF]
    deltas = [delta & 0xFFFF for *_, delta in segments] + [1]
    table = struct.pack(">7H", 4, 0, 0, 2 * count, 0, 0, 0)
    table += struct.pack(f">{count}H", *ends) + b"\0\0" + struct.pack(f">{count}H", *starts)
    table += struct.pack(f">{count}H", *deltas) + bytes(2 * count)
    name = "Version 7".encode("utf-16-be")
    tables = {
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + table,
        b"head": bytes(18) + struct.pack(">H", 1000),
        b"hhea": bytes(34) + struct.pack(">H", len(advances)),
        b"hmtx": b"".join(struct.pack(">Hh", advance, 0) for advance in advances),
        b"name": struct.pack(">3H", 0, 1, 18) + struct.pack(">6H", 3, 1, 1033, 5, len(name), 0) + name,
    }
    made = struct.pack(">IHHHH", 0x00010000, len(tables), 0, 0, 0)
    at = 12 + 16 * len(tables)
    for tag, data in tables.items():
        made += tag + struct.pack(">III", 0, at, len(data))
        at += len(data)
    return made + b"".join(tables.values())


def test_widths_are_read_from_a_fonts_own_tables() -> None:
    made = font([(0x41, 0x42, 1 - 0x41), (0x69, 0x69, 3 - 0x69), (0x2122, 0x2122, 9 - 0x2122)], [0, 700, 650, 200])

    assert tool().widths(made) == (1000, {"A": 700, "B": 650, "i": 200, "™": 200})
    assert tool().document(made, "Made-Up") == {
        "description": "Advance widths for the ruler of the snippet preview, made by tools/make_widths.py",
        "font": "Made-Up, Version 7",
        "units_per_em": 1000,
        "characters": {"200": "i™", "650": "B", "700": "A"},
    }


def test_a_font_without_unicode_is_rejected() -> None:
    made = bytearray(font([(0x41, 0x42, 0)], [1]))
    at = made.index(struct.pack(">HHHHI", 0, 1, 3, 1, 12)) + 4
    made[at : at + 4] = struct.pack(">HH", 1, 0)

    with pytest.raises(SystemExit):
        tool().widths(bytes(made))


def test_table_has_each_character_once_and_all_of_ascii() -> None:
    characters = "".join(WIDTHS["characters"].values())

    assert len(set(characters)) == len(characters)
    assert {chr(point) for point in range(0x20, 0x7F)} <= set(characters)
    assert "\u00ad" not in characters, "a soft hyphen shows only where a line breaks"


@pytest.mark.parametrize(
    ("character", "units"), [(" ", 569), ("i", 455), ("a", 1139), ("W", 1933), ("0", 1139), ("…", 2048)]
)
def test_the_table_has_the_widths_of_arial(character: str, units: int) -> None:
    assert WIDTHS["units_per_em"] == 2048
    assert character in WIDTHS["characters"][str(units)]
