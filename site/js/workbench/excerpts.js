// Findings as a list, each with the lines around it: for screens without room for the source beside them, and for paper.

import { el } from "./dom.js";
import { noteOf } from "./note.js";

const EXCERPTS_AT_ONCE = 200;
const WIDEST = 160;

/** Three lines of a text around a place, long ones cut around it. @param {string[]} lines @param {Finding} finding */
const excerpt = (lines, finding) => {
  const from = Math.max(1, finding.line - 1), to = Math.min(lines.length, finding.line + 1);
  const rows = [];
  for (let number = from; number <= to; number += 1) {
    const text = lines[number - 1].replace(/\r$/, ""), points = [...text];
    const isOwn = number === finding.line, at = isOwn ? finding.column - 1 : 0;
    const begin = isOwn && points.length > WIDEST ? Math.max(0, at - 40) : 0;
    const end = isOwn ? (finding.end_line === number ? Math.max(finding.end_column - 1, at + 1) : points.length) : 0;
    const part = (/** @type {number} */ one, /** @type {number} */ two) => points.slice(one, two).join("");
    const last = Math.min(points.length, begin + WIDEST);
    rows.push(el("span", { class: isOwn ? "ln hit" : "ln" }, el("span", { class: "ln-n num" }, String(number)), begin > 0 && "…",
      ...(isOwn ? [part(begin, at), el("span", { class: `m-${finding.severity}` }, part(at, Math.min(end, last))), part(Math.min(end, last), last)] : [part(begin, last)]), last < points.length && "…", "\n"));
  }
  return el("pre", { tabindex: "0", role: "group", "aria-label": `Lines ${from} to ${to}` }, el("code", {}, ...rows));
};

/** @param {Finding[][]} groups alike findings @param {string} text @param {import("./note.js").NoteActs} acts */
export const excerptsOf = (groups, text, acts) => {
  const lines = text.split("\n");
  const home = el("div", { class: "stack stack-s" });
  const show = (/** @type {number} */ start) => {
    const to = start + EXCERPTS_AT_ONCE;
    const more = el("button", { class: "btn btn-s", type: "button", onclick: () => { more.remove(); show(to); } }, `Show more: ${groups.length - to} are left`);
    home.append(el("ul", { class: "excerpt-list" }, ...groups.slice(start, to).map((same) => el("li", { "data-at": same[0].from, tabindex: "-1" }, same[0].line > 0 && excerpt(lines, same[0]), noteOf(same, acts)))));
    if (to < groups.length) home.append(more);
  };
  show(0);
  return home;
};
