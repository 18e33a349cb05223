"""A folder in the browser: read by a worker, or by a page that was opened from a disk; equal to the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import until

from waypost.cli import main
from waypost.pages.bundle import validating_data
from waypost.registry import load

CASES = Path(__file__).parent.parent / "cases" / "rules"
ELSEWHERE = set(validating_data(load())["elsewhere"].split())
"""Rules that only the command line and the service check."""
HOSTILE = '<img src=x onerror="alert(1)">'
Row = tuple[str, str, str, str, int, int]


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page whose console must stay empty."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    made = context.new_page()
    messages: list[str] = []
    made.on("console", lambda message: messages.append(message.text))
    made.on("pageerror", lambda error: messages.append(str(error)))
    yield made
    assert messages == []
    context.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of the cases of rules, under names that are different; and what is no page with markup."""
    made = tmp_path_factory.mktemp("folder")
    for number, case in enumerate(sorted(CASES.glob("*/*.html"))):
        if number % 3 == 0:
            (made / f"{number:04}-{case.parent.name}.html").write_bytes(case.read_bytes())
    (made / "empty.html").write_text("", "utf-8")
    (made / "plain.html").write_text("<title>Plain &amp; simple</title><p>No markup.", "utf-8")
    return made


def of_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> set[Row]:
    capsys.readouterr()
    main(["validate", str(folder), "--format", "json", "--fail-on", "never", "--quiet"])
    report = json.loads(capsys.readouterr().out)
    return {
        (Path(file["path"]).name, each["severity"], each["rule"], each["message"], each["line"], each["column"])
        for file in report["files"]
        for each in file["findings"]
        if each["severity"] != "info" and each["rule"] not in ELSEWHERE
    }


def opened(page: Any, address: str, files: list[Path]) -> Any:
    page.goto(address)
    page.wait_for_selector("#file", state="attached")
    page.set_input_files("#file", [str(file) for file in files])
    until(page, "Boolean(document.querySelector('.folder-view table, .folder-view .note'))")
    return page


def downloaded(page: Any, name: str) -> str:
    with page.expect_download() as found:
        page.get_by_role("button", name=name).click()
    return str(found.value.path().read_text("utf-8-sig"))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def of_browser(page: Any) -> set[Row]:
    found = set()
    for each in rows(downloaded(page, "CSV")):
        # A quote before what a spreadsheet would run.
        message = each["message"][1:] if re.match("'[=+@-]", each["message"]) else each["message"]
        if each["severity"]:
            found.add((each["file"], each["severity"], each["rule"], message, int(each["line"]), int(each["column"])))
    return found


def test_a_worker_finds_what_the_command_line_finds(
    page: Any, served: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(page, f"{served}validate/", sorted(folder.iterdir()))

    assert page.get_attribute(".folder-h", "data-where") == "worker"
    assert "Nothing was sent." in page.inner_text(".folder-line")
    assert of_browser(page) == of_command_line(folder, capsys)


def test_a_folder_is_read_without_a_worker_from_a_disk(
    page: Any, site: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = sorted(folder.iterdir())[::10]
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    opened(page, f"{site.as_uri()}/validate/index.html", files)

    assert page.get_attribute(".folder-h", "data-where") == "page"
    assert of_browser(page) == of_command_line(tmp_path, capsys)


def made(folder: Path, number: int) -> list[Path]:
    """Pages of two templates, a fifth of them with an error of one cause."""
    for n in range(number):
        price = f"{n},50" if n % 10 == 0 else f"{n}.50"
        product = f'"Product", "offers": {{"@type": "Offer", "priceCurrency": "EUR", "price": "{price}"}}'
        kind = '"Article", "headline": "Thing"' if n % 2 else product
        markup = f'{{"@context": "https://schema.org", "@type": {kind}, "name": "Thing {n}"}}'
        (folder / f"page-{n:03}.html").write_text(
            f'<title>Thing {n} &lt;{HOSTILE if n == 0 else n}&gt;</title><link rel="canonical" href="https://shop.example.com/{n}">'
            f'<script type="application/ld+json">{markup}</script>',
            "utf-8",
        )  # fmt: skip
    return sorted(folder.iterdir())


def test_five_hundred_files_are_one_table(page: Any, served: str, tmp_path: Path) -> None:
    requests: list[str] = []
    opened_at = f"{served}validate/"
    page.on("request", lambda request: requests.append(f"{request.method} {request.url}"))
    opened(page, opened_at, made(tmp_path, 500))

    assert page.inner_text(".folder-line") == "500 files checked: 50 with errors, by 1 cause. Nothing was sent."
    first = page.locator(".folder-view tbody tr").first.inner_text()
    assert "is not a plain number" in first
    assert re.search(r"\b50\b", first)
    page.check("input[value=templates]", force=True)
    assert "Product in JSON-LD" in page.inner_text(".folder-view")
    page.check("input[value=pages]", force=True)
    page.select_option(".folder-tools select", "error")
    page.fill("#folder-filter", "thing 490")
    until(page, "document.querySelectorAll('.folder-view tbody tr').length === 1")
    page.locator(".folder-view .place").click()
    until(page, "document.querySelector('.outcome .lede').textContent.includes('keeps this page')")
    assert all(each.startswith("GET ") and each.removeprefix("GET ").startswith((served, "blob:")) for each in requests)


def test_the_report_of_a_folder_names_its_pages(page: Any, served: str, tmp_path: Path) -> None:
    opened(page, f"{served}validate/", made(tmp_path, 12))

    table, report = downloaded(page, "CSV"), downloaded(page, "HTML report")

    assert {each["address"] for each in rows(table)} == {f"https://shop.example.com/{n}" for n in range(12)}
    assert "https://shop.example.com/10" in report
    assert "Thing 10 " in report
    assert "page-010.html" in report
    assert HOSTILE not in report
    assert "<script" not in report


def test_reading_a_folder_can_be_cancelled(page: Any, served: str, tmp_path: Path) -> None:
    files = made(tmp_path, 400)
    page.goto(f"{served}validate/")
    page.wait_for_selector("#file", state="attached")
    # Cancelled as soon as the button is there, however fast the machine is.
    page.evaluate(
        "new MutationObserver(() => document.querySelector('.folder-h button')?.click())"
        ".observe(document.body, { childList: true, subtree: true })"
    )
    page.set_input_files("#file", [str(file) for file in files])
    until(page, "document.querySelector('.folder-line')?.textContent.startsWith('Cancelled after ')")

    assert page.locator(".folder-h progress").count() == 0


def test_a_text_that_a_spreadsheet_would_run_is_quoted(page: Any, served: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text("<title>=1+1, &quot;two&quot;</title>", "utf-8")
    opened(page, f"{served}validate/", sorted(tmp_path.iterdir()))

    assert {each["title"] for each in rows(downloaded(page, "CSV"))} == {'\'=1+1, "two"'}
