"""`waypost preview`: the card of a page's main thing, drawn or as data."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from waypost.cli import main

PAGE = """<!doctype html>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Recipe", "name": "Rye bread", "totalTime": "PT1H35M",
 "description": "A dense loaf that keeps.", "image": "https://www.example.com/rye.jpg", "datePublished": "yesterday"}
</script>
"""


@pytest.fixture
def page(tmp_path: Path) -> str:
    path = tmp_path / "rye.html"
    path.write_text(PAGE)
    return str(path)


def test_the_card_is_drawn(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", page]) == 0

    drawn = capsys.readouterr().out
    assert "Rye bread" in drawn
    assert "A dense loaf that keeps." in drawn
    assert "\x1b" not in drawn


def test_the_card_may_have_colours(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", page, "--color", "always"]) == 0

    assert "\x1b[" in capsys.readouterr().out


def test_as_data_it_has_document_card_and_findings(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", page, "--json"]) == 0

    output = json.loads(capsys.readouterr().out)
    assert list(output) == [
        "service_type",
        "standard_type",
        "unified",
        "snippet",
        "eligibility",
        "findings",
        "surfaces",
    ]
    assert (output["service_type"], output["standard_type"]) == ("RecipeSnippet", "Recipe")
    assert output["unified"]["name"] == output["snippet"]["title"] == "Rye bread"
    assert "date-invalid" in [finding["rule"] for finding in output["findings"]]
    assert output["eligibility"] == {"state": "eligible", "text": "eligible for recipe results"}


def test_a_document_gives_its_original_card(page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["preview", page, "--json"])
    first = json.loads(capsys.readouterr().out)
    document = tmp_path / "unified.json"
    document.write_text(json.dumps(first["unified"]))

    assert main(["preview", str(document), "--json"]) == 0

    again = json.loads(capsys.readouterr().out)
    assert again["snippet"] == first["snippet"]
    assert again["findings"] == []


def test_markup_can_be_made_of_it(page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["preview", page, "--format", "json-ld"])
    markup = capsys.readouterr().out
    assert json.loads(markup)["@type"] == "Recipe"
    (tmp_path / "again.jsonld").write_text(markup)

    main(["preview", str(tmp_path / "again.jsonld"), "--format", "json-ld"])

    assert capsys.readouterr().out == markup


def test_standard_input_can_be_previewed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAGE.encode())))

    assert main(["preview", "-", "--json", "--base-url", "https://www.example.com/rye"]) == 0

    assert json.loads(capsys.readouterr().out)["snippet"]["url"] == "https://www.example.com/rye"


@pytest.mark.parametrize(
    "text", ["", "<p>nothing", "{", "[]", "null", '{"@context": "https://schema.org"}', "[" * 50_000]
)
def test_with_nothing_to_show_the_reason_is_reported(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)

    assert main(["preview", str(path)]) == 1

    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("waypost: ")


def test_options_of_the_browser_need_render(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", page, "--browser", "chromium"]) == 0

    assert "--browser has no effect without --render" in capsys.readouterr().err


def test_one_page_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", str(tmp_path)]) == 2
    assert main(["preview", str(tmp_path / "gone.html")]) == 3

    assert "no such file" in capsys.readouterr().err
