"""Repairs on behalf of the command line: of files in their place, of standard input on its way through."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from waypost.cli._inputs import Input
from waypost.models.finding import FileReport

if TYPE_CHECKING:
    from waypost.cli._reading import Opened
    from waypost.fix import Validate

Mode = Literal["", "fix", "diff"]


class Mending(msgspec.Struct, kw_only=True):
    """What mending did to one input.

    fixed    repairs that were made (with --diff: that would be).
    unsafe   repairs that were not made because they guess.
    left     why others were not made, for people.
    diff     the changes as `diff -u` shows them.
    data     the page, where it has nowhere to be written but standard output.
    """

    fixed: int = 0
    unsafe: int = 0
    left: tuple[str, ...] = ()
    diff: str = ""
    data: bytes | None = None


def mended(
    what: Input, found: Opened, report: FileReport, judge: Validate, mode: Mode, unsafe: bool
) -> tuple[FileReport, Mending]:
    """Mend one input; (what is to be said about it now, what was done).

    With --diff nothing is written, and what is said is said about the page as it is.
    """
    from waypost.fix import fix_page

    aside = Mending(data=found.data if what.kind == "stdin" else None)
    if not any(finding.fix for finding in report.findings):
        return report, aside
    if mode == "fix" and (why := _unwritable(what)):
        return report, Mending(left=(why,))
    encoding = None if found.kind == "html" else "utf-8"
    made = fix_page(
        found.data, judge, unsafe=unsafe, media_type=found.media_type, encoding=encoding, before=report
    )  # fmt: skip
    told = Mending(
        fixed=len(made.fixed),
        unsafe=0 if unsafe else sum(each.fix is not None and not each.fix.safe for each in made.report.findings),
        left=tuple(f"{each.finding.line}: {each.finding.rule} is left: {each.reason}" for each in made.rejected),
    )
    if mode == "diff":
        from waypost.extract.encoding import decode
        from waypost.fix.diff import unified_diff

        codec = decode(found.data, found.media_type, encoding).codec
        told.diff = "".join(unified_diff(what.path, found.data, made.changes, codec))
        return report, told
    if what.kind == "stdin":
        told.data = made.data
    elif made.changes and (why := replace(what.where, found.data, made.data)):
        return report, Mending(left=(why,))
    return made.report, told


def _unwritable(what: Input) -> str | None:
    """Why the result could not be put back."""
    if what.kind == "url":
        return "a page from the web cannot be mended in its place; --diff shows what would change"
    if what.kind == "archived":
        return "a page in a web archive is not mended; --diff shows what would change"
    if what.kind == "file" and what.where.lower().endswith(".gz"):
        return "a packed file is not mended; unpack it, or see the changes with --diff"
    return None


def replace(path: str, before: bytes, after: bytes) -> str | None:
    """Put `after` in the place of `before`, at once, under the same mode; else say why not."""
    import contextlib
    import tempfile

    target = Path(path)
    try:
        target = target.resolve(strict=True)
        if target.read_bytes() != before:
            return "the file has changed meanwhile; run again"
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(after)
            Path(name).chmod(target.stat().st_mode & 0o7777)
            Path(name).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as fault:
        return f"cannot be written: {(fault.strerror or str(fault)).lower()}"
    return None
