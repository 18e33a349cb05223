// The result of a folder to take away: a table for a spreadsheet, and a page that names each page by title and address.

import { numbered } from "./causes.js";
import { BRAND, REPORT_STYLE } from "../data/report-style.js";

/** @typedef {import("./folder-page.js").FolderPage} FolderPage */
/** @typedef {{pages: FolderPage[], causes: import("./folder-causes.js").FolderCause[], templates: {name: string, pages: FolderPage[]}[], of: Map<number, string>, version: string, folder: string}} Taken */

const COLUMNS = ["file", "title", "address", "template", "eligible for", "severity", "rule", "rich result", "property", "message", "what to do", "line", "column"];
const MOST_IN_FULL = 500;
/** A line in front shows a spreadsheet that this is UTF-8. */
const MARK = "\ufeff";

const QUOTED = /[",\r\n]/, FORMULA = /^[=+\-@\t\r]/;
/** A field of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula is quoted by an apostrophe. @param {string|number|undefined} value */
const field = (value) => {
  const text = String(value ?? ""), safe = typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
};

/** A row for each finding, and one for each page without any. @param {Taken} taken */
export const asCsv = ({ pages, of }) => {
  const rows = pages.flatMap((page) => {
    const own = [page.path, page.title, page.address, of.get(page.number) ?? "", page.eligible.join(", ")];
    if (!page.findings.length) return [[...own, "", "", "", "", page.failure ? `not checked: ${page.failure}` : page.absence, "", "", ""]];
    return page.findings.map((each) => [...own, each.severity, each.rule, each.profile ?? "", each.property ?? "", each.message, each.hint ?? "", each.line, each.column]);
  });
  return `${MARK}${[COLUMNS, ...rows].map((row) => row.map(field).join(",")).join("\r\n")}\r\n`;
};

const CODES = /[&<>"']/g;
const escaped = (/** @type {unknown} */ text) => String(text ?? "").replace(CODES, (found) => `&#${found.charCodeAt(0)};`);
const ADDRESS = /^https?:\/\//;

/** An element as text; what is inside is markup already. @param {string} name @param {Record<string, string>} attributes @param {...(string|false|0|undefined)} inside */
const m = (name, attributes, ...inside) => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`).join("");
  return `<${name}${written}>${inside.filter(Boolean).join("")}</${name}>`;
};
const number = (/** @type {number} */ value, /** @type {string} */ column) => m("td", { class: "number", "data-column": column }, String(value));
const table = (/** @type {string[]} */ heads, /** @type {string[]} */ rows) => m("table", {},
  m("thead", {}, m("tr", {}, ...heads.map((each, n) => m("th", n ? { scope: "col", class: "number" } : { scope: "col" }, each)))), m("tbody", {}, rows.join("\n")));
const quiet = (/** @type {string} */ inside) => m("span", { class: "quiet" }, inside);
const linked = (/** @type {FolderPage} */ page) => m("a", { href: "#page-" + page.number }, escaped(page.title || page.path));
const level = (/** @type {{severity: string}} */ { severity }) => m("span", { class: "severity" }, severity);
const ruled = (/** @type {{profile?: string, rule: string}} */ { profile, rule }) => m("code", {}, escaped(profile ?? rule));

/** @param {import("./folder-causes.js").FolderCause} cause */
const causeRow = ({ first, pages, places }) => m("tr", {},
  m("td", { class: first.severity }, level(first), ": ", m("b", {}, escaped(first.message)), first.hint && "<br>To fix it: " + escaped(first.hint), "<br>", ruled(first), " ",
    quiet(linked(pages[0]) + (pages.length > 1 ? ` and ${pages.length - 1} more` : ""))), number(pages.length, "Pages"), number(places, "Places"));

/** @param {{name: string, pages: FolderPage[]}} template */
const templateRow = ({ name, pages }) => {
  const results = [...new Set(pages.flatMap((each) => each.eligible))];
  return m("tr", {}, m("td", {}, m("b", {}, escaped(name)), "<br>", quiet(escaped(results.join(", ") || "no rich result"))),
    number(pages.length, "Pages"), number(pages.filter((each) => each.errors > 0).length, "With errors"));
};

/** Values that differ, side by side. @param {Compared[]} sides */
const sideBySide = (sides) => m("table", { class: "compared" }, m("thead", {}, m("tr", {}, ...sides.map(({ source }) => m("th", { scope: "col" }, headOf(source))))),
  m("tbody", {}, m("tr", {}, ...sides.map((each) => m("td", { "data-column": headOf(each.source) }, m("b", {}, escaped(each.value)), "<br>", quiet(`line ${each.line}, column ${each.column}`))))));
const headOf = (/** @type {string} */ source) => source[0].toUpperCase() + source.slice(1);
/** @param {import("./folder-page.js").FolderFinding} each */
const article = (each) => m("article", { class: each.severity }, m("p", {}, level(each), ": ", m("b", {}, escaped(each.message))), each.compared && sideBySide(each.compared), each.hint && m("p", {}, "To fix it: " + escaped(each.hint)),
  m("p", { class: "quiet" }, `Line ${each.line}, column ${each.column}. `, ruled(each)));

/** @param {FolderPage} page @param {string|undefined} template */
const section = (page, template) => {
  const facts = [template, page.eligible.length && "eligible for " + page.eligible.join(", "), page.failure && "not checked: " + page.failure, page.absence].filter(Boolean);
  return m("section", { id: "page-" + page.number }, m("h3", {}, escaped(page.title || page.path)),
    m("p", { class: "page-name" }, ADDRESS.test(page.address) && m("a", { href: page.address, rel: "noreferrer" }, escaped(page.address)), m("code", {}, escaped(page.path))),
    m("p", { class: "quiet" }, escaped(facts.join(". ") || "No findings.")), ...page.findings.map(article));
};

/** @param {Taken} taken */
export const asFolderPage = ({ pages, causes, templates, of, version, folder }) => {
  const wrong = pages.filter((each) => each.errors > 0).length;
  const title = escaped(`${numbered(pages.length, "page")} checked: ${wrong} with errors`), day = new Date().toISOString().slice(0, 10);
  const worst = [...pages].sort((one, two) => two.errors - one.errors || two.warnings - one.warnings || one.number - two.number);
  const ours = [
    "section{border-top:1px solid var(--line);padding:1rem 0}",
    "article{background:var(--surface);border:1px solid var(--line);border-left:.3rem solid var(--line);border-radius:.5rem;padding:.6rem .9rem;margin:.5rem 0 0}",
    "article.error{border-left-color:var(--stop)}article.warning{border-left-color:var(--heed)}",
  ];
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">',
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
    m("title", {}, title + " | waypost"), m("style", {}, REPORT_STYLE, "\n", ...ours), "</head>\n<body>", BRAND, m("h1", {}, title),
    m("p", {}, escaped(`${folder}: ${numbered(causes.length, "cause")} on ${numbered(templates.length, "template")}. Checked in a browser on ${day} (UTC); no page was sent.`)),
    causes.length > 0 && m("h2", {}, "Causes") + table(["Cause", "Pages", "Places"], causes.map(causeRow)),
    m("h2", {}, "Templates"), table(["Template", "Pages", "With errors"], templates.map(templateRow)),
    m("h2", {}, "Pages"), ...worst.slice(0, MOST_IN_FULL).map((page) => section(page, of.get(page.number))),
    worst.length > MOST_IN_FULL && m("p", { class: "quiet" }, numbered(worst.length - MOST_IN_FULL, "page") + " with fewer findings are in the CSV file."),
    m("footer", {}, escaped("waypost, registry " + version)), "</body>\n</html>\n",
  ].filter(Boolean).join("\n");
};
