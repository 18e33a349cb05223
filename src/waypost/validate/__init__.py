"""The verdict: what is wrong with a page's structured data, where, by whose authority, and what to do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from waypost.extract import read_data, read_page
from waypost.models.finding import (
    SEVERITIES,
    Edit,
    FileReport,
    Finding,
    Fix,
    ItemReport,
    Related,
    Report,
    Severity,
    Summary,
)
from waypost.models.page import Node, Page, Span
from waypost.registry import Registry
from waypost.registry import load as load_registry
from waypost.validate import dispatch
from waypost.validate.item import FindingDraft, RuleContext, describe, is_between_tags
from waypost.validate.profiles import ProfileResults, evaluate_profiles
from waypost.validate.rulebook import Rule, rules_by_name

__all__ = ["judge", "report", "validate_data", "validate_page"]


def validate_page(
    data: bytes,
    registry: Registry | None = None,
    *,
    path: str = "-",
    url: str | None = None,
    media_type: str | None = None,
    now: datetime | None = None,
    profiles: Sequence[str] = (),
    site: str = "",
) -> FileReport:
    """Everything that can be said about one page.

    data        the bytes of the file or of the HTTP body.
    url         the address it came from: relative ids and links resolve against it.
    media_type  the HTTP Content-Type, if there was one: it may carry the charset.
    now         aware UTC time that dates are compared with; the current time by default.
    profiles    names like "google/recipe" to judge in full, whether or not a root asks for them.
    site        address in front of `doc_url`; a path alone by default.
    """
    registry = registry or load_registry()
    page = read_page(data, registry.vocabulary, path=path, url=url, media_type=media_type)
    told = judge(page, registry, now=now, profiles=profiles, site=site)
    page.release()
    return told


def validate_data(
    data: Any,
    registry: Registry | None = None,
    *,
    path: str = "-",
    url: str | None = None,
    now: datetime | None = None,
    profiles: Sequence[str] = (),
    site: str = "",
) -> FileReport:
    """Everything that can be said about JSON-LD given as bytes, or as dictionaries and lists.

    Offsets count in the bytes, or in the compact UTF-8 encoding of what was given otherwise.
    """
    registry = registry or load_registry()
    raw = data if isinstance(data, bytes) else msgspec.json.encode(data)
    page = read_data(raw, registry.vocabulary, path=path, url=url)
    told = judge(page, registry, now=now, profiles=profiles, site=site)
    page.release()
    return told


def judge(
    page: Page,
    registry: Registry,
    *,
    now: datetime | None = None,
    profiles: Sequence[str] = (),
    site: str = "",
    turns: list[datetime] | None = None,
) -> FileReport:
    """Apply every rule and profile to a page that was read.

    turns  takes every instant at which what is said could become something else, but for the days on which the
           registry has a rich result retired.
    """
    context = RuleContext(
        page=page,
        registry=registry,
        now=now or datetime.now(UTC),
        nodes_by_sign=dispatch.signs(page),
        turns=[] if turns is None else turns,
    )
    desk = Desk(context, site)
    book = rules_by_name()
    for read_error in page.read_errors:
        rule = book[read_error.rule]
        assert rule.explain is not None, read_error.rule
        draft = rule.explain(read_error)
        desk.add_read_error(rule, read_error, draft)
    for told in (dispatch.about_nodes(context), dispatch.about_signs(context), dispatch.about_page(context)):
        for rule, draft in told:
            desk.take(rule, draft)
            if desk.truncated:
                break
    verdict = evaluate_profiles(context, profiles)
    drafts = verdict.drafts
    drafts.reverse()
    while drafts:  # there may be as many as items: none waits beside what is made of it
        desk.take(None, drafts.pop())
    findings, suppressed = _heeded(desk, desk.findings())
    return FileReport(
        path=page.path,
        items=[_item(node, page, verdict) for node in page.roots],
        findings=findings,
        suppressed=suppressed,
        truncated=desk.truncated,
    )


def _heeded(desk: Desk, findings: list[Finding]) -> tuple[list[Finding], list[Finding]]:
    """(what counts, what does not because the page says so); what the words of the page lack is found too."""
    if not desk.context.page.has_suppressions:
        return findings, []
    from waypost.validate.suppressions import split

    told, kept_back, drafts = split(desk.context.page, findings)
    about = Desk(desk.context, desk.site)
    for draft in drafts:
        about.take(None, draft)
    return sorted([*told, *about.findings()], key=_order), kept_back


def report(files: list[FileReport], registry: Registry, skipped: int = 0) -> Report:
    """Put the results of several files together."""
    from waypost import __version__

    summary = Summary(files=len(files), skipped=skipped)
    for file in files:
        summary.items += len(file.items)
        if file.fetch is not None:
            summary.fetches[file.fetch.outcome] = summary.fetches.get(file.fetch.outcome, 0) + 1
        for finding in file.findings:
            if finding.severity == "error":
                summary.errors += 1
            elif finding.severity == "warning":
                summary.warnings += 1
            else:
                summary.infos += 1
        for finding in file.suppressed:
            if finding.suppression and finding.suppression.kind == "baseline":
                summary.baselined += 1
            else:
                summary.suppressed += 1
    return Report(
        registry_version=registry.version,
        files=files,
        summary=summary,
        tool={"name": "waypost", "version": __version__},
    )


MOST_FINDINGS = 10_000
_NUMBERS = re.compile(r"(?:/\d+)+\Z")  # a key belongs to all the values of its list


class Desk:
    """Finishes drafts into findings: place, pointer, fingerprint; keeps them in document order, each once."""

    def __init__(self, context: RuleContext, site: str) -> None:
        self.context = context
        self.site = site.rstrip("/")
        self.truncated = False
        self._taken: dict[tuple[Any, ...], Finding] = {}
        self._at: dict[Span, list[tuple[Any, ...]]] = {}
        self._seen_prints: dict[str, int] = {}

    def add_read_error(self, rule: Rule, read_error: Any, draft: FindingDraft) -> None:
        self._keep(
            rule=rule.name,
            authority=draft.authority or rule.authority,
            draft=draft,
            span=read_error.span,
            syntax=read_error.syntax,
            block=read_error.block,
            pointer=read_error.pointer,
            edits=draft.edits or read_error.edits,
            related=draft.related or read_error.related,
            subject="",
        )

    def take(self, rule: Rule | None, draft: FindingDraft) -> None:
        page = self.context.page
        node = draft.node
        if node is None:
            span = draft.span or Span(0, 0)
            syntax, block, pointer, subject = "html", None, "", ""
        else:
            span = draft.span or page.span_of(node, draft.prop, draft.index, draft.part)
            home, prop, index = page.source_of(node, draft.prop, draft.index)
            syntax, block = home.block.syntax, home.block.index
            pointer = home.block.pointer(home, prop if prop in home.props else None, index)
            if draft.part == "key" and syntax == "json-ld":
                pointer = _NUMBERS.sub("", pointer)
            subject = describe(node)
        self._keep(
            rule=draft.rule or (rule.name if rule else ""),
            authority=draft.authority or (rule.authority if rule else "google"),
            draft=draft,
            span=span,
            syntax=syntax,
            block=block,
            pointer=pointer,
            edits=draft.edits,
            related=draft.related,
            subject=subject,
        )

    def _keep(
        self,
        *,
        rule: str,
        authority: Any,
        draft: FindingDraft,
        span: Span,
        syntax: str,
        block: int | None,
        pointer: str,
        edits: Sequence[tuple[Span, str]],
        related: Sequence[tuple[str, Any]],
        subject: str,
    ) -> None:
        key = (rule, span, draft.property or draft.prop, draft.profile, draft.message)
        if key in self._taken:
            return
        if rule == "value-unfit" and (self._is_of_no_type(draft) or self._is_told(span, draft.severity)):
            return
        if len(self._taken) >= MOST_FINDINGS:
            self.truncated = True
            return
        place = self.context.page.locate
        at = place(span)
        by_profile = draft.profile is not None and rules_by_name()[rule].engine == "profiles"
        page_name = f"profiles/{draft.profile}" if by_profile else f"rules/{rule}"
        if draft.prop is not None:
            self._at.setdefault(span, []).append(key)
        self._taken[key] = Finding(
            rule=rule,
            severity=draft.severity,
            authority=authority,
            profile=draft.profile,
            message=draft.message,
            hint=draft.hint,
            syntax=syntax,
            block=block,
            pointer=pointer,
            property=draft.property or draft.prop,
            start=at.start,
            end=at.end,
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
            utf16_column=at.utf16_column,
            utf16_end_column=at.utf16_end_column,
            doc_url=_doc_url(self.site, page_name),
            fingerprint=self._fingerprint(rule, draft, subject, pointer, span, syntax),
            fix=_fix(edits, draft.safe, self.context.page, syntax),
            related=tuple(self._related(message, where) for message, where in related),
        )

    def _is_told(self, span: Span, severity: Severity) -> bool:
        """Has a rule of its own said what is wrong with this value? Then that finding bears the higher severity."""
        keys = [key for key in self._at.get(span, ()) if self._taken[key].severity != "info"]
        if keys and severity == "error" and not any(self._taken[key].severity == "error" for key in keys):
            self._taken[keys[0]] = msgspec.structs.replace(self._taken[keys[0]], severity="error")
        return bool(keys)

    def _is_of_no_type(self, draft: FindingDraft) -> bool:
        """Is the value a thing of types that nobody knows? Then unknown-type has said it, at the type."""
        if draft.node is None or draft.prop is None:
            return False
        value = draft.node.props[draft.prop][draft.index or 0]
        types = value.types if isinstance(value, Node) else ()
        return bool(types) and not any(name in self.context.registry.vocabulary.types for name in types)

    def _related(self, message: str, where: Any) -> Related:
        span = where if isinstance(where, Span) else self.context.page.span_of(*where)
        line, column = self.context.page.locate.line_and_column(span.start)
        return Related(message=message, line=line, column=column)

    def _fingerprint(self, rule: str, draft: FindingDraft, subject: str, pointer: str, span: Span, syntax: str) -> str:
        """Of what is said about what, never of where: no index, white space, order of keys or way to escape counts."""
        told = [rule, draft.profile or ""]
        if draft.about is not None:
            told += draft.about
        else:
            path = "/".join(part for part in pointer.split("/") if not part.isdigit())
            written = "" if draft.part == "node" or draft.prop is None else self.context.page.source_text(*span)
            told += (subject, path, _plainly(written, syntax)[:200], (draft.property or "") * (draft.prop is None))
        said = "|".join(told)
        print_ = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]
        times = self._seen_prints[print_] = self._seen_prints.get(print_, 0) + 1
        return print_ if times == 1 else f"{print_}-{times}"

    def _leave_to_placeholder(self, keys: list[tuple[Any, ...]]) -> None:
        """What else could be said about a value that nobody filled in follows from that; it keeps the severity."""
        speaker = next((key for key in keys if key[0] == "placeholder-value"), None)
        others = [key for key in keys if key[0] != "placeholder-value"]
        if speaker is None or not others:
            return
        told = [self._taken.pop(key).severity for key in others]
        severity = min((*told, self._taken[speaker].severity), key=SEVERITIES.index)
        self._taken[speaker] = msgspec.structs.replace(self._taken[speaker], severity=severity)

    def findings(self) -> list[Finding]:
        for keys in self._at.values():
            if len(keys) > 1:
                self._leave_to_placeholder(keys)
        return sorted(self._taken.values(), key=_order)


@lru_cache(maxsize=1024)
def _doc_url(site: str, page_name: str) -> str:
    """One text for all findings of a rule: a page may have thousands."""
    return f"{site}/{page_name}/"


def _order(finding: Finding) -> tuple[int, int, int, str]:
    return finding.start, SEVERITIES.index(finding.severity), finding.end, finding.rule


def _plainly(written: str, syntax: str) -> str:
    """A value without what reformatting may change: white space, and in JSON the escapes and the order of keys."""
    if syntax == "json-ld":
        try:
            value = msgspec.json.decode(written)
            written = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            pass
    return "".join(written.split())


def _fix(edits: Sequence[tuple[Span, str]], safe: bool, page: Page, syntax: str) -> Fix | None:
    """What people read on the page is no safe thing to rewrite, and elements inside it are not rewritten at all."""
    if not edits:
        return None
    for span, _ in edits:
        if span.start < span.end and is_between_tags(page, span, syntax):
            if "<" in page.source_text(*span):
                return None
            safe = False
    places = ((*page.locate.byte_range(span), text) for span, text in edits)
    return Fix(safe=safe, edits=tuple(Edit(start=start, end=end, text=text) for start, end, text in places))


def _item(node: Node, page: Page, results: ProfileResults) -> ItemReport:
    line, column = page.start_position(node)
    of_node = results.of(node)
    return ItemReport(
        types=node.types,
        id=node.id,
        syntax=node.block.syntax,
        line=line,
        column=column,
        service_type=of_node.service_type,
        eligible=of_node.eligible,
        retired=of_node.retired,
    )
