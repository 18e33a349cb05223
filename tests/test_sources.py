"""Templates and code: what they state themselves is checked at its place, what they compute is unknown."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import waypost
from waypost.formats.source_kinds import has_grammars, language_of
from waypost.lint.project import Project
from waypost.models.finding import Finding
from waypost.reader.sources import PageSource, parse_source
from waypost.registry import shared_registry

SOURCES = Path(__file__).parent / "cases" / "sources"
FORMS: list[dict[str, str]] = json.loads((SOURCES / "forms.json").read_text())
CONTEXT = "'@context': 'https://schema.org'"
needs_grammars = pytest.mark.skipif(not has_grammars(), reason="the extra sources is not installed")


def counting(findings: list[Finding]) -> list[Finding]:
    """Findings that say that something is wrong, not that more could be said."""
    return [each for each in findings if each.severity != "info" and each.rule != "recommended-property-missing"]


def places(findings: list[Finding]) -> list[tuple[str, int, int]]:
    return [(each.rule, each.line, each.column) for each in counting(findings)]


def planted(form: dict[str, str]) -> list[tuple[str, int, int]]:
    """The one error of a form, at the only place where its text stands."""
    text = (SOURCES / form["file"]).read_text("utf-8")
    before, at, after = text.partition(form["at"])
    assert at
    assert form["at"] not in after
    return [(form["rule"], before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)]


def checked(tmp_path: Path, name: str, text: str, **how: Any) -> list[Finding]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return waypost.check(path, config=False, **how).findings


@needs_grammars
@pytest.mark.parametrize("form", FORMS, ids=[form["file"] for form in FORMS])
def test_the_error_of_a_form_is_found_alone(form: dict[str, str]) -> None:
    assert places(waypost.check(SOURCES / form["file"], config=False).findings) == planted(form)


@needs_grammars
@pytest.mark.parametrize("form", FORMS, ids=[form["file"] for form in FORMS])
def test_an_editor_shows_the_error_of_a_form(form: dict[str, str]) -> None:
    pytest.importorskip("pygls", reason="the extra lsp is not installed")
    from waypost.lsp.checked_document import Subject, check_document, kind_of
    from waypost.lsp.document import Document

    path = SOURCES / form["file"]
    kind = kind_of(str(path), "")
    assert kind is not None
    document = Document(path.read_text("utf-8"), "utf-16")

    document_report = check_document(Project(shared_registry(), use_config=False), Subject(document, str(path), kind))

    assert places(document_report.findings) == planted(form)


@needs_grammars
def test_a_search_of_a_folder_finds_every_form() -> None:
    found = waypost.check_pages([SOURCES], config=False)

    assert {page.report.path.removeprefix(f"{SOURCES}/") for page in found if counting(page.findings)} == {
        form["file"] for form in FORMS
    }


# What is computed.

UNKNOWN = {
    "a spread": f"{{ {CONTEXT}, '@type': 'Recipe', ...rest }}",
    "a computed key": f"{{ {CONTEXT}, '@type': 'Recipe', [key]: 1 }}",
    "a value from a call": f"{{ {CONTEXT}, '@type': 'JobPosting', datePosted: day(), ...rest }}",
    "a condition": f"{{ {CONTEXT}, '@type': late ? 'Nothing' : 'Recipe', name: 'x' }}",
    "a name alone": f"{{ {CONTEXT}, '@type': 'Person', name, url }}",
    "a method": f"{{ {CONTEXT}, '@type': 'Person', name() {{ return 1 }} }}",
    "a text with an expression": f"{{ {CONTEXT}, '@type': 'Person', birthDate: `${{year}}-xx` }}",
    "a part of something else": "{ '@type': 'Recipe', name: 'x' }",
    "a list with a spread": f"{{ {CONTEXT}, '@type': 'BreadcrumbList', itemListElement: [first, ...more] }}",
    "data of another application": "{ '@type': 'bar-chart', values: [1, 2] }",
    "the beginning of a text": """'{"@context": "https://schema.org", "@type": "Recipe", "name": "' + title + '"}'""",
    "a script in parts": """'<script type="application/ld+json">{"@context": "' + context + '", "@type": "Recipe"}'""",
    "an open script": """`{"@context"} <script type="application/ld+json">`""",
    "an argument of a function": f"complete({{ {CONTEXT}, '@type': 'Recipe', name: 'x' }})",
}


@needs_grammars
@pytest.mark.parametrize("written", UNKNOWN.values(), ids=UNKNOWN)
def test_nothing_is_reported_about_what_is_computed(tmp_path: Path, written: str) -> None:
    assert counting(checked(tmp_path, "a.ts", f"export const data = {written};\n")) == []


@needs_grammars
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.js", f"const a = {{ {CONTEXT}, '@type': 'Recipe' }};\na.name = 'Pie';\na.image = picture;\n"),
        ("a.js", f"const a = {{ {CONTEXT}, '@type': 'Recipe' }};\nconst b = {{ ...a, name: 'Pie' }};\n"),
        ("a.php", "<?php $a = ['@context' => 'https://schema.org', '@type' => 'Recipe']; $a['name'] = 'Pie';"),
        ("a.php", "<?php $a = ['@context' => 'https://schema.org', '@type' => 'Recipe']; $a = apply_filters('x', $a);"),
    ],
)
def test_a_variable_may_get_members_later(tmp_path: Path, name: str, text: str) -> None:
    assert counting(checked(tmp_path, name, text)) == []


@needs_grammars
def test_a_missing_member_of_a_literal_is_reported(tmp_path: Path) -> None:
    findings = checked(tmp_path, "a.ts", f"export const recipe = {{ {CONTEXT}, '@type': 'Recipe', name: title }};")

    assert [(each.rule, each.property) for each in counting(findings)] == [("required-property-missing", "image")]


NAMES = {
    "a.ts": f"const a = {{ {CONTEXT}, '@type': 'Person', Name: f(x) }};",
    "b.ts": f"const a = {{ {CONTEXT}, '@type': 'Person', 'Name': f(x) }};",
    "a.php": "<?php $a = ['@context' => 'https://schema.org', '@type' => 'Person', 'Name' => f($x)];",
    "a.yaml": '"@context": https://schema.org\n"@type": Person\nName: Ann\n',
    "a.liquid": (
        '<script type="application/ld+json">'
        '{"@context": "https://schema.org", "@type": "Person", "Name": {{ x }}}</script>'
    ),
}


@needs_grammars
@pytest.mark.parametrize(("name", "before"), NAMES.items(), ids=NAMES)
def test_a_fix_keeps_the_notation(tmp_path: Path, name: str, before: str) -> None:
    path = tmp_path / name
    path.write_text(before, "utf-8")

    fixed = waypost.fix(path, config=False)

    assert fixed.text == before.replace("Name", "name")


# Which files are sources.


@pytest.mark.parametrize(
    ("name", "choice", "configured", "language"),
    [
        ("page.html", "auto", False, ""),
        ("page.html", "yes", False, "template"),
        ("page.html", "auto", True, "template"),
        ("page.html", "no", True, ""),
        ("page.liquid", "auto", False, ".liquid"),
        ("page.liquid", "no", False, ""),
        ("page.blade.php", "auto", False, ".blade.php"),
        ("page.html.erb", "auto", False, ".erb"),
        ("page.tsx", "no", False, ".tsx"),
        ("site/_includes/page.html", "auto", False, "template"),
        ("public/layouts/page.html", "auto", False, ""),
    ],
)
def test_name_configuration_and_choice_decide(name: str, choice: Any, configured: bool, language: str) -> None:
    assert language_of(name, choice, configured=configured, data=b"<p>{{ x }}") == language


LEFT = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Person", "name": {{ x }}}</script>'
)


def test_rests_of_templates_are_errors_in_output(tmp_path: Path) -> None:
    assert [each.rule for each in checked(tmp_path, "page.html", LEFT)] == ["json-template-left"]
    assert checked(tmp_path, "page.html", LEFT, template="yes") == []
    assert checked(tmp_path, "page.liquid", LEFT) == []


@pytest.mark.parametrize("start", ["---\ntitle: x\n---\n", "{% extends 'base.html' %}\n", '{{ define "main" }}\n'])
def test_a_page_that_begins_as_a_template_is_one(tmp_path: Path, start: str) -> None:
    assert checked(tmp_path, "page.html", start + LEFT) == []


def test_a_source_without_structured_data_is_reported_as_such(tmp_path: Path) -> None:
    for name, text in {"a.js": "export const a = 1\n", "a.liquid": "<p>a</p>"}.items():
        (tmp_path / name).write_text(text)
        assert waypost.check(tmp_path / name, config=False).report.absence is not None


def test_the_configuration_lists_sources(tmp_path: Path) -> None:
    (tmp_path / "waypost.toml").write_text('[sources]\nfiles = ["theme/**"]\n')
    for folder in ("theme", "site"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "page.html").write_text(LEFT)

    assert waypost.check(tmp_path / "theme" / "page.html").findings == []
    assert waypost.check(tmp_path / "site" / "page.html").errors


def test_the_plain_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.reader.sources.has_grammars", lambda: False)
    path = tmp_path / "a.tsx"
    path.write_text(f"export const data = {{ {CONTEXT}, '@type': 'Person' }}")

    with pytest.raises(waypost.errors.Unreadable, match=r"waypost\[sources\]|\[sources\]"):
        waypost.check(path, config=False)


PIECES = [
    "{{", "}}", "{%", "%}", "<%", "%>", '"', "{", "}", "[", "]", ",", ":", "a", "\n", "é", "<?php", "?>", "${", "`",
    "'", "(", ")", "@type", "@if(", "/*", "//", "<script>", "</script>", "---\n", "'@context': ", "=>",
]  # fmt: skip


@needs_grammars
@given(st.sampled_from(sorted({Path(form["file"]).suffix for form in FORMS})), st.lists(st.sampled_from(PIECES)))
def test_no_source_breaks_the_reader(ending: str, pieces: list[str]) -> None:
    name = f"a{ending}"
    text = "".join(pieces)
    source = PageSource(text.encode(), "html", None, None, language_of(name))

    page = parse_source(source, name, shared_registry().vocabulary)

    assert len(page.text) == len(text) or page.computed is None


def test_the_service_takes_a_template() -> None:
    pytest.importorskip("jsonschema_rs", reason="the extra server is not installed")
    from waypost.service.body import JSON
    from waypost.service.page_work import Situation, validate

    for is_template, found in ((True, []), (False, ["json-template-left"])):
        body = json.dumps({"html": LEFT, "template": is_template}).encode()
        answer = json.loads(validate(body, JSON, JSON, Situation(now=datetime.now(UTC), site="")))
        assert [each["rule"] for each in answer["files"][0]["findings"]] == found


HUGO = {
    "a computed value": '{{ dict "@context" "https://schema.org" "@type" "Recipe" "name" .Title "image" .Image }}',
    "a computed name": '{{ dict "@context" "https://schema.org" "@type" "Recipe" $key "x" | jsonify }}',
    "members by merge": (
        '{{ $s := dict "@context" "https://schema.org" "@type" "Recipe" "name" "Pie" }}'
        '{{ $s = merge $s (dict "image" .Image) }}'
    ),
    "a field of a call": (
        '{{ dict "@context" "https://schema.org" "@type" "Recipe" "name" (index .Site 0).Title "image" .I }}'
    ),
    "a fragment": '{{ return (dict "@type" "Offer" "price" .Price) }}',
    "broken": '{{ dict "@context" "https://schema.org" "@type" "Recipe" (dict "name" }}',
}


@pytest.mark.parametrize("text", HUGO.values(), ids=HUGO)
def test_dicts_of_hugo_are_known_as_far_as_written(tmp_path: Path, text: str) -> None:
    assert counting(checked(tmp_path, "layouts/a.html", text)) == []


def test_a_dict_without_a_required_member_is_reported(tmp_path: Path) -> None:
    text = '{{ $s := dict "@context" "https://schema.org" "@type" "Recipe" "name" .Title }}{{ $s | jsonify }}'

    findings = counting(checked(tmp_path, "layouts/a.html", text))

    assert [(each.rule, each.property) for each in findings] == [("required-property-missing", "image")]
    assert findings[0].column == text.index("dict") + 1


def test_a_dict_inside_of_a_call_is_checked(tmp_path: Path) -> None:
    text = '{{ $s := append (dict "@type" "Person" "Name" "Ann") .People }}'

    assert [each.rule for each in counting(checked(tmp_path, "layouts/a.html", text))] == ["property-wrong-case"]


TOML = {
    "an inline table": 'schema = { "@type" = "Person", Name = "Ann" }',
    "a table": '[schema]\n"@type" = "Person"\nName = "Ann"',
    "a table inside": '[params.schema]\n"@type" = "Person"\nName = "Ann"',
    "a list of tables": '[[schema]]\n"@type" = "Person"\nname = "Ann"\n[[schema]]\n"@type" = "Person"\nName = "Eve"',
    "a key with dots": 'schema."@type" = "Person"\nschema.Name = "Ann"',
    "a list": 'schema = [\n  { "@type" = "Person", Name = """Ann""" }, # the first\n]',
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_tables_of_front_matter_are_checked(tmp_path: Path, text: str) -> None:
    findings = counting(checked(tmp_path, "a.md", f"+++\ntitle = 'a'\n{text}\n+++\nText.\n"))

    assert [each.rule for each in findings] == ["property-wrong-case"]


@given(st.text(alphabet="[]{}=.,\"'\n #@type", max_size=60))
def test_any_front_matter_is_survived(text: str) -> None:
    data = f'+++\n"@type" = "Person"\n{text}\n+++\n'.encode()

    parse_source(PageSource(data, "markdown", None, None, ".md"), "a.md", shared_registry().vocabulary)


@given(st.text(alphabet='(){}|"`$ dictslice@ype\n', max_size=60))
def test_any_action_of_hugo_is_survived(text: str) -> None:
    data = f'{{{{ dict "@type" "Person" {text} }}}}'.encode()

    parse_source(PageSource(data, "html", None, None, "template"), "a.html", shared_registry().vocabulary)


PART = """<!-- Begin tag v{{ tag.version }} -->
{% if tag.title? %}<title>{{ tag.title }}</title>{% endif %}
{% if tag.json_ld %}<script type="application/ld+json">{{ tag.json_ld | jsonify }}</script>{% endif %}
"""


def test_a_part_with_statements_is_a_template(tmp_path: Path) -> None:
    assert counting(checked(tmp_path, "lib/template.html", PART)) == []
    assert counting(checked(tmp_path, "_site/template.html", PART)), "in built pages it is an error"
    assert counting(checked(tmp_path, "lib/page.html", f"<!doctype html><title>x</title>{PART}")), "a document is built"


JSX = {
    "a component with a property": (
        '<div itemScope itemType="https://schema.org/Product"><Price itemProp="offers" /></div>'
    ),
    "a component around": '<div itemScope itemType="https://schema.org/Product"><Name itemProp="name">x</Name></div>',
    "attributes by a spread": "<div itemScope {...item}><b itemProp='name'>x</b></div>",
    "a computed type": "<div itemScope itemType={type}><b itemProp='nmae'>x</b></div>",
    "a computed value": (
        '<div itemScope itemType="https://schema.org/Offer"><meta itemProp="price" content={p} /></div>'
    ),
    "an empty element": '<div itemScope itemType="https://schema.org/Person"><span itemProp="name" /></div>',
    "a comparison": (
        '<div itemScope itemType="https://schema.org/Person">{a < b ? <b itemProp="name">{n}</b> : "</b>"}</div>'
    ),
}


@needs_grammars
@pytest.mark.parametrize("markup", JSX.values(), ids=JSX)
def test_nothing_computed_of_jsx_is_reported(tmp_path: Path, markup: str) -> None:
    assert counting(checked(tmp_path, "a.tsx", f"export const A = () => ({markup});\n")) == []


@needs_grammars
def test_properties_in_jsx_are_checked_at_their_places(tmp_path: Path) -> None:
    text = (
        "export const A = ({ n }) => (\n"
        '  <div itemScope itemType="https://schema.org/Person">\n'
        '    <b itemProp="Name">{n}</b><meta itemProp="birthDate" content="1990-02-31" />\n  </div>);\n'
    )

    found = [(each.rule, each.line, each.column) for each in counting(checked(tmp_path, "a.jsx", text))]

    assert found == [("property-wrong-case", 3, 18), ("date-not-in-calendar", 3, 67)]
    assert 'itemProp="name"' in waypost.fix(tmp_path / "a.jsx", config=False).text


@needs_grammars
def test_json_ld_and_markup_are_both_read(tmp_path: Path) -> None:
    text = (
        f"const a = {{ {CONTEXT}, '@type': 'Person', Name: 'x' }};\n"
        'export const A = () => <div itemScope itemType="https://schema.org/Persn"><b itemProp="name">x</b></div>;\n'
    )

    assert {each.rule for each in counting(checked(tmp_path, "a.jsx", text))} == {"property-wrong-case", "unknown-type"}


@needs_grammars
@given(st.text(alphabet="<>{}/=\"'abDiv itemScopeitemProp ", max_size=80))
def test_any_jsx_is_survived(text: str) -> None:
    data = f"const a = <div itemScope>{text}</div>;".encode()

    parse_source(PageSource(data, "code", None, None, ".jsx"), "a.jsx", shared_registry().vocabulary)


OFFER = "offers: { '@type': 'Offer', price: p,\n    "
CURRENCY = "priceCurrency: 'EURO',\n    name: 'x' },"
IGNORED = {
    "an object": f"// waypost-ignore currency-unknown: until May\n  {OFFER}{CURRENCY}",
    "a member": f"{OFFER}/* waypost-ignore currency-unknown: until May */\n    {CURRENCY}",
    "the file": f"// waypost-ignore-file currency-unknown: until May\n  {OFFER}{CURRENCY}",
}


@needs_grammars
@pytest.mark.parametrize("members", IGNORED.values(), ids=IGNORED)
def test_comments_of_code_ignore_findings(tmp_path: Path, members: str) -> None:
    text = f"const a = {{ {CONTEXT}, '@type': 'Product', name: n, image: i,\n  {members}\n}};\n"

    assert counting(checked(tmp_path, "a.ts", text)) == []
    assert [each.rule for each in counting(checked(tmp_path, "a.ts", text.replace("currency-u", "price-u")))] == [
        "suppression-unused", "currency-unknown"
    ]  # fmt: skip


@needs_grammars
def test_a_comment_of_yaml_covers_the_lines_below(tmp_path: Path) -> None:
    text = (
        '"@context": https://schema.org\n"@type": Product\nname: A\n# waypost-ignore currency-unknown: until May\n'
        'offers:\n  "@type": Offer\n  priceCurrency: EURO\nisRelatedTo:\n  "@type": Product\n  Name: B\n'
    )

    rules = {each.rule for each in counting(checked(tmp_path, "a.yaml", text))}
    assert "property-wrong-case" in rules
    assert "currency-unknown" not in rules


@needs_grammars
def test_a_comment_next_to_jsx_counts_too(tmp_path: Path) -> None:
    text = (
        "// waypost-ignore property-wrong-case: the old name\n"
        f"const a = {{\n {CONTEXT}, '@type': 'Person', Name: 'x' }};\n"
        'export const A = () => <div itemScope itemType="https://schema.org/Person"><b itemProp="name">x</b></div>;\n'
    )

    assert counting(checked(tmp_path, "a.jsx", text)) == []
