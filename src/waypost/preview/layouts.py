"""Parts of a surface from the layouts of `schemas/layouts/`, by the values of a page.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from waypost.formats.patterns import pattern
from waypost.models.page import Node, Page, Span, is_present
from waypost.models.surface import Found, Limit, Part, PartSpec, Ref, Slot, Word
from waypost.preview.plain import date_of, stars_of, text_of

DEEPEST = 4
MOST_ENTRIES = 12
MOST_MEASURED = 2000


class Scope(NamedTuple):
    """Values for a layout.

    page    the page, for places
    node    the item
    slots   values of the item's card, by name
    meta    values of the page's head, by name
    device  phone or desktop
    blocks  parts of the view, by name
    limits  lengths by name
    widths  character -> width in units of the font
    em      units of a letter's height
    words   words of cards for codes
    """

    page: Page
    node: Node | None
    slots: dict[str, Slot]
    meta: dict[str, Slot]
    device: str
    blocks: dict[str, tuple[PartSpec, ...]]
    limits: dict[str, Limit]
    widths: dict[str, int]
    em: int
    words: Any


def values_at(node: Node, path: str) -> list[Found]:
    """Present values at a dotted path of properties, in order."""
    found: list[Found] = []
    nodes: list[Node] = [node]
    steps = path.split(".")
    for number, step in enumerate(steps):
        found = []
        for each in nodes:
            for index, value in enumerate(each.props.get(step, [])):
                if is_present(value):
                    found.append(Found(each, step, index))
        nodes = []
        for place in found:
            inner = place.node.props[place.prop][place.place]
            if isinstance(inner, Node):
                nodes.append(inner)
        if number < len(steps) - 1 and not nodes:
            return []
    return found


def spans_at(page: Page, place: Found, rest: str, inner: tuple[str, ...]) -> list[Span]:
    """Spans of a value, at the depth of a path and of the first inner property."""
    value = place.node.props[place.prop][place.place]
    if isinstance(value, Node):
        if rest:
            found = values_at(value, rest)
            if found:
                return [span for each in found[:3] for span in spans_at(page, each, "", inner)]
        for name in inner:
            deeper = values_at(value, name)
            if deeper:
                return [page.span_of(each.node, each.prop, each.place) for each in deeper[:3]]
    return [page.span_of(place.node, place.prop, place.place)]


INNER = ("ratingValue", "price", "lowPrice", "contentUrl", "url", "name", "text", "value")
"""Properties to display a node of a plain path by, in order."""


def slot_of_node(scope: Scope, path: str, ref: Ref) -> Slot | None:
    """Values of the item at a path, as one text."""
    if scope.node is None:
        return None
    found = values_at(scope.node, path)
    if not found:
        return None
    values = [each.node.props[each.prop][each.place] for each in found]
    if ref.show == "stars" and not isinstance(values[0], Node):
        values = [found[0].node]
    text = text_of(ref.show, values, scope.words, ref.most)
    if not text:
        return None
    spans = [span for each in found[: ref.most] for span in spans_at(scope.page, each, "", INNER)]
    return Slot(text, path, tuple(spans), date_of(ref.show, values), stars_of(ref.show, values))


def slot_of(scope: Scope, source: str, ref: Ref) -> Slot | None:
    """Value of one source."""
    kind, _, name = source.partition(":")
    if kind == "node":
        return slot_of_node(scope, name, ref)
    if kind == "slot":
        return scope.slots.get(name)
    return scope.meta.get(name)


PLAIN = Ref(show="text", most=1)


def holds(condition: str, scope: Scope) -> bool:
    """Whether a condition of a layout or part holds."""
    if not condition:
        return True
    negated = condition.startswith("!")
    source, _, expected = condition.removeprefix("!").partition("=")
    kind, _, path = source.partition(":")
    if kind == "node" and not expected:
        return (scope.node is not None and len(values_at(scope.node, path)) > 0) is not negated
    slot = slot_of(scope, source, PLAIN)
    result = slot is not None and (not expected or slot.text == expected)
    return result is not negated


FULL_WIDTH = pattern(
    "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd]"
)
NO_WIDTH = pattern("[\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f]")


def width_of(text: str, limit: Limit, scope: Scope) -> int:
    """Width of a text, in pixels times `Scope.em`. Wide scripts outside the table are as wide as high."""
    return sum(letter_width(each, scope) for each in text) * limit.size


def letter_width(letter: str, scope: Scope) -> int:
    """Width of a character, in units of the font."""
    known = scope.widths.get(letter)
    if known is not None:
        return known
    if NO_WIDTH.match(letter):
        return 0
    return scope.em if FULL_WIDTH.match(letter) else scope.widths.get("a", 0)


def cut(text: str, limit: Limit, scope: Scope) -> str:
    """Visible beginning of a text, up to the end of a word; a short text itself."""
    letters = list(text)
    fitting = limit.characters - 1
    if limit.characters:
        if len(letters) <= limit.characters:
            return text
    else:
        whole = limit.width * scope.em
        most = whole - width_of("…", limit, scope)
        width = 0
        fitting = 0
        for each in letters[:MOST_MEASURED]:
            width = width + width_of(each, limit, scope)
            if width <= most:
                fitting = fitting + 1
        if width <= whole and len(letters) <= MOST_MEASURED:
            return text
    beginning = "".join(letters[:fitting])
    if letters[fitting] == " ":
        return beginning.rstrip()
    head, space, _ = beginning.rpartition(" ")
    return (head if space else beginning).rstrip()


def word_of(ref: Ref, scope: Scope) -> Word | None:
    """Word of a source; None where no source has a value."""
    if ref.text:
        return Word(ref.text, ref.label, "", "", -1.0, "", ())
    for source in ref.of:
        slot = slot_of(scope, source, ref)
        if slot is None or not slot.text:
            continue
        limit = scope.limits.get(ref.cut)
        text = cut(slot.text, limit, scope) if limit is not None else slot.text
        rest = slot.text.removeprefix(text)
        return Word(text, ref.label, slot.property, slot.date, slot.stars, rest, slot.spans)
    return None


def words_of(refs: tuple[Ref, ...], scope: Scope) -> list[Word]:
    """Words of a part. A source "slot:facts" or "slot:items" is all facts, or all entries, of the card."""
    words: list[Word] = []
    for ref in refs:
        if ref.of and ref.of[0] in ("slot:facts", "slot:items", "slot:badges"):
            beginning = f"{ref.of[0].partition(':')[2]}/"
            for name, slot in scope.slots.items():
                if name.startswith(beginning):
                    label, _, text = slot.text.partition("\n")
                    words.append(Word(text, label, slot.property, slot.date, slot.stars, "", slot.spans))
            continue
        word = word_of(ref, scope)
        if word is not None:
            words.append(word)
    return words


def inside(scope: Scope, node: Node) -> Scope:
    """Scope of a node inside the item, without a card."""
    no_slots: dict[str, Slot] = {}
    return Scope(
        scope.page, node, no_slots, scope.meta, scope.device, scope.blocks, scope.limits, scope.widths, scope.em,
        scope.words,
    )  # fmt: skip


def entries_of(spec: PartSpec, scope: Scope, depth: int) -> list[list[Part]]:
    """Parts of the nodes below a part, one by one."""
    entries: list[list[Part]] = []
    if not spec.each or scope.node is None or depth >= DEEPEST:
        return entries
    for place in values_at(scope.node, spec.each)[: min(spec.most, MOST_ENTRIES)]:
        value = place.node.props[place.prop][place.place]
        if isinstance(value, Node):
            inner = parts_of(spec.parts, inside(scope, value), depth + 1)
            if inner:
                entries.append(inner)
    return entries


def part_of(spec: PartSpec, scope: Scope, depth: int) -> Part | None:
    """One part; None for a part without a value, and for words of the surface alone."""
    words = words_of(spec.of, scope)
    entries = entries_of(spec, scope, depth)
    is_empty = not entries if spec.each else all(not word.property for word in words)
    if is_empty and spec.part != "heading":
        return None
    return Part(spec.part, spec.at, spec.ratio, words, entries)


def parts_of(specs: tuple[PartSpec, ...], scope: Scope, depth: int) -> list[Part]:
    """Parts of a layout, without empty ones."""
    parts: list[Part] = []
    for spec in specs:
        if (spec.on and scope.device and spec.on != scope.device) or not holds(spec.when, scope):
            continue
        if spec.part == "use":
            parts = [*parts, *parts_of(scope.blocks.get(spec.each, ()), scope, depth)]
            continue
        part = part_of(spec, scope, depth)
        if part is not None:
            parts.append(part)
    # A heading without anything below it says nothing.
    while parts and parts[-1].kind == "heading":
        parts = parts[:-1]
    return parts
