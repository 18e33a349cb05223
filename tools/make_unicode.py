"""Make `data/confusables.json` and `data/scripts.json` from the Unicode data inside the ICU library.

ICU carries the tables of UTS #39 (confusables) and UAX #24 (scripts); Debian ships it as `libicu`.
Only characters that can stand in a host after UTS #46 are kept: nothing else ever reaches the skeleton.

    python tools/make_unicode.py            writes both files
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import re
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

import ada_url

DATA = Path(__file__).resolve().parent.parent / "src" / "waypost" / "data"
READ = "2026-11-20"
TERMS = "Unicode License v3, https://www.unicode.org/license.txt"


class Icu:
    """The few functions of ICU that are needed; their names carry the library's major version."""

    def __init__(self) -> None:
        path = ctypes.util.find_library("icui18n") or sys.exit("there is no ICU here: install libicu")
        self.major = re.search(r"\.so\.(\d+)", path)[1]  # type: ignore[index]
        self.i18n = ctypes.CDLL(path)
        self.uc = ctypes.CDLL(path.replace("icui18n", "icuuc"))
        self.error = ctypes.c_int(0)
        opened = self._named(self.i18n, "uspoof_open")
        opened.restype = ctypes.c_void_p
        self.checker = ctypes.c_void_p(opened(ctypes.byref(self.error)))
        self._skeleton = self._named(self.i18n, "uspoof_getSkeletonUTF8")
        self._script = self._named(self.uc, "uscript_getScript")
        self._script_name = self._named(self.uc, "uscript_getName")
        self._script_name.restype = ctypes.c_char_p
        version = (ctypes.c_uint8 * 4)()
        self._named(self.uc, "u_getUnicodeVersion")(version)
        self.unicode = f"{version[0]}.{version[1]}"

    def _named(self, library: ctypes.CDLL, name: str) -> ctypes._FuncPtr:
        return library[f"{name}_{self.major}"]

    def skeleton(self, text: str) -> str:
        given = text.encode()
        room = ctypes.create_string_buffer(256)
        length = self._skeleton(self.checker, 0, given, len(given), room, 256, ctypes.byref(self.error))
        return room.raw[:length].decode()

    def script(self, character: str) -> str:
        found: bytes = self._script_name(self._script(ord(character), ctypes.byref(self.error)))
        return found.decode()


def may_stand_in_a_host(character: str) -> bool:
    """A lone combining mark is refused by UTS #46, so a letter goes before it."""
    word = "a" + character + "a"
    try:
        return ada_url.idna_to_unicode(ada_url.idna_to_ascii(word)) == word
    except ValueError:
        return False


def characters() -> list[str]:
    every = (chr(point) for point in range(0x2D, 0x32000) if not 0xD800 <= point <= 0xDFFF)
    return [c for c in every if unicodedata.category(c) not in {"Cn", "Co", "Cc"} and may_stand_in_a_host(c)]


def bare(text: str) -> str:
    """Without marks and letter case: brand names are compared in plain lower case letters."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).casefold()


def confusables(icu: Icu, letters: list[str]) -> dict[str, str]:
    """Prototype -> the characters that look like it, in code point order; only prototypes in plain letters."""
    similar: dict[str, list[str]] = defaultdict(list)
    for letter in letters:
        prototype = bare(icu.skeleton(letter))
        if re.fullmatch("[a-z0-9-]+", prototype) and prototype != letter:
            similar[prototype].append(letter)
    return {prototype: "".join(found) for prototype, found in sorted(similar.items())}


def scripts(icu: Icu, letters: list[str]) -> list[tuple[int, int, str]]:
    """[first, last, script] runs over the characters a host may hold, ASCII left out."""
    runs: list[tuple[int, int, str]] = []
    for letter in letters:
        point, name = ord(letter), icu.script(letter)
        if point < 0x80:
            continue
        if runs and runs[-1][2] == name and point - runs[-1][1] <= 64:
            runs[-1] = (runs[-1][0], point, name)
        else:
            runs.append((point, point, name))
    return runs


def main() -> None:
    icu, letters = Icu(), characters()
    about = {"source": f"UTS #39 and UAX #24 data of ICU {icu.major}", "unicode": icu.unicode}
    about |= {"read": READ, "terms": TERMS}
    made = {
        "confusables.json": about | {"looks_like": confusables(icu, letters)},
        "scripts.json": about | {"runs": scripts(icu, letters)},
    }
    for name, document in made.items():
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        (DATA / name).write_text(text.replace('"looks_like"', '\n"looks_like"') + "\n", encoding="utf-8")
        print(f"{name}: {len(text.encode())} bytes, Unicode {icu.unicode}")


if __name__ == "__main__":
    main()
