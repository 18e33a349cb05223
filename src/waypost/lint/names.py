"""Names that a user gives: profiles, and rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def why_unknown(kind: str, names: Iterable[str], known: Sequence[str]) -> str:
    """Message about the first name that is not known, with similar names; empty where all are known."""
    from waypost.formats.text import near

    for name in names:
        if name not in known:
            similar = near(name, known) or [profile for profile in known if profile.endswith(f"/{name}")]
            hint = f"; did you mean {' or '.join(similar)}?" if similar else "; `waypost rules` lists them"
            return f"there is no {kind} named {name!r}{hint}"
    return ""
