// @ts-check
// Texts and numbers as the registry's first interpreter (Python) treats them: white space, letter case,
// lengths in code points, exact decimal numbers. Both engines must give the same text, to the letter.

export const SPACES = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/**
 * A pattern as a tagged template, with `\s`, `\d`, `\w` and `\Z` as Python's `re` reads them.
 * Flags in addition to JavaScript's own: "a" only ASCII counts, "f" the whole text must match.
 * @param {string} [flags]
 */
export const rx =
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

const EDGES = rx("g")`^\s+|\s+\Z`;
const END_EDGE = rx()`\s+\Z`;
const GAPS = rx("g")`\s+`;
export const WIDE = /[\ud800-\udfff]/;

/** @param {string} text */
const isSpaceCode = (text) => {
  const first = text.charCodeAt(0),
    last = text.charCodeAt(text.length - 1);
  return first <= 32 || last <= 32 || first >= 0x85 || last >= 0x85;
};
/** @param {string} text */
export const strip = (text) => (text && isSpaceCode(text) ? text.replace(EDGES, "") : text);
/** @param {string} text */
export const rstrip = (text) => text.replace(END_EDGE, "");
/** The words between white space. @param {string} text @returns {string[]} */
export const words = (text) => text.split(GAPS).filter(Boolean);
/** @param {string} text @param {string} characters */
export const rstripOf = (text, characters) => {
  let end = text.length;
  while (end && characters.includes(text[end - 1])) end--;
  return text.slice(0, end);
};
/** @param {string} text @param {string} start */
export const withoutPrefix = (text, start) => (text.startsWith(start) ? text.slice(start.length) : text);
/** @param {string} text @param {string} end */
export const withoutSuffix = (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text);
/** [before, mark, after], as Python's `partition`. @param {string} text @param {string} mark */
export const partition = (text, mark) => {
  const at = text.indexOf(mark);
  return at < 0 ? [text, "", ""] : [text.slice(0, at), mark, text.slice(at + mark.length)];
};
/** @param {string} text @param {string} mark */
export const rpartition = (text, mark) => {
  const at = text.lastIndexOf(mark);
  return at < 0 ? ["", "", text] : [text.slice(0, at), mark, text.slice(at + mark.length)];
};

/** Length in code points. @param {string} text */
export const size = (text) => {
  if (!WIDE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
};
/** The first so many code points. @param {string} text @param {number} most */
export const head = (text, most) => {
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

export const PRINTABLE = /^(?:[^\p{C}\p{Z}]| )*$/u;
const ASCII_DIGITS = /^[0-9]+$/;
/** @param {string} text */
export const isDigits = (text) => ASCII_DIGITS.test(text);
/** A text as Python's `repr` writes it. @param {string} text */
export const repr = (text) => {
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
export const hex = (code, width) => code.toString(16).padStart(width, "0");

/** A number with thousands separated, as Python's "," writes it. @param {number|bigint|string|Float} value */
export const grouped = (value) => {
  const [whole, point, rest] = partition(String(value), ".");
  return whole.includes("e") ? String(value) : whole.replace(/\B(?=(?:\d{3})+$)/g, ",") + point + rest;
};

/** An exact decimal number: `digits` times ten to the power of `exponent`. */
export class Dec {
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

  get negated() {
    return new Dec(!this.negative, this.digits, this.exponent, this.width);
  }

  /** @param {Dec} other */
  plus(other) {
    const least = Math.min(this.exponent, other.exponent);
    return exactly(scaled(this, least) + scaled(other, least), least);
  }

  /** @param {Dec} other */
  times(other) {
    return exactly(scaled(this, this.exponent) * scaled(other, other.exponent), this.exponent + other.exponent);
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
    return `${this.negative ? "-" : ""}${whole}${rest ? "." + rest : ""}${power}`;
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

/** @param {bigint} value @param {number} exponent */
const exactly = (value, exponent) => {
  const digits = value < 0n ? -value : value;
  return new Dec(value < 0n, digits, exponent, String(digits).length);
};

/** A number of the unified model that was written with a point although it is whole: 4.0. */
export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }

  valueOf() {
    return this.value;
  }

  toString() {
    return `${this.value}${Number.isInteger(this.value) ? ".0" : ""}`;
  }
}

/** A scalar as Python's `str` writes it. @param {any} value */
export const str = (value) => (value === true ? "True" : value === false ? "False" : value === null ? "None" : String(value));

/** A number as Python's "%g" writes it. @param {number|Float} given */
export const general = (given) => {
  const value = Number(given);
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
export const unique = (values) => [...new Set(values)];

const CONTROL = /[\0-\x1f\x7f-\x9f\ud800-\udfff]/gu;
const TAG_IN_TEXT = /<[a-zA-Z/!?][^<>]*>/g;
/** White space collapsed; control characters and lone surrogates gone. @param {string} value */
export const squeezed = (value) => words(value.replace(CONTROL, " ")).join(" ");

/** @param {any} value */
export const some = (value) => (value === null || value === undefined || value === "" ? [] : [value]);

/** @param {string} text */
export const withoutTags = (text) => (text.includes("<") ? squeezed(text.replace(TAG_IN_TEXT, " ")) : text);

/**
 * At most so many characters, cut at a word where one ends in the second half.
 * @param {string} text
 * @param {number} most
 */
export const cut = (text, most) => {
  if (size(text) <= most) return text;
  const start = head(text, most);
  const space = start.lastIndexOf(" ");
  const beginning =
    space >= 0 && size(start.slice(0, space)) > Math.floor(most / 2) ? start.slice(0, space) : head(text, most - 1);
  return `${rstripOf(beginning, " ,;:-–—.")}…`;
};

/** A price of the document as a number. @param {any} value @returns {Dec|null} */
export const priceNumber = (value) => {
  const text = typeof value === "string" ? strip(value).replaceAll("_", "") : "";
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?$/.test(text) ? Dec.of(text) : null;
};
/** @param {string} digits */
export const thousands = (digits) => grouped(String(BigInt(digits)));
/** One decimal place, half up, going by the shortest decimal form of the number. @param {number} value */
export const tenths = (value) => {
  const exactly = Dec.of(String(value));
  const found =
    exactly.exponent >= -1
      ? exactly.digits * 10n ** BigInt(exactly.exponent + 1)
      : ((exactly.digits * 2n) / 10n ** BigInt(-exactly.exponent - 1) + 1n) / 2n;
  return Number(`${found / 10n}.${found % 10n}`);
};
/** A number as the model holds it: one written with a point stays one. @param {string} text */
export const modelNumber = (text) => {
  const value = Number(text) || 0;
  return text.includes(".") && Number.isInteger(value) ? new Float(value) : value;
};
/** @param {Dec} value */
export const plainNumber = (value) => Number(String(value));
