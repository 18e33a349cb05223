"""Graph of the entities of many pages, with the findings about pages together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from waypost.errors import Unreadable
from waypost.formats.patterns import pattern
from waypost.lint.inputs import Input
from waypost.lint.page import LintOptions, Result, is_other_data
from waypost.lint.page_sources import PageStore, open_page, parse_page
from waypost.lint.results import ResultList
from waypost.lint.site_findings import add_site_findings
from waypost.models.finding import FileReport, Finding, label_of
from waypost.models.graph import Graph, GraphEdge, GraphEntity, GraphFinding, GraphPlace
from waypost.models.page import LangString, Node, Page
from waypost.registry import shared_registry
from waypost.validate.site_facts import facts_of, split_url

MOST_ENTITIES = 100_000
_PLACES, _VALUES, _LONGEST = 3, 5, 200
_PROPERTIES = ("url", "sameAs", "logo", "image", "description", "email", "telephone", "price", "datePublished")
_NAMED_TYPES = frozenset({"Organization", "Person", "Product", "Place", "Event", "CreativeWork", "Brand"})
"""Types, with their subtypes, whose nodes are entities by name alone."""
_PARTS_OF_PAGES = frozenset({"WebPage", "WebPageElement", "WebSite", "MediaObject", "Comment", "Answer", "Question",
                             "Review", "HowToStep", "HowToSection"})  # fmt: skip
_NOT_COMPARED = frozenset({"site-breadcrumb-not-found", "site-list-member-not-found"})
_STAGING = pattern(r"\A(?:staging|stage|dev|test|testing|preview|preprod|beta|uat|qa)[.\-]")
_RANK = {"error": 0, "warning": 1, "info": 2}


class _Reference(NamedTuple):
    """Use of an entity: the holder's key, the property, and the entity's key."""

    source: str
    prop: str
    target: str


def graph_of(inputs: Sequence[Input], options: LintOptions, progress: Callable[[int], None] = lambda _: None) -> Graph:
    """Graph of the pages. `progress` is called with the number of pages done."""
    building = _Building()
    results = ResultList(len(inputs))
    store = PageStore()
    try:
        for number, item in enumerate(inputs):
            progress(number + 1)
            page = _page(item, options, building.unreadable, store)
            if page is None:
                continue
            report = FileReport(path=item.path)
            results[number] = Result(report, facts=facts_of(page, shared_registry().vocabulary), address=page.url)
            building.add(page)
            page.release()
        add_site_findings(inputs, results, options, store)
        findings = [_finding(file.path, each) for file in results.files() for each in file.findings]
    finally:
        store.close()
        results.close()
    return building.graph([each for each in findings if each.rule not in _NOT_COMPARED])


def _page(item: Input, options: LintOptions, unreadable: dict[str, str], store: PageStore) -> Page | None:
    """Page of an input. `store` takes sources that are requested or read once, for findings about pages together."""
    try:
        source = open_page(item, options.allow_private)
    except Unreadable as error:
        if not item.walked:
            unreadable[item.path] = error.reason
        return None
    if item.walked and is_other_data(source, item.path):
        return None
    if item.kind in {"stdin", "url"}:
        store[item.path] = source
    return parse_page(source, item.path, options.syntaxes)


def _finding(path: str, finding: Finding) -> GraphFinding:
    related = tuple(GraphPlace(each.path or path, each.line, each.column) for each in finding.related)
    place = GraphPlace(path, finding.line, finding.column)
    return GraphFinding(finding.rule, finding.severity, finding.message, finding.hint, place, related)


class _Building:
    """Entities and connections of the pages so far."""

    def __init__(self) -> None:
        self.pages = 0
        self.unreadable: dict[str, str] = {}
        self._entities: dict[str, GraphEntity] = {}
        self._edges: Counter[_Reference] = Counter()
        self._left_out = 0
        self._hosts: set[str] = set()

    def add(self, page: Page) -> None:
        self.pages += 1
        self._hosts.update(filter(None, [_host(page.url)]))
        described: set[str] = set()
        known: set[str] = set()
        references: set[_Reference] = set()
        for node in page.nodes:
            if node.foreign or node.same_as is not None or (key := _key(node)) is None:
                continue
            entity = self._entity(key, node)
            if entity is None:
                continue
            known.add(key)
            if not node.reference:
                if key not in described:
                    described.add(key)
                    entity.pages += 1
                _describe(entity, page, node)
            references.update(_references(node, key))
        for key in known:
            self._entities[key].known_to += 1
        self._edges.update(references)

    def _entity(self, key: str, node: Node) -> GraphEntity | None:
        entity = self._entities.get(key)
        if entity is None:
            if len(self._entities) >= MOST_ENTITIES:
                self._left_out += 1
                return None
            iri = key if "://" in key else None
            entity = self._entities[key] = GraphEntity(key=key, id=iri, types=node.types, name=_name(node))
        return entity

    def graph(self, findings: list[GraphFinding]) -> Graph:
        edges = [
            GraphEdge(*reference, pages)
            for reference, pages in sorted(self._edges.items())
            if reference.source in self._entities and reference.target in self._entities
        ]
        degree: Counter[str] = Counter()
        for edge in edges:
            degree.update({edge.source: edge.pages, edge.target: edge.pages})
        entities = sorted(self._entities.values(), key=lambda each: (-degree[each.key], -each.pages, each.key))
        findings = [*findings, *(_orphan(each) for each in entities if _is_orphan(each, degree))]
        findings += (_of_staging(each) for each in entities if self._is_of_staging(each))
        findings.sort(key=lambda each: (_RANK[each.severity], each.rule))
        return Graph(
            pages=self.pages,
            entities=entities,
            edges=edges,
            findings=findings,
            left_out=self._left_out,
            unreadable=self.unreadable,
        )

    def _is_of_staging(self, entity: GraphEntity) -> bool:
        """Whether an id is on a host for tests of the site: `staging.example.com` on pages of example.com."""
        host = _host(entity.id)
        rest = _STAGING.sub("", host)
        return entity.is_described and rest != host and rest in self._hosts and host not in self._hosts


def _host(url: str | None) -> str:
    parts = split_url(url) if url else None
    return (parts.hostname or "").removeprefix("www.") if parts else ""


def _of_staging(entity: GraphEntity) -> GraphFinding:
    return GraphFinding(
        "staging-host",
        "warning",
        f"{label_of(entity.types, entity.name)} has an @id on a host for tests: {entity.key}",
        "write ids with the public host",
        entity.places[0],
        tuple(entity.places[1:]),
    )


def _key(node: Node) -> str | None:
    """`@id` with a host, else type and name; None for a node that is no entity of the site."""
    if node.id is not None and "://" in node.id:
        return node.id
    name = _name(node)
    are_a = shared_registry().vocabulary.are_a
    if name is None or not are_a(node.types, _NAMED_TYPES) or are_a(node.types, _PARTS_OF_PAGES):
        return None
    return f"{' '.join(node.types)} {' '.join(name.split())}"


def _name(node: Node) -> str | None:
    for prop in ("name", "headline"):
        if isinstance(value := node.get(prop), str) and value.strip():
            return str(value).strip()[:_LONGEST]
    return None


def _describe(entity: GraphEntity, page: Page, node: Node) -> None:
    """Add the facts of a node to its entity."""
    entity.types = tuple(dict.fromkeys((*entity.types, *node.types)))
    entity.name = entity.name or _name(node)
    if len(entity.places) < _PLACES:
        line, column = page.locate.line_and_column(page.span_of(node).start)
        place = GraphPlace(page.path, line, column)
        if place not in entity.places:
            entity.places.append(place)
    for prop in _PROPERTIES:
        for value in node.props.get(prop, ())[:_VALUES]:
            text = str(value)[:_LONGEST] if isinstance(value, str | int | LangString) else None
            stored = entity.values.setdefault(prop, []) if text else []
            if text and text not in stored and len(stored) < _VALUES:
                stored.append(text)


def _references(node: Node, key: str) -> Iterator[_Reference]:
    """Entities that a node refers to, also through nodes that are no entities, without loops."""
    seen = {id(node)}
    todo = [("", node)]
    while todo:
        path, holder = todo.pop()
        for prop in holder.props:
            for value in holder.nodes(prop):
                target = value.same_as or value
                way = f"{path}.{prop}" if path else prop
                other = _key(target)
                if other is not None and other != key:
                    yield _Reference(key, way, other)
                elif other is None and id(target) not in seen:
                    seen.add(id(target))
                    todo.append((way, target))


def _is_orphan(entity: GraphEntity, degree: Counter[str]) -> bool:
    """Whether an entity with an id stands alone: it refers to none, and none refers to it."""
    return entity.id is not None and entity.is_described and degree[entity.key] == 0


def _orphan(entity: GraphEntity) -> GraphFinding:
    return GraphFinding(
        "orphan",
        "info",
        f"{label_of(entity.types, entity.name)} ({entity.key}) is connected with no other entity",
        "refer to it from the page or the organization that it belongs to",
        entity.places[0],
        tuple(entity.places[1:]),
    )
