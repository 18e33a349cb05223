"""Fixes inside of code: an edit of JSON in the notation of the literal that it replaces."""

from __future__ import annotations

import json
import re

from waypost.models.finding import Edit, Fix
from waypost.reader.code_objects import CodeObject

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = re.compile(r"[A-Za-z0-9][\w./+-]*(?: [\w./+-]+)*|https?://[\w./?=%-]+")
_INSIDE = re.compile(r"[\w@:/.+ -]*")


def in_code(fix: Fix, found: CodeObject, data: bytes, language: str) -> Fix | None:
    """Fix whose edits replace literals of an object, or words inside them; None for another one."""
    edits = [_edit(edit, found, data, language) for edit in fix.edits]
    if any(edit is None for edit in edits):
        return None
    return Fix(fix.safe, tuple(edit for edit in edits if edit is not None))


def _edit(edit: Edit, found: CodeObject, data: bytes, language: str) -> Edit | None:
    for token in found.tokens:
        start, end = token.source_start, token.source_end
        literal = found.text[token.start : token.end]
        if not start <= edit.start < edit.end <= end or literal[:1] in "{}[],:":
            continue
        written = data[start:end].decode("utf-8", "replace")
        if (edit.start, edit.end) == (start, end):
            text = _as_written(edit.text, written, language)
            return Edit(start, end, text) if text is not None else None
        # Words inside a literal that says the same in both notations.
        return edit if written.strip("'\"`") == literal.strip('"') and _INSIDE.fullmatch(edit.text) else None
    return None


def _as_written(text: str, written: str, language: str) -> str | None:
    """JSON string or number in the quotes of the literal that it replaces."""
    try:
        value = json.loads(text)
    except ValueError:
        # A word in place of a name without quotes.
        return text if _NAME.fullmatch(text) and _NAME.fullmatch(written) else None
    if not isinstance(value, str):
        return text if isinstance(value, int | float) and not isinstance(value, bool) else None
    is_yaml = language in {".yaml", ".yml"}
    quote = written[:1]
    if quote in "'\"`" and quote:
        if "\\" in value or "\n" in value or quote in value or (quote != "'" and "$" in value):
            return None
        return f"{quote}{value}{quote}"
    if is_yaml:
        return (
            value
            if _PLAIN.fullmatch(value) and not re.fullmatch(r"[\d.]+|true|false|null", value)
            else json.dumps(value)
        )
    return value if _NAME.fullmatch(value) and _NAME.fullmatch(written) else f"'{value}'" if "'" not in value else None
