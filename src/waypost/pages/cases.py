"""Cases of rules and rich results as examples of their pages: coloured markup, what waypost reports, and the fix."""

from __future__ import annotations

import difflib
import re
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from waypost import validate
from waypost.errors import RegistryError
from waypost.fixes import fix_page
from waypost.lint.rendering import report_of_rendered
from waypost.models.finding import FileReport, Finding
from waypost.net.presence import Presence
from waypost.pages import feed_cases
from waypost.pages.draft import Source
from waypost.pages.pairs import CODE_LANGUAGES
from waypost.pages.site_rules import current_rules
from waypost.pages.text import coloured
from waypost.reader import read_data, read_page
from waypost.registry import Registry
from waypost.validate.site_facts import facts_of
from waypost.validate.site_rules import check_site

_LANGUAGE = {".html": "HTML", ".json": "JSON-LD", ".jsonld": "JSON-LD"}
_LONGEST = 4000
_MOST_FIXES = 2
_MOST_REPORTS = 4096
_EXPECT = re.compile(r"\A(?:<!-- (?:expect|profile): \S+ -->)+\r?\n?")
_PROFILE = re.compile(rb"<!-- profile: (\S+) -->")
_PAGE_URL = "https://www.example.com/page"


class Case(NamedTuple):
    """Example page that fails or passes, with the locations of the findings.

    code   coloured text, with the findings marked
    fix    repair as a coloured diff
    fixed  plain text after the repair; empty without one
    text   plain text; empty for an example of several pages
    pages  cases of the single pages, titled by file, for an example of several pages
    about  the pages together, in a sentence, for an example of several pages
    """

    title: str
    syntax: str
    code: Markup
    findings: list[Finding]
    fix: Markup | str
    text: str = ""
    pages: tuple[Case, ...] = ()
    fixed: str = ""
    about: str = ""


def _check_case(path: Path, kind: str, findings: list[Finding], name: str) -> None:
    """Check that a bad case has findings, and a good one none. Raises RegistryError."""
    if bool(findings) is (kind == "good"):
        does = (
            f"says {findings[0].message!r} at {findings[0].line}:{findings[0].column}"
            if findings
            else "says nothing of it"
        )
        raise RegistryError(str(path), f"the page of {name} shows it as {kind}, and waypost {does}")


def _cases(folder: Path, kind: str, source: Source, *, rule: str = "", profile: str = "") -> list[Case]:
    """Cases of a folder, without those that are too long or not UTF-8.

    Raises RegistryError for a case that contradicts its name.
    """
    if not folder.is_dir():
        return []
    if rule and current_rules()[rule].check_site:
        return [_site(path, kind, source, rule) for path in sorted(folder.glob(f"{kind}-*")) if path.is_dir()]
    if rule and current_rules()[rule].engine == "rendering":
        return [_rendered(path, kind, source, rule) for path in sorted(folder.glob(f"{kind}-*")) if path.is_dir()]
    if rule and current_rules()[rule].engine == "feeds":
        return [_of_feed(path, kind, source, rule) for path in sorted(folder.glob(f"{kind}-*"))]
    cases: list[Case] = []
    for path in sorted(p for p in folder.iterdir() if p.name.startswith(f"{kind}-") and p.suffix in _LANGUAGE):
        # Too long to read on a page; other encodings are tested, but cannot be shown in a UTF-8 page.
        if len(data := path.read_bytes()) > _LONGEST or not _is_utf8(data):
            continue
        # A few diffs suffice on a page, and each takes some validations.
        with_fix = sum(bool(case.fix) for case in cases) < _MOST_FIXES
        cases.append(_case(path, data, kind, source, len(cases) + 1, rule, profile, with_fix=with_fix))
    return cases


def _case(
    path: Path, data: bytes, kind: str, source: Source, number: int, rule: str, profile: str, *, with_fix: bool
) -> Case:
    """Case of one page. Raises RegistryError where it contradicts its name."""
    # The name of a case decides whether its page has an address, as in tests/test_cases_rules.py.
    url = None if "of-unknown-address" in path.stem else _PAGE_URL
    report = report_of_example(data, path.suffix, url, source.registry, source.now)
    mine = [f for f in report.findings if (rule and f.rule == rule) or (profile and f.profile == profile)]
    is_bad = kind == "bad"
    # A good case of a result may have findings of its profile, such as a recommended property.
    if rule or is_bad:
        _check_case(path, kind, mine, rule or profile)
    has_fix = is_bad and bool(rule) and with_fix
    fixed = _fixed(data, path.suffix, url, source.registry, source.now, rule) if has_fix else ""
    return Case(
        _caption(path.stem.removeprefix(f"{kind}-"), number),
        _LANGUAGE[path.suffix],
        _highlighted(data, path.suffix, mine if is_bad else []),
        mine if is_bad else [],
        _as_diff(_plain(data), fixed) if fixed else "",
        _plain(data).rstrip("\n"),
        fixed=fixed,
    )


def _caption(name: str, number: int) -> str:
    """Caption of a case from its file's name; one word alone would explain nothing."""
    return name.replace("-", " ").capitalize() if "-" in name else f"Example {number}"


def _site(folder: Path, kind: str, source: Source, rule: str) -> Case:
    """Case of several pages, from a folder."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in _LANGUAGE)
    read = tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)
    together = _together(folder, read, source.registry, source.now)
    mine = [(number, finding) for number, finding in together if finding.rule == rule]
    if bool(mine) is (kind == "good"):
        does = f"says {mine[0][1].message!r} at {read[mine[0][0]][0]}" if mine else "says nothing of it"
        raise RegistryError(str(folder), f"the page of {rule} shows it as {kind}, and waypost {does}")
    pages = []
    for number, (name, data) in enumerate(read):
        found = [finding for at, finding in mine if at == number]
        pages.append(Case(name, "HTML", _highlighted(data, ".html", found), found, "", _plain(data).rstrip("\n")))
    about = f"{len(pages)} pages of one site."
    return Case(
        _title(folder, kind), "", Markup(), [finding for _, finding in mine], "", pages=tuple(pages), about=about
    )


def _title(folder: Path, kind: str) -> str:
    """Title of a case that is a folder, from its name."""
    return folder.name.removeprefix(f"{kind}-").replace("-", " ").capitalize()


def _rendered(folder: Path, kind: str, source: Source, rule: str) -> Case:
    """Case of a page as sent and after scripts. Raises RegistryError for a case that contradicts its name."""
    raw, after = ((folder / name).read_bytes() for name in ("raw.html", "rendered.html"))
    report = report_of_rendered(raw, after, source.now)
    mine = [finding for finding in report.findings if finding.rule == rule]
    _check_case(folder, kind, mine, rule)
    found = [finding for finding in mine if finding.page != "rendered"]
    pages = (
        Case("As it is sent", "HTML", _highlighted(raw, ".html", found), mine, "", _plain(raw).rstrip("\n")),
        Case("After its scripts", "HTML", _highlighted(after, ".html", []), [], "", _plain(after).rstrip("\n")),
    )
    return Case(
        _title(folder, kind), "", Markup(), mine, "", pages=pages, about="One page, before and after its scripts."
    )


def _of_feed(folder: Path, kind: str, source: Source, rule: str) -> Case:
    """Case of a feed, and of its page where both are compared. Raises RegistryError where it contradicts its name."""
    found = [each for each in feed_cases.findings_of(folder, source.registry, source.now) if each[1].rule == rule]
    mine = [finding for _, finding in found]
    _check_case(folder, kind, mine, rule)
    feed, pages = feed_cases.files_of(folder)
    text, syntax = feed.read_text("utf-8"), feed_cases.LANGUAGES[feed.suffix]
    marked = feed_cases.ranges_of(text, [finding for path, finding in found if path == feed])
    code = coloured(text.rstrip("\n"), CODE_LANGUAGES[syntax], tuple(marked))
    if not pages:
        return Case(_title(folder, kind), syntax, code, mine, "", text.rstrip("\n"))
    parts = [Case(feed.name, syntax, code, [], "", text.rstrip("\n"))]
    for page in pages:
        data, of_page = page.read_bytes(), [finding for path, finding in found if path == page]
        parts.append(Case(page.name, "HTML", _highlighted(data, ".html", of_page), of_page, "", _plain(data)))
    return Case(
        _title(folder, kind), "", Markup(), mine, "", pages=tuple(parts), about="A feed and the page of its product."
    )


@lru_cache(maxsize=256)
def _together(
    folder: Path, files: tuple[tuple[str, bytes], ...], registry: Registry, now: datetime
) -> list[tuple[int, Finding]]:
    """Findings about a folder of pages as a whole: (number of the page, finding)."""
    pages = [read_page(data, registry.vocabulary, path=name) for name, data in files]
    places = [(str(folder / name), page.url) for (name, _), page in zip(files, pages, strict=True) if page.url]
    facts = [facts_of(page, registry.vocabulary) for page in pages]
    findings = check_site(facts, registry, pages.__getitem__, now=now, is_there=Presence(places).of)
    return [(number, finding) for number, finding, _ in findings]


def cases_of_rule(rule: str, source: Source, kind: str) -> list[Case]:
    """Cases of a rule, "bad" or "good"."""
    folder = source.cases / "rules" / rule
    return _read_once(folder, kind, source, rule=rule)


def cases_of_profile(profile: str, source: Source, kind: str) -> list[Case]:
    """Cases of a rich result, "bad" or "good"."""
    folder = source.cases / "profiles" / profile.replace("/", "-")
    return _read_once(folder, kind, source, profile=profile)


def _read_once(folder: Path, kind: str, source: Source, **of: str) -> list[Case]:
    """Cases of a folder, read once a build."""
    key = (folder, kind)
    if key not in source.read:
        source.read[key] = _cases(folder, kind, source, **of)
    cases: list[Case] = source.read[key]
    return cases


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@lru_cache(maxsize=_MOST_REPORTS)
def report_of_example(data: bytes, ending: str, url: str | None, registry: Registry, now: datetime) -> FileReport:
    """Findings in an example: a page (`ending` ".html") or JSON-LD.

    Cached, because an example stands on the pages of several rules, and a watch renders the pages again and again.
    """
    read = read_page if ending == ".html" else read_data
    page = read(data, registry.vocabulary, path=f"page{ending}", url=url)
    named = _PROFILE.search(data)
    profiles = (named[1].decode(),) if named else ()
    return validate.validate_parsed(page, registry, now=now, profiles=profiles)


@lru_cache(maxsize=_MOST_REPORTS)
def _fixed(data: bytes, ending: str, url: str | None, registry: Registry, now: datetime, rule: str) -> str:
    """Plain text after what `--fix` changes for a rule; empty without a change."""

    def validate_text(text: bytes) -> FileReport:
        return report_of_example(text, ending, url, registry, now)

    report = validate_text(data)
    if not any(finding.rule == rule and finding.fix for finding in report.findings):
        return ""
    # `unsafe`, as the page shows every fix and says which ones guess.
    fixed = fix_page(data, validate_text, unsafe=True, before=report, broken=None)
    return _plain(fixed.data) if any(finding.rule == rule for finding in fixed.fixed) else ""


def _as_diff(before: str, after: str) -> Markup:
    """Change as a coloured diff, without the two lines that name the files."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=2)
    return coloured("\n".join([*lines][2:]), "diff")


def _plain(data: bytes) -> str:
    return _EXPECT.sub("", data.decode("utf-8", "replace"))


def _highlighted(data: bytes, ending: str, findings: list[Finding]) -> Markup:
    """Text of a case as coloured code, with the locations of the findings marked."""
    text = data.decode()
    skipped = _EXPECT.match(text)
    cut = len(skipped[0]) if skipped else 0
    marked: list[tuple[int, int]] = []
    for finding in sorted(findings, key=lambda finding: finding.start):
        # Findings count bytes, the page shows characters.
        start, end = (len(data[:at].decode("utf-8", "replace")) - cut for at in (finding.start, finding.end))
        # Overlapping marks cannot be nested in HTML: the first one is shown.
        if start >= (marked[-1][1] if marked else 0) and end > start:
            marked.append((start, end))
    return coloured(text[cut:].rstrip("\n"), "html" if ending == ".html" else "json", tuple(marked))
