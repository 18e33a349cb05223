// The box: a textarea with its lines numbered, findings marked in the gutter, and its text drawn in colours over it. Only what
// is seen is drawn. The textarea stays what it is to the keyboard, to a screen reader and to an input method.

import { ORDER } from "./causes.js";
import { WEIGHTS, el, fill, shape } from "./dom.js";
import { firstState, tokensOf } from "./syntax.js";

const LINE_PX = 20;
const PAD_PX = 10;
/** A line that is longer is shown without colours: nothing is won by drawing it twice. */
const LONGEST_COLOURED = 3000;
/** Most lines in the textarea: a browser goes through all of its text at each key. A longer text is shown without it, and edited in parts. */
const MOST_LAID_OUT = 5000;

/** @param {HTMLTextAreaElement} area @param {(finding: Finding) => void} chosen a mark in the gutter was chosen */
export const editorOf = (area, chosen) => {
  const moved = el("div", { class: "moved" }), numbers = el("div", { class: "moved" });
  const under = el("pre", { class: "under", "aria-hidden": "true" }, moved);
  const gutter = el("div", { class: "gutter", "aria-hidden": "true" }, numbers);
  const extent = el("div");
  /** What scrolls in place of the textarea. */
  const viewer = el("div", { class: "viewer", tabindex: "0", role: "group", "aria-label": "Source" }, extent);
  const edit = el("button", { class: "btn btn-s edit", type: "button", onclick: () => (isEdited ? all() : part(Math.floor(port.scrollTop / LINE_PX))) });
  const element = el("div", { class: "editor" }, gutter, el("div", { class: "pane" }, area, viewer, under, edit));
  /** Whether the textarea is shown however long the text is: it holds a part, of some lines with text before and after them. */
  let isEdited = false;
  let before = "", after = "", linesBefore = 0, linesAfter = 0;
  const whole = () => before + area.value + after;
  /** The text when the part was opened; and, of each part that was edited and left, that text and a line. A textarea undoes only edits
   * of the text it holds. @type {[string, number][]} */
  let past = [], opened = "";
  const leave = () => { if (isEdited && text !== opened) past.push([opened, linesBefore + MOST_LAID_OUT / 2]); };
  /** What is scrolled: the textarea, or the viewer of a long text. @type {HTMLElement} */
  let port = area;
  /** @type {string[]} */
  let lines = [""];
  let text = "", isPlain = false;
  /** The state at the beginning of each line, as far as lines were read. @type {string[]} */
  let states = ["h"];
  /** Findings by their line, and where each line begins. @type {Map<number, Finding[]>} */
  let marks = new Map();
  /** @type {number[]} */
  let starts = [0];

  const lineNode = (/** @type {number} */ number) => {
    const [tokens, next] = tokensOf(lines[number].slice(0, LONGEST_COLOURED), states[number]);
    states[number + 1] = next;
    const found = (marks.get(number) || []).map((each) => /** @type {[number, number, Severity]} */ ([each.from - starts[number], Math.max(each.to, each.from + 1) - starts[number], each.severity]));
    return el("div", {}, ...marked(tokens, found), "\n");
  };
  let isDue = false;
  /** Once for a frame: what is read of the box here makes the browser lay out all of its text. */
  const draw = () => {
    if (!isDue) requestAnimationFrame(drawn);
    isDue = true;
  };
  const drawn = () => {
    isDue = false;
    const top = port.scrollTop + linesBefore * LINE_PX;
    const first = Math.max(linesBefore, Math.floor(top / LINE_PX) - 1);
    const last = Math.min(lines.length - linesAfter, Math.ceil((top + port.clientHeight - PAD_PX) / LINE_PX));
    for (let number = Math.min(states.length - 1, first); number < first; number += 1) states[number + 1] = isPlain ? "h" : tokensOf(lines[number], states[number])[1];
    const displayed = Array.from({ length: last - first }, (_, n) => first + n);
    fill(moved, ...(isPlain && port === area ? [] : displayed.map(lineNode)));
    fill(numbers, ...displayed.map((number) => {
      const worst = (marks.get(number) || []).reduce((/** @type {Finding|null} */ one, other) => (one && ORDER.indexOf(one.severity) <= ORDER.indexOf(other.severity) ? one : other), null);
      return el("div", worst ? { class: `is-${worst.severity}`, title: worst.message, onclick: () => chosen(worst) } : {}, worst && shape(WEIGHTS[worst.severity][1]), String(number + 1));
    }));
    const down = PAD_PX + first * LINE_PX - top;
    moved.style.transform = `translate(${-port.scrollLeft}px, ${down}px)`;
    numbers.style.transform = `translateY(${down}px)`;
  };
  /** The textarea or the viewer: whichever the text is short enough for. */
  const arrange = () => {
    const isLong = lines.length > MOST_LAID_OUT && !isEdited;
    port = isLong ? viewer : area;
    [area.hidden, viewer.hidden, edit.hidden] = [isLong, !isLong, !isLong && !(before + after)];
    edit.textContent = isEdited ? "Show all" : "Edit";
    element.classList.toggle("is-long", isLong);
    extent.style.blockSize = `${lines.length * LINE_PX + 2 * PAD_PX}px`;
    extent.style.inlineSize = `${lines.reduce((most, line) => Math.max(most, line.length), 0) + 4}ch`;
    draw();
  };
  const set = (/** @type {string} */ value) => {
    if (value !== text) past = [];
    isEdited = false;
    before = after = "";
    linesBefore = linesAfter = 0;
    area.value = value;
    read();
    arrange();
    port.scrollTop = port.scrollLeft = 0;
  };
  /** Edit the lines around one. @param {number} line */
  const part = (line) => {
    leave();
    opened = text;
    linesBefore = Math.max(0, Math.min(lines.length - MOST_LAID_OUT, line - MOST_LAID_OUT / 2));
    linesAfter = Math.max(0, lines.length - MOST_LAID_OUT - linesBefore);
    before = text.slice(0, starts[linesBefore]);
    after = linesAfter ? text.slice(starts[lines.length - linesAfter] - 1) : "";
    area.value = text.slice(before.length, text.length - after.length);
    isEdited = true;
    arrange();
    area.focus();
    area.selectionEnd = starts[line] - before.length;
    area.scrollTop = (line - linesBefore) * LINE_PX;
  };
  /** Show all lines again, where the reader is. */
  const all = () => {
    const top = area.scrollTop + linesBefore * LINE_PX;
    leave();
    set(text);
    port.focus();
    port.scrollTop = top;
  };
  /** The text has changed: what was known of the lines before the first change still holds. */
  const read = () => {
    const old = lines, value = whole();
    if (value === text) return;
    text = value;
    lines = text.split("\n");
    let same = 0;
    while (same < old.length && same < lines.length && old[same] === lines[same]) same += 1;
    states = firstState(text) === states[0] ? states.slice(0, same + 1) : [firstState(text)];
    marks = new Map([...marks].filter(([number]) => number < same));
    starts = [0];
    for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
    isPlain = lines.some((line) => line.length > LONGEST_COLOURED);
    element.classList.toggle("is-plain", isPlain);
    gutter.style.inlineSize = `${String(lines.length).length + 4}ch`;
    arrange();
  };
  // A long text is taken before the textarea lays it out; pasted into the viewer, any text replaces the one that is there.
  element.addEventListener("paste", (event) => {
    const given = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
    const isAll = area.selectionEnd - area.selectionStart === area.textLength;
    if (!given || (port === area && !(isAll && (before + after || given.split("\n", MOST_LAID_OUT + 1).length > MOST_LAID_OUT)))) return;
    event.preventDefault();
    set(given);
    port.focus();
    area.dispatchEvent(new Event("input"));
  });
  area.addEventListener("input", read);
  element.addEventListener("keydown", (event) => {
    const now = text, left = past;
    // Where the textarea undoes nothing, the edits of the part before are undone, all at once.
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && left[0]) setTimeout(() => {
      if (text !== now) return;
      const [value, line] = /** @type {[string, number]} */ (left.pop());
      set(value);
      past = left;
      part(line);
      area.dispatchEvent(new Event("input"));
    });
  });
  arrange();
  for (const each of [area, viewer]) {
    each.addEventListener("scroll", draw, { passive: true });
    new ResizeObserver(draw).observe(each);
  }
  return {
    element,
    set,
    /** The text, of which the textarea may hold a part. */
    whole,
    /** @param {Finding[]} findings of the text that stands in the box now */
    mark: (findings) => {
      marks = new Map();
      for (const each of findings) {
        if (each.severity === "info") continue;
        const number = each.line - 1, known = marks.get(number);
        if (known) known.push(each); else marks.set(number, [each]);
      }
      draw();
    },
    /** To a finding: it is selected, and its line stands in the box. @param {Finding} finding */
    go: (finding) => {
      if (finding.from < before.length || finding.to > text.length - after.length) part(finding.line - 1);
      port.focus();
      if (port === area) area.setSelectionRange(finding.from - before.length, finding.to - before.length);
      port.scrollTop = Math.max(0, (finding.line - 5 - linesBefore) * LINE_PX);
      element.scrollIntoView({ block: "nearest" });
    },
  };
};

/** Tokens as nodes, with what findings are about underlined. @param {[string, string][]} tokens @param {[number, number, Severity][]} found [from, to, severity] */
const marked = (tokens, found) => {
  const cuts = [...new Set(found.flatMap(([from, to]) => [from, to]))].sort((one, other) => one - other);
  const nodes = [];
  let at = 0;
  for (const [kind, whole] of tokens) {
    const end = at + whole.length;
    const edges = [at, ...cuts.filter((cut) => cut > at && cut < end), end];
    for (let n = 0; n + 1 < edges.length; n += 1) {
      const part = whole.slice(edges[n] - at, edges[n + 1] - at);
      const worst = found.filter(([from, to]) => from <= edges[n] && to >= edges[n + 1]).map(([, , severity]) => severity).sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))[0];
      const classes = [kind, worst && `m-${worst}`].filter(Boolean).join(" ");
      nodes.push(classes ? el("span", { class: classes }, part) : part);
    }
    at = end;
  }
  return nodes;
};
