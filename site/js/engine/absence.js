// @ts-check
// Absence of structured data: the verdict about a page without any. Counterpart of waypost/validate/absence.py, over
// schemas/absence.json.

/** @import { Page } from "./page.js" */
/** @import { AbsenceData } from "./registry.js" */

const MOST_SEARCHED = 2_000_000;
const LONGEST_TYPE = 60;

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
  for (const { reason, pattern, needs, within, text: words, hint } of reasons) {
    // The words of a reason only save time: each match of its pattern has one of them.
    const from = within ? body : 0, found = new RegExp(pattern, "i").exec(within ? text.slice(from, from + within) : text);
    if (found && (!needs || new RegExp(needs, "i").test(text)))
      return { reason, text: words.replace("{0}", () => found[1]), hint: hints[hint] || hint, line: lineAt(from + found.index) };
  }
  return otherVocabulary() || { reason: "none" };
};
