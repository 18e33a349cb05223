"""Problem documents (RFC 9457) for errors. Details name places in the request and never repeat values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from waypost.contract.problems import problems
from waypost.errors import WaypostError

MOST_ERRORS = 32
ErrorItem = dict[str, str]
"""Single error: `pointer`, `parameter` or `header`, then `code` and `detail`."""


class ProblemError(WaypostError):
    """Error that is answered with a problem document.

    more     further members of the body
    headers  further headers of the answer
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        errors: Iterable[ErrorItem] = (),
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        known = problems()[code]
        super().__init__(detail or known.title)
        self.code, self.status = code, known.status
        self.errors = tuple(errors)
        self.more = dict(more or {})
        self.headers = dict(headers or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are pickled with their message alone; this one is made from more.
        return _unpickled, (self.code, str(self), self.errors, self.more, self.headers)


def _unpickled(code: str, detail: str, errors: Any, more: Any, headers: Any) -> ProblemError:
    return ProblemError(code, detail, errors=errors, more=more, headers=headers)


class ProblemDocument(NamedTuple):
    """Problem ready to send: HTTP status, JSON body, headers."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]


def to_problem(error: WaypostError, request_id: str, site_url: str) -> ProblemDocument:
    """Problem document for an error. An unknown error code becomes `internal`, without the error's message."""
    error = as_problem_error(error)
    known = problems()[error.code]
    body: dict[str, Any] = {
        "type": known.address(site_url),
        "title": known.title,
        "status": known.status,
        "code": known.code,
        "detail": str(error),
        "instance": f"urn:uuid:{request_id}",
        "request_id": request_id,
    }
    if error.errors:
        body["errors"] = list(error.errors[:MOST_ERRORS])
        if len(error.errors) > MOST_ERRORS:
            body["truncated"] = True
    return ProblemDocument(known.status, body | error.more, error.headers)


def as_problem_error(error: WaypostError) -> ProblemError:
    """ProblemError for an error of a lower layer. For status 500 and above the message is replaced, as it may name
    files."""
    if isinstance(error, ProblemError):
        return error
    code = error.code.replace("_", "-")
    known = problems().get(code)
    if known is None or known.status >= 500:
        code = code if known else "internal"
        headers = {"retry-after": str(getattr(error, "retry_after_s", 1))} if code == "not-ready" else {}
        return ProblemError(code, problems()[code].when, headers=headers)
    near = getattr(error, "near", ())
    return ProblemError(code, str(error), more={"did_you_mean": list(near)} if near else None)
