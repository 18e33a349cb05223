"""print a completion script for a shell

examples:
  source <(waypost completion bash)
  waypost completion zsh > "${fpath[1]}/_waypost"
  waypost completion fish > ~/.config/fish/completions/waypost.fish
"""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterator
from typing import NamedTuple

from waypost.cli._console import write

PLACE = 95


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(_SHELLS), metavar="SHELL", help=", ".join(sorted(_SHELLS)))


def run(args: Namespace) -> int:
    write(_SHELLS[args.shell](list(_commands())))
    return 0


class _Option(NamedTuple):
    names: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]


class _Command(NamedTuple):
    """A command as a shell completes it; `words` are the values of its positional arguments."""

    name: str
    help: str
    options: tuple[_Option, ...]
    words: tuple[str, ...]
    files: bool


def _commands() -> Iterator[_Command]:
    from waypost.cli._run import parser

    top = parser()
    for group in top._actions:  # noqa: SLF001 - argparse offers no other way to look at a parser
        if isinstance(group.choices, dict):
            helps = {choice.dest: choice.help or "" for choice in group._choices_actions}  # type: ignore[attr-defined]  # noqa: SLF001
            for name, sub in group.choices.items():
                yield _command(name, helps[name], sub)


def _command(name: str, text: str, parser: ArgumentParser) -> _Command:
    actions = [action for action in parser._actions if action.help != SUPPRESS]  # noqa: SLF001
    places = [action for action in actions if not action.option_strings]
    words = tuple(str(choice) for action in places for choice in action.choices or ())
    options = tuple(_option(action) for action in actions if action.option_strings)
    return _Command(name, text.replace("%%", "%"), options, words, any("FILE" in str(a.metavar) for a in places))


def _option(action: Action) -> _Option:
    choices = tuple(str(choice) for choice in action.choices or ())
    text = re.sub(r"%\(\w+\)s", "", action.help or "").replace("%%", "%")
    return _Option(tuple(action.option_strings), text, action.nargs != 0, choices)


def _bash(commands: list[_Command]) -> Iterator[str]:
    yield "# bash completion of waypost; made by `waypost completion bash`\n_waypost() {\n"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words="" files=""\n'
    yield '  COMPREPLY=()\n  if [ "$COMP_CWORD" -eq 1 ]; then\n'
    names = " ".join(each.name for each in commands)
    yield f'    words="{names} --help --version"\n  else\n    case "${{COMP_WORDS[1]}}" in\n'
    for command in commands:
        yield f'      {command.name})\n        case "$prev" in\n'
        for option in command.options:
            if option.choices:
                yield f'          {"|".join(option.names)}) words="{" ".join(option.choices)}" ;;\n'
            elif option.takes_value:
                yield f"          {'|'.join(option.names)}) files=1 ;;\n"
        names = " ".join(name for option in command.options for name in option.names)
        more = "; files=1" if command.files else ""
        yield f'          *) words="{" ".join([names, *command.words])}"{more} ;;\n        esac ;;\n'
    yield "    esac\n  fi\n"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))\n'
    yield '  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$cur")); fi\n}\n'
    yield "complete -o filenames -o bashdefault -F _waypost waypost\n"


def _zsh(commands: list[_Command]) -> Iterator[str]:
    yield "#compdef waypost\n# made by `waypost completion zsh`\n_waypost() {\n  local -a commands\n  commands=(\n"
    for command in commands:
        yield f"    {_quoted(f'{command.name}:{command.help}')}\n"
    yield "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
    yield "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
    for command in commands:
        yield f"    {command.name})\n      _arguments -s \\\n"
        for option in command.options:
            yield from (f"        {_quoted(_zsh_option(name, option))} \\\n" for name in option.names)
        rest = "*:file:_files" if command.files else f"*:name:({' '.join(command.words)})"
        yield f"        {_quoted(rest)} ;;\n"
    yield "  esac\n}\n"
    yield 'if [ "$funcstack[1]" = "_waypost" ]; then\n  _waypost "$@"\nelse\n  compdef _waypost waypost\nfi\n'


def _zsh_option(name: str, option: _Option) -> str:
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files" if option.takes_value else ""
    return f"*{name}[{text}]{value}"


def _fish(commands: list[_Command]) -> Iterator[str]:
    yield "# fish completion of waypost; made by `waypost completion fish`\ncomplete -c waypost -f\n"
    for command in commands:
        said = _quoted(command.help)
        yield f"complete -c waypost -n __fish_use_subcommand -a {command.name} -d {said}\n"
        here = f"complete -c waypost -n '__fish_seen_subcommand_from {command.name}'"
        if command.files:
            yield f"{here} -F\n"
        if command.words:
            yield f"{here} -a {_quoted(' '.join(command.words))}\n"
        for option in command.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            value = (
                f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" if option.takes_value else ""
            )
            yield f"{here} {names}{value} -d {_quoted(option.help)}\n"


def _quoted(text: str) -> str:
    """Text in single quotes that every shell reads the same."""
    return "'" + text.replace("'", "’") + "'"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
