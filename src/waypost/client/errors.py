"""What a caller of the client may meet. No text here holds a key, nor more of a checked URL than its host."""

from __future__ import annotations

from waypost.client.responses import Decision
from waypost.errors import WaypostError


class ClientError(WaypostError):
    """The client cannot be used as it was set up; says what to change."""

    code = "client-fault"


class NoAnswer(WaypostError):
    """The service gave no answer that can be used. For a decision that is a stop.

    reason         one word for programs: timeout, connection, too_large, redirect, unreadable, or problem
    http_status    of the answer, 0 where there was none
    problem        the code of the service's own problem, such as key-expired; empty where it gave none
    retry_after_s  when the service wants to be asked again, if it said so
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
    """The action must not go ahead.

    reasons   the decision's reason codes; where there is no decision, why not, such as timeout or key-expired
    decision  what the service decided, or None: then nothing is known, which is no approval
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
        """Where to object, below the service's address; empty where there is no decision to object to."""
        return self.decision.dispute_path if self.decision else ""
