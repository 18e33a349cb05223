"""Validation of a page: read, apply the rules, evaluate the profiles, complete the findings, report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from waypost.formats.file_kinds import kind_of_response
from waypost.formats.source_kinds import Template
from waypost.models.finding import FileReport, Finding, ItemReport, NodeVerdict
from waypost.models.page import Node, Page
from waypost.reader import read_data
from waypost.reader.sources import PageSource, parse_source, with_language
from waypost.registry import Registry, shared_registry
from waypost.validate.absence import absence_of, unread_part
from waypost.validate.collector import FindingCollector, document_order
from waypost.validate.dispatch import nodes_by_sign, rule_drafts
from waypost.validate.generators import advise
from waypost.validate.item import RuleContext, name_of
from waypost.validate.profiles import ProfileResults, evaluate_profiles
from waypost.validate.profiles.evaluate import NodeResults


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
    also: frozenset[str] = frozenset(),
    template: Template = "no",
) -> FileReport:
    """Validate a page. Raises UnknownRule for an unknown profile.

    data        bytes of the file or of the HTTP body.
    url         URL of the page: relative ids and links resolve against it.
    media_type  HTTP Content-Type, if known: its charset counts; JSON and Markdown are read as such.
    now         aware UTC time for comparisons of dates; the current time by default.
    profiles    names like "google/recipe", to be evaluated in full on any node.
    site        URL in front of `doc_url`; a path alone by default.
    also        names of types and properties to accept beyond those of schema.org.
    template    whether the page is a template, whose computed parts are unknown; "auto": by the ending of `path`.
    """
    registry = registry or shared_registry()
    if not isinstance(data, bytes):
        raise TypeError(f"validate_page takes bytes, not {type(data).__name__}; `waypost.check` takes other forms too")
    kind = kind_of_response(data, media_type) if media_type else "html"
    source = PageSource(data, kind, url, media_type)
    if template != "no":
        source = with_language(source, path, template)
    page = parse_source(source, path, registry.vocabulary)
    # The report is made of plain values: the tree and its nodes, many times the page's size, need not wait for the
    # garbage collector.
    report = validate_parsed(page, registry, now=now, profiles=profiles, site=site, also=also)
    page.release()
    return report


def validate_data(
    data: Any,
    registry: Registry | None = None,
    *,
    path: str = "-",
    url: str | None = None,
    now: datetime | None = None,
    profiles: Sequence[str] = (),
    site: str = "",
    also: frozenset[str] = frozenset(),
) -> FileReport:
    """Validate JSON-LD, given as bytes or as dictionaries and lists. Raises UnknownRule for an unknown profile.

    Offsets count in the given bytes, or in the compact UTF-8 encoding of dictionaries and lists.
    """
    registry = registry or shared_registry()
    raw = data if isinstance(data, bytes) else msgspec.json.encode(data)
    page = read_data(raw, registry.vocabulary, path=path, url=url)
    report = validate_parsed(page, registry, now=now, profiles=profiles, site=site, also=also)
    page.release()
    return report


def validate_parsed(
    page: Page,
    registry: Registry,
    *,
    now: datetime | None = None,
    profiles: Sequence[str] = (),
    site: str = "",
    change_times: list[datetime] | None = None,
    also: frozenset[str] = frozenset(),
) -> FileReport:
    """Apply every rule and profile to a parsed page. Raises UnknownRule for an unknown profile.

    also          names of types and properties to accept beyond those of schema.org.
    change_times  takes every instant at which the report could change, except the days of retirement of rich
                  results: the registry has the days.
    """
    context = RuleContext(
        page=page,
        registry=registry,
        now=now or datetime.now(UTC),
        nodes_by_sign=nodes_by_sign(page),
        change_times=[] if change_times is None else change_times,
        also=also,
    )
    results = evaluate_profiles(context, profiles)  # first: they show which empty properties are required
    places = {node: page.start_position(node) for node in results.by_node}
    evaluated = sorted(places, key=places.__getitem__)
    collector = FindingCollector(context, site, {node: number for number, node in enumerate(evaluated)})
    _collect(collector, context, results)
    findings = collector.findings()
    suppressed: list[Finding] = []
    if page.has_suppressions:
        findings, suppressed = _without_suppressed(context, findings, site)
    items = [
        _item_report(node, places.get(node) or page.start_position(node), results, collector) for node in page.roots
    ]
    report = FileReport(
        path=page.path,
        items=items,
        findings=findings,
        verdicts=[_verdict(node, places[node], results.by_node[node], collector) for node in evaluated],
        absence=None if page.roots else absence_of(page, findings, registry),
        advice=advise(page, items, findings, registry.generators),
        suppressed=suppressed,
        truncated=collector.truncated,
        unread=unread_part(page, registry) if page.roots else None,
    )
    if page.computed is not None:
        page.computed.filter(report)
    return report


def _collect(collector: FindingCollector, context: RuleContext, results: ProfileResults) -> None:
    """Collect the drafts of the rules, then those of the profiles, which are dropped from the results."""
    for rule, draft in rule_drafts(context):
        collector.add(draft, rule)
        if collector.truncated:
            break
    # A page may have as many drafts as items: each is dropped as soon as its finding is made.
    results.drafts.reverse()
    while results.drafts:
        collector.add(results.drafts.pop())


def _without_suppressed(
    context: RuleContext, findings: list[Finding], site: str
) -> tuple[list[Finding], list[Finding]]:
    """Findings that are left, with those about the suppressions themselves, and suppressed findings."""
    # Few pages have suppressions; most runs never load the module.
    from waypost.validate.rulebook import rules_of
    from waypost.validate.suppressions import suppress

    findings, suppressed, drafts = suppress(context.page, findings, rules_of(context.registry))
    about_suppressions = FindingCollector(context, site).collect(drafts)
    return sorted([*findings, *about_suppressions], key=document_order), suppressed


def _verdict(node: Node, place: tuple[int, int], results: NodeResults, collector: FindingCollector) -> NodeVerdict:
    is_unread = bool(results.eligible) and collector.is_unread(node)
    return NodeVerdict(
        types=node.types,
        name=name_of(node),
        id=node.id,
        syntax=node.block.syntax,
        block=node.block.index,
        pointer=node.block.pointer(node),
        line=place[0],
        column=place[1],
        item=collector.item_of(node),
        via=results.via,
        eligible=() if is_unread else results.eligible,
        not_eligible=results.not_eligible,
        retired=results.retired,
        lapsed=() if is_unread else results.lapsed,
    )


def _item_report(
    node: Node, place: tuple[int, int], results: ProfileResults, collector: FindingCollector
) -> ItemReport:
    line, column = place
    eligibility = results.of(node)
    return ItemReport(
        types=node.types,
        name=name_of(node),
        id=node.id,
        syntax=node.block.syntax,
        line=line,
        column=column,
        service_type=eligibility.service_type,
        # Consumers drop a block that they cannot read, so that it earns no result, whatever it holds.
        eligible=() if eligibility.eligible and collector.is_unread(node) else eligibility.eligible,
        retired=eligibility.retired,
    )
