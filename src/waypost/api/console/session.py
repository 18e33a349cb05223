"""Console sessions: a cookie, with protection against cross-site requests.

The cookie is HttpOnly and SameSite=Strict. A POST must also come from a page of the same site (Sec-Fetch-Site; Origin
in browsers without the header) and carry the page's CSRF token.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from waypost.api.console.forms import form
from waypost.service.problems import ProblemError
from waypost.store import sessions
from waypost.store.sessions import SESSION_MS, Session

if TYPE_CHECKING:
    from waypost.api.request import Call

COOKIE = "waypost_session"
PATH = "/keys/"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


async def admit(call: Call) -> None:
    """Check session, origin and CSRF token of a console request. Raises ProblemError."""
    if call.endpoint.method != "GET":
        check_same_site(call)
    found = call.session = await of(call)
    if found is None:
        raise ProblemError(
            "unauthenticated", "no one is signed in here", headers={"www-authenticate": 'Bearer realm="waypost"'}
        )
    if call.endpoint.method != "GET":
        # The token protects browsers that send neither Sec-Fetch-Site nor Origin.
        sent = str((await form(call))["csrf"])
        if not hmac.compare_digest(sent.encode(), found.csrf.encode()):
            raise ProblemError("csrf")


async def of(call: Call) -> Session | None:
    """Session of the request, None if the browser is not signed in."""
    text = text_of(call)
    if not text:
        return None
    return await call.state.fetch(lambda db: sessions.find(db, text, call.state.now()))


def text_of(call: Call) -> str:
    """Value of the session cookie, empty if missing. Malformed cookies of the same host are ignored."""
    # http.cookies would give up at a malformed cookie of another application.
    for pair in call.header("cookie").replace(", ", ";").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == COOKIE:
            return value
    return ""


def check_same_site(call: Call) -> None:
    """Check that a form comes from a page of this site. Raises ProblemError."""
    fetched_from = call.header("sec-fetch-site")
    if fetched_from:
        if fetched_from not in {"same-origin", "none"}:
            raise ProblemError("csrf")
        return
    origin = call.header("origin")
    # Pages that send no referrer have the origin `null` (Fetch, "append a request Origin header").
    if origin and origin != "null" and urlsplit(origin).netloc != call.header("host"):
        raise ProblemError("csrf")


def cookie(call: Call, text: str) -> str:
    """Value of Set-Cookie that signs a browser in; an empty text signs out."""
    seconds = SESSION_MS // 1000 if text else 0
    secure = "" if _is_plain_loopback(call) else "; Secure"
    return f"{COOKIE}={text}; Path={PATH}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"


def _is_plain_loopback(call: Call) -> bool:
    """Whether the browser uses plain HTTP on its own machine, where it would not store a Secure cookie."""
    site = urlsplit(call.state.settings.site_url)
    host = urlsplit(f"//{call.header('host')}").hostname or ""
    names = {f"[{name}]" if ":" in name else name for name in (site.hostname or "", host)}
    return site.scheme == "http" and names <= _LOOPBACK
