"""Findings about a configuration, at the place of a table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from waypost.config import Config
from waypost.config_file import ConfigFile
from waypost.lint.inputs import is_folder
from waypost.models.finding import Finding, Related
from waypost.reader.sources import display_path


def is_search(config: Config, names: Sequence[str]) -> bool:
    """Whether a run searches the configured folder, one in it, or one above it."""
    home = config.folder.resolve()
    folders = [Path(name).resolve() for name in names if name != "-" and is_folder(name)]
    return any(home.is_relative_to(folder) or folder.parent == home for folder in folders)


def name_of(source: str) -> str:
    """Name of a configuration file in a report: relative to the working folder, for a file below it."""
    is_below = Path(source).absolute().is_relative_to(Path.cwd())
    return display_path(os.path.relpath(source) if is_below else source)


def finding_at(
    source: str, table: tuple[str, int], *, rule: str, severity: str, message: str, hint: str, identity: Any, site: str,
    profile: str | None = None, related: tuple[Related, ...] = (),
) -> Finding:  # fmt: skip
    """Finding at a table of a configuration file.

    table     name of the array of tables, number of the table.
    identity  parts of the fingerprint.
    """
    file = ConfigFile(Path(source))
    line = file.line(*table)
    start, column, text = file.span_of_line(line)
    return Finding(
        rule=rule,
        severity=severity,  # type: ignore[arg-type]
        authority="waypost",
        profile=profile,
        message=message,
        hint=hint,
        syntax="html",
        pointer="",
        start=start,
        end=start + len(text.encode()),
        line=line,
        column=column,
        end_line=line,
        end_column=column + len(text),
        doc_url=f"{site.rstrip('/')}/rules/{rule}/",
        fingerprint=sha256(repr((rule, *identity)).encode("utf-8", "replace")).hexdigest()[:16],
        related=related,
    )
