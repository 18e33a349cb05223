// @ts-check
// Texts that a template or a script prints where a value is missing. Counterpart of waypost/formats/placeholders.py.

import { rx, size, strip } from "./text.js";

/** Texts that are never a name: "XXX" is a film, and people write "N/A" and "TBD" themselves. */
const NOTHING = /^(?:undefined|null|NULL|nan|NaN|\(null\)|%s|%d|%1\$s)$/;
export const UNFILLED = rx(
  "gi",
)`\{\{[^{}]{1,80}\}\}|\{%[^%]{1,80}%\}|<%[^%]{1,80}%>|<\?(?:php|=)|\$\{[\w. ]{1,60}\}|\{\$[\w.>|\-]{1,60}\}|%%[a-z_]{3,30}%%|^%[a-z_]{3,30}%\Z|\[object Object\]|\[(?:node|site|term|user|current-page):[\w:\-]{2,60}\]`;
/** Nothing but the separators between values that a template left empty. */
export const EMPTY_LIST = /^[,;|][ ,;|]*$/;
/** Is it nothing but placeholders, or a URL with one? @param {any} value */
export const isUnfilled = (value) => {
  if (typeof value !== "string" || size(value) > 300) return false;
  const text = strip(value);
  if (NOTHING.test(text) || EMPTY_LIST.test(text)) return true;
  const rest = text.replace(UNFILLED, "");
  return rest !== text && (text.includes("://") || !/[\p{L}\p{N}]/u.test(rest));
};
/** Was a text of a card never filled in? Marks inside a long text are code that it is about. @param {string} text */
export const isLeftOver = (text) => isUnfilled(text) || (size(text) <= 200 && text.replace(UNFILLED, "") !== text);
