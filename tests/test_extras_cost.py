"""Commands that need no extra import none: they are as fast with all extras installed as without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXTRAS = {
    "agents", "anyio", "brotli", "crawl", "cryptography", "fastwarc", "h2", "httpcore2", "httpx", "jinja2",
    "langchain_core", "litestar", "mcp", "mcp_types",
    "opentelemetry", "pydantic", "pydantic_ai", "pygls", "requests", "starlette", "uvicorn",
}  # fmt: skip
COMMANDS = {
    "import waypost": "import waypost",
    "waypost --version": "from waypost.cli import main; main(['--version'])",
    "waypost validate": "from waypost.cli import main; main(['validate', 'examples/site', '--fail-on', 'never'])",
    "waypost check": "from waypost.cli import main; main(['check', 'https://stop.test/', '--fixtures'])",
}
AFTER = """
import sys
print("|".join(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_nothing_of_the_extras(command: str) -> None:
    program = f"try:\n    {COMMANDS[command]}\nexcept SystemExit:\n    pass\n{AFTER}"

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=120)

    imported = set(done.stderr.splitlines()[-1].split("|"))
    assert "waypost" in imported
    assert imported & EXTRAS == set()
