"""Look of the reports that are pages: the colours, faces and parts of the site (`site/css/tokens.css`).

A report is a single file with the style inside. Modules of reports add further rules.
"""

from __future__ import annotations

from html import escape

from waypost.formats.page_name import PageName
from waypost.report._frame import visible

SIGN = (
    '<svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true">'
    '<path d="M11 1.5h3V26.5h-3z" fill="currentColor"/><path d="M3.5 4.5h16.2L25.5 9l-5.8 4.5H3.5Z" fill="#f4b91f" '
    'stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"/></svg>'
)
LIGHT = {
    "ground": "#f7f6f2", "surface": "#ffffff", "surface-2": "#f1efe8", "line": "#dfdbd0", "line-strong": "#8a8577",
    "ink": "#151b23", "ink-3": "#5d6570", "lake": "#0b5674", "go": "#17633f", "stop": "#a3261b", "heed": "#7d4e00",
}  # fmt: skip
"""Colours by token of the site, light."""
DARK = {
    "ground": "#10151c", "surface": "#171e27", "surface-2": "#1e2732", "line": "#2d3947", "line-strong": "#6f7f91",
    "ink": "#edf0f3", "ink-3": "#98a4b1", "lake": "#7cc7e6", "go": "#7ed3a4", "stop": "#ff9d8f", "heed": "#f0c06a",
}  # fmt: skip
"""The same, dark."""


def _colours(tokens: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in tokens.items())


STYLE = (
    f":root{{color-scheme:light dark;{_colours(LIGHT)}}}\n"
    f"@media(prefers-color-scheme:dark){{:root{{{_colours(DARK)}}}}}\n"
    """
*{box-sizing:border-box}
body{font:15px/1.55 Inter,system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;background:var(--ground);
  color:var(--ink);max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
a{color:var(--lake)}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.5rem;padding:0 0 .75rem;font-weight:650;
  letter-spacing:-.02em;border-bottom:1px solid var(--line)}
.brand span{color:var(--ink-3);font-weight:400;letter-spacing:0}
h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.022em;font-weight:650;margin:0 0 1rem;text-wrap:balance}
h2{font-size:1.2rem;letter-spacing:-.015em;font-weight:650;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0}
p{margin:.2rem 0}
.quiet{color:var(--ink-3)}
.page-name{margin:.15rem 0;font-size:.85rem;color:var(--ink-3)}
.page-name a{margin-right:.75rem}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem;margin:0 0 1.75rem;background:var(--surface);
  border:1px solid var(--line);border-radius:.5rem;overflow:hidden}
th,td{text-align:left;vertical-align:top;padding:.5rem .8rem;border-bottom:1px solid var(--line)}
tr:last-child td{border-bottom:0}
th{font-weight:600;background:var(--surface-2)}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:.92em "JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.severity{font-weight:600}
.severity::before{content:"\\25cf\\a0"}
.error .severity{color:var(--stop)}
.error .severity::before{content:"\\25c6\\a0"}
.warning .severity{color:var(--heed)}
.warning .severity::before{content:"\\25b2\\a0"}
.info .severity{color:var(--lake)}
footer{border-top:1px solid var(--line);margin-top:2rem;padding-top:1rem;font-size:.85rem;color:var(--ink-3)}
@media print{body{background:none}article,tr{break-inside:avoid}}
""".strip()
)
"""Shared style of the reports."""


def brand(what: str) -> str:
    """First line of a report: the sign, the name, and the kind of the report."""
    return f'<p class="brand">{SIGN}waypost <span>{escape(what)}</span></p>\n'


def address_link(name: PageName, path: str) -> str:
    """Link to the canonical address of a page; empty where there is none, or the path is the address."""
    if not name.address or name.address == path:
        return ""
    return f'<a href="{escape(name.address)}" rel="noreferrer">{escape(visible(name.address))}</a>'


def page_name(name: PageName, path: str) -> str:
    """Line below the title of a page: canonical address and file. Empty where neither says more than a path."""
    link = address_link(name, path)
    if not link and not name.title:
        return ""
    return f'<p class="page-name">{link}<code>{escape(visible(path))}</code></p>\n'
