// @ts-check
// The safe form of a unified document: no address that is not of the web, no hidden character. Counterpart of
// waypost/preview/cleaning.py, with formats/urls.py and without_hidden of formats/text.py.

import { NOWHERE, isThing } from "./catalogue.js";
import { rx, unique } from "./text.js";

const WEB_ADDRESS = rx("i")`^https?://[^\s/?#\\]`;
const URN = rx("i")`^urn:[a-z0-9][a-z0-9-]{0,31}:[^\s]`;
const CARRIES = rx()`:\s*(?:[\w.+-]+/[\w.+-]+[^,]*|(?:;[^,\s]*)?),`;
const SCHEME_AT_START = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HIDDEN =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|[\u200c\u200d]{2,}|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])/gu;

/** @param {string} text */
export const isWebAddress = (text) => WEB_ADDRESS.test(text);
/** @param {string} text */
export const isIdentifier = (text) => isWebAddress(text) || URN.test(text);
/** The scheme as a browser reads it: it ignores control characters before a URL, and tabs and line ends inside. @param {string} text */
export const schemeOf = (text) =>
  (SCHEME_AT_START.exec(text.replace(/^[\0-\x20]+|[\t\n\r]/g, "")) || ["", ""])[1].toLowerCase();
/** @param {string} text */
export const runsScript = (text) => {
  const scheme = schemeOf(text);
  return scheme === "javascript" || scheme === "vbscript" || (scheme === "data" && CARRIES.test(text));
};
/** @param {string} text */
const withoutHidden = (text) => text.replace(/[\u2028\u2029]/g, " ").replace(HIDDEN, "");

/** The names of members by their schema, as in the first interpreter. @param {Json} unified */
const namesOf = (unified) => {
  const members = [unified, ...Object.values(unified.$defs)].flatMap((each) => Object.entries(each.properties || {}));
  const referring = (/** @type {string[]} */ shapes) =>
    new Set(
      members.filter(([, each]) => shapes.includes(((each.items || each).$ref || "").slice(8))).map(([name]) => name),
    );
  const needy = Object.keys(unified.$defs).filter((name) => (unified.$defs[name].required || []).includes("url"));
  return { urls: referring(["Url"]), needy: referring(needy), free: referring(["Tidy"]) };
};

/** @param {any} value @param {string} name @param {ReturnType<typeof namesOf>} names @param {boolean} free @param {number} depth
 * @returns {any} undefined where it is dropped */
const safeValue = (value, name, names, free, depth) => {
  if (typeof value === "string") {
    const isNowhere = value === NOWHERE;
    const allowed = free
      ? !runsScript(value)
      : isNowhere || (name === "id" ? isIdentifier(value) : !names.urls.has(name) || isWebAddress(value));
    return allowed ? withoutHidden(value) || (value ? undefined : "") : undefined;
  }
  if (Array.isArray(value)) {
    const safeItems = value
      .map((each) => safeValue(each, name, names, free, depth + 1))
      .filter((each) => each !== undefined);
    const changed = safeItems.length < value.length || safeItems.some((each, n) => each !== value[n]);
    if (value.length && !safeItems.length) return undefined;
    return changed && safeItems.every((each) => typeof each === "string") ? unique(safeItems) : safeItems;
  }
  if (!isThing(value)) return value;
  if (depth > 100) return undefined;
  const made = Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, safeValue(each, key, names, free || names.free.has(key), depth + 1)])
      .filter(([, each]) => each !== undefined),
  );
  const isLost = (/** @type {string} */ key) => key in value && !(key in made);
  const needed = "propertyID" in value ? "value" : names.needy.has(name) ? "url" : "";
  const isBare = Object.keys(made).every((key) => key === "@type");
  return Object.keys(value).some(isLost) && (isLost(needed) || isBare) ? undefined : made;
};

/** @param {Json} document @param {Json} unified the schema of the model */
export const safeDocument = (document, unified) => {
  const names = namesOf(unified);
  /** @type {Record<string, any>} */
  const made = {};
  for (const [name, value] of Object.entries(document)) {
    const safe = safeValue(value, name, names, false, 1);
    if (safe !== undefined) made[name] = safe;
  }
  if ("url" in document) made.url ??= NOWHERE;
  if ("id" in document) made.id ??= made.url;
  return Object.fromEntries(
    Object.keys(unified.properties)
      .filter((name) => name in made)
      .map((name) => [name, made[name]]),
  );
};
