"""review who is behind a domain: list, show, accept, reject, dispute, import

A claim that a domain is somebody's enters as unreviewed. Nothing is ever verified before a person other than
the one who submitted it accepts it; where people log in or pay it takes two. Names are those given with --as,
or of the user who is logged in. Nothing is ever deleted: `show` tells the whole history. A review that ships
with waypost is called registry:BRAND:DOMAIN and can be disputed.

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
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from waypost.cli._arguments import add_data
from waypost.cli._console import add_colour, coloured, width_of, write, write_json
from waypost.cli._people import add_person, person
from waypost.cli._run import UsageError, say
from waypost.formats.text import timestamp

if TYPE_CHECKING:
    from waypost.models.relationship import Event, Record, RelationshipMatch
    from waypost.report._terminal import Paint
    from waypost.store import Store

PLACE = 70
REFUSED = 1
_MOST = 1000
_SHADES = {
    "accepted": "good", "reviewed": "good", "unreviewed": "dim", "in_review": "warning", "disputed": "error",
    "revoked": "error", "rejected": "dim", "expired": "warning",
}  # fmt: skip


def configure(parser: ArgumentParser) -> None:
    steps = parser.add_subparsers(metavar="WHAT", dest="step", required=True, help="what to do")

    def add(name: str, text: str, work: Callable[[Namespace, Store], int], named: bool = False) -> ArgumentParser:
        step: ArgumentParser = steps.add_parser(name, help=text, description=text)
        if named:
            step.add_argument("id", metavar="ID", help="the relationship")
        add_data(step)
        step.add_argument("--json", action="store_true", help="as JSON")
        step.set_defaults(work=work)
        return step

    listing = add("list", "list relationships, oldest first", _list)
    listing.add_argument("--state", type=_state, metavar="STATE", help="only those in this state")
    add_colour(listing)
    showing = add("show", "show one with its whole history", _show, named=True)
    add_colour(showing)
    searching = add("search", "find relationships by name or domain; what no review stands behind is marked", _search)
    searching.add_argument("text", metavar="TEXT", help="words; the last may be unfinished")
    add_colour(searching)

    for name, text in _STEPS.items():
        step = add(name, text, partial(_take, name), named=True)
        add_person(step)
        step.add_argument(
            "--reason", metavar="TEXT", default="", required=name != "accept", help="why, for the history"
        )
        if name == "accept":
            step.add_argument("--days", type=_days, default=365, metavar="N", help="how long the review holds (365)")

    submitting = add("submit", "submit a claim for review", _submit)
    submitting.add_argument("domain", metavar="DOMAIN", help="the exact place: a registered domain, or one host")
    submitting.add_argument("--entity", required=True, metavar="NAME", help="whose it is said to be")
    kinds = "official_site (usual), official_login, official_payment, official_support, official_app or affiliate"
    submitting.add_argument(
        "--type", type=_kind, default="official_site", metavar="TYPE", help=f"what it is to them: {kinds}"
    )
    submitting.add_argument("--statement", metavar="TEXT", default="", help="what speaks for it")
    add_person(submitting)

    importing = add("import", "take claims from a file, all of them or none; each enters unreviewed", _import)
    importing.add_argument("file", metavar="FILE", help="the file, - for standard input")
    forms = "related-website-sets, assetlinks or csv, told from the file without it"
    columns = "domain, entity and any of type, url, statement, evidence, origin"
    importing.add_argument(
        "--format", type=_form, metavar="FORMAT", help=f"{forms}; the first line of CSV names the columns: {columns}"
    )
    importing.add_argument("--site", default="", metavar="DOMAIN", help="whose assetlinks file it is")
    add_person(importing)


_STEPS = {
    "accept": "accept a claim, or take an approval to it; lay a dispute to rest",
    "reject": "turn a claim down",
    "send-back": "ask for changes: the claim waits again",
    "dispute": "doubt an accepted relationship: every sensitive action stops there",
    "revoke": "take an accepted or disputed relationship back",
}


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
    """What `choices` would do, without loading what they are until one is given."""
    if text not in known:
        raise ArgumentTypeError(f"there is no {text!r} among {', '.join(known)}")
    return text


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= 365):
        raise ArgumentTypeError(f"{text!r}: a review holds 1 to 365 days")
    return int(text)


def run(args: Namespace) -> int:
    from waypost.store import data_folder, open_store
    from waypost.store.errors import ReviewError, UnknownRelationship

    with open_store(data_folder(args.data)) as store:
        try:
            status: int = args.work(args, store)
        except ReviewError as fault:
            say(str(fault))
            return REFUSED
        except UnknownRelationship as fault:
            raise UsageError(str(fault)) from None
        return status


def _now() -> int:
    return int(time.time() * 1000)


def _list(args: Namespace, store: Store) -> int:
    from waypost.store import relationships

    store.write(lambda db: relationships.expire(db, _now()))
    found = store.read(lambda db: relationships.find_many(db, args.state, limit=_MOST + 1))
    if args.json:
        write_json([_told(each) for each in found[:_MOST]])
        return 0
    write(_table(found[:_MOST], _paint(args)))
    if len(found) > _MOST:
        say(f"only the first {_MOST} are shown; --state shows fewer")
    elif not found:
        say(f"no relationship is {args.state}" if args.state else "there are no relationships yet")
    return 0


def _show(args: Namespace, store: Store) -> int:
    from waypost.store import relationships

    store.write(lambda db: relationships.expire(db, _now(), args.id))
    record = store.read(lambda db: relationships.get(db, args.id))
    events = store.read(lambda db: relationships.history(db, args.id))
    if args.json:
        write_json(_told(record) | {"history": [_told_event(each) for each in events]})
        return 0
    write(_sheet(record, events, _paint(args), width_of(sys.stdout) or 100))
    return 0


def _search(args: Namespace, store: Store) -> int:
    from waypost.store.search import search

    found = store.read(lambda db: search(db, args.text, _now()))
    if args.json:
        import msgspec

        write_json([msgspec.to_builtins(each) for each in found])
        return 0
    write(_hits(found, _paint(args)))
    if not found:
        say("nothing is found")
    return 0


def _take(name: str, args: Namespace, store: Store) -> int:
    from waypost.store import relationships

    what = getattr(relationships, name.replace("-", "_"))
    more = {"days": args.days} if name == "accept" else {}
    who, now = person(args), _now()
    if name == "dispute" and args.id.startswith(f"{relationships.REGISTRY}:"):
        _adopt(args.id, store, now)
    record: Record = store.write(lambda db: what(db, args.id, who, now, reason=_reason(args.reason), **more))
    if args.json:
        write_json(_told(record))
        return 0
    write([_outcome(record, name), "\n"])
    return 0


def _adopt(name: str, store: Store, now: int) -> None:
    """Bring a review that ships with waypost into the store, so that it can be doubted."""
    from waypost.errors import InvalidUrl
    from waypost.registry.world import load
    from waypost.safety.relationship import shipped
    from waypost.safety.target import normalise
    from waypost.store import relationships

    world = load()
    try:
        found = shipped(world, normalise(f"https://{name.rpartition(':')[2]}/"))
    except InvalidUrl:
        return
    for each in found:
        if each.id == name and each.state == "accepted":
            store.write(partial(relationships.adopt, shipped=each, entity_name=world.brands[each.entity].name, now=now))


def _reason(text: str) -> str:
    from waypost.formats.text import clip

    return clip(text, 2000) if text.strip() else ""


def _outcome(record: Record, name: str) -> str:
    said = f"{record.domain} ({_text(record.entity_name)}) is {_word(record.state)}"
    if name == "accept" and record.state != "accepted":
        return f"{said}: approved by {', '.join(record.approvals)}; one more reviewer is needed"
    if record.state == "accepted" and record.review_expires_at:
        alone = record.needed == 1 and not (record.organization or record.approvals)
        more = "; to pay or log in there takes the accept of one more reviewer" if alone else ""
        return f"{said} until {_day(record.review_expires_at)}{more}"
    if record.state == "disputed":
        return f"{said}: every sensitive action stops there"
    return said


def _submit(args: Namespace, store: Store) -> int:
    from waypost.models.relationship import Claim
    from waypost.store import relationships

    who = person(args)
    domain, scope = _subject(args.domain)
    entity, entity_name = _entity(_checked("--entity", args.entity, 120))
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
    filed = store.write(lambda db: relationships.submit(db, claim, _now()))
    if args.json:
        write_json({"relationship_id": filed.id, "review_status": "unreviewed"})
        return 0
    beside = "" if filed.new else ", beside claims that say the same"
    whole = "" if scope == "registrable" else "; it stands for this host alone"
    write([f"{filed.id} waits for a review{beside}{whole}\n"])
    return 0


def _checked(option: str, text: str, most: int) -> str:
    text = text.strip()
    if len(text) > most or not text.isprintable():
        raise UsageError(f"{option}: at most {most} printable characters")
    return text


def _import(args: Namespace, store: Store) -> int:
    from waypost.cli._inputs import Input, read
    from waypost.store import imports

    name = args.file
    data = read(Input(name, name, "stdin" if name == "-" else "file"))
    reading = imports.ImportOptions(person(args), _subject, _entity, args.site)
    claims = imports.read_claims(data, name, args.format, reading)
    done = store.write(lambda db: imports.import_claims(db, claims, _now()))
    if args.json:
        write_json({"claims": done.claims, "new": done.new})
        return 0
    old = "" if done.new == done.claims else f", {done.claims - done.new} beside claims that say the same"
    write([f"{done.new} wait for a review{old}\n"])
    return 0


def _subject(text: str) -> Any:
    from waypost.safety.review_subject import subject_of

    return subject_of(text)


def _entity(text: str) -> tuple[str, str]:
    from waypost.registry.world import load
    from waypost.safety.review_subject import entity_of

    return entity_of(text, load())


_TIMES = ("created_at", "changed_at", "reviewed_at", "review_expires_at")


def _told(record: Record) -> dict[str, Any]:
    """A record as others read it: times as text, what is empty left out."""
    import msgspec

    told: dict[str, Any] = msgspec.to_builtins(record)
    told |= {name: timestamp(told[name]) for name in _TIMES if told[name] is not None}
    return {name: value for name, value in told.items() if value not in (None, "")}


def _told_event(event: Event) -> dict[str, Any]:
    told = {"at": timestamp(event.at), "act": event.act, "actor": event.actor, "before": event.before}
    told |= {"after": event.after, "reason": event.reason}
    return {name: value for name, value in told.items() if value}


def _day(at: int) -> str:
    return timestamp(at)[:10]


def _text(text: str) -> str:
    from waypost.formats.text import clip

    return clip(text, 200)


def _word(state: str) -> str:
    return state.replace("_", " ")


def _paint(args: Namespace) -> Paint:
    from waypost.report._terminal import Paint

    return Paint(coloured(args.colour, sys.stdout))


def _shaded(paint: Paint, state: str, width: int) -> str:
    return paint(f"{_word(state):<{width}}", _SHADES[state])


def _table(found: list[Record], paint: Paint) -> Iterator[str]:
    wide = max((len(each.domain) for each in found), default=0)
    kinds = max((len(each.type) for each in found), default=0)
    for each in found:
        kind = f"{each.type:<{kinds}}"
        yield f"{each.id}  {_shaded(paint, each.state, 10)}  {each.domain:<{wide}}  {kind}  {_text(each.entity_name)}\n"


def _hits(found: list[RelationshipMatch], paint: Paint) -> Iterator[str]:
    wide = max((len(each.domain) for each in found), default=0)
    for each in found:
        status = _shaded(paint, each.review_status, 10)
        yield f"{status}  {each.domain:<{wide}}  {_text(each.name)}  ({each.type}, {_word(each.state)}, {each.id})\n"


def _sheet(record: Record, events: list[Event], paint: Paint, width: int) -> Iterator[str]:
    from waypost.report._terminal import folded

    whole = "the whole domain" if record.scope == "registrable" else "this host alone"
    rows = [
        ("domain", f"{record.domain}, {whole}"),
        ("said to be", f"{_text(record.entity_name)} ({record.entity}), {record.type}"),
        ("state", _shaded(paint, record.state, 0)),
        ("holds until", _day(record.review_expires_at) if record.review_expires_at else ""),
        ("review", record.review_source),
        ("approved by", ", ".join(record.approvals)),
        ("reviewers", f"{record.needed} different" if record.needed > 1 else ""),
        ("claims", f"{record.claims}, from {record.origins} that do not depend on each other"),
        ("submitted by", _text(record.submitter)),
        ("address", _text(record.url)),
        ("statement", _text(record.statement)),
    ]
    yield f"{paint(record.id, 'bold')}\n\n"
    for name, value in rows:
        if value:
            yield f"{name:<12}  {folded(value, width, 14, ' ' * 14)}\n"
    yield "\n"
    for each in events:
        why = f": {_text(each.reason)}" if each.reason else ""
        yield f"{timestamp(each.at)[:19].replace('T', ' ')}  {_word(each.act)} by {_text(each.actor)}{why}\n"
