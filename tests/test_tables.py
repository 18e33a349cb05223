"""Tables whose cells name their column, for screens on which a row is drawn as a list."""

from __future__ import annotations

import pytest

from waypost.formats.tables import with_column_names

HEAD = '<thead><tr><th scope="col">Key</th><th scope="col">Last <i>used</i></th><th>"Ends"</th></tr></thead>'


def test_each_cell_but_the_first_names_its_column() -> None:
    row = '<tr><th scope="row">a</th><td>b</td><td class="num">c</td></tr>'

    named = with_column_names(f'<table class="list">{HEAD}<tbody>{row}</tbody></table>')

    assert '<th scope="row">a</th>' in named
    assert '<td data-column="Last used">b</td>' in named
    assert '<td data-column="&quot;Ends&quot;" class="num">c</td>' in named
    assert with_column_names("<p>text</p>") == "<p>text</p>"


@pytest.mark.parametrize(
    "table",
    [
        f'<table class="list matrix">{HEAD}<tbody><tr><td>a</td><td>b</td></tr></tbody></table>',
        '<table class="list"><tbody><tr><td>a</td><td>b</td></tr></tbody></table>',
        f'<table class="list">{HEAD}<tbody><tr><td colspan="2">a</td><td>b</td></tr></tbody></table>',
        f"<table>{HEAD}<tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
        '<table class="list"><thead><tr><th>a</th><th>b</th></tr></thead><tr><td>a</td><td>b</td></tr></table>',
    ],
    ids=["a matrix", "without a head", "spanning columns", "another table", "a term and its meaning"],
)
def test_a_table_of_another_reading_stays(table: str) -> None:
    assert with_column_names(table) == table
