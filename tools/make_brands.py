"""Join the brand files with public lists that name domains: sources, reviews, roles, new brands.

    python tools/make_brands.py LISTS SITES [--brands N] [--picks FILE] [--dry-run]

LISTS   JSON: `domains` (domain -> [{source, name, with}]), as `make_lists.py` writes it
SITES   JSON: `sites` [{name, domain, categories}], for the categories of new brands
--picks FILE  add these brands too, a line of JSON each: name, domain, sector, countries, and `tokens` where the label
              of the domain identifies nobody; each was compared with its source by hand, which is a kind of evidence
--brands N    add unreviewed brands of LISTS, the sectors in which people sign in or pay first, until there are N

A domain counts as reviewed where two publishers name it, or one publisher and a second kind of evidence
(`registry.sources.is_reviewed`); any other becomes a further domain, which verifies nothing. New brands keep their
name from the lists; without a reviewed domain they get no tokens, so that they accuse nobody. Reads
/usr/share/dict/american-english: a label that is a word is no token of a new brand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from waypost.registry.sources import is_reviewed
from waypost.registry.world import DATA, World, load
from waypost.safety.target import of_host

WORDS = Path("/usr/share/dict/american-english")
REVIEWED = "2026-11-23"
HAND = "hand"
PICKED = "hand-sectors"
WITHOUT_LIST = {
    "compiled by hand for the registry, 2026-11-20": HAND,
    "general knowledge, not looked up": "general",
    "the brand's own name under a country's domain, not looked up": "own-name",
}
"""Sources of earlier brand files, which held a sentence where there are names of lists now."""
RESTRICTED = "restricted-suffix"
SECTORS = (
    *("banking", "payments", "finance", "investing", "cryptocurrencies", "insurance", "government", "retail", "travel"),
    *("utilities", "health", "email", "social", "communication", "tickets", "transport", "food", "hotels", "gaming"),
    *("entertainment", "crowdfunding", "legal", "identity", "security", "domains", "hosting", "cloud", "backup"),
)
NAMING = frozenset({"twofactorauth", "simple-icons", "wikidata-websites", "tracking-number-data", "ccxt", "banks-db"})
"""Lists whose names are written for people; others give identifiers of applications."""
HOMES = NAMING | {HAND, PICKED}
"""Lists that name the main site of a brand; others name any site of its accounts."""
ROLES = (
    ("mail", r"mail"),
    ("payment", r"pay(?!pal)|checkout|wallet|billing"),
    ("sign_in", r"login|signin|account|auth|sso|^id$"),
    (
        "content",
        r"img|image|static|cdn|usercontent|media|assets|cache|objects|apis?$|video|syndication|analytics|ads?$",
    ),
)
EVERYWHERE = frozenset(
    {
        *(
            "ac",
            "ag",
            "ai",
            "am",
            "as",
            "bz",
            "cc",
            "cd",
            "cf",
            "co",
            "cx",
            "dj",
            "fm",
            "ga",
            "gd",
            "gg",
            "gl",
            "gq",
            "gs",
        ),
        *("im", "io", "ki", "la", "li", "ly", "me", "ml", "ms", "mu", "nu", "pw", "re", "sc", "sh", "so", "st", "sx"),
        *("tk", "to", "tv", "vc", "vg", "vu", "ws"),
    }
)
"""Country domains that are used everywhere, so that they say nothing of a brand's country."""


def key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def label(domain: str) -> str:
    """Registered label: `amazon` of amazon.co.uk."""
    return (of_host(domain).registrable or domain).partition(".")[0]


class Join:
    """Brand files, as documents, with the lists that name their domains."""

    def __init__(self, lists: dict[str, Any], sites: list[dict[str, Any]], world: World) -> None:
        self.named: dict[str, list[dict[str, Any]]] = lists["domains"]
        self.lists = {entry["source"] for entries in self.named.values() for entry in entries}
        self.picked: dict[str, list[str]] = {}
        self.places = world.infrastructure | world.user_content
        self.categories = {site["domain"]: site["categories"] for site in sites}
        self.world = world
        action = world.document("words/action.json")
        self.words = frozenset(WORDS.read_text("utf-8").casefold().split())
        self.words |= {word for kind in ("words", "business", "urgent") for word in action[kind]}
        self.brands: dict[str, dict[str, Any]] = {
            Path(path).stem: world.document(path) for path in world.files if path.startswith("brands/")
        }
        self.tokens = {
            token for brand in self.brands.values() for token in (*brand["tokens"], *brand["short_or_common_tokens"])
        }

    def sources(self, domain: str, *own: str) -> list[str]:
        """Names of the lists that name a domain, and of further kinds of evidence."""
        found = sorted({entry["source"] for entry in self.named.get(domain, ())})
        return list(dict.fromkeys([*found, *([RESTRICTED] if self.world.is_restricted(domain) else []), *own]))

    def names(self, domain: str) -> list[str]:
        """Names that the lists give for a domain, the shortest first, without what stands in brackets."""
        entries = (entry for entry in self.named[domain] if entry["source"] in NAMING and "name" in entry)
        found = {re.sub(r"\s*\(.*?\)", "", entry["name"]).strip() for entry in entries}
        return sorted(found - {""}, key=lambda name: (len(name), name))

    def review(self, brand: dict[str, Any]) -> None:
        """Sort the domains of a brand into reviewed and further ones, by their sources."""
        official, further = [], []
        known = {entry["domain"]: entry for entry in (*brand["official_domains"], *brand["further_domains"])}
        for domain, entry in known.items():
            own = [name for name in entry.get("sources", ()) if name not in self.lists | {RESTRICTED}]
            own += [WITHOUT_LIST[text] for text in [entry.get("source", "")] if text in WITHOUT_LIST]
            sources = self.sources(domain, *own) or ["general"]
            if is_reviewed(sources) and ("role" in entry or self.is_own(domain, brand)):
                day = entry.get("reviewed", REVIEWED)
                official.append({"domain": domain, "role": "", "reviewed": day, "sources": sources})
            else:
                further.append({"domain": domain, "sources": sources})
        home = next((entry for entry in official if entry["domain"] == next(iter(known))), None)
        home = home or next((entry for entry in official if HOMES & set(entry["sources"])), None)
        if official and not home:  # reviewed, but nobody says that it is the brand's main site
            further = [*further, *({"domain": e["domain"], "sources": e["sources"]} for e in official)]
            official = []
        official.sort(key=lambda entry: entry is not home)
        for at, entry in enumerate(official):
            entry["role"] = (
                "principal"
                if not at or label(entry["domain"]) == label(official[0]["domain"])
                else role(entry["domain"])
            )
        brand["official_domains"], brand["further_domains"] = official, further

    def is_own(self, domain: str, brand: dict[str, Any]) -> bool:
        """Whether no list names the domain for another brand, and strangers publish nothing there."""
        named = {key(entry["name"]) for entry in self.named.get(domain, ()) if entry.get("name")}
        others = {key(name) for other in self.brands.values() if other is not brand for name in other["names"]}
        return domain not in self.places and not named & others

    def add(self, name: str, domains: list[str], others: Iterable[str] = ()) -> None:
        """Add a brand. Tokens are given to brands with a reviewed domain alone."""
        slug = self.slug(name, domains[0])
        brand: dict[str, Any] = {
            "slug": slug,
            "names": [name],
            "aliases": sorted({other for other in others if key(other) != key(name)}),
            "owner": slug,
            "categories": self.sector(domains[0]),
            "countries": country(domains[0]),
            "tokens": [],
            "short_or_common_tokens": [],
            "official_domains": [],
            "further_domains": [{"domain": domain} for domain in domains],
        }
        self.review(brand)
        self.brands[slug] = brand
        if brand["official_domains"]:
            self.add_token(brand, label(domains[0]))

    def pick(self, row: dict[str, Any]) -> None:
        """Add a brand that was picked by hand, or complete the one that has its domain."""
        domain = row["domain"]
        brand = next((b for b in self.brands.values() if domain in {e["domain"] for e in b["further_domains"]}), None)
        if brand is None:
            if domain in {entry["domain"] for b in self.brands.values() for entry in b["official_domains"]}:
                return
            brand = self.brands[self.slug(row["name"], domain)] = {
                "slug": self.slug(row["name"], domain), "names": [row["name"]], "aliases": [], "owner": "",
                "categories": [row["sector"]], "countries": row["countries"], "tokens": [],
                "short_or_common_tokens": [], "official_domains": [], "further_domains": [],
            }  # fmt: skip
            brand["owner"] = brand["slug"]
        entries = [*brand["official_domains"], *brand["further_domains"]]
        entry = next((entry for entry in entries if entry["domain"] == domain), None)
        if entry is None:
            entry = {"domain": domain, "sources": []}
            entries.append(entry)
        entry["sources"] = [*entry["sources"], PICKED]
        brand["official_domains"], brand["further_domains"] = [], entries
        self.picked[brand["slug"]] = row.get("tokens", [label(domain)])

    def add_token(self, brand: dict[str, Any], token: str) -> None:
        """Give a brand the label of its domain as its token, unless the label is a word or another brand's token."""
        if len(token) < 3 or token.isdigit() or token in self.tokens | self.words:
            return
        brand["tokens" if len(token) >= 6 else "short_or_common_tokens"].append(token)
        self.tokens.add(token)

    def slug(self, name: str, domain: str) -> str:
        for slug in (key(name)[:40], label(domain)[:40], re.sub(r"[^a-z0-9]+", "-", domain)[:40]):
            if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", slug) and slug not in self.brands:
                return slug
        raise SystemExit(f"no free name for the file of {domain}")

    def sector(self, domain: str) -> list[str]:
        suffix = of_host(domain).suffix
        if suffix.startswith(("gov", "gob", "gouv", "mil", "go.")):
            return ["government"]
        if suffix.startswith(("edu", "ac.")):
            return ["education"]
        return sorted(self.categories.get(domain, ["other"]))

    def group(self, domains: Iterable[str]) -> dict[str, list[str]]:
        """Domains by the name that the lists give; a domain without a name stands by itself."""
        groups: dict[str, list[str]] = {}
        for domain in domains:
            names = self.names(domain)
            groups.setdefault(key(names[0]) if names else domain, []).append(domain)
        for found in groups.values():
            found.sort(key=lambda domain: (-len(self.named[domain]), len(domain), domain))
        return groups

    def owners(self) -> None:
        """Give one owner to the new brands whose domains share an account system or declare one another."""
        by_domain = {
            entry["domain"]: brand
            for brand in self.brands.values()
            for entry in (*brand["official_domains"], *brand["further_domains"])
        }
        for domain, entries in self.named.items():
            brand = by_domain.get(domain)
            together = {
                by_domain[other]["owner"] for entry in entries for other in entry.get("with", ()) if other in by_domain
            }
            if brand and brand["owner"] == brand["slug"] and together - {brand["owner"]}:
                old, new = brand["owner"], min(together - {brand["owner"]})
                for other in self.brands.values():
                    if other["owner"] == old:
                        other["owner"] = new


def role(domain: str) -> str:
    """Role of a domain, by the words of its label; `other` where none says."""
    return next((name for name, pattern in ROLES if re.search(pattern, label(domain))), "other")


def country(domain: str) -> list[str]:
    last = domain.rpartition(".")[2]
    return [{"uk": "gb"}.get(last, last)] if len(last) == 2 and last not in EVERYWHERE and last != "eu" else []


def text_of(brand: dict[str, Any]) -> str:
    """File of a brand: one line per member, and one per domain."""
    lines = []
    for name, value in brand.items():
        if name in {"official_domains", "further_domains"} and value:
            rows = ",\n".join(f"    {json.dumps(entry, ensure_ascii=False)}" for entry in value)
            lines.append(f'  "{name}": [\n{rows}\n  ]')
        else:
            lines.append(f'  "{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path)
    parser.add_argument("sites", type=Path)
    parser.add_argument("--brands", type=int, default=0, metavar="N")
    parser.add_argument("--picks", type=Path)
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args()
    lists, sites = (json.loads(path.read_text("utf-8")) for path in (options.lists, options.sites))
    join = Join(lists, sites["sites"], load())
    for line in options.picks.read_text("utf-8").splitlines() if options.picks else ():
        join.pick(json.loads(line))
    for brand in join.brands.values():
        was = bool(brand["official_domains"])
        join.review(brand)
        if brand["official_domains"] and not was and not brand["tokens"] + brand["short_or_common_tokens"]:
            for token in join.picked.get(brand["slug"], [label(brand["official_domains"][0]["domain"])]):
                join.add_token(brand, token)
    known_domains = {e["domain"] for b in join.brands.values() for e in (*b["official_domains"], *b["further_domains"])}
    new = [domain for domain in join.named if domain not in known_domains]
    reviewed = [domain for domain in new if options.brands and is_reviewed(join.sources(domain))]
    for domains in join.group(reviewed).values():
        names = [name for domain in domains for name in join.names(domain)] or [label(domains[0]).capitalize()]
        join.add(names[0], domains, names[1:])
    grow(join, [domain for domain in new if domain not in set(reviewed)], options.brands)
    join.owners()
    if not options.dry_run:
        write(join)
    official = [e for b in join.brands.values() for e in b["official_domains"]]
    print(f"{len(join.brands)} brands, {sum(bool(b['official_domains']) for b in join.brands.values())} reviewed;",
          f"{len(official)} reviewed domains")  # fmt: skip


def grow(join: Join, domains: list[str], most: int) -> None:
    """Add unreviewed brands that a list names, by sector, until there are `most`."""
    rank = {sector: at for at, sector in enumerate(SECTORS)}
    groups = [
        (min((rank.get(c, len(rank)) for c in join.sector(found[0])), default=len(rank)), name, found)
        for name, found in join.group(domain for domain in domains if join.names(domain)).items()
    ]
    taken = {key(name) for brand in join.brands.values() for name in (*brand["names"], *brand["aliases"])}
    for _, name, found in sorted(groups):
        if len(join.brands) >= most:
            return
        if name and name not in taken:
            join.add(join.names(found[0])[0], found)


def write(join: Join) -> None:
    """Write the brand files, and take what they name out of the further sites."""
    for slug, brand in join.brands.items():
        path = DATA / "brands" / (slug[0] if slug[0].isalpha() else "0") / f"{slug}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text_of(brand), "utf-8")
    known_domains = {e["domain"] for b in join.brands.values() for e in (*b["official_domains"], *b["further_domains"])}
    document = join.world.document("sites.json")
    rows = [
        json.dumps(site, ensure_ascii=False, separators=(",", ":"))
        for site in document["sites"]
        if not known_domains & set(site["domains"])
    ]
    head = json.dumps(
        {name: value for name, value in document.items() if name != "sites"}, ensure_ascii=False, separators=(",", ":")
    )
    (DATA / "sites.json").write_text(f'{head[:-1]},"sites":[\n' + ",\n".join(rows) + "\n]}\n", "utf-8")


if __name__ == "__main__":
    main()
