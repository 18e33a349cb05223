// @ts-check
// JSON with the errors of people and templates: the value, its places, and the repairs. Counterpart of
// waypost/reader/dirtyjson.py and dirtytokens.py. One pass, no recursion. A part of its own: json.js reads what is valid.

/** @typedef {[number, number, string]} Edit */
/** @typedef {{rule: string, start: number, end: number, pointer: string, detail: Record<string, any>,
 *   edits: Edit[], related: [string, number, number][]}} Repair */

const MOST_EDITS = 1000;
const MOST_ERRORS = 20_000;
const MOST_REPAIRS = 200;
const MOST_ALSO = 5;
const LOOKAHEAD = 2000;
const MOST_SEARCHES = 200;
const MOST_TRIES = 20000;
const MOST_VAIN_TEMPLATES = 1000;
const MOST_STRAY = 12;
const TAIL = 80;

class TooBroken extends Error {}
class TooDeep extends Error {
  /** @param {number} at */
  constructor(at) {
    super();
    this.at = at;
  }
}

/** The repairs of one text, in order; swarms folded, the number bounded. */
class Ledger {
  /** @param {() => string} where */
  constructor(where) {
    this.where = where;
    /** @type {Repair[]} */
    this.repairs = [];
    /** @type {Map<string, Repair>} */
    this.swarms = new Map();
    this.errors = 0;
  }

  /** @param {string} rule @param {number} start @param {number} end @param {Edit[]} [edits]
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
const SOME_JSON = rx("g")`[{\[]\s*["'{\[}\]]`;
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
class Tokens {
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
   * @param {number} start @param {number} end @returns {Edit[]} */
  requoted(start, end) {
    /** @type {Edit[]} */
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
   * @param {string} rule @param {number} start @param {number} end @param {Edit} edit @param {Record<string, any>} [detail] */
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

const ENTITY = /&(?:quot|apos|amp|lt|gt|nbsp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});/g;
const ENCODED_START = rx("y")`\s*[{\[]\s*(?:[{\[]\s*)*&(?:quot|#0*34|#[xX]0*22|apos|#0*39);`;
const ASSIGNMENT = rx(
  "y",
)`(?:(?:var|let|const|return|export\s+default)\s+)?(?:[\w$.]{1,80}(?:\[[^\]\n]{0,80}\])?\s*[=(:]\s*)?(?=[{\[])`;
const KEY_AT = rx("y")`"[^"\n]{1,100}"\s*:`;
const LITERAL_AT = rx("y")`(?:true|false|null)(?![\w])`;
const NAMED_MEMBER = rx("y")`[A-Za-z_$@][\w$@\-]{0,100}\s*:`;
const KEY_FOLLOWS = rx("y")`\s*,\s*"[^"\n]{0,200}"\s*:`;
const ITEM_FOLLOWS = rx("y")`\s*,\s*[{\[]`;
const STRAY = rx("ys")`[^\s,\[\]{}"]{1,200}|.`;

/** A container that is being read. */
class Frame {
  /** @param {number} start @param {boolean} keyed */
  constructor(start, keyed) {
    this.start = start;
    this.keyed = keyed;
    this.obj = new Obj();
    this.arr = new Arr();
    /** @type {string|number|null} */
    this.key = null;
    this.ks = -1;
    this.ke = -1;
    this.comma = -1; // the comma just passed
    this.before = -1; // the comma before the last member
    /** @type {Map<string, [number, number]>} */
    this.firsts = new Map();
  }

  get value() {
    return this.keyed ? this.obj : this.arr;
  }
}

class Decoder {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Frame[]} */
    this.frames = [];
    this.ledger = new Ledger(() =>
      pointerOf(/** @type {any} */ (this.frames.map((each) => each.key).filter((key) => key !== null))),
    );
    this.tokens = new Tokens(text, this.ledger);
  }

  /** @returns {Decoded} */
  decode() {
    try {
      return this.decoded();
    } catch (error) {
      if (error instanceof TooBroken) this.unreadable();
      else if (error instanceof TooDeep) {
        this.ledger = new Ledger(String);
        this.ledger.where = () => "";
        this.ledger.note("json-too-deep", error.at, error.at + 1, [], { most: MOST_OPEN });
      } else throw error;
    }
    return this.nothing();
  }

  get innermost() {
    return this.frames[this.frames.length - 1];
  }

  /** @returns {Decoded} */
  decoded() {
    const [first, code] = this.begin();
    if (first >= this.text.length) {
      if (!code) this.ledger.note("json-empty-block", 0, this.text.length);
      return this.nothing();
    }
    /** @type {Entry[]} */
    const entries = [];
    for (let at = first; at >= 0;) {
      const read = this.value(at);
      if (!read) break;
      entries.push({ ks: -1, ke: -1, start: at, end: read.end, value: read.value });
      at = this.next(read.end, !!code);
    }
    if (!entries.length || this.ledger.count("json-unexpected-text") >= MOST_STRAY) {
      this.unreadable();
      return this.nothing();
    }
    if (entries.length === 1) {
      return { value: entries[0].value, found: true, top: entries[0], repairs: this.sorted(), encoded: false };
    }
    this.several(entries);
    const list = new Arr();
    list.items = entries;
    const top = { ks: -1, ke: -1, start: -1, end: entries[entries.length - 1].end, value: list };
    return { value: list, found: true, top, repairs: this.sorted(), encoded: false };
  }

  /** @returns {Decoded} */
  nothing() {
    const top = { ks: -1, ke: -1, start: 0, end: this.text.length, value: null };
    return { value: null, found: false, top, repairs: this.sorted(), encoded: false };
  }

  sorted() {
    return this.ledger.repairs.sort((one, two) => one.start - two.start);
  }

  /** [offset of the first value, what stood before it] @returns {[number, string]} */
  begin() {
    const { text, tokens, ledger } = this;
    const at = tokens.space(0, true);
    if (at >= text.length) return [at, ""];
    const left = tokens.template(at);
    if (left > at) {
      ledger.note("json-template-left", at, left, [], { written: text.slice(at, left) });
      const after = tokens.space(left, true);
      return "{[".includes(text[after] ?? "none") ? [after, ""] : [text.length, "template"];
    }
    if ("{[\"'“”-0123456789".includes(text[at])) return [at, ""];
    const before = matchAt(ASSIGNMENT, text, at);
    let start = before && before[0] ? at + before[0].length : -1;
    if (start < 0) {
      SOME_JSON.lastIndex = at;
      start = SOME_JSON.exec(text)?.index ?? -1;
    }
    if (start < 0) {
      if (matchAt(LITERAL_AT, text, at)) return [at, ""];
      this.unreadable();
      return [text.length, "words"];
    }
    const written = strip(text.slice(at, start));
    ledger.note("json-leading-text", at, at + written.length, [[at, start, ""]], { written, safe: false });
    return [start, written];
  }

  unreadable() {
    const at = this.text.length - lstrip(this.text).length;
    const end = at + rstrip(head(this.text.slice(at), 60).split("\n")[0]).length;
    this.ledger = new Ledger(() => "");
    this.tokens.ledger = this.ledger;
    this.ledger.note("json-unreadable", at, Math.max(end, at + 1), [], { found: this.text.slice(at, end) });
  }

  /** The offset of another value behind the first, or -1; what else stands there is noted.
   * @param {number} at @param {boolean} code */
  next(at, code) {
    const { text, tokens, ledger } = this;
    at = tokens.space(at, true);
    while (text[at] === ";" || (code && text[at] === ")")) {
      ledger.note(code ? "json-leading-text" : "json-trailing-semicolon", at, at + 1, [[at, at + 1, ""]]);
      at = tokens.space(at + 1, true);
    }
    if (at >= text.length) return -1;
    let comma = at;
    if (text[at] === ",") {
      comma = tokens.space(at + 1, true);
      if (comma >= text.length) {
        ledger.note("json-trailing-comma", at, at + 1, [[at, at + 1, ""]]);
        return -1;
      }
    }
    if ("{[".includes(text[comma]) && tokens.template(comma) === comma) return comma;
    const end = rstrip(text).length;
    const rest = text.slice(at, end);
    const safe = code || !/[^}\] \t\r\n]/.test(rest);
    ledger.note("json-trailing-text", at, end, [[at, end, ""]], { written: head(rest, 200), safe });
    return -1;
  }

  /** Two values or more in place of one: read as a list. @param {Entry[]} entries */
  several(entries) {
    /** @type {Edit[]} */
    const edits = [[entries[0].start, entries[0].start, "["]];
    entries.slice(1).forEach((two, n) => {
      const one = entries[n];
      if (!this.text.slice(one.end, two.start).includes(",")) edits.push([one.end, one.end, ","]);
    });
    const last = entries[entries.length - 1];
    edits.push([last.end, last.end, "]"]);
    this.ledger.note("json-two-values", entries[1].start, entries[1].start + 1, edits, {
      number: entries.length,
      related: [["the first one", entries[0].start, entries[0].start + 1]],
    });
  }

  /** One value with everything in it. @param {number} at @returns {{value: any, end: number}|null} */
  value(at) {
    const { text, tokens, frames } = this;
    if (text[at] === '"' && matchAt(KEY_AT, text, at)) this.openUnwritten(at);
    else if ("{[".includes(text[at])) {
      this.open(at);
      at += 1;
    } else return tokens.scalar(at, "item");
    let fresh = true; // a member is due, not a comma
    for (;;) {
      at = tokens.space(at);
      if (at >= text.length) return this.unterminated();
      const c = text[at];
      if (c === "}" || c === "]") {
        const [done, after] = this.closer(at, c, fresh);
        if (done) return done;
        at = after;
        fresh = false;
      } else if (c === ",") {
        if (fresh) this.ledger.note("json-trailing-comma", at, at + 1, [[at, at + 1, ""]], { extra: true });
        this.innermost.comma = at;
        at += 1;
        fresh = true;
      } else if (!fresh && !(c === ":" && this.becomesKey())) {
        [at, fresh] = this.withoutComma(at, c);
      } else {
        const frame = frames[frames.length - 1];
        at = fresh ? this.member(at) : this.held(tokens.space(at + 1));
        if (at < 0) return this.unterminated();
        fresh = frames[frames.length - 1] !== frame;
        if (!fresh) frame.comma = -1;
      }
    }
  }

  /** @param {number} at */
  open(at) {
    this.push(new Frame(at, this.text[at] === "{"));
  }

  /** An object whose brace is missing begins at its first name. @param {number} at */
  openUnwritten(at) {
    this.ledger.note("json-missing-bracket", at, at + 1, [[at, at, "{"]], { written: "{", safe: false });
    return this.push(new Frame(at, true));
  }

  /** @param {Frame} frame */
  push(frame) {
    if (this.frames.length >= MOST_OPEN) throw new TooDeep(frame.start);
    this.frames.push(frame);
    return frame;
  }

  /** A colon behind a text that was taken for a value: it is a name, and a bracket before it is missing. */
  becomesKey() {
    const frame = this.innermost;
    const { items } = frame.arr;
    const entry = frame.keyed ? frame.obj.members.get(String(frame.key)) : items[items.length - 1];
    if (!entry || this.text[entry.start] !== '"' || typeof entry.value !== "string") return false;
    const last = frame.keyed ? frame.key : items.length - 1;
    if (frame.keyed) frame.obj.members.delete(String(last));
    else items.pop();
    const outer = this.frames[this.frames.length - 2];
    let holder;
    if (!frame.keyed && items.length && entry.value[0] !== "@" && outer && outer.keyed) {
      this.closeEarly(frame.before >= 0 ? frame.before : entry.start);
      holder = this.innermost;
    } else {
      frame.key = last;
      holder = this.openUnwritten(entry.start);
    }
    holder.key = entry.value;
    holder.ks = entry.start;
    holder.ke = entry.end;
    return true;
  }

  /** The innermost container was never closed; it ends before the comma at `at`. @param {number} at */
  closeEarly(at) {
    const frame = this.innermost;
    this.ledger.note("json-unterminated", frame.start, frame.start + 1, [[at, at, frame.keyed ? "}" : "]"]], {
      fold: false,
      safe: false,
      early: true,
      what: frame.keyed ? "object" : "list",
      related: [["should end here", at, at + 1]],
    });
    this.frames.pop();
    this.put(frame.value, frame.start, at);
  }

  /**
   * Read a member, or open the container that it is; the offset after that, -1 at the text's end.
   * @param {number} at
   */
  member(at) {
    const frame = this.innermost;
    if (!frame.keyed) {
      frame.key = frame.arr.items.length;
      return this.held(at);
    }
    const outer = this.frames[this.frames.length - 2];
    if (this.text[at] === "{" && outer && !outer.keyed) {
      this.closeEarly(frame.comma >= 0 ? frame.comma : at);
      return at;
    }
    const after = this.key(at);
    return after < 0 || after >= this.text.length || frame.key === null ? after : this.held(after);
  }

  /** Read the value of a member, or open the container that it is; as `member`. @param {number} at */
  held(at) {
    const { text, tokens } = this;
    const frame = this.innermost;
    if (at >= text.length) return -1;
    const c = text[at];
    if (frame.keyed && (c === "," || c === "}" || c === "]")) {
      this.ledger.note("json-missing-value", frame.ks, frame.ke);
      this.put(null, at, at);
      return at;
    }
    const left = tokens.template(at);
    if (left > at) {
      this.ledger.note("json-template-left", at, left, [], { written: text.slice(at, left) });
      this.put(null, at, left);
      return left;
    }
    if (c === "{" || c === "[") {
      this.open(at);
      return at + 1;
    }
    const read = tokens.scalar(at, frame.keyed ? "value" : "item");
    if (!read) {
      const end = this.stray(at);
      if (frame.keyed) this.put(null, at, end);
      return end;
    }
    this.put(read.value, at, read.end);
    return read.end;
  }

  /** Read a property's name and its colon; the offset of its value, -1 at the text's end. @param {number} at */
  key(at) {
    const { text, tokens } = this;
    const frame = this.innermost;
    frame.key = null;
    const left = tokens.template(at);
    /** @type {{value: string, end: number}|null} */
    let read;
    if (left > at) {
      this.ledger.note("json-template-left", at, left, [], { written: text.slice(at, left) });
      read = { value: text.slice(at, left), end: left };
    } else if (tokens.startsString(at)) read = tokens.string(at, "key");
    else if ("{[".includes(text[at])) {
      read = { value: "", end: at };
      this.ledger.note("json-missing-key", at, at + 1);
    } else read = tokens.bareKey(at);
    if (!read) {
      const end = this.stray(at);
      return end < text.length ? end : -1;
    }
    frame.key = read.value;
    frame.ks = at;
    frame.ke = read.end;
    const next = tokens.space(read.end);
    if (next >= text.length) return -1;
    if (text[next] === ":") return tokens.space(next + 1);
    if (!",}]".includes(text[next]) && frame.ke > frame.ks) {
      const end = next + (text[next] === "=" ? 1 : 0) + (text.startsWith("=>", next) ? 1 : 0);
      this.ledger.note("json-missing-colon", frame.ks, frame.ke, [[read.end, end, ": "]], { safe: false });
      return tokens.space(end);
    }
    return next;
  }

  /** A member is complete. @param {any} value @param {number} start @param {number} end */
  put(value, start, end) {
    const frame = this.innermost;
    frame.before = frame.comma;
    frame.comma = -1;
    const entry = { ks: frame.ks, ke: frame.ke, start, end, value };
    if (!frame.keyed) {
      frame.arr.items.push(entry);
      return;
    }
    const key = String(frame.key);
    const known = frame.obj.members.get(key);
    if (known) {
      const [first, last] = frame.firsts.get(key) || [known.ks, known.ke];
      this.ledger.note("json-duplicate-key", frame.ks, frame.ke, [], {
        fold: false,
        key,
        same: isSameValue(known.value, value),
        related: [["first written here", first, last]],
      });
      if (!frame.firsts.has(key)) frame.firsts.set(key, [known.ks, known.ke]);
    }
    frame.obj.members.set(key, entry);
  }

  /** A closing bracket: [the root value if it is complete, the offset after].
   * @param {number} at @param {string} c @param {boolean} fresh @returns {[{value: any, end: number}|null, number]} */
  closer(at, c, fresh) {
    const { frames } = this;
    const frame = this.innermost;
    if (fresh && frame.comma >= 0) {
      this.ledger.note("json-trailing-comma", frame.comma, frame.comma + 1, [[frame.comma, frame.comma + 1, ""]]);
    }
    const bracket = frame.keyed ? "}" : "]";
    const end = c !== bracket && this.mismatch(at, c, bracket) ? at : at + 1;
    frames.pop();
    if (!frames.length) return [{ value: frame.value, end }, end];
    this.put(frame.value, frame.start, end);
    return [null, end];
  }

  /** Does a bracket of the wrong kind belong to the container around, this one never being closed?
   * @param {number} at @param {string} c @param {string} bracket */
  mismatch(at, c, bracket) {
    const opening = this.innermost.start;
    const outerFrame = this.frames[this.frames.length - 2];
    const outer =
      !!outerFrame &&
      outerFrame.keyed === (c === "}") &&
      !matchAt(bracket === "]" ? KEY_FOLLOWS : ITEM_FOLLOWS, this.text, at + 1);
    this.ledger.note("json-mismatched-bracket", at, at + 1, [[at, outer ? at : at + 1, bracket]], {
      fold: false,
      safe: false,
      written: c,
      expected: bracket,
      related: [["opened here", opening, opening + 1]],
    });
    return outer;
  }

  /** The text ends inside of containers: close them. */
  unterminated() {
    const { frames } = this;
    const end = rstrip(this.text).length;
    const last = this.innermost;
    const closers = [...frames]
      .reverse()
      .map((frame) => (frame.keyed ? "}" : "]"))
      .join("");
    /** @type {Edit[]} */
    const edits = closers.length <= 100 ? [[end, end, closers]] : [];
    if (last.comma >= 0) edits.unshift([last.comma, last.comma + 1, ""]);
    this.ledger.note("json-unterminated", Math.max(end - 1, 0), end, edits, {
      fold: false,
      safe: false,
      number: frames.length,
      what: last.keyed ? "object" : "list",
      related: [["opened here", last.start, last.start + 1]],
    });
    for (;;) {
      const frame = /** @type {Frame} */ (frames.pop());
      if (!frames.length) return { value: frame.value, end };
      this.put(frame.value, frame.start, end);
    }
  }

  /** Something stands where a comma was due: [where to go on, is a member due there?]
   * @param {number} at @param {string} c @returns {[number, boolean]} */
  withoutComma(at, c) {
    if (c === ";") {
      this.ledger.note("json-missing-comma", at, at + 1, [[at, at + 1, ","]], { instead: c });
      return [at + 1, true];
    }
    if (!this.startsMember(at)) return [this.stray(at), false];
    const near = this.text.slice(Math.max(0, at - 400), at);
    const before = rstrip(near),
      gap = near.length - before.length;
    // After a string with a comma at its end, the comma may be the one that is missing.
    this.ledger.note("json-missing-comma", at, at + 1, [[at - gap, at - gap, ","]], { safe: !before.endsWith(',"') });
    return [at, true];
  }

  /** @param {number} at */
  startsMember(at) {
    if (this.tokens.startsString(at) || "{[".includes(this.text[at])) return true;
    if (this.innermost.keyed) return !!matchAt(NAMED_MEMBER, this.text, at);
    return this.text[at] === "-" || LETTER_OR_DIGIT.test(String.fromCodePoint(this.text.codePointAt(at) ?? 0));
  }

  /** Pass over something that belongs nowhere. @param {number} at */
  stray(at) {
    const found = matchAt(STRAY, this.text, at);
    const end = found ? at + found[0].length : at + 1;
    this.ledger.note("json-unexpected-text", at, end, [[at, end, ""]], {
      written: this.text.slice(at, end),
      safe: false,
    });
    return end;
  }
}

/** Are two JSON values equal? 1 is neither 1.0 nor true.
 * @param {any} one @param {any} two @returns {boolean} */
const isSameValue = (one, two) => {
  try {
    return isSame(one, two);
  } catch (error) {
    if (error instanceof RangeError) return false; // too deep to compare
    throw error;
  }
};
/** @param {any} one @param {any} two @returns {boolean} */
const isSame = (one, two) => {
  if (one instanceof Num && two instanceof Num) return one.whole === two.whole && one.dec.compare(two.dec) === 0;
  if (one instanceof Arr && two instanceof Arr) {
    return (
      one.items.length === two.items.length && one.items.every((each, n) => isEqual(each.value, two.items[n].value))
    );
  }
  if (one instanceof Obj && two instanceof Obj) {
    return (
      one.members.size === two.members.size &&
      [...one.members].every(([key, entry]) => two.has(key) && isEqual(entry.value, two.get(key)))
    );
  }
  return one === two;
};
/**
 * As Python's ==: 1, 1.0 and true are equal inside of containers.
 * @param {any} one
 * @param {any} two
 * @returns {boolean}
 */
const isEqual = (one, two) => {
  const [a, b] = [one, two].map((each) => (typeof each === "boolean" ? new Num(each ? "1" : "0", true) : each));
  return a instanceof Num && b instanceof Num ? a.dec.compare(b.dec) === 0 : isSame(a, b);
};

/** Read a text as JSON, whatever stands in it. @param {string} text @returns {Decoded} */
const decodeAnything = (text) => {
  ENCODED_START.lastIndex = 0;
  const found = ENCODED_START.test(text) ? decodeEncoded(text) : new Decoder(text).decode();
  return { ...found, isSound: repairsWhole(text, found) };
};

/** Do the repairs, all together and without a guess, make strict JSON of the text? @param {string} text @param {Decoded} found */
const repairsWhole = (text, found) => {
  if (!found.found || found.repairs.some((each) => !each.detail.safe)) return false;
  let made = "",
    at = 0,
    last = -1;
  for (const [start, end, put] of found.repairs.flatMap((each) => each.edits).sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    if (start < at || (start === end && start === last)) return false;
    made += text.slice(at, start) + put;
    [at, last] = [end, start];
  }
  try {
    JSON.parse(made + text.slice(at));
    return true;
  } catch {
    return false;
  }
};

/** A text whose quotes are character references: decoded without them, placed where it was written.
 * @param {string} text @returns {Decoded} */
const decodeEncoded = (text) => {
  const news = [0],
    shifts = [0];
  let plain = "",
    at = 0,
    first = null;
  for (const entity of text.matchAll(ENTITY)) {
    first ||= entity;
    plain += text.slice(at, entity.index) + unescapeOne(entity[0]);
    at = entity.index + entity[0].length;
    news.push(plain.length);
    shifts.push(at - plain.length);
  }
  plain += text.slice(at);
  const place = (/** @type {number} */ offset) => (offset < 0 ? offset : offset + shifts[below(news, offset + 1) - 1]);
  const found = new Decoder(plain).decode();
  for (const each of found.repairs) {
    [each.start, each.end] = [place(each.start), place(each.end)];
    each.related = each.related.map(([words, a, b]) => [words, place(a), place(b)]);
    each.edits = [];
  }
  const start = /** @type {RegExpMatchArray} */ (first);
  const from = /** @type {number} */ (start.index);
  /** @type {Edit[]} */
  const edits = found.found && !found.repairs.length ? [[0, text.length, plain]] : [];
  const repair = {
    rule: "json-entity-encoded",
    start: from,
    end: from + start[0].length,
    pointer: "",
    detail: { count: news.length - 1, safe: true },
    edits,
    related: [],
  };
  const waiting = [found.top];
  for (const entry of waiting) {
    for (const part of /** @type {const} */ (["ks", "ke", "start", "end"])) entry[part] = place(entry[part]);
    if (entry.value instanceof Obj) for (const each of entry.value.members.values()) waiting.push(each);
    if (entry.value instanceof Arr) for (const each of entry.value.items) waiting.push(each);
  }
  return { ...found, repairs: [repair, ...found.repairs], encoded: true };
};

/** Is a text strict JSON with a context and a type or a graph? @param {string} text */
const isLinkedData = (text) => {
  try {
    return [JSON.parse(text)].flat().map(Object).some((each) => "@context" in each && ("@type" in each || "@graph" in each));
  } catch {
    return false;
  }
};

OFFERS.repairing = Object.assign(decodeAnything, { isLinkedData });
