"""Smallest markup of a rich result in every syntax and as a template of common stacks, made of one description.

`site/smallest.json` has the JSON-LD of every result. A template fills in the values and keeps types, addresses of
schema.org and positions, which are the same on every page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any, NamedTuple

from waypost.registry import assets

Markup = dict[str, Any]

_CONTEXT = "https://schema.org"
_FIXED = re.compile(r"https://schema\.org/|required name=")
_ADDRESS = re.compile(r"https://\S+$")
_CONSTANTS = frozenset({"@type", "@context", "position"})
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Endings and languages as `waypost validate` knows them.
STACKS = {
    "Liquid": ("liquid", "liquid"),
    "Jinja": ("jinja", "jinja"),
    "PHP": ("php", "php"),
    "JSX": ("jsx", "jsx"),
}
"""Template language -> (ending of its files, lexer of its colours)."""


class Written(NamedTuple):
    """Markup as a page has it. `ending`: of a file with it; `language`: for its colours."""

    title: str
    ending: str
    language: str
    text: str


@cache
def smallest() -> dict[str, Markup]:
    """Smallest JSON-LD of rich results by profile, without @context."""
    document = json.loads((assets.folder("site") / "smallest.json").read_text("utf-8"))
    markup: dict[str, Markup] = document["markup"]
    return markup


def written(markup: Markup) -> list[Written]:
    """Markup as JSON-LD, Microdata and RDFa, and as a template of every stack."""
    whole = {"@context": _CONTEXT, **markup}
    pages = [
        Written("JSON-LD", "html", "html", _script(json.dumps(whole, indent=2, ensure_ascii=False))),
        Written("Microdata", "html", "html", "\n".join(_microdata(markup, None, 0))),
        Written("RDFa", "html", "html", "\n".join(_rdfa(markup, None, 0))),
    ]
    makers = {"Liquid": _liquid, "Jinja": _jinja, "PHP": _php, "JSX": _jsx}
    name = variable(markup)
    return pages + [
        Written(title, ending, language, makers[title](whole, name)) for title, (ending, language) in STACKS.items()
    ]


def variable(markup: Markup) -> str:
    """Name of the variable that a template reads the values from: the type, in lower case."""
    types = markup["@type"]
    return _CAMEL.sub("_", types if isinstance(types, str) else types[0]).lower()


def _script(text: str) -> str:
    return f'<script type="application/ld+json">\n{text}\n</script>'


def _is_fixed(name: str, value: Any) -> bool:
    return name in _CONSTANTS or isinstance(value, bool) or (isinstance(value, str) and bool(_FIXED.match(value)))


def _filled(value: Any, name: str, way: str, write: Any) -> Any:
    """Copy of JSON-LD with the values of a page replaced by marks; `write` gets the way to the value."""
    if isinstance(value, dict):
        return {key: _filled(part, key, f"{way}.{_step(key)}", write) for key, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, name, f"{way}[{n}]", write) for n, part in enumerate(value)]
    return value if _is_fixed(name, value) else write(way)


def _step(key: str) -> str:
    return re.sub(r"\W", "_", key.lstrip("@"))


def _marked(whole: Markup, name: str, form: str, indent: int) -> str:
    """JSON text with `form` in place of the values of a page; {} in `form` is the way to the value."""
    holders: list[str] = []

    def write(way: str) -> str:
        holders.append(form.format(way))
        return f"\x01{len(holders) - 1}\x01"

    text = json.dumps(_filled(whole, "", name, write), indent=indent, ensure_ascii=False)
    return re.sub('"\x01(\\d+)\x01"|"\\\\u0001(\\d+)\\\\u0001"', lambda found: holders[int(found[1] or found[2])], text)


def _liquid(whole: Markup, name: str) -> str:
    return _script(_marked(whole, name, "{{{{ {} | json }}}}", 2))


def _jinja(whole: Markup, name: str) -> str:
    return _script(_marked(whole, name, "{{{{ {} | tojson }}}}", 2))


def _php(whole: Markup, name: str) -> str:
    """Array that json_encode writes; the flags keep </script> from ending the script."""
    body = "\n".join(_php_lines(whole, "", f"${name}", 0))
    return (
        f"<?php $data = {body}; ?>\n"
        '<script type="application/ld+json">\n'
        "<?= json_encode($data, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_HEX_TAG) ?>\n"
        "</script>"
    )


def _php_lines(value: Any, name: str, way: str, depth: int) -> Iterator[str]:
    pad = "  " * (depth + 1)
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        yield "["
        for key, part in entries:
            step = f"['{_step(key)}']" if isinstance(key, str) else f"[{key}]"
            first, *rest = _php_lines(part, key if isinstance(key, str) else name, way + step, depth + 1)
            head = f"'{key}' => " if isinstance(key, str) else ""
            lines = [f"{pad}{head}{first}", *rest]
            yield from lines[:-1]
            yield f"{lines[-1]},"
        yield "  " * depth + "]"
    elif isinstance(value, bool) or (not isinstance(value, str) and _is_fixed(name, value)):
        yield json.dumps(value)
    else:
        yield f"'{value}'" if _is_fixed(name, value) else way


def _jsx(whole: Markup, name: str) -> str:
    """Component of React; `<` is escaped, since a value could end the script."""
    # Names that JavaScript takes without quotation marks have none, as formatters write them.
    body = re.sub(r'"([A-Za-z]\w*)":', r"\1:", _marked(whole, name, "{}", 2))
    inner = body.replace("\n", "\n  ")
    html = '{ __html: JSON.stringify(data).replace(/</g, "\\\\u003c") }'
    return (
        f"export function StructuredData({{ {name} }}) {{\n"
        f"  const data = {inner};\n"
        "  return (\n"
        f'    <script type="application/ld+json" dangerouslySetInnerHTML={{{html}}} />\n'
        "  );\n}"
    )


def _parts(node: Markup) -> Iterator[tuple[str, Any]]:
    """Properties with one value each."""
    for name, value in node.items():
        if name not in ("@type", "@id"):
            for one in value if isinstance(value, list) else [value]:
                yield name, one


def _types(node: Markup) -> list[str]:
    types = node["@type"]
    return [types] if isinstance(types, str) else list(types)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _leaf(attribute: str, name: str, value: Any, pad: str) -> str:
    text = escape(_text(value))
    if isinstance(value, str) and _FIXED.match(value) and _ADDRESS.match(value):
        return f'{pad}<link {attribute}="{name}" href="{text}">'
    if isinstance(value, str) and _ADDRESS.match(value) and "{" not in value:
        is_image = bool(re.search(r"\.(?:jpe?g|png)$", value))
        if is_image and name in ("image", "thumbnailUrl", "contentUrl"):
            return f'{pad}<img {attribute}="{name}" src="{text}" alt="">'
        return f'{pad}<a {attribute}="{name}" href="{text}">{text}</a>'
    if re.fullmatch(r"\d{4}-\d\d-\d\d(?:T\S+)?", _text(value)):
        return f'{pad}<time {attribute}="{name}" datetime="{text}">{text[:10]}</time>'
    if isinstance(value, str) and "<" not in value and not _FIXED.match(value):
        return f'{pad}<span {attribute}="{name}">{text}</span>'
    return f'{pad}<meta {attribute}="{name}" content="{text}">'


def _microdata(node: Markup, name: str | None, depth: int) -> Iterator[str]:
    pad = "  " * depth
    of = f' itemprop="{name}"' if name else ""
    own = f' itemid="{escape(node["@id"])}"' if "@id" in node else ""
    types = " ".join(f"{_CONTEXT}/{each}" for each in _types(node))
    yield f'{pad}<div{of} itemscope itemtype="{types}"{own}>'
    for prop, value in _parts(node):
        if isinstance(value, dict):
            yield from _microdata(value, prop, depth + 1)
        else:
            yield _leaf("itemprop", prop, value, pad + "  ")
    yield f"{pad}</div>"


def _rdfa(node: Markup, name: str | None, depth: int) -> Iterator[str]:
    pad = "  " * depth
    of = f' property="{name}"' if name else f' vocab="{_CONTEXT}/"'
    own = f' resource="{escape(node["@id"])}"' if "@id" in node else ""
    yield f'{pad}<div{of} typeof="{" ".join(_types(node))}"{own}>'
    for prop, value in _parts(node):
        if isinstance(value, dict):
            yield from _rdfa(value, prop, depth + 1)
        else:
            yield _leaf("property", prop, value, pad + "  ")
    yield f"{pad}</div>"
