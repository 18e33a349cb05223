"""Terms of the vocabulary in a document: term at a position, description in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from waypost.lsp.checked_document import CheckedDocument
from waypost.registry.vocabulary import Term, Vocabulary, bare

MOST_NAMED = 12
_WORD = re.compile(r"[^\s\"'<>{}\[\],]+")
_ATTRIBUTE = re.compile(
    r"\b(itemprop|itemtype|typeof|property|rel|rev)\s*=\s*(?:\"[^\"<>]*|'[^'<>]*|[^\s\"'<>]*)\Z", re.IGNORECASE
)
_LONGEST = 2000


def term_at(checked: CheckedDocument, offset: int) -> tuple[str, int, int] | None:
    """(word, start, end) at a code point where a term of the vocabulary is possible, else None."""
    text = checked.document.text
    # A part of the line: a minified page is one line of megabytes, and an editor asks at every move of the pointer.
    low = max(text.rfind("\n", 0, offset) + 1, offset - _LONGEST)
    line = text[low : offset + _LONGEST]
    found = next((word for word in _WORD.finditer(line) if word.start() <= offset - low <= word.end()), None)
    if found is None:
        return None
    start, end = low + found.start(), low + found.end()
    at = checked.document.byte(start)
    # In JSON-LD a term is a whole string: a word of a text is none.
    if any(first <= at < last for first, last in checked.blocks):
        return (found[0], start, end) if text[start - 1 : start] == '"' == text[end : end + 1] else None
    opening = text.rfind("<", max(start - _LONGEST, 0), start)
    if opening >= 0 and _ATTRIBUTE.search(text[opening:start]):
        return found[0], start, end
    return None


def described(word: str, vocabulary: Vocabulary) -> str | None:
    """Description of a term in Markdown, None for unknown words."""
    name = bare(word)
    if name is None:
        return None
    lines: Iterator[str]
    if term := vocabulary.types.get(name):
        lines = _type(name, term, vocabulary)
    elif term := vocabulary.properties.get(name):
        lines = _property(term)
    elif term := vocabulary.members.get(name):
        lines = iter([f"a member of {_join_code(term.t)}"])
    else:
        return None
    head = f"**[{name}](https://schema.org/{name})**"
    standing = [f"superseded by {_join_code(term.s)}"] * bool(term.s) + [f"{term.l}"] * bool(term.l)
    details = "\n".join(f"- {line}" for line in lines)
    return (
        f"{head}{' (' + '; '.join(standing) + ')' if standing else ''}\n\n{details}\n\nschema.org {vocabulary.release}"
    )


def _type(name: str, term: Term, vocabulary: Vocabulary) -> Iterator[str]:
    line, seen = [name], {name}
    while (above := vocabulary.types.get(line[-1])) and above.p and above.p[0] not in seen:
        line.append(above.p[0])
        seen.add(above.p[0])
    yield f"type: {' › '.join(reversed(line))}"
    if len(term.p) > 1:
        yield f"also a kind of {_join_code(term.p[1:])}"
    members = [member for member, entry in vocabulary.members.items() if name in entry.t]
    if members:
        yield f"one of {_join_code(members)}"
    yield f"{len(vocabulary.properties_of((name,))):,} properties"


def _property(term: Term) -> Iterator[str]:
    yield f"property of {_join_code(term.d)}"
    yield f"holds {_join_code(term.r, 'or')}"
    if term.i:
        yield f"the inverse of {_join_code([term.i])}"
    if term.p:
        yield f"a kind of {_join_code(term.p)}"


def _join_code(names: Sequence[str], joint: str = "and") -> str:
    from waypost.formats.text import join_words

    quoted = [f"`{name}`" for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        return f"{', '.join(quoted)} and {len(names) - MOST_NAMED} more"
    return join_words(quoted, joint)
