"""Processors of the machine."""

from __future__ import annotations

import os


def processor_count() -> int:
    """Processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
