"""list the rules and profiles, or explain one

NAME is a rule, a profile such as google/recipe, or a message of Search Console in any quotation
marks. --filter lists only the lines with a text: a word, an authority, a type. Profiles, checks
and rules of the project's configuration are listed too.

examples:
  waypost rules
  waypost rules --filter currency
  waypost rules required-property-missing
  waypost rules google/recipe
"""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._config import add_config
from waypost.cli._console import add_colour, coloured, indented_json, width_of, write
from waypost.formats.text import clip
from waypost.registry.message_search import find_message, near_sentences, unknown_properties, wordings_of
from waypost.registry.message_search import to_dict as message_to_dict
from waypost.report._terminal import Paint, folded

if TYPE_CHECKING:
    from waypost.registry import Registry
    from waypost.validate.rulebook import Rule

PLACE = 30
_MOST_SUGGESTED = 4


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="the rule, profile or message to explain; without it all are listed"
    )
    parser.add_argument("--filter", metavar="TEXT", help="list only lines with this text")
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_config(parser)
    add_colour(parser)


def run(args: Namespace) -> int:
    from waypost.cli._config import configuration
    from waypost.lint.own_requirements import registry_for
    from waypost.registry import load

    args.inputs = ["."]
    registry = registry_for(configuration(args), load())
    paint, width = Paint(coloured(args.colour, sys.stdout)), width_of(sys.stdout) or 100
    if args.name:
        entry = _describe(registry, args.name)
        write([indented_json(entry)] if args.json else _explained(entry, paint, width))
        return 0
    rows = [row for row in _entries(registry) if not args.filter or _holds(row, args.filter)]
    write([indented_json(rows)] if args.json else _table(rows, args.filter, paint, width))
    return 0


def _entries(registry: Registry) -> Iterator[dict[str, Any]]:
    from waypost.validate.rulebook import rules_of

    for rule in rules_of(registry).values():
        yield {
            "name": rule.name,
            "kind": "rule",
            "severity": rule.severity,
            "authority": rule.authority,
            "title": rule.title,
        }
    for name in registry.profile_names:
        profile = _profile(registry, name)
        entry = {"name": name, "kind": "profile", "status": profile["status"], "types": profile["types"]}
        yield entry | {"title": profile["heading"]}


def _holds(row: dict[str, Any], text: str) -> bool:
    return any(text.casefold() in str(value).casefold() for value in row.values())


def _table(rows: list[dict[str, Any]], text: str | None, paint: Paint, width: int) -> Iterator[str]:
    if not rows:
        yield f"no rule or profile has {text!r} in its line\n" if text else "there are no rules\n"
        return
    names = max(len(row["name"]) for row in rows)
    for row in rows:
        severity = row.get("severity") or row["status"]
        authority = row.get("authority") or "profile"
        first = names + 24
        title = folded(row["title"], width, first, " " * first)
        yield f"{row['name']:<{names}}  {paint(f'{severity:<8}', severity)}  {authority:<10}  {title}\n"


def _describe(registry: Registry, name: str) -> dict[str, Any]:
    from waypost.cli._console import UsageError
    from waypost.errors import UnknownRule
    from waypost.formats.text import join_words, near
    from waypost.validate.rulebook import rules_of

    book = rules_of(registry)
    aliases = {alias: rule for rule in book.values() for alias in rule.aliases}
    if rule := book.get(name) or aliases.get(name):
        return _rule(rule, registry)
    profiles = registry.profile_names
    if name in profiles:
        return {"name": name, "kind": "profile"} | _profile(registry, name)
    if message := find_message(registry, name):
        if not_known := unknown_properties(registry, name, message):
            raise UsageError(_never_seen(registry, name, message.template.text, not_known[0]))
        return message_to_dict(registry, message)
    known = [*book, *aliases, *profiles]
    similar = near(name, known) or _profiles_of(registry, profiles, name)
    similar = similar or [each for each in known if name.casefold() in each.split("-")][:_MOST_SUGGESTED]
    unknown = UnknownRule(name, similar)
    if sentences := near_sentences(registry, name):
        commands = join_words([f"`waypost explain '{each}'`" for each in sentences], "or")
        raise UsageError(f"{clip(name)!r} is not a known wording of Search Console; in English it may be {commands}")
    if " " in name.strip() and not similar:
        raise UsageError(
            f"{unknown}, nor a message of Search Console; copy the message in English with its property, "
            "or take a name from `waypost rules`"
        )
    raise UsageError(f"{unknown}" if similar else f"{unknown}; `waypost rules` lists them")


def _never_seen(registry: Registry, text: str, wording: str, word: str) -> str:
    """Reason why a text in the wording of a message is none, with the properties near to the word in its place."""
    from waypost.formats.text import join_words, near

    similar = near(word.rpartition(".")[2], registry.vocabulary.properties)
    reason = f"{clip(text)!r} was never seen: {clip(word)!r} is not a property of schema.org"
    if similar:
        return f"{reason}; near it: {join_words(similar, 'or')}"
    return f"{reason}; the wording is {wording.replace('{field}', 'NAME').replace('{fields}', 'NAMES')!r}"


def _profiles_of(registry: Registry, profiles: Collection[str], name: str) -> list[str]:
    """Profiles with a name without its first part, or of a schema.org type, such as Recipe."""
    word = name.casefold()
    named = [profile for profile in profiles if profile.endswith(f"/{word}")]
    of_type = [
        profile for profile in profiles if word in (type_.casefold() for type_ in _profile(registry, profile)["types"])
    ]
    return [*dict.fromkeys([*named, *of_type])][:_MOST_SUGGESTED]


def _rule(rule: Rule, registry: Registry) -> dict[str, Any]:
    entry = {
        "name": rule.name,
        "kind": "rule",
        "severity": rule.severity,
        "authority": rule.authority,
        "title": rule.title,
        "doc": rule.doc,
        "applies_to": sorted(rule.applies_to),
        "properties": sorted(rule.properties),
    }
    entry |= {"aliases": list(rule.aliases)} if rule.aliases else {}
    wordings = [text for _, text in wordings_of(registry, rule.name)]
    return entry | ({"search_console": wordings} if wordings else {})


def _profile(registry: Registry, name: str) -> dict[str, Any]:
    document: dict[str, Any] = registry.document(f"profiles/{name}.json")
    return document


def explanation(registry: Registry, name: str, paint: Paint, width: int) -> Iterator[str]:
    """Documentation of a rule or profile, as `waypost rules NAME` prints it."""
    return _explained(_describe(registry, name), paint, width)


def _explained(entry: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    yield f"{paint(entry['name'], 'bold')}\n\n"
    texts = {"rule": _rule_text, "profile": _profile_text, "message": _message_text}
    yield from texts[entry["kind"]](entry, paint, width)


def _rule_text(entry: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    doc = re.sub(r"\n(?=Sources?: )", "\n\n", entry["doc"])
    for paragraph in doc.split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        drawn = any(line.startswith((" ", "- ")) for line in lines)  # a list or a table keeps its lines
        yield "\n".join(lines) if drawn else folded(" ".join(paragraph.split()), min(width, 100), 0, "")
        yield "\n\n"
    yield f"usually    {paint(entry['severity'], entry['severity'])}\n"
    yield f"authority  {entry['authority']}\n"
    for name, label in (("applies_to", "of types"), ("properties", "checks")):
        if entry[name] != ["*"]:
            yield f"{label:<9}  {folded(', '.join(entry[name]), width, 11, ' ' * 11)}\n"
    if entry.get("aliases"):
        yield f"formerly   {', '.join(entry['aliases'])}\n"
    if entry.get("search_console"):
        yield f"Search Console says  {folded(' · '.join(entry['search_console']), width, 21, ' ' * 21)}\n"


def _message_text(entry: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    yield f"{entry['report']}: {entry['description']}\n\n"
    yield f"fix          {folded(entry['fix'], width, 13, ' ' * 13)}\n"
    if entry.get("critical"):
        yield f"everywhere   {paint('critical', 'error')}: the markup is not read, or the item not eligible\n"
    for place in entry["places"]:
        severity = ("critical: the item is not eligible", "error") if place["critical"] else ("non-critical", "warning")
        note = f", {place['note']}" if "note" in place else ""
        yield f"{place['profile']}  {place['path'].replace('|', ' or ')}  {paint(*severity)}{note}\n"
        basis = f"seen {place['seen']}, {place['source']}" if "seen" in place else "by the profile"
        yield f"             {folded(basis, width, 13, ' ' * 13)}\n"
    if not entry["places"] and not entry.get("critical"):
        yield "places       none is known: no profile has the property, or the message names none\n"
    yield f"reported by  {folded(', '.join(entry['rules']), width, 13, ' ' * 13)}\n"
    yield f"wording      {folded(entry['wording'], width, 13, ' ' * 13)}\n"
    yield f"source       seen {entry['seen']}, {entry['source']}\n"


def _profile_text(entry: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    since = f" since {entry['retired_on']}" if "retired_on" in entry else ""
    yield f"{entry['title']}: what it needs of {', '.join(entry['types'])}.\n\n"
    yield f"status       {paint(entry['status'], entry['status'])}{since}\n"
    for label in ("required", "recommended", "limits"):
        lines = [_requirement(requirement) for requirement in entry.get(label, ())]
        for number, line in enumerate(lines):
            yield f"{label if not number else '':<11}  {folded(line, width, 13, ' ' * 15)}\n"
    if entry.get("notes"):
        yield f"notes        {folded(entry['notes'], width, 13, ' ' * 13)}\n"
    checked = f", compared {entry['checked']['date']}" if "checked" in entry else ""
    yield f"source       {entry['doc']}{checked}\n"


def _requirement(entry: dict[str, Any]) -> str:
    """Requirement in words: property, kinds of value, condition."""
    if "path" in entry:
        what = entry["path"]
    elif "any_of" in entry:
        what = " or ".join(entry["any_of"])
    elif "any_of_groups" in entry:
        what = " or ".join(" with ".join(group) for group in entry["any_of_groups"])
    else:
        what = f"no {entry.get('absent', '')}"
    if base := entry.get("each"):
        what = f"in each {base}: {what}"
    value = entry.get("value")
    kinds = f" ({str(value).replace('|', ' or ').replace('shape:', '').replace('enum:', '')})" if value else ""
    return f"{what}{kinds}" + (f", {entry['rule']}" if "rule" in entry else "") + (_when(entry.get("when")))


def _when(condition: dict[str, Any] | None) -> str:
    """Condition in words; a compound condition is only named."""
    match condition:
        case None:
            return ""
        case {"present": path}:
            return f"; only where {path} is given"
        case {"absent": path}:
            return f"; only where {path} is missing"
        case {"intent": text}:
            return f"; only if {text}"
        case {"path": path, "is": value}:
            return f"; only where {path} is {' or '.join(map(str, value)) if isinstance(value, list) else value}"
        case _:
            return "; under a condition (--json shows it)"
