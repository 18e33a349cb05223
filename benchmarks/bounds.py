"""Time and peak memory of `waypost validate` on pages as large and as hostile as they come, one process each.

    python benchmarks/bounds.py [--pages FOLDER] [--only "1 and 2 MB"]

Each kind of page is made in two sizes, the second twice the first: where the last column says about 2.0 or less, time
grows no faster than the page. The time of the process without a page (`waypost --version`) is taken off. With
--pages the peak over each file of a folder is found too, and over the whole folder in one process.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MEGABYTE = 1024  # ru_maxrss counts kilobytes


def page(body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>t</title></head><body>{body}</body></html>'


def script(json: str) -> str:
    return f'<script type="application/ld+json">{json}</script>'


def graph(items: int) -> str:
    one = '{"@type":"Recipe","@id":"https://example.com/#%d","name":"Soup %d","image":"https://example.com/%d.jpg"}'
    things = ",\n".join(one % (n, n, n) for n in range(items))
    return page(script(f'{{"@context":"https://schema.org","@graph":[{things}]}}'))


def blocks(items: int) -> str:
    one = '{"@context":"https://schema.org","@type":"Book","name":"Book %d","author":{"@type":"Person","name":"A %d"}}'
    return page("\n".join(script(one % (n, n)) for n in range(items)))


def microdata(items: int) -> str:
    one = '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">%d</b><i itemprop="isbn">%d</i></div>\n'
    return page("".join(one % (n, n) for n in range(items)))


OFFER = (
    '<div itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">Lamp %d</h2>'
    '<img itemprop="image" src="https://example.com/%d.jpg" alt=""><div itemprop="offers" itemscope '
    'itemtype="https://schema.org/Offer"><span itemprop="price">%d.00</span><meta itemprop="priceCurrency" '
    'content="EUR"></div><div itemprop="aggregateRating" itemscope itemtype="https://schema.org/AggregateRating">'
    '<span itemprop="ratingValue">4</span><span itemprop="reviewCount">%d</span></div></div>\n'
)


def microdata_offers(items: int) -> str:
    return page("".join(OFFER % (n, n, n, n) for n in range(items)))


def rdfa(items: int) -> str:
    one = '<div vocab="https://schema.org/" typeof="Book"><b property="name">%d</b><i property="isbn">%d</i></div>\n'
    return page("".join(one % (n, n) for n in range(items)))


def rdfa_offers(items: int) -> str:
    one = OFFER.replace('itemscope itemtype="https://schema.org/', 'typeof="').replace("itemprop", "property")
    things = "".join(one % (n, n, n, n) for n in range(items))
    return page(f'<div vocab="https://schema.org/">{things}</div>')


def microdata_list(values: int) -> str:
    names = "".join(f'<b itemprop="name">{n}</b>\n' for n in range(values))
    return page(f'<div itemscope itemtype="https://schema.org/Product">{names}</div>')


def graph_offers(items: int) -> str:
    one = (
        '{"@type":"Product","name":"Lamp %d","image":"https://example.com/%d.jpg","offers":{"@type":"Offer",'
        '"price":"%d.00","priceCurrency":"EUR"},"aggregateRating":{"@type":"AggregateRating","ratingValue":4,'
        '"reviewCount":%d}}'
    )
    things = ",\n".join(one % (n, n, n, n) for n in range(items))
    return page(script(f'{{"@context":"https://schema.org","@graph":[{things}]}}'))


def nested_items(depth: int) -> str:
    opening = '<div itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">n</b>'
    return page('<div itemscope itemtype="https://schema.org/Book">' + opening * depth + "</div>" * (depth + 1))


def nested_elements(depth: int) -> str:
    item = '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">n</b></div>'
    return page(item + "<div>" * depth + "x" + "</div>" * depth)


def nested_json(depth: int) -> str:
    inner = '{"@type":"Person","knows":' * depth + '"x"' + "}" * depth
    return page(script(f'{{"@context":"https://schema.org","@type":"Person","knows":{inner}}}'))


def one_list(values: int) -> str:
    dates = ",".join(f'"2026-13-{n % 28 + 1:02}"' for n in range(values))
    return page(script(f'{{"@context":"https://schema.org","@type":"Article","dateModified":[{dates}]}}'))


def broken_json(members: int) -> str:
    inner = ",\n".join(f"'key{n}': 'value',," for n in range(members))
    return page(script(f"{{@context: 'https://schema.org', {inner}}}"))


def plain_text(words: int) -> str:
    item = '<div itemscope itemtype="https://schema.org/Book"><b itemprop="name">n</b></div>'
    return page(item + "<p>" + "word &amp; <i>word</i> \N{SNOWMAN} " * words)


def open_tags(many: int) -> str:
    return page(
        script('{"@context": "https://schema.org", "@type": "Thing", "name": "n"}') + "<link a <script b " * many
    )


def words_of(attribute: str, words: int) -> str:
    names = " ".join(f"w{n}" for n in range(words))
    return page(
        f'<div itemscope itemtype="https://schema.org/Book" {attribute}="{names}"><b itemprop="name">n</b></div>'
    )


def itemref(words: int) -> str:
    return words_of("itemref", words)


def typeof(words: int) -> str:
    return words_of('vocab="https://schema.org/" typeof', words)


def itemref_chain(items: int) -> str:
    one = '<div itemscope itemtype="https://schema.org/Person" itemprop="knows" id="a%d" itemref="a%d"></div>\n'
    return page("".join(one % (n, n + 1) for n in range(items)))


KINDS: dict[str, tuple[Callable[[int], str], int]] = {
    "text of 1 and 2 MB": (plain_text, 37_000),
    "nodes in one @graph, 1 and 2 MB": (graph, 8_700),
    "nested nodes in one @graph, 1 and 2 MB": (graph_offers, 4_470),
    "Microdata items, 1 and 2 MB": (microdata, 9_000),
    "nested Microdata items, 1 and 2 MB": (microdata_offers, 1_990),
    "one Microdata item, 1 and 2 MB": (microdata_list, 38_500),
    "RDFa items, 1 and 2 MB": (rdfa, 9_150),
    "nested RDFa items, 1 and 2 MB": (rdfa_offers, 2_310),
    "text of 10 and 20 MB": (plain_text, 370_000),
    "nodes in one @graph: 50,000": (graph, 50_000),
    "scripts: 10,000": (blocks, 10_000),
    "Microdata items: 50,000": (microdata, 50_000),
    "items inside items: 10,000": (nested_items, 10_000),
    "elements inside elements: 10,000": (nested_elements, 10_000),
    "objects inside objects: 10,000": (nested_json, 10_000),
    "words in one itemref: 2,500": (itemref, 2_500),
    "words in one typeof: 2,500": (typeof, 2_500),
    "items that name the next in itemref: 5,000": (itemref_chain, 5_000),
    "tags left open: 100,000": (open_tags, 50_000),
    "faults in one list: 25,000": (one_list, 25_000),
    "faults in broken JSON: 25,000": (broken_json, 25_000),
}


def run(arguments: list[str]) -> tuple[float, int, int]:
    """(seconds, peak resident kilobytes, exit status) of one waypost."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - began, used.ru_maxrss, process.returncode


def validated(*paths: str) -> tuple[float, int, int]:
    return run(["validate", "--format", "json", "--fail-on", "never", "--no-config", "--jobs", "1", *paths])


def made(name: str, size: int, file: Path) -> None:
    """Write a page, in a process of its own: a child's peak counts from that of the process that starts it."""
    subprocess.run([sys.executable, __file__, "--make", name, str(size), str(file)], check=True)


def growth(folder: Path, shape_name: str) -> None:
    idle = min(run(["--version"])[0] for _ in range(3))
    print(f"{'':42} {'MB':>6} {'seconds':>8} {'peak MB':>8} {'twice the size':>15}")
    for name, (_, size) in KINDS.items():
        if shape_name not in name:
            continue
        seconds = []
        for times in (1, 2):
            file = folder / "page.html"
            made(name, size * times, file)
            took, peak, status = validated(str(file))
            seconds.append(took - idle)
            ratio = f"{seconds[1] / seconds[0]:>15.2f}" if times == 2 else ""
            error = "" if status == 0 else f"  exit {status}"
            print(
                f"{name if times == 1 else '':42} {file.stat().st_size / 1e6:6.1f} {seconds[-1]:8.2f} "
                f"{peak / MEGABYTE:8.0f} {ratio}{error}"
            )


def resident(folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*.html*") if path.is_file())
    peaks = {path: validated(str(path))[1] for path in files}
    worst = max(peaks, key=peaks.__getitem__)
    print(f"peak over {len(files)} files, a process each: {peaks[worst] / MEGABYTE:.0f} MB ({worst.name})")
    print(f"peak over all of them in one process: {validated(str(folder))[1] / MEGABYTE:.0f} MB")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=Path, help="a folder of .html or .html.gz files")
    parser.add_argument("--only", default="", metavar="WORDS", help='kinds with these words in their name: "2 MB"')
    parser.add_argument("--make", nargs=3, metavar=("KIND", "SIZE", "FILE"), help="write one of the pages, no more")
    options = parser.parse_args()
    if options.make:
        name, size, file = options.make
        Path(file).write_text(KINDS[name][0](int(size)), encoding="utf-8")
        return 0
    if options.pages:
        resident(options.pages)
    with tempfile.TemporaryDirectory() as folder:
        growth(Path(folder), options.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
