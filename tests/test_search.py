"""The site's search answers questions as people type them: the script of the page, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases" / "search"
PROGRAM = """
const fs = require("fs");
globalThis.waypost = {};
const [member, ...scripts] = process.argv.slice(2);
for (const script of scripts) (0, eval)(fs.readFileSync(script, "utf8"));
const asked = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(asked.map((text) => waypost.find(text).map((hit) => hit[member]))));
"""


def found(site: Path, questions: list[str], folder: Path, member: str = "address") -> list[list[str]]:
    """Addresses, or another member, of what is found for each question, best first. Skips without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    # As a page runs them: the parts of the index, then what searches it.
    scripts = [*site.glob("assets/search-*.js"), *site.glob("assets/search.*.js")]
    program = folder / "search.cjs"
    program.write_text(PROGRAM, "utf-8")
    ran = subprocess.run(
        [node, program, member, *scripts],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    answer: list[list[str]] = json.loads(ran.stdout)
    return answer


def questions(name: str) -> list[dict[str, Any]]:
    document: dict[str, Any] = json.loads((CASES / name).read_text("utf-8"))
    return list(document["questions"])


def missed(site: Path, questions: list[dict[str, Any]], folder: Path) -> list[str]:
    """Questions without an answer among the first three."""
    hits = found(site, [each["asked"] for each in questions], folder)
    return [
        f"{each['asked']}: {', '.join(addresses[:3])}"
        for each, addresses in zip(questions, hits, strict=True)
        if not {address.partition("#")[0] for address in addresses[:3]} & set(each["answers"])
    ]


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("questions.json", 55),
        ("held-back.json", 15),
        ("further.json", 53),
        ("tasks.json", 25),
        ("first-time.json", 22),
        ("searchers.json", 35),
        ("strangers.json", 34),
        ("roles.json", 30),
        ("visitors.json", 36),
        ("unprompted.json", 27),
    ],
)
def test_a_question_is_answered_among_the_first_three(built_site: Path, tmp_path: Path, name: str, least: int) -> None:
    request_body = questions(name)

    without = missed(built_site, request_body, tmp_path)

    assert len(request_body) - len(without) >= least, without


@pytest.mark.parametrize(
    "name",
    [
        "questions.json",
        "held-back.json",
        "further.json",
        "tasks.json",
        "first-time.json",
        "searchers.json",
        "strangers.json",
        "roles.json",
        "visitors.json",
        "unprompted.json",
    ],
)
def test_the_answers_are_pages_of_the_site(built_site: Path, name: str) -> None:
    answers = {address for each in questions(name) for address in each["answers"]}

    assert not [address for address in answers if not (built_site / address / "index.html").is_file()]


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("price-invalid", "rules/price-invalid/"),
        ("google/recipe", "profiles/google/recipe/"),
        ("no_decisive_signal", "safety/reasons/no_decisive_signal/"),
        ("datePublished", "model/datePublished/"),
        ("Price is not a number", "rules/price-invalid/"),
        ("currncy", "rules/currency-withdrawn/"),
    ],
)
def test_name_is_found_first_and_one_typo_is_forgiven(
    built_site: Path, tmp_path: Path, typed: str, address: str
) -> None:
    (addresses,) = found(built_site, [typed], tmp_path)

    assert address in addresses[: 1 if "-" in typed or "_" in typed or "/" in typed else 3]


def test_a_title_outside_the_index_is_written_unchanged(built_site: Path, tmp_path: Path) -> None:
    questions = ["rate limit", "privacy", "threat list match", "quota-exceeded", "datePublished"]
    displayed = found(built_site, questions, tmp_path, "title")

    titles = ["Limits", "Privacy", "Threat list match", "quota-exceeded", "datePublished"]
    assert [title for title, of_question in zip(titles, displayed, strict=True) if title not in of_question] == []


def pasted() -> list[dict[str, str]]:
    document = json.loads((CASES.parent / "messages" / "sentences.json").read_text("utf-8"))
    cases: list[dict[str, str]] = document["cases"]
    return cases


def test_a_pasted_sentence_of_search_console_is_first(built_site: Path, tmp_path: Path) -> None:
    hits = found(built_site, [case["pasted"] for case in pasted()], tmp_path)

    assert [case for case, first in zip(pasted(), hits, strict=True) if first[:1] != [case["page"]]] == []


def test_every_property_of_a_result_finds_the_result(built_site: Path, tmp_path: Path) -> None:
    rare = {"applicantLocationRequirements": "google/job-posting", "cookTime": "google/recipe",
            "hasTiers": "google/loyalty-program", "bookFormat": "google/book-actions"}  # fmt: skip

    hits = found(built_site, list(rare), tmp_path)

    assert [name for name, first in zip(rare, hits, strict=True) if f"profiles/{rare[name]}/" not in first[:4]] == []


def test_a_part_of_the_index_is_searched_alone(built_site: Path, tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    for name in ("search.*.js", "search-rules.*.js"):
        (path,) = built_site.glob(f"assets/{name}")
        (tmp_path / "assets" / path.name).write_bytes(path.read_bytes())

    (addresses,) = found(tmp_path, ["price invalid"], tmp_path)

    assert addresses[0] == "rules/price-invalid/"
    assert {address.partition("/")[0] for address in addresses} <= {"rules", "profiles"}
