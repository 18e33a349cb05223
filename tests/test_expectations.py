"""Expectations: a run fails where pages lose the types and rich results that a site must have."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.command import Run

from waypost.config_tables import Expect
from waypost.lint.expectations import as_toml

RECIPE = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe",
"name": "Rye bread", "image": "https://example.com/rye.jpg"}</script>"""
NEWS = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle",
"headline": "Rye is back"}</script>"""
EMPTY = "<p>Nothing here.</p>"
Site = Callable[..., None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Writes a configuration, and pages as folder -> texts."""
    monkeypatch.chdir(tmp_path)

    def write(config: str = "", **folders: list[str]) -> None:
        if config:
            (tmp_path / "waypost.toml").write_text(config)
        for folder, pages in folders.items():
            for number, text in enumerate(pages):
                path = tmp_path / "public" / folder / f"{number}.html"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)

    return write


def messages(command: Run, *argv: str) -> list[tuple[str, str]]:
    """(file, message) of the findings about expectations."""
    report = json.loads(command("validate", *argv, "--json", "--quiet").out)
    return [
        (file["path"], finding["message"])
        for file in report["files"]
        for finding in file["findings"]
        if finding["rule"] == "profile-not-found"
    ]


SHARE = '[[expect]]\nfiles = ["public/recipes/**"]\nprofiles = ["google/recipe"]\nshare = 0.9\n'


def test_a_share_that_is_met_has_no_finding(site: Site, command: Run) -> None:
    site(SHARE, recipes=[RECIPE] * 9 + [EMPTY], about=[EMPTY] * 5)

    assert command("validate", "public").status == 0
    assert messages(command, "public") == []


def test_a_template_that_loses_its_markup_fails_the_run(site: Site, command: Run) -> None:
    site("\n" + SHARE, recipes=[RECIPE] + [EMPTY] * 9)

    ran = command("validate", "public")

    assert ran.status == 1
    assert (
        "waypost.toml:2:1: error[profile-not-found]: 1 of 10 pages in public/recipes/** are eligible for recipe "
        "results, 9 are expected; bring the markup back, or lower the expectation"
    ) in ran.out
    assert "see public/recipes/1.html:1:1" in ran.out


def test_pages_that_are_gone_do_not_meet_an_expectation(site: Site, command: Run) -> None:
    site(SHARE, about=[EMPTY])

    assert messages(command, "public") == [("waypost.toml", "there is no page in public/recipes/**; 1 are expected")]


def test_a_subtype_is_of_the_expected_type(site: Site, command: Run) -> None:
    site('[[expect]]\ntypes = ["Article"]\n', news=[NEWS, NEWS])

    assert messages(command, "public") == []


def test_every_page_is_expected_without_a_number(site: Site, command: Run) -> None:
    site('[[expect]]\nfiles = ["public/**"]\n', news=[NEWS, EMPTY])

    assert [message for _, message in messages(command, "public")] == [
        "1 of 2 pages in public/** have structured data, 2 are expected"
    ]


def test_a_number_counts_over_all_pages(site: Site, command: Run) -> None:
    site('[[expect]]\ntypes = ["Recipe"]\nat-least = 3\n', recipes=[RECIPE] * 2, about=[EMPTY] * 2)

    assert [message for _, message in messages(command, "public")] == [
        "2 of 4 pages in ** have an item of type Recipe, 3 are expected"
    ]


def test_a_part_of_the_pages_has_no_share(site: Site, command: Run) -> None:
    site(SHARE, recipes=[RECIPE] * 9 + [EMPTY])

    assert messages(command, "public/recipes/9.html") == []


def test_a_single_page_must_have_what_every_page_has(site: Site, command: Run) -> None:
    site(SHARE.replace("0.9", "1"), recipes=[RECIPE, EMPTY])

    assert [message for _, message in messages(command, "public/recipes/1.html")] == [
        "0 of 1 pages in public/recipes/** are eligible for recipe results, 1 are expected"
    ]


def test_the_configuration_sets_the_severity(site: Site, command: Run) -> None:
    site('rules = {profile-not-found = "warning"}\n' + SHARE, recipes=[EMPTY] * 3)

    assert command("validate", "public").status == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("share = 1.5", "expect[0].share: 1.5 is not above 0 and up to 1"),
        ("at-least = 0", "expect[0].at-least: 0 is less than one"),
        ('profiles = ["google/recipes"]', "expect[0].profiles: there is no profile named 'google/recipes'"),
        ("minimum = 3", "there is no key 'minimum' in expect[0]"),
    ],
)
def test_an_impossible_expectation_names_its_place(site: Site, command: Run, line: str, message: str) -> None:
    site(f"[[expect]]\n{line}\n", recipes=[RECIPE])

    ran = command("validate", "public")

    assert ran.status == 2
    assert message in ran.err


def test_what_is_learned_is_met_and_guards_the_site(site: Site, command: Run, tmp_path: Path) -> None:
    site(recipes=[RECIPE] * 9 + [EMPTY], news=[NEWS] * 4, about=[EMPTY] * 7, more=[EMPTY, EMPTY, EMPTY, RECIPE])

    assert command("expect", "public", "--learn", "--write").status == 0

    learned = tomllib.loads((tmp_path / "waypost.toml").read_text())["expect"]
    assert {each["files"][0]: each["share"] for each in learned} == {"public/news/**": 1, "public/recipes/**": 0.9}
    assert command("expect", "public").status == 0
    assert command("validate", "public").status == 0
    site(recipes=[EMPTY] * 2)
    printed = command("expect", "public")
    assert printed.status == 1
    assert "NOT MET: 7 of 10 pages in public/recipes/** are eligible for recipe results, 9 are expected" in printed.out


def test_rare_results_are_learned_as_a_number(site: Site, command: Run) -> None:
    site(mixed=[RECIPE] * 20 + [EMPTY] * 40)

    (learned,) = tomllib.loads(command("expect", "public", "--learn").out)["expect"]

    assert learned == {"files": ["**"], "profiles": ["google/recipe"], "at-least": 18}


def test_learned_tables_are_added_below_a_configuration(site: Site, command: Run, tmp_path: Path) -> None:
    site('fail-on = "warning"', recipes=[RECIPE] * 3)

    command("expect", "public", "--learn", "--write")

    text = (tmp_path / "waypost.toml").read_text()
    assert text.startswith('fail-on = "warning"\n\n[[expect]]\n')
    assert tomllib.loads(text)["fail-on"] == "warning"


NAMES = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=20)


@given(st.lists(NAMES, min_size=1, max_size=3), st.lists(NAMES, max_size=2), st.integers(1, 10**6), st.integers(1, 100))
def test_written_tables_are_read_with_equal_values(files: list[str], types: list[str], number: int, share: int) -> None:
    text = "".join(as_toml([Expect(tuple(files), tuple(types), at_least=number, share=share / 100)]))

    (read,) = tomllib.loads(text)["expect"]

    assert (read["files"], read.get("types", [])) == (files, types)
    assert (read["at-least"], read["share"]) == (number, share / 100)


@pytest.mark.parametrize(
    ("argv", "status"),
    [(("public",), 0), (("public/about",), 1), (("public/about/0.html",), 1), (("public/news/0.html",), 0)],
)
def test_a_run_without_structured_data_fails_on_request(
    site: Site, command: Run, argv: tuple[str], status: int
) -> None:
    site(about=[EMPTY] * 2, news=[NEWS])

    ran = command("validate", *argv, "--fail-on-empty")

    assert ran.status == status
    assert ("--fail-on-empty" in ran.err) is bool(status)


def test_pages_of_a_folder_without_a_named_profile_are_counted(site: Site, command: Run) -> None:
    site(recipes=[RECIPE] + [EMPTY] * 9)

    ran = command("validate", "public", "--profile", "google/recipe")

    assert ran.status == 0
    assert "google/recipe: nothing for it on 9 of 10 pages, such as public/recipes/1.html" in ran.err
