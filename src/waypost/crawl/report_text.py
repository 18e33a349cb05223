"""Report about a crawl as a page or as Markdown, by the templates next to this module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from waypost.crawl import report_words
from waypost.crawl.analysis import CrawlReport, Moment
from waypost.errors import MissingExtra
from waypost.report._style import STYLE, brand
from waypost.report._words import count

_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>|"})


def pieces(report: CrawlReport, form: Literal["html", "markdown"]) -> Iterator[str]:
    """Report in parts. Raises MissingExtra without Jinja2."""
    template = _environment().get_template("report.html" if form == "html" else "report.md")
    from markupsafe import Markup

    from waypost.reader.page_names import PageNames

    style = {"style": Markup(STYLE), "brand": Markup(brand("crawl report")), "name_of": PageNames()}  # noqa: S704 - ours
    return iter(
        template.generate(report=report, words=report_words, count=count, chart=_chart(report.timeline), **style)
    )


@cache
def _environment() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
    except ImportError:
        raise MissingExtra("jinja2", "crawl", "to write reports") from None

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"number": "{:,}".format, "md": _markdown, "share": _share}
    return made


def _markdown(text: str) -> str:
    return " ".join(text.translate(_SPECIAL).split())


def _share(moment: Moment, member: Literal["eligible", "with_errors"]) -> float:
    return getattr(moment, member) / moment.pages if moment.pages else 0.0


def _chart(moments: Sequence[Moment]) -> dict[str, list[tuple[float, float]]]:
    """Points of the time line, of the shares of eligible pages and of pages with errors.

    Empty for a single moment, which is a point and not a line.
    """
    if len(moments) < 2:
        return {}
    xs = [14 + 332 * number / (len(moments) - 1) for number in range(len(moments))]
    members: tuple[Literal["eligible", "with_errors"], ...] = ("eligible", "with_errors")
    return {
        member: [(x, 132 - 116 * _share(moment, member)) for x, moment in zip(xs, moments, strict=True)]
        for member in members
    }
