"""Application of the service for any ASGI server, with the settings of `waypost serve`."""

from __future__ import annotations

import os
from pathlib import Path

from waypost.api.app import App, create_app
from waypost.api.settings import SettingsError, read_settings
from waypost.api.startup_checks import problems_in
from waypost.api.state import open_state


def application() -> App:
    """Application by the file of WAYPOST_CONFIG and the other WAYPOST_* variables, for servers that call a factory.

    `waypost serve` also bounds the time and size of request heads and cuts off clients that do not read their answers;
    in front of another server a proxy has to do that. `workers` of the settings is the number of processes that the
    server runs: they share the quotas. Raises SettingsError, NotReady and StoreError.
    """
    file = os.environ.get("WAYPOST_CONFIG")
    settings = read_settings(Path(file) if file else None)
    if problems := problems_in(settings):
        raise SettingsError("; ".join(problems))
    return create_app(open_state(settings))
