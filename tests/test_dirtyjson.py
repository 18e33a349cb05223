"""A text that is nearly JSON is read all the same, and what was mended is told."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.reader.dirtyjson import Decoded, decode

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(-1e300, 1e300, allow_nan=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def rules(found: Decoded) -> list[str]:
    return [repair.rule for repair in found.repairs]


def fixed(text: str, found: Decoded) -> str:
    edits = sorted((edit for repair in found.repairs for edit in repair.edits), reverse=True)
    for start, end, replacement in edits:
        text = text[:start] + replacement + text[end:]
    return text


@settings(max_examples=200, deadline=None)
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_valid_json_is_read_like_the_standard_library(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    found = decode(text)

    assert found.value == json.loads(text, parse_float=Decimal)
    assert rules(found) == []


@settings(max_examples=500, deadline=None)
@given(VALUES, st.randoms(use_true_random=False), st.integers(1, 4))
def test_spoiled_text_is_read_and_never_without_a_word(value: Any, chance: random.Random, times: int) -> None:
    text = json.dumps({"a": value, "b": ["x", {"c": "d e"}]}, indent=chance.choice([None, 1]))
    for _ in range(times):
        at = chance.randrange(len(text) + 1)
        until = min(len(text), at + chance.randrange(8))
        put = chance.choice(["", text[at:until] * 2, chance.choice("{}[],:\"'\\ \n\tab1-/*<!&;“\ufeff=()%$\x00")])
        text = text[:at] + put + text[until:]

    found = decode(text)

    for repair in found.repairs:
        assert 0 <= repair.start <= repair.end <= len(text)
        assert all(0 <= start <= end <= len(text) for start, end, _ in repair.edits)
    for members in found.members.values():
        assert all(0 <= entry.start <= entry.end <= len(text) for entry in members.values())
    assert found.repairs or _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_reject)
    except ValueError:
        return False
    return True


def _reject(word: str) -> None:
    raise ValueError(word)


@pytest.mark.parametrize(
    ("text", "value", "rule"),
    [
        ('{"a": 1,}', {"a": 1}, "json-trailing-comma"),
        ('[1, 2,, 3]', [1, 2, 3], "json-trailing-comma"),
        ('/* a */ {"a": 1 // b\n}', {"a": 1}, "json-comment"),
        ('//<![CDATA[\n{"a": 1}\n//]]>', {"a": 1}, "json-cdata-wrapper"),
        ('<!--\n{"a": 1}\n-->', {"a": 1}, "json-html-comment-wrapper"),
        ('<!-- a -->{"a": 1}', {"a": 1}, "json-comment"),
        ('\ufeff{"a": 1}', {"a": 1}, "json-byte-order-mark"),
        ('{\u00a0"a": 1}', {"a": 1}, "json-odd-space"),
        ('{"a": "x\ny"}', {"a": "x\ny"}, "json-control-character"),
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}], "json-two-values"),
        ('{"a": 1},\n{"b": 2}', [{"a": 1}, {"b": 2}], "json-two-values"),
        ("{'a': 'it\\'s \"b\"'}", {"a": 'it\'s "b"'}, "json-single-quotes"),
        ("{“a”: “b”}", {"a": "b"}, "json-typographic-quotes"),
        ('{"a": "it\\x27s"}', {"a": "it's"}, "json-bad-escape"),
        ('{"a": "\\u{1f370}"}', {"a": "🍰"}, "json-bad-escape"),
        ("{&quot;a&quot;: &quot;b&quot;}", {"a": "b"}, "json-entity-encoded"),
        ('{"a": NaN}', {"a": None}, "json-not-a-number"),
        ('{"a" 1}', {"a": 1}, "json-missing-colon"),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, "json-missing-comma"),
        ("[1 2]", [1, 2], "json-missing-comma"),
        ("{a: 1}", {"a": 1}, "json-unquoted-key"),
        ('{"a": plum cake}', {"a": "plum cake"}, "json-unquoted-value"),
        ('{"a": 12.50 EUR}', {"a": "12.50 EUR"}, "json-unquoted-value"),
        ('{"a": [1, {"b": 2', {"a": [1, {"b": 2}]}, "json-unterminated"),
        ('{"a": 01}', {"a": "01"}, "json-malformed-number"),
        ('{"a": .5}', {"a": Decimal("0.5")}, "json-malformed-number"),
        ('{"a": 10:30}', {"a": "10:30"}, "json-unquoted-value"),
        ('{"a": 5/6/2026}', {"a": "5/6/2026"}, "json-unquoted-value"),
        ('{"a": True}', {"a": True}, "json-literal-case"),
        ('{"a": 1};', {"a": 1}, "json-trailing-semicolon"),
        ('var a = {"a": 1};', {"a": 1}, "json-leading-text"),
        ('call({"a": 1});', {"a": 1}, "json-leading-text"),
        ('{"a": [1, 2}', {"a": [1, 2]}, "json-mismatched-bracket"),
        ('{"a": [1, 2}, "b": 3}', {"a": [1, 2], "b": 3}, "json-mismatched-bracket"),
        ('{"a": "the "best" cake", "b": 1}', {"a": 'the "best" cake', "b": 1}, "json-unescaped-quote"),
        ('{"a": "say "hi"\nthere"}', {"a": 'say "hi"\nthere'}, "json-unescaped-quote"),
        ('{"a": "b,\n "c": "d"}', {"a": "b", "c": "d"}, "json-unterminated"),
        ('{"a": 1}}', {"a": 1}, "json-trailing-text"),
        ('{a": 1}', {"a": 1}, "json-unquoted-key"),
        ('{"a: "b", "c": 1}', {"a": "b", "c": 1}, "json-unterminated"),
        ('{"a": b, c", "d": 1}', {"a": "b, c", "d": 1}, "json-unquoted-value"),
        ('{"a":"b,"c":1}', {"a": "b", "c": 1}, "json-unterminated"),
        ('{"a":{"b":"c},"d":1}', {"a": {"b": "c"}, "d": 1}, "json-unterminated"),
        ('{"a": ["b", "c": 1}', {"a": ["b"], "c": 1}, "json-unterminated"),
        ('[{"a": 1, {"b": 2}]', [{"a": 1}, {"b": 2}], "json-unterminated"),
        ('{"a": "b": 1, "c": 2}}', {"a": {"b": 1, "c": 2}}, "json-missing-bracket"),
        ('"a": 1, "b": 2}', {"a": 1, "b": 2}, "json-missing-bracket"),
        ('{"a": "b": 1} : 2, "c": 3}', {"a": {"b": 1}, "c": 3}, "json-missing-bracket"),
        ('{"a""b"}', {"a": "b"}, "json-missing-colon"),
        ('{"a":"x""b":1}', {"a": "x", "b": 1}, "json-missing-comma"),
    ],
)  # fmt: skip
def test_each_error_is_named_and_edited_into_its_value(text: str, value: Any, rule: str) -> None:
    found = decode(text)

    assert found.value == value
    assert rule in rules(found)
    assert json.loads(fixed(text, found)) == value


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "<b>a</b>",
        "function () { return 1 }",
        "}",
        "{{ schema }}",
        "<?php echo 1 ?>",
        "@" * 50,
        "[object Object",
    ],
)
def test_text_outside_json_ends_in_a_clear_message(text: str) -> None:
    found = decode(text)

    assert rules(found)
    assert found.value in (None, ["object Object"])


def test_a_swarm_of_one_error_is_one_fix() -> None:
    text = '{"a": "' + "x\n" * 50 + '"}'

    (repair,) = decode(text).repairs

    assert (repair.detail["count"], len(repair.edits), len(repair.related)) == (50, 50, 5)
    assert json.loads(fixed(text, decode(text))) == {"a": "x\n" * 50}


def test_a_repeated_key_reports_whether_anything_is_lost() -> None:
    found = decode('{"a": [1], "a": [1], "b": 1, "b": "1"}')

    assert [(repair.detail["key"], repair.detail["same"]) for repair in found.repairs] == [("a", True), ("b", False)]


def test_places_in_entity_encoded_text_are_the_sources() -> None:
    text = "{&quot;a&quot;: [&quot;b &amp;amp; c&quot;, 1]}"

    found = decode(text)
    entry = found.members[0]["a"]
    inner = found.members[entry.start]

    assert text[entry.key_start : entry.key_end] == "&quot;a&quot;"
    assert [text[each.start : each.end] for each in inner.values()] == ["&quot;b &amp;amp; c&quot;", "1"]
    assert found.value == {"a": ["b &amp; c", 1]}


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "[",
        '{"a":',
        '"',
        "'",
        ",",
        ":",
        "<!--",
        "/*",
        "//\n",
        "a:1,",
        "\n",
        "\\",
        "{{ ",
        '["a" "b" ',
        '{"a": "b\n',
        "]}",
    ],
)
def test_endless_repetition_of_an_error_ends_in_few_words(piece: str) -> None:
    found = decode("[" + piece * 40_000)

    assert 1 <= len(found.repairs) <= 200
