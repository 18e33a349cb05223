// What is wrong, why, what to do, and where.

import { folded, moreValues, numbered, resultsOf } from "./causes.js";
import { comparedTable } from "./compared.js";
import { WEIGHTS, brief, el, link, shape } from "./dom.js";

const MOST_EDITS = 3;
/** What a repair would change of a text, in words. @param {Fix} fix @param {string} text */
const changes = (fix, text) => {
  const edits = fix.edits.slice(0, MOST_EDITS).map(({ from, to, text: written }) => {
    const code = (/** @type {string} */ part) => el("code", {}, brief(part.trim() || "white space", 80));
    return el("li", {}, ...(from === to ? ["Adds ", code(written)] : written ? [code(text.slice(from, to)), " becomes ", code(written)] : ["Removes ", code(text.slice(from, to))]));
  });
  return el("ul", { class: "hint" }, ...edits, fix.edits.length > MOST_EDITS && el("li", {}, `and ${fix.edits.length - MOST_EDITS} more places`));
};

const MOST_PLACES = 50;
const PLACES_AT_ONCE = 500;
/** The further places of alike findings, and the values at them; of many a button shows more. @param {Finding[]} same @param {(finding: Finding) => void} [go] */
const places = (same, go) => {
  const [, ...others] = same, also = moreValues(same);
  const home = el("p", {}, [numbered(others.length, "more place"), also].filter(Boolean).join(", "), ": ");
  const one = (/** @type {Finding} */ each) => (go
    ? el("button", { class: "btn btn-s num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => go(each) }, `${each.line}:${each.column}`)
    : el("span", { class: "num" }, `${each.line}:${each.column}`));
  const show = (/** @type {number} */ from, /** @type {number} */ to) => {
    home.append(...others.slice(from, to).flatMap((each, number) => [from + number > 0 ? ", " : "", one(each)]));
    if (to >= others.length) return;
    const most = Math.min(PLACES_AT_ONCE, others.length - to);
    const left = numbered(others.length - to, "further place");
    const more = el("button", { class: "btn btn-s", type: "button", onclick: () => { more.remove(); show(to, to + most); } }, "Show ", most < others.length - to && `${most} of `, left);
    home.append(" ", more);
  };
  show(0, MOST_PLACES);
  return home;
};

/** @type {Record<string, string>} */
const AUTHORITIES = { vocabulary: "per the schema.org vocabulary", google: "per Google's documentation", json: "per the JSON standard", html: "per the HTML standard", waypost: "per waypost's own checks", project: "per your own requirements" };
/** Why something is a finding: by whose word. @param {Finding} finding */
export const whyOf = ({ authority, profile }) => (AUTHORITIES[authority] || authority) + (profile ? `, for ${resultsOf([profile])}` : "");

/** What can be done with findings; `text`: what they are about, to show what a fix would change.
 * @typedef {{go?: (finding: Finding) => void, applyFix?: (finding: Finding) => void, text?: string}} Acts */

/** @param {Finding[]} findings alike ones are one entry @param {Acts} [acts] */
export const findingList = (findings, acts = {}) => el("ul", { class: "finds" }, ...folded(findings).map(([each, ...others]) => el("li", {},
  shape(WEIGHTS[each.severity][1], `i-${WEIGHTS[each.severity][0]}`),
  el("div", {},
    el("b", {}, each.message),
    comparedTable(each, acts.go),
    each.hint && el("p", { class: "todo" }, el("b", {}, "What to do: "), each.hint),
    el("p", {}, el("span", { class: `word-${WEIGHTS[each.severity][0]}` }, each.severity), " ", whyOf(each), ": ", el("a", { href: link(each.doc_url.replace(/^\//, "")) }, each.profile || each.rule)),
    el("p", {}, each.line ? "Line " : "", each.line && acts.go
      ? el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => acts.go?.(each) }, `${each.line}:${each.column}`)
      : el("span", { class: "num" }, each.line ? `${each.line}:${each.column}` : ""),
      " ", el("code", {}, brief(each.pointer || each.property || ""))),
    others.length > 0 && places([each, ...others], acts.go),
    each.fix && acts.applyFix && acts.text !== undefined && changes(each.fix, acts.text)),
  each.fix && acts.applyFix && el("button", { class: "btn btn-s", type: "button", onclick: () => acts.applyFix?.(each) }, each.fix.safe ? "Fix" : "Fix, then review it"))));

const MOST_AT_ONCE = 200;
/** The same of any number: the first of them, and a button for more.
 * @param {Finding[][]} groups alike findings @param {Acts} acts @param {(some: Finding[][]) => Element} [section] how some of them are shown */
export const pagedList = (groups, acts, section = (some) => findingList(some.flat(), acts)) => {
  const home = el("div", { class: "stack" });
  const show = (/** @type {number} */ from) => {
    const to = from + MOST_AT_ONCE;
    const more = el("button", { class: "btn btn-s", type: "button", onclick: () => { more.remove(); show(to); } }, `Show more: ${groups.length - to} are left`);
    home.append(section(groups.slice(from, to)));
    if (to < groups.length) home.append(more);
  };
  show(0);
  return home;
};
