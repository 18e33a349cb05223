"""Image URL is a lazy-loading placeholder.

A page that loads its pictures late puts a blank picture, or none, into `src` and the real address into an attribute
for its script, such as `data-src`. People see the picture; Microdata and RDFa say that the item's image is the blank
one, for the value of an `img` is its `src`. `loading="lazy"` loads late without such an attribute. Where the image must
stay as it is, `<link itemprop="image" href="...">` gives the address: a `meta` or a `content` attribute does not, since
by the standard an address is the value of a URL element.
Source: HTML Standard, section 5.2.4 (Values), read 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "html"
SEVERITY = "warning"


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    for (node, prop, index), image in context.page.lazy_images.items():
        element = "itemprop" if node.block.syntax == "microdata" else "property"
        state = "a placeholder" if node.props[prop][index] else "empty"
        yield Item(node, context).warning(
            prop,
            f"{prop} is {state}: the picture's address stands in {image.attribute} ({clip(image.address, 80)})",
            f'write it into src with loading="lazy", or give it as <link {element}="{prop}" href="...">',
            index=index,
            edits=image.edits,
            safe=False,  # scripts of shops look for the image by its itemprop
        )
