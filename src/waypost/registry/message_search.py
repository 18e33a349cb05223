"""Messages of Search Console, as people copy them: wording, property, and where profiles require the property."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, NamedTuple

from waypost.models.profile import Consumer, Entry, Profile, Shape
from waypost.registry.messages import SLOT, Message, Messages, Template, filled, report_messages
from waypost.registry.registry import Registry

_QUOTES = re.compile(r"[“”„‟«»‹›\"`´‘’‚‛′″'「」『』<>＜＞]+")
# Chinese writes one quotation behind another, without a comma.
_ADJACENT = re.compile(r"([”」』])([“「『])")
_QUOTED = re.compile(r'"([^"]*)"')
_WITHIN = re.compile(
    r'[(（]\s*(?:in|en|em|dans)?\s*"+\s*([\w.@\[\]-]+)\s*"+[^()]{0,3}[)）]|\(\s*in\s+([\w.@\[\]-]+)\s*\)', re.IGNORECASE
)
_NAME = re.compile(r"[@\w][\w.]*(?:-input)?")
_WORDS = re.compile(r"[^\W\d_][\w/]*")
_OPTIONAL = re.compile(r"\(?\b(?:optional|opcional|facultatif)\b\)?|（省略可）|\(省略可\)", re.IGNORECASE)
_NEAR = 0.72
_MOST_PLACES = 30
_DEEPEST = 4
_LINKS = frozenset({"or", "and"})
_NO_PROPERTIES = ("id", "type", "parent_node", "parent")


class Found(NamedTuple):
    """Message that a text means: the template, its report, and the names of properties in the text.

    within  path of the object with the property, as in (in "offers"); empty if the text names none.
    """

    template: Template
    messages: Messages
    fields: tuple[str, ...]
    within: str

    @property
    def text(self) -> str:
        """Wording with the properties filled in."""
        return filled(self.template.text, self.fields, self.within)


def find_message(registry: Registry, text: str) -> Found | None:
    """Message that a text means, in any quotation marks; `None` for a text without a message."""
    plain = _OPTIONAL.sub(" ", _QUOTES.sub('"', _ADJACENT.sub(r"\1, \2", text)))
    held = _WITHIN.search(plain)
    within = (held[1] or held[2]) if held else ""
    # Korean writes the property of a wording in parentheses too.
    if translated := _translated(registry, _WITHIN.sub(" ", plain), within) or _translated(registry, plain, ""):
        return translated
    plain = _WITHIN.sub(" ", plain)
    quoted = [name for part in _QUOTED.findall(plain) if (name := part.strip()) and _NAME.fullmatch(name)]
    words = _WORDS.findall(_QUOTED.sub(" ", plain)) if quoted else _WORDS.findall(plain.replace('"', " "))
    best: tuple[float, Found] | None = None
    for messages in report_messages(registry):
        for template in messages.templates:
            for wording in (template.text, *template.also):
                score, fields = _compared(registry, wording, words, quoted, plain)
                if score >= _NEAR and (best is None or score > best[0]):
                    best = (score, Found(template, messages, tuple(dict.fromkeys(fields)), within))
    return best[1] if best else None


def _translated(registry: Registry, plain: str, within: str) -> Found | None:
    """Message that a text means in a documented wording of another language: the longest in the text."""
    best: tuple[int, Found] | None = None
    for messages in report_messages(registry):
        for template in messages.templates:
            for wording in template.wordings:
                if not (match := _pattern(wording.text).search(plain)):
                    continue
                held = match[1] if match.groups() else ""
                names = [name.strip() for name in _QUOTED.findall(held)] or _NAME.findall(held)
                length = len(SLOT.sub("", wording.text))
                if best is None or length > best[0]:
                    best = (length, Found(template, messages, tuple(dict.fromkeys(names)), within))
    return best[1] if best else None


@lru_cache(maxsize=256)
def _pattern(wording: str) -> re.Pattern[str]:
    """Wording as a pattern over a text with plain quotation marks; the group holds the properties."""
    literal = [re.sub(r"(?:\\\s|\s)+", r"\\s*", re.escape(part)) for part in SLOT.split(_QUOTES.sub('"', wording))]
    slot = r"\s*(.+)\s*" if "{fields}" in wording else r'\s*("+[^"]+"+|[@\w][\w.]*)\s*'
    return re.compile(slot.join(literal), re.IGNORECASE)


def _compared(
    registry: Registry, wording: str, words: list[str], quoted: list[str], plain: str
) -> tuple[float, list[str]]:
    """(likeness of a text and a wording from 0 to 1, properties that the text names)."""
    expected = [word.casefold() for word in _WORDS.findall(SLOT.sub(" ", wording)) if word.casefold() not in _LINKS]
    has_slot = SLOT.search(wording) is not None
    fields = quoted
    if has_slot and not quoted:
        # Without quotation marks a name is a word that the wording does not have: Missing field offers.price.
        known = {*registry.vocabulary.properties, *_NO_PROPERTIES}
        names = [name for name in _NAME.findall(plain) if name.casefold() not in expected]
        fields = [name for name in names if all(part in known for part in name.split("."))]
        parts = {part for name in fields for part in name.split(".")}
        words = [word for word in words if word not in parts]
    given = [word.casefold() for word in words if word.casefold() not in _LINKS]
    # The marks of JSON tell some wordings apart: Missing ',' or '}'.
    marks = sorted(re.findall(r"[{}\[\]:,]", SLOT.sub("", wording).replace("e.g.,", "")))
    score = SequenceMatcher(None, expected, given).ratio()
    if not has_slot and marks and sorted(set(re.findall(r"[{}\[\]:,]", plain))) != sorted(set(marks)):
        score -= 0.1
    return score, fields if has_slot else []


def near_sentences(registry: Registry, text: str) -> list[str]:
    """English messages with the properties that a text of another language has in quotation marks, frequent ones first.

    Search Console writes in the language of its user, and most languages have no page that documents the wordings.
    """
    quoted = (part.strip() for part in _QUOTED.findall(_QUOTES.sub('"', text)))
    known = registry.vocabulary.properties
    names = tuple(name for name in quoted if name and all(part in known for part in name.split(".")))
    frequent = {1: ("missing-field", "object-type", "enum-value")}.get(len(names), ("either-field",) if names else ())
    return [
        filled(template.text, names)
        for messages in report_messages(registry)
        for template in messages.templates
        if template.name in frequent
    ]


def unknown_properties(registry: Registry, text: str, found: Found) -> list[str]:
    """Names in a text that stand in the place of the property and are no property of schema.org."""
    if SLOT.search(found.template.text) is None:
        return []
    # Search Console names the keywords of JSON-LD without their signs, the item itself, and repeated items by type.
    known = {*registry.vocabulary.properties, *registry.vocabulary.types, *_NO_PROPERTIES}
    names = [name for name in (*found.fields, found.within) if name]
    if not names:
        wordings = " ".join((found.template.text, *found.template.also)).casefold()
        names = [name for name in _NAME.findall(_OPTIONAL.sub(" ", text)) if name.casefold() not in wordings]
    return [name for name in names if not all(part in known or part.startswith("@") for part in name.split("."))]


def wordings_of(registry: Registry, rule: str) -> list[tuple[str, str]]:
    """(name, wording) of the messages that a rule reports, the nearest first; an ellipsis stands for a property."""
    found = [
        (template.rules.index(rule), template.name, SLOT.sub("“…”", template.text))
        for messages in report_messages(registry)
        for template in messages.templates
        if rule in template.rules
    ]
    return [(name, text) for _, name, text in sorted(found, key=lambda each: each[0])]


class Place(NamedTuple):
    """Path of a profile. `critical`: the item is not eligible without the property; `message`: from a report."""

    profile: str
    path: str
    critical: bool
    message: Message | None = None


def places(registry: Registry, found: Found) -> list[Place]:
    """Places of a message: first the places of reports, then the paths of profiles."""
    template, fields = found.template, found.fields
    paths_ending = [f"{found.within}.{name}" if found.within else name for name in fields]
    seen: dict[tuple[str, str], Place] = {}
    for message in found.messages.messages:
        own = message.field.strip("<>") if message.field else ""
        is_here = own in fields if own else _is_at(message.path, paths_ending)
        if message.template == template.name and (not paths_ending or is_here):
            key = (message.profile, message.path)
            known = seen.get(key)
            if known is None or known.message is None or known.message.seen < message.seen:
                seen[key] = Place(message.profile, message.path, message.critical, message)
    found_places = list(seen.values())
    # One of several that is missing is another message than each of them.
    if paths_ending and not (found_places and len(paths_ending) > 1):
        named = {(place.profile, path) for place in found_places for path in place.path.split("|")}
        for profile in registry.profiles.values():
            if profile.status != "retired":
                for path, critical in required_paths(registry, profile.name):
                    if (profile.name, path) not in named and _is_at(path, paths_ending):
                        named.add((profile.name, path))
                        found_places.append(Place(profile.name, path, critical and template.name == "missing-field"))
    return found_places[:_MOST_PLACES]


def _is_at(path: str, paths_ending: Iterable[str]) -> bool:
    """Does one of the alternatives of a path end with a paths_ending path?"""
    return any(each == name or each.endswith(f".{name}") for each in path.split("|") for name in paths_ending)


@lru_cache(maxsize=256)
def required_paths(registry: Registry, name: str) -> tuple[tuple[str, bool], ...]:
    """(path, whether the result needs the property) of every path of a profile by name, into its shapes."""
    profile = registry.profiles[name]
    consumer = registry.consumers[profile.name.partition("/")[0]]
    found: dict[str, bool] = {}
    for path, critical in _below(registry, consumer, profile, "", True, 0):
        found[path] = found.get(path, False) or critical
    return tuple(found.items())


def _below(
    registry: Registry, consumer: Consumer, source: Profile | Shape, prefix: str, critical: bool, depth: int
) -> Iterator[tuple[str, bool]]:
    for is_required, entries in ((True, source.required), (False, source.recommended)):
        for entry in entries:
            base = f"{prefix}{entry.each}." if entry.each else prefix
            is_critical = critical and is_required and _is_strict(entry)
            for path in _own_paths(entry):
                yield base + path, is_critical and not entry.any_of
                for shape in _shapes(consumer, entry.values.get(path, entry.value)):
                    if depth < _DEEPEST and shape.rule is None:
                        below = _below(registry, consumer, shape, f"{base}{path}.", is_critical, depth + 1)
                        yield from below


def _is_strict(entry: Entry) -> bool:
    is_mild = entry.row == "recommended" or entry.severity is not None or entry.beta
    return not is_mild and entry.when is None and entry.basis in ("table", "prose")


def _own_paths(entry: Entry) -> list[str]:
    paths = [entry.path] if entry.path else [*entry.any_of, *(path for group in entry.any_of_groups for path in group)]
    return [re.sub(r"\[\w+\]", "", path) for path in paths if not path.startswith(("^", "@"))]


def _shapes(consumer: Consumer, kinds: str | None) -> Iterator[Shape]:
    for kind in (kinds or "").split("|"):
        if kind.startswith("shape:"):
            yield consumer.shapes[kind.removeprefix("shape:")]


def to_dict(registry: Registry, found: Found) -> dict[str, Any]:
    """Message as JSON: `kind` is "message"."""
    template = found.template
    entry: dict[str, Any] = {"name": found.text, "kind": "message", "report": found.messages.report}
    entry |= {"wording": template.text, "description": template.description, "fix": template.fix}
    entry["rules"] = list(template.rules)
    if template.critical:
        entry["critical"] = True
    entry |= {"seen": template.seen, "source": template.source}
    entry["places"] = [_place_to_dict(place) for place in places(registry, found)]
    return entry


def _place_to_dict(place: Place) -> dict[str, Any]:
    members: dict[str, Any] = {"profile": place.profile, "path": place.path, "critical": place.critical}
    if place.message:
        members |= {"seen": place.message.seen, "source": place.message.source}
        members |= {"note": place.message.note} if place.message.note else {}
    return members
