"""print a completion script for a shell

examples:
  source <(waypost completion bash)
  waypost completion zsh > "${fpath[1]}/_waypost"
  waypost completion fish > ~/.config/fish/completions/waypost.fish
  waypost completion powershell >> $PROFILE
"""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.cli._console import write

PLACE = 95


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(_SHELLS), metavar="SHELL", help=", ".join(sorted(_SHELLS)))


def run(args: Namespace) -> int:
    write(_SHELLS[args.shell](_commands()))
    return 0


class _Option(NamedTuple):
    names: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]


class _Command(NamedTuple):
    """Command for completion.

    words  values of the positional arguments.
    parts  sub-commands.
    """

    name: str
    help: str
    options: tuple[_Option, ...]
    words: tuple[str, ...]
    files: bool
    parts: tuple[_Command, ...]


Names = dict[tuple[str, str], tuple[str, ...]]
"""Values that the registry knows, by command ("" for every one) and argument."""


def _commands() -> list[_Command]:
    from waypost.cli._program import parser

    return _parts(parser(), _names())


def _names() -> Names:
    from waypost.cli._program import commands
    from waypost.models.decision import ACTIONS
    from waypost.registry import load
    from waypost.registry.world import load as load_world
    from waypost.safety.policy import policies
    from waypost.validate.rulebook import rules_by_name

    registry = load()
    profiles, rules = tuple(registry.profile_names), tuple(rules_by_name())
    types = (mapping["x-standard-type"] for mapping in registry.mappings.values())
    return {
        ("", "profiles"): profiles,
        ("", "levels"): tuple(f"{rule}=off" for rule in rules),
        ("", "action"): ACTIONS,
        ("", "policy"): tuple(policies(load_world())),
        ("rules", "name"): rules + profiles,
        ("explain", "name"): rules + profiles,
        ("schema", "name"): (*registry.mappings, *types, "Unified"),
        ("help", "topic"): tuple(commands()),
        ("man", "topic"): tuple(commands()),
    }


def _parts(of: ArgumentParser, names: Names) -> list[_Command]:
    """Sub-commands of a parser."""
    found = []
    for group in of._actions:  # noqa: SLF001 - argparse has no public way to inspect a parser
        if isinstance(group.choices, dict):
            helps = {choice.dest: choice.help or "" for choice in group._choices_actions}  # type: ignore[attr-defined]  # noqa: SLF001
            found += [
                _command(name, helps.get(name, "").removeprefix(f"{name}: "), sub, names)
                for name, sub in group.choices.items()
            ]
    return found


def _command(name: str, text: str, parser: ArgumentParser, names: Names) -> _Command:
    def values(action: Action) -> tuple[str, ...]:
        if action.choices:
            return tuple(str(choice) for choice in action.choices)
        return names.get((name, action.dest)) or names.get(("", action.dest), ())

    actions = [action for action in parser._actions if action.help != SUPPRESS]  # noqa: SLF001
    positionals = [action for action in actions if not action.option_strings and not isinstance(action.choices, dict)]
    words = tuple(value for action in positionals for value in values(action))
    options = tuple(_option(action, values(action)) for action in actions if action.option_strings)
    files = any(part in str(action.metavar) for action in positionals for part in ("FILE", "DIR"))
    return _Command(name, text.replace("%%", "%"), options, words, files, tuple(_parts(parser, names)))


def _option(action: Action, choices: tuple[str, ...]) -> _Option:
    text = re.sub(r"%\(\w+\)s", "", action.help or "").replace("%%", "%")
    return _Option(tuple(action.option_strings), text, action.nargs != 0, choices)


def _bash(commands: Sequence[_Command]) -> Iterator[str]:
    yield "# bash completion of waypost; made by `waypost completion bash`\n_waypost() {\n"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words="" files=""\n'
    # bash splits `--format=sa` in three.
    yield '  if [ "$cur" = "=" ]; then cur=""\n'
    yield '  elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi\n'
    yield '  local command="${COMP_WORDS[1]}"\n  COMPREPLY=()\n  if [ "$COMP_CWORD" -eq 1 ]; then\n'
    names = " ".join(command.name for command in commands)
    yield f'    words="{names} --help --version"\n  else\n'
    groups = "|".join(command.name for command in commands if command.parts)
    if groups:
        yield f'    case "$command" in {groups})\n'
        yield '      if [ "$COMP_CWORD" -gt 2 ]; then command="$command ${COMP_WORDS[2]}"; fi ;;\n    esac\n'
    yield '    case "$command" in\n'
    for command in commands:
        yield from _bash_case(command.name, command)
        for part in command.parts:
            yield from _bash_case(f"{command.name} {part.name}", part)
    yield "    esac\n  fi\n"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))\n'
    # Names of files may have spaces; what is no name of a file needs no backslash before its `=`.
    yield "  local IFS=$'\\n'\n"
    yield '  if [ -n "$files" ]; then COMPREPLY+=($(compgen -f -- "$cur"))\n'
    yield "  else compopt +o filenames 2>/dev/null; fi\n}\n"
    yield "complete -o filenames -o bashdefault -F _waypost waypost\n"


def _bash_case(name: str, command: _Command) -> Iterator[str]:
    yield f'      "{name}")\n        case "$prev" in\n'
    for option in command.options:
        if option.choices:
            yield f'          {"|".join(option.names)}) words="{" ".join(option.choices)}" ;;\n'
        elif option.takes_value:
            yield f"          {'|'.join(option.names)}) files=1 ;;\n"
    words = [name for option in command.options for name in option.names]
    words += [*command.words, *(part.name for part in command.parts)]
    more = "; files=1" if command.files else ""
    yield f'          *) words="{" ".join(words)}"{more} ;;\n        esac ;;\n'


def _zsh(commands: Sequence[_Command]) -> Iterator[str]:
    yield "#compdef waypost\n# made by `waypost completion zsh`\n"
    for command in commands:
        if command.parts:
            yield from _zsh_function(f"_waypost_{command.name}", command.parts)
    yield from _zsh_function("_waypost", commands)
    yield 'if [ "$funcstack[1]" = "_waypost" ]; then\n  _waypost "$@"\nelse\n  compdef _waypost waypost\nfi\n'


def _zsh_function(name: str, commands: Sequence[_Command]) -> Iterator[str]:
    """Function of zsh to complete the name of a command, then the arguments."""
    yield f"{name}() {{\n  local -a commands\n  commands=(\n"
    for command in commands:
        yield f"    {_quoted(f'{command.name}:{command.help}')}\n"
    yield "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
    yield "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n"
    for command in commands:
        if command.parts:
            yield f"    {command.name}) _waypost_{command.name} ;;\n"
            continue
        yield f"    {command.name})\n      _arguments -s \\\n"
        for option in command.options:
            yield from (f"        {_quoted(_zsh_option(name, option))} \\\n" for name in option.names)
        rest = "*:file:_files" if command.files else f"*:name:({' '.join(command.words)})"
        yield f"        {_quoted(rest)} ;;\n"
    yield "  esac\n}\n"


def _zsh_option(name: str, option: _Option) -> str:
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    value = f":value:({' '.join(option.choices)})" if option.choices else ":value:_files" if option.takes_value else ""
    return f"*{name}[{text}]{value}"


def _fish(commands: Sequence[_Command]) -> Iterator[str]:
    yield "# fish completion of waypost; made by `waypost completion fish`\ncomplete -c waypost -f\n"
    for command in commands:
        text = _quoted(command.help)
        yield f"complete -c waypost -n __fish_use_subcommand -a {command.name} -d {text}\n"
        seen = f"__fish_seen_subcommand_from {command.name}"
        yield from _fish_command(seen, command)
        parts = " ".join(part.name for part in command.parts)
        for part in command.parts:
            first = f"{seen}; and not __fish_seen_subcommand_from {parts}"
            yield f"complete -c waypost -n '{first}' -a {part.name} -d {_quoted(part.help)}\n"
            yield from _fish_command(f"{seen}; and __fish_seen_subcommand_from {part.name}", part)


def _fish_command(condition: str, command: _Command) -> Iterator[str]:
    here = f"complete -c waypost -n '{condition}'"
    if command.files:
        yield f"{here} -F\n"
    if command.words:
        yield f"{here} -a {_quoted(' '.join(command.words))}\n"
    for option in command.options:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
        value = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" * option.takes_value
        yield f"{here} {names}{value} -d {_quoted(option.help)}\n"


def _powershell(commands: Sequence[_Command]) -> Iterator[str]:
    yield "# PowerShell completion of waypost; made by `waypost completion powershell`\n"
    # A literal table would not distinguish -o from -O.
    yield "$words = [hashtable]::new([StringComparer]::Ordinal)\n"
    yield _powershell_words("", [(command.name, command.help) for command in commands])
    for command in commands:
        yield from _powershell_command(command.name, command)
        for part in command.parts:
            yield from _powershell_command(f"{command.name} {part.name}", part)
    yield _POWERSHELL


def _powershell_command(key: str, command: _Command) -> Iterator[str]:
    offered = [(part.name, part.help) for part in command.parts] + [(word, word) for word in command.words]
    offered += [(name, option.help) for option in command.options for name in option.names]
    yield _powershell_words(key, offered)
    for option in command.options:
        for name in option.names if option.choices else ():
            yield _powershell_words(f"{key} {name}", [(choice, choice) for choice in option.choices])


def _powershell_words(key: str, offered: Sequence[tuple[str, str]]) -> str:
    """Assignment of the words that may follow `key`, each with a tab and its help."""
    words = ", ".join(_powershell_quoted(f"{word}\t{text or word}") for word, text in offered)
    return f"$words[{_powershell_quoted(key)}] = @({words})\n"


def _powershell_quoted(text: str) -> str:
    """Text in single quotes of PowerShell, which typographic quotes end too (language specification, 2.3.5.2)."""
    return "'" + re.sub("['\u2018-\u201b]", "''", text) + "'"


_POWERSHELL = r"""Register-ArgumentCompleter -Native -CommandName waypost -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
  $before = @($before | ForEach-Object { "$_" })
  $named = @($before | Select-Object -Skip 1 | Where-Object { -not $_.StartsWith('-') })
  $key = "$($named[0])"
  if ($named.Count -gt 1 -and $words.ContainsKey("$key $($named[1])")) { $key = "$key $($named[1])" }
  $last = "$key $($before[-1])"
  if ($words.ContainsKey($last)) { $key = $last }
  # Where nothing of this fits, PowerShell completes the names of files.
  $words[$key] | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    $word, $help = $_ -split "`t", 2
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
  }
}.GetNewClosure()
"""


def _quoted(text: str) -> str:
    """Text in single quotes, the same in bash, zsh and fish."""
    return "'" + text.replace("'", "’") + "'"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish, "powershell": _powershell}
