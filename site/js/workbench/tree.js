// The first column of the validate page: what was read, as a tree of items with their values.

import { numbered, resultsOf } from "./causes.js";
import { brief, el, tag } from "./dom.js";

const MOST_ITEMS = 100;
/** Values from which those of an inner item without findings are folded, so that what is wrong is in view. */
const MANY_ROWS = 14;
const MOST_OF_A_SUMMARY = 90;
/** @type {Record<string, string>} */
const SYNTAXES = { "json-ld": "JSON-LD", microdata: "Microdata", rdfa: "RDFa" };

/** What can be done from the tree. @typedef {{go: (place: import("./reading.js").RowPlace) => void, choose: (item: import("./reading.js").ReadItem) => void}} TreeActs */

/** @param {Finding[]} findings */
const countsOf = (findings) => {
  const errors = findings.filter((each) => each.severity === "error").length, warnings = findings.filter((each) => each.severity === "warning").length;
  return [errors > 0 && tag("stop", "fault", numbered(errors, "error")), warnings > 0 && tag("heed", "heed", numbered(warnings, "warning"))];
};

/** @param {import("./reading.js").ReadItem} item */
const stateOf = (item) => {
  const counts = countsOf(item.findings);
  if (counts[0]) return counts;
  return [item.eligible.length > 0 && tag("go", "go", "eligible"), ...counts];
};

const worst = (/** @type {Finding[]} */ findings) => (findings.some((each) => each.severity === "error") ? "error" : findings.length ? "warning" : "");

/** @typedef {import("./reading.js").Row} Row */

/** A value that findings are about: it leads to its place. @param {Row} row @param {string} words @param {TreeActs} acts @param {boolean} [isShort] without its line and column */
const markedValue = ({ name, place, findings: [finding, ...rest] }, words, acts, isShort) => {
  const kind = worst([finding, ...rest]), at = place && `${place.line}:${place.column}`;
  return el("button", { class: `val is-${kind}`, type: "button", title: finding.message, "aria-label": `${brief(name, 60)} ${isShort ? "not given" : words} ${at}: ${kind}, ${brief(finding.message, 140)}. Go to this line and column`, onclick: () => acts.go(finding) },
    words, !isShort && " ", !isShort && el("small", { class: "num" }, at));
};

/** @param {Row} row @param {TreeActs} acts @param {HTMLElement|string} [inner] in place of the value */
const rowOf = (row, acts, inner) => {
  const { name, text, depth, state, place, findings } = row, kind = worst(findings), [finding] = findings;
  const words = state === "missing" ? (kind === "error" ? "missing" : "not given") : text || (finding ? brief(finding.message, 140) : "");
  const value = inner ?? (kind && place ? markedValue(row, words, acts) : el("span", { dir: "auto" }, words));
  return el("div", { class: `row d${depth}${state ? " is-" + state : ""}` }, el("dt", {}, brief(name, 60)), el("dd", {}, value));
};

/** Optional properties that a node lacks, in one row. @param {Row[]} rows @param {TreeActs} acts */
const notGiven = (rows, acts) => el("div", { class: `row d${rows[0].depth} is-missing is-list` }, el("dt", {}, "not given"),
  el("dd", {}, ...rows.flatMap((row) => [markedValue(row, brief(row.name, 60), acts, true), " "])));

/** @param {Row} row */
const isOptional = (row) => row.state === "missing" && row.findings.length > 0 && worst(row.findings) === "warning";

/** Rows of an item: what it lacks at first, then its values in the order of the source.
 * @param {Row[]} all @param {TreeActs} acts @param {boolean} isLong @returns {HTMLElement[]} */
const rowsOf = (all, acts, isLong) => {
  const lacking = all.filter((row) => row.depth === 0 && row.state === "missing");
  const rows = [...lacking.filter((row) => !isOptional(row)), ...lacking.filter(isOptional), ...all.filter((row) => !lacking.includes(row))];
  /** @type {HTMLElement[]} */
  const made = [];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at];
    let end = at + 1;
    if (isOptional(row)) {
      while (end < rows.length && isOptional(rows[end]) && rows[end].depth === row.depth) end += 1;
      made.push(notGiven(rows.slice(at, end), acts));
      at = end - 1;
      continue;
    }
    while (end < rows.length && rows[end].depth > row.depth) end += 1;
    const inner = rows.slice(at + 1, end);
    if (!isLong || !inner.length || row.findings.length || inner.some((each) => each.findings.length)) { made.push(rowOf(row, acts)); continue; }
    const words = inner.map((each) => each.text).filter((each) => each && !each.includes("://"));
    made.push(rowOf(row, acts, el("details", { class: "inner" }, el("summary", { dir: "auto" }, brief([row.text, words.join(", ")].filter(Boolean).join(": "), MOST_OF_A_SUMMARY)),
      el("dl", { class: "read" }, ...inner.map((each) => rowOf({ ...each, depth: each.depth - row.depth - 1 }, acts))))));
    at = end - 1;
  }
  return made;
};

/** @param {import("./reading.js").ReadItem} item @param {TreeActs} acts @param {number} chosen number of the item whose result is shown */
const itemOf = (item, acts, chosen) => {
  const { types, name, syntax, place, rows, eligible, isMain, number } = item;
  const parts = [isMain && "main item", SYNTAXES[syntax] || syntax, `line ${place.line}:${place.column}`].filter(Boolean);
  return el("li", { class: "item" },
    el("button", { class: "item-h", type: "button", "aria-current": isMain || number === chosen ? "true" : null, onclick: () => acts.choose(item) },
      el("span", { class: "item-t" }, el("b", {}, brief(types, 80)), ...stateOf(item)),
      name && el("span", { class: "item-n", dir: "auto" }, name),
      el("small", {}, parts.join(" · ")),
      eligible.length > 0 && el("small", { class: "is-go" }, `for ${resultsOf(eligible)}`)),
    rows.length > 0 && el("dl", { class: "read" }, ...rowsOf(rows, acts, rows.length > MANY_ROWS)));
};

/** Several items of the same types, folded: their values are made when somebody looks. @param {import("./reading.js").ReadItem[]} same @param {TreeActs} acts @param {string} label */
const teasers = (same, acts, label) => {
  const list = el("ul", { class: "items" });
  const fold = el("details", { class: "teasers", ontoggle: () => {
    if (!fold.open || list.firstChild) return;
    list.append(...same.slice(0, MOST_ITEMS).map((each) => itemOf(each, acts, -1)));
    if (same.length > MOST_ITEMS) list.append(el("li", { class: "hint" }, `${same.length - MOST_ITEMS} more`));
  } }, el("summary", {}, el("span", {}, label), ...countsOf(same.flatMap((each) => each.findings))), list);
  return fold;
};

/** The tree. @param {import("./reading.js").Reading} reading @param {TreeActs} acts */
export const treeOf = ({ main, others, teasers: groups, loose }, acts) => {
  const visible = others.slice(0, MOST_ITEMS), rest = others.length - visible.length;
  return [
    loose.length > 0 && el("section", { class: "loose" }, el("h3", {}, "The page itself"),
      el("ul", {}, ...loose.slice(0, 20).map((each) => el("li", {}, el("button", { class: `val is-${each.severity}`, type: "button", "aria-label": `${brief(each.message, 140)} ${each.line}:${each.column}: ${each.severity}. Go to this line and column`, onclick: () => acts.go(each) },
        brief(each.message, 140), " ", el("small", { class: "num" }, `${each.line}:${each.column}`)))), loose.length > 20 && el("li", { class: "hint" }, `${loose.length - 20} more in the source`))),
    (main || visible.length > 0) && el("ul", { class: "items" }, main && itemOf(main, acts, -1), ...visible.map((each) => itemOf(each, acts, -1))),
    rest > 0 && el("p", { class: "hint" }, `${rest} more items are in the source.`),
    ...groups.map((same) => teasers(same, acts, `${same.length} ${main && same[0].types === main.types ? "further " : ""}${brief(same[0].types, 60)} items`)),
  ];
};
