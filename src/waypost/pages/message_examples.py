"""Bad and good markup for the messages of Search Console, made of the smallest markup of a rich result."""

from __future__ import annotations

import copy
import json
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from waypost import validate
from waypost.errors import RegistryError
from waypost.models.finding import Finding
from waypost.pages.draft import Source
from waypost.pages.pairs import Pair, new_findings, pair_of
from waypost.pages.smallest import Markup, smallest
from waypost.registry import Registry, assets
from waypost.registry.messages import Message, Sentence

_MANY = 3
_URL = "https://www.example.com/page"


@cache
def _values() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((assets.folder("site") / "message-examples.json").read_text("utf-8"))
    return document


def example_of(name: str, sentence: Sentence | None, source: Source) -> Pair | None:
    """Pair of a message by name, TEMPLATE or TEMPLATE/SLUG; None where no current result has the message.

    Raises RegistryError where waypost is silent about the bad example, or reports an error of the good example.
    """
    if whole := _values()["whole"].get(name):
        profile = whole["profile"]
        bad, good = ({"@context": "https://schema.org", **whole[kind]} for kind in ("bad", "good"))
    else:
        messages = sentence.messages if sentence else ()
        message = next((each for each in messages if each.profile in smallest() and not each.field), None)
        if sentence is None or message is None:
            return None
        profile = message.profile
        bad, good = _markup(sentence, message)
    reports = [_report(node, source.registry, source.now, profile) for node in (bad, good)]
    findings = new_findings(*reports)
    place = f"site/message-examples.json: {name}"
    if bool(findings) is (name in _values()["silent"]):
        raise RegistryError(place, f"waypost reports {len(findings)} findings of the bad example")
    if errors := [finding for finding in reports[1].findings if finding.severity == "error"]:
        raise RegistryError(place, f"the good example has an error: {errors[0].message}")
    if sentence:
        findings = tuple(_about(finding, sentence.messages[0].path.split("|")) for finding in findings)
    wrong, right = (json.dumps(node, indent=2, ensure_ascii=False) for node in (bad, good))
    return pair_of(wrong, right, "JSON-LD", findings)


def _about(finding: Finding, paths: list[str]) -> Finding:
    """Finding that names many properties, cut to the property of the message."""
    head, _, names = finding.message.partition(" are missing: ")
    own = [name for name in names.split(", ") if name.partition(" ")[0] in paths]
    if not own or names.count(",") < _MANY:
        return finding
    return msgspec.structs.replace(finding, message=f"{head} are missing: … {', '.join(own)} …")


def silence(name: str) -> str:
    """Reason why waypost is silent about a message; empty for a message with a finding."""
    text: str = _values()["silent"].get(name, "")
    return text


def _report(node: Markup, registry: Registry, now: datetime, profile: str) -> Any:
    return validate.validate_data(node, registry, url=_URL, now=now, profiles=(profile,))


def _markup(sentence: Sentence, message: Message) -> tuple[Markup, Markup]:
    """(bad, good) markup of a message."""
    name = f"{sentence.template.name}/{sentence.slug}"
    start = {"@context": "https://schema.org", **copy.deepcopy(smallest()[message.profile])}
    start |= copy.deepcopy(_values()["also"].get(name, {}))
    wrong = _values()["wrong"].get(sentence.template.name)
    ways = [_way(path) for path in message.path.split("|")]
    good, bad = copy.deepcopy(start), copy.deepcopy(start)
    if not any(_has(good, way) for way in ways) or wrong:
        _put(good, ways[0], copy.deepcopy(_values()["right"].get(ways[0][-1])))
    if wrong:
        _put(bad, ways[0], copy.deepcopy(wrong.get(ways[0][-1], wrong.get("*"))))
    else:
        for way in ways:
            _take(bad, way)
    return bad, good


def _way(path: str) -> list[str]:
    """Steps of a path; Search Console names the keywords of JSON-LD without @."""
    steps = path.split(".")
    # Of the two kinds of answers the smallest markup has the accepted one.
    return ["@id" if step == "id" else "acceptedAnswer" if step == "suggestedAnswer" else step for step in steps]


def _holder(node: Markup, way: list[str]) -> Markup | None:
    """Object with the last step of a way; of a list the first."""
    for step in way[:-1]:
        value = node.get(step)
        node = value[0] if isinstance(value, list) and value else value  # type: ignore[assignment]
        if not isinstance(node, dict):
            return None
    return node


def _has(node: Markup, way: list[str]) -> bool:
    holder = _holder(node, way)
    return holder is not None and way[-1] in holder


def _put(node: Markup, way: list[str], value: Any) -> None:
    """Set the value at the end of a way, with the objects on the way."""
    for step in way[:-1]:
        inner = node.get(step)
        if isinstance(inner, list):
            inner = inner[0]
        if not isinstance(inner, dict):
            inner = node[step] = copy.deepcopy(_values()["right"][step])
        node = inner
    node[way[-1]] = value


def _take(node: Markup, way: list[str]) -> None:
    if (holder := _holder(node, way)) is not None:
        holder.pop(way[-1], None)
