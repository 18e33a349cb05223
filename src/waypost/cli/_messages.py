"""Messages of Search Console, as people copy them: wording, property, and where profiles require the property."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from waypost.models.profile import Consumer, Entry, Profile, Shape
from waypost.registry import Registry
from waypost.registry.messages import Message, Messages, Template, report_messages

_QUOTES = re.compile(r"[“”„‟«»‹›\"`´‘’‚‛′″']")
_QUOTED = re.compile(r'"([^"]*)"')
_WITHIN = re.compile(r'\(\s*in\s+"?([\w.@\[\]-]+)"?\s*\)', re.IGNORECASE)
_NAME = re.compile(r"[@\w][\w.]*(?:-input)?")
_WORDS = re.compile(r"[^\W\d_][\w/]*")
_SLOT = re.compile(r"\{fields?\}")
_OPTIONAL = re.compile(r"\(?\boptional\b\)?", re.IGNORECASE)
_NEAR = 0.72
_MOST_PLACES = 30
_DEEPEST = 4
_LINKS = frozenset({"or", "and"})


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
        names = [f'"{name}"' for name in self.fields]
        several = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else "".join(names)
        text = _SLOT.sub(several, self.template.text).strip()
        return f'{text} (in "{self.within}")' if self.within else text


def find_message(registry: Registry, text: str) -> Found | None:
    """Message that a text means, in any quotation marks; `None` for a text that is none."""
    plain = _OPTIONAL.sub(" ", _QUOTES.sub('"', text))
    within = next(iter(_WITHIN.findall(plain)), "")
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


def _compared(
    registry: Registry, wording: str, words: list[str], quoted: list[str], plain: str
) -> tuple[float, list[str]]:
    """(likeness of a text and a wording from 0 to 1, properties that the text names)."""
    expected = [word.casefold() for word in _WORDS.findall(_SLOT.sub(" ", wording)) if word.casefold() not in _LINKS]
    has_slot = _SLOT.search(wording) is not None
    fields = quoted
    if has_slot and not quoted:
        # Without quotation marks a name is a word that the wording does not have: Missing field offers.price.
        known = registry.vocabulary.properties
        names = [name for name in _NAME.findall(plain) if name.casefold() not in expected]
        fields = [name for name in names if all(part in known for part in name.split("."))]
        parts = {part for name in fields for part in name.split(".")}
        words = [word for word in words if word not in parts]
    given = [word.casefold() for word in words if word.casefold() not in _LINKS]
    # The marks of JSON tell some wordings apart: Missing ',' or '}'.
    marks = sorted(re.findall(r"[{}\[\]:,]", _SLOT.sub("", wording).replace("e.g.,", "")))
    score = SequenceMatcher(None, expected, given).ratio()
    if not has_slot and marks and sorted(set(re.findall(r"[{}\[\]:,]", plain))) != sorted(set(marks)):
        score -= 0.1
    return score, fields if has_slot else []


def unknown_properties(registry: Registry, text: str, found: Found) -> list[str]:
    """Names in a text that stand in the place of the property and are no property of schema.org."""
    if _SLOT.search(found.template.text) is None:
        return []
    # Search Console names the keywords of JSON-LD without their signs.
    known = {*registry.vocabulary.properties, "id", "type"}
    names = [name for name in (*found.fields, found.within) if name]
    if not names:
        wordings = " ".join((found.template.text, *found.template.also)).casefold()
        names = [name for name in _NAME.findall(_OPTIONAL.sub(" ", text)) if name.casefold() not in wordings]
    return [name for name in names if not all(part in known or part.startswith("@") for part in name.split("."))]


class Place(NamedTuple):
    """Path of a profile. `critical`: without it the item is not eligible; `message`: where that was seen."""

    profile: str
    path: str
    critical: bool
    message: Message | None = None


def places(registry: Registry, found: Found) -> list[Place]:
    """Places of a message: first those where the report was seen with it, then the paths of profiles."""
    template, fields = found.template, found.fields
    paths_ending = [f"{found.within}.{name}" if found.within else name for name in fields]
    seen: dict[tuple[str, str], Place] = {}
    for message in found.messages.messages:
        if message.template == template.name and (not paths_ending or _is_at(message.path, paths_ending)):
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
                for path, critical in _paths(registry, profile):
                    if (profile.name, path) not in named and _is_at(path, paths_ending):
                        named.add((profile.name, path))
                        found_places.append(Place(profile.name, path, critical and template.name == "missing-field"))
    return found_places[:_MOST_PLACES]


def _is_at(path: str, paths_ending: Iterable[str]) -> bool:
    """Does one of the alternatives of a path end with a paths_ending path?"""
    return any(each == name or each.endswith(f".{name}") for each in path.split("|") for name in paths_ending)


def _paths(registry: Registry, profile: Profile) -> Iterator[tuple[str, bool]]:
    """(path, whether the result is missed without it) of every path of a profile, into its shapes."""
    consumer = registry.consumers[profile.name.partition("/")[0]]
    found: dict[str, bool] = {}
    for path, critical in _below(registry, consumer, profile, "", True, 0):
        found[path] = found.get(path, False) or critical
    yield from found.items()


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
    entry |= {"wording": template.text, "description": template.description, "rules": list(template.rules)}
    if template.critical:
        entry["critical"] = True
    if template.seen and template.source:
        entry |= {"seen": template.seen, "source": template.source}
    entry["places"] = [_place_to_dict(place) for place in places(registry, found)]
    return entry


def _place_to_dict(place: Place) -> dict[str, Any]:
    members: dict[str, Any] = {"profile": place.profile, "path": place.path, "critical": place.critical}
    if place.message:
        members |= {"seen": place.message.seen, "source": place.message.source}
        members |= {"note": place.message.note} if place.message.note else {}
    return members
