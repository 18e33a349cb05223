// @ts-check
// HTML: the browser's own parser makes the tree, a scan of the source finds the places of its tags. Every start tag of
// interest gets a number as its first attribute before parsing, and a comment with a number stands before each end tag:
// so each element knows its own tags, however the parser moved it. An element without a number has no known place.

/** The one place where text becomes a document; inert, nothing in it runs or loads. The site's own policy is used where
 * there is one: there may be no second of its name. */
const parseHtml = (() => {
  const { DOMParser: Parser, trustedTypes } = /** @type {any} */ (globalThis);
  if (!Parser) return null;
  const rules = { createHTML: (/** @type {string} */ text) => text };
  return (/** @type {string} */ text) => {
    const site = /** @type {any} */ (/** @type {any} */ (globalThis).waypost ||= {});
    site.policy ||= trustedTypes ? trustedTypes.createPolicy("waypost-parse", rules) : rules;
    return /** @type {Document} */ (new Parser().parseFromString(site.policy.createHTML(text), "text/html"));
  };
})();

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
const DEEPEST_ELEMENT = 511;
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
class Marked {
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
const attributeSpans = (text, start, end) => {
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
const valueSpan = (text, attribute, name) => {
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

const STAYS_OPEN = /^(?:html|body|form)$/;

/** @typedef {{startTag: Span, endTag: Span|null, attributes: Map<string, Span>}} TagPlaces */
/** @type {TagPlaces} */
const NOWHERE_AT_ALL = { startTag: { start: 0, end: 0 }, endTag: null, attributes: new Map() };

/** The tree of one page with the places of its elements. */
class Tree {
  /** @param {Marked} marked */
  constructor(marked) {
    this.marked = marked;
    this.text = marked.text;
    this.document = /** @type {NonNullable<typeof parseHtml>} */ (parseHtml)(/** @type {string} */ (marked.source));
    /** @type {Map<Element, TagPlaces>} */
    this.known = new Map();
    /** @type {Map<Element, Span>|null} */
    this.ends = null;
  }

  /** @param {string} selector @returns {Element[]} */
  select(selector) {
    return [...this.document.querySelectorAll(selector)];
  }

  /** The number of an element's start tag, -1 where it is implied. @param {Element} element */
  number(element) {
    const written = element.getAttribute(this.marked.mark);
    return written === null ? -1 : Number(written);
  }

  /**
   * From the end of an element's start tag to its end tag; of elements whose content is text.
   * @param {Element} element
   * @returns {Span}
   */
  inside(element) {
    const tag = this.marked.tags[this.number(element)];
    if (tag) return { start: tag.end, end: tag.inside };
    const { startTag, endTag } = this.location(element);
    return { start: startTag.end, end: endTag ? endTag.start : this.text.length };
  }

  /** The end tags of elements, found by the comments before them. */
  endTags() {
    if (this.ends) return this.ends;
    this.ends = new Map();
    const comments = this.document.createTreeWalker(this.document, 128);
    const start = `${this.marked.mark} `;
    for (let node = comments.nextNode(); node; node = comments.nextNode()) {
      const note = /** @type {Comment} */ (node).data;
      if (!note.startsWith(start)) continue;
      const closer = this.marked.closers[Number(note.slice(start.length))];
      // What follows in the same element shows that the parser ignored the tag: a span's, inside a block.
      if (node.nextSibling && !FORMATTING.has(closer.tag) && !STAYS_OPEN.test(closer.tag)) continue;
      let element = node.parentElement;
      while (element && element.localName.toLowerCase() !== closer.tag) element = element.parentElement;
      if (element && !this.ends.has(element)) this.ends.set(element, { start: closer.at, end: closer.end });
    }
    return this.ends;
  }

  /** @param {Element} element @returns {TagPlaces} */
  location(element) {
    let known = this.known.get(element);
    if (!known) {
      known = this.located(element);
      this.known.set(element, known);
    }
    return known;
  }

  /** @param {Element} element @returns {TagPlaces} */
  located(element) {
    const name = element.localName;
    const tag = this.marked.tags[this.number(element)];
    if (name === "html" || name === "body") return this.merged(element, tag);
    if (!tag) return element.parentElement ? this.location(element.parentElement) : NOWHERE_AT_ALL;
    return {
      startTag: { start: tag.start, end: tag.end },
      endTag: tag.close || this.endTags().get(element) || null,
      attributes: attributeSpans(this.text, tag.start, tag.end),
    };
  }

  /**
   * `html` and `body` take over attributes of later tags.
   * @param {Element} element
   * @param {Tag|undefined} tag
   * @returns {TagPlaces}
   */
  merged(element, tag) {
    const tags = this.marked.rootTags.get(element.localName) || [];
    const first = tag ? { start: tag.start, end: tag.end } : tags[0];
    if (!first) return NOWHERE_AT_ALL;
    const attributes = tag ? attributeSpans(this.text, tag.start, tag.end) : new Map();
    for (const each of tags) {
      for (const [name, span] of attributeSpans(this.text, each.start, each.end)) {
        if (!attributes.has(name)) attributes.set(name, span);
      }
    }
    return { startTag: first, endTag: this.endTags().get(element) || null, attributes };
  }
}

const WITH_RDFA = "[typeof]:not([typeof='']):not(script)";
const SELECTORS = { jsonld: 'script[type*="json" i]', microdata: "[itemscope],[itemprop],[itemtype]", opening: "[itemscope],[typeof],[about],[resource],[rel],[rev]" };
const CANONICAL = 'link[rel~="canonical" i][href]';
const JSON_LD = "application/ld+json";
const JSON_LD_ALMOST = /ld.?json|json.?ld/i;

/**
 * Everything typed on an HTML page, in steps.
 * @param {string} given
 * @param {Vocabulary} vocabulary
 * @param {string} path
 * @param {string|null} url
 */
function* readingPage(given, vocabulary, path, url) {
  const page = new Page(path, given);
  page.url = page.base = url;
  const marked = (page.marked = new Marked(page.text));
  yield* marked.scanning();
  page.ignores = marked.ignores;
  if (marked.denied !== null) {
    const at = marked.denied;
    page.readErrors.push(readError("html-repeated-root-tag", { start: at, end: at + 5 }));
    return page;
  }
  if (marked.tooDeep) {
    page.readErrors.push(readError("html-too-deep", marked.tooDeep));
    return page;
  }
  yield;
  const tree = new Tree(marked);
  yield;
  page.ignores ||= tree.select("[data-waypost-ignore]").length > 0;
  addressOf(page, tree);
  const scripts = tree
    .select(SELECTORS.jsonld)
    .filter((each) => each.localName === "script" && isJsonLd(each.getAttribute("type") || ""));
  yield* readingTyped(page, tree, vocabulary, scripts);
  for (const element of tree.select("noscript")) {
    const { start, end } = tree.inside(element);
    if (!/itemscope|itemprop=|ld\+json|typeof=/.test(page.text.slice(start, end))) continue;
    page.readErrors.push(readError("markup-in-noscript", tree.location(element).startTag));
    break;
  }
  for (const script of tree.select(SELECTORS.jsonld)) {
    const type = script.getAttribute("type") || "", text = script.textContent || "";
    if (script.localName !== "script" || isJsonLd(type) || !JSON_LD_ALMOST.test(type) || !text.includes('"@context"'))
      continue;
    const { startTag, attributes } = tree.location(script);
    const written = attributes.get("type");
    page.readErrors.push(
      readError("jsonld-script-type-misspelled", written ? valueSpan(page.text, written, "type") : startTag, {
        written: type,
        safe: offered("repairing").isLinkedData(text),
      }),
    );
  }
  page.readErrors.sort((one, two) => one.span.start - two.span.start || one.span.end - two.span.end);
  yield;
  join(page, vocabulary);
  return page;
}

/** @param {string} type */
const isJsonLd = (type) => strip(partition(type, ";")[0]).toLowerCase() === JSON_LD;

/** @param {string} rule @param {Span} span @param {Record<string, any>} [detail] @param {string} [syntax] */
const readError = (rule, span, detail = {}, syntax = "html") => ({
  rule,
  span,
  syntax,
  block: null,
  pointer: "",
  detail,
  edits: [],
  related: [],
});

/**
 * The page's canonical address, and the base of its URLs.
 * @param {Page} page
 * @param {Tree} tree
 */
const addressOf = (page, tree) => {
  const baseElement = tree.select("base[data-href]")[0],
    canonical = tree.select(CANONICAL)[0];
  const written = baseElement ? resolveUrl(baseElement.getAttribute("data-href") || "", page.url) : "";
  const base = written.includes("://") ? written : null;
  page.language = tree.document.documentElement.getAttribute("lang");
  const named = canonical ? resolveUrl(canonical.getAttribute("href") || "", base || page.url) : "";
  if (named.includes("://")) {
    page.url = named;
    page.base = base || page.base || named;
  } else if (base) page.base = base;
};

/** Nodes in document order, whichever syntax each is of; in steps.
 * @param {Page} page @param {Tree} tree @param {Vocabulary} vocabulary @param {Element[]} scripts */
function* readingTyped(page, tree, vocabulary, scripts) {
  const items = tree.select(SELECTORS.microdata);
  const typed = page.marked.mayHaveRdfa ? tree.select(`${SELECTORS.microdata},[typeof]`) : items;
  const numbers = new Map(scripts.map((script, n) => [script, n]));
  const read = (/** @type {Element} */ script) => {
    const { start, end } = tree.inside(script);
    return readingBlock(page, page.text.slice(start, end), start, /** @type {number} */ (numbers.get(script)), vocabulary);
  };
  if (!typed.length) {
    for (const script of scripts) yield* read(script);
    return;
  }
  const deep = typed.find(isTooDeep);
  if (deep) page.readErrors.push(readError("html-too-deep", tree.location(deep).startTag));
  const values = new Values(page);
  /** @type {Map<Element, Thing[]>} */
  const made = new Map();
  /** @type {[string, Generator<undefined, [Element, Thing][]>][]} */
  const readers = [];
  if (items.length) readers.push(["microdata", readingItems(page, tree, vocabulary, items, values)]);
  if (page.marked.mayHaveRdfa && tree.select(WITH_RDFA).length) readers.push(["rdfa", offered("rdfa")(page, tree, vocabulary, values)]);
  for (const [syntax, reading] of readers) {
    try {
      for (const [element, node] of yield* reading) addTo(made, element, node);
    } catch (error) {
      if (!(error instanceof TooMuchText)) throw error;
      // Half a page would give wrong findings.
      page.blocks = page.blocks.filter((block) => block.syntax !== syntax);
      page.readErrors.push(readError("html-values-too-large", tree.location(error.element).startTag, {}, syntax));
    }
  }
  // A node of RDFa may begin at an element without `typeof`, by `about`, `resource` or `rel` alone.
  const opening = page.blocks.some(({ syntax }) => syntax === "rdfa") ? SELECTORS.opening : SELECTORS.microdata;
  for (const element of tree.select(`${SELECTORS.jsonld},${opening}`)) {
    if (numbers.has(element)) yield* read(element);
    else for (const node of made.get(element) || []) page.nodes.push(node);
  }
}

/** @param {Element} element */
const isTooDeep = (element) => {
  let depth = 0;
  for (let above = element.parentElement; above; above = above.parentElement) depth += 1;
  return depth >= DEEPEST_ELEMENT;
};

/**
 * A file of JSON-LD as one block, in steps.
 * @param {string} given
 * @param {Vocabulary} vocabulary
 * @param {string} path
 * @param {string|null} url
 */
function* readingData(given, vocabulary, path, url) {
  const page = new Page(path, given);
  page.url = page.base = url;
  yield* readingBlock(page, page.text, 0, 0, vocabulary);
  yield;
  join(page, vocabulary);
  return page;
}
