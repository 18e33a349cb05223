// @ts-check
// Values of a node as the texts of a surface. Counterpart of waypost/preview/plain.py.

import { starRating } from "./card.js";
import { isThing } from "./catalogue.js";
import { momentOf } from "./dates.js";
import { Thing } from "./page.js";
import { SHOWS, inCurrency, priceNumber } from "./show.js";
import { Num } from "./strings.js";
import { amountOf } from "./text.js";
import { number } from "./values.js";

/** @import { Value } from "./page.js" */

const DEEPEST_PLAIN = 3;
const LIST_MEMBERS = ["dayOfWeek", "priceSpecification"];
const AMOUNT_KEYS = ["price", "lowPrice", "minPrice", "value", "highPrice", "maxPrice"];
const DATE_WORDS = ["date", "moment"];
const ISO_FORM = /^[0-9]{4}(?:-[0-9][0-9]){0,2}(?:T[0-9][0-9]:[0-9][0-9][^ ]*)?$/;
const SCHEMA_NAME = /^https?:\/\/schema\.org\/([\p{L}\p{N}]+)$/u;

/** Values as a text. @param {string} show @param {Value[]} values @param {any} words @param {number} most @returns {string} */
export const textOfValues = (show, values, words, most) => {
  const plain = values.map((value) => plainValue(value));
  if (show === "stars") return plain.map((value) => starRating(ratingMembers(value))?.text).find(Boolean) ?? "";
  if (show === "money") return plain.map((value) => moneyText(value, words)).find(Boolean) ?? "";
  if (DATE_WORDS.includes(show)) return SHOWS[show](plain.filter((value) => typeof value === "string" && ISO_FORM.test(value)), { words, document: {}, most }) || "";
  const given = show === "number" ? plain.map((value) => wholeAmount(value) ?? value) : plain;
  return SHOWS[show](given, { words, document: {}, most }) || "";
};

/** The first date among values that are displayed as a date. @param {string} show @param {Value[]} values @returns {string} */
export const dateOfValues = (show, values) =>
  DATE_WORDS.includes(show) ? /** @type {string} */ (values.find((value) => typeof value === "string" && ISO_FORM.test(value) && momentOf(value)) ?? "") : "";

/** Stars of values that are displayed as a rating. @param {string} show @param {Value[]} values @returns {number} */
export const starsOfValues = (show, values) => {
  if (show !== "stars") return -1;
  return values.map((value) => starRating(ratingMembers(plainValue(value)))?.stars).find((stars) => stars !== undefined) ?? -1;
};

/** A value as documents of the unified model have it. @param {Value} value @param {number} [depth] @returns {any} */
const plainValue = (value, depth = 0) => {
  if (value instanceof Thing) {
    const name = value.get("name");
    if (depth >= DEEPEST_PLAIN) return typeof name === "string" ? { name } : null;
    /** @type {Record<string, any>} */
    const made = value.types.length ? { "@type": value.types[0] } : {};
    for (const [prop, held] of value.props) {
      const plain = held.map((one) => plainValue(one, depth + 1)).filter((one) => one !== null);
      if (plain.length) made[prop] = LIST_MEMBERS.includes(prop) ? plain : plain[0];
    }
    return made;
  }
  if (value instanceof Num) return value.whole && Number.isSafeInteger(Number(value.text)) ? Number(value.text) : String(value);
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "string" ? (SCHEMA_NAME.exec(value)?.[1] ?? value) : value;
};

/** Members of a rating as numbers, with the usual scale. @param {any} value */
const ratingMembers = (value) => {
  const held = isThing(value) ? value : { ratingValue: value };
  /** @type {Record<string, number>} */
  const made = { bestRating: 5, worstRating: 1 };
  for (const key of ["ratingValue", "bestRating", "worstRating"]) {
    const found = plainAmount(held[key]);
    if (found !== null) made[key] = found;
  }
  for (const key of ["ratingCount", "reviewCount"]) {
    const found = wholeAmount(held[key]);
    if (found !== null) made[key] = found;
  }
  return made;
};

/** @param {any} value */
const plainAmount = (value) => {
  const found = typeof value === "string" || typeof value === "number" ? number(String(value)) : null;
  return found === null ? null : amountOf(Number(String(found)));
};
/** @param {any} value */
const wholeAmount = (value) => {
  const found = plainAmount(value);
  return Number.isInteger(found) ? found : null;
};

/** @param {any} value @param {any} words */
const moneyText = (value, words) => {
  const held = isThing(value) ? value : { price: value };
  for (const key of AMOUNT_KEYS) {
    const text = SHOWS.text([held[key]], { words, document: {}, most: 1 }) ?? "";
    if (priceNumber(text) === null) continue;
    const code = "priceCurrency" in held ? held.priceCurrency : held.currency;
    return inCurrency(text, typeof code === "string" ? code : null, words);
  }
  return "";
};
