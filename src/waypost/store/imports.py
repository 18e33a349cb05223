"""Claims out of files: Related Website Sets, Digital Asset Links, CSV. A file is taken whole or not at all.

Whatever a file says is somebody's word and enters as unreviewed. A set or a link file is the word of the domain
that publishes it, however many claims stand in it.
Sources: github.com/GoogleChrome/related-website-sets (RWS schema) and
developers.google.com/digital-asset-links/v1/statements, read 2026-11-20.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

from waypost.errors import WaypostError
from waypost.formats.text import clip, near
from waypost.models.relationship import RELATIONSHIP_TYPES, Claim, RelationshipType, Scope
from waypost.store.errors import ClaimImportError
from waypost.store.relationships import submit

Format = Literal["related-website-sets", "assetlinks", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
MOST_BYTES = 16 << 20
MOST_CLAIMS = 100_000
MOST_EVIDENCE = 5
_COLUMNS = ("domain", "entity", "type", "url", "statement", "evidence", "origin")
_LONGEST = {"entity": 120, "url": 2000, "statement": 2000, "origin": 120}
_LINK_TYPES: dict[str, RelationshipType] = {
    "delegate_permission/common.get_login_creds": "official_login",
    "delegate_permission/common.handle_all_urls": "official_site",
}

_FAULT = "\0"
"""In the place of a column: why the entry cannot be read."""

Subjects = Callable[[str], tuple[str, Scope]]
"""From a host or a URL to the exact place it names. Raises WaypostError where it names none."""
Entities = Callable[[str], tuple[str, str]]
"""From a name or a domain to the slug and the name of whom it stands for."""


class ImportOptions(NamedTuple):
    """How a file is read: whose claims they become, and what its names and domains mean."""

    submitter: str
    subject_of: Subjects
    entity_of: Entities
    site: str = ""
    organization: str = ""


class Imported(NamedTuple):
    """How many claims a file held, and how many of them were not waiting already."""

    claims: int
    new: int


class _Bad(Exception):
    """One entry cannot be read."""


_Entry = tuple[str, dict[str, str]]
"""Where it stands in the file, and its fields by column name."""


def import_claims(db: sqlite3.Connection, claims: Sequence[Claim], now: int) -> Imported:
    """File all claims in the one transaction this runs in."""
    return Imported(len(claims), sum(submit(db, claim, now).new for claim in claims))


def read_claims(data: bytes, name: str, form: Format | None, reading: ImportOptions) -> list[Claim]:
    """The claims of a file. Raises ClaimImportError, which names every entry that cannot be read."""
    if len(data) > MOST_BYTES:
        raise ClaimImportError(name, [("file", f"it is larger than {MOST_BYTES >> 20} MiB")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise ClaimImportError(name, [(f"byte {fault.start}", "this is no UTF-8")]) from None
    form = form or guess_format(text)
    snapshot = hashlib.sha256(data).hexdigest()
    claims: dict[tuple[str, ...], Claim] = {}
    faults: list[tuple[str, str]] = []
    try:
        for where, fields in _READERS[form](text, reading.site):
            try:
                claim = _claim(fields, form, snapshot, reading)
            except (_Bad, WaypostError) as fault:
                faults.append((where, str(fault)))
            else:
                claims.setdefault((claim.domain, claim.scope, claim.entity, claim.type, claim.origin), claim)
            if len(claims) > MOST_CLAIMS:
                raise _Bad(f"it holds more than {MOST_CLAIMS} claims")
    except _Bad as fault:
        faults.append(("file", str(fault)))
    if not claims and not faults:
        faults.append(("file", "there is no claim in it"))
    if faults:
        raise ClaimImportError(name, faults)
    return list(claims.values())


def guess_format(text: str) -> Format:
    """The form of a file: link files are arrays, sets are objects, all else is CSV."""
    first = text.lstrip()[:1]
    return "assetlinks" if first == "[" else "related-website-sets" if first == "{" else "csv"


def _claim(fields: dict[str, str], form: Format, snapshot: str, reading: ImportOptions) -> Claim:
    if _FAULT in fields:
        raise _Bad(fields[_FAULT])
    for column, most in _LONGEST.items():
        value = fields.get(column, "")
        if len(value) > most:
            raise _Bad(f"{column} is longer than {most} characters")
        if not value.isprintable():
            raise _Bad(f"{column} holds control characters")
    for column in ("domain", "entity"):
        if not fields.get(column):
            raise _Bad(f"{column} is empty")
    kind = next((each for each in RELATIONSHIP_TYPES if each == (fields.get("type") or "official_site")), None)
    if kind is None:
        raise _Bad(f"type {clip(fields['type'])!r} is none of {', '.join(RELATIONSHIP_TYPES)}")
    evidence = tuple(fields.get("evidence", "").split())
    if len(evidence) > MOST_EVIDENCE or any(len(each) > 2000 for each in evidence):
        raise _Bad(f"evidence is at most {MOST_EVIDENCE} addresses, separated by blanks")
    for column, each in (("url", fields.get("url", "")), *(("evidence", address) for address in evidence)):
        if each and not each.startswith(("https://", "http://")):
            raise _Bad(f"{column} is no address of a page")
    domain, scope = reading.subject_of(fields["domain"])
    entity, entity_name = reading.entity_of(fields["entity"])
    return Claim(
        domain=domain,
        scope=scope,
        entity=entity,
        entity_name=entity_name,
        type=kind,
        submitter=reading.submitter,
        origin=fields.get("origin") or reading.submitter,
        source=form,
        url=fields.get("url", ""),
        statement=fields.get("statement", ""),
        evidence=evidence,
        snapshot=snapshot,
        organization=reading.organization,
    )


def _csv(text: str, _site: str) -> Iterator[_Entry]:
    """A header line, then a claim a line. Column names in any order and letter case."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    names: list[str] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = _header(row)
            elif len(row) > len(names):
                yield f"line {rows.line_num}", {_FAULT: "it has more cells than there are columns"}
            else:
                yield f"line {rows.line_num}", dict(zip(names, (cell.strip() for cell in row), strict=False))
    except csv.Error as fault:
        raise _Bad(f"line {rows.line_num}: {fault}") from None


def _header(row: list[str]) -> list[str]:
    names = [cell.strip().casefold() for cell in row]
    for name in names:
        if name not in _COLUMNS:
            meant = near(name, _COLUMNS)
            raise _Bad(f"line 1: unknown column {clip(name)!r}; {_meant(meant)}")
    for name in ("domain", "entity"):
        if name not in names:
            raise _Bad(f"line 1: there is no column {name!r}; the first line names the columns")
    if len(set(names)) < len(names):
        raise _Bad("line 1: a column is named twice")
    return names


def _meant(found: list[str]) -> str:
    return f"did you mean {' or '.join(found)}?" if found else f"there are {', '.join(_COLUMNS)}"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as fault:
        raise _Bad(f"line {fault.lineno}, column {fault.colno}: {fault.msg.lower()}") from None
    except RecursionError:
        raise _Bad("it is nested too deeply") from None
    except ValueError:
        raise _Bad("it holds a number without end") from None


def _related_website_sets(text: str, _site: str) -> Iterator[_Entry]:
    """One set, or a list of them under `sets`: each member is claimed to be its primary's."""
    document = _json(text)
    if not isinstance(document, dict):
        raise _Bad("this is no object")
    whole = "sets" in document
    sets = document["sets"] if whole else [document]
    if not isinstance(sets, list):
        raise _Bad("`sets` is no list")
    for number, each in enumerate(sets):
        at = f"/sets/{number}" if whole else ""
        primary = each.get("primary") if isinstance(each, dict) else None
        if not isinstance(primary, str):
            yield f"{at}/primary", {_FAULT: "this is no domain"}
            continue
        reasons = each.get("rationaleBySite")
        for where, member in _members(each):
            site = member if isinstance(member, str) else ""
            why = reasons.get(site, "") if isinstance(reasons, dict) else ""
            fields = {"domain": site, "entity": primary, "origin": _host(primary)}
            yield f"{at}{where}", fields | ({"statement": _flat(why)} if isinstance(why, str) else {})


def _members(each: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("associatedSites", "serviceSites"):
        listed = each.get(key, [])
        if not isinstance(listed, list):
            yield f"/{key}", None
            continue
        yield from ((f"/{key}/{n}", member) for n, member in enumerate(listed))
    variants = each.get("ccTLDs", {})
    if not isinstance(variants, dict):
        yield "/ccTLDs", None
        return
    for base, listed in variants.items():
        key = clip(base).replace("~", "~0").replace("/", "~1")
        if isinstance(listed, list):
            yield from ((f"/ccTLDs/{key}/{n}", member) for n, member in enumerate(listed))
        else:
            yield f"/ccTLDs/{key}", None


def _assetlinks(text: str, site: str) -> Iterator[_Entry]:
    """Statements of one site about others; apps have no domain and are passed over."""
    if not site:
        raise _Bad("an assetlinks file does not say whose it is; name its site with --site")
    document = _json(text)
    if not isinstance(document, list):
        raise _Bad("this is no list of statements")
    for number, each in enumerate(document):
        target = each.get("target") if isinstance(each, dict) else None
        if not isinstance(target, dict):
            yield f"/{number}/target", {_FAULT: "this is no target"}
        elif target.get("namespace") == "web":
            other, relations = target.get("site"), each.get("relation")
            known = [_LINK_TYPES[r] for r in relations if r in _LINK_TYPES] if _texts(relations) else []
            for kind in known or ["official_site"]:
                fields = {"domain": other if isinstance(other, str) else "", "entity": site, "type": str(kind)}
                yield f"/{number}/target/site", fields | {"origin": _host(site)}


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _host(site: str) -> str:
    """How the publisher of a claim is called: its host and nothing else, so that two of its files are one origin."""
    place = re.sub(r"^https?:[/\\]*", "", site.strip().casefold())
    return re.split(r"[/\\?#]", place, maxsplit=1)[0].rpartition("@")[2][:120]


def _flat(text: str) -> str:
    return clip(text, 2000)


_READERS: dict[Format, Callable[[str, str], Iterator[_Entry]]] = {
    "related-website-sets": _related_website_sets,
    "assetlinks": _assetlinks,
    "csv": _csv,
}
