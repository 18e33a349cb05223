"""A second process makes what needs no registry: it never changes what a build writes, and nothing of it is left."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

pytest.importorskip("markdown_it", reason="the site needs the extra `site`")

from waypost.pages import _take, _without_registry, beside, bundle
from waypost.pages.beside import begun

pytestmark = pytest.mark.skipif(not beside._FORKS, reason="this system splits off no process")


_SPLIT: list[int] = []


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    fork = os.fork
    _SPLIT.clear()

    def noted() -> int:
        process = fork()
        _SPLIT.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    monkeypatch.setattr(beside, "_processors", lambda: 2)
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def left() -> bool:
    """Whether the process that was split off is still there, as itself or as what is left of it."""
    (process,) = _SPLIT
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_second_process_does_the_work_and_this_one_gets_its_result() -> None:
    with begun(os.getpid) as result:
        assert result() != os.getpid()
    assert not left()


def test_a_result_larger_than_a_pipe_holds_arrives_whole() -> None:
    with begun(lambda: "x" * 3_000_000) as result:
        assert result() == "x" * 3_000_000


def fail() -> Any:
    raise ValueError("as the work itself would")


@pytest.mark.parametrize("work", [fail, lambda: lambda: 1, lambda: os._exit(3)])
def test_work_that_fails_has_no_result_and_says_nothing(work: Any, capfd: pytest.CaptureFixture[str]) -> None:
    with begun(work) as result:
        assert result() is None
    assert capfd.readouterr() == ("", "")
    assert not left()


def test_work_that_nobody_waits_for_ends_with_the_block() -> None:
    with pytest.raises(RuntimeError, match="an example"), begun(lambda: time.sleep(60)):
        raise RuntimeError("an example does not behave as its page says")
    assert not left()


@pytest.mark.parametrize("reason", ["a second thread", "one processor"])
def test_where_no_process_can_be_split_off_there_is_no_result(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason == "one processor":
        monkeypatch.setattr(beside, "_processors", lambda: 1)
    else:
        monkeypatch.setattr(threading, "active_count", lambda: 2)
    with begun(os.getpid) as result:
        assert result() is None


def test_what_the_second_process_makes_is_what_this_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    own = dict(bundle.parts())
    monkeypatch.setattr(bundle, "_parts", {})
    with begun(_without_registry) as result:
        _take(result())
    assert list(bundle._parts.values()) == [own]
    monkeypatch.setattr(bundle, "_joined", None)
    assert bundle.parts() == own
