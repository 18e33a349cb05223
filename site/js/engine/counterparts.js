// @ts-check
// The engine's own functions and data, as the modules of Python name and call them (waypost/pages/py2js/names.py), and
// the translated rules.

import { HOUR, MINUTE, isFuture, isPast, isoDay } from "./dates.js";
import { rule, signsOf } from "./dispatch.js";
import { Thing } from "./page.js";
import { offered } from "./parts.js";
import { MODULES, compare, decimalOf, use } from "./python.js";
import { Num } from "./strings.js";
import { isDigits } from "./text.js";
import { endOf, linksOf, nearest } from "./value-kinds.js";

/** @import { Moment } from "./dates.js" */
/** @import { Rule } from "./dispatch.js" */
/** @import { Page, Value } from "./page.js" */
/** @import { Tables } from "./tables.js" */
/** @import { Dec } from "./text.js" */
/** @import { PageChecker } from "./validating.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

/** Properties by kind of value, filled when the vocabulary is there. @type {Record<string, Set<string>>} */
export const KINDS = {};
export const ADDRESSED = new Set(["acquireLicensePage", "hasPart", "inCodeSet", "isPartOf", "license", "menu", "usageInfo", "video"]);
export const RUNNABLE = new Set(["javascript", "vbscript", "data"]);
/** @type {Tables} */
let tablesOfRules;
export const countries = () => ({ codes: tablesOfRules.countries, writtenFor: tablesOfRules.writtenFor });
export const countryNames = () => tablesOfRules.countryNames;
export const longCodes = () => tablesOfRules.longCodes;
const CURRENCY_CODE = /^[A-Z]{3}$/;
/** Withdrawn currencies come with the part for guessing, which only a code that is none of today's needs. */
const WITHDRAWN = {
  /** @param {string} code */
  has: (code) => CURRENCY_CODE.test(code) && !!offered("guessing").withdrawn(code),
  /** @param {string} code */
  get: (code) => {
    const found = CURRENCY_CODE.test(code) && !tablesOfRules.currencies.has(code) && offered("guessing").withdrawn(code);
    return found ? new Map([["year", found[0]], ["now", found[1]]]) : null;
  },
};
export const currencies = () => ({ current: tablesOfRules.currencies, signs: tablesOfRules.signs, withdrawn: WITHDRAWN });

/** @param {any} found */
export const isInvalidDate = (found) => !!found && "error" in found;
/** @param {any} found */
export const isMoment = (found) => !!found && "form" in found;
/** @param {any} found */
export const isTimeOfDay = (found) => !!found && "micros" in found;
/** @param {Moment} moment */
export const startsAtMidnight = ({ first }) => (first / HOUR) % 24n === 0n || (first / HOUR) % 24n === 23n;
/** @param {Moment} moment */
export const isSeveralDays = ({ first, last }) => isoDay(first) !== isoDay(last);
/** @param {Moment} one @param {Moment} two */
export const followsWithinAMinute = (one, two) => two.first - one.last < MINUTE;
/** @param {string} text @param {string|null} [language] @returns {string|null} */
export const guessedDate = (text, language) => offered("guessing").date(text, language);
/** @param {string} text @returns {string|null} */
export const guessedDuration = (text) => offered("guessing").duration(text);
/** @param {string} text @returns {string|null} */
export const guessedTime = (text) => offered("guessing").time(text);
/** @param {string} text @returns {string[]|null} */
export const twoTimesIn = (text) => offered("guessing").twoTimes(text);
/** @param {string} text @returns {boolean} */
export const isClosedDay = (text) => offered("guessing").isClosed(text);
/** @param {string} text @returns {string[]|null} */
export const bothDaysIn = (text) => offered("guessing").bothDays(text);
/** @param {string} text @returns {string|null} */
export const dateOfEpoch = (text) => offered("guessing").epoch(text);
/** @param {string} text @param {boolean} [isTime] @returns {string} */
export const normalFormOf = (text, isTime = false) => offered("guessing").normalForm(text, isTime);
/** @param {string} text @returns {string|null} */
export const plainPriceOf = (text) => offered("guessing").prices().plain_price(text);
/** @param {string} text @returns {string|null} */
export const currencyMarkOf = (text) => offered("guessing").prices().price_currency(text);
/** @param {string} text @returns {string[]|null} */
export const writtenRangeOf = (text) => offered("guessing").prices().written_range(text);
/** Values of a page that it contradicts, read once the part is there. @param {RuleContext} context @returns {Iterable<any>} */
export const differencesFrom = (context) => {
  offered("guessing"); // before a page is read: what throws later reads it again
  return offered("displayed").differences(context);
};
/** Lists of words that people read, and signs of currencies. */
export const visibleWords = () => offered("displayed").words;
/** @param {string} text @param {boolean} [whole] */
export const writtenNumberOf = (text, whole = false) => offered("guessing").prices().written_number(text, whole);

/** Whole number of few digits, a cheap test for most numbers. @param {Value} value */
export const isPlainInteger = (value) =>
  value instanceof Num ? value.whole && value.text.length < 10 && value.text[0] !== "-" : typeof value === "string" && value.length < 16 && isDigits(value);
export const LARGEST_EXACT = 9007199254740991;
/** Do programs that read numbers as doubles keep all digits? @param {Value} value */
export const isExact = (value) => compare(decimalOf(value).abs, LARGEST_EXACT) <= 0;
/** @param {Dec} value */
export const isWhole = (value) => value.isWhole;
/** Digits of a number, the same for equal numbers. @param {Dec} value */
export const canonical = (value) => {
  const plain = value.isZero ? "0" : value.plain();
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
};
/** @param {string} word @returns {string[]} */
export const oneLetterLess = (word) => {
  const letters = [...word];
  return [word, ...letters.map((_, n) => [...letters.slice(0, n), ...letters.slice(n + 1)].join(""))];
};
/** @param {Vocabulary} vocabulary @param {"types"|"properties"} kind @param {string} name */
export const nearestNames = (vocabulary, kind, name) => nearest(vocabulary[kind], name);
/** @param {Vocabulary} vocabulary @param {string} name */
export const endOfName = (vocabulary, name) => endOf(vocabulary.types, name);
/** Is a node a value of the property of any node? @param {Thing} node @param {string} prop */
export const isValueOf = (node, prop) => linksOf(node).some(([, via]) => via === prop);
/** The name of a node, or the value itself. @param {Value} value */
export const nameOf = (value) => (value instanceof Thing ? value.get("name") : value);
/** @param {Dec} one @param {Dec} two */
export const isAbove = (one, two) => one.compare(two) > 0;
/** A property of alike objects in a list, or of items of a type. @param {Thing} node @param {string} prop */
export const placeOf = (node, prop) => `${node.via || node.types} ${prop}`;
/** Is a value of the property a placeholder of an image? @param {RuleContext} context @param {Thing} node @param {string} prop */
export const isLazy = ({ page }, node, prop) => page.lazyImages.some(([at]) => at[0] === node && at[1] === prop);

/** Page, registry and clock for rules. */
export class RuleContext {
  /** @param {Page} page @param {PageChecker} checker @param {bigint} now @param {Set<string>} also */
  constructor(page, { registry, vocabulary, profiles, otherNames, tables, sentences }, now, also) {
    this.page = page;
    this.registry = registry;
    this.vocabulary = vocabulary;
    this.profiles = profiles;
    this.otherNames = otherNames;
    this.tables = tables;
    this.sentences = sentences;
    this.now = now;
    this.also = also;
    this.nodesBySign = signsOf(page);
    /** @type {Map<Thing, Map<string, string>>} */
    this.moved = new Map();
    /** @type {Map<Thing, string[]>} */
    this.emptyRequired = new Map();
    /** @type {Set<string>} */
    this.emptyRecommended = new Set();
    /** Nodes whose missing type costs a result. @type {Set<Value>} */
    this.costlyTypes = new Set();
  }

  /** @param {Thing} node @param {string} prop */
  isEmptyRequired(node, prop) {
    return !!this.emptyRequired.get(node)?.includes(prop);
  }

  /** @param {Thing} node @param {string} prop */
  isEmptyRecommended(node, prop) {
    return this.emptyRecommended.has(placeOf(node, prop));
  }

  /** @param {Thing} node @param {string} prop */
  hintFor(node, prop) {
    return this.moved.get(node)?.get(prop) ?? null;
  }

  /** @param {Moment} moment */
  isPast(moment) {
    return isPast(moment, this.now);
  }

  /** @param {Moment} moment */
  isFuture(moment) {
    return isFuture(moment, this.now);
  }
}

/** Register the translated rules. @param {any} registry @param {Tables} tables */
export const addRules = (registry, tables) => {
  Object.assign(KINDS, registry.vocabulary.kinds);
  tablesOfRules = tables;
  for (const name of MODULES.keys()) {
    const made = /^validate\.rules\.(.*)$/.exec(name);
    if (made) rule(made[1].replaceAll("_", "-"), ruleOf(use(name), registry));
  }
};
/** Rule of what its module defines; `{"*"}` is the same as no condition. @param {Record<string, any>} of @param {any} registry @returns {Rule} */
const ruleOf = (of, registry) => ({
  authority: of.AUTHORITY,
  aliases: of.ALIASES,
  types: of.APPLIES_TO?.has("*") ? undefined : of.APPLIES_TO,
  properties: of.PROPERTIES && !of.PROPERTIES.has("*") ? () => of.PROPERTIES : undefined,
  values: of.VALUES && [...of.VALUES],
  sign: of.SIGN,
  when: of.WHEN,
  concerns: of.concerns && ((_, types, names) => of.concerns(registry, types, names)),
  check: of.check,
  value: of.check_value,
  page: of.check_page,
  explain: of.explain,
});
