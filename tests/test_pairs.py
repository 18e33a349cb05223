"""Wrong and right next to each other: JSON of one line is laid out with every token as it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages.pairs import laid_out, pair_of

CASES = sorted((Path(__file__).parent / "cases" / "rules").glob("*/good-*.json"))


def read(text: str) -> object:
    """JSON with its members in order; None for a text that is none."""
    try:
        return json.loads(text, object_pairs_hook=list)
    except ValueError:
        return None


def test_json_that_is_laid_out_reads_the_same() -> None:
    texts = [path.read_text("utf-8-sig") for path in CASES]
    documents = [text for text in texts if read(text) is not None]

    assert len(documents) > 300
    assert [text for text in documents if read(laid_out(text)) != read(text)] == []


@pytest.mark.parametrize("text", ['{"a": 1,, "b": [1.0, ...]}', '{"a": "b}', "[[[", "}}{,:", ""])
def test_broken_json_keeps_its_tokens(text: str) -> None:
    assert re.sub(r"\s", "", laid_out(text)) == re.sub(r"\s", "", text)


def test_a_long_line_shows_what_differs() -> None:
    start = '{"@context": "https://schema.org", "@type": "Book", "name": "A book with a long name", "numberOfPages": '

    pair = pair_of(f"{start}-1}}", f"{start}1}}", "JSON-LD", ())

    assert re.sub(r"<[^>]+>", "", re.findall(r"<mark>(.*?)</mark>", str(pair.bad), re.DOTALL)[-1]) == (
        "&#34;numberOfPages&#34;: -1"
    )
