// The miniatures of the home page: a box that is checked and a card that is drawn, both while typing.

import { drawCard } from "../workbench/card.js";
import { folded } from "../workbench/causes.js";
import { el, fill, link, settled, shape, weight } from "../workbench/dom.js";
import { answered, shared, validated } from "../workbench/engine.js";
import { withFixes } from "../workbench/fix.js";
import { LARGEST, addressIn, fetchedPage, fetcher, insteadOfFetching, messagePage, noServiceWords, serviceAt } from "../workbench/intake.js";
import { outcomeOf } from "../workbench/outcome.js";
import { packed } from "../workbench/share.js";

const MOST_FINDINGS = 3;
/** A link within the site may be longer than one that is sent: programs that cut it do not see it. */
const MOST_HANDED = 1_500_000;

/** @param {HTMLElement} home */
const validateMiniature = (home) => {
  const area = /** @type {HTMLTextAreaElement} */ (home.querySelector("textarea"));
  const file = /** @type {HTMLInputElement} */ (home.querySelector("input[type=file]"));
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
  let isOwn = false;
  /** The card beside the box shows what was pasted; the page comes with that of the example. @param {any} page @param {Finding[]} findings */
  const drawOwn = async (page, findings) => {
    const stage = /** @type {HTMLElement|null} */ (document.querySelector("[data-card]"));
    if (!stage || (!isOwn && area.value === area.defaultValue)) return;
    isOwn = true;
    const made = await answered((engine) => engine.preview({ page, site: from || null }), announce);
    if (!made?.snippet) return;
    const isHeld = stage.contains(document.activeElement);
    fill(stage, drawCard(made.snippet, shared().cards, findings.filter((each) => each.severity !== "info" && each.item === made.item)));
    if (isHeld) (stage.querySelector("a") || area).focus({ preventScroll: true });
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
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (home.querySelectorAll("[data-try]"))) each.addEventListener("click", () => { area.value = each.dataset.try ?? ""; from = ""; check(); });
  const opened = async () => { const [given] = file.files ?? []; if (given) { area.value = await given.text(); from = ""; check(); } };
  file.addEventListener("change", opened);
  const { box } = history.state || {};
  if (box && [area.defaultValue, box.text].includes(area.value)) [area.value, from] = [box.text, box.from];
  return () => { if (file.files?.length) opened(); else check(); };
};

/** A finding may quote the page at length: here only the beginning. @param {string} text */
const clipped = (text) => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** @param {HTMLElement} home */
const previewMiniature = (home) => {
  const { kind, name } = /** @type {{kind: HTMLSelectElement, name: HTMLInputElement}} */ (/** @type {unknown} */ (home.querySelector("form")?.elements));
  const [stage, on, voice] = /** @type {HTMLElement[]} */ (["[data-card]", "[data-on]", "[role=status]"].map((selector) => home.querySelector(selector)));
  const page = on.getAttribute("href") ?? "";
  const announced = voice.textContent;
  let last = 0;
  const draw = async () => {
    const own = (last += 1);
    const { service, document: example } = shared().kinds[kind.value];
    const request = { document: { ...example, name: name.value }, kind: service };
    let made;
    try {
      made = await answered((engine) => engine.preview(request), (words) => { voice.textContent = words || announced; });
    } catch (error) {
      voice.textContent = /** @type {Error} */ (error).message;
    }
    if (!made || own !== last) return;
    const isHeld = stage.contains(document.activeElement);
    fill(stage, !made.snippet ? el("p", { class: "snip-gap" }, shape("open"), `No card: ${made.nothing}.`) : drawCard(made.snippet, shared().cards));
    if (isHeld) (stage.querySelector("a") || name).focus({ preventScroll: true });
    on.setAttribute("href", `${page}#kind=${kind.value}`);
  };
  kind.addEventListener("change", () => { name.value = shared().kinds[kind.value].document.name; draw(); });
  name.addEventListener("input", settled(draw, 120));
  const given = [...kind.options].find((each) => each.defaultSelected) ?? kind.options[0];
  // The page comes with the card of its example: drawn again, a link of it would be another under the reader's hands.
  return () => {
    if (kind.value !== given.value || name.value !== name.defaultValue) draw();
    else on.setAttribute("href", `${page}#kind=${kind.value}`);
  };
};

/** @type {Record<string, (home: HTMLElement) => () => void>} */
const MINIATURES = { validate: validateMiniature, preview: previewMiniature };
for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-miniature][data-scripts]"))) {
  // What each of them needs comes when it is used itself.
  const begin = () => { MINIATURES[home.dataset.miniature ?? ""](home)(); home.setAttribute("data-ready", ""); home.pressed?.click(); };
  let isUsed = false;
  const used = () => { if (!isUsed) { isUsed = true; return Promise.all((home.dataset.scripts ?? "").split(" ").map(globalThis.waypost.load)).then(begin, () => { isUsed = false; }); } return null; };
  const file = /** @type {HTMLInputElement|null} */ (home.querySelector("input[type=file]"));
  if (home.matches(":focus-within") || home.pressed || file?.files?.length || (file && history.state?.box)) used();
  else for (const kind of ["focusin", "click", "change"]) home.addEventListener(kind, used, { once: true });
}
