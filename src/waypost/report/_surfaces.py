"""Surfaces of a page for a terminal, and as one HTML page without scripts or anything from elsewhere.

Both are drawn from the data that `waypost preview --json` and the API give (`preview.surfaces.to_data`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from waypost.report._terminal import Paint, cells, wrapped
from waypost.report.card import half_stars

_WIDEST, _NARROWEST = 88, 40
_WIDTHS = {"google-phone": 46, "x": 60, "open-graph": 60}
_BELOW = {"google-phone": "24.5rem", "google-desktop": "42rem"}
_STYLE = """
:root{color-scheme:light dark;--ground:#f7f6f2;--card:#fff;--ink:#151b23;--soft:#5d6570;--line:#dfdbd0;--box:#ece8dd;
  --title:#1a4fa0;--star:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ground:#10151c;--card:#171e27;--ink:#edf0f3;--soft:#98a4b1;--line:#2d3947;
  --box:#263240;--title:#a8c7fa;--star:#f0c06a}}
body{font:16px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);max-width:48rem;margin:0 auto;
  padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}
h3{font-size:.8rem;margin:1rem 0 .3rem}
.card{display:flow-root;background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem;
  font:14px/1.55 Arial,sans-serif;overflow-wrap:anywhere}
.card p,.card dl{margin:.3rem 0}.title{font-size:20px;line-height:1.3;color:var(--title)}
.soft,dt,small{color:var(--soft)}
.stars{color:var(--star)}.picture{float:right;width:8rem;background:var(--box);border-radius:.5rem;padding:1rem .5rem;
  text-align:center;font-size:12px;margin:0 0 .4rem .9rem}.top{float:none;width:auto;margin:0 0 .5rem}.start{float:left;
  margin:0 .9rem .4rem 0}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;clear:both}.tiles>div{border:1px solid var(--line);border-radius:.5rem;
  padding:.6rem;flex:1 1 9rem}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem .9rem}dd{margin:0}
.heading{font-weight:700}a{color:inherit}
"""


def draw_text(surfaces: Iterable[dict[str, Any]], *, width: int = 80, colour: bool = False) -> str:
    """Results as boxes of lines, each below its surface and above its documentation."""
    paint = Paint(colour)
    return "\n".join(line for surface in surfaces for line in _surface_lines(surface, width, paint)) + "\n"


def _surface_lines(surface: dict[str, Any], width: int, paint: Paint) -> Iterator[str]:
    room = min(max(width, _NARROWEST), _WIDTHS.get(surface["surface"], _WIDEST)) - 4
    for result in surface["results"]:
        named = f": {result['title']}" if surface["group"] == "search" else ""
        yield paint(f"{surface['title']}{named}", "bold")
        yield "╭" + "─" * (room + 2) + "╮"
        for part in result["parts"]:
            for text, how in _part_lines(part, room):
                yield f"│ {paint(text, how) if how else text}{' ' * max(room - cells(text), 0)} │"
        yield "╰" + "─" * (room + 2) + "╯"
        source = result.get("source") or surface["sources"][0]
        yield from (
            paint(line, "dim") for line in wrapped(f"Drawn from {source['title']}, {source['dated']}", room + 4)
        )
        yield from (paint(line, "dim") for line in wrapped(result.get("differs") or surface["differs"], room + 4))
        yield ""
    for each in surface["retired"]:
        yield f"No longer shown: {each['title']}, since {each['retired_on']}"


def _part_lines(part: dict[str, Any], room: int) -> Iterator[tuple[str, str]]:
    """(line, colour) of a part; a part of entries has theirs, indented."""
    kind = part["part"]
    if kind == "picture":
        yield from _wrapped(f"[picture {part.get('ratio', '')}] {part['words'][0]['text']}", room, "dim")
        return
    if kind == "rows":
        for word in part["words"]:
            yield from _wrapped(_labelled(word), room, "")
    elif part["words"]:
        joint = " — " if kind == "text" else "  " if kind == "chips" else " · "
        how = {"title": "title", "site": "bold", "address": "dim", "heading": "bold"}.get(kind, "")
        yield from _wrapped(joint.join(_labelled(word) for word in part["words"]), room, how)
    for entry in part.get("entries", ()):
        for number, (line, how) in enumerate(line for inner in entry for line in _part_lines(inner, room - 2)):
            yield ("• " if number == 0 else "  ") + line, how


def _wrapped(text: str, room: int, how: str) -> Iterator[tuple[str, str]]:
    return ((line, how) for line in wrapped(text, room))


def _labelled(word: dict[str, Any]) -> str:
    text = word["text"] + ("…" if "cut" in word else "")
    if "stars" in word:
        text = f"{stars_text(word['stars'])} {text}"
    label = word.get("label", "")
    return f"{label}{'' if label.endswith((':', '.')) else ':'} {text}" if label else text


def stars_text(stars: float) -> str:
    """Full, half and empty stars."""
    full, half = divmod(half_stars(stars), 2)
    return f"{'★' * full}{'½' * half}{'☆' * (5 - full - half)}"


def draw_html(surfaces: Iterable[dict[str, Any]], title: str) -> str:
    """Surfaces as one page; each word has its property and place as its title. Pictures are boxes."""
    body = "".join(_surface_html(surface) for surface in surfaces)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Preview of {escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>Preview of {escape(title)}</h1><p>Drawings of what the page says, not a promise of how anyone will show "
        f"it. Point at a word to see the property it comes from.</p>{body}</body></html>\n"
    )


def _surface_html(surface: dict[str, Any]) -> str:
    made = [f"<section><h2>{escape(surface['title'])}</h2>"]
    for result in surface["results"]:
        width = _BELOW.get(surface["surface"], "32rem")
        heading = f"<h3>{escape(result['title'])}</h3>" if surface["group"] == "search" else ""
        parts = "".join(_part_html(part) for part in result["parts"])
        made.append(f'{heading}<div class="card" style="max-width:{width}">{parts}</div>')
        if "source" in result:
            made.append(_notes_html([result["source"]], result["differs"]))
    made += [
        f"<p>No longer shown: {escape(each['title'])}, since {escape(each['retired_on'])}</p>"
        for each in surface["retired"]
    ]
    return "".join([*made, _notes_html(surface["sources"], surface["differs"]), "</section>"])


def _notes_html(sources: list[dict[str, str]], differs: str) -> str:
    def named(source: dict[str, str]) -> str:
        text = escape(source["title"])
        is_web = source["url"].startswith(("http://", "https://"))
        return (f'<a href="{escape(source["url"])}">{text}</a>' if is_web else text) + f", {source['dated']}"

    return f"<p><small>Drawn from {'; '.join(map(named, sources))}. {escape(differs)}</small></p>"


def _part_html(part: dict[str, Any]) -> str:
    kind, words = part["part"], part["words"]
    if kind == "picture":
        name = words[0]["text"].partition("?")[0].rpartition("/")[2] or words[0]["text"]
        return f'<div class="picture {part.get("at", "")}" title="{_title(words[0])}">{escape(name)}</div>'
    if kind == "rows":
        rows = "".join(f"<dt>{escape(word.get('label', ''))}</dt><dd>{_word_html(word)}</dd>" for word in words)
        return f"<dl>{rows}</dl>"
    if "entries" in part:
        tiles = "".join(f"<div>{''.join(_part_html(each) for each in entry)}</div>" for entry in part["entries"])
        return f'<div class="tiles">{tiles}</div>'
    joint = " — " if kind == "text" else " · "
    labelled = (
        (f'<span class="soft">{escape(word["label"])}:</span> ' if "label" in word else "") + _word_html(word)
        for word in words
    )
    return f'<p class="{kind}">{joint.join(labelled)}</p>'


def _word_html(word: dict[str, Any]) -> str:
    stars = f'<span class="stars">{stars_text(word["stars"])}</span> ' if "stars" in word else ""
    text = stars + escape(word["text"]) + ("…" if "cut" in word else "")
    return f'<span title="{_title(word)}">{text}</span>' if word.get("property") else text


def _title(word: dict[str, Any]) -> str:
    places = ", ".join(f"{each['line']}:{each['column']}" for each in word.get("places", ())[:3])
    return escape(word.get("property", "") + (f" at {places}" if places else ""))
