"""Locations of any span are those that counting from the file's start gives, and cost little to remember."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.models.page import Location, Page, Span
from waypost.reader import positions
from waypost.reader import text as waypost_text
from waypost.reader.encoding import decode
from waypost.registry import load
from waypost.validate import validate_page
from waypost.validate.profiles.model import EvaluationContext, Outcome

PIECES = [
    "a",
    "\u00e9",
    "\u20ac",
    "\U0001f600",
    "\n",
    "\r\n",
    "\r",
    "x" * 5000,
    "\n" * 300,
    "\u00e9" * 4000,
    "\U0001f600" * 3000,
]
CODECS = {"utf-8": "utf-8", "windows-1252": "cp1252", "gb18030": "gb18030", "utf-16le": "utf-16-le"}


def counted(written: str, codec: str, skip: int, start: int, end: int) -> Location:
    """Location of a span of the normalised text, counted from the start of the text as written."""

    def at(offset: int) -> tuple[int, int, int, int]:
        before, number = [], 0
        while len(before) < offset:
            pair = written[number : number + 2] == "\r\n"
            before.append("\n" if written[number] in "\r\n" else written[number])
            number += 1 + pair
        line = "".join(before).rpartition("\n")[2]
        size = len(written[:number].encode(codec))
        return size + skip, before.count("\n") + 1, len(line) + 1, len(line.encode("utf-16-le")) // 2 + 1

    (first, *began), (last, *ended) = at(start), at(end)
    return Location(first, last, began[0], began[1], ended[0], ended[1], began[2], ended[2])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(sorted(CODECS)), st.sampled_from(["", "\ufeff"]),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=3),
)  # fmt: skip
def test_a_location_is_what_counting_from_the_start_gives(
    pieces: list[str], label: str, mark: str, spans: list[tuple[float, float]]
) -> None:
    codec = CODECS[label]
    if codec == "cp1252":
        mark, pieces = "", [piece for piece in pieces if piece[0] != "\U0001f600"]
    if codec == "gb18030":
        mark = ""
    written = "".join(pieces)
    text = decode(mark.encode(codec) + written.encode(codec), encoding=label)
    assert text.string == written.replace("\r\n", "\n").replace("\r", "\n")
    size = len(text.string)

    for low, high in spans:
        start, end = sorted((int(low * size), int(high * size)))
        expected = counted(written, codec, len(mark.encode(codec)), start, end)

        assert text.locate(Span(start, end)) == expected
        assert text.byte_range(Span(start, end)) == (expected.start, expected.end)
        assert text.line_and_column(end) == (expected.end_line, expected.end_column)
        assert text.offset(expected.start) == text.length_before(expected.start) == start


@pytest.mark.parametrize("label", ["shift_jis", "utf-8", "gb18030"])
def test_legacy_bytes_are_walked_once_for_all_locations(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xff<p>\x81\n" * 1000
    built = []
    starts = waypost_text.character_starts
    monkeypatch.setattr(waypost_text, "character_starts", lambda *given: built.append(1) or starts(*given))  # type: ignore[func-returns-value]
    text = decode(data, encoding=label)

    for at in range(len(text.string)):
        text.locate(Span(at, at + 1))

    assert len(built) == 1


def test_unreferenced_items_are_released() -> None:
    from waypost.models.page import Node

    block: Any = None
    nodes = [Node(block, number) for number in range(2_000)]
    nodes[7].add_referrer(nodes[8], "author")
    context = EvaluationContext(_RuleContext())  # type: ignore[arg-type]
    context.outcomes = {(node, None): Outcome() for node in nodes}  # type: ignore[misc]

    context.forget()

    assert [node for node, _ in context.outcomes] == [nodes[7]]


class _RuleContext:
    page: Page | None = None
    registry = load()


def test_places_in_json_survive_forgotten_small_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    event = '{"@type":"Event","name":"Fair %d","startDate":["soon"],"location":{"@type":"Place","geo":"x","url":"a b"}}'
    graph = ",\n".join(event % number for number in range(40))
    page = (
        f'<script type="application/ld+json">{{"@context":"https://schema.org","@graph":[{graph}]}}</script>'.encode()
    )
    whole = validate_page(page)
    assert len(whole.findings) > 80

    monkeypatch.setattr(positions, "_MOST_REMEMBERED", 1)

    assert validate_page(page) == whole
