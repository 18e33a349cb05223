// A report to send on: as one page of HTML that needs nothing else, and as a picture.

import { folded, numbered } from "./causes.js";
import { brief, el } from "./dom.js";
import { escaped } from "./exports.js";
import { whyOf } from "./findings.js";
import { verdictParts } from "./verdicts.js";

const MOST_ON_PAGE = 200;
const MOST_ON_PICTURE = 5;

const moreOf = (/** @type {Finding[]} */ others) => (others.length ? `, and ${numbered(others.length, "more place")}` : "");

const CANONICAL = /<link\b(?=[^>]{0,500}\brel=["']?canonical\b)[^>]{0,500}\bhref=["']?([^"'\s>]+)/i;
/** The URL that a pasted page gives as its own. @param {string} text */
export const ownUrl = (text) => CANONICAL.exec(text)?.[1] ?? "";
const today = () => `${new Date().toISOString().slice(0, 10)} (UTC)`;

/** A report as a page: no script, nothing from elsewhere. @param {LintReport} report @param {{title: string, detail: string}} outcome @param {string} where */
export const asPage = (report, outcome, where) => {
  const [file] = report.files;
  const safe = (/** @type {unknown} */ text) => escaped(brief(String(text ?? ""), 600), /[&<>"]/g);
  const groups = folded(file.findings.filter((each) => each.severity !== "info"));
  const element = (/** @type {string} */ name, /** @type {string|undefined} */ text) => (text ? `<${name}>${safe(text)}</${name}>` : "");
  const row = (/** @type {Finding[]} */ [each, ...others]) => [
    `<li class="${each.severity}"><p><b>${each.severity === "error" ? "◆" : "▲"} ${each.severity}</b> <code>${each.line}:${each.column}</code> ${safe(whyOf(each))}</p>`,
    element("h3", each.message), element("p", each.hint && `What to do: ${each.hint}`),
    element("p", (each.profile || each.rule) + moreOf(others)), "</li>"].join("\n");
  const verdict = (/** @type {[string, string[]]} */ [subject, parts]) => {
    const held = parts.map((part) => element("li", part)).join("");
    return ["<li>", element("h3", subject), parts.length > 1 ? `<ul>${held}</ul>` : safe(parts[0]), "</li>"].join("");
  };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe([outcome.title, where, "waypost"].filter(Boolean).join(" | "))}</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#dfdbd0, #2d3947); --quiet: light-dark(#454d58, #b9c2cc); --error: light-dark(#a3261b, #ff9d8f); --warning: light-dark(#7d4e00, #f0c06a); }
body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f7f6f2, #10151c); color: light-dark(#151b23, #edf0f3); overflow-wrap: anywhere; }
h1 { font-size: 2rem; line-height: 1.15; margin: 0; } h3 { font-size: 1rem; margin: .2rem 0; } p { margin: .2rem 0; color: var(--quiet); }
ul { padding-inline-start: 1.2rem; } .finds { padding: 0; } .finds > li { list-style: none; border-top: 1px solid var(--line); padding: .8rem 0; } b { color: var(--quiet); } .error b { color: var(--error); } .warning b { color: var(--warning); }
.brand { display: flex; align-items: center; gap: .5rem; color: inherit; font-weight: 650; margin-bottom: 1.5rem; } .brand svg { inline-size: 1.75rem; } .sign { fill: #f4b91f; stroke: currentColor; }
code { font: .875em ui-monospace, monospace; } footer { border-top: 1px solid var(--line); margin-top: 2rem; font-size: .875rem; }
</style>
<p class="brand">${document.querySelector(".brand svg")?.outerHTML ?? ""}waypost</p>
<h1>${safe(outcome.title)}</h1>
<p>${safe(outcome.detail)}</p>
${element("p", where)}
<ul>${verdictParts(file).map(verdict).join("")}</ul>
<ul class="finds">${groups.slice(0, MOST_ON_PAGE).map(row).join("\n")}</ul>
${element("p", groups.length > MOST_ON_PAGE ? `${numbered(groups.length - MOST_ON_PAGE, "more finding")} not shown here.` : "")}
<footer><p>waypost ${safe(report.tool.version)}, registry ${safe(report.registry_version)}. Checked in a browser on ${today()}.</p></footer>
</html>
`;
};

/** Text in lines of a width, at most `most` of them. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} width @param {number} most */
const inLines = (pen, text, width, most) => {
  const lines = [""];
  for (const word of text.slice(0, 600).split(/\s+/)) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (pen.measureText(longer).width <= width || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
    else if (lines.length === most) { lines[most - 1] += "…"; break; }
    else lines.push(word);
  }
  return lines.map((line) => {
    while (pen.measureText(line).width > width) line = `${line.slice(0, -2)}…`;
    return line;
  });
};

/** The report as a picture of 1200 by 630, the size that links are shown with. @param {LintReport} report @param {{kind: string, title: string, detail: string}} outcome @param {string} where @returns {Promise<Blob>} */
export const asPicture = (report, outcome, where) => {
  const canvas = el("canvas", { width: 1200, height: 630 });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const sans = "Inter, system-ui, 'Segoe UI', Roboto, Arial, sans-serif";
  const write = (/** @type {string} */ text, /** @type {number} */ y, /** @type {string} */ font, /** @type {string} */ colour, /** @type {number} */ most, x = 72) => {
    pen.font = `${font} ${sans}`;
    pen.fillStyle = colour;
    const height = Number(/(\d+)px/.exec(font)?.[1]) * 1.32;
    for (const line of inLines(pen, text, 1200 - x - 72, most)) { pen.fillText(line, x, y); y += height; }
    return y;
  };
  pen.fillStyle = "#f7f6f2";
  pen.fillRect(0, 0, 1200, 630);
  /** @type {Record<string, string>} */
  const colours = { stop: "#a3261b", heed: "#7d4e00", go: "#17633f", note: "#5d6570" };
  pen.fillStyle = colours[outcome.kind] || "#5d6570";
  pen.fillRect(0, 0, 14, 630);
  write("waypost", 62, "650 26px", "#151b23", 1, 1018);
  pen.setTransform(1.25, 0, 0, 1.25, 970, 36);
  for (const [shape, colour] of [["M11 1.5h3V26.5h-3z", "#151b23"], ["M3.5 4.5h16.2L25.5 9l-5.8 4.5H3.5Z", "#f4b91f"]]) {
    pen.fillStyle = colour;
    pen.fill(new Path2D(shape));
  }
  pen.setTransform(1, 0, 0, 1, 0, 0);
  let y = write(outcome.title, 128, "650 56px", "#151b23", 2);
  y = write([where, outcome.detail].filter(Boolean).join(" · "), y + 2, "400 24px", "#454d58", 2) + 26;
  const causes = folded(report.files[0].findings.filter((one) => one.severity !== "info"));
  let left = causes.length;
  for (const [each, ...others] of causes.slice(0, MOST_ON_PICTURE)) {
    if (y > 490) break;
    left -= 1;
    write(each.severity === "error" ? "◆" : "▲", y, "400 24px", each.severity === "error" ? "#a3261b" : "#7d4e00", 1);
    y = write(`${each.severity}, line ${each.line}${moreOf(others)}: ${each.message}`, y, "400 26px", "#151b23", 2, 112) + 12;
  }
  if (left) write(`and ${numbered(left, "more finding")}`, y, "400 24px", "#454d58", 1, 112);
  write(`Checked on ${today()} · waypost ${report.tool.version} · registry ${report.registry_version}`, 594, "550 22px", "#5d6570", 1);
  return new Promise((done) => canvas.toBlob((made) => done(/** @type {Blob} */ (made)), "image/png"));
};
