"""Make a client of the API with three generators, and one typed call with each.

    python benchmarks/generators.py [--keep FOLDER]

Installs openapi-typescript, @hey-api/openapi-ts and openapi-python-client into a throwaway folder, generates clients of
schemas/api/openapi.json, starts a service, and asks it for a decision by each client. Exit status 1 where a generator
warns, a call is not right to the type checker (tsc), or a call fails. Needs npm, node and pip; `tests/api/test_openapi.py` holds the causes of warnings without them.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import orphans

import contract

NPM = (
    "openapi-typescript@7.13", "openapi-fetch@0.17", "@hey-api/openapi-ts@0.99", "typescript@5", "@types/node@20",
    "esbuild@0.28",
)  # fmt: skip
PIP = ("openapi-python-client==0.29.*", "ruff")
TYPED = (
    "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext", "--moduleResolution",
    "bundler", "--allowImportingTsExtensions", "--lib", "es2023,dom,dom.iterable",
    "--types", "node",
)  # fmt: skip
LONGEST_S = 600
WARNING = re.compile(r"\bwarning\b|\berror\b|⚠", re.IGNORECASE)
BODY = '{ url: "https://shop.example.com/", intended_action: "payment" }'
CALLS = {
    "openapi-typescript/call.mts": f"""
import createClient from "openapi-fetch";
import type {{ paths }} from "./schema.d.ts";
const headers = {{ authorization: `Bearer ${{process.env.KEY}}` }};
const client = createClient<paths>({{ baseUrl: process.env.BASE!, headers }});
const {{ data, error }} = await client.POST("/v1/agent-safety", {{ body: {BODY} }});
if (error) throw new Error(error.code);
const allowed: boolean = data.action_allowed;
console.log(data.normalized_domain, allowed);
""",
    "hey-api/call.mts": f"""
import {{ checkAgentSafety }} from "./sdk.gen.ts";
import {{ client }} from "./client.gen.ts";
client.setConfig({{ baseUrl: process.env.BASE!, auth: process.env.KEY }});
const {{ data, error }} = await checkAgentSafety({{ body: {BODY} }});
if (error) throw new Error(JSON.stringify(error));
const allowed: boolean = data!.action_allowed;
console.log(data!.normalized_domain, allowed);
""",
    "call.py": """
import os
from client import AuthenticatedClient
from client.api.decisions import check_agent_safety
from client.models import AgentSafetyRequest, CheckRequestIntendedAction, Decision
client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["KEY"])
asked = AgentSafetyRequest(url="https://shop.example.com/", intended_action=CheckRequestIntendedAction.PAYMENT)
found = check_agent_safety.sync(client=client, body=asked)
assert isinstance(found, Decision), found
print(found.normalized_domain, str(found.action_allowed).lower())
""",
}


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """Output of a command, both streams. Ends the program where the command fails."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONGEST_S, check=False,
        env={**os.environ, **variables},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout + "\n".join(line for line in done.stderr.splitlines() if not line.startswith("npm "))


def generated(folder: Path) -> int:
    """Number of generators that warn. Writes the clients and their calls."""
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    run(folder, "npm", "install", "--no-audit", "--no-fund", "--silent", *NPM)
    run(folder, sys.executable, "-m", "venv", "venv")
    run(folder, "venv/bin/pip", "install", "--quiet", *PIP)
    path = f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    commands = {
        "openapi-typescript": ["npx", "openapi-typescript", contract.DESCRIPTION, "-o", "openapi-typescript/schema.d.ts"],
        "@hey-api/openapi-ts": ["npx", "openapi-ts", "-i", contract.DESCRIPTION, "-o", "hey-api"],
        "openapi-python-client": [
            "openapi-python-client", "generate", "--path", contract.DESCRIPTION, "--output-path", "client", "--meta", "none",
            "--fail-on-warning",
        ],
    }  # fmt: skip
    warned = 0
    for name, command in commands.items():
        output = run(folder, *command, PATH=path)
        warned += bool(WARNING.search(output))
        print(f"{name}: {'warns: ' + output if WARNING.search(output) else 'no warning'}", flush=True)
    for name, text in CALLS.items():
        (folder / name).write_text(text)
    return warned


def called(folder: Path) -> None:
    """One call with each client, to a service of its own."""
    data, port = folder / "data", orphans.free_port()
    contract.made(["org", "create", "Acme"], data)
    process = orphans.start(data, port, 1)
    variables = {"BASE": f"http://127.0.0.1:{port}", "KEY": contract.new_key(data, "Acme", "agent")}
    try:
        for name in ("openapi-typescript", "hey-api"):
            out = f"{name}/call.mjs"
            run(folder, "npx", "tsc", *TYPED, f"{name}/call.mts")
            run(
                folder,
                "npx",
                "esbuild",
                f"{name}/call.mts",
                "--bundle",
                "--platform=node",
                "--format=esm",
                f"--outfile={out}",
            )
            print(f"{name}: {run(folder, 'node', out, **variables).strip()}")
        print(f"openapi-python-client: {run(folder, 'venv/bin/python', 'call.py', **variables).strip()}")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="the folder of the clients; a temporary one by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = (options.keep or Path(name)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        warned = generated(folder)
        called(folder)
    return int(warned > 0)


if __name__ == "__main__":
    raise SystemExit(main())
