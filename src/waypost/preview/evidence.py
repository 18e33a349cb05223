"""What a page says about which of its items it is about: its heading, title, address and `og:type`.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from html import unescape
from typing import NamedTuple

from waypost.models.page import Node, Page
from waypost.preview.head import head_of

LONGEST_NAME = 300
SHORTEST_CONTAINED = 8
"""Letters from which a name says something where a heading contains it among other words."""
NAMES = ("name", "headline", "title")
TITLES = ("og:title", "title", "twitter:title")
SITE_NAMES = ("og:site_name", "application-name")
SITE_TYPES = ("WebSite", "Organization", "Corporation", "NewsMediaOrganization", "OnlineStore", "OnlineBusiness")
"""Types whose names are removed from a title: most sites repeat theirs on every page."""
PAGE_TYPES = ("WebPage", "ItemPage", "AboutPage", "ContactPage", "CollectionPage", "CheckoutPage", "SearchResultsPage")
SEPARATORS = (" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " › ", " / ", " : ")
HELD_BY = ("mainEntity", "mainEntityOfPage", "about", "subjectOf", "isPartOf")
"""Properties by which a page, or a part of it, refers to the item that it is about."""
BESIDE = ("isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "itemListElement", "item")
"""Properties whose values a page recommends or lists beside its own item."""
ALWAYS_LAST = "BreadcrumbSnippet"
OF_THE_SITE = ("OrganizationSnippet", "WebSiteSnippet")
OF_PEOPLE = "PersonSnippet"
OF_MEDIA = "VideoSnippet"
"""Kind of item that is part of pages about something else: of an article, a recipe, a product."""
KINDS = {
    "product": "ProductSnippet", "og:product": "ProductSnippet", "product.item": "ProductSnippet",
    "video": "VideoSnippet", "profile": "PersonSnippet", "recipe": "RecipeSnippet", "event": "EventSnippet",
    "place": "LocalBusinessSnippet", "business": "LocalBusinessSnippet", "restaurant": "LocalBusinessSnippet",
}  # fmt: skip
"""First part of `og:type` -> service type. An "article" says nothing: publishing systems write it for any page."""
WITHOUT_MEANING = (
    "Action", "AggregateOffer", "AggregateRating", "Blog", "Brand", "ContactPoint", "CreativeWork",
    "CreativeWorkSeries", "DataFeed", "GeoCoordinates", "ImageGallery", "ImageObject", "ItemList", "ListItem",
    "MediaObject", "Offer", "OfferCatalog", "Place", "PostalAddress", "ProfilePage", "Rating", "SearchAction",
    "SiteNavigationElement", "Table", "Thing", "WPAdBlock", "WPFooter", "WPHeader", "WPSideBar", "WebPageElement",
)  # fmt: skip
"""Types of parts of a page, and of containers around all of it, which carry its title too."""

EQUAL = 0
CONTAINED = 1
APART = 2


DECLARED = 0
NAMED = 1
NAMED_ARTICLE = 2
HINTED = 3
ALONE = 4
ELSEWHERE = 5
REPEATED = 6
REFERRED = 7
OF_SITE = 8
REFERRED_OF_SITE = 9
TRAIL = 10
UNNAMED = 11
"""Strength of what a page says for an item, the strongest first. UNNAMED is no candidate."""


class PageWords(NamedTuple):
    """What a page says outside of its items.

    address  of the page, compared as `core` gives it; "" if unknown
    texts    heading and titles as `flat` gives them, without the name of the site
    kind     service type that `og:type` names, else ""
    """

    address: str
    texts: list[str]
    kind: str


class Candidate(NamedTuple):
    """Item that may be the main one.

    service  service type; "" for an item without a card
    rank     of the service type on a page
    lifts    whether a mark as the main entity moves the service type before articles
    leads    whether the service type comes before articles without a mark
    wrapped  whether a page names the item as its `mainEntity`
    lists    whether the item is a list of others
    beside   whether other items recommend or list the item
    referred  whether other items refer to the item as a part: its author, its publisher
    """

    node: Node
    service: str
    rank: int
    lifts: bool
    leads: bool
    wrapped: bool
    lists: bool
    beside: bool
    referred: bool


def has_meaning(node: Node) -> bool:
    """Whether an item without a card may be what a page is about."""
    return len(node.types) > 0 and not any(
        each in WITHOUT_MEANING or each in PAGE_TYPES or ":" in each or each.endswith("Action") for each in node.types
    )


def is_beside(node: Node) -> bool:
    """Whether another item recommends or lists an item."""
    return any(prop in BESIDE for _, prop in node.referrers)


def is_referred(node: Node) -> bool:
    """Whether another item refers to an item in another way than as what its page is about."""
    return any(prop not in HELD_BY for _, prop in node.referrers)


def flat(text: str) -> str:
    """Words of a text in small letters, without punctuation, one space between them."""
    letters = ["’" if each in "'’" else each if each.isalnum() else " " for each in text[:LONGEST_NAME].casefold()]
    return " ".join("".join(letters).replace("’", "").split())


def core(address: str) -> str:
    """Address without what differs between what pages write and where they are served: scheme, www, final slash."""
    whole = address.strip().partition("#")[0].rpartition("://")[2]
    return whole.removeprefix("www.").rstrip("/").casefold()


def words_of_page(page: Page) -> PageWords:
    """Heading, titles, address and kind of a page."""
    head = head_of(page)
    titles = [slot.text for name in TITLES if (slot := head.get(name)) is not None]
    addresses = [page.url or "", *(slot.text for name in ("og:url",) if (slot := head.get(name)) is not None)]
    sites = {flat(slot.text) for name in SITE_NAMES if (slot := head.get(name)) is not None}
    for node in page.nodes:
        if any(each in SITE_TYPES for each in node.types):
            for text in names_of(node):
                sites.add(text)
        if node.parent is None and any(each in PAGE_TYPES for each in node.types):
            title = node.get("name")
            own = node.get("url")
            if isinstance(title, str):
                titles.append(unescape(title))
            if isinstance(own, str):
                addresses.append(own)
    texts = [flat(slot.text) for name in ("h1",) if (slot := head.get(name)) is not None]
    for title in titles:
        for part in (title, *parts_of_title(title)):
            text = flat(part)
            if text and text not in sites and text not in texts:
                texts.append(text)
    address = next((each for each in addresses if each), "")
    kind = head["og:type"].text.casefold() if "og:type" in head else ""
    return PageWords(core(address), texts, KINDS.get(kind, KINDS.get(kind.partition(".")[0], "")))


def parts_of_title(title: str) -> list[str]:
    """Parts of a title between its separators, as "Plum cake" and "Hollow" of "Plum cake | Hollow"."""
    parts = [title]
    for separator in SEPARATORS:
        parts = [inner for part in parts for inner in part.split(separator)]
    return parts if len(parts) > 1 else []


def names_of(node: Node) -> list[str]:
    """Names of a node as `flat` gives them."""
    found: list[str] = []
    for prop in NAMES:
        value = node.get(prop)
        if isinstance(value, str):
            text = flat(unescape(value))
            if text:
                found.append(text)
    return found


def closeness(node: Node, words: PageWords) -> tuple[int, int]:
    """(EQUAL, CONTAINED or APART, letters in common) of the names of an item and the heading and titles of its page."""
    best = APART
    letters = 0
    inner = [*node.nodes("mainEntity"), *node.nodes("itemReviewed")]
    for name in names_of(node):
        for text in words.texts:
            found = CONTAINED if is_about(name, text) else APART
            if name == text:
                found = EQUAL
            common = min(len(name), len(text)) if found < APART else 0
            if found < best or (found == best and common > letters):
                best = found
                letters = common
    if best == APART:
        for each in inner[:3]:
            for name in [*names_of(each), *text_of_question(each)]:
                for text in words.texts:
                    if best == APART and (name == text or is_about(name, text)):
                        best = CONTAINED
                        letters = min(len(name), len(text))
    return best, letters


def text_of_question(node: Node) -> list[str]:
    """Text of a question without a name, as `flat` gives it."""
    value = node.get("text")
    return [flat(value)] if "Question" in node.types and isinstance(value, str) else []


def is_about(name: str, text: str) -> bool:
    """Whether a heading contains a name, or a name the heading, and the words in common are not just a few of many."""
    if f" {name} " in f" {text} ":
        return len(name) >= SHORTEST_CONTAINED or len(name) * 2 >= len(text)
    return f" {text} " in f" {name} " and (len(text) * 3 >= len(name) or " " in text)


def addresses_of(node: Node) -> list[str]:
    """Addresses that an item gives as its own, with fragments."""
    found: list[str] = []
    url = node.get("url")
    if isinstance(url, str):
        found.append(url)
    if node.id is not None and "://" in node.id:
        found.append(node.id)
    return found


def pages_of(node: Node) -> list[str]:
    """Addresses of the pages whose main entity an item says that it is."""
    found: list[str] = []
    for value in node.props.get("mainEntityOfPage", ()):
        if isinstance(value, Node):
            url = value.get("url")
            if value.id is not None:
                found.append(value.id)
            elif isinstance(url, str):
                found.append(url)
        elif isinstance(value, str):
            found.append(value)
    return found


def is_of_page(node: Node, address: str) -> bool:
    """Whether an item says that it is the main entity of a page; of an unknown address, of any page."""
    found = pages_of(node)
    return any(not address or core(each) == address for each in found)


def has_address(node: Node, address: str) -> bool:
    """Whether an item's own address, without a fragment, is that of the page."""
    return address != "" and any("#" not in each and core(each) == address for each in addresses_of(node))


def is_below(node: Node, address: str) -> bool:
    """Whether an item's identifier is a fragment of the page's address."""
    return address != "" and any("#" in each and core(each) == address for each in addresses_of(node))


def is_elsewhere(node: Node, address: str) -> bool:
    """Whether all addresses of an item are those of other pages."""
    found = [*addresses_of(node), *pages_of(node)]
    own = address.partition("?")[0]
    return address != "" and len(found) > 0 and all(core(each).partition("?")[0] != own for each in found)


def order_of(candidate: Candidate, words: PageWords, repeated: list[str], is_marked: bool) -> list[int]:
    """Sort key of a candidate, the main item's the least: evidence, rank, closeness of its name.

    repeated   kinds of which several items have nothing to do with the page's heading, see `repeated_kinds`
    is_marked  whether `mainEntityOfPage` says something without an address of the page
    """
    near, letters = closeness(candidate.node, words)
    marked = is_of_page(candidate.node, words.address) and (words.address != "" or is_marked)
    level = evidence_of(candidate, words, near, marked)
    if level == ALONE and (candidate.beside or candidate.lists or candidate.service in repeated):
        level = REPEATED
    if level == ALONE and candidate.leads:
        level = NAMED_ARTICLE
    if level == ALONE and is_elsewhere(candidate.node, words.address):
        level = ELSEWHERE
    if words.kind and words.kind == candidate.service and level > NAMED_ARTICLE and not candidate.beside:
        level = HINTED
    if candidate.referred and level < TRAIL:
        level = REFERRED_OF_SITE if level == OF_SITE else REFERRED
    return [level, candidate.rank, near, -letters, 0 if candidate.wrapped or marked else 1]


def evidence_of(candidate: Candidate, words: PageWords, near: int, marked: bool) -> int:
    """Strength of what a page says for an item, without a comparison with other items."""
    node = candidate.node
    if candidate.service == ALWAYS_LAST:
        return TRAIL
    if not candidate.service:
        return NAMED_ARTICLE if near == EQUAL and not candidate.referred else UNNAMED
    if candidate.wrapped:
        return DECLARED if candidate.lifts else NAMED_ARTICLE
    has_page = has_address(node, words.address) or (marked and words.address != "")
    if candidate.service in OF_THE_SITE:
        return ELSEWHERE if has_page else OF_SITE
    if candidate.service == OF_PEOPLE:
        return NAMED_ARTICLE if has_page or near == EQUAL else OF_SITE
    if near == EQUAL or has_page:
        return NAMED if candidate.lifts and not candidate.lists and candidate.service != OF_MEDIA else NAMED_ARTICLE
    if near == CONTAINED or marked:
        return NAMED_ARTICLE if candidate.lifts and candidate.service != OF_MEDIA else HINTED
    return ALONE


def repeated_kinds(candidates: list[Candidate], words: PageWords) -> list[str]:
    """Kinds of which several items of different names have nothing to do with the page's heading."""
    names: dict[str, str] = {}
    found: list[str] = []
    for each in candidates:
        if closeness(each.node, words)[0] == APART:
            name = " ".join(names_of(each.node))
            if names.get(each.service, name) != name and each.service not in found:
                found.append(each.service)
            names.setdefault(each.service, name)
    return found


def best_of(candidates: list[Candidate], page: Page) -> int:
    """Number of the main item among candidates in document order, of equals the first; -1 without any."""
    if len(candidates) == 1 and candidates[0].service:
        return 0
    words = words_of_page(page)
    repeated = repeated_kinds(candidates, words)
    claimed: set[str] = set()
    for each in candidates:
        for address in pages_of(each.node):
            claimed.add(core(address))
    best = -1
    least: list[int] = []
    for number, each in enumerate(candidates):
        key = order_of(each, words, repeated, len(claimed) == 1)
        if key[0] < UNNAMED and (not least or is_before(key, least)):
            best = number
            least = key
    return best


def is_before(one: list[int], other: list[int]) -> bool:
    """Whether a sort key is less than another."""
    for number, each in enumerate(one):
        if each != other[number]:
            return each < other[number]
    return False
