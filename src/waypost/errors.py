"""What can go wrong on our side of the door.

A fault in somebody's page is a `Finding` and a refusal is a `Decision`: both are
ordinary results. An error is for what keeps us from giving a result at all.
"""

from __future__ import annotations

from collections.abc import Sequence


class WaypostError(Exception):
    """Base of every error waypost raises on purpose.

    `code` is a stable slug, `status` the HTTP status a service answers with. The
    text says what is wrong, with the value, then what to do.
    """

    code = "error"
    status = 500


def _did_you_mean(near: Sequence[str]) -> str:
    return f"; did you mean {' or '.join(near)}?" if near else ""


class UnknownType(WaypostError):
    """No schema is registered under this name."""

    code, status = "unknown_type", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no schema named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class UnknownRule(WaypostError):
    """No rule or profile goes by this name."""

    code, status = "unknown_rule", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no rule or profile named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class RegistryError(WaypostError):
    """A file of the registry cannot be used; names the file and the place in it."""

    code = "registry_fault"

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")


class Unreadable(WaypostError):
    """An input that was named could not be read."""

    code, status = "unreadable", 422

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(f"{what}: {reason}")
        self.what, self.reason = what, reason


class NothingToShow(WaypostError):
    """A page has no thing that a card could be drawn for; the text says why."""

    code, status = "nothing_to_show", 422


class FetchDenied(WaypostError):
    """A URL was not fetched, by our own choice; the text says why and what to do.

    Like the text of `FetchFailed` it names the host at the most, never a path, a query or credentials;
    `reason` is one word for programs.
    """

    code, status = "fetch_refused", 422

    def __init__(self, text: str, reason: str = "refused") -> None:
        super().__init__(text)
        self.reason = reason


class FetchFailed(WaypostError):
    """A URL could not be fetched."""

    code, status = "fetch_failed", 502

    def __init__(self, text: str, reason: str = "failed") -> None:
        super().__init__(text)
        self.reason = reason


class InvalidUrl(WaypostError):
    """A text is no absolute http or https URL. The text itself is not repeated: it may hold a secret."""

    code, status = "invalid-url", 422

    def __init__(self, reason: str) -> None:
        super().__init__(f"the URL cannot be checked: {reason}")


class UnsupportedScheme(InvalidUrl):
    """The URL is of a kind that no check knows."""

    code = "unsupported-scheme"


class UnknownPolicy(WaypostError):
    """No policy goes by this name."""

    code, status = "unknown-policy", 404

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"there is no policy named {name!r}{_did_you_mean(near)}")
        self.name, self.near = name, tuple(near)


class UnknownAction(WaypostError):
    """No action goes by this name. The text itself is not repeated: it may be a URL in the wrong place."""

    code, status = "unknown-action", 422

    def __init__(self, known: Sequence[str], near: Sequence[str] = ()) -> None:
        meant = _did_you_mean(near) or f"; there are {', '.join(known)}"
        super().__init__(f"there is no such action{meant}")
        self.near = tuple(near)


class NotReady(WaypostError):
    """No decision can be made now. Whoever asked treats that as a stop."""

    code, status = "not-ready", 503


class RecordError(WaypostError):
    """A record of a decision cannot be decided again; the text says why."""

    code, status = "record-refused", 422

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")


class PolicyError(RegistryError):
    """A policy file would let a sensitive action through on too little, or is not what it says."""

    code = "policy-refused"


class MissingExtra(WaypostError):
    """Something was asked for that needs an optional dependency."""

    code = "missing_extra"

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{package} is needed {purpose}: pip install 'waypost[{extra}]'")
        self.package, self.extra = package, extra
