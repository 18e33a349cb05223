"""Microdata itemtype without itemscope.

Without `itemscope` the `itemtype` does nothing: no item begins here, and the properties inside belong to the item
around it, or to none. Where they belong to none, and the page has no other item of the type, an item is lost: an
error, if a rich result needs it. An offer or a rating that is written this way is read as a text, and its properties
as those of the product: one finding says so, an error where a rich result needs the object. A tag that is itself a
value (`a`, `img`, `link`, `meta`), whose type is that of a value (`Integer`), or that RDFa reads (`typeof`), is not an
item either: there the type is what is too much.
Source: HTML Standard, section 5.2.2 (Items: itemtype must not be specified without itemscope), read 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.page import ReadError
from waypost.models.profile import Profile
from waypost.validate.item import FindingDraft, RuleContext

AUTHORITY = "html"
SEVERITY = "warning"
_NAME = "microdata-itemtype-without-itemscope"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for error in context.page.read_errors:
        if error.rule == _NAME:
            yield _of_error(error, context)


def _of_error(error: ReadError, context: RuleContext) -> FindingDraft:
    name, lost = error.detail["type"], error.detail["lost"]
    message = "this tag has itemtype but no itemscope: no item begins here"
    if lost:
        message = f"this {name or 'item'} is not read: {_inside(lost)} for no item"
    elif owner := error.detail["owner"]:
        is_text, taken = error.detail["content"] is not None, error.detail["taken"]
        parts = [f"this {name or 'item'} is read as plain text"] if is_text else []
        parts += [f"{_inside(taken)} for the {' and '.join(owner.types) or 'item'} around it"] if taken else []
        message = ", and ".join(parts) or message
    return FindingDraft(
        # An error only where a rich result is lost by it.
        severity="error" if lost and name is not None and _costs_a_result(name, context) else "warning",
        message=message,
        hint="leave itemtype out here" if error.detail["is_value"] else "add itemscope to the same tag",
        property=error.detail["prop"],
        read_error=error,
    )


def _inside(count: int) -> str:
    return "the property in it counts" if count == 1 else f"the {count:,} properties in it count"


def _costs_a_result(name: str, context: RuleContext) -> bool:
    """Would an item of the type have a rich result, and does the page have no other item of the type?"""
    types = frozenset().union(*(p.types for p in context.registry.profiles.values() if _is_promised(p)))
    has_result = context.registry.vocabulary.are_a((name,), types)
    # Another item of the type may have the result, the broken one then being a leftover.
    return has_result and not any(name in node.types for node in context.page.nodes)


def _is_promised(profile: Profile) -> bool:
    """Does a profile apply to nodes by their type, whatever else they have?"""
    when = profile.applies_when
    by_type = when is None or any("path" not in each["type"] for each in when.get("any", ()) if "type" in each)
    return profile.status == "supported" and bool(profile.required) and by_type
