"""Print a command of the README, so that CI runs what readers are told to run.

    python tools/readme_command.py first|quickstart|tests|sample

A command is the fenced block after the line `<!-- command: NAME -->`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def command(name: str) -> str:
    found = re.search(rf"<!-- command: {re.escape(name)} -->\n+```\w*\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    if not found:
        raise SystemExit(f"README.md has no block marked <!-- command: {name} -->")
    return found[1]


if __name__ == "__main__":
    print(command(sys.argv[1]), end="")
