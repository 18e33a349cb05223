"""Retries and the reading of responses, without input or output, for both clients.

`conversation` yields the steps for a client to carry out. A request is not repeated where a second one might take
effect again, and no request is sent after the deadline.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Generator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from waypost.client.errors import NoAnswer, Stopped
from waypost.client.responses import Decision
from waypost.formats.text import clip, join_words
from waypost.formats.urls import has_two_hosts
from waypost.models.decision import SensitiveUrl

T = TypeVar("T")
D = TypeVar("D", bound=Decision)

MOST_BYTES = 8 << 20
RETRIES = 2
MOST_WAIT_S = 5.0
"""A longer Retry-After ends the attempts."""
FIRST_WAIT_S = 0.2
ITEMS_PER_LIMIT = 20
"""Items of a batch for which its time limit grows by that of one check: 50 items have 34.5 seconds. A service with 4
network checks at once takes 19.5 seconds at most for them."""
LONGEST = timedelta(days=1)
"""Longest time for which a decision is accepted."""
_NOT_HANDLED = frozenset({408, 429, 503})
_MAYBE_DONE = frozenset({502, 504})
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class Response(NamedTuple):
    """Response of the service. Names of `headers` are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Failure(NamedTuple):
    """Failure without an acceptable response. `reason` as in `NoAnswer`."""

    reason: str


class Request(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Request to the service.

    path        below the service's address; parameters in the path are quoted
    read        decodes the response; raises ValueError or msgspec.DecodeError
    repeatable  idempotent: may be sent twice
    statuses    statuses of success; every further status is a problem
    items       checks in the request; the time limit of the client grows with them
    """

    method: str
    path: str
    read: Callable[[Response], T]
    params: dict[str, str] = {}
    body: bytes | None = None
    headers: dict[str, str] = {}
    repeatable: bool = False
    statuses: frozenset[int] = frozenset({200})
    items: int = 1

    def within_s(self, timeout_s: float) -> float:
        """Time limit in seconds, where a request of one check has `timeout_s`."""
        return timeout_s * (1 + (self.items - 1) / ITEMS_PER_LIMIT)


class Send(NamedTuple):
    """Step: send the request, with a timeout of `within_s` seconds."""

    within_s: float


class Wait(NamedTuple):
    """Step: sleep."""

    seconds: float


def conversation(
    repeatable: bool, timeout_s: float, retries: int, clock: Callable[[], float] = time.monotonic
) -> Generator[Send | Wait, Response | Failure | None, Response | Failure]:
    """Steps of a request. The caller sends the outcome of a step; the final outcome is returned."""
    deadline = clock() + timeout_s
    outcome: Response | Failure | None = None
    for number in range(retries + 1):
        left = deadline - clock()
        if left <= 0:
            break
        outcome = yield Send(left)
        assert outcome is not None
        pause = wait_of(outcome, number, repeatable=repeatable)
        # No use in waiting for a time at which no request is sent any more.
        if pause is None or number == retries or clock() + pause >= deadline:
            return outcome
        yield Wait(pause)
    return outcome or Failure("timeout")


def wait_of(outcome: Response | Failure, number: int, *, repeatable: bool) -> float | None:
    """Seconds to wait before the next attempt; None for a final outcome."""
    pause = FIRST_WAIT_S * 2**number
    if isinstance(outcome, Failure):
        # Whether the service has acted is not known after a timeout: only a harmless request is repeated.
        return pause if repeatable and outcome.reason in {"timeout", "connection"} else None
    if outcome.status in _NOT_HANDLED:
        # 408, 429 and 503 mean that the request was not handled, so that any request may be repeated.
        delay_s = retry_after(outcome)
        if delay_s is not None:
            return float(delay_s) if delay_s <= MOST_WAIT_S else None
        # Without Retry-After no one knows when the limit ends, and trying counts against it.
        return pause if repeatable and outcome.status != 429 else None
    return pause if repeatable and outcome.status in _MAYBE_DONE else None


def retry_after(answer: Response) -> int | None:
    """Retry-After in seconds (RFC 9110 section 10.2.3); a date is relative to the response's Date."""
    text = answer.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        # Nine digits are decades; more would only cost time.
        return int(text[:9])
    try:
        when = parsedate_to_datetime(text) - parsedate_to_datetime(answer.headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return max(int(when.total_seconds()), 0)


_WORDS = {
    "timeout": "it did not answer in time",
    "connection": "it cannot be reached",
    "too_large": f"its answer is longer than {MOST_BYTES >> 20} MiB",
    "encoded": "its answer is compressed, which was not requested",
}


def result(request: Request[T], outcome: Response | Failure, redact: Callable[[str], str]) -> T | NoAnswer:
    """Content of the response, or the error. `redact` removes the key from a text."""
    if isinstance(outcome, Failure):
        why = _WORDS.get(outcome.reason, "it cannot be reached")
        return NoAnswer(f"there is no answer from the service: {why}", outcome.reason)
    if outcome.status not in request.statuses:
        return _problem(outcome, redact)
    if not _is_json(outcome):
        return NoAnswer("the service's answer is not JSON", "unreadable", http_status=outcome.status)
    try:
        return request.read(outcome)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # not chained: the text may quote the response
        return NoAnswer("the service's answer cannot be read", "unreadable", http_status=outcome.status)


def _problem(answer: Response, redact: Callable[[str], str]) -> NoAnswer:
    # Following would carry the key to an address that the caller did not name.
    if 300 <= answer.status < 400:
        return NoAnswer("the service sent us elsewhere; we do not follow", "redirect", http_status=answer.status)
    content: Any = None
    if _is_json(answer):
        try:
            content = msgspec.json.decode(answer.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            content = None
    members = content if isinstance(content, dict) else {}
    code = members.get("code")
    code = code if isinstance(code, str) and _SLUG.fullmatch(code) else ""
    detail = members.get("detail")
    reason = f": {clip(redact(detail), 200)}" if isinstance(detail, str) and detail else ""
    request_id = answer.headers.get("x-request-id", "")
    return NoAnswer(
        f"the service answered {answer.status}{f' ({redact(code)})' if code else ''}{reason}",
        "problem",
        http_status=answer.status,
        problem=redact(code),
        request_id=redact(clip(request_id, 128)),
        retry_after_s=retry_after(answer),
    )


def _is_json(answer: Response) -> bool:
    media = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    return media == "application/json" or (media.startswith("application/") and media.endswith("+json"))


def read_as(kind: type[T]) -> Callable[[Response], T]:
    """Decoder of a response as a struct."""
    decoder = msgspec.json.Decoder(kind)
    return lambda answer: decoder.decode(answer.body)


def read_decision(kind: type[D]) -> Callable[[Response], D]:
    """Decoder of a decision; raises ValueError on a duplicate member."""
    read = read_as(kind)

    def decode(answer: Response) -> D:
        # msgspec keeps the last of duplicate members; RFC 8259, section 4 leaves open which one counts.
        json.loads(answer.body, object_pairs_hook=_reject_duplicates)
        return timed(read(answer), answer)

    return decode


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a member occurs twice")


def timed(decision: D, answer: Response) -> D:
    """Decision with `expires_at` by this machine's clock, and at most LONGEST from now.

    A clock behind the service's would otherwise extend the decision; the Date of the response shows the difference.
    """
    now = datetime.now(UTC)
    ends = min(decision.expires_at, now + LONGEST)
    try:
        sent = parsedate_to_datetime(answer.headers.get("date", ""))
        ends = min(ends, now + (decision.expires_at - sent))
    except (TypeError, ValueError, OverflowError):
        pass  # without a Date the clocks cannot be compared
    return msgspec.structs.replace(decision, expires_at=ends)


def approved(url: SensitiveUrl | str, action: str, found: Decision | NoAnswer) -> Decision | Stopped:
    """Decision if it allows the action at the URL now, else a stop."""
    if isinstance(found, NoAnswer):
        return Stopped(f"stop: no decision could be had, {found}", (found.problem or found.reason,))
    where = clip(found.normalized_domain, 80)
    # An answer mixed up on the way, as by a cache, must not approve.
    if found.action != action:
        return Stopped("stop: the service answered about another action", ("other_action",), found)
    if _is_read_differently(url):
        return Stopped("stop: programs read different hosts in the URL", ("other_destination",), found)
    if not (host := host_of(url)) or found.normalized_domain != host:
        return Stopped("stop: the service answered about another destination", ("other_destination",), found)
    if found.action_allowed is not True:
        unknown = f"; unknown: {join_words(clip(unknown) for unknown in found.unknowns)}" if found.unknowns else ""
        return Stopped(
            f"stop: {action} at {where} is not allowed: {join_words(map(clip, found.reason_codes))}{unknown}; "
            f"confidence {clip(found.confidence_class)}; to object: {clip(found.dispute_path, 120)}",
            found.reason_codes,
            found,
        )
    if not found.is_understood:
        return Stopped("stop: the decision has a value that this client does not know", ("unknown_value",), found)
    if found.contradicts_itself:
        return Stopped("stop: the decision allows what its own values forbid", ("contradiction",), found)
    if not found.holds():
        return Stopped(f"stop: the decision about {where} is over; ask again", ("expired",), found)
    return found


def approved_or_raise(url: SensitiveUrl | str, action: str, found: Decision | NoAnswer) -> Decision:
    """Decision that allows the action at the URL now. Raises Stopped in every other case."""
    verdict = approved(url, action, found)
    if isinstance(verdict, Stopped):
        raise verdict
    return verdict


def host_of(url: SensitiveUrl | str) -> str:
    """Host of a URL as a decision names it; empty if there is none."""
    import ada_url

    text = url.reveal() if isinstance(url, SensitiveUrl) else url
    if not isinstance(text, str):
        return ""
    try:
        parsed = ada_url.URL(text)
    except ValueError:
        return ""
    # A trailing dot makes a name absolute and names the same host.
    return parsed.hostname.strip("[]").removesuffix(".")


def _is_read_differently(url: SensitiveUrl | str) -> bool:
    """Whether the function that acts may connect to another host than the decision is about.

    Python's own HTTP client encodes names by IDNA 2003, which makes `ss` of the German sharp s; URLs
    are read, and decided about, by UTS #46 (WHATWG URL, 3.3).
    """
    text = url.reveal() if isinstance(url, SensitiveUrl) else url
    if not isinstance(text, str) or has_two_hosts(text):
        return True
    if text.isascii():
        return False
    try:
        name = urlsplit(text).hostname or ""
        encoded = name.encode("idna").decode("ascii").removesuffix(".")
    except ValueError:
        return False  # such a name is connected to by none of them
    return not name.isascii() and encoded != host_of(text)
