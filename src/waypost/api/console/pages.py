"""HTML pages of the service: plain HTML that works without scripts, in the layout of the site.

Templates are in `site/templates/console/`. With a built site they use its layout (`site.manifest.json` names the
files); without a built site they use `console/bare.html`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jinja2
import msgspec
from markupsafe import Markup

from waypost.api.console.forms import is_form
from waypost.api.endpoint import PAGE
from waypost.api.request import Reply
from waypost.contract.headers import page_headers
from waypost.contract.problems import problems
from waypost.formats.tables import with_column_names
from waypost.formats.text import timestamp, without_hidden
from waypost.registry import assets

if TYPE_CHECKING:
    from waypost.api.request import Call

_BARE = "console/bare.html"
_MANIFEST = "site.manifest.json"
_UNITS = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"))


def page(
    call: Call,
    template: str,
    title: str,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    crumbs: tuple[tuple[str, str], ...] = (),
    secret: bool = False,
    **values: Any,
) -> Reply:
    """Page rendered from `console/<template>`.

    crumbs  pages above the page in the console: text, address
    secret  the page shows a secret: it uses the bare layout, requests nothing, and runs no script but `script`
    """
    settings = call.state.settings
    frame = _frame(settings.site)
    values |= {
        "page": _frame_page(title, "keys/" if call.endpoint.tag == "Console" else "safety/", crumbs),
        "to": lambda address: _address(settings.site_url, address),
        "session": call.session,
        "moment": timestamp,
        "ago": lambda at: ago(call.state.now() - at),
    }
    try:
        text = _rendered(template, values, frame, "layout.html" if frame and not secret else _BARE)
    except jinja2.UndefinedError:  # the site was built by another version, whose frame lacks something
        text = _rendered(template, values, {}, _BARE)
    own = page_headers(settings.site_url, settings.api_url)
    if secret:
        allowed = digest_of(values["script"]) if "script" in values else "'none'"
        policy = own["content-security-policy"].replace("script-src 'self'", f"script-src {allowed}")
        own["content-security-policy"] = re.sub(r"connect-src [^;]*", "connect-src 'none'", policy)
    return Reply(text.encode(), status, PAGE, own | {"vary": "Cookie", "cache-control": "no-store"} | (headers or {}))


def _frame_page(title: str, section: str, crumbs: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Page as the site's layout sees it."""
    return {
        "title": title,
        "description": title,
        "address": section,
        "section": section,
        "file": "",
        "crumbs": crumbs,
        "side": (),
        "structured": "",
        "markdown": False,
        "robots": False,
        "bench": True,
        "scripts": (),
    }


@cache
def key_script() -> Markup:
    """Script of the page that shows a key, to stand within the page."""
    return Markup((assets.folder("site") / "js" / "once.js").read_text("utf-8"))  # noqa: S704 - a file of ours


def digest_of(script: str) -> str:
    """Source expression that allows a script within a page by its digest (CSP Level 3, section 2.3.1)."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def _rendered(template: str, values: dict[str, Any], frame: dict[str, Any], base: str) -> str:
    html = _templates().get_template(f"console/{template}").render(values, frame=frame, base=base)
    return with_column_names(html)


def accepts_page(call: Call) -> bool:
    """Whether the caller is a browser: the body is a form, or GET accepts HTML or does not mention JSON."""
    if call.endpoint.method != "GET":
        return is_form(call)
    accepted = call.header("accept")
    return not ("json" in accepted and "text/html" not in accepted)


def problem_page(call: Call, problem: Reply) -> Reply:
    """HTML page for a problem document, with the same status and headers."""
    document = msgspec.json.decode(problem.content)
    known = problems()[document["code"]]
    headers = {name: value for name, value in problem.headers.items() if name != "content-type"}
    return page(
        call, "problem.html", known.title, status=problem.status_code, headers=headers, problem=document, do=known.do
    )


def ago(milliseconds: int) -> str:
    """Age such as `2 days ago`, to be shown next to the exact time."""
    for size, unit in _UNITS:
        count = milliseconds // size
        if count > 0:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _address(site_url: str, address: str) -> str:
    """Link target for the layout, valid from any page below the site's address."""
    path, hash_, fragment = address.partition("#")
    if (not path or path.endswith("/")) and not path.startswith("keys/"):
        path += "index.html"
    return f"{urlsplit(site_url).path.rstrip('/')}/{path}{hash_}{fragment}"


@lru_cache(maxsize=1)
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets.folder("site") / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        # Names and statements of third parties stand on these pages: no character that no one sees.
        finalize=lambda value: without_hidden(value) if type(value) is str else value,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _frame(site: str) -> dict[str, Any]:
    """Layout data of the built site from its manifest; empty without a built site."""
    if not site:
        return {}
    file = Path(site) / _MANIFEST
    try:
        return _read(file, file.stat().st_mtime_ns)
    except OSError:
        return {}


# `_changed` is part of the cache key, so that a rebuilt site is read again.
@lru_cache(maxsize=4)
def _read(file: Path, _changed: int) -> dict[str, Any]:
    try:
        return dict(msgspec.json.decode(file.read_bytes()).get("frame") or {})
    except (msgspec.DecodeError, AttributeError, TypeError, ValueError):
        return {}
