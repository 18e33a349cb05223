"""Signals, found by scanning `safety/signals/`: every module of the folder is a signal, without a list to maintain."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal

import msgspec

from waypost.models.decision import Evidence, SummaryCode
from waypost.registry.assets import modules
from waypost.safety import signals

Takes = Literal["reading", "target", "claims", "back"]


class Signal(msgspec.Struct, frozen=True):
    """A signal as data. `takes` names the kind of argument that `observe` receives."""

    name: str
    takes: Takes
    summary_code: SummaryCode
    doc: str
    observe: Callable[[Any], Iterable[Evidence]]


@cache
def catalogue() -> dict[str, Signal]:
    """Signals by name, sorted."""
    found = {name: importlib.import_module(f"{signals.__name__}.{name}") for name in modules(signals.__path__)}
    return {
        name: Signal(name, module.TAKES, module.SUMMARY_CODE, (module.__doc__ or "").strip(), module.observe)
        for name, module in found.items()
    }


@cache
def signals_taking(kind: Takes) -> tuple[Signal, ...]:
    """Signals whose `observe` takes arguments of the kind."""
    return tuple(signal for signal in catalogue().values() if signal.takes == kind)
