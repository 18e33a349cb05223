"""What every test may rely on, however the run was started."""

from __future__ import annotations

import signal

# Shells start background jobs with SIGINT ignored, and processes pass that on: commands under test that end with Ctrl-C
# would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
