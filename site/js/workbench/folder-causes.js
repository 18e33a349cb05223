// Causes of the findings on several pages, greatest effect first. Counterpart of `causes` in waypost/report/_causes.py.

import { ORDER, effectOf } from "./causes.js";

/** @typedef {import("./folder-page.js").FolderPage} FolderPage */
/** @typedef {import("./folder-page.js").FolderFinding} FolderFinding */
/** @typedef {{first: FolderFinding, pages: FolderPage[], places: number, templates: string[]}} FolderCause */

/** @param {FolderPage[]} pages @param {Map<number, string>} templates name of the template by number of the page @returns {FolderCause[]} */
export const causesOf = (pages, templates) => {
  /** @type {Map<string, FolderCause>} */
  const found = new Map();
  for (const page of pages) {
    for (const finding of page.findings) {
      let cause = found.get(finding.cause);
      if (!cause) found.set(finding.cause, (cause = { first: finding, pages: [], places: 0, templates: [] }));
      cause.places += 1;
      if (cause.pages[cause.pages.length - 1] !== page) cause.pages.push(page);
      const name = templates.get(page.number);
      if (name && !cause.templates.includes(name)) cause.templates.push(name);
    }
  }
  const effect = (/** @type {FolderCause} */ { first }) => effectOf(/** @type {Finding} */ (/** @type {unknown} */ (first)));
  return [...found.values()].sort((one, two) => ORDER.indexOf(one.first.severity) - ORDER.indexOf(two.first.severity) || effect(one) - effect(two) || two.pages.length - one.pages.length);
};
