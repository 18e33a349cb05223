// The source of the validate page and of the preview: a plain text field at once, and the editor in its place as soon as someone
// is there to use it. What was typed, and where the cursor is, goes over.

import { el } from "./dom.js";
import { editorOf } from "./editor.js";

/** Signs of a reader, before anything is focused. */
const SIGNS = ["pointermove", "pointerdown", "keydown", "touchstart", "wheel", "focusin", "dragenter"];

/** @param {import("./editor.js").SourceActs} acts */
export const sourceOf = (acts) => {
  /** @type {Awaited<ReturnType<typeof editorOf>>|null} */
  let editor = null;
  /** @type {Promise<void>|null} */
  let loading = null;
  /** What was found in the text as it is. @type {[Finding[], ({line: number}[])?]|null} */
  let marked = null;
  const plain = el("textarea", { ...acts.attributes, class: "plain", placeholder: acts.placeholder, spellcheck: "false", autocorrect: "off", autocapitalize: "off" });
  const element = el("div", { class: "source" }, plain);
  let isComposing = false, isTyped = false;
  plain.addEventListener("compositionstart", () => { isComposing = true; });
  plain.addEventListener("compositionend", () => { isComposing = false; });
  plain.addEventListener("input", () => { isTyped = true; marked = null; acts.input(); });
  plain.addEventListener("paste", (event) => {
    const given = event.clipboardData?.getData("text/plain") ?? "", { selectionStart, selectionEnd, value } = plain;
    event.preventDefault();
    plain.setRangeText(given, selectionStart, selectionEnd, "end");
    // A page that is pasted is read from its beginning.
    [isTyped, marked] = [selectionEnd - selectionStart < value.length, null];
    acts.input();
  });

  const begin = async () => {
    const made = await editorOf(acts);
    while (isComposing) await new Promise((done) => { plain.addEventListener("compositionend", done, { once: true }); });
    const isFocused = document.activeElement === plain, { value, selectionStart, selectionEnd } = plain;
    if (value) made.set(value);
    editor = made;
    plain.replaceWith(made.element);
    if (isTyped) made.select(selectionStart, selectionEnd);
    if (marked) made.mark(...marked);
    if (isFocused) made.focus();
  };
  // Without the editor the text field stays, and the findings are in the other columns.
  const ready = () => (loading ??= begin().catch(() => {}));
  for (const sign of SIGNS) addEventListener(sign, ready, { once: true, passive: true });
  /** @param {(made: NonNullable<typeof editor>) => void} work */
  const then = (work) => { if (editor) work(editor); else ready().then(() => { if (editor) work(editor); }); };

  return {
    element, ready,
    text: () => editor?.text() ?? plain.value,
    length: () => editor?.length() ?? plain.value.length,
    head: () => editor?.head() ?? plain.selectionStart,
    /** @param {string} given */
    set: (given) => { if (editor) { editor.set(given); return; } plain.value = given; isTyped = false; marked = null; ready(); },
    /** @param {string} after */
    edit: (after) => { if (editor) editor.edit(after); else plain.value = after; },
    undo: () => editor?.undo(),
    canUndo: () => editor?.canUndo() ?? false,
    focus: () => (editor ?? plain).focus(),
    /** @param {Finding[]} findings @param {{line: number}[]} [items] */
    mark: (findings, items) => { if (editor) editor.mark(findings, items); else marked = findings.length || items ? [findings, items] : null; },
    /** @param {boolean} folding */
    fold: (folding) => then((made) => made.fold(folding)),
    /** @param {{from: number, to: number}} place */
    go: (place) => then((made) => made.go(place)),
    /** @param {{from: number, to: number}[]} places */
    point: (places) => editor?.point(places),
  };
};
