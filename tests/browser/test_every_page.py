"""Every page of the site, not one of each kind: silent under the strict policy, asking nobody, within its screen."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.browser.conftest import LAID_OUT, VIEWS, until
from tests.browser.test_site_pages import KINDS, MISSING, PARTS, console_of, most_requests

from waypost.pages import Settings, _drafts
from waypost.pages.draft import Source
from waypost.registry import load
from waypost.registry.world import load as load_world

ROOT = Path(__file__).parents[2]
_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_is_silent_without_requests_and_fits(part: int, browser: Any, site: Path, served: str) -> None:
    """From a server, which is the stricter place; from a folder each kind of page is opened elsewhere."""
    context = browser.new_context(**VIEWS["320"])
    context.add_init_script(LAID_OUT)
    page = context.new_page()
    messages = console_of(page)
    requests: list[str] = []
    wide: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))

    for name in names[part::PARTS]:
        before = len(requests)
        page.goto(served + name)
        assert len(requests) - before <= most_requests(name), requests[before:]
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        wide += [f"{name}: {over} px"] if over > 0 else []

    page.focus("input[role=combobox]")
    until(page, "Boolean(window.waypost.entries)")

    context.close()
    assert len(names) > 500
    assert messages == []
    assert wide == []
    assert [url for url in requests if not url.startswith(served)] == []


def test_each_kind_of_page_is_checked() -> None:
    """A new template without a page in the list would be seen by no test for barriers."""
    source = Source(load(), load_world(), _NOW)
    drafts = list(_drafts(source, Settings()))

    seen = {draft.template for draft in drafts if draft.address in {*KINDS, MISSING}}

    assert {draft.template for draft in drafts} - seen == set()
