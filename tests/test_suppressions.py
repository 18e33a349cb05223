"""What a page says not to tell: how far each word reaches, and what is told of the words themselves."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import pytest

from waypost.fixes import fix_page
from waypost.models.finding import FileReport, Suppression
from waypost.reader.extents import Extents
from waypost.registry import load
from waypost.validate import build_report, validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
RULE = "property-wrong-case"
JSON = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "2026"}'
BOOK = f'<script type="application/ld+json">{JSON}</script>'
MICRO = '<div itemscope itemtype="https://schema.org/Book"><meta itemprop="datecreated" content="2026"></div>'


def checked(page: str) -> FileReport:
    return validate_page(page.encode(), REGISTRY, now=NOW)


def counted(page: str) -> Counter[str]:
    return Counter(finding.rule for finding in checked(page).findings if "missing" not in finding.rule)


def test_a_suppressed_finding_has_its_reason() -> None:
    report = checked(f"<!-- waypost-ignore {RULE}: an old template -->{BOOK}")

    assert [each.rule for each in report.suppressed] == [RULE]
    assert report.suppressed[0].suppression == Suppression("page", "an old template")
    assert RULE not in [each.rule for each in report.findings]
    assert build_report([report], REGISTRY).summary.suppressed == 1


@pytest.mark.parametrize(
    ("page", "left"),
    [
        pytest.param(f"<!-- waypost-ignore {RULE}: x -->{BOOK}{BOOK}", 1, id="the next element alone"),
        pytest.param(
            f"<!-- waypost-ignore {RULE}: x --><section><p>{BOOK}{MICRO}</section>{BOOK}", 1, id="all inside it"
        ),
        pytest.param(f"<!-- waypost-ignore {RULE}: x --><ul><li>{MICRO}<li>{MICRO}</ul>", 0, id="end tags left out"),
        pytest.param(
            f"<ul><!-- waypost-ignore {RULE}: x --><li>{MICRO}<li>{MICRO}</ul>", 1, id="up to the next sibling"
        ),
        pytest.param(f"<!-- waypost-ignore {RULE}: x --><img src=a>{MICRO}", 1, id="a void element ends at once"),
        pytest.param(
            f"<!-- waypost-ignore-start {RULE}: x -->{BOOK}{MICRO}<!-- waypost-ignore-end -->{BOOK}", 1, id="a block"
        ),
        pytest.param(f"{BOOK}<!-- waypost-ignore-start {RULE}: x -->{BOOK}", 1, id="a block without end"),
        pytest.param(f"{BOOK}{MICRO}<!-- waypost-ignore-file {RULE}: x -->", 0, id="the page"),
        pytest.param(f'<div data-waypost-ignore="{RULE}: x">{BOOK}</div>{MICRO}', 1, id="an attribute"),
        pytest.param(BOOK.replace("<script", f'<script data-waypost-ignore="{RULE}: x"'), 0, id="on a script"),
        pytest.param(f"<!-- waypost-ignore: x -->{BOOK}", 0, id="all rules"),
        pytest.param(f"<!--\n  waypost-ignore\n  date-invalid,\n  {RULE}: x\n-->{BOOK}", 0, id="over several lines"),
        pytest.param(f"<!-- waypost-ignored {RULE}: x -->{BOOK}", 1, id="another word"),
    ],
)
def test_a_word_reaches_so_far(page: str, left: int) -> None:
    assert counted(page)[RULE] == left


def test_a_profile_can_be_named() -> None:
    page = (
        '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Recipe", "name": "x"}</script>'
    )

    assert not [each for each in checked(f"<!-- waypost-ignore google/recipe: x -->{page}").findings if each.profile]


def test_useless_comments_leave_a_fixed_page() -> None:
    page = f"<!-- waypost-ignore {RULE}: of use -->{BOOK}<!-- waypost-ignore date-invalid: of none -->{MICRO}"

    made = fix_page(page.encode(), lambda data: checked(data.decode()), broken=None).data.decode()

    assert made.startswith(f"<!-- waypost-ignore {RULE}: of use -->{BOOK}")
    assert "of none" not in made
    assert "dateCreated" in made
    assert "datecreated" in made, "what is put up with is not mended"


def test_blocks_may_stand_inside_each_other() -> None:
    page = (
        f"<!-- waypost-ignore-start {RULE}: x -->{BOOK}<!-- waypost-ignore-start date-invalid: y -->"
        + BOOK.replace("2026", "soon")
        + f"<!-- waypost-ignore-end -->{BOOK.replace('2026', 'soon')}<!-- waypost-ignore-end -->{BOOK}"
    )

    assert counted(page) == Counter({RULE: 1, "date-invalid": 1})


def test_data_holds_no_words() -> None:
    data = '{"@context": "https://schema.org", "@type": "Book", "datecreated": "<!-- waypost-ignore-file: x -->"}'

    assert RULE in [each.rule for each in validate_data(data.encode(), REGISTRY, now=NOW).findings]


def test_hostile_words_are_bounded() -> None:
    page = f"<!-- waypost-ignore {RULE}: x -->" * 5000 + "<!-- waypost-ignore" * 5000 + "<p>" * 2000 + BOOK

    assert checked(page).findings


def test_extents_lie_inside_each_other() -> None:
    page = "<!doctype html><div><p>one<p>two<img src=x>three<table><tr><td>a<td>b<tr><td>c</table></div><span>d"
    extents = Extents(page)

    def text(tag: str) -> str:
        span = extents.after(page.index(tag))
        assert span is not None
        return page[span.start : span.end]

    assert text("<p>one") == "<p>one"
    assert text("<p>two") == "<p>two<img src=x>three"
    assert text("<img") == "<img src=x>"
    assert text("<tr><td>a") == "<tr><td>a<td>b"
    assert text("<span>") == "<span>d"
    assert extents.after(len(page)) is None
