"""write a configuration for a project, from what its files show

Finds the generator of the site, the folder with the built pages, the address of the site and the CI, writes
waypost.toml, and prints what to do next. Nothing else is changed, and an existing configuration is never replaced.

examples:
  waypost init --dry-run
  waypost init
  waypost init packages/shop
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.cli._console import UsageError, write, write_json

if TYPE_CHECKING:
    from waypost.lint.project_survey import Survey

PLACE = 44


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--dry-run", action="store_true", help="print the file, and write nothing")
    parser.add_argument("--json", action="store_true", help="what was found, as JSON")


def run(args: Namespace) -> int:
    from waypost.config import find_in
    from waypost.lint.project_survey import survey

    folder = Path(args.folder)
    if not folder.is_dir():
        raise UsageError(f"{args.folder}: there is no such folder")
    if found := find_in(folder):
        raise UsageError(f"{found}: there is a configuration already; `waypost config` shows it")
    project = survey(folder)
    path = folder / "waypost.toml"
    text = "".join(configuration(project))
    if not args.dry_run:
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UsageError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    if args.json:
        write_json({**project._asdict(), "path": str(path), "text": text, "written": not args.dry_run})
        return 0
    write([f"{path}{' would be' if args.dry_run else ''}:\n\n" if args.dry_run else f"{path} written\n\n", text, "\n"])
    write(_next_steps(project, args.folder))
    return 0


def configuration(project: Survey) -> Iterator[str]:
    """Lines of a configuration for a project."""
    about = f" for a site of {project.generator}" if project.generator else ""
    yield f"# Configuration of waypost{about}; `waypost schema api/config` lists the keys.\n"
    if project.base_url:
        yield f"\n# From {project.base_source}: links and ids are resolved against it.\n"
        yield f'base-url = "{project.base_url}"\n'
    else:
        yield "\n# The address at which the pages are published: links and ids are resolved against it.\n"
        yield '# base-url = "https://www.example.com/"\n'
    yield "\n# Findings from this severity up fail the run.\n"
    yield 'fail-on = "error"\n'
    yield "\n# What is known and does not count: `waypost validate --write-baseline` writes it.\n"
    yield '# baseline = "waypost-baseline.json"\n'


def _next_steps(project: Survey, folder: str) -> Iterator[str]:
    target = project.output if folder == "." else f"{folder.rstrip('/')}/{project.output}".rstrip("/")
    steps = [*_checks_of_pages(project, target or folder)]
    if project.sources:
        names = [name if folder == "." else f"{folder.rstrip('/')}/{name}" for name in project.sources]
        steps.append(("its templates and components", f"waypost validate {' '.join(names)}"))
    width = max(len(about) for about, _ in steps)
    yield from (f"{f'{about}:':{width + 1}}  {command}\n" for about, command in steps)
    if project.is_ignored:
        yield f"git ignores {project.output}, so that a search of the project passes it by: name it, as above\n"
    for name in project.packages:
        yield f"a package with a site of its own:  waypost init {name if folder == '.' else f'{folder}/{name}'}\n"
    if project.ci:
        yield f"{' and '.join(project.ci)}: the steps are in the guide, docs/ci\n"


def _checks_of_pages(project: Survey, target: str) -> Iterator[tuple[str, str]]:
    """Next steps for checking pages: (heading, command)."""
    if project.is_tested:
        yield "next, in tests", "the fixture `waypost` of pytest takes the answers of the application"
    if project.address:
        yield f"next, with {project.generator} running", f"waypost validate {project.address}"
    elif project.generator and not project.output:
        yield "next, in a pipeline", "`waypost.check` takes the pages that are read"
    else:
        yield "next" if project.is_built or not project.output else "next, after a build", f"waypost validate {target}"
