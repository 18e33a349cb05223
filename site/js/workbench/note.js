// A finding as it stands below its line: what is wrong, what to do, what it costs, and the fix.

import { moreValues, numbered, resultsOf } from "./causes.js";
import { comparedTable } from "./compared.js";
import { WEIGHTS, brief, el, link, shape } from "./dom.js";
import { whyOf } from "./findings.js";
import { sentenceLink } from "./message-link.js";
import { ignoring, withMissing } from "./note-edits.js";

const EDIT_LIMIT = 3;
const PLACE_LIMIT = 12;

/** @typedef {{go: (finding: Finding) => void, applyFix: (finding: Finding) => void, ignore: (finding: Finding) => void, addMissing: (finding: Finding) => void, text: string}} NoteActs */

/** What a fix comparison, as in a comparison of two texts. @param {Fix} fix @param {string} text */
const comparison = (fix, text) => el("ul", { class: "edits" }, ...fix.edits.slice(0, EDIT_LIMIT).map(({ from, to, text: written }) => {
  const before = text.slice(from, to).trim(), after = written.trim();
  return el("li", {}, el("span", { class: "vh" }, before ? (after ? "Replaces " : "Removes ") : "Adds "), before && el("del", {}, el("code", {}, brief(before, 80))), before && after && el("span", { "aria-hidden": "true" }, " → "),
    before && after && el("span", { class: "vh" }, " by "), after && el("ins", {}, el("code", {}, brief(after, 80))), !before && !after && "white space");
}), fix.edits.length > EDIT_LIMIT && el("li", {}, `and ${fix.edits.length - EDIT_LIMIT} more places`));

/** What a finding costs, in a few words. @param {Finding} finding */
const costOf = ({ severity, profile, rule }) => {
  if (severity === "error") return profile ? `error: keeps out of ${resultsOf([profile])}` : "error";
  return rule === "recommended-property-missing" ? "warning: optional" : severity;
};

/** @param {Finding[]} same alike findings @param {NoteActs} acts */
export const noteOf = ([each, ...others], acts) => {
  const [kind, drawing] = WEIGHTS[each.severity], also = others.length > 0 ? moreValues([each, ...others]) : "";
  const jump = (/** @type {Finding} */ to) => el("button", { class: "place num", type: "button", "aria-label": `Go to ${to.line}:${to.column}, line and column`, onclick: () => acts.go(to) }, `${to.line}:${to.column}`);
  const places = el("span", { class: "places" });
  const show = (/** @type {number} */ from, /** @type {number} */ to) => {
    places.append(...others.slice(from, to).flatMap((one, n) => [from + n ? ", " : "", jump(one)]));
    if (to < others.length) {
      const more = el("button", { class: "place", type: "button", onclick: () => { more.remove(); show(to, to + 500); } }, `Show ${numbered(Math.min(500, others.length - to), "further place")}`);
      places.append(" ", more);
    }
  };
  show(0, PLACE_LIMIT);
  return el("div", { class: `note-box is-${each.severity}` },
    shape(drawing, `i-${kind}`),
    el("div", {},
      el("b", { class: "note-t" }, brief(each.message, 600)),
      comparedTable(each, acts.go),
      each.hint && el("p", { class: "todo" }, brief(each.hint, 600)),
      each.search_console && el("p", {}, "Search Console: ", sentenceLink(each.search_console)),
      each.fix && comparison(each.fix, acts.text),
      others.length > 0 && el("p", {}, [numbered(others.length, "more place"), also].filter(Boolean).join(", "), ": ", places),
      el("p", { class: "note-f" }, el("span", { class: `tag tag-${kind}` }, costOf(each)), each.line > 0 && jump(each),
        el("a", { href: link(each.doc_url.replace(/^\//, "")), title: whyOf(each) }, each.profile || each.rule),
        withMissing(acts.text, each) !== null && el("button", { class: "place", type: "button", onclick: () => acts.addMissing(each) }, "Add the missing properties"),
        ignoring(acts.text, each).length > 0 && el("button", { class: "place", type: "button", onclick: () => acts.ignore(each) }, "Ignore here"))),
    each.fix && el("button", { class: "btn btn-s", type: "button", onclick: () => acts.applyFix(each) }, each.fix.safe ? "Fix" : "Fix, then review it"));
};
