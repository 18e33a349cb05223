"""Where waypost is to be had: named when it is known, never by a placeholder; the terminal is of a real run."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

from waypost import __version__
from waypost.cli import main
from waypost.library import check
from waypost.pages import Settings, render, terminal
from waypost.pages.distribution import Published
from waypost.pages.draft import Source
from waypost.registry import assets, load
from waypost.registry.world import load as load_world

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SOURCE = Source(load(), load_world(), NOW, assets.cases())
REPOSITORY = "https://codeberg.org/fernhill/waypost"


def page(published: Published) -> str:
    files, _ = render(SOURCE, Settings(only="get/", published=published))
    return as_text(files["get/index.html"].decode())


def as_text(markup: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", markup))


@pytest.mark.parametrize(
    ("published", "command"),
    [
        (Published(), "pip install .\n"),
        (Published(REPOSITORY), f"pip install 'waypost @ git+{REPOSITORY}@v{__version__}'"),
        (Published(REPOSITORY, "waypost"), f"pip install waypost=={__version__}"),
        (Published(package="waypost"), f"pip install 'waypost[server,site]=={__version__}'"),
    ],
    ids=["neither", "repository", "both", "package"],
)
def test_the_page_names_what_is_known(published: Published, command: str) -> None:
    text = page(published)

    assert command in text
    assert ("without the name of a published package" in text) == (not any(published))
    assert (".pre-commit-config.yaml" in text) == bool(published.repository)
    assert "git.example" not in text
    assert "error[price-invalid]" in text


def test_every_page_leads_to_it() -> None:
    files, _ = render(SOURCE, Settings(only="rules/price-invalid/"))

    assert 'href="../../get/index.html">Get waypost</a>' in files["rules/price-invalid/index.html"].decode()


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--repository", "https://git.example/someone/waypost", "git.example is a reserved name"),
        ("--repository", "https://example.org/waypost", "example.org is a reserved name"),
        ("--repository", "https://codeberg.org/your-name/waypost", "'your-name' stands for a name"),
        ("--repository", "https://codeberg.org/<owner>/waypost", "is not an address"),
        ("--repository", "waypost", "is not an address"),
        ("--package", "your-package", "is not the name of a package"),
        ("--package", "way post", "is not the name of a package"),
    ],
)
def test_no_placeholder_is_accepted(
    option: str, value: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", option, value, "--output", str(tmp_path / "site")]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "site" / "index.html").exists()


def test_the_configuration_names_repository_and_package(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text(f'[site]\nrepository = "{REPOSITORY}/"\npackage = "other"\n')
    (tmp_path / "waypost.toml").write_text('extends = "shared.toml"\n[site]\npackage = "fernhill-waypost"\n')
    command = ["build", "--config", str(tmp_path / "waypost.toml"), "--only", "/get/", "--output"]

    assert main([*command, str(tmp_path / "site")]) == 0
    assert main([*command, str(tmp_path / "other"), "--package", "kettle-waypost"]) == 0

    text, other = ((tmp_path / folder / "get" / "index.html").read_text("utf-8") for folder in ("site", "other"))
    assert f"pip install fernhill-waypost=={__version__}" in as_text(text)
    assert f'href="{REPOSITORY}"' in text
    assert f"pip install kettle-waypost=={__version__}" in as_text(other)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('repository = "https://git.example/fernhill/waypost"', "site.repository: git.example is a reserved name"),
        ('package = "your-package"', "site.package: 'your-package' is not the name of a package"),
        ("package = 4", "site.package"),
        ('home = "x"', "site"),
    ],
)
def test_a_placeholder_of_the_configuration_is_named_with_its_line(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "waypost.toml").write_text(f"[site]\n\n{line}\n")
    command = ["build", "--config", str(tmp_path / "waypost.toml"), "--output", str(tmp_path / "site")]

    assert main(command) == 2
    output = capsys.readouterr().err
    assert "waypost.toml:3" in output
    assert words in output


def test_the_picture_of_a_terminal_is_what_the_command_prints() -> None:
    text = '<script type="application/ld+json">{"@type": "Product", "name": "<b>Loma</b>"}</script>'
    drawn = terminal.validated("p.html", text, SOURCE.registry, NOW, width=100)

    printed = re.sub(r"</?[ibus]>", "", str(drawn))
    expected = check(text, config=False, now=NOW)
    expected.report.path = "p.html"
    assert unescape(printed).startswith("$ waypost validate p.html\n")
    for finding in expected.errors:
        assert finding.message[:40] in " ".join(unescape(printed).split())
    assert "<b>Loma" not in str(drawn)
