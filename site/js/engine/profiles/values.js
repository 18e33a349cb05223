// @ts-check
// Kinds of values. Counterpart of waypost/validate/profiles/values.py.

import { nameOf } from "../counterparts.js";
import { momentOf } from "../dates.js";
import { readDuration, readTime } from "../guesses.js";
import { Thing } from "../page.js";
import { isTrue, use } from "../python.js";
import { Num, casefold, countDigits, hasSpace, joinWords } from "../strings.js";
import { head, isDigits, repr, rpartition, rx, size, str, strip, unique } from "../text.js";
import { address, gs1CheckDigit, isLanguageTag, number, rating } from "../values.js";
import { MISSPELT, isTypeMisspelt } from "./misspelt.js";
import { NAMED_BY_TEXT, isReference, textOf, truthOf } from "./paths.js";

/** @import { Value } from "../page.js" */
/** @import { Tables } from "../tables.js" */
/** @import { EvaluationContext, Hit } from "./paths.js" */
/** @import { ProfileSet } from "./profile-set.js" */
/** @import { Enum } from "../registry.js" */

export const OUTSIDE = "it lies outside its scale";
const COMMON_URL = rx("af")`https?://[A-Za-z\d][A-Za-z\d.\-]*[A-Za-z\d](?:/\S*)?`;
/** One address of the web, or path from the root, with spaces in it. */
const SPACED_URL = /^(?:https?:\/\/[^ /]+)?\/(?:(?! (?:https?:)?\/\/)[^\t\r\n])*$/i;
/** @param {Value} value */
const readsText = (value) => typeof value === "string" || value instanceof Num;
/** @param {Value} value @returns {boolean} */
const readsUrl = (value) => {
  if (value instanceof Thing) return !!(value.id || isTrue(value.get("url")) || isTrue(value.get("contentUrl")));
  if (typeof value !== "string") return false;
  let text = strip(value);
  if (COMMON_URL.test(text)) return true;
  if (hasSpace(text) && SPACED_URL.test(head(text, 2000))) text = text.replaceAll(" ", "%20"); // as browsers and crawlers do
  const found = address(head(text, 2000));
  return found.error === null && ["", "http", "https"].includes(found.scheme) && text !== "" && !hasSpace(text);
};
/** @param {Value} value */
const readsDate = (value) => momentOf(value instanceof Num && value.whole ? String(value) : value) !== null;
/** @param {Value} value */
const isFewDigits = (value) => typeof value === "string" && value.length < 20 && isDigits(value);
/** @param {Value} value */
const readsGtin = (value) => {
  const digits = strip(value instanceof Thing ? "" : str(value));
  return (
    isDigits(digits) &&
    [8, 12, 13, 14].includes(digits.length) &&
    gs1CheckDigit(digits.slice(0, -1)) === Number(digits.slice(-1))
  );
};
/** @param {string} name @param {Tables} tables */
const isCountry = (name, { countries, longCodes, countryNames }) =>
  countries.has(name.toUpperCase()) || longCodes.has(name.toUpperCase()) || countryNames.has(casefold(name));
/** @type {Record<string, [(value: Value, tables: Tables) => boolean, string]>} */
const READS = {
  Text: [readsText, "a text"],
  HTML: [readsText, "a text"],
  URL: [readsUrl, "a URL"],
  Date: [readsDate, "a date"],
  DateTime: [readsDate, "a date and time"],
  Time: [(value) => typeof value === "string" && !("error" in readTime(value)), "a time of day"],
  Duration: [(value) => typeof value === "string" && readDuration(value) !== null, "a duration"],
  Number: [(value) => isFewDigits(value) || number(value) !== null, "a plain number"],
  Integer: [(value) => isFewDigits(value) || !!number(value)?.isWhole, "a whole number"],
  Boolean: [(value) => truthOf(value) !== null, "true or false"],
  currency: [(value, tables) => typeof value === "string" && tables.currencies.has(strip(value)), "a currency code (ISO 4217)"],
  country: [
    (value, tables) => {
      const text = value instanceof Thing ? (isTrue(value.get("name")) ? value.get("name") : value.id) : value;
      if (typeof text !== "string") return false;
      return (
        text
          .split(",")
          .slice(0, 300)
          .every((name) => isCountry(strip(name), tables)) || isCountry(strip(text), tables)
      );
    },
    "a country code (ISO 3166-1)",
  ],
  language: [
    (value) => typeof nameOf(value) === "string" && (typeof value !== "string" || isLanguageTag(strip(value))),
    "a language tag",
  ],
  gtin: [readsGtin, "a GTIN"],
  isbn13: [
    (value) => {
      const digits = strip(value instanceof Thing ? "" : str(value).replaceAll("-", ""));
      return size(digits) === 13 && readsGtin(digits);
    },
    "an ISBN of 13 digits",
  ],
  rating: [(value) => rating(value) !== null, "a rating"],
  image: [readsUrl, "a URL or an ImageObject"],
  phone: [(value) => readsText(value) && countDigits(str(value)) > 0, "a telephone number"],
  email: [(value) => typeof value === "string" && value.includes("@"), "an e-mail address"],
  "URL template": [(value) => typeof value === "string" && value.includes("{"), "a URL with a placeholder"],
  link: [
    (value) => (value instanceof Thing ? !!value.id || value.block.syntax !== "json-ld" : readsUrl(value)),
    "a URL, or an object with an @id",
  ],
  temporal: [readsText, "a period"],
  year: [(value) => !(value instanceof Thing) && /^[0-9]{4}$/.test(strip(str(value))), "a year"],
};

/**
 * Result of fitting a value: a mismatch (`wrong` is the reason), a fit, or a shape to evaluate.
 * @typedef {{wrong?: string, shape?: string, closed?: boolean}} Fit
 */
/** @type {Fit} */
const FITS = {};

/** Members of an enumeration in words; of many the first ones. @param {string[]} members @param {string} what */
const membersInWords = (members, what) =>
  members.length <= 8 ? joinWords(members, "or") : `${members.slice(0, 4).join(", ")} or another of ${members.length} ${what}`;

/** One `value` of an entry, compiled. `isPlain`: only plain kinds, whose errors rules report. */
export class Kinds {
  /** @param {string} text @param {ProfileSet} profileSet */
  constructor(text, profileSet) {
    const { enums, shapes } = profileSet.consumer;
    /** @type {((value: Value, tables: Tables) => boolean)[]} */
    this.reads = [];
    /** @type {Enum[]} */
    this.enums = [];
    /** @type {Set<string>} */
    this.types = new Set();
    /** @type {{name: string, included: Set<string>, excluded: Set<string>}[]} */
    this.shapes = [];
    const expected = [];
    for (const kind of text.split("|")) {
      const [home, , name] = rpartition(kind, ":");
      if (home === "enum") {
        this.enums.push(enums[name]);
        expected.push(membersInWords(enums[name].members, "values"));
      } else if (home === "types") {
        for (const each of enums[name].members) this.types.add(each);
        expected.push(membersInWords(enums[name].members, "types"));
      } else if (home === "shape") {
        const source = profileSet.stating(shapes[name]);
        const included = new Set(source.types || []);
        this.shapes.push({ name, included, excluded: new Set(source.exclude_types || []) });
        expected.push(joinWords([...included].sort(), "or"));
      } else if (Object.hasOwn(READS, kind)) {
        this.reads.push(READS[kind][0]);
        expected.push(READS[kind][1]);
      } else {
        this.types.add(kind);
        expected.push(kind);
      }
    }
    this.expected = joinWords(unique(expected), "or");
    this.isPlain = !this.enums.length && !this.types.size && !this.shapes.length;
    this.hasScale = text === "rating";
  }

  /** @param {EvaluationContext} context @param {Hit} hit @returns {Fit} */
  fit(context, hit) {
    const { value } = hit;
    if (this.reads.some((reads) => reads(value, context.ruleContext.tables)))
      return this.hasScale && use("validate.ratings").scale_missed(hit.node, value) ? { wrong: OUTSIDE } : FITS;
    if (this.enums.some((each) => isOfEnum(context, each, value))) return FITS;
    return value instanceof Thing ? this.asThing(context, value) : this.asText(context, hit);
  }

  /** @param {EvaluationContext} context @param {Thing} node @returns {Fit} */
  asThing(context, node) {
    if (this.enums.length && !this.types.size && !this.shapes.length) {
      if (isReference(node) && node.id && textOf(node) === strip(node.id)) return FITS; // of another vocabulary
      return { wrong: `it is ${textOf(node) || "an object"} where ${this.expected} is expected`, closed: true };
    }
    if (isTypeMisspelt(node)) return { wrong: MISSPELT }; // reported by type-wrong-case
    return isReference(node) ? FITS : this.asTypes(context, node.types);
  }

  /** @param {EvaluationContext} context @param {string[]} types @returns {Fit} */
  asTypes(context, types) {
    if (types.some((name) => name.includes(":") || name.endsWith("Role"))) return FITS;
    if (!types.length)
      return this.shapes.length
        ? { shape: this.shapes[0].name }
        : this.types.size
          ? FITS
          : { wrong: "it is an object" };
    const shape = this.shapes.find(({ included, excluded }) => context.areA(types, included) && !context.areA(types, excluded));
    if (shape) return { shape: shape.name };
    if (context.areA(types, this.types)) return FITS;
    const are = types.join(" and ");
    if (this.isPlain && this.expected.endsWith("ImageObject") && types.includes("ImageObject"))
      return { wrong: "it is an ImageObject without an address: url or contentUrl" };
    if (this.isPlain) return { wrong: `it is an object of type ${are}, not ${this.expected}` };
    return { wrong: `it is of type ${are} where ${this.expected} is expected`, closed: true };
  }

  /** @param {EvaluationContext} context @param {Hit} hit @returns {Fit} */
  asText(context, { value, prop }) {
    if (typeof value === "string" && (this.types.size || this.shapes.length)) {
      const text = strip(value);
      if (
        (prop !== null && NAMED_BY_TEXT.has(prop)) ||
        text.includes("://") ||
        context.vocabulary.types.has(textOf(text) || "")
      )
        return FITS;
      return { wrong: `it is a text where ${this.expected} is expected`, closed: true };
    }
    if ((value instanceof Num || typeof value === "boolean") && this.types.has("QuantitativeValue") && number(value))
      return FITS;
    if (this.isPlain) return { wrong: `it is not ${this.expected}` };
    const displayed = textOf(value);
    return {
      wrong: `it is ${typeof value === "boolean" ? value : displayed === null ? "None" : repr(displayed)} where ${this.expected} is expected`,
      closed: true,
    };
  }
}
/**
 * Words as written; members, types and properties by their bare names.
 * @param {EvaluationContext} context
 * @param {Enum} listing
 * @param {Value} value
 */
const isOfEnum = (context, listing, value) => {
  if (listing.open) return true;
  if (listing.kind === "type") return value instanceof Thing && context.areA(value.types, new Set(listing.members));
  if (value instanceof Thing && value.types.length && !value.id)
    return value.types.some((name) => listing.members.includes(name));
  const text = textOf(value);
  return text !== null && (listing.members.includes(text) || (!!listing.any_case && listing.members.includes(text.toLowerCase())));
};
