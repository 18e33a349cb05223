"""Worker processes of the service for the pages and documents of third parties."""

from __future__ import annotations

from typing import Any

from waypost.isolation.workers import Pool
from waypost.service.problems import as_problem_error


def page_workers(**limits: Any) -> Pool:
    """Pool for the functions of `page_work`, loaded and warm in its fork server. `limits` as in `Pool`."""
    return Pool(preload=("waypost.service._warm",), as_error=as_problem_error, **limits)
