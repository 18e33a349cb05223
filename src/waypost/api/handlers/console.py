"""The console: sign in by a link that works once; keys as people manage them. Plain forms, without a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from waypost.api.console import session as sessions
from waypost.api.console.forms import form
from waypost.api.console.pages import page
from waypost.api.endpoint import FORM, PAGE, PUBLIC, SESSION, Answer, Body, Endpoint, Query
from waypost.api.handlers.keys import check_exchange, known_at_once
from waypost.api.handlers.relationships import take_step
from waypost.api.problems import Refused
from waypost.api.request import Call, Reply
from waypost.errors import WaypostError
from waypost.formats.text import join_words
from waypost.models import api_key as making
from waypost.models.api_key import (
    DAY_MS,
    LABELS,
    SCOPES,
    Environment,
    Key,
    KeyRequestError,
    Scope,
    in_order,
    labels_of,
)
from waypost.store import cursors, keys, relationships
from waypost.store import reviews as queue
from waypost.store import sessions as stored
from waypost.store.errors import CursorError, Unknown
from waypost.store.keys import KeyRequest
from waypost.store.sessions import Session

MAY: Mapping[str, str] = {
    "domain": "look up domains",
    "official": "find relationships that passed review",
    "search": "search records",
    "snippets": "make cards and read the organization's stored documents",
    "agent": "ask whether an action may go ahead",
    "check": "inspect URLs",
    "dispute": "object to decisions",
    "relationships": "submit claims for review and store documents",
    "validate": "validate structured data",
    "keys": "make, exchange and end keys",
    "review": "review claims and disputes",
    "audit": "read what was done in the organization",
}
"""What each scope lets its holder do, to stand behind `can` and `cannot`."""
_ABOUT = {
    "Read": "look things up",
    "Write": "ask for decisions and send things in",
    "Validate": "check structured data",
}
_GRAVE = {
    "keys": "whoever has it can make further keys with its rights and end any key",
    "review": "whoever has it decides what counts as official",
    "audit": "whoever has it sees who did what",
}
_PAGE = 50
_STEPS: Mapping[str, Mapping[str, str]] = {
    "relationship": {
        "approve": "Accept",
        "request-changes": "Send back",
        "reject": "Reject",
    },
    "dispute": {"uphold": "Uphold", "reject": "Reject"},
}


class _Signed(NamedTuple):
    """Somebody at the console: all that their organization's keys may do is theirs."""

    holder: str
    scopes: frozenset[Scope] = frozenset(SCOPES)
    environment: Environment = "live"
    ip_allowlist: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}


class _Row(NamedTuple):
    """A key as a line of the list."""

    id: str
    name: str
    masked: str
    environment: str
    labels: list[str]
    scopes: tuple[str, ...]
    created_at: int
    last_used_at: int | None
    expires_at: int
    state: str
    organization: str


async def index(call: Call) -> Reply:
    """The list; to those who are not signed in, how to."""
    found = call.session = sessions.of(call)
    if found is None:
        return _explained(call)
    running, now, whose = call.running, call.running.now(), found.organization.id
    bound = (whose, call.endpoint.name)
    after = None
    if text := call.query.get("cursor"):
        try:
            after = cursors.unseal(running.cursor_secret, text, bound, now)
        except CursorError as fault:
            raise Refused("invalid-cursor", str(fault)) from None
    listing = running.read(lambda db: keys.find_page(db, whose, limit=_PAGE, after=after))
    onward = cursors.seal(running.cursor_secret, listing.next, bound, now) if listing.next else ""
    return page(call, "keys.html", "Keys", keys=[_row(each, now) for each in listing.items], next=onward)


def _explained(call: Call) -> Reply:
    built = call.running.site.page("/keys/")
    if built is None:
        return page(call, "signed-out.html", "Keys")
    return built._replace(headers={**built.headers, "cache-control": "no-store", "vary": "Cookie"})


def _row(key: Key, now: int) -> _Row:
    return _Row(
        key.id, key.name, key.masked, key.environment, labels_of(key.scopes), in_order(key.scopes), key.created_at,
        key.last_used_at, key.expires_at, key.state(now), key.organization_name,
    )  # fmt: skip


async def ask_to_sign_in(call: Call) -> Reply:
    """A page with one button: whatever fetches the link ahead of the person uses nothing up."""
    token = call.query["token"]
    holds = call.running.read(lambda db: stored.is_link_valid(db, token, call.running.now()))
    return page(call, "sign-in.html", "Sign in", status=200 if holds else 404, holds=holds, token=token, secret=True)


async def sign_in(call: Call) -> Reply:
    sessions.check_same_site(call)
    token = str((await form(call))["token"])
    try:
        _, text = await call.running.write(lambda db: stored.sign_in(db, token, call.running.now()))
    except Unknown:
        return page(call, "sign-in.html", "Sign in", status=404, holds=False, token="")
    return _to_the_list(sessions.cookie(call, text))


async def sign_out(call: Call) -> Reply:
    text = sessions.text_of(call)
    await call.running.write(lambda db: stored.end(db, text))
    return _to_the_list(sessions.cookie(call, ""))


def _to_the_list(cookie: str = "") -> Reply:
    return Reply(b"", 303, "", {"location": "/keys/"} | ({"set-cookie": cookie} if cookie else {}))


async def new(call: Call) -> Reply:
    return page(call, "key-new.html", "Create API key", labels=LABELS, about=_ABOUT, scopes=SCOPES, may=MAY)


async def review(call: Call) -> Reply:
    """What the key will be able to do and what not, before it is made."""
    asked = await form(call)
    wanted = _wanted(asked)
    scopes = in_order(wanted.scopes)
    beyond = [MAY[each] for each in SCOPES if each not in wanted.scopes]
    return page(
        call,
        "key-review.html",
        "Create this key?",
        asked=asked,
        scopes=scopes,
        ends=call.running.now() + wanted.valid_ms,
        can=join_words([MAY[each] for each in scopes]),
        cannot=join_words(beyond, "or") if beyond else "be used by another organization",
        grave="; ".join(text for scope, text in _GRAVE.items() if scope in wanted.scopes),
    )


async def create(call: Call) -> Reply:
    wanted, who, now = _wanted(await form(call)), _who(call), call.running.now()
    try:
        made, text = await call.running.write(
            lambda db: keys.create(db, who.organization.id, wanted, who.actor, now, holder=who.holder)
        )
    except KeyRequestError as fault:
        raise _refused(fault) from None
    known_at_once(call.running)
    return page(call, "key-once.html", "Your new key", status=201, secret=True, made=made, text=text, old="")


async def ask_to_rotate(call: Call) -> Reply:
    return page(call, "key-rotate.html", "Rotate a key", key=_own(call))


async def rotate(call: Call) -> Reply:
    old, who, now = _own(call), _who(call), call.running.now()
    check_exchange(call.running, old, _Signed(who.holder))
    overlap = int((await form(call))["overlap"])
    made, text = await call.running.write(
        lambda db: keys.rotate(db, who.organization.id, old.id, who.actor, now, overlap, holder=who.holder)
    )
    known_at_once(call.running)
    ends = min(old.expires_at, now + overlap * 1000)
    return page(call, "key-once.html", "Your new key", status=201, secret=True, made=made, text=text, old=old.masked,
                old_ends=ends)  # fmt: skip


async def ask_to_revoke(call: Call) -> Reply:
    return page(call, "key-revoke.html", "Revoke a key", key=_own(call))


async def revoke(call: Call) -> Reply:
    who, now, name = _who(call), call.running.now(), call.members["id"]
    await call.running.write(lambda db: keys.revoke(db, who.organization.id, name, who.actor, now))
    known_at_once(call.running)
    return _to_the_list()


async def show_queue(call: Call) -> Reply:
    """What the organization's reviewers have to decide, oldest first."""
    whose = _who(call).organization.id
    waiting = call.running.read(lambda db: queue.queue(db, whose, limit=_PAGE))
    return page(call, "reviews.html", "Reviews", items=waiting.items, more=waiting.next is not None)


async def show_item(call: Call) -> Reply:
    whose, name = _who(call).organization.id, call.members["id"]
    item = call.running.read(lambda db: queue.find(db, whose, name))
    seen_at = call.running.read(lambda db: relationships.evidence(db, name)) if item.relationship else ()
    return page(call, "review.html", "Review", item=item, evidence=seen_at, steps=_STEPS[item.kind])


async def act(call: Call) -> Reply:
    who, now, name = _who(call), call.running.now(), call.members["id"]
    asked = await form(call)
    await take_step(call, str(asked["step"]), who.organization.id, name, who.holder, now, str(asked["reason"]))
    return Reply(b"", 303, "", {"location": "/keys/reviews/"})


def _who(call: Call) -> Session:
    assert call.session is not None
    found: Session = call.session
    return found


def _own(call: Call) -> Key:
    whose, name = _who(call).organization.id, call.members["id"]
    return call.running.read(lambda db: keys.find(db, whose, name))


def _wanted(asked: Mapping[str, Any]) -> KeyRequest:
    try:
        scopes = making.scopes_of(labels=asked.get("labels", ()), scopes=asked.get("scopes", ()))
    except KeyRequestError as fault:
        raise _refused(fault) from None
    days = int(asked["expires_days"])
    if not 1 <= days <= making.MOST_DAYS:
        place = {"pointer": "#/expires_days", "code": "range", "detail": f"1 to {making.MOST_DAYS} days"}
        raise Refused("invalid-request", errors=[place])
    return KeyRequest(name=asked["name"], scopes=scopes, environment=asked["environment"], valid_ms=days * DAY_MS)


def _refused(fault: WaypostError) -> Refused:
    pointer = f"#/{getattr(fault, 'member', '')}"
    return Refused("invalid-request", errors=[{"pointer": pointer, "code": "refused", "detail": str(fault)}])


_TOKEN = Query("token", "What the link holds.", {"type": "string", "minLength": 1, "maxLength": 64}, required=True)
_MEMBERS = {"id": Query("id", "The key's id.", {"type": "string", "maxLength": 64})}
_ITEM = {"id": Query("id", "The id of the relationship or dispute.", {"type": "string", "maxLength": 300})}
_CURSOR = Query("cursor", "Where the list goes on.", {"type": "string", "maxLength": cursors.MOST_TEXT})


def _page(path: str, name: str, summary: str, handle: Any, **more: Any) -> Endpoint:
    given: dict[str, Any] = {"needs": (SESSION,), "policy": "schema", "answers": {200: Answer("The page.", "", PAGE)}}
    return Endpoint(method="GET", path=path, name=name, summary=summary, about="A page of the console.", handle=handle,
                    tag="Console", site=True, **(given | more))  # fmt: skip


def _form(
    path: str, name: str, summary: str, handle: Any, schema: str, answers: dict[int, Answer], **more: Any
) -> Endpoint:
    given: dict[str, Any] = {"needs": (SESSION,), "policy": "schema", "problems": ("csrf",)}
    about = "A form of the console. It must come from a page of this site, with the token that the page was given."
    return Endpoint(method="POST", path=path, name=name, summary=summary, about=about, handle=handle, tag="Console",
                    body=Body(schema, media=FORM), answers=answers, site=True, **(given | more))  # fmt: skip


_ONCE = {201: Answer("The page that shows the key, this once.", "", PAGE)}
_LIST = {303: Answer("Back to the list.", "", "text/html", headers={"Location": "The list."})}
ENDPOINTS = (
    _page("/keys/", "showKeys", "The key manager", index, needs=(PUBLIC,), query=(_CURSOR,),
          problems=("invalid-cursor",)),
    _page("/keys/sign-in", "showSignIn", "The page of a sign-in link", ask_to_sign_in, needs=(PUBLIC,),
          policy="sign-in", query=(_TOKEN,), problems=("not-found",)),
    _form("/keys/sign-in", "signIn", "Sign in", sign_in, "sign-in-form", _LIST, needs=(PUBLIC,), policy="sign-in",
          problems=("csrf", "not-found")),
    _form("/keys/sign-out", "signOut", "Sign out", sign_out, "session-form", _LIST),
    _page("/keys/new", "showNewKey", "The form for a new key", new),
    _form("/keys/review", "reviewNewKey", "What a new key will be able to do", review, "key-form",
          {200: Answer("The page.", "", PAGE)}),
    _form("/keys/create", "createKeyHere", "Make a key", create, "key-form", _ONCE),
    _page("/keys/{id}/rotate", "showRotateKey", "Whether to exchange a key", ask_to_rotate, members=_MEMBERS),
    _form("/keys/{id}/rotate", "rotateKeyHere", "Exchange a key", rotate, "rotation-form", _ONCE, members=_MEMBERS,
          problems=("csrf", "conflict", "insufficient-scope")),
    _page("/keys/{id}/revoke", "showRevokeKey", "Whether to end a key", ask_to_revoke, members=_MEMBERS),
    _form("/keys/{id}/revoke", "revokeKeyHere", "End a key", revoke, "session-form", _LIST, members=_MEMBERS,
          problems=("csrf", "conflict")),
    _page("/keys/reviews/", "showReviews", "What waits for a review", show_queue),
    _page("/keys/reviews/{id}", "showReview", "One claim or dispute", show_item, members=_ITEM),
    _form("/keys/reviews/{id}", "reviewHere", "Decide a claim or a dispute", act, "review-form", _LIST, members=_ITEM,
          problems=("csrf", "conflict")),
)  # fmt: skip
