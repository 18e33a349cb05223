"""Add to `data/sites.json` the organizations of public lists whose own site resembles a brand's name.

    python tools/make_sites.py LISTS

LISTS is a file of `make_lists.py`. Thousands of organizations have a site that holds, or nearly is, the name of a brand
of the registry: a bank with a similar name, a branch, a family. A list that names the site for somebody else shows that
it is no imitation. Only those are added about which the signals on names say more than "weak"; the others need no
entry. To be run after the brand files were written, since the entries depend on their tokens.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from waypost.registry.world import DATA, load
from waypost.safety.brand_index import BrandIndex
from waypost.safety.catalogue import signals_taking
from waypost.safety.host_reading import HostReading
from waypost.safety.target import of_host

NAMING = ("wikidata-websites", "twofactorauth", "tracking-number-data", "ccxt", "banks-db", "bancos-brasileiros")
SECTION = "organization"
STRENGTHS = frozenset({"medium", "strong", "decisive"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", type=Path)
    options = parser.parse_args()
    world = load()
    index = BrandIndex(world)
    document = world.document("sites.json")
    left_out = (
        {domain for site in document["sites"] for domain in site["domains"]} | set(world.official) | set(world.further)
    )
    sites = list(document["sites"])
    for domain, entries in sorted(json.loads(options.lists.read_text("utf-8"))["domains"].items()):
        names = [entry["name"] for entry in entries if entry["source"] in NAMING and entry.get("name")]
        if domain in left_out or not names:
            continue
        reading = HostReading(of_host(domain), index)
        if any(e.strength in STRENGTHS for signal in signals_taking("reading") for e in signal.observe(reading)):
            sites.append({"name": names[0], "domains": [domain], "categories": [SECTION]})
    rows = [json.dumps(site, ensure_ascii=False, separators=(",", ":")) for site in sites]
    head = {name: value for name, value in document.items() if name != "sites"}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    (DATA / "sites.json").write_text(f'{text[:-1]},"sites":[\n' + ",\n".join(rows) + "\n]}\n", "utf-8")
    print(f"{len(sites) - len(document['sites'])} sites added, {len(sites)} in all")


if __name__ == "__main__":
    main()
