"""Everything a decision rested on, in a file from which it can be made again: to the letter, or not at all.

The file holds the target without its path, what was seen and known, the clock and the decision itself. Its digest
tells an accident from the original; it is no signature. The world is not in it: where a later waypost would decide
otherwise, it says so instead of passing another decision off as this one.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from waypost import __version__
from waypost.errors import RecordError, UnknownPolicy
from waypost.models.decision import Decision
from waypost.registry.world import World
from waypost.safety.decide import Case, decide

FORMAT = "waypost-record/1"
LARGEST = 4 << 20
_ENCODER = msgspec.json.Encoder(order="sorted")


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`world` is the digest of the data it was made with; `sha256` is over all the other members."""

    format: str
    waypost: str
    world: str
    case: Case
    decision: Decision
    sha256: str


def recorded(case: Case, decision: Decision, world: World) -> bytes:
    """The file, as indented JSON."""
    members = {"format": FORMAT, "waypost": __version__, "world": world.version, "case": case, "decision": decision}
    document = {**members, "sha256": _digest(members)}
    return msgspec.json.format(_ENCODER.encode(document), indent=2) + b"\n"


def replayed(data: bytes, name: str, world: World) -> tuple[Case, Decision]:
    """Decide again. Raises RecordError unless the same decision comes of it, to the letter."""
    record = _read(data, name)
    try:
        decision = decide(record.case, world)
    except UnknownPolicy as fault:
        raise RecordError(name, f"it was decided by a policy that this waypost does not have: {fault}") from None
    if _ENCODER.encode(decision) != _ENCODER.encode(record.decision):
        raise RecordError(name, f"another decision comes of it now; {_why(record, world)}")
    return record.case, decision


def _why(record: Record, world: World) -> str:
    if (record.waypost, record.world) == (__version__, world.version):
        return "its inputs or its decision were changed"
    return (
        f"it was made by waypost {record.waypost} with data {record.world}, this is waypost {__version__} "
        f"with data {world.version}"
    )


def _read(data: bytes, name: str) -> Record:
    if len(data) > LARGEST:
        raise RecordError(name, "it is too large to be the record of a decision")
    try:
        document: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise RecordError(name, "it is not JSON, so it is no record of a decision") from None
    if not isinstance(document, dict) or not str(document.get("format", "")).startswith("waypost-record/"):
        raise RecordError(name, "it is no record of a decision; `waypost check URL --record FILE` makes one")
    if document["format"] != FORMAT:
        raise RecordError(name, "it is a record of another form; the waypost that made it can replay it")
    told = document.pop("sha256", None)
    if told != _digest(document):
        raise RecordError(name, "it was changed after it was written: its digest does not fit")
    try:
        return msgspec.convert({**document, "sha256": told}, Record)
    except msgspec.ValidationError:
        raise RecordError(name, "it was made by another waypost, which can replay it") from None


def _digest(members: dict[str, Any]) -> str:
    return hashlib.sha256(_ENCODER.encode(members)).hexdigest()
