"""review who owns a domain: submit, list, show, accept, reject, dispute, import

A claim about the owner of a domain starts as unreviewed. Nothing is verified before a person other than the
submitter accepts it; domains where people log in or pay need two. Names are those given with --as,
or of the user who is logged in. Nothing is ever deleted: `show` shows the full history. A review that ships
with waypost is called registry:BRAND:DOMAIN and can be disputed. `accept` checks the domain once, and its
registration, name servers and certificate are stored: a later difference is a doubt, which `doubts` lists;
`reject` dismisses it, `uphold` disputes the review.

examples:
  waypost review submit pay.example.com --entity Acme --type official_payment --as ann
  waypost review import sets.json --as ann
  waypost review list
  waypost review accept rel_0123456789abcdef0123 --reason "linked from the imprint" --as bea
  waypost review dispute rel_0123456789abcdef0123 --reason "the domain was sold"

exit status: 0 done, 1 that step is not possible, 2 wrong usage, 3 something could not be read
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.cli._console import UsageError, add_colour, coloured, print_message, width_of, write, write_json
from waypost.cli._identity import add_person, person
from waypost.cli._subcommands import Adder, clipped, day_of, now_ms, run_with_store, subcommands, world_of
from waypost.formats.text import display_name, display_url, timestamp, without_hidden

if TYPE_CHECKING:
    from waypost.models.relationship import Event, OwnershipSnapshot, Record, RelationshipMatch
    from waypost.report._terminal import Paint
    from waypost.store import Store
    from waypost.store.doubts import Doubt
    from waypost.store.review_steps import Review

PLACE = 70
_MAX_ITEMS = 1000
_SHADES = {
    "accepted": "good", "reviewed": "good", "unreviewed": "dim", "in_review": "warning", "disputed": "error",
    "revoked": "error", "rejected": "dim", "expired": "warning",
}  # fmt: skip


def configure(parser: ArgumentParser) -> None:
    add = subcommands(parser)

    listing = add("list", "list relationships, oldest first", _list)
    listing.add_argument("--state", type=_state, metavar="STATE", help="only those in this state")
    add_colour(listing)
    showing = add("show", "show one with its full history", _show, id_help="the relationship")
    add_colour(showing)
    doubting = add("doubts", "list signs that a reviewed domain has another owner, oldest first", _doubts)
    add_colour(doubting)
    searching = add("search", "find relationships by name or domain; unreviewed ones are marked", _search)
    searching.add_argument("text", metavar="TEXT", help="words; the last may be unfinished")
    add_colour(searching)

    _add_steps(add)
    add_submit(add("submit", "submit a claim for review", submit))
    _add_import(add("import", "import claims from a file, all or none; each starts unreviewed", _import))


def _add_steps(add: Adder) -> None:
    from waypost.store.review_steps import STEPS

    for name, each in STEPS.items():
        if each.command is None:
            continue
        command, text = each.command
        step = add(command, text, partial(_take, name), id_help="the relationship")
        add_person(step)
        step.add_argument(
            "--reason", metavar="TEXT", default="", required=name != "approve", help="why, for the history"
        )
        if name == "approve":
            step.add_argument(
                "--offline", action="store_true", help="keep no facts about the domain: later ones are not compared"
            )
            step.add_argument(
                "--days", type=_days, default=365, metavar="N", help="days until the review expires (365)"
            )


def add_submit(submitting: ArgumentParser, kind: str = "official_site") -> None:
    submitting.add_argument("domain", metavar="DOMAIN", help="a registered domain, or one host")
    submitting.add_argument("--entity", required=True, metavar="NAME", help="the owner that the claim names")
    kinds = "official_site, official_login, official_payment, official_support, official_app or affiliate"
    submitting.add_argument(
        "--type", type=_kind, default=kind, metavar="TYPE", help=f"what it is to them: {kinds} ({kind})"
    )
    submitting.add_argument("--statement", metavar="TEXT", default="", help="the evidence for the claim")
    add_person(submitting)


def _add_import(importing: ArgumentParser) -> None:
    importing.add_argument("file", metavar="FILE", help="the file, - for standard input")
    forms = "related-website-sets, assetlinks or csv; detected from the file by default"
    columns = "domain, entity and any of type, url, statement, evidence, origin"
    importing.add_argument(
        "--format", type=_form, metavar="FORMAT", help=f"{forms}; the first line of CSV names the columns: {columns}"
    )
    importing.add_argument("--site", default="", metavar="DOMAIN", help="whose assetlinks file it is")
    add_person(importing)


def _state(text: str) -> str:
    from waypost.models.relationship import STATES

    return _one_of(text, STATES)


def _kind(text: str) -> str:
    from waypost.models.relationship import RELATIONSHIP_TYPES

    return _one_of(text, RELATIONSHIP_TYPES)


def _form(text: str) -> str:
    from waypost.store.imports import FORMATS

    return _one_of(text, FORMATS)


def _one_of(text: str, known: Sequence[str]) -> str:
    """Text among `known`, like argparse's `choices`, but with the choices loaded only for a used option."""
    if text not in known:
        raise ArgumentTypeError(f"unknown value {text!r}; choose from {', '.join(known)}")
    return text


def _days(text: str) -> int:
    # Four digits decide: int() refuses a number of more than 4,300 digits with an error of its own.
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 365):
        raise ArgumentTypeError(f"{text!r}: a review holds 1 to 365 days")
    return int(text)


def run(args: Namespace) -> int:
    from waypost.store.errors import ReviewError, UnknownRelationship

    try:
        return run_with_store(args, ReviewError)
    except UnknownRelationship as error:
        raise UsageError(str(error)) from None


def _list(args: Namespace, store: Store) -> int:
    from waypost.store import relationships

    # Decisions compare the expiry with the clock; the mark is for those who read the list.
    store.write(lambda db: relationships.expire(db, now_ms()))
    # One more than is shown shows whether there are further ones.
    records = store.read(lambda db: relationships.find_many(db, args.state, limit=_MAX_ITEMS + 1))
    if args.json:
        write_json([_to_dict(record) for record in records[:_MAX_ITEMS]])
        return 0
    write(_table(records[:_MAX_ITEMS], _paint(args)))
    if len(records) > _MAX_ITEMS:
        print_message(f"only the first {_MAX_ITEMS} are shown; --state shows fewer")
    elif not records:
        print_message(f"no relationship is {args.state}" if args.state else "there are no relationships yet")
    return 0


def _show(args: Namespace, store: Store) -> int:
    from waypost.store import relationships

    store.write(lambda db: relationships.expire(db, now_ms(), args.id))
    record = store.read(lambda db: relationships.get(db, args.id))
    events = store.read(lambda db: relationships.history(db, args.id))
    if args.json:
        write_json(_to_dict(record) | {"history": [_event_to_dict(event) for event in events]})
        return 0
    write(_sheet(record, events, _paint(args), width_of(sys.stdout) or 100))
    return 0


def _search(args: Namespace, store: Store) -> int:
    from waypost.store.search import search

    records = store.read(lambda db: search(db, args.text, now_ms()))
    if args.json:
        import msgspec

        write_json([msgspec.to_builtins(record) for record in records])
        return 0
    write(_matches_table(records, _paint(args)))
    if not records:
        print_message("nothing is found")
    return 0


def _take(step: str, args: Namespace, store: Store) -> int:
    from waypost.formats.text import clip
    from waypost.service.shipped_reviews import shipped_behind
    from waypost.store import doubts, relationships
    from waypost.store.review_steps import Review, take_claim

    who, now, reason = person(args), now_ms(), clip(args.reason, 2000) if args.reason.strip() else ""
    if step == "uphold" or args.id.startswith(doubts.PREFIX):
        return _decide_doubt(step, args, store, Review(who, now, reason))
    review = Review(who, now, reason)
    if step == "approve":
        # The network is queried before the write begins: a probe of seconds would keep every other writer of the
        # store waiting.
        review = Review(who, now, reason, args.days, snapshot=_snapshot(args, store))
    elif step == "dispute" and args.id.startswith(f"{relationships.REGISTRY}:"):
        review = Review(who, now, reason, shipped=shipped_behind(args.id.rpartition(":")[2], world_of(args), now))
    record = store.write(lambda db: take_claim(db, step, args.id, review))
    if args.json:
        write_json(_to_dict(record))
        return 0
    write([_outcome(record, step), "\n"])
    return 0


def _snapshot(args: Namespace, store: Store) -> OwnershipSnapshot | None:
    """Facts about the domain of a claim today, or None where nothing is seen or --offline is given."""
    if args.offline:
        return None
    import asyncio

    from waypost.registry.world import load
    from waypost.service import Service, network
    from waypost.store import relationships

    domain = store.read(lambda db: relationships.get(db, args.id)).domain
    found = asyncio.run(Service(load(), probe=network()).snapshot(domain))
    if found is None:
        print_message(f"nothing is seen of {domain}: later facts about its owner are not compared")
    return found


def _doubts(args: Namespace, store: Store) -> int:
    from waypost.store import doubts

    found = store.read(lambda db: doubts.waiting(db, "", (-1, ""), _MAX_ITEMS))
    if args.json:
        write_json([_doubt_to_dict(doubt) for doubt in found])
        return 0
    width = max((len(doubt.about.domain) for doubt in found), default=0)
    paint = _paint(args)
    for doubt in found:
        changes = paint(_word(", ".join(doubt.about.changes)), "warning")
        write([f"{doubt.id}  {doubt.about.domain:<{width}}  {clipped(doubt.about.entity)}  {changes}\n"])
    if not found:
        print_message("no reviewed domain is in doubt")
    return 0


def _decide_doubt(step: str, args: Namespace, store: Store, review: Review) -> int:
    from msgspec.structs import replace

    from waypost.service.shipped_reviews import shipped_behind
    from waypost.store import doubts
    from waypost.store.errors import ReviewError, Unknown
    from waypost.store.review_steps import take

    try:
        about = store.read(lambda db: doubts.find(db, "", args.id)).about
    except Unknown:
        raise UsageError(f"there is no doubt {args.id}; `waypost review doubts` lists them") from None
    if step not in {"reject", "uphold"}:
        raise ReviewError("a doubt is upheld or rejected")
    review = replace(review, shipped=shipped_behind(about.domain, world_of(args), review.now))
    done = store.write(lambda db: take(db, step, "", args.id, review)).doubt
    assert done is not None
    if args.json:
        write_json(_doubt_to_dict(done))
    elif step == "uphold":
        write([f"{about.domain}: the review is disputed, and every sensitive action stops there\n"])
    else:
        write([f"{about.domain}: the doubt is turned down; later facts are compared with those of today\n"])
    return 0


def _doubt_to_dict(doubt: Doubt) -> dict[str, Any]:
    import msgspec

    members: dict[str, Any] = {"id": doubt.id, **msgspec.to_builtins(doubt.about), "state": doubt.state}
    members |= {"created_at": timestamp(doubt.created_at), "changed_at": timestamp(doubt.changed_at)}
    members |= {"actor": doubt.actor, "reason": doubt.reason}
    return {name: value for name, value in members.items() if value not in (None, "")}


def _outcome(record: Record, step: str) -> str:
    text = f"{record.domain} ({clipped(record.entity_name)}) is {_word(record.state)}"
    if step == "approve" and record.state != "accepted":
        return f"{text}: approved by {', '.join(record.approvals)}; one more reviewer is needed"
    if record.state == "accepted" and record.review_expires_at:
        alone = record.needed == 1 and not (record.organization or record.approvals)
        more = "; to pay or log in there takes the accept of one more reviewer" if alone else ""
        return f"{text} until {day_of(record.review_expires_at)}{more}"
    if record.state == "disputed":
        return f"{text}: every sensitive action stops there"
    return text


def submit(args: Namespace, store: Store) -> int:
    from waypost.models.relationship import Claim
    from waypost.store import relationships

    who = person(args)
    domain, scope = _subject(args.domain)
    entity, entity_name = _entity(args, _checked("--entity", args.entity, 120))
    claim = Claim(
        domain=domain,
        scope=scope,
        entity=entity,
        entity_name=entity_name,
        type=args.type,
        submitter=who,
        origin=who,
        source="form",
        statement=_checked("--statement", args.statement, 2000),
    )
    filed = store.write(lambda db: relationships.submit(db, claim, now_ms()))
    if args.json:
        write_json({"relationship_id": filed.id, "review_status": "unreviewed"})
        return 0
    joined = "" if filed.new else ", next to claims that say the same"
    host_only = "" if scope == "registrable" else "; it stands for this host alone"
    write([f"{filed.id} waits for a review{joined}{host_only}\n"])
    return 0


def _checked(option: str, text: str, most: int) -> str:
    text = text.strip()
    if len(text) > most or not text.isprintable():
        raise UsageError(f"{option}: at most {most} printable characters")
    return text


def _import(args: Namespace, store: Store) -> int:
    from waypost.lint.inputs import Input, read
    from waypost.store import imports

    name = args.file
    data = read(Input(name, name, "stdin" if name == "-" else "file"))
    reading = imports.ImportOptions(person(args), _subject, partial(_entity, args), args.site)
    claims = imports.read_claims(data, name, args.format, reading)
    done = store.write(lambda db: imports.import_claims(db, claims, now_ms()))
    if args.json:
        write_json({"claims": done.claims, "new": done.new})
        return 0
    old = "" if done.new == done.claims else f", {done.claims - done.new} next to claims that say the same"
    write([f"{done.new} wait for a review{old}\n"])
    return 0


def _subject(text: str) -> Any:
    from waypost.safety.review_subject import subject_of

    return subject_of(text)


def _entity(args: Namespace, text: str) -> tuple[str, str]:
    from waypost.safety.review_subject import entity_of

    return entity_of(text, world_of(args))


_TIMES = ("created_at", "changed_at", "reviewed_at", "review_expires_at")


def _to_dict(record: Record) -> dict[str, Any]:
    """Record as JSON: times as text, without empty members."""
    import msgspec

    members: dict[str, Any] = msgspec.to_builtins(record)
    members |= {name: timestamp(members[name]) for name in _TIMES if members[name] is not None}
    # Texts of submitters: a control character that turns the direction would let an owner read as another one.
    members |= {
        "entity_name": display_name(record.entity_name),
        "url": display_url(record.url),
        "statement": without_hidden(record.statement),
    }
    return {name: value for name, value in members.items() if value not in (None, "")}


def _event_to_dict(event: Event) -> dict[str, Any]:
    members = {"at": timestamp(event.at), "act": event.act, "actor": event.actor, "before": event.before}
    members |= {"after": event.after, "reason": without_hidden(event.reason)}
    return {name: value for name, value in members.items() if value}


def _word(state: str) -> str:
    return state.replace("_", " ")


def _paint(args: Namespace) -> Paint:
    from waypost.report._terminal import Paint

    return Paint(coloured(args.colour, sys.stdout))


def _shaded(paint: Paint, state: str, width: int) -> str:
    return paint(f"{_word(state):<{width}}", _SHADES[state])


def _table(records: list[Record], paint: Paint) -> Iterator[str]:
    width = max((len(record.domain) for record in records), default=0)
    type_width = max((len(record.type) for record in records), default=0)
    for record in records:
        state, name = _shaded(paint, record.state, 10), clipped(record.entity_name)
        yield f"{record.id}  {state}  {record.domain:<{width}}  {record.type:<{type_width}}  {name}\n"


def _matches_table(matches: list[RelationshipMatch], paint: Paint) -> Iterator[str]:
    width = max((len(match.domain) for match in matches), default=0)
    for match in matches:
        status = _shaded(paint, match.review_status, 10)
        facts = f"{match.type}, {_word(match.state)}, {match.id}"
        yield f"{status}  {match.domain:<{width}}  {clipped(match.name)}  ({facts})\n"


def _sheet(record: Record, events: list[Event], paint: Paint, width: int) -> Iterator[str]:
    from waypost.report._terminal import folded

    scope = "the entire domain" if record.scope == "registrable" else "this host alone"
    rows = [
        ("domain", f"{record.domain}, {scope}"),
        ("claimed to be", f"{clipped(record.entity_name)} ({record.entity}), {record.type}"),
        ("state", _shaded(paint, record.state, 0)),
        ("valid until", day_of(record.review_expires_at) if record.review_expires_at else ""),
        ("review", record.review_source),
        ("approved by", ", ".join(record.approvals)),
        ("reviewers", f"{record.needed} different" if record.needed > 1 else ""),
        ("claims", f"{record.claims}, from {record.origins} that do not depend on each other"),
        ("submitted by", clipped(record.submitter)),
        ("address", clipped(record.url)),
        ("statement", clipped(record.statement)),
    ]
    yield f"{paint(record.id, 'bold')}\n\n"
    for name, value in rows:
        if value:
            yield f"{name:<12}  {folded(value, width, 14, ' ' * 14)}\n"
    yield "\n"
    for event in events:
        why = f": {clipped(event.reason)}" if event.reason else ""
        yield f"{timestamp(event.at)[:19].replace('T', ' ')}  {_word(event.act)} by {clipped(event.actor)}{why}\n"
