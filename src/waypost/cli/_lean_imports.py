"""Imports without what the command line never uses, which was a fifth of its start.

Only the command's own process does this: for programs that import waypost the packages load as for anyone else.
`benchmarks/coldstart.py` measures the gain.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_TRIED = "1.15."  # releases of turbohtml whose core was tried alone


def import_lean() -> None:
    """Prepare the packages. Where one is built differently, or was imported before, it loads as usual."""
    if uname := getattr(os, "uname", None):  # not on Windows
        # uuid, which msgspec imports, requests this name alone.
        _defer("platform", system=lambda: uname().sysname)
    _defer("textwrap")  # of msgspec.json, for schemas
    _defer("ipaddress")  # of urllib.parse, for addresses in brackets
    _import_msgspec()
    _import_turbohtml()


def _defer(module: str, **known: Any) -> None:
    """Put a module in the place of another that has the known names, and loads it at the first use of a further one.

    Each compiles regular expressions or makes classes for what no command uses.
    """
    if module in sys.modules:
        return
    stand_in = sys.modules[module] = ModuleType(module)

    def load(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(module) is stand_in:
            del sys.modules[module]
        complete = vars(import_module(module))
        stand_in.__dict__.update({key: value for key, value in complete.items() if not key.startswith("__")})
        if name not in complete:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return complete[name]

    vars(stand_in).update(known, __getattr__=load)


def _import_msgspec() -> None:
    # msgspec takes two names from typing_extensions where it is installed, else from typing, where Python has both
    # since 3.11. typing_extensions would load inspect, ast, dis and tokenize.
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # makes an import raise ImportError
    try:
        import_module("msgspec")
    except ImportError:
        pass
    finally:
        del sys.modules["typing_extensions"]


def _import_turbohtml() -> None:
    """Put a module in the package's place that loads the parser at its first use, and the package for other names."""
    if "turbohtml" in sys.modules or (spec := find_spec("turbohtml")) is None or not spec.submodule_search_locations:
        return
    package = sys.modules["turbohtml"] = ModuleType("turbohtml")
    package.__path__, package.__file__, package.__spec__ = [*spec.submodule_search_locations], spec.origin, spec

    def load(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if (parser := _parser()) is not None and name in parser:
            package.__dict__.update(parser)
            return parser[name]
        if sys.modules.get("turbohtml") is package:
            del sys.modules["turbohtml"]
        complete = vars(import_module("turbohtml"))
        package.__dict__.update({key: value for key, value in complete.items() if not key.startswith("__")})
        if name not in complete:
            raise AttributeError(f"module 'turbohtml' has no attribute {name!r}")
        return complete[name]

    package.__getattr__ = load  # type: ignore[method-assign]


def _parser() -> dict[str, Any] | None:
    """Public names of turbohtml's core; None in a release that was not tried."""
    try:
        if not import_module("turbohtml._version").__version__.startswith(_TRIED):
            return None
        core = import_module("turbohtml._html")
        for name in ("_locations", "_selectors"):  # register their types with the parser
            import_module(f"turbohtml._internal.{name}")
    except ImportError:
        return None
    return {name: value for name, value in vars(core).items() if not name.startswith("_")}
