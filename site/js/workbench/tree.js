// The first column of the validate page: what was read, as a tree of items with their values.

import { numbered, resultsOf } from "./causes.js";
import { brief, el, tag } from "./dom.js";

const MOST_ITEMS = 100;
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

/** @param {import("./reading.js").Row} row @param {TreeActs} acts */
const rowOf = ({ name, text, depth, state, place, findings }, acts) => {
  const kind = worst(findings), [finding] = findings;
  const words = state === "missing" ? (kind === "error" ? "missing" : "not given") : text || (finding ? brief(finding.message, 140) : "");
  const at = place && `${place.line}:${place.column}`;
  const value = kind && place
    ? el("button", { class: `val is-${kind}`, type: "button", title: finding.message, "aria-label": `${brief(name, 60)} ${words} ${at}: ${kind}, ${brief(finding.message, 140)}. Go to this line and column`, onclick: () => acts.go(finding) }, words, " ", el("small", { class: "num" }, at))
    : el("span", { dir: "auto" }, words);
  return el("div", { class: `row d${depth}${state ? " is-" + state : ""}` }, el("dt", {}, brief(name, 60)), el("dd", {}, value));
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
    rows.length > 0 && el("dl", { class: "read" }, ...rows.map((row) => rowOf(row, acts))));
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
