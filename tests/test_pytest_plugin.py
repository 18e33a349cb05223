"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

# Loaded before a run inside this one begins, because pytester forgets at its end what was loaded in it.
import waypost.lint.project
import waypost.report.text  # noqa: F401

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parent.parent

PAGE = """
PAGE = '''<!doctype html>
<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "DiscussionForumPosting", "author": {"@type": "Person", "name": "Ada"},
"text": "Rye", "Headline": "Rye", "datePublished": "2026-02-31"}
</script>'''
"""


@pytest.fixture
def ran(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "waypost.pytest_plugin")
    return pytester


def passes(ran: pytest.Pytester, body: str, *lines: str) -> None:
    """Run one test that is expected to pass."""
    ran.makepyfile(PAGE + body)
    result = ran.runpytest_inprocess(*lines)
    result.assert_outcomes(passed=1)


def test_a_page_with_errors_fails_with_their_places(ran: pytest.Pytester) -> None:
    ran.makepyfile(PAGE + "def test_page(waypost):\n    waypost.assert_valid(PAGE)\n")

    result = ran.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*the structured data is not valid",
            "E*error[[]date-not-in-calendar[]]: *",
            "E*--> the page:4:*",
            'E*4 | *"datePublished": "2026-02-31"}',
            "E*^^^^^^^^^^^^",
        ]
    )
    result.stdout.no_fnmatch_line("*property-wrong-case*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


def test_what_counts_is_chosen_in_the_call(ran: pytest.Pytester) -> None:
    passes(
        ran,
        """
def test_page(waypost):
    assert not waypost.check(PAGE)
    assert waypost.check(PAGE, ignore="date-not-in-calendar")
    assert waypost.check(PAGE, fail_on="never")
    strict = waypost.check(PAGE, fail_on="warning", ignore=["date-not-in-calendar"])
    assert "date-not-in-calendar" not in {each.rule for each in strict.counting}
    assert "property-wrong-case" in strict.text
    recipe = {"@context": "https://schema.org", "@type": "Recipe", "name": "Pie"}
    assert any(each.profile == "google/recipe" for each in waypost.check(recipe, profile="google/recipe").counting)
""",
    )


def test_settings_choose_what_counts_for_all_tests(ran: pytest.Pytester) -> None:
    ran.makeini(
        "[pytest]\nwaypost_ignore = date-not-in-calendar\nwaypost_fail_on = warning\nwaypost_now = 2020-01-01\n"
        "waypost_profiles = google/book-actions"
    )
    passes(
        ran,
        """
def test_page(waypost):
    found = {each.rule for each in waypost.check(PAGE).counting}
    assert "property-wrong-case" in found and "date-not-in-calendar" not in found
    future = PAGE.replace("2026-02-31", "2026-02-28").replace('"DiscussionForumPosting"', '"NewsArticle"')
    assert "date-published-in-future" in {each.rule for each in waypost.check(future).counting}
""",
    )


def test_the_configuration_of_the_project_holds(ran: pytest.Pytester) -> None:
    (ran.path / "waypost.toml").write_text('[rules]\n"date-not-in-calendar" = "off"\n')
    passes(ran, "def test_page(waypost):\n    waypost.assert_valid(PAGE)\n")


def test_a_page_is_taken_as_it_comes(ran: pytest.Pytester) -> None:
    passes(
        ran,
        """
from pathlib import Path
from types import SimpleNamespace

def rules(checked):
    return [each.rule for each in checked.findings]

def test_page(waypost, tmp_path):
    expected = rules(waypost.check(PAGE))
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    head = {"Content-Type": "text/html; charset=utf-8"}
    django = SimpleNamespace(content=PAGE.encode(), headers=head)
    flask = SimpleNamespace(data=PAGE.encode(), headers=head)
    httpx = SimpleNamespace(content=PAGE.encode(), headers={"content-type": "text/html"}, url="http://shop.test/a")
    notes = tmp_path / "notes.md"
    notes.write_text("Notes: " + PAGE.partition("html>")[2])
    for page in (PAGE.encode(), file, django, flask, httpx, notes):
        assert rules(waypost.check(page)) == expected
    data = SimpleNamespace(content=b'{"@context": "https://schema.org", "@type": "Bok"}',
                           headers={"content-type": "application/ld+json"})
    assert rules(waypost.check(data)) == ["unknown-type"]
    assert "http://shop.test/a:4:" in waypost.check(httpx).text
    try:
        waypost.check(7)
    except TypeError as fault:
        assert "not int" in str(fault)
""",
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ('ignore="date-not-in-calender"', "did you mean date-not-in-calendar?"),
        ('profile="recipe"', "did you mean google/recipe?"),
        ('fail_on="fatal"', "no severity 'fatal' among error, warning, info, never"),
    ],
)
def test_a_wrong_name_is_reported_with_the_right_one(ran: pytest.Pytester, call: str, message: str) -> None:
    ran.makepyfile(PAGE + f"def test_page(waypost):\n    waypost.check(PAGE, {call})\n")

    result = ran.runpytest_inprocess()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"E*ValueError: *{message}"])


def test_an_invalid_page_is_rejected_before_it_passes(ran: pytest.Pytester) -> None:
    passes(
        ran,
        """
from types import SimpleNamespace
import pytest

@pytest.fixture(autouse=True)
def moved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.html").write_text(" ")

def test_page(waypost):
    from pathlib import Path
    missing = SimpleNamespace(content=PAGE.encode(), status_code=404, headers={}, url="http://shop.test/a")
    for page, words in (
        ("", "the page is empty"), (b" \\n", "is empty"), ({}, "is empty"), (Path("empty.html"), "empty.html is empty"),
        (SimpleNamespace(content=b"", status_code=200, headers={}), "the response is empty"),
        (missing, "http://shop.test/a has the status 404"),
        (SimpleNamespace(data=PAGE.encode(), status=500, headers={}), "status 500"),
        ("public/index.html", "is the path of a page"), ("a.jsonld", "Path('a.jsonld')"),
        ("https://example.com/", "is a URL; fetch it"),
    ):
        with pytest.raises(ValueError) as refused:
            waypost.check(page)
        assert words in str(refused.value)
    assert waypost.check(missing.content).findings
    assert "profile-not-found" in {each.rule for each in waypost.check(PAGE, profile="google/recipe").counting}
    assert not waypost.check("no markup here").findings
""",
    )


def test_it_costs_nothing_where_it_is_not_used() -> None:
    code = (
        "import sys, pytest\nbefore = set(sys.modules)\nimport waypost.pytest_plugin\n"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('_')))"
    )

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert set(loaded) <= {"waypost", "waypost.pytest_plugin"}


def test_pytest_finds_it_by_its_entry_point() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]

    plugin = import_module(declared["waypost"])

    assert callable(plugin.pytest_addoption)
