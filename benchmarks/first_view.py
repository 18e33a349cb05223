"""What the validate page shows at 1366 x 768 after a paste, without a further click, of the pages in tests/cases/visits.

    python benchmarks/first_view.py SITE

SITE is a folder made by `waypost build`. Each of the thirty pages has one planted error, teasers, a trail and the
publisher. The source of each is pasted into the box. A line for each: whether the main item is the first, whether the
planted value is in view, and how many marked values are not; then the sums. It needs the group `browser` and a Chromium.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FOLDER = ROOT / "tests" / "cases" / "visits"
PASTE = """text => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  document.querySelector("#place").dispatchEvent(event);
}"""
IN_VIEW = """() => {
  const seen = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [top + 3, top + height - 3].every((y) => {
      const at = document.elementFromPoint(left + Math.min(width / 2, 20), y);
      return at && (element.contains(at) || at.contains(element));
    });
  };
  const texts = (all) => all.map((each) => each.innerText);
  const marked = [...document.querySelectorAll(".val.is-error, .val.is-warning")].map((each) => each.closest(".row"));
  const shown = [...document.querySelectorAll(".read .row, .note-t")];
  return [texts(shown.filter(seen)), marked.filter((each) => !seen(each)).length, marked.length];
}"""


def main(site: Path) -> None:
    import shutil

    from playwright.sync_api import sync_playwright

    expected = json.loads((FOLDER / "expected.json").read_text("utf-8"))
    first = value = left = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        for name, (kind, finding) in ((name, each.values()) for name, each in expected.items()):
            page.goto("about:blank")
            page.goto(f"{site.resolve().as_uri()}/validate/index.html")
            page.wait_for_selector("#workbench[data-ready]")
            page.evaluate(PASTE, (FOLDER / name).read_text("utf-8"))
            page.locator(".item").first.wait_for()
            texts, hidden, marked = page.evaluate(IN_VIEW)
            is_first = page.inner_text(".item >> nth=0").partition("\n")[0] == kind
            is_in_view = any(finding in text for text in texts)
            first, value, left = first + is_first, value + is_in_view, left + hidden
            print(
                f"{name:<32} first {is_first!s:<5} value {is_in_view!s:<5} out of view {hidden} of {marked}", flush=True
            )
        browser.close()
    print(f"main item first: {first} of {len(expected)}; planted value in view: {value} of {len(expected)}")
    print(f"marked values out of view: {left}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
