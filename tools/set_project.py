"""Write the project's owner, repository and site address into every file that names them.

    python tools/set_project.py --owner NAME --repository URL --site URL [--dry-run]
    python tools/set_project.py --check [--release]

The names stand in src/waypost/identity.py. What cannot read that file repeats them, in the lines of PLACES alone.
--check exits with 1 where a file differs from identity.py or names the project elsewhere; with --release also while a
name is still a reserved one.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IDENTITY = "src/waypost/identity.py"
PLACES: Mapping[str, tuple[str, ...]] = {
    IDENTITY: ('OWNER = "{owner}"', 'REPOSITORY = "{repository}"', 'SITE = "{site}"'),
    "pyproject.toml": (
        'Homepage = "{site}"',
        'Documentation = "{site}quickstart/"',
        'Changelog = "{site}changelog/"',
        'Source = "{repository}"',
        'Issues = "{repository}/issues"',
    ),
    "CITATION.cff": ("repository-code: {repository}", "url: {site}"),
    ".github/ISSUE_TEMPLATE/config.yml": ("url: {repository}/security/advisories/new", "url: {site}quickstart/"),
    "ci/gitlab/waypost.yml": (
        'remote: "{repository}/raw/v0.1.0/ci/gitlab/waypost.yml"',
        "git+{repository}@v",
    ),
    "deploy/Containerfile": ('image.source="{repository}"', 'image.url="{site}"', 'image.vendor="{owner}"'),
    "site/docs/stacks/shared/ci.md": ("uses: {owner}/waypost@v",),
    "site/docs/stacks/shared/server-ci.md": ("uses: {owner}/waypost@v",),
    "site/docs/stacks/shared/tests.md": ("git+{repository}@v",),
    "site/docs/ci.md": ("uses: {owner}/waypost@v", "repo: {repository}", "git+{repository}@v"),
}
RESERVED = (".example", ".test", ".invalid", ".localhost", "-owner")

Names = dict[str, str]


def current() -> Names:
    """Names in identity.py: owner, repository, site."""
    text = (ROOT / IDENTITY).read_text("utf-8")
    return {name: re.findall(rf'^{name.upper()} = "(.*)"$', text, re.MULTILINE)[0] for name in _NAMES}


_NAMES = ("owner", "repository", "site")


def rewritten(path: str, before: Names, after: Names) -> str:
    """Text of a file with the new names. Raises SystemExit where a line of PLACES is missing."""
    text = (ROOT / path).read_text("utf-8")
    for template in PLACES[path]:
        old = template.format_map(before)
        if old not in text:
            raise SystemExit(f"{path}: there is no {old!r}; write it, or change PLACES in tools/set_project.py")
        text = text.replace(old, template.format_map(after))
    return text


def strays(names: Names) -> Iterator[str]:
    """Places that name the project outside the lines of PLACES, as "file:line"."""
    output = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    hosts = [address.partition("://")[2].strip("/") for address in (names["repository"], names["site"])]
    expected = re.compile("|".join(rf"\b{re.escape(name)}\b(?!\.\w)" for name in [names["owner"], *hosts]))
    blank = dict.fromkeys(_NAMES, "")
    for path in filter(None, output.split("\0")):
        try:
            text = rewritten(path, names, blank) if path in PLACES else (ROOT / path).read_text("utf-8")
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if expected.search(line):
                yield f"{path}:{number}"


def checked_names(given: Names) -> Names:
    """The names, with errors for what no template can take."""
    if not re.fullmatch(r"[\w.-]+", given["owner"]):
        raise SystemExit(f"--owner: {given['owner']!r} is no name of an account")
    for name in ("repository", "site"):
        if not re.fullmatch(r"https://[\w.-]+(/[\w./~-]*)?", given[name]):
            raise SystemExit(f"--{name}: {given[name]!r} is no address; write it as https://host/path")
    return {**given, "repository": given["repository"].rstrip("/"), "site": given["site"].rstrip("/") + "/"}


def check(release: bool) -> int:
    names = current()
    for path in PLACES:
        rewritten(path, names, names)
    found = [f"{place}: names the project; tools/set_project.py cannot change it there" for place in strays(names)]
    if release:
        found += [f"{IDENTITY}: {name} is not decided: {value}" for name, value in names.items() if is_reserved(value)]
    print("\n".join(found) or "every file has the names of src/waypost/identity.py")
    return 1 if found else 0


def is_reserved(value: str) -> bool:
    return (value.partition("://")[2].partition("/")[0] or value).endswith(RESERVED)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in _NAMES:
        parser.add_argument(f"--{name}", default=current()[name])
    parser.add_argument("--dry-run", action="store_true", help="print the files that would change, and write nothing")
    parser.add_argument("--check", action="store_true", help="compare the files, and write nothing")
    parser.add_argument("--release", action="store_true", help="with --check: refuse reserved names too")
    args = parser.parse_args()
    if args.check:
        return check(args.release)
    before, after = current(), checked_names({name: getattr(args, name) for name in _NAMES})
    texts = {path: rewritten(path, before, after) for path in PLACES}  # all are read before the first is written
    for path, text in texts.items():
        if text != (ROOT / path).read_text("utf-8"):
            print(f"{'would change' if args.dry_run else 'changed'} {path}")
            if not args.dry_run:
                (ROOT / path).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
