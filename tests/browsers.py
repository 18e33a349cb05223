"""Browser of the machine for tests, and the question whether a run asked for one.

The sync driver leaves a running loop behind in its process, in which no other may begin: tests that open a browser run
with WAYPOST_BROWSER=1, in a run of their own. With `required`, a missing browser or driver is a failure.
"""

from __future__ import annotations

import os

import pytest


def only_where_requested() -> None:
    """Leave a test out of a run without WAYPOST_BROWSER, such as the README's."""
    if not os.environ.get("WAYPOST_BROWSER"):
        pytest.skip("a browser needs a run of its own: WAYPOST_BROWSER=1 python -m pytest FILE")


def missing(reason: str) -> None:
    """Skip, or fail where a browser is required."""
    if os.environ.get("WAYPOST_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


def rendering_browser() -> str:
    """Path of the browser that `--render` finds."""
    pytest.importorskip("playwright", reason="waypost[render] is not installed")
    from waypost.render.browsers import NoBrowser, find_browser

    try:
        return find_browser()
    except NoBrowser as error:
        missing(str(error))
        raise
