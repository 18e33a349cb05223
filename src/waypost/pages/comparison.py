"""Guide "Compare": a page made from the figures in `site/comparison.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

FILE = "comparison.json"
_Figures = Mapping[str, Any]


def page(data: _Figures) -> str:
    """Markdown of the guide. `data`: contents of `site/comparison.json`, as benchmarks/compare/compare.py writes."""
    return (
        "\n".join([*_top(data), *_sample(data), *_speed(data), *_hosts(data), *_features(data), *_worse(data)]) + "\n"
    )


def _top(data: _Figures) -> Iterator[str]:
    yield "# waypost compared with other tools"
    yield ""
    yield (
        "The same pages and hosts, checked by waypost and by the tools that people use for parts of it. Every figure "
        "of this page comes from one run of a script, and the build of the site refuses a page with other figures."
    )
    yield ""
    vocabulary = " --vocabulary schemaorg-all-https.jsonld" if data["vocabulary"] else ""
    yield "```sh"
    yield f"python benchmarks/compare/compare.py --tools FOLDER --pages PAGES{vocabulary}"
    yield "```"
    yield ""
    yield (
        f"Speed and memory measured on {data['date']}: {data['machine']}; {data['runs']} processes of each tool, taken "
        f"in turn. Findings counted on {data['findings_date']}."
    )
    yield ""
    sources = data["sources"]
    rows = ([name, version, f"[documentation]({sources[name]})"] for name, version in data["versions"].items())
    yield from _table(["tool", "version", "source"], rows)


def _sample(data: _Figures) -> Iterator[str]:
    sample = {name: each["sample"] for name, each in data["validators"].items() if name != "extruct"}
    counts = next(iter(sample.values()))
    yield "## Findings on marked pages"
    yield ""
    yield (
        f"The {counts['bad']} bad pages are test cases of waypost's rules, each with an error or a doubt. They were "
        "written for waypost, so they favour it: read the second column as coverage, not as a contest. The "
        f"{counts['good']} good documents were written to be right in every respect: the base documents of the "
        "benchmark of injected errors, the complete case of each rich result, and the documents behind the cards. All "
        "documents of these three kinds are taken, whatever a tool reports; an error on one of them is false."
    )
    yield ""
    heads = {
        "bad pages with a finding": "bad_with_finding",
        "good documents with an error": "good_with_error",
        "findings": "findings",
        "with a place": "with_place",
        "crashes": "crashes",
    }
    counted = {name: each | {"good_with_error": len(each["good_with_error"])} for name, each in sample.items()}
    rows = ([name, *(each[key] for key in heads.values())] for name, each in counted.items())
    yield from _table(["tool", *heads], rows)
    for name, each in sample.items():
        if each["good_with_error"]:
            yield f"Good documents with an error of {name}: {', '.join(map(_name, each['good_with_error']))}."
            yield ""


def _speed(data: _Figures) -> Iterator[str]:
    validators = data["validators"]
    yield "## Speed, memory and crashes"
    yield ""
    yield (
        f"{validators['waypost']['pages']['pages']} pages: {data['pages']}. A complete process on one core, start "
        "included; median of the runs, with the smallest and the largest. extruct extracts data and does not check it."
    )
    yield ""
    made = {name: each["pages"] for name, each in validators.items()}
    rows = (
        [name, _spread(each["pages_per_second"]), _spread(each["memory_mb"]), each["crashes"]]
        for name, each in made.items()
    )
    yield from _table(["tool", "pages a second", "memory, MB", "crashes"], rows)


def _hosts(data: _Figures) -> Iterator[str]:
    hosts = data["hosts"]
    counts = hosts["waypost"]
    yield "## Host names that imitate a brand"
    yield ""
    yield (
        f"The test cases of waypost's own name signals, again written for waypost: {counts['bad']} hosts that "
        f"imitate an invented brand, {counts['good']} that do not. Weak signals, which decide nothing, are not "
        "counted. dnstwist works the other way round: it lists names that could imitate a domain, and a host counts "
        "where the first label of its registrable domain is in the list, whatever the ending."
    )
    yield ""
    rows = ([name, each["bad_named"], each["good_named"]] for name, each in hosts.items())
    yield from _table(["tool", "imitations named", "others named"], rows)


def _features(data: _Figures) -> Iterator[str]:
    yield "## Features"
    yield ""
    yield "By the documentation of each tool, linked above, read on the day of the run."
    yield ""
    names = [name for name in data["sources"] if any(name in each["has"] for each in data["features"])]
    rows = ([each["name"], *("yes" if name in each["has"] else "no" for name in names)] for each in data["features"])
    yield from _table(["feature", *names], rows)


def _worse(data: _Figures) -> Iterator[str]:
    yield "## Where another tool is better"
    yield ""
    for each in data["features"]:
        if "waypost" not in each["has"]:
            yield f"- {each['name']}: {' and '.join(each['has'])}, not waypost."
    validators = data["validators"]
    own = validators["waypost"]
    for name, each in validators.items():
        if each["pages"]["memory_mb"]["median"] < own["pages"]["memory_mb"]["median"]:
            yield f"- {name} takes less memory."
        if each["pages"]["pages_per_second"]["median"] > own["pages"]["pages_per_second"]["median"]:
            yield f"- {name} reads more pages a second."
        if name != "extruct" and len(each["sample"]["good_with_error"]) < len(own["sample"]["good_with_error"]):
            yield f"- {name} reports an error in fewer of the good documents."
        if name != "extruct" and each["sample"]["bad_with_finding"] > own["sample"]["bad_with_finding"]:
            yield f"- {name} reports a finding on more of the bad pages."
        if each["pages"]["crashes"] < own["pages"]["crashes"]:
            yield f"- {name} stops at fewer pages."
    for name, each in data["hosts"].items():
        if each["good_named"] < data["hosts"]["waypost"]["good_named"]:
            yield f"- {name} names fewer hosts that imitate no brand."
    yield "- Google's Rich Results Test and validator.schema.org are their publishers' word; no script runs them."


def _name(document: str) -> str:
    """ "clean.good-news" as readers say it: "news (clean)"."""
    kind, _, name = document.partition(".good-")
    return f"{name} ({kind})"


def _spread(figures: Mapping[str, float]) -> str:
    return f"{figures['median']} ({figures['min']} to {figures['max']})"


def _table(heads: list[str], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
