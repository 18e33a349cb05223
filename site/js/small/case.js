// A page that fails or passes, edited and checked in place: the button takes the form of its case (data-case: the rule
// or rich result that it shows).

import { brief, el, fill, settled, weight } from "../workbench/dom.js";
import { validated } from "../workbench/engine.js";
import { withFixes } from "../workbench/fix.js";

const CASE_URL = "https://www.example.com/page";
const LARGEST_CASE = 1 << 20;

/** @param {HTMLElement} home */
const editedCase = (home) => {
  const figure = /** @type {HTMLElement} */ (home.closest("figure"));
  const [pre, caption, button] = /** @type {HTMLElement[]} */ ([figure.querySelector("pre"), figure.querySelector("figcaption span"), home.querySelector("button")]);
  const was = /** @type {HTMLElement|null} */ (figure.querySelector(".said"));
  const name = home.dataset.case;
  const title = caption.textContent;
  const named = (/** @type {string} */ word) => { button.textContent = word; button.setAttribute("aria-label", `${word}: ${title}`); };
  /** Every check has a number; a check that is not the last is dropped. */
  let last = 0;
  /** @type {HTMLElement[]} */
  let bench = [];

  const open = () => {
    const area = el("textarea", { class: "paste", "aria-label": `Edit: ${title}`, spellcheck: "false", autocomplete: "off", rows: Math.min(30, pre.textContent.split("\n").length + 1) });
    const list = el("ul", { class: "said" });
    const voice = el("p", { class: "case-told", role: "status" });
    let about = "";
    const go = (/** @type {Finding} */ each) => { area.focus(); area.setSelectionRange(each.from, each.to); };
    const applyFix = (/** @type {Finding} */ each) => { if (area.value === about) area.value = withFixes(about, [each]); judge(); area.focus(); };
    const judge = async () => {
      const own = (last += 1);
      const text = area.value;
      if (text.length > LARGEST_CASE) { fill(list); voice.textContent = "This is more than 1 MB: use the command line for it."; return; }
      try {
        const report = await validated({ text, path: "-", url: CASE_URL }, () => own === last, (/** @type {string} */ words) => { voice.textContent = words; });
        if (report && own === last) { about = text; show(report); }
      } catch (error) {
        voice.textContent = /** @type {Error} */ (error).message;
      }
    };
    const show = (/** @type {LintReport} */ report) => {
      const { findings } = report.files[0];
      const mine = findings.filter((each) => each.rule === name || each.profile === name);
      const others = findings.filter((each) => each.severity !== "info" && !mine.includes(each));
      fill(list, ...[...mine, ...others].slice(0, 50).map((each) => el("li", {},
        weight(each.severity), " ",
        el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => go(each) }, `${each.line}:${each.column}`), " ",
        el("b", {}, brief(each.message)), mine.includes(each) ? "" : el("span", { class: "hint" }, ` ${each.profile || each.rule}`),
        each.fix && el("button", { class: "btn btn-s", type: "button", onclick: () => applyFix(each) }, "Fix"),
        each.hint && el("p", {}, brief(each.hint)))));
      const unknown = report.not_checked.some((each) => each.name === name);
      voice.textContent = unknown ? `${name} is checked by the command line and the service only.`
        : `${name} ${mine.length ? "reports it " + (mine.length === 1 ? "once" : mine.length + " times") : "reports nothing here"}${others.length ? "; other rules report " + (others.length === 1 ? "once" : others.length + " times") : ""}. Checked in this page: nothing was sent.`;
    };
    area.value = pre.textContent;
    const later = settled(judge, 200);
    area.addEventListener("input", () => { last += 1; later(); });
    bench = [area, list, voice];
    pre.hidden = true;
    if (was) was.hidden = true;
    figure.append(...bench);
    named("Put back");
    area.focus();
    judge();
  };

  const close = () => {
    last += 1;
    for (const each of bench) each.remove();
    bench = [];
    pre.hidden = false;
    if (was) was.hidden = false;
    named("Edit");
  };

  return () => (bench.length ? close() : open());
};

for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-case]"))) home.addEventListener("run", editedCase(home));
