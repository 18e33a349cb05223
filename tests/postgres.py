"""PostgreSQL for tests: the server that WAYPOST_TEST_POSTGRES names, or with `start` one of Debian's in a folder.

`WAYPOST_TEST_POSTGRES=start pytest tests/store` starts a server for each process of the run, on a UNIX socket and a
port of loopback, and removes it afterwards. Without the variable the tests run on SQLite alone.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

VARIABLE = "WAYPOST_TEST_POSTGRES"
ENGINES = ("sqlite", "postgres") if os.environ.get(VARIABLE) else ("sqlite",)


class Server:
    """A server in a folder of its own, as the user `postgres` where root runs the tests."""

    def __init__(self) -> None:
        # In memory where that is possible: the server may not start without fsync, which is slow on a shared disk.
        near = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="waypost-pg-", dir=near))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._run(
            "initdb", "-D", self._data, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "waypost", "--no-sync"
        )

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://waypost@127.0.0.1:{self.port}/{database}"

    def start(self, *settings: str) -> None:
        options = [
            f"-k {self.folder}",
            f"-p {self.port}",
            "-c listen_addresses=127.0.0.1",
            *(f"-c {s}" for s in settings),
        ]
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, "-l", log, "-w", "-t", "60", "-o", " ".join(options), "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", self._data, "-m", mode, "-w", "stop")

    def close(self) -> None:
        if (self.folder / "data" / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        path = shutil.which(program, path=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))
        assert path, f"{VARIABLE}=start: there is no {program}; install Debian's package postgresql"
        command = [path, *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        known = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        with tempfile.TemporaryFile() as output:  # pg_ctl passes its handles on to the server: a pipe would never end
            done = subprocess.run(command, cwd="/", stdout=output, stderr=output, check=False, timeout=120, env=known)
            output.seek(0)
            assert done.returncode == 0, f"{program}: {output.read().decode()}"


@contextmanager
def started() -> Iterator[Server]:
    server = Server()
    try:
        server.start()
        yield server
    finally:
        server.close()


@contextmanager
def database(server: str, template: str = "template0") -> Iterator[str]:
    """Address of a new database of a server, empty or a copy of another one; dropped afterwards."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    name = f"waypost_test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}" ENCODING \'UTF8\' TEMPLATE "{template}"')  # type: ignore[arg-type]
        known: dict[str, Any] = conninfo_to_dict(server)
        more = f"&options={known['options']}" if "options" in known else ""
        secret = f":{known['password']}" if "password" in known else ""
        try:
            place = f"host={known['host']}&port={known.get('port', 5432)}{more}"
            yield f"postgresql://{known['user']}{secret}@/{name}?{place}"
        finally:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')  # type: ignore[arg-type]


_CLEAR = """
DO $$
DECLARE name text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
    IF name NOT IN ({tables}) THEN
      DROP SCHEMA public CASCADE;
      CREATE SCHEMA public;
      RETURN;
    END IF;
    IF name <> 'schema_version' THEN
      EXECUTE format('DELETE FROM %I', name);
    END IF;
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', name);
  END LOOP;
END $$
"""


def clear(address: str) -> None:
    """Delete every row of a store, past its triggers, and begin its numbers anew; or all of it, where a test made or
    renamed a table."""
    import psycopg

    from waypost.store.engines.postgres import MIGRATIONS

    made = " ".join(file.read_text("utf-8") for file in MIGRATIONS.glob("*.sql"))
    tables = ", ".join(f"'{name}'" for name in re.findall(r"^CREATE TABLE (\w+)", made, re.MULTILINE))
    with psycopg.connect(address) as db:
        db.execute(_CLEAR.format(tables=tables))  # type: ignore[arg-type]


def integrity_errors() -> tuple[type[Exception], ...]:
    """Errors of constraints and triggers, of each engine."""
    if len(ENGINES) == 1:
        return (sqlite3.IntegrityError,)
    import psycopg

    return (sqlite3.IntegrityError, psycopg.IntegrityError)


INTEGRITY_ERRORS = integrity_errors()
