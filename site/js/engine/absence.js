// @ts-check
// Absence of structured data: the verdict about a page without any, and about a page of which a script writes more.
// Counterpart of waypost/validate/absence.py, over schemas/absence.json.

/** @import { Page } from "./page.js" */
/** @import { AbsenceData } from "./registry.js" */

const MOST_SEARCHED = 2_000_000;
const MOST_MATCHES = 50;
const MOST_BLANK = 1_000;
const ITEM_WRITER = /setAttribute\([ \t\n\f\r]{0,9}["'`]item/;
const LONGEST_TYPE = 60;

/** Whether an offset is in the text of a script that is not JSON-LD itself. @param {string} text @param {number} at */
const isInScript = (text, at) => {
  const start = at > 0 ? text.slice(0, at).lastIndexOf("<script") : -1;
  const end = start >= 0 ? text.indexOf(">", start) : -1;
  if (end < 0 || end >= at) return false;
  const closing = text.indexOf("</script", end);
  return (closing < 0 || closing + "</script".length > at) && !text.slice(start, end).includes("ld+json");
};

/** The first match that counts. @param {string} text @param {string} pattern @param {string} [where] */
const firstMatch = (text, pattern, where) => {
  const searched = new RegExp(pattern, "gi");
  for (let number = 0; number < MOST_MATCHES; number += 1) {
    const found = searched.exec(text);
    if (!found || where !== "script" || isInScript(text, found.index)) return found;
  }
  return null;
};

/** Structured data that a script of a page with items writes besides, or null. @param {Page} page @param {AbsenceData} data */
export const unreadPart = (page, { hints, in_part: partly }) => {
  if (!page.roots.length || /^[ \t\n\f\r]*[{[]/.test(page.text.slice(0, MOST_BLANK))) return null;
  const text = page.text.slice(0, MOST_SEARCHED);
  const scripts = page.blocks.filter((block) => block.syntax === "json-ld").length;
  if (text.split("ld+json").length - 1 <= scripts && !ITEM_WRITER.test(text)) return null;
  for (const { reason, pattern, in: where, text: words, hint } of partly) {
    const found = firstMatch(text, pattern, where);
    if (found) return { reason, text: words, hint: hints[hint] || hint, line: page.places.lineAndColumn(found.index)[0] };
  }
  return null;
};

/** @param {Page} page @param {Finding[]} findings @param {AbsenceData} data */
export const absenceOf = (page, findings, { hints, reasons }) => {
  if (page.roots.length || findings.some((each) => each.severity !== "info" && each.syntax !== "html")) return null;
  const lineAt = (/** @type {number} */ start) => page.places.lineAndColumn(start)[0];
  const foreign = page.nodes.find((node) => node.foreign && node.types.length);
  const otherVocabulary = () => {
    if (!foreign) return null;
    const name = [...foreign.types[0]], short = name.length <= LONGEST_TYPE ? foreign.types[0] : `${name.slice(0, LONGEST_TYPE - 1).join("")}…`;
    return {
      reason: "other-vocabulary",
      text: `its markup is of another vocabulary (${short})`,
      hint: "search engines read schema.org: add its types next to the others",
      line: lineAt(page.spanOf(foreign).start),
    };
  };
  if (foreign && foreign.block.syntax !== "rdfa") return otherVocabulary();
  if (page.blocks.some((block) => block.syntax === "json-ld"))
    return {
      reason: "json-without-type",
      text: "its JSON has no @type of schema.org",
      hint: 'say what it describes: "@context": "https://schema.org" and an @type, such as Article',
    };
  const text = page.text.slice(0, MOST_SEARCHED);
  const body = Math.max(text.search(/<body/i), 0);
  for (const { reason, pattern, needs, within, in: where, text: words, hint } of reasons) {
    // The words of a reason only save time: each match of its pattern has one of them.
    const from = within ? body : 0, found = firstMatch(within ? text.slice(from, from + within) : text, pattern, where);
    if (found && (!needs || new RegExp(needs, "i").test(text)))
      return { reason, text: words.replace("{0}", () => found[1]), hint: hints[hint] || hint, line: lineAt(from + found.index) };
  }
  return otherVocabulary() || { reason: "none" };
};
