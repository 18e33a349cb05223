"""pytest plugin: a fixture `waypost` that validates the pages of an application.

    def test_the_recipe_page(client, waypost):
        waypost.assert_valid(client.get("/recipes/pie"), profile="google/recipe")

pytest loads the plugin wherever waypost is installed, so the imports of waypost wait for the first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.lint.given import GivenPage
    from waypost.lint.project import Project
    from waypost.models.finding import FileReport, Finding

__all__ = ["Checked", "Waypost"]

_LEVELS = ("error", "warning", "info", "never")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("waypost_profiles", "profiles that every page is checked by, such as google/recipe", "args", [])
    parser.addini("waypost_ignore", "rules and profiles whose findings do not count", "args", [])
    parser.addini("waypost_fail_on", "severity from which a page is not valid: error, warning, info or never")
    parser.addini("waypost_now", "the time that dates are compared with (ISO 8601; default: the current time)")


@pytest.fixture(scope="session")
def waypost(pytestconfig: pytest.Config) -> Waypost:
    """Validator for pages: `check` returns findings, `assert_valid` fails with the location of each finding."""
    return Waypost(pytestconfig)


class Checked(NamedTuple):
    """Result for a page. True for a valid page.

    findings  all findings, in document order.
    counting  findings that make the page invalid.
    text      `counting` with locations, as the command line prints findings.
    """

    findings: Sequence[Finding]
    counting: Sequence[Finding]
    text: str

    def __bool__(self) -> bool:
        return not self.counting

    def __repr__(self) -> str:
        return self.text or f"<Checked: {len(self.findings)} findings, none of which counts>"


class Waypost:
    """Validator for pages, equal to `waypost validate` with the configuration of pytest's root folder."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @cached_property
    def _project(self) -> Project:
        from waypost.lint.project import Project
        from waypost.registry import load

        return Project(load(), home=self._config.rootpath)

    def check(
        self,
        page: Any,
        *,
        profile: str | Sequence[str] = (),
        ignore: str | Sequence[str] = (),
        fail_on: str | None = None,
        url: str | None = None,
        now: datetime | None = None,
    ) -> Checked:
        """Validate a page.

        page     HTML or JSON-LD as string or bytes; a `Path` of a file; dictionaries and lists of JSON-LD; or a
                 response of Django, Flask, httpx, requests, Starlette or another library with the body in `content`
                 or `data`.
        profile  profile to check in full, such as "google/recipe".
        ignore   rules and profiles whose findings do not count.
        fail_on  lowest severity of a finding that counts ("never": no finding counts).
        url      URL of the page, base for links.
        now      time for comparisons with dates.

        Raises ValueError for an unknown name, an empty page, a response with another status than 200, and a string
        that is the path of a page; TypeError for another type of page.
        """
        from waypost.reader.sources import parse_source, with_language

        given = _page_given(page, url)
        where = given.where or "-"
        own = self._project.config(where)
        profiles = self._known_profiles(_names(profile) or tuple(self._config.getini("waypost_profiles")), own)
        ignored = self._known_rules((*_names(ignore), *self._config.getini("waypost_ignore")), own)
        level = self._level(fail_on, given)
        configured = given.where is not None and own.is_source(where)
        source = with_language(given.source, given.where or "", configured=configured)
        page = parse_source(source, given.name, self._project.registry.vocabulary)
        file = self._project.check(page, where, now=now or self._now(), profiles=profiles)
        counting = [
            finding
            for finding in file.findings
            if finding.rule not in ignored
            and finding.profile not in ignored
            and finding.severity in _LEVELS[: level + 1]
        ]
        return Checked(tuple(file.findings), tuple(counting), self._render(file, counting, given) if counting else "")

    def assert_valid(self, page: Any, **how: Any) -> None:
        """Fail with the location of every finding unless a page is valid. Parameters as in `check`."""
        __tracebackhide__ = True
        checked = self.check(page, **how)
        if not checked:
            raise AssertionError(f"the structured data is not valid\n\n{checked.text}")

    def _level(self, name: str | None, given: GivenPage) -> int:
        """Index of the last severity that counts; -1 for none."""
        setting = self._project.config(given.where or "-").setting("fail_on")
        name = name or self._config.getini("waypost_fail_on") or (setting.value if setting else "error")
        if name not in _LEVELS:
            raise ValueError(f"fail_on: there is no severity {name!r} among {', '.join(_LEVELS)}")
        return -1 if name == "never" else _LEVELS.index(name)

    def _now(self) -> datetime | None:
        text = self._config.getini("waypost_now")
        if not text:
            return None
        try:
            now = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"waypost_now: {text!r} is not a time; write it as 2026-11-20T12:00:00Z") from None
        return now if now.tzinfo else now.replace(tzinfo=UTC)

    def _known_profiles(self, names: Sequence[str], own: Config) -> tuple[str, ...]:
        return self._known("profile", names, [*self._project.registry.profile_names, *(each.name for each in own.own)])

    def _known_rules(self, names: Sequence[str], own: Config) -> frozenset[str]:
        from waypost.validate.rulebook import former_names, rule_names

        former = former_names()
        more = (*own.own_rules, *(each.name for each in own.own))
        known = self._known("rule or profile", names, [*rule_names(), *self._project.registry.profile_names, *more])
        return frozenset(former.get(name, name) for name in known)

    @staticmethod
    def _known(kind: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        from waypost.lint.names import why_unknown

        if why := why_unknown(kind, names, known):
            raise ValueError(why)
        return tuple(names)

    def _render(self, file: FileReport, counting: list[Finding], given: GivenPage) -> str:
        from msgspec import structs

        from waypost.lint.texts import source_of
        from waypost.report import View, render
        from waypost.validate import build_report

        counted = structs.replace(file, findings=counting, suppressed=[])
        result = build_report([counted], self._project.registry)
        return (
            render(result, "text", View(read=lambda _: source_of(given.source), verbose=True, quiet=True)).rstrip()
            + "\n"
        )


def _page_given(page: Any, url: str | None) -> GivenPage:
    """Page from any of the accepted types, neither empty nor named by a string. Raises TypeError and ValueError."""
    from waypost.lint.given import given_page, is_path

    if isinstance(page, str) and is_path(page):
        raise ValueError(f"{page!r} is the path of a page, not a page; give Path({page!r}) or the page's text")
    given = given_page(page, url)
    if not given.source.data.strip() or page in ({}, []):
        raise ValueError(f"{given.name} is empty: there is nothing to check")
    return given


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
