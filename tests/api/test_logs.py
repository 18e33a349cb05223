"""Nothing but what is on the list gets into the log, whatever it is handed."""

from __future__ import annotations

import errno
import inspect
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.api.logs import Lines, Logs
from waypost.api.settings import read_settings

USUAL: dict[str, Any] = {
    "request_id": "r-1",
    "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    "route": "/v1/schema/{type}",
    "method": "GET",
    "status": 200,
    "seconds": 0.0012345,
    "bytes_in": 0,
    "bytes_out": 512,
    "key_id": "6f0d1c1e-3b1a-4f0e-9d5e-1c2b3a4d5e6f",
    "org_id": "org-1",
    "problem": "",
    "decision_id": "",
    "cause": "",
}
ALLOWED = {
    "ts", "event", "request_id", "trace_id", "route", "method", "status", "dur_ms", "bytes_in", "bytes_out", "key_id",
    "org_id", "problem", "decision_id", "cause",
}  # fmt: skip
SECRET = "k4n4ry"


def logged(**event: Any) -> dict[str, Any]:
    lines: list[bytes] = []
    Logs(write=lines.append).request(**(USUAL | event))
    (line,) = lines
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def test_a_request_is_one_line_of_permitted_members():
    event = logged()

    assert event.pop("ts").endswith("Z")
    assert event == {
        "event": "request",
        "request_id": "r-1",
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
        "route": "/v1/schema/{type}",
        "method": "GET",
        "status": 200,
        "dur_ms": 1.234,
        "bytes_in": 0,
        "bytes_out": 512,
        "key_id": "6f0d1c1e-3b1a-4f0e-9d5e-1c2b3a4d5e6f",
        "org_id": "org-1",
    }


def test_the_log_takes_named_values_and_nothing_more():
    kinds = {each.kind for each in list(inspect.signature(Logs.request).parameters.values())[1:]}

    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError):
        logged(url="https://shop.example/pay")


@pytest.mark.parametrize("name", ["request_id", "trace_id", "route", "method", "key_id", "org_id", "problem", "cause"])
@pytest.mark.parametrize(
    "text", [f"https://shop.example/{SECRET}", f"/pay?token={SECRET}", f"wp_live_ {SECRET}", f"{SECRET}\nforged"]
)
def test_malformed_members_are_left_out(name: str, text: str):
    assert SECRET not in json.dumps(logged(**{name: text}))


@given(st.dictionaries(st.sampled_from(sorted(set(USUAL) - {"status", "seconds", "bytes_in", "bytes_out"})), st.text()))
def test_only_permitted_names_come_out_of_any_input(event: dict[str, str]):
    assert set(logged(**event)) <= ALLOWED


def test_failure_names_types_and_places_and_never_the_text():
    lines: list[bytes] = []

    def deep(url: str) -> None:
        local = url + SECRET
        raise ValueError(f"cannot open {local}")

    try:
        try:
            deep(f"https://shop.example/?t={SECRET}")
        except ValueError as problem:
            raise RuntimeError(SECRET) from problem
    except RuntimeError as problem:
        Logs(write=lines.append).failure(request_id="r-1", route="/v1/agent-safety", error=problem)

    event = json.loads(lines[0])
    assert SECRET not in lines[0].decode()
    assert [each["type"] for each in event["faults"]] == ["RuntimeError", "ValueError"]
    assert event["faults"][1]["frames"][-1].endswith(" deep")


def test_a_failure_has_a_code_in_place_of_text():
    lines: list[bytes] = []
    logs = Logs(write=lines.append)
    full = sqlite3.OperationalError("database or disk is full, canary")
    full.sqlite_errorname = "SQLITE_FULL"
    other = ValueError()
    other.sqlstate = "canary of a text"  # type: ignore[attr-defined]

    for error in (full, OSError(errno.ENOSPC, "canary"), other):
        logs.failure(request_id="r1", route="/v1/search", error=error)

    assert [json.loads(line)["faults"][0].get("code") for line in lines] == ["SQLITE_FULL", "ENOSPC", None]
    assert b"canary" not in b"".join(lines)


def test_an_error_without_an_end_is_cut_off():
    lines: list[bytes] = []

    def endless() -> None:
        endless()

    try:
        endless()
    except RecursionError as problem:
        problem.__context__ = problem
        Logs(write=lines.append).failure(request_id="r-1", route="/", error=problem)

    assert len(json.loads(lines[0])["faults"][0]["frames"]) == 40


def test_without_a_log_nothing_is_logged(capfd: pytest.CaptureFixture[str]):
    Logs("none").request(**USUAL)
    Logs("none").failure(request_id="r-1", route="/", error=ValueError())
    assert capfd.readouterr().err == ""

    Logs("json").request(**USUAL)
    assert json.loads(capfd.readouterr().err)["event"] == "request"


@pytest.mark.parametrize(("variable", "name", "value"), [("WAYPOST_LOG", "log", "none"),
                                                         ("WAYPOST_RECEIPT_ALGORITHM", "receipt_algorithm", "Ed25519"),
                                                         ("WAYPOST_OTEL", "otel", True)])  # fmt: skip
def test_setting_with_a_choice_is_read_from_the_environment(variable: str, name: str, value: object):
    assert getattr(read_settings(None, {variable: "1" if value is True else str(value)}), name) == value


@pytest.mark.skipif(os.name != "posix", reason="nothing tells there whether a pipe has room")
def test_nothing_waits_for_a_stopped_reader_and_gaps_are_counted():
    reading, writing = os.pipe()
    try:
        logs = Logs(write=Lines(writing))
        for _ in range(1000):
            logs.request(**USUAL)
        begun = os.read(reading, 1 << 20)
        logs.request(**USUAL)
        rest = os.read(reading, 1 << 20)
    finally:
        os.close(reading)
        os.close(writing)

    first = [json.loads(line) for line in begun.splitlines()]
    gap, last = [json.loads(line) for line in rest.splitlines()]
    assert {event["event"] for event in first} == {"request"}
    assert (gap["event"], gap["lines"]) == ("left-out", 1000 - len(first))
    assert 0 < len(first) < 1000
    assert last["request_id"] == "r-1"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device here")
def test_a_disk_without_room_stops_nothing():
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        Logs(write=Lines(full)).request(**USUAL)
    finally:
        os.close(full)
