"""The browser's engine makes the previews and surfaces of Python, in node, of every document among the cases."""

from __future__ import annotations

import json
import sys
from html.entities import html5
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.test_engine_node import NOW, REGISTRY, SAMPLES, answers
from tests.test_engine_pages import DOM, LOAD, PAGES, SOURCES, START, children_of

from waypost.errors import NothingToShow
from waypost.preview import make_snippet
from waypost.preview.surfaces import surfaces_of, to_data
from waypost.reader import read_data, read_page
from waypost.report.json import encode_json

PREVIEWS = f"""{DOM}{START}
let tree = [];
const named = {json.dumps({f"&{name}": text for name, text in html5.items()})};
const decoded = (reference) => {{
  for (let end = reference.length; end > 1; end--) {{
    const text = named[reference.slice(0, end)];
    if (text) return text + reference.slice(end);
  }}
  return reference;
}};
treesFrom((source) => (/^&[^\\s;]{{1,40}};?$/.test(source) ? [["html", {{}}, [decoded(source)]]] : tree));{LOAD}
const now = "2026-11-20T12:00:00Z";
const run = (steps) => {{
  for (;;) {{
    const {{ done, value }} = steps.next();
    if (done) return value;
  }}
}};
process.stdout.write(JSON.stringify(cases.map(({{ text, url, media, tree: given }}) => {{
  tree = given;
  const page = run(engine.part("reading").reading(text, "-", url, media));
  const {{ nothing, unified, snippet }} = engine.preview({{ page, site: url, now }});
  return [nothing ?? {{ unified, snippet }}, engine.surfaces({{ page, site: url, now }})];
}})));
"""


def in_python(path: Path, url: str) -> Any:
    """Preview, or the reason why there is none, and surfaces."""
    read = read_page if path.suffix.startswith(".htm") else read_data
    page = read(path.read_bytes(), REGISTRY.vocabulary, url=url)
    try:
        made = make_snippet(page, REGISTRY, url=url, now=NOW)
        preview: Any = {"unified": made.unified, "snippet": msgspec.to_builtins(made.snippet)}
    except NothingToShow as nothing:
        preview = str(nothing)
    return json.loads(encode_json([preview, to_data(surfaces_of(page, REGISTRY, url=url, now=NOW), page)]))


def without_offsets(value: Any) -> Any:
    """Surfaces without the UTF-16 offsets that the browser's have beside bytes."""
    if isinstance(value, list):
        return [without_offsets(each) for each in value]
    if isinstance(value, dict):
        return {
            key: without_offsets(each) for key, each in value.items() if not (key in ("from", "to") and "line" in value)
        }
    return value


def compare(folder: Path, monkeypatch: pytest.MonkeyPatch, paths: list[Path], url: str) -> dict[str, Any]:
    """Documents whose previews differ."""
    texts = [path.read_bytes().decode("utf-8") for path in paths]
    pages = [path.suffix.startswith(".htm") for path in paths]
    engine = sys.modules["tests.test_engine_node"]
    monkeypatch.setattr(engine, "PROGRAM", SOURCES)
    requests = [{"text": text, "url": url} for text, is_page in zip(texts, pages, strict=True) if is_page]
    trees = iter(children_of(source) for source in answers(folder, requests))
    monkeypatch.setattr(engine, "PROGRAM", PREVIEWS)
    made = answers(
        folder,
        [
            {"text": text, "url": url, "media": "html" if is_page else "json", "tree": next(trees) if is_page else []}
            for text, is_page in zip(texts, pages, strict=True)
        ],
    )
    differing = {}
    for path, (preview, surfaces) in zip(paths, made, strict=True):
        found, expected = [preview, without_offsets(surfaces)], in_python(path, url)
        if found != expected:
            differing[f"{path.parent.name}/{path.name}"] = found, expected
    return differing


def test_both_engines_make_the_same_previews_and_surfaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare(tmp_path, monkeypatch, [*PAGES, *SAMPLES], "https://www.example.com/page") == {}
