// The first line of an answer: what a report comes to, and what that costs.

import { folded, isUnread, numbered, resultsOf, summed } from "./causes.js";
import { withCommas } from "./dom.js";

/** The rich results that a page is kept out of by errors, and those that it is eligible for, the main item's first.
 * @param {FileReport} file @param {unknown[]|null} main [syntax, block, pointer] */
const resultsIn = ({ items, verdicts = [] }, main) => {
  const isMain = (/** @type {any} */ { syntax, block, pointer }) => String([syntax, block, pointer]) === String(main);
  const nodes = verdicts.length ? [...verdicts.filter(isMain), ...verdicts.filter((each) => !isMain(each))] : items;
  const eligible = [...new Set(nodes.flatMap((each) => each.eligible))];
  const missing = nodes.filter((each) => (each.not_eligible || []).some((lost) => lost.severity === "error"));
  const lost = [...new Set(missing.flatMap((each) => (each.not_eligible || []).filter((one) => one.severity === "error").map(({ profile }) => profile)))];
  return { eligible, lost, missing };
};

/** The verdict as a sentence, with its consequence. @param {Summary} summary @param {FileReport} file @param {unknown[]|null} main */
const sentenceOf = ({ errors, warnings, infos, causes }, file, main) => {
  const { eligible, lost, missing } = resultsIn(file, main);
  const wrong = folded(file.findings.filter((each) => each.severity === "error"));
  const unread = wrong.filter(([each]) => isUnread(each));
  const counted = summed({ errors, warnings, infos: 0, causes, files: 1, items: 0 });
  if (unread.length) return `Search engines cannot read ${unread[0][0].syntax === "json-ld" ? "a script" : "a part"} of this page` + (lost.length ? `, and it is kept out of Google's ${resultsOf(lost)}` : "");
  if (lost.length) {
    const things = wrong.filter(([each]) => lost.includes(each.profile ?? "")).length || wrong.length || 1;
    const whole = lost.filter((name) => !eligible.includes(name));
    const loss = whole.length ? `this page out of Google's ${resultsOf(whole)}` : `${numbered(missing.length, "item")} out of Google's ${resultsOf(lost)}`;
    return `${numbered(things, "thing")} ${things === 1 ? "keeps" : "keep"} ${loss}`;
  }
  if (eligible.length) return `Eligible for Google's ${resultsOf(eligible)}` + (errors || warnings ? `, with ${counted}` : "");
  if (errors) return `${counted}: no rich result depends on ${errors + warnings === 1 ? "it" : "them"}, but programs misread the page`;
  return warnings ? `No errors, ${counted}` : "No errors, no warnings";
};

/** What a report comes to: a kind, a title and a sentence. A page passes only where all of it was read.
 * @param {LintReport} report @param {boolean} fails @param {unknown[]|null} [main] place of the main item, [syntax, block, pointer] */
export const outcomeOf = ({ summary, files: [file] }, fails, main = null) => {
  const { errors, warnings, items } = summary;
  if (!items && !errors && !warnings) {
    if (file.absence?.text) return { kind: "note", title: "No structured data", detail: file.absence.text[0].toUpperCase() + file.absence.text.slice(1) + (file.absence.line ? `, see line ${withCommas(file.absence.line)}` : "") + `; ${file.absence.hint}.` };
    return { kind: "note", title: "No structured data found", detail: "This source has no JSON-LD, Microdata or RDFa, so nothing was checked. If a script adds it later, copy the rendered HTML from the browser's developer tools." };
  }
  const kind = errors ? "stop" : warnings || file.truncated ? "heed" : "go";
  const parts = [`${errors || warnings ? summed({ ...summary, infos: 0 }) : "No errors, no warnings"}.`, `${numbered(items, "item")} read.`,
    fails ? "In CI it fails the build." : file.truncated || !items ? "" : "In CI it passes.", file.truncated && "There are more findings than are shown.",
    file.unread && `Not read: ${file.unread.text}, see line ${withCommas(file.unread.line ?? 1)}.`];
  return { kind, title: sentenceOf(summary, file, main), detail: parts.filter(Boolean).join(" ") };
};
