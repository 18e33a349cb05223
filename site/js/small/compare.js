// Two types side by side, from the registry; or two documents, checked and drawn by
// the engine, which comes when documents are first chosen.

import { asWords, drawCard } from "../workbench/card.js";
import { el, fill, link, settled, shape, tag } from "../workbench/dom.js";
import { answered, shared, validated } from "../workbench/engine.js";
import { findingList } from "../workbench/findings.js";
import { shareButton, unpacked } from "../workbench/share.js";
import { TYPES } from "../data/types.js";

const LARGEST_DOCUMENT = 2 << 20;
/** @type {Record<string, [string, string]>} */
const HOW = { same: ["", "same"], differs: ["heed", "heed"], first: ["open", "open"], second: ["open", "open"] };

/** @typedef {import("../data/types.js").ComparedType} ComparedType */
/** A row of a comparison: two sides, and how they differ. @typedef {{head: Node, one: Child[], other: Child[], how: string, names: string[]}} Row */
/** @typedef {import("../workbench/dom.js").Child} Child */

/** @type {["first", "second"]} */
const SIDES = ["first", "second"];

/** @param {HTMLElement} home */
const compareBench = (home) => {
  const form = /** @type {HTMLFormElement} */ (home.querySelector("form"));
  const [result, voice] = /** @type {HTMLElement[]} */ (["[data-result]", "[role=status]"].map((selector) => home.querySelector(selector)));
  const { what, first, second, only } = /** @type {{what: RadioNodeList, first: HTMLSelectElement, second: HTMLSelectElement, only: HTMLInputElement}} */ (
    /** @type {unknown} */ (form.elements));
  /** @type {{first: string, second: string}|null} */
  let texts = null;

  const compared = (/** @type {string} */ how, /** @type {string} */ one, /** @type {string} */ other) =>
    tag(HOW[how][0], HOW[how][1], how === "first" ? `only ${one}` : how === "second" ? `only ${other}` : how);
  const table = (/** @type {string} */ label, /** @type {(Node|string)[]} */ heads, /** @type {Row[]} */ rows) => {
    const displayed = rows.filter((row) => !only.checked || row.how !== "same");
    return el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": label }, displayed.length ? el("table", { class: "list compare" },
      el("thead", {}, el("tr", {}, ...heads.map((each) => el("th", { scope: "col" }, each)))),
      el("tbody", {}, ...displayed.map((row) => el("tr", {}, el("th", { scope: "row" }, el("div", {}, row.head, " ", compared(row.how, row.names[0], row.names[1]))), el("td", {}, ...row.one), el("td", {}, ...row.other))))) : el("p", { class: "nothing" }, "Nothing differs."));
  };
  const counted = (/** @type {Row[]} */ rows, /** @type {string} */ one, /** @type {string} */ other) => {
    const of = (/** @type {string} */ how) => rows.filter((row) => row.how === how).length;
    return el("p", { class: "hint" }, `${of("same")} the same, ${of("differs")} differ, ${of("first")} only of ${one}, ${of("second")} only of ${other}`);
  };
  const howOf = (/** @type {unknown} */ one, /** @type {unknown} */ other) => (one === undefined ? "second" : other === undefined ? "first" : JSON.stringify(one) === JSON.stringify(other) ? "same" : "differs");
  const fieldLink = (/** @type {string} */ name) => el("a", { href: link(`model/${name.replace(/^@/, "")}/`) }, el("code", {}, name));

  // Types

  const rowsOf = (/** @type {ComparedType} */ one, /** @type {ComparedType} */ other, /** @type {string[]} */ names) => TYPES.fields.filter((name) => one.fields[name] || other.fields[name]).map((name) => {
    const side = (/** @type {[string, string]|undefined} */ pair) => (pair ? [pair[0], ...(pair[1] ? [el("small", {}, pair[1])] : [])] : [el("span", { class: "absent" }, "Not a field of it")]);
    return { head: fieldLink(name), one: side(one.fields[name]), other: side(other.fields[name]), how: howOf(one.fields[name], other.fields[name]), names };
  });
  const ruleLinks = (/** @type {string[]} */ names) => el("ul", { class: "cols" }, ...(names.length ? names.map((name) => el("li", {}, el("a", { href: link(`rules/${name}/`) }, name))) : [el("li", {}, "None")]));
  /** @type {Record<string, [string, string]>} */
  const STATUS = { supported: ["go", "go"], restricted: ["heed", "heed"], retired: ["gone", "gone"] };
  const results = (/** @type {string} */ name, /** @type {Record<string, string>} */ statuses) => el("div", { class: "panel" }, el("h3", {}, name), el("ul", { class: "tagged" }, ...(Object.keys(statuses).length
    ? Object.entries(statuses).map(([each, word]) => el("li", {}, el("a", { href: link(`profiles/${each}/`) }, each), " ", tag(STATUS[word][0], STATUS[word][1], word)))
    : [el("li", {}, "No search engine in the registry shows one.")])));
  const drawTypes = () => {
    const names = [first.value, second.value];
    const [one, other] = names.map((name) => TYPES.types[name]);
    const rows = rowsOf(one, other, names);
    const both = one.rules.filter((name) => other.rules.includes(name));
    fill(result,
      el("section", { "aria-labelledby": "h-fields" }, el("div", { class: "row-h" }, el("h2", { id: "h-fields" }, "Fields"), counted(rows, names[0], names[1])),
        table("Fields of both types", ["Field", ...names.map((name) => el("a", { href: link(`types/${name}/`) }, name))], rows)),
      el("section", { class: "sec", "aria-labelledby": "h-results" }, el("h2", { id: "h-results" }, "Rich results"), el("div", { class: "two" }, results(names[0], one.results), results(names[1], other.results))),
      el("section", { class: "sec", "aria-labelledby": "h-rules" }, el("h2", { id: "h-rules" }, "Rules"),
        el("div", { class: "two" }, ...[{ name: names[0], own: one, theirs: other }, { name: names[1], own: other, theirs: one }].map(({ name, own, theirs }) => el("div", { class: "panel" }, el("h3", {}, `Only about ${name}`), ruleLinks(own.rules.filter((each) => !theirs.rules.includes(each)))))),
        el("details", { class: "fold sec" }, el("summary", {}, `${both.length} about both`), el("div", {}, ruleLinks(both)))));
    voice.className = "vh"; // the same stands beside the heading
    voice.textContent = result.querySelector(".hint")?.textContent ?? "";
    history.replaceState(null, "", `#a=${names[0]}&b=${names[1]}`);
  };

  // Documents

  const kinds = () => shared().kinds;
  const areas = { first: documentField("first", "First"), second: documentField("second", "Second") };
  const out = el("div", {});
  /** @param {"first"|"second"} name @param {string} label */
  function documentField(name, label) {
    const area = el("textarea", { id: `doc-${name}`, class: "code-area", rows: "12", spellcheck: "false", autocomplete: "off", oninput: settled(() => { if (texts) { texts[name] = area.value; drawRecords(); } }, 250) });
    const choose = el("select", { "aria-label": `Example for ${label.toLowerCase()}`, onchange: () => { if (choose.value && texts) { area.value = texts[name] = kinds()[choose.value].markup ?? ""; drawRecords(); } } });
    return { area, choose, whole: el("div", { class: "field" }, el("label", { for: `doc-${name}` }, label, el("code", {}, "HTML or JSON-LD")), area, choose) };
  }
  const drawDocuments = () => {
    texts ||= { first: kinds().article.markup ?? "", second: kinds().news.markup ?? "" };
    for (const name of SIDES) {
      const { area, choose } = areas[name];
      if (!choose.options.length) choose.append(el("option", { value: "" }, "Choose an example"), ...Object.entries(kinds()).map(([kind, each]) => el("option", { value: kind }, each.standard)));
      area.value = texts[name];
    }
    fill(result, el("div", { class: "two" }, areas.first.whole, areas.second.whole), el("p", { class: "tags" }, shareButton(() => texts, voice)), out);
    drawRecords();
  };
  const announce = (/** @type {string} */ words) => { voice.textContent = words; };
  const madeOf = async (/** @type {string} */ text, /** @type {() => boolean} */ isCurrent) => {
    if (!text.trim()) return { nothing: "there is nothing in the box", findings: [] };
    if (text.length > LARGEST_DOCUMENT) return { nothing: "it is more than 2 MB", findings: [] };
    try {
      const made = await answered((engine) => engine.preview({ markup: text }), announce);
      const report = await validated({ text }, isCurrent, announce);
      return report && { ...made, findings: report.files[0].findings };
    } catch (error) {
      return { nothing: `it cannot be read (${/** @type {Error} */ (error).message})`, findings: [] };
    }
  };
  /** Every comparison has a number; one that is not the last is given up. */
  let last = 0;
  const drawRecords = async () => {
    const own = (last += 1);
    const held = texts;
    if (!held) return;
    const [one, other] = await Promise.all(SIDES.map((name) => madeOf(held[name], () => own === last)));
    if (!one || !other || own !== last) return;
    const [record, against] = [one.unified || {}, other.unified || {}];
    const fields = [...new Set([...Object.keys(record), ...Object.keys(against)])];
    const cellOf = (/** @type {Json} */ value) => (value === undefined ? [el("span", { class: "absent" }, "Not given")] : [asWords(value)]);
    const rows = fields.map((name) => ({ head: fieldLink(name), one: cellOf(record[name]), other: cellOf(against[name]), how: howOf(record[name], against[name]), names: [...SIDES] }));
    const stage = (/** @type {Preview} */ made) => el("div", { class: "stage" }, el("div", { class: "stage-card" }, !made.snippet ? el("p", { class: "snip-gap" }, shape("open"), `No card: ${made.nothing}.`) : drawCard(made.snippet, shared().cards)));
    const worth = (/** @type {{findings: Finding[]}} */ made) => made.findings.filter((each) => each.severity !== "info");
    const found = (/** @type {{findings: Finding[]}} */ made) => el("div", {}, worth(made).length ? findingList(worth(made)) : el("p", { class: "note" }, "No error and no warning."));
    fill(out,
      el("section", { class: "sec", "aria-labelledby": "h-cards" }, el("h2", { id: "h-cards" }, "Cards"), el("div", { class: "two" }, stage(one), stage(other))),
      el("section", { class: "sec", "aria-labelledby": "h-records" }, el("div", { class: "row-h" }, el("h2", { id: "h-records" }, "Records"), counted(rows, "the first", "the second")),
        table("Records of both documents", ["Field", "First", "Second"], rows)),
      el("section", { class: "sec", "aria-labelledby": "h-found" }, el("h2", { id: "h-found" }, "Findings"), el("div", { class: "two" }, found(one), found(other))));
    voice.textContent = "Compared in this page: nothing was sent.";
  };

  const draw = () => {
    const documents = what.value === "documents";
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-of=types]"))) each.hidden = documents;
    if (!documents) { drawTypes(); return; }
    voice.className = "";
    voice.textContent = "The engine is on its way…";
    Promise.all((home.dataset.engine ?? "").split(" ").map(globalThis.waypost.load)).then(drawDocuments, (error) => { voice.textContent = error.message; });
  };
  // What was chosen while this script was on its way counts for more than the address.
  let isFirst = true;
  const isChosen = (/** @type {HTMLSelectElement} */ select) => isFirst && !select.selectedOptions[0].defaultSelected;
  const restore = async () => {
    const held = await unpacked(location.hash);
    if (held && typeof held.first === "string" && typeof held.second === "string") {
      texts = { first: held.first, second: held.second };
      what.value = "documents";
      draw();
      return;
    }
    const params = new URLSearchParams(location.hash.slice(1));
    const [a, b] = [params.get("a"), params.get("b")];
    for (const { name, select } of [{ name: a, select: first }, { name: b, select: second }]) if (name && Object.hasOwn(TYPES.types, name) && !isChosen(select)) select.value = name;
    if (a && !b && first.value === second.value) second.value = Object.keys(TYPES.types).find((name) => name !== first.value) ?? "";
    if (a || b) { if (!isFirst) what.value = "types"; draw(); }
  };
  form.addEventListener("change", () => (what.value === "documents" && texts && result.contains(out) ? drawRecords() : draw()));
  addEventListener("hashchange", restore);
  return async () => {
    await restore();
    isFirst = false;
    const isUntouched = [...form.querySelectorAll("input")].every((each) => each.checked === each.defaultChecked) && [...form.querySelectorAll("option")].every((each) => each.selected === each.defaultSelected);
    if (!isUntouched) draw();
  };
};

const comparing = document.getElementById("compare");
if (comparing) compareBench(comparing)().then(() => comparing.setAttribute("data-ready", ""));
