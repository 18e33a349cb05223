"""Templates and code: loops, computed ids, lists that are filled later, and snapshots of tests are unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

import waypost
from waypost.formats.source_kinds import has_grammars
from waypost.models.finding import Finding

CONTEXT = '"@context": "https://schema.org"'
STEP = '{"@type": "ListItem", "position": 1, "name": "Home", "item": "https://example.com/"}'
needs_grammars = pytest.mark.skipif(not has_grammars(), reason="the extra sources is not installed")


def checked(tmp_path: Path, name: str, text: str) -> list[Finding]:
    """Errors and warnings of a file, without advice."""
    (tmp_path / name).write_text(text, "utf-8")
    findings = waypost.check(tmp_path / name, config=False).findings
    return [each for each in findings if each.severity != "info" and each.rule != "recommended-property-missing"]


def script(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


LOOPS = {
    "a.liquid": "{% for crumb in crumbs %}" + STEP + "{% unless forloop.last %},{% endunless %}{% endfor %}",
    "a.j2": "{% for crumb in crumbs %}" + STEP + "{{ ',' if not loop.last }}{% endfor %}",
    "a.swig": "{% for crumb in crumbs %}" + STEP + "{% if not loop.last %},{% endif %}{% endfor %}",
    "a.hbs": "{{#each crumbs}}" + STEP + "{{#unless @last}},{{/unless}}{{/each}}",
    "a.erb": "<% crumbs.each do |crumb| %>" + STEP + ",<% end %>",
    "a.php": "<?php foreach ($crumbs as $crumb): ?>" + STEP + ",<?php endforeach ?>",
    "a.blade.php": "@foreach($crumbs as $crumb)" + STEP + ",@endforeach",
    "a.gohtml": "{{ range .Crumbs }}" + STEP + ",{{ end }}",
}


@pytest.mark.parametrize(("name", "loop"), LOOPS.items())
def test_a_loop_brings_further_steps(tmp_path: Path, name: str, loop: str) -> None:
    text = script(f'{{{CONTEXT}, "@type": "BreadcrumbList", "itemListElement": [{loop}]}}')

    assert checked(tmp_path, name, text) == []


def test_a_single_step_without_loop_is_reported(tmp_path: Path) -> None:
    text = script(f'{{{CONTEXT}, "@type": "BreadcrumbList", "name": "{{{{ x }}}}", "itemListElement": [{STEP}]}}')

    assert [each.rule for each in checked(tmp_path, "a.liquid", text)] == ["breadcrumb-single-item"]


def organization(name: str, id_: str) -> str:
    return f'{{"@type": "Organization", "@id": {id_}, "name": "{name}", "url": "https://example.com/{name}"}}'


IDS = {
    "a.liquid": ('"{{ a.id }}"', '"{{ b.id }}"'),
    "b.liquid": ("{{ a.id | json }}", "{{ b.id | json }}"),
    "c.liquid": ('"https://example.com/{{ a }}#it"', '"https://example.com/{{ b }}#it"'),
    "a.erb": ('"<%= a_id %>"', '"<%= b_id %>"'),
}


@pytest.mark.parametrize(("name", "ids"), IDS.items())
def test_different_computed_ids_are_different_nodes(tmp_path: Path, name: str, ids: tuple[str, str]) -> None:
    nodes = f"{organization('Alpha', ids[0])}, {organization('Beta', ids[1])}"

    assert checked(tmp_path, name, script(f'{{{CONTEXT}, "@graph": [{nodes}]}}')) == []


def test_the_same_computed_id_is_one_node(tmp_path: Path) -> None:
    nodes = ", ".join(organization(name, '"{{ shop.id }}"') for name in ("Alpha", "Beta"))

    findings = checked(tmp_path, "a.liquid", script(f'{{{CONTEXT}, "@graph": [{nodes}]}}'))

    assert [each.rule for each in findings] == ["id-conflicting-values"]


def test_computed_itemids_are_different_nodes(tmp_path: Path) -> None:
    text = "".join(
        f'<p itemscope itemtype="https://schema.org/Organization" itemid="{{{{ {name}.id }}}}">'
        f'<b itemprop="name">{name}</b></p>'
        for name in ("a", "b")
    )

    assert checked(tmp_path, "a.liquid", text) == []


@needs_grammars
def test_ids_of_variables_are_different_nodes(tmp_path: Path) -> None:
    nodes = f"{organization('Alpha', 'alphaId')}, {organization('Beta', 'betaId')}"

    assert checked(tmp_path, "a.ts", f'export const graph = {{{CONTEXT}, "@graph": [{nodes}]}}') == []


@needs_grammars
def test_a_node_with_an_id_alone_adds_to_another(tmp_path: Path) -> None:
    rating = '"aggregateRating": {"@type": "AggregateRating", "ratingValue": 4, "reviewCount": 3}'
    text = f'export const more = {{{CONTEXT}, "@type": "Product", "@id": productId, {rating}}}'

    assert checked(tmp_path, "a.ts", text) == []
    assert checked(tmp_path, "b.ts", text.replace('"@id": productId, ', ""))


@needs_grammars
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ts", f"const a = {{{CONTEXT}, '@type': 'Person', name, sameAs: [], address: {{}}}};\na.sameAs.push(x);"),
        (
            "a.php",
            "<?php $a = ['@context' => 'https://schema.org', '@type' => 'Person', 'address' => []];\n$a['x'][] = 1;",
        ),
    ],
)
def test_an_empty_list_may_be_filled_later(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")

    assert "empty-value" not in [each.rule for each in waypost.check(tmp_path / name, config=False).findings]


@needs_grammars
def test_an_empty_list_that_stays_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.ts").write_text(f"export const a = {{{CONTEXT}, '@type': 'Person', name, address: []}}", "utf-8")

    assert "empty-value" in [each.rule for each in waypost.check(tmp_path / "a.ts", config=False).findings]


@needs_grammars
def test_a_json_schema_is_not_markup(tmp_path: Path) -> None:
    php = "<?php return ['properties' => ['@id' => ['type' => 'string'], '@type' => ['type' => 'string']]];"

    assert checked(tmp_path, "a.php", php) == []
    assert checked(tmp_path, "a.ts", "const s = { properties: { '@type': { type: 'string' }, nmae: {} } }") == []
    members = "'@context' => 'https://schema.org', '@type' => ['Person'], 'nmae' => 1"
    assert checked(tmp_path, "b.php", f"<?php return [{members}];")


@needs_grammars
def test_a_snapshot_of_a_test_is_not_markup(tmp_path: Path) -> None:
    printed = f'{{\n  {CONTEXT},\n  "@type": "Recipe",\n}}'

    assert checked(tmp_path, "a.test.ts", f"expect(schema).toMatchInlineSnapshot(`\n{printed}\n`)\n") == []
    assert checked(tmp_path, "b.ts", f"document.write(`{printed}`)\n")


@needs_grammars
def test_more_objects_than_the_limit_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.reader.code_objects.MOST_OBJECTS", 2)
    text = "".join(f"export const n{number} = {{{CONTEXT}, '@type': 'Person', name: 'N'}}\n" for number in range(4))

    findings = checked(tmp_path, "a.ts", text)

    assert [(each.rule, each.line) for each in findings] == [("json-too-large", 3)]


def test_a_report_names_no_computed_type_nor_id(tmp_path: Path) -> None:
    text = script(f'{{{CONTEXT}, "@type": "{{{{ kind }}}}", "@id": "{{{{ url }}}}", "name": "Shop"}}')
    (tmp_path / "a.liquid").write_text(text, "utf-8")

    (item,) = waypost.check(tmp_path / "a.liquid", config=False).report.items

    assert (item.types, item.id, item.name) == ((), None, "Shop")


IGNORED = (
    f"{{ {CONTEXT}, '@type': 'Product', name: n, image: i,\n  // waypost-ignore currency-unknown: until May\n"
    "  offers: { '@type': 'Offer', price: p,\n    priceCurrency: 'EURO' } }"
)
IN_MARKUP = {
    "a.vue": f"<script setup>\nconst a = {IGNORED}\n</script>\n<template><p>A</p></template>\n",
    "a.svelte": f"<script>\nconst a = {IGNORED}\n</script>\n<p>A</p>\n",
    "a.astro": f"---\nconst a = {IGNORED}\n---\n<p>A</p>\n",
    "a.mdx": f"# A\n\nexport const a = {IGNORED}\n\nText.\n",
    "a.php": (
        "<p>A</p>\n<?php $a = ['@context' => 'https://schema.org', '@type' => 'Product', 'name' => $n, 'image' => $i,\n"
        "  # waypost-ignore currency-unknown: until May\n"
        "  'offers' => ['@type' => 'Offer', 'price' => $p, 'priceCurrency' => 'EURO']];\n"
    ),
}


@needs_grammars
@pytest.mark.parametrize(("name", "text"), IN_MARKUP.items())
def test_comments_of_code_in_markup_ignore_findings(tmp_path: Path, name: str, text: str) -> None:
    assert checked(tmp_path, name, text) == []
    assert {each.rule for each in checked(tmp_path, name, text.replace("currency-u", "price-u"))} == {
        "currency-unknown", "suppression-unused"
    }  # fmt: skip


@needs_grammars
def test_a_comment_of_html_counts_next_to_code(tmp_path: Path) -> None:
    text = IN_MARKUP["a.svelte"] + (
        '<!-- waypost-ignore property-wrong-case: the old name -->\n<p itemscope itemtype="https://schema.org/Person">'
        '<b itemprop="Name">A</b></p>\n'
    )

    assert checked(tmp_path, "a.svelte", text) == []
