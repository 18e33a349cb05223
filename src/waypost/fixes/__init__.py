"""Fixes of findings, applied to the bytes of a page without touching other bytes.

Fixes are applied in document order; overlapping fixes wait for the next round. Each round validates the page
again. A fix stays only if the finding is gone, no other finding is caused, and no item or rich result is lost. So a
second run on a fixed page changes nothing.

The fix of a script's type is an exception: items and findings inside the script come to light.

The fixes of a broken JSON-LD script are applied together or not at all: afterwards a strict parser reads the script.
A script that stays broken is not touched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from waypost.fixes.blocks import broken_blocks
from waypost.fixes.edits import Edit, OffsetMap, PieceTable, apply_edits, are_disjoint
from waypost.models.finding import SEVERITIES, FileReport, Finding, ItemReport
from waypost.reader.encoding import decode
from waypost.reader.text import Text

__all__ = ["Edit", "FixedPage", "RejectedFix", "broken_blocks", "fix_page"]

MOST_ROUNDS = 50
MOST_AT_ONCE = 200
"""Fixes tried together. Bisection finds a harmful fix among them with a few more validations."""

# No harm: the form of a fix itself, `content` on any element, which consumers read; that the consumer has withdrawn
# what the page means, which only shows once the page says what it means; and a recommended property, which was
# missing before.
_HARMLESS = ("microdata-content-attribute", "rich-result-retired", "recommended-property-missing")

_MISSING = "required-property-missing"
_SCRIPT_TYPE = "jsonld-script-type-misspelled"
_SCRIPT_END = re.compile(rb"</script", re.IGNORECASE)
_LAST_INDEX = re.compile(r"/[0-9]+\Z")

Validate = Callable[[bytes], FileReport]
BrokenBlocks = Callable[[bytes], frozenset[int]]


class RejectedFix(NamedTuple):
    """Fix that was not applied, with the reason."""

    finding: Finding
    reason: str


class FixedPage(NamedTuple):
    """Page after the fixes.

    data      whole file; equal to the original outside `changes`.
    report    report about `data`.
    fixed     findings of the applied fixes, with the positions before the fix.
    rejected  fixes that were not applied.
    changes   edits in order, in offsets of the original.
    """

    data: bytes
    report: FileReport
    fixed: list[Finding]
    rejected: list[RejectedFix]
    changes: list[Edit]


class _Repair(NamedTuple):
    """Fixes applied together: of one finding, or of all syntax errors of a script."""

    findings: tuple[Finding, ...]
    edits: tuple[Edit, ...]


def fix_page(
    data: bytes,
    validate: Validate,
    *,
    broken: BrokenBlocks | None,
    unsafe: bool = False,
    media_type: str | None = None,
    encoding: str | None = None,
    before: FileReport | None = None,
    only: Callable[[Finding], bool] | None = None,
) -> FixedPage:
    """Apply every harmless fix.

    validate    bytes of the page -> report; called at least once more than there are rounds.
    broken      bytes of the page -> numbers of the scripts that are not strict JSON, see `broken_blocks`; None: apply
                single fixes of a script that stays broken, as an editor offers them.
    unsafe      apply also fixes that guess the author's intention.
    media_type, encoding   parameters of the page's decoding (`reader.encoding.decode`).
    before      report about `data`, to save the first validation.
    only        filter of the findings to fix; by default all.
    """
    # Rounds, because a fix can make room for another: of two overlapping ones the second waits.
    page = _Fixer(data, before or validate(data), validate, broken, (media_type, encoding))
    for _ in range(MOST_ROUNDS):
        chosen = page.choose(unsafe, only)
        if not chosen:
            break
        page.try_all(chosen)
    return FixedPage(page.data, page.report, page.fixed, page.rejected(), page.table.changes())


class _Fixer:
    """Current bytes of a page, current report, and the fixes applied so far."""

    def __init__(
        self,
        data: bytes,
        report: FileReport,
        validate: Validate,
        broken: BrokenBlocks | None,
        labels: tuple[str | None, str | None],
    ) -> None:
        self.data = data
        self.report = report
        self.fixed: list[Finding] = []
        self.table = PieceTable(data)
        self._validate = validate
        self._broken_in = broken or (lambda _: frozenset())
        self._labels = labels
        self._barred: dict[tuple[Edit, ...], RejectedFix] = {}
        self._decoded: Text | None = None
        self._broken: frozenset[int] | None = None

    @property
    def broken(self) -> frozenset[int]:
        """Numbers of the JSON-LD scripts that are not strict JSON now; empty where single fixes are requested."""
        if self._broken is None:
            self._broken = self._broken_in(self.data)
        return self._broken

    @property
    def decoded(self) -> Text:
        if self._decoded is None:
            self._decoded = decode(self.data, *self._labels)
        return self._decoded

    def rejected(self) -> list[RejectedFix]:
        """Fixes that are still offered and did harm."""
        return [*self._barred.values()]

    def choose(self, unsafe: bool, only: Callable[[Finding], bool] | None = None) -> list[_Repair]:
        """Fixes for the next round: the first of overlapping fixes, without fixes that did harm."""
        offered = [
            finding for finding in self.report.findings if finding.fix is not None and (finding.fix.safe or unsafe)
        ]
        chosen: list[_Repair] = []
        taken: list[Edit] = []
        # A script read from now on changes the numbers of other scripts: a round for types alone.
        for group in self._groups(self._of_types(offered, only) or offered):
            if only is not None and not any(map(only, group)):
                continue
            repair = self._repair(group)
            # An edit that changes nothing would be offered again in every round.
            if repair.edits in self._barred or not any(self.data[e.start : e.end] != e.data for e in repair.edits):
                continue
            together = sorted([*taken, *repair.edits])
            if are_disjoint(together):
                chosen.append(repair)
                taken = together
            if len(chosen) >= MOST_AT_ONCE:
                break
        return chosen

    def _of_types(self, offered: Sequence[Finding], only: Callable[[Finding], bool] | None) -> list[Finding]:
        """Fixes of the types of scripts that did no harm so far."""
        return [
            finding
            for finding in offered
            if finding.rule == _SCRIPT_TYPE
            and (only is None or only(finding))
            and self._repair((finding,)).edits not in self._barred
        ]

    def _groups(self, findings: Sequence[Finding]) -> Iterator[tuple[Finding, ...]]:
        """Findings that are fixed together. Other fixes of a broken script wait until the script is strict JSON."""
        of_script: dict[int, list[Finding]] = {}
        for finding in findings:
            script = finding.block if finding.syntax == "json-ld" else None
            if script is None or script not in self.broken:
                yield (finding,)
            elif finding.rule.startswith("json-"):
                of_script.setdefault(script, []).append(finding)
        for together in of_script.values():
            yield tuple(together)

    def _repair(self, findings: tuple[Finding, ...]) -> _Repair:
        edits = (
            Edit(edit.start, edit.end, self._written(edit.text, edit.start, edit.end, finding))
            for finding in findings
            if finding.fix is not None
            for edit in finding.fix.edits
        )
        return _Repair(findings, tuple(sorted(edits)))

    def _written(self, text: str, start: int, end: int, finding: Finding) -> bytes:
        """Text in the page's encoding, with escapes for missing characters; an ASCII page stays ASCII."""
        # Line ends are those of the replaced part, so that a page keeps one kind.
        if "\n" in text and b"\r\n" in self.data[start:end]:
            text = text.replace("\n", "\r\n")
        codec = self.decoded.codec
        if codec.startswith("utf-"):
            # Only lone surrogates are missing in UTF-8 and UTF-16.
            return text.encode(codec, "replace")
        escape = _in_json if finding.syntax == "json-ld" else _in_markup
        return b"".join(_encoded(char, codec) or escape(char).encode(codec) for char in text)

    def try_all(self, repairs: Sequence[_Repair]) -> None:
        """Apply the harmless fixes; bar the harmful fixes until the page has changed."""
        # Bisection: a group that does harm is split in two, down to single fixes.
        accepted: list[_Repair] = []
        last: tuple[bytes, FileReport] | None = None
        barred: dict[tuple[Edit, ...], RejectedFix] = {}
        waiting = [repairs]
        while waiting:
            group = waiting.pop()
            made = self._with_repairs([*accepted, *group])
            report = self._validate(made) if made is not None else None
            if made is None or report is None:
                harm: str | None = "the encoding of the page cannot hold it"
            else:
                harm = self._unfinished(group, made) or self._harm(accepted, group, report)
            if harm is None:
                assert made is not None
                assert report is not None
                accepted += group
                last = (made, report)
            elif len(group) == 1:
                barred[group[0].edits] = RejectedFix(group[0].findings[0], harm)
            else:
                half = len(group) // 2
                # The first half on top of the stack, so that fixes are tried in document order.
                waiting += [group[half:], group[:half]]
        if last is None:
            self._barred |= barred
            return
        self.table.apply(_edits(accepted))
        self.data, self.report = last
        self.fixed += sorted((each for repair in accepted for each in repair.findings), key=attrgetter("start"))
        # On a changed page an earlier harmful fix may be harmless.
        self._barred = {}
        self._decoded = self._broken = None

    def _with_repairs(self, repairs: Sequence[_Repair]) -> bytes | None:
        """Bytes of the page with these fixes; None if the bytes would decode to another text than intended."""
        edits = _edits(repairs)
        made = apply_edits(self.data, edits)
        now = decode(made, *self._labels)
        offset, text = self.decoded.offset, self.decoded.string
        at = 0
        expected: list[str] = []
        for edit in edits:
            start = offset(edit.start)
            expected += (text[at:start], _read(edit.data, self.decoded.codec))
            at = offset(edit.end) if edit.end > edit.start else start
        expected.append(text[at:])
        return made if now.string == "".join(expected) else None

    def _unfinished(self, group: Sequence[_Repair], made: bytes) -> str | None:
        """Message for a script that would be no strict JSON after its fixes; None without one."""
        touched = {each.block for repair in group for each in repair.findings if each.syntax == "json-ld"}
        if touched & self.broken and touched & self._broken_in(made):
            return "the script would still be no valid JSON"
        return None

    def _harm(self, accepted: Sequence[_Repair], group: Sequence[_Repair], report: FileReport) -> str | None:
        """Harm done by the fixes, as a message, else None."""
        repairs = [*accepted, *group]
        was_fixed = {id(finding) for repair in repairs for finding in repair.findings}
        moved = OffsetMap(_edits(repairs))
        before = [(finding, id(finding) in was_fixed) for finding in self.report.findings]
        if scripts := self._scripts(repairs):
            if not _holds_items(self.report.items, report.items):
                return "other items would be read then"
            rest = [each for each in report.findings if not _is_within(moved.original_range(each.start), scripts)]
            return _new_finding(before, [each for each in rest if each.rule not in _HARMLESS], moved)
        # Items are compared in pairs from here on, which needs equal numbers.
        if len(self.report.items) != len(report.items):
            return _new_finding(before, report.findings, moved) or "other items would be read then"
        gained = False
        for old, new in zip(self.report.items, report.items, strict=True):
            # A finding less is not a gain if a rich result goes with it.
            if lost := set(old.eligible) - set(new.eligible):
                return f"{' and '.join(sorted(lost))} would be lost"
            gained |= bool(set(new.eligible) - set(old.eligible))
        # A missing property was missing before; an item that becomes eligible only gets another line about them.
        after = [
            each
            for each in report.findings
            if not (gained and _is_about_another_result(each)) and each.rule not in _HARMLESS
        ]
        return _new_finding(before, after, moved)

    def _scripts(self, repairs: Sequence[_Repair]) -> list[tuple[int, int]]:
        """Extents of the scripts that are read for the first time after the fixes."""
        starts = [repair.edits[0].start for repair in repairs if repair.findings[0].rule == _SCRIPT_TYPE]
        ends = ((start, _SCRIPT_END.search(self.data, start)) for start in starts)
        return [(start, end.start()) for start, end in ends if end is not None]


def _holds_items(before: Sequence[ItemReport], after: Sequence[ItemReport]) -> bool:
    """Whether `after` has the items of `before`, in order and with the rich results, among items that are new."""
    rest = iter(after)
    return all(any(_is_same_item(old, new) for new in rest) for old in before)


def _is_within(at: tuple[int, int], extents: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at[0] and at[1] <= end for start, end in extents)


def _is_same_item(old: ItemReport, new: ItemReport) -> bool:
    same = (old.types, old.name, old.id, old.syntax) == (new.types, new.name, new.id, new.syntax)
    return same and set(old.eligible) <= set(new.eligible)


def _new_finding(before: Sequence[tuple[Finding, bool]], after: Sequence[Finding], moved: OffsetMap) -> str | None:
    """Message for a finding that is new, or remains after the fix; None without one.

    A fixed finding makes room for another of the same rule in the same block: a finding can stand for a group
    of errors of which only some are fixed at a time.
    """
    places: dict[tuple[str, str | None], list[tuple[int, Finding, bool]]] = {}
    for finding, was_fixed in before:
        places.setdefault((finding.rule, finding.profile), []).append((finding.start, finding, was_fixed))
    room = Counter((finding.rule, finding.syntax, finding.block) for finding, was_fixed in before if was_fixed)
    for finding in after:
        # Inside a replaced part no exact offset exists before: any place of the part will do.
        low, high = moved.original_range(finding.start)
        known = places.get((finding.rule, finding.profile), [])
        at = next((n for n, (start, *_) in enumerate(known) if low <= start <= high), None)
        if at is not None:
            _, old, was_fixed = known.pop(at)
            if was_fixed and any(edit.start <= old.start <= edit.end for edit in (old.fix.edits if old.fix else ())):
                return "the same would be found again"
            if SEVERITIES.index(finding.severity) < SEVERITIES.index(old.severity):
                return f"{finding.rule} would become an {finding.severity}"
            room[finding.rule, finding.syntax, finding.block] -= was_fixed
        elif room[finding.rule, finding.syntax, finding.block] > 0:
            room[finding.rule, finding.syntax, finding.block] -= 1
        elif _was_reported(finding, low, high, before) or any(
            _shows(finding, fixed, low, high) for fixed, was_fixed in before if was_fixed
        ):
            continue
        else:
            return f"{finding.rule} would be found at {finding.line}:{finding.column} ({finding.message})"
    return None


def _was_reported(finding: Finding, low: int, high: int, before: Iterable[tuple[Finding, bool]]) -> bool:
    """Whether the same was reported before, at most about another rich result (a fix may bring another one nearest)."""
    return any(
        low <= old.start <= high
        and (old.rule, _without_cost(old.message)) == (finding.rule, _without_cost(finding.message))
        and SEVERITIES.index(old.severity) <= SEVERITIES.index(finding.severity)
        for old, was_fixed in before
        if not was_fixed
    )


def _without_cost(message: str) -> str:
    """Message without the rich results that the finding costs, which change with the rest of the item."""
    return message.partition("; not eligible for ")[0]


def _shows(finding: Finding, fixed: Finding, low: int, high: int) -> bool:
    """Whether a fixed finding only hid a finding about the same value that is not worse.

    After a new value, which consumers can read, the finding has to be milder. A value under a new property name was as
    wrong under the old name. An error is worth a warning about the same object.
    """
    if fixed.fix is None or (finding.syntax, finding.block) != (fixed.syntax, fixed.block):
        return False
    milder = SEVERITIES.index(finding.severity) - SEVERITIES.index(fixed.severity)
    if fixed.severity == "error" and milder > 0 and finding.pointer.startswith(fixed.pointer.rpartition("/")[0]):
        return True
    if any(edit.start <= low and high <= edit.end for edit in fixed.fix.edits):
        # `undefined` was not a value before it became null.
        return milder > 0 or (milder == 0 and _is_of_syntax(fixed) and finding.rule == _MISSING)
    # The name in front of the value was changed in letter case alone, which pointers do not show.
    if milder >= 0 and finding.pointer == fixed.pointer and all(e.start < e.end <= low for e in fixed.fix.edits):
        return True
    holder, _, name = fixed.pointer.rpartition("/")
    names = {edit.text.strip("\"' ") for edit in fixed.fix.edits} - {name}
    renamed = {f"{holder}/{new}" for new in names}
    is_same = finding.pointer in renamed or _LAST_INDEX.sub("", finding.pointer) in renamed
    return is_same and milder >= 0


def _is_about_another_result(finding: Finding) -> bool:
    """Whether a finding is the folded line about a further result."""
    return finding.rule == "feature-not-eligible" and finding.severity != "error"


def _is_of_syntax(finding: Finding) -> bool:
    return finding.rule.startswith("json-")


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
    # RFC 8259, section 7: a character outside the BMP is escaped as a pair of surrogates.
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


def _in_markup(char: str) -> str:
    return f"&#{ord(char)};"
