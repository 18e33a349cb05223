"""Comparison of a page as sent with the page after scripts: items of one page alone, and different values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from waypost.formats.text import clip
from waypost.models.finding import Compared, Finding, RenderedPlace
from waypost.models.page import Location, Node, Page, is_present
from waypost.registry import Registry
from waypost.validate.collector import FindingCollector
from waypost.validate.item import FindingDraft, RuleContext, name_of
from waypost.validate.rulebook import rules_of

DISPLAYED = frozenset(
    {"availability", "datePublished", "endDate", "eventStatus", "headline", "highPrice", "lowPrice", "name", "price",
     "priceCurrency", "ratingCount", "ratingValue", "reviewCount", "salePrice", "startDate"}
)  # fmt: skip
"""Properties with values that results display."""
MOST_VALUES = 20
_MOST_FINDINGS = 8  # values of an item that are findings
_MOST_READ = 2_000
_DEEPEST = 6


class Value(NamedTuple):
    """Values of a property, in order, with the place of the first."""

    texts: tuple[str, ...]
    node: Node
    prop: str | None
    position: int

    @property
    def text(self) -> str:
        return ", ".join(self.texts)


class Difference(NamedTuple):
    """Property with different values; None where a page has none. `path`: names from the item, as in `offers/price`."""

    path: str
    raw: Value | None
    rendered: Value | None


class ItemPair(NamedTuple):
    """Item of both pages, or of one alone, with the values that differ."""

    raw: Node | None
    rendered: Node | None
    differences: tuple[Difference, ...] = ()


def compare_rendered(raw: Page, rendered: Page) -> list[ItemPair]:
    """Items of the two pages in pairs: items of the raw page in document order, then items added by scripts."""
    partners = _partners(raw.roots, rendered.roots)
    pairs = [
        ItemPair(node, other, tuple(_differences(node, other)))
        if (other := partners.get(node))
        else ItemPair(node, None)
        for node in raw.roots
    ]
    found = set(partners.values())
    return pairs + [ItemPair(None, node) for node in rendered.roots if node not in found]


def _partners(raw: Sequence[Node], rendered: Sequence[Node]) -> dict[Node, Node]:
    """Item of the raw page -> the same item after scripts: by id, then by type and name, then by type and order."""
    keys: tuple[Callable[[Node], Hashable], ...] = (
        lambda node: (node.block.syntax, node.types, node.id) if node.id else None,
        lambda node: (node.block.syntax, node.types, name) if (name := name_of(node)) else None,
        lambda node: (node.block.syntax, node.types),
        lambda node: (node.types, name) if (name := name_of(node)) else None,
    )
    partners: dict[Node, Node] = {}
    for key in keys:
        waiting: dict[Hashable, list[Node]] = {}
        taken = set(partners.values())
        for node in rendered:
            if node not in taken and (found := key(node)) is not None:
                waiting.setdefault(found, []).append(node)
        for node in raw:
            if node not in partners and (same := waiting.get(key(node))):
                partners[node] = same.pop(0)
    return partners


def _differences(raw: Node, rendered: Node) -> Iterator[Difference]:
    one, other = _values(raw), _values(rendered)
    different = [
        Difference(path, one.get(path), other.get(path))
        for path in dict.fromkeys([*one, *other])
        if (one[path].texts if path in one else ()) != (other[path].texts if path in other else ())
    ]
    different.sort(key=lambda each: not _is_displayed(each.path))
    yield from different[:MOST_VALUES]


def _is_displayed(path: str) -> bool:
    return path.rpartition("/")[2] in DISPLAYED


def _values(item: Node) -> dict[str, Value]:
    """Values of an item and of the nodes in it, by path."""
    found: dict[str, Value] = {}
    seen: set[Node] = set()
    left = _MOST_READ

    def read(node: Node, path: str, depth: int) -> None:
        nonlocal left
        if node in seen or depth > _DEEPEST:
            return
        seen.add(node)
        if node.types and depth:
            _add(found, f"{path}@type", " ".join(node.types), node, None, 0)
        for prop, values in node.props.items():
            for index, value in enumerate(values):
                left -= 1
                if left < 0 or not is_present(value):
                    continue
                if isinstance(value, Node):
                    if value.reference and value.id:
                        _add(found, f"{path}{prop}/@id", value.id, node, prop, index)
                    read(value, f"{path}{prop}/", depth + 1)
                else:
                    _add(found, f"{path}{prop}", " ".join(str(value).split()), node, prop, index)

    read(item, "", 0)
    return found


def _add(found: dict[str, Value], path: str, text: str, node: Node, prop: str | None, index: int) -> None:
    known = found.get(path)
    found[path] = Value((text,), node, prop, index) if known is None else known._replace(texts=(*known.texts, text))


class Comparer:
    """Findings about the differences of two pages.

    raw       page as sent: findings have places in the raw page.
    rendered  page after scripts: places of added items, and further places of different values.
    """

    def __init__(self, raw: Page, rendered: Page, registry: Registry, now: datetime, site: str) -> None:
        self._raw, self._rendered, self._site = raw, rendered, site
        self._registry, self._now = registry, now

    def findings(self, pairs: Sequence[ItemPair]) -> Iterator[tuple[ItemPair, Finding]]:
        """(pair, finding); the place of a finding about an added item is in the rendered page."""
        for pair in pairs:
            if pair.raw is None:
                assert pair.rendered is not None
                yield pair, self._finding("rendered-item-added", _added(pair.rendered), self._rendered)
            elif pair.rendered is None:
                yield pair, self._finding("rendered-item-removed", _removed(pair.raw), self._raw)
            else:
                for each in pair.differences[:_MOST_FINDINGS]:
                    yield pair, self._difference(pair, each)

    def _difference(self, pair: ItemPair, each: Difference) -> Finding:
        assert pair.raw is not None
        assert pair.rendered is not None
        before = f"is {clip(each.raw.text)!r} as the page is sent" if each.raw else "is not in the page as it is sent"
        after = f"{clip(each.rendered.text)!r} after its scripts" if each.rendered else "gone after its scripts"
        one = each.raw or Value((), pair.raw, None, 0)
        other = each.rendered or Value((), pair.rendered, None, 0)
        draft = FindingDraft(
            severity="warning" if _is_displayed(each.path) else "info",
            message=f"{each.path} {before}, and {after}",
            hint="write one value: take it from the same source for the HTML that the server sends and in scripts",
            node=one.node,
            prop=one.prop,
            index=one.position,
            property=each.path.rpartition("/")[2],
            about=(each.path,),
        )
        finding = self._finding("rendered-value-differs", draft, self._raw)
        there = self._rendered.locate(self._rendered.span_of(other.node, other.prop, other.position))
        finding.rendered = rendered_place(there)
        if each.raw and each.rendered:
            finding.compared = (
                Compared("raw", clip(each.raw.text), finding.line, finding.column),
                Compared("rendered", clip(each.rendered.text), there.line, there.column),
            )
        return finding

    def _finding(self, rule: str, draft: FindingDraft, page: Page) -> Finding:
        context = RuleContext(page=page, registry=self._registry, now=self._now, nodes_by_sign={})
        collector = FindingCollector(context, self._site)
        collector.add(draft, rules_of(self._registry)[rule])
        (finding,) = collector.findings()
        return finding


def rendered_place(place: Location | Finding) -> RenderedPlace:
    return RenderedPlace(place.line, place.column, place.end_line, place.end_column)


def _removed(node: Node) -> FindingDraft:
    return FindingDraft(
        severity="warning",
        message=f"{_label(node)}: scripts remove it from the page",
        hint="keep it in the page when scripts draw the page again: search engines read the page after its scripts",
        node=node,
    )


def _added(node: Node) -> FindingDraft:
    is_product = "Product" in node.types
    more = "; for Shopping, markup that scripts write is read less often and less reliably" if is_product else ""
    return FindingDraft(
        severity="info",
        message=f"{_label(node)}: exists only after scripts",
        hint=f"put it into the HTML that the server sends, for readers that run no scripts{more}",
        node=node,
    )


def _label(node: Node) -> str:
    return " and ".join(node.types) or "item without a type"
