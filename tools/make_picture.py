"""Make site/picture.png: what others show beside a link to the site (Open Graph), 1200 by 630 pixels.

    python tools/make_picture.py

Drawn once by Chromium from the text below and the site's own tokens, then kept: a build needs neither a browser nor a
font. Needs the group `browser`, Chromium, and the face Inter (fonts-inter).
"""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

SITE = Path(__file__).resolve().parent.parent / "site"
SIGN = (
    '<svg viewBox="0 0 28 28"><path d="M11 1.5h3V26.5h-3z" fill="#151b23"/><path d="M3.5 4.5h16.2L25.5 9l-5.8 '
    '4.5H3.5Z" fill="#f4b91f" stroke="#151b23" stroke-width="1.5" stroke-linejoin="round"/></svg>'
)
PAGE = f"""<!doctype html><style>
{(SITE / "css" / "tokens.css").read_text("utf-8")}
* {{ box-sizing: border-box; margin: 0; }}
body {{ width: 1200px; height: 630px; padding: 72px 80px; background: var(--ground); color: var(--ink);
  font: 400 30px/1.4 Inter; display: grid; grid-template-columns: 1fr 330px; column-gap: 40px; color-scheme: light; }}
.name {{ display: flex; align-items: center; gap: 16px; font-weight: 650; font-size: 36px; letter-spacing: -.02em; }}
.name svg {{ width: 52px; }}
h1 {{ font-size: 84px; line-height: 1.06; letter-spacing: -.034em; font-weight: 650; margin-top: 64px; }}
p {{ margin-top: 34px; color: var(--ink-2); max-width: 21em; }}
.sign {{ align-self: end; justify-self: end; width: 330px; margin-bottom: -72px; }}
.sign svg {{ display: block; width: 330px; height: 412px; overflow: visible; }}
</style><div><div class="name">{SIGN}waypost</div><h1>Does the page say what you mean?</h1>
<p>Structured data, validated exactly and previewed. A decision before an agent acts.</p></div>
<div class="sign">{SIGN.replace("0 0 28 28", "2.5 0 24 30").replace("V26.5", "V32")}</div>"""

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 630}, color_scheme="light")
        page.set_content(PAGE)
        page.screenshot(path=SITE / "picture.png")
        browser.close()
    print((SITE / "picture.png").stat().st_size, "bytes")
