"""What the network showed of a destination. Hosts, times and codes; never a path, a query or credentials."""

from __future__ import annotations

import msgspec


class Hop(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One station on the way to an answer.

    host    as on the wire: lower case, A-labels, no brackets, no trailing dot
    status  the HTTP status it answered with, 0 when it was not asked or did not answer
    fault   why the way ends here, as a word: the `reason` of a refusal or failure; empty when it does not
    """

    scheme: str
    host: str
    port: int
    status: int = 0
    fault: str = ""
