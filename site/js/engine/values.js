// @ts-check
// Numbers, prices, codes, check digits and URLs in plain values, as in waypost/formats (numbers.py, prices.py, ...).

import { UrlError, hostinfo, urlsplit } from "./addresses.js";
import { Num, hasSpace } from "./strings.js";
import { Dec, isDigits, repr, rx, size, strip } from "./text.js";

/** @import { Value } from "./page.js" */

const MOST = 64;
const NUMBER = rx("af")`[+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][+-]?\d{1,3})?`;
const HUGE = Dec.of("1e60");

/** A number or the text of one ("4.5", "-3", "1e3"), else null. @param {Value} value @returns {Dec|null} */
export const number = (value) => {
  if (typeof value === "string") {
    const text = strip(value);
    return size(text) <= MOST && NUMBER.test(text) ? Dec.of(text) : null;
  }
  if (value instanceof Num) {
    const exact = value.dec;
    return exact.abs.compare(HUGE) < 0 ? exact : null;
  }
  return null;
};

const FRACTION = rx("af")`([+-]?\d{1,9}(?:\.\d{1,60})?) ?/ ?(\d{1,9}(?:\.\d{1,9})?)`;
const PERCENT = rx("af")`([+-]?\d{1,9}(?:\.\d{1,60})?) ?%`;

/** A number, a percentage or a fraction, and what it is out of. @param {Value} value */
export const rating = (value) => {
  const plain = number(value);
  if (plain) return { value: plain, outOf: null };
  if (typeof value !== "string" || size(value) > MOST) return null;
  let found = PERCENT.exec(strip(value));
  if (found) return { value: Dec.of(found[1]), outOf: Dec.of("100") };
  found = FRACTION.exec(strip(value));
  return found ? { value: Dec.of(found[1]), outOf: Dec.of(found[2]) } : null;
};

/** GS1 General Specifications, 7.9. @param {string} digits */
export const gs1CheckDigit = (digits) => {
  const total = [...digits].reverse().reduce((sum, digit, n) => sum + Number(digit) * (n % 2 ? 1 : 3), 0);
  return (10 - (total % 10)) % 10;
};
/** The last character of an ISBN-10 or ISSN: weights fall to 2, X is ten. @param {string} digits */
export const mod11CheckDigit = (digits) => {
  const total = [...digits].reduce((sum, digit, n) => sum + Number(digit) * (digits.length + 1 - n), 0);
  const rest = (11 - (total % 11)) % 11;
  return rest === 10 ? "X" : String(rest);
};

const LANGUAGE_TAG = rx(
  "aif",
)`(?:[a-z]{2,3}(?:-[a-z]{3}){0,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8}`;
/** Formed like a BCP 47 language tag. @param {string} text */
export const isLanguageTag = (text) => size(text) <= MOST && LANGUAGE_TAG.test(text);

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const NO_HOST = /[<>"^`{|}\\ %]/;
/**
 * A text as a URL: its scheme ("" when relative) and host; `error` is the reason why it is no URL.
 * @param {string} given @returns {{scheme: string, host: string, error: string|null}}
 */
export const address = (given) => {
  const text = strip(given);
  const found = SCHEME.exec(text);
  const scheme = found ? found[1].toLowerCase() : "";
  if (scheme !== "http" && scheme !== "https" && !text.startsWith("//")) return { scheme, host: "", error: null };
  let host = "";
  try {
    const parts = hostinfo(urlsplit(text).netloc);
    host = parts.host;
    if (parts.port && !(isDigits(parts.port) && Number(parts.port) <= 65535)) throw new UrlError("the port is not a number up to 65535");
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return { scheme, host: "", error: error.message };
  }
  if (!host) return { scheme, host: "", error: "it names no host" };
  if (NO_HOST.test(host) || hasSpace(host) || host.includes("..") || host.startsWith(".")) {
    return { scheme, host, error: `${repr(host)} is not a host name` };
  }
  return { scheme, host, error: null };
};

const BROKEN_SCHEME = /^(?!https?:\/\/)(?:h{0,2}t{1,3}p{1,2}(s{0,2})(?:[:;.,]{1,2}[/\\]{1,2}|[/\\]{2})|http(s?):)(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#:]|$))/i;
const DOUBLED_SCHEME = /^(?:https?:?\/*|\/{2,})(?=https?:\/\/[^/])/i;
/** The address with its misspelled or doubled scheme corrected, else null. Counterpart of with_scheme_fixed. @param {string} text */
export const withSchemeFixed = (text) => {
  const doubled = DOUBLED_SCHEME.exec(text);
  if (doubled) return text.slice(doubled[0].length);
  const found = BROKEN_SCHEME.exec(text);
  return found && `${found[1] || found[2] ? "https" : "http"}://${text.slice(found[0].length)}`;
};
