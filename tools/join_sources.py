"""Review the main sites of brands that a second public list names, too: read lists, compare names, write brand files.

    python tools/join_sources.py FOLDER [--dry-run] [--missing FILE]

FOLDER holds what was fetched, one file each; one that is missing is left out:

    justdeleteme.json    `_data/sites.json` of jdm-contrib/jdm: name, domains
    datenanfragen.json   JSON list of the files below `companies/` of datenanfragen/data: name, runs, web
    logos.json           `logos.json` of gilbarbara/logos: name, url
    bounties.json        `dist/data.json` of projectdiscovery/public-bugbounty-programs: name, domains

A list names a brand's main site where it has the domain under the brand's own name or an alias, legal forms and
letter case aside. Then the list's source is added; a site that two publishers name is reviewed (`registry.sources`),
on the day of `REVIEWED`. Nothing else of a file changes. --missing writes the brands that stay without a review, with
the publishers that name their main site, as JSON lines: what a reviewer by hand has to find next.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waypost.errors import WaypostError
from waypost.registry.sources import is_reviewed, publishers
from waypost.safety.target import normalise

BRANDS = Path(__file__).resolve().parent.parent / "src" / "waypost" / "data" / "brands"
REVIEWED = "2026-11-29"
NOT_BY_LISTS = {
    "skype.com": "the service ended in 2025",
    "ello.co": "the service ended in 2023",
    "theta.tv": "the site moved",
    "bitforex.com": "the exchange stopped in 2024",
    "personalcapital.com": "renamed to Empower, at another domain",
    "hsbc.com.ar": "sold to another bank in 2024",
    "pochtabank.ru": "merged into another bank",
    "viadeo.com": "continued below another site",
    "runtastic.com": "continued below another brand's site",
    "notion.so": "the main site moved to another domain",
    "woolworths.com.au": "independent companies of the same name have other domains",
}
"""Main sites that lists still name and that a reviewer has to compare by hand, with the reason; general knowledge,
2026-11-29. Lists keep the address of a business long after a merger or a move."""
_FORMS = re.compile(
    r"\b(?:inc|incorporated|llc|ltd|limited|plc|gmbh|ag|se|kg|co|corp|corporation|company|s\.?a\.?s?|s\.?l|b\.?v|n\.?v|"
    r"oy|ab|as|aps|pty|group|holdings?|technologies|international)\b\.?",
    re.IGNORECASE,
)
Named = Iterator[tuple[str, str]]
"""Pairs of a domain and a name."""


def registrable(text: str) -> str:
    """Registrable domain of an address; empty for a tenant, an IP address and text that is no address."""
    try:
        target = normalise(text if "://" in text else f"https://{text}")
    except WaypostError:
        return ""
    return "" if target.hosted or target.address else target.registrable


def plain(name: str) -> str:
    """Name without legal forms, endings of domains, case and signs."""
    text = re.sub(r"\.(?:com|net|org|io|co|de|app)\b", "", _FORMS.sub(" ", name).casefold())
    return re.sub(r"[^\w]|_", "", text)


def justdeleteme(document: Any) -> Named:
    for site in document:
        for domain in site.get("domains", ()):
            yield registrable(domain), site["name"]


def datenanfragen(document: Any) -> Named:
    for company in document:
        if domain := registrable(company.get("web") or ""):
            for name in (company["name"], *(company.get("runs") or ())):
                yield domain, name


def logos(document: Any) -> Named:
    for logo in document:
        yield registrable(logo.get("url") or ""), logo["name"]


def bounties(document: Any) -> Named:
    for program in document["programs"]:
        for domain in program.get("domains") or ():
            yield registrable(domain), program["name"]


READERS = {"justdeleteme": justdeleteme, "datenanfragen": datenanfragen, "logos": logos, "bounties": bounties}


def read(folder: Path) -> dict[str, dict[str, set[str]]]:
    """Domain -> source -> plain names, from the files of a folder."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for source, reader in READERS.items():
        if (file := folder / f"{source}.json").is_file():
            for domain, name in reader(json.loads(file.read_text("utf-8"))):
                if domain and plain(name):
                    found[domain][source].add(plain(name))
    return found


def reviewed(brand: Mapping[str, Any], lists: Mapping[str, Mapping[str, set[str]]]) -> dict[str, Any] | None:
    """Main site of a brand as a reviewed domain; None without enough sources, or where the brand has ended."""
    if brand["official_domains"] or brand.get("closed") or not brand["further_domains"]:
        return None
    main = brand["further_domains"][0]
    if main["domain"] in NOT_BY_LISTS:
        return None
    names = {plain(name) for name in (*brand["names"], *brand["aliases"])}
    named_by = [source for source, given in lists.get(main["domain"], {}).items() if names & given]
    sources = [*named_by, *(source for source in main["sources"] if source not in named_by and source != "general")]
    # Two publishers: a single one with a second kind of evidence is left to a reviewer by hand.
    if len(publishers(sources)) < 2 or not is_reviewed(sources):
        return None
    return {"domain": main["domain"], "role": "principal", "reviewed": REVIEWED, "sources": sources}


def changed(text: str, brand: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """Text of a brand file with the main site among the reviewed domains."""
    rest = [json.dumps(each, ensure_ascii=False) for each in brand["further_domains"][1:]]
    before = text[: text.index('  "official_domains": ')]
    behind = text[text.index('  "further_domains": ') :]
    after = behind[behind.index("\n  ]") + 4 :] if '"further_domains": []' not in behind else ""
    official = f'  "official_domains": [\n    {json.dumps(entry, ensure_ascii=False)}\n  ],\n'
    further = '  "further_domains": []' if not rest else '  "further_domains": [\n    ' + ",\n    ".join(rest) + "\n  ]"
    return f"{before}{official}{further}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--missing", type=Path)
    options = parser.parse_args()
    lists, counts, missing = read(options.folder), Counter[str](), []
    for path in sorted(BRANDS.glob("*/*.json")):
        text = path.read_text("utf-8")
        brand = json.loads(text)
        entry = reviewed(brand, lists)
        if entry is not None:
            made = changed(text, brand, entry)
            expected = {**brand, "official_domains": [entry], "further_domains": brand["further_domains"][1:]}
            assert json.loads(made) == expected, path
            counts["reviewed"] += 1
            if not options.dry_run:
                path.write_text(made, "utf-8")
        elif not brand["official_domains"]:
            first = brand["further_domains"][:1]
            named_by = sorted(publishers(source for each in first for source in each["sources"]))
            missing.append(
                {"slug": brand["slug"], "domain": first[0]["domain"] if first else "", "publishers": named_by}
            )
            counts["closed" if brand.get("closed") else f"named by {len(named_by)}"] += 1
        else:
            counts["reviewed before"] += 1
    if options.missing:
        options.missing.write_text("".join(f"{json.dumps(each)}\n" for each in missing), "utf-8")
    sys.stdout.write("".join(f"{name:<16}{count:>6,}\n" for name, count in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
