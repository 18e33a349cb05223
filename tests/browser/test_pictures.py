"""A picture of a rich result is what the preview draws of its page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.browser.conftest import until

from waypost.pages.smallest import smallest

SHAPE = """(card) => {
  const shapeOf = (node) => {
    if (node.nodeType === 3) return node.nodeValue;
    if (node.nodeType !== 1 || node.matches(".word-media, .serp-media > a, .snip-gap, .snip-doubt")) return "";
    const inside = [...node.childNodes].map(shapeOf).join("");
    if (node.matches("svg")) return "<svg>";
    const name = node.matches("button.word, .snip-raw") ? "span" : node.localName;
    if (node.matches(".snip-raw")) return inside;
    return `<${name} ${node.className}>${inside}</${name}>`;
  };
  return [...card.childNodes].map(shapeOf).join("").trim();
}"""


def test_each_picture_is_what_the_preview_draws(browser: Any, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page, preview = context.new_page(), context.new_page()
    different = []
    for profile in smallest():
        page.goto(f"{site.as_uri()}/profiles/{profile}/index.html")
        link = page.locator("#looks ~ p a").first.get_attribute("href")
        fragment = link.partition("#")[2]
        for card in page.query_selector_all(".looks .serp"):
            view, result = (
                re.search(r"is-google-(\w+)", card.get_attribute("class"))[1],
                card.get_attribute("data-result"),
            )
            preview.goto("about:blank")
            preview.goto(f"{site.as_uri()}/explorer/preview/index.html#{fragment}")
            until(preview, "Boolean(document.querySelector('.serp-card'))")
            preview.check(f"input[name=surface][value={view}]")
            drawn = f".is-google-{view}[data-result='{result}'] .serp-card"
            until(preview, f"Boolean(document.querySelector({drawn!r}))")
            own = card.query_selector(".serp-card").evaluate(SHAPE)
            other = preview.query_selector(drawn).evaluate(SHAPE)
            if own != other:
                different.append((profile, view, own, other))
    context.close()

    assert different == []
