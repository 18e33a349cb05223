"""Import of claims from files: Related Website Sets, Digital Asset Links, CSV. A file is imported whole or not at all.

Imported claims are unreviewed. A set or a link file counts as a single statement of the publishing domain, whatever
the number of claims.
Sources: github.com/GoogleChrome/related-website-sets (RWS schema) and
developers.google.com/digital-asset-links/v1/statements, read 2026-11-20.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, get_args

from waypost.errors import WaypostError
from waypost.formats.text import clip, near
from waypost.models.relationship import RELATIONSHIP_TYPES, Claim, RelationshipType, Scope
from waypost.store.engines import Connection
from waypost.store.errors import ClaimImportError
from waypost.store.relationships import submit

Format = Literal["related-website-sets", "assetlinks", "csv"]
FORMATS: tuple[Format, ...] = get_args(Format)
# A file is read into the memory and imported in one transaction, for which every writer waits.
MAX_BYTES = 16 << 20
MAX_CLAIMS = 100_000
MAX_EVIDENCE = 5
_COLUMNS = ("domain", "entity", "type", "url", "statement", "evidence", "origin")
_LONGEST = {"entity": 120, "url": 2000, "statement": 2000, "origin": 120}
_LINK_TYPES: dict[str, RelationshipType] = {
    "delegate_permission/common.get_login_creds": "official_login",
    "delegate_permission/common.handle_all_urls": "official_site",
}

_PROBLEM = "\0"
"""Key of the reason why an entry is unreadable, in place of the name of a column."""

Subjects = Callable[[str], tuple[str, Scope]]
"""Function from a host or URL to domain and scope. Raises WaypostError for a host without a domain."""
Entities = Callable[[str], tuple[str, str]]
"""Function from a name or a domain to the slug and name of the entity."""


class ImportOptions(NamedTuple):
    """Submitter and organization of the claims, and how domains and names are resolved."""

    submitter: str
    subject_of: Subjects
    entity_of: Entities
    site: str = ""
    organization: str = ""


class Imported(NamedTuple):
    """Number of claims in a file, and number of new claims among the former."""

    claims: int
    new: int


class _EntryError(Exception):
    """Unreadable entry."""


_Entry = tuple[str, dict[str, str]]
"""Location in the file, and fields by column name."""


def import_claims(db: Connection, claims: Sequence[Claim], now: int) -> Imported:
    """Submit claims in the transaction of the caller."""
    return Imported(len(claims), sum(submit(db, claim, now).new for claim in claims))


def read_claims(data: bytes, name: str, form: Format | None, reading: ImportOptions) -> list[Claim]:
    """Claims of a file, without duplicates. Raises ClaimImportError, which lists every unreadable entry."""
    if len(data) > MAX_BYTES:
        raise ClaimImportError(name, [("file", f"it is larger than {MAX_BYTES >> 20} MiB")])
    try:
        # Spreadsheets write a byte-order mark, which would be part of the first column's name.
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ClaimImportError(name, [(f"byte {error.start}", "this is not UTF-8")]) from None
    form = form or guess_format(text)
    # Digest of the file: a second import of the same file adds no claim.
    snapshot = hashlib.sha256(data).hexdigest()
    claims: dict[tuple[str, ...], Claim] = {}
    problems: list[tuple[str, str]] = []
    try:
        for where, fields in _READERS[form](text, reading.site):
            try:
                claim = _claim(fields, form, snapshot, reading)
            except (_EntryError, WaypostError) as error:
                problems.append((where, str(error)))
            else:
                # Two entries may name the same relationship, as a site and as its variant for a country.
                claims.setdefault((claim.domain, claim.scope, claim.entity, claim.type, claim.origin), claim)
            if len(claims) > MAX_CLAIMS:
                raise _EntryError(f"it holds more than {MAX_CLAIMS} claims")
    except _EntryError as error:
        problems.append(("file", str(error)))
    if not claims and not problems:
        problems.append(("file", "there is no claim in it"))
    if problems:
        raise ClaimImportError(name, problems)
    return list(claims.values())


def guess_format(text: str) -> Format:
    """Format of a file: link files are arrays, sets are objects, CSV otherwise."""
    first = text.lstrip()[:1]
    return "assetlinks" if first == "[" else "related-website-sets" if first == "{" else "csv"


def _claim(fields: dict[str, str], form: Format, snapshot: str, reading: ImportOptions) -> Claim:
    if _PROBLEM in fields:
        raise _EntryError(fields[_PROBLEM])
    _check_texts(fields)
    kind, evidence = _type_of(fields), _evidence_of(fields)
    _check_addresses("url", (fields.get("url", ""),))
    _check_addresses("evidence", evidence)
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


def _check_texts(fields: dict[str, str]) -> None:
    for column, most in _LONGEST.items():
        value = fields.get(column, "")
        if len(value) > most:
            raise _EntryError(f"{column} is longer than {most} characters")
        if not value.isprintable():
            raise _EntryError(f"{column} holds control characters")
    for column in ("domain", "entity"):
        if not fields.get(column):
            raise _EntryError(f"{column} is empty")


def _type_of(fields: dict[str, str]) -> RelationshipType:
    """Type of the relationship; a file need not name it for an official site."""
    kind = next((name for name in RELATIONSHIP_TYPES if name == (fields.get("type") or "official_site")), None)
    if kind is None:
        raise _EntryError(f"type {clip(fields['type'])!r} is none of {', '.join(RELATIONSHIP_TYPES)}")
    return kind


def _evidence_of(fields: dict[str, str]) -> tuple[str, ...]:
    evidence = tuple(fields.get("evidence", "").split())
    if len(evidence) > MAX_EVIDENCE or any(len(address) > 2000 for address in evidence):
        raise _EntryError(f"evidence is at most {MAX_EVIDENCE} addresses, separated by blanks")
    return evidence


def _check_addresses(column: str, addresses: Iterable[str]) -> None:
    """Check that reviewers can open the addresses: pages of the web alone."""
    if any(address and not address.startswith(("https://", "http://")) for address in addresses):
        raise _EntryError(f"{column} is not an address of a page")


def _csv(text: str, _site: str) -> Iterator[_Entry]:
    """Entries of CSV: a header with column names in any order and case, then a claim per line."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    names: list[str] = []
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = _header(row)
            elif len(row) > len(names):
                yield f"line {rows.line_num}", {_PROBLEM: "it has more cells than there are columns"}
            else:
                yield f"line {rows.line_num}", dict(zip(names, (cell.strip() for cell in row), strict=False))
    except csv.Error as error:
        raise _EntryError(f"line {rows.line_num}: {error}") from None


def _header(row: list[str]) -> list[str]:
    names = [cell.strip().casefold() for cell in row]
    for name in names:
        if name not in _COLUMNS:
            similar = near(name, _COLUMNS)
            raise _EntryError(f"line 1: unknown column {clip(name)!r}; {_suggestion(similar)}")
    for name in ("domain", "entity"):
        if name not in names:
            raise _EntryError(f"line 1: there is no column {name!r}; the first line names the columns")
    if len(set(names)) < len(names):
        raise _EntryError("line 1: a column is named twice")
    return names


def _suggestion(found: list[str]) -> str:
    return f"did you mean {' or '.join(found)}?" if found else f"there are {', '.join(_COLUMNS)}"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _EntryError(f"line {error.lineno}, column {error.colno}: {error.msg.lower()}") from None
    except RecursionError:
        raise _EntryError("it is nested too deeply") from None
    except ValueError:  # more digits than `int` reads (CPython's limit)
        raise _EntryError("it holds a number without end") from None


def _related_website_sets(text: str, _site: str) -> Iterator[_Entry]:
    """Entries of a single set, or of a list under `sets`: members are claimed for the primary site of the set."""
    document = _json(text)
    if not isinstance(document, dict):
        raise _EntryError("this is not an object")
    whole = "sets" in document
    sets = document["sets"] if whole else [document]
    if not isinstance(sets, list):
        raise _EntryError("`sets` is not a list")
    for number, related in enumerate(sets):
        at = f"/sets/{number}" if whole else ""
        primary = related.get("primary") if isinstance(related, dict) else None
        if not isinstance(primary, str):
            yield f"{at}/primary", {_PROBLEM: "this is not a domain"}
            continue
        reasons = related.get("rationaleBySite")
        for where, member in _members(related):
            site = member if isinstance(member, str) else ""
            why = reasons.get(site, "") if isinstance(reasons, dict) else ""
            fields = {"domain": site, "entity": primary, "origin": _host(primary)}
            yield f"{at}{where}", fields | ({"statement": _flat(why)} if isinstance(why, str) else {})


def _members(related: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key in ("associatedSites", "serviceSites"):
        members = related.get(key, [])
        if not isinstance(members, list):
            yield f"/{key}", None
            continue
        yield from ((f"/{key}/{n}", member) for n, member in enumerate(members))
    variants = related.get("ccTLDs", {})
    if not isinstance(variants, dict):
        yield "/ccTLDs", None
        return
    for base, members in variants.items():
        key = clip(base).replace("~", "~0").replace("/", "~1")
        if isinstance(members, list):
            yield from ((f"/ccTLDs/{key}/{n}", member) for n, member in enumerate(members))
        else:
            yield f"/ccTLDs/{key}", None


def _assetlinks(text: str, site: str) -> Iterator[_Entry]:
    """Entries of the statements of `site` about linked sites; apps have no domain and are skipped."""
    if not site:
        raise _EntryError("an assetlinks file does not say whose it is; name its site with --site")
    document = _json(text)
    if not isinstance(document, list):
        raise _EntryError("this is not a list of statements")
    for number, statement in enumerate(document):
        target = statement.get("target") if isinstance(statement, dict) else None
        if not isinstance(target, dict):
            yield f"/{number}/target", {_PROBLEM: "this is not a target"}
        elif target.get("namespace") == "web":
            # A relation without a meaning here still says that the site links to its own: a plain official site.
            linked, relations = target.get("site"), statement.get("relation")
            known = [_LINK_TYPES[r] for r in relations if r in _LINK_TYPES] if _texts(relations) else []
            for kind in known or ["official_site"]:
                fields = {"domain": linked if isinstance(linked, str) else "", "entity": site, "type": str(kind)}
                yield f"/{number}/target/site", fields | {"origin": _host(site)}


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _host(site: str) -> str:
    """Origin of a publisher's claims: the host only, which gives every file of a publisher the same origin."""
    # Never fetched and not checked: a text that is not a URL becomes an origin of its own.
    place = re.sub(r"^https?:[/\\]*", "", site.strip().casefold())
    return re.split(r"[/\\?#]", place, maxsplit=1)[0].rpartition("@")[2][:120]


def _flat(text: str) -> str:
    return clip(text, 2000)


_READERS: dict[Format, Callable[[str, str], Iterator[_Entry]]] = {
    "related-website-sets": _related_website_sets,
    "assetlinks": _assetlinks,
    "csv": _csv,
}
