// @ts-check
// The vocabulary: which names exist, what they descend from, what fits where. Counterpart of waypost/registry/vocabulary.py.

import { casefold } from "./strings.js";
import { partition, withoutSuffix } from "./text.js";
import { Types } from "./types.js";

export const DATA_TYPES = new Set([
  "Boolean",
  "Date",
  "DateTime",
  "Number",
  "Text",
  "Time",
  "Float",
  "Integer",
  "URL",
  "CssSelectorType",
  "PronounceableText",
  "XPathType",
]);
const SCHEMA_PREFIXES = [
  "https://schema.org/",
  "http://schema.org/",
  "https://www.schema.org/",
  "http://www.schema.org/",
  "schema:",
];
/** What marks a property whose values are of one plain kind; `pages/bundle.py` writes them. */
const KIND_MARKS = "@~#%?/*&";
const KIND_NAMES = ["date", "time", "number", "integer", "boolean", "url", "duration", "enumeration"];

/** The bare name of a schema.org IRI or name; null for an IRI of another vocabulary. @param {string} text */
export const bare = (text) => {
  for (const prefix of SCHEMA_PREFIXES) {
    if (text.startsWith(prefix)) return text.slice(prefix.length).replace(/^#+/, "").replace(/\/+$/, "");
  }
  return text.includes(":") || text.includes("/") ? null : text;
};

const HOME_LIKE = /^([a-z]{2,6})(:\/{0,3}|\/{1,3})(?:www\.)?([a-z0-9.-]{7,12})(?=[/#?]|$)/i;
/** @param {string} word */
export const oneLess = (word) => {
  const made = new Set([word]);
  let at = 0;
  for (const { length } of word) {
    made.add(word.slice(0, at) + word.slice(at + length));
    at += length;
  }
  return made;
};
/** Is an address schema.org's, but for a typing error in scheme or host? @param {string} text */
export const isMisspelledHome = (text) => {
  const found = HOME_LIKE.exec(text);
  if (!found) return false;
  const [scheme, joint, host] = found.slice(1).map((part) => part.toLowerCase());
  if (host === "schema.org") return !((scheme === "http" || scheme === "https") && joint === "://");
  if (host === "schema.com" || host === "schema.net") return true;
  const home = oneLess("schema.org");
  return [...oneLess(host)].some((each) => home.has(each));
};

/** @typedef {{d: string[], r: string[], s: string[]}} PropertyTerm */

export class Vocabulary extends Types {
  /** @param {{types: string, properties: string, members?: string, release?: string}} packed see `pages/bundle.py` */
  constructor(packed) {
    super(packed.types, true);
    /** Release and its date. */
    const [release, , date] = partition(packed.release || "", " of ");
    this.release = release;
    this.date = date;
    /** @type {Map<string, PropertyTerm>} */
    this.properties = new Map();
    /** @type {Map<string, {t: string[]}>} member -> its enumerations */
    this.members = new Map();
    /** @type {Record<string, Set<string>>} */
    this.kinds = Object.fromEntries([...KIND_NAMES, "superseded", "attic"].map((kind) => [kind, new Set()]));
    /** @type {Map<string, Set<string>>} */
    this.taken = new Map();
    /** @type {Map<string, string[]>} */
    this.byDomain = new Map();
    this.unpackProperties(packed.properties);
    if (packed.members) this.addMembers(packed.members);
    this.foldedTypes = new Map([...this.types.keys()].map((name) => [casefold(name), name]));
    this.foldedProperties = new Map([...this.properties.keys()].reverse().map((name) => [casefold(name), name]));
  }

  /** Properties by their domains: a line of domains, then `name=ranges`, with marks before the name.
   * @param {string} packed */
  unpackProperties(packed) {
    /** @type {[string, PropertyTerm][]} */
    const found = [];
    for (const line of packed.split("\n")) {
      const [domains, ...names] = line.split(" ");
      const d = domains ? domains.split(",") : [];
      for (const written of names) {
        const [entry, , late] = partition(written, ">");
        const [marked, , ranges] = partition(entry, "=");
        const start = marked.search(/[A-Za-z]/);
        const name = withoutSuffix(marked.slice(start), "!");
        for (const mark of marked.slice(0, start)) this.kinds[KIND_NAMES[KIND_MARKS.indexOf(mark)]].add(name);
        if (marked.endsWith("!")) this.kinds.attic.add(name);
        if (late) this.kinds.superseded.add(name);
        found.push([name, { d, r: ranges ? ranges.split(",") : [], s: late ? late.split(",") : [] }]);
      }
    }
    this.properties = new Map(found.sort(([one], [two]) => (one < two ? -1 : 1)));
    for (const [name, term] of this.properties) {
      for (const domain of term.d) {
        const known = this.byDomain.get(domain);
        if (known) known.push(name);
        else this.byDomain.set(domain, [name]);
      }
    }
  }

  /** @param {string} packed a line for each enumeration: its types, then the members, see `packed_members` */
  addMembers(packed) {
    /** @type {[string, {t: string[]}][]} */
    const found = [];
    for (const line of packed.split("\n")) {
      const [types, common, ...rests] = line.split(" ");
      for (const rest of rests) found.push([common.replace("*", rest), { t: types.split(",") }]);
    }
    this.members = new Map(found.sort(([one], [two]) => (one < two ? -1 : 1)));
  }

  /** Every property the vocabulary names for these types, inherited ones included. @param {string[]} types */
  propertiesOf(types) {
    const key = JSON.stringify(types);
    let known = this.taken.get(key);
    if (!known) {
      known = new Set();
      for (const name of types) {
        for (const line of this.ancestors(name)) for (const each of this.byDomain.get(line) || []) known.add(each);
      }
      if (this.taken.size < 4096) this.taken.set(key, known);
    }
    return known;
  }

  /** @param {string} name */
  intendedType(name) {
    return this.foldedTypes.get(casefold(name)) || null;
  }

  /** @param {string} name */
  intendedProperty(name) {
    return this.foldedProperties.get(casefold(name)) || null;
  }
}
