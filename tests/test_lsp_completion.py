"""Completions: each document of `cases/completions` has a mark at the cursor, `expected.json` says what is offered."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from waypost.lint.project import Project
from waypost.lsp.actions import REASON_TO_WRITE, Target, actions
from waypost.lsp.checked_document import CheckedDocument, Subject, check_document, kind_of
from waypost.lsp.completion import Offers, completions
from waypost.lsp.document import Document
from waypost.lsp.hover import hover
from waypost.lsp.symbols import symbols
from waypost.registry import Registry, shared_registry

CASES = Path(__file__).parent / "cases" / "completions"
MARK = "▮"
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def registry() -> Registry:
    return shared_registry()


def checked(name: str, text: str, registry: Registry) -> CheckedDocument:
    kind = kind_of(name, "")
    assert kind is not None
    return check_document(Project(registry, use_config=False), Subject(Document(text, "utf-16"), name, kind))


def offered(name: str, registry: Registry) -> Offers | None:
    before, mark, after = (CASES / name).read_text("utf-8").partition(MARK)
    assert mark
    return completions(checked(str(CASES / name), before + after, registry), len(before))


@pytest.mark.parametrize("case", EXPECTED, ids=[case["file"] for case in EXPECTED])
def test_a_document_is_offered_what_fits_its_cursor(case: dict[str, Any], registry: Registry) -> None:
    found = offered(case["file"], registry)

    if case.get("nothing"):
        assert found is None
        return
    assert found is not None
    words = sorted(found.words, key=lambda each: (each.rank, each.word))
    labels = [each.word for each in words]
    first = case.get("first", [])
    assert labels[: len(first)] == first
    assert set(case.get("offered", ())) <= set(labels)
    assert set(labels).isdisjoint(case.get("not_offered", ()))
    if "writes" in case:
        assert (words[0].insert or words[0].word) == case["writes"]


def test_every_document_is_a_case() -> None:
    files = {path.relative_to(CASES).as_posix() for path in CASES.rglob("*") if path.is_file()}

    assert files - {"expected.json"} == {case["file"] for case in EXPECTED}


def test_an_offer_names_the_results_that_require_it(registry: Registry) -> None:
    found = offered("nested-without-type.jsonld", registry)

    assert found is not None
    price = next(each for each in found.words if each.word == "price")
    assert "required for Product snippet" in price.why


def test_documents_cut_anywhere_are_survived(registry: Registry) -> None:
    chance = random.Random(20261129)

    for case in EXPECTED:
        text = (CASES / case["file"]).read_text("utf-8").replace(MARK, "")
        for _ in range(6):
            cut = chance.randrange(len(text))
            short = text[:cut] + chance.choice(["", '"', "'", "{", "(", "`", "\n", "<"])
            document = checked(str(CASES / case["file"]), short, registry)
            found = completions(document, chance.choice([len(short), chance.randrange(cut + 1)]))
            assert found is None or 0 <= found.start <= found.end <= len(short)


@pytest.mark.parametrize(
    ("name", "word", "part"),
    [
        ("schema.ts", "price: product", "required for Product snippet"),
        ("product.php", "offers", "required for Product snippet"),
        ("layouts/partials/schema.html", '"price', "required for Merchant listing"),
        ("Card.jsx", '"image', "required for Merchant listing"),
        ("post.md", "Recipe", "Recipe requires image and name"),
        ("Page.tsx", "Product',", "Product snippet requires name and one of aggregateRating, offers, review"),
    ],
)
def test_hover_names_requirements_of_rich_results(name: str, word: str, part: str, registry: Registry) -> None:
    text = (CASES / name).read_text("utf-8").replace(MARK, "")

    found = hover(checked(str(CASES / name), text, registry), text.index(word) + 2)

    assert found is not None
    assert "https://schema.org/" in found[0]
    assert part in found[0].replace("\\", "")


def test_the_outline_of_code_has_nodes_inside_of_others(registry: Registry) -> None:
    text = (CASES / "product.php").read_text("utf-8").replace(MARK, "")

    (product,) = symbols(checked("product.php", text, registry))

    assert (product.name, product.selection_range.start.line) == ("Product", 2)
    assert [(each.name, each.detail) for each in product.children or ()] == [("Offer", "offers")]


def test_quick_fixes_of_code_keep_its_notation(registry: Registry) -> None:
    text = (
        "const a = {\n  '@context': 'https://schema.org', '@type': 'Product', name: n, image: i,\n"
        "  offers: { '@type': 'Offer', price: p,\n    priceCurrency: 'EURO' },\n};\n"
    )
    document = checked("a.ts", text, registry)
    at = text.index("'EURO'")

    offered = actions(document, Target("file:///a.ts", versioned=False), at, at + 6, [])

    edits = {action.title: action.edit.changes["file:///a.ts"][0].new_text for action in offered
             if action.edit and action.edit.changes}  # fmt: skip
    assert (
        edits["Ignore currency-unknown in this member"]
        == f"    // waypost-ignore currency-unknown: {REASON_TO_WRITE}\n"
    )
    assert edits["Write EUR"] in {"'EUR'", "EUR"}
