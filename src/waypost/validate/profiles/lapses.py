"""Results that the markup earns and that are not shown now: the event is over, the job closed, the price expired.

Source: https://developers.google.com/search/docs/appearance/structured-data/event, .../job-posting, .../product-snippet
and .../video, read 2026-11-20: past events, expired postings, prices and videos are not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from waypost.formats.dates import moment
from waypost.formats.text import clip
from waypost.models.finding import Lapse
from waypost.models.page import Node
from waypost.registry.vocabulary import bare
from waypost.validate.item import RuleContext

_MOST_OFFERS = 200


def lapses(context: RuleContext, node: Node, eligible: Sequence[str]) -> tuple[Lapse, ...]:
    """Lapses of the results that a node earns, without repetitions."""
    found: dict[str, Lapse] = {}
    for name in eligible:
        check = _BY_PROFILE.get(name)
        if check is not None and (lapse := check(context, node)) is not None:
            found[lapse.text] = lapse
    return tuple(found.values())


def _event(context: RuleContext, event: Node) -> Lapse | None:
    # A postponed event has no new date yet, and a schedule repeats.
    status = event.get("eventStatus")
    status = status.id if isinstance(status, Node) else status
    if event.get("eventSchedule") is not None or (isinstance(status, str) and bare(status) == "EventPostponed"):
        return None
    if event.get("endDate") is not None:
        if event.get("startDate") is not None and not _last_past(context, event, "startDate"):
            return None
        past = _last_past(context, event, "endDate")
    else:
        # How long it takes is not known: it is over with its day.
        past = _last_past(context, event, "startDate", whole_day=True)
    return Lapse("event-over", past, f"the event ended on {past}") if past else None


def _job(context: RuleContext, job: Node) -> Lapse | None:
    past = _last_past(context, job, "validThrough")
    return Lapse("job-closed", past, f"applications closed on {past}") if past else None


def _video(context: RuleContext, video: Node) -> Lapse | None:
    past = _last_past(context, video, "expires")
    return Lapse("video-expired", past, f"the video expired on {past}") if past else None


def _price(context: RuleContext, product: Node) -> Lapse | None:
    """Lapse of a product all of whose offers have expired."""
    latest = ""
    for number, offer in enumerate(_offers(product)):
        prop = "priceValidUntil" if offer.get("priceValidUntil") is not None else "validThrough"
        past = _last_past(context, offer, prop) if number < _MOST_OFFERS else ""
        if not past:
            return None
        latest = max(latest, past)
    return Lapse("price-expired", latest, f"the price was valid until {latest}") if latest else None


def _offers(product: Node) -> Iterator[Node]:
    for offer in product.nodes("offers"):
        inner = list(offer.nodes("offers"))
        yield from inner or (offer,)


def _last_past(context: RuleContext, node: Node, prop: str, *, whole_day: bool = False) -> str:
    """Latest value of a property, clipped, if all its values are dates in the past; else empty."""
    latest = ""
    for value in node.props.get(prop, ()):
        text = value.strip() if isinstance(value, str) else ""
        if not text:
            continue
        # A time of day stands behind the tenth character of the usual form.
        found = (moment(text[:10]) if whole_day else None) or moment(text)
        if found is None or not context.is_past(found):
            return ""
        latest = max(latest, text)
    return clip(latest)


_BY_PROFILE: dict[str, Callable[[RuleContext, Node], Lapse | None]] = {
    "google/event": _event,
    "google/job-posting": _job,
    "google/merchant-listing": _price,
    "google/product-snippet": _price,
    "google/video": _video,
}
