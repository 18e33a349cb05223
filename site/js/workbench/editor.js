// The editor of the validate page and of the preview (CodeMirror, site/vendor/editor.js), with findings below their lines. Lines without
// a finding are folded, and so is the rest of long lines. source.js puts it in the place of a plain text field.

import { folded } from "./causes.js";
import { el, withCommas } from "./dom.js";

const CONTEXT_LINES = 1;
/** Shorter texts are shown whole. */
const SHORT_TEXT = 30;
const FEWEST_FOLDED = 3;
const MOST_PLACES_VISIBLE = 3;
const LONG_LINE = 600;
const AROUND_PLACE = 140;
const MOST_ITEMS_VISIBLE = 12;
const LINES_OF_AN_ITEM = 14;
const FEWEST_CUT = 80;
/** Findings that are drawn below lines at first, and with each press of a button; all of them are underlined. */
const NOTES_AT_ONCE = 200;
const NOTE_HEIGHT = 110;

/** @typedef {{input: () => void, noteOf: (same: Finding[]) => HTMLElement, moved: (line: number, column: number, head: number) => void, toggled: (isFolded: boolean, canFold: boolean) => void, attributes: Record<string, string>, placeholder: string, isUnfolded?: boolean}} SourceActs
 *   isUnfolded  all lines are visible at first */

/** Short tasks leave the page free to answer. */
const ownTask = () => new Promise((go) => setTimeout(go));

/** Loads the editor. @param {SourceActs} acts */
export const editorOf = async (acts) => {
  await globalThis.waypost.part("editor");
  await ownTask(); // reading the editor was one
  const CM = globalThis.WaypostEditor;
  const { Decoration, EditorState, EditorView, StateEffect, StateField, WidgetType } = CM;

  const setMarks = StateEffect.define(), setPointed = StateEffect.define(), setNotes = StateEffect.define(), setFolds = StateEffect.define(), unfold = StateEffect.define();
  /** A change that does not come from the reader's keys. */
  const ours = CM.Annotation.define();

  class Note extends WidgetType {
    /** @param {Finding[]} same */
    constructor(same) { super(); this.same = same; }
    /** @param {Note} other */
    eq(other) { return other.same[0] === this.same[0]; }
    get estimatedHeight() { return NOTE_HEIGHT; }
    toDOM() { return el("div", { class: "note-row" }, acts.noteOf(this.same)); }
    ignoreEvent() { return true; }
  }
  class More extends WidgetType {
    /** @param {number} left */
    constructor(left) { super(); this.left = left; }
    /** @param {More} other */
    eq(other) { return other.left === this.left; }
    toDOM() { return el("div", { class: "note-row" }, el("button", { class: "btn btn-s", type: "button", onclick: () => { mostNotes += NOTES_AT_ONCE; drawNotes(); } }, `Show more: ${this.left} are left`)); }
    ignoreEvent() { return true; }
  }
  class Fold extends WidgetType {
    /** @param {string} words @param {boolean} isBlock */
    constructor(words, isBlock) { super(); this.words = words; this.isBlock = isBlock; }
    /** @param {Fold} other */
    eq(other) { return other.words === this.words && other.isBlock === this.isBlock; }
    get estimatedHeight() { return this.isBlock ? 28 : -1; }
    /** @param {any} view */
    toDOM(view) {
      const button = el("button", { class: this.isBlock ? "fold-lines" : "fold-part", type: "button", title: "Show what is folded here", onclick: () => {
        const at = view.posAtDOM(button);
        const ranges = rangesAt(view.state, at);
        view.dispatch({ effects: ranges.map(([from]) => unfold.of(from)) });
        view.focus();
      } }, this.words);
      return this.isBlock ? el("div", { class: "fold-row" }, button) : button;
    }
    ignoreEvent() { return true; }
  }
  /** Folded ranges that begin or end at a place. @param {any} state @param {number} at @returns {[number, number][]} */
  const rangesAt = (state, at) => {
    /** @type {[number, number][]} */
    const found = [];
    state.field(folds).between(at, at, (/** @type {number} */ from, /** @type {number} */ to) => { found.push([from, to]); });
    return found;
  };

  const fieldOf = (/** @type {any} */ effect) => StateField.define({
    create: () => Decoration.none,
    update: (/** @type {any} */ value, /** @type {any} */ change) => {
      let next = value.map(change.changes);
      for (const each of change.effects) if (each.is(effect)) next = each.value;
      return next;
    },
    provide: (/** @type {any} */ field) => EditorView.decorations.from(field),
  });
  const marks = fieldOf(setMarks), pointed = fieldOf(setPointed), notes = fieldOf(setNotes);
  const folds = StateField.define({
    create: () => Decoration.none,
    update: (/** @type {any} */ value, /** @type {any} */ change) => {
      let next = value.map(change.changes);
      for (const each of change.effects) {
        if (each.is(setFolds)) next = each.value;
        else if (each.is(unfold)) next = next.update({ filter: (/** @type {number} */ from) => from !== each.value });
      }
      // The cursor is never inside what cannot be seen: a search, or an undo, opens it.
      const { main } = change.state.selection;
      if (change.selection || change.docChanged) next = next.update({ filter: (/** @type {number} */ from, /** @type {number} */ to) => !(main.from < to && main.to > from) });
      return next;
    },
    provide: (/** @type {any} */ field) => [EditorView.decorations.from(field), EditorView.atomicRanges.of((/** @type {any} */ view) => view.state.field(field))],
  });

  const language = (/** @type {string} */ text) => (/^\ufeff?\s*[[{]/.test(text) ? CM.json : CM.html);
  const speech = new CM.Compartment();
  let isFresh = true, isFolded = !acts.isUnfolded, isPasted = false;
  /** @type {Finding[][]} */
  let visibleGroups = [];
  /** @type {{line: number}[]} */
  let visibleItems = [];
  let mostNotes = NOTES_AT_ONCE;
  const drawNotes = () => {
    const { doc } = view.state;
    const placed = visibleGroups.slice(0, mostNotes).map((same) => {
      const at = same[0].line > 0 ? doc.lineAt(Math.min(same[0].from, doc.length)).to : 0;
      return Decoration.widget({ widget: new Note(same), block: true, side: same[0].line > 0 ? 1 : -1 }).range(at);
    });
    const left = visibleGroups.length - mostNotes;
    if (left > 0) placed.push(Decoration.widget({ widget: new More(left), block: true, side: 2 }).range(Math.max(...placed.map((each) => each.from))));
    view.dispatch({ effects: setNotes.of(Decoration.set(placed, true)) });
  };
  const extensions = [
    CM.lineNumbers(), CM.history(), CM.bracketMatching(), CM.search({ top: true }),
    EditorView.lineWrapping, marks, pointed, notes, folds,
    CM.placeholder(acts.placeholder),
    CM.syntaxHighlighting(CM.tagHighlighter([
      { tag: [CM.tags.propertyName, CM.tags.tagName, CM.tags.angleBracket], class: "k" }, { tag: [CM.tags.string, CM.tags.attributeValue], class: "s" },
      { tag: [CM.tags.number, CM.tags.bool, CM.tags.null, CM.tags.attributeName], class: "n" }, { tag: [CM.tags.separator, CM.tags.bracket, CM.tags.squareBracket, CM.tags.brace, CM.tags.comment, CM.tags.meta], class: "p" }])),
    CM.keymap.of([...CM.searchKeymap, ...CM.historyKeymap, ...CM.defaultKeymap.filter((/** @type {any} */ each) => each.key !== "Mod-Enter")]),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({ spellcheck: "false", autocorrect: "off", autocapitalize: "off", ...acts.attributes }),
    EditorView.updateListener.of((/** @type {any} */ update) => {
      if (update.selectionSet || update.docChanged) {
        const { head } = update.state.selection.main, line = update.state.doc.lineAt(head);
        acts.moved(line.number, [...line.text.slice(0, Math.min(head - line.from, 100_000))].length + 1, head);
      }
      if (update.transactions.some((/** @type {any} */ each) => each.effects.some((/** @type {any} */ one) => one.is(unfold)))) {
        isFolded = update.state.field(folds).size > 0;
        acts.toggled(isFolded, true);
      }
      if (!update.docChanged || update.transactions.some((/** @type {any} */ each) => each.annotation(ours))) return;
      // A text that is pasted in place of all there was is a new page.
      const isWhole = update.transactions.some((/** @type {any} */ each) => each.isUserEvent("input.paste")) && update.changes.iterChangedRanges && wasReplaced(update);
      if (isWhole) { isFresh = isPasted = true; isFolded = !acts.isUnfolded; update.view.dispatch({ effects: speech.reconfigure(language(text())) }); }
      acts.input();
    }),
  ];
  const wasReplaced = (/** @type {any} */ update) => {
    let isAll = false;
    update.changes.iterChanges((/** @type {number} */ from, /** @type {number} */ to) => { isAll ||= from === 0 && to === update.startState.doc.length; });
    return isAll;
  };
  const stateOf = (/** @type {string} */ given) => EditorState.create({ doc: given, extensions: [speech.of(language(given)), ...extensions] });
  const view = new EditorView({ state: stateOf("") });
  await ownTask();
  /** The text, as long as it does not change: a long one is not put together again and again. @type {[any, string]} */
  let known = [view.state.doc, ""];
  const text = () => {
    if (known[0] !== view.state.doc) known = [view.state.doc, view.state.doc.toString()];
    return known[1];
  };

  /** Ranges without anything to see, as folded lines and folded parts of long lines. @param {any} doc @param {Finding[][]} groups */
  const foldsOf = (doc, groups) => {
    if (!(groups.length || visibleItems.length) || (doc.lines <= SHORT_TEXT && doc.length < LONG_LINE * 8)) return Decoration.none;
    /** Columns to see by line: [from, to] of places, in order. @type {Map<number, [number, number][]>} */
    const places = new Map();
    const keep = (/** @type {number} */ number) => { if (number >= 1 && number <= doc.lines && !places.has(number)) places.set(number, []); };
    for (const same of groups.slice(0, mostNotes)) for (const each of same.slice(0, MOST_PLACES_VISIBLE)) {
      const at = Math.min(each.from, doc.length), line = doc.lineAt(at), end = Math.min(Math.max(each.to, at + 1), doc.length);
      for (let number = line.number - CONTEXT_LINES; number <= line.number + CONTEXT_LINES; number += 1) keep(number);
      places.get(line.number)?.push([at, Math.min(end, at + 400)]);
    }
    // Of a page without findings its items are seen.
    if (!groups.length) for (const { line } of visibleItems.slice(0, MOST_ITEMS_VISIBLE)) for (let number = line - CONTEXT_LINES; number < line + LINES_OF_AN_ITEM; number += 1) keep(number);
    const visible = [...places.keys()].sort((one, two) => one - two);
    const ranges = [];
    let last = 0;
    for (const number of [...visible, doc.lines + 1]) {
      if (number - last - 1 >= FEWEST_FOLDED) {
        const words = `⋯ ${number - last === 2 ? "line" : "lines"} ${withCommas(last + 1)} to ${withCommas(number - 1)} ⋯`;
        ranges.push(Decoration.replace({ widget: new Fold(words, true), block: true }).range(doc.line(last + 1).from, doc.line(number - 1).to));
      }
      last = number;
      if (number > doc.lines) break;
      const line = doc.line(number);
      if (line.length <= LONG_LINE) continue;
      const seen = (places.get(number) || []).sort((one, two) => one[0] - two[0]);
      let at = line.from;
      for (const [from, to] of [...seen, [line.to + AROUND_PLACE, line.to + AROUND_PLACE]]) {
        const start = at === line.from && !seen.length ? line.from + 2 * AROUND_PLACE : at, end = Math.min(from - AROUND_PLACE, line.to);
        if (end - start >= FEWEST_CUT) ranges.push(Decoration.replace({ widget: new Fold(`⋯ ${withCommas(end - start)} characters ⋯`, false) }).range(start, end));
        at = Math.max(at, to + AROUND_PLACE);
      }
    }
    return Decoration.set(ranges, true);
  };
  const refold = () => {
    const set = foldsOf(view.state.doc, visibleGroups);
    view.dispatch({ effects: setFolds.of(isFolded ? set : Decoration.none) });
    acts.toggled(isFolded && set.size > 0, set.size > 0);
  };
  /** What stands between two texts that differ, as a change. @param {string} before @param {string} after */
  const changeOf = (before, after) => {
    let from = 0, end = 0;
    const most = Math.min(before.length, after.length);
    while (from < most && before[from] === after[from]) from += 1;
    while (end < most - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
    return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
  };

  return {
    element: /** @type {HTMLElement} */ (view.dom),
    text,
    /** Another page: what was undone and folded is forgotten. @param {string} given */
    set: (given) => {
      isFresh = true;
      isFolded = !acts.isUnfolded;
      visibleGroups = [];
      visibleItems = [];
      view.setState(stateOf(given));
    },
    /** Edit the text: one step to undo. @param {string} after */
    edit: (after) => view.dispatch({ changes: changeOf(text(), after), annotations: ours.of(true), userEvent: "input.fix" }),
    undo: () => CM.undo(view),
    canUndo: () => CM.undoDepth(view.state) > 0,
    focus: () => view.focus(),
    /** @param {Finding[]} findings of the text as it is @param {{line: number}[]} [items] */
    mark: (findings, items = []) => {
      visibleItems = items;
      const { doc } = view.state;
      const weighty = findings.filter((each) => each.severity !== "info");
      const underlined = weighty.filter((each) => each.line > 0 && each.from < doc.length).map((each) => Decoration.mark({ class: `m-${each.severity}` }).range(each.from, Math.min(Math.max(each.to, each.from + 1), doc.length)));
      // Alike findings stand once, below the first of their lines.
      visibleGroups = folded(weighty).map((same) => [...same].sort((one, two) => one.from - two.from));
      mostNotes = NOTES_AT_ONCE;
      view.dispatch({ effects: setMarks.of(Decoration.set(underlined, true)) });
      drawNotes();
      if (isFresh) {
        isFresh = false;
        refold();
        if (isPasted) view.dispatch({ selection: { anchor: 0 } });
        // Lines before the first finding are folded; where all lines are shown, it is in view.
        const isFound = visibleGroups.length > 0 && !view.state.field(folds).size && !view.hasFocus;
        const first = isFound ? Math.min(doc.length, ...visibleGroups.map(([each]) => each.from)) : 0;
        if (isPasted || isFound) view.dispatch({ effects: EditorView.scrollIntoView(first, { y: "nearest", yMargin: 60 }) });
        isPasted = false;
      } else acts.toggled(view.state.field(folds).size > 0, foldsOf(doc, visibleGroups).size > 0);
    },
    /** Fold or show all. @param {boolean} folding */
    fold: (folding) => { isFolded = folding; refold(); },
    /** To a place: it is selected, and its line in sight. @param {{from: number, to: number}} place */
    go: ({ from, to }) => {
      const { length } = view.state.doc, anchor = Math.min(from, length);
      view.dispatch({ selection: { anchor, head: Math.min(Math.max(to, anchor), length, anchor + 5000) }, effects: EditorView.scrollIntoView(anchor, { y: "start", yMargin: 60 }) });
      view.focus();
    },
    /** Places to highlight, without moving there. @param {{from: number, to: number}[]} places */
    point: (places) => {
      const { length } = view.state.doc;
      const ranges = places.filter(({ from, to }) => from < to && to <= length).map(({ from, to }) => Decoration.mark({ class: "m-here" }).range(from, to));
      const effects = [setPointed.of(Decoration.set(ranges, true))];
      if (ranges.length) effects.push(EditorView.scrollIntoView(Math.min(...ranges.map((each) => each.from)), { y: "nearest", yMargin: 60 }));
      view.dispatch({ effects });
    },
    /** @param {number} from @param {number} to */
    select: (from, to) => view.dispatch({ selection: { anchor: from, head: to } }),
    head: () => view.state.selection.main.head,
    length: () => view.state.doc.length,
  };
};
