"""Search index: a script, loaded when the search box is first used, that works from a folder too."""

from __future__ import annotations

import json
from collections.abc import Iterable

from waypost.pages.draft import Draft
from waypost.pages.minify import minify_js
from waypost.registry import assets

_ABOUT = 140


def index(drafts: Iterable[Draft]) -> bytes:
    """Script with `[[address, kind, title, about], ...]` and the search; `about` repeats no word of the title."""
    rows = [[draft.address, draft.kind, draft.title, _about(draft)] for draft in drafts if draft.kind]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    find = (assets.folder("site") / "js" / "small" / "find.js").read_text("utf-8")
    return f'(()=>{{"use strict";const INDEX={text};\n{minify_js(find)}}})();\n'.encode()


def _about(draft: Draft) -> str:
    about = (
        draft.description if len(draft.description) <= _ABOUT else f"{draft.description[:_ABOUT].rpartition(' ')[0]}…"
    )
    known = f"{draft.title} {about}".lower()
    further = [word for word in dict.fromkeys(draft.words.split()) if word.lower() not in known]
    return " ".join([about, *further[:30]]).strip()
