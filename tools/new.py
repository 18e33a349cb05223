"""Write the files of a new rule, signal, endpoint, mapping or brand, and print what is left to do.

    python tools/new.py rule NAME       a rule that is a table, as in `event-ends-before-start`
    python tools/new.py signal NAME     as in `unusual-port`
    python tools/new.py endpoint NAME   an operation, as in `lookup`; it answers at /v1/NAME
    python tools/new.py mapping TYPE    a type of schema.org, as in `Recipe`
    python tools/new.py brand NAME      as in `ebay`: its file and, as an example, a domain without a review

    --dry-run   print the files and write nothing

Every file works as written and holds an example in place of what is yours: search for REPLACE. Exit status 2 for a
name that is bad or taken.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TODAY = f"{datetime.now(UTC):%Y-%m-%d}"
_WORDS = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TYPE = re.compile(r"[A-Z][A-Za-z0-9]+")


class NameRejected(Exception):
    """The name is bad or taken; the message says why."""


class Plan(NamedTuple):
    """Files to write, path from the root -> text, and what is left to do. A file that is there is replaced."""

    files: dict[str, str]
    steps: tuple[str, ...]


def new_rule(name: str) -> Plan:
    _check_words(name)
    module = f"src/waypost/validate/rules/{name.replace('-', '_')}.py"
    folder = f"tests/cases/rules/{name}"
    _check_free(f"schemas/checks/{name}.json", module, folder)
    _check_no_alias(name)
    check = {
        "title": "REPLACE: the error in one line.",
        "description": "REPLACE: what and why, and the surprising case.",
        "source": "https://schema.org/name",
        "read": TODAY,
        "authority": "vocabulary",
        "severity": "info",
        "kind": "value",
        "properties": ["name"],
        "values": ["text"],
        "when": {"matches": "^REPLACE$"},
        "message": "the name is {'value'}",
        "hint": "REPLACE: what to do",
    }
    return Plan(
        {
            f"schemas/checks/{name}.json": _json(check),
            f"{folder}/bad-example.json": _json(_thing("REPLACE")),
            f"{folder}/good-example.json": _json(_thing("Nettle soup")),
        },
        (
            (
                f"replace the example in schemas/checks/{name}.json (members: schemas/meta/check.schema.json) and in "
                f"{folder}"
            ),
            f"python tools/make_expected.py {name}",
            (
                "python tools/make_expected.py --update, then git diff tests/cases: pages of other rules on which it "
                "reports too; where one of them is right, the rule is too strict"
            ),
            "python tools/make_messages.py, and read its rows in docs/messages.md aloud",
            (
                "python -m pytest tests/test_cases_rules.py tests/test_engine_node.py tests/test_messages.py "
                "tests/test_glossary.py"
            ),
            "a line in CHANGELOG.md; a new rule begins as `info`",
        ),
    )


def new_signal(name: str) -> Plan:
    _check_words(name)
    code = name.replace("-", "_")
    module, folder = f"src/waypost/safety/signals/{code}.py", f"tests/cases/signals/{name}"
    _check_free(module, folder)
    models, sentences = "src/waypost/models/decision.py", "src/waypost/data/codes.json"
    if code in json.loads(_text(sentences))["summary_codes"]:
        raise NameRejected(f"there is a code {code} in {sentences}")
    return Plan(
        {
            module: _filled(_SIGNAL, {"CODE": code, "TODAY": TODAY}),
            f"{folder}/bad-example.json": '{"url": "https://replace.test/", "strength": "weak"}\n',
            f"{folder}/good-example.json": '{"url": "https://example.com/"}\n',
            models: _inserted(models, r"SummaryCode = Literal\[\n(?:    .*\n)*", f'    "{code}",\n'),
            sentences: _inserted(
                sentences, r'  "summary_codes": \{\n', f'    "{code}": "REPLACE this sentence about what was seen.",\n'
            ),
        },
        (
            (
                f"replace the example in {module} and {folder}, and the sentence in {sentences} "
                "(docs/contributing/signal.md says what the module holds)"
            ),
            "python tools/make_openapi.py",
            "python -m pytest tests/test_safety_signals.py tests/test_world.py tests/test_check.py",
            "python -m pytest tests/test_glossary.py tests/test_architecture.py",
        ),
    )


def new_endpoint(name: str) -> Plan:
    _check_words(name)
    words = name.replace("-", "_")
    module, test = f"src/waypost/operations/{words}.py", f"tests/api/test_{words}_api.py"
    shape = f"src/waypost/models/wire/{words}.py"
    _check_free(module, shape, test)
    if f'"/v1/{name}"' in _text("schemas/api/openapi.json"):
        raise NameRejected(f"there is an endpoint /v1/{name}")
    title = name.replace("-", " ").capitalize()
    operation = "read" + title.title().replace(" ", "")
    shape_name = title.title().replace(" ", "") + "Answer"
    filled = {
        "NAME": name,
        "WORDS": words,
        "OPERATION": operation,
        "TITLE": title,
        "SHAPE": shape_name,
        "QUERY": shape_name.replace("Answer", "Query"),
    }
    return Plan(
        {path: _filled(text, filled) for path, text in ((module, _ENDPOINT), (shape, _SHAPE), (test, _ENDPOINT_TEST))},
        (
            (
                f"replace the example in {module}, {shape} and {test}; `Operation` in "
                "src/waypost/operations/table.py says what each member is"
            ),
            "python tools/make_openapi.py writes the schema of the answer and the description of the API",
            "an act in tools/make_powers.py, if some keys may and others may not; then python tools/make_powers.py",
            f"python -m pytest {test} tests/api/test_service.py tests/api/test_scopes.py",
            "`tool=Tool(...)` makes a tool for agents; a method other than GET takes the struct as its body",
            "python tools/make_client.py writes the method of the clients; without `client` there is none",
        ),
    )


def new_mapping(name: str) -> Plan:
    if not _TYPE.fullmatch(name):
        raise NameRejected(f"{name!r} is no type of schema.org: write it as in Recipe or LocalBusiness")
    if name not in json.loads(_text("schemas/vocabulary/schemaorg.json"))["types"]:
        raise NameRejected(f"schema.org has no type {name}")
    kind = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()
    service, file = f"{name}Snippet", f"schemas/mappings/{kind}.schema.json"
    folder = f"tests/cases/snippets/{service}"
    _check_free(file, folder)
    known = [json.loads(path.read_text("utf-8")) for path in (ROOT / "schemas" / "mappings").glob("*.json")]
    for mapping in known:
        if name == mapping["x-standard-type"] or name in mapping["x-source-types"]:
            raise NameRejected(f"{name} belongs to {mapping['title']} already")
        if mapping["x-kind"] == kind:
            raise NameRejected(f"{mapping['title']} has the kind {kind}")
    ranks = [mapping["x-rank"] for mapping in known]
    rank = {"page": max(r["page"] for r in ranks) + 10, "tie": max(r["tie"] for r in ranks) + 10, "lifts": True}
    thing = {"@context": "https://schema.org", "@type": name, "@id": "https://www.example.com/a#it"}
    given = {**thing, "name": "REPLACE", "url": "https://www.example.com/a", "description": "An example."}
    # Without its kind there the service would not start: it draws a card of each kind before the first request.
    requests = "src/waypost/models/wire/snippets.py"
    kinds = _inserted(requests, r"    kind: Annotated\[\s+Literal\[\s*\n", f'            "{kind}",\n')
    return Plan(
        {file: _json(_mapping(name, kind, rank)), f"{folder}/input.json": _json(given), requests: kinds},
        (
            (
                f"replace the example in {file}: after the mapping nearest to it, see site/docs/registry.md; the ranks "
                "are the last ones, so that no page changes its card"
            ),
            f"{folder}/input.json: a page's own markup",
            f"python tools/make_expected.py {service} writes its unified document and its card: read them",
            "python tools/make_openapi.py: POST /api/ai/snippet takes the new kind",
            f"the shape of its picture under {service} in site/cards.json, if the card has one",
            "python -m pytest tests/test_snippets_data.py tests/test_snippets.py tests/test_registry.py",
        ),
    )


def new_brand(name: str) -> Plan:
    _check_words(name)
    file = f"src/waypost/data/brands/{name[0]}/{name}.json"
    _check_free(file)
    brand = {
        "slug": name,
        "names": ["REPLACE"],
        "aliases": [],
        "owner": name,
        "categories": ["retail"],
        "countries": [],
        "tokens": [name.replace("-", "")],
        "short_or_common_tokens": [],
        "official_domains": [],
        "further_domains": [{"domain": f"{name}.test", "sources": ["hand"]}],
    }
    return Plan(
        {file: _json(brand)},
        (
            (
                f"replace the example in {file} (members: schemas/meta/brand.schema.json): a domain of which two "
                "lists of sources.json know goes to official_domains, any other verifies nothing and accuses no one"
            ),
            f"waypost registry check, and waypost registry show {name}",
            "python -m pytest tests/test_world.py tests/test_safety_attacks.py tests/test_safety_cases.py",
            (
                "with an official domain: python tools/make_ordinary.py (it reads Debian's wamerican, or the word list "
                f"that you name); then waypost check https://{name}-login.test/ --action login names the brand"
            ),
        ),
    )


KINDS: dict[str, Callable[[str], Plan]] = {
    "rule": new_rule,
    "signal": new_signal,
    "endpoint": new_endpoint,
    "mapping": new_mapping,
    "brand": new_brand,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name")
    parser.add_argument("--dry-run", action="store_true")
    args = parser.parse_args(arguments)
    try:
        plan = KINDS[args.kind](args.name)
    except NameRejected as error:
        print(f"new.py: {error}", file=sys.stderr)
        return 2
    for path, text in plan.files.items():
        done = "change" if (ROOT / path).exists() else "write"
        print(f"{'would ' if args.dry_run else ''}{done} {path}")
        if not args.dry_run:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
    print("\nleft to do:")
    for number, step in enumerate(plan.steps, 1):
        print(f"  {number}. {step}")
    return 0


def _check_words(name: str) -> None:
    if not _WORDS.fullmatch(name) or len(name) > 60:
        raise NameRejected(f"{name!r} is no name: write words in small letters with hyphens, as in unusual-port")


def _check_free(*paths: str) -> None:
    for path in paths:
        if (ROOT / path).exists():
            raise NameRejected(f"the name is taken: there is {path}")


def _check_no_alias(name: str) -> None:
    """An old name of a renamed rule stays in people's configuration, so it is never given again."""
    files = (*(ROOT / "src/waypost/validate/rules").glob("*.py"), *(ROOT / "schemas/checks").glob("*.json"))
    for path in files:
        aliases = re.findall(r"(?:ALIASES|\"aliases\")[^\n]*", path.read_text(encoding="utf-8"))
        if any(f'"{name}"' in line for line in aliases):
            raise NameRejected(f"{name} is an old name of the rule in {path.relative_to(ROOT)}")


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _inserted(path: str, after: str, line: str) -> str:
    """Text of a file with a line after the match of a pattern."""
    text = _text(path)
    found = re.search(after, text)
    if found is None:
        raise NameRejected(f"{path} has changed its form; add this by hand: {line.strip()}")
    return text[: found.end()] + line + text[found.end() :]


def _json(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _thing(name: str) -> dict[str, str]:
    return {"@context": "https://schema.org", "@type": "Thing", "name": name}


def _filled(template: str, words: dict[str, str]) -> str:
    for word, text in words.items():
        template = template.replace(f"<{word}>", text)
    return template


def _mapping(name: str, kind: str, rank: dict[str, Any]) -> dict[str, Any]:
    unified = "../unified.schema.json#/properties"
    fields: dict[str, Any] = {
        "id": {"as": "id", "from": ["@id", {"field": "url"}]},
        "name": {"as": "text", "from": ["name"]},
        "description": {"as": "plain", "from": ["description"]},
        "url": {"as": "url", "from": ["url", "mainEntityOfPage", {"of": "page", "path": "url"}]},
        "additionalProperty": {"as": "property", "from": ["additionalProperty"], "take": "all"},
    }
    card = ("site", "image", "byline", "date", "rating", "price", "facts", "badges")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{name}Snippet",
        "description": "REPLACE: what it is, and what its card shows.",
        "x-standard-type": name,
        "x-kind": kind,
        "x-source-types": [name],
        "x-excludes": [],
        "x-rank": rank,
        "x-fields": fields,
        "x-card": {part: [] for part in card} | {"description": ["description"], "items": {"most": 10, "groups": []}},
        "x-recommended": [],
        "type": "object",
        "required": ["@context", "@type", "id", "name", "url"],
        "additionalProperties": False,
        "properties": {member: {"$ref": f"{unified}/{member}"} for member in ("@context", "@type", *fields)},
    }


_SIGNAL = '''"""REPLACE: what is observed, in one line.

REPLACE: why it matters, and the surprising case.
Source: REPLACE, read <TODAY>.
"""

from __future__ import annotations

from collections.abc import Iterator

from waypost.models.decision import Evidence, SummaryCode, Target

# "target" is the URL without its path; "reading", "claims" and "back" are in docs/contributing/signal.md.
TAKES = "target"
SUMMARY_CODE: SummaryCode = "<CODE>"


def observe(target: Target) -> Iterator[Evidence]:
    # A signal observes and never decides: no clock, store or network here.
    if target.host == "replace.test":
        yield Evidence(
            type="url_structure_check",
            status="observed",
            id="url.<CODE>",
            summary_code=SUMMARY_CODE,
            # weak is reported and decides nothing; medium is an elevated risk, strong and decisive a high one
            strength="weak",
            detail=f"{target.host} is an example",
        )
'''
_ENDPOINT = '''"""REPLACE: which operations."""

from __future__ import annotations

from waypost.models.wire.<WORDS> import <SHAPE>, <QUERY>
from waypost.operations.context import Context
from waypost.operations.table import Method, operation


@operation(
    "GET /v1/<NAME>",
    id="<OPERATION>",
    title="<TITLE>",
    # One of `_TAGS` in tools/api_description.py.
    tag="Service",
    # A scope of `SCOPES` in models/api_key.py, or "any key".
    scope="any key",
    # A limit of `POLICIES` in service/limit_policies.py.
    limit="lookups",
    answer="REPLACE: the answer.",
    example={"example": "text"},
    client=Method("<WORDS>", "", "REPLACE: what it returns."),
)
async def <WORDS>(query: <QUERY>, context: Context) -> <SHAPE>:  # noqa: ARG001 - the caller, and the world
    """REPLACE: what a caller gets, and what the answer does not say."""
    return <SHAPE>(example=query.word)
'''
_SHAPE = '''"""REPLACE: bodies and answers of which subject."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from waypost.models.wire.common import Closed, published


@published("<NAME>-query")
class <QUERY>(Closed, frozen=True, kw_only=True):
    """REPLACE: what is requested."""

    word: Annotated[str, Meta(max_length=80, description="REPLACE.")] = "text"


@published("<NAME>-answer")
class <SHAPE>(Closed, frozen=True, kw_only=True):
    """REPLACE: what the answer is."""

    example: Annotated[str, Meta(description="REPLACE.")]
'''
_ENDPOINT_TEST = '''"""REPLACE: what callers of /v1/<NAME> may rely on."""

from __future__ import annotations

from tests.api.conftest import Api


def test_<WORDS>_answers_with_an_example(api: Api) -> None:
    _, key = api.key()

    answer = api.call("GET", "/v1/<NAME>", key=key)

    assert answer.json() == {"example": "text"}
'''


if __name__ == "__main__":
    raise SystemExit(main())
