"""Secondary syntaxes come from extruct, on request only."""

from __future__ import annotations

import subprocess
import sys

import pytest

from waypost.errors import MissingExtra
from waypost.reader.secondary import read_secondary

PAGE = b"""<!doctype html><html><head><meta charset=utf-8><meta property="og:title" content="Pie">
<meta name="DC.title" content="A pie"></head><body vocab="https://schema.org/">
<p class="h-card"><a class="u-url p-name" href="/ada">Ada</a></p>
<p typeof="Person"><b property=name>Ada</b></p></body>"""


def test_each_syntax_is_read_on_request() -> None:
    pytest.importorskip("extruct", reason="extruct is not installed")

    found = read_secondary(PAGE, ["rdfa-full", "opengraph", "dublincore", "microformat"], url="https://example.com/")

    assert found["opengraph"][0]["properties"] == [("og:title", "Pie")]
    assert found["dublincore"][0]["elements"][0]["content"] == "A pie"
    assert found["microformat"][0]["properties"]["name"] == ["Ada"]
    assert any("https://schema.org/name" in item for item in found["rdfa-full"])


def test_a_page_that_breaks_extruct_is_not_our_error() -> None:
    pytest.importorskip("extruct", reason="extruct is not installed")

    assert read_secondary(b"", ["opengraph", "unheard-of"]) == {"opengraph": []}


def test_without_extruct_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "extruct", None)

    with pytest.raises(MissingExtra, match=r"pip install .*\[syntaxes\]"):
        read_secondary(PAGE, ["opengraph"])


def test_reading_a_page_does_not_import_extruct() -> None:
    code = "import sys, waypost.reader, waypost.reader.secondary; sys.exit('extruct' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
