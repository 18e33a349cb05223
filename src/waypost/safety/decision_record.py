"""Records of decisions: files with the complete input of a decision, for an exact replay.

A record holds the target without the path, observations, relationships, the clock and the decision. The digest detects
accidents and is not a signature. Data files are not in the record: where a later waypost decides otherwise, the replay
fails.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from waypost import __version__
from waypost.errors import RecordError, UnknownPolicy
from waypost.models.decision import Decision
from waypost.registry.world import World
from waypost.safety.decide import decide
from waypost.safety.decision_input import DecisionInput

FORMAT = "waypost-record/1"
LARGEST = 4 << 20
_ENCODER = msgspec.json.Encoder(order="sorted")


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members of the file. `world` is the digest of the data files, `sha256` the digest of the remaining members."""

    format: str
    waypost: str
    world: str
    case: DecisionInput
    decision: Decision
    sha256: str


def to_record(case: DecisionInput, decision: Decision, world: World) -> bytes:
    """Record of a decision as indented JSON."""
    members = {"format": FORMAT, "waypost": __version__, "world": world.version, "case": case, "decision": decision}
    document = {**members, "sha256": _digest(members)}
    return msgspec.json.format(_ENCODER.encode(document), indent=2) + b"\n"


def replay(data: bytes, name: str, world: World) -> tuple[DecisionInput, Decision]:
    """Input and decision of a record, decided again. Raises RecordError unless the result is equal in every member."""
    record = _read(data, name)
    try:
        decision = decide(record.case, world)
    except UnknownPolicy as error:
        raise RecordError(name, f"it was decided by a policy that this waypost does not have: {error}") from None
    # Compared as encoded, with sorted keys: the promise is about bytes.
    if _ENCODER.encode(decision) != _ENCODER.encode(record.decision):
        raise RecordError(name, f"the record leads to another decision now; {_why(record, world)}")
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
        raise RecordError(name, "it is not JSON, so it is not a record of a decision") from None
    if not isinstance(document, dict) or not str(document.get("format", "")).startswith("waypost-record/"):
        raise RecordError(name, "it is not a record of a decision; `waypost check URL --record FILE` makes one")
    if document["format"] != FORMAT:
        raise RecordError(name, "it is a record of another form; the waypost that made it can replay it")
    digest = document.pop("sha256", None)
    if digest != _digest(document):
        raise RecordError(name, "it was changed after it was written: its digest does not fit")
    try:
        return msgspec.convert({**document, "sha256": digest}, Record)
    except msgspec.ValidationError:
        raise RecordError(name, "it was made by another waypost, which can replay it") from None


def _digest(members: dict[str, Any]) -> str:
    return hashlib.sha256(_ENCODER.encode(members)).hexdigest()
