"""Write the section "All names" of site/docs/python.md from the docstrings of the public functions and classes.

    python tools/make_python.py [--check]

With --check nothing is written: the status is 1 where the page says otherwise.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import waypost

TARGET = Path(__file__).resolve().parent.parent / "site" / "docs" / "python.md"
HEADING = "## All names\n"


def reference() -> Iterator[str]:
    """The section, piece by piece."""
    for name in waypost.__all__:
        found = getattr(waypost, name)
        if inspect.ismodule(found):
            yield f"\n### `{name}`\n\n{first_sentence(found)}\n"
        elif inspect.isclass(found):
            yield f"\n### `{name}`\n\n```text\n{inspect.getdoc(found)}\n```\n"
            yield from members(found)
        else:
            yield f"\n### `{name}`\n\n```text\n{name}{signature(found)}\n\n{inspect.getdoc(found)}\n```\n"


def first_sentence(found: Any) -> str:
    return (inspect.getdoc(found) or "").partition("\n")[0]


def signature(found: Any) -> str:
    """Parameters, a line each."""
    made = inspect.signature(found)
    lines: list[str] = []
    for parameter in made.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "    *,\n" not in lines:
            lines.append("    *,\n")
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        lines.append(f"    {parameter.name}: {parameter.annotation}{default},\n")
    return f"(\n{''.join(lines)}) -> {made.return_annotation}"


def members(found: type) -> Iterator[str]:
    """Properties and methods with a docstring of their own."""
    rows = [
        (name, first_sentence(member))
        for name, member in vars(found).items()
        if not name.startswith("_") and (isinstance(member, property) or callable(member)) and inspect.getdoc(member)
    ]
    if rows:
        yield "\n| member | |\n|---|---|\n"
        yield from (f"| `{name}` | {text} |\n" for name, text in rows)


def main() -> int:
    text = TARGET.read_text("utf-8")
    made = text.partition(HEADING)[0] + HEADING + "".join(reference())
    if "--check" in sys.argv:
        return int(made != text)
    TARGET.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
