"""The browser's engine reports the expected findings of every JSON case, without a browser where there is node.

Pages need a browser's parser: `tests/browser/test_parity.py` checks those, against the same files.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from waypost.fixes import broken_blocks, fix_page
from waypost.models.finding import FileReport
from waypost.pages.bundle import scripts
from waypost.pages.modules import joined
from waypost.registry import load
from waypost.validate import validate_data, validate_page

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
REGISTRY = load()
BREAKER = Path(__file__).parents[1] / "benchmarks" / "broken_json.py"
CASES = Path(__file__).parent / "cases" / "rules"
SAMPLES = [path for path in sorted(CASES.glob("*/*-*")) if path.suffix in {".json", ".jsonld"}]
PROGRAM = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const answer = cases.map(({ text, url }) => {
  const report = engine.validate({ text, url, media: "json", now: "2026-11-20T12:00:00Z" });
  const fixes = report.files[0].findings.map(
    ({ fix }) => fix ? [fix.safe, fix.edits.map(({ start, end, text }) => [start, end, text])] : null,
  );
  const findings = report.files[0].findings.map(
    ({ severity, rule, line, column, message }) => `${severity} ${rule} ${line}:${column} ${message}`,
  );
  return [findings, report.not_checked.map((rule) => rule.name), fixes];
});
process.stdout.write(JSON.stringify(answer));
"""


def is_text(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def answers(folder: Path, requests: list[dict[str, Any]]) -> Any:
    """The engine's findings of each text, the rules that it does not check, and its fixes. Skips without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    parts = scripts(REGISTRY)
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    (folder / "program.js").write_text(PROGRAM, "utf-8")
    ran = subprocess.run(
        [node, str(folder / "program.js"), str(folder), json.dumps(list(parts))],
        input=json.dumps(requests), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


FIXING = """
const fs = require("fs");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
for (const part of parts) (0, eval)(fs.readFileSync(`${folder}/${part}`, "utf8"));
const engine = Waypost.load(WaypostRegistry);
const fixedAll = (0, eval)(`${fs.readFileSync(`${folder}/fix.js`, "utf8")};fixedAll`);
const judge = async (text) => engine.validate({ text, url: null, media: "json", now: "2026-11-20T12:00:00Z" }).files[0];
Promise.all(cases.map((text) => fixedAll(text, judge))).then((made) => process.stdout.write(JSON.stringify(made)));
"""


def test_browser_applies_all_safe_fixes_as_the_command_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [path.read_bytes().decode() for path in SAMPLES if is_text(path) and b"\r" not in path.read_bytes()]
    texts = [text for text in texts if not text.startswith("\ufeff")][::2]
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", FIXING)
    (tmp_path / "fix.js").write_text(joined("workbench/fix.js"), "utf-8")
    validate, broken = partial(validate_data, registry=REGISTRY, now=NOW), partial(broken_blocks, kind="json")
    fixed = [fix_page(text.encode(), validate, broken=broken, encoding="utf-8").data.decode() for text in texts]

    made = answers(tmp_path, texts)  # type: ignore[arg-type]

    assert {text: one for text, one, two in zip(texts, made, fixed, strict=True) if one != two} == {}
    assert sum(text != one for text, one in zip(texts, made, strict=True)) > 10


TYPE_FIXING = """
const fs = require("fs");
const folder = process.argv[2], [page, reports] = JSON.parse(fs.readFileSync(0, "utf8"));
const fixedAll = (0, eval)(`${fs.readFileSync(`${folder}/fix.js`, "utf8")};fixedAll`);
fixedAll(page, async (text) => reports[text]).then((made) => process.stdout.write(JSON.stringify(made)));
"""


@pytest.mark.parametrize("second", ["Product", "Event"])
def test_the_browser_writes_script_types_like_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str
) -> None:
    node = '{"@context": "https://schema.org", "@id": "https://e.test/#x", "@type": "%s", "name": "%s"}'
    page = (
        f'<script type="application/json-ld">{node % ("Product", "z")}</script>'
        f'<script type="application/ld+json">{node % ("Product", "x")}</script>'
        f'<script type="text/ld+json">{node.replace("#x", "#y") % (second, "y")}</script>'
    )
    reports = {}

    def is_checked(data: bytes) -> FileReport:
        report = validate_page(data, REGISTRY, now=NOW)
        reports[data.decode()] = to_builtins(report)
        return report

    fixed = fix_page(page.encode(), is_checked, broken=broken_blocks).data.decode()
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", TYPE_FIXING)
    (tmp_path / "fix.js").write_text(joined("workbench/fix.js"), "utf-8")

    assert answers(tmp_path, [page, reports]) == fixed  # type: ignore[list-item]
    assert fixed.count("application/ld+json") == 2, "the first script contradicts the second"


def test_the_engine_offers_the_same_fixes_of_broken_json(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("broken_json", BREAKER)
    assert spec is not None
    assert spec.loader is not None
    breaker = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(breaker)
    texts = [block.text for block in breaker.broken_blocks(200, seed=7)]

    found = answers(tmp_path, [{"text": text, "url": None} for text in texts])

    safe = 0
    for text, (_, _, fixes) in zip(texts, found, strict=True):
        report = validate_data(text.encode(), REGISTRY, now=NOW)
        expected = [
            each.fix and [each.fix.safe, [[edit.start, edit.end, edit.text] for edit in each.fix.edits]]
            for each in report.findings
        ]
        assert fixes == expected, text
        safe += sum(bool(fix and fix[0]) for fix in expected)
    assert safe > 20


def test_the_engine_reports_the_expected_findings_of_json_cases(tmp_path: Path) -> None:
    samples = [path for path in SAMPLES if is_text(path)]
    requests = [
        {
            "text": path.read_bytes().decode(),
            "url": None if "of-unknown-address" in path.stem else "https://www.example.com/page",
        }
        for path in samples
    ]

    for path, (findings, missing, _) in zip(samples, answers(tmp_path, requests), strict=True):
        expected = json.loads((path.parent / "expected.json").read_text("utf-8"))[path.name]
        assert findings == [line for line in expected if line.split(" ")[1] not in missing], (
            f"{path.parent.name}/{path.name}"
        )


SHAPES_FILE = BREAKER.with_name("hostile_shapes.py")
SMALL, LARGE = 10_000, 30_000
MOST_GROWTH = 1.3
"""Steps of a byte of the larger document, against those of the smaller one; quadratic reading would give 3."""
COUNTING = """
const fs = require("fs"), vm = require("vm"), { Session } = require("inspector");
const [folder, parts, cases] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(fs.readFileSync(0, "utf8"))];
const session = new Session();
const post = (method, params) => {
  let made;
  session.post(method, params, (fault, found) => { if (fault) throw fault; made = found; });
  return made;
};
session.connect();
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
for (const part of parts) vm.runInThisContext(fs.readFileSync(`${folder}/${part}`, "utf8"), { filename: part });
const engine = Waypost.load(WaypostRegistry);
const steps = ({ text }) => {
  post("Profiler.takePreciseCoverage");
  engine.validate({ text, url: null, media: "json", now: "2026-11-20T12:00:00Z" });
  const counted = post("Profiler.takePreciseCoverage").result.flatMap(({ functions }) => functions);
  return counted.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
};
cases.forEach(steps); // loads what is loaded at its first use
process.stdout.write(JSON.stringify(cases.map(steps)));
"""


def test_hostile_documents_take_steps_in_proportion_to_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("hostile_shapes", SHAPES_FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = [
        "types of a node", "known types of a node", "items of a list", "terms of a context", "contexts of a list",
        "references in a ring", "nodes of one id", "keys almost right", "quotes alone",
    ]  # fmt: skip
    texts = [module.SHAPES[name][1](size).decode() for name in names for size in (SMALL, LARGE)]
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", COUNTING)

    # Blocks and calls that ran, by the engine's own coverage: a count that no other work on the machine changes.
    counts = answers(tmp_path, [{"text": text} for text in texts])

    per_byte = [count / len(text) for count, text in zip(counts, texts, strict=True)]
    growth = dict(
        zip(names, [large / small for small, large in zip(per_byte[::2], per_byte[1::2], strict=True)], strict=True)
    )
    assert {name: round(most, 2) for name, most in growth.items() if most > MOST_GROWTH} == {}
