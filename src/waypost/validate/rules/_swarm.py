"""What the rules about unreadable JSON have in common: faults that come in swarms are told once."""

from __future__ import annotations

from waypost.models.page import ReadError


def more(read_error: ReadError) -> str:
    """How many more of its kind the block has, for the end of a message."""
    others = read_error.detail.get("count", 1) - 1
    return f" (and {others:,} more in this block)" if others > 0 else ""


def is_safe(read_error: ReadError) -> bool:
    """Do the edits mend it without guessing?"""
    return bool(read_error.detail.get("safe", True))
