// @ts-check
// A script of JSON-LD with the places of its values. Counterpart of waypost/reader/json_block.py. A way leads from a value to
// its container: {up, step, entry}.

import { Arr, Obj } from "./json.js";
import { Thing, pointerOf } from "./page.js";
import { Num, jsonText } from "./strings.js";

/** @import { Context, Term } from "./context.js" */
/** @import { Repair } from "./dirtytokens.js" */
/** @import { Entry } from "./json.js" */
/** @import { ReadError, Span } from "./page.js" */

/** @typedef {{up: Way|null, step: string|number, entry: Entry}} Way */

/** @param {Way} up @param {string|number} step @returns {Way} */
export const inner = (up, step) => {
  const { value } = up.entry;
  const entry =
    value instanceof Obj
      ? value.members.get(String(step))
      : value instanceof Arr
        ? value.items[/** @type {number} */ (step)]
        : null;
  return { up, step, entry: entry || up.entry };
};
/** @param {Way} way */
const stepsOf = (way) => {
  const found = [];
  for (let each = way; each.up; each = each.up) found.push(each.step);
  return found.reverse();
};
/** What a value is, in the words of a message. @param {any} value */
export const kindOf = (value) =>
  value === null
    ? "null"
    : typeof value === "boolean"
      ? String(value)
      : value instanceof Num
        ? "a number"
        : typeof value === "string"
          ? "a text"
          : value instanceof Arr
            ? "a list"
            : "an object";

export class JsonBlock {
  /** @param {string} text @param {number} start @param {number} index */
  constructor(text, start, index) {
    this.syntax = "json-ld";
    this.text = text;
    this.start = start;
    this.index = index;
    this.encoded = false;
    /** @type {Map<Thing, Map<string, [Way, Way][]>>} */
    this.known = new Map();
    /** Which entries of a list of types are types. @type {Map<Thing, number[]>} */
    this.texts = new Map();
  }

  /**
   * @param {Thing} node
   * @param {string|null} [prop]
   * @param {number|null} [index]
   * @param {string} [part]
   * @returns {Span}
   */
  span(node, prop = null, index = null, part = "value") {
    const { way, raw, context } = node.origin;
    if (part === "type") return this.typeSpan(node, index);
    if (prop === null) return this.opening(way);
    if (prop === "@id") {
      const key = context.find(raw, "@id");
      return key ? this.spanOf(inner(way, key)) : this.opening(way);
    }
    const place = this.place(node, prop, index);
    if (!place) return this.opening(way);
    if (part === "key") return this.keySpan(place[0]);
    const value = (node.props.get(prop) || [])[index || 0];
    return value instanceof Thing ? this.opening(place[1]) : this.spanOf(place[1]);
  }

  /** @param {Thing} node @param {string|null} [prop] @param {number|null} [index] */
  pointer(node, prop = null, index = null) {
    const place = prop === null ? null : this.place(node, prop, index);
    return pointerOf(stepsOf(place ? place[1] : node.origin.way));
  }

  /** A JSON string that may stand inside a script element. @param {string} text */
  spelled(text) {
    const written = jsonText(text).replaceAll("</", "<\\/").replaceAll("<!--", "\\u003c!--");
    if (!this.encoded) return written;
    return written
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#x27;");
  }

  /** @param {string} rule @param {Way} way @param {Record<string, any>} detail @param {string} [at] @returns {ReadError} */
  readError(rule, way, detail, at = "value") {
    const span = at === "key" ? this.keySpan(way) : at === "node" ? this.opening(way) : this.spanOf(way);
    return {
      rule,
      span,
      syntax: "json-ld",
      block: this.index,
      pointer: pointerOf(stepsOf(way)),
      detail,
      edits: [],
      related: [],
    };
  }

  /** @param {Repair} repair @returns {ReadError} */
  fail({ rule, start, end, pointer, detail, edits, related }) {
    const at = (/** @type {number} */ a, /** @type {number} */ b) => ({ start: this.start + a, end: this.start + b });
    return {
      rule,
      span: at(start, end),
      syntax: "json-ld",
      block: this.index,
      pointer,
      detail,
      edits: edits.map(([a, b, text]) => [at(a, b), text]),
      related: related.map(([words, a, b]) => [words, at(a, b)]),
    };
  }

  /** @param {Way} way @returns {Span} */
  spanOf(way) {
    return { start: this.start + way.entry.start, end: this.start + way.entry.end };
  }

  /** @param {Way} way @returns {Span} */
  keySpan(way) {
    return { start: this.start + way.entry.ks, end: this.start + way.entry.ke };
  }

  /** @param {Way} way @returns {Span} */
  opening(way) {
    const { start } = way.entry;
    return { start: this.start + start, end: this.start + Math.min(start + 1, this.text.length) };
  }

  /** @param {Thing} node @param {number|null} index */
  typeSpan(node, index) {
    const { way, raw, context } = node.origin;
    const key = context.find(raw, "@type");
    if (key === null) return this.opening(way);
    const at = inner(way, key);
    const given = raw.get(key);
    if (given instanceof Arr) {
      let texts = this.texts.get(node); // once: findings may want the span of each type in turn
      if (!texts) {
        texts = given.items.flatMap((entry, n) => (typeof entry.value === "string" ? [n] : []));
        this.texts.set(node, texts);
      }
      if (index !== null && index < texts.length) return this.spanOf(inner(at, texts[index]));
      if (texts.length === 1) return this.spanOf(inner(at, texts[0]));
    }
    return this.spanOf(at);
  }

  /** [way to the key, way to the value] of a value of a property.
   * @param {Thing} node @param {string} prop @param {number|null} index @returns {[Way, Way]|null} */
  place(node, prop, index) {
    let places = this.known.get(node);
    if (!places) {
      places = placesOf(node);
      this.known.set(node, places);
    }
    const found = places.get(prop);
    if (!found || !found.length) return null;
    const at = index || 0;
    const last = found[found.length - 1][0];
    return at < found.length ? found[at] : [last, last];
  }
}

/** Property -> the ways to each of its values. An empty list has no values: its one place is the list itself.
 * @param {Thing} node @returns {Map<string, [Way, Way][]>} */
const placesOf = (node) => {
  const { way, raw, context } = node.origin;
  /** @type {Map<string, [Way, Way][]>} */
  const places = new Map();
  /** @type {Map<string, [Way, Way]>} */
  const hollow = new Map();
  for (const [, value, at, term] of propertiesOf(raw, way, context)) {
    if (typeof term !== "string" && term.kind !== "property") continue;
    const name = typeof term === "string" ? term : term.name;
    const found = places.get(name) || [];
    places.set(name, found);
    for (const { way: to } of valuesOf(value, at, term, context)) found.push([at, to]);
    if (!hollow.has(name)) hollow.set(name, [at, at]);
  }
  if (node.reverse && node.via && node.parent) {
    let key = way;
    while (key.up && typeof key.step === "number") key = key.up;
    places.set(node.via, [...(places.get(node.via) || []), [key, node.parent.origin.way]]);
  }
  for (const [name, found] of places)
    if (!found.length) places.set(name, [/** @type {[Way, Way]} */ (hollow.get(name))]);
  return places;
};

/** [key, value, way to it, what the key stands for] of an object; members of `@nest` are its own.
 * @param {Obj} raw @param {Way} way @param {Context} context @returns {Generator<[string, any, Way, string|Term]>} */
export function* propertiesOf(raw, way, context) {
  /** @type {[Obj, Way][]} */
  const waiting = [[raw, way]];
  while (waiting.length) {
    const [object, at] = /** @type {[Obj, Way]} */ (waiting.pop());
    for (const [key, entry] of object.members) {
      const term = context.key(key);
      const to = { up: at, step: key, entry };
      if (typeof term !== "string" && term.name === "@nest" && term.kind === "keyword") {
        const nested =
          entry.value instanceof Arr ? entry.value.items.map((each, n) => ({ up: to, step: n, entry: each })) : [to];
        for (const each of nested) if (each.entry.value instanceof Obj) waiting.push([each.entry.value, each]);
      } else yield [key, entry.value, to, term];
    }
  }
}

/** Every value of a property with the way to it: wrappers and lists taken off, objects left as they are.
 * @param {any} given @param {Way} from @param {string|Term} term @param {Context} context
 * @returns {Generator<{value: any, way: Way, language?: string}>} */
export function* valuesOf(given, from, term, context) {
  const made = typeof term === "string" ? null : term;
  if (made && made.container.size && given instanceof Obj) {
    yield* containedIn(given, from, made, context);
    return;
  }
  const language = made && made.tongues ? made.language : context.language;
  const waiting = [from];
  while (waiting.length) {
    const way = /** @type {Way} */ (waiting.pop());
    const { value } = way.entry;
    if (value instanceof Arr) {
      for (let n = value.items.length - 1; n >= 0; n--) waiting.push({ up: way, step: n, entry: value.items[n] });
    } else if (value instanceof Obj) {
      const literal = context.find(value, "@value");
      const list = literal ? null : context.find(value, "@list") || context.find(value, "@set");
      if (literal) yield literalOf(value, literal, inner(way, literal), context);
      else if (list) waiting.push(inner(way, list));
      else yield { value, way };
    } else if (language && typeof value === "string") yield { value, way, language };
    else yield { value, way };
  }
}

/** The values of a map: by language, index, id or type. Any other object is a value.
 * @param {Obj} given @param {Way} way @param {Term} term @param {Context} context
 * @returns {Generator<{value: any, way: Way, language?: string}>} */
function* containedIn(given, way, term, context) {
  const maps = ["@index", "@id", "@type", "@graph"].some((each) => term.container.has(each));
  if (term.container.has("@language")) {
    for (const [language, entry] of given.members) {
      for (const { value, way: at } of valuesOf(entry.value, { up: way, step: language, entry }, "", context)) {
        yield typeof value === "string" && language !== "@none" ? { value, way: at, language } : { value, way: at };
      }
    }
  } else if (maps && !["@type", "@id", "@value", "@list", "@set", "@graph"].some((each) => context.find(given, each))) {
    for (const [key, entry] of given.members) yield* valuesOf(entry.value, { up: way, step: key, entry }, "", context);
  } else yield* valuesOf(given, way, "", context);
}

/** @param {Obj} wrapper @param {string} literal @param {Way} way @param {Context} context */
const literalOf = (wrapper, literal, way, context) => {
  const value = wrapper.get(literal);
  if (value instanceof Obj || value instanceof Arr) return { value: null, way };
  const key = context.find(wrapper, "@language");
  const language = key ? wrapper.get(key) : null;
  return typeof value === "string" && typeof language === "string" ? { value, way, language } : { value, way };
};
