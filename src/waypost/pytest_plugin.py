"""The pytest plugin: a fixture `waypost` that judges what an application answers.

    def test_the_recipe_page(client, waypost):
        waypost.assert_valid(client.get("/recipes/pie"), profile="google/recipe")

It is loaded wherever waypost is installed, so nothing of waypost is imported before the fixture is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from waypost.models.finding import FileReport, Finding
    from waypost.models.page import Page
    from waypost.project import Kind, Project
    from waypost.report import Source

__all__ = ["Checked", "Waypost"]

_SUFFIXES: dict[str, Kind] = {".json": "json", ".jsonld": "json", ".md": "markdown", ".markdown": "markdown"}
_LEVELS = ("error", "warning", "info", "never")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("waypost_profiles", "profiles that every page is judged by, such as google/recipe", "args", [])
    parser.addini("waypost_ignore", "rules and profiles whose findings do not count", "args", [])
    parser.addini("waypost_fail_on", "severity from which a page is not valid: error, warning, info or never")
    parser.addini("waypost_now", "the time that dates are compared with (ISO 8601; default: the current time)")


@pytest.fixture(scope="session")
def waypost(pytestconfig: pytest.Config) -> Waypost:
    """Judges pages: `check` says what is wrong, `assert_valid` fails with the place of each fault."""
    return Waypost(pytestconfig)


class _Asked(NamedTuple):
    """What is to be judged, however it was given. `where`: its file, if it is one."""

    data: bytes
    name: str
    where: str | None
    kind: Kind
    url: str | None
    media_type: str | None


class Checked(NamedTuple):
    """What was found on a page. It is true when nothing counts.

    findings  everything, in document order.
    counting  those that make the page not valid.
    text      these, each with its place in the page, as the command line shows them.
    """

    findings: Sequence[Finding]
    counting: Sequence[Finding]
    text: str

    def __bool__(self) -> bool:
        return not self.counting

    def __repr__(self) -> str:
        return self.text or f"<Checked: {len(self.findings)} findings, none of which counts>"


class Waypost:
    """Judges pages as `waypost validate` would, under the configuration that holds in the root of the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @cached_property
    def _project(self) -> Project:
        from waypost.project import Project
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
        """Judge a page.

        page     text or bytes of HTML or JSON-LD; a `Path` to such a file; dictionaries and lists of JSON-LD; or a
                 response of Django, Flask, httpx, requests, Starlette or whatever has its body in `content` or `data`.
        profile  to judge in full by, such as "google/recipe".
        ignore   rules and profiles whose findings do not count.
        fail_on  the severity from which a finding counts ("never": none does).
        url      the address of the page, against which its links are resolved.
        now      the time that dates are compared with.

        Raises ValueError for a name that waypost does not know, TypeError for what cannot be a page.
        """
        asked = _asked(page, url)
        profiles = self._known_profiles(_names(profile) or tuple(self._config.getini("waypost_profiles")))
        ignored = self._known_rules((*_names(ignore), *self._config.getini("waypost_ignore")))
        level = self._level(fail_on, asked)
        where = asked.where or "-"
        told = self._project.judge(self._read(asked), where, now=now or self._now(), profiles=profiles)
        counting = [
            each
            for each in told.findings
            if each.rule not in ignored and each.profile not in ignored and each.severity in _LEVELS[: level + 1]
        ]
        return Checked(tuple(told.findings), tuple(counting), self._shown(told, counting, asked) if counting else "")

    def assert_valid(self, page: Any, **how: Any) -> None:
        """Fail, with the place of every fault, unless a page is valid. Takes what `check` takes."""
        __tracebackhide__ = True
        checked = self.check(page, **how)
        if not checked:
            raise AssertionError(f"the structured data is not valid\n\n{checked.text}")

    def _read(self, asked: _Asked) -> Page:
        from waypost.project import read

        return read(
            asked.data, asked.kind, self._project.registry, path=asked.name, url=asked.url, media_type=asked.media_type
        )

    def _level(self, given: str | None, asked: _Asked) -> int:
        """The last of the severities that count, by its number; -1 for none."""
        held = self._project.config(asked.where or "-").setting("fail_on")
        name = given or self._config.getini("waypost_fail_on") or (held.value if held else "error")
        if name not in _LEVELS:
            raise ValueError(f"fail_on: there is no severity {name!r} among {', '.join(_LEVELS)}")
        return -1 if name == "never" else _LEVELS.index(name)

    def _now(self) -> datetime | None:
        written = self._config.getini("waypost_now")
        if not written:
            return None
        try:
            made = datetime.fromisoformat(written)
        except ValueError:
            raise ValueError(f"waypost_now: {written!r} is no time; write it as 2026-11-20T12:00:00Z") from None
        return made if made.tzinfo else made.replace(tzinfo=UTC)

    def _known_profiles(self, names: Sequence[str]) -> tuple[str, ...]:
        return _known("profile", names, self._project.registry.profile_names)

    def _known_rules(self, names: Sequence[str]) -> frozenset[str]:
        from waypost.validate.rulebook import former_names, rule_names

        former = former_names()
        known = _known("rule or profile", names, [*rule_names(), *self._project.registry.profile_names])
        return frozenset(former.get(name, name) for name in known)

    def _shown(self, told: FileReport, counting: list[Finding], asked: _Asked) -> str:
        from msgspec import structs

        from waypost.report import View, render
        from waypost.validate import report

        made = report([structs.replace(told, findings=counting, suppressed=[])], self._project.registry)
        return render(made, "text", View(read=lambda _: _source(asked), verbose=True, quiet=True)).rstrip() + "\n"


def _source(asked: _Asked) -> Source:
    from waypost.extract.encoding import decode
    from waypost.models.page import Span
    from waypost.report import Source

    decoded = decode(asked.data, encoding="utf-8") if asked.kind != "html" else decode(asked.data, asked.media_type)
    offset = decoded.places.offset
    return Source(decoded.text, lambda start, end: decoded.places(Span(offset(start), offset(end))))


def _asked(page: Any, url: str | None) -> _Asked:
    """A page from whatever somebody has in hand."""
    if isinstance(page, Path):
        data = page.read_bytes()
        kind = _SUFFIXES.get(page.suffix.lower()) or _kind(data)
        return _Asked(data, str(page), str(page), kind, url, None)
    if isinstance(page, dict | list):
        import msgspec

        return _Asked(msgspec.json.format(msgspec.json.encode(page), indent=2), "JSON-LD", None, "json", url, None)
    if isinstance(page, str):
        return _text(page.encode("utf-8", "replace"), url)
    if isinstance(page, bytes | bytearray):
        return _text(bytes(page), url, None)
    body = getattr(page, "content", None)
    body = getattr(page, "data", None) if body is None else body
    if isinstance(body, str):
        body = body.encode("utf-8", "replace")
    if not isinstance(body, bytes):
        what = type(page).__name__
        raise TypeError(f"a page is text, bytes, a Path, a response, or JSON-LD as dictionaries and lists, not {what}")
    sent = _header(page, "content-type")
    address = str(getattr(page, "url", "") or "")
    named = url or (address if address.startswith(("http://", "https://")) else None)
    return _Asked(body, named or "the response", None, _kind_sent(sent, body), named, sent)


def _text(data: bytes, url: str | None, media_type: str | None = "text/html; charset=utf-8") -> _Asked:
    return _Asked(data, url or "the page", None, _kind(data), url, media_type)


def _header(response: Any, name: str) -> str | None:
    headers = getattr(response, "headers", None)
    try:
        found = headers.get(name) or headers.get(name.title()) if headers is not None else None
    except AttributeError:
        return None
    return found if isinstance(found, str) else None


def _kind(data: bytes) -> Kind:
    return "json" if data.lstrip(b"\xef\xbb\xbf \t\r\n\f")[:1] in {b"{", b"["} else "html"


def _kind_sent(media_type: str | None, data: bytes) -> Kind:
    essence = (media_type or "").partition(";")[0].strip().lower()
    if "html" in essence:
        return "html"
    if essence == "text/markdown":
        return "markdown"
    return "json" if essence == "application/json" or essence.endswith("+json") else _kind(data)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    from waypost.formats.text import near

    for name in names:
        if name not in known:
            meant = near(name, known) or [each for each in known if each.endswith(f"/{name}")]
            hint = f"; did you mean {' or '.join(meant)}?" if meant else "; `waypost rules` lists them"
            raise ValueError(f"there is no {what} named {name!r}{hint}")
    return tuple(names)
