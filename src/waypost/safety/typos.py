"""Number of typos between two words: letters inserted, left out, replaced, or swapped with their neighbour.

The optimal string alignment distance up to a small bound, for words that mostly are alike: what is the same at their
beginnings and ends needs no table of all pairs of letters.
"""

from __future__ import annotations


def typos(left: str, right: str, most: int) -> int:
    """Typos between two words, `most` + 1 if there are more. Each step of `most` costs up to four comparisons."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    start, end, shorter = 0, 0, min(len(left), len(right))
    while start < shorter and left[start] == right[start]:
        start += 1
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    if not left or not right:
        return len(left) + len(right)
    if most < 2:
        is_swap = len(left) == 2 and left == right[::-1]
        return 1 if most and (is_swap or len(left) == len(right) == 1) else most + 1
    steps = [(left[1:], right[1:]), (left[1:], right), (left, right[1:])]
    # First, since a swap is also two replaced letters, and the search ends with the fewest typos there can be.
    if left[0] == right[1:2] and right[0] == left[1:2]:
        steps.insert(0, (left[2:], right[2:]))
    fewest = most
    for rest in steps:
        fewest = min(fewest, typos(*rest, fewest - 1))
        if not fewest:
            break
    return fewest + 1
