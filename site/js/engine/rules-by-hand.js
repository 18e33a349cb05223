// @ts-check
// Rules, and parts of rules, that are written for the browser by hand: each is the counterpart of a function of
// waypost/validate, which documents it. All other rules are translated from Python, see waypost/pages/py2js.

import { rule } from "./dispatch.js";
import { Item } from "./item.js";
import { offered } from "./parts.js";
import { EMPTY_LIST, UNFILLED } from "./placeholders.js";
import { quoted } from "./strings.js";
import { head, rx, size, strip, words } from "./text.js";
import { linksOf } from "./value-kinds.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { Thing } from "./page.js" */

rule("microdata-itemtype-without-itemscope", {
  authority: "html",
  *page({ page, vocabulary, tables }) {
    for (const readError of page.readErrors) {
      if (readError.rule !== "microdata-itemtype-without-itemscope") continue;
      const { type, lost, isValue, message, property } = readError.detail;
      const isCostly = lost && type && vocabulary.areA([type], tables.promised);
      yield {
        severity: isCostly && !page.nodes.some(({ types }) => types.includes(type)) ? "error" : "warning",
        message,
        property,
        hint: isValue ? "leave itemtype out here" : "add itemscope to the same tag",
        readError,
      };
    }
  },
});
rule("visible-value-differs", {
  authority: "google",
  *page(context) {
    const { page, tables } = context;
    for (const { node, prop, position, tag, text } of page.visible) {
      const value = (node.props.get(prop) || [])[position];
      if (typeof value !== "string") continue;
      const money = { currency: node.get("priceCurrency"), signs: tables.signs, currencies: tables.currencies };
      if (offered("guessing").differs({ prop, tag, text, value, language: page.language, ...money }))
        yield new Item(node, context).warning(
          prop,
          `the markup says ${quoted(value)} and people read ${quoted(text)}`,
          "correct the one that is wrong, and write both from one value",
          { index: position },
        );
    }
  },
});

const PLACEHOLDERS = new Set([
  "undefined",
  "null",
  "nan",
  "[object object]",
  "tbd",
  "fixme",
  "xxx",
  "(null)",
  "none none",
  "n/a",
  "%s",
  "%d",
  "%1$s",
]);
const MARKS_ALONE = /^[[\]{}().,;:\-_/\\|<>"'*#–—]{1,6}$/;
const LEFT_OVER = rx("i")`${UNFILLED.source}|^lorem ipsum(?![\w])|/undefined(?:/|\Z)|^TODO:`;
/** @param {string} value */
export const isPlaceholder = (value) => {
  if (value.length < 40 && size(value) < 20) {
    const low = strip(value).toLowerCase();
    // "Todo" is Spanish for everything, and the name of many an app.
    if (strip(value) === "TODO" || PLACEHOLDERS.has(low) || (low.length <= 6 && MARKS_ALONE.test(low)) || EMPTY_LIST.test(low)) return true;
  }
  const start = head(value, 300);
  if (!/[{%<[]|\/undefined/.test(start) && !["lorem", "Lorem", "LOREM", "todo:", "TODO:"].includes(start.slice(0, 5)))
    return false;
  return LEFT_OVER.test(start);
};
const SAMPLE_FIELD =
  "(?:street|postal|mailing|address|city|town|state|province|region|zip|postcode|code|country|phone|telephone|mobile" +
  "|number|e-?mail|company|business|organi[sz]ation|brand|store|shop|web ?site|site|web|page|blog|domain|url|link|logo" +
  "|image|photo|picture|name|title|headline|description|tagline|slogan|text|content|product|author|first|last|full|line)";
const YOURS = `your (?:${SAMPLE_FIELD} ?){1,4}(?:here)?`;
const SAMPLE = new RegExp(
  `^(?:${YOURS}|(?:insert|enter|add|type|put|write) (?:your |the |an? )?(?:${SAMPLE_FIELD} ?){1,4}(?:here)?|${SAMPLE_FIELD} here` +
    "|(?:my|the )?(?:company|business|organi[sz]ation|brand|store|shop|web ?site|site|blog|author|product|event|recipe" +
    "|page|post|article) (?:name|title)|first ?name last ?name|just another wordpress site)$",
  "i",
);
const SAMPLE_OF_ADDRESS = new RegExp(
  `^(?:(?:[0-9]{1,5} )?(?:${YOURS}|any ?(?:town|city|street|state)|street name|street address|address line ?[12]?|city` +
    "|state|province|zip(?: ?code)?|postal code|postcode|country|city name|state zip(?: ?code)?)(?: [0-9]{5})?)$",
  "i",
);
const SAMPLE_HOST =
  /^(?:(?:(?:https?:)?\/\/|[^@ /]{0,60}@)?(?:www\.)?(?:your-?(?:domain|web-?site|site|company|business|store|shop|blog|brand)(?:-?(?:name|here|url))?\.[a-z.]{2,10})(?:[/:?#]|$)|your(?:[._-]?(?:name|e-?mail|address))?@)/i;
const SAMPLE_DIGITS = new Set(["1234567890", "0123456789", "123456789", "5555555555", "0000000000"]);
const MAY_BE_SAMPLE = new RegExp(
  `your|any ?(?:town|city|street|state)|${SAMPLE_FIELD}(?:[^a-z0-9_]|$)|wordpress|1.?2.?3.*4.?5.?6|5.?5.?5.*5.?5.?5|0.?0.?0.*0.?0.?0`,
  "i",
);
const SAMPLE_ADDRESSES = new Set(["streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry", "address"]);
const SAMPLE_LINKS = new Set(["url", "image", "logo", "thumbnailUrl", "contentUrl", "email"]);
const SAMPLE_NAMES = new Set(
  ["name", "legalName", "alternateName", "headline", "title", "description", "author", "publisher", "brand", "telephone"],
);
/** Fast test before `isSample`. @param {any} value */
export const mayBeSample = (value) => typeof value === "string" && size(value) <= 80 && MAY_BE_SAMPLE.test(value);
/** Is a text what a template shows in an empty field? @param {string} prop @param {string} value */
export const isSample = (prop, value) => {
  const text = words(value.replaceAll("_", " ").replace(/^[ .!*[\]<>{}()]+|[ .!*[\]<>{}()]+$/g, "")).join(" ");
  if (SAMPLE_ADDRESSES.has(prop)) return text.split(",").some((part) => SAMPLE_OF_ADDRESS.test(strip(part)));
  if (SAMPLE_LINKS.has(prop) && SAMPLE_HOST.test(strip(value))) return true;
  if (prop === "telephone" && !/\p{L}/u.test(text)) {
    const digits = text.replace(/[^0-9]/g, "");
    return SAMPLE_DIGITS.has(digits) || (digits.length === 11 && SAMPLE_DIGITS.has(digits.slice(1)));
  }
  return (SAMPLE_NAMES.has(prop) || SAMPLE_LINKS.has(prop)) && SAMPLE.test(text);
};
export const PLACEHOLDER_MARKS = {
  /** @param {string} text */
  search: (text) => LEFT_OVER.exec(text),
};
export const CHECKED_LENGTH = 300;
export const LONGEST_TITLE = 200;

/** Does a node that is not read as one of these types cost a rich result: its own, or one of its holder? Counterpart of costs.py.
 * @param {RuleContext} context @param {Thing} node @param {string[]} types */
export const costsResult = ({ profiles }, node, types) =>
  (!node.parent && profiles.featuresFor(types).some((/** @type {any} */ { feature: { profile } }) => profile.status !== "retired" && (profile.required || []).some(isStrict))) ||
  linksOf(node).some(([holder, prop]) => !holder.foreign && needsProperty(profiles, holder, prop));
/** @param {any} entry */
const isStrict = ({ when, beta, row, severity, basis = "table" }) =>
  !when && !beta && row !== "recommended" && !severity && (basis === "table" || basis === "prose");
/** Does a rich result of the holder require the property, with no alternative on the page? @param {any} profiles @param {Thing} holder @param {string} prop */
const needsProperty = (profiles, { types, props }, prop) =>
  profiles.featuresFor(types).some((/** @type {any} */ { feature: { profile } }) =>
    profile.status !== "retired" &&
    (profile.required || []).filter(isStrict).some((/** @type {any} */ { each, path, any_of = [], any_of_groups = [] }) => {
      const paths = each ? [each] : path ? [path] : [...any_of, ...any_of_groups.flat()];
      const names = new Set(paths.map((/** @type {string} */ text) => text.split(/[.[]/)[0]));
      return names.has(prop) && ![...names].some((name) => name !== prop && props.has(name));
    }),
  );

const PRIVATE = rx(
  "afs",
)`localhost|[^\n]*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|::1|(?!https?$)[a-z\d_-]+`;
/** @param {string} host */
export const isLocalHost = (host) => PRIVATE.test(host);
