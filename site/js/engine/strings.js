// @ts-check
// Texts and values of a page as the first interpreter (Python) treats them: what reading needs besides text.js.

import { Dec, PRINTABLE, head, hex, repr, rstrip, rx, size, words } from "./text.js";

/** A match of a sticky pattern at an offset. @param {RegExp} pattern @param {string} text @param {number} at */
export const matchAt = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const START_EDGE = rx()`^\s+`;
const BLANK = rx("f")`\s+`;
const ANY_SPACE = rx()`\s`;
/** @param {string} text */
export const lstrip = (text) => text.replace(START_EDGE, "");

/** @param {string} text */
export const isBlank = (text) => BLANK.test(text);

/** @param {string} text */
export const hasSpace = (text) => ANY_SPACE.test(text);

/** @param {string} text @param {string} characters */
export const lstripOf = (text, characters) => {
  let at = 0;
  while (at < text.length && characters.includes(text[at])) at++;
  return text.slice(at);
};

/** Full case folding (Unicode 3.13) by way of the upper case; the dotless i stays itself. @param {string} text */
export const casefold = (text) => {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  let made = "";
  for (const character of text) {
    made += character === "\u0131" ? character : folded(character);
  }
  return made;
};

/** @param {string} character */
const folded = (character) => {
  let made = "";
  for (const each of character.toLowerCase().toUpperCase()) made += each.toLowerCase();
  return made;
};

export const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const DIGITS = /\p{Nd}/gu;
/** @param {string} text */
export const countDigits = (text) => (text.match(DIGITS) || []).length;

/** A value as a message shows it: one line, bounded, control characters spelled out. @param {string} text */
export const clip = (text, most = 60) => {
  const start = text.length > 5000 ? text.slice(0, 5000) : text;
  const joined = words(start).join(" ") || start;
  let flat = head(joined, most + 1);
  if (!PRINTABLE.test(flat)) {
    let spelled = "";
    for (const character of flat) {
      spelled += PRINTABLE.test(character)
        ? character
        : `\\u${hex(/** @type {number} */ (character.codePointAt(0)), 4)}`;
    }
    flat = spelled;
  }
  return size(flat) <= most ? flat : `${rstrip(head(flat, most - 1))}…`;
};

/** @param {string} text */
export const quoted = (text, most = 60) => repr(clip(text, most));

/** a, b and c @param {Iterable<string>} names */
export const joinWords = (names, joint = "and") => {
  const every = [...names];
  const last = every.pop() ?? "";
  return every.length ? `${every.join(", ")} ${joint} ${last}` : last;
};

/** A number of a JSON text, exactly as written. `whole`: without point and exponent. */
export class Num {
  /** @param {string} text @param {boolean} whole */
  constructor(text, whole) {
    this.text = text;
    this.whole = whole;
  }

  get dec() {
    return Dec.of(this.whole ? this.text.replace(/^-(?=0+$)/, "") : this.text); // a whole number has no zero below zero
  }

  toString() {
    return this.whole ? String(BigInt(this.text)) : this.dec.toString();
  }
}

/** A number without an exponent; "" for one that is longer than a page means. @param {Num} value */
export const digitsOf = (value) => {
  if (!value.whole) return Math.abs(value.dec.adjusted) < 64 ? value.dec.plain() : "";
  const exactly = BigInt(value.text);
  return (exactly < 0n ? -exactly : exactly) < 2n ** 255n ? String(exactly) : "";
};

/** Add a value to the list under a key. @template K, V @param {Map<K, V[]>} map @param {K} key @param {V} value */
export const addTo = (map, key, value) => {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
};

/**
 * Add many values to a list: more than may be arguments of one call.
 * @template T
 * @param {T[]} list
 * @param {T[]} more
 */
export const addAll = (list, more) => {
  for (const each of more) list.push(each);
};

/** A text as a JSON string that may stand anywhere in JSON. @param {string} text */
export const jsonText = (text) => JSON.stringify(text);
