"""Rules about several pages together: run on facts, with locations from the few pages with findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from waypost.models.finding import Finding, Related
from waypost.models.page import Node, Page
from waypost.registry import Registry
from waypost.validate.collector import FindingCollector
from waypost.validate.item import FindingDraft, RuleContext
from waypost.validate.rulebook import Rule, rules_about_site
from waypost.validate.site_comparison import MOST_FINDINGS, Place, Site, SiteDraft
from waypost.validate.site_facts import unpack_facts

_MOST_PAGES = 3  # read again and held in memory


class SiteFinding(NamedTuple):
    """Finding at the page of a number; `suppression` is (rules, reason) of the page's own suppression, if any."""

    page: int
    finding: Finding
    suppression: tuple[tuple[str, ...], str] | None


def check_site(
    facts: Sequence[bytes],
    registry: Registry,
    read: Callable[[int], Page | None],
    *,
    now: datetime,
    is_there: Callable[[str], bool | None] = lambda _: None,
    site: str = "",
) -> list[SiteFinding]:
    """Findings about pages together.

    facts     packed facts by the number of the page, see `facts_of`.
    read      reads the page of a number again, for locations; `None` if impossible.
    is_there  whether the site has a page at a URL; `None` if unknown.
    site      URL in front of `doc_url`.
    """
    compared = Site(facts, is_there)
    locator = _SiteLocator(read, registry, now, site)
    findings = []
    for rule in rules_about_site():
        assert rule.check_site is not None
        for count, draft in enumerate(rule.check_site(compared)):
            if count >= MOST_FINDINGS:
                break
            if (finding := locator.finding(rule, draft)) is not None:
                page = draft.place.page
                suppression = _suppression(unpack_facts(facts[page]).suppressed, finding)
                findings.append(SiteFinding(page, finding, suppression))
    return findings


def _suppression(
    suppressed: Iterable[tuple[int, int, tuple[str, ...], str]], finding: Finding
) -> tuple[tuple[str, ...], str] | None:
    for start, end, rules, reason in suppressed:
        if start <= finding.start < end and (not rules or finding.rule in rules):
            return rules, reason
    return None


class _SiteLocator:
    """Completes drafts with locations in pages read again; the last few pages stay in memory."""

    def __init__(self, read: Callable[[int], Page | None], registry: Registry, now: datetime, site: str) -> None:
        self._read = read
        self._registry = registry
        self._now = now
        self._site = site
        self._pages: dict[int, Page | None] = {}

    def finding(self, rule: Rule, site_draft: SiteDraft) -> Finding | None:
        """Finding of a draft; `None` if the page has changed meanwhile, or its markup there is guessed."""
        place = site_draft.place
        page, node = self._node(place)
        if page is None or node is None:
            return None
        related = [self._related(other, message, place.page) for other, message in site_draft.related]
        draft = FindingDraft(
            severity=site_draft.severity,
            message=site_draft.message,
            hint=site_draft.hint,
            node=node,
            prop=place.prop,
            index=0,
            about=site_draft.about,
        )
        context = RuleContext(page=page, registry=self._registry, now=self._now, nodes_by_sign={})
        collector = FindingCollector(context, self._site)
        collector.add(draft, rule)
        found = collector.findings()
        # A page that is read by guesses has findings about those alone.
        if not found:
            return None
        finding = found[0]
        finding.scope = "site"
        finding.related = tuple(location for location in related if location is not None)
        return finding

    def _page(self, number: int) -> Page | None:
        if number not in self._pages:
            if len(self._pages) >= _MOST_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[number] = self._read(number)
        return self._pages[number]

    def _node(self, place: Place) -> tuple[Page | None, Node | None]:
        """Page and node of a place; (`None`, `None`) if the page has changed meanwhile."""
        page = self._page(place.page)
        # The file may have been edited during the run: the finding is dropped rather than placed wrongly.
        if page is None or place.number >= len(page.nodes) or place.prop not in page.nodes[place.number].props:
            return None, None
        return page, page.nodes[place.number]

    def _related(self, place: Place, message: str, here: int) -> Related | None:
        page, node = self._node(place)
        if page is None or node is None:
            return None
        line, column = page.locate.line_and_column(page.span_of(node, place.prop, 0).start)
        return Related(message=message, line=line, column=column, path=page.path if place.page != here else None)
