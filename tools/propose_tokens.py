"""Propose tokens for brands: the labels of their own reviewed domains, and their names in one word.

    python tools/propose_tokens.py [--write SLUG:TOKEN ...]

Prints `slug:token` for each label or name of seven letters or more that is no ordinary word, no word of the lists of
action words, no token already, holds none of the brand's own strong tokens and belongs to one brand alone. Nothing is
written by itself: whether a word identifies the brand, `bluesky` or `firstbank`, is for a reviewer. `--write` adds the
accepted ones to the brand files. Reads /usr/share/dict/american-english.
"""

from __future__ import annotations

import argparse
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from make_brands import text_of

from waypost.registry.world import DATA, Brand, load
from waypost.safety.brand_index import LONG, SHORTEST_STRONG

WORDS = Path("/usr/share/dict/american-english")
LONGEST = 24
UNSPOKEN = frozenset({"content", "mail"})


def one_word(name: str) -> str:
    plain = unicodedata.normalize("NFKD", re.sub(r"\(.*?\)|\[.*?\]", "", name)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", plain.casefold())


def candidates(brand: Brand) -> Iterator[str]:
    for entry in brand.official_domains:
        if entry.role not in UNSPOKEN:
            yield entry.domain.partition(".")[0].replace("-", "")
    for name in (*brand.names, *brand.aliases):
        yield one_word(name)


def proposals() -> Iterator[tuple[str, str]]:
    world = load()
    action = world.document("words/action.json")
    known = set(WORDS.read_text("utf-8").casefold().split())
    known |= {word for kind in ("words", "business", "urgent") for word in action[kind]}
    known |= {text for brand in world.brands.values() for text in (*brand.tokens, *brand.short_or_common_tokens)}
    brands: dict[str, set[str]] = defaultdict(set)
    for brand in world.brands.values():
        own = [text for text in brand.tokens if len(text) >= SHORTEST_STRONG]
        for text in candidates(brand) if brand.official_domains else ():
            is_new = LONG <= len(text) <= LONGEST and text.isalpha() and text not in known
            if is_new and not any(token in text for token in own):
                brands[text].add(brand.slug)
    yield from ((slug, text) for text, slugs in sorted(brands.items()) if len(slugs) == 1 for slug in slugs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", nargs="+", metavar="SLUG:TOKEN", default=[])
    options = parser.parse_args()
    for slug, _, token in (pair.partition(":") for pair in options.write):
        path = next((DATA / "brands").glob(f"*/{slug}.json"))
        brand = json.loads(path.read_text("utf-8"))
        if token not in brand["tokens"]:
            brand["tokens"].append(token)
            path.write_text(text_of(brand), "utf-8")
    if not options.write:
        print("\n".join(f"{slug}:{token}" for slug, token in sorted(proposals())))


if __name__ == "__main__":
    main()
