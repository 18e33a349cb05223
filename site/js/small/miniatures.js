// The box of the home page, checked while somebody types: what is in it drives the findings, the terminal and the picture.

import { gapsOf } from "../workbench/card.js";
import { folded, summed } from "../workbench/causes.js";
import { el, fill, link, settled, shape, weight } from "../workbench/dom.js";
import { answered, shared, validated } from "../workbench/engine.js";
import { withFixes } from "../workbench/fix.js";
import { LARGEST, TOO_LARGE, addressIn, fetchedPage, fetcher, filesBelow, insteadOfFetching, messagePage, noServiceWords, pagesIn, serviceAt } from "../workbench/intake.js";
import { sentenceLink } from "../workbench/message-link.js";
import { outcomeOf } from "../workbench/outcome.js";
import { packed } from "../workbench/share.js";
import { drawSurfaces } from "../workbench/surfaces.js";
import { verdictParts } from "../workbench/verdicts.js";

const MOST_FINDINGS = 3;
const MOST_PICTURES = 2;
/** A link within the site may be longer than one that is sent: programs that cut it do not see it. */
const MOST_HANDED = 1_500_000;

/** @param {HTMLElement} home */
const validateMiniature = (home) => {
  const area = /** @type {HTMLTextAreaElement} */ (home.querySelector("textarea"));
  const [file, folder] = /** @type {HTMLInputElement[]} */ (["#mini-file", "#mini-folder"].map((selector) => home.querySelector(selector)));
  const table = /** @type {HTMLElement} */ (home.querySelector("[data-folder]"));
  const [detail, voice, on, starting] = /** @type {HTMLElement[]} */ (
    ["[data-said]", "[role=status]", "[data-on]", "[data-check]"].map((selector) => home.querySelector(selector)));
  const page = on.getAttribute("href") ?? "";
  const go = (/** @type {Finding} */ each) => { area.focus(); area.setSelectionRange(each.from, each.to); };
  const applyFix = (/** @type {Finding} */ each) => { if (area.value === about) area.value = withFixes(about, [each]); check(); area.focus(); };
  const announce = (/** @type {string} */ words) => { voice.textContent = words; delete voice.dataset.kind; };
  /** The text that the findings are about, the number of the last check: one that is not the last is given up; and where a page was fetched. */
  let about = "", last = 0, from = "", waiting = false;
  /** What is in the box stays in the history of the tab, so that Back and a reload find it. */
  const keep = () => {
    try {
      history.replaceState(area.value.trim() ? { box: { text: area.value, from } } : null, "");
    } catch { /* too much for this browser, or too often: what was kept stays */ }
  };
  const check = async () => {
    const own = (last += 1);
    const text = area.value;
    keep();
    const address = addressIn(text);
    if (text.length > LARGEST || address || !text.trim()) {
      fill(detail);
      const instead = serviceAt ? `Press Check: ${fetcher} fetches the page, and this browser checks it.` : noServiceWords();
      announce(!text.trim() ? "Paste a page, JSON-LD or a URL, or try the example." : address ? `This is a URL, not a page. ${instead}` : "This is larger than 2 MB. Check it with the command line.");
      on.setAttribute("href", page);
      return;
    }
    try {
      /** @type {any} */
      let page = null;
      const report = await validated({ text, path: "-", url: from || null, seen: (each) => { page = each; } }, () => own === last, announce);
      if (!report || own !== last) return;
      about = text;
      show(report);
      drawShell(report);
      drawOwn(page, report.files[0].findings);
    } catch (error) {
      announce(/** @type {Error} */ (error).message);
    }
  };
  const start = async () => {
    waiting = false;
    const address = addressIn(area.value);
    if (!address) {
      const message = await messagePage(area.value).catch(() => null);
      if (message) location.assign(message);
      else check();
      return;
    }
    announce("Fetching the page…");
    try {
      const fetched = await fetchedPage(address);
      [area.value, from] = [fetched.text, fetched.url];
      await check();
    } catch (error) {
      fill(detail, el("li", {}, insteadOfFetching(address)));
      announce(/** @type {Error} */ (error).message);
    }
  };
  /** The picture beside the box shows what was pasted, as a phone would; the page comes with that of its example. @param {any} page @param {Finding[]} findings */
  const drawOwn = async (page, findings) => {
    const stage = /** @type {HTMLElement} */ (document.querySelector("[data-card]")), caption = /** @type {HTMLElement} */ (document.querySelector("[data-card-caption]"));
    const site = from || null, own = last;
    const drawn = await answered((engine) => { const made = engine.preview({ page, site }); return /** @type {[Preview, any[]]} */ ([made, engine.surfaces({ page, preview: made, site })]); }, () => {}).catch(() => undefined);
    if (!drawn || own !== last) return;
    const [made, surfaces] = drawn, phone = surfaces.find((each) => each.surface === "google-phone");
    const gaps = () => (made.snippet ? Object.values(gapsOf(made.snippet, shared().cards, findings.filter((each) => each.severity !== "info" && each.item === made.item))) : [])
      .map((text) => el("p", { class: "snip-gap" }, shape("open"), el("span", {}, text)));
    const isHeld = stage.contains(document.activeElement);
    const jump = (/** @type {{from: number, to: number}} */ spot) => { area.focus(); area.setSelectionRange(spot.from, spot.to); };
    if (phone) drawSurfaces(stage, [{ ...phone, results: phone.results.slice(0, MOST_PICTURES), retired: [] }], { point: () => {}, go: jump, picture: () => undefined, doubt: () => undefined }, gaps);
    else fill(stage, el("p", { class: "snip-gap" }, shape("open"), `No picture: ${made.nothing || "the page gives no title"}.`));
    if (isHeld) area.focus({ preventScroll: true });
    packed({ markup: about }).then((fragment) => { if (fragment.length < MOST_HANDED) document.querySelector("[data-preview]")?.setAttribute("href", link("explorer/preview/") + fragment); });
    caption.textContent = "What you pasted, in Google's results on a phone.";
  };
  /** The terminal shows the report of what was pasted, in the form of the command line, with at most three findings. @param {LintReport} report */
  const drawShell = ({ files: [file], summary }) => {
    const shell = document.querySelector("[data-shell]"), caption = /** @type {HTMLElement} */ (document.querySelector("[data-shell-caption]"));
    if (!shell) return;
    const loud = file.findings.filter((each) => each.severity !== "info"), lines = about.split("\n");
    const head = summary.errors ? "i" : summary.warnings ? "b" : "u";
    fill(shell, el("s", {}, "$"), " waypost validate page.html\n", el(head, {}, summed({ ...summary, infos: 0 })), "\n",
      ...verdictParts(file).slice(0, MOST_FINDINGS).flatMap(([subject, parts]) => [`${subject || "page"}: `, clipped(parts.join("\n  ")), "\n"]),
      ...folded(loud).slice(0, MOST_FINDINGS).flatMap(([each]) => {
        const text = lines[each.line - 1] ?? "", isShort = each.line > 0 && text.length <= 90, margin = `  ${each.line} | `;
        return [`page.html:${each.line}:${each.column}: `, el(each.severity === "error" ? "i" : "b", {}, each.severity), el("s", {}, `[${each.rule}]`), `:\n  ${clipped(each.message)}`,
          each.hint && "; ", each.hint && el("u", {}, clipped(each.hint)), "\n", isShort && el("s", {}, margin), isShort && `${text}\n`,
          isShort && `${" ".repeat(margin.length + each.column - 1)}`, isShort && el("i", {}, "^".repeat(Math.max(1, Math.min(each.to - each.from, text.length - each.column + 1)))), isShort && "\n"];
      }));
    shell.setAttribute("data-driven", "");
    caption.textContent = "What the command line reports about what you pasted, in short.";
  };
  const show = (/** @type {LintReport} */ report) => {
    const text = about;
    const [{ findings }] = report.files;
    const displayed = folded(findings.filter((each) => each.severity !== "info"));
    const more = displayed.length - MOST_FINDINGS;
    fill(detail, ...displayed.slice(0, MOST_FINDINGS).map(([each]) => el("li", {},
      weight(each.severity), " ",
      el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => go(each) }, `${each.line}:${each.column}`), " ",
      el("b", {}, clipped(each.message)),
      el("p", {}, each.hint && `${clipped(each.hint)} `, el("a", { href: link(each.doc_url.replace(/^\//, "")) }, each.profile || each.rule),
        each.search_console && ". Search Console: ", each.search_console && sentenceLink(each.search_console),
        ...(each.fix ? [" ", el("button", { class: "btn btn-s", type: "button", onclick: () => applyFix(each) }, "Fix")] : [])))));
    const made = outcomeOf(report, findings.some((each) => each.severity === "error"));
    fill(voice, el("b", {}, `${made.title}.`), ` ${made.detail}`, more > 0 && ` ${more} more in the full report.`);
    voice.dataset.kind = made.kind;
    packed({ text }).then((fragment) => on.setAttribute("href", fragment.length < MOST_HANDED ? page + fragment : page));
  };
  const later = settled(() => { if (waiting) check(); }, 200);
  area.addEventListener("input", () => { last += 1; from = ""; waiting = true; later(); });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || addressIn(area.value))) return;
    event.preventDefault();
    start();
  });
  starting.addEventListener("click", start);
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (home.querySelectorAll("[data-try]"))) each.addEventListener("click", () => { area.value = each.dataset.try ?? ""; from = ""; start(); });
  /** One page goes into the box; several get a table, from which each opens in the box. @param {File[]} given */
  const open = async (given) => {
    const pages = pagesIn(given);
    fill(table);
    if (!pages.length) { if (given.length) announce("There is no HTML or JSON file among these."); return; }
    const take = async (/** @type {string} */ text) => { area.value = text; from = ""; await check(); };
    if (pages.length > 1) {
      await globalThis.waypost.part("files");
      globalThis.waypost.folder(table, pages, { request: {}, show: take, close: () => file.focus(), version: () => /** @type {any} */ (globalThis).WaypostRegistry?.version ?? "", validated });
    } else if (pages[0].size > LARGEST) announce(`This file is ${TOO_LARGE}`);
    else await take(await pages[0].text());
  };
  const opened = () => open([...(folder.files?.length ? folder.files : file.files) ?? []]);
  for (const each of [file, folder]) each.addEventListener("change", () => open([...each.files ?? []]));
  home.addEventListener("drop", async (event) => {
    const items = [...event.dataTransfer?.items ?? []];
    if (!items.some((each) => each.kind === "file")) return;
    event.preventDefault();
    const entries = items.map((each) => each.webkitGetAsEntry?.()).filter((each) => each?.isDirectory);
    await open(entries.length ? await filesBelow(/** @type {any[]} */ (entries)) : [...event.dataTransfer?.files ?? []]);
  });
  const { box } = history.state || {};
  if (box && [area.defaultValue, box.text].includes(area.value)) [area.value, from] = [box.text, box.from];
  return () => { if (file.files?.length || folder.files?.length) opened(); else check(); };
};

/** A finding may quote the page at length: here only the beginning. @param {string} text */
const clipped = (text) => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** @type {Record<string, (home: HTMLElement) => () => void>} */
const MINIATURES = { validate: validateMiniature };
for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-miniature][data-scripts]"))) {
  // What each of them needs comes when it is used itself.
  const begin = () => { MINIATURES[home.dataset.miniature ?? ""](home)(); home.setAttribute("data-ready", ""); home.pressed?.click(); };
  let isUsed = false;
  const used = () => { if (!isUsed) { isUsed = true; return Promise.all((home.dataset.scripts ?? "").split(" ").map(globalThis.waypost.load)).then(begin, () => { isUsed = false; }); } return null; };
  const files = /** @type {NodeListOf<HTMLInputElement>} */ (home.querySelectorAll("input[type=file]"));
  // A browser opens a file that is dropped where nobody takes it.
  home.addEventListener("dragover", (event) => { event.preventDefault(); used(); });
  if (home.matches(":focus-within") || home.pressed || [...files].some((each) => each.files?.length) || history.state?.box) used();
  else for (const kind of ["focusin", "click", "change"]) home.addEventListener(kind, used, { once: true });
}
