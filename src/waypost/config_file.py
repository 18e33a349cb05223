"""File of a configuration: table, lines of the keys, and paths of extended files."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from waypost.errors import WaypostError
from waypost.formats.patterns import pattern
from waypost.formats.text import near

PACKAGE = "package:"
"""Start of a name in `extends` that is about a file of an installed package."""
_PYPROJECT = "pyproject.toml"
_PLACE = pattern(r" \(at line ([0-9]+), column [0-9]+\)\Z")
_TOOL = pattern(r"""^[ \t]*\[?[ \t]*["']?tool["']?[ \t]*(?:\.[ \t]*["']?([\w-]+)|[]=])""", re.MULTILINE)
"""Table or key of a pyproject.toml about a tool, with its name; without a name where all tools may follow."""
_STEP = pattern(r"[^.\[\]]+|\[[0-9]+\]")


class ConfigError(WaypostError):
    """Unusable configuration. The message names the file, the line, the key and the error.

    line  1-based; 0 where the file has none. `path` is empty for an error of the command line.
    """

    code, status = "config_fault", 422

    def __init__(self, message: str, path: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.path, self.line = path, line


class ConfigFile:
    """Configuration file as read. Raises ConfigError.

    table  the file, or the table `[tool.waypost]` of a pyproject.toml; None for a pyproject.toml without the table.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._prefix = ("tool", "waypost") if path.name == _PYPROJECT else ()
        self._text, document = "", dict[str, Any]()
        try:
            self._text = path.read_bytes().decode()
            document = _loads(self._text) if not self._prefix or _may_name_waypost(self._text) else {}
        except OSError as error:
            raise ConfigError(f"{path}: {(error.strerror or str(error)).lower()}", str(path)) from None
        except (ValueError, RecursionError) as error:  # not TOML, or not UTF-8
            # Every tool of the project reports a broken pyproject.toml.
            if not self._prefix:
                found = _PLACE.search(str(error))
                why, line = _PLACE.sub("", str(error)), int(found[1]) if found else 1
                raise ConfigError(f"{path}:{line}: this is not TOML ({why})", str(path), line) from None
        tools = document.get("tool") if self._prefix else None
        self._tools: dict[str, Any] = tools if isinstance(tools, dict) else {}
        own = self._tools.get("waypost") if self._prefix else document
        self.table: dict[str, Any] | None = own if isinstance(own, dict) else None

    @cached_property
    def _lines(self) -> dict[tuple[str | int, ...], int]:
        from waypost.formats.toml_lines import lines_of

        return lines_of(self._text)

    def line(self, *keys: str | int) -> int:
        """1-based line of a key, or of the nearest table above."""
        from waypost.formats.toml_lines import line_of

        return line_of(self._lines, (*self._prefix, *keys))

    def span_of_line(self, line: int) -> tuple[int, int, str]:
        """(byte offset, 1-based column, text) of a line, from its first character that is not a space."""
        lines = self._text.split("\n")
        text = lines[line - 1]
        indent = len(text) - len(text.lstrip())
        before = "".join(f"{each}\n" for each in lines[: line - 1])
        return len(before.encode()) + len(text[:indent].encode()), indent + 1, text.strip()

    def place(self, written: str) -> str:
        """File and line of a key, written as in `overrides[0].rules`."""
        return f"{self.path}:{self.line(*steps_of(written))}"

    def error(self, written: str, message: str) -> ConfigError:
        """Error about a key; the message names the key where `message` does not."""
        return ConfigError(f"{self.place(written)}: {message}", str(self.path), self.line(*steps_of(written)))

    def misnamed_table(self) -> tuple[str, int] | None:
        """Table of a pyproject.toml whose name is nearly `tool.waypost`, with its line."""
        name = next((name for name in self._tools if name != "waypost" and near(name, ["waypost"])), None)
        return (f"tool.{name}", self._lines.get(("tool", name), 1)) if name and self.table is None else None


def _loads(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def _may_name_waypost(text: str) -> bool:
    """Whether a pyproject.toml may have a table of waypost or of nearly that name.

    Most have none, and to read one as TOML takes longer than to check a page.
    """
    names = set(_TOOL.findall(text))
    is_escaped = "\\u" in text or "\\U" in text  # a key can be written in escapes
    return is_escaped or "" in names or any(near(name, ["waypost"]) for name in names)


def steps_of(written: str) -> tuple[str | int, ...]:
    """Keys and numbers of a place such as `overrides[0].rules`."""
    return tuple(int(step[1:-1]) if step.startswith("[") else step for step in _STEP.findall(written))


def extended_path(file: ConfigFile, name: str, written: str) -> Path:
    """Path of a file that `extends` names: from the file's folder, or of a package. Raises ConfigError."""
    if name.startswith(PACKAGE):
        return _in_package(file, name, written)
    return Path(os.path.normpath(file.path.parent / name))


def _in_package(file: ConfigFile, name: str, written: str) -> Path:
    """File in an installed package of Python, else of Node.js in or above the folder of the configuration."""
    parts = name.removeprefix(PACKAGE).split("/")
    length = 2 if parts[0].startswith("@") else 1
    package, inner = "/".join(parts[:length]), "/".join(parts[length:]) or "waypost.toml"
    if not package.strip("@/"):
        raise file.error(written, f"extends: write {PACKAGE}NAME/FILE, as in {PACKAGE}acme_config/waypost.toml")
    folders = [*_python_folders(package), *_node_folders(package, file.path.absolute().parent)]
    if not folders:
        raise file.error(
            written,
            f"extends: there is no package {package!r}, neither in this Python nor in node_modules; install it where "
            "waypost is installed",
        )
    found = next((path for folder in folders if (path := folder / inner).is_file()), None)
    if found is None:
        raise file.error(written, f"extends: the package {package} has no file {inner} (in {folders[0]})")
    return found


def _python_folders(package: str) -> list[Path]:
    from importlib.util import find_spec

    name = package.replace("-", "_")
    # A dotted name would import the packages above it.
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return []
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return []
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []


def _node_folders(package: str, start: Path) -> list[Path]:
    folders = (folder / "node_modules" / package for folder in (start, *start.parents))
    return [folder for folder in folders if folder.is_dir()]
