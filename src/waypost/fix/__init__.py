"""Faults mended in the bytes of a page, and nothing else touched.

The repairs that findings carry are made in document order; what overlaps waits for the next round. After each
round the page is judged again, and a repair stays only if its finding is gone, nothing else is found that was
not found before, and no item or rich result is lost. So a page that is mended twice changes once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import NamedTuple

from waypost.extract.encoding import Decoded, decode
from waypost.fix.edits import Edit, Moved, Table, apart, applied
from waypost.models.finding import SEVERITIES, FileReport, Finding

__all__ = ["Edit", "Mended", "Refused", "mend"]

MOST_ROUNDS = 50
MOST_AT_ONCE = 200
"""Repairs tried together; finding the one that does harm among so many costs a few judgements more."""

Judge = Callable[[bytes], FileReport]


class Refused(NamedTuple):
    """A repair that was not made, and why."""

    finding: Finding
    because: str


class Mended(NamedTuple):
    """A page after its repairs.

    data      the whole file; equal to the original outside `changes`.
    report    what is still to be said about it.
    fixed     the findings whose repairs were made, as they stood when it was done.
    changes   in order, in offsets of the original.
    """

    data: bytes
    report: FileReport
    fixed: list[Finding]
    refused: list[Refused]
    changes: list[Edit]


class _Repair(NamedTuple):
    finding: Finding
    edits: tuple[Edit, ...]


def mend(
    data: bytes,
    judge: Judge,
    *,
    unsafe: bool = False,
    media_type: str | None = None,
    encoding: str | None = None,
    before: FileReport | None = None,
    only: Callable[[Finding], bool] | None = None,
) -> Mended:
    """Make every repair that does good.

    judge       says everything about the bytes of this page; called at least once more than there are rounds.
    unsafe      make also those that guess at what was meant.
    media_type, encoding   as the page was decoded by (`extract.encoding.decode`).
    before      what `judge` said about `data`, if that is known.
    only        which findings to mend; of all that can be mended where it is not given.
    """
    page = _Page(data, before or judge(data), judge, media_type, encoding)
    for _ in range(MOST_ROUNDS):
        chosen = page.choose(unsafe, only)
        if not chosen:
            break
        page.try_all(chosen)
    return Mended(page.data, page.report, page.fixed, page.refused(), page.table.changes())


class _Page:
    """The bytes as they are by now, and what is said about them."""

    def __init__(
        self, data: bytes, report: FileReport, judge: Judge, media_type: str | None, encoding: str | None
    ) -> None:
        self.data = data
        self.report = report
        self.fixed: list[Finding] = []
        self.table = Table(data)
        self._judge = judge
        self._labels = (media_type, encoding)
        self._barred: dict[tuple[Edit, ...], Refused] = {}
        self._decoded: Decoded | None = None

    @property
    def decoded(self) -> Decoded:
        if self._decoded is None:
            self._decoded = decode(self.data, *self._labels)
        return self._decoded

    def refused(self) -> list[Refused]:
        """Why each repair that is still offered is not made."""
        return [*self._barred.values()]

    def choose(self, unsafe: bool, only: Callable[[Finding], bool] | None = None) -> list[_Repair]:
        """The repairs that can be made together, the first of those that overlap; none that did harm here."""
        chosen: list[_Repair] = []
        taken: list[Edit] = []
        for finding in self.report.findings:
            if finding.fix is None or not (finding.fix.safe or unsafe) or len(chosen) >= MOST_AT_ONCE:
                continue
            if only is not None and not only(finding):
                continue
            repair = self._repair(finding)
            if repair.edits in self._barred or not any(self.data[e.start : e.end] != e.data for e in repair.edits):
                continue
            together = sorted([*taken, *repair.edits])
            if apart(together):
                chosen.append(repair)
                taken = together
        return chosen

    def _repair(self, finding: Finding) -> _Repair:
        assert finding.fix is not None
        edits = (
            Edit(edit.start, edit.end, self._written(edit.text, edit.start, edit.end, finding))
            for edit in finding.fix.edits
        )
        return _Repair(finding, tuple(sorted(edits)))

    def _written(self, text: str, start: int, end: int, finding: Finding) -> bytes:
        """Text in the page's encoding, escaped where that has no such character; an ASCII page stays one."""
        if "\n" in text and b"\r\n" in self.data[start:end]:
            text = text.replace("\n", "\r\n")
        codec = self.decoded.codec
        if codec.startswith("utf-"):
            return text.encode(codec, "replace")
        escape = _in_json if finding.syntax == "json-ld" else _in_markup
        return b"".join(_encoded(char, codec) or escape(char).encode(codec) for char in text)

    def try_all(self, repairs: Sequence[_Repair]) -> None:
        """Make as many of these repairs as do no harm; the others are barred until the page has changed."""
        accepted: list[_Repair] = []
        last: tuple[bytes, FileReport] | None = None
        barred: dict[tuple[Edit, ...], Refused] = {}
        waiting = [repairs]
        while waiting:
            group = waiting.pop()
            made = self._made([*accepted, *group])
            report = self._judge(made) if made is not None else None
            harm = "the encoding of the page cannot hold it" if report is None else self._harm(accepted, group, report)
            if harm is None:
                assert made is not None
                assert report is not None
                accepted += group
                last = (made, report)
            elif len(group) == 1:
                barred[group[0].edits] = Refused(group[0].finding, harm)
            else:
                half = len(group) // 2
                waiting += [group[half:], group[:half]]
        if last is None:
            self._barred |= barred
            return
        self.table.apply(_edits(accepted))
        self.data, self.report = last
        self.fixed += sorted((repair.finding for repair in accepted), key=attrgetter("start"))
        self._barred = {}
        self._decoded = None

    def _made(self, repairs: Sequence[_Repair]) -> bytes | None:
        """The page with these repairs; None if it would then be decoded to something else than was meant."""
        edits = _edits(repairs)
        made = applied(self.data, edits)
        now = decode(made, *self._labels)
        offset, text = self.decoded.places.offset, self.decoded.text
        at = 0
        meant: list[str] = []
        for edit in edits:
            start = offset(edit.start)
            meant += (text[at:start], _read(edit.data, self.decoded.codec))
            at = offset(edit.end) if edit.end > edit.start else start
        meant.append(text[at:])
        return made if now.text == "".join(meant) else None

    def _harm(self, accepted: Sequence[_Repair], group: Sequence[_Repair], report: FileReport) -> str | None:
        """What speaks against a page that was mended so, None if nothing does."""
        repairs = [*accepted, *group]
        mended = {id(repair.finding) for repair in repairs}
        moved = Moved(_edits(repairs))
        before = [(finding, id(finding) in mended) for finding in self.report.findings]
        if (told := _new_finding(before, report.findings, moved)) is not None:
            return told
        if len(self.report.items) != len(report.items):
            return "other items would be read then"
        for old, new in zip(self.report.items, report.items, strict=True):
            if lost := set(old.eligible) - set(new.eligible):
                return f"{' and '.join(sorted(lost))} would be lost"
        return None


def _new_finding(before: Sequence[tuple[Finding, bool]], after: Sequence[Finding], moved: Moved) -> str | None:
    """What is found that was not found before, or is still found although it was mended.

    One mended finding makes room for another of its rule in its block: a finding can stand for a swarm of
    which only so many are mended at a time.
    """
    places: dict[tuple[str, str | None], list[tuple[int, Finding, bool]]] = {}
    for finding, mended in before:
        places.setdefault((finding.rule, finding.profile), []).append((finding.start, finding, mended))
    room = Counter((finding.rule, finding.syntax, finding.block) for finding, mended in before if mended)
    for finding in after:
        low, high = moved.back(finding.start)
        known = places.get((finding.rule, finding.profile), [])
        at = next((n for n, (start, *_) in enumerate(known) if low <= start <= high), None)
        if at is not None:
            _, old, mended = known.pop(at)
            if mended and any(edit.start <= old.start <= edit.end for edit in (old.fix.edits if old.fix else ())):
                return "the same would be found again"
            if SEVERITIES.index(finding.severity) < SEVERITIES.index(old.severity):
                return f"{finding.rule} would become an {finding.severity}"
            room[finding.rule, finding.syntax, finding.block] -= mended
        elif room[finding.rule, finding.syntax, finding.block] > 0:
            room[finding.rule, finding.syntax, finding.block] -= 1
        else:
            return f"{finding.rule} would be found at {finding.line}:{finding.column} ({finding.message})"
    return None


def _edits(repairs: Sequence[_Repair]) -> list[Edit]:
    return sorted(edit for repair in repairs for edit in repair.edits)


def _encoded(char: str, codec: str) -> bytes | None:
    try:
        return char.encode(codec)
    except UnicodeEncodeError:
        return None


def _read(data: bytes, codec: str) -> str:
    return data.decode(codec, "replace").replace("\r\n", "\n").replace("\r", "\n")


def _in_json(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


def _in_markup(char: str) -> str:
    return f"&#{ord(char)};"
