"""Asking a waypost service, from Python.

    from waypost.client import Client, Stopped

    with Client("https://waypost.example") as waypost:  # the key comes from WAYPOST_API_KEY
        try:
            waypost.require("https://shop.example/pay", "payment")
        except Stopped as stop:
            print(stop)  # why, what is unknown, and where to dispute it
        else:
            pay()

`require` returns only where the service has said, readably and for this very action and host, that it may go ahead,
and only while that holds. Whatever else happens is a stop: another status, a timeout, an answer that cannot be read,
a value that nobody knows, an answer whose time is over. `AsyncClient` is the same to be awaited.
"""

from waypost.client.clients import AsyncClient, Client
from waypost.client.errors import ClientError, NoAnswer, Stopped
from waypost.client.responses import (
    Batch,
    Decision,
    Dispute,
    DomainProfile,
    KeptDecision,
    MadeSnippet,
    OfficialPage,
    Problem,
    SchemaIndex,
    SearchPage,
    SnippetPage,
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
    "KeptDecision",
    "MadeSnippet",
    "NoAnswer",
    "OfficialPage",
    "Problem",
    "SchemaIndex",
    "SearchPage",
    "SnippetPage",
    "Stopped",
    "Validation",
]
