"""`waypost crawl --cluster`: the same tables from a Dask cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastwarc")
pytest.importorskip("duckdb")
pytest.importorskip("distributed")

import distributed
from tests.crawl.archives import pages, write
from tests.crawl.test_crawl import NOW, crawl, everything

from waypost.crawl import cluster

pytestmark = pytest.mark.filterwarnings("default")  # those of Dask are its own


def test_a_cluster_makes_the_tables_of_this_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = write(tmp_path / "a.warc.gz", pages(40), packed=True)
    options = (archive, "--stretch", "2k", "--now", NOW)

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as dask:
        status = crawl(*options, "--out", tmp_path / "cluster", "--cluster", dask.scheduler_address)

    assert status == crawl(*options, "--out", tmp_path / "here") == 1
    assert everything(tmp_path / "cluster") == everything(tmp_path / "here")


def test_a_scheduler_that_does_not_answer_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = write(tmp_path / "a.warc", pages(1), packed=False)
    monkeypatch.setattr(cluster, "_CONNECT_S", 1)

    assert crawl(archive, "--out", tmp_path / "out", "--cluster", "tcp://127.0.0.1:1") == 3
    assert "no Dask scheduler answers there" in capsys.readouterr().err
