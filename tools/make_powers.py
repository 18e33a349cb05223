"""Write site/docs/powers.md: what each kind of key may do to each kind of object, tried on a service.

    python tools/make_powers.py [--check]

A service is opened on an empty folder, offline. Each act is tried with a key of every scope and every label, live and
test, and with one that ends before the object of the act. With --check nothing is written: the status is 1 where the
page says otherwise.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from waypost.api.app import create_app
from waypost.api.settings import Settings
from waypost.api.state import ServiceState, open_state
from waypost.models.api_key import DAY_MS, ENVIRONMENTS, LABELS, SCOPES, Key, Scope
from waypost.models.relationship import Claim
from waypost.models.wire.disputes import DisputeRequest
from waypost.store import decisions, disputes, keys, organizations, own_policies, reviews, snippets
from waypost.store.keys import KeyRequest

TARGET = Path(__file__).resolve().parent.parent / "site" / "docs" / "powers.md"
NOW = 1_796_119_200_000
SITE = "http://127.0.0.1:8000"
LONG_MS, SHORT_MS = 700 * DAY_MS, 300 * DAY_MS
"""Life of the keys that are tried, and of those that end before the objects."""
OBJECT_MS = 600 * DAY_MS
DENIED = frozenset({401, 403, 404, 409, 422})
WORDS = {"claim": "other", "statement": "it is wrong"}
CHECK = {"url": "https://shop.example.com/", "intended_action": "visit"}
POLICY = """policy_id = "shop-pay"
date = "2026-11-29"
extends = "baseline-2026-11-29"
about = "Shop's agents upload nothing."
never = ["upload"]
"""
ARTICLE = {"document": {"@type": "NewsArticle", "name": "News", "url": "https://shop.example.com/"}}


class Try(NamedTuple):
    """Key that tries an act, and its text."""

    key: Key
    text: str


class Bench:
    """Service with the objects of the acts. `shop` is the keys' organization, `other` another, `operator` the first."""

    def __init__(self, folder: Path) -> None:
        self.now = NOW
        self.state: ServiceState = open_state(
            Settings(data=str(folder), offline=True, log="none", site_url=SITE), now=lambda: self.now
        )
        self._app = create_app(self.state)
        self.operator, self.shop, self.other = (self._organization(name) for name in ("Operator", "Shop", "Other"))
        self.loop = asyncio.new_event_loop()
        self.users: dict[tuple[str, ...], Try] = {}
        self._made = 0

    def _organization(self, name: str) -> str:
        return self.write(lambda db: organizations.create(db, name, "tool", self.now)).id

    def write(self, work: Callable[[Any], Any]) -> Any:
        return self.state.store.write(work)

    def key(
        self,
        *scopes: Scope,
        organization: str = "",
        environment: Any = "live",
        life_ms: int = OBJECT_MS,
    ) -> Try:
        request = KeyRequest(
            name="key", scopes=frozenset(scopes), environment=environment, valid_ms=NOW + life_ms - self.now
        )
        made = Try(*self.write(lambda db: keys.create(db, organization or self.shop, request, "tool", self.now)))
        self.state.keyring.refresh()
        return made

    def user(self, column: str, environment: str, life: str, organization: str) -> Try:
        """Key that tries acts; made once, and again after an act that may have ended it."""
        name = (column, environment, life, organization)
        if name not in self.users:
            life_ms = LONG_MS if life == "long" else SHORT_MS
            self.users[name] = self.key(
                *COLUMNS[column], organization=organization, environment=environment, life_ms=life_ms
            )
        return self.users[name]

    def decision(self, environment: Any = "live", organization: str = "") -> str:
        """Id of a decision about a host of its own."""
        self._made += 1
        maker = self.key("agent", environment=environment, organization=organization)
        url = f"https://host{self._made}.example.com/"
        answer = self.call("POST", "/v1/agent-safety", maker.text, CHECK | {"url": url})
        return str(answer.json()["decision_id"])

    def dispute(self, key: Key | None, environment: Any = "live", organization: str = "") -> str:
        """Id of a waiting dispute, opened by a key or the public."""
        owner = organization or self.shop
        name = self.decision(environment, owner)
        wording = DisputeRequest(claim="other", statement="it is wrong")

        def work(db: Any) -> str:
            about = decisions.find(db, owner, name, self.now, environment)
            actor, used = (key.holder, key.id) if key else (disputes.PUBLIC, "")
            return disputes.lodge(db, about, wording, actor, self.now, key=used).id

        return str(self.write(work))

    def snippet(self, service: str) -> str:
        """Id of a stored snippet of a service type."""
        unified = {"@context": "https://schema.org", "@type": "Thing", "name": "Thing"}
        return str(self.write(lambda db: snippets.put(db, self.shop, service, unified, {}, "tool", self.now, "")).id)

    def claim(self, organization: str, *, for_all: bool = False) -> str:
        """Id of a relationship that waits for a review."""
        self._made += 1
        claim = Claim(
            domain=f"host{self._made}.example",
            scope="registrable",
            entity="shop",
            entity_name="Shop",
            type="official_site",
            submitter="somebody",
            origin="somebody",
            source="form",
            organization="" if for_all else organization,
        )
        return str(self.write(lambda db: reviews.submit(db, organization, claim, self.now)).id)

    def policy(self) -> str:
        """Version of a submitted policy."""
        self._made += 1
        version = f"policy{self._made}-2026-11-29"
        self.write(lambda db: own_policies.submit(db, version, POLICY, self.now, "tool"))
        return version

    def call(self, method: str, path: str, text: str, body: Any = None) -> httpx.Response:
        self.now += 61_000  # so that no limit is met

        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url=SITE) as client:
                return await client.request(method, path, headers={"Authorization": f"Bearer {text}"}, json=body)

        return self.loop.run_until_complete(send())

    def close(self) -> None:
        self.loop.close()
        self.state.close()


Object = Callable[[Bench, Key], str]
"""Id of the object of an act, made for the key that tries it."""


class Act(NamedTuple):
    """Row of the table. `path` has the object's id for `{id}`.

    is_spent  a new object is needed after the act was done
    is_own    the object depends on the key that tries
    """

    object: str
    act: str
    method: str
    path: str
    body: Any = None
    made: Object = lambda _bench, _key: ""
    is_spent: bool = False
    is_own: bool = False
    organization: str = "shop"


def acts() -> Iterator[Act]:
    yield from _reading()
    yield from _policies()
    yield from _disputes()
    yield from _reviews()
    yield from _keys()


def _reading() -> Iterator[Act]:
    yield Act("a decision", "ask before an action", "POST", "/v1/agent-safety", CHECK)
    yield Act("a decision", "ask before several", "POST", "/v1/agent-safety/batch", {"items": [CHECK]})
    payload = {"subject": {"type": "agent", "id": "1"}, "action": {"name": "visit"}, "resource": {"type": "url"}}
    payload["resource"]["id"] = CHECK["url"]
    yield Act("a decision", "evaluate by AuthZEN", "POST", "/access/v1/evaluation", payload)
    yield Act(
        "a decision",
        "evaluate several by AuthZEN",
        "POST",
        "/access/v1/evaluations",
        payload | {"evaluations": [{}]},
    )
    places = {"subject": payload["subject"], "action": payload["action"], "resource": {"type": "host"}}
    places["context"] = {"claimed_brand": "nobody"}
    yield Act("a decision", "search resources by AuthZEN", "POST", "/access/v1/search/resource", places)
    yield Act("a decision", "search actions by AuthZEN", "POST", "/access/v1/search/action", payload)
    yield Act("a decision", "inspect a URL", "POST", "/v1/check-url", CHECK)
    yield Act("a decision of the organization", "read", "GET", "/v1/decisions/{id}", made=lambda b, _: b.decision())
    yield Act(
        "another organization's decision", "read", "GET", "/v1/decisions/{id}",
        made=lambda b, _: b.decision(organization=b.other),
    )  # fmt: skip
    yield Act("a receipt", "verify", "POST", "/v1/receipts/verify", {"receipt": "a.b.c"})
    yield Act("a domain", "look up", "GET", "/v1/domain?domain=shop.example.com")
    yield Act("reviewed relationships", "find", "GET", "/v1/official?q=shop")
    yield Act("records", "search", "GET", "/v1/search?q=shop")
    yield Act("records", "search by a body", "POST", "/v1/search", {"query": "shop"})
    yield Act("a document", "validate", "POST", "/v1/validate", {"data": {"@type": "Thing", "name": "x"}})
    for kind in ("news", "product"):
        body = ARTICLE if kind == "news" else {"document": {"@type": "Product", "name": "Thing"}}
        yield Act(f"a snippet of {kind}", "make", "POST", f"/v1/snippets/{kind}", body)
        yield Act(f"a snippet of {kind}", "store", "POST", f"/v1/snippets/{kind}", body | {"store": True})
        yield Act(f"stored snippets of {kind}", "list", "GET", f"/v1/snippets/{kind}")
        service = f"{kind.capitalize()}Snippet"
        yield Act(
            f"a stored snippet of {kind}", "read", "GET", f"/v1/snippets/{kind}/{{id}}",
            made=lambda b, _, service=service: b.snippet(service),
        )  # fmt: skip
    yield Act("the organization", "read", "GET", "/v1/organization")
    yield Act("the organization", "read what was used", "GET", "/v1/usage")
    yield Act("the organization", "read the limits", "GET", "/v1/limits")
    yield Act("the organization", "read the audit", "GET", "/v1/audit-events")
    yield Act("the organization", "read the freeze", "GET", "/v1/freeze")
    yield Act("the organization", "freeze", "POST", "/v1/freeze", {"reason": "taken over"})
    yield Act("the organization", "end a freeze", "POST", "/v1/freeze/end", {"reason": "the keys are revoked"})


def _policies() -> Iterator[Act]:
    yield Act("the service", "list the policies", "GET", "/v1/policies")
    for owner, name in (("operator", "a policy, by the operator"), ("shop", "a policy, not by the operator")):
        yield Act(name, "submit", "POST", "/v1/policies", {"file": POLICY}, organization=owner)
        for step, body in (("accept", None), ("withdraw", {"reason": "so"})):
            path = f"/v1/policies/{{id}}/{step}"
            yield Act(name, step, "POST", path, body, lambda b, _: b.policy(), True, False, owner)


def _disputes() -> Iterator[Act]:
    about: dict[str, Object] = {
        "a live decision of the organization": lambda b, _: b.decision(),
        "a decision for a test key": lambda b, _: b.decision("test"),
        "another organization's decision": lambda b, _: b.decision(organization=b.other),
    }
    for name, made in about.items():
        yield Act(name, "object to", "POST", "/v1/decisions/{id}/disputes", WORDS, made)
    opened: dict[str, Object] = {
        "its own dispute": lambda b, key: b.dispute(key),
        "its own dispute about a test decision": lambda b, key: b.dispute(key, "test"),
        "another key's dispute": lambda b, _: b.dispute(b.key("dispute").key),
        "the public's dispute": lambda b, _: b.dispute(None),
        "another organization's dispute": lambda b, _: b.dispute(None, organization=b.other),
    }
    for name, made in opened.items():
        own = name.startswith("its own")
        yield Act(name, "read", "GET", "/v1/disputes/{id}", made=made, is_own=own)
        yield Act(name, "withdraw", "POST", "/v1/disputes/{id}/withdraw", None, made, True, own)


def _reviews() -> Iterator[Act]:
    for scope in ("organization", "global"):
        body = {"entity": {"name": "Shop"}, "domain": "shop.example", "relationship_type": "official_site"}
        name = "a relationship for the organization" if scope == "organization" else "a relationship for all"
        yield Act(name, "submit", "POST", "/v1/relationships", body | {"scope": scope})
    claims: dict[str, tuple[Object, str]] = {
        "a claim for the organization": (lambda b, _: b.claim(b.shop), "shop"),
        "a claim for all, not by the operator": (lambda b, _: b.claim(b.shop, for_all=True), "shop"),
        "a claim for all, by the operator": (lambda b, _: b.claim(b.shop, for_all=True), "operator"),
        "another organization's claim": (lambda b, _: b.claim(b.other), "shop"),
    }
    for name, (made, owner) in claims.items():
        yield Act(name, "read", "GET", "/v1/relationships/{id}", made=made, organization=owner)
        yield Act(name, "read for a review", "GET", "/v1/review-queue/{id}", made=made, organization=owner)
        for step in ("approve", "reject", "request-changes"):
            path = f"/v1/review-queue/{{id}}/{step}"
            yield Act(name, step.replace("-", " "), "POST", path, {"reason": "so"}, made, True, False, owner)
    doubts: dict[str, tuple[Object, str]] = {
        "a dispute, not by the operator": (lambda b, _: b.dispute(None), "shop"),
        "a dispute, by the operator": (lambda b, _: b.dispute(None), "operator"),
        "a dispute of a test decision, by the operator": (lambda b, _: b.dispute(None, "test"), "operator"),
    }
    for name, (made, owner) in doubts.items():
        for step in ("uphold", "reject"):
            yield Act(name, step, "POST", f"/v1/review-queue/{{id}}/{step}", {"reason": "so"}, made, True, False, owner)
    yield Act("the review queue", "list", "GET", "/v1/review-queue")


def _keys() -> Iterator[Act]:
    yield Act("keys", "list", "GET", "/v1/keys")
    required: dict[str, dict[str, Any]] = {
        "a live key, no more scopes": {"scopes": ["keys"]},
        "a test key, no more scopes": {"scopes": ["keys"], "environment": "test"},
        "a test key with a scope more": {"scopes": ["keys", "audit"], "environment": "test"},
        "a test key that lives longer": {
            "scopes": ["keys"], "environment": "test", "expires_at": "2028-11-05T00:00:00.000Z",
        },
    }  # fmt: skip
    for name, body in required.items():
        yield Act(name, "make", "POST", "/v1/keys", {"name": "made"} | body)
    objects: dict[str, Object] = {
        "a live key, no more scopes": lambda b, _: b.key("keys").key.id,
        "a test key, no more scopes": lambda b, _: b.key("keys", environment="test").key.id,
        "a test key with a scope more": lambda b, _: b.key("keys", "audit", environment="test").key.id,
        "itself": lambda _, key: key.id,
        "another organization's key": lambda b, _: b.key("keys", organization=b.other).key.id,
    }
    for name, made in objects.items():
        own = name == "itself"
        yield Act(name, "read", "GET", "/v1/keys/{id}", None, made, False, own)
        yield Act(name, "exchange", "POST", "/v1/keys/{id}/rotate", None, made, True, own)
        yield Act(name, "end", "POST", "/v1/keys/{id}/revoke", None, made, True, own)
        yield Act(name, "delete", "DELETE", "/v1/keys/{id}", None, made, True, own)


COLUMNS: Mapping[str, tuple[Scope, ...]] = {**{scope: (scope,) for scope in SCOPES}, **LABELS, "all": SCOPES}
KINDS = tuple((environment, life) for environment in ENVIRONMENTS for life in ("long", "short"))
_CELLS: Mapping[frozenset[tuple[str, str]], str] = {
    frozenset(): "",
    frozenset(KINDS): "yes",
    frozenset({("live", "long"), ("live", "short")}): "live",
    frozenset({("test", "long"), ("test", "short")}): "test",
    frozenset({("live", "long"), ("test", "long")}): "lasting",
    frozenset({("live", "long")}): "live, lasting",
    frozenset({("test", "long")}): "test, lasting",
}


def measured(columns: Iterable[str] = COLUMNS) -> dict[tuple[str, str], dict[str, str]]:
    """(object, act) -> column -> cell. Raises AssertionError for an answer that is neither done nor denied."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        try:
            return {(act.object, act.act): _row(bench, act, columns) for act in acts()}
        finally:
            bench.close()


def _row(bench: Bench, act: Act, columns: Iterable[str]) -> dict[str, str]:
    organization = bench.operator if act.organization == "operator" else bench.shop
    held: list[str] = []
    row = {}
    for column in columns:
        done = set()
        for environment, life in KINDS:
            user = bench.user(column, environment, life, organization)
            if not held or act.is_own:
                held = [act.made(bench, user.key)]
            answer = bench.call(act.method, act.path.format(id=held[0]), user.text, act.body)
            assert answer.status_code < 300 or answer.status_code in DENIED, f"{act.act} {act.object}: {answer.text}"
            if answer.status_code < 300:
                done.add((environment, life))
                if act.is_spent:
                    held = []
                    bench.users.pop((column, environment, life, organization) if act.object == "itself" else (), None)
        row[column] = _CELLS[frozenset(done)]
    return row


def page(table: Mapping[tuple[str, str], Mapping[str, str]]) -> str:
    """Markdown page of the table."""
    return _TEXT + "\n".join(_sections(table)) + "\n"


_TEXT = """# Permissions of an API key

The permissions of a key depend on its scopes, its environment and its expiry. A test tries every action on every kind
of object, with a key of each scope and label, live and test, and with keys that expire before and after the object;
these tables hold the results.

## How to read the tables

Each row is an action on an object. Each column is a key with that one scope, with that label, or with all scopes.

| cell | who may do it |
|---|---|
| yes | every such key |
| live, test | a key of this environment |
| lasting | a key that expires no earlier than the object |
| empty | no such key: the answer is 403, 404, or 409 if a review forbids it |

An expired or revoked key has no permissions: every request is answered with 401. A replaced key keeps its permissions
until the overlap ends. A user of the console has the permissions of a live, lasting key with all scopes.

Live and test keys of an organization have nothing stored in common. For a test key the lists of documents, reviews and
audit events are empty, a search finds no record of the organization's own, and what live keys stored does not exist;
a live key finds no decision and no dispute of test keys.
"""
_PARTS: Mapping[str, tuple[str, ...]] = {
    "Scopes for reading": ("domain", "official", "search", "snippets", "validate", "audit"),
    "Scopes for acting": ("agent", "check", "dispute", "relationships", "keys", "review"),
    "Labels and all scopes": (*LABELS, "all"),
}


def _sections(table: Mapping[tuple[str, str], Mapping[str, str]]) -> Iterator[str]:
    for title, columns in _PARTS.items():
        lines = [f"\n## {title}\n", f"| object | action | {' | '.join(columns)} |", "|---" * (2 + len(columns)) + "|"]
        for (name, act), row in table.items():
            cells = [row[column] for column in columns]
            if any(cells):
                lines.append(f"| {name} | {act} | {' | '.join(cells)} |")
        yield "\n".join(lines)
    yield "\n## What no key can do\n"
    yield "\n".join(f"- {act}: {name}" for (name, act), row in table.items() if not any(row.values()))


def main() -> int:
    made = page(measured())
    current = TARGET.read_text(encoding="utf-8") if TARGET.is_file() else ""
    if "--check" in sys.argv:
        return int(made != current)
    TARGET.write_text(made, encoding="utf-8")
    print(f"{TARGET.name}: {len(made)} characters{'' if made != current else ', unchanged'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
