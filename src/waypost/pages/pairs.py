"""A bad and a good example side by side, cut to the lines that differ, with the findings of waypost."""

from __future__ import annotations

import difflib
import re
from itertools import zip_longest
from typing import NamedTuple

from markupsafe import Markup

from waypost.models.finding import FileReport, Finding
from waypost.pages.text import coloured

CODE_LANGUAGES = {"JSON-LD": "json", "HTML": "html", "XML": "html", "CSV": "text"}
"""Syntax of an example -> how its code is coloured."""
_AROUND = 3
_MOST_LINES = 14
_CROWDED = re.compile(r'"\s*:[^\n]*"[^"\n]*"\s*:')
"""Line with two members."""
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|"')


class Pair(NamedTuple):
    """Lines of two examples as coloured code. `findings`: only in the bad example."""

    syntax: str
    bad: Markup
    good: Markup
    good_text: str
    findings: tuple[Finding, ...]
    by_fix: bool = False


def pair_of(bad: str, good: str, syntax: str, findings: tuple[Finding, ...], *, by_fix: bool = False) -> Pair:
    """Pair of two texts, cut to the different lines with a few lines around. `syntax`: one of CODE_LANGUAGES."""
    language = CODE_LANGUAGES[syntax]
    if language == "json" and (_CROWDED.search(bad) or _CROWDED.search(good)):
        bad, good = laid_out(bad), laid_out(good)
    one, other = bad.rstrip("\n").split("\n"), good.rstrip("\n").split("\n")
    # A comma at the end of a line follows from what comes after it.
    before, after = ([line.rstrip(",") for line in lines] for lines in (one, other))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    first = changes[0] if changes else ("equal", 0, 0, 0, 0)
    return Pair(
        syntax,
        _window(one, first[1], max(code[2] for code in changes) if changes else 1, language),
        _window(other, first[3], max(code[4] for code in changes) if changes else 1, language),
        good,
        findings,
        by_fix,
    )


def laid_out(text: str) -> str:
    """JSON with a member on each line, every token as it is written: it may be broken JSON."""
    lines, depth = [""], 0
    pieces = _PIECE.findall(text)
    for piece, after in zip_longest(pieces, pieces[1:], fillvalue=""):
        if piece in "}]" and lines[-1].strip():
            depth = max(depth - 1, 0)
            if lines[-1].rstrip()[-1] not in "{[":
                lines.append("  " * depth)
        lines[-1] += f"{piece} " if piece == ":" else piece
        if piece in "{[" and after:
            depth += 1
            if after not in ("}", "]"):
                lines.append("  " * depth)
        elif piece == ",":
            lines.append("  " * depth)
    return "\n".join(line.rstrip() for line in lines)


def _window(lines: list[str], start: int, end: int, language: str) -> Markup:
    """Lines around a change, the changed lines marked; a long change is cut at the end."""
    first = max(start - _AROUND, 0)
    last = min(end + _AROUND, len(lines), first + _MOST_LINES)
    visible = lines[first:last]
    before = "…\n" if first else ""
    after = "\n…" if last < len(lines) else ""
    at = len(before)
    marked: list[tuple[int, int]] = []
    for number, text in enumerate(visible, first):
        inner = len(text) - len(text.lstrip())
        if start <= number < end and text.strip():
            marked.append((at + inner, at + len(text)))
        at += len(text) + 1
    return coloured(before + "\n".join(visible) + after, language, tuple(marked))


def new_findings(bad: FileReport, good: FileReport) -> tuple[Finding, ...]:
    """Findings of a bad page without those of a good page; information only where nothing else is left."""
    known = {(finding.rule, finding.message) for finding in good.findings}
    new = [finding for finding in bad.findings if (finding.rule, finding.message) not in known]
    loud = [finding for finding in new if finding.severity != "info"]
    return tuple(loud or new)
