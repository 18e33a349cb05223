"""Places below hosts: addresses that redirect elsewhere, and addresses where others than the host's owner publish.

The files are `data/places/redirectors.json` and `data/places/publishers.json`; `schemas/meta/redirectors.schema.json`
and `schemas/meta/publishers.schema.json` describe their members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Generic, Literal, NamedTuple, TypeVar
from urllib.parse import unquote

import msgspec

from waypost.registry.world import World

Kind = Literal["redirect", "copy", "opaque", "own"]
_ALIASES = ("www.", "m.", "mobile.", "touch.", "mbasic.", "old.")
"""First labels that make no difference."""
LANGUAGE_ALIAS = re.compile(
    "(?:ar|at|au|be|bg|br|ca|ch|cn|cs|cz|da|de|dk|el|en|es|et|fi|fr|gb|gr|he|hr|hu|ie|it|ja|jp|ko|kr|lt|lv|mx|nl|no|nz"
    "|pl|pt|ro|ru|se|sk|sl|sr|sv|th|tr|tw|uk|us|vi|zh)(?:-[a-z]{2})?[.]"
)
"""First label for a language or a country: `de.example.com` and `de-at.example.com` are the site in German. Those that
are as often a word (`id`, `my`, `in`, `hi`) are left out."""
_LANGUAGE = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2,4})?(?=/)")
_LONGEST_LANGUAGE = 2
_REGION = re.compile("(?<=^[a-z]{2})[-_][a-z]{2,4}$")
_FILE_ENDING = re.compile(r"\.[a-z]{2,5}$")
_DIGIT = re.compile("[0-9]")
_AROUND_SEGMENT = re.compile(r"(?<=/)[\x00-\x20]+|[\x00-\x20]+(?=/|$)")
_ANYWHERE = re.compile(r"/\*(/[^*?]+)\*")
"""Pattern of a folder anywhere in a path but at its beginning: `/*/thread/*`."""
_MOST_DECODED = 5
_WIKI_SCRIPTS = frozenset({"/", "/w"})
"""Folders of MediaWiki's `index.php` (mediawiki.org/wiki/Manual:Parameters_to_index.php)."""


class Where(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Part of a URL that holds the destination: parameters, rest of the path, whole query or path, or the host."""

    parameters: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    query: bool = False
    path: bool = False
    host: str = ""


class Redirector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Addresses of a host that redirect (`redirect`, `opaque`), copy another page (`copy`), or do neither (`own`).

    when      parameters of which one must be present
    optional  without a destination the address is a page of the host's owner
    read      day on which the source was read; empty where no one has opened it
    """

    hosts: tuple[str, ...]
    paths: tuple[str, ...]
    source: str
    kind: Kind = "redirect"
    at: Where = Where()
    also: Where = Where()
    when: tuple[str, ...] = ()
    encoding: Literal["", "proofpoint-2", "proofpoint-3"] = ""
    optional: bool = False
    read: str = ""

    def applies(self, path: UrlPath, parameters: Iterable[str]) -> bool:
        """Whether an address is among the entry's. `parameters` are names in lower case."""
        if self.when and {name.lower() for name in self.when}.isdisjoint(parameters):
            return False
        return path.matches(self.paths)


DEVICE_SIGN_IN = "device_sign_in"
"""Kind of an address at which a code signs in the device that displays it, whoever has that (RFC 8628, section 5.4)."""


class Publishers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"exceptions": "except"}):
    """Addresses of a host where others publish. `what` is the kind of content: form, shop, payment_link, or
    `device_sign_in`, where others receive a sign-in.

    when   parameters of which one must be present
    names  where a user's name stands: in the text of `*` of a path, or as a label of the host; never a reserved word.
           `code`: a name or a code in a path; on a host without other entries, only a text with a digit
           `digit`: only a text with a digit, on any host
    added  day on which the entry was added, where later than the file's
    read   day on which the source was read; empty where no one has opened it
    """

    what: str
    hosts: tuple[str, ...]
    source: str | tuple[str, ...]
    paths: tuple[str, ...] = ("/*",)
    exceptions: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    names: Literal["", "path", "host", "code", "digit"] = ""
    added: str = ""
    read: str = ""

    def applies(self, path: UrlPath, parameters: Iterable[str], words: Words) -> bool:
        """Whether an address is among the entry's. `parameters` are names in lower case."""
        if self.when and set(self.when).isdisjoint(parameters):
            return False
        if not path.matches(self.paths):
            return False
        with_digit = self.names in {"code", "digit"}
        if (with_digit or self.names == "path") and not path.names_a_user(self.paths, words, code=with_digit):
            return False
        return not path.matches(self.exceptions, inclusive=True)

    @property
    def is_general(self) -> bool:
        """Whether the entry is about all hosts, or every host with a label, and names none that has users."""
        return self.what == DEVICE_SIGN_IN or all(host == "*" or host.endswith(".*.*") for host in self.hosts)

    def is_about(self, host: str, reserved: frozenset[str]) -> bool:
        """Whether a host with the entry is a tenant's, where names stand in the host; else true."""
        if self.names != "host":
            return True
        above = next((each[1:] for each in self.hosts if each.startswith("*.") and host.endswith(each[1:])), "")
        # `www` in front of a tenant's name is still the tenant's.
        return not reserved.issuperset(host.removesuffix(above).split("."))


class Words(NamedTuple):
    """Words that are no one's name, in lower case and without separators.

    reserved   words for names of a site's own hosts: `help.example.com` is not a tenant
    functions  reserved words in a folder of users: `/user/login`
    site       reserved words at the top of a site, next to users' names: `/login`
    """

    reserved: frozenset[str]
    functions: frozenset[str]
    site: frozenset[str]


class UrlPath:
    """Path of a URL as patterns match it: decoded, in lower case, with and without a leading language.

    A pattern with `#` is matched against path and fragment, and by a URL with a fragment alone. `title` is the name
    of a wiki's page in a parameter: `/w/index.php?title=User:X` and `/wiki/User:X` are one page.
    """

    def __init__(self, raw: str, fragment: str = "", title: str = "") -> None:
        # As lenient as servers are: an encoded, doubled or reversed slash still reaches the page.
        text = unquote_fully(raw).lower().replace("\\", "/")
        # RFC 3986, section 3.3: what follows a semicolon in a segment is often a parameter of the segment.
        if ";" in text:
            text = re.sub(";[^/]*", "", text)
        # Servers ignore white space and control characters around a segment, and some resolve `..` only now.
        if "/." in text or _AROUND_SEGMENT.search(text):
            text = _without_dots(_AROUND_SEGMENT.sub("", text))
        if "//" in text:
            text = re.sub("/+", "/", text)
        self.text = text.rstrip("/") or "/"
        self._forms: tuple[str, ...] = (self.text,)
        if language := _LANGUAGE.match(self.text):
            self._forms = (self.text, self.text[language.end() :])
        if title and (self.text in _WIKI_SCRIPTS or self.text.endswith("/index.php")):
            self._forms += (f"/wiki/{unquote_fully(title).strip(' :_').lower().replace(' ', '_')}",)
        self._with_fragment: tuple[str, ...] = ()
        if fragment:
            decoded = unquote_fully(fragment).lower()
            self._with_fragment = tuple(f"{form}#{decoded}" for form in self._forms)

    @property
    def forms(self) -> tuple[str, ...]:
        """Path with and without a leading language."""
        return self._forms

    def names_a_user(self, patterns: Sequence[str], words: Words, *, code: bool = False) -> bool:
        """Whether the segment at the end of a pattern, `/user/*`, is a name and not a reserved word: `/user/login`.

        `code`: a name holds a digit, as `/join/x7k2` and unlike `/join/get-started`.

        A word that a user could have registered is a user's: `/books` next to `/jane` is not a page of the host's own,
        unless the entry says so in `except`. Folders of any name, `/*/*`, are users', except the site's: `/help/x`.
        """
        for pattern in patterns:
            before = pattern.removesuffix("*")
            excluded = words.site if before == "/" else words.functions
            in_any_folder = before != "/" and not before.strip("/*")
            for form in self._forms:
                folder = form[1:].partition("/")[0]
                if in_any_folder and len(folder) > _LONGEST_LANGUAGE and folder.replace("-", "") in words.site:
                    continue
                if name := _segment_behind(before, form):
                    # An ending of a file counts for nothing, and a region as in `en-us` only behind its language.
                    bare = _REGION.sub("", _FILE_ENDING.sub("", name)).replace("-", "").replace("_", "")
                    if bare not in excluded and (not code or _DIGIT.search(bare)):
                        return True
        return False

    def matches(self, patterns: Sequence[str], *, inclusive: bool = False) -> bool:
        """Whether a pattern matches. `inclusive`: `/x/*` matches `/x` too."""
        kinds = _sorted(tuple(patterns), inclusive=inclusive)
        for form in self._forms:
            if form in kinds.exact or form.startswith(kinds.beginnings):
                return True
            if form.startswith("/"):
                if kinds.folders and not kinds.folders.isdisjoint(form.split("/")[2:-1]):
                    return True
                for piece in kinds.inner:
                    if form.find(piece, 1) > 0:
                        return True
            for other in kinds.others:
                if other.fullmatch(form):
                    return True
        return any(each.fullmatch(form) for form in self._with_fragment for each in kinds.with_fragment)


def _segment_behind(before: str, path: str) -> str:
    """Segment of a path behind a text, in which `*` stands for any text; empty for none."""
    if "*" not in before:
        return path[len(before) :].partition("/")[0] if path.startswith(before) else ""
    found = _segment_pattern(before).match(path)
    return found[1] if found else ""


@lru_cache(maxsize=1024)
def _segment_pattern(before: str) -> re.Pattern[str]:
    # The first fitting segment is the name: in `/town/jane/menu` that is `jane`.
    first, between, last = _pieces(before)
    return re.compile(f"{first}{between}.*?{last}([^/]+)", re.DOTALL)


def unquote_fully(text: str) -> str:
    """Text with its percent-encoding undone, also where the text was encoded several times."""
    for _ in range(_MOST_DECODED):
        if "%" not in text or (decoded := unquote(text)) == text:
            break
        text = decoded
    return text


def _without_dots(text: str) -> str:
    """Path with its `.` and `..` resolved (RFC 3986, section 5.2.4)."""
    segments: list[str] = []
    for segment in text.split("/"):
        if segment == "..":
            # The first segment is the empty text before the leading slash.
            del segments[max(1, len(segments) - 1) :]
        elif segment != ".":
            segments.append(segment)
    return "/".join(segments) or "/"


class _Sorted(NamedTuple):
    """Patterns by the cheapest way to match them.

    exact          whole paths
    beginnings     patterns whose only `*` is at the end, without it
    folders        folders anywhere in a path but at its beginning
    inner          further texts anywhere but at the beginning
    others         regular expressions for the rest
    with_fragment  regular expressions for patterns with `#`
    """

    exact: frozenset[str]
    beginnings: tuple[str, ...]
    folders: frozenset[str]
    inner: tuple[str, ...]
    others: tuple[re.Pattern[str], ...]
    with_fragment: tuple[re.Pattern[str], ...]


@lru_cache(maxsize=8192)
def _sorted(patterns: tuple[str, ...], *, inclusive: bool) -> _Sorted:
    # Nine in ten patterns need no regular expression, and hosts share most of the others. One for all paths of
    # a host takes up to 150 ms to compile, at the first request about the host, and meanwhile no one is answered.
    exact: set[str] = set()
    beginnings: dict[str, None] = {}
    folders: set[str] = set()
    inner: dict[str, None] = {}
    others: list[re.Pattern[str]] = []
    with_fragment: list[re.Pattern[str]] = []
    for pattern in patterns:
        if "#" in pattern:
            with_fragment.append(_compiled(pattern, inclusive=inclusive))
        elif pattern.find("*") in {-1, len(pattern) - 1} and "?" not in pattern:
            if pattern.endswith("*"):
                beginnings[pattern[:-1]] = None
                if inclusive and pattern.endswith("/*"):
                    exact.add(pattern[:-2])
            else:
                exact.add(pattern)
        elif not inclusive and (found := _ANYWHERE.fullmatch(pattern)):
            folder = found[1].strip("/")
            if "/" in folder or found[1] != f"/{folder}/":
                inner[found[1]] = None
            else:
                folders.add(folder)
        else:
            others.append(_compiled(pattern, inclusive=inclusive))
    return _Sorted(
        frozenset(exact),
        tuple(beginnings),
        frozenset(folders),
        tuple(inner),
        tuple(others),
        tuple(with_fragment),
    )


@lru_cache(maxsize=2048)
def _compiled(pattern: str, *, inclusive: bool) -> re.Pattern[str]:
    # Only patterns of two shipped files come here: `formats.patterns.pattern` would compile them no later.
    return re.compile(_expression(pattern, inclusive=inclusive), re.DOTALL)


def _expression(pattern: str, *, inclusive: bool) -> str:
    """Pattern as the text of a regular expression: `*` is any text, `?` one character."""
    tail = "(?:/.*)?" if inclusive and pattern.endswith("/*") else ""
    first, between, last = _pieces(pattern.removesuffix("/*") if tail else pattern)
    return f"{first}{between}{'' if last is None else '.*' + last}{tail}"


def _pieces(pattern: str) -> tuple[str, str, str | None]:
    """Regular expressions for a pattern up to its first `*`, up to its last, and behind it; None without a `*`.

    Text between two `*` is searched for once, from the left (an atomic group): a later place would leave less for the
    rest of the pattern. With plain `.*` a long path takes its length to the power of their number.
    """
    first, *others = ("".join("." if char == "?" else re.escape(char) for char in each) for each in pattern.split("*"))
    between = "".join(f"(?>.*?{each})" for each in others[:-1] if each)
    return first, between, others[-1] if others else None


Entry = TypeVar("Entry", Redirector, Publishers)


class HostIndex(Generic[Entry]):
    """Entries by the form of their hosts.

    everywhere  entries for every host of a registered brand

    `host`; `*.host` for names below; `host.*` for every public suffix; `label.*.*` for a label anywhere below any
    registered brand's domain; `*` for every host of a registered brand.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._exact: dict[str, list[Entry]] = {}
        self._below: dict[str, list[Entry]] = {}
        self._any_suffix: dict[str, list[Entry]] = {}
        self._label: dict[str, list[Entry]] = {}
        everywhere: list[Entry] = []
        for entry in entries:
            for host in entry.hosts:
                if host == "*":
                    everywhere.append(entry)
                elif host.endswith(".*.*"):
                    self._label.setdefault(host[:-4], []).append(entry)
                elif host.startswith("*."):
                    self._below.setdefault(host[2:], []).append(entry)
                elif host.endswith(".*"):
                    self._any_suffix.setdefault(host[:-2], []).append(entry)
                else:
                    self._exact.setdefault(host, []).append(entry)
        self.everywhere: tuple[Entry, ...] = _once(everywhere)
        self._ends = frozenset(map(_end, (*self._exact, *self._below)))

    def entries(self, host: str, own_name: str) -> tuple[Entry, ...]:
        """Entries for a host. `own_name` is the host without its public suffix, or empty to match no `host.*`.

        For a host without entries of its own, `everywhere` itself.
        """
        # Most hosts are of no brand, and end like no entry.
        if not own_name and _end(host) not in self._ends and host.rpartition(".")[2] not in self._ends:
            return ()
        bare: str = _without_alias(host)
        found: list[Entry] = [*self._exact.get(host, ())]
        if bare != host:
            found += self._exact.get(bare, ())
        if shorter := _without_language(host):
            found += self._exact.get(shorter, ())
        above = host.partition(".")[2]
        while above:
            if bare != above:  # `www` of a host is not a name below the host
                found += self._below.get(above, ())
            above = above.partition(".")[2]
        # Only under the brand's own name before a public suffix: `google.example.com` is not a `google.*`.
        if own_name:
            found += self._any_suffix.get(_without_alias(own_name), ())
            found += self._any_suffix.get(_without_language(own_name, least_dots=0), ())
            # `en.community.example.com` is a community as `community.example.com` is.
            for label in own_name.split(".")[:-1]:
                found += self._label.get(label, ())
            if not found:
                return self.everywhere
            found += self.everywhere
        return _once(found) if found else ()


def _once(entries: list[Entry]) -> tuple[Entry, ...]:
    """Entries without repetition, as one can match by several of its hosts. By identity: an entry has many texts."""
    return tuple({id(entry): entry for entry in entries}.values())


def _end(host: str) -> str:
    """Last two labels of a host."""
    above, dot, last = host.rpartition(".")
    return f"{above.rpartition('.')[2]}{dot}{last}"


def _without_alias(host: str) -> str:
    if not host.startswith(_ALIASES):
        return host
    return next((host.removeprefix(alias) for alias in _ALIASES if host.startswith(alias)), host)


def _without_language(host: str, least_dots: int = 1) -> str:
    """Host without a first label for a language, if as many dots remain; else empty."""
    label = LANGUAGE_ALIAS.match(host)
    return host[label.end() :] if label and host.count(".", label.end()) >= least_dots else ""


class Places(NamedTuple):
    """Listed places of a world.

    identifiers   parameters that hold a URL as a name and lead nowhere
    destinations  parameters named for a destination, in lower case and without separators
    words         words that are no one's name
    """

    redirectors: HostIndex[Redirector]
    publishers: HostIndex[Publishers]
    identifiers: frozenset[str]
    destinations: frozenset[str]
    words: Words


class _RedirectorFile(msgspec.Struct, frozen=True):
    redirectors: tuple[Redirector, ...]
    identifiers: frozenset[str]
    destinations: frozenset[str] = frozenset()


class _PublisherFile(msgspec.Struct, frozen=True):
    publishers: tuple[Publishers, ...]
    reserved: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    site: frozenset[str] = frozenset()


@lru_cache(maxsize=8)
def places_of(world: World) -> Places:
    """Places in the files of a world. Raises RegistryError."""
    redirectors, publishers = _files(world)
    return Places(
        HostIndex(redirectors.redirectors),
        HostIndex(publishers.publishers),
        redirectors.identifiers,
        redirectors.destinations,
        Words(publishers.reserved, publishers.functions, publishers.site),
    )


def place_entries(world: World) -> tuple[Redirector | Publishers, ...]:
    """Entries of both files, in their order. Raises RegistryError."""
    redirectors, publishers = _files(world)
    return (*redirectors.redirectors, *publishers.publishers)


def _files(world: World) -> tuple[_RedirectorFile, _PublisherFile]:
    return world.read("places/redirectors.json", _RedirectorFile), world.read("places/publishers.json", _PublisherFile)
