"""Warm helper, the client's half: hand a command to a process with all modules loaded (`waypost --warm`).

Imports are most of the time of a warm command, so this module has few. Wherever anything is unexpected, the command
runs in the client's process, as without a helper.

The helper forks for each connection, and the fork sends a process id: streams never go to a hanging helper, where the
streams would stay open. The client sends standard streams and folder as file descriptors, then arguments, environment
and umask; the fork answers and waits for one byte, so that the command never runs twice. Signals are passed on to the
fork, and the fork's exit status or signal is also the client's.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing`, `signal` and `socket` would be most of what is loaded
if TYPE_CHECKING:
    import signal as _signal
    import socket as _socket
    from typing import Any
else:
    try:
        import _signal
        import _socket
    except ImportError:
        _signal = _socket = None  # another Python than CPython

COMMANDS = frozenset({"validate", "preview", "check", "rules", "explain", "schema"})
"""Commands that end without a signal and keep nothing open."""
GO, YES = b"G", b"Y"
STREAMS = 3
_SWITCH = "WAYPOST_WARM"
_CONFIGURATIONS = (("waypost.toml", b""), ("pyproject.toml", b"[tool.waypost]"))
_SETTING = b"warm=true"
_MOST_CONFIGURED = 1_000_000  # bytes
_SETTINGS = ("PYTHON", "LC_", "LANG", "WAYPOST_")
_LIMITS = 16  # resources of Linux, from processor time to time without a system call
_PATIENCE_S = 2.0
_LONGEST_PATH = 100  # bytes of a socket's address on every system
_SIGNALS = (1, 2, 3, 15)  # hang-up, Ctrl-C, quit, termination
_KILL, _CONTINUE, _STOP, _SUSPEND = 9, 18, 19, 20


def is_requested(arguments: list[str]) -> bool:
    """Whether a command shall run warm: by its first argument, else by the environment, else by the configuration."""
    if arguments[:1] == ["--warm"]:
        return True
    switch = os.environ.get(_SWITCH, "")
    return switch != "0" if switch else _is_configured(os.getcwd())


def _is_configured(folder: str) -> bool:
    """Whether the nearest configuration of a folder has `warm = true`: by lines, without a parser of TOML."""
    while True:
        for name, table in _CONFIGURATIONS:
            try:
                with open(f"{folder}/{name}", "rb") as file:
                    text = file.read(_MOST_CONFIGURED)
            except OSError:
                continue
            lines = [b"".join(line.partition(b"#")[0].split()) for line in text.split(b"\n")]
            if not table:
                return _SETTING in lines[: _first_table(lines)]
            if table in lines:
                own = lines[lines.index(table) + 1 :]
                return _SETTING in own[: _first_table(own)]
        above = folder.rpartition("/")[0]
        if not above or os.path.exists(f"{folder}/.git"):
            return False
        folder = above


def _first_table(lines: list[bytes]) -> int:
    """Number of the first line with the name of a table."""
    return next((number for number, line in enumerate(lines) if line.startswith(b"[")), len(lines))


def run_warm(arguments: list[str]) -> int | None:
    """Exit status of a command run by the helper, or None for a command to run here. Starts a missing helper."""
    if command_of(arguments) not in COMMANDS or not sys.platform.startswith("linux") or _has_options():
        return None
    try:
        folder = _folder()
        if folder is None:
            return None
        who = identity()
        path = f"{folder}/{_digest(who)}"
        if len(path) > _LONGEST_PATH:
            return None
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.settimeout(_PATIENCE_S)
        try:
            connection.connect(path)
        except OSError:
            _start(path)
            return None
        return _run(connection, who, arguments, path)
    except (OSError, AttributeError, ValueError):
        return None


def command_of(arguments: list[str]) -> str:
    return next((argument for argument in arguments if not argument.startswith("-")), "")


def _has_options() -> bool:
    """Whether Python itself has options, which a helper would need too."""
    first = sys.orig_argv[1:2]
    return not first or (first[0].startswith("-") and first[0] != "-m")


def _folder() -> str | None:
    """Folder of the sockets, owned and entered by this user alone."""
    user = os.geteuid()
    if user != os.getuid():
        return None
    home = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(home) or os.stat(home).st_uid != user:
        return None
    folder = f"{home}/waypost-warm"
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    found = os.lstat(folder)
    is_own = found.st_uid == user and found.st_mode & 0o170777 == 0o040700
    return folder if is_own else None


def identity() -> str:
    """Text of version, Python, user, limits and settings, equal for a helper and the clients."""
    import resource

    from waypost import __file__ as package
    from waypost import __version__

    limits = [resource.getrlimit(number) for number in range(_LIMITS)]
    settings = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith(_SETTINGS) and name != _SWITCH
    )
    process = (__version__, package, sys.version, sys.executable, tuple(sys.flags), sys.warnoptions)
    return repr((process, os.getuid(), os.getgid(), sorted(os.getgroups()), limits, settings))


def _digest(text: str) -> str:
    """Short name for a text. Two texts may share a name: the helper compares the texts."""
    from binascii import crc32

    data = text.encode("utf-8", "surrogateescape")
    return f"{crc32(data):08x}{crc32(data[::-1]):08x}"


def peer_user(connection: Any) -> int:
    """User of the process at the other end of a socket."""
    data = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(data[4:8], sys.byteorder)


def _run(connection: Any, who: str, arguments: list[str], path: str) -> int | None:
    if peer_user(connection) != os.geteuid():
        return None
    try:
        process = int.from_bytes(_received(connection, 4), "big")
    except TimeoutError:
        os.unlink(path)  # a helper that hangs: the next command starts another one
        return None
    try:
        if _answer(connection, who, arguments) != YES:
            return None
    except TimeoutError:
        os.kill(process, _KILL)
        return None
    connection.settimeout(None)
    _pass_signals_on(process)
    connection.sendall(GO)
    # From here on the fork runs the command, and nothing may run it again.
    try:
        status = int.from_bytes(_received(connection, 4), "big", signed=True)
    except OSError:
        status = -_KILL  # the fork was killed, and the helper too
    if status < 0:
        if -status != _KILL:
            _signal.signal(-status, _signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def _answer(connection: Any, who: str, arguments: list[str]) -> bytes:
    """Answer of the fork to the request."""
    mask = os.umask(0o77)
    os.umask(mask)
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        streams = [*range(STREAMS), folder]
        for stream in streams:
            os.fstat(stream)  # a closed stream is an error here
        texts = [who, str(mask), repr(sys.path), str(len(arguments)), sys.argv[0], *arguments]
        environment = [b"%s=%s" % pair for pair in os.environb.items()]
        body = b"\0".join([*map(os.fsencode, texts), *environment])
        numbers = b"".join(stream.to_bytes(4, sys.byteorder) for stream in streams)
        ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)]
        connection.sendmsg([len(body).to_bytes(8, "big")], ancillary)
        connection.sendall(body)
        return _received(connection, len(YES))
    finally:
        os.close(folder)


def _pass_signals_on(process: int) -> None:
    def send(number: int) -> None:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass  # the command has just ended

    def suspend(_: int, __: object) -> None:
        send(_STOP)
        os.kill(os.getpid(), _STOP)
        send(_CONTINUE)

    for number in _SIGNALS:
        if _signal.getsignal(number) in (_signal.SIG_DFL, _signal.default_int_handler):
            _signal.signal(number, lambda number, _: send(number))
    if _signal.getsignal(_SUSPEND) == _signal.SIG_DFL:
        _signal.signal(_SUSPEND, suspend)


def _received(connection: Any, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise ConnectionError
        data += part
    return data


def _start(path: str) -> None:
    """Start a helper in the background, without the open files of this process."""
    code = "from waypost.cli._warm_helper import main; main()"
    if os.fork():
        os.wait()
        return
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(STREAMS):
            os.dup2(null, stream)
        os.closerange(STREAMS, 1024)
        os.chdir("/")
        # An ignored signal, as of a command in the background, would stay ignored in commands of other clients.
        for number in (*_SIGNALS, _SUSPEND):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
        os.execv(sys.executable, [sys.executable, "-c", code, path])
    finally:
        os._exit(1)
