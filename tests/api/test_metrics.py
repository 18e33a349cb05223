"""Counts that Prometheus can read, whose labels are ours alone."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.api import metrics as module
from waypost.api.admin import Admin
from waypost.api.metrics import Metrics, Sharing, clear

LINE = re.compile(r'(waypost_\w+)(?:{((?:\w+="[^"\\\n]*",?)+)})? ([0-9.]+)')


def read(text: str) -> dict[str, float]:
    """What a scraper would read: name with labels -> value. Each line must be a comment or a sample."""
    samples = {}
    for line in text.splitlines():
        if line.startswith("# "):
            assert line.split()[1] in {"HELP", "TYPE"}
            continue
        found = LINE.fullmatch(line)
        assert found, line
        samples[line.rpartition(" ")[0]] = float(found[3])
    return samples


def test_what_happened_is_counted():
    metrics = Metrics()
    for seconds in (0.0004, 0.003, 0.003, 9.0):
        metrics.answered(route="/v1/agent-safety", method="POST", status=200, seconds=seconds)
    metrics.answered(route="/v1/agent-safety", method="POST", status=429, seconds=0.001, problem="quota-exceeded")
    metrics.decided("payment", allowed=False, relationship_status="unverified")
    metrics.limited("checks")

    samples = read(metrics.text())

    assert samples['waypost_requests_total{route="/v1/agent-safety",method="POST",status="200"}'] == 4
    assert samples['waypost_problems_total{code="quota-exceeded"}'] == 1
    decided = 'waypost_decisions_total{action="payment",allowed="false",relationship_status="unverified"}'
    assert samples[decided] == 1
    assert samples['waypost_ratelimited_total{policy="checks"}'] == 1
    bucket = 'waypost_request_seconds_bucket{route="/v1/agent-safety",le="%s"}'
    assert [samples[bucket % each] for each in ("0.0005", "0.001", "0.005", "5.0", "+Inf")] == [1, 2, 4, 4, 5]
    assert samples['waypost_request_seconds_count{route="/v1/agent-safety"}'] == 5
    assert samples['waypost_request_seconds_sum{route="/v1/agent-safety"}'] == pytest.approx(9.0074)


@given(st.text(max_size=50))
def test_no_label_is_made_of_what_a_client_sent(text: str):
    metrics = Metrics()
    metrics.answered(route=f"/x?{text}", method=f"{text}!", status=200, seconds=0, problem=f"{text}!")
    metrics.decided(f"{text}!", allowed=True, relationship_status=f"{text}!")
    metrics.limited(f"{text}?")

    read(metrics.text())
    assert set(re.findall(r'(?:route|method|code|policy|action|relationship_status)="([^"]*)"', metrics.text())) == {
        "other"
    }


def test_labels_are_unlimited_except_in_number():
    metrics = Metrics()
    for n in range(2000):
        metrics.answered(route=f"/v1/{n}", method="GET", status=200, seconds=0, problem=f"code-{n}")

    samples = read(metrics.text())

    assert len(samples) < 6000
    assert samples['waypost_requests_total{route="other",method="GET",status="200"}'] == 2000 - module.MOST_ROUTES


COUNTING = """
import sys
from pathlib import Path
from waypost.api.metrics import Metrics, Sharing
metrics = Metrics()
for _ in range(int(sys.argv[2])):
    metrics.answered(route="/healthz", method="GET", status=200, seconds=0.01)
Sharing(Path(sys.argv[1]), metrics).write()
"""


def test_any_process_can_report_the_sum_of_all(tmp_path: Path):
    for count in ("3", "4"):
        subprocess.run([sys.executable, "-c", COUNTING, str(tmp_path), count], check=True)
    mine = Metrics()
    mine.answered(route="/healthz", method="GET", status=200, seconds=0.01)
    sharing = Sharing(tmp_path, mine)
    sharing.write()
    mine.answered(route="/healthz", method="GET", status=200, seconds=0.01)
    (tmp_path / "metrics-1.json").write_bytes(b"{torn")

    samples = read(sharing.text())

    assert samples['waypost_requests_total{route="/healthz",method="GET",status="200"}'] == 9
    assert samples['waypost_request_seconds_count{route="/healthz"}'] == 9
    clear(tmp_path)
    assert list(tmp_path.iterdir()) == []


def response_to(request: bytes) -> bytes:
    """What the address for the operator answers."""

    async def send_request() -> bytes:
        metrics = Metrics()
        metrics.decided("payment", allowed=True, relationship_status="verified_official")
        async with Admin(0, metrics.text) as admin:
            host, port = admin.address or ("", 0)
            assert host == "127.0.0.1"
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(request)
            answer = await reader.read()
            writer.close()
            return answer

    return asyncio.run(asyncio.wait_for(send_request(), 120))


def test_operator_reads_them_on_an_address_of_their_own():
    head, _, body = response_to(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"content-type: text/plain; version=0.0.4" in head
    assert read(body.decode())[
        'waypost_decisions_total{action="payment",allowed="true",relationship_status="verified_official"}'
    ]


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"HEAD /metrics HTTP/1.1", b"200"),
        (b"GET /metrics?x=1 HTTP/1.1", b"200"),
        (b"GET / HTTP/1.1", b"404"),
        (b"POST /metrics HTTP/1.1", b"405"),
        (b"nonsense", b"400"),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1", b"400"),
        (b"\xff\xfe \xff \xff", b"400"),
    ],
)
def test_it_answers_nothing_else(request_line: bytes, status: bytes):
    answer = response_to(request_line + b"\r\n\r\n")

    assert answer.split(b" ")[1] == status
    assert b"waypost_" not in answer or status == b"200"


def test_one_process_listens_and_another_takes_its_place():
    async def taken_over() -> list[bool]:
        first = Admin(0, str)
        async with first:
            _, port = first.address or ("", 0)
            async with Admin(port, str) as second:
                before = second.address is None
                await first.__aexit__(None, None, None)
                await asyncio.sleep(0)
                await second.listen()
                return [before, second.address == ("127.0.0.1", port)]

    assert asyncio.run(taken_over()) == [True, True]
