// A page of a folder as the table needs it: made where the page is read, in a worker or here, and sent as plain data.

import { pathsOf } from "./shapes.js";

/** @typedef {Pick<Finding, "severity"|"rule"|"profile"|"authority"|"message"|"hint"|"property"|"line"|"column"|"doc_url"|"compared"> & {cause: string}} FolderFinding */
/** A page that was checked; `failure` where it was not; `eligible`: rich results in words.
 * @typedef {{number: number, path: string, title: string, address: string, items: number, types: string[], paths: string[], eligible: string[],
 *   absence: string, errors: number, warnings: number, findings: FolderFinding[], failure: string}} FolderPage */

/** @param {number} number @param {string} path @param {string} failure @returns {FolderPage} */
export const unchecked = (number, path, failure) => ({ number, path, title: "", address: "", items: 0, types: [], paths: [], eligible: [], absence: "", errors: 0, warnings: 0, findings: [], failure });

/** @param {number} number @param {LintReport} report @param {any} page @returns {FolderPage} */
export const folderPage = (number, report, page) => {
  const [file] = report.files;
  return {
    number, path: file.path, title: page?.title ?? "", address: page?.url ?? "",
    items: file.items.length, types: [...new Set(file.items.flatMap((each) => each.types))], paths: page ? pathsOf(page) : [],
    eligible: [...new Set([...file.items, ...file.verdicts ?? []].flatMap((each) => each.eligible))].sort().map((name) => globalThis.Waypost.resultName(name).replace(/ results$/, "")),
    absence: file.absence?.text ?? "", errors: report.summary.errors, warnings: report.summary.warnings,
    findings: file.findings.filter((each) => each.severity !== "info").map((each) => ({
      severity: each.severity, rule: each.rule, profile: each.profile, authority: each.authority, message: each.message, hint: each.hint,
      property: each.property, line: each.line, column: each.column, doc_url: each.doc_url, compared: each.compared, cause: globalThis.Waypost.causeOf(each),
    })),
    failure: "",
  };
};
