"""Identifiers are UUIDs left to chance, and no two processes give out the same."""

from __future__ import annotations

import os
import time
import uuid

import pytest

from waypost.formats.ids import new_id, new_id_in_order


def test_identifiers_are_random_uuids_and_differ() -> None:
    made = [new_id() for _ in range(1000)]
    assert len(set(made)) == 1000
    for each in made:
        read = uuid.UUID(each)
        assert (str(read), read.version, read.variant) == (each, 4, uuid.RFC_4122)


def test_identifiers_begin_with_their_time_and_end_in_chance() -> None:
    before = time.time_ns() // 1_000_000
    made = [new_id_in_order() for _ in range(1000)]
    after = time.time_ns() // 1_000_000

    times = [uuid.UUID(each).int >> 80 for each in made]
    assert before <= times[0]
    assert times == sorted(times)
    assert times[-1] <= after
    assert len({each[15:] for each in made}) == 1000
    varied = 0
    for each in made:
        read = uuid.UUID(each)
        assert (str(read), read.version, read.variant) == (each, 7, uuid.RFC_4122)
        varied |= read.int ^ uuid.UUID(made[0]).int
    assert (varied & ((1 << 80) - 1)).bit_count() == 74


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_gives_out_none_of_its_parents() -> None:
    new_id()  # some are ready now
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, "\n".join(new_id() for _ in range(50)).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        theirs = set(pipe.read().split())
    os.waitpid(child, 0)
    assert len(theirs) == 50
    assert not theirs & {new_id() for _ in range(300)}
