"""Join of nodes with the same id: nodes become one, references become their targets, roots are found.

Source: W3C JSON-LD 1.1, section 3.3 (node identifiers): objects with the same `@id` describe the same node.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from waypost.models.page import Node, Page, Value, is_present
from waypost.reader.names import note_spelling
from waypost.reader.roots import roots_of
from waypost.registry.vocabulary import Vocabulary

# An id; with its block for a blank node, whose name holds inside one document only.
Key: TypeAlias = "str | tuple[int, str]"
_VALUES = frozenset({"Action", "Enumeration"})
_MOST_PASSES = 20  # objects before their holders that are followed outwards
_COMPARED_LEVELS = 3  # levels that two nodes without an id are compared by
_COMPARED = 64  # members of a node that take part in that


def join_nodes(page: Page, vocabulary: Vocabulary) -> None:
    """Join the nodes of a page by id, across blocks and syntaxes, then find the roots.

    The first node with properties under an id takes the values of the later nodes over. Later nodes and
    references point to the first by `same_as`. A reference without a target stays a reference.
    """
    groups = _groups(page.nodes)
    moved: list[Node] = []
    # Scripts with a context that was not fetched: it may define any name.
    unread = {error.block for error in page.read_errors if error.rule == "jsonld-remote-context"}
    for key, nodes in groups.items():
        head = next((node for node in nodes if not node.reference), None)
        if head is None:
            continue
        if isinstance(key, str):
            page.by_id[key] = head
        if len(nodes) > 1:
            moved.extend(_gather(head, nodes, unread, vocabulary))
    if moved:
        _redirect(page.nodes, moved)
    page.roots = [root for root in roots_of(page.nodes) if root not in page.orphans]
    _mark_hollow([node for node in page.nodes if node.id is None and node.parent is not None], vocabulary)


def _mark_hollow(nodes: list[Node], vocabulary: Vocabulary) -> None:
    """Set `hollow` of nodes inside of others, innermost first."""
    # An object stands after its holder, unless `itemref` names it: its holder is then seen in the next pass.
    for _ in range(_MOST_PASSES):
        found = [node for node in reversed(nodes) if not node.hollow and _becomes_hollow(node, vocabulary)]
        if not found or all(node.block.syntax != "microdata" for node in found):
            return


def _becomes_hollow(node: Node, vocabulary: Vocabulary) -> bool:
    node.hollow = _is_hollow(node, vocabulary)
    return node.hollow


def _is_hollow(node: Node, vocabulary: Vocabulary) -> bool:
    """Are all members empty, and is the type no value either? An action, a member and an unknown type may be one."""
    for values in node.props.values():
        for value in values:
            if is_present(value):
                return False
    known = vocabulary.types
    return all(name in known for name in node.types) and not vocabulary.are_a(node.types, _VALUES)


def _groups(nodes: Iterable[Node]) -> dict[Key, list[Node]]:
    groups: dict[Key, list[Node]] = {}
    for node in nodes:
        if node.id is not None:
            # Blank node names are local to a document (JSON-LD 1.1, section 4.5.1): two scripts may use the same one.
            # All RDFa of a page is one document.
            is_local = node.id[:2] == "_:"
            key: Key = (id(node.block) if node.block.syntax == "json-ld" else 0, node.id) if is_local else node.id
            groups.setdefault(key, []).append(node)
    return groups


def _gather(head: Node, nodes: list[Node], unread: AbstractSet[int | None], vocabulary: Vocabulary) -> list[Node]:
    """Make the first stated node of a group stand for the group; returns the rest of the nodes.

    unread   numbers of the scripts with a context that was not fetched: a type that is unknown there is none of
             schema.org's, and does not go over to the others.
    """
    known: dict[str, set[object]] = {}
    if unread and _is_unread(head, unread):
        head.types = tuple(name for name in head.types if name in vocabulary.types or ":" in name)
    duplicates = [node for node in nodes if node is not head]
    for duplicate in duplicates:
        duplicate.same_as = head
        # A reference states nothing; its types may be what a page says of the target elsewhere.
        if duplicate.reference:
            duplicate.reference = False
            if not head.types:
                _take_types(head, duplicate, duplicate.types)
        else:
            types = duplicate.types
            if unread and _is_unread(duplicate, unread):
                types = tuple(name for name in types if name in vocabulary.types or ":" in name)
            _take_types(head, duplicate, types)
            head.foreign = head.foreign and duplicate.foreign
            _take_over(head, duplicate, known)
    return duplicates


def _is_unread(node: Node, unread: AbstractSet[int | None]) -> bool:
    return node.block.syntax == "json-ld" and node.block.index in unread


def _take_types(head: Node, duplicate: Node, types: tuple[str, ...]) -> None:
    """Add the types of a duplicate to the head, with the node that states each."""
    for name in types:
        if name not in head.types:
            head.types += (name,)
            if head.typed_by is None:
                head.typed_by = {}
            head.typed_by[name] = duplicate
            if duplicate.miscased and (spelled := duplicate.miscased.get(f"@type:{name}")):
                note_spelling(head, f"@type:{name}", spelled)


def _take_over(head: Node, duplicate: Node, known: dict[str, set[object]]) -> None:
    """Add the values of a duplicate to the head. `known`: likenesses of the head's values, by property."""
    for prop, values in duplicate.props.items():
        if prop not in head.props and duplicate.miscased and prop in duplicate.miscased:
            note_spelling(head, prop, duplicate.miscased[prop])
        own = head.props.setdefault(prop, [])
        present = known.get(prop)
        if present is None:
            present = known[prop] = {likeness(value) for value in own}
        fresh = [(n, value) for n, value in enumerate(values) if likeness(value) not in present]
        if fresh and head.borrowed is None:
            head.borrowed = {}
        for number, value in fresh:
            present.add(likeness(value))
            # Remembered, so that a finding about the value stands where it was written, not at the head.
            head.borrowed[prop, len(own)] = (duplicate, prop, number)  # type: ignore[index]
            own.append(value)


def likeness(value: Value, depth: int = _COMPARED_LEVELS) -> object:
    """Key that is equal for equal values: by id, by text, or by the properties of a node to a small depth."""
    if not isinstance(value, Node):
        # `true` of JSON and the text "true" of Microdata are the same value.
        return str(value).strip().lower() if isinstance(value, bool) else str(value).strip()
    if value.id is not None:
        return ("@id", value.id)
    if depth == 0:
        return value
    members = list(value.props.items())[:_COMPARED]
    inside = (
        (prop, tuple(likeness(inner, depth - 1) for inner in values[:_COMPARED])) for prop, values in members if values
    )
    return (value.types, frozenset(inside))


def _redirect(nodes: list[Node], moved: list[Node]) -> None:
    """Replace nodes with a `same_as` by their heads in all values, and add the referrers to the heads."""
    holders: dict[tuple[Node, str], None] = {}  # each list of values is walked once, in document order
    for node in moved:
        if node.parent is not None and node.via is not None and not node.reverse:
            holders[node.parent.same_as or node.parent, node.via] = None
    for node in nodes:
        if node.reverse and node.via is not None:
            holders[node.same_as or node, node.via] = None
    for holder, prop in holders:
        values = holder.props.get(prop, [])
        for number, value in enumerate(values):
            if isinstance(value, Node) and value.same_as is not None:
                values[number] = value.same_as
                pointing = value.same_as.referrers
                # The values of one list follow each other, so that a repetition is always the last referrer.
                if not pointing or pointing[-1] != (holder, prop):
                    value.same_as.add_referrer(holder, prop)
