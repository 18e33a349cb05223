"""Compare waypost with its peers on the same pages and hosts, and write `site/comparison.json` and the page made from it.

    python benchmarks/compare/compare.py --tools FOLDER [--pages FOLDER] [--vocabulary FILE] [--runs 3]
    python benchmarks/compare/compare.py --page-only

--tools       folder for the peers: each is installed there from its registry, at the version in peers.json
--pages       folder of .html or .html.gz files for speed, memory and crashes; the sample of the project without it
--vocabulary  schemaorg-all-https.jsonld, which the validator of Adobe can take
--runs        whole processes of each tool: the spread of time and memory is written too
--findings-only  count the findings on the marked pages and hosts again, and leave the speeds as they are
--page-only   make site/docs/compare.md from site/comparison.json again
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULT = ROOT / "site" / "comparison.json"
PAGE = ROOT / "site" / "docs" / "compare.md"
PEERS: Mapping[str, Any] = json.loads((HERE / "peers.json").read_text("utf-8"))
SIGNALS = ROOT / "tests" / "cases" / "signals"

_DECIDES_NOTHING = {"weak", "context"}

Pages = dict[str, dict[str, Any]]


def install(tools: Path) -> None:
    """Install every peer at its version below `tools`."""
    npm = [f"{name}@{version}" for name, version in PEERS["npm"].items()]
    subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", str(tools / "npm"), *npm], check=True)
    if not (tools / "py").is_dir():
        subprocess.run([sys.executable, "-m", "venv", str(tools / "py")], check=True)
    pip = [f"{name}=={version}" for name, version in PEERS["pip"].items()]
    subprocess.run([str(tools / "py" / "bin" / "python"), "-m", "pip", "install", "-q", *pip], check=True)


_HEAD = b'<!doctype html>\n<html lang="en"><head><title>A page</title>\n<script type="application/ld+json">\n'
_TAIL = b"\n</script></head><body></body></html>\n"


def sample(folder: Path) -> None:
    """Write the marked pages of the project into a folder: names have "good-" or "bad-" after the first dot.

    A bad page is the case of a rule. A good case of a rule is right in one respect only, so good pages are those that
    were written to be right in every respect: nothing else decides which are taken, and least what a tool reports.
    """
    cases = ROOT / "tests" / "cases"
    for case in sorted((cases / "rules").glob("*/bad-*")):
        if case.suffix in {".html", ".json"}:
            data = case.read_bytes()
            data = _HEAD + data + _TAIL if case.suffix == ".json" else data
            (folder / f"{case.parent.name}.{case.stem}.html").write_bytes(data)
    complete = {
        "clean": (HERE.parent / "clean").glob("*.json"),  # what every error of benchmarks/defects.py is put into
        "profile": (cases / "profiles").glob("*/good-complete.json"),  # all that a rich result needs
        "card": (cases / "snippets").glob("*/input.json"),  # what the card of each service type is made from
    }
    for kind, documents in complete.items():
        for case in sorted(documents):
            name = case.stem if kind == "clean" else case.parent.name
            (folder / f"{kind}.good-{name}.html").write_bytes(_HEAD + case.read_bytes() + _TAIL)


def unpack(pages: Path, folder: Path) -> None:
    paths = sorted(each for each in pages.rglob("*.html*") if each.is_file())
    if not paths:
        raise SystemExit(f"--pages {pages}: there is no page in this folder")
    for path in paths:
        data = path.read_bytes()
        name = "-".join(path.relative_to(pages).parts).removesuffix(".gz")
        (folder / name).write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)


def commands(tools: Path, vocabulary: str) -> dict[str, list[str]]:
    """Command of each tool by its name; the folder of pages follows "{}"."""
    node = ["node", str(HERE / "validators.mjs")]
    modules = str(tools / "npm" / "node_modules")
    waypost = [sys.executable, "-m", "waypost", "validate", "{}", "--format", "json", "--fail-on", "never"]
    return {
        "waypost": [*waypost, "--no-cache", "--jobs", "1", "--no-config"],
        "@adobe/structured-data-validator": [*node, "adobe", modules, "{}", *([vocabulary] if vocabulary else [])],
        "structured-data-testing-tool": [*node, "sdtt", modules, "{}"],
        "extruct": [str(tools / "py" / "bin" / "python"), str(HERE / "extract_pages.py"), "{}"],
    }


def run(command: Sequence[str], folder: Path) -> tuple[str, float, float]:
    """Output, seconds and MB of memory of one whole process."""
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(
            [part.replace("{}", str(folder)) for part in command], stdout=output, stderr=subprocess.DEVNULL, cwd=folder
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    if process.returncode not in {0, 3}:  # 3: waypost read something that is no page
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return text, seconds, used.ru_maxrss / 1024


def pages_of(name: str, text: str) -> Pages:
    """What a tool says of each page: errors, warnings, those with a place; or how it crashed."""
    if name != "waypost":
        found: Pages = json.loads(text)
        return found
    pages: Pages = {}
    for file in json.loads(text)["files"]:
        of = [finding["severity"] for finding in file["findings"]]
        placed = sum("line" in finding for finding in file["findings"] if finding["severity"] != "info")
        pages[Path(file["path"]).name] = {
            "errors": of.count("error"), "warnings": of.count("warning"), "placed": placed,
        }  # fmt: skip
        if file.get("error"):
            pages[Path(file["path"]).name] = {"crash": file["error"]}
    return pages


def on_sample(pages: Pages) -> dict[str, Any]:
    """Counts on the marked pages. A crash is counted as such, and as no finding."""
    bad = [each for name, each in pages.items() if name.split(".")[1].startswith("bad-")]
    good = {name: each for name, each in pages.items() if name.split(".")[1].startswith("good-")}
    reported = [each for each in pages.values() if "crash" not in each]
    return {
        "bad": len(bad),
        "bad_with_finding": sum(bool(each.get("errors") or each.get("warnings")) for each in bad),
        "good": len(good),
        "good_with_error": [name.removesuffix(".html") for name, each in good.items() if each.get("errors")],
        "findings": sum(each["errors"] + each["warnings"] for each in reported),
        "with_place": sum(each["placed"] for each in reported),
        "crashes": len(pages) - len(reported),
    }


def on_pages(pages: Pages, runs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    seconds = [each for each, _ in runs]
    return {
        "pages": len(pages),
        "crashes": sum("crash" in each for each in pages.values()),
        "pages_per_second": spread([len(pages) / each for each in seconds]),
        "memory_mb": spread([each for _, each in runs]),
    }


def spread(values: Sequence[float]) -> dict[str, float]:
    middle = statistics.median(values)
    return {"min": round(min(values), 1), "median": round(middle, 1), "max": round(max(values), 1)}


def hosts(tools: Path) -> dict[str, Any]:
    """Which hosts of the cases of the name signals each tool names as an imitation of the case's brand.

    dnstwist lists names that could imitate a domain; a host is named where the first label of its registrable domain is
    in that list, whatever the ending: the cases use other reserved endings than the brands. A weak signal, which decides
    nothing, names no host, and the cases that expect one are left out.
    """
    sys.path.insert(0, str(ROOT / "src"))
    from waypost.registry.world import World, load
    from waypost.safety.brand_index import brand_index_of
    from waypost.safety.catalogue import signals_taking
    from waypost.safety.host_reading import HostReading
    from waypost.safety.target import normalise

    shipped = load().files
    brands = {path.stem: json.loads(path.read_bytes()) for path in (SIGNALS / "brands").glob("*.json")}
    world = World(
        {path: data for path, data in shipped.items() if not path.startswith(("brands/", "sites.json"))}
        | {f"brands/x/{path.name}": path.read_bytes() for path in (SIGNALS / "brands").glob("*.json")}
        | {"sites.json": b'{"sites": []}'}
    )
    index = brand_index_of(world)
    lists = {slug: permutations(tools, brand) for slug, brand in brands.items()}
    counts = {name: {"bad": 0, "bad_named": 0, "good": 0, "good_named": 0} for name in ("waypost", "dnstwist")}
    for case in sorted(SIGNALS.glob("brand-*/*.json")):
        document = json.loads(case.read_bytes())
        if document.get("strength") in _DECIDES_NOTHING:
            continue
        target = normalise(document["url"])
        kind = case.name.partition("-")[0]
        reading = HostReading(target, index)
        named = {
            "waypost": any(
                each.brand and each.strength not in _DECIDES_NOTHING
                for signal in signals_taking("reading")
                for each in signal.observe(reading)
            ),
            "dnstwist": any(label(target.registrable) in names for names in lists.values()),
        }
        for tool, is_named in named.items():
            counts[tool][kind] += 1
            counts[tool][f"{kind}_named"] += is_named
    return counts


def label(domain: str) -> str:
    return domain.partition(".")[0]


def permutations(tools: Path, brand: Mapping[str, Any]) -> set[str]:
    """First labels of what dnstwist makes of a brand's domains, without their own; no network is asked."""
    own = {each["domain"] if isinstance(each, dict) else each for each in brand["official_domains"]}
    made: set[str] = set()
    for domain in own:
        command = [str(tools / "py" / "bin" / "dnstwist"), "--format", "list", domain]
        made |= set(map(label, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()))
    return made - set(map(label, own))


def count_findings(tools: Path, vocabulary: str) -> dict[str, dict[str, Any]]:
    """Counts of each tool on the marked pages."""
    with tempfile.TemporaryDirectory() as folder:
        marked = Path(folder)
        sample(marked)
        tools_commands = commands(tools, vocabulary).items()
        return {name: on_sample(pages_of(name, run(command, marked)[0])) for name, command in tools_commands}


def measure_findings(args: argparse.Namespace) -> dict[str, Any]:
    """The figures as they are, with new counts of findings."""
    figures: dict[str, Any] = json.loads(RESULT.read_text("utf-8"))
    install(args.tools.resolve())
    vocabulary = str(args.vocabulary.resolve()) if args.vocabulary else ""
    for name, counts in count_findings(args.tools.resolve(), vocabulary).items():
        figures["validators"][name]["sample"] = counts
    figures |= {"sources": PEERS["sources"], "features": PEERS["features"], "hosts": hosts(args.tools.resolve())}
    return figures | {"findings_date": datetime.now(UTC).strftime("%Y-%m-%d")}


def measure(args: argparse.Namespace) -> dict[str, Any]:
    from waypost import __version__

    tools = args.tools.resolve()
    install(tools)
    made: dict[str, Any] = {name: {} for name in commands(tools, "")}
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        marked, many = Path(first), Path(second)
        sample(marked)
        if args.pages:
            unpack(args.pages, many)
        timed = many if args.pages else marked
        vocabulary = str(args.vocabulary.resolve()) if args.vocabulary else ""
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in made}
        for _ in range(args.runs):  # alternated, so that a busy machine slows every tool alike
            for name, command in commands(tools, vocabulary).items():
                text, seconds, memory = run(command, timed)
                runs[name].append((seconds, memory))
                made[name]["pages"] = on_pages(pages_of(name, text), runs[name])
    for name, counts in count_findings(tools, vocabulary).items():
        made[name]["sample"] = counts
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    return {
        "date": today,
        "findings_date": today,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, CPython {platform.python_version()}",
        "runs": args.runs,
        "pages": "a folder of real pages, not part of the project" if args.pages else "the marked pages of the project",
        "vocabulary": bool(args.vocabulary),
        "versions": {"waypost": __version__} | PEERS["npm"] | PEERS["pip"],
        "sources": PEERS["sources"],
        "validators": made,
        "hosts": hosts(tools),
        "features": PEERS["features"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--vocabulary", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULT)
    parser.add_argument("--findings-only", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    args = parser.parse_args()
    if not args.page_only:
        if args.tools is None:
            parser.error("--tools FOLDER is needed: the peers are installed there")
        figures = measure_findings(args) if args.findings_only else measure(args)
        args.output.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    if args.output == RESULT:
        sys.path.insert(0, str(ROOT / "src"))
        from waypost.pages.comparison import page

        PAGE.write_text(page(json.loads(RESULT.read_text("utf-8"))), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
