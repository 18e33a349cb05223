"""Removing evidence never helps: the running service, with providers that fail, lie, hang and relabel.

`benchmarks/evidence_removal.py` makes the cases; run it for 100,000 of them.
"""

from __future__ import annotations

import asyncio
import importlib.util
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from tests.test_safety_urls import NOW, WORLD, everything_seen

from waypost.errors import NotReady
from waypost.models.decision import Evidence, Target
from waypost.models.observation import Observations
from waypost.service import Service
from waypost.service.memory import SignalMemory
from waypost.service.store_notes import StoreNotes
from waypost.store import Store, open_store

MINUTE, DAY = 60_000, 86_400_000
URL = "https://www.paypal.com/"


def removal() -> ModuleType:
    """`benchmarks/evidence_removal.py`, which is no package."""
    path = Path(__file__).parent.parent / "benchmarks" / "evidence_removal.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_less_or_relabelled_evidence_never_allows() -> None:
    outcome = asyncio.run(removal().run(400, seed=2026))

    assert outcome.errors == []
    assert sum(outcome.changes.values()) == 400
    assert 100 < outcome.stops < 390


def test_the_cases_find_a_service_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, the test above proves nothing."""
    monkeypatch.setattr(SignalMemory, "recall", lambda *_: ())

    assert asyncio.run(removal().run(400, seed=2026)).errors


CHECK = Evidence(type="threat_list_check", status="observed", id="list", observed_at=NOW)
MATCH = Evidence(type="threat_list_check", status="observed", id="list.match", strength="decisive", observed_at=NOW)


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


def allowed(service: Service) -> bool:
    return service.check(URL, "payment").decision.action_allowed


def test_a_signal_counts_until_expiry_or_observed_removal() -> None:
    clock, entries = Clock(), [(CHECK, MATCH), (), (CHECK,), (CHECK, MATCH), (), ()]
    service = Service(WORLD, probe=seen_at(clock), now=clock, lists=lambda target, now: entries[0])

    assert not allowed(service)
    entries.pop(0)  # the list is gone
    clock.now += MINUTE
    assert not allowed(service)
    entries.pop(0)  # the list was read again, without an entry
    assert allowed(service)
    entries.pop(0)
    assert not allowed(service)
    entries.pop(0)
    clock.now += 61 * MINUTE  # past the life of the match
    assert allowed(service)


def seen_at(clock: Clock) -> Any:
    async def probe(target: Any, within_s: float) -> Any:
        return removal().shifted(await everything_seen(target, within_s), clock.now - NOW)

    return probe


@pytest.mark.parametrize("provider", ["known", "lists"])
@pytest.mark.parametrize("online", [True, False])
def test_a_hanging_store_or_list_delays_no_answer(provider: str, online: bool) -> None:
    waiting, ended = threading.Event(), []

    def hang(target: Any, now: int) -> tuple[()]:
        ended.append(waiting.wait(30))
        return ()

    probe = {"probe": everything_seen} if online else {}
    service = Service(WORLD, now=lambda: NOW, **probe, **{provider: hang})

    with pytest.raises(NotReady, match="in time"):
        service.check(URL, "payment", within_s=0.05)

    assert ended == []
    waiting.set()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("hangs_in", ["a task that swallows its cancellation", "a thread"])
def test_an_endless_probe_delays_no_synchronous_answer(hangs_in: str) -> None:
    waiting = threading.Event()

    async def probe(target: Target, within_s: float) -> Observations:
        end = time.monotonic() + 4
        while (left := end - time.monotonic()) > 0:
            with suppress(asyncio.CancelledError):
                if hangs_in == "a thread":
                    await asyncio.get_running_loop().run_in_executor(None, waiting.wait, left)
                else:
                    await asyncio.sleep(left)
        return await everything_seen(target, within_s)

    began = time.monotonic()
    decision = Service(WORLD, probe=probe, now=lambda: NOW).check(URL, "payment", within_s=0.05).decision

    # 0.05 s for the network, 0.25 s of grace, twice 0.25 s to leave the event loop, and room for a slow machine.
    assert time.monotonic() - began < 2
    assert decision.action_allowed is False
    waiting.set()


def test_a_synchronous_check_inside_a_loop_is_reported() -> None:
    async def blocks() -> None:
        Service(WORLD, probe=everything_seen, now=lambda: NOW).check(URL)

    with pytest.raises(RuntimeError, match="await the async one"):
        asyncio.run(blocks())


def test_a_restart_and_another_process_forget_no_signal(tmp_path: Path) -> None:
    now = NOW

    async def probe(target: Target, within_s: float) -> Any:
        return observations[0](await everything_seen(target, within_s))

    def young(seen: Observations) -> Observations:
        return msgspec.structs.replace(
            seen, registration=msgspec.structs.replace(seen.registration, registered_at=NOW - 3 * DAY)
        )

    def without_registration(seen: Observations) -> Observations:
        part = {"status": "failed", "reason": "timeout", "registered_at": None}
        return msgspec.structs.replace(seen, registration=msgspec.structs.replace(seen.registration, **part))

    def service(store: Store) -> Service:
        return Service(
            WORLD, probe=probe, known=lambda target, at: (), now=lambda: now, notes=StoreNotes(store, every_s=0)
        )

    observations = [young]
    with open_store(tmp_path) as store:
        first, second = service(store), service(store)
        assert not first.check(URL, "login").decision.action_allowed
        store.write(lambda db: None)  # what was left to the writer is durable now
        observations[0] = without_registration
        assert "recently_registered" in second.check(URL, "login").decision.reason_codes, "another process"
    with open_store(tmp_path) as store:
        again = service(store)
        assert "recently_registered" in again.check(URL, "login").decision.reason_codes, "a restart"
        now += 2 * MINUTE
        observations[0] = lambda seen: seen
        assert again.check(URL, "login", policy="baseline").decision.action_allowed, "observed to be gone"
        store.write(lambda db: None)
        observations[0] = without_registration
        assert "recently_registered" not in service(store).check(URL, "login").decision.reason_codes
