// @ts-check
// One value of a page -> the values of the unified model it makes, none where it cannot be read. Counterpart of
// waypost/preview/transforms.py; the closed list is documented in schemas/README.md.

import { ABSOLUTE } from "./context.js";
import { Thing, isPresent } from "./page.js";
import { unescapeOne } from "./references.js";
import { isIdentifier, isWebAddress } from "./safe.js";
import { DAYS } from "./show.js";
import { LETTER_OR_DIGIT, Num, casefold } from "./strings.js";
import { Float, TAG_IN_TEXT, cut, head, partition, rx, size, some, squeezed, strip, withoutTags, words } from "./text.js";
import { standardUrl } from "./urls.js";
import { bare } from "./vocabulary.js";

/** @import { Value } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

/** Context of a transform, in addition to the value.
 * @typedef {{vocabulary: Vocabulary, escaped: boolean, base: string|null, choices: any[], prop: string}} Reading */
/** @typedef {(value: Value, reading: Reading) => Json[]} Transform */

const NAMED_REFERENCE = /&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});/g;
const ALLOWED_TAG = rx("i")`^</?(?:p|ul|li|br)(?![\w])`;
const NOT_IN_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;
const STRAY_PERCENT = /%(?![0-9A-Fa-f]{2})/g;
const INTEGER = /^(?:[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4})$/;
const PLAIN_NUMBER = /^[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?$/;
const MONEY = /^[0-9]{0,30}\.?[0-9]{1,30}$/;
const SCORE = rx("f")`([0-9]{1,9}(?:\.[0-9]{1,60})?)\s*(?:(%)|/\s*([0-9]{1,9}(?:\.[0-9]{1,9})?))?`;
const WRITTEN_MOMENT = rx(
  "f",
)`(\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)(?:[Tt ]((?:[01]\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?) ?(Z|z|[+\-]\d{2}(?::?\d{2})?)?)?`;
const WRITTEN_DURATION = rx(
  "f",
)`P(?=[0-9T])(?:[0-9]+(?:\.[0-9]+)?Y)?(?:[0-9]+(?:\.[0-9]+)?M)?(?:[0-9]+(?:\.[0-9]+)?W)?(?:[0-9]+(?:\.[0-9]+)?D)?(?:T(?=[0-9])(?:[0-9]+(?:\.[0-9]+)?H)?(?:[0-9]+(?:\.[0-9]+)?M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?`;
const TIME_OF_DAY = rx("f")`T?([01]?\d|2[0-4]):?([0-5]\d)(?::?[0-5]\d(?:\.\d+)?)?(?:Z|[+\-]\d{2}:?\d{2})?`;
const LANGUAGE = /^[A-Za-z]{2,3}(?:[-_][0-9A-Za-z]{1,8})*$/;
const PIXELS = rx("f")`([0-9]{1,9})(?:\.0+)?\s*(?:px)?`;
const HOUR_RANGE = rx("g")`([01]?\d|2[0-4]):([0-5]\d)\s*[\-–]\s*([01]?\d|2[0-4]):([0-5]\d)`;
const DAY_RANGE = rx("g")`(?<![\w])([A-Za-z]{2})[a-z]*\.?(?:\s*[\-–]\s*([A-Za-z]{2})[a-z]*)?`;
const NAMED_BY = ["name", "headline", "text", "value"];
const DAY_BY_START = new Map(DAYS.map((day) => [day.slice(0, 2).toLowerCase(), day]));
const FIRST_WORDS = 70;
const TIDY_DEPTH = 4;
const LONGEST_ADDRESS = 8_000;

/**
 * A scalar as text, character references decoded once; "" for what is none.
 * @param {Value} value
 * @param {Reading} reading
 */
const written = (value, reading) => {
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    const text = reading.escaped && value.includes("&") ? value.replace(NAMED_REFERENCE, unescapeOne) : value;
    return squeezed(text);
  }
  if (!(value instanceof Num)) return "";
  if (value.whole) {
    const exactly = BigInt(value.text);
    return (exactly < 0n ? -exactly : exactly) < 2n ** 255n ? String(exactly) : "";
  }
  const exactly = value.dec;
  return Math.abs(exactly.adjusted) < 64 ? exactly.plain() : "";
};

/** The value itself; of a node, the first scalar among some members. @param {Value} value @param {string[]} members */
const scalar = (value, members = []) => {
  if (!(value instanceof Thing)) return value;
  for (const member of members) {
    for (const each of value.props.get(member) || []) if (!(each instanceof Thing) && isPresent(each)) return each;
  }
  return null;
};
/** @type {Transform} */
export const asText = (value, reading) => some(written(scalar(value, NAMED_BY), reading));
/** @type {Transform} */
const asPlain = (value, reading) => asText(value, reading).flatMap((text) => some(withoutTags(text)));
/** @type {Transform} */
const asHtml = (value, reading) =>
  asText(value, reading).flatMap((text) =>
    some(
      squeezed(
        text.replace(TAG_IN_TEXT, (/** @type {string} */ tag) => {
          const tagName = ALLOWED_TAG.exec(tag);
          return tagName ? `${tagName[0].toLowerCase()}>` : " ";
        }),
      ),
    ),
  );

/**
 * An absolute http(s) address as the URL standard writes it, and as RFC 3986 reads it.
 * @param {string} given
 * @param {string|null} base
 */
export const absolute = (given, base) => {
  const value = squeezed(given);
  if (!value || size(value) > LONGEST_ADDRESS) return null;
  if (!ABSOLUTE.test(value) && !/[/.#?]/.test(value)) return null;
  const url = standardUrl(value, base);
  return url && isWebAddress(url.href) && url.hostname ? asUri(url.href) : null;
};
/** @param {string} value */
const asUri = (value) => {
  const [before, mark, query] = partition(value, "?");
  const [start, scheme, rest] = partition(before, "://");
  const brackets = (/** @type {string} */ text) => text.replaceAll("[", "%5B").replaceAll("]", "%5D");
  const [host, slash, path] = partition(rest, "/");
  const whole = scheme ? start + scheme + host + slash + brackets(path) + mark + brackets(query) : value;
  const [front, hash, fragment] = partition(whole, "#");
  return (front + hash + fragment.replaceAll("#", "%23"))
    .replace(NOT_IN_URI, encodeURIComponent)
    .replace(STRAY_PERCENT, "%25");
};
/** @type {Transform} */
const asUrl = (value, reading) => {
  const raw = value instanceof Thing ? (scalar(value, ["url", "contentUrl"]) ?? value.id) : value;
  return typeof raw === "string" ? some(absolute(written(raw, reading), reading.base)) : [];
};
/** @type {Transform} */
const asId = (value, reading) => {
  if (typeof value !== "string") return [];
  const found = absolute(value, reading.base);
  if (found) return [found];
  return isIdentifier(value) && size(value) < LONGEST_ADDRESS ? [asUri(words(squeezed(value)).join(""))] : [];
};

/** @type {Transform} */
const asMoment = (value, reading) => {
  const found = WRITTEN_MOMENT.exec(written(scalar(value, ["value"]), reading));
  if (!found) return [];
  const [, day, time, offset] = found;
  if (!time) return [day];
  if (size(day) !== 10) return [];
  if (!offset || offset === "Z" || offset === "z") return [`${day}T${time}${offset ? "Z" : ""}`];
  const digits = offset.slice(1).replace(":", "");
  return [`${day}T${time}${offset[0]}${digits.slice(0, 2)}:${digits.slice(2) || "00"}`];
};
/** @type {Transform} */
const asTime = (value, reading) => {
  const found = TIME_OF_DAY.exec(written(scalar(value), reading));
  return found ? [`${found[1].padStart(2, "0")}:${found[2]}`] : [];
};
/** @type {Transform} */
const asDuration = (value, reading) => {
  const found = written(scalar(value, ["value"]), reading)
    .toUpperCase()
    .replaceAll(",", ".");
  return WRITTEN_DURATION.test(found) ? [found] : [];
};

/** A number as the model holds it: one written with a point stays one. @param {string} text */
const modelNumber = (text) => {
  const value = Number(text) || 0;
  return text.includes(".") && Number.isInteger(value) ? new Float(value) : value;
};
/** @type {Transform} */
export const asNumber = (value, reading) => {
  const raw = scalar(value, ["value"]);
  const found = typeof raw === "boolean" ? "" : written(raw, reading);
  return PLAIN_NUMBER.test(found) ? [modelNumber(found)] : [];
};
/** @param {Value} value @param {Reading} reading */
const scoreOf = (value, reading) =>
  typeof value === "boolean" || value instanceof Thing ? null : SCORE.exec(written(value, reading));
/** @type {Transform} */
const asCount = (value, reading) => {
  const raw = scalar(value, ["value"]);
  const found = typeof raw === "boolean" ? "" : written(raw, reading);
  return INTEGER.test(found) ? [Number(found.replaceAll(",", ""))] : [];
};

/** Letters and digits alone, without letter case. @param {string} text */
const foldedWord = (text) => [...casefold(text)].filter((character) => LETTER_OR_DIGIT.test(character)).join("");
/** The bare name of a schema.org term, or what else is written. @param {Value} value @param {Reading} reading */
const termOf = (value, reading) => {
  let raw = value;
  if (value instanceof Thing) raw = scalar(value, NAMED_BY) ?? (value.id || value.types[0] || null);
  const found = written(raw, reading);
  return bare(found) || found;
};
/** @type {Transform} */
const asEnum = (value, reading) => {
  const found = termOf(value, reading);
  if (!found || !reading.choices.length) return some(found);
  const intended = reading.choices.find((choice) => foldedWord(choice) === foldedWord(found));
  return intended === undefined ? [] : [intended];
};
/** @type {Transform} */
const asDay = (value, reading) => {
  const found = termOf(value, reading);
  if (foldedWord(found) === "publicholidays") return ["PublicHolidays"];
  const day = DAY_BY_START.get(casefold(head(found, 2)));
  return day && /^\p{L}+$/u.test(found) ? [day] : [];
};
/** @type {Transform} */
const asHours = (value, reading) => {
  const found = written(scalar(value), reading);
  const days = daysNamed(found.replace(HOUR_RANGE, " "));
  return [...head(found, 500).matchAll(HOUR_RANGE)].map(([, a, b, c, d]) => ({
    ...(days.length ? { dayOfWeek: days } : {}),
    opens: `${a.padStart(2, "0")}:${b}`,
    closes: `${c.padStart(2, "0")}:${d}`,
  }));
};
/** Mo-Fr, Sa -> their names in order of the week. @param {string} text */
const daysNamed = (text) => {
  /** @type {Set<number>} */
  const chosen = new Set();
  for (const [, first, last] of head(text, 500).matchAll(DAY_RANGE)) {
    const from = DAY_BY_START.get(first.toLowerCase()),
      to = DAY_BY_START.get((last || first).toLowerCase());
    if (!from || !to) continue;
    const start = DAYS.indexOf(from);
    const steps = (DAYS.indexOf(to) - start + 7) % 7;
    for (let step = 0; step <= steps; step++) chosen.add((start + step) % 7);
  }
  return DAYS.filter((_, n) => chosen.has(n));
};
/** @type {Transform} */
const asLanguage = (value, reading) => {
  const values = value instanceof Thing ? ["alternateName", "name"].map((each) => scalar(value, [each])) : [value];
  const found = values.map((each) => written(each, reading)).find((each) => LANGUAGE.test(each));
  return found === undefined ? [] : [found.replaceAll("_", "-")];
};
/**
 * The most specific type that the vocabulary knows, the first written of equals.
 * @param {string[]} types
 * @param {Vocabulary} vocabulary
 */
const mostSpecific = (types, vocabulary) => {
  const known = types.filter((name) => vocabulary.types.has(name));
  return (
    known.find((name) => !known.some((other) => other !== name && vocabulary.isA(other, name))) ?? known[0] ?? null
  );
};

/** Anything: scalars as they are, nodes as objects with the bare name of a type, bounded in depth and size. */
class Tidying {
  /** @param {Reading} reading */
  constructor(reading) {
    this.reading = reading;
    this.left = 300;
  }

  /** @param {Value} value @param {string} prop @param {Thing[]} above @returns {any} */
  value(value, prop, above) {
    this.left -= 1;
    if (this.left < 0 || value === null) return null;
    if (typeof value === "boolean") return value;
    if (value instanceof Num) return asNumber(value, this.reading)[0] ?? null;
    if (!(value instanceof Thing) || (value.id && !value.props.size)) {
      const found = termOf(value, this.reading);
      return found ? this.asValue(found, prop) : null;
    }
    return above.includes(value) || above.length >= TIDY_DEPTH ? null : this.node(value, above);
  }

  /** A text as a number or truth value where the vocabulary expects one. @param {string} found @param {string} prop */
  asValue(found, prop) {
    const ranges = this.reading.vocabulary.properties.get(prop)?.r || [];
    const isNumeric = ranges.some((each) => each === "Number" || each === "Integer" || each === "Float");
    if (isNumeric && /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{0,14}[1-9])?$/.test(found)) return modelNumber(found);
    const low = casefold(found);
    return ranges.includes("Boolean") && (low === "true" || low === "false") ? low === "true" : found;
  }

  /** @param {Thing} node @param {Thing[]} above */
  node(node, above) {
    /** @type {Record<string, any>} */
    const found = Object.create(null); // a page may call a property __proto__
    const name = mostSpecific(node.types, this.reading.vocabulary);
    if (name) found["@type"] = name;
    for (const [prop, values] of node.props) {
      if (bare(prop) !== prop || this.left < 0) continue;
      const parts = [];
      for (const each of values) {
        const part = this.left > 0 ? this.value(each, prop, [...above, node]) : null;
        if (part !== null) parts.push(part);
      }
      if (parts.length) found[prop] = parts.length === 1 ? parts[0] : parts;
    }
    const keys = Object.keys(found);
    if (name === "QuantitativeValue" && keys.length === 2 && "value" in found) return found.value;
    return keys.some((key) => key !== "@type") ? found : null;
  }
}

/** @type {Record<string, Transform>} */
export const TRANSFORMS = {
  boolean: (value, reading) => {
    if (typeof value === "boolean") return [value];
    const found = typeof value === "string" ? casefold(bare(written(value, reading)) || "") : "";
    return found === "true" || found === "false" ? [found === "true"] : [];
  },
  choice: asEnum,
  count: asCount,
  date: asMoment,
  day: asDay,
  duration: asDuration,
  enum: asEnum,
  "first-words": (value, reading) => asPlain(value, reading).map((text) => cut(text, FIRST_WORDS)),
  hours: asHours,
  html: asHtml,
  id: asId,
  language: asLanguage,
  money: (value, reading) => {
    const found = typeof value === "boolean" || value instanceof Thing ? "" : written(value, reading);
    return MONEY.test(found) ? [found] : [];
  },
  notes: asText,
  number: asNumber,
  "page-url": (value, reading) => asUrl(value, reading).map((url) => partition(url, "#")[0]),
  pixels: (value, reading) => {
    const found = PIXELS.exec(written(scalar(value, ["value", "name"]), reading));
    return found ? [Number(found[1])] : [];
  },
  plain: asPlain,
  position: (value, reading) => asNumber(value, reading).filter((each) => Number.isInteger(each)),
  "scale-bottom": (value, reading) => (scoreOf(value, reading)?.[2] ? [0] : []),
  "scale-top": (value, reading) => {
    const found = scoreOf(value, reading);
    return found && found[2] ? [100] : found && found[3] ? [modelNumber(found[3])] : [];
  },
  score: (value, reading) => {
    const found = scoreOf(value, reading);
    return found ? [modelNumber(found[1])] : [];
  },
  term: (value, reading) => some(termOf(value, reading)),
  text: asText,
  tidy: (value, reading) => some(new Tidying(reading).value(value, reading.prop, [])),
  time: asTime,
  type: (value, reading) => (value instanceof Thing ? some(mostSpecific(value.types, reading.vocabulary)) : []),
  url: asUrl,
  words: (value, reading) => asText(value, reading).flatMap((text) => text.split(",").map(strip).filter(Boolean)),
};
