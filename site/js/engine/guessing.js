// @ts-check
// What values written for people can only mean: dates, durations, prices. A part of its own, loaded when a value needs it;
// the counterpart of waypost/formats/date_guesses.py. Prices are translated from prices.py.

import "../rules/formats.prices.js";
import { LONGEST_DATE, MOMENT, daysIn, isSlip, isoDay, readDate } from "./dates.js";
import { TIME, readDuration, readTime } from "./guesses.js";
import { OFFERS } from "./parts.js";
import { use } from "./python.js";
import { casefold, matchAt } from "./strings.js";
import { rx, size, strip, words } from "./text.js";
import { number } from "./values.js";

/** @import { Moment } from "./dates.js" */
/** @import { Value } from "./page.js" */

const MONTHS = new Map(
  "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,october oct,november nov,december dec"
    .split(",")
    .flatMap((names, n) => names.split(" ").map((name) => /** @type {[string, number]} */ ([name, n + 1]))),
);
const SLASHED = rx("af")`(\d{4})([/.\-])(\d{1,2})\2(\d{1,2})`;
const YEAR_LAST = rx("af")`(\d{1,2})([/\-])(\d{1,2})\2(\d{4})`;
/** Languages in which 3.4.2026 is the third of April only. */
const DAY_BEFORE_DOT = new Set("bg cs da de et fi hr is lv mk nb nn no pl ro ru sk sl sr tr uk".split(" "));
const DOTTED = rx("af")`(\d{1,2})\.(\d{1,2})\.(\d{4})`;
const MONTH_FIRST = rx("af")`(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`;
const DAY_FIRST = rx("af")`(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]{3,9})\.?,? (\d{4})`;
/** @param {string} year @param {string|number} month @param {string} day */
const asDate = (year, month, day) => {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (y < 1 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return null;
  return `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`;
};

const CJK_DATE = rx("f")`(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]`;
const BETWEEN_WORDS = /[ .,/'’-]+/;

/** What the words of a language stand for: a month's number, 0 for words to pass over. @type {Map<string, Map<string, number>>} */
const monthsKnown = new Map();
/** @param {string} language */
const monthWords = (language) => {
  const name = language.split("-")[0].toLowerCase();
  const found = monthsKnown.get(name);
  if (found) return found;
  const { months = "", between = "" } = globalThis.WaypostRegistry.guessing[name] || {};
  const made = new Map(between.split(" ").map((/** @type {string} */ word) => [word, 0]));
  months.split(",").forEach((/** @type {string} */ names, /** @type {number} */ n) => names.split(" ").forEach((each) => made.set(each, n + 1)));
  monthsKnown.set(name, made);
  return made;
};

/** The ISO date of a date with the name of a month in a language. @param {string} flat @param {string} language */
const guessNamed = (flat, language) => {
  const known = monthWords(language);
  let year = "",
    month = 0,
    day = "";
  for (const token of flat.split(BETWEEN_WORDS).filter(Boolean)) {
    const [, digits, word] = /** @type {RegExpExecArray} */ (/^([0-9]*)(.*)$/s.exec(token));
    const intended = word ? known.get(word) : 0;
    if (intended === undefined || (intended && (digits || month)) || digits.length === 3 || digits.length > 4) return null;
    if (digits.length === 4 ? year : digits && day) return null;
    if (digits.length === 4) year = digits;
    else day ||= digits;
    month ||= intended;
  }
  return year && month && day ? asDate(year, month, day) : null;
};

const AT = rx("af")`(.{6,}?)(?:,? (?:at|um|à|alle|a las|às|om|kl\.?)|,| [\-–|])? (\d{1,2})(?:([:.h])([0-5]\d)(?::([0-5]\d))?)?( ?(?:uhr|h|am|pm|a\.m\.|p\.m\.|o'clock))?`;
const LOCAL = rx("af")`(.{6,}?)t(\d{1,2})(:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)`;
const COMPACT = rx("af")`(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?`;
/** hh:mm of a time of day, else null. @param {string} hour @param {string|undefined} minute @param {string} unit */
const clock24 = (hour, minute, unit) => {
  let number = Number(hour);
  if (!(minute || unit) || number > 23) return null;
  if (unit && "ap".includes(unit[0])) {
    if (number < 1 || number > 12) return null;
    number = (number % 12) + (unit[0] === "p" ? 12 : 0);
  }
  return `${String(number).padStart(2, "0")}:${minute || "00"}`;
};

const ZONED = rx("af")`(.{6,}?)(?:,? |t)(\d{1,2})(:[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?) ?(?:(?:gmt|utc)?([+\-])(\d{1,2}):?([0-5]\d)|gmt|utc|z)(?: \([^()]*\)|\[[^\[\]]*\])?`;
/** The ISO date, or date and time, that one written otherwise can only mean, with names of months in English and the page's language.
 * @param {string} text @param {string|null} language */
const guessDate = (text, language) => {
  const flat = casefold(words(text).join(" "));
  if (size(flat) > LONGEST_DATE) return null;
  const alone = guessDay(flat, language);
  if (alone) return alone;
  const [, head, hour, clockTime, sign, hours, minutes] = ZONED.exec(flat) || [], headDay = head && guessDay(head, language);
  if (headDay) {
    const moment = `${headDay}T${hour.padStart(2, "0")}${clockTime}${sign ? sign + hours.padStart(2, "0") + ":" + minutes : "Z"}`;
    return isSlip(readDate(moment)) ? null : moment;
  }
  const local = LOCAL.exec(flat), localDay = local && Number(local[2]) < 24 && guessDay(local[1], language);
  if (localDay) return `${localDay}T` + local[2].padStart(2, "0") + local[3];
  const compact = COMPACT.exec(flat);
  if (compact) {
    const time = `${compact[4]}:${compact[5]}` + (compact[6] ? `:${compact[6]}` : ""), compactDay = asDate(compact[1], compact[2], compact[3]);
    return compactDay && !("error" in readTime(time)) ? `${compactDay}T${time}` : null;
  }
  const found = AT.exec(flat);
  const clock = found && clock24(found[2], found[4], (found[6] || "").trim());
  if (!found || !clock) return null;
  const day = size(found[1]) === 10 && !isSlip(readDate(found[1])) ? found[1] : guessDay(found[1], language);
  return day ? `${day}T${clock}` + (found[5] ? `:${found[5]}` : "") : null;
};
/** The date and time of seconds or milliseconds since 1970, else null. @param {string} text */
const ofEpoch = (text) => {
  const flat = strip(text);
  if (!/^1[0-9]{9}(?:[0-9]{3})?$/.test(flat)) return null;
  const made = new Date(Number(flat.slice(0, 10)) * 1000).toISOString().slice(0, 19);
  return made + (/[1-9]/.test(flat.slice(10)) ? `.${flat.slice(10)}` : "") + "Z";
};

const CLOSED = new Set(["closed", "geschlossen", "fermé", "cerrado", "chiuso", "gesloten"]);
const WRITTEN_TIME = rx("af")`(\d{1,2})(?:([:.h])([0-5]\d)(?::([0-5]\d))?)?( ?(?:uhr|hrs?|h|am|pm|a\.m\.?|p\.m\.?|o'clock|noon))? ?([+\-]\d\d:?\d\d|z)?`;
const BETWEEN_TIMES = / ?(?:-|–|—|to|until|till|bis) ?/;
/** hh:mm for a time of day in another spelling, else null. @param {string} text */
const guessTime = (text) => {
  const flat = casefold(words(text).join(" "));
  if (flat === "noon" || flat === "midday") return "12:00";
  const found = size(flat) <= LONGEST_DATE ? WRITTEN_TIME.exec(flat) : null;
  if (!found) return null;
  const [, hour, , minute, second, , offset = ""] = found;
  let unit = (found[5] || "").trim();
  if (unit === "noon") return hour === "12" && (!minute || minute === "00") ? "12:00" : null;
  if (unit[0] === "p" && Number(hour) > 12 && Number(hour) < 24) unit = "h";
  const clock = clock24(hour, minute, unit);
  if (!clock) return null;
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const written = clock + (second ? `:${second}` : "") + zone;
  return "error" in readTime(written) ? null : written;
};
/** Both times of day of "12:00-15:00", else null. @param {string} text */
const twoTimes = (text) => {
  const flat = casefold(words(text).join(" "));
  const parts = size(flat) <= LONGEST_DATE ? flat.split(BETWEEN_TIMES) : [];
  if (parts.length !== 2) return null;
  const [first, second] = parts.map((part) => (part.includes(":") && !("error" in readTime(part)) ? part : guessTime(part)));
  return first && second ? [first, second] : null;
};
/** A readable date, or date and time, as RFC 3339 writes it. Counterpart of normal_form. @param {string} given @param {boolean} isTime */
const normalForm = (given, isTime) => {
  const text = strip(given), found = /** @type {Record<string, string>} */ ((isTime ? TIME : MOMENT).exec(text)?.groups);
  let day = "";
  if (!isTime) {
    day = isoDay(/** @type {Moment} */ (readDate(found.joint ? text.split(/[Tt ]/)[0] : text)).first);
    if (!found.joint) return day;
  }
  const clock = `${found.hour}:${found.minute || "00"}` + (found.second ? `:${found.second}` + (found.fraction || "").replace(",", ".") : "");
  let offset = (found.offset || "").replace(":", "").replace("\u2212", "-").toUpperCase();
  if (offset && offset !== "Z") offset = `${offset.slice(0, 3)}:${offset.slice(3) || "00"}`;
  return `${day}${day && "T"}${clock}${offset}`;
};

/** @param {string} flat @param {string|null} language */
const guessDay = (flat, language) => {
  let found = SLASHED.exec(flat);
  if (found) return asDate(found[1], found[3], found[4]);
  found = DOTTED.exec(flat);
  if (found && (Number(found[1]) > 12 || Number(found[1]) === Number(found[2]) || DAY_BEFORE_DOT.has((language || "").split("-")[0].toLowerCase())))
    return asDate(found[3], found[2], found[1]);
  found = YEAR_LAST.exec(flat);
  if (found) {
    const [, one, , other, year] = found;
    if (Number(one) > 12 && Number(other) <= 12) return asDate(year, other, one);
    return Number(other) > 12 && Number(one) <= 12 ? asDate(year, one, other) : null;
  }
  found = MONTH_FIRST.exec(flat);
  if (found && MONTHS.has(found[1])) return asDate(found[3], MONTHS.get(found[1]) || 0, found[2]);
  found = DAY_FIRST.exec(flat);
  const made = found && asDate(found[3], MONTHS.get(found[2]) || 0, found[1]);
  if (made) return made;
  found = CJK_DATE.exec(flat);
  if (found) return asDate(found[1], found[2], found[3]);
  return language ? guessNamed(flat, language) : null;
};

/** Both days that 03/04/2026 can mean, else null. @param {string} text */
const bothDays = (text) => {
  const found = YEAR_LAST.exec(strip(text)) || DOTTED.exec(strip(text)) || [];
  const [one, other, year] = found.length > 4 ? [found[1], ...found.slice(3)] : found.slice(1);
  const days = year && one !== other ? [asDate(year, other, one), asDate(year, one, other)] : [];
  return days[0] && days[1] ? days : null;
};

const SPELLED_OUT = rx(
  "ay",
)`(\d+(?:[.,]\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)(?![a-z])[., ]*(?:and )?`;
const UNTIMED = rx("af")`p((?:\d+h)?\d+m\d+(?:\.\d+)?s|\d+h(?:\d+m)?|\d+(?:\.\d+)?s)`;
const CLOCKED = rx("af")`(\d{1,3}):([0-5]\d):([0-5]\d)`;
/** The ISO duration that "30 minutes" or "01:20:00" can only mean. @param {string} text */
const guessDuration = (text) => {
  const flat = casefold(words(text).join(" "));
  if (size(flat) > LONGEST_DATE) return null;
  let found = CLOCKED.exec(flat);
  if (found) {
    const parts = /** @type {string[]} */ (found.slice(1)).map((each, n) =>
      Number(each) ? Number(each) + "HMS"[n] : "",
    );
    return `PT${parts.join("") || "0S"}`;
  }
  found = UNTIMED.exec(flat);
  if (found) return `PT${found[1].toUpperCase()}`;
  // The P was forgotten: T1M54S.
  if (flat[0] === "t" && readDuration(`P${flat.toUpperCase()}`)) return `P${flat.toUpperCase()}`;
  /** @type {Record<string, string>} */
  const units = {};
  for (let at = 0; at < flat.length;) {
    found = matchAt(SPELLED_OUT, flat, at);
    const unit = found ? found[2][0].toUpperCase() : "";
    if (!found || unit in units) return null;
    units[unit] = found[1].replace(",", ".");
    at += found[0].length;
  }
  const part = (/** @type {string} */ letters) =>
    [...letters].map((unit) => (unit in units ? units[unit] + unit : "")).join("");
  const clock = part("HMS");
  return Object.keys(units).length ? `P${part("WD")}${clock ? "T" + clock : ""}` : null;
};

const prices = () => use("formats.prices");

// Displayed text, compared with the value in the markup.

const DISPLAYED_PRICES = new Set(["price", "lowPrice", "highPrice"]);
const DISPLAYED_RATING = rx()`^(?:\d{1,2})(?:[.,]\d{1,2})?(?= ?(?:/|out of|von|sur|de|av|af|van) ?(?:5|10)(?![\w])|\Z)`;
/** @type {[string, string[]][]} */
const SHARED_SIGNS = [
  ["$", ["USD", "AUD", "CAD", "NZD", "SGD", "HKD", "TWD", "MXN", "BRL", "ARS", "CLP", "COP"]],
  ["¥", ["JPY", "CNY"]],
  ["kr", ["SEK", "NOK", "DKK", "ISK"]],
];
const DISPLAYED_CODES = /[A-Z]{3}/g;
const NAME_WORDS = /[\p{L}\p{N}]{3,}/gu;
/** @param {string} value @param {string} text @param {Value} currency @param {{signs: Map<string, string>, currencies: Set<string>}} tables */
const isOtherPrice = (value, text, currency, { signs, currencies }) => {
  const written = number(value);
  const plain = written && prices().plain_price(text);
  if (!written || plain === null || plain === "0") return false;
  const named = new Set([...signs].filter(([sign]) => text.includes(sign)).map(([, code]) => code));
  for (const [code] of text.matchAll(DISPLAYED_CODES)) if (currencies.has(code)) named.add(code);
  for (const [sign, codes] of SHARED_SIGNS) if (text.includes(sign)) for (const code of codes) named.add(code);
  if (named.size && !(typeof currency === "string" && named.has(strip(currency)))) return false;
  const [seen, given] = [Number(plain), Number(strip(value))];
  const isRaised = [100, 10].some((many) => Math.abs(seen - given * many) < 1e-6);
  const isRounded = !plain.includes(".") && Math.abs(seen - given) < 1;
  return Math.abs(seen - given) > 1e-9 && !isRaised && !isRounded;
};
/** @param {string} value @param {string} text */
const isOtherRating = (value, text) => {
  const found = number(value) && DISPLAYED_RATING.exec(text);
  if (!found) return false;
  const digits = found[0].replace(",", ".");
  const step = [1, 0.1, 0.01][(digits.split(".")[1] || "").length];
  return Number(digits) <= 10 && Math.abs(Number(digits) - Number(strip(value))) > step * 1.001;
};
/** @param {string} value @param {string} text */
const isOtherName = (value, text) => {
  const [one, other] = [value, text].map((name) => new Set(casefold(name).match(NAME_WORDS) || []));
  return one.size > 1 && other.size > 1 && ![...one].some((word) => other.has(word));
};
/** @param {string} value @param {string} text @param {string|null} language */
const isOtherDay = (value, text, language) => {
  const found = /^\d{4}-\d\d-\d\d(?!\d)/.exec(value);
  const seen = found && guessDate(text, language);
  if (!found || !seen || isSlip(readDate(found[0]))) return false;
  const days = Math.abs(Date.parse(found[0]) - Date.parse(seen)) / 86_400_000;
  return 1 < days && days < 20_000;
};
/** Do the markup and the text displayed next to it contradict each other? Counterpart of visible_value_differs.py.
 * @param {any} seen */
const differs = ({ prop, tag, text, value, language, currency, signs, currencies }) => {
  if (DISPLAYED_PRICES.has(prop)) return isOtherPrice(value, text, currency, { signs, currencies });
  if (prop === "ratingValue") return isOtherRating(value, text);
  return prop === "name" ? tag === "h1" && isOtherName(value, text) : isOtherDay(value, text, language);
};

OFFERS.guessing = {
  differs,
  /** Year and successor of a currency that is no longer one. @param {string} code */
  withdrawn: (code) => globalThis.WaypostRegistry.withdrawn[code],
  date: guessDate,
  bothDays,
  epoch: ofEpoch,
  time: guessTime,
  twoTimes,
  /** @param {string} text */
  isClosed: (text) => CLOSED.has(casefold(strip(text))),
  normalForm,
  duration: guessDuration,
  prices,
};
