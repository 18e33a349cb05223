"""Shape of a page's markup: types and properties of the item trees, without values, order and repetition.

Pages of a template have the same shape, or shapes with a few different optional properties (see `templates`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache

from waypost.models.page import Node, Page

_DEEPEST = 12
_MOST_PATHS = 500
"""Paths of a page: further ones say little about the template."""
_LIKE, _LEAST_COMMON = 0.5, 0.8
"""Least shares of the common paths among all paths of two shapes of a template, and among those of the smaller."""


def paths_of(page: Page) -> list[str]:
    """Paths of a page, sorted: `json-ld Product`, `json-ld Product/offers:Offer/price`."""
    found: set[str] = set()
    for root in page.roots:
        _add_paths(root, f"{root.block.syntax} {_type(root)}", 0, set(), found)
    return sorted(found)


def _add_paths(node: Node, path: str, depth: int, above: set[int], found: set[str]) -> None:
    """Add the paths of a node and below, until there are `_MOST_PATHS`."""
    if len(found) >= _MOST_PATHS:
        return
    found.add(path)
    if depth >= _DEEPEST or id(node) in above:
        return
    above.add(id(node))
    for prop, values in node.props.items():
        is_text = False
        for value in values:
            if isinstance(value, Node):
                _add_paths(value, f"{path}/{prop}:{_type(value)}", depth + 1, above, found)
            else:
                is_text = True
        if is_text and len(found) < _MOST_PATHS:
            found.add(f"{path}/{prop}")
    above.discard(id(node))


def _type(node: Node) -> str:
    types = node.types
    return (types[0] if len(types) == 1 else "+".join(sorted(types))) or "-"


def digest_of(paths: Collection[str]) -> str | None:
    """Digest of a shape; None without a path."""
    if not paths:
        return None
    return digest("\n".join(paths))


@lru_cache(1024)  # most pages of a site have the shapes and the causes of others
def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def templates(shapes: Mapping[str, tuple[int, Collection[str]]]) -> dict[str, str]:
    """Shape -> most frequent shape of the template. `shapes`: shape -> (number of pages, paths).

    Shapes are of a template where the root items have the same types and most paths are the same: a product without
    a rating comes from the template of the products with ratings.
    """
    leaders: dict[frozenset[str], list[tuple[str, frozenset[str]]]] = {}
    found: dict[str, str] = {}
    for shape, (_, paths) in sorted(shapes.items(), key=lambda entry: (-entry[1][0], entry[0])):
        known, mine = leaders.setdefault(roots_of(paths), []), frozenset(paths)
        for leader, its in known[:_MOST_LEADERS]:
            common = len(mine & its)
            if common >= _LIKE * len(mine | its) and common >= _LEAST_COMMON * min(len(mine), len(its)):
                found[shape] = leader
                break
        else:
            known.append((shape, mine))
            found[shape] = shape
    return found


_MOST_LEADERS = 200
"""Most templates with the same root items for the comparison with a shape."""


def roots_of(paths: Collection[str]) -> frozenset[str]:
    """Root items of a shape: `json-ld Product`."""
    return frozenset(path for path in paths if "/" not in path)
