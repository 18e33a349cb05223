"""Sources of pages: bytes of a file or a response, with the kind of the page, and the parser for them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from waypost.errors import MissingExtra, Unreadable
from waypost.formats.file_kinds import Kind, is_binary, kind_of_response
from waypost.formats.patterns import pattern
from waypost.formats.source_kinds import IN_MARKDOWN, Template, has_grammars, language_of
from waypost.registry.vocabulary import Vocabulary

if TYPE_CHECKING:
    from waypost.models.page import Page
    from waypost.reader import Piece

MAX_BYTES = 64 << 20
"""Largest file, after decompression: three times the largest page that is worth checking."""
_GZIP = 31
"""Window of zlib for data with the header of gzip."""
# A report is stored and sent around: the user name and password of a URL stay out of it.
_USERINFO = pattern(r"^([a-z]+:[/\\]{2})[^/\\?#]*@", re.IGNORECASE)


class PageSource(NamedTuple):
    """Bytes of a page, kind and address.

    media_type  Content-Type of a response.
    language    of a template or of code, a key of the table of sources; empty for output.
    """

    data: bytes
    kind: Kind
    url: str | None
    media_type: str | None
    language: str = ""


def without_credentials(address: str) -> str:
    return _USERINFO.sub(r"\1", address)


def display_path(path: str) -> str:
    """Path for reports: forward slashes, no leading "./"; bytes outside UTF-8 are escaped."""
    text = os.fsencode(os.path.normpath(path)).decode("utf-8", "backslashreplace")
    return text.replace(os.sep, "/")


def read_file(path: str) -> bytes:
    """Bytes of a file, decompressed. Raises Unreadable for a file that is not a page, OSError for a missing one."""
    with open(path, "rb") as file:  # noqa: PTH123 - called thousands of times
        # A bounded read allocates its whole bound, which only pipes and devices without a size need.
        size = os.fstat(file.fileno()).st_size
        data = file.read() if 0 < size <= MAX_BYTES else file.read(MAX_BYTES + 1)
    if path.lower().endswith(".gz"):
        data = _decompressed(within_limit(data, path), path)
    if is_binary(within_limit(data, path)):
        raise Unreadable(display_path(path), "this is a binary file, not a page")
    return data


def _decompressed(data: bytes, path: str) -> bytes:
    import zlib

    # A page compressed in one piece, as nearly all are, takes two thirds of the time without `gzip`, whose readers
    # copy it twice. `gzip` reads every other file, and says what is wrong with it.
    inflater = zlib.decompressobj(_GZIP)
    with suppress(zlib.error):
        page = inflater.decompress(data, MAX_BYTES + 1)
        if inflater.eof and not inflater.unused_data:
            return page
    import gzip

    try:
        return gzip.GzipFile(fileobj=BytesIO(data)).read(MAX_BYTES + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(display_path(path), f"the compressed data is damaged ({error})") from None


def within_limit(data: bytes, path: str) -> bytes:
    """The bytes of a page. Raises Unreadable for too many."""
    if len(data) > MAX_BYTES:
        raise Unreadable(display_path(path), f"it is larger than {MAX_BYTES >> 20} MiB")
    return data


def response_source(name: str, status: int, data: bytes, url: str, media_type: str | None) -> PageSource:
    """Page in a server's answer. Raises Unreadable for an error status and for binary data."""
    if status >= 400:
        raise Unreadable(name, f"the server answered with status {status}")
    if is_binary(data):
        raise Unreadable(name, f"this is not a page but {media_type or 'binary data'}")
    return PageSource(data, kind_of_response(data, media_type), url, media_type)


def with_language(source: PageSource, name: str, choice: Template = "auto", *, configured: bool = False) -> PageSource:
    """Source with its language, by the choice of the user, the configuration (`configured`) and the name of the file.

    Raises Unreadable for JSON-LD in code without the extra `sources`.
    """
    if source.language:
        return source
    language = language_of(name, choice, configured=configured, data=source.data)
    if not language:
        return source
    # Of front matter without its grammar the page itself has a finding.
    if not has_grammars() and language != IN_MARKDOWN:
        from waypost.reader.read_source import needs_grammar

        if needs_grammar(source.data, language):
            missing = MissingExtra("a grammar", "sources", "to read JSON-LD in code")
            raise Unreadable(name, str(missing)) from None
    return source._replace(language=language)


def parse_source(
    source: PageSource,
    path: str,
    vocabulary: Vocabulary,
    syntaxes: Iterable[str] | None = None,
    encoding: str | None = None,
) -> Page:
    """Parse a page, a template or code into nodes with locations.

    syntaxes  syntaxes to read; None for no limit
    encoding  encoding of HTML in place of the one that the page declares; JSON and Markdown are UTF-8

    Raises MissingExtra where code is to be read and the extra `sources` is not installed.
    """
    if source.language:
        from waypost.reader.read_source import read_source

        return read_source(source, path, vocabulary, syntaxes, encoding)
    return parse_output(source, path, vocabulary, syntaxes, encoding)


def parse_output(
    source: PageSource,
    path: str,
    vocabulary: Vocabulary,
    syntaxes: Iterable[str] | None = None,
    encoding: str | None = None,
    pieces: Sequence[Piece] = (),
) -> Page:
    """Parse a page as it is. `pieces`: JSON-LD outside of its scripts."""
    from waypost.reader import SYNTAXES, read_data, read_page

    if source.kind == "json":
        return read_data(source.data, vocabulary, path=path, url=source.url)
    if source.kind == "markdown":
        from waypost.reader.markdown import read_markdown

        return read_markdown(
            source.data, vocabulary, path=path, url=source.url, syntaxes=syntaxes or SYNTAXES, pieces=pieces
        )
    return read_page(
        source.data, vocabulary, path=path, url=source.url, media_type=source.media_type, encoding=encoding,
        syntaxes=syntaxes or SYNTAXES, further=pieces,
    )  # fmt: skip
