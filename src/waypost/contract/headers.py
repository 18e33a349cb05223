"""HTTP headers of the site's pages."""

from __future__ import annotations

from urllib.parse import urlsplit


def content_security_policy(site_url: str = "", api_url: str = "", *, meta: bool = False) -> str:
    """Content-Security-Policy of a page: own scripts and styles, nothing inline, no third parties.

    meta  for a `<meta>` element, where `frame-ancestors` has no effect (CSP Level 3, section 3.3)
    """
    api = urlsplit(api_url)
    elsewhere = f" {api.scheme}://{api.netloc}" if api.netloc and api[:2] != urlsplit(site_url)[:2] else ""
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
    """Headers of a page, by lower-case name."""
    return {
        "content-security-policy": content_security_policy(site_url, api_url),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }
