"""Undocumented parts of uvicorn under `protocol.Wire`, looked for before the service starts.

On a release without one of them the service runs with uvicorn's own protocol, and says what is not bounded then: it
would otherwise show in an attack, as a slow client that is not cut off.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version

MODULE = "uvicorn.protocols.http.httptools_impl"
METHODS = {
    "connection_made": 1,
    "connection_lost": 1,
    "shutdown": 0,
    "pause_writing": 0,
    "resume_writing": 0,
    "on_message_begin": 0,
    "on_headers_complete": 0,
    "on_body": 1,
    "on_response_complete": 0,
    "data_received": 1,
    "eof_received": 0,
    "send_400_response": 1,
}
"""Methods of `HttpToolsProtocol` under those of `Wire`, with their number of arguments."""
ATTRIBUTES = frozenset({"app", "cycle", "flow", "headers", "loop", "parser", "pipeline", "server_state", "transport"})
"""Attributes of a connection."""
CYCLE_ATTRIBUTES = frozenset(
    {"body", "disconnected", "keep_alive", "message_event", "more_body", "on_response", "response_complete"}
)
"""Attributes of a request during its answer."""


def unbounded() -> str:
    """Sentence about what the service cannot bound on the installed uvicorn; empty where it has all parts."""
    missing = list(_missing())
    if not missing:
        return ""
    return (
        f"uvicorn {version('uvicorn')} lacks {', '.join(missing)}: request heads without an end and clients that do "
        "not read their answers are not bounded; install uvicorn 0.54, or put a proxy in front that bounds them"
    )


def _missing() -> Iterator[str]:
    try:
        module = import_module(MODULE)
        protocol, cycle = module.HttpToolsProtocol, module.RequestResponseCycle
    except (ImportError, AttributeError) as error:
        yield str(error)
        return
    for name, count in METHODS.items():
        method = getattr(protocol, name, None)
        if method is None or len(inspect.signature(method).parameters) != count + 1:
            yield f"{name} with {count} argument{'' if count == 1 else 's'}"
    for made, names in ((protocol, ATTRIBUTES), (cycle, CYCLE_ATTRIBUTES)):
        # Set by the constructor; a connection to check would need a running loop.
        yield from sorted(names - set(made.__init__.__code__.co_names))
    if hasattr(cycle, "__slots__"):
        yield "a request that takes attributes"
