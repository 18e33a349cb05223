// @ts-check
// Head of a page for its surfaces, each value with its place. Counterpart of waypost/preview/head.py.

import { unescapedAll } from "./references.js";
import { squeezed } from "./text.js";

/** @import { Page, Span } from "./page.js" */
/** @typedef {{text: string, property: string, spans: Span[], date: string, stars: number}} Slot */

const MOST_READ = 1_000_000;
const HEAD_TAGS =
  /<!--.*?(?:-->|$)|<(script|style|textarea|template|noscript|svg)\b.*?(?:<\/\1\b|$)|<(title)\b[^>]*>([^<]*)|<(h1)\b[^>]*>(.{0,2000}?)<\/h1|<(meta|link)(?=[\s/])((?:[^>"']|"[^"]*"|'[^']*')*)>/dgis;
const HEAD_ATTRIBUTE = /([a-z:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/dgi;
const ANY_TAG = /<[^<>]*>/g;
const ICONS = ["icon", "apple-touch-icon", "apple-touch-icon-precomposed"];

/** @param {string} text @param {string} property @param {Span[]} spans @param {string} [date] @param {number} [stars] @returns {Slot} */
export const slotOf = (text, property, spans, date = "", stars = -1) => ({ text, property, spans, date, stars });

/** Values of a page's head by name. @param {Page} page @returns {Map<string, Slot>} */
export const headOf = (page) => {
  /** @type {Map<string, Slot>} */
  const found = new Map();
  if (page.marked === null) return found;
  const add = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ written, /** @type {[number, number]} */ [start, end]) => {
    if (text && !found.has(name)) found.set(name, slotOf(text, written, [{ start, end }]));
  };
  for (const match of page.text.slice(0, MOST_READ).matchAll(HEAD_TAGS)) {
    const places = /** @type {[number, number][]} */ (/** @type {any} */ (match).indices);
    const name = (match[2] || match[4] || "").toLowerCase();
    if (name) {
      const group = match[2] ? 3 : 5;
      add(name, squeezed(unescapedAll(match[group].replace(ANY_TAG, ""))), `<${name}>`, places[group]);
    } else if (match[6]) {
      addNamed(add, match[6].toLowerCase(), match[7], places[7][0]);
    }
  }
  return found;
};

/** @param {(name: string, text: string, written: string, place: [number, number]) => void} add @param {string} tag @param {string} attributes @param {number} start */
const addNamed = (add, tag, attributes, start) => {
  /** @type {Map<string, [string, [number, number]]>} */
  const given = new Map();
  for (const each of attributes.matchAll(HEAD_ATTRIBUTE)) {
    const group = /** @type {number} */ ([2, 3, 4].find((number) => each[number] !== undefined));
    const [from, to] = /** @type {any} */ (each).indices[group];
    const key = each[1].toLowerCase();
    if (!given.has(key)) given.set(key, [squeezed(unescapedAll(each[group])), [start + from, start + to]]);
  }
  if (tag === "meta") {
    const content = given.get("content");
    for (const key of ["property", "name"]) {
      const name = given.get(key)?.[0].toLowerCase();
      if (content && name !== undefined) add(name, content[0], name.includes(":") ? name : `meta ${name}`, content[1]);
    }
    return;
  }
  const href = given.get("href");
  const names = href ? (given.get("rel")?.[0] ?? "").toLowerCase().split(/\s+/).filter(Boolean) : [];
  if (href && names.includes("canonical")) add("canonical", href[0], "link canonical", href[1]);
  if (href && names.some((name) => ICONS.includes(name))) add("icon", href[0], "link icon", href[1]);
};
