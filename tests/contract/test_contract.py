"""The service keeps what its description says, whatever is sent to it."""

from __future__ import annotations

import importlib.util
import socket
import sys
from pathlib import Path

import pytest

pytest.importorskip("schemathesis", reason="the contract's tests need the group `contract`")
pytest.importorskip("uvicorn")
HERE = Path(__file__).parent


def test_no_operation_breaks_its_description_for_either_tenant(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("contract", HERE.parent.parent / "benchmarks" / "contract.py")
    assert spec
    assert spec.loader
    contract = importlib.util.module_from_spec(spec)
    sys.modules["contract"] = contract
    spec.loader.exec_module(contract)
    with contract.service(tmp_path, _free_port()) as (address, keys, log):
        for number, key in enumerate(keys):
            assert contract.attacked(address, key, tmp_path, "examples,coverage", 7 + number, 5)
        requests, statuses = contract.answered(log)
    assert requests > 2000
    assert not statuses[500]
    assert statuses[200] > 100


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
