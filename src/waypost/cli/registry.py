"""show, check, update, build and extend the registry of brands

A brand's domain counts as reviewed where two publishers of public lists name it, or one publisher and a second kind
of evidence. `check` checks every brand file and counts, also the places where third parties publish, and those with
a source that was read; `show` prints a brand's domains with the sources.

`update` installs a signed release of the registry in place of the one in use: from an https address, a folder or an
archive. A release that is forged, cut, expired or older changes nothing. A running service uses a new release within
seconds, and with --store every replica does. When a release expires, its reviews end with it. `trust` pins the root of
the publisher, `reset` goes back to the registry of the package, `status` shows the release in use.

Reviews end at the latest after 365 days, those of the package spread over half a year. `expiring` lists what ends next.
`add` submits a domain of your own: two others have to accept it with `waypost review accept` before people may pay
there.

`key` makes the keys and the root of a publisher, and later a new key for releases; `build` makes a release of brand
files: serve its folder, or hand out its registry.zip. It has to be built again before it expires.

examples:
  waypost registry show https://www.ebay.com/ --json
  waypost registry expiring --within 90
  waypost registry add pay.example.com --entity Acme --as ann
  waypost registry trust root.json
  waypost registry update --from https://registry.example.com/waypost --dry-run
  waypost registry key ./keys
  waypost registry build ./public --keys ./keys --days 90

exit status: 0 done, 1 the registry has errors or no such brand, 2 wrong usage, 3 a release was refused, or something
could not be read; what was in use stays
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli import _registry_reviews, _registry_updates
from waypost.cli._console import print_message, write, write_json
from waypost.cli._subcommands import subcommands, world_of

if TYPE_CHECKING:
    from waypost.registry.sources import Source
    from waypost.registry.world import Brand, World

PLACE = 68
FOUND, NOT_FOUND = 0, 1
_SOURCE_MEMBERS = frozenset({"publisher", "path", "url", "date", "says"})


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)
    add("check", "check every brand file, and count", _check)
    showing = add("show", "print a brand with its domains and their sources", _show)
    showing.add_argument("name", metavar="BRAND", help="slug, name, domain or URL")
    _registry_reviews.configure(add)
    _registry_updates.configure(add)


def run(args: Namespace) -> int:
    status: int = args.work(args)
    return status


def _check(args: Namespace) -> int:
    from waypost.registry.sources import brand_errors

    world = world_of(args)
    found = [*brand_errors(world)]
    counts = _counts(world)
    if args.json:
        write_json({"errors": found, **counts})
    else:
        write(f"{name.replace('_', ' '):<44}{count:>7,}\n" for name, count in counts.items())
        write(f"error: {error}\n" for error in found)
    return NOT_FOUND if found else FOUND


def _counts(world: World) -> dict[str, int]:
    from waypost.registry.places import place_entries
    from waypost.registry.sources import publishers, sources_of

    places, known = place_entries(world), sources_of(world)
    official = [entry for brand in world.brands.values() for entry in brand.official_domains]
    by_publishers = Counter(min(len(publishers(entry.sources, known)), 3) for entry in official)
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


def _show(args: Namespace) -> int:
    world = world_of(args)
    brand = _find(world, args.name)
    if brand is None:
        print_message(f"no brand is known by the name or domain {args.name!r}; waypost registry check counts them all")
        return NOT_FOUND
    document = _document(brand, world)
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


def _document(brand: Brand, world: World) -> dict[str, Any]:
    from waypost.registry.sources import sources_of

    known = sources_of(world)
    return {
        "slug": brand.slug,
        "name": brand.name,
        "owner": brand.owner,
        "domains": [
            *(
                {"domain": d.domain, "status": "reviewed", "role": d.role, "reviewed": d.reviewed,
                 "sources": _sources(d.sources, known)}
                for d in brand.official_domains
            ),
            *(
                {"domain": d.domain, "status": "claimed_unreviewed", "sources": _sources(d.sources, known)}
                for d in brand.further_domains
            ),
        ],
    }  # fmt: skip


def _sources(names: tuple[str, ...], known: dict[str, Source]) -> list[dict[str, str]]:
    """Sources in full: publisher, path, address, date and statement."""
    import msgspec

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
