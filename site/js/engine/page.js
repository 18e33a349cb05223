// @ts-check
// A page as the reader leaves it: nodes with their places. Counterpart of waypost/models/page.py; offsets count
// UTF-16 units of the text with LF newlines, and become bytes, lines and columns only in a report.

import { isBlank } from "./strings.js";
import { WIDE, rpartition } from "./text.js";

/** @import { Num } from "./strings.js" */
/** @import { Marked } from "./tags.js" */

/** @typedef {{start: number, end: number}} Span */
/** Words and a place for `related` of a finding: a span, or the arguments of `Page.spanOf`.
 * @typedef {[string, Span|[Thing, (string|null)?, (number|null)?, string?]]} Related */
/** What went wrong while reading, for a rule to explain. `finding` is set by the collector.
 * @typedef {{rule: string, span: Span, syntax: string, block: number|null, pointer: string, detail: Record<string, any>,
 *   edits: [Span, string][], related: Related[], finding?: Finding}} ReadError */
/** @typedef {Thing|string|Num|boolean|null} Value */
/** Where the values of a node are written: a script of JSON-LD, or an item with everything inside it.
 * @typedef {{syntax: string, index: number, span: (node: Thing, prop?: string|null, index?: number|null, part?: string) => Span,
 *   pointer: (node: Thing, prop?: string|null, index?: number|null) => string, spelled: (text: string) => string,
 *   isApart?: (node: Thing) => boolean, start?: number}} Block */

/** A node: one object that the markup describes. */
export class Thing {
  /** @param {Block} block @param {any} origin of the block's own kind @param {Thing|null} [parent] @param {string|null} [via] */
  constructor(block, origin, parent = null, via = null) {
    this.block = block;
    this.origin = origin;
    this.parent = parent;
    this.via = via;
    /** @type {string[]} */
    this.types = [];
    /** @type {string|null} */
    this.id = null;
    /** @type {Map<string, Value[]>} */
    this.props = new Map();
    /** Languages of texts: property -> place -> tag. @type {Map<string, Map<number, string>>|null} */
    this.languages = null;
    /** Canonical name -> the spelling that was corrected. @type {Map<string, string>|null} */
    this.miscased = null;
    this.reference = false;
    this.foreign = false;
    /** Has a type and nothing else, and the type is not itself the value? */
    this.hollow = false;
    this.reverse = false;
    /** @type {[Thing, string][]} */
    this.referrers = [];
    /** @type {Thing|null} */
    this.sameAs = null;
    /** "property place" -> where the value was written. @type {Map<string, [Thing, string, number]>|null} */
    this.borrowed = null;
    /** Type -> the node of the same id that states it. @type {Map<string, Thing>|null} */
    this.typedBy = null;
  }

  /** The first present value of a property, else null. @param {string} prop @returns {Value} */
  get(prop) {
    for (const value of this.props.get(prop) || []) if (isPresent(value)) return value;
    return null;
  }

  /** @param {string} prop @returns {Thing[]} */
  nodes(prop) {
    return (this.props.get(prop) || []).filter((value) => value instanceof Thing);
  }

  /** @param {string} prop @param {number} place @returns {string|null} */
  languageOf(prop, place) {
    return this.languages?.get(prop)?.get(place) ?? null;
  }

  /** [property, index, node] of the values that were joined from another node of the same id. @returns {[string, number, Thing][]} */
  joined() {
    return [...(this.borrowed || [])].map(([place, [other]]) => {
      const [prop, , index] = rpartition(place, " ");
      return [prop, Number(index), other];
    });
  }

  /** The node in which a value was written: this one, or another of the same id. @param {string} prop @param {number} index @returns {Thing} */
  writer(prop, index) {
    return this.borrowed?.get(`${prop} ${index}`)?.[0] || this;
  }

  /** @param {string} prop @param {number} place @param {string} language */
  tag(prop, place, language) {
    this.languages ||= new Map();
    const places = this.languages.get(prop) || new Map();
    this.languages.set(prop, places.set(place, language));
  }

  /** @param {string} name @param {string} spelled */
  noteSpelling(name, spelled) {
    this.miscased ||= new Map();
    this.miscased.set(name, spelled);
  }
}

/** Not null, not blank, not an object without content. @param {Value} value */
export const isPresent = (value) => {
  if (typeof value === "string") return value !== "" && !isBlank(value);
  if (value instanceof Thing) return !value.hollow && (value.props.size > 0 || !!value.id || value.types.length > 0);
  return value !== null && value !== undefined;
};

const STEP = 2048;

/** Turns offsets of the text into places of the file as given. */
class Places {
  /** @param {string} given */
  constructor(given) {
    this.mark = given.startsWith("\ufeff") ? 1 : 0;
    const body = (this.mark ? given.slice(1) : given).toWellFormed();
    this.returns = /** @type {number[]} */ ([]); // offsets of the newlines that were written as CR LF
    if (body.includes("\r")) {
      let dropped = 0;
      this.text = body.replace(/\r\n?/g, (found, at) => {
        if (found.length > 1) this.returns.push(at - dropped++);
        return "\n";
      });
    } else this.text = body;
    this.isWide = WIDE.test(this.text);
    this.isAscii = /^[\0-\x7f]*$/.test(this.text);
    /** @type {number[]|null} */
    this.lines = null;
    /** @type {{bytes: number[], points: number[]}|null} */
    this.sums = null;
  }

  lineStarts() {
    if (!this.lines) {
      this.lines = [0];
      for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1)) this.lines.push(at + 1);
    }
    return this.lines;
  }

  /** Bytes of UTF-8 and code points before every so many units. */
  stops() {
    if (!this.sums) {
      const bytes = [0],
        points = [0];
      for (let at = 0; at < this.text.length; at += STEP) {
        const [more, further] = this.measured(at, Math.min(at + STEP, this.text.length));
        bytes.push(bytes[bytes.length - 1] + more);
        points.push(points[points.length - 1] + further);
      }
      this.sums = { bytes, points };
    }
    return this.sums;
  }

  /** [bytes, code points] of a part of the text. @param {number} start @param {number} end */
  measured(start, end) {
    let bytes = 0,
      points = 0;
    for (let at = start; at < end; at++) {
      const code = this.text.charCodeAt(at);
      if (code < 0x80) bytes += 1;
      else if (code < 0x800) bytes += 2;
      else if (code >= 0xd800 && code < 0xdc00) bytes += 4;
      else if (code >= 0xdc00 && code < 0xe000) points -= 1;
      else bytes += 3;
      points += 1;
    }
    return [bytes, points];
  }

  /** @param {number} at */
  returnsBefore(at) {
    return below(this.returns, at);
  }

  /** The byte of the file at which a character starts. @param {number} at */
  byte(at) {
    const own = this.mark * 3 + (this.returns.length ? this.returnsBefore(at) : 0);
    if (this.isAscii) return own + at;
    const stop = Math.floor(at / STEP);
    return own + this.stops().bytes[stop] + this.measured(stop * STEP, at)[0];
  }

  /** @param {number} at */
  point(at) {
    if (!this.isWide) return at;
    const stop = Math.floor(at / STEP);
    return this.stops().points[stop] + this.measured(stop * STEP, at)[1];
  }

  /** The offset in the text as given. @param {number} at */
  given(at) {
    return at + this.mark + (this.returns.length ? this.returnsBefore(at) : 0);
  }

  /** [line, column], both from 1, the column in code points. @param {number} offset */
  lineAndColumn(offset) {
    const at = Math.min(Math.max(offset, 0), this.text.length);
    const starts = this.lineStarts();
    const line = below(starts, at + 1);
    return [line, this.point(at) - this.point(starts[line - 1]) + 1];
  }

  /** @param {Span} span */
  place(span) {
    const start = Math.min(Math.max(span.start, 0), this.text.length);
    const end = Math.min(Math.max(span.end, start), this.text.length);
    const [line, column] = this.lineAndColumn(start);
    const [endLine, endColumn] = this.lineAndColumn(end);
    return {
      start: this.byte(start),
      end: this.byte(end),
      line,
      column,
      end_line: endLine,
      end_column: endColumn,
      from: this.given(start),
      to: this.given(end),
    };
  }
}
/** How many of some sorted numbers are below a bound. @param {number[]} sorted @param {number} bound */
export const below = (sorted, bound) => {
  let low = 0,
    high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class Page {
  /** @param {string} path @param {string} given */
  constructor(path, given) {
    this.path = path;
    this.places = new Places(given);
    this.text = this.places.text;
    /** @type {string|null} */
    this.url = null;
    /** @type {string|null} */
    this.base = null;
    /** @type {string|null} */
    this.language = null;
    /** The text of its `<title>`. */
    this.title = "";
    /** @type {Block[]} */
    this.blocks = [];
    /** @type {Thing[]} */
    this.nodes = [];
    /** @type {Thing[]} */
    this.roots = [];
    /** Items whose own property belongs to no item. @type {Set<Thing>} */
    this.orphans = new Set();
    /** @type {Map<string, Thing>} */
    this.byId = new Map();
    /** Displayed texts next to values in attributes. @type {{node: Thing, prop: string, position: number, tag: string, text: string}[]} */
    this.visible = [];
    /** Values that are placeholders of images, as [node, property, index], and the images.
     * @type {[[Thing, string, number], {attribute: string, address: string, edits: [Span, string][]}][]} */
    this.lazyImages = [];
    /** @type {ReadError[]} */
    this.readErrors = [];
    /** Numbers of the scripts that are no strict JSON after all their safe repairs. @type {Set<number|null>} */
    this.broken = new Set();
    /** Number of a script whose repairs guess more than once: the one error reported about it. @type {Map<number, ReadError>} */
    this.guessed = new Map();
    this.ignores = false;
    /** People see the text: it is not JSON. */
    this.isHtml = false;
    /** @type {Marked|null} */
    this.marked = null;
  }

  /** @param {number} start @param {number} end */
  sourceText(start, end) {
    return this.text.slice(Math.max(start, 0), end);
  }

  /** The picture in whose place a value is a placeholder. @param {Thing} node @param {string} prop @param {number} index */
  lazyImage(node, prop, index) {
    return this.lazyImages.find(([at]) => at[0] === node && at[1] === prop && at[2] === index)?.[1] ?? null;
  }

  /** Where a node, property or value is written, through joins of nodes with one id; see `Page.span_of`.
   * @param {Thing} given @param {string|null} [prop] @param {number|null} [index] @param {string} [part] @returns {Span} */
  spanOf(given, prop = null, index = null, part = "value") {
    const [node, name, at] = this.home(given, prop, index);
    if (name !== null && !node.props.has(name)) return node.block.span(node, null, null, "node");
    return node.block.span(node, name, at, name !== null || part === "type" ? part : "node");
  }

  /**
   * @param {Thing} node
   * @param {string|null} prop
   * @param {number|null} index
   * @returns {[Thing, string|null, number|null]}
   */
  home(node, prop, index) {
    return (prop !== null && node.borrowed?.get(`${prop} ${index || 0}`)) || [node, prop, index];
  }
}

/** RFC 6901. @param {(string|number)[]} parts */
export const pointerOf = (parts) =>
  parts.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** @param {string} rule @param {Span} span @param {Record<string, any>} [detail] @param {string} [syntax] */
export const readError = (rule, span, detail = {}, syntax = "html") => ({
  rule,
  span,
  syntax,
  block: null,
  pointer: "",
  detail,
  edits: [],
  related: [],
});

/** Place of a span as JSON. @param {Page} page @param {Span} span */
export const placeData = (page, span) => {
  const { line, column, start, end, from, to } = page.places.place(span);
  return { line, column, start, end, from, to };
};
