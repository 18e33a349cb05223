"""Answers of the service about test hosts, recorded when the site is built: an allow, a stop and an error."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import msgspec
from markupsafe import Markup

from waypost.contract.problems import problems
from waypost.errors import NotReady
from waypost.pages.text import coloured
from waypost.safety.serialize import decision_to_dict
from waypost.service import MOST_S
from waypost.service.fixtures import open_fixtures

_NO_ID = "00000000-0000-4000-8000-000000000000"
_HOSTS = (("Allow", "allow.test"), ("Stop", "stop.test"), ("Error", "error.test"))


def answers_to(now: datetime, *, explained: bool) -> list[tuple[str, Markup]]:
    """Answers by name, for a payment at a test host.

    explained  with the evidence and the version of the policy, as answers to a check of a URL have
    """
    with ThreadPoolExecutor(1) as pool:  # a build may run where an event loop is running
        made = pool.submit(asyncio.run, _all(now, explained=explained)).result()
    return [(name, coloured(json.dumps(answer, indent=2, ensure_ascii=False))) for name, answer in made]


async def _all(now: datetime, *, explained: bool) -> list[tuple[str, dict[str, Any]]]:
    service = open_fixtures(now=lambda: int(now.timestamp() * 1000), waits=False)
    found = []
    for name, host in _HOSTS:
        try:
            checked = await service.check_async(f"https://{host}/", "payment", within_s=MOST_S)
        except NotReady as error:
            problem = problems()[error.code.replace("_", "-")]
            found.append((name, {
                "type": problem.address(""), "title": problem.title, "status": problem.status, "detail": str(error),
                "code": problem.code,
            }))  # fmt: skip
            continue
        decision = msgspec.structs.replace(checked.decision, decision_id=_NO_ID)
        include = {"policy_version", "evidence_summary"} if explained else set()
        found.append((name, decision_to_dict(decision, include=include)))
    return found
