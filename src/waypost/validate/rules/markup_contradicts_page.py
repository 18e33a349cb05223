"""The page contradicts the markup.

The markup states one value and the page another: a price, a currency, a rating, a number of reviews, a day, an author,
the pay of a job; InStock where the page says that the item is sold out; a scheduled event that is called cancelled.
Search engines show what the markup says, so that people click on a price they do not get, and Google asks that markup
represents what readers see: a contradiction can cost the rich result, or bring a manual action.
Compared is what stands below the main heading, and only where it has one reading: the only price of today, the only
average rating. Navigation, other products, struck and hidden texts do not count, nor does a rounded number, a day more
or less by the time zone, or a value that the page does not display.
Source: https://developers.google.com/search/docs/appearance/structured-data/sd-policies, read 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.formats.text import clip
from waypost.validate.item import FindingDraft, Item, RuleContext

AUTHORITY = "google"
SEVERITY = "warning"

COMPARED = frozenset(
    {"Product", "ProductGroup", "Article", "Recipe", "Event", "JobPosting", "SoftwareApplication", "Course", "Book",
     "Movie", "LocalBusiness", "CreativeWorkSeries", "Game"}
)  # fmt: skip


def check_page(context: RuleContext) -> Iterator[FindingDraft]:
    page, vocabulary = context.page, context.registry.vocabulary
    if (
        not page.is_html
        or page.computed is not None
        or not any(vocabulary.are_a(node.types, COMPARED) for node in page.nodes if node.types)
    ):
        return
    # Most pages have none of these items.
    from waypost.validate.displayed.compare import differences

    for each in differences(context):
        stated, seen = clip(each.stated), clip(each.seen)
        yield Item(each.node, context).warning(
            each.prop,
            f"the {each.what} is {stated!r} in the markup and {seen!r} on the page",
            "correct the one that is wrong, and write both from one value",
            index=each.place,
            property="eventStatus" if each.prop is None else None,
            related=((f"the page displays {seen!r}", each.span),),
            compared=(
                ("markup", stated, page.span_of(each.node, each.prop, each.place)),
                ("page", seen, each.span),
            ),
        )
