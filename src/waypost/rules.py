"""Names for rules in packages, found by entry points of the group `waypost.rules`.

A rule is a module with a docstring, constants, and a function:

    def check(item: Item) -> Iterator[FindingDraft]:
        if not item.has("sku"):
            yield item.error(None, "this product has no sku", "add the number of the article")

The guide is site/docs/configuration.md; the constants are those of `waypost.validate.rulebook`.
"""

from waypost.models.page import Node, Value, is_present
from waypost.validate.item import FindingDraft, Item, RuleContext

__all__ = ["FindingDraft", "Item", "Node", "RuleContext", "Value", "is_present"]
