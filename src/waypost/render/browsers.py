"""Browser for rendering: the Chromium of the machine or of the user, with switches against connections."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from waypost.errors import WaypostError, install_command

PROGRAMS = (
    "chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome",
    "google-chrome-stable", "microsoft-edge",
)  # fmt: skip
"""Names on PATH, in order of preference: the shell has the same engine without windows, and starts faster."""
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
HEAP_MB = 512
"""Most memory for the scripts of a page, in megabytes; a page above the limit is ended."""
SWITCHES = (
    # No name and no address is resolved, and the only proxy has a name that does not exist: the browser cannot connect.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://blocked.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-speech-api",
    "--disable-file-system",
    "--deny-permission-prompts",
    "--no-first-run",
    "--no-pings",
    "--mute-audio",
    # A page and its frames are one process, which ends with the page.
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,SpeculationRules",
    f"--js-flags=--max-old-space-size={HEAP_MB}",
)


class NoBrowser(WaypostError):
    """Missing browser or driver. The message names the way to install both."""

    code = "no_browser"


def find_browser(named: str | None = None) -> str:
    """Path of the browser: `named`, else WAYPOST_CHROMIUM, else the first on PATH. Raises NoBrowser."""
    if find_spec("playwright") is None:
        raise NoBrowser(f"playwright is needed to render pages: {install_command('render')}")
    named = named or os.environ.get("WAYPOST_CHROMIUM")
    if named:
        path = shutil.which(named)
        if path is None:
            raise NoBrowser(f"{named} is not a program that can be started; name the file of a Chromium")
        return path
    for name in PROGRAMS:
        if path := shutil.which(name):
            return path
    for place in _PLACES:
        if Path(place).is_file():
            return place
    raise NoBrowser(
        "no browser was found to render pages: install Chromium or Chrome (`apt install chromium-headless-shell`, "
        "`brew install --cask chromium`), or name one with --browser PATH; "
        "`playwright install chromium-headless-shell` prints where it puts one"
    )


def needs_no_sandbox() -> bool:
    """Whether the browser cannot start with its sandbox: Chromium has none for root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
