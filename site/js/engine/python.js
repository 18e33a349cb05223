// @ts-check
// What the modules that waypost/pages/py2js translates need: modules, and the operations that JavaScript lacks.

import { Num, matchAt } from "./strings.js";
import { Dec, Float, WIDE, rx, size } from "./text.js";

/** Translated modules: what each defines, once it has been used. @type {Map<string, () => Record<string, any>>} */
export const MODULES = new Map();
/** @param {string} name @param {() => Record<string, any>} make */
export const module = (name, make) => {
  /** @type {Record<string, any>|null} */
  let made = null;
  MODULES.set(name, () => (made ||= make()));
};
/** What a module defines. @param {string} name @returns {Record<string, any>} */
export const use = (name) => /** @type {() => Record<string, any>} */ (MODULES.get(name))();

/** Does Python take a value for true? Zero is false, as are an empty text, collections without elements and nothing. @param {any} value */
export const isTrue = (value) => {
  if (!value || typeof value !== "object") return !!value;
  if (value instanceof Num) return !value.dec.isZero;
  if (value instanceof Dec) return !value.isZero;
  if (value instanceof Float) return value.value !== 0;
  return Array.isArray(value) ? value.length > 0 : value.size !== 0;
};
/** Is it an `int`? A boolean is one, too. @param {unknown} value */
export const isInteger = (value) => (value instanceof Num ? value.whole : typeof value === "boolean" || Number.isInteger(value));
/** Is it a `float`? @param {unknown} value */
export const isFloat = (value) => value instanceof Float || (typeof value === "number" && !Number.isInteger(value));
/** Is something in a value of JSON? @param {any} whole @param {any} part */
export const contains = (whole, part) => (whole instanceof Map ? whole.has(part) : whole.includes(part));
/** Elements of a value of JSON; of an object the keys. @param {any} value @returns {Iterable<any>} */
export const elements = (value) => (value instanceof Map ? value.keys() : value);
/** @param {any} value */
export const count = (value) => (typeof value === "string" ? size(value) : (value.size ?? value.length));
/** A value of JSON as a key: the same text for equal values. @param {any} value */
export const spelled = (value) => JSON.stringify(value, (_, each) => (each instanceof Map ? [...each] : each instanceof Float ? { float: each.value } : each));
/** Half to even, as Python rounds. @param {number} value */
export const rounded = (value) => {
  const low = Math.floor(value),
    rest = value - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
};
/** Objects of JSON as Python's dictionaries: maps. @param {any} value @returns {any} */
export const asMaps = (value) => {
  if (Array.isArray(value)) return value.map(asMaps);
  return value && typeof value === "object" ? new Map(Object.entries(value).map(([key, each]) => [key, asMaps(each)])) : value;
};
/** What translated functions give, as JSON. @param {any} value @returns {any} */
export const asJson = (value) => {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(asJson);
  if (!value || typeof value !== "object") return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, asJson(each)]));
};
/** @param {unknown} value @returns {Dec} */
export const decimalOf = (value) => (value instanceof Dec ? value : value instanceof Num ? value.dec : Dec.of(String(value)));
/** Order of two numbers, texts or lists of them: below, at or above zero. @param {any} one @param {any} two @returns {number} */
export const compare = (one, two) => {
  if (one instanceof Dec || two instanceof Dec) return decimalOf(one).compare(decimalOf(two));
  if (!Array.isArray(one)) return one < two ? -1 : one > two ? 1 : 0;
  for (let n = 0; n < one.length && n < two.length; n++) if (compare(one[n], two[n])) return compare(one[n], two[n]);
  return one.length - two.length;
};
/** Equality by value: of numbers however they are written, and of lists by their elements. @param {any} one @param {any} two @returns {boolean} */
export const equal = (one, two) => {
  if (one == null || two == null) return (one ?? null) === (two ?? null);
  if (one instanceof Dec || two instanceof Dec || one instanceof Num || two instanceof Num) {
    const isNumber = (/** @type {unknown} */ value) => typeof value === "number" || value instanceof Dec || value instanceof Num;
    return isNumber(one) && isNumber(two) && decimalOf(one).compare(decimalOf(two)) === 0;
  }
  if (one instanceof Float || two instanceof Float) return Number(one) === Number(two);
  if (one instanceof Map) return two instanceof Map && one.size === two.size && [...one].every(([key, each]) => two.has(key) && equal(each, two.get(key)));
  return Array.isArray(one) && Array.isArray(two) ? one.length === two.length && one.every((each, n) => equal(each, two[n])) : one === two;
};
/** @param {any} one @param {any} two */
export const plus = (one, two) => decimalOf(one).plus(decimalOf(two));
/** @param {any} one @param {any} two */
export const minus = (one, two) => decimalOf(one).plus(decimalOf(two).negated);
/** @param {any} one @param {any} two */
export const times = (one, two) => decimalOf(one).times(decimalOf(two));
/** @param {any} value */
export const magnitude = (value) => (value instanceof Dec ? value.abs : Math.abs(value));
/** Part of a text between two places in code points; negative ones count from the end. @param {string} text @param {number} start @param {number} [end] */
export const part = (text, start, end) => (WIDE.test(text) ? [...text].slice(start, end).join("") : text.slice(start, end));
/** Character of a text. @param {string} text @param {number} place */
export const at = (text, place) => (WIDE.test(text) ? [...text].at(place) : text.at(place)) ?? "";
/** Place of a text in another, in code points; -1 where it is not. @param {string} text @param {string} within */
export const find = (text, within) => {
  const found = text.indexOf(within);
  return found < 0 ? found : size(text.slice(0, found));
};
/** Offset of a text in a part of another; -1 where it is not. @param {string} text @param {string} within @param {number} start @param {number} end */
export const findWithin = (text, within, start, end) => {
  const found = text.slice(start, Math.max(end, 0)).indexOf(within);
  return found < 0 ? found : found + start;
};
/** Text with some characters replaced, by their numbers. @param {string} text @param {Map<number, string>} by */
export const translated = (text, by) => [...text].map((each) => by.get(/** @type {number} */ (each.codePointAt(0))) ?? each).join("");
/** Where a match ends, in code points. @param {RegExpExecArray} found */
export const ending = (found) => size(found.input.slice(0, found.index + found[0].length));
/** Where a match ends, as an offset. @param {RegExpExecArray} found */
export const endAt = (found) => found.index + found[0].length;
/** @param {string} text */
export const isUpper = (text) => text !== text.toLowerCase() && text === text.toUpperCase();
/** @param {string} text */
export const isLower = (text) => text !== text.toUpperCase() && text === text.toLowerCase();
const LETTERS = /^\p{L}+$/u;
/** @param {string} text */
export const isAlpha = (text) => LETTERS.test(text);
const LETTERS_AND_NUMBERS = /^[\p{L}\p{N}]+$/u;
/** @param {string} text */
export const isAlnum = (text) => LETTERS_AND_NUMBERS.test(text);
const DECIMALS = /^\p{Nd}+$/u;
/** @param {string} text */
export const isDecimal = (text) => DECIMALS.test(text);
const ASCII_ONLY = /^[\0-\x7f]*$/;
/** @param {string} text */
export const isAscii = (text) => ASCII_ONLY.test(text);

/** @param {Iterable<any>} given @returns {IterableIterator<any>|Iterable<any>} */
const keysOf = (given) => (given instanceof Map ? given.keys() : given);
/** @param {Iterable<any>[]} sets */
export const union = (...sets) => {
  const made = new Set();
  for (const each of sets) for (const key of keysOf(each)) made.add(key);
  return made;
};
/** @param {Iterable<any>} one @param {{has: (key: any) => boolean}} two */
export const common = (one, two) => new Set([...keysOf(one)].filter((key) => two.has(key)));
/** @param {Iterable<any>} one @param {{has: (key: any) => boolean}} two */
export const without = (one, two) => new Set([...keysOf(one)].filter((key) => !two.has(key)));
/** @param {{has: (key: any) => boolean}} one @param {Iterable<any>} two */
export const isDisjoint = (one, two) => {
  for (const key of keysOf(two)) if (one.has(key)) return false;
  return true;
};
/** @param {Map<any, any>} one @param {Map<any, any>} two */
export const merged = (one, two) => new Map([...one, ...two]);
/** @param {Iterable<any>} keys */
export const fromKeys = (keys) => new Map([...keys].map((key) => [key, null]));
/** @template K, V @param {Map<K, V>} map @param {K} key @param {V} value @returns {V} */
export const setDefault = (map, key, value) => {
  if (!map.has(key)) map.set(key, value);
  return /** @type {V} */ (map.get(key));
};
/** @template T, U @param {T[]} list @param {U} otherwise */
export const first = (list, otherwise) => (list.length ? list[0] : otherwise);
/** What an iterator, or the elements that it would give, has next. @template T, U @param {Iterator<T>|T[]} held @param {U} otherwise */
export const nextOf = (held, otherwise) => {
  if (Array.isArray(held)) return held.length ? held.shift() : otherwise;
  const { done, value } = held.next();
  return done ? otherwise : value;
};
/** Elements with their numbers, one by one. @template T @param {Iterable<T>} list @returns {Generator<[number, T]>} */
export function* numbered(list) {
  let number = 0;
  for (const each of list) yield [number++, each];
}
/** @param {number} start @param {number} end @param {number} [step] */
export const range = (start, end, step = 1) => Array.from({ length: Math.max((end - start) / step, 0) }, (_, n) => start + n * step);
/** @param {any[]} list */
export const sum = (list) => list.reduce((total, each) => total + Number(each), 0);
/** @template T @param {T[]} list @param {(each: T) => any} [key] */
export const inRank = (list, key = (each) => each) =>
  list.map((each) => ({ each, rank: key(each) })).sort((one, two) => compare(one.rank, two.rank)).map(({ each }) => each);
/** @template T @param {T[]} list @param {(each: T) => any} [key] */
export const least = (list, key = (each) => each) => list.reduce((one, two) => (compare(key(two), key(one)) < 0 ? two : one));
/** @template T @param {T[]} list @param {(each: T) => any} [key] */
export const greatest = (list, key = (each) => each) => list.reduce((one, two) => (compare(key(two), key(one)) > 0 ? two : one));
/** A function that keeps its results by its arguments, of which the first may be an object.
 * @param {(...given: any[]) => any} made @param {number} [most] first arguments that are kept */
export const remembered = (made, most = Infinity) => {
  const known = new Map();
  return (/** @type {any[]} */ ...given) => {
    if (known.size >= most) known.clear();
    let found = known;
    for (const each of given) found = setDefault(found, each, new Map());
    if (!found.has(RESULT)) found.set(RESULT, made(...given));
    return found.get(RESULT);
  };
};
const RESULT = Symbol("result");

/** A regular expression with the methods of Python's `re`, compiled at its first use. */
class Pattern {
  /** @param {string} source @param {string} flags those of `rx` */
  constructor(source, flags) {
    this.source = source;
    this.flags = flags;
    /** @type {Record<string, RegExp>} */
    this.made = {};
  }

  /** @param {string} kind a further flag: "f", "y", "g" or none @returns {RegExp} */
  compiled(kind) {
    return (this.made[kind] ||= rx(this.flags + kind)(Object.assign([this.source], { raw: [this.source] })));
  }

  /** @param {string} text */
  fullmatch(text) {
    return this.compiled("f").exec(text);
  }

  /** @param {string} text @param {number} [start] */
  match(text, start = 0) {
    return matchAt(this.compiled("y"), text, start);
  }

  /** @param {string} text @param {number} [start] */
  search(text, start = 0) {
    return start ? matchAt(this.compiled("g"), text, start) : this.compiled("").exec(text);
  }

  /** @param {string} text */
  finditer(text) {
    return [...text.matchAll(this.compiled("g"))];
  }

  /** Matches from an offset on, one by one. @param {string} text @param {number} start */
  each(text, start) {
    const made = this.compiled("g");
    made.lastIndex = start;
    const found = text.matchAll(made);
    made.lastIndex = 0;
    return found;
  }

  /** @param {string} text */
  split(text) {
    return text.split(this.compiled("g"));
  }

  /** @param {string} text @returns {string[]} */
  findall(text) {
    return text.match(this.compiled("g")) || [];
  }

  /** @param {string|((found: any) => string)} by @param {string} text */
  sub(by, text) {
    return text.replace(this.compiled("g"), (...found) => (typeof by === "string" ? by : by(found)));
  }
}
/** @param {string} source @param {string} flags */
export const pattern = (source, flags) => new Pattern(source, flags);
