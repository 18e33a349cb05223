"""Scale of a rating: the bounds that the value must lie between to be drawn as stars."""

from __future__ import annotations

from decimal import Decimal

from waypost.formats.numbers import number, rating
from waypost.models.page import Node, Value


def scale_missed(node: Node, value: Value) -> tuple[Decimal, Decimal] | None:
    """(lowest, highest) of the scale that the `ratingValue` of a rating lies outside of, else None.

    A zero with no count above 0 is not a value outside its scale: it stands for no ratings at all.
    """
    found = rating(value)
    if found is None:
        return None
    if found.out_of is None:
        low, high = _scale(number(node.get("worstRating")), number(node.get("bestRating")))
    else:
        # "4 out of 5" carries its own scale.
        low, high = Decimal(0), found.out_of
    if low > high or low <= found.value <= high or (not found.value and is_unrated(node)):
        return None
    return low, high


def is_unrated(node: Node) -> bool:
    """Does the rating count 0 ratings or reviews? One count above 0 is enough for a rating."""
    counts = [count for prop in COUNTS if (count := number(node.get(prop))) is not None]
    return bool(counts) and not any(counts)


COUNTS = ("ratingCount", "reviewCount")


def _scale(worst: Decimal | None, best: Decimal | None) -> tuple[Decimal, Decimal]:
    """Lowest and highest rating; 1 and 5 where the item gives none that contradict."""
    # Defaults of 1 and 5 as Google documents them, stretched where the other bound lies beyond.
    if worst is not None:
        return worst, max(Decimal(5), worst) if best is None else best
    return (Decimal(1), Decimal(5)) if best is None else (min(Decimal(1), best), best)
