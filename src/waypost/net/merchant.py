"""Well-known files of a host with keys, services and payees, fetched under one deadline.

Both files come from the host over a checked connection: redirects are followed within the host and between host and
`www` alone. Failures are reported as such, and nothing is decided.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable

from waypost.errors import FetchDenied, FetchFailed
from waypost.models.payment import MerchantFile, MerchantFiles
from waypost.net.address import PUBLIC, AddressPolicy
from waypost.net.fetch import Fetched, fetch_async
from waypost.net.resolve import Resolver
from waypost.net.wire import Limits

UCP, X402 = "/.well-known/ucp", "/.well-known/x402"
REUSE_MS = 300_000
"""Lifetime of files that were read or are absent, in milliseconds; a file that failed is not reused."""
_BODY_BYTES = 131_072
_ABSENT = frozenset({404, 410})
_ACCEPT = "application/json"


async def merchant_files(
    host: str,
    *,
    port: int = 443,
    within_s: float,
    now: Callable[[], int],
    resolver: Resolver | None = None,
    policy: AddressPolicy = PUBLIC,
    trust: ssl.SSLContext | None = None,
) -> MerchantFiles:
    """Files of a host within some seconds. Never raises for a failure of the network.

    host  name in A-labels
    """
    began = now()
    limits = Limits(
        total_s=within_s,
        connect_s=within_s,
        read_s=within_s,
        redirects=2,
        body_bytes=_BODY_BYTES,
        wire_bytes=_BODY_BYTES + 65536,
    )
    origin = f"https://{host}" if port == 443 else f"https://{host}:{port}"

    async def read(path: str) -> MerchantFile:
        try:
            fetched = await fetch_async(
                f"{origin}{path}", limits=limits, resolver=resolver, policy=policy, trust=trust, accept=_ACCEPT
            )
        except (FetchDenied, FetchFailed):
            return MerchantFile(status="failed")
        return _file(fetched, host)

    ucp, x402 = await asyncio.gather(read(UCP), read(X402))
    return MerchantFiles(host=host, observed_at=began, valid_until=began + REUSE_MS, ucp=ucp, x402=x402)


def _file(fetched: Fetched, host: str) -> MerchantFile:
    """File of an answer. An answer of another host is a failure."""
    other = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    hops = fetched.hops
    if any(hop.scheme != "https" or hop.host not in {host, other} or hop.port != hops[0].port for hop in hops):
        return MerchantFile(status="failed")
    if fetched.status in _ABSENT:
        return MerchantFile(status="absent")
    # Some sites answer every address with their front page.
    if fetched.status == 200 and (fetched.media_type or "").partition(";")[0].strip().lower() == "text/html":
        return MerchantFile(status="absent")
    return MerchantFile(status="read", data=fetched.data) if fetched.status == 200 else MerchantFile(status="failed")


def is_reusable(files: MerchantFiles, now: int) -> bool:
    """Whether the files of an earlier fetch are complete and recent."""
    whole = "failed" not in {files.ucp.status, files.x402.status}
    return whole and files.observed_at <= now < files.valid_until


def unread(host: str, now: int) -> MerchantFiles:
    """Files of a host that were not read in time."""
    failed = MerchantFile(status="failed")
    return MerchantFiles(host=host, observed_at=now, valid_until=now, ucp=failed, x402=failed)
