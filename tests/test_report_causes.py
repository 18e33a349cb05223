"""One cause, one finding: alike findings are told once with their places, and every place is counted."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from waypost.models.finding import FileReport, Finding, ItemReport, NodeVerdict, Report, cause_of
from waypost.pages.bundle import scripts
from waypost.pages.modules import joined
from waypost.registry import load
from waypost.report import View, render
from waypost.report._causes import about, advice_lines, fold, verdict_lines, verdicts
from waypost.validate import build_report, validate_page


def finding(line: int = 1, **more: Any) -> Finding:
    settled = {
        "rule": "price-invalid", "severity": "error", "authority": "google", "message": "'12,50' is not a plain number",
        "hint": "write 12.50", "syntax": "json-ld", "pointer": "/offers/0/price", "property": "price", "start": line,
        "end": line + 1, "line": line, "column": 3, "end_line": line, "end_column": 4,
        "doc_url": "/rules/price-invalid/",
    }  # fmt: skip
    return Finding(**(settled | more))


def report(*files: FileReport) -> Report:
    return build_report(list(files), load())


def page(path: str, *findings: Finding, **more: Any) -> FileReport:
    return FileReport(path=path, findings=list(findings), **more)


def lines_of(given: Report, **view: Any) -> list[str]:
    return render(given, "text", View(**view)).splitlines()


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"pointer": "/offers/17/price"}, id="another index"),
        pytest.param({"message": "'8,00' is not a plain number", "hint": "write 8.00"}, id="another number"),
        pytest.param({"line": 90}, id="another line"),
    ],
)
def test_what_differs_in_places_and_numbers_has_one_cause(other: dict[str, Any]) -> None:
    assert cause_of(finding(**other)) == cause_of(finding())


@pytest.mark.parametrize(
    "other",
    [
        {"rule": "number-invalid"},
        {"profile": "google/merchant-listing"},
        {"severity": "warning"},
        {"property": "lowPrice"},
        {"pointer": "/price"},
        {"hint": "take it away"},
        {"hint": None},
    ],
    ids=str,
)
def test_what_needs_another_change_has_another_cause(other: dict[str, Any]) -> None:
    assert cause_of(finding(**other)) != cause_of(finding())


def test_a_template_on_many_pages_is_one_line() -> None:
    files = [page(f"{name}.html", *(finding(line) for line in range(1, 8))) for name in "abcd"]

    lines = lines_of(report(*files))

    assert lines[0] == "1 error (28 places) in 4 files; no structured data was found"
    assert [line for line in lines if "price-invalid" in line] == [
        "a.html:1:3: error[price-invalid]: '12,50' is not a plain number; write 12.50 (27 more places; 4 pages)"
    ]


def test_few_places_are_all_named() -> None:
    assert lines_of(report(page("a.html", finding(1), finding(5))))[1].endswith("write 12.50 (1 more at 5:3)")
    assert lines_of(report(page("a.html", finding(1)), page("b.html", finding(5))))[-1].endswith(
        "(1 more at b.html:5:3)"
    )


def test_different_values_of_one_cause_stay_visible() -> None:
    wrong = [finding(line, rule="unknown-type", hint="leave it out", message=f"{name!r} is no type")
             for line, name in enumerate(("Foo", "Bar", "Foo", "Baz", "Qux", "Quux", "Bad"), 1)]  # fmt: skip

    (line,) = (line for line in lines_of(report(page("a.html", *wrong))) if "unknown-type" in line)

    assert line.endswith("'Foo' is no type; leave it out (6 more places, at 2:3, 3:3 …; also 'Bar', 'Baz' and 3 more)")


def test_every_format_for_programs_keeps_every_place() -> None:
    given = report(*(page(f"{name}.html", finding(1), finding(5)) for name in "ab"))

    assert (given.summary.errors, given.summary.causes) == (4, {"errors": 1})
    for name in ("json", "ndjson", "sarif", "junit", "github", "gitlab"):
        assert render(given, name, View(quiet=True, group_by="page")).count("is not a plain number") >= 4, name


def test_what_costs_a_result_on_most_pages_comes_first() -> None:
    advice = finding(1, rule="recommended-property-missing", severity="warning", profile="google/recipe", pointer="/a")
    value = finding(2, rule="duration-invalid", severity="warning", pointer="/b")
    missed = finding(3, rule="feature-not-eligible", severity="warning", profile="google/recipe", pointer="/c")
    wide, narrow = finding(4, pointer="/d"), finding(5, pointer="/e")

    lines = lines_of(report(page("a.html", advice, value, missed, narrow, wide), page("b.html", wide)))

    assert [line.split(":")[1] for line in lines if line.startswith("a.html:")] == ["4", "5", "3", "2", "1"]
    assert lines.index("Most useful changes") < lines.index("Further findings")


PRODUCTS = b"""<script type="application/ld+json">
[{"@context": "https://schema.org", "@type": "Product", "name": "Loma kettle", "image": "https://example.com/k.jpg"},
{"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": [{"@type": "ListItem", "position": 1,
  "name": "Kettles", "item": "https://example.com/k"}, {"@type": "ListItem", "position": 2, "name": "Loma"}]}]
</script>"""


def test_the_verdict_names_the_items_gaps_and_results() -> None:
    lines = lines_of(report(validate_page(PRODUCTS, path="a.html")))

    assert lines[1] == "Product 'Loma kettle', line 2: not eligible for product snippet results"
    assert lines[2].startswith("  1 thing to do: ")
    assert lines[3] == "eligible: BreadcrumbList, line 3, for breadcrumb results"


UNNAMED = b"""<script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Product", "image": "https://www.example.com/a.jpg"}
</script>"""


def test_alternatives_are_one_entry_of_a_list() -> None:
    lines = lines_of(report(validate_page(UNNAMED, path="a.html")))

    assert "  2 things to do: name, review or aggregateRating or offers" in lines


def test_a_finding_names_the_item_that_it_is_about() -> None:
    items = [ItemReport(types=("Offer",), syntax="json-ld", line=1, column=1),
             ItemReport(types=("Product",), name="Loma kettle", syntax="json-ld", line=9, column=1)]  # fmt: skip

    lines = lines_of(report(page("a.html", finding(9, item=1), items=items)))

    assert any("error[price-invalid]: Product 'Loma kettle': '12,50'" in line for line in lines)


BY_ID = b"""<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
{"@type": "Product", "name": "Loma kettle", "offers": {"@id": "#spring"}},
{"@type": "Offer", "@id": "#spring", "name": "Spring offer", "price": "twelve", "priceCurrency": "EUR"}]}</script>"""
BY_ITEMREF = b"""<div itemscope itemtype="https://schema.org/Product" itemref="spring">
<p itemprop="name">Loma kettle</p></div>
<div id="spring"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
<p itemprop="name">Spring offer</p><p itemprop="price">twelve</p></div></div>"""
WITHIN = b"""<div itemscope itemtype="https://schema.org/Product"><p itemprop="name">Loma kettle</p>
<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><p itemprop="name">Spring offer</p>
<p itemprop="price">twelve</p></div></div>"""


@pytest.mark.parametrize(
    ("markup", "named"),
    [
        pytest.param(BY_ID, "Offer 'Spring offer'", id="by @id"),
        pytest.param(BY_ITEMREF, "Offer 'Spring offer'", id="by itemref"),
        pytest.param(WITHIN, None, id="within its item"),
    ],
)
def test_a_finding_about_a_referred_node_names_it(markup: bytes, named: str | None) -> None:
    file = validate_page(markup, load(), path="a.html")

    (price,) = (each for each in file.findings if each.rule == "price-invalid")

    assert price.node == named
    assert any(f"{named}: 'twelve'" in line for line in lines_of(report(file))) == (named is not None)
    item = NodeVerdict(types=("Product",), name="Loma kettle", syntax="json-ld", pointer="", line=1, column=1)
    assert about(item, price).startswith("Offer 'Spring offer' of Product" if named else "Product 'Loma kettle': 'tw")


def test_a_node_that_stands_apart_is_named_once() -> None:
    given = finding(node="Product 'Loma kettle'", message="Product: 2 recommended properties are missing: a, b")

    assert about(None, given) == "Product 'Loma kettle': 2 recommended properties are missing: a, b"


def test_a_clean_page_takes_a_line() -> None:
    assert lines_of(report(page("a.html"))) == ["nothing wrong in 1 file; no structured data was found"]


def test_statistics_count_every_place_and_only_information_as_hidden() -> None:
    known = finding(1, severity="info", hint=None)

    lines = lines_of(report(page("a.html", finding(1), finding(5), known)), statistics=True)

    assert "(1 of information only: --verbose shows it)" in lines[0]
    assert lines[1].split() == ["2", "error", "price-invalid", "(1", "file)"]


CASES = Path(__file__).parent / "cases" / "rules"
PROGRAM = """
const fs = require("fs");
const [parts, source, pages] = JSON.parse(fs.readFileSync(0, "utf8"));
for (const part of parts) (0, eval)(part);
const named = "folded, verdictLines, verdictsOf, adviceLines";
const { folded, verdictLines, verdictsOf, adviceLines } = (0, eval)(`${source};({${named}})`);
const answer = pages.map((page) => {
  const { findings } = page;
  const shown = findings.filter(({ severity }) => severity !== "info");
  const groups = folded(shown).map((same) => same.map(({ start, rule }) => [start, rule]));
  return [groups, [...verdictLines(verdictsOf({ ...page, findings: shown })), ...adviceLines(page)]];
});
process.stdout.write(JSON.stringify(answer));
"""


def test_browser_folds_and_writes_verdicts_in_the_same_words() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    registry = load()
    samples = [*sorted(CASES.glob("*/bad-*.html")), *sorted(CASES.parent.glob("generators/*/bad-*.html"))]
    pages = [validate_page(path.read_bytes(), registry) for path in samples]
    pages += [validate_page(PRODUCTS * 12, registry), validate_page(UNNAMED, registry)]
    pages.append(FileReport(path="a", findings=[finding(line, pointer=f"/offers/{line}/price") for line in (1, 5, 9)]))
    parts = [data.decode() for data in scripts(registry).values()]
    source = "const document = { querySelector: () => null };" + joined("workbench/verdicts.js")

    ran = subprocess.run(
        [node, "-e", PROGRAM], input=json.dumps([parts, source, msgspec.to_builtins(pages)]),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-2000:]
    view = View()
    for page, (groups, lines) in zip(pages, json.loads(ran.stdout), strict=True):
        assert [[[each.start, each.rule] for each in same] for same in fold(view.counting(page))] == groups
        assert [*verdict_lines(verdicts(page, view)), *advice_lines([page], view)] == lines
