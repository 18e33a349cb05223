"""Client of a waypost service.

    from waypost.client import Client, Stopped

    with Client("https://trust.example.com") as waypost:  # the key comes from WAYPOST_API_KEY
        try:
            waypost.require("https://shop.example/pay", "payment")
        except Stopped as stop:
            print(stop)  # why, what is unknown, and where to dispute it
        else:
            pay()

`require` returns only if a valid response allows the action at the host, and only until the decision expires. Every
further outcome is a stop: another status, a timeout, an unreadable response, an unknown value, an expired decision.
`AsyncClient` has the same methods as coroutines.
"""

from waypost.client.clients import AsyncClient, Client
from waypost.client.errors import ClientError, NoAnswer, Stopped
from waypost.client.responses import (
    Batch,
    Decision,
    Dispute,
    DomainProfile,
    MadeSnippet,
    OfficialPage,
    Problem,
    SchemaIndex,
    SearchPage,
    SnippetPage,
    StoredDecision,
    Validation,
)

__all__ = [
    "AsyncClient",
    "Batch",
    "Client",
    "ClientError",
    "Decision",
    "Dispute",
    "DomainProfile",
    "MadeSnippet",
    "NoAnswer",
    "OfficialPage",
    "Problem",
    "SchemaIndex",
    "SearchPage",
    "SnippetPage",
    "Stopped",
    "StoredDecision",
    "Validation",
]
