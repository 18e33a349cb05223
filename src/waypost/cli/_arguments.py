"""Arguments shared by several commands, and the types of argument values."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from datetime import UTC, datetime


def add_address(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--base-url", type=address, metavar="URL", help="the address at which the page, or the folder, is published"
    )


def add_moment(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--now", type=moment, default=None, metavar="TIME", help="check dates as of this time (ISO 8601)"
    )


def add_template(add: Callable[..., object]) -> None:
    add(
        "--template",
        choices=("auto", "yes", "no"),
        default="auto",
        help="whether files are templates, whose computed parts are unknown: auto (default) by the ending, the folder "
        "and [sources] of the configuration; in built pages a rest of a template is an error",
    )


def add_data(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="the data folder (default: $WAYPOST_DATA, or the user's data folder)",
    )


def add_store(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="ADDRESS",
        help="a PostgreSQL database in place of the file: postgresql://user@host/database (WAYPOST_STORE, which other "
        "users of the machine cannot see)",
    )


def feed_file(text: str) -> str:
    """Path of a feed of products. An address is not repeated: it may hold a password."""
    if text == "-" or "://" in text:
        raise ArgumentTypeError("a feed is read from a file; download it, then name the file")
    return text


def number(text: str) -> int:
    """Number of processes, 0 to 9999."""
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise ArgumentTypeError(f"{text!r} is not a number of processes; give 0 or more")
    return int(text)


def count(text: str) -> int:
    """Number of findings or attempts, up to nine digits."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise ArgumentTypeError(f"{text!r} is not a count; give 0 or more")
    return int(text)


def amount(text: str) -> float:
    """Number that is not negative."""
    import re

    if not re.fullmatch(r"\d{1,7}(\.\d{1,6})?", text, re.ASCII):
        raise ArgumentTypeError(f"{text!r} is not a number; give 0 or more")
    return float(text)


def seconds(text: str) -> float:
    """Number of seconds above 0."""
    if not (found := amount(text)):
        raise ArgumentTypeError("give more than 0 seconds")
    return found


def moment(text: str) -> datetime:
    """Aware time; UTC where the text has no offset."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a time; write it as 2026-11-20T12:00:00Z") from None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def address(text: str) -> str:
    """Absolute http(s) URL."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise ArgumentTypeError(f"{text!r} is not an address of a page; write it as https://example.com/")
    return text
