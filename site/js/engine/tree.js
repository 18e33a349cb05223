// @ts-check
// The tree of a page, made by the browser's own parser, with the places that a scan of the source found (tags.js): each
// element knows its own tags, however the parser moved it. An element without a number has no known place.

import { attributeSpans } from "./tags.js";

/** @import { Span } from "./page.js" */
/** @import { Marked, Tag } from "./tags.js" */

/** The one place where text becomes a document; inert, nothing in it runs or loads. The site's own policy is used where
 * there is one: there may be no second of its name. */
export const parseHtml = (() => {
  const { DOMParser: Parser, trustedTypes } = /** @type {Partial<Window & typeof globalThis>} */ (globalThis);
  if (!Parser) return null;
  const rules = { createHTML: (/** @type {string} */ text) => text };
  return (/** @type {string} */ text) => {
    const site = /** @type {any} */ (/** @type {any} */ (globalThis).waypost ||= {});
    site.policy ||= trustedTypes ? trustedTypes.createPolicy("waypost-parse", rules) : rules;
    return /** @type {Document} */ (new Parser().parseFromString(site.policy.createHTML(text), "text/html"));
  };
})();

export const FORMATTING = new Set("a b big code em font i nobr s small strike strong tt u".split(" "));
const STAYS_OPEN = /^(?:html|body|form)$/;

/** @typedef {{startTag: Span, endTag: Span|null, attributes: Map<string, Span>}} TagPlaces */
/** @type {TagPlaces} */
const NOWHERE_AT_ALL = { startTag: { start: 0, end: 0 }, endTag: null, attributes: new Map() };

/** The tree of one page with the places of its elements. */
export class Tree {
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
