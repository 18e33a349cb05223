"""Completions: properties, types, enumeration members, references and names of rules, by the place of the cursor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from waypost.formats.source_kinds import CODE, IN_MARKDOWN, TEMPLATES
from waypost.lsp.checked_document import CheckedDocument
from waypost.lsp.cursor import JSON, KEYWORDS, PHP, SCRIPT, Container, Cursor, find_cursor
from waypost.lsp.cursor_lines import in_dicts, in_toml, in_yaml
from waypost.lsp.cursor_markup import MarkupCursor, in_attribute, in_comment
from waypost.lsp.requirements import Requirement, in_words, requirements_of, types_of
from waypost.reader.markdown import front_matter
from waypost.reader.source_regions import regions_of
from waypost.registry import Registry
from waypost.registry.vocabulary import DATA_TYPES, Vocabulary, bare

LONGEST = 400_000
"""Limit of the code points that are searched for the cursor's place."""
MOST_REFERENCES = 200
TRIGGERS = "\"'@/"
"""Characters after which an editor requests completions by itself."""
_NOT_OFFERED = frozenset({"attic"})
_IDS = re.compile(
    r"""["']?@id["']?\s*(?::|=>|=|\s)\s*["'`]([^"'`\s{}<>$]+)["'`]|\b(?:itemid|resource)\s*=\s*["']([^"'{}<>]+)["']""",
    re.IGNORECASE,
)
_OF_ROOTS = frozenset({"@context", "@graph"})
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class Offer(NamedTuple):
    """Completion. `rank` 0: required by a rich result, or expected by the property; `gone`: superseded term.

    insert  text to insert; empty for the word.
    why     requirements of rich results, as Markdown.
    """

    word: str
    about: str
    rank: int = 1
    gone: bool = False
    is_property: bool = False
    insert: str = ""
    why: str = ""


class Offers(NamedTuple):
    """Completions that replace a range of code points."""

    start: int
    end: int
    words: list[Offer]


def completions(checked: CheckedDocument, offset: int) -> Offers | None:
    """Completions at a code point; None without completions."""
    registry = checked.registry
    text = checked.document.text
    if found := in_comment(text, offset, is_code=checked.kind == "code"):
        start, end, others = found
        return Offers(start, end, list(_rules(checked, others, registry)))
    if cursor := cursor_at(checked, offset):
        words = list(_quoted(_words(cursor, checked, registry), cursor, checked))
        return Offers(cursor.start, cursor.end, words) if words else None
    if at := markup_cursor_at(checked, offset):
        words = list(_of_markup(at, checked, registry))
        return Offers(at.start, at.end, words) if words else None
    return None


def cursor_at(checked: CheckedDocument, offset: int) -> Cursor | None:
    """Cursor in an object of JSON-LD; None elsewhere."""
    document = checked.document
    # In a template the block may be an expression, whose objects are the engine's.
    for read in _readers(checked) if len(document.text) <= LONGEST else ():
        cursor = read(offset)
        if cursor is not None and cursor.around.is_linked_data:
            return cursor
    at = document.byte(offset)
    for block in checked.blocks:
        low, high = (document.offset_of_byte(end) for end in block)
        if block[0] <= at <= block[1] and high - low <= LONGEST:
            return find_cursor(checked.masked_text, offset, JSON, low, high)
    return None


def markup_cursor_at(checked: CheckedDocument, offset: int) -> MarkupCursor | None:
    """Cursor in an attribute of Microdata or RDFa; None elsewhere."""
    if checked.kind == "json" or len(checked.document.text) > LONGEST:
        return None
    return in_attribute(checked.document.text, offset)


def _readers(checked: CheckedDocument) -> Iterator[Callable[[int], Cursor | None]]:
    """Readers of the notations in a source."""
    data, language = checked.document.data, checked.source.language
    if checked.kind == "markdown" and not language:
        language = IN_MARKDOWN
    front = front_matter(data)[0] if checked.kind == "markdown" else None
    if front is not None and data[front[0] : front[0] + 3] == b"+++":
        toml = _only(checked, front[0] + 3, front[1] - 3)
        yield lambda offset: in_toml(toml, offset)
    if not language:
        return
    for code in regions_of(data, language).code:
        text = code.data.decode("utf-8", "replace")
        if code.grammar == "yaml":
            yield lambda offset, text=text: in_yaml(text, offset)  # type: ignore[misc]
        elif code.grammar.startswith("php"):
            low = max(text.find("<?"), 0) if code.grammar == "php" else 0
            yield lambda offset, text=text, low=low: find_cursor(text, offset, PHP, low)  # type: ignore[misc]
        else:
            yield lambda offset, text=text: find_cursor(text, offset, SCRIPT)  # type: ignore[misc]
    if language not in CODE and (language not in TEMPLATES or language in {".gohtml", ".tmpl"}):
        yield lambda offset: _in_action(checked.document.text, offset)


def _only(checked: CheckedDocument, start: int, end: int) -> str:
    """Text of a document, blank outside a range of bytes."""
    low, high = checked.document.offset_of_byte(start), checked.document.offset_of_byte(end)
    text = checked.document.text
    return re.sub(r"[^\r\n]", " ", text[:low]) + text[low:high] + re.sub(r"[^\r\n]", " ", text[high:])


def _in_action(text: str, offset: int) -> Cursor | None:
    """Cursor in a `dict` of an action of Hugo."""
    low = text.rfind("{{", 0, offset)
    high = text.find("}}", low)
    if low < 0 or high < 0 or high < offset or not re.search(r"\bdict\b", text[low:high]):
        return None
    return in_dicts(text, offset, low, high)


def _words(cursor: Cursor, checked: CheckedDocument, registry: Registry) -> Iterable[Offer]:
    around = cursor.around
    if cursor.is_key:
        return _properties(around, around.names, registry)
    key = around.key if around.opening == "{" else around.via
    if key == "@type":
        return _types(around.owner.via, registry.vocabulary)
    if key == "@id":
        return _references(checked, cursor.start)
    if key == "@context":
        return [Offer("https://schema.org", "vocabulary", 0)]
    return _values(key, registry.vocabulary) if key else ()


def _quoted(offers: Iterable[Offer], cursor: Cursor, checked: CheckedDocument) -> Iterator[Offer]:
    """Offers with quotes where the document has none: a name in code needs quotes only with an at sign."""
    is_code = checked.source.language in CODE or checked.kind != "json"
    for offer in offers:
        is_bare = not cursor.quote or (cursor.is_key and is_code and _NAME.fullmatch(offer.word))
        in_block = checked.is_in_block(cursor.start)
        if not cursor.quote or (is_bare and not in_block):
            yield offer
        else:
            yield offer._replace(insert=f"{cursor.quote}{offer.word}{cursor.quote}")


def _properties(around: Container, known: set[str], registry: Registry, *, keywords: bool = True) -> Iterator[Offer]:
    words = registry.vocabulary
    types = types_of(around, registry)
    expected: dict[str, list[Requirement]] = {}
    for requirement in requirements_of(around, registry):
        expected.setdefault(requirement.name, []).append(requirement)
    is_inside = around.parent is not None and around.parent.is_linked_data
    for name in KEYWORDS if keywords else ():
        if name not in known and not (is_inside and name in _OF_ROOTS):
            yield Offer(name, "JSON-LD", 0 if name == "@type" and not around.types else 2, is_property=True)
    names = words.properties_of(types) | {name for name in expected if name in words.properties}
    for name in sorted(names - known):
        term = words.properties[name]
        if term.l in _NOT_OFFERED:
            continue
        reasons = expected.get(name, [])
        rank = min((each.rank for each in reasons), default=3)
        yield Offer(
            name, " or ".join(term.r), rank, bool(term.s), is_property=True,
            why="\n".join(f"- {in_words(each)}" for each in reasons),
        )  # fmt: skip


def _types(via: str | None, words: Vocabulary) -> Iterator[Offer]:
    """Types, the expected types of the surrounding property first."""
    term = words.properties.get(bare(via) or "") if via else None
    expected = frozenset(term.r) if term else frozenset()
    for name, entry in words.types.items():
        if name in DATA_TYPES or entry.dt or entry.l in _NOT_OFFERED:
            continue
        fits = not expected or not words.ancestors(name).isdisjoint(expected)
        yield Offer(name, " and ".join(entry.p), int(not fits), bool(entry.s))


def _values(key: str, words: Vocabulary) -> Iterator[Offer]:
    """Members of the enumerations in a property's range, codes of currencies."""
    term = words.properties.get(bare(key) or "")
    if term is None:
        return
    expected = frozenset(term.r)
    for name, entry in sorted(words.members.items()):
        if words.are_a(entry.t, expected) and entry.l not in _NOT_OFFERED:
            yield Offer(f"https://schema.org/{name}", " and ".join(entry.t), gone=bool(entry.s))
    if bare(key) in {"priceCurrency", "currency"}:
        from waypost.formats.currencies import currencies

        yield from (Offer(code, name) for code, name in sorted(currencies().current.items()))


def _references(checked: CheckedDocument, at: int) -> Iterator[Offer]:
    """Ids of the document, without the id at the cursor."""
    counted: dict[str, int] = {}
    for found in _IDS.finditer(checked.document.text):
        group = 1 if found[1] else 2
        if not found.start(group) <= at <= found.end(group):
            line = checked.document.position(found.start()).line + 1
            counted.setdefault(found[group], line)
            if len(counted) >= MOST_REFERENCES:
                break
    yield from (Offer(id_, f"line {line}", 0) for id_, line in counted.items())


def _rules(checked: CheckedDocument, others: frozenset[str], registry: Registry) -> Iterator[Offer]:
    """Names of rules and profiles, names of findings first."""
    from waypost.validate.rulebook import rules_of

    here = {finding.rule for finding in checked.findings} | {finding.profile or "" for finding in checked.findings}
    for name, rule in sorted(rules_of(registry).items()):
        if name not in others:
            yield Offer(name, rule.doc.partition("\n")[0], int(name not in here))
    for name in registry.profile_names:
        if name not in others:
            yield Offer(name, registry.profiles[name].title, 0 if name in here else 2)


def _of_markup(at: MarkupCursor, checked: CheckedDocument, registry: Registry) -> Iterator[Offer]:
    words = registry.vocabulary
    if at.kind == "property":
        yield from _properties(at.around, set(), registry, keywords=False)
    elif at.kind == "type":
        # The property of the element is about the item that begins there.
        prefix = "" if at.is_rdfa else "https://schema.org/"
        yield from (offer._replace(word=f"{prefix}{offer.word}") for offer in _types(at.key, words))
    elif at.kind == "reference":
        yield from _references(checked, at.start)
    elif at.key:
        yield from _values(at.key, words)
