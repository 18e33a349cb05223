"""Compare public lists of addresses with the listed places: which a list confirms, contradicts, or names besides.

    python tools/join_places.py FOLDER [--contradicted | --missing | --sample NUMBER | --write DATE]

FOLDER holds the lists, unpacked, at any depth; one that is missing is left out:

    sherlock      PyPI `sherlock-project`; `sherlock_project/resources/data.json`
    maigret       PyPI; `maigret/resources/data.json`
    whatsmyname   `wmn-data.json`, or the copy of PyPI `consensus-osint`, `sites_wmn.json`
    oembed        `providers.json` of oembed.com, or the copy of npm `@extractus/oembed-extractor`
    gallery-dl    PyPI; `gallery_dl/extractor/*.py`: examples of addresses, of hosts that have users
    yt-dlp        PyPI; `yt_dlp/extractor/*.py`: the tests that name an uploader
    suffixes      PyPI `publicsuffixlist`; `public_suffix_list.dat`, private domains: hosts below which others register
    clearurls     `data.min.json`, or the copy of PyPI `unalix`: patterns of redirecting addresses
    read.tsv      a source's name or address, a tab and an address that the source names: files read by a person

An address of a list confirms a place where the place's own pattern matches it: the same host, the same path. Without
an option the number of places that each list confirms is printed.

    --sample        some of the confirmations, by chance, with the address that confirms, for reading
    --contradicted  addresses of users by a list, on a host with places, that are no place: the host's own, for waypost
    --missing       addresses of users by a list, on a reviewed host without places
    --write         divides each entry that no source was read for into what a list confirms, host by host and path by
                    path, with the list as its source and DATE as the day of reading, and the rest, which stays as it is

No text of a list gets into the data, only the fact that it names the address.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from waypost.errors import WaypostError
from waypost.models.decision import UrlReading
from waypost.registry.places import Publishers, UrlPath, places_of
from waypost.registry.world import World, load
from waypost.safety.target import UrlParts, split
from waypost.safety.url_publishers import own_name_of
from waypost.safety.url_reading import read_address

NAME = "jane4doe7"
"""Name of a user that no list, word or brand has."""
NOWHERE = split("https://192.0.2.1/")
ALIASES = ("www.", "m.", "mobile.", "touch.", "mbasic.", "old.")
DESTINATION = "other.test"
PLACES = Path(__file__).parent.parent / "src/waypost/data/places"
GALLERY_DL = "https://github.com/mikf/gallery-dl/blob/v{version}/gallery_dl/extractor/{file}"
YT_DLP = "https://github.com/yt-dlp/yt-dlp/blob/{version}/yt_dlp/extractor/{file}"
_PLACEHOLDER = re.compile(r"[A-Z]{2,}[A-Z_0-9]*")
_UPLOADER = frozenset({"uploader", "uploader_id", "uploader_url", "channel", "channel_id", "channel_url"})


class Sample(NamedTuple):
    """Address that a list names. `source` is an entry of `sources`, or the address of the list's file."""

    source: str
    url: str


def sherlock(path: Path) -> Iterator[Sample]:
    for site in json.loads(path.read_text("utf-8")).values():
        if isinstance(site, dict) and "url" in site:
            yield Sample("sherlock", site["url"].replace("{}", NAME))


def maigret(path: Path) -> Iterator[Sample]:
    lists = json.loads(path.read_text("utf-8"))
    for site in lists["sites"].values():
        engine = lists["engines"].get(site.get("engine", ""), {}).get("site", {})
        url = site.get("url") or engine.get("url", "")
        url = url.replace("{urlMain}", site.get("urlMain", "")).replace("{urlSubpath}", site.get("urlSubpath", ""))
        if "{username}" in url:
            yield Sample("maigret", url.replace("{username}", NAME))


def whatsmyname(path: Path) -> Iterator[Sample]:
    for site in json.loads(path.read_text("utf-8"))["sites"]:
        if site.get("sources", ["wmn"]) != ["wmn"] and "wmn" not in site["sources"]:
            continue
        for url in {site.get("url"), site.get("uri_pretty"), site.get("uri_check")} - {None}:
            yield Sample("whatsmyname", re.sub(r"\{(?:username|account)\}", NAME, url))


def oembed(path: Path) -> Iterator[Sample]:
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        providers = json.loads(text[text.index("[") : text.rindex("]") + 1])
        schemes = [scheme.replace("\\", "") for provider in providers for scheme in provider["s"]]
    else:
        points = [point for provider in json.loads(text) for point in provider["endpoints"]]
        schemes = [scheme for point in points for scheme in point.get("schemes", ())]
    for scheme in schemes:
        yield Sample("oembed", re.sub("^(?:https?:)?//", "https://", scheme).replace("*", NAME))


def gallery_dl(path: Path) -> Iterator[Sample]:
    version = _version(path)
    if version is None:
        return
    tree = ast.parse(path.read_text("utf-8"))
    values = [_strings(node) for node in tree.body if isinstance(node, ast.ClassDef)]
    examples = [each["example"] for each in values if each.get("example", "").startswith("http")]
    # Of hosts without users the examples are the host's own pages.
    if any("USER" in each or "ARTIST" in each or "CREATOR" in each for each in examples):
        for url in examples:
            yield Sample(GALLERY_DL.format(version=version, file=path.name), _PLACEHOLDER.sub(NAME, url))


def yt_dlp(path: Path) -> Iterator[Sample]:
    version = _version(path)
    if version is None:
        return
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Dict):
            continue
        items = zip(node.keys, node.values, strict=True)
        pairs = {key.value: value for key, value in items if isinstance(key, ast.Constant)}
        url, info = pairs.get("url"), pairs.get("info_dict")
        if not (isinstance(url, ast.Constant) and isinstance(url.value, str) and isinstance(info, ast.Dict)):
            continue
        if _UPLOADER.isdisjoint(key.value for key in info.keys if isinstance(key, ast.Constant)):
            continue
        # A test of another host is one of a page that embeds a video of this one.
        label = (parsed(url.value) or NOWHERE).target.registrable.partition(".")[0]
        if url.value.startswith("http") and label and f"{label}\\." in text:
            name = path.relative_to(next(each for each in path.parents if each.name == "extractor")).as_posix()
            yield Sample(YT_DLP.format(version=version, file=name), url.value)


def suffixes(path: Path) -> Iterator[Sample]:
    private = path.read_text("utf-8").partition("===BEGIN PRIVATE DOMAINS===")[2]
    for line in private.splitlines():
        rule = line.strip()
        if rule and not rule.startswith(("//", "!")):
            yield Sample("suffixes", f"https://{NAME}.{rule.removeprefix('*.')}/{NAME}")


def read_by_a_person(path: Path) -> Iterator[Sample]:
    for line in path.read_text("utf-8").splitlines():
        source, tab, url = line.partition("\t")
        if tab:
            yield Sample(source, url.strip())


def _version(path: Path) -> str | None:
    """Version in the package's `version.py`, above a file of the package."""
    for folder in path.parents:
        if (folder / "version.py").is_file():
            found = re.search(r"__version__ = ['\"]([^'\"]+)", (folder / "version.py").read_text("utf-8"))
            return found[1] if found else None
    return None


def _strings(node: ast.ClassDef) -> dict[str, str]:
    found = {}
    for line in node.body:
        if not isinstance(line, ast.Assign) or not isinstance(line.targets[0], ast.Name):
            continue
        if isinstance(line.value, ast.Constant):
            found[line.targets[0].id] = str(line.value.value)
    return found


READERS = {
    "sherlock_project/resources/data.json": sherlock,
    "maigret/resources/data.json": maigret,
    "wmn-data.json": whatsmyname,
    "sites_wmn.json": whatsmyname,
    "providers.json": oembed,
    "esm/src/utils/providers.latest.js": oembed,
    "gallery_dl/extractor/*.py": gallery_dl,
    "yt_dlp/extractor/*.py": yt_dlp,
    "yt_dlp/extractor/*/*.py": yt_dlp,
    "publicsuffixlist/public_suffix_list.dat": suffixes,
    "read.tsv": read_by_a_person,
}


def samples(folder: Path) -> Iterator[Sample]:
    for pattern, reader in READERS.items():
        for path in sorted(folder.rglob(pattern)):
            yield from reader(path)


Entries = list[dict[str, Any]]
Confirmed = dict[int, dict[str, dict[str, dict[str, str]]]]


class Match(NamedTuple):
    """Pattern of a place that an address of a list matches. `path` is empty where the name stands in the host."""

    entry: int
    host: str
    path: str


def forms(host: str, own: str) -> set[str]:
    """Hosts of an entry that stand for a host, as in `HostIndex`."""
    bare = next((host.removeprefix(alias) for alias in ALIASES if host.startswith(alias)), host)
    found = {host, bare}
    above = host.partition(".")[2]
    while above:
        if above != bare:
            found.add(f"*.{above}")
        above = above.partition(".")[2]
    if own:
        found |= {f"{own}.*", f"{next((own.removeprefix(a) for a in ALIASES if own.startswith(a)), own)}.*"}
    return found


def parsed(url: str) -> UrlParts | None:
    try:
        return split(re.sub("^http:", "https:", url))
    except (WaypostError, ValueError):
        return None


def matches(parts: UrlParts, index: dict[str, list[int]], entries: list[Publishers], world: World) -> Iterator[Match]:
    words, host = places_of(world).words, parts.target.host
    path = UrlPath(parts.path, parts.fragment)
    names = frozenset(pair.partition("=")[0].lower() for pair in parts.query.split("&") if pair)
    for form in forms(host, own_name_of(parts.target, world)):
        # Who names a tenant says nothing of the names below the tenant's neighbours: the user is the next label.
        if form.startswith("*.") and NAME in parts.path + host and not host.endswith(f"{NAME}{form[1:]}"):
            continue
        for number in index.get(form, ()):
            entry = entries[number]
            if entry.names == "host":
                if NAME in host and entry.applies(path, names, words):
                    yield Match(number, form, "")
                continue
            fitting = []
            for pattern in entry.paths:
                one = msgspec.structs.replace(entry, paths=(pattern,))
                if one.applies(path, names, words) and (entry.names != "path" or names_the_user(path.text, pattern)):
                    fitting.append(pattern)
            # A file at `/file/*` says nothing of the whole host, which the same entry also names.
            yield from (Match(number, form, each) for each in fitting if each != "/*" or len(fitting) == 1)


def names_the_user(path: str, pattern: str) -> bool:
    """Whether the user of a list stands where a pattern has the user's name."""
    user = pattern.removesuffix("*") + NAME
    return fnmatchcase(path, user) or fnmatchcase(path, f"{user}/*")


def confirmed(found: Iterator[Sample] | list[Sample], raw: Entries, world: World) -> Confirmed:
    """Entry -> host -> path -> source -> first address of the source that matches."""
    entries = [msgspec.convert(each, Publishers) for each in raw]
    index: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(entries):
        for host in entry.hosts:
            index[host].append(number)
    result: Confirmed = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    for sample in found:
        parts = parsed(sample.url)
        for match in matches(parts, index, entries, world) if parts else ():
            result[match.entry][match.host][match.path].setdefault(sample.source, sample.url)
    for number, entry in enumerate(entries):
        by_host = result.get(number, {})
        for host in entry.hosts:
            # A suffix's own host is no tenant: what is known of the names below it is known of the place.
            if host not in by_host and f"*.{host}" in by_host and entry.paths == ("/*",):
                by_host[host] = by_host[f"*.{host}"]
    return result


def divided(entry: dict[str, Any], by_host: dict[str, dict[str, dict[str, str]]], date: str) -> Entries:
    """Entries for what sources confirm of an entry, and for the rest of it."""
    paths = entry.get("paths", ["/*"])
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    rest: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for host in entry["hosts"]:
        by_path = by_host.get(host, {})
        known = [path for path in paths if path in by_path or "" in by_path]
        left = [path for path in paths if path not in known]
        if known:
            groups[tuple(known), _sources([by_path.get(path) or by_path[""] for path in known])].append(host)
        if left:
            rest[tuple(left)].append(host)
    result = []
    for (known, names), hosts in groups.items():
        source = names[0] if len(names) == 1 else list(names)
        result.append(_with(entry, hosts, known) | {"source": source, "read": date})
    for left, hosts in rest.items():
        result.append(_with(entry, hosts, left))
    return result


def _with(entry: dict[str, Any], hosts: list[str], paths: tuple[str, ...]) -> dict[str, Any]:
    changed = entry | {"hosts": hosts}
    return changed | {"paths": list(paths)} if "paths" in entry else changed


def _sources(by_path: list[dict[str, str]]) -> tuple[str, ...]:
    """Fewest sources that confirm every path, preferring a list's name over the address of a file."""
    left, chosen = list(by_path), []
    while left:
        counts = {name: sum(name in each for each in left) for each in left for name in each}
        best = min(counts, key=lambda name: (-counts[name], name.startswith("https:"), name))
        chosen.append(best)
        left = [each for each in left if best not in each]
    return tuple(sorted(chosen))


def redirections(folder: Path) -> Iterator[re.Pattern[str]]:
    """Patterns of ClearURLs that name a host; those of any host are rules for an add-on's own pages."""
    for path in sorted(folder.rglob("data.min.json")):
        for provider in json.loads(path.read_text("utf-8"))["providers"].values():
            for text in provider.get("redirections", ()):
                if not text.startswith((".*", "https?:\\/\\/[^/]+\\/")):
                    yield re.compile(text, re.IGNORECASE)


def redirected(raw: Entries, found: list[Sample], patterns: list[re.Pattern[str]], world: World) -> Confirmed:
    """Redirecting address -> host -> path -> source -> address of a list, or one made for a pattern of ClearURLs."""
    index: dict[str, list[int]] = defaultdict(list)
    result: Confirmed = defaultdict(lambda: defaultdict(lambda: defaultdict(dict)))
    for number, entry in enumerate(raw):
        for host in entry["hosts"]:
            index[host].append(number)
            for path in entry["paths"]:
                if url := known_to_clearurls(host, path, entry.get("at", {}), patterns):
                    result[number][host][path]["clearurls"] = url
    for sample in found:
        parts = parsed(sample.url) if DESTINATION in sample.url else None
        for form in forms(parts.target.host, own_name_of(parts.target, world)) if parts else ():
            for number in index.get(form, ()):
                for pattern in raw[number]["paths"]:
                    if UrlPath(parts.path).matches((pattern,)) and leads_on(parts, raw[number]):
                        result[number][form][pattern].setdefault(sample.source, sample.url)
    return result


def known_to_clearurls(host: str, path: str, at: dict[str, Any], patterns: list[re.Pattern[str]]) -> str:
    """Address that ClearURLs reads the destination from, at a host and path with a parameter of ours; else empty."""
    sample = host.removesuffix(".*") + ".com" if host.endswith(".*") else host.replace("*.", "a.")
    target = f"https%3A%2F%2F{DESTINATION}%2F"
    urls = [f"https://{sample}{path.replace('*', 'a')}{slash}?{name}={target}" for name in at.get("parameters", ())
            for slash in ("", "/")]  # fmt: skip
    if at.get("path"):
        urls.append(f"https://{sample}{path.replace('*', f'a/{target}')}/")
    for url in urls:
        for pattern in patterns:
            match = pattern.match(url)
            if match and DESTINATION in str(match[match.lastindex or 0]):
                return url
    return ""


def leads_on(parts: UrlParts, entry: dict[str, Any]) -> bool:
    """Whether the destination of a list's address stands where the entry looks for it."""
    places = [entry.get("at", {}), entry.get("also", {})]
    names = {name.lower() for place in places for name in place.get("parameters", ())}
    given = {pair.partition("=")[0].lower() for pair in parts.query.split("&") if DESTINATION in pair}
    return bool(names & given) or any(place.get("path") and DESTINATION in parts.path for place in places)


def decided(sample: Sample, world: World) -> str:
    """`place`, `own` where the address is the host's own for waypost, or empty where its host is not reviewed."""
    parts = parsed(sample.url)
    if parts is None or parts.target.hosted:
        return ""
    brand = world.brand_at(parts.target.registrable)
    if brand is None or all(entry.domain != parts.target.registrable for entry in brand.official_domains):
        return ""
    reading = read_address(re.sub("^http:", "https:", sample.url), world).reading
    return "own" if reading == UrlReading(deeper=reading.deeper) else "place"


def show_undecided(found: list[Sample], world: World, *, with_places: bool) -> None:
    """Addresses of users that are the host's own for waypost, on hosts with places or on those without."""
    for sample in dict.fromkeys(found):
        parts = parsed(sample.url)
        if parts is None or decided(sample, world) != "own":
            continue
        places = places_of(world).publishers.entries(parts.target.host, "")
        if bool(places) is with_places:
            print(f"{sample.url}\t{sample.source}")


def layout(document: dict[str, Any], text: str, name: str) -> str:
    """Text of a file of places with its entries replaced, one a line."""
    head, tail = text.index(f'"{name}": [') + len(f'"{name}": ['), text.rindex("\n  ]")
    lines = ",\n".join("    " + json.dumps(each, ensure_ascii=False) for each in document[name])
    return f"{text[:head]}\n{lines}{text[tail:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--sample", type=int, metavar="NUMBER")
    what.add_argument("--contradicted", action="store_true")
    what.add_argument("--missing", action="store_true")
    what.add_argument("--write", metavar="DATE")
    args = parser.parse_args()
    world, found = load(), list(samples(args.folder))
    if args.contradicted or args.missing:
        show_undecided(found, world, with_places=args.contradicted)
        return 0
    path = PLACES / "publishers.json"
    document = json.loads(text := path.read_text("utf-8"))
    result = confirmed(found, document["publishers"], world)
    unread = [number for number, entry in enumerate(document["publishers"]) if "read" not in entry]
    if args.sample:
        rows = [(number, host, place, source, url) for number in unread for host, by_path in result[number].items()
                for place, by_source in by_path.items() for source, url in by_source.items()]  # fmt: skip
        for row in random.Random(0).sample(rows, min(args.sample, len(rows))):
            print(*row, sep="\t")
    elif args.write:
        write(path, document, text, result, args)
    else:
        confirming = [by_path for number in unread for by_path in result[number].values()]
        counts = Counter(name for by_path in confirming for by_source in by_path.values() for name in by_source)
        for name, count in counts.most_common():
            print(f"{count:>6}  {name}")
    return 0


def write(path: Path, document: dict[str, Any], text: str, result: Confirmed, args: argparse.Namespace) -> None:
    entries = document["publishers"]
    document["publishers"] = [
        each
        for number, entry in enumerate(entries)
        for each in ([entry] if "read" in entry or not result[number] else divided(entry, result[number], args.write))
    ]
    path.write_text(layout(document, text, "publishers"), "utf-8")
    path = path.with_name("redirectors.json")
    document, patterns = json.loads(text := path.read_text("utf-8")), list(redirections(args.folder))
    entries = document["redirectors"]
    result = redirected(entries, list(samples(args.folder)), patterns, load())
    document["redirectors"] = [
        each
        for number, entry in enumerate(entries)
        for each in ([entry] if "read" in entry or not result[number] else divided(entry, result[number], args.write))
    ]
    path.write_text(layout(document, text, "redirectors"), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
