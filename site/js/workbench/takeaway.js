// What can be taken away of a report: links, files for people, files for programs.

import { folded, numbered, summed } from "./causes.js";
import { copyButton, download, el, link } from "./dom.js";
import { asGithub, asJunit, asSarif } from "./exports.js";
import { asPage, asPicture } from "./sendon.js";
import { shareButton } from "./share.js";
import { adviceLines, verdictLines, verdictsOf } from "./verdicts.js";

/** A file of the report as the command line prints it. @param {FileReport} file */
const plainFile = ({ suppressed: _suppressed, ...file }) => ({ ...file, findings: file.findings.map(plainFinding) });
/** @param {Finding} finding */
const plainFinding = ({ from: _from, to: _to, fix, compared, ...rest }) => ({ ...rest, ...(compared && { compared: compared.map(({ from: _at, to: _end, ...side }) => side) }), ...(fix && { fix: { ...fix, edits: fix.edits.map(({ from: _start, to: _end, ...edit }) => edit) } }) });

/** @param {LintReport} report */
const asMarkdown = ({ summary, files: [file] }) => {
  const rows = folded(file.findings).map(([each, ...others]) => {
    const hint = each.hint ? ` (${each.hint})` : "", more = others.length ? `; ${numbered(others.length, "more place")}` : "";
    return `- **${each.severity}** ${each.line}:${each.column} \`${each.profile || each.rule}\` ${each.message.replaceAll("|", "\\|")}${hint}${more}`;
  });
  return [`# ${summed(summary)}`, "", ...[...verdictLines(verdictsOf(file)), ...adviceLines(file)].map((line) => `- ${line}`), "", ...rows, ""].join("\n");
};

/** A report with what is known around it.
 * @typedef {{report: LintReport, outcome: {title: string, detail: string, kind: string}, where: string, text: string, options: any, content: () => Json, statusLine: Element, repository: string, install: string}} Taken */

/** A menu to share a report with people. @param {Taken} taken */
export const shareMenu = ({ report, outcome, where, content, statusLine }) => el("details", { class: "pop" }, el("summary", { class: "btn" }, "Share"), el("div", { class: "pop-in stack stack-s" },
  el("p", { class: "note" }, "The link contains the page itself, in its fragment, which is not sent to a server. The other two are files."),
  el("p", { class: "tags" }, shareButton(content, statusLine),
    download("waypost-report.html", () => asPage(report, outcome, where), "text/html", "Report as HTML"),
    download("waypost-report.png", () => asPicture(report, outcome, where), "image/png", "Report as image"))));

/** A menu of files for programs. @param {Taken} taken */
export const exportMenu = ({ report, text, options, repository, install }) => el("details", { class: "pop" }, el("summary", { class: "btn" }, "Export"), el("div", { class: "pop-in stack stack-s" },
  el("p", { class: "note" }, "For tools: the files that the command line writes, and the settings to run it."),
  el("p", { class: "tags" },
    download("report.json", () => JSON.stringify({ ...report, files: report.files.map(plainFile) }, null, 2), "application/json", "Report as JSON"),
    download("report.md", () => asMarkdown(report), "text/markdown", "Markdown"),
    download("report.sarif", () => asSarif(report, text), "application/sarif+json", "SARIF"),
    download("report.xml", () => asJunit(report, options.failing), "application/xml", "JUnit"),
    download("annotations.txt", () => asGithub(report), "text/plain", "GitHub annotations"),
    install && copyButton("Copy as CI job", `- run: pip install ${install}\n- run: waypost validate public/ --format github${options.flags()}\n`),
    repository && copyButton("Copy as pre-commit hook", `- repo: ${repository}\n  rev: v${report.tool.version}\n  hooks:\n    - id: waypost\n`),
    el("a", { class: "btn btn-s", href: link("get/") }, "Get waypost"))));
