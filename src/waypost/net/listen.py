"""Listening sockets for the server, with clear errors."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from contextlib import suppress
from pathlib import Path

from waypost.errors import WaypostError

Listening = socket.socket
BACKLOG = 2048
STUCK_S = 20.0
"""Seconds that a client may take nothing of what it was sent."""
UNSENT = 128 << 10
"""Bytes that the system keeps of a client that takes nothing."""


class CannotListen(WaypostError):
    """The address is taken, or not ours to listen on."""

    code = "cannot-listen"


def listen(host: str, port: int) -> socket.socket:
    """Listening TCP socket. Raises CannotListen."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        sock = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        raise CannotListen(f"cannot listen on {host}: {(error.strerror or str(error)).lower()}") from None
    try:
        # A restart may bind while connections of the process before are still in TIME_WAIT.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(AttributeError, OSError):  # systems without the option
            # Connections inherit it. Without it the system keeps up to 4 MB of a client that acknowledges and never
            # reads, for as long as it acknowledges, also after the connection was closed here (RFC 5482).
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(STUCK_S * 1000))
        with suppress(AttributeError, OSError):
            # Bytes that wait in the system before the network can take them; on their way may be as many as it takes.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, UNSENT)
        sock.bind((host, port))
        sock.listen(BACKLOG)
        # Worker processes serve on the same socket.
        sock.set_inheritable(True)
    except OSError as error:
        sock.close()
        taken = error.errno == errno.EADDRINUSE
        hint = "; something listens there already: stop it, or name another with --port" if taken else ""
        raise CannotListen(
            f"cannot listen on {host} port {port}: {(error.strerror or str(error)).lower()}{hint}"
        ) from None
    return sock


def check_free(host: str, port: int, name: str) -> None:
    """Check that a port of IPv4 can be listened on. `name` is the setting's. Raises CannotListen."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            hint = "; something listens there already: stop it, or name another port" if taken else ""
            reason = (error.strerror or str(error)).lower()
            raise CannotListen(f"{name}: cannot listen on {host} port {port}: {reason}{hint}") from None


def listen_on_file(path: str) -> socket.socket:
    """Listening UNIX socket; a stale socket file is replaced. Raises CannotListen."""
    file = Path(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if file.exists():
            if not stat.S_ISSOCK(file.stat().st_mode):
                raise CannotListen(f"{path} is there and is not a socket; name another with --socket")
            # A socket file outlives its process: only one that answers is in use.
            if _answers(path):
                raise CannotListen(f"something listens on {path} already")
            file.unlink()
        sock.bind(path)
        # The web server in front shares the group; no one else may connect.
        file.chmod(0o660)
        sock.listen(BACKLOG)
        sock.set_inheritable(True)
    except OSError as error:
        sock.close()
        raise CannotListen(f"cannot listen on {path}: {(error.strerror or str(error)).lower()}") from None
    except CannotListen:
        sock.close()
        raise
    return sock


def discard_unsent(sock: socket.socket | None) -> None:
    """Let the system throw away, when the socket is closed, what it has not sent. None for a transport without one."""
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("hh" if os.name == "nt" else "ii", 1, 0))


def port_of(sock: socket.socket) -> int:
    """Port of a socket, for sockets bound to port 0."""
    return int(sock.getsockname()[1])


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(path) == 0
