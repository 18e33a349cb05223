"""disputes: list what somebody says is wrong about a decision, uphold or reject it

Whoever was given a decision, or has its dispute address, may dispute it. That changes nothing until a reviewer
agrees: an upheld dispute sets the reviews that the decision rested on to disputed, and every sensitive action stops
there. Without --org these are the operator's disputes: all but those about an organization's own reviews.

examples:
  waypost disputes list
  waypost disputes show 9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10
  waypost disputes uphold 9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10 --reason "the domain was sold" --as bea

exit status: 0 done, 1 that step is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import add_data
from waypost.cli._console import width_of, write, write_json
from waypost.cli._people import add_person, organization, person
from waypost.cli._run import UsageError, say

if TYPE_CHECKING:
    from waypost.store import Store
    from waypost.store.disputes import Dispute, DisputeEvent

PLACE = 72
REFUSED = 1
_MOST = 1000


def configure(parser: ArgumentParser) -> None:
    steps = parser.add_subparsers(metavar="WHAT", dest="step", required=True, help="what to do")

    def add(name: str, text: str, work: Callable[[Namespace, Store], int], named: bool = True) -> ArgumentParser:
        step: ArgumentParser = steps.add_parser(name, help=text, description=text)
        if named:
            step.add_argument("id", metavar="ID", help="the dispute")
        step.add_argument("--org", metavar="ORG", help="whose reviewers decide (the operator's)")
        add_data(step)
        step.add_argument("--json", action="store_true", help="as JSON")
        step.set_defaults(work=work)
        return step

    add("list", "list what waits for a reviewer, oldest first", _list, named=False)
    add("show", "show one with what the decision said and all that happened", _show)
    for name, text in (("uphold", "agree: what the decision rested on is doubted"), ("reject", "turn it down")):
        step = add(name, text, _settle)
        add_person(step)
        step.add_argument("--reason", metavar="TEXT", required=True, help="why, for the history")


def run(args: Namespace) -> int:
    from waypost.store import data_folder, open_store
    from waypost.store.errors import ReviewError, Unknown

    with open_store(data_folder(args.data)) as store:
        try:
            status: int = args.work(args, store)
        except ReviewError as fault:
            say(str(fault))
            return REFUSED
        except Unknown:
            raise UsageError("there is no such dispute; `waypost disputes list` shows what waits") from None
        return status


def _reviewers(args: Namespace, store: Store) -> str:
    """The organization whose reviewers decide."""
    from waypost.store import organizations

    if args.org is not None:
        return organization(args, store).id
    operator = store.read(organizations.first)
    if operator is None:
        raise UsageError("there is no organization yet; make one with `waypost org create NAME`")
    return operator.id


def _list(args: Namespace, store: Store) -> int:
    from waypost.store import disputes

    whose = _reviewers(args, store)
    found = store.read(lambda db: disputes.waiting(db, whose, (-1, ""), _MOST + 1))
    if args.json:
        write_json([_told(each) for each in found[:_MOST]])
        return 0
    write(_table(found[:_MOST]))
    if len(found) > _MOST:
        say(f"only the first {_MOST} are shown")
    elif not found:
        say("no dispute waits for a reviewer")
    return 0


def _show(args: Namespace, store: Store) -> int:
    from waypost.store import disputes

    whose = _reviewers(args, store)
    dispute = store.read(lambda db: disputes.for_review(db, whose, args.id))
    events = store.read(lambda db: disputes.history(db, whose, args.id))
    if args.json:
        write_json(_told(dispute) | {"history": [_told_event(each) for each in events]})
        return 0
    write(_sheet(dispute, events, width_of(sys.stdout) or 100))
    return 0


def _settle(args: Namespace, store: Store) -> int:
    from waypost.formats.text import clip
    from waypost.registry.world import load
    from waypost.service.shipped_reviews import shipped_behind
    from waypost.store import disputes, reviews

    whose, who, now, reason = _reviewers(args, store), person(args), _now(), clip(args.reason, 2000)
    dispute = store.read(lambda db: disputes.for_review(db, whose, args.id))
    if args.step == "uphold":
        behind = shipped_behind(dispute, load(), now)
        store.write(lambda db: reviews.uphold(db, whose, args.id, who, now, reason, shipped=behind))
    else:
        store.write(lambda db: reviews.reject(db, whose, args.id, who, now, reason))
    settled = store.read(lambda db: disputes.for_review(db, whose, args.id))
    if args.json:
        write_json(_told(settled))
        return 0
    write([f"the dispute about {_domain(settled)} is {settled.status}\n"])
    return 0


def _told(dispute: Dispute) -> dict[str, Any]:
    from waypost.formats.text import timestamp

    told = {
        "dispute_id": dispute.id,
        "status": dispute.status,
        "claim": dispute.claim,
        "statement": dispute.statement,
        "contact": dispute.contact,
        "evidence": list(dispute.evidence),
        "opened_by": dispute.opened_by,
        "organization": dispute.organization,
        "created_at": timestamp(dispute.created_at),
        "changed_at": timestamp(dispute.changed_at),
        "decision": dict(dispute.decision),
    }
    return {name: value for name, value in told.items() if value not in ("", [])}


def _told_event(event: DisputeEvent) -> dict[str, Any]:
    from waypost.formats.text import timestamp

    told = {"at": timestamp(event.at), "actor": event.actor, "before": event.before, "after": event.after}
    return {name: value for name, value in (told | {"reason": event.reason}).items() if value}


def _table(found: Sequence[Dispute]) -> Iterator[str]:
    wide = max((len(_domain(each)) for each in found), default=0)
    for each in found:
        yield f"{each.id}  {each.status:<9}  {_day(each.created_at)}  {_domain(each):<{wide}}  {each.claim}\n"


def _sheet(dispute: Dispute, events: Sequence[DisputeEvent], width: int) -> Iterator[str]:
    from waypost.formats.text import clip, timestamp
    from waypost.report._terminal import folded

    said = dispute.decision
    rows = [
        ("about", f"{_domain(dispute)}, {said.get('action', '')}"),
        ("decided", f"{said['relationship_status']}, {said.get('risk_status', '')}"),
        ("claim", dispute.claim),
        ("statement", clip(dispute.statement, 2000)),
        ("contact", clip(dispute.contact, 200)),
        ("evidence", clip(" ".join(dispute.evidence), 2000)),
        ("status", dispute.status),
    ]
    yield f"{dispute.id}\n\n"
    for name, value in rows:
        if value:
            yield f"{name:<10}  {folded(value, width, 12, ' ' * 12)}\n"
    yield "\n"
    for each in events:
        why = f": {clip(each.reason, 200)}" if each.reason else ""
        yield f"{timestamp(each.at)[:19].replace('T', ' ')}  {each.after} by {clip(each.actor, 80)}{why}\n"


def _domain(dispute: Dispute) -> str:
    return str(dispute.decision["normalized_domain"])


def _day(at: int) -> str:
    from waypost.formats.text import timestamp

    return timestamp(at)[:10]


def _now() -> int:
    return int(time.time() * 1000)
