"""Faults mended in the bytes of a page: what changes, what must not, and what is left alone."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.fixes import FixedPage, broken_blocks, fix_page
from waypost.fixes.diff import unified_diff
from waypost.fixes.edits import Edit, OffsetMap, PieceTable, apply_edits, are_disjoint
from waypost.models.finding import FileReport
from waypost.registry import load
from waypost.validate import validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
CASES = Path(__file__).parent / "cases" / "rules"


def fixed_page(page: bytes | str, *, unsafe: bool = False, is_json: bool = False) -> FixedPage:
    data = page.encode() if isinstance(page, str) else page
    validate = validate_data if is_json else validate_page

    def judge(data: bytes) -> FileReport:
        return validate(data, REGISTRY, now=NOW, url="https://www.example.com/page")

    encoding = "utf-8" if is_json else None
    return fix_page(
        data, judge, unsafe=unsafe, encoding=encoding,
        broken=lambda changed: broken_blocks(changed, "json" if is_json else "html", None, encoding),
    )  # fmt: skip


def script(json: str) -> str:
    return f'<!doctype html>\n<script type="application/ld+json">{json}</script>\n'


def thing(rest: str, kind: str = "Thing") -> str:
    return script(f'{{"@context": "https://schema.org", "@type": "{kind}", "name": "x", {rest}}}')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(thing('"datepublished": "2026-01-02"', "Book"), '"datePublished"', id="a property in wrong case"),
        pytest.param(script('{"@context": "https://schema.org", "@type": "book", "name": "x"}'), '"Book"', id="a type"),
        pytest.param(thing('"datePublished": "May 3, 2026"', "Book"), '"2026-05-03"', id="a date with one reading"),
        pytest.param(thing('"datePublished": "2026-05-03T10:00:00+0200"', "Book"), '+02:00"', id="an offset"),
        pytest.param(thing('"duration": "30 minutes"', "Movie"), '"PT30M"', id="a duration"),
        pytest.param(thing('"duration": "P2M37S"', "Movie"), '"PT2M37S"', id="a duration without its T"),
        pytest.param(thing('"isbn": "9780306406157",', "Book"), '"9780306406157"}', id="a trailing comma"),
        pytest.param(thing('"description": "one\ntwo"'), '"one\\ntwo"', id="a raw line end in a text"),
        pytest.param(thing('"description": "a &amp;amp; b"'), '"a & b"', id="escaped twice"),
        pytest.param(
            thing('"description": "a &amp; b", "disambiguatingDescription": "c &amp; d"'),
            '"c & d"',
            id="all of a swarm",
        ),
        pytest.param(thing('"url": "https://example.com/?a=1&amp;copy=2"'), "?a=1&copy=2", id="no copyright sign"),
        pytest.param(
            '<p itemscope itemtype="https://schema.org/book"><b itemprop="name">x</b></p>', ".org/Book", id="microdata"
        ),
    ],
)
def test_what_can_only_mean_one_value_is_written_so(before: str, after: str) -> None:
    made = fixed_page(before)

    assert after in made.data.decode()
    assert not fixed_page(made.data).changes, "a second run changes nothing"


def test_nothing_to_fix_changes_nothing() -> None:
    page = thing('"url": "https://example.com/"')

    made = fixed_page(page)

    assert made.data == page.encode()
    assert not made.changes
    assert not made.fixed


MISTYPED = (
    '<script type="application/json+ld">{"@context": "https://schema.org", "@type": "Product", "name": "x"%s}</script>'
)


@pytest.mark.parametrize("around", ["%s", script('{"@context": "https://schema.org", "@type": "Event"}') + "%s"])
def test_a_script_of_a_misspelled_type_is_read_afterwards(around: str) -> None:
    made = fixed_page(around % (MISTYPED % ""))

    assert made.data.decode() == around % (MISTYPED % "").replace("json+ld", "ld+json")
    assert made.report.items[-1].types == ("Product",)
    assert "required-property-missing" in {each.rule for each in made.report.findings}


@pytest.mark.parametrize("rest", [",", ', "url": "https://example.com/', ", \"sku\": '1'"])
def test_a_misspelled_script_outside_json_stays(rest: str) -> None:
    page = MISTYPED % rest

    assert not fixed_page(page).changes


@pytest.mark.parametrize(
    "text",
    ['{"@context": "https://schema.org"}', '[{"name": "@context"}]', '{"@type": "Product", "name": "\\"@context\\""}'],
)
def test_a_misspelled_script_without_context_and_type_stays(text: str) -> None:
    page = f'<script type="application/json+ld">{text}</script>'

    assert not fixed_page(page).changes


def test_a_misspelled_script_that_contradicts_another_stays() -> None:
    node = '{"@context": "https://schema.org", "@id": "https://www.example.com/#x", "@type": "Product", "sku": "%s"}'
    page = f'<script type="text/ld+json">{node % 1}</script>' + script(node % 2)

    assert not fixed_page(page).changes


def test_null_for_undefined_reveals_missing_values() -> None:
    page = script(
        '{"@context": "https://schema.org", "@type": "Recipe", "name": undefined, "image": "https://e.test/i"}'
    )

    made = fixed_page(page)

    assert '"name": null' in made.data.decode()
    assert [each.rule for each in made.report.findings if each.severity == "error"] == ["required-property-missing"]


def test_guessing_fixes_are_made_only_on_request() -> None:
    page = thing('"url": "www.example.com"')

    assert not fixed_page(page).changes
    assert b'"https://www.example.com"' in fixed_page(page, unsafe=True).data


def test_visible_text_is_reported_next_to_it_unchanged() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">x</b>'
        '<time itemprop="datePublished">May 3, 2026</time></div>'
    )

    made = fixed_page(page).data.decode()

    assert '<time datetime="2026-05-03" itemprop="datePublished">May 3, 2026</time>' in made


def test_a_visible_text_without_attribute_is_left_to_people() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">x</b>'
        '<span itemprop="bookFormat">ebook</span></div>'
    )

    assert not fixed_page(page).changes
    assert b">https://schema.org/EBook<" in fixed_page(page, unsafe=True).data


@pytest.mark.parametrize(
    ("language", "written", "after"),
    [
        ("en", '<span itemprop="datePublished">May 3, 2026</span>', '<span><time DATED="2026-05-03">'),
        ("de-AT", '<p itemprop="datePublished">Mo., 3. Jänner 2026</p>', '<p><time DATED="2026-01-03">'),
        ("fr", '<time itemprop="datePublished">1er août 2026</time>', '<time datetime="2026-08-01" itemprop='),
        ("es", '<b itemprop="datePublished">3 de mayo de 2026</b>', '<b><time DATED="2026-05-03">'),
        ("ja", '<b itemprop="datePublished">2026年5月3日</b>', '<b><time DATED="2026-05-03">'),
        ("en", '<span itemprop="timeRequired">30 minutes</span>', 'itemprop="timeRequired" datetime="PT30M">'),
        ("en", '<b itemprop="startTime">5 PM</b>', '<b><time itemprop="startTime" datetime="17:00">'),
        ("de", '<b itemprop="numberOfPages">1.204</b>', '<b><meta itemprop="numberOfPages" content="1204">'),
    ],
)  # fmt: skip
def test_visible_dates_and_numbers_are_written_next_to_their_text(language: str, written: str, after: str) -> None:
    page = (
        f'<html lang="{language}"><div itemscope itemtype="https://schema.org/Book"><b itemprop="name">x</b>{written}'
    )

    made = fixed_page(page).data.decode()

    assert after.replace("DATED", 'itemprop="datePublished" datetime') in made
    assert written.partition(">")[2].partition("<")[0] in made, "people still read what they read"
    assert not fixed_page(made).changes


def test_a_visible_price_with_currency_makes_products_eligible() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">x</b>'
        '<img itemprop="image" src="https://example.com/a.jpg"><p itemprop="offers" itemscope '
        'itemtype="https://schema.org/Offer"><b itemprop="price">12,50 <i>€</i></b>'
        '<b itemprop="priceCurrency">eur</b></p></div>'
    )

    made = fixed_page(page)

    assert b'<b><meta itemprop="price" content="12.50">12,50 <i>\xe2\x82\xac</i></b>' in made.data
    assert b'<b><meta itemprop="priceCurrency" content="EUR">eur</b>' in made.data
    assert "google/merchant-listing" in made.report.items[0].eligible


def test_elements_inside_a_text_are_never_lost() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">x</b>'
        '<span itemprop="bookFormat"><i class="clock"></i>ebook</span></div>'
    )

    assert not fixed_page(page, unsafe=True).changes


def test_a_fix_that_reveals_another_finding_is_left_out() -> None:
    page = thing('"validFrom": "3 May 2027", "validThrough": "2027-05-02"', "OpeningHoursSpecification")

    made = fixed_page(page)

    assert made.data == page.encode()
    (left,) = [each for each in made.rejected if each.finding.rule == "date-invalid"]
    assert "valid-through-before-valid-from" in left.reason


@pytest.mark.parametrize(
    ("page", "after", "left"),
    [
        (
            thing('"startDate": "3 May 2027", "endDate": "2027-05-02"', "Event"),
            '"2027-05-03"',
            "event-ends-before-start",
        ),
        (thing('"location": {"@type": "Place", "Address": "x"}', "Event"), '"address": "x"', "value-unfit"),
        (thing('"offers": {"@type": "Offer", "Price": "5 EUR"}', "Product"), '"price": "5 EUR"', "price-invalid"),
    ],
)
def test_an_error_is_fixed_although_a_warning_then_appears(page: str, after: str, left: str) -> None:
    result = fixed_page(page)

    assert after in result.data.decode()
    assert left in {each.rule for each in result.report.findings}


@pytest.mark.parametrize(
    ("page", "after", "left"),
    [
        (thing('"datePublished": "3 May 2026 10:00"', "Book"), '"2026-05-03T10:00"', "date-without-offset"),
        (thing('"startDate": "3 May 2026"', "Event"), '"2026-05-03"', "event-in-the-past"),
        (thing('"ingredients": ["<p>salt</p>"]', "Recipe"), '"recipeIngredient": ["<p>salt</p>"]', "html-in-text"),
    ],
)
def test_a_repair_reports_other_errors_of_its_value(page: str, after: str, left: str) -> None:
    result = fixed_page(page)

    assert after in result.data.decode()
    assert not result.rejected
    assert left in {each.rule for each in result.report.findings}


def test_lines_about_missing_properties_do_not_prevent_a_repair() -> None:
    offer = '{"@type": "Offer", "price": "12,50 €", "priceCurrency": "EUR"}'
    page = thing(f'"image": "https://example.com/a.jpg", "offers": {offer}', "Product")

    made = fixed_page(page)

    assert b'"price": "12.50"' in made.data
    assert "google/merchant-listing" in made.report.items[0].eligible
    assert any(each.profile == "google/merchant-listing" for each in made.report.findings)


def test_an_earlier_report_does_not_prevent_a_fix() -> None:
    page = thing(
        '"image": "https://example.com/a.jpg", '
        '"offers": {"@type": "Offer", "price": "12,50 €", "priceCurrency": "EUR"}, '
        '"aggregateRating": {"@type": "AggregateRating", "ratingValue": 4, "reviewCount": "12 reviews"}',
        "Product",
    )

    made = fixed_page(page)

    assert b'"price": "12.50"' in made.data
    assert not made.rejected


def test_a_result_lost_no_longer_does_not_prevent_fixes() -> None:
    page = thing(
        '"image": "/lamp.jpg", '
        '"aggregateRating": {"@type": "AggregateRating", "ratingValue": "4,8", "reviewCount": 12}, '
        '"offers": {"@type": "Offer", "price": "64,90", "prices": 3},',
        "Product",
    )

    made = fixed_page(page)

    assert b'"price": "64.90"' in made.data
    assert not made.rejected
    assert "unknown-property" in {each.rule for each in made.report.findings}


def test_a_withdrawn_result_does_not_prevent_a_repair() -> None:
    place = '{"@type": "VirtualLocation", "url": "https://example.com/live"}'
    page = thing(f'"startDate": "2999-01-01", "eventAttendanceMode": "Online", "location": {place}', "Event")

    made = fixed_page(page)

    assert b'"https://schema.org/OnlineEventAttendanceMode"' in made.data
    assert not made.rejected


def test_one_harmful_repair_does_not_keep_the_others_back() -> None:
    rest = '"validFrom": "3 May 2026", "validThrough": "2026-05-02", "description": "a &amp;amp; b"'
    page = thing(rest, "OpeningHoursSpecification")

    made = fixed_page(page)

    assert b"a & b" in made.data
    assert b"3 May 2026" in made.data


@pytest.mark.parametrize(
    ("codec", "label"),
    [("utf-8", "utf-8"), ("cp1252", "windows-1252"), ("cp1251", "windows-1251"), ("cp932", "shift_jis"),
     ("gb18030", "gbk"), ("euc_jp", "euc-jp"), ("iso2022_jp", "iso-2022-jp")],
)  # fmt: skip
def test_text_is_written_in_the_pages_own_encoding(codec: str, label: str) -> None:
    """What the encoding lacks is escaped; what stands around it keeps its bytes."""
    here = {"cp1252": "né", "cp1251": "Книга", "utf-8": "日é"}.get(codec, "日本")
    page = f'<meta charset="{label}">' + thing(f'"alternateName": "{here}", "description": "{here} &amp;amp; &#233;"')

    made = fixed_page(page.encode(codec))

    assert made.changes, made.rejected
    assert f'"alternateName": "{here}"'.encode(codec) in made.data
    assert made.data.decode(codec).replace("\\u00e9", "é").count("& é") == 1
    assert not made.report.findings


def test_a_page_of_ascii_stays_one() -> None:
    made = fixed_page(thing('"description": "caf&amp;eacute; &amp;amp; more"'))

    assert made.data.isascii()
    assert b"caf\\u00e9" in made.data


def test_utf_16_is_fixed_in_utf_16() -> None:
    page = thing('"datepublished": "2026-01-02"', "Book")

    made = fixed_page("\ufeff".encode("utf-16-le") + page.encode("utf-16-le"))

    assert made.data.decode("utf-16") == page.replace("datepublished", "datePublished")


def test_line_ends_stay_as_they_are() -> None:
    page = thing('\r\n"datepublished": "2026-01-02",\r\n"isbn": "9780306406157",\r\n', "Book").encode()

    made = fixed_page(page)

    assert made.changes
    assert made.data.count(b"\r\n") == page.count(b"\r\n")
    assert made.data.count(b"\n") == page.count(b"\n")


@pytest.mark.parametrize(
    "case",
    [path for path in sorted(CASES.glob("*/bad-*")) if path.suffix in {".html", ".json"}],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_every_repair_of_every_rule_does_only_good(case: Path) -> None:
    """Byte-exact outside the edits, done in one run, nothing new found, the fault gone."""
    data = case.read_bytes()

    made = fixed_page(data, unsafe=True, is_json=case.suffix == ".json")

    at, pieces = 0, []
    for change in made.changes:
        pieces += (data[at : change.start], change.data)
        at = change.end
    assert b"".join([*pieces, data[at:]]) == made.data
    assert fixed_page(made.data, unsafe=True, is_json=case.suffix == ".json").data == made.data
    assert bool(made.changes) == bool(made.fixed)


_edits = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.binary(max_size=4)), max_size=6).map(
    lambda found: sorted(Edit(start, start + size, data) for start, size, data in found)
)


@given(st.lists(_edits, max_size=4))
@settings(max_examples=200, deadline=None)
def test_the_table_follows_bytes_through_any_number_of_edits(rounds: list[list[Edit]]) -> None:
    original = now = bytes(range(40))
    table = PieceTable(original)
    for edits in rounds:
        if are_disjoint(edits) and all(edit.end <= len(now) for edit in edits):
            table.apply(edits)
            now = apply_edits(now, edits)

    assert apply_edits(original, table.changes()) == now


@given(_edits)
def test_an_offset_outside_the_edits_leads_back_to_itself(edits: list[Edit]) -> None:
    data = bytes(range(60))
    if not are_disjoint(edits):
        return
    after, moved = apply_edits(data, edits), OffsetMap(edits)

    for at in range(len(after)):
        low, high = moved.original_range(at)
        if low == high and not any(edit.start <= low <= edit.end for edit in edits):
            assert after[at] == data[low]


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed here")
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@given(edits=_edits)
@settings(max_examples=60, deadline=None)
def test_a_difference_is_what_patch_understands(edits: list[Edit], line_end: str, tmp_path_factory: object) -> None:
    data = line_end.join(f"line {n}" for n in range(12)).encode()
    edits = [edit._replace(data=edit.data.hex().replace("0", "\n").encode()) for edit in edits]
    if not are_disjoint(edits):
        return

    diff = "".join(unified_diff("page", data, edits))

    folder = tmp_path_factory.mktemp("patch")  # type: ignore[attr-defined]
    (folder / "page").write_bytes(data)
    if diff and apply_edits(data, edits) != data:
        done = subprocess.run(
            ["patch", "--binary", "-s", "page"], cwd=folder, input=diff.encode(), capture_output=True, check=False
        )
        assert done.returncode == 0, diff + done.stdout.decode()
    assert (folder / "page").read_bytes() == apply_edits(data, edits)


def test_a_difference_shows_the_lines_around_a_change() -> None:
    data = b"".join(b"line %d\n" % n for n in range(20))
    at = data.index(b"line 10")

    diff = "".join(unified_diff("a.html", data, [Edit(at, at + 4, b"row")]))

    assert diff == (
        "--- a.html\n+++ a.html\n@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+row 10\n line 11\n line 12\n"
        " line 13\n"
    )
