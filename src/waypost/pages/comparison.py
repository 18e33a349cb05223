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
        "waypost, structured-data-testing-tool, the validator of Adobe, extruct and dnstwist on the same pages and "
        "hosts: findings, false alarms, speed, memory and features."
    )
    yield ""
    yield "One script installs each tool in a fixed version, runs all of them and writes the figures of this page:"
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
        f"The {counts['bad']} bad pages are test cases of waypost's rules, each with an error or a warning. They were "
        "written for waypost, so this favours waypost: the second column shows coverage, not a winner. The "
        f"{counts['good']} good documents have no errors: the base documents of the benchmark of injected errors, the "
        "complete example of each rich result, and the documents of the card examples. All documents of these three "
        "kinds are included, whatever a tool reports. An error on one of them is a false alarm."
    )
    yield ""
    heads = {
        "bad pages with a finding": "bad_with_finding",
        "good documents with an error": "good_with_error",
        "findings": "findings",
        "with a position": "with_place",
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
        f"{validators['waypost']['pages']['pages']} pages: {data['pages']}. Each run is one process on one core, "
        "including its start. The figures are medians, with the smallest and the largest run. extruct only extracts "
        "data and does not check it."
    )
    yield ""
    made = {name: each["pages"] for name, each in validators.items()}
    rows = (
        [name, _spread(each["pages_per_second"]), _spread(each["memory_mb"]), each["crashes"]]
        for name, each in made.items()
    )
    yield from _table(["tool", "pages per second", "memory, MB", "crashes"], rows)


def _hosts(data: _Figures) -> Iterator[str]:
    hosts = data["hosts"]
    counts = hosts["waypost"]
    yield "## Host names that imitate a brand"
    yield ""
    yield (
        f"The test cases of waypost's signals about names, also written for waypost: {counts['bad']} hosts that "
        f"imitate an invented brand, and {counts['good']} that do not. Weak signals are not counted. "
        "dnstwist works in the other direction: it generates names that could imitate a domain. A host counts as "
        "detected if the first label of its registrable domain is among them, whatever the suffix."
    )
    yield ""
    rows = ([name, each["bad_named"], each["good_named"]] for name, each in hosts.items())
    yield from _table(["tool", "imitations detected", "false alarms"], rows)


def _features(data: _Figures) -> Iterator[str]:
    yield "## Features"
    yield ""
    yield "According to the documentation of each tool, linked above and read on the day of the run."
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
            yield f"- {name} uses less memory."
        if each["pages"]["pages_per_second"]["median"] > own["pages"]["pages_per_second"]["median"]:
            yield f"- {name} processes more pages per second."
        if name != "extruct" and len(each["sample"]["good_with_error"]) < len(own["sample"]["good_with_error"]):
            yield f"- {name} reports an error in fewer of the good documents."
        if name != "extruct" and each["sample"]["bad_with_finding"] > own["sample"]["bad_with_finding"]:
            yield f"- {name} reports a finding on more of the bad pages."
        if each["pages"]["crashes"] < own["pages"]["crashes"]:
            yield f"- {name} crashes on fewer pages."
    for name, each in data["hosts"].items():
        if each["good_named"] < data["hosts"]["waypost"]["good_named"]:
            yield f"- {name} has fewer false alarms about hosts."
    yield (
        "- Google's Rich Results Test and validator.schema.org are the tools of their publishers, and the Rich Results "
        "Test runs the scripts of a page. No script can run them, so this page has no figures for them."
    )


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
