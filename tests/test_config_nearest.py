"""The nearest configuration counts for each file, in one run over several packages and on every interface."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import waypost
from waypost.cli import main, watch
from waypost.lint.project import Project
from waypost.registry import shared_registry

EMPTY = '{"@context": "https://schema.org", "@type": "Book", "description": ""}'


@pytest.fixture
def monorepo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Repository with two packages of opposite settings: `shop` turns a rule off, `blog` makes it an error."""
    monkeypatch.chdir(tmp_path)
    write("shop/waypost.toml", '[rules]\nempty-value = "off"\n')
    write("blog/waypost.toml", '[rules]\nempty-value = "error"\n')
    for name in ("shop/a.jsonld", "blog/deep/b.jsonld", "c.jsonld"):
        write(name, EMPTY)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def report(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, dict[str, list[str]]]:
    """(exit status, path -> severities of `empty-value`)"""
    capsys.readouterr()
    status = main(["validate", *argv, "--json"])
    files: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["files"]
    found = {
        file["path"]: [each["severity"] for each in file["findings"] if each["rule"] == "empty-value"]
        for file in files
    }  # fmt: skip
    return status, found


def both(severities: list[str]) -> dict[str, list[str]]:
    return dict.fromkeys(BOTH, severities)


BOTH = {"shop/a.jsonld": [], "blog/deep/b.jsonld": ["error"]}


def test_two_packages_are_checked_by_their_own_settings(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "shop", "blog") == (1, BOTH)
    assert report(capsys, ".") == (1, BOTH | {"c.jsonld": ["info"]})


def test_processes_know_the_settings_of_each_page(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "shop", "blog", "--jobs", "2") == (1, BOTH)


def test_hooks_name_files_of_several_packages(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("blog/waypost.toml", 'exclude = ["deep/"]\n')

    assert report(capsys, "--force-exclude", "shop/a.jsonld", "blog/deep/b.jsonld") == (0, {"shop/a.jsonld": []})


def test_one_configuration_may_be_named_for_all(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "shop", "blog", "--config", "shop/waypost.toml")[1] == both([])
    assert report(capsys, "shop", "blog", "--no-config")[1] == both(["info"])


def test_a_rule_of_the_command_line_counts_in_every_package(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, "shop", "blog", "--rule", "empty-value=info")[1] == both(["info"])


def test_standard_input_has_the_settings_of_its_name(
    monorepo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(EMPTY.encode())))

    assert report(capsys, "-", "--stdin-name", "blog/new.jsonld")[1] == {"blog/new.jsonld": ["error"]}


def test_each_package_fails_by_its_own_threshold(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("blog/waypost.toml", 'fail-on = "never"\n[rules]\nempty-value = "error"\n')
    assert report(capsys, "shop", "blog")[0] == 0
    assert report(capsys, "shop", "blog", "--fail-on", "error")[0] == 1

    warnings = 'max-warnings = %d\n[rules]\nempty-value = "warning"\n'
    write("blog/waypost.toml", warnings % 0)
    assert report(capsys, "shop", "blog")[0] == 1
    write("blog/waypost.toml", warnings % 1)
    write("shop/waypost.toml", warnings % 1)
    assert report(capsys, "shop", "blog")[0] == 0, "the warnings of a package are counted by themselves"


def test_each_package_has_its_own_baseline(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("blog/waypost.toml", 'baseline = "known.json"\n[rules]\nempty-value = "error"\n')
    write("shop/waypost.toml", 'baseline = "known.json"\n[rules]\nempty-value = "error"\n')

    assert main(["validate", "shop", "blog", "--write-baseline"]) == 0

    assert report(capsys, "shop", "blog") == (0, both([]))
    assert report(capsys, "shop") == (0, {"shop/a.jsonld": []}), "a package alone has the same baseline"
    write("shop/a.jsonld", EMPTY.replace("Book", "Recipe"))
    assert report(capsys, "shop", "blog")[0] == 1


def test_a_package_finds_the_cached_results_of_a_full_run(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report(capsys, "shop", "blog")

    assert Path("shop/.waypost-cache").is_dir()
    assert Path("blog/.waypost-cache").is_dir()
    assert not Path(".waypost-cache").exists()
    assert report(capsys, "shop", "blog") == (1, BOTH)


def test_a_package_has_its_addresses_wherever_it_is_searched_from(
    monorepo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("shop/waypost.toml", 'base-url = "https://shop.example.com/"\n')
    write("shop/a.jsonld", EMPTY.replace('"description": ""', '"url": "/b", "@id": "#it"'))

    for names in (["."], ["shop"], ["shop", "blog"]):
        main(["validate", *names, "--json", "--verbose"])
        rules = {each["rule"] for file in json.loads(capsys.readouterr().out)["files"] for each in file["findings"]}
        assert "id-relative-without-base" not in rules


def test_packages_are_sites_of_their_own(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    company = (
        '{"@context": "https://schema.org", "@type": "Organization", "@id": "https://example.com/#o", "name": "%s"}'
    )
    write("shop/a.jsonld", company % "Shop")
    write("blog/deep/b.jsonld", company % "Blog")

    def rules() -> set[str]:
        main(["validate", "shop", "blog", "--json", "--verbose"])
        return {each["rule"] for file in json.loads(capsys.readouterr().out)["files"] for each in file["findings"]}

    assert not any(rule.startswith("site-") for rule in rules())
    for name in ("shop", "blog"):
        write(f"{name}/waypost.toml", f'base-url = "https://example.com/{name}/"\n')
    assert "site-id-conflicting-values" in rules(), "one host is one site"


def test_an_ignore_of_packages_is_used_if_one_needs_it(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("base.toml", '[[ignore]]\nrules = ["empty-value"]\nreason = "drafts"\n')
    for name in ("shop", "blog"):
        write(f"{name}/waypost.toml", 'extends = "../base.toml"\n')
    write("shop/a.jsonld", EMPTY.replace('""', '"full"'))

    assert report(capsys, "shop", "blog")[0] == 0
    write("blog/deep/b.jsonld", EMPTY.replace('""', '"full"'))
    main(["validate", "shop", "blog"])
    assert capsys.readouterr().out.count("ignores nothing in the 2 pages") == 1


def test_config_prints_the_configuration_of_each_file(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["config", "shop/a.jsonld", "blog/deep/b.jsonld"])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(monorepo / "shop/waypost.toml")
    assert f"  empty-value: off ({monorepo / 'shop/waypost.toml'})" in lines
    assert f"  empty-value: error ({monorepo / 'blog/waypost.toml'})" in lines


def test_python_and_editor_agree_with_the_command_line(monorepo: Path) -> None:
    project = Project(shared_registry(), home=monorepo)
    together = {checked.report.path: checked for checked in waypost.check_pages(["shop", "blog"])}

    for path, severities in BOTH.items():
        for findings in (waypost.check(Path(path)).findings, together[path].findings):
            assert [each.severity for each in findings if each.rule == "empty-value"] == severities
        assert (project.config(path).path or "").endswith(f"{path.partition('/')[0]}/waypost.toml")


def test_a_watch_takes_up_a_new_configuration(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from argparse import ArgumentParser

    parser = ArgumentParser()
    watch.configure(parser)
    watched = watch.Watch(parser.parse_args(["shop", "blog"]))
    watched.begin()
    assert "1 error" in capsys.readouterr().out

    write("blog/deep/waypost.toml", '[rules]\nempty-value = "off"\n')
    assert watched.poll()
    assert "1 error" not in capsys.readouterr().out
    write("blog/deep/waypost.toml", "[rules\n")
    assert not watched.poll()
    assert "is not TOML" in capsys.readouterr().err


def test_a_change_since_a_commit_counts_by_its_package(monorepo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
        subprocess.run([*git, *command], check=True)
    for path in BOTH:
        write(path, EMPTY.replace("description", "abstract"))

    assert report(capsys, ".", "--since", "HEAD") == (1, BOTH)
