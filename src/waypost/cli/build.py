"""render the site from the registry

Writes a page for every rule, rich result, type, field, code and policy, the guides and the files of the registry into
a folder that works on any host, or opened from disk. Writes only files that change. A broken link, an example that
does not behave as its page says, or an entry of the registry without a link to it fails the build, with file, line and
reason.

examples:
  waypost build
  waypost build --watch --source-maps
  waypost build --release --base https://example.org/
  waypost build --config waypost.toml --base https://checks.example.com/
  waypost build --only /rules/ --output /tmp/site
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from waypost import identity
from waypost.cli._console import UsageError, write
from waypost.cli._extras import require

if TYPE_CHECKING:
    from waypost.pages import Built, Settings
    from waypost.pages.distribution import Published
    from waypost.registry import Registry

PLACE = 60
_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_PLACEHOLDERS = {"name", "owner", "package", "example", "user", "username", "my-package", "todo", "tbd"}
_RESERVED_HOSTS = ("example.com", "example.net", "example.org")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=Path("public"), help="the folder to write to (default: public)"
    )
    parser.add_argument("--base", metavar="URL", default="", help="the address at which the site is published")
    parser.add_argument(
        "--api", metavar="URL", default="", help="the service that the pages call (default: their own host)"
    )
    parser.add_argument(
        "--repository",
        metavar="URL",
        help="the published source of waypost, which the pages name (default: `site.repository` of --config)",
    )
    parser.add_argument(
        "--package",
        metavar="NAME",
        help="the published package of waypost, which the pages name (default: `site.package` of --config)",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="a configuration: its profiles, checks and rules get pages, too; its table `site` says where waypost is "
        "published",
    )
    parser.add_argument("--release", action="store_true", help="with compressed copies of all text files")
    parser.add_argument("--only", metavar="PATH", default="", help="only the pages below this address, such as /rules/")
    parser.add_argument("--watch", action="store_true", help="build again after each change; Ctrl-C ends it")
    parser.add_argument("--source-maps", action="store_true", help="with readable scripts that name their files")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(args: Namespace) -> int:
    require("waypost build", "site")
    from waypost.pages import Settings

    settings = Settings(
        published=_published(args),
        base=args.base and args.base.rstrip("/") + "/",
        api=args.api.rstrip("/"),
        release=args.release,
        only=args.only.lstrip("/"),
        checked=not args.watch,
        source_maps=args.source_maps,
    )
    build_once = builder(args, settings)
    if args.watch:
        from waypost.pages.watch import watch

        watch(build_once, lambda text: write([text]))
    else:
        build_once()
    return 0


def _published(args: Namespace) -> Published:
    """Repository and package of the options, else of the configuration. Raises UsageError for a placeholder."""
    from waypost.pages.distribution import Published

    given = {"repository": args.repository, "package": args.package}
    found: dict[str, str] = {"repository": identity.public(identity.REPOSITORY), "package": ""}
    for name, value in given.items():
        source = ""
        if value is None and args.config:
            value, source = _configured(args.config, name)
        if value is None:
            continue
        found[name] = value.rstrip("/") if name == "repository" else value
        wrong = (_wrong_repository if name == "repository" else _wrong_package)(found[name]) if found[name] else ""
        if wrong:
            raise UsageError(f"--config: {_place(source, name)}: {wrong}" if source else f"--{name}: {wrong}")
    return Published(**found)


def _configured(path: str, name: str) -> tuple[str | None, str]:
    """Value of a key of the table `site`, and the file with the value. Raises UsageError."""
    from waypost.config import ConfigError, load

    try:
        parts = load(Path(path)).parts
    except ConfigError as error:
        raise UsageError(f"--config: {error}") from None
    for tables, source in reversed(parts):
        if (value := getattr(tables.site, name, None)) is not None:
            return value, source
    return None, ""


def _place(path: str, name: str) -> str:
    from waypost.config_file import ConfigFile

    return f"{ConfigFile(Path(path)).place(f'site.{name}')}: site.{name}"


def _wrong_repository(address: str) -> str:
    """What is wrong with the address of a repository; empty if nothing is."""
    parts = urlsplit(address)
    if parts.scheme not in {"https", "http"} or not parts.hostname or "<" in address:
        return f"{address!r} is not an address such as https://codeberg.org/NAME/waypost"
    if not identity.public(address) or parts.hostname.endswith(_RESERVED_HOSTS):
        return f"{parts.hostname} is a reserved name; name the real repository, or none"
    if word := next(filter(_is_placeholder, parts.path.split("/")), ""):
        return f"{word!r} stands for a name; name the real repository, or none"
    return ""


def _wrong_package(name: str) -> str:
    """What is wrong with the name of a package; empty if nothing is."""
    if not _PACKAGE.fullmatch(name) or _is_placeholder(name):
        return f"{name!r} is not the name of a package; name the real one, or none"
    return ""


def _is_placeholder(word: str) -> bool:
    return word.lower() in _PLACEHOLDERS or word.lower().startswith("your")


def builder(args: Namespace, settings: Settings) -> Callable[[], None]:
    """Function to build the site and report the counts. Reloads the registry only after a change of a registry file."""
    from waypost.pages import build
    from waypost.pages.reference import forget

    # Before the work of half a minute: a folder that cannot be written is an error at once.
    try:
        args.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--output {args.output}: {(error.strerror or str(error)).lower()}") from None
    registry = _registry(args)[0]

    def build_once() -> None:
        nonlocal registry
        current, usual = _registry(args)
        if registry.version != current.version:
            registry = current
            forget()
        _report(build(registry, args.output, settings=settings._replace(usual=usual)), args)

    return build_once


def _registry(args: Namespace) -> tuple[Registry, dict[str, Any]]:
    """Registry of the site, and what --config says for the pages that are checked there. Raises UsageError."""
    from waypost.config import ConfigError
    from waypost.lint.own_requirements import requirements_at
    from waypost.registry import load

    if not args.config:
        return load(), {}
    try:
        found = requirements_at(Path(args.config), load())
    except ConfigError as error:
        raise UsageError(f"--config: {error}") from None
    return found.registry, found.usual


def _report(built: Built, args: Namespace) -> None:
    import json

    if args.json:
        counts = {name: round(value, 3) for name, value in built._asdict().items()}
        write([json.dumps({**counts, "output": str(args.output)}), "\n"])
        return
    parts = [f"{built.pages} pages rendered in {built.render_s:.2f} s"]
    if built.examples:
        parts.append(f"{built.examples} examples checked in {built.examples_s:.2f} s")
    if built.check_s > 0.001:
        parts.append(f"links and structured data checked in {built.check_s:.2f} s")
    copies = ", with compressed copies" if args.release else ""
    write([f"{', '.join(parts)}; {built.written} of {built.files} files written to {args.output}{copies}\n"])
