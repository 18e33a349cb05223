"""Text of a JSON-LD script: strict JSON as it is, other text by the tolerant decoder with its repairs."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from waypost.formats.numbers import exact_decimal
from waypost.models.page import Page, ReadError, Span
from waypost.reader.json_block import JsonBlock
from waypost.reader.positions import Positions

if TYPE_CHECKING:
    from waypost.reader.dirtytokens import Repair


# Half of a surrogate pair is valid JSON and no character: it could not be encoded as UTF-8 in a report.
_LONE_SURROGATE = re.compile(r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F])")
_PAIRED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
NOTHING: Final = object()
_MANY_GUESSES = 2
_ELLIPSIS = "json-ellipsis"
_JSON_END = re.compile(r"[\]}]\s{0,1000}\Z")
_LONGEST_REST = 200_000  # of a text that is cut off by the end of its script


class _IrregularJsonError(ValueError):
    """Valid for the standard library's decoder, but not for ours to pass over in silence."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # A repeated name is valid JSON and loses a value in silence; the tolerant decoder reports it.
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _IrregularJsonError
    return made


def _constant(_: str) -> Any:
    raise _IrregularJsonError


def _number(written: str) -> Decimal:
    # Decimal, since "19.90" as a binary float would be shown as another number; the bound keeps its cost linear.
    value = exact_decimal(written) if len(written) < 1000 else None
    if value is None:
        raise _IrregularJsonError
    return value


_strict = json.JSONDecoder(parse_float=_number, parse_constant=_constant, object_pairs_hook=_object).decode


def decoded(block: JsonBlock, page: Page) -> Any:
    """Value of a block; repairs become read errors."""
    text = block.text
    try:
        value = _strict(text)
        # The search is made only where an escape occurs, which few scripts have.
        if "\\u" not in text or not _LONE_SURROGATE.search(_PAIRED.sub("", text)):
            return value
    except (ValueError, RecursionError):
        pass
    # Imported on use: most pages have valid JSON, and the tolerant decoder takes time to load.
    from waypost.reader.dirtyjson import decode, is_guess

    found = decode(text)
    block.positions = Positions(text, found.top, found.members)
    block.encoded = found.encoded
    if (error := _script_end(page, block, found.repairs)) is not None:
        page.read_errors.append(error)
        page.guessed[block.index] = error
        return found.value if found.found else NOTHING
    guesses = [repair for repair in found.repairs if is_guess(repair)]
    # A template that was not filled in is one cause, however many guesses its placeholders took.
    is_template = any(repair.rule == "json-template-left" for repair in found.repairs)
    if dots := next((repair for repair in found.repairs if repair.rule == _ELLIPSIS), None):
        error = page.guessed[block.index] = block.read_error_of(dots)
        page.read_errors.append(error)
    elif not is_template and sum(repair.detail.get("count", 1) for repair in guesses) >= _MANY_GUESSES:
        error = page.guessed[block.index] = _first_break(block, guesses, len(found.repairs))
        page.read_errors.append(error)
    else:
        page.read_errors.extend(block.read_error_of(repair) for repair in found.repairs)
    if not found.sound:
        page.broken_blocks.add(block.index)
    return found.value if found.found else NOTHING


def _script_end(page: Page, block: JsonBlock, repairs: list[Repair]) -> ReadError | None:
    """Error about `</script>` inside a text, at which the script ended; None where the JSON ends for another reason."""
    cut = next((repair for repair in repairs if repair.rule == "json-unterminated"), None)
    end = block.start + len(block.text)
    if cut is None or cut.detail.get("what") != "text" or page.text[end : end + 8].lower() != "</script":
        return None
    rest = page.text[end + 8 : end + _LONGEST_REST].lower()
    closed, opened = rest.find("</script"), rest.find("<script")
    # An end tag that ends nothing: it is that of this script.
    if closed < 0 or 0 <= opened < closed or not _JSON_END.search(rest, 0, closed):
        return None
    error = block.read_error_of(cut)
    span = Span(end, end + 8)
    return ReadError(
        "json-script-end-in-text", span, "json-ld", block.index, error.pointer, {}, ((span, "<\\/script"),)
    )


def _first_break(block: JsonBlock, guesses: list[Repair], count: int) -> ReadError:
    """Error where a script first breaks, with the quote that probably ended a text too early.

    What follows it is guessed: the other errors, and findings about the values, may be about nothing that was written.
    """
    first = min(guesses, key=lambda repair: repair.start)
    error = block.read_error_of(first)
    related = []
    # A text that ends too early breaks the JSON behind its quote, not at it.
    quote = block.text.rfind('"', 0, first.start)
    if quote >= 0 and first.rule != "json-unescaped-quote":
        at = block.start + quote
        related.append(("probably this quote ends a text too early", Span(at, at + 1)))
    if count > 1:
        others = "another error" if count == 2 else f"{count - 1:,} more errors"
        related.append((f"{others} in this script may follow from this one", error.span))
    error.related = tuple(related)
    return error
