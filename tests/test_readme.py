"""What the README shows is what happens."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tools import make_readme_pictures, readme_command

from waypost.cli import main
from waypost.cli._program import commands

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


EXAMPLES = re.findall(r"```console\n\$ waypost (.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: block.split()[0])
def test_the_output_it_shows_is_the_output(
    block: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments, _, output = block.partition("\n")
    monkeypatch.chdir(ROOT)
    # Reviews and lists of this machine's user must not decide.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    main(arguments.split())

    assert output.strip() in capsys.readouterr().out


def test_its_first_command_finds_the_printed_findings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (begins,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    arguments = readme_command.command("first").rpartition("waypost ")[2]
    monkeypatch.chdir(ROOT)

    main([*arguments.split(), "--now", "2026-11-20"])

    assert capsys.readouterr().out.startswith(begins)


def test_its_python_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code
    monkeypatch.chdir(ROOT)

    exec(compile(code[1], "README.md", "exec"), {})

    assert "price-invalid" in capsys.readouterr().out


def test_every_command_it_names_is_there() -> None:
    named = set(re.findall(r"`(?:\.venv/bin/)?waypost ([a-z]+)", README))

    assert named
    assert named <= set(commands())


@pytest.mark.parametrize("name", ["first", "service", "curl-validate", "tests"])
def test_its_commands_can_be_found_by_ci(name: str) -> None:
    assert re.search(rf"<!-- command: {name} -->\n+```sh\n.+?\n```", README, re.DOTALL)


def test_every_file_it_names_is_there() -> None:
    named = re.findall(r"`((?:[a-z]+/)*[A-Za-z]+\.(?:md|py))`|\]\(([\w./-]+)\)", README)

    assert named
    for code, link in named:
        assert (ROOT / (code or link)).exists(), code or link


def test_the_page_of_benchmarks_names_each_of_their_scripts() -> None:
    page = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    scripts = [path.name for path in (ROOT / "benchmarks").iterdir() if path.suffix in {".py", ".sh"}]

    assert scripts
    assert [name for name in scripts if name not in page] == []


def test_every_path_of_the_project_in_prose_is_linked() -> None:
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    unlinked = re.findall(r"(?<!\[)`([\w./-]*[./][\w./-]*)`", prose)

    assert not [
        path
        for path in unlinked
        if path not in {".venv", "-"} and not path.startswith("public/") and (ROOT / path).exists()
    ]


def test_its_table_has_exactly_the_packages_extras() -> None:
    section = README.partition("## Extras")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)

    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

    package = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert sorted(named) == sorted(package["optional-dependencies"])


@pytest.mark.parametrize("name", sorted(make_readme_pictures.COMMANDS))
def test_its_pictures_show_what_the_command_prints_today(name: str) -> None:
    picture = ROOT / "docs" / "pictures" / f"{name}.svg"

    assert picture.read_text("utf-8") == make_readme_pictures.draw(make_readme_pictures.COMMANDS[name])
    assert re.search(rf"!\[\w.{{60,}}\]\(docs/pictures/{name}\.svg\)", README), (
        "shown, with a text for those who cannot see it"
    )
