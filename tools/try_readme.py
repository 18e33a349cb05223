"""Run commands of the README as a new user would, and print what appeared when.

    python tools/try_readme.py NAME...

A name is that of a marked block (see `tools/readme_command.py`). The commands run in this checkout, one after another,
with a minimal environment: the system's programs, the settings of pip and nothing else. A command that starts the
service is ended once the site answers; before that the README's requests (`curl-...`) are sent, and their answers
compared with what the README shows.
A command that states its packages and megabytes is measured: an error is more than one package or a tenth of the size.
Exit status 1 if a command failed. Needs nothing but Python, so it also runs in a bare root (`tools/bare_root.sh`).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from importlib.metadata import distributions
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from readme_command import command, contains, requests

ROOT = Path(__file__).resolve().parent.parent
_LONGEST_S = 900
_MOST_WAITS = 60
_SECRET = re.compile(r"wp_live_\w+|(?<=token=)\S+")


def environment(home: str, **more: str) -> dict[str, str]:
    stored = {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in {"LANG", "TERM"}}
    # Port 8000 may be taken where this runs.
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "WAYPOST_DATA": f"{home}/data",
        "WAYPOST_PORT": "0",
        **stored,
        **more,
    }


def installed(environment: Path) -> tuple[int, int]:
    """Number of packages, and their megabytes on disk; without pip and setuptools, which every environment has."""
    folders = [str(path) for path in environment.glob("lib/python*/site-packages")]
    packages = [each for each in distributions(path=folders) if each.metadata["Name"] not in {"pip", "setuptools"}]
    files = (Path(str(package.locate_file(file))) for package in packages for file in package.files or ())
    return len(packages), sum(file.lstat().st_blocks * 512 for file in files if file.is_file()) // 1_000_000


def is_as_stated(text: str) -> bool:
    """Whether what a command installed is what it says; the packages differ by one from Python to Python."""
    packages, size = installed(ROOT / ".venv")
    print(f"  installed: {packages} packages, {size} MB")
    stated = re.search(r"(\d+) packages, (\d+) MB", text)
    if stated is None or (abs(packages - int(stated[1])) <= 1 and abs(size - int(stated[2])) <= size // 10):
        return True
    print(f"  error: the command says {stated[0]}")
    return False


def built_page(site: str) -> bytes:
    """Front page of the site. The service answers before the site is built: until then, 503 says when to come again."""
    for _ in range(_MOST_WAITS):
        try:
            with urllib.request.urlopen(f"{site}/", timeout=30) as page:
                content: bytes = page.read()
                return content
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(int(error.headers.get("Retry-After", "2")))
    raise SystemExit(f"the site of {site} was not built in time")


def send_requests(report: dict[str, str], home: str) -> bool:
    """Whether the site answers, and each request of the README gets what the README shows."""
    print(f"  the site answers with {len(built_page(report['site']))} bytes")
    good = []
    for name, (text, expected) in requests().items():
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text.replace("http://127.0.0.1:8000", report["site"])],
            env=environment(home, WAYPOST_API_KEY=report["key"].split()[0]),
            cwd=ROOT, capture_output=True, check=False,
        )  # fmt: skip
        good.append(bool(ran.stdout) and contains(json.loads(ran.stdout), expected))
        print(f"  {name}: {'as shown' if good[-1] else (ran.stdout or ran.stderr).decode()}")
    return bool(good) and all(good)


def run(name: str, home: str) -> bool:
    """Run a command and print its lines with their times. Whether it succeeded."""
    text, began = command(name), time.monotonic()
    print(f"$ {text.strip()}", flush=True)
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", text], env=environment(home), cwd=ROOT, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    report: dict[str, str] = {}
    served, first = None, None
    assert process.stdout
    for line in process.stdout:
        now = time.monotonic() - began
        first = now if first is None else first
        print(f"{now:6.1f} s  {_SECRET.sub('...', line.rstrip())}", flush=True)
        key, _, value = line.partition("  ")
        report[key] = value.strip()
        if "serving; " in line:
            served = send_requests(report, home)
            os.killpg(process.pid, signal.SIGTERM)
        if now > _LONGEST_S:
            os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    print(f"{name}: first line after {first or 0:.1f} s, all of it {time.monotonic() - began:.1f} s, "
          f"exit status {status}", flush=True)  # fmt: skip
    return is_as_stated(text) and (served if served is not None else status == 0)


def main(names: list[str]) -> int:
    if not names:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as home:
        results = [run(name, home) for name in names]
    return int(not all(results))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
