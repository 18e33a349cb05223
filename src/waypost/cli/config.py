"""show the configuration that holds, for a file if one is named, and where each part of it comes from

examples:
  waypost config
  waypost config public/recipes/pie.html
  waypost config public/recipes/pie.html --json

The configuration is the nearest waypost.toml, or pyproject.toml with a table [tool.waypost], in or above the folder
of the file; `waypost schema api/config` prints what it may hold.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._config import add_config, configuration
from waypost.cli._console import write

if TYPE_CHECKING:
    from waypost.config import Config

PLACE = 45
_SETTINGS = ("baseline", "fail_on", "max_warnings", "base_url", "gitignore", "cache", "exclude")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", metavar="FILE", help="what to show it for")
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_config(parser)


def run(args: Namespace) -> int:
    import msgspec

    config = configuration(args)
    told = {"config": config.path, "files": [source for _, source in config.parts], "settings": _settings(config)}
    if args.inputs:
        told["pages"] = {name: _page(config, name) for name in args.inputs}
    if args.json:
        write([msgspec.json.format(msgspec.json.encode(told), indent=2).decode(), "\n"])
    else:
        write(_lines(config, args.inputs))
    return 0


def _settings(config: Config) -> dict[str, dict[str, Any]]:
    held = {name.replace("_", "-"): config.setting(name) for name in _SETTINGS}
    return {name: {"value": each.value, "source": each.source} for name, each in held.items() if each}


def _page(config: Config, name: str) -> dict[str, Any]:
    """What holds for one page, as data."""
    holding = config.for_page(name)
    told: dict[str, Any] = {
        "rules": {
            rule: {"level": held.value, "source": held.source} for rule, held in sorted(holding.rules.items())
        },
        "ignore": [
            {"rules": one.rules, "reason": one.reason, "source": source} for one, source in holding.ignore
        ],
    }  # fmt: skip
    if holding.profiles:
        told["profiles"] = {"value": holding.profiles.value, "source": holding.profiles.source}
    if holding.excluded:
        told["excluded"] = holding.excluded
    return told


def _lines(config: Config, names: list[str]) -> Iterator[str]:
    if config.path is None:
        yield "no configuration: waypost's own judgement holds\n"
        return
    yield f"{config.path}\n"
    for _, source in config.parts[:-1]:
        yield f"  extends {source}\n"
    for name, told in _settings(config).items():
        value = ", ".join(told["value"]) if isinstance(told["value"], tuple) else told["value"]
        yield f"  {name}: {str(value).lower() if isinstance(value, bool) else value} ({told['source']})\n"
    for name in names:
        yield from _page_lines(name, _page(config, name))


def _page_lines(name: str, told: dict[str, Any]) -> Iterator[str]:
    yield f"\n{name}\n"
    if "excluded" in told:
        yield f"  left out of a search of folders: exclude has {told['excluded']}\n"
    if "profiles" in told:
        yield f"  profiles: {', '.join(told['profiles']['value']) or 'none'} ({told['profiles']['source']})\n"
    for rule, held in told["rules"].items():
        yield f"  {rule}: {held['level']} ({held['source']})\n"
    for one in told["ignore"]:
        yield f"  put up with: {', '.join(one['rules']) or 'everything'}: {one['reason']} ({one['source']})\n"
    if len(told) == 2 and not told["rules"] and not told["ignore"]:
        yield "  nothing of its own: waypost's own judgement holds\n"
