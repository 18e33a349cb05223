"""Type URL is not at schema.org.

`https://shema.org/Recipe` and `htp://schema.org/Recipe` are types of a vocabulary that does not exist, and the bare
`https://schema.org/` names no type at all: consumers pass over the item without a word. An article of Wikipedia or
an entry of Wikidata is about a subject and is not a type either. Quotation marks that a template wrote twice
(`itemtype="&quot;https://schema.org/Recipe&quot;"`) are part of the address too. Types of vocabularies that do exist
are left alone.
Source: https://schema.org/docs/gs.html (section 1b), https://schema.org/additionalType and HTML Standard, section
5.2.2, read 2026-11-23.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from waypost.formats.patterns import pattern
from waypost.formats.text import clip
from waypost.models.page import Node
from waypost.registry.vocabulary import is_misspelled_schema_org
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "vocabulary"
SEVERITY = "error"
SIGN = "foreign"
_NAMELESS = pattern(r"https?://(?:www\.)?schema\.org/*#?\Z", re.IGNORECASE)
_SUBJECT = pattern(r"https?://(?:[a-z-]+\.){0,3}(?:wikipedia|wikidata)\.org/", re.IGNORECASE)
_QUOTED = pattern(r"[\"'“”„]+(https?://(?:www\.)?schema\.org/[^\"'“”„]+)[\"'“”„]*\Z", re.IGNORECASE)
_STEPS = pattern(r"[/#]")
_LONGEST = 200


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for node in context.nodes_by_sign.get(SIGN, ()):
        # A second node of the same @id was read as the first one, which has the finding.
        if node.same_as is None:
            yield from _of_node(node, context)


def _of_node(node: Node, context: RuleContext) -> Iterator[FindingDraft]:
    for written in node.types:
        if len(written) > _LONGEST:
            continue
        quoted = _QUOTED.match(written)
        name = _STEPS.split(quoted[1] if quoted else written)[-1]
        if _NAMELESS.match(written):
            hint = "put the name of the type behind it, as in https://schema.org/Recipe"
            yield Item(node, context).error(
                None, f"{clip(written)!r} is not a type: the name is missing", hint, part="type"
            )
        elif _SUBJECT.match(written):
            yield Item(node, context).warning(
                None,
                f"{clip(written)!r} is an article about a subject, not a type: search engines skip this item",
                "take a type of schema.org, and give the article as its sameAs or additionalType",
                part="type",
            )
        elif quoted or is_misspelled_schema_org(written):
            vocabulary = context.registry.vocabulary
            correction = name if name in vocabulary.types else vocabulary.type_ignoring_case(name)
            if correction is not None:
                hint = f"write https://schema.org/{correction}"
                yield Item(node, context).error(
                    None, f"{clip(written)!r} is not a type of schema.org", hint, part="type"
                )
