"""Every rule that is data is a file of the grammar, and its patterns are fast in both engines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from waypost.registry import load
from waypost.registry.assets import folder
from waypost.registry.vocabulary import Vocabulary
from waypost.validate.rulebook import rules_by_name
from waypost.validate.table_rules import fill

REGISTRY = load()
META = REGISTRY.document("meta/check.schema.json")
CHECKS = {Path(path).stem: REGISTRY.document(path) for path in REGISTRY.below("checks/")}
VOCABULARY: Vocabulary = REGISTRY.vocabulary
GRAMMAR = jsonschema_rs.Draft202012Validator(META, validate_formats=True)
SLOW_S = 0.25
# Beginnings, a part that is repeated, and an end that no pattern takes.
PARTS = [
    "a",
    " ",
    "a ",
    "1",
    "a.",
    "a@",
    "-",
    "Mo ",
    "Mo,",
    "09:00-10:00 ",
    "www.",
    "g",
    "//",
    ",;",
    "\t",
    "_",
    "a@a.",
    "é",
]
ATTACKS = [
    (start, part, end) for start in ("", "www.a", "a@", "Mo", "mailto:") for part in PARTS for end in ("", "\0", "!")
]


def conditions(check: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The conditions on values: those of the check, and of its cases."""
    if check["kind"] == "value":
        yield from (holder["when"] for holder in (check, *check.get("cases", ())) if "when" in holder)


PATTERNS = [
    (name, when[verb], when.get("ignore_case", False), when.get("longest", 100_000))
    for name, check in CHECKS.items()
    for when in conditions(check)
    for verb in ("matches", "does_not_match")
    if verb in when
]


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_is_of_the_grammar(name: str) -> None:
    assert [error.message for error in GRAMMAR.iter_errors(CHECKS[name])] == []


@pytest.mark.parametrize(
    "change",
    [
        {"severity": "fatal"},
        {"when": {"matches": "(?i)a"}},
        {"when": {"matches": "a++"}},
        {"when": {"matches": r"\bword"}},
        {"when": {}},
        {"pairs": [["a", "b"]]},
        {"cases": [{"message": "a"}, {"message": "b"}]},
        {"read": "yesterday"},
    ],
    ids=str,
)
def test_a_check_that_breaks_the_grammar_is_rejected(change: dict[str, Any]) -> None:
    assert GRAMMAR.is_valid(CHECKS["sku-with-whitespace"])
    assert not GRAMMAR.is_valid(CHECKS["sku-with-whitespace"] | change)


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_is_a_rule_like_any_other(name: str) -> None:
    check, rule = CHECKS[name], rules_by_name()[name]
    flat = " ".join(rule.doc.split())

    assert (rule.title, rule.severity, rule.authority) == (
        check["title"].removesuffix("."),
        check["severity"],
        check["authority"],
    )
    assert flat.endswith(f"Source: {check['source']}, read {check['read']}.")
    assert not (folder("site").parent / "src/waypost/validate/rules" / f"{name.replace('-', '_')}.py").exists()


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_names_types_and_properties_of_the_vocabulary(name: str) -> None:
    check = CHECKS[name]
    properties = {*check.get("properties", ()), *(prop for pair in check.get("pairs", ()) for prop in pair)}

    assert set(check.get("types", ())) <= VOCABULARY.types.keys()
    assert properties <= VOCABULARY.properties.keys()
    assert set(check.get("except_properties", ())).isdisjoint(rules_by_name()[name].properties)


@pytest.mark.parametrize("name", [name for name, check in CHECKS.items() if "cases" in check])
def test_the_last_case_of_a_check_has_no_condition(name: str) -> None:
    *others, last = CHECKS[name]["cases"]

    assert "when" not in last
    assert all("when" in case for case in others)


def test_a_template_clips_quotes_and_separates() -> None:
    fields = {"value": "a 'b' \n c", "most": 1234567, "long": "x" * 99}

    assert fill("{value} {'value'} {most} {most,} {long 5}", fields) == "a 'b' c \"a 'b' c\" 1234567 1,234,567 xxxx…"


@pytest.mark.parametrize(("name", "pattern", "ignore_case", "longest"), PATTERNS, ids=[name for name, *_ in PATTERNS])
def test_a_pattern_is_fast_whatever_the_text(name: str, pattern: str, ignore_case: bool, longest: int) -> None:
    search = re.compile(pattern, re.IGNORECASE if ignore_case else 0).search

    for start, part, end in ATTACKS:
        text = (start + part * longest)[: longest - 1] + end
        before = time.process_time()
        search(text)
        assert time.process_time() - before < SLOW_S, (name, start, part, end)


def test_a_pattern_is_fast_in_the_other_engine() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    text_js = (folder("site") / "js" / "engine" / "text.js").read_text("utf-8")
    script = f"""{text_js}
      for (const [name, pattern, ignoreCase, longest] of {json.dumps(PATTERNS)}) {{
        const sought = rx(ignoreCase ? "i" : "")(Object.assign([pattern], {{ raw: [pattern] }}));
        for (const [start, part, end] of {json.dumps(ATTACKS)}) {{
          const text = (start + part.repeat(longest)).slice(0, longest - 1) + end;
          const before = performance.now();
          sought.test(text);
          if (performance.now() - before > {SLOW_S * 1000}) throw new Error(`${{name}}: ${{[start, part, end]}}`);
        }}
      }}"""

    ran = subprocess.run([node, "-"], input=script, capture_output=True, text=True, timeout=120, check=False)

    assert ran.returncode == 0, ran.stderr
