"""Hostile documents take steps in proportion to their size. Steps are counted as calls, not as time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from waypost.registry import load
from waypost.report.json import as_data, encode_json
from waypost.validate import build_report, validate_data, validate_page

SHAPES_FILE = Path(__file__).parent.parent / "benchmarks" / "hostile_shapes.py"
SMALL, LARGE = 5_000, 15_000
MOST_GROWTH = 1.5
"""Steps of a byte of the larger document, against those of the smaller one; quadratic reading would give 3."""
NAMES = [
    "words of itemref", "words of itemprop", "words of class", "types of one item", "RDFa prefixes", "words of typeof",
    "properties inside properties", "comments that ignore rules", "itemrefs in a chain", "contexts with prefixes",
    "contexts inside contexts", "types of a node", "references in a ring", "keys almost right", "quotes alone",
]  # fmt: skip
"""Shapes that were read in quadratic time once, and those most like them."""


def shapes() -> dict[str, tuple[bool, Any]]:
    spec = importlib.util.spec_from_file_location("hostile_shapes", SHAPES_FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, tuple[bool, Any]] = module.SHAPES
    return found


SHAPES = shapes()
REGISTRY = load()


def steps(data: bytes, html: bool) -> int:
    """Calls of functions, in Python and native, that judging a document takes."""
    count = 0

    def called(_frame: FrameType, event: str, _given: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(called)
    try:
        file = (validate_page if html else validate_data)(data, REGISTRY, path="p")
        encode_json(as_data(build_report([file], REGISTRY)))
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("name", NAMES)
def test_hostile_document_takes_steps_in_proportion_to_its_size(name: str) -> None:
    html, shape = SHAPES[name]
    small, large = shape(SMALL), shape(LARGE)
    steps(shape(1_000), html)  # loads what is loaded at its first use; the same document again would be remembered

    growth = (steps(large, html) / len(large)) / (steps(small, html) / len(small))

    assert growth <= MOST_GROWTH


def test_sixty_shapes_grow_to_the_requested_size() -> None:
    assert len(SHAPES) >= 60
    for name, (_, shape) in SHAPES.items():
        assert 10_000 <= len(shape(20_000)) <= 40_000, name
