// Several files: each is checked, one after the other, and stands in a list with what was found, the worst first.

import { numbered } from "./causes.js";
import { el, fill, tag } from "./dom.js";
import { LARGEST, TOO_LARGE } from "./intake.js";

const PAGES = /\.(?:html?|xhtml|json|jsonld|txt)$/i;
const MOST_FILES = 500;

/** Name of a file, with its folders. @param {File} file */
const fileName = (file) => file.webkitRelativePath || file.name;
/** Pages among files, in the order of their names. @param {File[]} files */
export const pagesIn = (files) => files.filter((each) => PAGES.test(each.name)).sort((one, two) => fileName(one).localeCompare(fileName(two)));

let batch = 0;

/** @param {HTMLElement} home @param {File[]} given
 * @param {{check: (text: string, path: string, isCurrent: () => boolean) => Promise<FileReport|null>, show: (text: string, path: string) => Promise<unknown>, failing: (severity: string) => boolean}} acts */
export const drawFiles = async (home, given, { check, show }) => {
  const own = (batch += 1), files = given.slice(0, MOST_FILES);
  const voice = el("p", { class: "hint", role: "status" }), list = el("ul", { class: "file-list" });
  fill(home, el("section", { class: "files", "aria-label": "Files" }, voice, list));
  const rows = files.map((file) => ({ file, errors: -1, warnings: 0, words: "waiting", items: 0 }));
  const counts = (/** @type {typeof rows[number]} */ { errors, warnings, words, items }) => (errors < 0 ? [el("small", {}, words)]
    : [errors > 0 && tag("stop", "fault", String(errors)), warnings > 0 && tag("heed", "heed", String(warnings)), !errors && !warnings && (items ? tag("go", "go", "no findings") : el("small", {}, "no data"))]);
  const open = async (/** @type {File} */ file, /** @type {HTMLElement|undefined} */ button) => {
    for (const each of list.querySelectorAll("[aria-current]")) each.removeAttribute("aria-current");
    button?.setAttribute("aria-current", "true");
    if (file.size <= LARGEST) await show(await file.text(), fileName(file));
  };
  const draw = () => fill(list, ...rows.map((row) => el("li", {}, el("button", { type: "button", "aria-label": `${fileName(row.file)}: ` + (row.errors < 0 ? row.words : `${numbered(row.errors, "error")}, ${numbered(row.warnings, "warning")}`), onclick: (/** @type {{currentTarget: HTMLElement}} */ event) => open(row.file, event.currentTarget) }, el("span", { dir: "auto" }, fileName(row.file)), el("span", {}, ...counts(row))))));
  draw();
  for (const [number, row] of rows.entries()) {
    voice.textContent = `Checking ${number + 1} of ${files.length} files…`;
    if (row.file.size > LARGEST) { row.words = TOO_LARGE; continue; }
    try {
      const found = await check(await row.file.text(), fileName(row.file), () => own === batch);
      if (own !== batch) return;
      if (!found) { row.words = "not checked"; continue; }
      row.errors = found.findings.filter((each) => each.severity === "error").length;
      row.warnings = found.findings.filter((each) => each.severity === "warning").length;
      row.items = found.items.length;
    } catch (error) {
      row.words = /** @type {Error} */ (error).message;
    }
    if (number % 10 === 9) draw();
  }
  rows.sort((one, two) => two.errors - one.errors || two.warnings - one.warnings);
  const wrong = rows.filter((each) => each.errors > 0).length;
  voice.textContent = `${numbered(files.length, "file")} checked, ${wrong} with errors. Nothing was sent.` + (given.length > MOST_FILES ? ` ${given.length - MOST_FILES} more are left out: the command line checks any number.` : "");
  draw();
  await open(rows[0].file, /** @type {HTMLElement|undefined} */ (list.querySelector("button") ?? undefined));
};
