"""Roots of a page: nodes that no other node holds or refers to, and the first node of each circle.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from collections.abc import Iterable

from waypost.models.page import Node


def roots_of(nodes: list[Node]) -> list[Node]:
    """Nodes without a holder, in document order; of nodes in a circle of holders, the first."""
    entries = [node for node in nodes if _is_entry(node)]
    if not any(node.referrers for node in entries):
        return entries
    tops = _Tops()
    before: dict[Node, list[Node]] = {node: [] for node in entries}
    after: dict[Node, list[Node]] = {node: [] for node in entries}
    for node, holders in before.items():
        for referring, _ in node.referrers:
            if referring.foreign:
                continue
            holder = tops.of(referring)
            if holder is not node and holder in after:
                holders.append(holder)
                after[holder].append(node)
    roots: set[Node] = {node for node, holders in before.items() if not holders}
    reached: set[Node] = set()
    _reach(roots, after, reached)
    # What no root reaches holds itself: a circle needs one of its nodes as a root, or its errors are lost.
    if len(reached) < len(entries):
        for node in _circle_roots([node for node in entries if node not in reached], after, before):
            roots.add(node)
    return [node for node in entries if node in roots]


def _is_entry(node: Node) -> bool:
    """Whether a node may be a root: of schema.org, not empty, and not the value of another in the markup."""
    if node.foreign or node.same_as is not None or node.reference:
        return False
    held = node.parent is not None and not node.reverse and not node.parent.foreign
    return not held and (len(node.types) > 0 or len(node.props) > 0)


class _Tops:
    """Outermost holder in the markup by node; cached on the way up."""

    def __init__(self) -> None:
        self.known: dict[Node, Node] = {}

    def of(self, start: Node) -> Node:
        passed: set[Node] = set()
        node = start.same_as or start
        while node not in self.known:
            # A circle of holders through `same_as`: any node of it will do.
            if node.parent is None or node.reverse or node.parent.foreign or node in passed:
                break
            passed.add(node)
            node = node.parent.same_as or node.parent
        top = self.known.get(node, node)
        for inner in passed:
            self.known[inner] = top
        return top


def _reach(start: Iterable[Node], along: dict[Node, list[Node]], reached: set[Node]) -> list[Node]:
    """Add reachable nodes to `reached`; returns the new ones."""
    found = [node for node in start if node not in reached]
    for node in found:
        reached.add(node)
    for node in found:  # grows while it is walked
        for inner in along[node]:
            if inner not in reached:
                reached.add(inner)
                found.append(inner)
    return found


def _circle_roots(nodes: list[Node], after: dict[Node, list[Node]], before: dict[Node, list[Node]]) -> list[Node]:
    """First node, in document order, of each circle without a way in.

    The last node that a depth-first walk finishes lies in such a circle, and the nodes leading to it are
    the circle itself (Kosaraju's argument).
    """
    order = {node: number for number, node in enumerate(nodes)}
    roots: list[Node] = []
    reached: set[Node] = set()
    for node in reversed(_finished(nodes, after)):
        if node not in reached:
            circle: set[Node] = set()
            roots.append(min(_reach([node], before, circle), key=lambda each: order[each]))
            _reach([node], after, reached)
    return roots


def _finished(nodes: list[Node], after: dict[Node, list[Node]]) -> list[Node]:
    """Nodes in the order in which a depth-first walk finishes them."""
    seen: set[Node] = set()
    done: list[Node] = []
    for start in nodes:
        if start in seen:
            continue
        seen.add(start)
        waiting = [start]
        tried = [0]
        while waiting:
            following = after[waiting[-1]]
            number = tried.pop()
            while number < len(following) and following[number] in seen:
                number += 1
            if number == len(following):
                done.append(waiting.pop())
            else:
                seen.add(following[number])
                tried.append(number + 1)
                waiting.append(following[number])
                tried.append(0)
    return done
