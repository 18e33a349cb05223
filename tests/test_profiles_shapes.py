"""Evaluation of profiles by shape: the same reports as the plain evaluation, in bounded memory."""

import gc
import json
import random
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.registry import load
from waypost.validate.pipeline import validate_page
from waypost.validate.profiles import evaluate, shapes
from waypost.validate.profiles.profile_set import evaluate_plainly
from waypost.validate.profiles.shapes import ShapePlans

CASES = Path(__file__).parent / "cases"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
VALUES: list[Any] = [
    "", None, " ", "{{ x }}", "undefined", "12,90", "2026-11-28", "https://example.com/a", "EUR", 0, 5, -1, True,
    [], {}, {"@type": "Thing"}, {"@id": "#a"}, {"@id": "https://example.com/o"}, ["a", "b"],
    {"@type": "Person", "name": "A"},
    {"@type": "Offer", "price": "1"}, "x" * 400, {"@type": "AggregateRating", "ratingValue": 4},
]  # fmt: skip


def product(number: int) -> dict[str, Any]:
    offer = {"@type": "Offer", "price": f"{number + 1}.90", "priceCurrency": "EUR"}
    return {"@context": "https://schema.org", "@type": "Product", "name": f"Kettle {number}", "offers": offer}


def page(documents: list[Any]) -> bytes:
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in documents)
    return f"<html><head>{scripts}</head><body></body></html>".encode()


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def changed(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Copy of a document with a few members dropped, replaced, repeated, renamed, or made references."""
    document = json.loads(json.dumps(document))
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        holder = rng.choice(list(objects(document)))
        names = [name for name in holder if name != "@context"]
        if not names:
            continue
        name, value = rng.choice(names), json.loads(json.dumps(rng.choice(VALUES)))
        match rng.randrange(6):
            case 0:
                del holder[name]
            case 1:
                holder[name] = value
            case 2:
                holder[name] = [holder[name], value]
            case 3:
                holder[name.lower()] = holder.pop(name)
            case 4:
                holder["@id"] = "#a"
            case _:
                holder[rng.choice(["image", "author", "offers", "review", "publisher", "isPartOf"])] = value
    return document


def documents() -> list[dict[str, Any]]:
    files = sorted(CASES.glob("profiles/**/*.json"))
    found = [json.loads(file.read_bytes()) for file in files if file.name != "expected.json"]
    return [each for each in found if isinstance(each, dict)]


def reports(pages: list[bytes]) -> list[bytes]:
    return [msgspec.json.encode(validate_page(each, load(), now=NOW, url="https://example.com/p")) for each in pages]


def new_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = ShapePlans()
    monkeypatch.setattr(evaluate, "shape_plans", lambda _: plans)


def plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def evaluate_all(_: ShapePlans, *arguments: Any) -> Any:
        return evaluate_plainly(*arguments)

    monkeypatch.setattr(ShapePlans, "evaluate", evaluate_all)


def test_reports_by_shape_equal_plain_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(11)
    known = documents()
    pages = [page([changed(rng.choice(known), rng) for _ in range(rng.randrange(1, 4))]) for _ in range(120)]
    pages += [page([each]) for each in known]
    new_plans(monkeypatch)

    by_shape = [reports(pages) for _ in range(3)]  # shapes are met, recorded, and known

    plainly(monkeypatch)
    expected = reports(pages)
    assert all(found == expected for found in by_shape)


def test_other_values_of_a_shape_give_their_own_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    prices = ["1.90", "2.90", "free", "", "3.90", "{{ price }}", "4,90", "gratis", "5.90", -1, 0, 6]
    pages = [page([product(1) | {"offers": {"@type": "Offer", "price": each}}]) for each in prices * 3]
    new_plans(monkeypatch)

    by_shape = reports(pages)

    plainly(monkeypatch)
    assert by_shape == reports(pages)


def test_nodes_of_one_shape_are_evaluated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = []

    def counted(context: Any, node: Any, *rest: Any) -> Any:
        evaluated.append(node)
        return evaluate_plainly(context, node, *rest)

    monkeypatch.setattr(shapes, "evaluate_plainly", counted)
    new_plans(monkeypatch)

    report = validate_page(page([product(number) for number in range(50)]), load(), now=NOW)

    assert len(evaluated) == 2
    assert len(report.verdicts) == 50


def rated(number: int) -> dict[str, Any]:
    rating = {"@type": "AggregateRating", "ratingValue": "4.5", "reviewCount": number + 1}
    author = {"@type": "Person", "name": f"Ana {number}"}
    review = {"@type": "Review", "author": author, "reviewRating": {"@type": "Rating", "ratingValue": "5"}}
    return product(number) | {"aggregateRating": rating, "review": review}


def test_products_with_ratings_have_a_plan_too(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated = []

    def counted(context: Any, node: Any, *rest: Any) -> Any:
        evaluated.append(node)
        return evaluate_plainly(context, node, *rest)

    monkeypatch.setattr(shapes, "evaluate_plainly", counted)
    new_plans(monkeypatch)

    validate_page(page([rated(number) for number in range(50)]), load(), now=NOW)

    assert len(evaluated) == 2 * len({node.types for node in evaluated})


def test_ratings_with_a_second_holder_are_evaluated_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [rated(number) for number in range(6)]
    for number, document in enumerate(documents):
        document["aggregateRating"]["@id"] = f"#rating-{number}"
        del document["name"]
    holder = {"@context": "https://schema.org", "@type": "Organization", "name": "Loma"}
    documents.append(holder | {"aggregateRating": {"@id": "#rating-4"}})
    pages = [page(documents), page(documents[::-1])]
    new_plans(monkeypatch)

    by_shape = [reports(pages) for _ in range(3)]

    plainly(monkeypatch)
    expected = reports(pages)
    assert all(found == expected for found in by_shape)


def test_plans_of_hostile_pages_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    new_plans(monkeypatch)
    monkeypatch.setattr(shapes, "_MOST_REMEMBERED", 2_000)
    names = ["image", "description", "sku", "brand", "review", "gtin", "color", "material", "aggregateRating"]
    rng = random.Random(3)

    def hostile() -> dict[str, Any]:
        return product(1) | {
            name: [rng.choice(["x" * 500, 1, {"@type": "T" * 90}]) for _ in range(9)] for name in names
        }

    validate_page(page([hostile()] * 3), load(), now=NOW)
    tracemalloc.start()
    validate_page(page([shape for shape in [hostile() for _ in range(12)] for _ in range(3)]), load(), now=NOW)
    gc.collect()  # pages that are held no more
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held < 2_000 * 150
