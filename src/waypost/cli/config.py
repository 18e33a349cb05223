"""show the configuration, or the settings of one file, and where each is set

examples:
  waypost config
  waypost config public/recipes/pie.html
  waypost config public/recipes/pie.html --json

The configuration of a file is the nearest waypost.toml, or pyproject.toml with a table [tool.waypost], in or above its
folder, up to the root of the repository; `waypost schema api/config` prints its schema.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waypost.cli._config import add_config, configurations, main_of, print_warnings
from waypost.cli._console import write, write_json

if TYPE_CHECKING:
    from waypost.config import Config

PLACE = 45
_SETTINGS = ("baseline", "fail_on", "max_warnings", "base_url", "gitignore", "cache", "exclude")


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="*", metavar="FILE", help="the files to show the settings of")
    parser.add_argument("--json", action="store_true", help="as JSON")
    add_config(parser)


def run(args: Namespace) -> int:
    configs = configurations(args)
    main = main_of(configs, args.inputs)
    own = {name: main_of(configs, [name]) for name in args.inputs}
    for config in {id(each): each for each in (main, *own.values())}.values():
        print_warnings(configs, config, ())
    members = {"config": main.path, "files": [source for _, source in main.parts], "settings": _settings(main)}
    if own:
        members["pages"] = {name: {"config": config.path, **_page(config, name)} for name, config in own.items()}
    if args.json:
        write_json(members)
    else:
        write(_lines(main, own))
    return 0


def _settings(config: Config) -> dict[str, dict[str, Any]]:
    held = {name.replace("_", "-"): config.setting(name) for name in _SETTINGS}
    settings = {name: {"value": setting.value, "source": setting.source} for name, setting in held.items() if setting}
    if config.also:
        sources = (source for part, source in config.parts if part.vocabulary)
        settings["vocabulary.also"] = {"value": tuple(sorted(config.also)), "source": ", ".join(sources)}
    for part, source in config.parts:
        if part.fetch and part.fetch.user_agent is not None:
            settings["fetch.user-agent"] = {"value": part.fetch.user_agent, "source": source}
        for origin, table in part.fetch.origins.items() if part.fetch else ():
            # Names alone: a value may be a secret, whatever is recommended.
            given = [name for name in ("cookie", "auth", "cert", "key") if getattr(table, name) is not None]
            settings[f"fetch.origins.{origin}"] = {"value": (*table.headers, *given), "source": source}
    return settings


def _page(config: Config, name: str) -> dict[str, Any]:
    """Settings for a page, as JSON."""
    holding = config.for_page(name)
    members: dict[str, Any] = {
        "rules": {
            rule: {"level": held.value, "source": held.source} for rule, held in sorted(holding.rules.items())
        },
        "ignore": [
            {"rules": entry.rules, "reason": entry.reason, "source": source} for entry, source in holding.ignore
        ],
    }  # fmt: skip
    for threshold, held in (("fail-on", holding.fail_on), ("max-warnings", holding.max_warnings)):
        if held:
            members[threshold] = {"value": held.value, "source": held.source}
    if holding.profiles:
        members["profiles"] = {"value": holding.profiles.value, "source": holding.profiles.source}
    if holding.excluded:
        members["excluded"] = holding.excluded
    return members


def _lines(main: Config, pages: dict[str, Config]) -> Iterator[str]:
    last = None
    for name, config in pages.items() or [("", main)]:
        # Files of one configuration share its lines.
        if config is not last:
            yield "\n" if last is not None else ""
            yield from _config_lines(config)
        last = config
        if name and config.path is not None:
            yield from _page_lines(name, _page(config, name))


def _config_lines(config: Config) -> Iterator[str]:
    if config.path is None:
        yield "no configuration file: the defaults apply\n"
        return
    yield f"{config.path}\n"
    for _, source in config.parts[:-1]:
        yield f"  extends {source}\n"
    for name, setting in _settings(config).items():
        value = ", ".join(setting["value"]) if isinstance(setting["value"], tuple) else setting["value"]
        yield f"  {name}: {str(value).lower() if isinstance(value, bool) else value} ({setting['source']})\n"


def _page_lines(name: str, members: dict[str, Any]) -> Iterator[str]:
    yield f"\n{name}\n"
    if "excluded" in members:
        yield f"  left out of a search of folders: exclude has {members['excluded']}\n"
    if "profiles" in members:
        yield f"  profiles: {', '.join(members['profiles']['value']) or 'none'} ({members['profiles']['source']})\n"
    for threshold in ("fail-on", "max-warnings"):
        if threshold in members:
            yield f"  {threshold}: {members[threshold]['value']} ({members[threshold]['source']})\n"
    for rule, held in members["rules"].items():
        yield f"  {rule}: {held['level']} ({held['source']})\n"
    for entry in members["ignore"]:
        yield f"  ignored: {', '.join(entry['rules']) or 'everything'}: {entry['reason']} ({entry['source']})\n"
    if len(members) == 2 and not members["rules"] and not members["ignore"]:
        yield "  nothing of its own: the defaults apply\n"
