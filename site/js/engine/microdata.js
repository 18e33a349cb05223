// @ts-check
// Microdata by the algorithm of the HTML Standard, section 5. Counterpart of waypost/reader/microdata.py: `content` counts on
// any element, and an item whose own itemprop belongs to no item is a top-level one.

import { SEEN_IN, noteSeen } from "./lookalikes.js";
import { ItemBlock, TooMuchText, UnclosedAttributes, attributeSpan, valueAttribute } from "./markup.js";
import { propertyName, resolveUrl, typeName } from "./names.js";
import { Thing, readError } from "./page.js";
import { addAll, addTo } from "./strings.js";
import { grouped, unique, words } from "./text.js";
import { FORMATTING } from "./tree.js";
import { DATA_TYPES } from "./vocabulary.js";

/** @import { Dialect, Values } from "./markup.js" */
/** @import { Page, Value } from "./page.js" */
/** @import { Tree } from "./tree.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const MOST_REFERRED = 100_000;
const LONGEST_CHAIN = 2_000;
const MOST_AROUND = 20;
const ITEMS_A_STEP = 200;
/** @typedef {{number: number, element: Element, words: string[], isItem: boolean, owner: Element|null}} Property */

/**
 * The nodes of a page by the element of each item, in steps.
 * @param {Page} page
 * @param {Tree} tree
 * @param {Vocabulary} vocabulary
 * @param {Element[]} typed
 * @param {Values} values
 * @returns {Generator<undefined, [Element, Thing][]>}
 */
export function* readingItems(page, tree, vocabulary, typed, values) {
  return [...(yield* new ItemReader(page, tree, vocabulary, values).reading(typed))];
}

class ItemReader {
  /** @param {Page} page @param {Tree} tree @param {Vocabulary} vocabulary @param {Values} values */
  constructor(page, tree, vocabulary, values) {
    this.page = page;
    this.tree = tree;
    this.vocabulary = vocabulary;
    this.values = values;
    /** @type {Dialect} */
    this.dialect = {
      syntax: "microdata",
      scope: "itemscope",
      types: "itemtype",
      keys: "itemprop",
      ids: ["itemid"],
      valueAttribute,
      nameOf: (_, word) => propertyName(vocabulary, word)[0],
    };
    /** @type {Element[]} */
    this.items = [];
    /** @type {Map<Element, Thing>} */
    this.nodes = new Map();
    /** @type {Element[]} */
    this.referring = [];
    /** @type {Set<Element>} */
    this.referred = new Set();
    /** @type {Property[]} */
    this.carriers = [];
    /** @type {Map<Element|null, Property[]>} */
    this.ofItem = new Map();
    /** @type {Map<Element, [Element, string]>} */
    this.holders = new Map();
    /** @type {Map<Element, Element>} */
    this.clones = new Map();
    /** @type {Map<Element, Element[]>} */
    this.repeats = new Map();
    /** @type {Element[]} */
    this.contents = [];
    /** The last element with a value in an attribute and displayed text. @type {Element|null} */
    this.attributed = null;
    /** Elements with properties inside that the item around takes. @type {Map<Element, Property[]>} */
    this.unscoped = new Map();
    /** @type {Map<Element, string>} */
    this.readBefore = new Map();
    this.unclosed = new UnclosedAttributes(page, tree, "microdata");
  }

  /** @param {Element[]} typed */
  *reading(typed) {
    this.collect(typed);
    yield;
    this.followReferences();
    yield;
    this.findHolders();
    yield;
    this.makeNodes();
    yield* this.filling();
    this.report();
    return this.nodes;
  }

  /**
   * @param {string} rule
   * @param {Element} element
   * @param {string} attribute
   * @param {Record<string, any>} [detail]
   * @param {number|null} [word]
   */
  note(rule, element, attribute, detail = {}, word = null) {
    this.page.readErrors.push(readError(rule, attributeSpan(this.tree, element, attribute, word), detail, "microdata"));
  }

  /** Items, and the elements that carry properties with the item each stands in. @param {Element[]} typed */
  collect(typed) {
    /** @type {Map<number, Element>} */
    const seen = new Map();
    typed.forEach((element, number) => {
      if (FORMATTING.has(element.localName)) {
        const tag = this.tree.number(element);
        const first = seen.get(tag);
        if (first) {
          this.clones.set(element, first);
          addTo(this.repeats, first, element);
          return;
        }
        seen.set(tag, element);
      }
      const isItem = element.hasAttribute("itemscope");
      if (isItem) {
        this.items.push(element);
        if (element.hasAttribute("itemref")) this.referring.push(element);
      } else if (element.hasAttribute("itemtype")) {
        this.unscoped.set(element, []);
        this.unclosed.check(element, "itemtype");
      }
      const list = words(element.getAttribute("itemprop") || "");
      if (!list.length) return;
      this.unclosed.check(element, "itemprop");
      const carrier = { number, element, words: list, isItem, owner: this.owner(element) };
      const owner = around(element);
      const above = owner && around(element, "[itemtype]");
      if (above && this.unscoped.has(above) && around(above) === owner) addTo(this.unscoped, above, carrier);
      addTo(this.ofItem, carrier.owner, carrier);
      this.carriers.push(carrier);
    });
  }

  /** The item around an element. @param {Element} element */
  owner(element) {
    const owner = around(element);
    return (owner && this.clones.get(owner)) || owner;
  }

  /** Add what itemref points at, in tree order. */
  followReferences() {
    if (!this.referring.length) return;
    /** @type {Map<string, Element>} */
    const targets = new Map();
    for (const element of this.tree.select("[id]")) {
      const id = element.getAttribute("id") || "";
      if (!targets.has(id)) targets.set(id, element);
    }
    const byElement = new Map(this.carriers.map((carrier) => [carrier.element, carrier]));
    /** @type {Map<Element, Property[]>} */
    const groups = new Map();
    let left = MOST_REFERRED;
    for (const item of this.referring) {
      const found = new Map((this.ofItem.get(item) || []).map((carrier) => [carrier.number, carrier]));
      words(item.getAttribute("itemref") || "").forEach((word, position) => {
        const target = targets.get(word);
        if (!target) {
          this.note("microdata-itemref-missing-target", item, "itemref", { id: word }, position);
          return;
        }
        const group = groups.get(target) || this.within(target, byElement);
        groups.set(target, group);
        left -= group.length;
        if (left < 0) throw new TooMuchText(item);
        for (const carrier of group) {
          found.set(carrier.number, carrier);
          this.referred.add(carrier.element);
        }
      });
      if (found.size)
        this.ofItem.set(
          item,
          [...found.values()].sort((one, two) => one.number - two.number),
        );
    }
  }

  /**
   * The properties that an element referred to brings.
   * @param {Element} target
   * @param {Map<Element, Property>} byElement
   */
  within(target, byElement) {
    const own = byElement.get(target);
    const found = own ? [own] : [];
    if (!target.hasAttribute("itemscope")) {
      const around = this.owner(target);
      for (const element of target.querySelectorAll("[itemprop]")) {
        const each = byElement.get(element);
        if (each && each.owner === around && each !== own) found.push(each);
      }
    }
    return found;
  }

  /** Which item holds which; an item that would hold itself loses that property. */
  findHolders() {
    for (const item of this.items) {
      const carriers = (this.ofItem.get(item) || []).filter((carrier) => {
        if (!carrier.isItem) return true;
        if (this.referring.length && this.wouldHoldItself(item, carrier.element)) {
          this.note("microdata-itemref-cycle", item, "itemref", { names: carrier.words });
          return false;
        }
        if (!this.holders.has(carrier.element)) this.holders.set(carrier.element, [item, carrier.words[0]]);
        return true;
      });
      if (carriers.length) this.ofItem.set(item, carriers);
    }
  }

  /** @param {Element} item @param {Element} child */
  wouldHoldItself(item, child) {
    /** @type {Element|undefined} */
    let above = item;
    for (let n = 0; n < LONGEST_CHAIN; n++) {
      if (above === child) return true;
      above = above && this.holders.get(above)?.[0];
      if (!above) return false;
    }
    return true;
  }

  /** A node for each item, holders first; items at the top are the blocks. */
  makeNodes() {
    /** @type {Map<Element, ItemBlock>} */
    const blocks = new Map();
    for (const item of this.items) if (!this.holders.has(item)) blocks.set(item, new ItemBlock(this.tree, this.dialect, blocks.size));
    addAll(this.page.blocks, [...blocks.values()]);
    for (const item of this.items) {
      const chain = [];
      /** @type {Element|undefined} */
      let above = item;
      while (above && !this.nodes.has(above)) {
        chain.push(above);
        above = this.holders.get(above)?.[0];
      }
      for (const each of chain.reverse()) {
        const [holder, word] = this.holders.get(each) || [null, ""];
        const parent = holder ? /** @type {Thing} */ (this.nodes.get(holder)) : null;
        const via = parent ? this.named(parent, word)[0] : null;
        const node = new Thing(
          parent ? parent.block : /** @type {ItemBlock} */ (blocks.get(each)),
          { element: each, written: new Map() },
          parent,
          via,
        );
        this.nodes.set(each, node);
        this.describe(node, each, parent);
      }
    }
    const made = this.nodes;
    this.nodes = new Map(this.items.map((item) => [item, /** @type {Thing} */ (made.get(item))]));
  }

  /** Types and id of an item. @param {Thing} node @param {Element} item @param {Thing|null} parent */
  describe(node, item, parent) {
    /** @type {Set<string>} */
    const types = new Set();
    this.unclosed.check(item, "itemtype");
    words(item.getAttribute("itemtype") || "").forEach((word, position) => {
      const [name, spelled, isAbsolute] = typeName(this.vocabulary, word);
      if (spelled !== null) node.noteSpelling(`@type:${name}`, spelled);
      if (!isAbsolute && this.vocabulary.types.has(name)) {
        this.note("microdata-itemtype-not-absolute", item, "itemtype", { written: word, name }, position);
      }
      types.add(name);
    });
    node.types = [...types];
    if (types.size) node.foreign = node.types.every((name) => name.includes(":"));
    else {
      node.foreign = !parent || parent.foreign;
      if (!parent && (this.ofItem.get(item) || []).length) {
        this.note("microdata-itemscope-without-itemtype", item, "itemscope");
      }
    }
    const identifier = item.getAttribute("itemid");
    if (identifier !== null) {
      node.id = resolveUrl(identifier, this.page.base) || null;
      if (!types.size) this.note("microdata-itemid-without-itemtype", item, "itemid", { id: identifier });
    }
  }

  /** Properties and their values, in tree order; in steps. */
  *filling() {
    for (const [number, item] of this.items.entries()) {
      if (number % ITEMS_A_STEP === 0) yield;
      const node = /** @type {Thing} */ (this.nodes.get(item));
      const { written } = node.origin;
      for (const carrier of this.ofItem.get(item) || []) {
        const value = this.value(carrier, node);
        for (const word of carrier.words) {
          const [name, spelled] = this.named(node, word);
          if (spelled !== null) node.noteSpelling(name, spelled);
          addTo(node.props, name, value);
          addTo(written, name, carrier.element);
          if (carrier.element === this.attributed)
            noteSeen(this.page, this.tree, node, name, /** @type {any[]} */ (node.props.get(name)).length - 1, carrier.element);
          if (value instanceof Thing && value.parent !== node) value.referrers.push([node, name]);
        }
      }
    }
  }

  /** What a property is called, and its spelling if that was corrected. @param {Thing} node @param {string} word
   * @returns {[string, string|null]} */
  named(node, word) {
    return node.foreign ? [word, null] : propertyName(this.vocabulary, word);
  }

  /** @param {Property} carrier @param {Thing} node @returns {Value} */
  value({ element, isItem }, node) {
    this.attributed = null;
    if (isItem) {
      this.unclosed.check(element, "content", false);
      return this.nodes.get(element) ?? null;
    }
    const before = this.readBefore.get(element);
    if (before !== undefined) return before;
    const attribute = valueAttribute(element);
    if (attribute === "content" && element.localName !== "meta" && !node.foreign) this.contents.push(element);
    if (attribute !== null && SEEN_IN.has(attribute) && !node.foreign) this.attributed = element;
    let value = this.values.of(element, attribute);
    if (attribute !== null) this.unclosed.check(element, attribute, false);
    if (!value && attribute === null) {
      for (const each of this.repeats.get(element) || []) value ||= this.values.text(each);
    }
    if (this.referred.has(element)) this.readBefore.set(element, value);
    return value;
  }

  /**
   * Report elements with a type and no itemscope, with the properties lost in each; returns the other properties.
   * @param {Property[]} orphans
   */
  reportUnscoped(orphans) {
    const lost = new Map([...this.unscoped.keys()].map((element) => [element, /** @type {Element[]} */ ([])]));
    const others = orphans.filter(({ element }) => {
      let above = around(element, "[itemtype]");
      const isOther = !above || !lost.has(above);
      for (let n = 0; n < MOST_AROUND && above && lost.has(above); n++) {
        lost.get(above)?.push(element);
        above = around(above, "[itemtype]");
      }
      return isOther;
    });
    for (const [element, below] of lost) {
      const names = words(element.getAttribute("itemtype") || "").map((word) => typeName(this.vocabulary, word)[0]);
      const type = names.find((name) => this.vocabulary.types.has(name)) ?? null, taken = this.unscoped.get(element) || [];
      const isValue = DATA_TYPES.has(type || "") || ["a", "img", "link", "meta"].includes(element.localName) || element.hasAttribute("typeof") ||
        (element.hasAttribute("itemprop") && element.hasAttribute("content"));
      this.note("microdata-itemtype-without-itemscope", element, "itemtype", {
        type,
        lost: below.length,
        ...this.takenFrom(element, type || "item", below.length, taken, isValue),
        isValue,
      });
      const { readErrors } = this.page;
      readErrors[readErrors.length - 1].related = (below.length ? below : taken.map((each) => each.element))
        .slice(0, 20)
        .map((each) => ["a property that is lost with it", attributeSpan(this.tree, each, "itemprop")]);
    }
    return others;
  }

  /**
   * What the item around an element with a type and no itemscope takes from it, and the message. `causes`: places of the
   * values and names whose findings are effects of it.
   * @param {Element} element @param {string} type @param {number} lost @param {Property[]} taken @param {boolean} isValue
   */
  takenFrom(element, type, lost, taken, isValue) {
    const list = words(element.getAttribute("itemprop") || "");
    const holder = !isValue && (taken.length || list.length) ? this.nodes.get(/** @type {Element} */ (this.owner(element))) : null;
    const keys = holder ? taken.flatMap((each) => each.words.map((_, n) => attributeSpan(this.tree, each.element, "itemprop", n))) : [];
    const causes = keys.map(({ start, end }) => `property-not-of-type ${start} ${end}`);
    const inside = (/** @type {number} */ count) => (count === 1 ? "the property in it counts" : `the ${grouped(count)} properties in it count`);
    const parts = [];
    if (holder && list.length && valueAttribute(element) === null) {
      const { start, end } = new ItemBlock(this.tree, this.dialect, 0).valueSpan(element);
      causes.push(` ${start} ${end}`);
      parts.push(`this ${type} is read as plain text`);
    }
    if (holder && keys.length) parts.push(`${inside(keys.length)} for the ${holder.types.join(" and ") || "item"} around it`);
    if (lost) parts.push(`this ${type} is not read: ${inside(lost)} for no item`);
    return { holder, property: holder && list.length ? this.named(holder, list[0])[0] : null, message: parts.join(", and ") || "this tag has itemtype but no itemscope: no item begins here", causes };
  }

  /** Errors reported once a page. */
  report() {
    let orphans = (this.ofItem.get(null) || []).filter((each) => !this.referred.has(each.element));
    for (const { element, isItem } of orphans)
      if (isItem) this.page.orphans.add(/** @type {Thing} */ (this.nodes.get(element)));
    this.unclosed.report((element) => {
      const item = element.closest("[itemscope]");
      return item ? this.nodes.get(this.clones.get(item) || item) : undefined;
    });
    if (this.unclosed.found.size) return;
    orphans = this.reportUnscoped(orphans);
    /** @param {Property} each */
    const isApart = ({ element, isItem }) => isItem && !!(/** @type {Thing} */ (this.nodes.get(element)).types.length);
    const apart = orphans.filter(isApart);
    for (const { element } of apart) this.page.orphans.delete(/** @type {Thing} */ (this.nodes.get(element)));
    for (const [found, isItem] of /** @type {[Property[], boolean][]} */ ([[orphans.filter((each) => !isApart(each)), false], [apart, true]])) {
      if (!found.length) continue;
      const words = found.flatMap((each) => each.words), names = unique(words).slice(0, 50);
      this.note("microdata-orphan-property", found[0].element, "itemprop", { names, count: isItem ? apart.length : words.length, isItem, isOfPage: found.every(({ element }) => element.localName === "meta" && !!element.closest("head")) });
    }
    if (this.contents.length) {
      const first = this.contents[0];
      this.note("microdata-content-attribute", first, "content", { tag: first.localName, count: this.contents.length });
    }
  }
}

/** @param {Element} element @param {string} [selector] */
const around = (element, selector = "[itemscope]") => element.parentElement?.closest(selector) || null;
