"""Placeholders: texts that a template or a script prints where a value is missing."""

from __future__ import annotations

import re

from waypost.formats.patterns import pattern

EXACT = frozenset(
    {"undefined", "null", "nan", "[object object]", "tbd", "fixme", "xxx", "(null)", "none none", "n/a", "%s",
     "%d", "%1$s"}
)  # fmt: skip
MARKS = pattern(r"[\[\]{}().,;:\-_/\\|<>\"'*#–—]{1,6}")
_UNFILLED = (
    r"\{\{[^{}]{1,80}\}\}|\{%[^%]{1,80}%\}|<%[^%]{1,80}%>|<\?(?:php|=)|\$\{[\w. ]{1,60}\}|\{\$[\w.>|-]{1,60}\}"
    r"|%%[a-z_]{3,30}%%|\A%[a-z_]{3,30}%\Z|\[object Object\]|\[(?:node|site|term|user|current-page):[\w:-]{2,60}\]"
)
TEMPLATE = pattern(rf"{_UNFILLED}|^lorem ipsum\b|/undefined(?:/|$)|^TODO:", re.IGNORECASE)
_MARKUP = pattern(_UNFILLED, re.IGNORECASE)
_NOTHING = frozenset({"undefined", "null", "NULL", "nan", "NaN", "(null)", "%s", "%d", "%1$s"})
"""Exact texts that are never a name. "XXX" is a film, and people write "N/A" and "TBD" themselves."""

_SEPARATORS = frozenset({",", ";", "|"})

CHECKED_LENGTH = 300
LONGEST_TITLE = 200
"""Characters: a longer text with marks of a template is about them."""
_LONGEST = 20
_STARTS = frozenset({"lorem", "Lorem", "LOREM", "todo:", "TODO:"})
_PAIRS = (
    "{{", "{%", "<%", "<?", "${", "{$", "%%", "[o", "[O", "/u", "/U",
    "[node:", "[site:", "[term:", "[user:", "[current-page:",
)  # fmt: skip


# Texts with which templates show what belongs into a field.
_FIELD = (
    r"(?:street|postal|mailing|address|city|town|state|province|region|zip|postcode|code|country|phone|telephone|mobile"
    r"|number|e-?mail|company|business|organi[sz]ation|brand|store|shop|web ?site|site|web|page|blog|domain|url|link"
    r"|logo|image|photo|picture|name|title|headline|description|tagline|slogan|text|content|product|author|first|last|full"
    r"|line)"
)
_YOURS = rf"your (?:{_FIELD} ?){{1,4}}(?:here)?"
_SAMPLE = pattern(
    rf"{_YOURS}|(?:insert|enter|add|type|put|write) (?:your |the |an? )?(?:{_FIELD} ?){{1,4}}(?:here)?|{_FIELD} here"
    rf"|(?:my|the )?(?:company|business|organi[sz]ation|brand|store|shop|web ?site|site|blog|author|product|event"
    r"|recipe|page|post|article) (?:name|title)|first ?name last ?name|just another wordpress site",
    re.ASCII | re.IGNORECASE,
)
_SAMPLE_OF_ADDRESS = pattern(
    rf"(?:\d{{1,5}} )?(?:{_YOURS}|any ?(?:town|city|street|state)|street name|street address|address line ?[12]?|city"
    r"|state|province|zip(?: ?code)?|postal code|postcode|country|city name|state zip(?: ?code)?)(?: \d{5})?",
    re.ASCII | re.IGNORECASE,
)
_SAMPLE_HOST = pattern(
    r"(?:(?:https?:)?//|[^@ /]{0,60}@)?(?:www\.)?(?:your-?(?:domain|web-?site|site|company|business|store|shop|blog"
    r"|brand)(?:-?(?:name|here|url))?\.[a-z.]{2,10})(?:[/:?#]|\Z)|your(?:[._-]?(?:name|e-?mail|address))?@",
    re.ASCII | re.IGNORECASE,
)
_SAMPLE_DIGITS = frozenset({"1234567890", "0123456789", "123456789", "5555555555", "0000000000"})
_SIGNS = ("your", "here", "name", "title", "any", "wordpress")
_WORDS = frozenset(
    {"street", "address", "city", "state", "province", "zip", "zipcode", "postal", "postcode", "country", "insert",
     "enter", "add", "type", "put", "write"}
)  # fmt: skip
_NO_WORDS = str.maketrans("_,.!*[]<>{}()", " " * 13)
_FEWEST_DIGITS = 9
_ADDRESSES = frozenset({"streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry", "address"})
_LINKS = frozenset({"url", "image", "logo", "thumbnailUrl", "contentUrl", "email"})
_NAMES = frozenset(
    {"name", "legalName", "alternateName", "headline", "title", "description", "author", "publisher", "brand",
     "telephone"}
)  # fmt: skip
_LONGEST_SAMPLE = 80


def may_be_sample(value: object) -> bool:
    """Fast test before `is_sample`: could a text be what a template shows in an empty field?"""
    if not isinstance(value, str) or len(value) > _LONGEST_SAMPLE:
        return False
    text = value.lower()
    for sign in _SIGNS:
        if sign in text:
            return True
    # Without letters it may be a telephone number.
    return not _WORDS.isdisjoint(text.translate(_NO_WORDS).split()) or (
        len(value) >= _FEWEST_DIGITS and text == value.upper()
    )


def is_sample(prop: str, value: str) -> bool:
    """Is a text what a template shows in an empty field, as in "Your Street Address" or "Company Name"?"""
    text = " ".join(value.replace("_", " ").strip(" .!*[]<>{}()").split())
    if prop in _ADDRESSES:
        # "123 Main Street, Your City": one part is enough.
        return any(_SAMPLE_OF_ADDRESS.fullmatch(part.strip()) for part in text.split(","))
    if prop in _LINKS and "your" in value.lower() and _SAMPLE_HOST.match(value.strip()):
        return True
    if prop == "telephone" and not any(c.isalpha() for c in text):
        digits = "".join(c for c in text if "0" <= c <= "9")
        return digits in _SAMPLE_DIGITS or (len(digits) == 11 and digits[1:] in _SAMPLE_DIGITS)
    return (prop in _NAMES or prop in _LINKS) and "/" not in text and _SAMPLE.fullmatch(text) is not None


def is_placeholder(value: object) -> bool:
    """Does a text hold a placeholder?"""
    if not isinstance(value, str):
        return False
    # Before `strip` and `lower`, which cost more than the length of a long text.
    if len(value) < _LONGEST:
        text = value.strip()
        bare = text.lower()
        # "Todo" is Spanish for everything, and the name of many an app.
        if text == "TODO" or bare in EXACT or (len(bare) <= 6 and MARKS.fullmatch(bare)):
            return True
        if text[:1] in _SEPARATORS and _is_empty_list(text):
            return True
    head = value[:CHECKED_LENGTH]
    # Single characters first: most texts have none of them, and no pattern is run.
    if "{" in head or "%" in head or "<" in head or "[" in head or "/undefined" in head or head[:5] in _STARTS:
        return _may_be_template(head) and TEMPLATE.search(value, 0, CHECKED_LENGTH) is not None
    return False


def is_unfilled(value: object) -> bool:
    """Does a value consist of placeholders, or is it a URL with one, so that no one can use it?

    "Learn <?php in a day" is a title, and "{{ product.vendor }} | {{ product.title }}" is none.
    """
    if not isinstance(value, str) or len(value) > CHECKED_LENGTH:
        return False
    text = value.strip()
    if text in _NOTHING or (text[:1] in _SEPARATORS and _is_empty_list(text)):
        return True
    # Every mark holds one of these; most texts hold none, and no pattern is run.
    if "{" not in text and "%" not in text and "<" not in text and "[" not in text:
        return False
    rest = _MARKUP.sub("", text)
    return rest != text and ("://" in text or not any(map(str.isalnum, rest)))


def is_left_over(text: str) -> bool:
    """Was a text of a card never filled in? Marks inside a long text are code that it is about."""
    return is_unfilled(text) or (len(text) <= LONGEST_TITLE and _MARKUP.search(text) is not None)


def _is_empty_list(text: str) -> bool:
    """Is a text nothing but the separators between values that a template left empty, as in ", , ,"?"""
    return not text.strip(" ,;|")


def _may_be_template(text: str) -> bool:
    """Fast test before the pattern: every match holds one of these."""
    return text[:5].lower() in _STARTS or text[:1] == "%" or any(pair in text for pair in _PAIRS)
