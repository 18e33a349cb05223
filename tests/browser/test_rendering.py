"""Pages after their scripts in the machine's Chromium: verdicts about both pages, a browser without connections."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.browsers import only_where_requested, rendering_browser

from waypost.cli import main
from waypost.models.finding import FileReport
from waypost.net.address import PUBLIC
from waypost.net.crawl import Crawler
from waypost.net.resolve import Answer

CASES = Path(__file__).parent.parent / "cases" / "rendering"
EXPECTED: dict[str, Any] = json.loads((CASES / "expected.json").read_text("utf-8"))
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ENDED = {"loop-without-end", "memory-without-end"}
"""Pages whose scripts never end: each takes the time that it has."""


@pytest.fixture(scope="module")
def browser() -> str:
    only_where_requested()
    return rendering_browser()


@pytest.fixture(scope="module")
def rendered(browser: str) -> dict[str, FileReport]:
    """Reports of all made pages, by name."""
    from waypost.lint.inputs import collect
    from waypost.lint.page import LintOptions, validate_input
    from waypost.lint.page_sources import PageStore, open_page
    from waypost.lint.rendering import add_rendering, target_of
    from waypost.render.model import Limits
    from waypost.render.renderer import Renderer

    options = LintOptions(now=NOW)
    inputs = [each for each in collect([str(CASES)], None).inputs if each.where.endswith(".html")]
    inputs = [each for each in inputs if Path(each.where).parent == CASES]
    sources = [open_page(each, allow_private=False) for each in inputs]
    files = {}
    with closing(PageStore()) as store, Crawler(robots=False) as crawler:
        with Renderer(crawler, browser, limits=Limits(total_s=60)) as renderer:
            usual = [n for n, each in enumerate(inputs) if Path(each.where).stem not in ENDED]
            found = dict(renderer.render((n, target_of(inputs[n], sources[n], [CASES])) for n in usual))
        with Renderer(crawler, browser, limits=Limits(total_s=3)) as renderer:
            rest = [n for n in range(len(inputs)) if n not in found]
            found |= dict(renderer.render((n, target_of(inputs[n], sources[n], [CASES])) for n in rest))
        for number, after in found.items():
            file = validate_input(inputs[number], options, store).file
            assert file is not None
            add_rendering(inputs[number], sources[number], file, after, options, store)
            files[Path(inputs[number].where).stem] = file
    return files


def verdict_of(nodes: Any) -> list[str]:
    return [f"{' '.join(each.types)}: {', '.join(each.eligible) or 'none'}" for each in nodes if each.via is None]


def row_of(file: FileReport) -> dict[str, Any]:
    made = file.rendering
    assert made is not None
    if made.outcome == "failed":
        return {"raw": verdict_of(file.verdicts), "failed": True}
    changes = [
        " ".join([each.kind, *each.types, *(f"{v.property}={v.raw}->{v.rendered}" for v in each.values)])
        for each in made.changes
    ]
    row = {"raw": verdict_of(file.verdicts), "rendered": verdict_of(made.verdicts), "changes": changes}
    if scripts := [each.script for each in made.changes if each.script]:
        row["scripts"] = scripts
    mine = [each for each in file.findings if each.page or each.rule.startswith("rendered-")]
    if found := sorted({f"{each.severity} {each.rule} {each.page or 'both'}" for each in mine}):
        row["findings"] = found
    if made.errors:
        row["errors"] = made.errors
    return row


def test_every_made_page_has_a_row() -> None:
    assert {path.stem for path in CASES.glob("*.html")} == EXPECTED.keys()
    assert len(EXPECTED) >= 30


@pytest.mark.parametrize("name", EXPECTED)
def test_both_verdicts_about_a_made_page(rendered: dict[str, FileReport], name: str) -> None:
    assert row_of(rendered[name]) == EXPECTED[name]


class Sink:
    """Listener on loopback, over TCP and UDP, that counts what arrives."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self._tcp.getsockname()[1]
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", self.port))
        for listen in (self._accept, self._take):
            threading.Thread(target=listen, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            self.received.append(b"a connection")
            connection.close()

    def _take(self) -> None:
        while True:
            try:
                self.received.append(self._udp.recv(2048) or b"a datagram")
            except OSError:
                return

    def close(self) -> None:
        self._tcp.close()
        self._udp.close()


class Names:
    """Resolver for which every name is on loopback."""

    async def resolve(self, name: str, within_s: float = 0) -> Answer:
        return Answer("found", ("127.0.0.1",))


ATTACKS: dict[str, str] = json.loads((CASES / "attacks.json").read_text("utf-8"))
"""Scripts of hostile pages; PORT is that of a sink on the machine."""


def test_no_attack_of_a_page_reaches_the_machine(browser: str) -> None:
    from waypost.render.model import Limits, Target
    from waypost.render.renderer import Renderer

    sink = Sink()
    targets = [
        (n, Target(f"https://page{n}.example/", page_of(script.replace("PORT", str(sink.port))), "text/html",
                   owner=f"https://page{n}.example/"))
        for n, script in enumerate(ATTACKS.values())
    ]  # fmt: skip
    with closing(sink), Crawler(robots=False, policy=PUBLIC, resolver=Names()) as crawler:
        with Renderer(crawler, browser, limits=Limits(total_s=60)) as renderer:
            found = dict(renderer.render(targets))

        assert {each.outcome for each in found.values()} == {"rendered"}
        assert all(b"after" in each.html for each in found.values())
        assert sink.received == []


def test_a_page_of_an_archive_connects_to_nothing(browser: str, tmp_path: Path) -> None:
    """Not even where private addresses are allowed: what the archive does not have is denied."""
    pytest.importorskip("fastwarc", reason="waypost[warc] is not installed")
    from waypost.lint.fetching import policy_for
    from waypost.reader.archive_answers import ArchiveAnswers
    from waypost.render.model import Limits, Target
    from waypost.render.renderer import Renderer

    (tmp_path / "empty.warc").write_bytes(b"")
    archive = ArchiveAnswers(str(tmp_path / "empty.warc"))
    sink = Sink()
    targets = [
        (n, Target(f"https://page{n}.example/", page_of(script.replace("PORT", str(sink.port))), "text/html",
                   archive=archive))
        for n, script in enumerate(ATTACKS.values())
    ]  # fmt: skip
    with closing(sink), Crawler(robots=False, policy=policy_for([], allow_private=True), resolver=Names()) as crawler:
        with Renderer(crawler, browser, limits=Limits(total_s=60)) as renderer:
            found = dict(renderer.render(targets))

        assert {each.outcome for each in found.values()} == {"rendered"}
        assert sink.received == []


def page_of(script: str) -> bytes:
    return f"<!doctype html><body><p>after</p><script>{script}</script></body>".encode()


def test_a_private_host_is_open_to_its_own_pages(browser: str) -> None:
    from waypost.lint.fetching import policy_for
    from waypost.render.model import Limits, Target
    from waypost.render.renderer import Renderer

    sink = Sink()
    own = f"http://127.0.0.1:{sink.port}/"
    script = f"fetch('{own}data').catch(() => 0)"
    with (
        closing(sink),
        Crawler(robots=False, policy=policy_for([own], allow_private=False)) as crawler,
        Renderer(crawler, browser, limits=Limits(total_s=60)) as renderer,
    ):
        strange = Target("https://page.example/", page_of(script), "text/html", owner="https://page.example/")
        assert dict(renderer.render([(0, strange)]))[0].denied
        assert sink.received == []
        dict(renderer.render([(0, Target(own, page_of(script), "text/html", owner=own))]))
        assert sink.received


def test_an_interrupted_run_leaves_no_browser(browser: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<!doctype html><script>for(;;);</script>")
    profile = f"waypost-test-{os.getpid()}"
    wrapper = tmp_path / "browser"
    wrapper.write_text(f'#!/bin/sh\necho $$ > {tmp_path / "pid"}\nexec "{browser}" "$@" --{profile}\n')
    wrapper.chmod(0o755)
    command = [
        sys.executable,
        "-m",
        "waypost",
        "validate",
        "--render",
        "--browser",
        str(wrapper),
        str(tmp_path / "a.html"),
    ]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while not (tmp_path / "pid").exists():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=300)

    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if profile.encode() in _bytes_of(path)]
    assert left == []


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_missing_browser_is_an_error_that_names_the_way(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("playwright")
    (tmp_path / "a.html").write_text("<p>A")

    assert main(["validate", "--render", "--browser", "no-such-browser", str(tmp_path)]) == 2
    assert "--render: no-such-browser is not a program" in capsys.readouterr().err


def test_a_watch_renders_changed_pages_alone(
    browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from waypost.cli import watch
    from waypost.cli._program import parser
    from waypost.render.renderer import Renderer

    monkeypatch.setattr(watch, "SETTLED_S", 0)
    monkeypatch.chdir(tmp_path)
    seen: list[str] = []
    render = Renderer.render

    def noting(self: Renderer, targets: Any) -> Any:
        return render(self, ((n, seen.append(target.url) or target) for n, target in targets))  # type: ignore[func-returns-value]

    monkeypatch.setattr(Renderer, "render", noting)
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(written_by_script("Kettle"))
    watched = watch.Watch(parser("watch").parse_args(["watch", ".", "--render", "--browser", browser, "--no-config"]))
    with closing(watched):
        watched.begin()
        assert sorted(seen) == ["https://files.test/a.html", "https://files.test/b.html"]
        seen.clear()
        assert not watched.poll()
        capsys.readouterr()

        (tmp_path / "b.html").write_text(written_by_script("A larger kettle"))
        assert watched.poll()

    output = capsys.readouterr().out
    assert seen == ["https://files.test/b.html"]
    assert "Product 'A larger kettle': exists only after scripts" in output
    assert "a.html:" not in output


def written_by_script(name: str) -> str:
    """Page on which a script writes the JSON-LD of a product."""
    data = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": name, "sku": "K1"})
    script = "const s = document.createElement('script'); s.type = 'application/ld+json'; s.textContent = DATA"
    return (
        f"<!doctype html><title>{name}</title><h1>{name}</h1>"
        f"<script>{script.replace('DATA', json.dumps(data))}; document.head.append(s)</script>"
    )


def test_a_watch_without_a_browser_does_not_begin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("playwright")

    assert main(["watch", "--render", "--browser", "no-such-browser", str(tmp_path)]) == 2
    assert "--render: no-such-browser is not a program" in capsys.readouterr().err
