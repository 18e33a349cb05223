"""What the cache gains: 2,000 generated pages of 100 kB, cold against warm, and whether a warm run is still right.

python benchmarks/cache.py [--pages 2000] [--kilobytes 100] [--rounds 3]

Every run is a process of its own, run by turns, with the modules' bytecode at hand as any second run has it; what a run
over one page takes is subtracted as start-up. After that one page, the configuration and the registry are changed, and
each time the warm report must be the cold one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = (
    "the",
    "kettle",
    "boils",
    "slowly",
    "while",
    "rain",
    "falls",
    "on",
    "a",
    "tin",
    "roof",
    "and",
    "nobody",
    "minds",
)
_RUN = [sys.executable, "-m", "waypost", "validate", "--json", "--fail-on", "never", "--now", "2026-11-20"]


def page(number: int, size: int, chance: random.Random) -> str:
    """A page as shops and magazines make them: a graph of the site, the thing itself, its breadcrumbs, then text."""
    site = "https://www.example.com"
    graph = [
        {"@type": "Organization", "@id": f"{site}/#organization", "name": "Example", "url": f"{site}/",
         "logo": {"@type": "ImageObject", "url": f"{site}/logo.png", "width": 600, "height": 60},
         "sameAs": ["https://social.example/example", "https://video.example/example"]},
        {"@type": "WebSite", "@id": f"{site}/#website", "url": f"{site}/", "name": "Example",
         "publisher": {"@id": f"{site}/#organization"}},
        {"@type": "WebPage", "@id": f"{site}/p/{number}", "url": f"{site}/p/{number}", "name": f"Kettle {number}",
         "isPartOf": {"@id": f"{site}/#website"}, "datePublished": "2026-03-01T08:00:00+00:00"},
        {"@type": "Product", "@id": f"{site}/p/{number}#product", "name": f"Kettle {number}", "sku": f"K-{number}",
         "image": [f"{site}/i/{number}-{n}.jpg" for n in range(3)], "description": " ".join(WORDS),
         "brand": {"@type": "Brand", "name": "Loma"},
         "offers": {"@type": "Offer", "price": f"{20 + number % 70}.90", "priceCurrency": "EUR",
                    "availability": "https://schema.org/InStock", "priceValidUntil": "2027-05-01"},
         "aggregateRating": {"@type": "AggregateRating", "ratingValue": 4.4, "reviewCount": 89}},
        {"@type": "BreadcrumbList", "itemListElement": [
            {"@type": "ListItem", "position": n + 1, "name": name, "item": f"{site}/{name.lower()}"}
            for n, name in enumerate(("Home", "Kitchen", "Kettles"))]},
    ]  # fmt: skip
    if number % 20 == 0:
        graph[3]["offers"]["price"] = "64,90"  # one page in twenty has something to say
    head = (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>Kettle {number}</title>"
        f'<link rel=canonical href="{site}/p/{number}"><script type="application/ld+json">'
        + json.dumps({"@context": "https://schema.org", "@graph": graph})
        + "</script></head><body>\n"
    )
    parts = [head]
    length = len(head)
    while length < size:
        text = " ".join(chance.choices(WORDS, k=40))
        part = f'<section class="c{length % 9}"><h2>{text[:30]}</h2><p>{text} <a href="/p/{length % 500}">more</a></p></section>\n'
        parts.append(part)
        length += len(part)
    return "".join(parts)


def took(folder: Path, *more: str) -> tuple[float, str]:
    """Seconds and the report; the configuration is none unless `more` names one."""
    more = more if "--config" in more else (*more, "--no-config")
    began = time.perf_counter()
    done = subprocess.run([*_RUN, *more, "."], cwd=folder, stdout=subprocess.PIPE, check=True, text=True)
    return time.perf_counter() - began, done.stdout


def measure(folder: Path, empty: Path, rounds: int) -> None:
    lanes = {
        "one page, judged": (empty, ("--no-cache",)),
        "one page, known": (empty, ("--cache", "../other")),
        "cold, --jobs 1": (folder, ("--no-cache", "--jobs", "1")),
        "cold": (folder, ("--no-cache",)),
        "cold, and kept": (folder, ("--cache", "../first")),
        "warm": (folder, ("--cache", "../cache")),
        "warm, --cache-strict": (folder, ("--cache", "../cache", "--cache-strict")),
    }
    took(folder, "--cache", "../cache")
    took(empty, "--cache", "../other")
    best = dict.fromkeys(lanes, float("inf"))
    reports: dict[str, str] = {}
    for _ in range(rounds):
        for lane, (where, more) in lanes.items():
            shutil.rmtree(folder.parent / "first", ignore_errors=True)
            seconds, reports[lane] = took(where, *more)
            best[lane] = min(best[lane], seconds)
    assert len({reports[lane] for lane in lanes if lanes[lane][0] is folder}) == 1, "every lane says the same"
    checking, knowing = best["one page, judged"], best["one page, known"]
    size = sum(each.stat().st_size for each in (folder.parent / "cache").rglob("*") if each.is_file())
    print(f"{len(list(folder.iterdir()))} pages, {os.cpu_count()} processors, cache of {size / 1e6:.1f} MB")
    for lane, seconds in best.items():
        print(f"{lane:<22} wall {seconds:5.2f} s")
    for lane in ("warm", "warm, --cache-strict"):
        own = best[lane] - knowing
        print(
            f"{lane}: {(best['cold'] - checking) / max(own, 0.01):.0f}x the speed of cold, start-up subtracted ({own:.2f} s are left)"
        )


def check(folder: Path) -> None:
    """Change one thing after another; warm must say what cold says, and something else than before."""
    config = folder.parent / "waypost.toml"
    config.write_text("", encoding="utf-8")
    run = ("--config", str(config), "--cache", "../cache")
    _, before = took(folder, *run)

    def same(what: str, environment: dict[str, str] | None = None) -> None:
        nonlocal before
        if environment:
            os.environ.update(environment)
        _, warm = took(folder, *run)
        _, cold = took(folder, "--config", str(config), "--no-cache")
        assert warm == cold, f"{what}: warm is not cold"
        assert warm != before, f"{what}: nothing came of it"
        before = warm
        print(f"{what}: the warm report is the cold one")

    target = folder / "00007.html"
    target.write_text(target.read_text(encoding="utf-8").replace('"EUR"', '"EUX"'), encoding="utf-8")
    same("one page edited")
    config.write_text('rules = { price-invalid = "error" }\n', encoding="utf-8")
    same("the configuration edited")
    root = Path(__file__).parent.parent
    copy = folder.parent / "copy"
    for part in ("src", "schemas"):
        shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", copy)
    profile = copy / "schemas" / "profiles" / "google" / "product-snippet.json"
    document = json.loads(profile.read_text(encoding="utf-8"))
    document["required"].append({"path": "color"})
    profile.write_text(json.dumps(document), encoding="utf-8")
    same("the registry edited", {"PYTHONPATH": str(copy / "src")})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--kilobytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(name, "bytecode"))
        folder, empty = Path(name, "site"), Path(name, "empty")
        folder.mkdir()
        empty.mkdir()
        (empty / "page.html").write_text("<title>x</title>", encoding="utf-8")
        for number in range(options.pages):
            text = page(number, options.kilobytes * 1000, chance)
            (folder / f"{number:05}.html").write_text(text, encoding="utf-8")
        measure(folder, empty, options.rounds)
        check(folder)


if __name__ == "__main__":
    main()
