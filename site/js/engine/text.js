// @ts-check
// Texts and numbers as the registry's first interpreter (Python) treats them: white space, letter case,
// lengths in code points, exact decimal numbers. Both interpreters must say the same, to the letter.

const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/**
 * A pattern as a tagged template, with `\s`, `\d`, `\w` and `\Z` as Python's `re` reads them.
 * Flags beside JavaScript's own: "a" only ASCII counts, "f" the whole text must match.
 * @param {string} [flags]
 */
const rx =
  (flags = "") =>
  (/** @type {TemplateStringsArray} */ parts, /** @type {any[]} */ ...values) => {
    const ascii = flags.includes("a");
    /** @type {Record<string, string>} */
    const classes = ascii
      ? { s: "\\t-\\r ", d: "0-9", w: "0-9A-Za-z_" }
      : { s: SPACES, d: "\\p{Nd}", w: "\\p{L}\\p{N}_" };
    let inside = false;
    const source = String.raw(parts, ...values).replace(/\\([\s\S])|[[\]]/g, (whole, escaped) => {
      if (whole === "[") inside = true;
      else if (whole === "]") inside = false;
      if (escaped === "Z") return "$";
      const kind = escaped && classes[escaped.toLowerCase()];
      if (!kind) return whole;
      if (escaped < "a") return `[^${kind}]`;
      return inside ? kind : `[${kind}]`;
    });
    const own = flags.replace(/[af]/g, "");
    const unicode = ascii && own.includes("i") ? "" : "u";
    return new RegExp(flags.includes("f") ? `^(?:${source})$` : source, own + unicode);
  };

/** A match of a sticky pattern at an offset. @param {RegExp} pattern @param {string} text @param {number} at */
const matchAt = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

const EDGES = rx("g")`^\s+|\s+\Z`;
const START_EDGE = rx()`^\s+`;
const END_EDGE = rx()`\s+\Z`;
const GAPS = rx("g")`\s+`;
const BLANK = rx("f")`\s+`;
const ANY_SPACE = rx()`\s`;
const WIDE = /[\ud800-\udfff]/;

/** @param {string} text */
const isSpaceCode = (text) => {
  const first = text.charCodeAt(0),
    last = text.charCodeAt(text.length - 1);
  return first <= 32 || last <= 32 || first >= 0x85 || last >= 0x85;
};
/** @param {string} text */
const strip = (text) => (text && isSpaceCode(text) ? text.replace(EDGES, "") : text);
/** @param {string} text */
const lstrip = (text) => text.replace(START_EDGE, "");
/** @param {string} text */
const rstrip = (text) => text.replace(END_EDGE, "");
/** The words between white space. @param {string} text @returns {string[]} */
const words = (text) => text.split(GAPS).filter(Boolean);
/** @param {string} text */
const isBlank = (text) => BLANK.test(text);
/** @param {string} text */
const hasSpace = (text) => ANY_SPACE.test(text);
/** @param {string} text @param {string} characters */
const lstripOf = (text, characters) => {
  let at = 0;
  while (at < text.length && characters.includes(text[at])) at++;
  return text.slice(at);
};
/** @param {string} text @param {string} characters */
const rstripOf = (text, characters) => {
  let end = text.length;
  while (end && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
};
/** @param {string} text @param {string} start */
const withoutPrefix = (text, start) => (text.startsWith(start) ? text.slice(start.length) : text);
/** @param {string} text @param {string} end */
const withoutSuffix = (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text);
/** [before, mark, after], as Python's `partition`. @param {string} text @param {string} mark */
const partition = (text, mark) => {
  const at = text.indexOf(mark);
  return at < 0 ? [text, "", ""] : [text.slice(0, at), mark, text.slice(at + mark.length)];
};
/** @param {string} text @param {string} mark */
const rpartition = (text, mark) => {
  const at = text.lastIndexOf(mark);
  return at < 0 ? ["", "", text] : [text.slice(0, at), mark, text.slice(at + mark.length)];
};

/** Length in code points. @param {string} text */
const size = (text) => {
  if (!WIDE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
};
/** The first so many code points. @param {string} text @param {number} most */
const head = (text, most) => {
  if (text.length <= most) return text;
  if (!WIDE.test(text.slice(0, 2 * most + 2))) return text.slice(0, most);
  let made = "",
    count = 0;
  for (const character of text) {
    if (count++ >= most) break;
    made += character;
  }
  return made;
};

/** Full case folding (Unicode 3.13) by way of the upper case; the dotless i stays itself. @param {string} text */
const casefold = (text) => {
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

const PRINTABLE = /^(?:[^\p{C}\p{Z}]| )*$/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const DIGITS = /\p{Nd}/gu;
const ASCII_DIGITS = /^[0-9]+$/;
/** @param {string} text */
const isDigits = (text) => ASCII_DIGITS.test(text);
/** @param {string} text */
const countDigits = (text) => (text.match(DIGITS) || []).length;

/** A text as Python's `repr` writes it. @param {string} text */
const repr = (text) => {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let made = "";
  for (const character of text) {
    if (character === quote || character === "\\") made += `\\${character}`;
    else if (PRINTABLE.test(character)) made += character;
    else if (character === "\n") made += "\\n";
    else if (character === "\r") made += "\\r";
    else if (character === "\t") made += "\\t";
    else {
      const code = /** @type {number} */ (character.codePointAt(0));
      made += code < 0x100 ? `\\x${hex(code, 2)}` : code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
    }
  }
  return quote + made + quote;
};
/** @param {number} code @param {number} width */
const hex = (code, width) => code.toString(16).padStart(width, "0");

/** A value as a message shows it: one line, bounded, control characters spelled out. @param {string} text */
const clip = (text, most = 60) => {
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
const quoted = (text, most = 60) => repr(clip(text, most));

/** a, b and c @param {Iterable<string>} names */
const listed = (names, joint = "and") => {
  const every = [...names];
  const last = every.pop() ?? "";
  return every.length ? `${every.join(", ")} ${joint} ${last}` : last;
};

/** A whole number with thousands separated. @param {number|bigint|string} value */
const grouped = (value) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** An exact decimal number: `digits` times ten to the power of `exponent`. */
class Dec {
  /** @param {boolean} negative @param {bigint} digits @param {number} exponent @param {number} width digits written */
  constructor(negative, digits, exponent, width) {
    this.negative = negative;
    this.digits = digits;
    this.exponent = exponent;
    this.width = width;
  }

  /** @param {string} text a number that was checked to be one @returns {Dec} */
  static of(text) {
    const found = /** @type {RegExpExecArray} */ (/^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text));
    const fraction = found[3] || "";
    const written = (found[2] + fraction).replace(/^0+(?=.)/, "");
    return new Dec(found[1] === "-", BigInt(written || "0"), Number(found[4] || 0) - fraction.length, written.length);
  }

  get isZero() {
    return this.digits === 0n;
  }

  /** The exponent of the first digit, were there one digit before the point. */
  get adjusted() {
    return this.exponent + this.width - 1;
  }

  /** @param {Dec} other */
  compare(other) {
    const least = Math.min(this.exponent, other.exponent);
    const one = scaled(this, least),
      two = scaled(other, least);
    return one < two ? -1 : one > two ? 1 : 0;
  }

  get abs() {
    return new Dec(false, this.digits, this.exponent, this.width);
  }

  get isWhole() {
    return this.exponent >= 0 || this.digits % 10n ** BigInt(-this.exponent) === 0n;
  }

  /** As Python writes a Decimal: with an exponent only where zeroes would have to be made up. */
  toString() {
    const digits = String(this.digits).padStart(this.width, "0");
    const left = this.exponent + digits.length;
    const point = this.exponent <= 0 && left > -6 ? left : 1;
    const whole = point <= 0 ? "0" : digits.slice(0, point);
    const rest = point <= 0 ? "0".repeat(-point) + digits : digits.slice(point);
    const power = left === point ? "" : `E${left - point < 0 ? "-" : "+"}${Math.abs(left - point)}`;
    return `${this.negative ? "-" : ""}${whole}${rest ? `.${rest}` : ""}${power}`;
  }

  /** All digits, without an exponent. */
  plain() {
    const digits = String(this.digits).padStart(this.width, "0");
    const sign = this.negative ? "-" : "";
    if (this.exponent >= 0) return sign + (this.isZero ? digits : digits + "0".repeat(this.exponent));
    const padded = digits.padStart(1 - this.exponent, "0");
    return `${sign}${padded.slice(0, this.exponent)}.${padded.slice(this.exponent)}`;
  }
}
/** @param {Dec} value @param {number} exponent */
const scaled = (value, exponent) => {
  const made = value.digits * 10n ** BigInt(value.exponent - exponent);
  return value.negative ? -made : made;
};

/** A number of a JSON text, exactly as written. `whole`: without point and exponent. */
class Num {
  /** @param {string} text @param {boolean} whole */
  constructor(text, whole) {
    this.text = text;
    this.whole = whole;
  }

  get dec() {
    return Dec.of(this.text);
  }

  toString() {
    return this.whole ? String(BigInt(this.text)) : this.dec.toString();
  }
}

/** A number of the unified model that was written with a point although it is whole: 4.0. */
class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

/** A scalar as Python's `str` writes it. @param {any} value */
const str = (value) => (value === true ? "True" : value === false ? "False" : value === null ? "None" : String(value));

/** A number as Python's "%g" writes it. @param {number} value */
const general = (value) => {
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(5).split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 6) {
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return `${short}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const fixed = value.toFixed(5 - exponent);
  return fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
};

/** @template T @param {T[]} values @returns {T[]} */
const unique = (values) => [...new Set(values)];

/** Add a value to the list under a key. @template K, V @param {Map<K, V[]>} map @param {K} key @param {V} value */
const addTo = (map, key, value) => {
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
const addAll = (list, more) => {
  for (const each of more) list.push(each);
};

/** A text as a JSON string that may stand anywhere in JSON. @param {string} text */
const jsonText = (text) => JSON.stringify(text);

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
const unescapeOne = (reference) => {
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
const unescaped = (text) => text.replace(REFERENCE, unescapeOne);
/** As Python's `html.unescape`, also without the semicolon where HTML reads one so. @param {string} text */
const unescapedAll = (text) =>
  text.includes("&")
    ? text.replace(/&(?:#[xX]?[0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g, (found) =>
        found[1] === "#" ? unescapeOne(found.endsWith(";") ? found : `${found};`) : unescapeOne(found),
      )
    : text;

const UTF8 = new TextEncoder();

/** SHA-256 (FIPS 180-4) of a text in UTF-8, in hexadecimal. @param {string} text */
const sha256 = (text) => {
  const data = UTF8.encode(text);
  const length = data.length,
    blocks = ((length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(data);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, length << 3);
  const state = Uint32Array.from(SHA_START);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let n = 0; n < 16; n++) schedule[n] = view.getUint32(offset + n * 4);
    for (let n = 16; n < 64; n++) {
      const a = schedule[n - 15],
        b = schedule[n - 2];
      schedule[n] =
        schedule[n - 16] +
        schedule[n - 7] +
        (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
        (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let n = 0; n < 64; n++) {
      const one =
        (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[n] + schedule[n]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => {
      state[n] += word;
    });
  }
  return [...state].map((word) => hex(word, 8)).join("");
};
/** @param {number} word @param {number} by */
const turn = (word, by) => (word >>> by) | (word << (32 - by));
/** The first 32 bits of the fractional parts of the cube or square roots of the first primes. */
const [SHA_ROUNDS, SHA_START] = (() => {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((each) => n % each)) primes.push(n);
  const bits = (/** @type {number} */ root) => Math.floor((root % 1) * 2 ** 32) >>> 0;
  return [primes.map((each) => bits(Math.cbrt(each))), primes.slice(0, 8).map((each) => bits(Math.sqrt(each)))];
})();
