"""list the rules and profiles, or explain one

NAME is a rule, or a profile such as google/recipe. With --filter only the lines that hold the text are
listed: a word, an authority, a type.

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
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._console import add_colour, coloured, width_of, write
from waypost.report._terminal import Paint, folded

if TYPE_CHECKING:
    from waypost.registry import Registry
    from waypost.validate.rulebook import Rule

PLACE = 30


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="which one to explain; all are listed without it")
    parser.add_argument("--filter", metavar="TEXT", help="list only what holds this text")
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_colour(parser)


def run(args: Namespace) -> int:
    from waypost.registry import load

    registry = load()
    paint, width = Paint(coloured(args.colour, sys.stdout)), width_of(sys.stdout) or 100
    if args.name:
        told = _one(registry, args.name)
        write([_json(told)] if args.json else _explained(told, paint, width))
        return 0
    rows = [row for row in _all(registry) if not args.filter or _holds(row, args.filter)]
    write([_json(rows)] if args.json else _table(rows, args.filter, paint, width))
    return 0


def _json(told: Any) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def _all(registry: Registry) -> Iterator[dict[str, Any]]:
    from waypost.cli._registry import profile_names
    from waypost.validate.rulebook import rules_by_name

    for rule in rules_by_name().values():
        yield {
            "name": rule.name,
            "kind": "rule",
            "severity": rule.severity,
            "authority": rule.authority,
            "title": rule.title,
        }
    for name in profile_names(registry):
        profile = _profile(registry, name)
        told = {"name": name, "kind": "profile", "status": profile["status"], "types": profile["types"]}
        yield told | {"title": profile["title"]}


def _holds(row: dict[str, Any], text: str) -> bool:
    return any(text.casefold() in str(value).casefold() for value in row.values())


def _table(rows: list[dict[str, Any]], asked: str | None, paint: Paint, width: int) -> Iterator[str]:
    if not rows:
        yield f"nothing here holds {asked!r}\n" if asked else "there are no rules\n"
        return
    names = max(len(row["name"]) for row in rows)
    for row in rows:
        usual = row.get("severity") or row["status"]
        whose = row.get("authority") or "profile"
        first = names + 24
        title = folded(row["title"], width, first, " " * first)
        yield f"{row['name']:<{names}}  {paint(f'{usual:<8}', usual)}  {whose:<10}  {title}\n"


def _one(registry: Registry, name: str) -> dict[str, Any]:
    from waypost.cli._registry import profile_names
    from waypost.cli._run import UsageError
    from waypost.errors import UnknownRule
    from waypost.formats.text import near
    from waypost.validate.rulebook import rules_by_name

    book = rules_by_name()
    aliases = {alias: rule for rule in book.values() for alias in rule.aliases}
    if rule := book.get(name) or aliases.get(name):
        return _rule(rule)
    profiles = profile_names(registry)
    if name in profiles:
        return {"name": name, "kind": "profile"} | _profile(registry, name)
    known = [*book, *aliases, *profiles]
    meant = near(name, known) or [each for each in profiles if each.endswith(f"/{name}")]
    unknown = UnknownRule(name, meant)
    raise UsageError(f"{unknown}" if meant else f"{unknown}; `waypost rules` lists them")


def _rule(rule: Rule) -> dict[str, Any]:
    told = {
        "name": rule.name,
        "kind": "rule",
        "severity": rule.severity,
        "authority": rule.authority,
        "title": rule.title,
        "doc": rule.doc,
        "applies_to": sorted(rule.applies_to),
        "properties": sorted(rule.properties),
    }
    return told | ({"aliases": list(rule.aliases)} if rule.aliases else {})


def _profile(registry: Registry, name: str) -> dict[str, Any]:
    document: dict[str, Any] = registry.document(f"profiles/{name}.json")
    return document


def _explained(told: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    yield f"{paint(told['name'], 'bold')}\n\n"
    yield from _rule_text(told, paint, width) if told["kind"] == "rule" else _profile_text(told, paint, width)


def _rule_text(told: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    doc = re.sub(r"\n(?=Sources?: )", "\n\n", told["doc"])
    for paragraph in doc.split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        drawn = any(line.startswith((" ", "- ")) for line in lines)  # a list or a table keeps its lines
        yield "\n".join(lines) if drawn else folded(" ".join(paragraph.split()), min(width, 100), 0, "")
        yield "\n\n"
    yield f"usually    {paint(told['severity'], told['severity'])}\n"
    yield f"authority  {told['authority']}\n"
    for name, label in (("applies_to", "of types"), ("properties", "looks at")):
        if told[name] != ["*"]:
            yield f"{label:<9}  {folded(', '.join(told[name]), width, 11, ' ' * 11)}\n"
    if told.get("aliases"):
        yield f"formerly   {', '.join(told['aliases'])}\n"


def _profile_text(told: dict[str, Any], paint: Paint, width: int) -> Iterator[str]:
    since = f" since {told['retired_on']}" if "retired_on" in told else ""
    yield f"{told['title']}: what it needs of {', '.join(told['types'])}.\n\n"
    yield f"status       {paint(told['status'], told['status'])}{since}\n"
    for label in ("required", "recommended", "limits"):
        lines = [_entry(entry) for entry in told.get(label, ())]
        for number, line in enumerate(lines):
            yield f"{label if not number else '':<11}  {folded(line, width, 13, ' ' * 15)}\n"
    if told.get("notes"):
        yield f"notes        {folded(told['notes'], width, 13, ' ' * 13)}\n"
    checked = f", compared {told['checked']['date']}" if "checked" in told else ""
    yield f"source       {told['doc']}{checked}\n"


def _entry(entry: dict[str, Any]) -> str:
    """One requirement in words: what, of what kind, when."""
    if "path" in entry:
        what = entry["path"]
    elif "any_of" in entry:
        what = " or ".join(entry["any_of"])
    elif "any_of_groups" in entry:
        what = " or ".join(" with ".join(group) for group in entry["any_of_groups"])
    else:
        what = f"no {entry.get('absent', '')}"
    if each := entry.get("each"):
        what = f"in each {each}: {what}"
    value = entry.get("value")
    kinds = f" ({str(value).replace('|', ' or ').replace('shape:', '').replace('enum:', '')})" if value else ""
    return f"{what}{kinds}" + (f", {entry['rule']}" if "rule" in entry else "") + (_when(entry.get("when")))


def _when(condition: dict[str, Any] | None) -> str:
    """A condition in words; one that is made of several parts is in the profile's data."""
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
