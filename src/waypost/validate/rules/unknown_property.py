"""Unknown property.

Consumers ignore the property, and its value is lost. Most often the cause is a mistake (`recipeIngredients`,
`datePublish`) or an invented name. A name near no other may be newer than the snapshot of the vocabulary that waypost
has: the message names its release and date, and the table `[vocabulary]` of waypost.toml lists further names. It is an
error where a typing mistake costs the item a rich result (`imgae` in a recipe), and the property that is missing by it
is not reported again. Properties of other vocabularies, written as an IRI or with a prefix, are ignored, and so are the
`-input` and `-output` forms that describe the needs of an action. In a type unknown to waypost only the type is
reported.
Source: schema.org release 30.1, https://schema.org/docs/full.html, read 2026-11-28.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from waypost.formats.text import clip
from waypost.registry import Registry
from waypost.registry.vocabulary import Term
from waypost.validate.item import FindingDraft, Item
from waypost.validate.value_kinds import did_you_mean, is_property_of, may_be_defined_elsewhere, nearest

AUTHORITY = "vocabulary"
SEVERITY = "warning"
APPLIES_TO = frozenset({"*"})

MOST = 50


def concerns(registry: Registry, _types: tuple[str, ...], names: tuple[str, ...]) -> bool:
    known = registry.vocabulary.properties
    return any(name not in known for name in names)


def check(item: Item) -> Iterator[FindingDraft]:
    vocabulary = item.context.registry.vocabulary
    known = vocabulary.properties
    props = item.node.props
    # Of an unknown type no one knows the properties; the type is reported.
    if any(name not in vocabulary.types and ":" not in name for name in item.node.types):
        return
    also = item.context.also
    strange = [
        name
        for name in props
        if name not in known and ":" not in name and not _is_action_form(name, known) and name not in also
    ]
    # A limit, for pages whose names are all of another vocabulary.
    for name in strange[:MOST]:
        if may_be_defined_elsewhere(item, name):
            continue
        near = nearest(vocabulary, "properties", name)
        if not near:
            near = _under_its_name(item, name)
        hint = item.context.hint_for(item.node, name) or did_you_mean(near, name)
        if hint is None and name in vocabulary.types:
            hint = f"{name} is a type: name the property that holds it"
        if hint is None and "," in name and item.node.block.syntax != "json-ld":
            hint = "separate several names with spaces"
        message = f"schema.org has no property {clip(name)!r}"
        if hint is None:
            message = f"the property {clip(name)!r} is not in schema.org {vocabulary.release} of {vocabulary.date}"
            hint = "check the name, or list it under [vocabulary] in waypost.toml"
        yield item.warning(name, message, hint, part="key")


def _under_its_name(item: Item, name: str) -> tuple[str, ...]:
    """Properties of the item that a word of everyday use, or of another language, stands for."""
    registry = item.context.registry
    intended = registry.other_names.intended(name)
    return tuple(prop for prop in intended if is_property_of(registry.vocabulary, item.node.types, prop))


def _is_action_form(name: str, known: Mapping[str, Term]) -> bool:
    # schema.org/docs/actions.html: `query-input` annotates the property `query` of an action.
    stem, _, form = name.rpartition("-")
    return form in ("input", "output") and stem in known
