// @ts-check
// Advice by the generator of a page: the setting or the template that findings come from. Counterpart of
// waypost/validate/generators.py, over the files of schemas/generators/.

import { OFFERS } from "./parts.js";
import { splitByWords } from "./suppressions.js";

/** @import { Engine } from "./engine.js" */
/** @import { Page } from "./page.js" */

const HEAD_LENGTH = 200_000;
const TAG_LENGTH = 1_000;
const MOST_CLASS_PLACES = 200;
/** Rules whose findings name paths from the item. */
const PATH_RULES = ["required-property-missing", "recommended-property-missing", "feature-not-eligible", "value-unfit", "profile-limit"];
const GENERATOR_TAG = /<meta\s[^<>]*?\bname\s*=\s*["']?generator\b[^<>]*/gi;
const TAG_CONTENT = /\bcontent\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'<>]+))/i;
const COMMENT_TEXT = /<!--\s*([^<>]{1,120})/g;
const TAG_CLASS = /\sclass\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'<>]+))/i;
/** @typedef {{in: string, pattern: string}} Mark */
/** @typedef {{text: string, source: string, types?: string[], rules?: string[], properties?: string[], since?: string, before?: string}} Setting */
/** @typedef {{name: string, marks: Mark[], syntaxes: string[], types: string[], fixes: Setting[], template?: Setting}} SiteGenerator */

const valueOf = (/** @type {RegExpMatchArray} */ match) => match[1] || match[2] || match[3] || "";
const classesOf = (/** @type {string} */ tag) => {
  const match = tag.match(TAG_CLASS);
  return match ? valueOf(match).split(/\s+/).filter(Boolean) : [];
};

/** Marks of generators in a page, searched when they are first needed. */
class Marks {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** @type {string|null} */
    this.head = null;
    /** @type {Map<string, string|null>} */
    this.versions = new Map();
    /** By the number of a script. @type {Map<number, string[]>} */
    this.scripts = new Map();
  }

  /** "" if the page names no generator; null without a mark outside of scripts. @param {SiteGenerator} generator @returns {string|null} */
  version(generator) {
    if (!this.versions.has(generator.name)) {
      this.versions.set(generator.name, generator.marks.map((mark) => this.found(mark)).find((each) => each !== null) ?? null);
    }
    return this.versions.get(generator.name) ?? null;
  }

  /** @param {Mark} mark @returns {string|null} */
  found({ in: place, pattern }) {
    if (place === "script") return null;
    if (place === "class") return this.hasClass(pattern) ? "" : null;
    for (const text of this.texts(place)) {
      const match = text.match(new RegExp(pattern));
      if (match) return match[1] || "";
    }
    return null;
  }

  /** @param {string} place */
  texts(place) {
    if (this.head === null) {
      const end = this.page.text.slice(0, HEAD_LENGTH).indexOf("<body");
      this.head = this.page.text.slice(0, end >= 0 ? end : HEAD_LENGTH);
    }
    if (place === "comment") return [...this.head.matchAll(COMMENT_TEXT)].map((match) => match[1]);
    const tags = (this.head.match(GENERATOR_TAG) || []).filter((tag) => tag.includes("enerator") || tag.includes("ENERATOR")).map((tag) => tag.match(TAG_CONTENT));
    return tags.flatMap((match) => (match ? [valueOf(match)] : []));
  }

  /** @param {string} word */
  hasClass(word) {
    const { text } = this.page;
    let at = text.indexOf(word);
    for (let tried = 0; at >= 0 && tried < MOST_CLASS_PLACES; tried++, at = text.indexOf(word, at + 1)) {
      const start = text.lastIndexOf("<", at);
      if (start >= 0 && at - start <= TAG_LENGTH && classesOf(text.slice(start, at + word.length + 1)).includes(word)) return true;
    }
    return false;
  }

  /** Classes of the JSON-LD script with a finding. @param {Finding} finding */
  classes({ syntax, block }) {
    if (syntax !== "json-ld" || block === undefined || block === null) return [];
    const known = this.scripts.get(block);
    if (known) return known;
    const end = this.page.blocks.find((each) => each.syntax === syntax && each.index === block)?.start ?? 0;
    const start = end ? this.page.text.lastIndexOf("<", end - 1) : -1;
    const classes = start >= 0 && end - start <= TAG_LENGTH ? classesOf(this.page.text.slice(start, end)) : [];
    this.scripts.set(block, classes);
    return classes;
  }
}

/** Paths of the properties of a finding from its item, as in author.name; [""] without any. @param {Finding} finding @returns {string[]} */
const pathsOf = ({ pointer, property, rule, message }) => {
  if (PATH_RULES.includes(rule)) return (property || message.slice(message.lastIndexOf(": ") + 2)).match(/[a-z][A-Za-z0-9.]*/g) || [""];
  const names = pointer.split("/").filter((/** @type {string} */ part) => part && !/^\d+$/.test(part) && part !== "@graph");
  const own = (property || "").split(".");
  const known = names.slice(-own.length).join(".") === own.join(".") ? names : [...names, ...own];
  return [known.filter(Boolean).join(".")];
};

/** Is a version earlier than another? @param {string} version @param {string} other */
const isEarlier = (version, other) => {
  const [left, right] = [version, other].map((each) => each.split(".").map(Number));
  for (let n = 0; n < right.length; n++) if (left[n] !== right[n]) return (left[n] ?? -1) < right[n];
  return false;
};
/** Has a version of the generator the setting? Without a version it is the newest. @param {Setting} setting @param {string|undefined} version */
const isOfVersion = ({ since, before }, version) =>
  version ? !(since && isEarlier(version, since)) && (!before || isEarlier(version, before)) : !before;
/** @param {Finding} finding @param {string[]} types @param {SiteGenerator} generator @param {string|undefined} version @returns {Setting[]} */
const settingsOf = (finding, types, { fixes, template }, version) => {
  const found = new Set();
  for (const path of pathsOf(finding)) {
    const fits = fixes.find(
      (fix) =>
        (!fix.rules || fix.rules.includes(finding.rule)) &&
        (!fix.types || fix.types.some((name) => types.includes(name))) &&
        (!fix.properties || fix.properties.includes(path)) &&
        isOfVersion(fix, version),
    );
    if (fits) found.add(fits);
  }
  return found.size || finding.severity !== "error" || !template ? [...found] : [template];
};

export class Advising {
  /** @param {Engine} engine */
  constructor(engine) {
    /** By precedence. @type {SiteGenerator[]} */
    this.generators = engine.data.advising;
  }

  /** Findings without those that a comment in the page ignores. @param {Page} page @param {Finding[]} findings @param {Set<string>} known */
  split(page, findings, known) {
    return splitByWords(page, findings, known);
  }

  /** Advice for a page, each once. Findings get the indexes of theirs. @param {Page} page @param {FileReport["items"]} items @param {Finding[]} findings */
  advise(page, items, findings) {
    const marks = new Marks(page);
    /** @type {Map<string, number>} */
    const numbers = new Map();
    /** @type {Advice[]} */
    const made = [];
    for (const finding of findings) {
      if (finding.severity === "info") continue;
      const types = items[finding.item ?? -1]?.types || [];
      const generator = this.generatorOf(finding, types, marks);
      if (!generator) continue;
      const version = marks.version(generator) || undefined;
      for (const { text, source } of settingsOf(finding, types, generator, version)) {
        const key = `${generator.name} ${text} ${source}`;
        let number = numbers.get(key);
        if (number === undefined) {
          numbers.set(key, (number = made.length));
          made.push({ generator: generator.name, ...(version && { version }), text, url: source });
        }
        (finding.advice ||= []).push(number);
      }
    }
    return made;
  }

  /** @param {Finding} finding @param {string[]} types @param {Marks} marks */
  generatorOf(finding, types, marks) {
    return this.generators.find((generator) => {
      if (!generator.syntaxes.includes(finding.syntax)) return false;
      const scripts = generator.marks.filter((mark) => mark.in === "script");
      if (scripts.length) {
        const classes = marks.classes(finding);
        return scripts.some((mark) => classes.some((name) => new RegExp(mark.pattern).test(name)));
      }
      const mayWrite =
        generator.types.some((name) => types.includes(name)) ||
        generator.fixes.some((fix) => fix.rules?.includes(finding.rule) && !fix.types);
      return mayWrite && marks.version(generator) !== null;
    });
  }
}

OFFERS.advising = (/** @type {Engine} */ engine) => new Advising(engine);
