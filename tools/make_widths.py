"""Make site/widths.json: how wide each character is in a font, for the ruler of the snippet preview.

    python tools/make_widths.py LiberationSans-Regular.ttf

The widths are measured from the font's own tables (cmap, hmtx), in its units. Liberation Sans has the metrics of
Arial, which search results were set in when the widths that people go by were measured; it is free (SIL OFL 1.1).
Nothing of its outlines is kept. Kerning is left out: it makes an ordinary line a few in a thousand narrower, and one
of capitals such as AVATAR a few in a hundred. The soft hyphen is left out too: it shows only where a line breaks.
"""

from __future__ import annotations

import json
import struct
import sys
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "site" / "widths.json"
# What is measured: Latin, Greek, Cyrillic, and the marks, quotes, dashes and signs that titles hold.
RANGES = ((0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0x17F), (0x386, 0x3CE), (0x401, 0x45F), (0x2010, 0x2027), (0x2030, 0x203A),
          (0x20AC, 0x20AC), (0x2116, 0x2116), (0x2122, 0x2122), (0x2190, 0x2193), (0x2212, 0x2212))  # fmt: skip


def widths(font: bytes) -> tuple[int, dict[str, int]]:
    """Units per em of a TrueType font, and the advance width of every character asked for that it has."""
    tables = {
        font[at : at + 4].decode("latin-1"): struct.unpack_from(">II", font, at + 8)
        for at in range(12, 12 + 16 * struct.unpack_from(">H", font, 4)[0], 16)
    }
    (units,) = struct.unpack_from(">H", font, tables["head"][0] + 18)
    (measured,) = struct.unpack_from(">H", font, tables["hhea"][0] + 34)
    glyphs = _glyphs(font, tables["cmap"][0])
    start = tables["hmtx"][0]
    found = {}
    for first, last in RANGES:
        for point in range(first, last + 1):
            glyph = glyphs.get(point, 0)
            if glyph:
                (found[chr(point)],) = struct.unpack_from(">H", font, start + 4 * min(glyph, measured - 1))
    return units, found


def _glyphs(font: bytes, start: int) -> dict[int, int]:
    """Code point -> glyph, from the font's table for the basic plane (cmap, format 4)."""
    (count,) = struct.unpack_from(">H", font, start + 2)
    for n in range(count):
        platform, encoding, offset = struct.unpack_from(">HHI", font, start + 4 + 8 * n)
        at = start + offset
        if (platform, encoding) in {(3, 1), (0, 3)} and struct.unpack_from(">H", font, at)[0] == 4:
            break
    else:
        raise SystemExit("the font has no table for Unicode's basic plane")
    (twice,) = struct.unpack_from(">H", font, at + 6)
    ends, starts, deltas, places = (at + 14 + gap + twice * n for n, gap in ((0, 0), (1, 2), (2, 2), (3, 2)))
    found = {}
    for n in range(0, twice, 2):
        end, first, delta, place = (
            struct.unpack_from(">H", font, each + n)[0] for each in (ends, starts, deltas, places)
        )
        for point in range(first, min(end, 0xFFFE) + 1):
            glyph = point
            if place:
                (glyph,) = struct.unpack_from(">H", font, places + n + place + 2 * (point - first))
            if glyph or not place:
                found[point] = (glyph + delta) & 0xFFFF
    return found


def version_of(font: bytes) -> str:
    """What a font calls its version (name 5, as Windows has it)."""
    (at,) = (
        struct.unpack_from(">I", font, 12 + 16 * n + 8)[0]
        for n in range(struct.unpack_from(">H", font, 4)[0])
        if font[12 + 16 * n : 16 + 16 * n] == b"name"
    )
    _, count, texts = struct.unpack_from(">HHH", font, at)
    for n in range(count):
        platform, _, _, name, length, offset = struct.unpack_from(">6H", font, at + 6 + 12 * n)
        if (platform, name) == (3, 5):
            return font[at + texts + offset :][:length].decode("utf-16-be")
    return ""


def document(font: bytes, name: str) -> dict[str, object]:
    """The file: characters under their width."""
    units, found = widths(font)
    by_width: dict[int, str] = defaultdict(str)
    for character, width in found.items():
        by_width[width] += character
    return {
        "description": "Advance widths for the ruler of the snippet preview, made by tools/make_widths.py",
        "font": f"{name}, {version_of(font)}",
        "units_per_em": units,
        "characters": {str(width): by_width[width] for width in sorted(by_width)},
    }


if __name__ == "__main__":
    path = Path(sys.argv[1])
    made = document(path.read_bytes(), path.stem)
    TARGET.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(TARGET, sum(map(len, made["characters"].values())), "characters")  # type: ignore[attr-defined]
