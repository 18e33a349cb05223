"""Markdown copies of pages, without the frame, for readers of plain text."""

from __future__ import annotations

import re
from functools import lru_cache

from turbohtml import Markdown, parse

_FORM = Markdown(links=Markdown.Links(autolink=True), tables=Markdown.Tables(mode="markdown"))
_OURS = re.compile(r"(?<=\]\()((?:\.\./)*(?:[\w@.-]+/)*)index\.html")
_LEFT_OUT = "nav, form, svg, .js, .anchor, .snip-mark, caption, colgroup, [aria-hidden=true]"


def markdown_of(html: str) -> str:
    """Main part of a page as Markdown; links between pages lead to the Markdown copies."""
    return _of_main(html[html.index('<main id="main">') : html.rindex("</main>")])


@lru_cache(maxsize=2048)
def _of_main(html: str) -> str:
    document = parse(f"<!doctype html>{html}</main>")
    for node in document.select(_LEFT_OUT):
        node.decompose()
    main = document.find("main")
    assert main is not None
    text = _OURS.sub(r"\1index.md", main.to_markdown(_FORM))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
