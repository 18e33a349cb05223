"""RDFa made from a seed: nodes as items, and attributes of RDFa in any order and place, which few pages have."""

from __future__ import annotations

import html
from random import Random
from typing import Any

_VOCABS = (
    "https://schema.org/", "https://schema.org/", "http://schema.org/", "https://www.schema.org", "schema.org", "", "/terms/",
    "http://shema.org/", "http://xmlns.com/foaf/0.1/",
)  # fmt: skip
_ADDRESSES = (
    "#a",
    "#b",
    "_:c",
    "[_:c]",
    "[]",
    "[schema:Thing]",
    "/d",
    "https://e.test/f",
    "schema:g",
    "",
    " #a ",
    "x:y",
)
_WORDS = (
    "name", "author", "schema:offers", "og:title", "image", "url", "rdfa:copy", "itemListElement", "nofollow", "license",
    "https://schema.org/price", "Name", "s:price", "datePublished", "isPartOf", "publisher", "https://e.test/own",
)  # fmt: skip
_TYPES = (
    "Product", "Person", "schema:Offer", "rdfa:Pattern", "Recipe", "product", "foaf:Person", "ListItem", "_:own", "Thing Event",
    "https://schema.org/Article", "s:Book",
)  # fmt: skip
_VALUES = {
    "vocab": _VOCABS, "typeof": (*_TYPES, ""), "property": _WORDS, "rel": _WORDS, "rev": _WORDS, "about": _ADDRESSES,
    "resource": _ADDRESSES, "href": _ADDRESSES, "src": _ADDRESSES, "content": ("9.99", "seen=", "x", ""),
    "datatype": ("xsd:date", ""), "datetime": ("2026-01-01",),
    "prefix": ("s: https://schema.org/", "s: https://schema.org", "S: http://schema.org/ x: /y/", "broken", "s:x"),
}  # fmt: skip
_TAGS = ("div", "p", "span", "b", "i", "a", "li", "td", "section", "h1")
_VOID = ("meta", "link", "img", "br", "base")


def item(value: Any, random: Random, depth: int = 0, prop: str = "") -> str:
    """A node as RDFa, with the usual errors."""
    if isinstance(value, list):
        return "".join(item(each, random, depth, prop) for each in value[:4])
    key = f' {random.choice(("property", "property", "property", "rel"))}="{html.escape(prop)}"' if prop else ""
    if isinstance(value, dict):
        if depth > 4:
            return ""
        types = value.get("@type")
        name = types[0] if isinstance(types, list) and types else types
        vocab = f' vocab="{random.choice(_VOCABS)}"' if depth == 0 or random.random() < 0.1 else ""
        kind = f' typeof="{html.escape(str(name))}"' if isinstance(name, str) else ""
        identity = f' resource="{html.escape(value["@id"])}"' if isinstance(value.get("@id"), str) else ""
        inner = "".join(item(part, random, depth + 1, member) for member, part in value.items() if member[:1] != "@")
        inner += item(value["@graph"], random, depth) if "@graph" in value else ""
        tag = random.choice(("div", "section", "span", "li", "p"))
        return f"<{tag}{key}{vocab}{kind}{identity}>{inner}</{tag}>"
    text = html.escape(str(value).replace("\x00", ""), quote=True)
    return random.choice((
        f"<span{key}>{text}</span>", f"<p{key}>{text}", f'<meta{key} content="{text}">', f'<a{key} href="{text}">there</a>',
        f"<time{key} datetime='{text}'>then</time>", f'<img{key} src="{text}" alt="">', f"<i><b{key}>{text}</i> after</b>",
        f'<span{key} content="{text}">seen<br></span>', f'<link{key} resource="{text}">', f'<b{key} datatype="">{text}</b>',
    ))  # fmt: skip


def soup(random: Random, depth: int = 0) -> str:
    """Elements with attributes of RDFa in any combination."""
    made = []
    for _ in range(random.randrange(1, 5)):
        names = random.sample(sorted(_VALUES), random.choice((0, 1, 1, 2, 2, 3, 5)))
        written = "".join(f' {name}="{_value(name, random)}"' for name in names)
        if random.random() < 0.2:
            made.append(f"<{random.choice(_VOID)}{written}>")
            continue
        tag = random.choice(_TAGS)
        inner = soup(random, depth + 1) if depth < 5 and random.random() < 0.6 else "some text"
        made.append(f"<{tag}{written}>{inner}{random.choice((f'</{tag}>', f'</{tag}>', f'</{tag}>', '', '</b>'))}")
    start = f'<div vocab="https://schema.org/" typeof="{random.choice(_TYPES)}">' if depth == 0 else ""
    return start + "\n".join(made)


def _value(name: str, random: Random) -> str:
    many = 2 if name in ("typeof", "property", "rel", "rev") and random.random() < 0.2 else 1
    return " ".join(random.choice(_VALUES[name]) for _ in range(many))
