// @ts-check
// Common parts of Microdata and RDFa: values of elements, and the places of names and values in tags. Counterpart of
// waypost/reader/markup.py.

import { resolveUrl } from "./names.js";
import { pointerOf, readError } from "./page.js";
import { valueSpan } from "./tags.js";
import { strip, words } from "./text.js";

/** @import { Page, Span, Thing } from "./page.js" */
/** @import { Tree } from "./tree.js" */

/** @type {Record<string, string>} */
const URL_ATTRIBUTES = {
  a: "href",
  area: "href",
  link: "href",
  object: "data",
  audio: "src",
  embed: "src",
  iframe: "src",
  img: "src",
  source: "src",
  track: "src",
  video: "src",
};
/** @type {Record<string, string>} */
const VALUE_ATTRIBUTES = { data: "value", meter: "value", meta: "content" };
export const UNSEEN = "script,style,noscript,template";
const MOST_UNCLOSED = 100;
const LONGEST_ENDING = 100;
const VALUES_PER_PAGE = 4;
const VALUES_LEAST = 1_000_000;
const WORDS_OF_HTML = /[^\t\n\f\r ]+/g;

export class TooMuchText extends Error {
  /** @param {Element} element */
  constructor(element) {
    super();
    this.element = element;
  }
}

/** Names of a syntax's attributes. `nameOf`: name of the property that a word of the attribute `keys` stands for.
 * @typedef {{syntax: string, scope: string, types: string, keys: string, ids: string[], valueAttribute: (element: Element) => string|null,
 *   nameOf: (element: Element, word: string) => string|null}} Dialect */

/** Place of a value whose name or text stands elsewhere than usual: by `rel` or `rev`, or copied from a pattern. */
export class Carrier {
  /** @param {Element} key element with the name @param {string} keys attribute with the name @param {Element} value element with the
   * value @param {string|null} attribute attribute with the value; null where it is the element's text, "" where it is a node */
  constructor(key, keys, value, attribute) {
    this.key = key;
    this.keys = keys;
    this.value = value;
    this.attribute = attribute;
  }
}
/** @param {Element|Carrier} carrier */
const valueElement = (carrier) => (carrier instanceof Carrier ? carrier.value : carrier);

/** An attribute as the page has it: the scan keeps the `href` of a `base` under another name. @param {Element} element @param {string} name */
export const attributeOf = (element, name) =>
  element.getAttribute(name) ?? (name === "href" && element.localName === "base" ? element.getAttribute("data-href") : null);

/** The attribute that holds an element's value; null when its text does. @param {Element} element */
export const valueAttribute = (element) => {
  if (element.hasAttribute("content")) return "content";
  const tag = element.localName;
  if (tag === "time") return element.hasAttribute("datetime") ? "datetime" : null;
  return URL_ATTRIBUTES[tag] || VALUE_ATTRIBUTES[tag] || null;
};

/**
 * The text of an element without what scripts and styles hold; a line break is a line feed.
 * @param {Element} element
 */
export const seenText = (element) => {
  let text = "";
  const walk = (/** @type {globalThis.Node} */ node) => {
    for (let each = node.firstChild; each; each = each.nextSibling) {
      if (each.nodeType === 3) text += /** @type {Text} */ (each).data;
      else if (each.nodeType === 1) {
        const tag = /** @type {Element} */ (each).localName;
        if (tag === "br") text += "\n";
        else if (!"script style noscript template".split(" ").includes(tag)) walk(each);
      }
    }
  };
  walk(element);
  return text;
};

/** Values of a page's elements, as text, up to a limit in proportion to the page. */
export class Values {
  /** @param {Page} page */
  constructor(page) {
    this.base = page.base;
    this.left = Math.max(VALUES_LEAST, VALUES_PER_PAGE * page.text.length);
  }

  /** Value of an attribute, or with null the text of the element. @param {Element} element @param {string|null} attribute */
  of(element, attribute) {
    if (attribute === null) return this.text(element);
    const written = attributeOf(element, attribute) || "";
    this.spend(written.length, element);
    const isAddress = ["resource", "href", "src"].includes(attribute) || URL_ATTRIBUTES[element.localName] === attribute;
    return isAddress ? resolveUrl(written, this.base) : strip(written);
  }

  /** What a reader sees of an element, white space collapsed. @param {Element} element */
  text(element) {
    const text = element.textContent || "";
    this.spend(text.length, element);
    return words(element.querySelector(`br,${UNSEEN}`) ? seenText(element) : text).join(" ");
  }

  /** @param {number} length @param {Element} element */
  spend(length, element) {
    this.left -= length;
    if (this.left < 0) throw new TooMuchText(element);
  }
}

/** Attributes without a closing quote: their values end at the quote that opens the value of another attribute. */
export class UnclosedAttributes {
  /** @param {Page} page @param {Tree} tree @param {string} syntax */
  constructor(page, tree, syntax) {
    this.page = page;
    this.tree = tree;
    this.syntax = syntax;
    /** Element, attribute -> offset at which the quote is missing. @type {Map<Element, Map<string, number>>} */
    this.found = new Map();
  }

  /** Note an attribute if its quote is missing. @param {Element} element @param {string} attribute @param {boolean} [isName] the value is made of names */
  check(element, attribute, isName = true) {
    const given = element.getAttribute(attribute) || "", { text } = this.page;
    if (!(isName ? given : strip(given)).endsWith("=") && !(isName && given.includes("<"))) return;
    const { start, end } = attributeSpan(this.tree, element, attribute);
    if (!/["']/.test(text[start - 1] || "") || this.found.size >= MOST_UNCLOSED) return;
    const written = text.slice(start, end), tail = written.slice(-LONGEST_ENDING);
    // Behind a quote that opens a value its text follows, behind one that closes it a value white space or the tag's end.
    const ending = /[^ \t\n\f\r/>]/.test(text[end + 1] || " ") ? tail.search(/[\s"'>][A-Za-z][A-Za-z0-9_:-]*\s*=\s*$/) : -1;
    let at = written.indexOf(">");
    if (at < 0) {
      if (!isName || ending < 0) return;
      at = written.length - tail.length + ending;
    } else if (ending < 0 && !(isName && written.slice(at).includes("<"))) return;
    const found = this.found.get(element) || new Map();
    this.found.set(element, found.set(attribute, start + written.slice(0, at).replace(/[/ \t\n\f\r]+$/, "").length));
  }

  /** Add the errors to the page, in the block of the node that an element belongs to. @param {(element: Element) => Thing|undefined} nodeOf */
  report(nodeOf) {
    for (const [element, found] of this.found)
      for (const [attribute, at] of found) {
        const { start } = attributeSpan(this.tree, element, attribute), { text } = this.page;
        this.page.readErrors.push({
          ...readError("html-attribute-unclosed", { start, end: at }, { attribute, value: text.slice(start, at) }, this.syntax),
          block: nodeOf(element)?.block.index ?? null,
          edits: [[{ start: at, end: at }, text[start - 1]]],
        });
      }
  }
}

/** The value of an attribute, or one word of it; the start tag where the element has none.
 * @param {Tree} tree @param {Element} element @param {string} attribute @param {number|null} [number] @returns {Span} */
export const attributeSpan = (tree, element, attribute, number = null) => {
  const { startTag, attributes } = tree.location(element);
  const span = attributes.get(attribute);
  if (!span) return startTag;
  const value = valueSpan(tree.text, span, attribute);
  if (number === null) return value;
  const found = [...tree.text.slice(value.start, value.end).matchAll(WORDS_OF_HTML)];
  if (found.length !== words(element.getAttribute(attribute) || "").length || number >= found.length) return value;
  const start = value.start + /** @type {number} */ (found[number].index);
  return { start, end: start + found[number][0].length };
};

/** A top-level item with everything inside it. A node's origin is its element, and what carries its properties.
 * @typedef {{element: Element, written: Map<string, (Element|Carrier)[]>}} WrittenItem */
export class ItemBlock {
  /** @param {Tree} tree @param {Dialect} dialect @param {number} index */
  constructor(tree, dialect, index) {
    this.tree = tree;
    this.dialect = dialect;
    this.syntax = dialect.syntax;
    this.index = index;
  }

  /**
   * @param {Thing} node
   * @param {string|null} [prop]
   * @param {number|null} [index]
   * @param {string} [part]
   * @returns {Span}
   */
  span(node, prop = null, index = null, part = "value") {
    const { element, written } = node.origin;
    if (part === "type") return this.typeSpan(node, element, index);
    const { startTag, attributes } = this.tree.location(element);
    if (prop === "@id") {
      const own = this.dialect.ids.find((name) => attributes.has(name)), written = own && attributes.get(own);
      return own && written ? valueSpan(this.tree.text, written, own) : startTag;
    }
    const carriers = prop === null ? null : written.get(prop);
    if (!carriers || prop === null) return startTag;
    const carrier = carriers[Math.min(index || 0, carriers.length - 1)];
    return part === "key" ? this.keySpan(carrier, prop) : this.valueSpan(carrier);
  }

  /** Does a node stand outside of the item that itemref gives it to? @param {Thing} node */
  isApart({ parent, origin }) {
    if (this.syntax !== "microdata" || !parent) return false;
    const owner = origin.element.parentElement?.closest("[itemscope]");
    return !owner || this.tree.location(owner).startTag.start !== this.tree.location(parent.origin.element).startTag.start;
  }

  /** @param {Thing} node @param {string|null} [prop] @param {number|null} [index] */
  pointer(node, prop = null, index = null) {
    /** @type {(string|number)[]} */
    const steps = [];
    const step = (/** @type {string} */ name, /** @type {number} */ place, /** @type {number} */ many) => {
      if (many > 1) steps.push(place);
      steps.push(name);
    };
    if (prop !== null) step(prop, index || 0, (node.origin.written.get(prop) || []).length);
    for (let each = node; each.parent && each.via !== null && steps.length < 1024; each = each.parent) {
      const carriers = (each.parent.origin.written.get(each.via) || []).map(valueElement);
      step(each.via, Math.max(carriers.indexOf(each.origin.element), 0), carriers.length);
    }
    return pointerOf(steps.reverse());
  }

  /** Safe in an attribute with any quotes, and between tags. @param {string} text */
  spelled(text) {
    return text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;");
  }

  /** @param {Element|Carrier} carrier @param {string} prop */
  keySpan(carrier, prop) {
    const [element, keys] = carrier instanceof Carrier ? [carrier.key, carrier.keys] : [carrier, this.dialect.keys];
    const number = words(element.getAttribute(keys) || "").findIndex((word) => word === prop || this.dialect.nameOf(element, word) === prop);
    return attributeSpan(this.tree, element, keys, Math.max(number, 0));
  }

  /** Span of a value; of the start tag where it is a node. @param {Element|Carrier} carrier @returns {Span} */
  valueSpan(carrier) {
    const isPlaced = carrier instanceof Carrier, element = valueElement(carrier);
    const isNode = isPlaced ? carrier.attribute === "" : element.hasAttribute(this.dialect.scope);
    const { startTag, endTag, attributes } = this.tree.location(element);
    if (isNode) return startTag;
    const attribute = isPlaced ? carrier.attribute : this.dialect.valueAttribute(element);
    if (attribute !== null) {
      const span = attributes.get(attribute);
      return span ? valueSpan(this.tree.text, span, attribute) : startTag;
    }
    if (endTag) return { start: startTag.end, end: Math.max(startTag.end, endTag.start) };
    const next = this.tree.text.indexOf("<", startTag.end);
    return { start: startTag.end, end: next >= 0 ? next : this.tree.text.length };
  }

  /** A type by its number; without one the type that was miswritten, else all of them.
   * @param {Thing} node @param {Element} element @param {number|null} index */
  typeSpan(node, element, index) {
    const { types } = this.dialect;
    if (index === null && node.miscased) {
      const wrong = [...node.miscased].filter(([name]) => name.startsWith("@type:")).map(([, written]) => written);
      const at = words(element.getAttribute(types) || "").findIndex((word) => wrong.some((each) => word.endsWith(each)));
      index = at < 0 ? null : at;
    }
    return attributeSpan(this.tree, element, types, index);
  }
}
