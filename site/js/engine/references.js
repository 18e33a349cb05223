// @ts-check
// Character references of HTML and the characters they stand for.

import { parseHtml } from "./tree.js";

const CHARREF = /^&#(?:[xX]([0-9a-fA-F]+)|([0-9]+));$/;
// HTML Standard, 13.2.5.80: what numbers of C1 controls stand for.
const C1 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** @type {Map<string, string>} */
const NAMED = new Map([
  ["&amp;", "&"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&nbsp;", "\xa0"],
]);

/** One character reference as the text it stands for; as written if it stands for none. @param {string} reference */
export const unescapeOne = (reference) => {
  const numbered = CHARREF.exec(reference);
  if (!numbered) {
    let known = NAMED.get(reference);
    if (known === undefined) {
      known = parseHtml ? /** @type {string} */ (parseHtml(reference).documentElement.textContent) : reference;
      if (NAMED.size < 4096) NAMED.set(reference, known);
    }
    return known;
  }
  const code = numbered[1] ? parseInt(numbered[1], 16) : Number(numbered[2]);
  if (code === 0) return "\ufffd";
  if (code === 13) return "\r";
  if (code >= 0x80 && code < 0xa0) return C1[code - 0x80];
  if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return "\ufffd";
  const isNone =
    (code < 32 && code !== 9 && code !== 10 && code !== 12) ||
    (code >= 0x7f && code < 0xa0) ||
    code === 11 ||
    (code >= 0xfdd0 && code < 0xfdf0) ||
    (code & 0xfffe) === 0xfffe;
  return isNone ? "" : String.fromCodePoint(code);
};

const REFERENCE = /&(?:[a-z][a-z0-9]{1,31}|#[0-9]{1,7}|#x[0-9a-f]{1,6});/gi;
/** One layer of HTML escapes taken away. @param {string} text */
export const unescaped = (text) => text.replace(REFERENCE, unescapeOne);

/** As Python's `html.unescape`, also without the semicolon where HTML reads one so. @param {string} text */
export const unescapedAll = (text) =>
  text.includes("&")
    ? text.replace(/&(?:#[xX]?[0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g, (found) =>
        found[1] === "#" ? unescapeOne(found.endsWith(";") ? found : `${found};`) : unescapeOne(found),
      )
    : text;
