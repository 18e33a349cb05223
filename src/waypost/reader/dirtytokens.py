"""Tokens of JSON as people and templates write them: space, comments, strings, numbers, words.

Lookahead is bounded and nothing is read twice, so time is linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from waypost.formats.numbers import exact_decimal
from waypost.formats.patterns import pattern

MOST_EDITS = 1000  # of one folded repair
MOST_ERRORS = 20_000  # in one text: past that it is not JSON
MOST_REPAIRS = 200  # of one text
_ALSO = 5  # further places that a folded repair names
_LOOKAHEAD = 2000  # characters in which the closing quote behind an inner one is searched
_MOST_SEARCHES = 200  # of inner quotes without success, in one text
_MOST_TRIES = 20_000  # quotes checked in all these searches
_MOST_TEMPLATES = 1000  # vain looks for a placeholder, in one text


class Repair(msgspec.Struct):
    """Error in a text, and edits that fix it. Offsets count in the given text, ends exclusive.

    Errors that repeat (quotes, raw newlines) are folded into a single repair: `detail["count"]` is their number,
    `edits` fix all of them, `related` locates a few. `detail["safe"]` is False for edits that guess the intention.
    """

    rule: str
    start: int
    end: int
    pointer: str = ""
    detail: dict[str, Any] = {}
    edits: list[tuple[int, int, str]] = []
    related: list[tuple[str, int, int]] = []


class ErrorLimitExceeded(Exception):
    """The text has too many errors to be JSON."""


class Ledger:
    """Repairs of a text, in order; repeated errors folded, the number bounded."""

    def __init__(self, where: Callable[[], str]) -> None:
        self.repairs: list[Repair] = []
        self._where = where
        self._swarms: dict[str, Repair] = {}
        self._errors = 0

    def note(
        self,
        rule: str,
        start: int,
        end: int,
        edits: list[tuple[int, int, str]] | None = None,
        *,
        fold: bool = True,
        related: list[tuple[str, int, int]] | None = None,
        **detail: Any,
    ) -> None:
        """Add a repair, or count it in the folded repair of its rule. Raises ErrorLimitExceeded."""
        self._errors += 1
        # Counted before errors are folded: the number bounds the time, the number of repairs bounds the report.
        if self._errors > MOST_ERRORS:
            raise ErrorLimitExceeded
        swarm = self._swarms.get(rule) if fold else None
        if swarm is not None:
            swarm.detail["count"] += 1
            swarm.detail["safe"] = swarm.detail["safe"] and detail.get("safe", True)
            if edits and len(swarm.edits) < MOST_EDITS:
                swarm.edits.extend(edits)
            if len(swarm.related) < _ALSO:
                swarm.related.append(("also here", start, end))
            return
        if len(self.repairs) >= MOST_REPAIRS:
            return
        made = Repair(rule, start, end, self._where(), {"safe": True, "count": 1, **detail}, edits or [], related or [])
        self.repairs.append(made)
        if fold:
            self._swarms[rule] = made

    def count(self, rule: str) -> int:
        """Number of errors so far of a folded rule."""
        swarm = self._swarms.get(rule)
        return swarm.detail["count"] if swarm else 0


class Token(NamedTuple):
    """Scalar: value and end offset."""

    value: Any
    end: int


# White space by RFC 8259, section 2; the next line has what editors, word processors and pages paste in addition.
_SPACE = pattern(r"[ \t\n\r]*")
_ODD_SPACE = pattern(r"[^\S \t\n\r]+|[\u180e\u200b-\u200f\u2060\x00]+")
# Examples in documentation are abbreviated so, and get copied.
_ELLIPSIS = pattern(r"\.{3,}|…+|\(\.\.\.\)")
_COMMENT = pattern(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# XHTML and old scripts wrap data so, with the marks commented out or not.
_CDATA_OPEN = pattern(r"(?://\s*|/\*\s*)?<!\[CDATA\[(?:[ \t]*\*/)?", re.IGNORECASE)
_CDATA_CLOSE = pattern(r"(?://\s*|/\*\s*)?\]\]>(?:[ \t]*\*/)?")
_HTML_CLOSE = pattern(r"(?://\s*)?--!?>")
# Placeholders that a template left in the page: `{{ }}`, `{% %}` and `{# #}` of Jinja and its relatives, `<% %>` of
# ERB, `<? ?>` of PHP, `${ }` of JavaScript, `#{ }` of Ruby, `%%name%%` of mailing systems, `[object Object]`.
_TEMPLATE = pattern(
    r"\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|<%.{0,500}?%>|<\?.{0,500}?\?>|[$#]\{[^{}\n]{0,500}\}"
    r"|%%[A-Za-z_]\w{0,60}%%|\{#.{0,500}?#\}|\[object \w+\]",
    re.DOTALL,
)
_TEMPLATE_STARTS = {"{{", "{%", "{#", "<%", "<?", "${", "#{", "%%", "[o"}
SOME_JSON = pattern(r"[{\[]\s*[\"'{\[}\]]")
# A number of RFC 8259, section 6, unless more of a word follows, as in `2026-11`, `12h`, `1/2` or `10:30`.
_NUMBER = pattern(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?=[\s,\]};]|:(?![0-9])|/[/*]|\Z)")
_CLOCK_FOLLOWS = pattern(r":[0-9]")
_WORDS_FOLLOW = pattern(r"[ \t]+[^\s0-9,\]}:/;\"'{\[<\-]")
# `+1`, `.5`, `5.`, `007`, `0x1F`: numbers in JavaScript and elsewhere, not in JSON. As a number, `+1`, `007` and `0x1F`
# would lose what makes them a code, as of a telephone or a product: they are texts.
_LOOSE_NUMBER = pattern(r"([+-]?)(?:0[xX]([0-9a-fA-F]{1,32})|([0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?))\Z")
_CODE = pattern(r"\+|-?0[0-9xX]")
# `64,90` of a template in a locale with a decimal comma. `1,299` may be thousands: it stays two values.
_DECIMAL_COMMA = pattern(r"-?(?:0|[1-9][0-9]{0,14}),(?:[0-9]{1,2}|[0-9]{4,9})(?=[ \t\r\n]*[,}])")
_WORD = pattern(r"[^\s,\[\]{}:\"'“”]{1,200}")
_PHRASE = pattern(r"[^,\[\]{}\"\n]{1,500}")
_NAME = pattern(r"[A-Za-z_$@][\w$@:./-]*")
_NAME_AND_COLON = pattern(r"([@A-Za-z_$][\w$@./-]{0,100})\s*:\s*(?=[\"'{\[0-9tfn-])")
_REST_OF_MEMBER = pattern(r"[^\"\n]{1,200}\"\s*[:,\]]")
_LINE_END = pattern(r"\s*,?\s*\Z")
_MEMBER_END = pattern(r"[\s}\]]*,?\s*\{?\s*\Z")
_MEMBER_BEGINS = pattern(r",\s*\{?\s*\Z")
_TAIL = 80  # characters back in which the end of a member is searched
# `name",`: the closing quote stands, the opening one is missing.
_HALF_QUOTED = pattern(r"([^\[\]{}\"\n]{1,500})\"(?=\s*[,}\]])")
_CONTROL = pattern(r"[\x00-\x1f]")
_QUOTE_OR_ESCAPE = pattern(r"\\.|\"", re.DOTALL)
_PLAIN = pattern(r"[^\"\\]*")
# Characters up to the next one that may end the string or begin an escape, by the closing quote.
_PLAIN_BY = {
    '"': _PLAIN,
    "'": pattern(r"[^'\\]*"),
    "”": pattern(r"[^”“\"\\\n]*"),
    "’": pattern(r"[^’‘'\\\n]*"),
}
# Word processors write `„` or `“` at the beginning, by language, and some write `”` at both ends.
_CURLY = {"“": "”", "”": "”", "„": "”", "‘": "’", "’": "’"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NEEDLESS = "'`$-. "  # escaped by people and templates, though nothing calls for it
_HEX4 = pattern(r"[0-9a-fA-F]{4}")
_HEX2 = pattern(r"x([0-9a-fA-F]{2})")
_BRACED = pattern(r"u\{([0-9a-fA-F]{1,6})\}")
# A key with its colon, a closing bracket or the end: where a new line begins so, the string before it was not closed.
_MEMBER_AHEAD = r"\s*(?:\"[^\"\n]{0,200}\"\s*:|[}\]]|\Z)"
_NEXT_LINE = pattern(_MEMBER_AHEAD)
_MEMBER_SOMEWHERE = pattern(r"\n" + _MEMBER_AHEAD + r"|,\s*\"[^\"\n]{1,100}\"\s*:")
_ITEM_AHEAD = pattern(r"\"[^\"\n]{0,200}\"\s*[,\]]")
# Text behind a quote that really closes a string, by the role of the string.
_AFTER_KEY = pattern(r"\s*:")
_AFTER_VALUE = pattern(r"\s*(?:[}\]]|,\s*(?:\"[^\"\n]{0,200}\"\s*:|[}\]])|\Z)")
_AFTER_ITEM = pattern(r"\s*(?:[}\]]|,\s*[\"{\[\]0-9]|\Z)")
_FOLLOWS = pattern(r"\s*(.?)", re.DOTALL)
_LITERALS = {"true": True, "false": False, "null": None}
_LIKE_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}
_NO_NUMBERS = {"nan", "infinity", "+infinity", "-infinity", "-nan", "inf", "-inf"}
# Characters of a number: `int` takes time by the square of its digits, and refuses more than 4,300 (CPython's limit).
_LONGEST_NUMBER = 1000


def quoted(text: str) -> str:
    """A text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


class Tokens:
    """Decoder of tokens, in order; errors go to the ledger."""

    def __init__(self, text: str, ledger: Ledger) -> None:
        self.text = text
        self.ledger = ledger
        self._searches = _MOST_SEARCHES
        self._tries = _MOST_TRIES
        self._templates = _MOST_TEMPLATES
        self._unclosed: set[str] = set()
        self._comment_close = -1
        self._some_json = -1
        self._rewritten = False  # the string being read is in other quotes than double ones

    def space(self, at: int, outside: bool = False) -> int:
        """The offset after white space, comments and wrappers. `outside`: before or behind the value."""
        text = self.text
        while True:
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            c = text[at : at + 1]
            # `]` may begin `]]>` outside of the value.
            if not c or (c in '{}[]",:' and not (outside and c == "]")):
                return at
            after = self._aside(at, c, outside)
            if after == at:
                return at
            at = after

    def _aside(self, at: int, c: str, outside: bool) -> int:
        """Offset after a comment, wrapper or odd space; `at` where none starts."""
        note, text = self.ledger.note, self.text
        # `c` rules out most patterns before they are tried.
        if c == "\ufeff":
            note("json-byte-order-mark", at, at + 1, [(at, at + 1, "")])
            return at + 1
        if odd := _ODD_SPACE.match(text, at):
            note("json-odd-space", at, odd.end(), [(at, odd.end(), " ")], code=ord(c))
            return odd.end()
        if c in ".…(" and (dots := _ELLIPSIS.match(text, at)):
            # Without an edit: dots mark a place from which something was left out.
            note("json-ellipsis", at, dots.end(), written=dots[0])
            return dots.end()
        if c in "/<" and (cdata := _CDATA_OPEN.match(text, at)):
            note("json-cdata-wrapper", at, cdata.end(), [(at, cdata.end(), "")])
            return cdata.end()
        if c in "/]" and outside and (cdata := _CDATA_CLOSE.match(text, at)):
            note("json-cdata-wrapper", at, cdata.end(), [(at, cdata.end(), "")])
            return cdata.end()
        if c in "/-" and outside and (close := _HTML_CLOSE.match(text, at)):
            note("json-html-comment-wrapper", at, close.end(), [(at, close.end(), "")])
            return close.end()
        if c == "/" and (end := self._comment_end(at)) > at:
            note("json-comment", at, end, [(at, end, "")])
            return end
        if c == "<" and text.startswith("<!--", at):
            return self._html_comment(at, outside)
        return at

    def _comment_end(self, at: int) -> int:
        if "/*" not in self._unclosed and (comment := _COMMENT.match(self.text, at)):
            return comment.end()
        # After an unclosed `/*` the pattern would search to the end for each comment: line comments are found without
        # it.
        if self.text.startswith("//", at):
            end = self.text.find("\n", at)
            return len(self.text) if end < 0 else end
        if self.text.startswith("/*", at):
            self._unclosed.add("/*")
            # Unclosed: the comment takes the rest of the text, and is searched for once.
            return len(self.text)
        return at

    def _html_comment(self, at: int, outside: bool) -> int:
        """Skip an HTML comment, or the opening of one around the JSON."""
        # The next end is remembered: many openings before one end would each search for it.
        if self._comment_close < at and "-->" not in self._unclosed:
            self._comment_close = self.text.find("-->", at)
        end = self._comment_close
        if end < 0:
            self._unclosed.add("-->")
        elif not outside or not self._json_before(at, end):
            self.ledger.note("json-comment", at, end + 3, [(at, end + 3, "")])
            return end + 3
        self.ledger.note("json-html-comment-wrapper", at, at + 4, [(at, at + 4, "")])
        return at + 4

    def _json_before(self, at: int, end: int) -> bool:
        """Whether JSON starts between two offsets. Later calls never go further back."""
        if self._some_json < at:
            some = SOME_JSON.search(self.text, at)
            self._some_json = some.start() if some else len(self.text)
        return self._some_json < end

    def template(self, at: int) -> int:
        """End of a template's placeholder, or `at`."""
        if self.text[at : at + 2] not in _TEMPLATE_STARTS or self._templates <= 0:
            return at
        found = _TEMPLATE.match(self.text, at)
        if found is None:
            self._templates -= 1
            return at
        return found.end()

    def starts_string(self, at: int) -> bool:
        c = self.text[at : at + 1]
        return c in ('"', "'") or c in _CURLY

    def string(self, at: int, role: str) -> Token:
        """A string in any quotes. `role` is "key", "value" (of an object) or "item" (of an array)."""
        opening = self.text[at]
        closing = _CURLY.get(opening, opening)
        self._rewritten = opening != '"'
        value, end, closed = self._body(at + 1, closing, role)
        self._rewritten = False
        if opening != '"':
            edits = self._requoted(at, end) if closed else [(at, end, quoted(value))]
            self.ledger.note("json-single-quotes" if opening == "'" else "json-typographic-quotes", at, end, edits)
        if not closed:
            edits = [(end, end, '"')] if opening == '"' else []
            self.ledger.note("json-unterminated", at, end, edits, what="text", safe=False)
        return Token(value, end)

    def _requoted(self, start: int, end: int) -> list[tuple[int, int, str]]:
        """Edits of a string from other quotes into double quotes; the rest of the string keeps its spelling."""
        edits = [(start, start + 1, '"')]
        for found in _QUOTE_OR_ESCAPE.finditer(self.text, start + 1, end - 1):
            if found[0] == '"':
                edits.append((found.start(), found.start(), "\\"))
            elif found[0] == "\\'":
                edits.append((found.start(), found.start() + 1, ""))
        return [*edits, (end - 1, end, '"')]

    def _body(self, at: int, closing: str, role: str) -> tuple[str, int, bool]:
        """(text, offset after the closing quote, whether a closing quote was found)"""
        text, plain = self.text, _PLAIN_BY[closing]
        start = at
        pieces: list[str] = []
        marks: list[tuple[int, int]] = []  # (pieces so far, offset) at the first raw newline
        inner = -1  # where the quote that an inner one pairs with was accepted up to
        while True:
            end = plain.match(text, at).end()  # type: ignore[union-attr]
            if end > at:
                # The first one only: a string without an end is cut at its own line.
                if not marks and (newline := text.find("\n", at, end)) >= 0:
                    marks.append((len("".join(pieces)) + newline - at, newline))
                pieces.append(text[at:end])
            if end >= len(text):
                return self._key_cut(start, end, role) or self._cut("".join(pieces), start, end, marks)
            c = text[end]
            if c == "\\":
                piece, at = self._escape(end)
                pieces.append(piece)
                continue
            # Curly quotes also stand in texts: a string in them ends at its line's end.
            if c == "\n" or (c != closing and closing in "”’" and c not in "”“’‘\"'"):
                return self._cut("".join(pieces), start, end, marks)
            # Up to `inner` an earlier search has found the closing quote: the quotes before it belong to the text.
            if end < inner or not self._closes(end, role):
                if end >= inner:
                    if key := self._key_cut(start, end, role):
                        return key
                    if (marks and _NEXT_LINE.match(text, marks[0][1])) or self._next_begins(start, end):
                        return self._cut("".join(pieces), start, end, marks)
                    inner = self._real_end(end, role, c)
                if end < inner:
                    self._inside("json-unescaped-quote", end, end + 1, (end, end, "\\"), safe=False)
                    pieces.append(c)
                    at = end + 1
                    continue
            value = "".join(pieces)
            self._note_controls(start, end)
            return value, end + 1, True

    def _closes(self, at: int, role: str) -> bool:
        """Whether the quote at `at` may close a string, by the character after it."""
        follow = _FOLLOWS.match(self.text, at + 1)
        c = follow[1] if follow else ""
        if role == "key":
            return c in ("", ":", "=", "/", '"', "{", "[")
        # `/`, `<` and `-` may begin a comment or the end of a wrapper, `;` and `)` the end of a script.
        return c in ("", ",", "}", "]", "/", "<", "-", ";", ")")

    def _real_end(self, at: int, role: str, quote: str) -> int:
        """Offset of the quote that really closes a string with quotes inside, or -1.

        Only where the same line goes on with anything but a new member: there a comma is missing,
        not a backslash.
        """
        text = self.text
        gap = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
        if "\n" in text[at:gap] or self._searches <= 0 or self._tries <= 0:
            return -1
        if text[gap : gap + 1] in ("{", "[", ":") or _NEXT_LINE.match(text, gap):
            return -1
        if role == "item" and _ITEM_AHEAD.match(text, gap):
            return -1
        after = {"key": _AFTER_KEY, "value": _AFTER_VALUE, "item": _AFTER_ITEM}[role]
        # The next member bounds the search: a quote behind it closes another string.
        ahead = _MEMBER_SOMEWHERE.search(text, at + 1, at + _LOOKAHEAD)
        limit = ahead.start() if ahead else min(len(text), at + _LOOKAHEAD)
        found = text.find(quote, at + 1, limit)
        while found >= 0:
            self._tries -= 1
            # An escaped quote closes nothing.
            if text[found - 1] != "\\" and after.match(text, found + 1):
                return found
            found = text.find(quote, found + 1, limit)
        self._searches -= 1
        return -1

    def _key_cut(self, start: int, end: int, role: str) -> tuple[str, int, bool] | None:
        """Key without a closing quote: ends before the colon."""
        name = _NAME_AND_COLON.match(self.text, start) if role == "key" else None
        return (name[1], name.end(1), False) if name and name.end(1) < end else None

    def _next_begins(self, start: int, end: int) -> bool:
        """Whether the quote at `end` opens the next member, behind a comma, instead of closing the string."""
        tail = self.text[max(start, end - _TAIL) : end]
        return bool(_MEMBER_BEGINS.search(tail)) and bool(_REST_OF_MEMBER.match(self.text, end + 1))

    def _cut(self, value: str, start: int, end: int, marks: list[tuple[int, int]]) -> tuple[str, int, bool]:
        """String without an end: stops at the line's end, before a comma and brackets."""
        length, end = marks[0] if marks else (len(value), end)
        inside = value[:length]
        rest = (
            _LINE_END.search(inside, max(0, length - _TAIL))
            if marks
            else _MEMBER_END.search(inside, max(0, length - _TAIL))
        )
        dropped = length - rest.start() if rest else 0
        self._note_controls(start, end - dropped)
        return inside[: length - dropped], end - dropped, False

    def _note_controls(self, start: int, end: int) -> None:
        for control in _CONTROL.finditer(self.text, start, end):
            c = control[0]
            at = control.start()
            spelled = json.dumps(c)[1:-1]
            self._inside("json-control-character", at, at + 1, (at, at + 1, spelled), code=ord(c))

    def _inside(self, rule: str, start: int, end: int, edit: tuple[int, int, str], **detail: Any) -> None:
        """Note an error within a string. In other quotes than double ones, a quote inside needs no backslash."""
        needless = self._rewritten and rule == "json-unescaped-quote"
        if needless:
            detail["quote"] = self.text[start]
        self.ledger.note(rule, start, end, [] if needless else [edit], **detail)

    def _escape(self, at: int) -> tuple[str, int]:
        """Character of an escape at `at`, and the offset after the escape."""
        text = self.text
        c = text[at + 1 : at + 2]
        if c in _ESCAPES and c:
            return _ESCAPES[c], at + 2
        if c == "u" and (four := _HEX4.match(text, at + 2)):
            return self._unicode(at, int(four[0], 16))
        # No error of its own: the string gets other quotes, and `_requoted` drops the backslash.
        if c == "'" and self._rewritten:
            return c, at + 2
        written = text[at : at + 2]
        # JavaScript joins lines so.
        if c == "\n":
            self._inside("json-bad-escape", at, at + 2, (at, at + 2, ""), written="\\ at the end of a line")
            return "", at + 2
        if pair := _HEX2.match(text, at + 1):
            self._inside("json-bad-escape", at, at + 4, (at, at + 4, f"\\u00{pair[1]}"), written=text[at : at + 4])
            return chr(int(pair[1], 16)), at + 4
        if (braced := _BRACED.match(text, at + 1)) and not 0xD800 <= int(braced[1], 16) < 0xE000:
            # Six digits can name more than the last code point, which `chr` refuses.
            character = chr(min(int(braced[1], 16), 0x10FFFF))
            edit = (at, braced.end(), json.dumps(character)[1:-1])
            self._inside("json-bad-escape", at, braced.end(), edit, written=braced[0])
            return character, braced.end()
        if c in _NEEDLESS and c:
            self._inside("json-bad-escape", at, at + 2, (at, at + 1, ""), written=written)
            return c, at + 2
        self._inside("json-bad-escape", at, at + len(written), (at, at, "\\"), written=written, safe=False)
        return "\\", at + 1

    def _unicode(self, at: int, code: int) -> tuple[str, int]:
        text = self.text
        # A pair of escapes stands for one character beyond U+FFFF (RFC 8259, section 7).
        if 0xD800 <= code < 0xDC00 and text.startswith("\\u", at + 6) and (low := _HEX4.match(text, at + 8)):
            second = int(low[0], 16)
            if 0xDC00 <= second < 0xE000:
                return chr(0x10000 + ((code - 0xD800) << 10) + second - 0xDC00), at + 12
        if 0xD800 <= code < 0xE000:
            # Half a pair is not a character: it could not be encoded as UTF-8 in a report.
            self._inside("json-lone-surrogate", at, at + 6, (at, at + 6, "\\ufffd"), safe=False)
            return "\ufffd", at + 6
        return chr(code), at + 6

    def scalar(self, at: int, role: str) -> Token | None:
        """Value that is neither object nor array; None where the text has no scalar."""
        if self.starts_string(at):
            return self.string(at, role)
        # In a list these are two numbers; in an object a name would have to follow the comma.
        if role == "value" and (comma := _DECIMAL_COMMA.match(self.text, at)):
            plain = comma[0].replace(",", ".")
            return self._odd_number(at, comma[0], plain, Decimal(plain), safe=False)
        # Words behind a number make it the beginning of a text without quotes.
        if (number := _NUMBER.match(self.text, at)) and not _WORDS_FOLLOW.match(self.text, number.end()):
            return self._number(at, number)
        word = _WORD.match(self.text, at)
        if word is None:
            return None
        if word[0] in _LITERALS:
            return Token(_LITERALS[word[0]], word.end())
        if half := _HALF_QUOTED.match(self.text, at):
            written = half[1]
            edits = [(at, at, '"')]
            self.ledger.note("json-unquoted-value", at, half.end(), edits, written=written, half=True, safe=False)
            return Token(written, half.end())
        return self._odd_word(at, word[0])

    def _number(self, at: int, number: re.Match[str]) -> Token:
        written, end = number[0], number.end()
        value = exact_decimal(written) if len(written) <= _LONGEST_NUMBER else None
        if value is None:
            self.ledger.note("json-malformed-number", at, end, kind="too large", written=written[:40])
            return Token(written[:_LONGEST_NUMBER], end)
        # A fraction stays a decimal: as a float, a price of 0.10 would be another number.
        return Token(value if number[1] or number[2] else int(written), end)

    def _odd_word(self, at: int, word: str) -> Token:
        """Value of a word that is not JSON: `NaN`, `True`, `0x1F`, or a text without quotes."""
        note = self.ledger.note
        word = word.rstrip(";")
        end = at + len(word)
        folded = word.lower()
        if folded in _NO_NUMBERS:
            note("json-not-a-number", at, end, [(at, end, "null")], written=word, safe=False)
            return Token(None, end)
        if folded in _LIKE_LITERALS:
            literal = _LIKE_LITERALS[folded]
            spelled = json.dumps(literal)
            note("json-literal-case", at, end, [(at, end, spelled)], fold=True, written=word, correction=spelled)
            return Token(literal, end)
        # A number that further words follow is the beginning of a text: `3 bedrooms`.
        is_text = _WORDS_FOLLOW.match(self.text, end) or _CLOCK_FOLLOWS.match(self.text, end)
        if not is_text and (number := self._loose_number(at, word)):
            return number
        return self._unquoted_text(at, word)

    def _loose_number(self, at: int, word: str) -> Token | None:
        """Number as other languages write it, or a code that begins as no JSON number does; None for another word."""
        loose = _LOOSE_NUMBER.match(word) if any(c in "0123456789" for c in word) else None
        if loose is None:
            return None
        value = None if loose[2] else exact_decimal(word)
        if value is None and not loose[2]:
            return None
        if value is None or _CODE.match(word):
            return self._odd_number(at, word, quoted(word), word)
        power = loose[4] or ""
        whole, _, fraction = loose[3].removesuffix(power).partition(".")
        # All digits as they are written, and at least one on each side of a point.
        spelled = f"{loose[1]}{whole or '0'}{'.' * bool(fraction)}{fraction}{power}"
        return self._odd_number(at, word, spelled, value)

    def _odd_number(self, at: int, written: str, spelled: str, value: Decimal | str, *, safe: bool = True) -> Token:
        end = at + len(written)
        edits = [(at, end, spelled)]
        self.ledger.note(
            "json-malformed-number", at, end, edits, fold=False, kind="odd", written=written, correction=spelled,
            safe=safe,
        )  # fmt: skip
        return Token(value, end)

    def _unquoted_text(self, at: int, word: str) -> Token:
        match = _PHRASE.match(self.text, at)
        phrase = (match[0] if match else word).rstrip("; \t\r")
        # Only with a space before it: in `https://example.com` the two slashes begin no comment.
        comment = phrase.find(" //")
        phrase = phrase[:comment].rstrip() if comment > 0 else phrase
        end = at + len(phrase)
        self.ledger.note("json-unquoted-value", at, end, [(at, end, quoted(phrase))], written=phrase, safe=False)
        # A phrase that is all semicolons is empty: without a step the reader would not get past it.
        return Token(phrase, at + max(1, len(phrase)))

    def bare_key(self, at: int) -> Token | None:
        """A property name without quotes."""
        name = _NAME.match(self.text, at) or _WORD.match(self.text, at)
        if name is None:
            return None
        written = name[0]
        colon = written.find(":")
        # `name:value` without space: the key ends at the colon.
        if colon > 0 and not _AFTER_KEY.match(self.text, name.end()):
            written = written[:colon]
        end = at + len(written)
        if self.text[end : end + 1] == '"' and _AFTER_KEY.match(self.text, end + 1):
            self.ledger.note("json-unquoted-key", at, end + 1, [(at, at, '"')], written=written, half=True)
            return Token(written, end + 1)
        self.ledger.note("json-unquoted-key", at, end, [(at, end, quoted(written))], written=written)
        return Token(written, end)
