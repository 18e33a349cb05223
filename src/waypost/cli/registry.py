"""show the brand that owns a domain, with sources, or check the registry of brands

A brand's domain counts as reviewed where two publishers of public lists name it, or one publisher and a second kind
of evidence. `check` checks every brand file and counts, also the places where third parties publish, and those with
a source that was read; `show` prints a brand's domains with the sources.

examples:
  waypost registry check
  waypost registry show paypal
  waypost registry show https://www.ebay.com/ --json

exit status: 0 nothing to report, 1 the registry has errors or no such brand, 2 wrong usage
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._console import print_message, write, write_json

if TYPE_CHECKING:
    from waypost.registry.world import Brand, World

PLACE = 68
FOUND, NOT_FOUND = 0, 1
_SOURCE_MEMBERS = frozenset({"publisher", "path", "url", "date", "says"})


def configure(parser: ArgumentParser) -> None:
    steps = parser.add_subparsers(metavar="WHAT", dest="step", required=True, help="what to do")
    checking = steps.add_parser("check", help="check every brand file, and count", description="check every brand file")
    checking.set_defaults(work=_check)
    showing = steps.add_parser(
        "show", help="print a brand with its domains and their sources", description="print a brand with its domains"
    )
    showing.add_argument("name", metavar="BRAND", help="slug, name, domain or URL")
    showing.set_defaults(work=_show)
    for step in (checking, showing):
        step.add_argument("--json", action="store_true", help="as JSON")


def run(args: Namespace) -> int:
    from waypost.registry.world import load

    status: int = args.work(args, load())
    return status


def _check(args: Namespace, world: World) -> int:
    found = [*_errors(world)]
    counts = _counts(world)
    if args.json:
        write_json({"errors": found, **counts})
    else:
        write(f"{name.replace('_', ' '):<44}{count:>7,}\n" for name, count in counts.items())
        write(f"error: {error}\n" for error in found)
    return NOT_FOUND if found else FOUND


def _errors(world: World) -> Iterator[str]:
    """Errors of the brand files: a domain or word of two brands, a review that its sources do not carry."""
    from waypost.registry.sources import problems

    words: dict[str, str] = {}
    for brand in world.brands.values():
        for kind, values in (("domain", brand.domains), ("word", (*brand.tokens, *brand.short_or_common_tokens))):
            for value in values:
                if (other := words.setdefault(f"{kind} {value}", brand.slug)) != brand.slug:
                    yield f"{brand.slug}: the {kind} {value} belongs to {other} too"
        for entry in brand.official_domains:
            yield from (f"{brand.slug}: {problem}" for problem in problems(entry))
        if brand.closed and brand.official_domains:
            yield f"{brand.slug}: a business that has ended has no reviewed domain, see {brand.closed}"
        # The first one is what a decision names as the official site in place of an imitation.
        if brand.official_domains and brand.official_domains[0].role != "principal":
            yield f"{brand.slug}: the first reviewed domain is not the principal one"


def _counts(world: World) -> dict[str, int]:
    from waypost.registry.places import place_entries
    from waypost.registry.sources import publishers

    places = place_entries(world)
    official = [entry for brand in world.brands.values() for entry in brand.official_domains]
    by_publishers = Counter(min(len(publishers(entry.sources)), 3) for entry in official)
    return {
        "brands": len(world.brands),
        "brands_with_a_reviewed_domain": sum(bool(brand.official_domains) for brand in world.brands.values()),
        "reviewed_domains": len(official),
        "reviewed_by_three_publishers_or_more": by_publishers[3],
        "reviewed_by_two_publishers": by_publishers[2],
        "reviewed_by_one_and_other_evidence": by_publishers[1],
        "reviewed_without_a_source_to_open": by_publishers[0],
        "unreviewed_domains": sum(len(brand.further_domains) for brand in world.brands.values()),
        "places_of_third_parties_and_redirectors": len(places),
        "places_with_a_source_that_was_read": sum(bool(place.read) for place in places),
    }


def _show(args: Namespace, world: World) -> int:
    brand = _find(world, args.name)
    if brand is None:
        print_message(f"no brand is known by the name or domain {args.name!r}; waypost registry check counts them all")
        return NOT_FOUND
    document = _document(brand)
    if args.json:
        write_json(document)
    else:
        write(_lines(document))
    return FOUND


def _find(world: World, name: str) -> Brand | None:
    """Brand by slug, name, alias, or by the domain of a host or URL."""
    from waypost.errors import InvalidUrl
    from waypost.safety.target import normalise

    text = name.casefold().strip()
    if text in world.brands:
        return world.brands[text]
    for brand in world.brands.values():
        if text in {known.casefold() for known in (*brand.names, *brand.aliases)}:
            return brand
    try:
        target = normalise(text if "://" in text else f"https://{text}/")
    except InvalidUrl:
        return None
    return world.brand_at(target.host) or world.brand_at(target.registrable or target.host)


def _document(brand: Brand) -> dict[str, Any]:
    return {
        "slug": brand.slug,
        "name": brand.name,
        "owner": brand.owner,
        "domains": [
            *(
                {"domain": d.domain, "status": "reviewed", "role": d.role, "reviewed": d.reviewed,
                 "sources": _sources(d.sources)}
                for d in brand.official_domains
            ),
            *(
                {"domain": d.domain, "status": "claimed_unreviewed", "sources": _sources(d.sources)}
                for d in brand.further_domains
            ),
        ],
    }  # fmt: skip


def _sources(names: tuple[str, ...]) -> list[dict[str, str]]:
    """Sources in full: publisher, path, address, date and statement."""
    import msgspec

    from waypost.registry.sources import sources

    known = sources()
    return [
        {member: str(value) for member, value in msgspec.to_builtins(known[name]).items() if member in _SOURCE_MEMBERS}
        for name in names
        if name in known
    ]


def _lines(document: dict[str, Any]) -> Iterator[str]:
    """Line per domain with the numbers of its sources, then the sources."""
    sources = {source["says"]: source for domain in document["domains"] for source in domain["sources"]}
    numbers = {statement: number for number, statement in enumerate(sources, 1)}
    width = max(len(domain["domain"]) for domain in document["domains"])
    yield f"{document['name']} ({document['slug']}), owner {document['owner']}\n\n"
    for domain in document["domains"]:
        state = f"reviewed {domain['reviewed']}  {domain['role'].replace('_', ' '):<9}" if "reviewed" in domain else ""
        marks = " ".join(f"[{numbers[source['says']]}]" for source in domain["sources"])
        yield f"{domain['domain']:<{width}}  {state or 'not reviewed':<30}  {marks}\n"
    yield "\n"
    for statement, number in numbers.items():
        source = sources[statement]
        yield f"[{number}] {source['publisher']}, {source['date']}: {statement}\n"
        if source["url"]:
            yield f"    {source['url']}\n"
