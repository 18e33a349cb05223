// @ts-check
// Valid JSON as values with their places, in one pass without recursion. What is not valid, or holds what a report has to
// speak of (a name written twice, a number beyond all others, half a character), is for the part that reads anything.

import { offered } from "./parts.js";
import { Num, matchAt } from "./strings.js";
import { Dec } from "./text.js";

/** @import { Repair } from "./dirtytokens.js" */

/** A member of a container: the places of its key (-1 in a list) and of its value.
 * @typedef {{ks: number, ke: number, start: number, end: number, value: any}} Entry */
/** @typedef {{value: any, found: boolean, top: Entry, repairs: Repair[], encoded: boolean, isSound?: boolean}} Decoded */

export class Obj {
  constructor() {
    /** @type {Map<string, Entry>} */
    this.members = new Map();
  }

  /** @param {string} key */
  has(key) {
    return this.members.has(key);
  }

  /** @param {string} key */
  get(key) {
    return this.members.get(key)?.value;
  }
}
export class Arr {
  constructor() {
    /** @type {Entry[]} */
    this.items = [];
  }
}

export const MOST_OPEN = 10_000;
export const LONGEST_NUMBER = 1000;
/** @type {Record<string, string>} */
export const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const PLAIN_TEXT = /[^"\\\0-\x1f]*/y;
const FOUR_HEX = /\\u([0-9a-fA-F]{4})/y;
const VALID_NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
/** @type {[string, any][]} */
const VALID_WORDS = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** A JSON number as written, null if it is out of range. @param {string} written @param {boolean} isWhole */
export const exact = (written, isWhole) => {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(written)) return null;
  const made = Dec.of(written);
  return Math.abs(made.adjusted) <= 400 ? new Num(written, isWhole) : null;
};

/** @param {string} text @param {number} at */
const pastSpace = (text, at) => {
  let code = text.charCodeAt(at);
  while (code === 32 || code === 10 || code === 9 || code === 13) code = text.charCodeAt(++at);
  return at;
};

/** @typedef {{value: any, end: number}|null} Read */

/** @param {string} text @param {number} from @returns {Read} */
const validString = (text, from) => {
  if (text[from] !== '"') return null;
  let value = "";
  for (let at = from + 1; ;) {
    const [plain] = /** @type {RegExpExecArray} */ (matchAt(PLAIN_TEXT, text, at));
    value += plain;
    at += plain.length;
    if (text[at] === '"') return { value, end: at + 1 };
    if (text[at] !== "\\") return null;
    const simple = ESCAPES[text[at + 1]];
    if (simple) {
      value += simple;
      at += 2;
      continue;
    }
    const four = matchAt(FOUR_HEX, text, at);
    if (!four) return null;
    value += String.fromCharCode(parseInt(four[1], 16));
    at += 6;
  }
};

/** @param {string} text @param {number} at @returns {Read} */
const validScalar = (text, at) => {
  if (text[at] === '"') {
    const read = validString(text, at);
    return read && read.value.isWellFormed() ? read : null;
  }
  const number = matchAt(VALID_NUMBER, text, at);
  if (number) {
    const [written, fraction, power] = number;
    const value = written.length > LONGEST_NUMBER ? null : exact(written, !fraction && !power);
    return value && { value, end: at + written.length };
  }
  const word = VALID_WORDS.find(([each]) => text.startsWith(each, at));
  return word ? { value: word[1], end: at + word[0].length } : null;
};

/** The whole text as one value, null where it is not as valid as that; in steps. @param {string} text @returns {Generator<undefined, Entry|null>} */
function* readingValid(text) {
  /** The containers that are open, each with the place and the name it has in the one around it.
   * @type {{made: Obj|Arr, start: number, name: {ks: number, ke: number, key: string}}[]} */
  const open = [];
  const nowhere = { ks: -1, ke: -1, key: "" };
  let name = nowhere,
    at = 0;
  /** A name and its colon. */
  const readName = () => {
    const read = validScalar(text, (at = pastSpace(text, at)));
    if (!read || text[at] !== '"') return false;
    name = { ks: at, ke: read.end, key: read.value };
    at = pastSpace(text, read.end);
    return text[at++] === ":";
  };
  for (let n = 1; ; n++) {
    if (n % 5000 === 0) yield;
    let start = (at = pastSpace(text, at));
    /** @type {any} */
    let value;
    if (text[at] === "{" || text[at] === "[") {
      value = text[at] === "{" ? new Obj() : new Arr();
      if (open.length >= MOST_OPEN) return null;
      at = pastSpace(text, at + 1);
      if (text[at] !== (value instanceof Obj ? "}" : "]")) {
        open.push({ made: value, start, name });
        name = nowhere;
        if (value instanceof Obj && !readName()) return null;
        continue;
      }
      at += 1;
    } else {
      const read = validScalar(text, at);
      if (!read) return null;
      ({ value, end: at } = read);
    }
    for (;;) {
      const { ks, ke, key } = name;
      const entry = { ks, ke, start, end: at, value };
      const around = open[open.length - 1];
      if (!around) return pastSpace(text, at) === text.length ? entry : null;
      const { made } = around;
      if (made instanceof Arr) made.items.push(entry);
      else if (made.has(key)) return null;
      else made.members.set(key, entry);
      at = pastSpace(text, at);
      const next = text[at++];
      if (next === ",") {
        if (made instanceof Obj && !readName()) return null;
        break;
      }
      if (next !== (made instanceof Obj ? "}" : "]")) return null;
      open.pop();
      ({ start, name } = around);
      value = made;
    }
  }
}

/** Read a text as JSON, whatever stands in it; in steps. @param {string} text @returns {Generator<undefined, Decoded>} */
export function* decoding(text) {
  const top = yield* readingValid(text);
  return top
    ? { value: top.value, found: true, top, repairs: [], encoded: false, isSound: true }
    : /** @type {(text: string) => Decoded} */ (offered("repairing"))(text);
}

/** A number with a fraction in its shortest form, as Python writes it. @param {number} value */
export const floatText = (value) => {
  if (!Number.isFinite(value)) return null;
  const [mantissa, power] = Math.abs(value).toExponential().split("e");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "",
    digits = mantissa.replace(".", ""),
    point = Number(power) + 1;
  if (value === 0) return `${sign}0.0`;
  if (point > 16 || point <= -5) return `${sign}${mantissa}e${power.replace("+", "")}`;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return digits.length <= point
    ? `${sign}${digits}${"0".repeat(point - digits.length)}.0`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
};
