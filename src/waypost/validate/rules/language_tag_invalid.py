"""Invalid language tag.

A tag is a code of two or three letters, perhaps with a script and a country, joined by hyphens: `en`,
`pt-BR`, `zh-Hant-TW`. Names of languages and tags with an underscore are not understood.
Source: RFC 5646 (BCP 47), section 2.1; W3C JSON-LD 1.1, section 9.5, read 2026-11-20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "json"
SEVERITY = "warning"
SIGN = "language"
# The grammar of RFC 5646, section 2.1: language, script, region, variants, extensions, private use.
_TAG = pattern(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|i-[a-z]+)(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?\Z"
    r"|x(?:-[a-z0-9]{1,8})+\Z",
    re.IGNORECASE,
)
_LONGEST = 100


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    reported: set[str] = set()
    for node in context.nodes_by_sign.get(SIGN, ()):
        for prop, values in node.props.items():
            for index in range(len(values)):
                language = node.language_of(prop, index)
                # A template repeats its error in every text.
                if language is not None and language not in reported and not _is_tag(language):
                    reported.add(language)
                    yield _draft(Item(node, context), prop, index, language)


def _is_tag(language: str) -> bool:
    return len(language) <= _LONGEST and bool(_TAG.match(language))


def _draft(item: Item, prop: str, index: int, language: str) -> FindingDraft:
    hyphens = language.replace("_", "-")
    hint = f"write {hyphens}" if _is_tag(hyphens) else "write a tag such as en or pt-BR"
    return item.warning(prop, f"{clip(language, 40)!r} is not a language tag", hint, index=index)
