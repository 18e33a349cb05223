"""The command line as a whole, and the commands that look things up."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.command import Ran, Run

from waypost import __version__
from waypost.cli import main
from waypost.cli._program import GROUPS, commands, parser
from waypost.errors import install_command
from waypost.registry import load
from waypost.validate.rulebook import rules_by_name


@pytest.fixture
def run(command: Run) -> Run:
    return command


HEAVY = {
    "litestar", "extruct", "jsonschema", "jsonschema_rs", "jinja2", "asyncio", "rich", "turbohtml", "httpx", "msgspec",
    "argparse", "typing_extensions", "ssl", "sqlite3",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running `code`."""
    code = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_requesting_the_version_loads_nothing_heavy() -> None:
    assert not loaded_by("import waypost.cli") & HEAVY
    assert not loaded_by("from waypost.cli import main\nmain(['--version'])") & HEAVY


def test_validating_a_page_loads_only_what_it_needs(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text('<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe"}</script>')

    loaded = loaded_by(f"from waypost.cli import main\nmain(['validate', {str(page)!r}])")

    assert not loaded & {"litestar", "extruct", "jsonschema", "jinja2", "asyncio", "rich", "httpx", "ssl", "sqlite3"}


def test_the_version_is_printed_alone(run: Run) -> None:
    assert run("--version") == Ran(0, f"{__version__}\n", "")


def test_version_prints_the_digest_that_reports_carry(run: Run) -> None:
    output = json.loads(run("version", "--json").out)

    assert output["version"] == __version__
    assert output["registry_version"] == load().version
    assert output["registry_version"] in run("version").out
    assert {"turbohtml", "msgspec"} <= set(output["packages"])


def test_without_a_command_the_help_is_printed(run: Run) -> None:
    ran = run()

    assert ran.status == 2
    assert "waypost COMMAND --help" in ran.out


@pytest.mark.parametrize("name", commands())
def test_every_command_explains_itself(run: Run, name: str) -> None:
    ran = run(name, "--help")

    assert ran.status == 0
    assert ran.out.startswith(f"usage: waypost {name}")
    assert re.search(rf"^  {name} +\w", run("--help").out, re.MULTILINE)


@pytest.mark.parametrize("name", commands())
def test_commands_help_fits_the_terminal_except_lines_to_copy(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")

    main([name, "--help"])

    about = capsys.readouterr().out.partition("\noptions:")[0]
    prose = [line for line in about.splitlines() if not line.startswith(" ")]
    assert prose
    assert max(map(len, prose)) <= 60


@pytest.mark.parametrize("name", commands())
def test_every_argument_has_a_help(name: str) -> None:
    (group,) = (action for action in parser(name)._actions if isinstance(action.choices, dict))

    for action in group.choices[name]._actions:
        assert action.help, action


def test_a_misspelled_command_is_recognised(run: Run) -> None:
    ran = run("valdiate", "x.html")

    assert ran.status == 2
    assert "did you mean validate?" in ran.err


def test_page_in_the_place_of_a_command_is_recognised(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.touch()

    for name in (str(page), str(tmp_path), "https://example.com/"):
        ran = run(name)

        assert ran.status == 2
        assert f"to check a page, write `waypost validate {name}`" in ran.err


def test_a_missing_step_names_the_steps(run: Run) -> None:
    assert "missing WHAT: create, list, login-link, freeze, unfreeze\n" in run("org").err
    assert "missing SHELL: bash, fish, powershell, zsh\n" in run("completion").err
    assert "missing --out\n" in run("crawl", "pages").err


def test_rules_lists_every_rule_and_profile(run: Run) -> None:
    rows = json.loads(run("rules", "--json").out)

    assert {row["name"] for row in rows if row["kind"] == "rule"} == set(rules_by_name())
    assert len([row for row in rows if row["kind"] == "profile"]) == len(load().below("profiles/google/"))
    assert len(run("rules").out.splitlines()) >= len(rows)


def test_rules_can_be_filtered(run: Run) -> None:
    assert "currency-unknown" in run("rules", "--filter", "ISO 4217").out
    assert run("rules", "--filter", "no such words").out == "no rule or profile has 'no such words' in its line\n"
    assert run("rules", "--filter", "no such words", "--json").out == "[]\n"


@pytest.mark.parametrize("name", sorted(rules_by_name()))
def test_every_rule_can_be_explained(run: Run, name: str) -> None:
    ran = run("rules", name)

    assert ran.status == 0
    assert rules_by_name()[name].title in " ".join(ran.out.split())
    assert rules_by_name()[name].authority in ran.out


def test_every_profile_can_be_explained(run: Run) -> None:
    names = [row["name"] for row in json.loads(run("rules", "--json").out) if row["kind"] == "profile"]

    for name in names:
        ran = run("rules", name)
        assert ran.status == 0
        assert "source" in ran.out
        assert json.loads(run("rules", name, "--json").out)["name"] == name


@pytest.mark.parametrize(
    ("argv", "intended"),
    [
        (("rules", "currency-unkown"), "did you mean currency-unknown"),
        (("rules", "google/recipes"), "did you mean google/recipe"),
        (("rules", "recipe"), "did you mean google/recipe"),
        (("explain", "NewsArticle"), "did you mean google/article"),
        (("rules", "currency"), "did you mean currency-unknown or currency-withdrawn?"),
        (("rules", "?"), "`waypost rules` lists them"),
        (("rulse",), "unknown command 'rulse'; did you mean rules?\n  see `waypost --help`"),
        (("build", "--output", "/dev/null/site"), "--output /dev/null/site: not a directory"),
        (("schema", "NewsArticel"), "did you mean NewsArticle"),
        (("schema", "?"), "`waypost schema` lists them"),
        (("completion", "bsh"), "did you mean bash"),
    ],
)
def test_an_unknown_name_ends_with_two_and_a_suggestion(run: Run, argv: tuple[str, ...], intended: str) -> None:
    ran = run(*argv)

    assert ran.status == 2
    assert intended in ran.err
    assert ran.out == ""


def test_schema_lists_what_it_prints(run: Run) -> None:
    rows: list[dict[str, Any]] = json.loads(run("schema", "--json").out)

    assert {"NewsSnippet", "Unified", "api/report"} <= {row["name"] for row in rows}
    for row in rows:
        assert json.loads(run("schema", row["name"]).out)["$schema"].endswith("2020-12/schema")
        assert row["title"]
        assert row["name"] in run("schema").out


def test_a_type_and_its_snippet_name_one_schema(run: Run) -> None:
    assert run("schema", "NewsArticle") == run("schema", "NewsSnippet")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_knows_every_command_and_option(run: Run, shell: str) -> None:
    script = run("completion", shell).out

    for word in (*commands(), "fail-on", "never", "sarif"):
        assert word in script


def completed(run: Run, tmp_path: Path, *words: str) -> list[str]:
    script = tmp_path / "waypost.bash"
    script.write_text(run("completion", "bash").out)
    line = f"source {script}; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _waypost"
    done = subprocess.run(
        ["bash", "-c", f'{line}; printf "%s\\n" "${{COMPREPLY[@]}}"'], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_bash_completes_commands_options_and_values(run: Run, tmp_path: Path) -> None:
    assert completed(run, tmp_path, "waypost", "val") == ["validate"]
    assert completed(run, tmp_path, "waypost", "validate", "--fail") == ["--fail-on", "--fail-on-empty"]
    assert completed(run, tmp_path, "waypost", "validate", "--format", "sa") == ["sarif"]
    assert completed(run, tmp_path, "waypost", "validate", "--format", "=", "sa") == ["sarif"]
    assert completed(run, tmp_path, "waypost", "validate", "--format", "=")[0] == "text"
    assert completed(run, tmp_path, "waypost", "watch", "--int") == ["--interval"]
    assert completed(run, tmp_path, "waypost", "lsp", "--st") == ["--stdio"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("validate", "--profile", "google/rec"), "google/recipe"),
        (("validate", "--rule", "currency-"), "currency-unknown=off"),
        (("check", "--action", "pay"), "payment"),
        (("check", "--policy", "base"), "baseline-2026-11-20"),
        (("explain", "google/rec"), "google/recipe"),
        (("rules", "currency-"), "currency-unknown"),
        (("schema", "News"), "NewsArticle"),
        (("help", "vali"), "validate"),
    ],
)
def test_bash_completes_the_names_that_the_registry_knows(
    run: Run, tmp_path: Path, words: tuple[str, ...], offered: str
) -> None:
    assert offered in completed(run, tmp_path, "waypost", *words)


def test_bash_completes_subcommands_and_file_names(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known.json").write_text("{}")
    (tmp_path / "two words.html").touch()

    assert completed(run, tmp_path, "waypost", "feeds", "re") == ["remove"]
    assert completed(run, tmp_path, "waypost", "keys", "create", "--lab") == ["--labels"]
    assert completed(run, tmp_path, "waypost", "watch", "kno") == ["known.json"]
    assert completed(run, tmp_path, "waypost", "validate", "--baseline", "kno") == ["known.json"]
    assert completed(run, tmp_path, "waypost", "validate", "two") == ["two words.html"]


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_every_script_is_one_that_its_shell_reads(run: Run, tmp_path: Path, shell: str, check: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out)

    assert subprocess.run([shell, check, str(script)], capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("waypost vali", "validate"),
        ("waypost validate --fail", "--fail-on"),
        ("waypost validate --format sa", "sarif"),
        ("waypost keys ro", "rotate"),
    ],
)
def test_fish_completes_commands_options_and_values(run: Run, tmp_path: Path, line: str, offered: str) -> None:
    script = tmp_path / "waypost.fish"
    script.write_text(run("completion", "fish").out)
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
        capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip

    assert offered in [each.partition("\t")[0] for each in done.stdout.splitlines()]


def test_the_help_lists_every_command_once_in_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0

    output = re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out, re.MULTILINE)
    assert sorted(output) == commands()
    assert {name for group in GROUPS.values() for name in group} <= set(commands())


@pytest.mark.parametrize("name", commands())
def test_the_help_of_every_command_has_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", name]) == 0

    helped = capsys.readouterr().out
    assert re.search(rf"^examples:\n(?:  .*\n)*?  .*waypost {name}\b", helped, re.MULTILINE)
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out == helped


def test_explain_and_rules_agree(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("price-invalid", "google/recipe"):
        assert (main(["explain", name]), main(["rules", name])) == (0, 0)
        output = capsys.readouterr().out
        assert output[: len(output) // 2] == output[len(output) // 2 :]
    assert main(["explain", "no-such-rule"]) == 2


def test_help_about_an_unknown_command_names_the_likely_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "valdate"]) == 2
    assert "did you mean validate?" in capsys.readouterr().err


def test_powershell_completes_commands_options_and_values(run: Run) -> None:
    offered = {
        key: [word.partition("\t")[0] for word in re.findall(r"'((?:[^']|'')*)'", words)]
        for key, words in re.findall(r"(?m)^\$words\['(.*?)'\] = @\((.*)\)$", run("completion", "powershell").out)
    }

    assert offered[""] == [word for word in offered[""] if word in commands()]
    assert set(offered[""]) == set(commands())
    assert "--fail-on" in offered["validate"]
    assert "sarif" in offered["validate --format"]
    assert "google/recipe" in offered["validate --profile"]
    assert "remove" in offered["feeds"]
    assert "--labels" in offered["keys create"]


def test_a_string_of_powershell_ends_where_it_should(run: Run) -> None:
    quote = "['\u2018-\u201b]"  # each of them begins and ends a string (language specification, 2.3.5.2)
    string = rf"'(?:[^'\u2018-\u201b]|{quote}{{2}})*'"
    lines = [line for line in run("completion", "powershell").out.splitlines() if line.startswith("$words[")]

    assert any("user''s" in line for line in lines)
    for line in lines:
        assert re.sub(string, "", line).strip("$words[]=@(), ") == ""


def test_every_command_has_a_complete_manual_page(run: Run) -> None:
    for name in commands():
        page = run("man", name).out
        assert page.startswith(f'.TH "WAYPOST-{name.upper()}" 1 "" "waypost ')
        assert "\n.SH SYNOPSIS\n" in page
        assert "\\-\\-help" in page
    assert "waypost validate" in run("man", "validate").out.partition(".SH EXAMPLES")[2]
    assert all(f"waypost\\-{name}(1)" in run("man").out for name in commands())


def test_the_manual_pages_are_roff_without_a_warning(run: Run, tmp_path: Path) -> None:
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    assert run("man", "--output", str(tmp_path / "man1")).status == 0

    written = sorted((tmp_path / "man1").iterdir())
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-rLL=100n", *map(str, written)], capture_output=True, text=True, check=True
    )

    assert len(written) == len(commands()) + 1
    # A long line that must not be broken is no mistake.
    assert [line for line in done.stderr.splitlines() if "break" not in line and "adjust" not in line] == []
    assert "waypost validate public/" in done.stdout


def test_a_manual_page_of_no_command_is_an_error(run: Run) -> None:
    assert "there is no command 'valdate'" in run("man", "valdate").err


def test_output_without_box_characters_gets_a_card_in_ascii() -> None:
    page = Path(__file__).parent.parent / "examples" / "site" / "shop" / "loma-kettle.html"
    command = [sys.executable, "-m", "waypost", "preview", str(page)]

    run = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=False)

    first, second, *_ = run.stdout.decode("ascii").splitlines()
    assert first == f"+{'-' * (len(first) - 2)}+"
    assert second.startswith("| ")
    assert second.endswith(" |")
    assert len(second) == len(first)


@pytest.mark.parametrize(
    ("words", "extras"),
    [("serve", "server"), ("up", "server,site"), ("build", "site"), ("mcp", "mcp"), ("report x", "crawl")],
)
def test_a_command_without_its_packages_names_its_extras(
    words: str, extras: str, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr("waypost.cli._extras.find_spec", lambda _: None)

    ran = run(*words.split())

    assert ran.status == 2
    assert (
        f"waypost {words.split(maxsplit=1)[0]} needs more packages: {install_command(*extras.split(','))}\n" in ran.err
    )


def test_a_built_site_is_served_without_the_building_packages(
    monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
) -> None:
    monkeypatch.setattr("waypost.cli._extras.find_spec", lambda _: None)
    monkeypatch.setenv("WAYPOST_SITE", str(tmp_path))

    assert install_command("server") in run("up").err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Missing field nonsense", "was never seen: 'nonsense' is not a property"),
        ('Missing field "priec" (in "offers")', "near it: price"),
        ('Missing field "price" (in "offres")', "near it: offers"),
    ],
)
def test_explain_of_an_unknown_property_was_never_seen(run: Run, text: str, words: str) -> None:
    ran = run("explain", text)

    assert ran.status == 2
    assert ran.out == ""
    assert words in ran.err


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "Invalid object type for field 'location'",
            ["google/event  location  critical", "issues/1663", "value-unfit"],
        ),
        ("Invalid object type for field “location”", ["google/event  location  critical", "seen 2026-09-15"]),
        (
            "Missing field hasMerchantReturnPolicy",
            ["google/merchant-listing  offers.hasMerchantReturnPolicy  non-critical"],
        ),
        (
            "Missing field ‘author’ (optional)",
            ["google/discussion-forum  author  critical", "required-property-missing"],
        ),
        ('Missing field "url" (in "author")', ["google/article  author.url  non-critical", "2024-05-05"]),
        ("missing field „address“ (in „location“)", ["google/event  location.address  non-critical", "2026-09-10"]),
        ('Either "offers", "review", or "aggregateRating" should be specified', ["google/product-snippet", "critical"]),
        ("Datetime property 'uploadDate' is missing a time zone", ["google/video  uploadDate  non-critical"]),
        ('Invalid URL in field "id" (in "itemListElement.item")', ["google/breadcrumb", "non-critical", "url-invalid"]),
        ("Date/time not in ISO 8601 format in field 'datePosted'", ["google/job-posting  datePosted  critical"]),
        ("Parsing error: Missing ',' or '}'", ["everywhere   critical", "json-missing-comma"]),
        ("Bad escape sequence in string", ["everywhere   critical", "json-bad-escape"]),
        ("Missing field 'abridged'", ["places       none is known", "required-property-missing"]),
    ],
)
def test_explain_finds_a_message_of_search_console(run: Run, text: str, lines: list[str]) -> None:
    ran = run("explain", text)

    assert ran.status == 0
    assert [line for line in lines if line not in " ".join(ran.out.split("\n"))] == []


def test_explain_shows_a_message_as_json(run: Run) -> None:
    entry = json.loads(run("explain", "Invalid object type for field 'location'", "--json").out)

    assert (entry["kind"], entry["name"]) == ("message", 'Invalid object type for field "location"')
    assert entry["places"][0] == {
        "profile": "google/event", "path": "location", "critical": True, "seen": "2026-09-15",
        "source": "https://github.com/AI-Shipping-Labs/website/issues/1663",
    }  # fmt: skip


def test_explain_helps_where_a_message_is_not_known(run: Run) -> None:
    ran = run("explain", "the page has a strange colour")

    assert ran.status == 2
    assert "nor a message of Search Console; copy the message in English" in ran.err


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ('Fehlendes Feld "image"', 'Missing field "image"'),
        ("Отсутствует поле «offers.price»", 'Missing field "offers.price"'),
        ('Specificare "offers" o "review"', 'Either "offers" or "review" should be specified'),
    ],
)
def test_explain_offers_english_for_other_languages(run: Run, text: str, english: str) -> None:
    ran = run("explain", text)

    assert ran.status == 2
    assert f"in English it may be `waypost explain '{english}'`" in ran.err
