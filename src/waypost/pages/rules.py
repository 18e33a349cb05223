"""Pages of rules and of rich results: the error, the reason, the authority, and the fix."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from waypost import validate
from waypost.errors import RegistryError
from waypost.fixes import fix_page
from waypost.models.finding import SEVERITIES, FileReport, Finding
from waypost.models.profile import Profile
from waypost.net.presence import Presence
from waypost.pages import links
from waypost.pages.conditions_text import entries
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import group_of, heading_id, rule_groups
from waypost.pages.heads import draft
from waypost.pages.site_rules import current_rules
from waypost.pages.text import coloured, documentation, prose
from waypost.reader import read_data, read_page
from waypost.registry import Registry, assets
from waypost.validate.rulebook import Rule
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
    text   plain text; empty for an example of several pages
    pages  cases of the single pages, titled by file, for an example of several pages
    """

    title: str
    syntax: str
    code: Markup
    findings: list[Finding]
    fix: Markup | str
    text: str = ""
    pages: tuple[Case, ...] = ()


def drafts(source: Source) -> Iterator[Draft]:
    """Drafts of the two indexes, of rules and of profiles."""
    registry = source.registry
    profiles = _profiles_by_rule(registry)
    # Before the index, which shows which rules have a fix.
    pages = [_rule(rule, source, profiles.get(rule.name, [])) for rule in current_rules().values()]
    fixable = {page.values["rule"].name for page in pages if page.values["fixes"]}
    values = {
        "groups": [(name, heading_id(name)) for name in rule_groups()],
        "rules": by_frequency(),
        "met": met(),
        "group_of": lambda name: (group_of(name), heading_id(group_of(name))),
        "fixable": fixable,
        "kind_of": _kind,
    }
    yield draft("rules/", "rules.html", values)
    yield from pages
    yield _profile_index(source)
    for profile in registry.profiles.values():
        yield _profile(profile, source)


def _kind(rule: Rule) -> str:
    """Kind of rule, in the words of the list's filter."""
    if rule.engine:
        return "rich-result"
    if rule.explain:
        return "reading"
    return "site" if rule.check_site else "page" if rule.check_page else "value" if rule.check_value else "thing"


def _profiles_by_rule(registry: Registry) -> dict[str, list[tuple[str, str]]]:
    """(name, heading) of the profiles that report through a rule, by rule."""
    names: dict[str, list[tuple[str, str]]] = {}
    for profile in registry.profiles.values():
        entries_ = [*profile.required, *profile.recommended, *profile.limits]
        for name in sorted({entry.rule or entry.reported_by or "" for entry in entries_} - {""}):
            names.setdefault(name, []).append((profile.name, profile.heading))
    return names


def check_examples(source: Source) -> int:
    """Validate the examples of every page and return the number of examples. The pages reuse the results.

    Raises RegistryError for an example that contradicts its page.
    """
    names = [(rule, "") for rule in current_rules()] + [("", profile) for profile in source.registry.profiles]
    return sum(
        len(cases_of_rule(rule, source, kind) if rule else cases_of_profile(profile, source, kind))
        for rule, profile in names
        for kind in ("bad", "good")
    )


def _rule(rule: Rule, source: Source, profiles: list[tuple[str, str]]) -> Draft:
    bad, good = (cases_of_rule(rule.name, source, kind) for kind in ("bad", "good"))
    body, sources = documentation(rule.doc.partition("\n")[2])
    group = group_of(rule.name)
    return Draft(
        links.rule(rule.name),
        "rule.html",
        rule.title,
        _first_sentence(rule.doc),
        (("Rules", "rules/"),),
        {
            "rule": rule,
            "body": body,
            "source": sources,
            "bad": bad,
            "good": good,
            "group": group,
            "group_id": heading_id(group),
            "profiles": profiles,
            "near": near_rules(rule.name),
            "fixes": [case for case in bad if case.fix],
            "config": coloured(f'[rules]\n"{rule.name}" = "off"\n', "toml"),
            "comment": coloured(f"<!-- waypost-ignore {rule.name}: why it is right here -->", "html"),
            "applies": sorted(rule.applies_to - {"*"}),
            "properties": sorted(rule.properties - {"*"}),
        },
        kind="Rule",
        words=" ".join((*rule.aliases, *sorted(rule.properties - {"*"}))),
        data={
            "name": rule.name,
            "title": rule.title,
            "severity": rule.severity,
            "authority": rule.authority,
            "applies_to": sorted(rule.applies_to),
            "properties": sorted(rule.properties),
            "documentation": rule.doc,
            "profiles": [name for name, _ in profiles],
        },
        structured=(_article(rule),),
    )


def _first_sentence(doc: str) -> str:
    """First sentence below the title, without marks of Markdown."""
    text = " ".join(doc.partition("\n")[2].partition("\nSource")[0].split()).replace("`", "")
    return re.split(r"(?<=[.!?]) (?=[A-Z“\"])", text, maxsplit=1)[0] or doc.partition("\n")[0]


def _article(rule: Rule) -> dict[str, Any]:
    cited = sorted(set(re.findall(r"https?://[^\s,;)]+[^\s,;).]", rule.doc)))
    about = {"headline": rule.title, "alternativeHeadline": rule.name}
    return {"@type": "TechArticle", **about, "inLanguage": "en"} | ({"citation": cited} if cited else {})


@cache
def met() -> dict[str, Any]:
    """Pages on which rules are met and rich results are requested, see benchmarks/met.py."""
    document: dict[str, Any] = json.loads((assets.folder("site") / "met.json").read_text("utf-8"))
    return document


@cache
def by_frequency() -> list[Rule]:
    """Rules, those met on most pages first, then by severity and name."""
    pages = met()["rules"]
    return sorted(
        current_rules().values(),
        key=lambda rule: (-pages.get(rule.name, 0), SEVERITIES.index(rule.severity), rule.name),
    )


@cache
def near_rules(name: str) -> list[Rule]:
    """Rules with the same cause, at most six: about the same properties, or met while reading the same syntax."""
    own = current_rules()[name]
    properties = own.properties - {"*"}
    if not properties:
        same = [rule for rule in by_frequency() if rule.name != name and group_of(rule.name) == group_of(name)]
        return [rule for rule in same if bool(rule.explain) == bool(own.explain) and not rule.properties - {"*"}][:6]

    def shared(rule: Rule) -> float:
        others = rule.properties - {"*"}
        return len(properties & others) / len(properties | others) if others else 0

    near = sorted((rule for rule in by_frequency() if rule.name != name and shared(rule)), key=shared, reverse=True)
    return near[:6]


def _profile_index(source: Source) -> Draft:
    pages = met()["results"]
    order = ("supported", "restricted", "retired")
    profiles = sorted(
        source.registry.profiles.values(), key=lambda p: (order.index(p.status), -pages.get(p.name, 0), p.heading)
    )
    counts = {status: sum(p.status == status for p in profiles) for status in order}
    return Draft(
        "profiles/",
        "profiles.html",
        "Rich results",
        "What Google requires and recommends before it shows a rich result, with sources and dates.",
        (),
        {"profiles": profiles, "counts": counts, "consumer": source.registry.consumers["google"]},
        kind="Index",
        words="profiles google structured data requirements",
    )


def _profile(profile: Profile, source: Source) -> Draft:
    registry = source.registry
    document = registry.document(f"profiles/{profile.name}.json")
    consumer = registry.document("profiles/google.json")
    services = [name for name in (document.get("mapping") or "").split("|") if name in registry.mappings]
    return Draft(
        links.rule(profile.name),
        "profile.html",
        document["heading"],
        f"Required and recommended properties of {', '.join(document['types'])} for this result"
        + (" in Google Search." if profile.name.startswith("google/") else f": {document['title']}."),
        (("Rich results", "profiles/"),),
        {
            "profile": document,
            "notes": prose(document["notes"]) if document.get("notes") else "",
            "required": _known(entries(document.get("required", []), consumer)),
            "recommended": _known(entries(document.get("recommended", []), consumer)),
            "limits": _known(entries(document.get("limits", []), consumer)),
            "bad": cases_of_profile(profile.name, source, "bad"),
            "good": cases_of_profile(profile.name, source, "good"),
            "types": [registry.mappings[name]["x-standard-type"] for name in services],
            "command": coloured(f"waypost validate public/ --profile {profile.name}", "sh"),
        },
        kind="Rich result",
        words=f"{document['name']} {document['title']} {' '.join(document['types'])} {document['status']}",
        structured=(
            {
                "@type": "TechArticle",
                "headline": document["heading"],
                "alternativeHeadline": profile.name,
                "inLanguage": "en",
                "citation": document["doc"],
                "description": f"What the rich result {document['title']} needs.",
            },
        ),
    )


def _known(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [row | {"known": row["rule"] in current_rules()} for row in rows]


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
    return Case(
        _caption(path.stem.removeprefix(f"{kind}-"), number),
        _LANGUAGE[path.suffix],
        _highlighted(data, path.suffix, mine if is_bad else []),
        mine if is_bad else [],
        _fix_as_diff(data, path.suffix, url, source.registry, source.now, rule) if is_bad and rule and with_fix else "",
        _plain(data).rstrip("\n"),
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
        pages.append(Case(name, "", _highlighted(data, ".html", found), found, "", _plain(data).rstrip("\n")))
    title = folder.name.removeprefix(f"{kind}-").replace("-", " ").capitalize()
    return Case(title, "", Markup(), [finding for _, finding in mine], "", "", tuple(pages))


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
def _fix_as_diff(
    data: bytes, ending: str, url: str | None, registry: Registry, now: datetime, rule: str
) -> Markup | str:
    """Change made by `--fix` for a rule, as a coloured diff; empty without a change."""

    def validate_text(text: bytes) -> FileReport:
        return report_of_example(text, ending, url, registry, now)

    report = validate_text(data)
    if not any(finding.rule == rule and finding.fix for finding in report.findings):
        return ""
    # `unsafe`, as the page shows every fix and says which ones guess.
    fixed = fix_page(data, validate_text, unsafe=True, before=report, broken=None)
    if not any(finding.rule == rule for finding in fixed.fixed):
        return ""
    lines = difflib.unified_diff(
        _plain(data).splitlines(), _plain(fixed.data).splitlines(), "page before", "page after", lineterm="", n=2
    )
    # Without the two lines that name the files.
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
