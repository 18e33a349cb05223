"""Pages written by hand: the guides of `site/docs`, the changelog, and pages about the site."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from waypost.errors import RegistryError
from waypost.pages import comparison, stacks
from waypost.pages.changes import changes, contents, last_release
from waypost.pages.draft import Draft, Group, Source
from waypost.pages.links import relative_to
from waypost.pages.text import Written, written
from waypost.registry import assets

_PROOF = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
# Reading order of the guides; further files of the folder follow by name.
_GUIDES = (
    "quickstart",
    "ci",
    "configuration",
    "command-line",
    "large-site",
    "sources",
    "editor",
    "staging",
    "rendering",
    "python",
    "agents",
    "mcp",
    "self-host",
    "postgresql",
    "compare",
    "registry",
    "glossary",
    "feedback",
)
_BY_STACK = "By generator and framework"
# Pages about the site and the project have addresses at the root of the site.
_OTHERS = ("changelog", "versioning", "accessibility", "privacy", "security")


def names() -> list[str]:
    """Names of the guides, in order."""
    there = {path.stem for path in (assets.folder("site") / "docs").glob("*.md")} - set(_OTHERS)
    return [name for name in _GUIDES if name in there] + sorted(there - set(_GUIDES))


def _address(name: str) -> str:
    return f"{name}/" if name in _OTHERS else f"docs/{name}/"


def _read(name: str) -> Written:
    if name == "changelog":
        return _written(assets.changelog().read_text("utf-8"), "CHANGELOG.md", _address(name))
    if name in stacks.names():
        return _written(stacks.text(name), f"site/{stacks.FOLDER}/{name}.md", _address(name))
    text = (assets.folder("site") / "docs" / f"{name}.md").read_text("utf-8")
    # An installed wheel has no tests to compare with.
    if root := assets.checkout():
        _check_proofs(text, f"site/docs/{name}.md", root)
    if name == "compare":
        _check_figures(text)
    return _written(text, f"site/docs/{name}.md", _address(name))


def _check_figures(text: str) -> None:
    """Raise RegistryError where the comparison has other figures than its file."""
    if text != comparison.page(json.loads((assets.folder("site") / comparison.FILE).read_bytes())):
        raise RegistryError(
            "site/docs/compare.md",
            f"it differs from site/{comparison.FILE}; make it with benchmarks/compare/compare.py --page-only",
        )


@lru_cache(maxsize=256)
def _written(text: str, name: str, address: str) -> Written:
    return written(text, name, relative_to(f"{address}index.html"))


def _check_proofs(text: str, name: str, root: Path) -> None:
    """Raise RegistryError where a page names a missing test."""
    for number, line in enumerate(text.splitlines(), 1):
        for file, test in _PROOF.findall(line):
            path = root / file
            if not path.is_file() or not re.search(rf"^(?:async )?def {test}\b", path.read_text("utf-8"), re.MULTILINE):
                raise RegistryError(
                    f"{name}:{number}", f"the test {file}::{test} is named as a proof and does not exist"
                )


def side(_: Source) -> tuple[Group, ...]:
    """Side navigation of the section."""
    return (
        Group("Guides", (("All guides", "docs/", ""), *((_title(name), _address(name), "") for name in names()))),
        Group(_BY_STACK, tuple((stacks.head(name)["name"], _address(name), "") for name in stacks.names())),
        Group("This site", tuple((_title(name), _address(name), "") for name in _OTHERS)),
    )


def _title(name: str) -> str:
    return _read(name).title


def drafts(source: Source) -> Iterator[Draft]:
    """Drafts of the list of guides and of the guides."""
    guides = {name: _read(name) for name in names()}
    by_stack = {name: _read(name) for name in stacks.names()}
    others = {name: _read(name) for name in _OTHERS}
    yield Draft(
        "docs/",
        "guides.html",
        "Guides",
        "How to use it from a terminal, in CI, from an agent and as a service; how to extend it.",
        (),
        {
            "guides": [(guide.title, _address(name), guide.lede) for name, guide in guides.items()],
            "by_stack": [(stacks.head(name)["name"], _address(name), guide.lede) for name, guide in by_stack.items()],
            "others": [(page.title, _address(name), page.lede) for name, page in others.items()],
        },
        kind="Index",
    )
    order = list(guides)
    for name, guide in (guides | by_stack | others).items():
        values: dict[str, Any] = {}
        if name == "changelog":
            last = last_release(assets.folder("site") / "releases")
            since, before = last or ("", {})
            values = {"since": since, "changes": changes(before, contents(source))}
        # Only guides have a next one; those of a framework and the pages about the site are read one at a time.
        after = order[order.index(name) + 1] if name in order[:-1] else ""
        yield Draft(
            _address(name),
            "changelog.html" if values else "guide.html",
            guide.title,
            guide.lede,
            (("Guides", "docs/"),),
            {
                "guide": guide,
                "stack": name in by_stack,
                "next": (guides[after].title, _address(after)) if after else None,
                **values,
            },
            kind="Guide",
            words="" if name in by_stack else " ".join(heading.text for heading in guide.headings),
            structured=(
                {"@type": "TechArticle", "headline": guide.title, "description": guide.lede, "inLanguage": "en"},
            ),
        )
