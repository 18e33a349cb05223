"""Shapes of input that strangers send to make a checker slow, each in any size. Used by `hostile.py`.

A shape is a function from a size in bytes to a document of about that size. Those in `PAGES` are HTML, those in `DATA`
are JSON-LD. `PLAIN` is what they are held against: a catalogue as a shop writes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Shape = Callable[[int], bytes]

SCHEMA = "https://schema.org/"
TYPES = (
    "Product", "Recipe", "NewsArticle", "Event", "JobPosting", "LocalBusiness", "VideoObject", "Course", "QAPage",
    "SoftwareApplication", "Person", "Organization", "BreadcrumbList", "Review", "DiscussionForumPosting", "WebSite",
)  # fmt: skip
DATES = ("datePublished", "startDate", "endDate", "validThrough", "datePosted", "uploadDate", "duration", "cookTime")
NUMBERS = ("price", "ratingValue", "reviewCount", "lowPrice", "highPrice", "calories", "position", "width")
URLS = ("url", "image", "sameAs", "logo", "@id", "contentUrl", "thumbnailUrl", "target")
NAMES = (
    "name", "headline", "author", "telephone", "email", "openingHours", "inLanguage", "addressCountry", "sku", "gtin13",
    "priceRange", "employmentType", "recipeIngredient", "description", "openingHoursSpecification", "jobLocationType",
)  # fmt: skip


def filled(unit: str, size: int, start: str = "", end: str = "") -> bytes:
    """`unit` between `start` and `end` as often as the size takes; `%d` in it is the number of the repetition."""
    room = max(size - len(start) - len(end), 1)
    if "%d" not in unit:
        return (start + unit * max(room // len(unit.encode()), 1) + end).encode()
    parts, length, number = [], 0, 0
    while length < room:
        parts.append(unit.replace("%d", str(number)))
        length += len(parts[-1].encode())
        number += 1
    return (start + "".join(parts) + end).encode()


def page(unit: str, start: str = "", end: str = "") -> Shape:
    """Shape of a page whose body repeats `unit` between `start` and `end`."""
    head = f'<!doctype html><html lang="en"><head><title>t</title></head><body>{start}'
    return lambda size: filled(unit, size, head, f"{end}</body></html>")


def script(unit: str, start: str = "", end: str = "") -> Shape:
    """Shape of a page with one JSON-LD script that repeats `unit`."""
    return page(unit, f'<script type="application/ld+json">{start}', f"{end}</script>")


def data(unit: str, start: str, end: str) -> Shape:
    """Shape of a JSON-LD document that repeats `unit`."""
    return lambda size: filled(unit, size, start, end)


def nested(opening: str, closing: str, start: str = "", end: str = "", inner: str = "") -> Shape:
    """Shape of things inside one another."""

    def made(size: int) -> bytes:
        depth = max((size - len(start) - len(end)) // (len(opening) + len(closing)), 1)
        return (start + opening * depth + inner + closing * depth + end).encode()

    return made


def attribute(text: str, unit: str, end: str = '"><b itemprop="name">n</b></div>') -> Shape:
    """Shape of an item with one long attribute."""
    return page(unit, f'<div itemscope itemtype="{SCHEMA}Book" {text}="', end)


def values(properties: Sequence[str], unit: str, types: Sequence[str] = ("Product",)) -> Shape:
    """Shape of nodes whose properties hold a long text that repeats `unit`."""

    def made(size: int) -> bytes:
        each = max(size // (len(types) * len(properties)) - 20, 1)
        text = (unit * (each // len(unit.encode()) + 1))[:each]
        nodes = [{"@type": name, **dict.fromkeys(properties, text)} for name in types]
        return json.dumps({"@context": SCHEMA, "@graph": nodes}, ensure_ascii=False).encode()

    return made


def lists(property_name: str, value: str, type_name: str = "Product") -> Shape:
    """Shape of one property with a long list of values."""
    return data(f"{value},", f'{{"@context":"{SCHEMA}","@type":"{type_name}","{property_name}":[', f"{value}]}}")


def encoded(codec: str, unit: str) -> Shape:
    """Shape of a page in another encoding than UTF-8, which it names."""

    def made(size: int) -> bytes:
        start = f'<meta charset="{codec}"><div itemscope itemtype="{SCHEMA}Book"><b itemprop="name">'
        return (start + unit * max((size - len(start)) // len(unit.encode(codec)), 1)).encode(codec)

    return made


def shifts(size: int) -> bytes:
    """A page in ISO-2022-JP that changes its character set with every letter."""
    start = f'<meta charset="iso-2022-jp"><div itemscope itemtype="{SCHEMA}Book"><b itemprop="name">'.encode()
    return start + b'\x1b$B$"\x1b(Ba' * max((size - len(start)) // 9, 1)


def _large_context(size: int) -> bytes:
    terms = {f"t{number}": "https://schema.org/name" for number in range(size // 80)}
    nodes = [{"@context": {"x": "name"}, "@type": "Thing", "x": "n"} for _ in range(size // 110)]
    return json.dumps({"@context": [SCHEMA, terms], "@graph": nodes}).encode()


OFFER = (
    '{"@type":"Product","@id":"https://shop.example.com/lamps/%d","name":"Lamp %d","sku":"L-%d",'
    '"image":"https://shop.example.com/lamps/%d.jpg","description":"A lamp for the desk, number %d.",'
    '"brand":{"@type":"Brand","name":"Example"},"offers":{"@type":"Offer","price":"49.90","priceCurrency":"EUR",'
    '"availability":"https://schema.org/InStock","url":"https://shop.example.com/lamps/%d"},'
    '"aggregateRating":{"@type":"AggregateRating","ratingValue":4.4,"reviewCount":89}},'
)
THING = '{"@type":"Thing","name":"t"}'
GRAPH = f'{{"@context":"{SCHEMA}","@graph":['
ITEM = f'<div itemscope itemtype="{SCHEMA}Product">'
PERSON = f'<div itemprop="knows" itemscope itemtype="{SCHEMA}Person">'
PLAIN = data(OFFER, GRAPH, f"{THING}]}}")
PLAIN_PAGE = script(OFFER, GRAPH, f"{THING}]}}")

# ---- pages ----

PAGES: dict[str, Shape] = {
    "many attributes of one tag": page("a%d=b ", f"{ITEM}<p ", ">x</p></div>"),
    "many attributes, one name": page("a=b ", f"{ITEM}<p ", ">x</p></div>"),
    "attributes without values": page("a%d ", f'<div itemscope itemtype="{SCHEMA}Book" ', "></div>"),
    "words of itemref": attribute("itemref", "w%d "),
    "two-letter words of itemref": attribute("itemref", "aa ab ac ad "),
    "words of data attributes": attribute("data-x", "w%d "),
    "types of one item": page(f"{SCHEMA}Type%d ", '<div itemscope itemtype="', '"><b itemprop="name">n</b></div>'),
    "one type again and again": page(f"{SCHEMA}Book ", '<div itemscope itemtype="', '"><b itemprop="name">n</b></div>'),
    "words of itemprop": page("p%d ", f'{ITEM}<b itemprop="', '">n</b></div>'),
    "one word of itemprop": page("name ", f'{ITEM}<b itemprop="', '">n</b></div>'),
    "words of class": page("c%d ", f'{ITEM}<b itemprop="name" class="', '">n</b></div>'),
    "words of rel": page("r%d ", f'{ITEM}<link rel="canonical ', '" href="/x"></div>'),
    "links canonical": page('<link rel="canonical" href="/a%d">', ITEM, "</div>"),
    "itemrefs in a chain": page(f'<div itemscope itemtype="{SCHEMA}Person" itemprop="knows" id="a%d" itemref="a%d1">x</div>'),
    "itemrefs to one element": page(f'<div itemscope itemtype="{SCHEMA}Person" itemref="x"></div>', '<p id="x" itemprop="name">n</p>'),
    "itemref to itself": page(f'<div id="a%d" itemscope itemtype="{SCHEMA}Person" itemref="a%d"></div>'),
    "one id again and again": page('<p id="x" itemprop="name">n</p>', '<div itemscope itemref="x x x x"></div>'),
    "items inside items": nested(PERSON, "</div>", f'<div itemscope itemtype="{SCHEMA}Person">'),
    "properties inside properties": nested("<b itemprop=name>", "</b>", ITEM, "", "text"),
    "elements inside elements": nested("<div>", "</div>", f"{ITEM}</div>"),
    "formatting left open": page("<b><i><a href=x>", ITEM),
    "tables without cells": page("<table><tr><td>", ITEM),
    "tags left open": page("<link a <script b ", f"{ITEM}</div>"),
    "angle brackets": page("<", f"{ITEM}</div>"),
    "closing tags": page("</p></b></x>", f"{ITEM}</div>"),
    "comments": page("<!-- waypost-ignore -->", f"{ITEM}</div>"),
    "comments that ignore rules": page("<!-- waypost-ignore rule-%d: reason -->", f"{ITEM}</div>"),
    "comments left open": page("<!--", f"{ITEM}</div>"),
    "dashes in a comment": page("-", f"{ITEM}</div><!-- waypost-ignore"),
    "character references": page("&amp;", f'{ITEM}<b itemprop="name">', "</b></div>"),
    "character references without semicolons": page("&notit", f'{ITEM}<b itemprop="name">', "</b></div>"),
    "numeric references": page("&#x41;", f'{ITEM}<meta itemprop="name" content="', '"></div>'),
    "ampersands": page("&", f'{ITEM}<b itemprop="name">', "</b></div>"),
    "srcset": page("/i%d.jpg %dw, ", f'{ITEM}<img itemprop="image" srcset="', '"></div>'),
    "commas of srcset": page(",", f'{ITEM}<img itemprop="image" srcset="', '"></div>'),
    "RDFa prefixes": page("p%d: https://p%d.example/ ", '<div prefix="', '" typeof="p1:T"><b property="p2:n">x</b></div>'),
    "colons of a prefix": page("a:", '<div prefix="', f'" vocab="{SCHEMA}" typeof="Book"><b property="name">x</b></div>'),
    "spaces of a prefix": page("   a", '<div prefix="', f'" vocab="{SCHEMA}" typeof="Book"><b property="name">x</b></div>'),
    "words of typeof": page("T%d ", f'<div vocab="{SCHEMA}" typeof="', '"><b property="name">n</b></div>'),
    "words of property": page("p%d ", f'<div vocab="{SCHEMA}" typeof="Book"><b property="', '">n</b></div>'),
    "vocabularies inside vocabularies": nested(f'<p vocab="{SCHEMA}" typeof="Book" property="isPartOf" prefix="a: http://a.example/">', "</p>"),
    "typed elements inside one another": nested('<div typeof="Person" property="knows">', "</div>", f'<div vocab="{SCHEMA}" typeof="Person">'),
    "resources of one name": page('<div typeof="Person" resource="#a"><b property="name">n</b></div>', f'<div vocab="{SCHEMA}">'),
    "values of one item": page('<b itemprop="name">n</b>', ITEM, "</div>"),
    "itemprops without an item": page('<b itemprop="name">n</b>'),
    "items without a type": page("<div itemscope><b itemprop=name>n</b></div>"),
    "unknown types": page(f'<div itemscope itemtype="{SCHEMA}Prodict%d"><b itemprop="nam%d">n</b></div>'),
    "unknown properties": page('<b itemprop="nmae%d">n</b>', ITEM, "</div>"),
    "relative addresses": page('<a itemprop="url" href="../%d/../x y">x</a>', ITEM, "</div>"),
    "dots of an address": page("../", f'{ITEM}<a itemprop="url" href="', '">x</a></div>'),
    "a base of its own": page("a/", '<base href="http://example.com/', f'">{ITEM}<a itemprop="url" href="x">x</a></div>'),
    "scripts": page('<script type="application/ld+json">{"@context":"https://schema.org","@type":"Book","name":"n"}</script>'),
    "empty scripts": page('<script type="application/ld+json"></script>'),
    "scripts of other types": page("<script>var a = '<b itemprop=name>';</script>", f"{ITEM}</div>"),
    "scripts of almost the type": page('<script type="application/json-ld">{}</script>', f"{ITEM}</div>"),
    "root tags": page("<html a%d=x><body b%d=x>", f"{ITEM}</div>"),
    "text": page("word ", f'{ITEM}<p itemprop="name">n</p></div>'),
    "lines": page("\n", f'{ITEM}<p itemprop="name">n</p></div>'),
    "carriage returns": page("\r", f'{ITEM}<p itemprop="name">n</p></div>'),
    "NUL bytes": page("\x00", f'{ITEM}<p itemprop="name">n</p></div>'),
    "letters of four bytes": page("\N{MUSICAL SYMBOL G CLEF}", f'{ITEM}<p itemprop="name">', "</p></div>"),
    "bytes that are no UTF-8": lambda size: ITEM.encode() + b'<p itemprop="name">' + b"\xff\xc3" * (size // 2),
    "UTF-16": encoded("utf-16", "a\N{SNOWMAN}"),
    "Shift JIS": encoded("shift_jis", "\N{HIRAGANA LETTER A}"),
    "GB 18030": encoded("gb18030", "\N{MUSICAL SYMBOL G CLEF}"),
    "ISO-2022-JP": shifts,
    "metas before a charset": lambda size: b"<meta a>" * (size // 8) + ITEM.encode(),
    "half a meta": lambda size: b"<meta " * (size // 6) + ITEM.encode(),
    "noscript": page('<noscript><b itemprop="name">n</b></noscript>', ITEM),
    "templates": nested("<template>", "</template>", ITEM),
    "foreign elements": nested("<svg><desc>", "</desc></svg>", ITEM),
    "options of a select": page("<select><option><b itemprop=name>x", ITEM),
    "times": page('<time itemprop="datePublished" datetime="2026-13-%d">x</time>', f'<div itemscope itemtype="{SCHEMA}Article">'),
    "meters and data": page('<data itemprop="price" value="%d,%d">x</data>', f'<div itemscope itemtype="{SCHEMA}Offer">'),
}  # fmt: skip

# ---- JSON-LD ----

_LONG = {
    "digits": "1", "dots and digits": "1.", "grouped digits": "1,000", "spaces": " ", "tabs and line ends": "\t\n",
    "letters": "a", "letters and spaces": "a b ", "capitals": "EUR ", "dashes": "-", "colons": "12:", "dates": "2026-01-01T",
    "durations": "P1DT", "weekdays": "Mo-Fr ", "slashes": "/", "addresses": "http://a.b/", "schemes": "http:", "hosts": "a.",
    "www": "www.a-b", "percent": "%", "at signs": "a@", "entities": "&amp;amp;", "tags": "<a ", "brackets": "<[{(",
    "curly brackets": "{{a}", "commas": ", ", "and": " and ", "quotes": "'", "accents": "e\N{COMBINING ACUTE ACCENT}",
    "surrogate halves": "\N{MUSICAL SYMBOL G CLEF}", "line ends and dots": "\n\N{BULLET} ", "semicolons": ";1",
    "language tags": "en-", "by": "By Dr. ", "schema.org": "schema.org/", "relative paths": "../",
}  # fmt: skip
_EVERY = (*DATES, *NUMBERS, *URLS, *NAMES)

DATA: dict[str, Shape] = {
    **{f"every property: {name}": values(_EVERY, unit, TYPES) for name, unit in _LONG.items()},
    **{f"one property: {name}": values(("name",), unit) for name, unit in _LONG.items() if name in ("spaces", "tags", "and")},
    "dates of a list": lists("datePublished", '"2026-13-01"', "Article"),
    "numbers of a list": lists("price", '"1,00,0.0"', "Offer"),
    "addresses of a list": lists("sameAs", '"htp:/example"', "Organization"),
    "opening hours of a list": lists("openingHours", '"Mo-Fr 25:00-26:00"', "LocalBusiness"),
    "names of a list": lists("author", '"By Dr. A and B, C"', "Article"),
    "one value again and again": lists("name", '"n"'),
    "nulls": lists("name", "null"),
    "empty objects": lists("offers", "{}"),
    "empty lists": lists("offers", "[]"),
    "lists inside lists": nested("[", "]", f'{{"@context":"{SCHEMA}","@type":"Thing","name":', "}", '"x"'),
    "lists of @list": nested('{"@list":[', "]}", f'{{"@context":"{SCHEMA}","@type":"Thing","name":', "}", '"x"'),
    "sets of @set": nested('{"@set":[', "]}", f'{{"@context":"{SCHEMA}","@type":"Thing","name":', "}", '"x"'),
    "objects inside objects": nested('{"@type":"Person","knows":', "}", f'{{"@context":"{SCHEMA}","@type":"Person","knows":', "}", '"x"'),
    "graphs inside graphs": nested('{"@graph":[', "]}", f'{{"@context":"{SCHEMA}","@graph":[', "]}", THING),
    "reverse inside reverse": nested('{"@type":"Person","@reverse":{"knows":', "}}", f'{{"@context":"{SCHEMA}","@type":"Person","knows":', "}", '{"@type":"Person"}'),
    "nodes of a graph": data('{"@type":"Person","@id":"#%d","name":"n"},', GRAPH, f"{THING}]}}"),
    "nodes of one id": data('{"@type":"Person","@id":"#a","name":"n%d"},', GRAPH, f"{THING}]}}"),
    "references in a ring": data('{"@type":"Person","@id":"#%d","knows":{"@id":"#%d0"}},', GRAPH, f"{THING}]}}"),
    "references to one node": data('{"@type":"Person","knows":{"@id":"#a"}},', f'{GRAPH}{{"@id":"#a","@type":"Person","name":"n"}},', f"{THING}]}}"),
    "references to one chain": data('{"@type":"Article","author":{"@id":"#a"},"publisher":{"@id":"#b"}},', f'{GRAPH}{{"@id":"#a","@type":"Person","worksFor":{{"@id":"#b"}}}},{{"@id":"#b","@type":"Organization","employee":{{"@id":"#a"}}}},', f"{THING}]}}"),
    "references to nowhere": data('{"@id":"#%d"},', f'{{"@context":"{SCHEMA}","@type":"Person","knows":[', '{"@id":"#x"}]}'),
    "every node names every node": data('{"@id":"#a","@type":"Person","knows":[{"@id":"#a"},{"@id":"#b"}]},{"@id":"#b","@type":"Person","knows":[{"@id":"#a"},{"@id":"#b"}]},', GRAPH, f"{THING}]}}"),
    "types of a node": data('"Type%d",', f'{{"@context":"{SCHEMA}","@type":[', '"Thing"],"name":"n"}'),
    "known types of a node": data('"Product","Recipe","Event",', f'{{"@context":"{SCHEMA}","@type":[', '"Thing"],"name":"n"}'),
    "terms of a context": data('"t%d":"https://schema.org/name",', '{"@context":[{', f'"x":"https://x.example/"}},"{SCHEMA}"],"@type":"Thing","t1":"n"}}'),
    "terms that name the next": data('"t%d":"t%d0",', '{"@context":[{', f'"x":"https://x.example/"}},"{SCHEMA}"],"@type":"Thing","t1":"n"}}'),
    "contexts of a list": data(f'"{SCHEMA}",', '{"@context":[', f'"{SCHEMA}"],"@type":"Thing","name":"n"}}'),
    "contexts with prefixes": data('{"p%d":"https://p%d.example/"},', '{"@context":[', f'"{SCHEMA}"],"@type":"Thing","p1:name":"n"}}'),
    "a context in every node": data('{"@context":{"@vocab":"https://schema.org/","t%d":"name"},"@type":"Thing","t%d":"n"},', GRAPH, f"{THING}]}}"),
    "contexts inside contexts": nested('{"@context":{"t":"name"},"@type":"Person","knows":', "}", f'{{"@context":"{SCHEMA}","@type":"Person","knows":', "}", '"x"'),
    "scoped contexts": nested('{"t":{"@id":"t","@context":', "}}", '{"@context":', ',"@type":"Thing"}', "{}"),
    "keys of a node": data('"key%d":"v",', f'{{"@context":"{SCHEMA}","@type":"Product",', '"name":"n"}'),
    "one key again and again": data('"name":"v",', f'{{"@context":"{SCHEMA}","@type":"Product",', '"name":"n"}'),
    "keys almost right": data('"nmae%d":"v","pirce%d":"1",', f'{{"@context":"{SCHEMA}","@type":"Product",', '"name":"n"}'),
    "unknown types of a graph": data('{"@type":"Prodict%d","nam%d":"n"},', GRAPH, f"{THING}]}}"),
    "a long key": lambda size: json.dumps({"@context": SCHEMA, "@type": "Thing", "k" * size: "v"}).encode(),
    "a large context and a context in every node": _large_context,
    "a long type": lambda size: json.dumps({"@context": SCHEMA, "@type": "Prod" * (size // 4), "name": "n"}).encode(),
    "a long context": lambda size: json.dumps({"@context": "http://schema.org" * (size // 17), "@type": "Thing"}).encode(),
    "a long id": lambda size: json.dumps({"@context": SCHEMA, "@type": "Thing", "@id": "www.a/" * (size // 6)}).encode(),
    "a long number": lambda size: b'{"@context":"https://schema.org","@type":"Offer","price":' + b"9" * size + b"}",
    "a long exponent": lambda size: b'{"@context":"https://schema.org","@type":"Offer","price":1e' + b"9" * size + b"}",
    "long fractions": data("0.%d0000000000000000001,", '{"@context":"https://schema.org","@type":"Offer","price":[', "1]}"),
    "escapes": data("\\u0041", '{"@context":"https://schema.org","@type":"Thing","name":"', '"}'),
    "halves of surrogates": data("\\ud800", '{"@context":"https://schema.org","@type":"Thing","name":"', '"}'),
    "backslashes": data("\\\\", '{"@context":"https://schema.org","@type":"Thing","name":"', '"}'),
    "white space": data(" \n", '{"@context":"https://schema.org","@type":"Thing",', '"name":"n"}'),
    "reviews of a product": data('{"@type":"Review","author":"By Dr. A","reviewRating":{"@type":"Rating","ratingValue":9}},', f'{{"@context":"{SCHEMA}","@type":"Product","name":"n","review":[', f"{THING}]}}"),
    "offers of a product": data('{"@type":"Offer","price":"-1"},', f'{{"@context":"{SCHEMA}","@type":"Product","name":"n","offers":[', f"{THING}]}}"),
    "items of a list": data('{"@type":"ListItem","position":1,"item":{"@id":"/x%d"}},', f'{{"@context":"{SCHEMA}","@type":"BreadcrumbList","itemListElement":[', f"{THING}]}}"),
    "answers of a question": data('{"@type":"Answer","text":"&amp;amp;","upvoteCount":"x"},', f'{{"@context":"{SCHEMA}","@type":"QAPage","mainEntity":{{"@type":"Question","name":"n","suggestedAnswer":[', f"{THING}]}}}}"),
    # Broken JSON.
    "single quotes": data("'k%d': 'v',\n", "{'@context': 'https://schema.org', ", "}"),
    "keys without quotes": data("k%d: 'v',", "{", "}"),
    "missing commas": data('"k%d": "v"\n', '{"@context":"https://schema.org",', "}"),
    "missing colons": data('"k%d" "v",', '{"@context":"https://schema.org",', "}"),
    "double commas": data(",,", '{"@context":"https://schema.org","@type":["a"', "]}"),
    "unescaped quotes": data('a "b" c, ', '{"@context":"https://schema.org","name":"', '"}'),
    "quotes alone": data('"', '{"@context":"https://schema.org","name":', "}"),
    "opening brackets": data("[", "", ""),
    "opening braces": data("{", "", ""),
    "opening braces and keys": data('{"a":', "", ""),
    "mixed brackets": data("[{", "", ""),
    "closing brackets": data("]}", "{", ""),
    "wrong brackets": data("[}", "{", ""),
    "comments of a script": data("/*x*/", '{"a":', "1}"),
    "comments left open in JSON": data("/*", '{"a":', ""),
    "line comments": data("//x\n", '{"a":', "1}"),
    "templates left": data("{{ x }}", '{"name":', "}"),
    "template tags": data("{% if a %}", '{"name":', "}"),
    "text before JSON": data("word ", "", '{"@context":"https://schema.org","@type":"Thing"}'),
    "braces before JSON": data("{ a ", "", '{"@context":"https://schema.org","@type":"Thing"}'),
    "text after JSON": data("word ", '{"@context":"https://schema.org","@type":"Thing"}', ""),
    "values after values": data('{"a":1}', "", ""),
    "strings left open": data('"a": "x\n', "{", "}"),
    "line ends in strings": data("x\n", '{"name":"', '"}'),
    "words without quotes": data("word word, ", '{"name":[', "]}"),
    "plus signs": data("+1, ", '{"name":[', "]}"),
    "odd numbers": data("0x1F .5 1e ", '{"name":[', "]}"),
    "curly quotes": data("\N{LEFT DOUBLE QUOTATION MARK}k%d\N{RIGHT DOUBLE QUOTATION MARK}: \N{LEFT DOUBLE QUOTATION MARK}v\N{RIGHT DOUBLE QUOTATION MARK},", "{", "}"),
    "curly quotes left open": data("\N{LEFT DOUBLE QUOTATION MARK}", '{"a":', "}"),
    "entities for quotes": data("&quot;k%d&quot;:&quot;v&quot;,", "{", "}"),
    "CDATA": data("<![CDATA[", "", '{"a":1}'),
    "HTML comments": data("<!--", "", '{"a":1}'),
    "control characters": data("\x01", '{"name":"', '"}'),
    "odd spaces": data("\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}", '{"a":', "1}"),
    "odd spaces between members": data('"k%d":\N{NO-BREAK SPACE}1,\N{ZERO WIDTH SPACE}', "{", '"a":1}'),
    "bad escapes": data("\\q\\x4", '{"name":"', '"}'),
    "assignments": data("var a = ", "", '{"a":1};'),
    "literals": data("TRUE,None,undefined,NaN,", '{"name":[', "1]}"),
    "semicolons after values": data('"a":1;', "{", "}"),
    "broken pairs": data('"a" : , ', "{", "}"),
    "half-quoted words": data('word", ', '{"name":[', "]}"),
    "half-quoted keys": data('a": 1, ', "{", "}"),
    "quotes and commas": data('","', '{"name":["', '"]}'),
    "quotes and colons": data('":"', '{"name":"', '"}'),
    "quotes and spaces": data('" ', '{"name":"', '"}'),
    "quotes and brackets": data('"]', '{"name":["', '"]}'),
}  # fmt: skip


def as_page(shape: Shape) -> Shape:
    """JSON-LD document as the only script of a page."""
    return lambda size: b'<!doctype html><script type="application/ld+json">' + shape(size) + b"</script>"


SHAPES: dict[str, tuple[bool, Shape]] = {
    **{name: (True, shape) for name, shape in PAGES.items()},
    **{name: (False, shape) for name, shape in DATA.items()},
}
"""Name -> (whether it is a page, shape)."""
