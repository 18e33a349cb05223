"""Elements of a page for the reader, from a single pass over the tree."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

from waypost.formats.patterns import pattern
from waypost.reader.tree import Element, Tree

# Selectors are tried in order until one matches: those that match most elements come first, the slowest last.
SELECTORS: Final[dict[str, str]] = {
    "microdata": "[itemprop],[itemscope],[itemtype]",
    "rdfa": "[typeof]",
    "json-ld": 'script[type*="json" i]',
}
_CANONICAL = 'link[href][rel~="canonical" i]'
_OF_THE_PAGE = f"base[href],noscript,{_CANONICAL}"
_SUPPRESSION = "[data-waypost-ignore]"
_TYPED = f":is({SELECTORS['microdata']},{SELECTORS['rdfa']})"
_JSON_LD = "application/ld+json"
_JSON_LD_ALMOST = pattern(r"ld.?json|json.?ld", re.IGNORECASE)


class PageElements:
    """Elements of a page for the reader, in document order.

    base, canonical  `href` of the first `<base>` and of the canonical link, None without one.
    has_suppressions an element has the attribute `data-waypost-ignore`.
    scripts          JSON-LD scripts -> number from 0.
    mistyped         scripts with JSON-LD under a misspelled media type.
    typed            elements with attributes of Microdata or RDFa.
    all              scripts and typed elements.
    """

    def __init__(self, tree: Tree, syntaxes: AbstractSet[str], has_our_name: bool) -> None:
        self.syntaxes = syntaxes
        self.base: str | None = None
        self.canonical: str | None = None
        self.has_suppressions = False
        self.noscripts: list[Element] = []
        self.scripts: dict[Element, int] = {}
        self.mistyped: list[Element] = []
        self.typed: list[Element] = []
        self.all: list[Element] = []
        needed = ",".join([*(selector for syntax, selector in SELECTORS.items() if syntax in syntaxes), _OF_THE_PAGE])
        for element in tree.survey(f"{needed},{_SUPPRESSION}" if has_our_name else needed):
            if has_our_name and element.matches(_SUPPRESSION):
                self.has_suppressions = True
                if not element.matches(needed):
                    continue
            tag = element.tag
            if tag == "script":
                self._add_script(element)
            elif tag not in {"link", "noscript", "base"} or self._is_typed_too(element, tag):
                self.typed.append(element)
                self.all.append(element)

    def _add_script(self, element: Element) -> None:
        written = element.attr("type") or ""
        if "json-ld" in self.syntaxes and _is_jsonld(written):
            self.scripts[element] = len(self.scripts)
            self.all.append(element)
        # The type alone is not evidence: "application/json" with data of the page is right as it is.
        elif _JSON_LD_ALMOST.search(written) and '"@context"' in element.text:
            self.mistyped.append(element)

    def _is_typed_too(self, element: Element, tag: str) -> bool:
        """Record a `link`, `noscript` or `base`. Returns whether it has attributes of Microdata or RDFa."""
        if tag == "noscript":
            self.noscripts.append(element)
        # Only the first `base` with `href` counts (HTML Standard 4.2.3).
        elif tag == "base" and self.base is None:
            self.base = element.attr("href")
        elif tag == "link" and self.canonical is None and element.matches(_CANONICAL):
            self.canonical = element.attr("href")
        return element.matches(_TYPED)


def _is_jsonld(media_type: str) -> bool:
    """Whether a media type, without parameters and letter case, is that of JSON-LD."""
    return media_type == _JSON_LD or media_type.partition(";")[0].strip().lower() == _JSON_LD
