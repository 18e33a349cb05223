"""Commands in the warm helper: the same bytes and exit statuses as without it, whatever happens to the helper."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.cli import _warm, _warm_helper

resource = pytest.importorskip("resource", reason="this system has no limits of resources")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the helper is for Linux")

WAYPOST = Path(sys.executable).parent / "waypost"
CASES = Path(__file__).parent / "cases" / "rules"
COMMANDS = [
    ["validate", "page.html"],
    ["validate", "page.html", "--format", "json"],
    ["validate", "page.html", "--format", "sarif"],
    ["validate", "page.html", "other.html", "--fail-on", "never"],
    ["validate", "page.html", "--color", "always"],
    ["validate", "missing.html"],
    ["validate", "-"],
    ["validate", "."],
    ["validate", "page.html", "--wrong"],
    ["validate", "--help"],
    ["preview", "page.html"],
    ["preview", "other.html", "--json"],
    ["explain", "price-invalid"],
    ["explain", "nothing-of-that-name"],
    ["rules", "--json"],
    ["rules"],
    ["check", "https://example.com/", "--action", "unheard-of"],
]
PAGE = """<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Kettle",
"offers": {"@type": "Offer", "price": "64,90", "priceCurrency": "EUR"}}</script>"""
MOST = int(os.environ.get("WAYPOST_TEST_WARM", "24"))
PATIENCE_S = 300


class Runs:
    """Runs of commands in a folder, with a helper of their own."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        self.folder = folder
        self.sockets = sockets

    def open(self, arguments: list[str], *, warm: bool = True, **more: Any) -> Any:
        environment = {**os.environ, "WAYPOST_WARM": "1" if warm else "0", "XDG_RUNTIME_DIR": str(self.sockets)}
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        more["env"] = environment | more.get("env", {})
        return subprocess.Popen([WAYPOST, *arguments], cwd=self.folder, **(streams | more))

    def run(self, arguments: list[str], *, warm: bool = True, **more: Any) -> tuple[bytes, bytes, int]:
        process = self.open(arguments, warm=warm, **more)
        out, err = process.communicate(PAGE.encode() if process.stdin else None, timeout=PATIENCE_S)
        return out or b"", err or b"", process.returncode

    def helper(self) -> int:
        """Process id of the helper, started if there is none."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := [each for each in self.sockets.glob("waypost-warm/*") if is_alive(each)]):
            assert time.monotonic() < deadline, "no helper"
            self.run(["rules"])
            time.sleep(0.5)
        return int(Path(f"{found[0]}.lock").read_text())

    def wait_for_command(self) -> None:
        """Wait until a command runs in the helper, which waits for its standard input."""
        helper = self.helper()
        deadline = time.monotonic() + PATIENCE_S
        seen = 0  # once may be the moment in which it waits for the client
        while seen < 4:
            assert time.monotonic() < deadline, "no command"
            seen = seen + 1 if any(is_reading(each) for each in commands_of(helper)) else 0
            time.sleep(0.1)


def commands_of(helper: int) -> list[str]:
    return Path(f"/proc/{helper}/task/{helper}/children").read_text().split()


def is_reading(process: str) -> bool:
    """Is a process asleep in the read of a pipe?"""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return fields[0] == "S" and str(Path(f"/proc/{process}/fd/0").readlink()).startswith("pipe:")
    except OSError:
        return False


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "page.html").write_text(PAGE)
    shutil.copy(next(CASES.glob("price-invalid/bad*.html"), folder / "page.html"), folder / "other.html")
    with tempfile.TemporaryDirectory(prefix="ww") as sockets:  # short: a socket's address has 108 bytes
        made = Runs(folder, Path(sockets))
        made.helper()
        yield made
        for lock in Path(sockets).glob("waypost-warm/*.lock"):
            try:
                os.kill(int(lock.read_text()), signal.SIGKILL)
            except ProcessLookupError:
                pass


@pytest.fixture(scope="module")
def cold(runs: Runs) -> list[tuple[bytes, bytes, int]]:
    return [runs.run(arguments, warm=False) for arguments in COMMANDS]


def is_alive(path: Path) -> bool:
    """Does a helper listen? The socket of a killed one stays until the next has loaded."""
    with socket.socket(socket.AF_UNIX) as client:
        return path.is_socket() and client.connect_ex(str(path)) == 0


def is_warm(runs: Runs) -> bool:
    """Does a command run in a process that is no child of this one?"""
    process = runs.open(["validate", "-"])
    time.sleep(2)
    children = Path(f"/proc/{runs.helper()}/task/{runs.helper()}/children").read_text().split()
    process.communicate(b"", timeout=PATIENCE_S)
    return bool(children)


def test_commands_in_any_order_equal_cold_ones(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    assert is_warm(runs)
    rng = random.Random(5)
    for _ in range(MOST):
        number = rng.randrange(len(COMMANDS))
        assert runs.run(COMMANDS[number]) == cold[number], COMMANDS[number]


def test_twenty_commands_at_once_equal_cold_ones(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    numbers = [number % len(COMMANDS) for number in range(20)]
    processes = [runs.open(COMMANDS[number]) for number in numbers]
    for number, process in zip(numbers, processes, strict=True):
        out, err = process.communicate(PAGE.encode(), timeout=PATIENCE_S)
        assert (out, err, process.returncode) == cold[number], COMMANDS[number]


def test_a_command_sees_folder_environment_and_umask(runs: Runs) -> None:
    def masked() -> None:
        os.umask(0o77)

    narrow = {"COLUMNS": "40"}
    assert runs.run(["validate", "--help"], env=narrow) == runs.run(["validate", "--help"], warm=False, env=narrow)

    runs.run(["validate", "page.html", "--output", "report.json"], preexec_fn=masked)

    assert (runs.folder / "report.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_end_a_warm_command(runs: Runs, number: int, status: int) -> None:
    runs.helper()
    # A shell's command in the background ignores SIGINT, and so would all that these tests start there.
    process = runs.open(["validate", "-"], preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    runs.wait_for_command()

    process.send_signal(number)

    process.wait(PATIENCE_S)  # first: the end of its standard input would end the command as well
    _, err = process.communicate()
    assert process.returncode == status
    assert err == (b"waypost: interrupted\n" if number == signal.SIGINT else b"")


def test_a_killed_client_ends_its_command(runs: Runs) -> None:
    helper = runs.helper()
    process = runs.open(["validate", "-"])
    runs.wait_for_command()

    process.kill()

    process.wait()
    deadline = time.monotonic() + PATIENCE_S
    while commands_of(helper):
        assert time.monotonic() < deadline, "the command still runs"
        time.sleep(0.1)
    process.communicate()


def test_a_helper_started_in_the_background_can_be_interrupted(runs: Runs) -> None:
    os.kill(runs.helper(), signal.SIGKILL)
    runs.run(["rules"], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))

    test_signals_end_a_warm_command(runs, signal.SIGINT, 130)


def test_closed_pipes_and_full_disks_end_alike(runs: Runs) -> None:
    def into_closed_pipe(warm: bool) -> tuple[bytes, bytes, int]:
        reading, writing = os.pipe()
        os.close(reading)
        found = runs.run(["rules", "--json"], warm=warm, stdout=writing)
        os.close(writing)
        return found

    def into_full_disk(warm: bool) -> tuple[bytes, bytes, int]:
        with Path("/dev/full").open("wb") as full:
            return runs.run(["validate", "page.html"], warm=warm, stdout=full)

    assert into_closed_pipe(True) == into_closed_pipe(False)
    assert into_full_disk(True) == into_full_disk(False)


def test_closed_streams_end_alike(runs: Runs) -> None:
    closed = ["-c", f'exec "{WAYPOST}" validate page.html >&-']
    found = [
        subprocess.run(
            ["sh", *closed], cwd=runs.folder, capture_output=True, timeout=PATIENCE_S, check=False,
            env={**os.environ, "WAYPOST_WARM": warm, "XDG_RUNTIME_DIR": str(runs.sockets)},
        )
        for warm in ("0", "1")
    ]  # fmt: skip
    assert (found[0].returncode, found[0].stderr) == (found[1].returncode, found[1].stderr)


def test_a_hung_helper_is_left_alone(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    helper = runs.helper()
    os.kill(helper, signal.SIGSTOP)

    found = runs.run(COMMANDS[0])

    os.kill(helper, signal.SIGKILL)
    os.kill(helper, signal.SIGCONT)
    assert found == cold[0]


def test_a_killed_helper_leaves_its_command_running(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    helper = runs.helper()
    process = runs.open(["validate", "-"])
    runs.wait_for_command()

    os.kill(helper, signal.SIGKILL)

    out, err = process.communicate(PAGE.encode(), timeout=PATIENCE_S)
    assert (out, err, process.returncode) == cold[COMMANDS.index(["validate", "-"])]


def test_a_folder_without_room_starts_no_helper(
    runs: Runs, cold: list[tuple[bytes, bytes, int]], tmp_path: Path
) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # no byte can be written, as on a full disk

    for _ in range(2):
        found = runs.run(COMMANDS[0], env={"XDG_RUNTIME_DIR": str(tmp_path)}, preexec_fn=full)
        assert found == cold[0]

    assert not [each for each in tmp_path.glob("waypost-warm/*") if each.is_socket()]


def test_without_a_folder_for_sockets_commands_run_cold(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    nowhere = dict.fromkeys(("XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "HOME", "TMPDIR"), "/nonexistent")

    assert runs.run(COMMANDS[0], env=nowhere) == cold[0]


def test_a_killed_helper_is_replaced(runs: Runs, cold: list[tuple[bytes, bytes, int]]) -> None:
    helper = runs.helper()
    os.kill(helper, signal.SIGKILL)

    assert runs.run(COMMANDS[0]) == cold[0]

    assert runs.helper() != helper
    assert runs.run(COMMANDS[0]) == cold[0]


def test_changed_files_make_a_helper_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "rule.py"
    file.write_text("1")
    monkeypatch.setattr(_warm_helper, "_loaded_files", lambda: [str(file)])
    monkeypatch.setattr(_warm_helper, "_files_about_hosts", list)
    states = _warm_helper._States(time.time_ns() + 1)
    assert not states.are_old()

    file.write_text("22")

    assert states.are_old()
    assert _warm_helper._States(0).are_old(), "changed while the helper loaded"


@pytest.mark.parametrize("mode", [0o755, 0o770])
def test_a_folder_that_others_may_enter_is_not_used(mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as home:
        monkeypatch.setenv("XDG_RUNTIME_DIR", home)
        assert _warm._folder() == f"{home}/waypost-warm"

        Path(home, "waypost-warm").chmod(mode)

        assert _warm._folder() is None


def test_a_folder_of_another_user_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert _warm._folder() is not None

    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)

    assert _warm._folder() is None


@pytest.mark.parametrize(
    ("name", "text", "is_warm"),
    [
        ("waypost.toml", "warm = true\n", True),
        ("waypost.toml", "exclude = []\nwarm=true # faster hooks\n[rules]\n", True),
        ("waypost.toml", "warm = false\n", False),
        ("waypost.toml", "[vocabulary]\nwarm = true\n", False),
        ("pyproject.toml", "[project]\nname = 'x'\n[tool.waypost]\nwarm = true\n", True),
        ("pyproject.toml", "[tool.other]\nwarm = true\n[tool.waypost]\nrules = {}\n", False),
        ("pyproject.toml", "[tool.other]\nwarm = true\n", False),
    ],
)
def test_a_line_of_the_configuration_requests_the_helper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, is_warm: bool
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    (tmp_path / "pages").mkdir()
    monkeypatch.chdir(tmp_path / "pages")
    monkeypatch.delenv("WAYPOST_WARM", raising=False)
    assert _warm.is_requested(["validate", "."]) is is_warm
    monkeypatch.setenv("WAYPOST_WARM", "0")
    assert not _warm.is_requested(["validate", "."])


def test_the_nearest_configuration_and_the_repository_end_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "waypost.toml").write_text("warm = true\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.delenv("WAYPOST_WARM", raising=False)
    assert _warm.is_requested([])
    (inner / ".git").mkdir()
    assert not _warm.is_requested([])
    (inner / "waypost.toml").write_text("exclude = []\n")
    assert not _warm.is_requested([])


def test_the_client_imports_almost_nothing() -> None:
    code = "import sys; before = set(sys.modules); import waypost.cli; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    ours = {"__future__", "waypost", "waypost.cli", "waypost.cli._warm", "_signal", "_socket", "gc"}
    assert set(done.stdout.split()) <= ours
