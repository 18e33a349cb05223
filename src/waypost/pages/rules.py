"""Pages of rules and of rich results: the error, the reason, the authority, and the fix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from waypost import validate
from waypost.errors import RegistryError
from waypost.extract import read_data, read_page
from waypost.fix import fix_page
from waypost.models.finding import FileReport, Finding
from waypost.models.profile import Profile
from waypost.net.presence import Presence
from waypost.pages import links
from waypost.pages.conditions_text import entries
from waypost.pages.draft import Draft, Source
from waypost.pages.frame import group_of, heading_id, rule_groups
from waypost.pages.text import coloured, documentation, prose
from waypost.registry import Registry
from waypost.validate.rulebook import Rule, rules_by_name
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
    pages = [_rule(rule, source, profiles.get(rule.name, [])) for rule in rules_by_name().values()]
    fixable = {page.title for page in pages if page.values["fixes"]}
    yield Draft(
        "rules/",
        "rules.html",
        "Rules",
        f"{len(pages)} faults that waypost names, each with a page that fails, a page that "
        "passes, and the source it stands on.",
        values={
            "groups": [(name, heading_id(name), rules) for name, rules in rule_groups().items()],
            "count": len(pages),
            "fixable": fixable,
            "profiles": len(registry.profiles),
            "syntaxes": sorted({_kind(rule) for rule in rules_by_name().values()}),
            "kind_of": _kind,
        },
        kind="Index",
        words="faults errors warnings lint",
    )
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


def _profiles_by_rule(registry: Registry) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for profile in registry.profiles.values():
        entries_ = [*profile.required, *profile.recommended, *profile.limits]
        for name in sorted({entry.rule or entry.reported_by or "" for entry in entries_} - {""}):
            names.setdefault(name, []).append(profile.name)
    return names


def check_examples(source: Source) -> int:
    """Validate the examples of every page and return the number of examples. The pages reuse the results.

    Raises RegistryError for an example that contradicts its page.
    """
    names = [(rule, "") for rule in rules_by_name()] + [("", profile) for profile in source.registry.profiles]
    return sum(
        len(cases_of_rule(rule, source, kind) if rule else cases_of_profile(profile, source, kind))
        for rule, profile in names
        for kind in ("bad", "good")
    )


def _rule(rule: Rule, source: Source, profiles: list[str]) -> Draft:
    bad, good = (cases_of_rule(rule.name, source, kind) for kind in ("bad", "good"))
    body, sources = documentation(rule.doc.partition("\n")[2])
    group = group_of(rule.name)
    return Draft(
        links.rule(rule.name),
        "rule.html",
        rule.name,
        rule.title,
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
            "near": _near(rule.name),
            "fixes": [case for case in bad if case.fix],
            "config": coloured(f'[rules]\n"{rule.name}" = "off"\n', "toml"),
            "comment": coloured(f"<!-- waypost-ignore {rule.name}: why it is right here -->", "html"),
            "applies": sorted(rule.applies_to - {"*"}),
            "properties": sorted(rule.properties - {"*"}),
        },
        kind="Rule",
        words=f"{rule.severity} {rule.authority} {' '.join(rule.aliases)} {' '.join(sorted(rule.properties - {'*'}))}",
        data={
            "name": rule.name,
            "title": rule.title,
            "severity": rule.severity,
            "authority": rule.authority,
            "applies_to": sorted(rule.applies_to),
            "properties": sorted(rule.properties),
            "documentation": rule.doc,
            "profiles": profiles,
        },
        structured=(_article(rule.name, rule.title, rule.doc),),
    )


def _article(name: str, title: str, doc: str) -> dict[str, Any]:
    cited = sorted(set(re.findall(r"https?://[^\s,;)]+[^\s,;).]", doc)))
    return {"@type": "TechArticle", "headline": name, "description": title, "inLanguage": "en"} | (
        {"citation": cited} if cited else {}
    )


@cache
def _near(name: str) -> list[Rule]:
    """Rules under the same heading with a common word in the name, at most six."""
    words = set(name.split("-"))
    siblings = [rule for rule in rule_groups()[group_of(name)] if rule.name != name]
    ranked = sorted(siblings, key=lambda rule: (-len(words & set(rule.name.split("-"))), rule.name))
    return [rule for rule in ranked if words & set(rule.name.split("-"))][:6]


def _profile_index(source: Source) -> Draft:
    profiles = list(source.registry.profiles.values())
    counts = {status: sum(p.status == status for p in profiles) for status in ("supported", "restricted", "retired")}
    return Draft(
        "profiles/",
        "profiles.html",
        "Rich results",
        "What a search engine asks for before it shows a rich result, as data with a dated source.",
        (("Rules", "rules/"),),
        {"profiles": profiles, "counts": counts, "consumer": source.registry.consumers["google"]},
        kind="Index",
        words="profiles google structured data requirements",
    )


def _profile(profile: Profile, source: Source) -> Draft:
    registry = source.registry
    document = registry.document(f"profiles/{profile.name}.json")
    services = [name for name in (document.get("mapping") or "").split("|") if name in registry.mappings]
    return Draft(
        links.rule(profile.name),
        "profile.html",
        profile.name,
        f"What the rich result “{document['title']}” asks of {', '.join(document['types'])}.",
        (("Rules", "rules/"), ("Rich results", "profiles/")),
        {
            "profile": document,
            "notes": prose(document["notes"]) if document.get("notes") else "",
            "required": _known(entries(document.get("required", []))),
            "recommended": _known(entries(document.get("recommended", []))),
            "limits": _known(entries(document.get("limits", []))),
            "bad": cases_of_profile(profile.name, source, "bad"),
            "good": cases_of_profile(profile.name, source, "good"),
            "types": [registry.mappings[name]["x-standard-type"] for name in services],
            "command": coloured(f"waypost validate public/ --profile {profile.name}", "sh"),
        },
        kind="Rich result",
        words=f"{document['title']} {' '.join(document['types'])} {document['status']}",
        structured=(
            {
                "@type": "TechArticle",
                "headline": profile.name,
                "inLanguage": "en",
                "citation": document["doc"],
                "description": f"What the rich result {document['title']} needs.",
            },
        ),
    )


def _known(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [row | {"known": row["rule"] in rules_by_name()} for row in rows]


def _cases(folder: Path, kind: str, source: Source, *, rule: str = "", profile: str = "") -> list[Case]:
    """Cases of a folder, without those that are too long or not UTF-8.

    Raises RegistryError for a case that contradicts its name.
    """
    if not folder.is_dir():
        return []
    if rule and rules_by_name()[rule].check_site:
        return [_site(path, kind, source, rule) for path in sorted(folder.glob(f"{kind}-*")) if path.is_dir()]
    cases: list[Case] = []
    for path in sorted(p for p in folder.iterdir() if p.name.startswith(f"{kind}-") and p.suffix in _LANGUAGE):
        data = path.read_bytes()
        if len(data) > _LONGEST or not _is_utf8(data):
            continue
        # The name of a case decides whether its page has an address, as in tests/test_cases_rules.py.
        url = None if "of-unknown-address" in path.stem else _PAGE_URL
        report = report_of_example(data, path.suffix, url, source.registry, source.now)
        mine = [f for f in report.findings if (rule and f.rule == rule) or (profile and f.profile == profile)]
        if bool(mine) is (kind == "good") and (rule or kind == "bad"):
            does = (
                "says nothing of it"
                if kind == "bad"
                else f"says {mine[0].message!r} at {mine[0].line}:{mine[0].column}"
            )
            raise RegistryError(str(path), f"the page of {rule or profile} shows it as {kind}, and waypost {does}")
        with_fix = kind == "bad" and rule and sum(bool(case.fix) for case in cases) < _MOST_FIXES
        cases.append(
            Case(
                path.stem.removeprefix(f"{kind}-").replace("-", " ").capitalize(),
                _LANGUAGE[path.suffix],
                _highlighted(data, path.suffix, mine if kind == "bad" else []),
                mine if kind == "bad" else [],
                _fix_as_diff(data, path.suffix, url, source.registry, source.now, rule) if with_fix else "",
                _plain(data).rstrip("\n"),
            )
        )
    return cases


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
    fixed = fix_page(data, validate_text, unsafe=True, before=report, broken=None)
    if not any(finding.rule == rule for finding in fixed.fixed):
        return ""
    lines = difflib.unified_diff(
        _plain(data).splitlines(), _plain(fixed.data).splitlines(), "page before", "page after", lineterm="", n=2
    )
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
        start, end = (len(data[:at].decode("utf-8", "replace")) - cut for at in (finding.start, finding.end))
        if start >= (marked[-1][1] if marked else 0) and end > start:
            marked.append((start, end))
    return coloured(text[cut:].rstrip("\n"), "html" if ending == ".html" else "json", tuple(marked))
