"""Errors and warnings about a configuration name its file and line; a configuration extends files and packages."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from waypost.cli import main
from waypost.formats.toml_lines import line_of, lines_of

PAGE = '{"@context": "https://schema.org", "@type": "Book", "description": ""}'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("a.jsonld", PAGE)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def validate(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    """(exit status, standard error)"""
    capsys.readouterr()
    return main(["validate", *argv]), capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('fail-on = "never"\nprofles = []\n', ":2: there is no key 'profles'; did you mean profiles?"),
        ('[[overides]]\nfiles = ["x"]\n', ":1: there is no key 'overides'; did you mean overrides?"),
        ('\n[[ignore]]\nreason = "x"\n[[ignore]]\nreson = "y"\n', ":5: there is no key 'reson' in ignore[1]"),
        ('[rules]\nempty-value = "off"\nurl-invalid = "of"\n', ":3: rules: 'of' is not a level"),
        ('[rules]\nempty-value = "off"\nurl-invald = "off"\n', ":3: rules: there is no rule"),
        ('profiles = [\n  "google/recipe",\n  "google/recip",\n]\n', ":3: profiles: there is no profile"),
        ('[[overrides]]\nfiles = ["x"]\nmax-warnings = -1\n', ":3: overrides[0].max-warnings: -1"),
        ("[rules]\na = \n", ":2: this is not TOML"),
        ('\nextends = "none.toml"\n', ":2: extends: "),
        ('extends = ["package:no_such_package_of_ours/a.toml"]\n', ":1: extends: there is no package"),
        ('extends = "package:waypost/none.toml"\n', ":1: extends: the package waypost has no file none.toml"),
        ('extends = "package:"\n', ":1: extends: write package:NAME/FILE"),
        ('\n\nextends = "waypost.toml"\n', ":3: extends: "),
    ],
)
def test_error_of_a_configuration_has_its_line(
    text: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("waypost.toml", text)

    status, err = validate(capsys, "a.jsonld")

    assert status == 2
    assert f"{folder / 'waypost.toml'}{place}" in err


def test_a_pyproject_counts_its_own_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("pyproject.toml", '[project]\nname = "x"\n\n[tool.waypost]\nfail-onn = "never"\n')

    assert (
        f"{folder / 'pyproject.toml'}:5: there is no key 'fail-onn'; did you mean fail-on?" in validate(capsys, ".")[1]
    )


def test_a_circle_names_where_each_file_extends(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("waypost.toml", 'extends = "b/base.toml"\n')
    write("b/base.toml", '# base\nextends = "../waypost.toml"\n')

    status, err = validate(capsys, "a.jsonld")

    assert status == 2
    assert "base.toml:2: extends: " in err
    assert "extends itself, by way of waypost.toml and base.toml" in err


def test_a_long_chain_of_files_ends(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(30):
        write(f"{number}.toml", f'extends = "{number + 1}.toml"\n')
    write("waypost.toml", 'extends = "0.toml"\n')

    assert "more than 20 files extend each other" in validate(capsys, "a.jsonld")[1]


def test_a_package_of_python_is_extended(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("site/acme_config/__init__.py", "raise SystemExit('a configuration runs no code')\n")
    write("site/acme_config/waypost.toml", '[rules]\nempty-value = "error"\n')
    monkeypatch.syspath_prepend(str(folder / "site"))
    write("waypost.toml", 'extends = "package:acme-config"\n')

    assert validate(capsys, "a.jsonld") == (1, "")
    assert "acme_config" not in sys.modules


def test_a_package_of_node_is_extended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("node_modules/@acme/config/strict.toml", '[rules]\nempty-value = "error"\n')
    write("web/waypost.toml", 'extends = "package:@acme/config/strict.toml"\n')
    write("web/a.jsonld", PAGE)

    assert validate(capsys, "web/a.jsonld")[0] == 1


def test_what_has_no_effect_is_reported_and_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        "waypost.toml",
        'base-url = "example.com"\n[[overrides]]\nfiles = ["recipe/**", "*.jsonld"]\n[[ignore]]\n'
        'files = ["archive/**"]\nreason = "old"\n',
    )

    status, err = validate(capsys, ".")

    here = folder / "waypost.toml"
    assert status == 0
    assert f"{here}:1: base-url: 'example.com' has no scheme; write https://example.com" in err
    assert f"{here}:3: overrides[0]: no file matches 'recipe/**'" in err
    assert f"{here}:5: ignore[0]: no file matches 'archive/**'" in err
    assert "jsonld" not in err
    assert validate(capsys, ".", "-q") == (0, "")
    assert "recipe" not in validate(capsys, "a.jsonld")[1], "a hook names a few files of many"


def test_a_glob_about_files_elsewhere_in_the_project_is_right(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("waypost.toml", '[[overrides]]\nfiles = ["drafts/**"]\n')
    write("public/a.jsonld", PAGE)
    write("drafts/b.txt", "")

    assert validate(capsys, "public") == (0, "")


def test_a_misnamed_table_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("pyproject.toml", '[tool.other]\n\n[tool.waypst.rules]\nempty-value = "off"\n')

    status, err = validate(capsys, ".")

    assert status == 0
    assert f"{folder / 'pyproject.toml'}:3: the table [tool.waypst] is not read; did you mean [tool.waypost]?" in err


TOML = '''title = """
[not.a.table]
x = 1
"""  # [nor.this]
"a.b" = [
  1, 2,
  # three
  3,
]
[[servers]]
name = 'x' ; [[servers]]
name = "y"
[servers.more]
when = 2026-01-01T00:00:00Z
made = {one = 1, two = [
  {three = 3}]}
'''.replace(" ; ", "\n")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("a.b",), 5),
        (("a.b", 1), 6),
        (("a.b", 2), 8),
        (("servers",), 10),
        (("servers", 0, "name"), 11),
        (("servers", 1), 12),
        (("servers", 1, "name"), 13),
        (("servers", 1, "more", "when"), 15),
        (("servers", 1, "more", "made", "two", 0, "three"), 17),
        (("servers", 1, "more", "none"), 14),
        (("none",), 1),
    ],
)
def test_each_value_of_toml_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert tomllib.loads(TOML)

    assert line_of(lines_of(TOML), path) == line


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('ignore = [\n  {rules = ["url-invalid"], reason = "ü"},\n  {files = ["none"], reason = "x"},\n]\n',
         "waypost.toml:2:3"),
        ('fail-on = "error"\n[[ "ignore" ]] # old\nfiles = ["a.jsonld"]\nrules = ["url-invalid"]\nreason = "x"\n',
         "waypost.toml:2:1"),
    ],
)  # fmt: skip
def test_finding_about_a_table_has_its_place(
    text: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("waypost.toml", text)

    main(["validate", "."])

    assert f"{place}: warning[suppression-unused]" in capsys.readouterr().out
