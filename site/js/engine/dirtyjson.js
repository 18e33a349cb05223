// @ts-check
// JSON with the errors of people and templates: the value, its places, and the repairs. Counterpart of
// waypost/reader/dirtyjson.py. One pass, no recursion. A part of its own: json.js reads what is valid.

import { Ledger, MOST_STRAY, SOME_JSON, Tokens, TooBroken, TooDeep } from "./dirtytokens.js";
import { Arr, MOST_OPEN, Obj } from "./json.js";
import { isSameValue } from "./json-equality.js";
import { below, pointerOf } from "./page.js";
import { OFFERS } from "./parts.js";
import { unescapeOne } from "./references.js";
import { LETTER_OR_DIGIT, lstrip, matchAt } from "./strings.js";
import { head, rstrip, rx, strip } from "./text.js";

/** @import { TextEdit } from "./dirtytokens.js" */
/** @import { Decoded, Entry } from "./json.js" */

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
    /** @type {TextEdit[]} */
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
    /** @type {TextEdit[]} */
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
  /** @type {TextEdit[]} */
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
