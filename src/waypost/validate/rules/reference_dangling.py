"""Reference to an @id that is not on the page.

`{"@id": "#author"}` stands for the node of this page with that `@id`. No node has the id, so the property is as
good as empty. The usual causes: a letter or a slash that differs, or a block that is no longer published. A
reference to another page (`https://example.com/about#me`) is fine: the node may be on that page.
Source: W3C JSON-LD 1.1, section 3.3 (node identifiers), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from waypost.formats.text import clip, one_letter_less
from waypost.models.page import Page
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "json"
SEVERITY = "warning"
SIGN = "reference"
_MOST_IDS = 1000
_LONGEST = 60


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    page = context.page
    slips: dict[str, str] | None = None
    for node in context.nodes_by_sign.get(SIGN, ()):
        # An id of another page may be described there.
        if node.id is None or not _is_of_this_page(node.id, page):
            continue
        # Built for the first dangling reference only, as most pages have none.
        slips = _slips(page) if slips is None else slips
        name = _short(node.id, page)
        correction = next((slips[slip] for slip in _one_less(name) if slip in slips), None)
        yield FindingDraft(
            severity="warning",
            message=f"no node of this page has the @id {clip(name)}",
            hint=f"did you mean {clip(correction)}?" if correction else "add the node, or write its properties here",
            node=node,
            span=node.block.span(node, "@id"),
        )


def _is_of_this_page(name: str, page: Page) -> bool:
    if name[:1] == "#" or name[:2] == "_:":
        return True
    address, hash_, _ = name.partition("#")
    return bool(hash_) and address in {page.url, page.base}


def _short(name: str, page: Page) -> str:
    """Fragment of an id of this page; any further id unchanged."""
    address, hash_, fragment = name.partition("#")
    return f"#{fragment}" if hash_ and address in {page.url, page.base, ""} else name


def _slips(page: Page) -> dict[str, str]:
    """Ids of the page by spelling: complete and without one letter, so that a lookup needs no comparisons."""
    # A dozen spellings per id: no suggestion is worth the memory on such a page.
    if len(page.by_id) > _MOST_IDS:
        return {}
    names = [_short(name, page) for name in page.by_id]
    # The first id of the page wins where two have a spelling in common.
    return {slip: name for name in reversed(names) for slip in _one_less(name)}


def _one_less(name: str) -> Iterable[str]:
    """Name in lower case without the last slash and `#`, then without any one of the letters."""
    folded = name.casefold().strip("#/_:")
    return one_letter_less(folded) if len(folded) <= _LONGEST else (folded,)
