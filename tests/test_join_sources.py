"""The tool that reviews main sites by a second public list: names compared, everything else left as it was."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[1] / "tools" / "join_sources.py"
TEXT = """{
  "slug": "acme",
  "names": ["Acme"],
  "aliases": ["Acme Pay"],
  "owner": "acme",
  "categories": ["payments"],
  "countries": [],
  "tokens": [],
  "short_or_common_tokens": [],
  "official_domains": [],
  "further_domains": [
    {"domain": "acme.example", "sources": ["twofactorauth"]},
    {"domain": "acme.test", "sources": ["general"]}
  ]
}
"""


@pytest.fixture(scope="module")
def tool() -> Any:
    spec = importlib.util.spec_from_file_location("join_sources", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["join_sources"] = module
    spec.loader.exec_module(module)
    return module


def lists(tool: Any, folder: Path, **files: Any) -> Any:
    for name, document in files.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return tool.read(folder)


@pytest.mark.parametrize("name", ["Acme", "ACME Inc.", "Acme-Pay Ltd", "acme.com"])
def test_a_second_publisher_of_the_same_name_reviews(tool: Any, tmp_path: Path, name: str) -> None:
    found = lists(tool, tmp_path, justdeleteme=[{"name": name, "domains": ["www.acme.example"]}])

    entry = tool.reviewed(json.loads(TEXT), found)

    assert entry == {
        "domain": "acme.example",
        "role": "principal",
        "reviewed": tool.REVIEWED,
        "sources": ["justdeleteme", "twofactorauth"],
    }


@pytest.mark.parametrize(
    ("name", "domain", "change"),
    [
        ("Other", "acme.example", {}),
        ("Acme", "acme.test", {}),
        ("Acme", "acme.example", {"closed": "https://acme.example/goodbye"}),
        ("Acme", "acme.example", {"further_domains": [{"domain": "acme.example", "sources": ["general"]}]}),
        ("Acme", "acme.example", {"further_domains": [{"domain": "acme.example", "sources": ["justdeleteme"]}]}),
    ],
)
def test_one_publisher_or_another_name_reviews_nothing(
    tool: Any, tmp_path: Path, name: str, domain: str, change: Any
) -> None:
    found = lists(tool, tmp_path, justdeleteme=[{"name": name, "domains": [domain]}])

    assert tool.reviewed(json.loads(TEXT) | change, found) is None


def test_nothing_else_of_a_file_changes(tool: Any, tmp_path: Path) -> None:
    found = lists(tool, tmp_path, logos=[{"name": "Acme", "url": "https://www.acme.example/"}])
    brand = json.loads(TEXT)
    entry = tool.reviewed(brand, found)

    made = tool.changed(TEXT, brand, entry)

    assert json.loads(made) == brand | {"official_domains": [entry], "further_domains": brand["further_domains"][1:]}
    assert [line for line in TEXT.splitlines()[:8] if line not in made.splitlines()] == []
