"""Peak memory of `waypost validate` over a folder, a process of its own for each report format.

    python benchmarks/memory.py PAGES [--formats text,json]

PAGES is a folder of pages, best of some thousand: reports are written as they come, so the peak must not grow with the
folder. Printed are the largest resident set and the processor time of each process; its output goes nowhere. The exit
status is 1 if a process took more than 80 MB or ended with an error.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

FORMATS = "text,json,ndjson,sarif,junit,github,gitlab,html,markdown"
MOST_MB = 80


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("--formats", default=FORMATS, help="names, joined by commas")
    options = parser.parse_args()
    is_amiss = False
    for name in options.formats.split(","):
        command = [sys.executable, "-m", "waypost", "validate", str(options.pages), "--format", name]
        process = subprocess.Popen(
            [*command, "--jobs", "1", "--no-cache", "--fail-on", "never"], stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = usage.ru_maxrss / 1024
        is_amiss |= peak > MOST_MB or process.returncode != 0
        seconds = usage.ru_utime + usage.ru_stime
        print(
            f"{name:10} {peak:6.1f} MB {seconds:6.1f} s of the processor, exit status {process.returncode}", flush=True
        )
    return int(is_amiss)


if __name__ == "__main__":
    sys.exit(main())
