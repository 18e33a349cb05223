"""Archives for the tests of a crawl."""

from __future__ import annotations

import gzip
from pathlib import Path

PRODUCT = (
    '{{"@context": "https://schema.org", "@type": "Product", "name": "Kettle {number}", '
    '"image": "https://example.com/k.jpg", '
    '"offers": {{"@type": "Offer", "price": "{price}", "priceCurrency": "EUR"}}}}'
)


def page(number: int, price: str = "12.50", more: str = "") -> bytes:
    data = PRODUCT.format(number=number, price=price)
    return f'<title>{number}</title>{more}<script type="application/ld+json">{data}</script>'.encode()


def record(
    url: str, body: bytes, *, kind: str = "response", length: int | None = None, media: str = "text/html"
) -> bytes:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-11-20T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
        f"Content-Type: application/http;msgtype={kind}\r\n"
        f"Content-Length: {len(http) if length is None else length}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def pages(number: int, bad_every: int = 3) -> list[bytes]:
    """Records of so many pages; every `bad_every`th has a price that is no number."""
    return [
        record(f"https://shop{n % 2}.example.com/{n}", page(n, "12,50" if n % bad_every == 0 else "12.50"))
        for n in range(number)
    ]


def write(path: Path, records: list[bytes], *, packed: bool) -> Path:
    path.write_bytes(b"".join(map(gzip.compress, records) if packed else records))
    return path
