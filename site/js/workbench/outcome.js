// The first line of an answer: what a report comes to.

import { numbered, summed } from "./causes.js";
import { withCommas } from "./dom.js";

/** What a report comes to: a kind, a title and a sentence. A page passes only where all of it was read.
 * @param {LintReport} report @param {boolean} fails */
export const outcomeOf = ({ summary, files: [file] }, fails) => {
  const { errors, warnings, items } = summary;
  if (!items && !errors && !warnings) {
    if (file.absence?.text) return { kind: "note", title: "No structured data", detail: file.absence.text[0].toUpperCase() + file.absence.text.slice(1) + (file.absence.line ? `, see line ${withCommas(file.absence.line)}` : "") + `; ${file.absence.hint}.` };
    return { kind: "note", title: "No structured data found", detail: "This source has no JSON-LD, Microdata or RDFa, so nothing was checked. If a script adds it later, copy the rendered HTML from the browser's developer tools." };
  }
  const kind = errors ? "stop" : warnings || file.truncated ? "heed" : "go";
  const parts = [`${numbered(items, "item")} read.`, fails ? "In CI it fails the build." : file.truncated || !items ? "" : "In CI it passes.",
    file.truncated && "There are more findings than are shown."];
  return { kind, title: errors || warnings ? summed({ ...summary, infos: 0 }) : "No errors, no warnings", detail: parts.filter(Boolean).join(" ") };
};
