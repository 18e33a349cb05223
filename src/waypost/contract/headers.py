"""The headers that every page of the site is served with."""

from __future__ import annotations

from urllib.parse import urlsplit


def content_security_policy(site_url: str = "", api_url: str = "", *, meta: bool = False) -> str:
    """What a page may load: its own scripts and styles, nothing inline, nothing from outside.

    meta  for a `<meta>` element, where `frame-ancestors` has no effect (CSP Level 3, 3.3)
    """
    other = urlsplit(api_url)
    elsewhere = f" {other.scheme}://{other.netloc}" if other.netloc and other[:2] != urlsplit(site_url)[:2] else ""
    parts = [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        f"connect-src 'self'{elsewhere}",
        "form-action 'self'",
        "base-uri 'none'",
        *(() if meta else ("frame-ancestors 'none'",)),
        "require-trusted-types-for 'script'",
        "trusted-types waypost-parse",
    ]
    return "; ".join(parts)


def page_headers(site_url: str = "", api_url: str = "") -> dict[str, str]:
    """The headers of a page, by lower-case name."""
    return {
        "content-security-policy": content_security_policy(site_url, api_url),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
