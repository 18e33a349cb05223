"""disputes: list the disputes about decisions, uphold or reject one

Anyone who was given a decision, or has its dispute address, may dispute it. That changes nothing until a reviewer
agrees: an upheld dispute of any kind sets the reviews that the decision rested on to disputed, or without any the host
itself, and every action stops there until a reviewer ends that. Without --org these are the operator's disputes: all
but those about an organization's own reviews.

examples:
  waypost disputes list
  waypost disputes show 9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10
  waypost disputes uphold 9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10 --reason "the domain was sold" --as bea

exit status: 0 done, 1 that step is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, print_message, width_of, write, write_json
from waypost.cli._identity import add_person, organization, person
from waypost.cli._subcommands import clipped, day_of, now_ms, run_with_store, subcommands, world_of

if TYPE_CHECKING:
    from waypost.store import Store
    from waypost.store.disputes import Dispute, DisputeEvent

PLACE = 72
_MAX_ITEMS = 1000
_ORG_HELP = "whose reviewers decide (the operator's)"


def configure(parser: ArgumentParser) -> None:
    from waypost.store.review_steps import STEPS

    add = subcommands(parser)

    add("list", "list the disputes that wait for a reviewer, oldest first", _list, org_help=_ORG_HELP)
    add(
        "show",
        "show a dispute with its decision and its history",
        _show,
        id_help="the dispute",
        org_help=_ORG_HELP,
    )
    for name, each in STEPS.items():
        if each.disputing:
            step = add(*each.disputing, partial(_settle, name), id_help="the dispute", org_help=_ORG_HELP)
            add_person(step)
            step.add_argument("--reason", metavar="TEXT", required=True, help="why, for the history")


def run(args: Namespace) -> int:
    from waypost.store.errors import ReviewError, Unknown

    try:
        return run_with_store(args, ReviewError)
    except Unknown:
        raise UsageError("there is no such dispute; `waypost disputes list` shows what waits") from None


def _reviewers(args: Namespace, store: Store) -> str:
    """Id of the organization of --org, else of the operator. Raises UsageError."""
    from waypost.store import organizations

    if args.org is not None:
        return organization(args, store).id
    operator = store.read(organizations.first)
    if operator is None:
        raise UsageError("there is no organization yet; make one with `waypost org create NAME`")
    return operator.id


def _list(args: Namespace, store: Store) -> int:
    from waypost.store import disputes

    reviewers = _reviewers(args, store)
    found = store.read(lambda db: disputes.waiting(db, reviewers, (-1, ""), _MAX_ITEMS + 1))
    if args.json:
        write_json([_to_dict(dispute) for dispute in found[:_MAX_ITEMS]])
        return 0
    write(_table(found[:_MAX_ITEMS]))
    if len(found) > _MAX_ITEMS:
        print_message(f"only the first {_MAX_ITEMS} are shown")
    elif not found:
        print_message("no dispute waits for a reviewer")
    return 0


def _show(args: Namespace, store: Store) -> int:
    from waypost.store import disputes

    reviewers = _reviewers(args, store)
    dispute = store.read(lambda db: disputes.for_review(db, reviewers, args.id))
    events = store.read(lambda db: disputes.history(db, reviewers, args.id))
    if args.json:
        write_json(_to_dict(dispute) | {"history": [_event_to_dict(event) for event in events]})
        return 0
    write(_sheet(dispute, events, width_of(sys.stdout) or 100))
    return 0


def _settle(step: str, args: Namespace, store: Store) -> int:
    from waypost.formats.text import clip
    from waypost.service.shipped_reviews import shipped_behind
    from waypost.store import disputes
    from waypost.store.review_steps import Review, take

    reviewers, who, now = _reviewers(args, store), person(args), now_ms()
    dispute = store.read(lambda db: disputes.for_review(db, reviewers, args.id))
    review = Review(who, now, clip(args.reason, 2000), shipped=shipped_behind(_domain(dispute), world_of(args), now))
    store.write(lambda db: take(db, step, reviewers, args.id, review))
    settled = store.read(lambda db: disputes.for_review(db, reviewers, args.id))
    if args.json:
        write_json(_to_dict(settled))
        return 0
    write([f"the dispute about {_domain(settled)} is {settled.status}\n"])
    print_message(settled.effect_detail)
    return 0


def _to_dict(dispute: Dispute) -> dict[str, Any]:
    from waypost.formats.text import display_name, display_url, timestamp, without_hidden

    members = {
        "dispute_id": dispute.id,
        "status": dispute.status,
        "claim": dispute.claim,
        "statement": without_hidden(dispute.statement),
        "contact": display_name(dispute.contact),
        "evidence": [display_url(url) for url in dispute.evidence],
        "opened_by": dispute.opened_by,
        "organization": dispute.organization,
        "created_at": timestamp(dispute.created_at),
        "changed_at": timestamp(dispute.changed_at),
        "environment": dispute.environment,
        "effect": dispute.effect,
        "effect_detail": dispute.effect_detail,
        "decision": dict(dispute.decision),
    }
    return {name: value for name, value in members.items() if value not in ("", [])}


def _event_to_dict(event: DisputeEvent) -> dict[str, Any]:
    from waypost.formats.text import timestamp, without_hidden

    members = {"at": timestamp(event.at), "actor": event.actor, "before": event.before, "after": event.after}
    return {name: value for name, value in (members | {"reason": without_hidden(event.reason)}).items() if value}


def _table(found: Sequence[Dispute]) -> Iterator[str]:
    width = max((len(_domain(dispute)) for dispute in found), default=0)
    for dispute in found:
        opened = day_of(dispute.created_at)
        yield f"{dispute.id}  {dispute.status:<9}  {opened}  {_domain(dispute):<{width}}  {dispute.claim}\n"


def _sheet(dispute: Dispute, events: Sequence[DisputeEvent], width: int) -> Iterator[str]:
    from waypost.formats.text import timestamp
    from waypost.report._terminal import folded

    decision = dispute.decision
    rows = [
        ("about", f"{_domain(dispute)}, {decision.get('action', '')}"),
        ("decided", f"{decision['relationship_status']}, {decision.get('risk_status', '')}"),
        ("claim", dispute.claim),
        ("statement", clipped(dispute.statement, 2000)),
        ("contact", clipped(dispute.contact, 200)),
        ("evidence", clipped(" ".join(dispute.evidence), 2000)),
        ("status", dispute.status),
        ("effect", dispute.effect_detail),
    ]
    yield f"{dispute.id}\n\n"
    for name, value in rows:
        if value:
            yield f"{name:<10}  {folded(value, width, 12, ' ' * 12)}\n"
    yield "\n"
    for event in events:
        why = f": {clipped(event.reason, 200)}" if event.reason else ""
        yield f"{timestamp(event.at)[:19].replace('T', ' ')}  {event.after} by {clipped(event.actor, 80)}{why}\n"


def _domain(event: Dispute) -> str:
    return str(event.decision["normalized_domain"])
