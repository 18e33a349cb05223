"""Graph of a site's entities as text, one HTML page, Mermaid, DOT, GraphML, JSON-LD or JSON."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from html import escape
from itertools import islice
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

import msgspec

from waypost.formats.page_name import PageName
from waypost.models.finding import label_of
from waypost.models.graph import Graph, GraphEdge, GraphEntity, GraphFinding, GraphPlace
from waypost.report._frame import visible
from waypost.report._style import STYLE, address_link, brand
from waypost.report._terminal import Paint
from waypost.report._words import count

Form = Literal["text", "html", "mermaid", "dot", "graphml", "json-ld", "json"]
FORMS: tuple[Form, ...] = ("text", "html", "mermaid", "dot", "graphml", "json-ld", "json")
MOST_DRAWN = 100
"""Entities of a Mermaid diagram: renderers refuse more than a few hundred connections."""
_MOST_LINES, _MOST_FINDINGS = 20, 100  # lines of the text
_STYLE = (
    STYLE
    + """
input{font:inherit;width:100%;padding:.5rem .8rem;border:1px solid var(--line-strong);border-radius:.5rem;
  background:var(--surface);color:inherit}
article,li.finding{background:var(--surface);border:1px solid var(--line);border-radius:.5rem;padding:.7rem 1rem;
  margin:.6rem 0;list-style:none}
li.finding{border-left:.3rem solid var(--line)}
li.warning{border-left-color:var(--heed)}li.error{border-left-color:var(--stop)}
ul{margin:.3rem 0;padding-left:1.2rem}ul.findings{padding:0}
article .quiet,li .quiet{font-size:.9rem}[hidden]{display:none}
"""
).rstrip()
_SCRIPT = """
const box=document.querySelector("input"),status=document.querySelector("[role=status]");
const all=[...document.querySelectorAll("article")].map(each=>[each,each.textContent.toLowerCase()]);
box.addEventListener("input",()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);let found=0;
for(const[each,text]of all){each.hidden=!words.every(word=>text.includes(word));found+=!each.hidden}
status.textContent=words.length?`${found} of ${all.length} entities`:""});
""".strip()


NamesOfPages = Callable[[str], PageName]
"""Path of a page -> title and canonical address."""


def _no_name(_path: str) -> PageName:
    return PageName()


def pieces(graph: Graph, form: Form, paint: Paint, name_of: NamesOfPages = _no_name) -> Iterator[str]:
    """Graph in parts. `paint` colours the text for a terminal; `name_of` names the pages of the HTML."""
    if form == "html":
        yield from _html(graph, name_of)
        return
    write: dict[Form, Callable[[Graph], Iterator[str]]] = {
        "mermaid": _mermaid, "dot": _dot, "graphml": _graphml, "json-ld": _json_ld, "json": _json,
    }  # fmt: skip
    yield from write[form](graph) if form in write else _text(graph, paint)


def headline(graph: Graph) -> str:
    """Graph in a sentence."""
    alone = sum(entity.known_to == 1 for entity in graph.entities)
    found = sum(finding.severity != "info" for finding in graph.findings)
    parts = [
        f"{_number(len(graph.entities), 'entity', 'entities')} on {count(graph.pages, 'page')}",
        _number(len(graph.edges), "connection", "connections"),
        f"{alone:,} known to one page only",
        count(found, "finding"),
    ]
    if graph.left_out:
        parts.append(f"{count(graph.left_out, 'node')} of further entities left out")
    return ", ".join(parts)


def _number(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def label(entity: GraphEntity) -> str:
    """Entity in words: Organization 'Loma'."""
    return label_of(entity.types, entity.name) if entity.types else entity.name or entity.key


def _where(place: GraphPlace) -> str:
    return f"{place.path}:{place.line}:{place.column}"


def _text(graph: Graph, paint: Paint) -> Iterator[str]:
    yield f"{paint(headline(graph), 'bold')}\n"
    counting = [finding for finding in graph.findings if finding.severity != "info"]
    for finding in counting[:_MOST_FINDINGS]:
        hint = f"; {visible(finding.hint)}" if finding.hint else ""
        severity = paint(finding.severity, "error" if finding.severity == "error" else "warning")
        where, text = visible(_where(finding.place)), visible(finding.message)
        yield f"{where}: {severity}[{finding.rule}]: {text}{hint}\n"
    if len(counting) > _MOST_FINDINGS:
        yield f"and {count(len(counting) - _MOST_FINDINGS, 'more finding')}\n"
    if orphans := sum(finding.rule == "orphan" for finding in graph.findings):
        yield f"{_number(orphans, 'entity', 'entities')} with an @id and no connection\n"
    if graph.entities:
        yield "\nMost connected\n"
    edges = _edges_of(graph)
    for entity in graph.entities[:_MOST_LINES]:
        own = [edge for edge in edges[entity.key] if edge.source == entity.key]
        uses = len(edges[entity.key]) - len(own)
        yield f"  {visible(label(entity))}  {visible(_about(entity))}, refers to {len(own):,}, used by {uses:,}\n"
    if len(graph.entities) > _MOST_LINES:
        yield f"  and {len(graph.entities) - _MOST_LINES:,} more; --format html shows all\n"


def _about(entity: GraphEntity) -> str:
    """`@id` of an entity, and the number of pages with the entity."""
    pages = f"on {count(entity.pages, 'page')}" if entity.is_described else "not described"
    return f"{entity.id or 'without @id'}: {pages}"


def _edges_of(graph: Graph) -> defaultdict[str, list[GraphEdge]]:
    edges: defaultdict[str, list[GraphEdge]] = defaultdict(list)
    for edge in graph.edges:
        edges[edge.source].append(edge)
        edges[edge.target].append(edge)
    return edges


def _html(graph: Graph, name_of: NamesOfPages) -> Iterator[str]:
    numbers = {entity.key: number for number, entity in enumerate(graph.entities)}
    edges = _edges_of(graph)
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'\">\n"
        f"<title>Entities of the site | waypost</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        f"{brand('graph of a site')}<h1>Entities of the site</h1>\n<p>{_escaped(headline(graph))}</p>\n"
    )
    counting = [finding for finding in graph.findings if finding.severity != "info"]
    if counting:
        items = "".join(_finding_item(each, name_of) for each in counting)
        yield f'<h2>Findings</h2>\n<ul class="findings">\n{items}</ul>\n'
    yield (
        '<h2 id="entities">Entities</h2>\n<input type="search" aria-label="Filter the entities by words" '
        'placeholder="Filter: a type, a name, an @id, a page">\n<p class="quiet" role="status"></p>\n'
    )
    for number, entity in enumerate(graph.entities):
        yield from _article(number, entity, edges[entity.key], graph, numbers)
        if entity.places:
            yield f"{_places(entity.places, name_of)}"
        yield "</article>\n"
    yield f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"


def _places(places: Iterable[GraphPlace], name_of: NamesOfPages) -> str:
    """Places, each with the title and the address of its page."""
    texts = []
    for place in places:
        name = name_of(place.path)
        title = f"{_escaped(name.title)} " if name.title else ""
        texts.append(f"{title}{_escaped(_where(place))} {address_link(name, place.path)}".rstrip())
    return f'<p class="quiet">{", ".join(texts)}</p>\n'


def _finding_item(finding: GraphFinding, name_of: NamesOfPages) -> str:
    hint = f"<p>{_escaped(finding.hint)}</p>" if finding.hint else ""
    return (
        f'<li class="finding {finding.severity}"><p><span class="severity">{finding.severity}</span>: '
        f"<b>{_escaped(finding.message)}</b></p>{hint}{_places((finding.place, *finding.related), name_of)}"
        f'<p class="quiet">Rule: {_escaped(finding.rule)}</p></li>\n'
    )


def _article(
    number: int, entity: GraphEntity, edges: list[GraphEdge], graph: Graph, numbers: dict[str, int]
) -> Iterator[str]:
    yield f'<article id="e{number}">\n<h3>{_escaped(label(entity))}</h3>\n'
    about = f"{_about(entity)}, known to {entity.known_to:,}"
    yield f'<p class="quiet">{_escaped(about)}</p>\n'
    rows = [f"<li>{_escaped(prop)}: {_escaped(', '.join(values))}</li>" for prop, values in entity.values.items()]
    for edge in islice(edges, _MOST_FINDINGS):
        is_own = edge.source == entity.key
        other = numbers[edge.target if is_own else edge.source]
        link = f'<a href="#e{other}">{_escaped(label(graph.entities[other]))}</a>'
        on = count(edge.pages, "page")
        rows.append(f"<li>{_escaped(edge.prop)}{' → ' if is_own else ' of '}{link} on {on}</li>")
    if len(edges) > _MOST_FINDINGS:
        rows.append(f"<li>and {len(edges) - _MOST_FINDINGS:,} more</li>")
    if rows:
        yield f"<ul>\n{''.join(rows)}\n</ul>\n"


def _escaped(text: str) -> str:
    return escape(visible(text))


def _mermaid(graph: Graph) -> Iterator[str]:
    drawn = {entity.key: f"e{number}" for number, entity in enumerate(graph.entities[:MOST_DRAWN])}
    yield "flowchart LR\n"
    for entity in graph.entities[:MOST_DRAWN]:
        yield f'  {drawn[entity.key]}["{_mermaid_text(label(entity))}"]\n'
    for edge in graph.edges:
        if edge.source in drawn and edge.target in drawn:
            yield f'  {drawn[edge.source]} -->|"{_mermaid_text(edge.prop)}"| {drawn[edge.target]}\n'
    if len(graph.entities) > MOST_DRAWN:
        yield f"  %% {len(graph.entities) - MOST_DRAWN:,} more entities are not drawn\n"


def _mermaid_text(text: str) -> str:
    # Entity codes of Mermaid: quotes and markup would end or change the label.
    return "".join(each if each.isalnum() or each in " '.,:-_" else f"#{ord(each)};" for each in visible(text))


def _dot(graph: Graph) -> Iterator[str]:
    names = {entity.key: f"e{number}" for number, entity in enumerate(graph.entities)}
    yield "digraph site {\n  rankdir=LR;\n  node [shape=box];\n"
    for entity in graph.entities:
        yield f"  {names[entity.key]} [label={_dot_text(label(entity))}, tooltip={_dot_text(entity.key)}];\n"
    for edge in graph.edges:
        yield f"  {names[edge.source]} -> {names[edge.target]} [label={_dot_text(edge.prop)}];\n"
    yield "}\n"


def _dot_text(text: str) -> str:
    escaped = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _graphml(graph: Graph) -> Iterator[str]:
    numbers = {entity.key: number for number, entity in enumerate(graph.entities)}
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name, kind, owner in (("label", "string", "node"), ("iri", "string", "node"), ("pages", "int", "node"),
                              ("property", "string", "edge"), ("uses", "int", "edge")):  # fmt: skip
        yield f'  <key id="{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for number, entity in enumerate(graph.entities):
        yield (
            f'    <node id="e{number}">{_data("label", label(entity))}{_data("iri", entity.id or "")}'
            f"{_data('pages', str(entity.pages))}</node>\n"
        )
    for edge in graph.edges:
        yield (
            f"    <edge source={quoteattr(f'e{numbers[edge.source]}')} target={quoteattr(f'e{numbers[edge.target]}')}>"
            f"{_data('property', edge.prop)}{_data('uses', str(edge.pages))}</edge>\n"
        )
    yield "  </graph>\n</graphml>\n"


def _data(key: str, text: str) -> str:
    return f'<data key="{key}">{escape(visible(text))}</data>'


def _json_ld(graph: Graph) -> Iterator[str]:
    """Merged entities as one document, every entity once, with an id."""
    ids = {entity.key: entity.id or f"_:e{number}" for number, entity in enumerate(graph.entities)}
    edges: defaultdict[str, list[GraphEdge]] = defaultdict(list)
    for edge in graph.edges:
        edges[edge.source].append(edge)
    yield '{\n  "@context": "https://schema.org",\n  "@graph": ['
    for number, entity in enumerate(graph.entities):
        node: dict[str, Any] = {"@id": ids[entity.key]}
        if entity.types:
            node["@type"] = entity.types[0] if len(entity.types) == 1 else list(entity.types)
        if entity.name:
            node["name"] = entity.name
        for prop, values in entity.values.items():
            node[prop] = values[0] if len(values) == 1 else values
        for edge in edges[entity.key]:
            # The last name of a path: what stands between has neither an id nor a name.
            prop, target = edge.prop.rpartition(".")[2], {"@id": ids[edge.target]}
            known = node.get(prop, [])
            both: list[Any] = [*known, target] if isinstance(known, list) else [known, target]
            node[prop] = target if both == [target] else both
        body = json.dumps(node, ensure_ascii=False).encode("utf-8", "replace").decode()
        yield f"{',' if number else ''}\n    {body}"
    yield "\n  ]\n}\n"


def _json(graph: Graph) -> Iterator[str]:
    from waypost.report.json import encode_json

    yield msgspec.json.format(encode_json(graph), indent=2).decode() + "\n"
