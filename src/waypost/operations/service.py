"""Health, readiness and signing keys of the service."""

from __future__ import annotations

from waypost.models.wire.service import Health, Jwks, Readiness
from waypost.operations.context import Context, ServiceContext
from waypost.operations.table import Method, operation
from waypost.service.problems import ProblemError


@operation(
    "GET /healthz",
    id="readHealth",
    title="Check liveness",
    tag="Service",
    scope="public",
    answer="The process is running.",
)
async def health(context: Context) -> Health:  # noqa: ARG001 - it answers: that is all it says
    """Checks only that the process answers."""
    return Health(status="ok")


@operation(
    "GET /readyz",
    id="readReadiness",
    title="Check readiness",
    tag="Service",
    scope="public",
    answer="The service is ready.",
)
async def readiness(context: ServiceContext) -> Readiness:
    """Ready means: the store is writable, the clock is not behind the newest record, the registry, a policy and a
    signing key are loaded. With PostgreSQL, the replica must also have the signing keys, threat lists and registries of
    the other replicas, and a clock that agrees with the database. Compare replicas by `versions` and `clock_skew_ms`.
    """
    checks, versions = await context.readiness()
    if not all(checks.values()):
        raise ProblemError("not-ready", more={"checks": checks, **versions}, headers={"retry-after": "5"})
    return Readiness(status="ready", checks=checks, **versions)


@operation(
    "GET /.well-known/jwks.json",
    id="readSigningKeys",
    title="Get the receipt signing keys",
    tag="Service",
    scope="public",
    limit="schema",
    answer="The keys.",
    cache="public, max-age=300, stale-while-revalidate=86400",
    client=Method("jwks", "", "Public keys of receipts, for `waypost.receipts.verify`."),
)
async def signing_keys(context: ServiceContext) -> Jwks:
    """The current key, the next, and former keys with unexpired receipts (RFC 7517)."""
    return Jwks(**context.signing_keys())
