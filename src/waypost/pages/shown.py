"""How rules, cases and requirement data are put into words for a page."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Any

from markupsafe import Markup

from waypost.registry import Registry
from waypost.shapes.finding import Finding
from waypost.validate import validate_data, validate_page

_LANGUAGE = {".html": "HTML", ".json": "JSON-LD", ".jsonld": "JSON-LD"}
_LONGEST = 4000
_ADDRESS = re.compile(r"https?://\S+?(?=[,;.)]*(?:\s|$))")
_EXPECT = re.compile(r"\A<!-- expect: [\d:]+ -->\r?\n?")


def prose(text: str) -> Markup:
    """A rule's documentation (Markdown without HTML) as HTML; the source stands apart, its addresses are links."""
    from markdown_it import MarkdownIt

    body, source, told = text.strip().rpartition("\nSource")
    if source:
        body = f"{body}\n\nSource" + _ADDRESS.sub(r"<\g<0>>", told)
    rendered = MarkdownIt("commonmark", {"html": False}).render(body or told)
    return Markup(rendered)  # noqa: S704 - the renderer escapes everything that is not Markdown


def coloured(code: str) -> Markup:
    """JSON as HTML whose tokens carry the classes that `site.css` colours."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import JsonLexer

    return Markup(highlight(code, JsonLexer(), HtmlFormatter(nowrap=True)))  # noqa: S704 - pygments escapes the code


def cases_of(
    folder: Path | None, kind: str, registry: Registry, now: datetime, *, rule: str = "", profile: str = ""
) -> list[dict[str, Any]]:
    """The cases of a folder as figures: their text, the findings in question and where these stand.

    A case that cannot be shown (too long, not UTF-8) is left to the tests.
    """
    if folder is None or not folder.is_dir():
        return []
    shown = []
    for path in sorted(p for p in folder.iterdir() if p.name.startswith(f"{kind}-") and p.suffix in _LANGUAGE):
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if len(text) > _LONGEST:
            continue
        validate = validate_page if path.suffix == ".html" else validate_data
        report = validate(data, registry, path=path.name, url="https://www.example.com/page", now=now)
        findings = [f for f in report.findings if (rule and f.rule == rule) or (profile and f.profile == profile)]
        shown.append(
            {
                "title": path.stem.removeprefix(f"{kind}-").replace("-", " "),
                "syntax": _LANGUAGE[path.suffix],
                "parts": _parts(data, findings),
                "findings": findings if kind == "bad" else [],
            }
        )
    return shown


def _parts(data: bytes, findings: list[Finding]) -> list[tuple[str, bool]]:
    """The text cut where findings stand: (text, is marked)."""
    parts, at = [], 0
    skipped = _EXPECT.match(data.decode())
    if skipped:
        at = len(skipped[0].encode())
    for finding in findings:
        if finding.start >= at and finding.end > finding.start:
            parts.append((data[at : finding.start].decode("utf-8", "replace"), False))
            parts.append((data[finding.start : finding.end].decode("utf-8", "replace"), True))
            at = finding.end
    parts.append((data[at:].decode("utf-8", "replace").rstrip("\n"), False))
    return parts


def entries(listed: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Requirement entries as rows: what, value, when, remarks."""
    return [
        {"what": _what(entry), "value": _value(entry), "when": said(entry.get("when")), "remarks": _remarks(entry)}
        for entry in listed
    ]


def _what(entry: dict[str, Any]) -> str:
    if "any_of_groups" in entry:
        what = " or ".join(" with ".join(group) for group in entry["any_of_groups"])
    elif "any_of" in entry:
        what = " or ".join(entry["any_of"])
    elif "absent" in entry:
        what = f"no {entry['absent']}"
    else:
        what = entry["path"]
    return f"{what} (in each {entry['each']})" if "each" in entry else what


def _value(entry: dict[str, Any]) -> str:
    kinds = entry.get("value") or "; ".join(f"{path}: {kind}" for path, kind in entry.get("values", {}).items())
    for prefix in ("shape:", "enum:", "types:"):
        kinds = kinds.replace(prefix, "")
    return kinds.replace("|", " or ")


_CONSTRAINTS = {
    "min": "at least {}", "max": "at most {}", "gt": "above {}", "min_items": "at least {} of them",
    "max_items": "at most {} of them", "min_items_total": "at least {} in all", "min_length": "at least {} characters",
    "max_length": "at most {} characters", "equals": "must be {}", "pattern": "matches {}",
    "min_width": "at least {} pixels wide", "prefer": "{} preferred", "default": "{} when absent",
}  # fmt: skip


def _remarks(entry: dict[str, Any]) -> str:
    words = [form.format(entry[key]) for key, form in _CONSTRAINTS.items() if key in entry]
    words += [entry["rule"]] if "rule" in entry else []
    words += ["trial feature"] if entry.get("beta") else []
    return "; ".join(words)


def said(condition: Any) -> str:  # noqa: C901 - one branch for each form of the grammar
    """A condition of the requirement data in words; empty for none."""
    if not condition:
        return ""
    (verb, told), *rest = condition.items()
    match verb:
        case "present":
            return f"there is {told}"
        case "absent":
            return f"there is no {told}"
        case "path":
            ((test, bound),) = rest
            return f"{told} is {_or(bound)}" if test == "is" else f"{told} is above {bound}"
        case "type":
            where = f"{told['path']} is" if "path" in told else "it is"
            return f"{where} {_or(told['is'])}" + (f", not {_or(told['except'])}" if "except" in told else "")
        case "nested":
            return "it stands under " + _or(told.get("by") or told.get("in"))
        case "not":
            return f"not: {said(told)}"
        case "all" | "any":
            joint = " and " if verb == "all" else " or "
            return joint.join(said(each) for each in told)
        case "intent":
            return f"{told} (markup cannot show it)"
        case "page":
            return "the page is the site's root"
        case "last_item":
            return "it is the last item"
        case "external_url":
            return "its url leads to another page"
    return str(condition)


def _or(told: Any) -> str:
    return " or ".join(map(str, told)) if isinstance(told, list) else str(told)
