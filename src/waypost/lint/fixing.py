"""Fixes by --fix and --diff: files change in place, standard input goes to standard output."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from waypost.lint.inputs import Input
from waypost.models.finding import FileReport, Finding

if TYPE_CHECKING:
    from waypost.fixes import FixedPage, Validate
    from waypost.reader.sources import PageSource

FixMode = Literal["", "fix", "diff"]


class FixResult(msgspec.Struct, kw_only=True):
    """Fixes of an input.

    fixed    number of fixes made, or with --diff, possible.
    unsafe   number of fixes left out as guesses.
    left     messages about rejected fixes.
    diff     changes in the format of `diff -u`.
    data     fixed page of standard input.
    """

    fixed: int = 0
    unsafe: int = 0
    left: tuple[str, ...] = ()
    diff: str = ""
    data: bytes | None = None


def fix_input(
    item: Input,
    source: PageSource,
    report: FileReport,
    check: Validate,
    mode: FixMode,
    *,
    unsafe: bool,
    only: Callable[[Finding], bool],
) -> tuple[FileReport, FixResult]:
    """(report after the fixes, fixes) of an input. With --diff no file is written and the report stays.

    only  filter of the findings to fix: those that the report shows.
    """
    from waypost.fixes import broken_blocks, fix_page

    nothing = FixResult(data=source.data if item.kind == "stdin" else None)
    if not any(finding.fix and only(finding) for finding in report.findings):
        return report, nothing
    if mode == "fix" and (why := _why_unwritable(item)):
        return report, FixResult(left=(why,))
    # JSON (RFC 8259, section 8.1) and Markdown are UTF-8; HTML states its encoding.
    encoding = None if source.kind == "html" else "utf-8"
    fixed = fix_page(
        source.data, check, unsafe=unsafe, media_type=source.media_type, encoding=encoding, before=report,
        only=only, broken=lambda data: broken_blocks(data, source.kind, source.media_type, encoding, source.language),
    )  # fmt: skip
    result = FixResult(
        fixed=len(fixed.fixed),
        unsafe=0 if unsafe else sum(f.fix is not None and not f.fix.safe and only(f) for f in fixed.report.findings),
        left=tuple(f"{edit.finding.line}: {edit.finding.rule} is left: {edit.reason}" for edit in fixed.rejected),
    )
    if mode == "diff":
        result.diff = _diff(item, source, fixed, encoding)
        return report, result
    if item.kind == "stdin":
        result.data = fixed.data
    elif fixed.changes and (why := replace(item.where, source.data, fixed.data)):
        return report, FixResult(left=(why,))
    return fixed.report, result


def _diff(item: Input, source: PageSource, fixed: FixedPage, encoding: str | None) -> str:
    from waypost.fixes.diff import unified_diff
    from waypost.reader.encoding import decode

    codec = decode(source.data, source.media_type, encoding).codec
    return "".join(unified_diff(item.path, source.data, fixed.changes, codec))


def _why_unwritable(item: Input) -> str | None:
    """Reason why a fixed page cannot be written; None for a writable file."""
    if item.kind == "url":
        return "a page from the web cannot be fixed in place; --diff shows what would change"
    if item.kind == "archived":
        return "a page in a web archive is not fixed; --diff shows what would change"
    if item.kind == "file" and item.where.lower().endswith(".gz"):
        return "a packed file is not fixed; unpack it, or see the changes with --diff"
    return None


def replace(path: str, before: bytes, after: bytes) -> str | None:
    """Replace a file's bytes atomically, with the same mode. Returns the reason for a failure, else None."""
    import contextlib
    import tempfile

    target = Path(path)
    try:
        # A symbolic link stays a link: its target is replaced.
        target = target.resolve(strict=True)
        # An editor may have saved the file since it was read; its changes must not be lost.
        if target.read_bytes() != before:
            return "the file has changed meanwhile; run again"
        # A folder that may be written to would let a write-protected file be replaced.
        if not os.access(target, os.W_OK):
            return "cannot be written: it is write-protected"
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(after)
            # `mkstemp` makes a file for its owner alone.
            Path(name).chmod(target.stat().st_mode & 0o7777)
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        return f"cannot be written: {(error.strerror or str(error)).lower()}"
    return None
