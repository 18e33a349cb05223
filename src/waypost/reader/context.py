"""JSON-LD contexts: meaning of names, as far as it is known without fetching a remote context.

Inline definitions (prefixes, aliases, `@vocab`, containers) are applied; of remote contexts only
schema.org's own is known. Source: JSON-LD 1.1, sections 3, 4 and 9.15, read 2026-11-20.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, Literal
from urllib.parse import urljoin

import msgspec

from waypost.formats.patterns import pattern
from waypost.registry.vocabulary import Vocabulary, is_misspelled_schema_org

SCHEMA: Final = "schema.org"  # Context.vocab for the one vocabulary we know
MOST_REMEMBERED = 4096  # names cached per shared context: third parties' pages must not fill the memory
LONGEST_REMEMBERED = 128

KEYWORDS = frozenset({
    "@base", "@container", "@context", "@direction", "@graph", "@id", "@import", "@included", "@index",
    "@json", "@language", "@list", "@nest", "@none", "@prefix", "@propagate", "@protected", "@reverse",
    "@set", "@type", "@value", "@version", "@vocab",
})  # fmt: skip
_KEYWORDS_FOLDED = {keyword: keyword for keyword in KEYWORDS}
_KEYWORD_LIKE = pattern(r"@[A-Za-z]+\Z")
_SCHEMA_IRI = pattern(r"https?://(?:www\.)?schema\.org/#?(?=.)", re.IGNORECASE)
_SCHEMA_CONTEXT = pattern(
    r"(?:https?:)?//(?:www\.)?schema\.org(?:/?#?|/docs/jsonldcontext\.json(?:ld)?)\Z", re.IGNORECASE
)
_SCHEMA_ALMOST = pattern(r"(?:https?:?/{0,3})?(?:www\.)?schema\.org(?:[/#?\s].*)?\Z", re.IGNORECASE | re.DOTALL)
_SCHEMA_VOCAB = pattern(r"https?://(?:www\.)?schema\.org[/#]*\Z", re.IGNORECASE)
_ABSOLUTE = pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")

Kind = Literal["property", "keyword", "reverse", "drop"]


class Term(msgspec.Struct, frozen=True):
    """Meaning of a key that is more than a property written with its right name.

    name     the property, or the keyword ("@type").
    spelled  the spelling that was corrected to `name`, None for a right spelling.
    """

    name: str
    kind: Kind = "property"
    spelled: str | None = None
    container: frozenset[str] = frozenset()
    coerce: str | None = None
    language: str | None = None
    tongues: bool = False  # `language` was given (None then means: no language)
    context: Any = None


class Remark(msgspec.Struct, frozen=True):
    """Error in a context: rule, steps to the wrong value, and values for the rule's message."""

    rule: str
    steps: tuple[str | int, ...]
    detail: dict[str, Any]


class Context:
    """Active context. Never changes after its definition, except for the cache of names.

    vocab     SCHEMA, the IRI of `@vocab`, or None: undefined terms then have no meaning.
    keys      key as written -> property name, or a `Term` with more.
    types     type as written -> (name, spelling that was corrected or None, value for `Node.types`).
    plain     no inline definition changes the shape of values: the fast path applies.
    scopes    terms with a context of their own: as a type, it holds for the members of a node of the type.
    is_draft  it is being made: the next context of a list is added to it instead of to a copy.
    """

    __slots__ = (
        "aliases", "base", "is_draft", "keys", "language", "plain", "scopes", "terms", "types", "vocab", "vocabulary",
    )  # fmt: skip

    def __init__(self, vocabulary: Vocabulary, vocab: str | None) -> None:
        self.vocabulary = vocabulary
        self.vocab = vocab
        self.base: str | None = None
        self.language: str | None = None
        self.terms: dict[str, Any] = {}
        self.aliases: dict[str, tuple[str, ...]] = {}
        self.plain = True
        self.scopes: frozenset[str] = frozenset()
        self.is_draft = False
        self.keys: dict[str, str | Term] = {}
        self.types: dict[str, tuple[str, str | None, tuple[str, ...]]] = {}

    def key(self, key: str) -> str | Term:
        """Meaning of a key."""
        known = self.keys.get(key)
        if known is None:
            known = self._key(key)
            _remember(self.keys, key, known)
        return known

    def type(self, name: str) -> tuple[str, str | None, tuple[str, ...]]:
        """Bare name (or IRI) of a type; the spelling if its letter case was corrected; value for `Node.types`."""
        known = self.types.get(name)
        if known is None:
            canonical, spelled = self._type(name)
            known = (canonical, spelled, (canonical,) if canonical else ())
            _remember(self.types, name, known)
        return known

    def find(self, raw: dict[str, Any], keyword: str) -> str | None:
        """Key of `raw` for a keyword, by the keyword's own name or an alias."""
        if keyword in raw:
            return keyword
        for alias in self.aliases.get(keyword, ()):
            if alias in raw:
                return alias
        return None

    def iri(self, name: str) -> str | None:
        """IRI or bare schema.org name for a name; None for a name without meaning here."""
        # Prefixes may be defined by prefixes; a circle of definitions ends here without a meaning.
        for _ in range(16):  # definitions may point at each other
            target, rest = self._definition(name)
            if target is None or target == name:
                break
            if rest and _SCHEMA_VOCAB.match(target):
                return rest
            name = target + rest
        else:
            return None
        if name[:1] == "@" or name[:2] == "_:":
            return name
        if name[:7] == "schema:":
            return name[7:] or None
        if schema := _SCHEMA_IRI.match(name):
            return name[schema.end() :].rstrip("/") or name
        # Names of schema.org stay bare; all others carry the IRI of their vocabulary.
        if ":" in name or self.vocab == SCHEMA:
            return name
        return f"_:{name}" if self.vocab is None else f"{self.vocab}{name}"

    def _definition(self, name: str) -> tuple[str | None, str]:
        """Replacement of a name or of its prefix by the context, and the rest of the name."""
        terms = self.terms
        if name in terms:
            rest = ""
            target = terms[name]
        else:
            prefix, _, rest = name.partition(":")
            # "//" after the colon marks an absolute IRI, even where a term is called "https" (JSON-LD 1.1 API, IRI
            # expansion).
            if not rest or rest[:2] == "//" or prefix not in terms:
                return None, ""
            target = terms[prefix]
        if isinstance(target, dict):
            target = target.get("@id")
        return (target if isinstance(target, str) else None), rest

    def resolve(self, identifier: str, base: str | None) -> str | None:
        """Absolute IRI of an `@id` where possible; "" is the page itself."""
        # The usual case first: most identifiers are absolute.
        if identifier[:8] == "https://" or identifier[:7] == "http://" or identifier[:2] == "_:":
            return identifier
        if ":" in identifier and self.terms:
            prefix, _, rest = identifier.partition(":")
            target = self.terms.get(prefix)
            target = target.get("@id") if isinstance(target, dict) else target
            if isinstance(target, str) and not rest.startswith("//"):
                return target + rest
        if _ABSOLUTE.match(identifier):
            return identifier
        base = self.base or base
        if not base:
            return identifier or None
        # The usual relative reference, without the cost of `urljoin`.
        if identifier[:1] == "#":
            return base.partition("#")[0] + identifier
        try:
            return urljoin(base, identifier)
        except ValueError:
            return identifier

    def extended(self, given: Any, remarks: list[Remark]) -> Context:
        """Context after a local context is applied; errors of the local context go into `remarks`."""
        # Nearly every page names schema.org by a usual spelling: one lookup instead of patterns.
        if isinstance(given, str) and (ground := _ground(self.vocabulary).get(given)):
            if given.startswith("http:"):
                remarks.append(Remark("jsonld-context-http", (), {"written": given}))
            return self._with_inherited(ground).settled()
        context = self
        several = isinstance(given, list)
        for number, local in enumerate(given if several else (given,)):
            context = context._applied(local, (number,) if several else (), remarks)
        return context.settled()

    def _with_inherited(self, ground: Context) -> Context:
        """schema.org's own context over this context."""
        if self is ground or (not self.terms and self.base is None and self.language is None):
            return ground
        made = self.draft()
        made.vocab = SCHEMA
        # schema.org's published context has these two aliases.
        made.terms.update({"type": "@type", "id": "@id"})
        return made

    def _applied(self, given: Any, steps: tuple[str | int, ...], remarks: list[Remark]) -> Context:
        # `null` clears the active context (JSON-LD 1.1, section 4.1).
        if given is None:
            return Context(self.vocabulary, None)
        if isinstance(given, str):
            return self._named(given, steps, remarks)
        if not isinstance(given, dict):
            remarks.append(Remark("jsonld-context-invalid", steps, {"kind": _kind(given)}))
            return self
        return self._inline(given, steps, remarks)

    def _named(self, given: str, steps: tuple[str | int, ...], remarks: list[Remark]) -> Context:
        if not given.strip():
            return self
        if _SCHEMA_CONTEXT.match(given):
            if given[:5].lower() == "http:":
                remarks.append(Remark("jsonld-context-http", steps, {"written": given}))
            return self._with_inherited(_ground(self.vocabulary)["https://schema.org"])
        # Misspelled on schema.org's own host, or under a host that resembles it: read as schema.org, since the author
        # meant it.
        if _SCHEMA_ALMOST.match(given.strip()):
            remarks.append(Remark("jsonld-context-misspelled", steps, {"written": given}))
            return self._with_inherited(_ground(self.vocabulary)["https://schema.org"])
        if is_misspelled_schema_org(given.strip()):
            remarks.append(Remark("jsonld-context-misspelled", steps, {"written": given, "is_elsewhere": True}))
            return self._with_inherited(_ground(self.vocabulary)["https://schema.org"])
        remarks.append(Remark("jsonld-remote-context", steps, {"written": given}))
        # Remote contexts are never fetched: a page's checks would depend on the network and on a third party.
        if steps or self.vocab is None:
            return self  # next to others in a list: those still apply
        # A remote context alone may define any name: none keeps a meaning that is known.
        made = self.draft()
        made.vocab = None
        return made

    def _inline(self, given: dict[str, Any], steps: tuple[str | int, ...], remarks: list[Remark]) -> Context:
        made = self.draft()
        # Keys with "@" are keywords of the context, not terms.
        made.terms.update({key: value for key, value in given.items() if key[:1] != "@"})
        if isinstance(imported := given.get("@import"), str):
            remarks.append(Remark("jsonld-remote-context", (*steps, "@import"), {"written": imported}))
        if "@vocab" in given:
            vocab = made.with_prefix(given["@vocab"])
            # Without the slash names become "https://schema.orgProduct"; consumers forgive that, so that it is read and
            # reported.
            if isinstance(vocab, str) and _SCHEMA_VOCAB.match(vocab.strip()):
                made.vocab = SCHEMA
                if not vocab.endswith(("/", "#")):
                    remarks.append(Remark("jsonld-vocab-without-slash", (*steps, "@vocab"), {"written": vocab}))
            elif isinstance(vocab, str) and vocab == "schema:":
                made.vocab = SCHEMA
            else:
                made.vocab = vocab if isinstance(vocab, str) and vocab else None
        if isinstance(base := given.get("@base"), str):
            made.base = self.resolve(base, None)
        if "@language" in given:
            language = given["@language"]
            made.language = language if isinstance(language, str) else None
        return made

    def with_prefix(self, vocab: Any) -> Any:
        """`@vocab` with a term or a prefix of this context replaced by its address."""
        if not isinstance(vocab, str) or "://" in vocab:
            return vocab
        prefix, _, rest = vocab.partition(":")
        target = self.terms.get(prefix)
        target = target.get("@id") if isinstance(target, dict) else target
        return target + rest if isinstance(target, str) and "://" in target else vocab

    def settled(self) -> Context:
        """This context, ready for use: what follows from all its terms is found once, however many contexts made it."""
        if not self.is_draft:
            return self
        self.is_draft = False
        aliases: dict[str, list[str]] = {}
        for name, target in self.terms.items():
            target = target.get("@id") if isinstance(target, dict) else target
            if isinstance(target, str) and target in KEYWORDS:
                aliases.setdefault(target, []).append(name)
        self.aliases = {keyword: tuple(names) for keyword, names in aliases.items()}
        # Expanded definitions may add containers, coercion or languages: values then need the long path.
        odd = any(isinstance(target, dict) for target in self.terms.values())
        if odd:
            scopes = (name for name, target in self.terms.items() if isinstance(target, dict) and "@context" in target)
            self.scopes = frozenset(scopes)
        self.plain = not odd and self.language is None and self.aliases.keys() <= {"@type", "@id"}
        return self

    def draft(self) -> Context:
        """Context to be changed: this one while it is being made, else a copy."""
        if self.is_draft:
            return self
        made = Context(self.vocabulary, self.vocab)
        made.base, made.language = self.base, self.language
        made.terms = dict(self.terms)
        made.is_draft = True
        return made

    def _key(self, key: str) -> str | Term:
        definition = self.terms.get(key)
        if isinstance(definition, dict) and isinstance(definition.get("@reverse"), str):
            name = self.iri(definition["@reverse"])
            return self._property(name, key, definition, "reverse") if name else Term(key, "drop")
        # A term defined as `null` is ignored on purpose (JSON-LD 1.1, section 4.1).
        if not key or (key in self.terms and definition is None):
            return Term(key, "drop")
        name = self.iri(key)
        if name is None:
            return Term(key, "drop")
        if name[:1] == "@":
            return self._keyword(name)
        if isinstance(definition, dict):
            return self._property(name, key, definition, "property")
        canonical = self._corrected(name, self.vocabulary.properties)
        return name if canonical is None else Term(canonical, spelled=key)

    def _keyword(self, name: str) -> str | Term:
        if name in KEYWORDS:
            return Term(name, "keyword")
        if not _KEYWORD_LIKE.match(name):
            return f"_:{name}"
        canonical = _KEYWORDS_FOLDED.get(name.lower())
        # "@Type" is not a keyword; other names like "@abc" are reserved and dropped (JSON-LD 1.1, section 1.7).
        return Term(canonical, "keyword", spelled=name) if canonical else Term(name, "drop", spelled=name)

    def _property(self, name: str, key: str, definition: dict[str, Any], kind: Kind) -> Term:
        canonical = self._corrected(name, self.vocabulary.properties)
        container = definition.get("@container")
        containers = container if isinstance(container, list) else [container]
        language = definition.get("@language")
        coerce = definition.get("@type")
        return Term(
            name=canonical or name,
            kind=kind,
            spelled=key if canonical else None,
            container=frozenset(name for name in containers if isinstance(name, str)),
            coerce=coerce if isinstance(coerce, str) else None,
            language=language if isinstance(language, str) else None,
            tongues="@language" in definition,
            context=definition.get("@context"),
        )

    def _corrected(self, name: str, known: dict[str, Any]) -> str | None:
        """Name in the vocabulary's spelling, if only the letter case differs."""
        # Foreign names have no list to be corrected by.
        if ":" in name or name in known:
            return None
        stem, dash, suffix = name.partition("-")  # `query-input` of actions
        if dash and suffix not in ("input", "output"):
            return None
        if stem in known:
            return None
        lookup = self.vocabulary.property_ignoring_case if known is self.vocabulary.properties else None
        canonical = lookup(stem) if lookup else self.vocabulary.type_ignoring_case(stem)
        return f"{canonical}{dash}{suffix}" if canonical else None

    def _type(self, name: str) -> tuple[str, str | None]:
        iri = self.iri(name)
        if iri is None:
            return f"_:{name}", None
        if iri in self.vocabulary.types:
            return iri, None
        canonical = self._corrected(iri, self.vocabulary.types)
        return (canonical, name) if canonical else (iri, None)


def _remember(names: dict[str, Any], name: str, known: Any) -> None:
    if len(name) <= LONGEST_REMEMBERED:
        # Emptied as a whole: names repeat within a page, and bookkeeping per entry would cost more than a miss.
        if len(names) >= MOST_REMEMBERED:
            names.clear()
        names[name] = known


@lru_cache(maxsize=4)
def _ground(vocabulary: Vocabulary) -> dict[str, Context]:
    """schema.org's own context by its usual spellings. `type` and `id` are aliases in it, as published."""
    context = Context(vocabulary, SCHEMA).draft()
    context.terms.update({"type": "@type", "id": "@id"})
    context.settled()
    hosts = ("https://schema.org", "http://schema.org", "https://www.schema.org", "http://www.schema.org")
    return {f"{host}{end}": context for host in hosts for end in ("", "/")}


def schema_context(vocabulary: Vocabulary) -> Context:
    """Context of `"@context": "https://schema.org"`."""
    return _ground(vocabulary)["https://schema.org"]


@lru_cache(maxsize=4)
def empty_context(vocabulary: Vocabulary) -> Context:
    """Initial context: no term has a meaning."""
    return Context(vocabulary, None)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return {int: "a number", list: "a list", dict: "an object", str: "a text"}.get(type(value), "a number")
