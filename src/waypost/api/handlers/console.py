"""Console pages: sign-in by one-time link, key management, reviews. Plain forms without scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from litestar import get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from waypost.api.console import review_words
from waypost.api.console import session as sessions
from waypost.api.console.forms import form
from waypost.api.console.pages import key_script, page
from waypost.api.endpoint import FORM, PAGE, PUBLIC, SESSION, Answer, Body, Contract, Handle, Parameter
from waypost.api.request import Call, Reply
from waypost.api.site import Site
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
from waypost.operations.keys import check_exchange
from waypost.operations.reviews import take_step
from waypost.service.problems import ProblemError
from waypost.store import cursors, freezes, keys, relationships
from waypost.store import reviews as queue
from waypost.store import sessions as stored
from waypost.store.errors import CursorError, Unknown
from waypost.store.keys import KeyRequest
from waypost.store.review_steps import Review, possible
from waypost.store.sessions import Session

MAY: Mapping[str, str] = {
    "domain": "look up domains",
    "official": "find relationships that passed review",
    "search": "search records",
    "snippets": "create snippets and read the organization's stored documents",
    "agent": "request decisions about actions",
    "check": "inspect URLs",
    "dispute": "dispute decisions",
    "relationships": "submit claims for review and store documents",
    "validate": "validate structured data",
    "keys": "create, rotate and revoke keys",
    "review": "review claims and disputes",
    "audit": "read what was done in the organization",
}
"""Permission that a scope grants, as a phrase after `can` or `cannot`."""
_ABOUT = {
    "Read": "look up domains and snippets",
    "Write": "request decisions and submit data",
    "Validate": "check structured data",
}
_GRAVE = {
    "keys": "anyone who has it can create more keys, and revoke keys that have no more permissions and no longer life",
    "review": "anyone who has it decides what counts as official",
    "audit": "anyone who has it sees who did what",
}
_PAGE = 50
KEYS = (("Keys", "keys/"),)
_REVIEWS = (*KEYS, ("Reviews", "keys/reviews/"))
_USUAL: Mapping[str, Any] = {"name": "", "environment": "live", "expires_days": "365"}
"""Fields of the form for a new key, before anyone fills them in."""


Decorator = Callable[[Handle[Reply]], HTTPRouteHandler]


class _Signed(NamedTuple):
    """Signed-in person as a key maker (`keys.Maker`): may grant everything that keys of the organization may do."""

    holder: str
    scopes: frozenset[Scope] = frozenset(SCOPES)
    environment: Environment = "live"
    ip_allowlist: tuple[str, ...] = ()
    limits: Mapping[str, int] = {}
    expires_at: int = 1 << 62  # a person gives any life that a key may have


class _Row(NamedTuple):
    """Row of the key list. Times are milliseconds since 1970."""

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


_TOKEN = Parameter(
    "token", "The token of the sign-in link.", {"type": "string", "minLength": 1, "maxLength": 64}, required=True
)
_MEMBERS = (Parameter("id", "The key's id.", {"type": "string", "maxLength": 64}, place="path"),)
_ITEM = (
    Parameter(
        "id", "The id of the relationship, dispute or doubt.", {"type": "string", "maxLength": 300}, place="path"
    ),
)
_CURSOR = Parameter(
    "cursor", "`next_cursor` of the previous page.", {"type": "string", "maxLength": cursors.MAX_LENGTH}
)
_ONCE = {201: Answer("The page that shows the key, once.", "", PAGE)}
_LIST = {303: Answer("Back to the list.", "", "text/html", headers={"Location": "The list."})}


def page_handler(path: str, name: str, summary: str, **contract: Any) -> Decorator:
    """Decorator for a handler that answers with a page."""
    opt = Contract(scopes=(SESSION,), limit="schema", answers={200: Answer("The page.", "", PAGE)})
    about = "A page of the console."
    return get(path, operation_id=name, summary=summary, description=about, tags=["Console"], opt={**opt, **contract})


def form_handler(
    path: str, name: str, summary: str, schema: str, answers: dict[int, Answer], **contract: Any
) -> Decorator:
    """Decorator for a handler that receives a form of the console."""
    about = "A form of the console. It must come from a page of this site, with the token that the page was given."
    opt = Contract(
        scopes=(SESSION,), limit="schema", body=Body(schema, media=FORM), answers=answers, problems=("csrf",)
    )
    return post(path, operation_id=name, summary=summary, description=about, tags=["Console"], opt={**opt, **contract})


@page_handler(
    "/keys/",
    "showKeys",
    "Open the key manager",
    scopes=(PUBLIC,),
    parameters=(_CURSOR,),
    problems=("invalid-cursor",),
    slash=True,
)
async def index(call: NamedDependency[Call], site: NamedDependency[Site]) -> Reply:
    """Key list for signed-in people; otherwise the page that explains how to sign in."""
    found = call.session = await sessions.of(call)
    if found is None:
        return _explained(call, site)
    state, now, owner = call.state, call.state.now(), found.organization.id
    # A cursor is bound to its organization and page: it opens no list of another.
    bound = (owner, call.endpoint.name)
    after = None
    if text := call.query.get("cursor"):
        try:
            after = cursors.unseal(state.cursor_secret, text, bound, now)
        except CursorError as error:
            raise ProblemError("invalid-cursor", str(error)) from None
    listing = await state.fetch(lambda db: keys.find_page(db, owner, limit=_PAGE, after=after))
    onward = cursors.seal(state.cursor_secret, listing.next, bound, now) if listing.next else ""
    return page(
        call, "keys.html", "Keys", keys=[_row(key, now) for key in listing.items], next=onward,
        freeze=await state.fetch(lambda db: freezes.find(db, owner)), policy=state.service.policy,
    )  # fmt: skip


def _explained(call: Call, site: Site) -> Reply:
    built = site.page("/keys/")
    if built is None:
        return page(call, "signed-out.html", "Keys")
    # The same address shows the key list to signed-in people.
    built.headers |= {"cache-control": "no-store", "vary": "Cookie"}
    return built


def _row(key: Key, now: int) -> _Row:
    return _Row(
        key.id, key.name, key.masked, key.environment, labels_of(key.scopes), in_order(key.scopes), key.created_at,
        key.last_used_at, key.expires_at, key.state(now), key.organization_name,
    )  # fmt: skip


@page_handler(
    "/keys/sign-in",
    "showSignIn",
    "Open a sign-in link",
    scopes=(PUBLIC,),
    limit="sign-in",
    parameters=(_TOKEN,),
    problems=("not-found",),
)
async def show_sign_in(call: NamedDependency[Call]) -> Reply:
    """Page with a single button. A link preview or mail scanner that opens the link does not use the token up."""
    token = call.query["token"]
    # Only checked, not used up: that takes the button of the page.
    holds = await call.state.fetch(lambda db: stored.is_link_valid(db, token, call.state.now()))
    return page(call, "sign-in.html", "Sign in", status=200 if holds else 404, holds=holds, token=token, secret=True)


@form_handler(
    "/keys/sign-in",
    "signIn",
    "Sign in",
    "sign-in-form",
    _LIST,
    scopes=(PUBLIC,),
    limit="sign-in",
    problems=("csrf", "not-found"),
)
async def sign_in(call: NamedDependency[Call]) -> Reply:
    # Otherwise another site could sign the browser in to an account of its choice (login CSRF).
    sessions.check_same_site(call)
    token = str((await form(call))["token"])
    try:
        _, text = await call.state.write(lambda db: stored.sign_in(db, token, call.state.now()))
    except Unknown:
        return page(call, "sign-in.html", "Sign in", status=404, holds=False, token="")
    return _to_the_list(sessions.cookie(call, text))


@form_handler("/keys/sign-out", "signOut", "Sign out", "session-form", _LIST)
async def sign_out(call: NamedDependency[Call]) -> Reply:
    text = sessions.text_of(call)
    # On the server, too: a copied cookie must not outlive the sign-out.
    await call.state.write(lambda db: stored.end(db, text))
    return _to_the_list(sessions.cookie(call, ""))


def _to_the_list(cookie: str = "") -> Reply:
    return Reply(b"", 303, "", {"location": "/keys/"} | ({"set-cookie": cookie} if cookie else {}))


@page_handler("/keys/new", "showNewKey", "Open the form for a new key")
async def new(call: NamedDependency[Call]) -> Reply:
    return _new_key_page(call)


def _new_key_page(call: Call, fields: Mapping[str, Any] = _USUAL, problem: ProblemError | None = None) -> Reply:
    """Form for a new key; where `problem` is given, with the fields as sent and the error next to each."""
    errors = {str(error["pointer"]).removeprefix("#/"): error["detail"] for error in problem.errors} if problem else {}
    return page(
        call, "key-new.html", "Create API key", status=problem.status if problem else 200, crumbs=KEYS, labels=LABELS,
        about=_ABOUT, scopes=SCOPES, may=MAY, fields=fields, errors=errors,
    )  # fmt: skip


@form_handler(
    "/keys/review",
    "reviewNewKey",
    "Review a new key before it is made",
    "key-form",
    {200: Answer("The page.", "", PAGE)},
)
async def review(call: NamedDependency[Call]) -> Reply:
    """Summary of a new key's permissions, shown before the key is made."""
    fields = await form(call)
    try:
        request = _key_request(fields)
    except ProblemError as problem:
        return _new_key_page(call, fields, problem)
    scopes = in_order(request.scopes)
    beyond = [MAY[scope] for scope in SCOPES if scope not in request.scopes]
    return page(
        call,
        "key-review.html",
        "Create this key?",
        fields=fields,
        scopes=scopes,
        ends=call.state.now() + request.valid_ms,
        can=join_words([MAY[scope] for scope in scopes]),
        cannot=join_words(beyond, "or") if beyond else "be used by another organization",
        grave="; ".join(text for scope, text in _GRAVE.items() if scope in request.scopes),
    )


@form_handler("/keys/create", "createKeyHere", "Create a key", "key-form", _ONCE)
async def create(call: NamedDependency[Call]) -> Reply:
    request, who, now = _key_request(await form(call)), session_of(call), call.state.now()
    try:
        made, text = await call.state.write(
            lambda db: keys.create(db, who.organization.id, request, who.actor, now, holder=who.holder)
        )
    except KeyRequestError as error:
        raise _invalid(error) from None
    await call.state.refresh_keys()
    return page(call, "key-once.html", "Your new key", status=201, secret=True, script=key_script(), made=made,
                text=text, old="")  # fmt: skip


@page_handler("/keys/{id:str}/rotate", "showRotateKey", "Confirm rotating a key", parameters=_MEMBERS)
async def show_rotate(call: NamedDependency[Call]) -> Reply:
    return page(call, "key-rotate.html", "Rotate a key", key=await _own(call))


@form_handler(
    "/keys/{id:str}/rotate",
    "rotateKeyHere",
    "Rotate a key",
    "rotation-form",
    _ONCE,
    parameters=_MEMBERS,
    problems=("csrf", "conflict", "insufficient-scope"),
)
async def rotate(call: NamedDependency[Call]) -> Reply:
    old, who, now = await _own(call), session_of(call), call.state.now()
    check_exchange(call.state.limits.policies, old, _Signed(who.holder))
    overlap = int((await form(call))["overlap"])
    made, text = await call.state.write(
        lambda db: keys.rotate(db, who.organization.id, old.id, who.actor, now, overlap, holder=who.holder)
    )
    await call.state.refresh_keys()
    ends = min(old.expires_at, now + overlap * 1000)
    return page(call, "key-once.html", "Your new key", status=201, secret=True, script=key_script(), made=made,
                text=text, old=old.masked, old_ends=ends)  # fmt: skip


@page_handler("/keys/{id:str}/revoke", "showRevokeKey", "Confirm revoking a key", parameters=_MEMBERS)
async def show_revoke(call: NamedDependency[Call]) -> Reply:
    return page(call, "key-revoke.html", "Revoke a key", key=await _own(call))


@form_handler(
    "/keys/{id:str}/revoke",
    "revokeKeyHere",
    "Revoke a key",
    "session-form",
    _LIST,
    parameters=_MEMBERS,
    problems=("csrf", "conflict"),
)
async def revoke(call: NamedDependency[Call]) -> Reply:
    who, now, name = session_of(call), call.state.now(), call.members["id"]
    await call.state.write(lambda db: keys.revoke(db, who.organization.id, name, who.actor, now))
    await call.state.refresh_keys()
    return _to_the_list()


@page_handler("/keys/reviews/", "showReviews", "List the review queue", slash=True)
async def show_queue(call: NamedDependency[Call]) -> Reply:
    """Review queue of the organization, oldest first."""
    owner = session_of(call).organization.id
    waiting = await call.state.fetch(lambda db: queue.queue(db, owner, limit=_PAGE))
    return page(
        call, "reviews.html", "Reviews", crumbs=KEYS, items=waiting.items, more=waiting.next is not None,
        words=review_words,
    )  # fmt: skip


@page_handler("/keys/reviews/{id:str}", "showReview", "Show a claim, dispute or doubt", parameters=_ITEM)
async def show_item(call: NamedDependency[Call]) -> Reply:
    owner, name = session_of(call).organization.id, call.members["id"]
    item = await call.state.fetch(lambda db: queue.find(db, owner, name))
    # The evidence of a dispute or doubt is in the item itself.
    seen_at = await call.state.fetch(lambda db: relationships.evidence(db, name)) if item.relationship else ()
    codes = call.state.service.world.document("codes.json")
    return page(
        call, "review.html", review_words.title_of(item), crumbs=_REVIEWS, item=item, evidence=seen_at, codes=codes,
        words=review_words, steps=possible(item),
    )  # fmt: skip


@form_handler(
    "/keys/reviews/{id:str}",
    "reviewHere",
    "Decide a claim, dispute or doubt",
    "review-form",
    _LIST,
    parameters=_ITEM,
    problems=("csrf", "conflict"),
)
async def act(call: NamedDependency[Call]) -> Reply:
    who, now, name = session_of(call), call.state.now(), call.members["id"]
    fields = await form(call)
    review = Review(who.holder, now, str(fields["reason"]))
    await take_step(call.state, str(fields["step"]), who.organization.id, name, review)
    return Reply(b"", 303, "", {"location": "/keys/reviews/"})


def session_of(call: Call) -> Session:
    """Session of the signed-in person."""
    assert call.session is not None
    found: Session = call.session
    return found


async def _own(call: Call) -> Key:
    owner, name = session_of(call).organization.id, call.members["id"]
    return await call.state.fetch(lambda db: keys.find(db, owner, name))


def _key_request(fields: Mapping[str, Any]) -> KeyRequest:
    try:
        scopes = making.scopes_of(labels=fields.get("labels", ()), scopes=fields.get("scopes", ()))
    except KeyRequestError as error:
        raise _invalid(error) from None
    days = int(fields["expires_days"])
    if not 1 <= days <= making.MOST_DAYS:
        place = {"pointer": "#/expires_days", "code": "range", "detail": f"1 to {making.MOST_DAYS} days"}
        raise ProblemError("invalid-request", errors=[place])
    return KeyRequest(name=fields["name"], scopes=scopes, environment=fields["environment"], valid_ms=days * DAY_MS)


def _invalid(error: WaypostError) -> ProblemError:
    pointer = f"#/{getattr(error, 'member', '')}"
    return ProblemError("invalid-request", errors=[{"pointer": pointer, "code": "refused", "detail": str(error)}])
