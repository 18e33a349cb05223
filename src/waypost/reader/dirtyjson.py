"""Tolerant JSON decoder for JSON as people and templates write it: value, positions and repairs.

A single pass over the text, without recursion. On valid JSON the value equals that of the standard library's
decoder, and only repeated keys are noted; any departure from JSON is a repair with a position.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from itertools import pairwise
from typing import Any

import msgspec

from waypost.formats.patterns import pattern
from waypost.reader.dirtytokens import SOME_JSON, ErrorLimitExceeded, Ledger, Repair, Token, Tokens
from waypost.reader.positions import Entry, Members, Step, pointer

__all__ = ["Decoded", "Repair", "decode", "is_strict"]

# Rules whose repairs decide where a text or a container ends; the others change a few characters in place.
_OF_STRUCTURE = frozenset(
    {"json-mismatched-bracket", "json-missing-bracket", "json-missing-colon", "json-missing-comma",
     "json-unescaped-quote", "json-unexpected-text", "json-unquoted-value", "json-unterminated"}
)  # fmt: skip
_MOST_STRAY = 12  # stray pieces after which a text is not JSON at all
_MOST_OPEN = 10_000  # containers inside each other
# The references that encoders write for characters of JSON's syntax and of HTML. Any other reference is part of a text.
_ENTITY = pattern(r"&(?:quot|apos|amp|lt|gt|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
# `{&quot;@context&quot;: ...`: a reference where only a quote can stand. In valid JSON the same reference can stand in
# a text alone, after a quote.
_ENCODED_START = pattern(r"\s*[{\[]\s*(?:[{\[]\s*)*&(?:quot|#0*34|#[xX]0*22|apos|#0*39);")
# `var data = {`, `window.pages[0] = {`, `dataLayer.push({`: a script around the data. This and the patterns below have
# bounds, because without them each error of a long text could search to its end.
_ASSIGNMENT = pattern(
    r"(?:(?:var|let|const|return|export\s+default)\s+)?(?:[\w$.]{1,80}(?:\[[^\]\n]{0,80}\])?\s*[=(:]\s*)?(?=[{\[])"
)
_KEY = pattern(r"\"[^\"\n]{1,100}\"\s*:")
_LITERAL = pattern(r"(?:true|false|null)\b")
_NAMED = pattern(r"[A-Za-z_$@][\w$@-]{0,100}\s*:")
# Text after a bracket of the wrong kind: with another key the object goes on, with another container the list does.
_KEY_FOLLOWS = pattern(r"\s*,\s*\"[^\"\n]{0,200}\"\s*:")
_ITEM_FOLLOWS = pattern(r"\s*,\s*[{\[]")
_STRAY = pattern(r"[^\s,\[\]{}\"]{1,200}|.", re.DOTALL)


class Decoded(msgspec.Struct):
    """Result of the decoder. `found` is False where the text has no value.

    top       span of the value. For several values the start is -1, and `members[-1]` are the values.
    members   offset of a bracket -> members of the container.
    encoded   the text was HTML-encoded.
    sound     all repairs together make strict JSON of the text, and none of them guesses.
    """

    value: Any
    found: bool
    top: Entry
    members: dict[int, Members]
    repairs: list[Repair]
    encoded: bool = False
    sound: bool = False


def decode(text: str) -> Decoded:
    """Decode a text that the strict decoder rejects."""
    found = _decode_entities(text) if _ENCODED_START.match(text) else _Decoder(text).decode()
    found.sound = _is_sound(text, found)
    return found


def is_strict(text: str) -> bool:
    """Whether a text is JSON by RFC 8259, as strict parsers read it."""
    try:
        # As text: `int` refuses more than 4,300 digits (CPython's limit), which are valid JSON.
        json.loads(text, parse_constant=_raise_constant, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def is_typed_json(text: str) -> bool:
    """Whether a text is strict JSON with a context and a type or a graph."""
    if not is_strict(text):
        return False
    value = json.loads(text, parse_int=str)
    objects = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
    return any("@context" in each and ("@type" in each or "@graph" in each) for each in objects)


def _raise_constant(name: str) -> None:
    raise ValueError(name)


def is_guess(repair: Repair) -> bool:
    """Does a repair guess where a text or an object ends?"""
    return repair.rule in _OF_STRUCTURE and not repair.detail.get("safe", True)


def _is_sound(text: str, found: Decoded) -> bool:
    """Whether the repairs, all together and without a guess, make strict JSON of the text."""
    if not (found.found and all(repair.detail.get("safe", True) for repair in found.repairs)):
        return False
    edits = sorted(edit for repair in found.repairs for edit in repair.edits)
    pieces: list[str] = []
    at, last = 0, -1
    for start, end, written in edits:
        if start < at or start == end == last:
            return False  # two repairs of one place: the result would depend on their order
        pieces += (text[at:start], written)
        at, last = end, start
    return is_strict("".join([*pieces, text[at:]]))


def _decode_entities(text: str) -> Decoded:
    """Decode a text with character references for quotes; positions are those of the text as written."""
    from html import unescape

    pieces: list[str] = []
    news: list[int] = [0]  # offsets in the decoded text from which ...
    shifts: list[int] = [0]  # ... this much must be added
    at = length = 0
    for entity in _ENTITY.finditer(text):
        plain = unescape(entity[0])
        pieces += (text[at : entity.start()], plain)
        length += entity.start() - at + len(plain)
        at = entity.end()
        news.append(length)
        shifts.append(at - length)
    pieces.append(text[at:])

    def place(offset: int) -> int:
        return offset if offset < 0 else offset + shifts[bisect_right(news, offset) - 1]

    found = _Decoder("".join(pieces)).decode()
    for repair in found.repairs:
        repair.start, repair.end = place(repair.start), place(repair.end)
        repair.related = [(message, place(a), place(b)) for message, a, b in repair.related]
        # Edits made for the decoded text do not fit the text as written; the one edit below replaces it as a whole.
        repair.edits = []
    first = _ENTITY.search(text)
    assert first is not None
    repair = Repair("json-entity-encoded", first.start(), first.end(), "", {"count": len(news) - 1, "safe": True})
    if found.found and not found.repairs:
        repair.edits = [(0, len(text), "".join(pieces))]
    members: dict[int, Members] = {
        place(offset): {step: Entry(*map(place, entry)) for step, entry in inside.items()}
        for offset, inside in found.members.items()
    }
    return Decoded(found.value, found.found, Entry(*map(place, found.top)), members, [repair, *found.repairs], True)


class _DepthExceeded(Exception):
    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


class _Frame:
    """Open container."""

    __slots__ = ("before", "comma", "firsts", "key", "key_end", "key_start", "keyed", "members", "start", "value")

    def __init__(self, start: int, keyed: bool) -> None:
        self.start = start
        self.keyed = keyed
        self.value: Any = {} if keyed else []
        self.members: Members = {}
        self.key: Step | None = None  # of the member being read
        self.key_start = self.key_end = -1
        self.comma = -1  # the comma just passed
        self.before = -1  # the comma before the last member
        self.firsts: dict[Step, tuple[int, int]] = {}


class _Decoder:
    """Decoder of containers; `Tokens` decodes the scalars in them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.frames: list[_Frame] = []
        self.places: dict[int, Members] = {}
        self.ledger = Ledger(self._pointer)
        self.tokens = Tokens(text, self.ledger)

    def decode(self) -> Decoded:
        """Value, positions and repairs of as much of the text as possible."""
        try:
            return self._decode()
        except ErrorLimitExceeded:
            self._unreadable()
        except _DepthExceeded as found:
            # Begun again: one error that says why nothing was read, without those that came of reading on.
            self.ledger = Ledger(str)
            self.ledger.note("json-too-deep", found.at, found.at + 1, most=_MOST_OPEN)
        return self._nothing()

    def _pointer(self) -> str:
        return pointer(frame.key for frame in self.frames if frame.key is not None)

    def _decode(self) -> Decoded:
        at, code = self._begin()
        if at >= len(self.text):
            if not code:
                self.ledger.note("json-empty-block", 0, len(self.text))
            return self._nothing()
        values: list[Any] = []
        entries: list[Entry] = []
        while True:
            read = self._value(at)
            if read is None:
                break
            values.append(read.value)
            entries.append(Entry(-1, -1, at, read.end))
            # Behind an assignment a bracket may close a call: `push({...});`.
            at = self._next(read.end, bool(code))
            if at < 0:
                break
        if not values or self.ledger.count("json-unexpected-text") >= _MOST_STRAY:
            self._unreadable()
            return self._nothing()
        if len(values) == 1:
            return Decoded(values[0], True, entries[0], self.places, self._sorted())
        self._several(entries)
        # No bracket encloses several values: -1 stands for the offset of the list that was intended.
        self.places[-1] = dict(enumerate(entries))
        return Decoded(values, True, Entry(-1, -1, -1, entries[-1].end), self.places, self._sorted())

    def _nothing(self) -> Decoded:
        return Decoded(None, False, Entry(-1, -1, 0, len(self.text)), {}, self._sorted())

    def _sorted(self) -> list[Repair]:
        return sorted(self.ledger.repairs, key=lambda repair: repair.start)

    def _begin(self) -> tuple[int, str]:
        """(offset of the first value, text before the value)."""
        at = self.tokens.space(0, outside=True)
        text = self.text
        if at >= len(text):
            return at, ""
        left = self.tokens.template(at)
        if left > at:
            self.ledger.note("json-template-left", at, left, written=text[at:left])
            # `{% if page %}{"@type": ...`: the data follows the tag. Without it, the template makes the data itself.
            after = self.tokens.space(left, outside=True)
            return (after, "") if text[after : after + 1] in ("{", "[") else (len(text), "template")
        # A value begins here, in any quotes: nothing stands in front of it.
        if text[at] in '{["' or text[at] in "'“”-0123456789":
            return at, ""
        before = _ASSIGNMENT.match(text, at)
        start = before.end() if before and before.end() > at else -1
        if start < 0 and (some := SOME_JSON.search(text, at)):
            start = some.start()
        if start < 0:
            if _LITERAL.match(text, at):
                return at, ""
            self._unreadable()
            return len(text), "words"
        written = text[at:start].strip()
        self.ledger.note("json-leading-text", at, at + len(written), [(at, start, "")], written=written, safe=False)
        return start, written

    def _unreadable(self) -> None:
        at = _first(self.text)
        end = at + len(self.text[at : at + 60].split("\n")[0].rstrip())
        self.ledger = Ledger(str)
        self.ledger.note("json-unreadable", at, max(end, at + 1), found=self.text[at:end])

    def _next(self, at: int, code: bool) -> int:
        """Offset of another value after the first, or -1; notes any text between."""
        text, note = self.text, self.ledger.note
        at = self.tokens.space(at, outside=True)
        while text[at : at + 1] == ";" or (code and text[at : at + 1] == ")"):
            if code:
                note("json-leading-text", at, at + 1, [(at, at + 1, "")])
            else:
                note("json-trailing-semicolon", at, at + 1, [(at, at + 1, "")])
            at = self.tokens.space(at + 1, outside=True)
        if at >= len(text):
            return -1
        comma = at
        if text[at] == ",":
            comma = self.tokens.space(at + 1, outside=True)
            if comma >= len(text):
                note("json-trailing-comma", at, at + 1, [(at, at + 1, "")])
                return -1
        # Another value, with or without a comma before it: several objects in one script.
        if text[comma] in "{[" and self.tokens.template(comma) == comma:
            return comma
        end = len(text.rstrip())
        rest = text[at:end]
        edits = [(at, end, "")]
        # Surplus brackets and the end of a script hold no data; any other text may be part of the value.
        note("json-trailing-text", at, end, edits, written=rest[:200], safe=code or not rest.strip("}] \t\r\n"))
        return -1

    def _several(self, entries: list[Entry]) -> None:
        """Note two or more values in place of one: a list was intended."""
        edits = [(entries[0].start, entries[0].start, "[")]
        for entry, following in pairwise(entries):
            if "," not in self.text[entry.end : following.start]:
                edits.append((entry.end, entry.end, ","))
        edits.append((entries[-1].end, entries[-1].end, "]"))
        second = entries[1]
        self.ledger.note(
            "json-two-values", second.start, second.start + 1, edits, number=len(entries),
            related=[("the first one", entries[0].start, entries[0].start + 1)],
        )  # fmt: skip

    def _value(self, at: int) -> Token | None:
        """Value with all of its members."""
        text, tokens, frames = self.text, self.tokens, self.frames
        if text[at] == '"' and _KEY.match(text, at):
            self._open_unwritten(at)
        elif text[at] in "{[":
            self._open(at)
            at += 1
        else:
            return tokens.scalar(at, "item")
        fresh = True  # a member is due, not a comma
        while True:
            at = tokens.space(at)
            frame = frames[-1]
            if at >= len(text):
                return self._unterminated()
            c = text[at]
            if c in "}]":
                done, at = self._closer(at, c, fresh)
                if done is not None:
                    return done
                fresh = False
            elif c == ",":
                if fresh:
                    self._extra_comma(at)
                frame.comma = at
                at, fresh = at + 1, True
            # A colon after a complete member makes a key of it; then the value of that key is due.
            elif not fresh and not (c == ":" and self._becomes_key()):
                at, fresh = self._without_comma(at, c)
            else:
                frame = frames[-1]
                at = self._member(at) if fresh else self._held(tokens.space(at + 1))
                if at < 0:
                    return self._unterminated()
                if frames[-1] is not frame:
                    fresh = True
                else:
                    fresh = False
                    frame.comma = -1

    def _open(self, at: int) -> None:
        self._push(_Frame(at, self.text[at] == "{"))

    def _open_unwritten(self, at: int) -> _Frame:
        """Open an object at its first key, where the brace is missing."""
        self.ledger.note("json-missing-bracket", at, at + 1, [(at, at, "{")], written="{", safe=False)
        return self._push(_Frame(at, keyed=True))

    def _push(self, frame: _Frame) -> _Frame:
        if len(self.frames) >= _MOST_OPEN:
            raise _DepthExceeded(frame.start)
        self.places[frame.start] = frame.members
        self.frames.append(frame)
        return frame

    def _becomes_key(self) -> bool:
        """Make a key of a string before a colon that was taken for a value: a bracket before it is missing."""
        frame = self.frames[-1]
        last: Step | None = frame.key if frame.keyed else len(frame.value) - 1
        found = frame.members.get(last) if last is not None else None
        entry = Entry(*found) if found is not None else None
        if entry is None or self.text[entry.start : entry.start + 1] != '"' or not isinstance(frame.value[last], str):
            return False
        # The member was complete before the colon came: it is taken back.
        name = frame.value.pop(last)
        del frame.members[last]  # type: ignore[arg-type]
        # `["a", "b", "name": ...`: the name belongs to the object around the list, whose bracket is missing; a keyword
        # begins a new object.
        if not frame.keyed and frame.value and name[:1] != "@" and len(self.frames) > 1 and self.frames[-2].keyed:
            self._close_early(frame.before if frame.before >= 0 else entry.start)
            holder = self.frames[-1]
        else:
            frame.key = last
            holder = self._open_unwritten(entry.start)
        holder.key, holder.key_start, holder.key_end = name, entry.start, entry.end
        return True

    def _close_early(self, at: int) -> None:
        """Close the innermost container, which was never closed, before the comma at `at`."""
        frame = self.frames[-1]
        closing = "}" if frame.keyed else "]"
        self.ledger.note(
            "json-unterminated", frame.start, frame.start + 1, [(at, at, closing)], fold=False, safe=False, early=True,
            what="object" if frame.keyed else "list", related=[("should end here", at, at + 1)],
        )  # fmt: skip
        self.frames.pop()
        self._put(frame.value, frame.start, at)

    def _member(self, at: int) -> int:
        """Read a member or open a container; returns the offset after, -1 at the text's end."""
        text = self.text
        frame = self.frames[-1]
        if not frame.keyed:
            frame.key = len(frame.value)
            return self._held(at)
        # A brace where a key is due, in an object of a list: the next item begins, and this one was never closed.
        if text[at] == "{" and len(self.frames) > 1 and not self.frames[-2].keyed:
            self._close_early(frame.comma if frame.comma >= 0 else at)
            return at
        at = self._key(at)
        if at < 0 or at >= len(text) or frame.key is None:
            return at
        return self._held(at)

    def _held(self, at: int) -> int:
        """Read the value of a member or open a container; returns as `_member`."""
        text, tokens, frame = self.text, self.tokens, self.frames[-1]
        if at >= len(text):
            return -1
        c = text[at]
        if frame.keyed and c in ",}]":
            # Without an edit: only the author knows the value.
            self.ledger.note("json-missing-value", frame.key_start, frame.key_end)
            self._put(None, at, at)
            return at
        left = tokens.template(at)
        if left > at:
            self.ledger.note("json-template-left", at, left, written=text[at:left])
            self._put(None, at, left)
            return left
        if c in "{[":
            self._open(at)
            return at + 1
        read = tokens.scalar(at, "value" if frame.keyed else "item")
        if read is None:
            end = self._stray(at)
            if frame.keyed:
                self._put(None, at, end)
            return end
        self._put(read.value, at, read.end)
        return read.end

    def _key(self, at: int) -> int:
        """Read a key and its colon; returns the offset of the value, -1 at the text's end."""
        text, tokens = self.text, self.tokens
        frame = self.frames[-1]
        frame.key = None
        left = tokens.template(at)
        read: Token | None
        if left > at:
            self.ledger.note("json-template-left", at, left, written=text[at:left])
            read = Token(text[at:left], left)
        elif tokens.starts_string(at):
            read = tokens.string(at, "key")
        elif text[at] in "{[":
            read = Token("", at)
            self.ledger.note("json-missing-key", at, at + 1)
        else:
            read = tokens.bare_key(at)
        if read is None:
            end = self._stray(at)
            return end if end < len(text) else -1
        frame.key, frame.key_start, frame.key_end = read.value, at, read.end
        at = tokens.space(read.end)
        if at >= len(text):
            return -1
        if text[at] == ":":
            return tokens.space(at + 1)
        # An empty span is a key that is missing itself, noted above.
        if text[at] not in ",}]" and frame.key_end > frame.key_start:
            # `=` and `=>` in place of the colon, as in JavaScript and PHP.
            end = at + (1 if text[at] == "=" else 0) + (1 if text.startswith("=>", at) else 0)
            edits = [(read.end, end, ": ")]
            self.ledger.note("json-missing-colon", frame.key_start, frame.key_end, edits, safe=False)
            return tokens.space(end)
        return at

    def _put(self, value: Any, start: int, end: int) -> None:
        """A member is complete."""
        frame = self.frames[-1]
        frame.before, frame.comma = frame.comma, -1
        entry = Entry(frame.key_start, frame.key_end, start, end)
        if not frame.keyed:
            frame.members[len(frame.value)] = entry
            frame.value.append(value)
            return
        key = frame.key
        assert key is not None
        if key in frame.value:
            self._duplicate(frame, key, value)
        else:
            frame.firsts[key] = (frame.key_start, frame.key_end)
        # The last of equal keys wins, as in the usual parsers (RFC 8259, section 4, leaves it open).
        frame.value[key] = value
        frame.members[key] = entry

    def _duplicate(self, frame: _Frame, key: Step, value: Any) -> None:
        start, end = frame.firsts[key]
        self.ledger.note(
            "json-duplicate-key", frame.key_start, frame.key_end, fold=False, key=str(key),
            same=_same(frame.value[key], value), related=[("first written here", start, end)],
        )  # fmt: skip

    def _closer(self, at: int, c: str, fresh: bool) -> tuple[Token | None, int]:
        """Handle a closing bracket: (the outermost value if complete, offset after the bracket)."""
        frames = self.frames
        frame = frames[-1]
        if fresh and frame.comma >= 0:
            self.ledger.note("json-trailing-comma", frame.comma, frame.comma + 1, [(frame.comma, frame.comma + 1, "")])
        expected = "}" if frame.keyed else "]"
        end = at + 1
        if c != expected and self._mismatch(at, c, expected):
            # The bracket is read again, for the outer container.
            end = at
        frames.pop()
        if not frames:
            return Token(frame.value, end), end
        self._put(frame.value, frame.start, end)
        return None, end

    def _mismatch(self, at: int, c: str, expected: str) -> bool:
        """Whether a bracket of the wrong kind closes the outer container, because the inner one was never closed."""
        frames = self.frames
        opening = frames[-1].start
        # What comes next shows whether the bracket was mistyped or the inner container left open.
        follows = _KEY_FOLLOWS if expected == "]" else _ITEM_FOLLOWS
        outer = len(frames) > 1 and frames[-2].keyed == (c == "}") and not follows.match(self.text, at + 1)
        self.ledger.note(
            "json-mismatched-bracket", at, at + 1, [(at, at if outer else at + 1, expected)], fold=False, safe=False,
            written=c, related=[("opened here", opening, opening + 1)], expected=expected,
        )  # fmt: skip
        return outer

    def _unterminated(self) -> Token:
        """Close the containers that are open at the text's end."""
        frames, end = self.frames, len(self.text.rstrip())
        opening = frames[-1].start
        closers = "".join("}" if frame.keyed else "]" for frame in reversed(frames))
        edits = [(end, end, closers)] if len(closers) <= 100 else []
        if (comma := frames[-1].comma) >= 0:
            edits.insert(0, (comma, comma + 1, ""))
        self.ledger.note(
            "json-unterminated", max(end - 1, 0), end, edits, fold=False, safe=False, number=len(frames),
            what="object" if frames[-1].keyed else "list", related=[("opened here", opening, opening + 1)],
        )  # fmt: skip
        while True:
            frame = frames.pop()
            if not frames:
                return Token(frame.value, end)
            self._put(frame.value, frame.start, end)

    def _extra_comma(self, at: int) -> None:
        self.ledger.note("json-trailing-comma", at, at + 1, [(at, at + 1, "")], extra=True)

    def _without_comma(self, at: int, c: str) -> tuple[int, bool]:
        """Handle text in place of a comma: (offset to go on from, whether a member is due there)."""
        if c == ";":
            self.ledger.note("json-missing-comma", at, at + 1, [(at, at + 1, ",")], instead=c)
            return at + 1, True
        if not self._starts_member(at):
            return self._stray(at), False
        # Bounded, as is the search in patterns: each error copies this much at most.
        before = self.text[max(0, at - 400) : at]
        gap = len(before) - len(before.rstrip())
        # After a string with a comma at its end, the comma may be the one that is missing.
        safe = not before.rstrip().endswith(',"')
        self.ledger.note("json-missing-comma", at, at + 1, [(at - gap, at - gap, ",")], safe=safe)
        return at, True

    def _starts_member(self, at: int) -> bool:
        """Whether the next member starts here, after a missing comma."""
        if self.tokens.starts_string(at) or self.text[at] in "{[":
            return True
        if self.frames[-1].keyed:
            return bool(_NAMED.match(self.text, at))
        return self.text[at].isalnum() or self.text[at] == "-"

    def _stray(self, at: int) -> int:
        """Skip text without meaning."""
        stray = _STRAY.match(self.text, at)
        end = stray.end() if stray else at + 1
        self.ledger.note("json-unexpected-text", at, end, [(at, end, "")], written=self.text[at:end], safe=False)
        return end


def _first(text: str) -> int:
    return len(text) - len(text.lstrip())


def _same(first: Any, second: Any) -> bool:
    try:
        # `True == 1` in Python, and not in JSON.
        return type(first) is type(second) and bool(first == second)
    except RecursionError:
        return False
