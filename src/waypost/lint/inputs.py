"""Inputs of a command: files, folders, patterns and URLs become a list of pages. No page is read here."""

from __future__ import annotations

import heapq
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from waypost.errors import Unreadable
from waypost.formats.file_kinds import DATA, MARKDOWN, PAGES
from waypost.formats.patterns import pattern
from waypost.formats.source_kinds import is_source_name
from waypost.reader.archives import is_archive, pages_of
from waypost.reader.sources import MAX_BYTES, display_path, read_file, within_limit, without_credentials

if TYPE_CHECKING:
    from waypost.config import Config
    from waypost.lint.configurations import Configurations
    from waypost.lint.gitignore import GitIgnore

_SCHEME = pattern(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_HOST = pattern(r"(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#].*)?|localhost(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)
_NO_DOMAINS = (".csv", ".log", ".toml", ".txt", ".xml", ".yaml", ".yml")
"""Ends of names of files that are not top-level domains."""


IN_MEMORY = 200
"""Inputs of a run, and their results, that are held in memory; more are in temporary files."""


_OUTPUTS = {
    "_site": "", "dist": "", "public": "", "out": "", "build": "", "www": "", "htdocs": "", ".vitepress": "dist",
    ".output": "public", ".vuepress": "dist",
}  # fmt: skip
"""Folders into which generators of sites write pages, with the folder inside."""


class Input(NamedTuple):
    """Page to check.

    path       name of the page in the report.
    where      path of the file for the operating system; a URL; "-" for standard input.
    kind       "file", "url", "stdin", or "archived" for a page in a web archive.
    url        URL of the published page, from --base-url.
    walked     found in a folder or by a pattern: skipped where the content is not a page.
    from_list  URL from a list or a sitemap: fetched only where robots.txt allows it.
    offset     byte offset of the record of a page in an archive.
    error      reason why the page cannot be read, where known before reading.
    """

    path: str
    where: str
    kind: Literal["file", "url", "stdin", "archived"]
    url: str | None = None
    walked: bool = False
    from_list: bool = False
    offset: int = -1
    error: str = ""


class InputList(NamedTuple):
    """Inputs in order. `empty` names the folders and patterns without a page.

    unchanged  no input is left, because every page is excluded or unchanged.
    passed_by  folders with built pages that a search did not enter: ignored by git, or hidden.
    """

    inputs: Sequence[Input]
    empty: list[str]
    unchanged: bool = False
    passed_by: Sequence[str] = ()


class Publication(NamedTuple):
    """Addresses at which files are published: below `base_url`, else below that of each file's configuration."""

    base_url: str | None
    configs: Configurations | None = None

    def of(self, name: str) -> str | None:
        """URL of a named file."""
        if self.base_url is None and self.configs is not None:
            return self.configs.of(name).base_url
        return self.base_url

    def below(self, top: str, path: str) -> str | None:
        """URL of a file that a search of `top` found."""
        base_url = self.base_url
        if base_url is None and self.configs is not None:
            config = self.configs.of(path)
            base_url = config.base_url
            # A package in a folder above it has the addresses that it has when it is searched by itself.
            home = str(config.folder)
            if base_url is not None and Path(home).is_relative_to(Path(top).absolute()):
                top = home
        return None if base_url is None else _address(base_url, os.path.relpath(path, top))


def collect(
    names: Iterable[str],
    base_url: str | None,
    stdin_name: str | None = None,
    *,
    gitignore: bool | None = False,
    unread: bool = False,
    configs: Configurations | None = None,
    sources: bool = False,
) -> InputList:
    """Pages named by the arguments, without duplicates; pages of a folder or pattern sorted by path.

    gitignore  leave out files ignored by git when a folder is searched; None: as the folder's configuration says.
    unread     leave archives unread: each is one file.
    configs    configurations with the base URLs of files, where `base_url` is None. Their errors are raised.
    sources    a search takes templates, code, and sources of the configurations too.
    """
    empty: list[str] = []
    passed_by: list[str] = []
    published = Publication(base_url, configs)

    is_source = _source_test(configs) if sources else None

    def found() -> Iterator[Input]:
        for name in names:
            is_empty = True
            is_ignoring = gitignore
            if is_ignoring is None:
                setting = configs.of_folder(name).setting("gitignore") if configs and is_folder(name) else None
                is_ignoring = bool(setting.value) if setting else True
            for item in _expand(name, published, stdin_name, is_ignoring, unread, passed_by, is_source):
                is_empty = False
                yield item
            if is_empty:
                empty.append(name)

    return InputList(without_duplicates(found()), empty, passed_by=passed_by)


def without_duplicates(items: Iterable[Input]) -> Sequence[Input]:
    """Inputs in order, in a temporary file where they are many."""
    # The first naming wins, with its strictness: an unreadable named file is an error, one met in a folder is skipped.
    few: dict[tuple[str, str], Input] = {}
    rest = iter(items)
    for item in rest:
        few.setdefault((item.kind, item.path), item)
        if len(few) > IN_MEMORY:
            from waypost.lint.stored_inputs import StoredInputs

            return StoredInputs(itertools.chain(few.values(), rest))
    return list(few.values())


def by_path(inputs: Sequence[Input]) -> Callable[[str], Input | None]:
    """Function from a path in the report to the last input with it."""
    if len(inputs) > IN_MEMORY:
        from waypost.lint.stored_inputs import StoredInputs

        if isinstance(inputs, StoredInputs):
            return inputs.find
    return {item.path: item for item in inputs}.get


def without_excluded(found: InputList, config: Config, *, named_too: bool = False) -> InputList:
    """Inputs without the paths in the setting `exclude`.

    named_too  exclude named inputs as well; the result may then be empty.
    """
    if all(each.setting("exclude") is None for each in config.each()):
        return found
    left = without_duplicates(
        item
        for item in found.inputs
        if not ((item.walked or item.from_list or named_too) and config.excludes(item.where))
    )
    return found._replace(inputs=left, unchanged=found.unchanged or (named_too and bool(found.inputs) and not left))


def _expand(
    name: str,
    published: Publication,
    stdin_name: str | None,
    gitignore: bool,
    unread: bool,
    passed_by: list[str],
    is_source: Callable[[str], bool] | None,
) -> Iterator[Input]:
    if name == "-":
        yield Input(stdin_name or "-", "-", "stdin", published.of(stdin_name or "-"))
    elif is_address(name):
        yield Input(without_credentials(name), name, "url", published.of(name))
    elif is_folder(name):
        ignored = None
        if gitignore:
            from waypost.lint.gitignore import GitIgnore

            ignored = GitIgnore.above(name)
        yield from _walk(name, published, unread, _Search(ignored, [], passed_by, set(), is_source))
    # A file may be called `[slug].html`, as in the routes of several frameworks: an existing name is not a pattern.
    elif not has_magic(name) or os.path.lexists(name):
        yield from _from_file(name, published.of(name), unread=unread)
    else:
        yield from _glob(name, published, unread, is_source)


def _from_file(name: str, url: str | None, *, walked: bool = False, unread: bool = False) -> Iterator[Input]:
    """A file, or the pages of an archive; further pages with the same URL have a number after the name."""
    if unread or not is_archive(name):
        # A URL of another scheme is no path, whose double slash would be lost.
        yield Input(name if _SCHEME.match(name) else display_path(name), name, "file", url, walked)
        return
    seen: dict[str, int] = {}
    for page in pages_of(name):
        # Damage without a URL is about the archive, or about a part of it in which no page could be named.
        if page.error and not page.url:
            yield Input(display_path(name), name, "archived", None, walked and page.offset < 0, error=page.error)
            continue
        # A crawl may have fetched a URL more than once; the report needs a name for each.
        times = seen[page.url] = seen.get(page.url, 0) + 1
        path = f"{display_path(name)}#{without_credentials(page.url)}" + (f" ({times})" if times > 1 else "")
        if page.error:
            yield Input(path, name, "archived", None, error=page.error)
            continue
        yield Input(path, name, "archived", page.url or None, walked, offset=page.offset)


def has_magic(name: str) -> bool:
    """Whether a name is a pattern, as `glob.has_magic` tells."""
    return not {*"*?["}.isdisjoint(name)


def is_address(name: str) -> bool:
    """Whether an argument is a URL, not a file."""
    return name.lower().startswith(("http://", "https://"))


def _glob(
    pattern: str, published: Publication, unread: bool, is_source: Callable[[str], bool] | None
) -> Iterator[Input]:
    """Pages matching a pattern. URLs are relative to the part before the first wildcard."""
    import glob

    # `public/**/*.html` with a base URL must give the same addresses as the folder `public`.
    fixed = list(takewhile(lambda part: not has_magic(part), Path(pattern).parts))
    for path in sorted(glob.glob(pattern, recursive=True), key=_parts):  # noqa: PTH207 - pathlib's matches hidden files
        if (is_page(path) or (is_source is not None and is_source(path))) and _is_file(path):
            url = published.below(str(Path(*fixed)), path)
            yield from _from_file(path, url, walked=True, unread=unread)


class _Search(NamedTuple):
    """State of a search: lines of .gitignore files; folders that cannot be listed, were passed by, and were seen.

    is_source  test of further files to take, by path.
    """

    ignored: GitIgnore | None
    errors: list[OSError]
    passed_by: list[str]
    seen: set[tuple[int, int]]
    is_source: Callable[[str], bool] | None = None


def _walk(top: str, published: Publication, unread: bool, search: _Search) -> Iterator[Input]:
    """Pages below a folder, sorted by path."""
    for path in _page_paths(top, search):
        if _is_file(path) or os.path.islink(path):  # noqa: PTH114 - a link to nowhere is met, not passed over
            url = published.below(top, path)
            yield from _from_file(path, url, walked=True, unread=unread)
    for error in search.errors:
        folder = str(error.filename)
        yield Input(display_path(folder), folder, "file", walked=folder != top, error=_reason(error))


def _page_paths(top: str, search: _Search) -> Iterator[str]:
    """Paths of the pages below a folder, sorted name by name. Links are followed, but no folder is entered twice."""
    levels = [iter([(top, True)])]
    while levels:
        path, is_a_folder = next(levels[-1], ("", False))
        if not path:
            levels.pop()
        elif is_a_folder:
            levels.append(_entries(path, search))
        else:
            yield path


def _entries(folder: str, search: _Search) -> Iterator[tuple[str, bool]]:
    """(path, whether it is a folder) of the pages and folders in a folder; empty for one that was seen before."""
    try:
        folders, pages = _names_in(folder, search.is_source)
    except OSError as error:
        search.errors.append(error)
        return iter(())
    # Followed links can form a loop, under ever longer paths: only device and inode tell that a folder was seen.
    identity = _device_and_inode(folder)
    if identity is None or identity in search.seen:
        return iter(())
    search.seen.add(identity)
    passed_by = [name for name in folders if name.startswith(".")]
    folders = [name for name in folders if not (name.startswith(".") or _is_of_packages(folder, name))]
    if ignored := search.ignored:
        # Before the entries are checked: a folder's own .gitignore decides about them, too.
        ignored.enter(folder)
        hidden = {name for name in folders if ignored.hides(folder, name, is_folder=True)}
        passed_by += sorted(hidden)
        folders = [name for name in folders if name not in hidden]
        pages = [name for name in pages if not ignored.hides(folder, name, is_folder=False)]
    search.passed_by.extend(found for name in passed_by if (found := _built_pages(folder, name)))
    inner = ((name, os.path.join(folder, name), True) for name in sorted(folders))  # noqa: PTH118 - many
    own = ((name, f"{folder}{os.sep}{name}", False) for name in sorted(pages))
    # A folder's own pages come first where its name ends with a slash.
    merged = itertools.chain(own, inner) if folder.endswith(("/", os.sep)) else heapq.merge(own, inner)
    return ((path, is_a_folder) for _, path, is_a_folder in merged)


def _names_in(folder: str, is_source: Callable[[str], bool] | None) -> tuple[list[str], list[str]]:
    """(folders, pages) in a folder by name, without hidden pages. Raises OSError."""
    folders: list[str] = []
    pages: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name not in _OUTPUTS:
                continue
            try:
                is_a_folder = entry.is_dir()
            except OSError:
                is_a_folder = False
            if is_a_folder:
                folders.append(entry.name)
            elif is_page(entry.name) or (is_source is not None and is_source(entry.path)):
                pages.append(entry.name)
    return folders, pages


def _is_of_packages(folder: str, name: str) -> bool:
    """Whether a folder holds packages of others: those of npm, or a virtual environment of Python."""
    return name == "node_modules" or os.path.exists(f"{folder}{os.sep}{name}{os.sep}pyvenv.cfg")  # noqa: PTH110


def _built_pages(folder: str, name: str) -> str | None:
    """Folder of a site's built pages, by the names that generators give it; None for another one, or without a page."""
    if name not in _OUTPUTS:
        return None
    path = Path(folder, name, _OUTPUTS[name])
    try:
        is_there = any(entry.name.lower().endswith(PAGES) for entry in path.iterdir())
    except OSError:
        return None
    return display_path(str(path)) if is_there else None


def is_folder(name: str) -> bool:
    """Whether a path is a folder; False where the system cannot say (name too long, no permission)."""
    try:
        return bool(name) and Path(name).is_dir()
    except OSError:
        return False


def _is_file(name: str) -> bool:
    return os.path.isfile(name)  # noqa: PTH113 - called thousands of times


def _parts(path: str) -> list[str]:
    return path.split(os.sep)  # noqa: PTH206 - called thousands of times


def _device_and_inode(folder: str) -> tuple[int, int] | None:
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _address(base_url: str, relative: str) -> str:
    """URL of a page of a folder published at `base_url`; an index page has the URL of the folder."""
    from urllib.parse import quote, urljoin

    # Web servers deliver `page.html.gz` as `page.html`, with Content-Encoding.
    path = display_path(relative).removesuffix(".gz")
    head, _, last = path.rpartition("/")
    if last in {"index.html", "index.htm"}:
        path = f"{head}/" if head else ""
    return urljoin(base_url, quote(path))


def why_without_page(name: str) -> str:
    """Message about an input without a page: a pattern without a file, or a folder."""
    if has_magic(name) and not os.path.lexists(name):
        return f"nothing to check: no page matches {name}"
    endings = " ".join((*PAGES, *DATA, *MARKDOWN, ".warc"))
    pages = f"no page in {name} ({endings}, or one of them with .gz)"
    return f"nothing to check: {pages}, and no template or code with structured data"


def is_page(name: str) -> bool:
    """Whether a file holds a page, or data checked like a page, by the ending of its name."""
    return is_archive(name) or name.lower().removesuffix(".gz").endswith((*PAGES, *DATA, *MARKDOWN))


def _source_test(configs: Configurations | None) -> Callable[[str], bool]:
    """Test of a path: templates, code with installed grammars, and sources of the configurations."""
    if configs is None:
        return is_source_name
    return lambda path: is_source_name(path) or configs.of(path).is_source(path)


def read(item: Input) -> bytes:
    """Bytes of a file, decompressed, or of standard input. Raises Unreadable."""
    if item.kind == "stdin":
        if not (data := read_stdin()) and item.path == "-":  # an editor that names its file may check an empty one
            raise Unreadable("-", "standard input is empty")
        return data
    try:
        return read_file(item.where)
    except FileNotFoundError as error:
        raise Unreadable(item.path, _reason(error) + _url_hint(item.where)) from None
    except OSError as error:
        raise Unreadable(item.path, _reason(error)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _url_hint(name: str) -> str:
    """Advice on a missing file whose name looks like a URL."""
    if scheme := _SCHEME.match(name):
        return f"; of URLs, only http:// and https:// can be fetched, not {scheme[1]}://"
    is_file_name = is_page(name) or is_source_name(name) or name.lower().endswith(_NO_DOMAINS)
    if _HOST.fullmatch(name) and not is_file_name:
        scheme_of = "http" if name.lower().startswith("localhost") else "https"
        return f"; for a web page, write the complete URL: {scheme_of}://{name}"
    return ""


def read_stdin() -> bytes:
    if sys.stdin is None:
        raise Unreadable("-", "standard input is closed")
    # One byte more than allowed distinguishes a page that is too large from one of exactly that size.
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return within_limit(data, "-")
