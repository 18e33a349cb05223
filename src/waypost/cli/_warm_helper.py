"""Warm helper: a process that has the commands loaded, and forks for each request of `waypost.cli._warm`.

One helper serves one user, version and Python. It ends after idle minutes, and when a file that it has loaded changed.
A fork takes over streams, folder, umask and environment of the client, and then runs the command as a new process does.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import io
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

import waypost
from waypost import cli
from waypost.cli._warm import GO, STREAMS, YES, command_of, identity, peer_user
from waypost.registry import assets

_IDLE_S = 600
_TICK_MS = 2_000
_MOST_BYTES = 16_000_000
_PATIENCE_S = 5
_WAITING = 64
_SAMPLE = (
    b'<!doctype html><html><head><title>x</title><script type="application/ld+json">{"@context": "https://schema.org", '
    b'"@type": "Product", "name": "", "image": "a.jpg", "offers": {"@type": "Offer", "price": "1,90", "priceCurrency": '
    b'"EUR"}, "aggregateRating": {"@type": "AggregateRating", "ratingValue": 7}}</script></head><body itemscope '
    b'itemtype="https://schema.org/Recipe"><p itemprop="name">x</p></body></html>'
)
_LOADED_BY = (
    ["validate", "-", "--no-config"], ["preview", "-"], ["rules"], ["explain", "price-invalid"],
    ["check", "https://example.com/", "--action", "login", "--offline"],
)  # fmt: skip


def main() -> None:
    """Serve requests at the socket named by the first argument, until idle."""
    if (path := _claimed(sys.argv[1])) is None:
        return
    sys.path[:] = [entry for entry in sys.path if entry]
    with socket.socket(socket.AF_UNIX) as listening:
        texts = [
            (stream.encoding, stream.errors) for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__) if stream
        ]
        # Before the files are read: what changes from here on is seen, at the latest by the first request.
        started = time.time_ns()
        _load()
        states = _States(started)
        with suppress(OSError):
            os.unlink(path)
        listening.bind(path)
        listening.listen(_WAITING)
        gc.freeze()
        _Server(listening, identity(), states, texts).serve()


def _claimed(path: str) -> str | None:
    """The path, locked for this process; None where another helper has it."""
    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return None
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    return path


def _load() -> None:
    """Load the modules of the commands, by running each on a sample page, and every rule."""
    gc.disable()
    cli.import_lean()
    from waypost.validate.rulebook import load_rules

    load_rules()
    for arguments in _LOADED_BY:
        sys.stdin = io.TextIOWrapper(io.BytesIO(_SAMPLE))
        cli.run_interruptible(list(arguments))
        sys.stdout.flush()


def _loaded_files() -> list[str]:
    """Files of the modules and of the registry, with the folders of the latter."""
    modules = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return [*filter(None, modules), *_below(assets.folder("schemas"))]


def _files_about_hosts() -> list[str]:
    """Thousands of files for decisions: only a decision pays for the check."""
    return _below(os.path.join(os.path.dirname(waypost.__file__), "data"))


def _below(folder: str | os.PathLike[str]) -> list[str]:
    found: list[str] = []
    for inner, _, names in os.walk(folder):
        found += (os.fspath(inner), *(os.path.join(inner, name) for name in names))
    return found


class _States:
    """Times at which the loaded files were changed. Those changed since `started` may have been read before."""

    def __init__(self, started: int) -> None:
        self._loaded = {file: _changed_at(file) for file in _loaded_files()}
        self._about_hosts = {file: _changed_at(file) for file in _files_about_hosts()}
        self._is_unsure = any(at >= started for at in (*self._loaded.values(), *self._about_hosts.values()))

    def are_old(self, *, about_hosts: bool = False) -> bool:
        """Has a file changed?"""
        files = self._about_hosts if about_hosts else self._loaded
        return self._is_unsure or any(_changed_at(file) != at for file, at in files.items())


def _changed_at(file: str) -> int:
    try:
        found = os.stat(file)
    except OSError:
        return -1
    return max(found.st_mtime_ns, found.st_ctime_ns)


class _Server:
    """Loop over connections and forks. `texts`: encoding and error handler of the standard streams."""

    def __init__(
        self, listening: socket.socket, who: str, states: _States, texts: list[tuple[str, str | None]]
    ) -> None:
        self._listening = listening
        self._who = who
        self._states = states
        self._texts = texts
        self._inode = os.stat(listening.getsockname()).st_ino
        self._forks: dict[int, socket.socket] = {}  # process -> connection of its client

    def serve(self) -> None:
        reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._listening, select.POLLIN)
        poll.register(reading, select.POLLIN)
        idle_at = time.monotonic() + _IDLE_S
        while self._forks or (time.monotonic() < idle_at and self._is_reachable()):
            for number, _ in poll.poll(_TICK_MS):
                if number == reading:
                    os.read(reading, 4096)
                elif number == self._listening.fileno():
                    if self._states.are_old():
                        os.unlink(self._listening.getsockname())
                        return
                    idle_at = time.monotonic() + _IDLE_S
                    if (connection := self._fork()) is not None:
                        poll.register(connection, select.POLLRDHUP)
                else:
                    self._drop(number)
                    poll.unregister(number)
            self._reap(poll)

    def _is_reachable(self) -> bool:
        """Is the socket still in the folder? A client removes the socket of a hanging helper."""
        try:
            return os.stat(self._listening.getsockname()).st_ino == self._inode
        except OSError:
            return False

    def _fork(self) -> socket.socket | None:
        connection, _ = self._listening.accept()
        if peer_user(connection) != os.geteuid():
            connection.close()
            return None
        process = os.fork()
        if not process:
            self._listening.close()
            for other in self._forks.values():
                other.close()
            self._run(connection)
        self._forks[process] = connection
        return connection

    def _run(self, connection: socket.socket) -> NoReturn:
        """Run the command of a client in this fork."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        try:
            arguments = _taken_over(connection, self._who, self._states, self._texts)
        except BaseException:  # noqa: BLE001 - the client runs the command itself
            os._exit(0)
        status = cli.run_interruptible(arguments)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            sys.exit(status)  # Python reports it at the end, as ever; the helper sends the status
        atexit._run_exitfuncs()  # noqa: SLF001 - the rest of Python's end has nothing to do
        with suppress(OSError):
            connection.sendall(status.to_bytes(4, "big", signed=True))
        os._exit(status)

    def _drop(self, number: int) -> None:
        """End the command of a client that is gone."""
        for process, connection in self._forks.items():
            if connection.fileno() == number:
                os.kill(process, signal.SIGKILL)

    def _reap(self, poll: Any) -> None:
        while self._forks:
            process, status = os.waitpid(-1, os.WNOHANG)
            if not process:
                return
            connection = self._forks.pop(process)
            with suppress(KeyError):
                poll.unregister(connection)
            with suppress(OSError):
                connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
            connection.close()


def _taken_over(connection: socket.socket, who: str, states: _States, texts: list[tuple[str, str | None]]) -> list[str]:
    """Arguments of the client. Streams, folder, environment and umask become those of this process."""
    connection.settimeout(_PATIENCE_S)
    connection.sendall(os.getpid().to_bytes(4, "big"))
    head, streams, _, _ = socket.recv_fds(connection, 8, STREAMS + 1)
    length = int.from_bytes(head, "big")
    assert length < _MOST_BYTES
    body = bytearray()
    while len(body) < length:
        body += connection.recv(length - len(body)) or bytes(_MOST_BYTES)
    client, mask, path, count, program, *rest = bytes(body).split(b"\0")
    assert os.fsdecode(client) == who
    number = int(count)
    arguments = [os.fsdecode(each) for each in rest[:number]]
    assert command_of(arguments) != "check" or not states.are_old(about_hosts=True)
    *streams, folder = streams
    os.fchdir(folder)
    os.close(folder)
    os.umask(int(mask))
    os.environb.clear()
    for each in rest[number:]:
        name, _, value = each.partition(b"=")
        os.environb[name] = value
    time.tzset()
    sys.path[:] = [entry for entry in _list(os.fsdecode(path)) if isinstance(entry, str)]
    sys.argv = [os.fsdecode(program), *arguments]
    for stream, (taken, (encoding, errors)) in enumerate(zip(streams, texts, strict=True)):
        os.dup2(taken, stream, inheritable=True)
        os.close(taken)
        _open_stream(stream, encoding, errors)
    connection.sendall(YES)
    assert connection.recv(1) == GO
    connection.settimeout(None)
    return arguments


def _list(text: str) -> list[Any]:
    from ast import literal_eval

    return list(literal_eval(text))


def _open_stream(number: int, encoding: str, errors: str | None) -> None:
    """Open a standard stream as Python does at its start."""
    name = ("stdin", "stdout", "stderr")[number]
    raw = io.FileIO(number, "wb" if number else "rb", closefd=False)
    raw.name = f"<{name}>"
    buffer = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    is_by_line = number == STREAMS - 1 or raw.isatty()
    stream = io.TextIOWrapper(
        buffer, encoding, errors, newline="\n" if number else None, line_buffering=bool(number) and is_by_line
    )
    stream.mode = "w" if number else "r"  # type: ignore[misc]
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)
