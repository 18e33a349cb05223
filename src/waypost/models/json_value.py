"""Values of JSON, as the translator of the browser's engine knows them: `waypost.pages.py2js`."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Object, list, string, number, boolean or null; a program tests which. `Any` for mypy, whose recursive aliases refuse
lists and objects that are changed."""
JsonObject: TypeAlias = dict[str, Json]
"""Object of JSON."""
