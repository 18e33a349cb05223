// @ts-check
// What the rules that waypost/pages/py2js translates need: modules, the operations that JavaScript lacks, and the engine's
// own functions where they are called otherwise than in Python.

/** Translated modules: what each defines, once it has been used. @type {Map<string, () => Record<string, any>>} */
const MODULES = new Map();
/** @param {string} name @param {() => Record<string, any>} make */
const module = (name, make) => {
  /** @type {Record<string, any>|null} */
  let made = null;
  MODULES.set(name, () => (made ||= make()));
};
/** What a module defines. @param {string} name @returns {Record<string, any>} */
const use = (name) => /** @type {() => Record<string, any>} */ (MODULES.get(name))();

// Operations.

/** Does Python take a value for true? Zero is false, as are an empty text and nothing. @param {any} value */
const isTrue = (value) => (value instanceof Num ? !value.dec.isZero : value instanceof Dec ? !value.isZero : !!value);
/** Is it an `int`? A boolean is one, too. @param {any} value */
const isInteger = (value) => (value instanceof Num ? value.whole : typeof value === "boolean");
/** @param {any} value @returns {Dec} */
const decimalOf = (value) => (value instanceof Dec ? value : value instanceof Num ? value.dec : Dec.of(String(value)));
/** Order of two numbers, texts or lists of them: below, at or above zero. @param {any} one @param {any} two @returns {number} */
const compare = (one, two) => {
  if (one instanceof Dec || two instanceof Dec) return decimalOf(one).compare(decimalOf(two));
  if (!Array.isArray(one)) return one < two ? -1 : one > two ? 1 : 0;
  for (let n = 0; n < one.length && n < two.length; n++) if (compare(one[n], two[n])) return compare(one[n], two[n]);
  return one.length - two.length;
};
/** Equality by value: of numbers however they are written, and of lists by their elements. @param {any} one @param {any} two @returns {boolean} */
const equal = (one, two) => {
  if (one == null || two == null) return (one ?? null) === (two ?? null);
  if (one instanceof Dec || two instanceof Dec || one instanceof Num || two instanceof Num) {
    const isNumber = (/** @type {any} */ value) => typeof value === "number" || value instanceof Dec || value instanceof Num;
    return isNumber(one) && isNumber(two) && decimalOf(one).compare(decimalOf(two)) === 0;
  }
  return Array.isArray(one) && Array.isArray(two) ? one.length === two.length && one.every((each, n) => equal(each, two[n])) : one === two;
};
/** @param {any} value */
const magnitude = (value) => (value instanceof Dec ? value.abs : Math.abs(value));
/** Part of a text between two places in code points; negative ones count from the end. @param {string} text @param {number} start @param {number} [end] */
const part = (text, start, end) => (WIDE.test(text) ? [...text].slice(start, end).join("") : text.slice(start, end));
/** Character of a text. @param {string} text @param {number} place */
const at = (text, place) => (WIDE.test(text) ? [...text].at(place) : text.at(place)) ?? "";
/** Place of a text in another, in code points; -1 where it is not. @param {string} text @param {string} within */
const find = (text, within) => {
  const found = text.indexOf(within);
  return found < 0 ? found : size(text.slice(0, found));
};
/** Where a match ends, in code points. @param {RegExpExecArray} found */
const ending = (found) => size(found.input.slice(0, found.index + found[0].length));
/** @param {string} text */
const isUpper = (text) => text !== text.toLowerCase() && text === text.toUpperCase();
/** @param {string} text */
const isLower = (text) => text !== text.toUpperCase() && text === text.toLowerCase();
const LETTERS = /^\p{L}+$/u;
/** @param {string} text */
const isAlpha = (text) => LETTERS.test(text);
const LETTERS_AND_NUMBERS = /^[\p{L}\p{N}]+$/u;
/** @param {string} text */
const isAlnum = (text) => LETTERS_AND_NUMBERS.test(text);
const DECIMALS = /^\p{Nd}+$/u;
/** @param {string} text */
const isDecimal = (text) => DECIMALS.test(text);
const ASCII_ONLY = /^[\0-\x7f]*$/;
/** @param {string} text */
const isAscii = (text) => ASCII_ONLY.test(text);

/** @param {Iterable<any>} given @returns {IterableIterator<any>|Iterable<any>} */
const keysOf = (given) => (given instanceof Map ? given.keys() : given);
/** @param {Iterable<any>[]} sets */
const union = (...sets) => {
  const made = new Set();
  for (const each of sets) for (const key of keysOf(each)) made.add(key);
  return made;
};
/** @param {Iterable<any>} one @param {{has: (key: any) => boolean}} two */
const common = (one, two) => new Set([...keysOf(one)].filter((key) => two.has(key)));
/** @param {Iterable<any>} one @param {{has: (key: any) => boolean}} two */
const without = (one, two) => new Set([...keysOf(one)].filter((key) => !two.has(key)));
/** @param {{has: (key: any) => boolean}} one @param {Iterable<any>} two */
const isDisjoint = (one, two) => {
  for (const key of keysOf(two)) if (one.has(key)) return false;
  return true;
};
/** @param {Map<any, any>} one @param {Map<any, any>} two */
const merged = (one, two) => new Map([...one, ...two]);
/** @param {Iterable<any>} keys */
const fromKeys = (keys) => new Map([...keys].map((key) => [key, null]));
/** @template K, V @param {Map<K, V>} map @param {K} key @param {V} value @returns {V} */
const setDefault = (map, key, value) => {
  if (!map.has(key)) map.set(key, value);
  return /** @type {V} */ (map.get(key));
};
/** @template T, U @param {T[]} list @param {U} otherwise */
const first = (list, otherwise) => (list.length ? list[0] : otherwise);
/** @param {number} start @param {number} end */
const range = (start, end) => Array.from({ length: Math.max(end - start, 0) }, (_, n) => start + n);
/** @param {any[]} list */
const sum = (list) => list.reduce((total, each) => total + Number(each), 0);
/** @template T @param {T[]} list @param {(each: T) => any} [key] */
const inRank = (list, key = (each) => each) => [...list].sort((one, two) => compare(key(one), key(two)));
/** @template T @param {T[]} list */
const least = (list) => list.reduce((one, two) => (compare(two, one) < 0 ? two : one));
/** @template T @param {T[]} list */
const greatest = (list) => list.reduce((one, two) => (compare(two, one) > 0 ? two : one));
/** A function that keeps its results by its arguments, of which the first may be an object. @param {(...given: any[]) => any} made */
const remembered = (made) => {
  const known = new Map();
  return (/** @type {any[]} */ ...given) => {
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

  /** @param {string} text */
  match(text) {
    return matchAt(this.compiled("y"), text, 0);
  }

  /** @param {string} text */
  search(text) {
    return this.compiled("").exec(text);
  }

  /** @param {string} text */
  split(text) {
    return text.split(this.compiled("g"));
  }

  /** @param {string} text @returns {string[]} */
  findall(text) {
    return text.match(this.compiled("g")) || [];
  }

  /** @param {string} by @param {string} text */
  sub(by, text) {
    return text.replace(this.compiled("g"), () => by);
  }
}
/** @param {string} source @param {string} flags */
const pattern = (source, flags) => new Pattern(source, flags);

// The engine's own functions and data, as the modules of Python name and call them.

/** Properties by kind of value, filled when the vocabulary is there. @type {Record<string, Set<string>>} */
const KINDS = {};
const ADDRESSED = new Set(["acquireLicensePage", "hasPart", "inCodeSet", "isPartOf", "license", "menu", "usageInfo", "video"]);
const RUNNABLE = new Set(["javascript", "vbscript", "data"]);
/** @type {Tables} */
let tablesOfRules;
const countries = () => ({ codes: tablesOfRules.countries, writtenFor: tablesOfRules.writtenFor });
const countryNames = () => tablesOfRules.countryNames;
const longCodes = () => tablesOfRules.longCodes;
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
const currencies = () => ({ current: tablesOfRules.currencies, signs: tablesOfRules.signs, withdrawn: WITHDRAWN });

/** @param {any} found */
const isInvalidDate = (found) => !!found && "error" in found;
/** @param {any} found */
const isMoment = (found) => !!found && "form" in found;
/** @param {any} found */
const isTimeOfDay = (found) => !!found && "micros" in found;
/** @param {Moment} moment */
const startsAtMidnight = ({ first }) => (first / HOUR) % 24n === 0n || (first / HOUR) % 24n === 23n;
/** @param {Moment} moment */
const isSeveralDays = ({ first, last }) => isoDay(first) !== isoDay(last);
/** @param {Moment} one @param {Moment} two */
const followsWithinAMinute = (one, two) => two.first - one.last < MINUTE;
/** @param {string} text @param {string|null} [language] @returns {string|null} */
const guessedDate = (text, language) => offered("guessing").date(text, language);
/** @param {string} text @returns {string|null} */
const guessedDuration = (text) => offered("guessing").duration(text);
/** @param {string} text @returns {string|null} */
const guessedTime = (text) => offered("guessing").time(text);
/** @param {string} text @returns {string[]|null} */
const twoTimesIn = (text) => offered("guessing").twoTimes(text);
/** @param {string} text @returns {boolean} */
const isClosedDay = (text) => offered("guessing").isClosed(text);
/** @param {string} text @returns {string[]|null} */
const bothDaysIn = (text) => offered("guessing").bothDays(text);
/** @param {string} text @returns {string|null} */
const dateOfEpoch = (text) => offered("guessing").epoch(text);
/** @param {string} text @param {boolean} [isTime] @returns {string} */
const normalFormOf = (text, isTime = false) => offered("guessing").normalForm(text, isTime);
/** @param {string} text @returns {string|null} */
const plainPriceOf = (text) => offered("guessing").price(text);
/** @param {string} text @returns {string|null} */
const currencyMarkOf = (text) => offered("guessing").priceCurrency(text);
/** @param {string} text @returns {string[]|null} */
const writtenRangeOf = (text) => offered("guessing").range(text);
/** @param {string} text @param {boolean} [whole] */
const writtenNumberOf = (text, whole = false) => {
  const [numbers, apart] = offered("guessing").written(text, whole);
  return { numbers, apart };
};

/** Whole number of few digits, a cheap test for most numbers. @param {any} value */
const isPlainInteger = (value) =>
  value instanceof Num ? value.whole && value.text.length < 10 && value.text[0] !== "-" : typeof value === "string" && value.length < 16 && isDigits(value);
const LARGEST_EXACT = 9007199254740991;
/** Do programs that read numbers as doubles keep all digits? @param {any} value */
const isExact = (value) => compare(decimalOf(value).abs, LARGEST_EXACT) <= 0;
/** @param {Dec} value */
const isWhole = (value) => value.isWhole;
/** Digits of a number, the same for equal numbers. @param {Dec} value */
const canonical = (value) => {
  const plain = value.isZero ? "0" : value.plain();
  return plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
};
/** @param {string} word @returns {string[]} */
const oneLetterLess = (word) => {
  const letters = [...word];
  return [word, ...letters.map((_, n) => [...letters.slice(0, n), ...letters.slice(n + 1)].join(""))];
};
/** @param {Vocabulary} vocabulary @param {"types"|"properties"} kind @param {string} name */
const nearestNames = (vocabulary, kind, name) => nearest(vocabulary[kind], name);
/** @param {Vocabulary} vocabulary @param {string} name */
const endOfName = (vocabulary, name) => endOf(vocabulary.types, name);
/** Is a node a value of the property of any node? @param {Thing} node @param {string} prop */
const isValueOf = (node, prop) => linksOf(node).some(([, via]) => via === prop);
const HOLDERS = new Map([
  ["Offer", "offers"],
  ["AggregateRating", "aggregateRating"],
  ["NutritionInformation", "nutrition"],
  ["PostalAddress", "address"],
  ["GeoCoordinates", "geo"],
]);

/** The name of a node, or the value itself. @param {any} value */
const nameOf = (value) => (value instanceof Thing ? value.get("name") : value);
/** @param {Dec} one @param {Dec} two */
const isAbove = (one, two) => one.compare(two) > 0;
/** A property of alike objects in a list, or of items of a type. @param {Thing} node @param {string} prop */
const placeOf = (node, prop) => `${node.via || node.types} ${prop}`;
/** Is a value of the property a placeholder of an image? @param {RuleContext} context @param {Thing} node @param {string} prop */
const isLazy = ({ page }, node, prop) => page.lazyImages.some(([at]) => at[0] === node && at[1] === prop);

/** Page, registry and clock for rules. */
class RuleContext {
  /** @param {Page} page @param {PageChecker} checker @param {bigint} now @param {Set<string>} also */
  constructor(page, { registry, vocabulary, profiles, otherNames, tables }, now, also) {
    this.page = page;
    this.registry = registry;
    this.vocabulary = vocabulary;
    this.profiles = profiles;
    this.otherNames = otherNames;
    this.tables = tables;
    this.now = now;
    this.also = also;
    this.nodesBySign = signsOf(page);
    /** @type {Map<Thing, Map<string, string>>} */
    this.moved = new Map();
    /** @type {Map<Thing, string[]>} */
    this.emptyRequired = new Map();
    /** @type {Set<string>} */
    this.emptyRecommended = new Set();
    /** @type {Set<any>} */
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
const addRules = (registry, tables) => {
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
