"""Logs of the SDK and of underlying libraries: dropped, because records may hold texts of requests."""

from __future__ import annotations

import logging
import os

_NAMES = ("mcp", "httpx", "httpcore", "httpx2", "httpcore2", "sse_starlette", "asyncio", "anyio", "uvicorn")


def keep_quiet() -> None:
    """Drop the records of the SDK's loggers, and switch off its telemetry."""
    for name in _NAMES:
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
    os.environ["OTEL_SDK_DISABLED"] = "true"
