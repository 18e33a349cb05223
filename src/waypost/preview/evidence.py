"""Evidence for the main item of a page: heading, title, address, marks and `og:type`.

The site's browser engine runs this module, translated: see `waypost.pages.py2js`.
"""

from __future__ import annotations

from html import unescape
from typing import NamedTuple

from waypost.models.page import Node, Page
from waypost.preview.head import head_of

LONGEST_NAME = 300
SHORTEST_CONTAINED = 8
"""Least letters of a name among other words of a heading."""
NAMES = ("name", "headline", "title")
TITLES = ("og:title", "title", "twitter:title")
SITE_NAMES = ("og:site_name", "application-name")
SITE_TYPES = ("WebSite", "Organization", "Corporation", "NewsMediaOrganization", "OnlineStore", "OnlineBusiness")
"""Types whose names are removed from titles: most sites repeat the name on every page."""
PAGE_TYPES = ("WebPage", "ItemPage", "AboutPage", "ContactPage", "CollectionPage", "CheckoutPage", "SearchResultsPage")
SEPARATORS = (" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " › ", " / ", " : ")
HELD_BY = ("mainEntity", "mainEntityOfPage", "about", "subjectOf", "isPartOf")
"""Properties by which pages, and parts of pages, refer to a main item."""
RECOMMENDED_BY = (
    "isRelatedTo",
    "isSimilarTo",
    "isAccessoryOrSparePartFor",
    "isConsumableFor",
    "itemListElement",
    "item",
)
"""Properties whose values are recommended or listed."""
ALWAYS_LAST = "BreadcrumbSnippet"
OF_THE_SITE = ("OrganizationSnippet", "WebSiteSnippet")
OF_PEOPLE = "PersonSnippet"
OF_MEDIA = "VideoSnippet"
"""Service type that is part of pages about other items: articles, recipes, products."""
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
"""Types of parts of a page and of containers around everything, which carry the title of the page too."""

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
"""Strength of the evidence for an item, the strongest first. UNNAMED is not a candidate."""


class PageWords(NamedTuple):
    """Texts and address of a page, outside of the items.

    address  of the page, as from `core`; "" if unknown
    texts    heading and titles, as from `flat`, without the name of the site
    kind     service type that `og:type` names, else ""
    """

    address: str
    texts: list[str]
    kind: str


class Candidate(NamedTuple):
    """Possible main item.

    service  service type; "" for an item without a card
    rank     of the service type on a page
    lifts    whether a mark as the main entity moves the service type before articles
    leads    whether the service type comes before articles without a mark
    wrapped  whether a page names the item as `mainEntity`
    lists    whether the item is a list of others
    recommended  whether other items recommend or list the item
    referred  whether other items refer to the item as a part: as author, as publisher
    """

    node: Node
    service: str
    rank: int
    lifts: bool
    leads: bool
    wrapped: bool
    lists: bool
    recommended: bool
    referred: bool


def has_meaning(node: Node) -> bool:
    """Whether an item without a card may be the main item."""
    return len(node.types) > 0 and not any(
        each in WITHOUT_MEANING or each in PAGE_TYPES or ":" in each or each.endswith("Action") for each in node.types
    )


def is_recommended(node: Node) -> bool:
    """Whether another item recommends or lists an item."""
    return any(prop in RECOMMENDED_BY for _, prop in node.referrers)


def is_referred(node: Node) -> bool:
    """Whether other items refer to an item, in another way than as the main item of a page."""
    return any(prop not in HELD_BY for _, prop in node.referrers)


def flat(text: str) -> str:
    """Words of a text in small letters, without punctuation, one space between them."""
    letters = ["’" if each in "'’" else each if each.isalnum() else " " for each in text[:LONGEST_NAME].casefold()]
    return " ".join("".join(letters).replace("’", "").split())


def core(address: str) -> str:
    """Address without scheme, www and final slash, in which markup and server often differ."""
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
    """Names of a node, as from `flat`."""
    found: list[str] = []
    for prop in NAMES:
        value = node.get(prop)
        if isinstance(value, str):
            text = flat(unescape(value))
            if text:
                found.append(text)
    return found


def closeness(node: Node, words: PageWords) -> tuple[int, int]:
    """(EQUAL, CONTAINED or APART, letters in common) of the names of an item and the texts of the page."""
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
    """Text of a question without a name, as from `flat`."""
    value = node.get("text")
    return [flat(value)] if "Question" in node.types and isinstance(value, str) else []


def is_about(name: str, text: str) -> bool:
    """Whether a heading contains a name, or the reverse, and the common words are more than a few of many."""
    if f" {name} " in f" {text} ":
        return len(name) >= SHORTEST_CONTAINED or len(name) * 2 >= len(text)
    return f" {text} " in f" {name} " and (len(text) * 3 >= len(name) or " " in text)


def addresses_of(node: Node) -> list[str]:
    """`url` and identifier of an item, with fragments."""
    found: list[str] = []
    url = node.get("url")
    if isinstance(url, str):
        found.append(url)
    if node.id is not None and "://" in node.id:
        found.append(node.id)
    return found


def pages_of(node: Node) -> list[str]:
    """Addresses in the `mainEntityOfPage` of an item."""
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
    """Whether `mainEntityOfPage` names a page; for a page of unknown address, whether there is one."""
    found = pages_of(node)
    return any(not address or core(each) == address for each in found)


def has_address(node: Node, address: str) -> bool:
    """Whether `url` or identifier of an item, without a fragment, is the address of the page."""
    return address != "" and any("#" not in each and core(each) == address for each in addresses_of(node))


def is_elsewhere(node: Node, address: str) -> bool:
    """Whether all addresses of an item are those of other pages."""
    found = [*addresses_of(node), *pages_of(node)]
    own = address.partition("?")[0]
    return address != "" and len(found) > 0 and all(core(each).partition("?")[0] != own for each in found)


def order_of(candidate: Candidate, words: PageWords, repeated: list[str], is_marked: bool) -> list[int]:
    """Sort key of a candidate, the least for the main item: evidence, rank, closeness of the name.

    repeated   service types with several items that are not about the heading, see `repeated_kinds`
    is_marked  whether `mainEntityOfPage` counts without an address of the page
    """
    near, letters = closeness(candidate.node, words)
    marked = is_of_page(candidate.node, words.address) and (words.address != "" or is_marked)
    level = evidence_of(candidate, words, near, marked)
    if level == ALONE and (candidate.recommended or candidate.lists or candidate.service in repeated):
        level = REPEATED
    if level == ALONE and candidate.leads:
        level = NAMED_ARTICLE
    if level == ALONE and is_elsewhere(candidate.node, words.address):
        level = ELSEWHERE
    if words.kind and words.kind == candidate.service and level > NAMED_ARTICLE and not candidate.recommended:
        level = HINTED
    if candidate.referred and level < TRAIL:
        level = REFERRED_OF_SITE if level == OF_SITE else REFERRED
    return [level, candidate.rank, near, -letters, 0 if candidate.wrapped or marked else 1]


def evidence_of(candidate: Candidate, words: PageWords, near: int, marked: bool) -> int:
    """Strength of the evidence for an item, without a comparison with other items."""
    node = candidate.node
    if candidate.service == ALWAYS_LAST:
        return TRAIL
    has_page = has_address(node, words.address) or (marked and words.address != "")
    if not candidate.service:
        is_about_page = not candidate.referred and near < APART
        return UNNAMED if not is_about_page else NAMED_ARTICLE if near == EQUAL or has_page else HINTED
    if candidate.wrapped:
        return DECLARED if candidate.lifts else NAMED_ARTICLE
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
    """Service types with several items of different names, none of which the heading or a title contains."""
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
