// A folder of pages: read in the background, then a table by cause, by template and by page, which can be filtered, taken
// away as CSV or as a page, and from which each page opens in the columns below. Nothing is sent.

import { ORDER, numbered } from "./causes.js";
import { brief, download, el, fill, link, segments, settled, shape, tag, weight, withCommas } from "./dom.js";
import { asCsv, asFolderPage } from "./folder-report.js";
import { readFiles } from "./folder-reading.js";
import { causesOf } from "./folder-causes.js";
import { LARGEST, MOST_FILES, fileName } from "./intake.js";
import { templatesOf } from "./shapes.js";

const MOST_ROWS = 100;
const MOST_NAMED = 20;

/** @typedef {import("./folder-page.js").FolderPage} FolderPage */
/** @typedef {import("./folder-causes.js").FolderCause} FolderCause */

/** @type {Record<string, [string, (page: FolderPage) => boolean]>} */
const KINDS = {
  all: ["All pages", () => true],
  error: ["With errors", (page) => page.errors > 0],
  warning: ["With warnings", (page) => page.warnings > 0],
  clean: ["Without findings", (page) => !page.findings.length && !page.failure && page.items > 0],
  nothing: ["Without structured data", (page) => !page.items && !page.findings.length && !page.failure],
  unread: ["Not checked", (page) => page.failure !== ""],
};

/** The words in which a page is searched. @param {FolderPage} page */
const wordsOf = (page) => [page.path, page.title, page.address, ...page.types, ...page.eligible, ...page.findings.flatMap((each) => [each.rule, each.profile ?? "", each.message])].join("\n").toLowerCase();

/** The first rows of a table, and a button for the rest. @template T @param {T[]} list @param {(each: T) => HTMLElement} row */
const rowsOf = (list, row) => {
  const body = el("tbody", {});
  const more = (/** @type {number} */ from) => {
    body.append(...list.slice(from, from + MOST_ROWS).map(row));
    const left = list.length - from - MOST_ROWS;
    if (left <= 0) return;
    const button = el("button", { class: "btn btn-s", type: "button", onclick: () => { line.remove(); more(from + MOST_ROWS); } }, `Show ${withCommas(Math.min(left, MOST_ROWS))} more of ${withCommas(left)}`);
    const line = el("tr", {}, el("td", { colspan: 5 }, button));
    body.append(line);
  };
  more(0);
  return body;
};

let batch = 0;

/** @param {HTMLElement} home @param {File[]} given
 * @param {{request: Partial<LintRequest>, show: (text: string, path: string) => Promise<unknown>, close: () => void, version: () => string, validated: import("./folder-reading.js").Validated}} acts */
const drawFolder = async (home, given, { request, show, close, version, validated }) => {
  const own = (batch += 1), files = given.slice(0, MOST_FILES), names = files.map(fileName), cancel = new AbortController();
  /** @type {FolderPage[]} */
  const pages = [];
  let view = "causes", kind = "all", typed = "";
  const voice = el("p", { class: "folder-line", role: "status" }), bar = el("progress", { max: files.length, value: 0, "aria-label": "Files checked" });
  const stop = el("button", { class: "btn btn-s", type: "button", onclick: () => cancel.abort() }, "Cancel");
  const filter = el("input", { type: "search", id: "folder-filter", "aria-label": "Filter pages by words", placeholder: "Filter: a title, a path, a rule, a type", autocomplete: "off", spellcheck: "false" });
  const choice = el("select", { "aria-label": "Pages", onchange: () => { kind = choice.value; draw(); } });
  const tools = el("div", { class: "folder-tools" }), table = el("div", { class: "folder-view", tabindex: "0", role: "group", "aria-label": "Result of the folder" });
  const head = el("div", { class: "folder-h" }, voice, bar, stop);
  filter.addEventListener("input", settled(() => { typed = filter.value.trim().toLowerCase(); draw(); }, 150));
  fill(home, el("section", { class: "folder", "aria-label": "Folder" }, head, tools, table));

  const opening = async (/** @type {FolderPage} */ page, /** @type {HTMLElement} */ button) => {
    for (const each of table.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    const file = files[page.number];
    if (file.size > LARGEST) return;
    await show(await file.text(), page.path);
    home.nextElementSibling?.scrollIntoView({ block: "start" });
  };
  const opener = (/** @type {FolderPage} */ page, /** @type {string|Node} */ words) => el("button", { class: "place", type: "button", onclick: (/** @type {{currentTarget: HTMLElement}} */ event) => opening(page, event.currentTarget) }, words);
  const named = (/** @type {FolderPage} */ page) => [opener(page, el("span", { dir: "auto" }, page.title || page.path)), el("small", { dir: "auto" }, page.title && page.path, page.address && ` ${page.address}`)];
  const list = (/** @type {FolderPage[]} */ some, /** @type {string} */ words) => el("details", {}, el("summary", {}, words), el("ul", {}, ...some.slice(0, MOST_NAMED).map((page) => el("li", {}, ...named(page))), some.length > MOST_NAMED && el("li", {}, `and ${withCommas(some.length - MOST_NAMED)} more`)));
  const heads = (/** @type {string[]} */ ...words) => el("thead", {}, el("tr", {}, ...words.map((each, n) => el("th", { scope: "col", class: n > 0 && n < 3 && "num" }, each))));

  const causeRow = (/** @type {FolderCause} */ { first, pages: some, places, templates }) => el("tr", {},
    el("td", {}, weight(first.severity), " ", el("b", {}, brief(first.message, 300)), first.hint && el("p", {}, brief(first.hint, 300)),
      el("p", { class: "note-f" }, el("a", { href: link(first.doc_url.slice(1)) }, first.profile || first.rule)), list(some, numbered(some.length, "page"))),
    el("td", { class: "num", "data-column": "Pages" }, withCommas(some.length)), el("td", { class: "num", "data-column": "Places" }, withCommas(places)),
    el("td", { "data-column": "Templates" }, templates.slice(0, 3).join("; "), templates.length > 3 && ` and ${templates.length - 3} more`));
  const templateRow = (/** @type {{name: string, pages: FolderPage[]}} */ { name, pages: some }) => {
    const wrong = some.filter((each) => each.errors > 0).length, [most] = causesOf(some, new Map()), results = [...new Set(some.flatMap((each) => each.eligible))];
    return el("tr", {}, el("td", {}, el("b", {}, name), most && el("p", {}, weight(most.first.severity), ` ${brief(most.first.message, 200)}`), list(some, numbered(some.length, "page"))),
      el("td", { class: "num", "data-column": "Pages" }, withCommas(some.length)), el("td", { class: "num", "data-column": "With errors" }, withCommas(wrong)),
      el("td", { "data-column": "Eligible for" }, results.join(", ") || "no rich result"));
  };
  const pageRow = (/** @type {Map<number, string>} */ of) => (/** @type {FolderPage} */ page) => el("tr", {},
    el("td", {}, ...named(page), page.failure && el("p", {}, tag("heed", "heed", "not checked"), ` ${page.failure}`), page.absence && el("p", {}, page.absence)),
    el("td", { class: "num", "data-column": "Errors" }, page.errors ? tag("stop", "fault", withCommas(page.errors)) : "0"),
    el("td", { class: "num", "data-column": "Warnings" }, page.warnings ? tag("heed", "heed", withCommas(page.warnings)) : "0"),
    el("td", { "data-column": "Template" }, of.get(page.number) ?? ""));

  /** Pages that are chosen by kind and words. */
  const chosen = () => {
    const words = typed.split(/\s+/).filter(Boolean), [, isOfKind] = KINDS[kind];
    return pages.filter((page) => isOfKind(page) && (!words.length || words.every((word) => wordsOf(page).includes(word))));
  };
  const draw = () => {
    const some = chosen(), templates = templatesOf(some.filter((each) => !each.failure));
    const of = new Map(templates.flatMap(({ name, pages: same }) => same.map((page) => /** @type {[number, string]} */ ([page.number, name]))));
    const causes = causesOf(some, of), worst = [...some].sort((one, two) => two.errors - one.errors || two.warnings - one.warnings || one.number - two.number);
    /** @type {Record<string, () => (Node|string)[]>} */
    const views = {
      causes: () => [heads("Cause", "Pages", "Places", "Templates"), rowsOf(causes, causeRow)],
      templates: () => [heads("Template", "Pages", "With errors", "Eligible for"), rowsOf(templates, templateRow)],
      pages: () => [heads("Page", "Errors", "Warnings", "Template"), rowsOf(worst, pageRow(of))],
    };
    const taken = { pages: some, causes, templates, of, version: version(), folder: names[0]?.split("/")[0] ?? "" };
    fill(choice, ...Object.entries(KINDS).map(([name, [words, is]]) => [name, words, pages.filter(is).length]).filter(([name, , number]) => number || name === kind).map(([name, words, number]) => el("option", { value: name, selected: name === kind }, `${words} (${withCommas(Number(number))})`)));
    const focused = tools.contains(document.activeElement) ? document.activeElement : null;
    if (!tools.firstChild) {
      const exports = el("span", { class: "folder-exports" });
      tools.append(segments("folder-view", "Table", [["causes", "By cause"], ["templates", "By template"], ["pages", "By page"]], view, (value) => { view = value; draw(); }), filter, choice, exports);
    }
    if (focused instanceof HTMLElement && document.activeElement !== focused) focused.focus();
    fill(/** @type {HTMLElement} */ (tools.querySelector(".folder-exports")),
      download("waypost-folder.csv", () => asCsv(taken), "text/csv", "CSV"), download("waypost-folder.html", () => asFolderPage(taken), "text/html", "HTML report"),
      el("button", { class: "btn btn-s", type: "button", onclick: () => { batch += 1; fill(home); close(); } }, "Close"));
    const empty = view === "causes" && !causes.length ? "No findings among these pages." : !some.length ? "No page matches the filter." : "";
    fill(table, empty ? el("div", {}, shape("s-empty", "state"), el("p", { class: "note" }, empty)) : el("table", { class: "list" }, ...views[view]()));
  };

  const take = (/** @type {FolderPage} */ page) => {
    pages.push(page);
    bar.value = pages.length;
    if (pages.length % 10 === 1) voice.textContent = `Checking ${withCommas(files.length)} files: ${withCommas(pages.length)} done, ${withCommas(pages.filter((each) => each.errors > 0).length)} with errors…`;
  };
  voice.textContent = `Checking ${withCommas(files.length)} files…`;
  let where = "";
  try {
    where = await readFiles(files, names, request, (page) => { if (own === batch) take(page); }, cancel.signal, validated);
  } catch (error) {
    where = /** @type {Error} */ (error).message;
  }
  if (own !== batch) return;
  bar.remove();
  stop.remove();
  const wrong = pages.filter((each) => each.errors > 0).length, errors = causesOf(pages, new Map()).filter((each) => each.first.severity === ORDER[0]).length;
  const done = cancel.signal.aborted ? `Cancelled after ${withCommas(pages.length)} of ${numbered(files.length, "file")}` : `${numbered(pages.length, "file")} checked`;
  voice.textContent = `${done}: ${withCommas(wrong)} with errors${wrong ? ", by " + numbered(errors, "cause") : ""}. Nothing was sent.`
    + (given.length > MOST_FILES ? ` ${withCommas(given.length - MOST_FILES)} more are left out: the command line checks any number.` : "") + (where.includes(" ") ? ` ${where}` : "");
  head.dataset.where = where;
  draw();
};

globalThis.waypost.folder = drawFolder;
