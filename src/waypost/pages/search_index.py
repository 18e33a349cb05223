"""Search index: scripts, loaded when the search box is first used, that work from a folder too.

The index grows with the site, so it comes in parts by section: a new rule changes only the part of the rules, and a
browser that has the others keeps them. The search ranks whatever parts are loaded: every part for the search box, the
part of a section for a missing page. The part of the messages has the sentences of Search Console as data, in all
documented languages, and the part of the rules the names of the properties that the rich results ask for.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

from waypost.pages import messages, modules
from waypost.pages.draft import Draft
from waypost.registry import Registry, assets
from waypost.registry.messages import report_messages, sentences

_ABOUT = 50
_WORD = re.compile(r"[^\W_]+")
_LONGEST_WITHOUT_ENDING = 4
_ENDING_Y = re.compile("(?:ies|ied)$")
_ENDING = re.compile("(?:ing|ed|es|s)$")
_PLURAL_OF_THREE = re.compile("^(.{3})s$")
# Most further words of a page of a kind, whose title and name say enough: their texts are searched and not shown.
_SHORT = {
    "Rule": 4,
    "Rich result": 5,
    "Field": 3,
    "Mapping": 0,
    "Recorded decision": 0,
    "Problem": 5,
    "Search Console": 4,
}
# Pages without a kind, and the forms of the console, to which its own pages lead.
_NOT_SEARCHED = ("", "Operation of the console")
# Section by folder; the pages of other folders are few, and share one.
SECTIONS = {
    "rules": "rules",
    "profiles": "rules",
    "types": "model",
    "model": "model",
    "mappings": "model",
    "messages": "messages",
    "safety": "safety",
    "api": "api",
    "problems": "api",
}
_MOST_WORDS = 9
_SECTION = 8
_SHORTEST = 3


def scripts(drafts: Iterable[Draft], registry: Registry) -> dict[str, bytes]:
    """Scripts by short name: `search-SECTION.js` with the entries of a section, and the search.

    A part puts its entries into `waypost.index`, in groups: [place among all groups, folder, kind, entries]. An entry
    is [step of the address, title, about, further words]; the title is empty where it is the step in words, and the
    words are none of the title and of `about`.
    """
    searched = [draft for draft in drafts if draft.kind not in _NOT_SEARCHED]
    uses = Counter(word for draft in searched for text in _texts(draft) for word in {*_words(text)})
    entries = [(_section(draft), *entry) for draft in searched for entry in _entries(draft, uses)]
    sections: dict[str, list[Any]] = defaultdict(list)
    # Grouped, so that folder and kind stand once for many entries.
    for place, ((section, folder, kind), group) in enumerate(groupby(entries, key=lambda entry: entry[:3])):
        sections[section].append([place, folder, kind, [entry[3:] for entry in group]])
    data = {"rules": f"waypost.requested={_literal(_properties(registry))};", "messages": _sentences(registry)}
    made = {
        f"search-{name}.js": f"{data.get(name, '')}(waypost.index||=[]).push(...{_literal(groups)});\n".encode()
        for name, groups in sections.items()
    }
    words = {"SYNONYMS": _data()["phrases"], "COMMON": _data()["common"]}
    synonyms = "".join(f"export const {name} = {_literal(value)};\n" for name, value in words.items())
    return made | {"search.js": modules.script("small/find.js", made={"data/synonyms.js": synonyms})}


def _properties(registry: Registry) -> dict[str, str]:
    """Names of the properties that a current rich result asks for, at any depth, by profile."""
    found: dict[str, set[str]] = {}
    for each in messages.properties(registry):
        for profile, _, _ in each.results:
            found.setdefault(profile, set()).add(each.name)
    return {profile: " ".join(sorted(names, key=lambda name: (name.lower(), name))) for profile, names in found.items()}


def _sentences(registry: Registry) -> str:
    """Script with the wordings: [name of the template, its wordings, sentences by their properties]."""
    rows = []
    for report in report_messages(registry):
        own: dict[str, list[str]] = defaultdict(list)
        for sentence in sentences(report):
            own[sentence.template.name].append(" ".join(name.strip("<>") for name in sentence.fields))
        for template in report.templates:
            wordings = [template.text, *template.also, *(each.text for each in template.wordings)]
            rows.append([template.name, wordings, own[template.name]])
    return f"waypost.sentences={_literal(rows)};"


def _section(draft: Draft) -> str:
    """Section of a page; the home page and pages of small sections share one."""
    return SECTIONS.get(draft.address.partition("/")[0], "site")


@cache
def _data() -> dict[str, Any]:
    """Phrases with the words to add, and the words too common to look for."""
    document: dict[str, Any] = json.loads((assets.folder("site") / "synonyms.json").read_text("utf-8"))
    return document


@cache
def _common() -> frozenset[str]:
    return frozenset(_data()["common"].split())


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _entries(draft: Draft, uses: Counter[str]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Entries of a page: the page, and each section of a guide."""
    folder, _, step = draft.address.rstrip("/").rpartition("/")
    about = "" if draft.kind in _SHORT else _clipped(draft.description)
    if draft.kind in ("Operation", "Problem"):  # method and path; title
        about = draft.description.partition(". ")[0]
    # A word is searched once, wherever it stands.
    known = {*_words(draft.title), *_words(about), *_words(step)}
    words = [word for word in dict.fromkeys(_words(f"{draft.words} {draft.description}")) if word not in known]
    # The search makes such a title from the address.
    title = "" if draft.title in (step, step.replace("_", " ").capitalize()) else draft.title
    words = words[: _SHORT.get(draft.kind, _MOST_WORDS)]
    yield folder, draft.kind, step, title, about, _once(words, f"{step} {draft.title} {about} {draft.kind}")
    # The guides by generator have the same sections: one entry each, or "In CI" would be found fifteen times.
    guide = draft.values.get("guide") if draft.template == "guide.html" and not draft.values["stack"] else None
    for section in guide.sections if guide else ():
        known = {*_words(section.heading), *_words(draft.title)}
        counts = Counter(word for word in _words(section.text) if word not in known)
        ranked = sorted(counts, key=lambda word: -counts[word] / math.sqrt(uses[word]))
        kind, place = draft.title, f"{step}/#{section.id}"
        yield folder, kind, place, section.heading, "", _once(ranked[:_SECTION], f"{place} {section.heading} {kind}")


def _texts(draft: Draft) -> Iterator[str]:
    """Texts of a page and of each section of a guide."""
    yield f"{draft.title} {draft.words} {draft.description}"
    if draft.template == "guide.html" and not draft.values["stack"]:
        yield from (section.text for section in draft.values["guide"].sections)


def _words(text: str) -> list[str]:
    return [
        word
        # Else `json` and `ld` would be two words, the second too short to be found.
        for word in _WORD.findall(text.lower().replace("json-ld", "jsonld"))
        if word not in _common() and len(word) >= _SHORTEST
    ]


def _once(words: list[str], known: str) -> str:
    """Words of which neither `known` nor a word before them has another form: the search compares stems."""
    stems = {_stem(word) for word in _words(known)}
    others: list[str] = []
    for word in words:
        if _stem(word) not in stems:
            stems.add(_stem(word))
            others.append(word)
    return " ".join(others)


def _stem(word: str) -> str:
    """Stem of a word, as `stem` of site/js/small/find.js has it."""
    if len(word) > _LONGEST_WITHOUT_ENDING:
        return _ENDING.sub("", _ENDING_Y.sub("y", word))
    return _PLURAL_OF_THREE.sub(r"\1", word)


def _clipped(text: str) -> str:
    plain = text.replace("`", "")
    return plain if len(plain) <= _ABOUT else f"{plain[:_ABOUT].rpartition(' ')[0]}…"
