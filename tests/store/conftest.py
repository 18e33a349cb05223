"""A store in a folder of its own, and claims to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.shapes.relationship import Claim
from waypost.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def claim() -> Callable[..., Claim]:
    def made(**changed: Any) -> Claim:
        usual = {
            "domain": "acme.example",
            "scope": "registrable",
            "entity": "acme",
            "entity_name": "Acme",
            "type": "official_site",
            "submitter": "ann",
            "origin": "ann",
            "source": "form",
        }
        return Claim(**(usual | changed))

    return made
