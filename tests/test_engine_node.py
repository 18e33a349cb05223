"""The browser's engine reports the expected findings of every JSON case, without a browser where there is node.

Pages need a browser's parser: `tests/browser/test_parity.py` checks those, against the same files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from waypost.pages.bundle import scripts
from waypost.registry import load

CASES = Path(__file__).parent / "cases" / "rules"
SAMPLES = [path for path in sorted(CASES.glob("*/*-*")) if path.suffix in {".json", ".jsonld"}]
PROGRAM = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const answer = cases.map(({ text, url }) => {
  const report = engine.validate({ text, url, media: "json", now: "2026-11-20T12:00:00Z" });
  const findings = report.files[0].findings.map(
    ({ severity, rule, line, column, message }) => `${severity} ${rule} ${line}:${column} ${message}`,
  );
  return [findings, report.not_judged.map((rule) => rule.name)];
});
process.stdout.write(JSON.stringify(answer));
"""


def is_text(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def test_the_engine_reports_the_findings_that_are_expected_of_each_json_case(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    parts = scripts(load())
    for name, data in parts.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "program.js").write_text(PROGRAM, "utf-8")
    samples = [path for path in SAMPLES if is_text(path)]
    requests = [
        {
            "text": path.read_bytes().decode(),
            "url": None if "of-unknown-address" in path.stem else "https://www.example.com/page",
        }
        for path in samples
    ]

    ran = subprocess.run(
        [node, str(tmp_path / "program.js"), str(tmp_path), json.dumps(list(parts))],
        input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-2000:]
    for path, (findings, missing) in zip(samples, json.loads(ran.stdout), strict=True):
        expected = json.loads((path.parent / "expected.json").read_text("utf-8"))[path.name]
        assert findings == [line for line in expected if line.split(" ")[1] not in missing], (
            f"{path.parent.name}/{path.name}"
        )
