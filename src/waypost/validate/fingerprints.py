"""Fingerprints of findings: unchanged if only the place in the file changes."""

from __future__ import annotations

import msgspec

from waypost.formats.digests import sha256
from waypost.models.page import Page, Span
from waypost.validate.item import FindingDraft, describe

_LONGEST_TEXT = 200


class Fingerprints:
    """Fingerprints of the findings of one page: 16 hex digits, with a number where several are equal.

    Hashed are the rule, the profile, the node and property, and the value; no position, index, white space, order of
    keys or way to escape.
    """

    def __init__(self, page: Page) -> None:
        self._page = page
        self._counts: dict[str, int] = {}

    def of(self, rule: str, draft: FindingDraft, pointer: str, span: Span, syntax: str) -> str:
        parts = [rule, draft.profile or ""]
        if draft.about is not None:
            parts += draft.about
        else:
            described = "" if draft.node is None else describe(draft.node)
            # Indexes are left out: a member added in front must not make all later findings new.
            path = "/".join(part for part in pointer.split("/") if not part.isdigit())
            has_value = draft.part != "node" and draft.prop is not None
            written = self._page.source_text(*span) if has_value else ""
            parts += (described, path, _normalised(written, syntax)[:_LONGEST_TEXT])
            parts.append((draft.property or "") if draft.prop is None else "")
        digest = str(sha256("|".join(parts).encode("utf-8", "replace")).hexdigest())[:16]
        count = self._counts[digest] = self._counts.get(digest, 0) + 1
        return digest if count == 1 else f"{digest}-{count}"


def _normalised(written: str, syntax: str) -> str:
    """Source text without white space, and in JSON without escapes and the order of keys."""
    if syntax == "json-ld":
        try:
            value = msgspec.json.decode(written)
            written = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            pass  # not one JSON value: hashed as it is written
    return "".join(written.split())
