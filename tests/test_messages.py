"""The table of messages is what the cases say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_table_of_messages_is_current() -> None:
    ran = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "make_messages.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, f"run python tools/make_messages.py and read what it changes\n{ran.stderr[-2000:]}"
