"""The report as data: the shape that the registry promises, whoever asks for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from waypost.models import finding as shapes
from waypost.models.finding import (
    Absence,
    ChangedValue,
    DeniedRequest,
    Edit,
    Fetch,
    FileReport,
    Finding,
    Fix,
    ItemReport,
    Lapse,
    NodeVerdict,
    NotEligible,
    Related,
    RenderedChange,
    RenderedPlace,
    Rendering,
    Report,
    Summary,
    Suppression,
)
from waypost.report import View, render
from waypost.report.json import as_data

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas/api/report.schema.json").read_text(encoding="utf-8"))

FULL = Finding(
    rule="price-not-a-number", severity="error", authority="google", profile="google/product-snippet",
    message="the price “12,50” is no number", hint="write 12.50", syntax="json-ld", block=0, pointer="/offers/price",
    property="price", start=10, end=17, line=2, column=3, end_line=2, end_column=10,
    doc_url="/rules/price-not-a-number/", fingerprint="abc", fix=Fix(safe=True, edits=(Edit(10, 17, '"12.50"'),)),
    related=(Related(message="first here", line=1, column=1),), utf16_column=3, utf16_end_column=10,
)  # fmt: skip
BARE = Finding(
    rule="html-too-deep", severity="warning", authority="html", message="too deep", syntax="html", pointer="",
    start=0, end=0, line=1, column=1, end_line=1, end_column=1, doc_url="/rules/html-too-deep/",
)  # fmt: skip
ITEM = ItemReport(
    types=("Product",), id="https://example.com/#p", syntax="json-ld", line=1, column=1,
    service_type="ProductSnippet", eligible=("google/product-snippet",), retired=("google/faq",),
)  # fmt: skip


def report(*files: FileReport) -> Report:
    return Report(registry_version="0123456789ab", files=list(files), summary=Summary(files=len(files)),
                  tool={"name": "waypost", "version": "0.1.0"})  # fmt: skip


EVERYTHING = report(
    FileReport(
        path="a.html", items=[ITEM, ItemReport(types=(), syntax="rdfa", line=2, column=2)], findings=[FULL, BARE]
    ),
    FileReport(path="b.html", error="no such file", fetch=Fetch(outcome="failed", attempts=3)),
    FileReport(path="c.html", truncated=True, secondary={"opengraph": [{"properties": [["og:title", "x"]]}]}),
)


def test_a_report_fits_its_schema() -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render(EVERYTHING, "json")))


def test_the_schema_is_one_and_its_example_fits() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    for example in SCHEMA["examples"]:
        jsonschema.Draft202012Validator(SCHEMA).validate(example)


def parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [schema, *(part for part in schema["$defs"].values() if part.get("type") == "object")]


@pytest.mark.parametrize("part", parts(SCHEMA), ids=lambda part: part["title"])
def test_every_object_is_closed_and_every_member_described(part: dict[str, Any]) -> None:
    assert part["additionalProperties"] is False

    for name, member in part["properties"].items():
        described = "description" in member or "description" in SCHEMA["$defs"][member["$ref"].rpartition("/")[2]]
        assert described, name


STRUCTS = {"file": FileReport, "item": ItemReport, "verdict": NodeVerdict, "missed": NotEligible, "lapse": Lapse,
           "absence": Absence, "rendering": Rendering, "rendered_change": RenderedChange, "changed_value": ChangedValue,
           "denied_request": DeniedRequest, "rendered_place": RenderedPlace,
           "finding": Finding, "fix": Fix, "edit": Edit, "related": Related,
           "suppression": Suppression, "summary": Summary, "fetch": Fetch}  # fmt: skip
OWN = {"utf16_column", "utf16_end_column"}
ALWAYS = {"file": {"items", "findings"}, "item": {"eligible", "retired"},
          "verdict": {"eligible", "retired"}, "finding": {"fingerprint"},
          "summary": set(Summary.__struct_fields__) - {"without_data", "unread", "suppressed", "baselined",
                                                              "causes", "fetches"}}  # fmt: skip


@pytest.mark.parametrize("name", STRUCTS)
def test_the_schema_and_the_structs_name_the_same_members(name: str) -> None:
    part, struct = SCHEMA["$defs"][name], STRUCTS[name]
    fields = {field.name: field for field in msgspec.structs.fields(struct)}

    assert set(part["properties"]) == set(fields) - OWN
    assert set(part["required"]) == {n for n, f in fields.items() if f.required} | ALWAYS.get(name, set())


def test_the_schema_and_the_report_name_the_same_members() -> None:
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"]) == set(Report.__struct_fields__)


def test_severities_and_authorities_agree() -> None:
    given = SCHEMA["$defs"]["finding"]["properties"]

    assert given["severity"]["enum"] == list(shapes.Severity.__args__)
    assert given["authority"]["enum"] == list(shapes.Authority.__args__)


def test_members_come_in_the_order_of_the_schema() -> None:
    for file in as_data(EVERYTHING)["files"]:
        for name, made in (("finding", file["findings"]), ("item", file["items"]), ("file", [file])):
            order = list(SCHEMA["$defs"][name]["properties"])
            assert all(list(each) == sorted(each, key=order.index) for each in made)


def test_ignored_findings_are_reported_on_request() -> None:
    finding = msgspec.structs.replace(BARE, suppression=Suppression("page", "an old page"))
    given = report(FileReport(path="a.html", suppressed=[finding]))

    assert "an old page" not in render(given, "json")
    assert "an old page" not in render(given, "ndjson")
    displayed = json.loads(render(given, "json", View(suppressed=True)))
    jsonschema.Draft202012Validator(SCHEMA).validate(displayed)
    assert displayed["files"][0]["suppressed"][0]["suppression"] == {"kind": "page", "reason": "an old page"}
    assert "an old page" in render(given, "ndjson", View(suppressed=True))
    assert "not counted: the page says so (an old page)" in render(given, "text", View(suppressed=True))


def test_counts_of_ignored_findings_appear_when_there_are_any() -> None:
    given = report(FileReport(path="a.html"))
    given.summary.baselined = 2

    displayed = json.loads(render(given, "json"))

    jsonschema.Draft202012Validator(SCHEMA).validate(displayed)
    assert displayed["summary"]["baselined"] == 2
    assert "suppressed" not in displayed["summary"]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    broken = report(FileReport(path="a\ud800b.html"))

    assert json.loads(render(broken, "json"))["files"][0]["path"] == "a\ufffdb.html"
