// @ts-check
// Addresses and characters that are not safe. Counterpart of waypost/formats/urls.py, and of without_hidden of
// formats/text.py.

import { rx } from "./text.js";

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
export const withoutHidden = (text) => text.replace(/[\u2028\u2029]/g, " ").replace(HIDDEN, "");
