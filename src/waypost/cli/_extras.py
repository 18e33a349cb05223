"""Optional packages of the commands, and the command that installs a missing one."""

from __future__ import annotations

from importlib.util import find_spec

from waypost.cli._console import UsageError
from waypost.errors import install_command

_MODULES = {
    "crawl": ("pyarrow", "duckdb", "fsspec", "fastwarc", "jinja2"),
    "dask": ("distributed",),
    "mcp": ("mcp", "httpx"),
    "server": ("litestar", "uvicorn", "joserfc", "jinja2"),
    "site": ("jinja2", "markdown_it", "pygments", "rcssmin", "rjsmin"),
}


def require(command: str, *extras: str) -> None:
    """Raise UsageError where a module of the extras is missing; the message has the `pip install` command."""
    missing = dict.fromkeys(name for extra in extras for name in _MODULES[extra] if find_spec(name) is None)
    if missing:
        raise UsageError(f"{command} needs more packages: {install_command(*extras)}\n  missing: {', '.join(missing)}")
