"""Checks of the site before writing: links, ids, reachability, and the pages' own structured data."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from urllib.parse import unquote

from waypost.errors import WaypostError
from waypost.registry import Registry

_NAMED = re.compile(r'\b(id|href|src|data-index)="([^"]*)"')
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:")
_MOST_ERRORS = 20


class SiteError(WaypostError):
    """Failed checks of a site, which is then not written. `errors`: file, line and problem, an entry per error."""

    code = "site_refused"

    def __init__(self, errors: list[str]) -> None:
        more = len(errors) - _MOST_ERRORS
        lines = errors[:_MOST_ERRORS] + ([f"and {more} more"] if more > 0 else [])
        super().__init__("\n".join(["the site was not written:", *lines]))
        self.errors = errors


def check(files: Mapping[str, bytes], needed: Iterable[str], root: str = "") -> None:
    """Raise SiteError unless links and fragments lead somewhere, ids are unique and needed addresses are reachable.

    root    root of the links of 404.html on the host
    """
    pages = {name: data.decode() for name, data in files.items() if name.endswith(".html")}
    named = {name: _NAMED.findall(text) for name, text in pages.items()}
    ids = {name: [value for kind, value in found if kind == "id"] for name, found in named.items()}
    places = {name: set(found) for name, found in ids.items()}
    targets: dict[tuple[str, str], tuple[str, str]] = {}
    errors: list[str] = []
    reached: dict[str, set[str]] = {}
    for name, text in pages.items():
        errors += _twice(name, text, ids[name])
        reached[name] = set()
        folder = posixpath.dirname(name)
        for link in dict.fromkeys(value for kind, value in named[name] if kind != "id"):
            if _ABSOLUTE.match(link):
                continue
            # Pages of a folder share most links: checked once. A link without a path leads into the page itself.
            start = name if link.startswith("#") or not link else folder
            if (start, link) not in targets:
                targets[start, link] = _leads(name, link, files, places, root)
            target, wrong = targets[start, link]
            reached[name].add(target)
            if wrong:
                errors += [f"{name}:{line}: the link {link!r} {wrong}" for line in _lines(text, link)]
    # A page that no link leads to would only be found by those who know its address.
    errors += _unreached(reached, needed)
    if errors:
        raise SiteError(errors)


def _leads(name: str, link: str, files: Mapping[str, bytes], ids: Mapping[str, set[str]], root: str) -> tuple[str, str]:
    """Target file of a link, and the problem with the link ("" for none).

    A fragment such as "kind=news" names no element, but is input of the page's script.
    """
    path, _, fragment = link.partition("#")
    if path.startswith("/") and root:
        target = unquote(path.removeprefix(root))
    else:
        # As a browser resolves it (RFC 3986, section 5.2), since links are relative to the page's folder.
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
    if target not in files:
        return target, "leads nowhere"
    if fragment and "=" not in fragment and target in ids and fragment not in ids[target]:
        return target, f"names a place that {target} does not have"
    return target, ""


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _lines(text: str, link: str) -> Iterator[int]:
    """Line numbers of a link on a page."""
    for match in _NAMED.finditer(text):
        if match[1] != "id" and match[2] == link:
            yield _line(text, match.start())


def _twice(name: str, text: str, ids: list[str]) -> Iterator[str]:
    if len(ids) > len(set(ids)):
        for id_, count in Counter(ids).items():
            if count > 1:
                at = text.index(f'id="{id_}"')
                yield f"{name}:{_line(text, at)}: the id {id_!r} is there {count} times"
    if text.count("<h1") != 1:
        yield f"{name}:1: a page has one heading of the first level, not {text.count('<h1')}"


def _unreached(reached: Mapping[str, set[str]], needed: Iterable[str]) -> Iterator[str]:
    seen, waiting = {"index.html"}, ["index.html"]
    while waiting:
        for target in reached.get(waiting.pop(), ()):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    for address in needed:
        file = f"{address}index.html"
        if file not in reached:
            yield f"{file}:1: the registry has an entry for this page, and there is no such page"
        elif file not in seen:
            yield f"{file}:1: no way leads to this page from home"


def check_structured(files: Mapping[str, bytes], registry: Registry, base: str, now: datetime) -> None:
    """Raise SiteError if waypost finds an error or a warning in the structured data of the pages."""
    from waypost.validate import validate_page

    errors: list[str] = []
    for name, data in files.items():
        if not name.endswith("index.html"):
            continue
        address = f"{base or 'https://example.com/'}{name.removesuffix('index.html')}"
        # Our structured data stands in the head; the examples in the body need no second check.
        head = data[: data.index(b"</head>")] + b"</head></html>"
        errors += [
            f"{name}:{finding.line}: {finding.rule}: {finding.message}"
            for finding in validate_page(head, registry, path=name, url=address, now=now).findings
            # Recommended properties are a choice; anything else on our own pages is an error.
            if finding.severity != "info" and finding.rule != "recommended-property-missing"
        ]
    if errors:
        raise SiteError(errors)
