"""Print a command of the README, so that CI runs what readers are told to run.

    python tools/readme_command.py first|service|tests

A command is the fenced block after the line `<!-- command: NAME -->`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parent.parent / "README.md"


def command(name: str) -> str:
    found = re.search(rf"<!-- command: {re.escape(name)} -->\n+```\w*\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    if not found:
        raise SystemExit(f"README.md has no block marked <!-- command: {name} -->")
    return found[1]


def requests() -> dict[str, tuple[str, Any]]:
    """Each request to the service, `curl-...`, and the members that the README shows of its answer."""
    block_pattern = r"<!-- command: (curl-[\w-]+) -->\n+```sh\n(.*?)```\n+```json\n(.*?)```"
    found = re.findall(block_pattern, README.read_text("utf-8"), re.DOTALL)
    return {name: (text, json.loads(answer)) for name, text, answer in found}


def contains(answer: Any, part: Any) -> bool:
    """Whether an answer has the members of a part. Of a list each element has to be found, in any order."""
    if isinstance(part, dict):
        return isinstance(answer, dict) and all(
            name in answer and contains(answer[name], value) for name, value in part.items()
        )
    if isinstance(part, list):
        return isinstance(answer, list) and all(any(contains(each, element) for each in answer) for element in part)
    return bool(answer == part)


if __name__ == "__main__":
    print(command(sys.argv[1]), end="")
