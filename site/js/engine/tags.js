// @ts-check
// A page's source as tags, and as a text in which they carry numbers: every start tag of interest gets a number as its first
// attribute before parsing, and a comment with a number stands before each end tag.

import { matchAt } from "./strings.js";

/** @import { Span } from "./page.js" */

/** @typedef {{tag: string, start: number, end: number, inside: number, close: Span|null}} Tag */

const RAW_TEXT = new Set(["script", "xmp", "iframe", "noembed", "noframes", "noscript", "textarea", "title"]);
const OF_INTEREST = /^(?:script|noscript|link|base|html|body|template)$/;
const ATTRIBUTE_OF_INTEREST =
  /[\s/"'](?:item(?:scope|prop|type|ref|id)|id|data-waypost-ignore|typeof|content|datetime)\b/i;
const ATTRIBUTE_OF_RDFA =
  /[\s/"'](?:item(?:scope|prop|type|ref|id)|id|data-waypost-ignore|typeof|content|datetime|property|re[lv]|about|resource|href|src|vocab|prefix|datatype)\b/i;
const ATTRIBUTE = /[\s/]*(?<whole>(?<name>=?[^\s/>=]+|=)(?:\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>"'][^\s>]*))?)/y;
const ACTIVE = /[\s/"'](?:style|http-equiv|on[a-z]+)[\s=/>]/i;
const ACTIVE_NAME = /^(?:style|http-equiv|on.*)$/;
const TAG_NAME = /[A-Za-z][^\t\n\f\r />]*/y;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

const MOST_OPEN_ELEMENTS = 5_000;
const NEVER_DEEP = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd td th tr tbody thead tfoot option optgroup rp rt".split(
    " ",
  ),
);
const MOST_ROOT_TAGS = 1_000;
const MOST_ROOT_ATTRIBUTES = 10_000;
const MOST_ROOT_WORK = 1_000_000;

/** A page's source as tags, and as a text in which they carry numbers. */
export class Marked {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /** @type {Tag[]} */
    this.tags = [];
    /** @type {{at: number, end: number, tag: string}[]} */
    this.closers = [];
    this.mark = "data-waypost-at";
    while (text.includes(this.mark)) this.mark += "-";
    /** @type {number|null} */
    this.denied = null;
    /** Where so many elements are open that the browser's parser would take minutes. @type {Span|null} */
    this.tooDeep = null;
    this.ignores = false;
    /** May there be RDFa? Most pages have no such attribute, and are spared its reader. */
    this.mayHaveRdfa = /typeof[\t\n\f\r ]*=/i.test(text);
    /** @type {Map<string, Span[]>} */
    this.rootTags = new Map([
      ["html", []],
      ["body", []],
    ]);
  }

  /** In steps. @returns {Generator<undefined, void>} */
  *scanning() {
    const { text, mark } = this;
    const pieces = [];
    const ignores = text.includes("waypost-ignore");
    const hasItems = ignores || this.mayHaveRdfa || /itemscope|itemprop|itemtype/i.test(text);
    const ofInterest = this.mayHaveRdfa ? ATTRIBUTE_OF_RDFA : ATTRIBUTE_OF_INTEREST;
    let open = 0;
    let copied = 0,
      foreign = 0,
      rootAttributes = 0,
      rootWork = 0,
      rootCount = 0;
    for (let at = text.indexOf("<"), n = 1; at >= 0; at = text.indexOf("<", at), n++) {
      if (n % 5000 === 0) yield;
      const next = text.charCodeAt(at + 1);
      if (next === 0x21 || next === 0x3f) {
        at = this.afterDeclaration(at);
        continue;
      }
      // Nothing of the page is ever applied or run, yet the site's own policy would report styles, handlers and bases:
      // they are kept out of the tree, or under another name.
      const isEnd = next === 0x2f;
      const name = matchAt(TAG_NAME, text, at + (isEnd ? 2 : 1));
      if (!name) {
        const bogus = isEnd ? text.indexOf(">", at) : at;
        at = bogus < 0 ? text.length : bogus + 1;
        continue;
      }
      const tag = name[0].toLowerCase();
      const nameEnd = at + (isEnd ? 2 : 1) + name[0].length;
      const end = this.tagEnd(nameEnd);
      if (end < 0) break; // the text ends inside of a tag: it is none
      if (isEnd) {
        if (hasItems) {
          pieces.push(text.slice(copied, at), `<!--${mark} ${this.closers.length}-->`);
          copied = at;
          this.closers.push({ at, end, tag });
        }
        if (tag === "svg" || tag === "math") foreign = Math.max(0, foreign - 1);
        if (!NEVER_DEEP.has(tag)) open = Math.max(0, open - 1);
        at = end;
        continue;
      }
      const written = text.slice(nameEnd, end);
      if (tag === "style") {
        pieces.push(text.slice(copied, at));
        at = copied = foreign && written.endsWith("/>") ? end : this.rawEnd(tag, end).end;
        continue;
      }
      /** @type {Tag} */
      const found = { tag, start: at, end, inside: end, close: null };
      if (tag === "html" || tag === "body") {
        this.rootTags.get(tag)?.push({ start: at, end });
        rootCount += 1;
        rootAttributes += attributeSpans(text, at, end).size;
        rootWork += rootAttributes;
        if (rootAttributes > MOST_ROOT_ATTRIBUTES || rootCount > MOST_ROOT_TAGS || rootWork > MOST_ROOT_WORK) {
          this.denied = at;
          return;
        }
      }
      if (ignores || OF_INTEREST.test(tag) || (hasItems && ofInterest.test(written))) {
        pieces.push(text.slice(copied, nameEnd), ` ${mark}="${this.tags.length}"`);
        copied = nameEnd;
        this.tags.push(found);
      }
      if (tag === "base" || ACTIVE.test(written)) {
        for (const [name, span] of attributeSpans(text, at, end)) {
          if (!ACTIVE_NAME.test(name) && !(tag === "base" && name === "href")) continue;
          pieces.push(text.slice(copied, span.start), "data-");
          copied = span.start;
        }
      }
      const isClosed = written.endsWith("/>");
      if ((tag === "svg" || tag === "math") && !isClosed) foreign += 1;
      at = end;
      if (tag === "plaintext" && !foreign) break;
      if (!RAW_TEXT.has(tag) || foreign) {
        if (!NEVER_DEEP.has(tag) && !(foreign && isClosed)) open += 1;
        if (open <= MOST_OPEN_ELEMENTS) continue;
        this.tooDeep = { start: found.start, end: found.end };
        return;
      }
      const close = this.rawEnd(tag, end);
      if (tag === "noscript") {
        // with scripts its content is text: it is kept out of the tree
        pieces.push(text.slice(copied, end));
        copied = close.start;
      }
      found.close = close.end > close.start ? close : null;
      found.inside = close.start;
      at = close.end;
    }
    pieces.push(text.slice(copied));
    this.source = pieces.join("");
  }

  /** Behind a comment, doctype or what counts as one. @param {number} at */
  afterDeclaration(at) {
    const { text } = this;
    if (!text.startsWith("<!--", at)) {
      const end = text.indexOf(">", at);
      return end < 0 ? text.length : end + 1;
    }
    if (/^<!--\s{0,8}waypost-ignore/.test(text.slice(at, at + 30))) this.ignores = true;
    const short = /^<!--(?:-?>)/.exec(text.slice(at, at + 6));
    if (short) return at + short[0].length;
    COMMENT_END.lastIndex = at + 4;
    const end = COMMENT_END.exec(text);
    return end ? end.index + end[0].length : text.length;
  }

  /** Behind the ">" that ends a tag, -1 without one (HTML Standard, 13.2.5.32 to 39). @param {number} from */
  tagEnd(from) {
    const { text } = this;
    const isSpace = (/** @type {number} */ code) => code === 32 || (code >= 9 && code <= 13 && code !== 11);
    let at = from;
    let code = text.charCodeAt(at);
    for (;;) {
      while (isSpace(code) || code === SLASH) code = text.charCodeAt(++at);
      if (code === GREATER) return at + 1;
      if (Number.isNaN(code)) return -1;
      do code = text.charCodeAt(++at);
      while (!isSpace(code) && code !== SLASH && code !== GREATER && code !== EQUALS && !Number.isNaN(code));
      while (isSpace(code)) code = text.charCodeAt(++at);
      if (code !== EQUALS) continue;
      do code = text.charCodeAt(++at);
      while (isSpace(code));
      if (code === 34 || code === 39) {
        const close = text.indexOf(text[at], at + 1);
        if (close < 0) return -1;
        at = close + 1;
        code = text.charCodeAt(at);
      } else while (!isSpace(code) && code !== GREATER && !Number.isNaN(code)) code = text.charCodeAt(++at);
    }
  }

  /**
   * Where the text of a raw element ends: its end tag, empty at the text's end.
   * @param {string} tag
   * @param {number} from
   * @returns {Span}
   */
  rawEnd(tag, from) {
    const { text } = this;
    const pattern = new RegExp(`</${tag}(?=[\\t\\n\\f\\r />])`, "gi");
    pattern.lastIndex = from;
    let found = pattern.exec(text);
    if (tag === "script" && found) {
      // A comment with a script tag in it hides the first end tag (HTML Standard, 13.2.5.18).
      const inside = text.slice(from, found.index);
      const comment = inside.lastIndexOf("<!--");
      if (
        comment >= 0 &&
        !inside.slice(comment).includes("-->") &&
        /<script[\t\n\f\r />]/i.test(inside.slice(comment))
      ) {
        const again = pattern.exec(text);
        found = again || found;
      }
    }
    if (!found) return { start: text.length, end: text.length };
    const end = text.indexOf(">", found.index);
    return { start: found.index, end: end < 0 ? text.length : end + 1 };
  }
}
const COMMENT_END = /--!?>/g;

/** The attributes inside a start tag, by lower-case name, the first of each name.
 * @param {string} text @param {number} start @param {number} end @returns {Map<string, Span>} */
export const attributeSpans = (text, start, end) => {
  /** @type {Map<string, Span>} */
  const found = new Map();
  const tag = text.slice(0, end);
  let at = start + 1;
  while (at < end && !"\t\n\f\r />".includes(text[at])) at += 1;
  for (let match = matchAt(ATTRIBUTE, tag, at); match; match = matchAt(ATTRIBUTE, tag, at)) {
    const groups = /** @type {Record<string, string>} */ (match.groups);
    at += match[0].length;
    const name = groups.name.toLowerCase();
    if (!found.has(name)) found.set(name, { start: at - groups.whole.length, end: at });
  }
  return found;
};

/** The value inside an attribute's span, without quotes; where it has no value, the name.
 * @param {string} text @param {Span} attribute @param {string} name @returns {Span} */
export const valueSpan = (text, attribute, name) => {
  let at = attribute.start + name.length;
  const skip = () => {
    while (at < attribute.end && "\t\n\f\r ".includes(text[at])) at += 1;
  };
  skip();
  if (at >= attribute.end || text[at] !== "=") return { start: attribute.start, end: attribute.start + name.length };
  at += 1;
  skip();
  if (at < attribute.end && "\"'".includes(text[at])) {
    const closed = attribute.end - (attribute.end - at > 1 && text[attribute.end - 1] === text[at] ? 1 : 0);
    return { start: at + 1, end: Math.max(at + 1, closed) };
  }
  return { start: at, end: attribute.end };
};
