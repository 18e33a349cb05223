"""Errors of the client. No message contains a key, nor more of a checked URL than the host."""

from __future__ import annotations

from waypost.client.responses import Decision
from waypost.errors import WaypostError


class ClientError(WaypostError):
    """Invalid setup of a client; the message names the change to make."""

    code = "client-fault"


class NoAnswer(WaypostError):
    """No usable response from the service. Counts as a stop for a decision.

    reason         a word for programs: timeout, connection, too_large, redirect, unreadable, or problem
    http_status    status of the response, 0 without a response
    problem        code of the service's problem, such as key-expired; empty without a problem
    retry_after_s  seconds to wait before the next attempt, from Retry-After
    """

    code = "no-answer"

    def __init__(
        self,
        text: str,
        reason: str,
        *,
        http_status: int = 0,
        problem: str = "",
        request_id: str = "",
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(text)
        self.reason = reason
        self.http_status = http_status
        self.problem = problem
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class Stopped(WaypostError):
    """Stop: the action must not go ahead.

    reasons   reason codes of the decision; without a decision the error, such as timeout or key-expired
    decision  the service's decision, or None, which is not an approval
    """

    code = "stopped"

    def __init__(self, text: str, reasons: tuple[str, ...], decision: Decision | None = None) -> None:
        super().__init__(text)
        self.reasons = reasons
        self.decision = decision

    @property
    def unknowns(self) -> tuple[str, ...]:
        return self.decision.unknowns if self.decision else ()

    @property
    def confidence_class(self) -> str:
        return self.decision.confidence_class if self.decision else "insufficient"

    @property
    def dispute_path(self) -> str:
        """Path for an objection, below the service's address; empty without a decision."""
        return self.decision.dispute_path if self.decision else ""
