// @ts-check
// Tokens of JSON with the errors of people and templates, and the repairs. Counterpart of waypost/reader/dirtytokens.py.

import { ESCAPES, LONGEST_NUMBER, exact } from "./json.js";
import { jsonText, matchAt } from "./strings.js";
import { SPACES, hex, partition, rstrip, rstripOf, rx, withoutSuffix } from "./text.js";

/** @typedef {[number, number, string]} TextEdit */
/** @typedef {{rule: string, start: number, end: number, pointer: string, detail: Record<string, any>,
 *   edits: TextEdit[], related: [string, number, number][]}} Repair */

const MOST_EDITS = 1000;
const MOST_ERRORS = 20_000;
const MOST_REPAIRS = 200;
const MOST_ALSO = 5;
const LOOKAHEAD = 2000;
const MOST_SEARCHES = 200;
const MOST_TRIES = 20000;
const MOST_VAIN_TEMPLATES = 1000;
export const MOST_STRAY = 12;
const TAIL = 80;

export class TooBroken extends Error {}
export class TooDeep extends Error {
  /** @param {number} at */
  constructor(at) {
    super();
    this.at = at;
  }
}

/** The repairs of one text, in order; swarms folded, the number bounded. */
export class Ledger {
  /** @param {() => string} where */
  constructor(where) {
    this.where = where;
    /** @type {Repair[]} */
    this.repairs = [];
    /** @type {Map<string, Repair>} */
    this.swarms = new Map();
    this.errors = 0;
  }

  /** @param {string} rule @param {number} start @param {number} end @param {TextEdit[]} [edits]
   * @param {{fold?: boolean, related?: [string, number, number][], [detail: string]: any}} [more] */
  note(rule, start, end, edits = [], { fold = true, related = [], ...detail } = {}) {
    if (++this.errors > MOST_ERRORS) throw new TooBroken();
    const swarm = fold ? this.swarms.get(rule) : null;
    if (swarm) {
      swarm.detail.count += 1;
      swarm.detail.safe &&= detail.safe ?? true;
      if (swarm.edits.length < MOST_EDITS) swarm.edits.push(...edits);
      if (swarm.related.length < MOST_ALSO) swarm.related.push(["also here", start, end]);
      return;
    }
    if (this.repairs.length >= MOST_REPAIRS) return;
    const made = {
      rule,
      start,
      end,
      pointer: this.where(),
      detail: { safe: true, count: 1, ...detail },
      edits: [...edits],
      related: [...related],
    };
    this.repairs.push(made);
    if (fold) this.swarms.set(rule, made);
  }

  /** @param {string} rule */
  count(rule) {
    return this.swarms.get(rule)?.detail.count || 0;
  }
}

const ODD_SPACE = new RegExp(`(?:(?![ \\t\\n\\r])[${SPACES}])+|[\\u180e\\u200b-\\u200f\\u2060\\x00]+`, "uy");
const ELLIPSIS = /\.{3,}|…+|\(\.\.\.\)/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const CDATA_OPEN = rx("iy")`(?://\s*|/\*\s*)?<!\[CDATA\[(?:[ \t]*\*/)?`;
const CDATA_CLOSE = rx("y")`(?://\s*|/\*\s*)?\]\]>(?:[ \t]*\*/)?`;
const HTML_CLOSE = rx("y")`(?://\s*)?--!?>`;
const TEMPLATE = rx(
  "ys",
)`\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|<%.{0,500}?%>|<\?.{0,500}?\?>|[$#]\{[^{}\n]{0,500}\}|%%[A-Za-z_]\w{0,60}%%|\{#.{0,500}?#\}|\[object \w+\]`;
const TEMPLATE_STARTS = new Set(["{{", "{%", "{#", "<%", "<?", "${", "#{", "%%", "[o"]);
export const SOME_JSON = rx("g")`[{\[]\s*["'{\[}\]]`;
const JSON_NUMBER = rx("y")`-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?=[\s,\]};]|:(?![0-9])|/[/*]|\Z)`;
const CLOCK_FOLLOWS = /:[0-9]/y;
const WORDS_FOLLOW = rx("y")`[ \t]+[^\s0-9,\]}:/;"'{\[<\-]`;
const LOOSE_NUMBER = /^([+-]?)(?:0[xX]([0-9a-fA-F]{1,32})|([0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?))$/;
const CODE = /^(?:\+|-?0[0-9xX])/;
const WORD = rx("y")`[^\s,\[\]{}:"'“”]{1,200}`;
const DECIMAL_COMMA = /-?(?:0|[1-9][0-9]{0,14}),(?:[0-9]{1,2}|[0-9]{4,9})(?=[ \t\r\n]*[,}])/y;
const PHRASE = /[^,[\]{}"\n]{1,500}/uy;
const BARE_NAME = rx("y")`[A-Za-z_$@][\w$@:./\-]*`;
const NAME_AND_COLON = rx("y")`([@A-Za-z_$][\w$@./\-]{0,100})\s*:\s*(?=["'{\[0-9tfn\-])`;
const REST_OF_MEMBER = rx("y")`[^"\n]{1,200}"\s*[:,\]]`;
const LINE_END = rx()`\s*,?\s*\Z`;
const MEMBER_END = rx()`[\s}\]]*,?\s*\{?\s*\Z`;
const MEMBER_BEGINS = rx()`,\s*\{?\s*\Z`;
const HALF_QUOTED = rx("y")`([^\[\]{}"\n]{1,500})"(?=\s*[,}\]])`;
const CONTROL_IN_TEXT = /[\0-\x1f]/g;
/** @type {Record<string, RegExp>} */
const PLAIN_BY = { '"': /[^"\\]*/y, "'": /[^'\\]*/y, "”": /[^”“"\\\n]*/y, "’": /[^’‘'\\\n]*/y };
/** @type {Record<string, string>} */
const CURLY = { "“": "”", "”": "”", "„": "”", "‘": "’", "’": "’" };
const NEEDLESS = "'`$-. ";
const HEX4 = /[0-9a-fA-F]{4}/y;
const HEX2 = /x([0-9a-fA-F]{2})/y;
const BRACED = /u\{([0-9a-fA-F]{1,6})\}/y;
const MEMBER_AHEAD = String.raw`\s*(?:"[^"\n]{0,200}"\s*:|[}\]]|\Z)`;
const NEXT_LINE = rx("y")`${MEMBER_AHEAD}`;
const MEMBER_SOMEWHERE = rx()`\n${MEMBER_AHEAD}|,\s*"[^"\n]{1,100}"\s*:`;
const ITEM_AHEAD = rx("y")`"[^"\n]{0,200}"\s*[,\]]`;
const AFTER_KEY = rx("y")`\s*:`;
const AFTER_VALUE = rx("y")`\s*(?:[}\]]|,\s*(?:"[^"\n]{0,200}"\s*:|[}\]])|\Z)`;
const AFTER_ITEM = rx("y")`\s*(?:[}\]]|,\s*["{\[\]0-9]|\Z)`;
/** @type {Record<string, RegExp>} */
const AFTER = { key: AFTER_KEY, value: AFTER_VALUE, item: AFTER_ITEM };
const FOLLOWS = rx("ys")`\s*(.?)`;
/** @type {Map<string, any>} */
const LITERALS = new Map(
  /** @type {[string, any][]} */ ([
    ["true", true],
    ["false", false],
    ["null", null],
  ]),
);
/** @type {Map<string, any>} */
const LIKE_LITERALS = new Map([...LITERALS, ["none", null], ["undefined", null], ["nil", null]]);
const NO_NUMBERS = new Set(["nan", "infinity", "+infinity", "-infinity", "-nan", "inf", "-inf"]);
const QUICK_STRING = /"([^"\\\0-\x1f]*)"/y;

/** Reads token after token from a text; the ledger collects errors. */
export class Tokens {
  /** @param {string} text @param {Ledger} ledger */
  constructor(text, ledger) {
    this.text = text;
    this.ledger = ledger;
    this.searches = MOST_SEARCHES;
    this.tries = MOST_TRIES;
    this.templates = MOST_VAIN_TEMPLATES;
    /** @type {Set<string>} */
    this.unclosed = new Set();
    this.commentClose = -1;
    this.someJson = -1;
    this.rewritten = false;
  }

  /** The offset after white space, comments and wrappers. @param {number} at */
  space(at, outside = false) {
    const { text } = this;
    for (;;) {
      let code = text.charCodeAt(at);
      while (code === 32 || code === 10 || code === 9 || code === 13) code = text.charCodeAt(++at);
      if (at >= text.length) return at;
      const c = text[at];
      if ('{}[]",:'.includes(c) && !(outside && c === "]")) return at;
      const after = this.aside(at, c, outside);
      if (after === at) return at;
      at = after;
    }
  }

  /** @param {number} at @param {string} c @param {boolean} outside */
  aside(at, c, outside) {
    const { text, ledger } = this;
    if (c === "\ufeff") {
      ledger.note("json-byte-order-mark", at, at + 1, [[at, at + 1, ""]]);
      return at + 1;
    }
    let found = matchAt(ODD_SPACE, text, at);
    if (found) return this.noted("json-odd-space", at, at + found[0].length, " ", { code: c.charCodeAt(0) });
    if (".…(".includes(c) && (found = matchAt(ELLIPSIS, text, at))) {
      const end = at + found[0].length;
      ledger.note("json-ellipsis", at, end, [], { written: found[0] });
      return end;
    }
    if ("/<".includes(c) && (found = matchAt(CDATA_OPEN, text, at))) {
      return this.noted("json-cdata-wrapper", at, at + found[0].length);
    }
    if (outside && "/]".includes(c) && (found = matchAt(CDATA_CLOSE, text, at))) {
      return this.noted("json-cdata-wrapper", at, at + found[0].length);
    }
    if (outside && "/-".includes(c) && (found = matchAt(HTML_CLOSE, text, at))) {
      return this.noted("json-html-comment-wrapper", at, at + found[0].length);
    }
    if (c === "/") {
      const end = this.commentEnd(at);
      if (end > at) return this.noted("json-comment", at, end);
    }
    return c === "<" && text.startsWith("<!--", at) ? this.htmlComment(at, outside) : at;
  }

  /** @param {string} rule @param {number} at @param {number} end @param {Record<string, any>} [detail] */
  noted(rule, at, end, instead = "", detail = {}) {
    this.ledger.note(rule, at, end, [[at, end, instead]], detail);
    return end;
  }

  /** @param {number} at */
  commentEnd(at) {
    const { text } = this;
    const found = this.unclosed.has("/*") ? null : matchAt(COMMENT, text, at);
    if (found) return at + found[0].length;
    if (text.startsWith("//", at)) {
      const end = text.indexOf("\n", at);
      return end < 0 ? text.length : end;
    }
    if (text.startsWith("/*", at)) {
      this.unclosed.add("/*");
      return text.length;
    }
    return at;
  }

  /** A complete comment, or the opening of one that is put around the JSON. @param {number} at @param {boolean} outside */
  htmlComment(at, outside) {
    if (this.commentClose < at && !this.unclosed.has("-->")) this.commentClose = this.text.indexOf("-->", at);
    const end = this.commentClose;
    if (end < 0) this.unclosed.add("-->");
    else if (!outside || !this.jsonBefore(at, end)) return this.noted("json-comment", at, end + 3);
    return this.noted("json-html-comment-wrapper", at, at + 4);
  }

  /** @param {number} at @param {number} end */
  jsonBefore(at, end) {
    if (this.someJson < at) {
      SOME_JSON.lastIndex = at;
      const some = SOME_JSON.exec(this.text);
      this.someJson = some ? some.index : this.text.length;
    }
    return this.someJson < end;
  }

  /** The end of a template's placeholder that was left in, or `at`. @param {number} at */
  template(at) {
    if (!TEMPLATE_STARTS.has(this.text.slice(at, at + 2)) || this.templates <= 0) return at;
    const found = matchAt(TEMPLATE, this.text, at);
    if (found) return at + found[0].length;
    this.templates -= 1;
    return at;
  }

  /** @param {number} at */
  startsString(at) {
    const c = this.text[at];
    return c === '"' || c === "'" || c in CURLY;
  }

  /** A string in any quotes. @param {number} at @param {string} role key, value (of an object) or item (of a list)
   * @returns {{value: string, end: number}} */
  string(at, role) {
    const { text } = this;
    const opening = text[at];
    if (opening === '"') {
      const quick = matchAt(QUICK_STRING, text, at);
      const next = quick ? text[at + quick[0].length] : "";
      if (quick && (role === "key" ? next === ":" : next === "," || next === "}" || next === "]")) {
        return { value: quick[1], end: at + quick[0].length };
      }
    }
    const closing = CURLY[opening] || opening;
    this.rewritten = opening !== '"';
    const [value, end, closed] = this.body(at + 1, closing, role);
    this.rewritten = false;
    if (opening !== '"') {
      const rule = opening === "'" ? "json-single-quotes" : "json-typographic-quotes";
      this.ledger.note(rule, at, end, closed ? this.requoted(at, end) : [[at, end, jsonText(value)]]);
    }
    if (!closed) {
      this.ledger.note("json-unterminated", at, end, opening === '"' ? [[end, end, '"']] : [], {
        what: "text",
        safe: false,
      });
    }
    return { value, end };
  }

  /** A string in other quotes into double ones; the rest of it stays as it is written.
   * @param {number} start @param {number} end @returns {TextEdit[]} */
  requoted(start, end) {
    /** @type {TextEdit[]} */
    const edits = [[start, start + 1, '"']];
    for (const { 0: found, index } of this.text.slice(start + 1, end - 1).matchAll(/\\.|"/gsu)) {
      const at = start + 1 + index;
      if (found === '"') edits.push([at, at, "\\"]);
      else if (found === "\\'") edits.push([at, at + 1, ""]);
    }
    return [...edits, [end - 1, end, '"']];
  }

  /** @param {number} at @param {string} closing @param {string} role @returns {[string, number, boolean]} */
  body(at, closing, role) {
    const { text } = this;
    const plain = PLAIN_BY[closing];
    const start = at;
    let value = "";
    /** Length of the value and offset at the first raw newline. @type {[number, number]|null} */
    let mark = null;
    let inner = -1;
    for (;;) {
      const end = at + /** @type {RegExpExecArray} */ (matchAt(plain, text, at))[0].length;
      if (end > at) {
        /** @type {string} */
        const piece = text.slice(at, end);
        /** @type {number} */
        const newline = mark ? -1 : piece.indexOf("\n");
        if (newline >= 0) mark = [value.length + newline, at + newline];
        value += piece;
      }
      if (end >= text.length) return this.keyCut(start, end, role) || this.cut(value, start, end, mark);
      const c = text[end];
      if (c === "\\") {
        const [piece, after] = this.escape(end);
        value += piece;
        at = after;
        continue;
      }
      if (c === "\n" || (c !== closing && "”’".includes(closing) && !"”“’‘\"'".includes(c))) {
        return this.cut(value, start, end, mark);
      }
      if (end < inner || !this.closes(end, role)) {
        if (end >= inner) {
          const key = this.keyCut(start, end, role);
          if (key) return key;
          if ((mark && matchAt(NEXT_LINE, text, mark[1])) || this.nextBegins(start, end)) {
            return this.cut(value, start, end, mark);
          }
          inner = this.realEnd(end, role, c);
        }
        if (end < inner) {
          this.inside("json-unescaped-quote", end, end + 1, [end, end, "\\"], { safe: false });
          value += c;
          at = end + 1;
          continue;
        }
      }
      this.noteControls(start, end);
      return [value, end + 1, true];
    }
  }

  /** May the quote at `at` close a string, going by what follows it? @param {number} at @param {string} role */
  closes(at, role) {
    const follow = matchAt(FOLLOWS, this.text, at + 1);
    const c = follow ? follow[1] : "";
    return c === "" || (role === "key" ? ':=/"{[' : ",}]/<-;)").includes(c);
  }

  /** The offset of the quote that really closes a string with quotes inside, or -1.
   * @param {number} at @param {string} role @param {string} quote */
  realEnd(at, role, quote) {
    const { text } = this;
    const gap = at + 1 + /** @type {RegExpExecArray} */ (/^[ \t\n\r]*/.exec(text.slice(at + 1)))[0].length;
    if (text.slice(at, gap).includes("\n") || this.searches <= 0 || this.tries <= 0) return -1;
    if ("{[:".includes(text[gap] ?? "none") || matchAt(NEXT_LINE, text, gap)) return -1;
    if (role === "item" && matchAt(ITEM_AHEAD, text, gap)) return -1;
    const ahead = MEMBER_SOMEWHERE.exec(text.slice(at + 1, at + LOOKAHEAD));
    const limit = ahead ? at + 1 + ahead.index : Math.min(text.length, at + LOOKAHEAD);
    for (let found = text.indexOf(quote, at + 1); found >= 0 && found < limit; found = text.indexOf(quote, found + 1)) {
      this.tries -= 1;
      if (text[found - 1] !== "\\" && matchAt(AFTER[role], text, found + 1)) return found;
    }
    this.searches -= 1;
    return -1;
  }

  /** A name without its closing quote ends before the colon.
   * @param {number} start @param {number} end @param {string} role @returns {[string, number, boolean]|null} */
  keyCut(start, end, role) {
    const name = role === "key" ? matchAt(NAME_AND_COLON, this.text, start) : null;
    return name && start + name[1].length < end ? [name[1], start + name[1].length, false] : null;
  }

  /** Is the quote at `end` that of the next member, behind a comma? @param {number} start @param {number} end */
  nextBegins(start, end) {
    return (
      MEMBER_BEGINS.test(this.text.slice(Math.max(start, end - TAIL), end)) &&
      !!matchAt(REST_OF_MEMBER, this.text, end + 1)
    );
  }

  /** A string without an end stops at its line's end, before a comma and brackets that stand there.
   * @param {string} value @param {number} start @param {number} end @param {[number, number]|null} mark
   * @returns {[string, number, boolean]} */
  cut(value, start, end, mark) {
    const [length, stop] = mark || [value.length, end];
    const prefix = value.slice(0, length);
    const from = Math.max(0, length - TAIL);
    const rest = (mark ? LINE_END : MEMBER_END).exec(prefix.slice(from));
    const dropped = rest ? length - from - rest.index : 0;
    this.noteControls(start, stop - dropped);
    return [prefix.slice(0, length - dropped), stop - dropped, false];
  }

  /** @param {number} start @param {number} end */
  noteControls(start, end) {
    for (const control of this.text.slice(start, end).matchAll(CONTROL_IN_TEXT)) {
      const at = start + control.index;
      this.inside("json-control-character", at, at + 1, [at, at + 1, jsonText(control[0]).slice(1, -1)], {
        code: control[0].charCodeAt(0),
      });
    }
  }

  /** An error within a string. In other quotes than double ones, a quote inside needs no backslash.
   * @param {string} rule @param {number} start @param {number} end @param {TextEdit} edit @param {Record<string, any>} [detail] */
  inside(rule, start, end, edit, detail = {}) {
    const needless = this.rewritten && rule === "json-unescaped-quote";
    this.ledger.note(rule, start, end, needless ? [] : [edit], needless ? { ...detail, quote: this.text[start] } : detail);
  }

  /** What an escape stands for, and the offset after it. @param {number} at @returns {[string, number]} */
  escape(at) {
    const { text } = this;
    const point = text.codePointAt(at + 1);
    const c = point === undefined ? "" : String.fromCodePoint(point);
    if (c && c in ESCAPES) return [ESCAPES[c], at + 2];
    const four = c === "u" ? matchAt(HEX4, text, at + 2) : null;
    if (four) return this.unicode(at, parseInt(four[0], 16));
    if (c === "'" && this.rewritten) return [c, at + 2];
    const written = `\\${c}`;
    if (c === "\n") {
      this.inside("json-bad-escape", at, at + 2, [at, at + 2, ""], { written: "\\ at the end of a line" });
      return ["", at + 2];
    }
    const two = matchAt(HEX2, text, at + 1);
    if (two) {
      this.inside("json-bad-escape", at, at + 4, [at, at + 4, `\\u00${two[1]}`], { written: text.slice(at, at + 4) });
      return [String.fromCharCode(parseInt(two[1], 16)), at + 4];
    }
    const braced = matchAt(BRACED, text, at + 1);
    const code = braced ? parseInt(braced[1], 16) : 0;
    if (braced && !(code >= 0xd800 && code < 0xe000)) {
      const intended = String.fromCodePoint(Math.min(code, 0x10ffff)),
        end = at + 1 + braced[0].length;
      this.inside("json-bad-escape", at, end, [at, end, asciiJson(intended)], { written: braced[0] });
      return [intended, end];
    }
    if (c && NEEDLESS.includes(c)) {
      this.inside("json-bad-escape", at, at + 2, [at, at + 1, ""], { written });
      return [c, at + 2];
    }
    this.inside("json-bad-escape", at, at + written.length, [at, at, "\\"], { written, safe: false });
    return ["\\", at + 1];
  }

  /** @param {number} at @param {number} code @returns {[string, number]} */
  unicode(at, code) {
    const { text } = this;
    if (code >= 0xd800 && code < 0xdc00 && text.startsWith("\\u", at + 6)) {
      const low = matchAt(HEX4, text, at + 8);
      const second = low ? parseInt(low[0], 16) : 0;
      if (second >= 0xdc00 && second < 0xe000) return [String.fromCharCode(code, second), at + 12];
    }
    if (code >= 0xd800 && code < 0xe000) {
      this.inside("json-lone-surrogate", at, at + 6, [at, at + 6, "\\ufffd"], { safe: false });
      return ["\ufffd", at + 6];
    }
    return [String.fromCharCode(code), at + 6];
  }

  /** A value that is neither object nor list, null when nothing there can be read as one.
   * @param {number} at @param {string} role @returns {{value: any, end: number}|null} */
  scalar(at, role) {
    if (this.startsString(at)) return this.string(at, role);
    const comma = role === "value" && matchAt(DECIMAL_COMMA, this.text, at);
    const plain = comma && comma[0].replace(",", ".");
    if (plain) return this.oddNumber(at, comma[0], plain, exact(plain, false), false);
    const found = matchAt(JSON_NUMBER, this.text, at);
    if (found && !matchAt(WORDS_FOLLOW, this.text, at + found[0].length)) return this.number(at, found);
    const word = matchAt(WORD, this.text, at);
    if (!word) return null;
    if (LITERALS.has(word[0])) return { value: LITERALS.get(word[0]), end: at + word[0].length };
    const half = matchAt(HALF_QUOTED, this.text, at);
    if (half) {
      const end = at + half[0].length;
      this.ledger.note("json-unquoted-value", at, end, [[at, at, '"']], { written: half[1], half: true, safe: false });
      return { value: half[1], end };
    }
    return this.oddWord(at, word[0]);
  }

  /** @param {number} at @param {RegExpExecArray} found */
  number(at, found) {
    const written = found[0],
      end = at + written.length,
      isWhole = !found[1] && !found[2];
    const value = written.length > LONGEST_NUMBER ? null : exact(written, isWhole);
    if (value) return { value, end };
    this.ledger.note("json-malformed-number", at, end, [], { kind: "too large", written: written.slice(0, 40) });
    return { value: written.slice(0, LONGEST_NUMBER), end };
  }

  /** @param {number} at @param {string} written @param {string} correction @param {any} value @param {boolean} [safe] */
  oddNumber(at, written, correction, value, safe = true) {
    const end = at + written.length;
    this.ledger.note("json-malformed-number", at, end, [[at, end, correction]], { fold: false, kind: "odd", written, correction, safe });
    return { value, end };
  }

  /** @param {number} at @param {string} given */
  oddWord(at, given) {
    const { ledger, text } = this;
    const word = rstripOf(given, ";");
    const end = at + word.length;
    const low = word.toLowerCase();
    if (NO_NUMBERS.has(low)) {
      ledger.note("json-not-a-number", at, end, [[at, end, "null"]], { written: word, safe: false });
      return { value: null, end };
    }
    if (LIKE_LITERALS.has(low)) {
      const value = LIKE_LITERALS.get(low),
        intended = JSON.stringify(value);
      ledger.note("json-literal-case", at, end, [[at, end, intended]], { written: word, correction: intended });
      return { value, end };
    }
    const isText = matchAt(WORDS_FOLLOW, text, end) || matchAt(CLOCK_FOLLOWS, text, end);
    const loose = !isText && /[0-9]/.test(word) ? LOOSE_NUMBER.exec(word) : null;
    if (loose) {
      const value = loose[2] ? null : exact(word, false);
      if (loose[2] || (value && CODE.test(word))) return this.oddNumber(at, word, jsonText(word), word);
      const power = loose[4] || "", [whole, , fraction] = partition(withoutSuffix(loose[3] || "", power), ".");
      if (value) return this.oddNumber(at, word, `${loose[1]}${whole || "0"}${fraction && "."}${fraction}${power}`, value);
    }
    const phrase = matchAt(PHRASE, text, at);
    let bareText = rstripOf(phrase ? phrase[0] : word, "; \t\r");
    const comment = bareText.indexOf(" //");
    if (comment > 0) bareText = rstrip(bareText.slice(0, comment));
    const stop = at + bareText.length;
    ledger.note("json-unquoted-value", at, stop, [[at, stop, jsonText(bareText)]], { written: bareText, safe: false });
    return { value: bareText, end: at + Math.max(1, bareText.length) };
  }

  /** A property name without quotes. @param {number} at @returns {{value: string, end: number}|null} */
  bareKey(at) {
    const name = matchAt(BARE_NAME, this.text, at) || matchAt(WORD, this.text, at);
    if (!name) return null;
    let written = name[0];
    const colon = written.indexOf(":");
    if (colon > 0 && !matchAt(AFTER_KEY, this.text, at + written.length)) written = written.slice(0, colon);
    const end = at + written.length;
    if (this.text[end] === '"' && matchAt(AFTER_KEY, this.text, end + 1)) {
      this.ledger.note("json-unquoted-key", at, end + 1, [[at, at, '"']], { written, half: true });
      return { value: written, end: end + 1 };
    }
    this.ledger.note("json-unquoted-key", at, end, [[at, end, jsonText(written)]], { written });
    return { value: written, end };
  }
}
/** A text as JSON writes it in ASCII, without quotes. @param {string} text */
const asciiJson = (text) =>
  jsonText(text)
    .slice(1, -1)
    .replace(/[^\0-\x7e]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`);
