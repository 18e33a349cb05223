"""Make `data/words/ordinary.json`: ordinary words that hold, or nearly are, a brand's token.

"interactive" holds "interac" and "tracker" nearly is "kraken": neither says anything about a brand. A short token that
is in no word at all, "cibc", is listed as rare.

    python tools/make_ordinary.py [WORD_LIST]     Debian's wamerican (SCOWL) unless given
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import ahocorasick

from waypost.registry.world import DATA, load
from waypost.safety.brand_index import BrandIndex

LIST = Path("/usr/share/dict/american-english")
READ = "2026-11-23"
RARE = range(4, 6)
"""Letters of a short token that identifies its brand within a word if it is in no other word or name."""
FOREIGN = frozenset(
    {
        *("totta", "zelle", "linkt"),
        *("absa", "bild", "brevo", "caixa", "carta", "claro", "clico", "correo", "darty", "digid", "fido", "hilton"),
        *("iliad", "kotak", "luno", "meest", "melia", "posti", "prezi", "subito", "tesla", "trakt", "viber", "zain"),
        "zara",
    }
)
"""Words of other languages, and names of people and pets, that are tokens too."""
LIVE = frozenset(
    {
        *("consumidor", "dana", "hermes", "kleinanzeigen", "michaels", "moneta", "nordstrom", "schwab", "seznam"),
        *("spiegel", "vivo"),
    }
)
"""Names and words of other languages that stand alone in ordinary hosts: `vivo` is a stream, `dana` a person."""
ABROAD = Path(__file__).with_name("words_abroad.txt")
"""Common words, family names and places of other languages, collected by hand because they lie near a brand's token."""


def words(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return sorted({line for line in lines if re.fullmatch(r"[a-z]{3,}", line)})


def main() -> None:
    world = load()
    files = {name: data for name, data in world.files.items() if name != "words/ordinary.json"}
    names = BrandIndex(type(world)(files))
    found: dict[str, list[str]] = {"same": [], "holding": [], "near": []}
    short = {
        text for text, token in names.tokens.items() if token.common and len(text) in RARE and text.isalpha()
    } - FOREIGN
    automaton = ahocorasick.Automaton()
    for text, token in names.tokens.items():
        if not token.common:
            automaton.add_word(text, text)
    automaton.make_automaton()
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else LIST
    every = sorted({*words(path), *LIVE, *ABROAD.read_text(encoding="utf-8").split()})
    longer = path.read_text(encoding="utf-8").casefold().split()
    found["rare"] = sorted(token for token in short if not any(token in word != token for word in longer))
    for word in every:
        if word in LIVE or (word in names.tokens and names.tokens[word].common):
            found["same"].append(word)
        inside = {text for _, text in automaton.iter(word)}
        if inside:
            found["holding"] += [word] if not {word, word.removesuffix("s")} & inside else []
        elif names.near(word):
            found["near"].append(word)
    about = {
        "about": "Ordinary words that are, hold or nearly are a brand's token: they say nothing about the brand.",
        "source": "made by tools/make_ordinary.py from the word list SCOWL 2020.12.07 (Debian wamerican)",
        "read": READ,
    }
    target = DATA / "words" / "ordinary.json"
    target.write_text(json.dumps(about | found, separators=(",", ":")).replace('"same"', '\n"same"') + "\n")
    print({kind: len(those) for kind, those in found.items()})


if __name__ == "__main__":
    main()
