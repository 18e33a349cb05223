// @ts-check
// Microdata by the algorithm of the HTML Standard, section 5. Counterpart of waypost/extract/microdata.py, markup.py and
// names.py: `content` counts on any element, and an item whose own itemprop belongs to no item is a top-level one.

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
const FORMATTING = new Set("a b big code em font i nobr s small strike strong tt u".split(" "));
const UNSEEN = "script,style,noscript,template";
const MOST_REFERRED = 100_000;
const LONGEST_CHAIN = 2_000;
const MOST_UNCLOSED = 100;
const LONGEST_ENDING = 100;
const MOST_AROUND = 20;
const VALUES_PER_PAGE = 4;
const VALUES_LEAST = 1_000_000;
const ITEMS_A_STEP = 200;
const SCHEMA_ADDRESS = /^https?:\/\/(?:www\.)?schema\.org\/+#?(?=.)/i;
const SCHEMA_WITHOUT_SCHEME = /^(?:(?:\/\/)?(?:www\.)?schema\.org\/+#?(?=.)|\/+(?=[A-Za-z]+$))/i;
const WORDS_OF_HTML = /[^\t\n\f\r ]+/g;

class TooMuchText extends Error {
  /** @param {Element} element */
  constructor(element) {
    super();
    this.element = element;
  }
}

/** [name, spelling that was corrected, was it an IRI] of an itemtype. @param {Vocabulary} vocabulary @param {string} written
 * @returns {[string, string|null, boolean]} */
const typeName = (vocabulary, written) => {
  const schema = SCHEMA_ADDRESS.exec(written);
  if (!schema && written.includes(":")) return [written, null, true];
  const start = schema || SCHEMA_WITHOUT_SCHEME.exec(written);
  const name = start ? written.slice(start[0].length).replace(/\/+$/, "") : written;
  const intended = vocabulary.types.has(name) ? null : vocabulary.intendedType(name);
  return intended ? [intended, name, !!schema] : [name, null, !!schema];
};
/** [name, spelling that was corrected] of an itemprop. @param {Vocabulary} vocabulary @param {string} written
 * @returns {[string, string|null]} */
const propertyName = (vocabulary, written) => {
  const schema = SCHEMA_ADDRESS.exec(written);
  if (!schema && written.includes(":")) return [written, null];
  const name = schema ? written.slice(schema[0].length).replace(/\/+$/, "") : written;
  const intended = vocabulary.properties.has(name) ? null : vocabulary.intendedProperty(name);
  return intended ? [intended, name] : [name, null];
};

/** The attribute that holds an element's value; null when its text does. @param {Element} element */
const valueAttribute = (element) => {
  if (element.hasAttribute("content")) return "content";
  const tag = element.localName;
  if (tag === "time") return element.hasAttribute("datetime") ? "datetime" : null;
  return URL_ATTRIBUTES[tag] || VALUE_ATTRIBUTES[tag] || null;
};

/**
 * The text of an element without what scripts and styles hold; a line break is a line feed.
 * @param {Element} element
 */
const seenText = (element) => {
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

/** @typedef {{number: number, element: Element, words: string[], isItem: boolean, owner: Element|null}} Carrier */

/**
 * The nodes of a page by the element of each item, in steps.
 * @param {Page} page
 * @param {Tree} tree
 * @param {Vocabulary} vocabulary
 * @param {Element[]} typed
 */
function* readingItems(page, tree, vocabulary, typed) {
  const reader = new ItemReader(page, tree, vocabulary);
  try {
    return yield* reader.reading(typed);
  } catch (error) {
    if (!(error instanceof TooMuchText)) throw error;
    page.blocks = page.blocks.filter((block) => block.syntax !== "microdata");
    page.readErrors.push(readError("html-values-too-large", tree.location(error.element).startTag, {}, "microdata"));
    return new Map();
  }
}

class ItemReader {
  /** @param {Page} page @param {Tree} tree @param {Vocabulary} vocabulary */
  constructor(page, tree, vocabulary) {
    this.page = page;
    this.tree = tree;
    this.vocabulary = vocabulary;
    this.left = Math.max(VALUES_LEAST, VALUES_PER_PAGE * page.text.length);
    /** @type {Element[]} */
    this.items = [];
    /** @type {Map<Element, Thing>} */
    this.nodes = new Map();
    /** @type {Element[]} */
    this.referring = [];
    /** @type {Set<Element>} */
    this.referred = new Set();
    /** @type {Carrier[]} */
    this.carriers = [];
    /** @type {Map<Element|null, Carrier[]>} */
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
    /** Elements with properties inside that the item around takes. @type {Map<Element, Carrier[]>} */
    this.unscoped = new Map();
    /** @type {Map<Element, string>} */
    this.readBefore = new Map();
    /** Attributes without a closing quote: element, attribute, offset at which it is missing. @type {Map<Element, Map<string, number>>} */
    this.unclosed = new Map();
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
        this.checkQuote(element, "itemtype");
      }
      const list = words(element.getAttribute("itemprop") || "");
      if (!list.length) return;
      this.checkQuote(element, "itemprop");
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
    /** @type {Map<Element, Carrier[]>} */
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
   * @param {Map<Element, Carrier>} byElement
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
    for (const item of this.items) if (!this.holders.has(item)) blocks.set(item, new ItemBlock(this, blocks.size));
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
          parent ? parent.block : blocks.get(each),
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
    this.checkQuote(item, "itemtype");
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

  /** @param {Carrier} carrier @param {Thing} node @returns {Value} */
  value({ element, isItem }, node) {
    this.attributed = null;
    if (isItem) {
      this.checkQuote(element, "content", false);
      return this.nodes.get(element);
    }
    const before = this.readBefore.get(element);
    if (before !== undefined) return before;
    const attribute = valueAttribute(element);
    if (attribute === "content" && element.localName !== "meta" && !node.foreign) this.contents.push(element);
    if (attribute !== null && SEEN_IN.has(attribute) && !node.foreign) this.attributed = element;
    let value = attribute === null ? this.text(element) : this.ofAttribute(element, attribute);
    if (attribute !== null) this.checkQuote(element, attribute, false);
    if (!value && attribute === null) {
      for (const each of this.repeats.get(element) || []) value ||= this.text(each);
    }
    if (this.referred.has(element)) this.readBefore.set(element, value);
    return value;
  }

  /** Note an attribute whose value ends at the quote that opens another one: its own quote is missing.
   * @param {Element} element @param {string} attribute @param {boolean} [isName] the value is made of names */
  checkQuote(element, attribute, isName = true) {
    const given = element.getAttribute(attribute) || "", { text } = this.page;
    if (!(isName ? given : strip(given)).endsWith("=") && !(isName && given.includes("<"))) return;
    const { start, end } = attributeSpan(this.tree, element, attribute);
    if (!/["']/.test(text[start - 1] || "") || this.unclosed.size >= MOST_UNCLOSED) return;
    const written = text.slice(start, end), tail = written.slice(-LONGEST_ENDING);
    // Behind a quote that opens a value its text follows, behind one that closes a value white space or the tag's end.
    const ending = /[^ \t\n\f\r/>]/.test(text[end + 1] || " ") ? tail.search(/[\s"'>][A-Za-z][A-Za-z0-9_:-]*\s*=\s*$/) : -1;
    let at = written.indexOf(">");
    if (at < 0) {
      if (!isName || ending < 0) return;
      at = written.length - tail.length + ending;
    } else if (ending < 0 && !(isName && written.slice(at).includes("<"))) return;
    const found = this.unclosed.get(element) || new Map();
    this.unclosed.set(element, found.set(attribute, start + written.slice(0, at).replace(/[/ \t\n\f\r]+$/, "").length));
  }

  /** @param {Element} element @param {string} attribute */
  ofAttribute(element, attribute) {
    const written = element.getAttribute(attribute) || "";
    this.spend(written.length, element);
    if (["resource", "href", "src"].includes(attribute) || URL_ATTRIBUTES[element.localName] === attribute) {
      return resolveUrl(written, this.page.base);
    }
    return strip(written);
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

  /**
   * Report elements with a type and no itemscope, with the properties lost in each; returns the other properties.
   * @param {Carrier[]} orphans
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
   * @param {Element} element @param {string} type @param {number} lost @param {Carrier[]} taken @param {boolean} isValue
   */
  takenFrom(element, type, lost, taken, isValue) {
    const list = words(element.getAttribute("itemprop") || "");
    const holder = !isValue && (taken.length || list.length) ? this.nodes.get(/** @type {Element} */ (this.owner(element))) : null;
    const keys = holder ? taken.flatMap((each) => each.words.map((_, n) => attributeSpan(this.tree, each.element, "itemprop", n))) : [];
    const causes = keys.map(({ start, end }) => `property-not-of-type ${start} ${end}`);
    const inside = (/** @type {number} */ count) => (count === 1 ? "the property in it counts" : `the ${grouped(count)} properties in it count`);
    const parts = [];
    if (holder && list.length && valueAttribute(element) === null) {
      const { start, end } = new ItemBlock(this, 0).valueSpan(element);
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
    for (const [element, found] of this.unclosed)
      for (const [attribute, at] of found) {
        const { start } = attributeSpan(this.tree, element, attribute), { text } = this.page;
        const item = element.closest("[itemscope]"), node = item && this.nodes.get(this.clones.get(item) || item);
        this.page.readErrors.push({
          ...readError("html-attribute-unclosed", { start, end: at }, { attribute, value: text.slice(start, at) }, "microdata"),
          block: node ? node.block.index : null,
          edits: [[{ start: at, end: at }, text[start - 1]]],
        });
      }
    if (this.unclosed.size) return;
    orphans = this.reportUnscoped(orphans);
    /** @param {Carrier} each */
    const isApart = ({ element, isItem }) => isItem && !!(/** @type {Thing} */ (this.nodes.get(element)).types.length);
    const apart = orphans.filter(isApart);
    for (const { element } of apart) this.page.orphans.delete(/** @type {Thing} */ (this.nodes.get(element)));
    for (const [found, isItem] of /** @type {[Carrier[], boolean][]} */ ([[orphans.filter((each) => !isApart(each)), false], [apart, true]])) {
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

/** The value of an attribute, or one word of it; the start tag where the element has none.
 * @param {Tree} tree @param {Element} element @param {string} attribute @param {number|null} [number] @returns {Span} */
const attributeSpan = (tree, element, attribute, number = null) => {
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

/** A top-level item with everything inside it. A node's origin is its element, and what carries its properties. */
class ItemBlock {
  /** @param {ItemReader} reader @param {number} index */
  constructor(reader, index) {
    this.syntax = "microdata";
    this.index = index;
    this.tree = reader.tree;
    this.vocabulary = reader.vocabulary;
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
      const own = attributes.get("itemid");
      return own ? valueSpan(this.tree.text, own, "itemid") : startTag;
    }
    const carriers = prop === null ? null : written.get(prop);
    if (!carriers || prop === null) return startTag;
    const carrier = carriers[Math.min(index || 0, carriers.length - 1)];
    if (part === "key") return this.keySpan(carrier, prop);
    return carrier.hasAttribute("itemscope") ? this.tree.location(carrier).startTag : this.valueSpan(carrier);
  }

  /** Does a node stand outside of the item that itemref gives it to? @param {Thing} node */
  isApart({ parent, origin }) {
    const owner = parent && origin.element.parentElement?.closest("[itemscope]");
    return !!parent && (!owner || this.tree.location(owner).startTag.start !== this.tree.location(parent.origin.element).startTag.start);
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
      const carriers = each.parent.origin.written.get(each.via) || [];
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

  /** @param {Element} carrier @param {string} prop */
  keySpan(carrier, prop) {
    const names = words(carrier.getAttribute("itemprop") || "").map((word) =>
      word === prop ? word : propertyName(this.vocabulary, word)[0],
    );
    return attributeSpan(this.tree, carrier, "itemprop", Math.max(names.indexOf(prop), 0));
  }

  /** @param {Element} carrier @returns {Span} */
  valueSpan(carrier) {
    const { startTag, endTag, attributes } = this.tree.location(carrier);
    const attribute = valueAttribute(carrier);
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
    if (index === null && node.miscased) {
      const wrong = [...node.miscased].filter(([name]) => name.startsWith("@type:")).map(([, written]) => written);
      const at = words(element.getAttribute("itemtype") || "").findIndex((word) =>
        wrong.some((each) => word.endsWith(each)),
      );
      index = at < 0 ? null : at;
    }
    return attributeSpan(this.tree, element, "itemtype", index);
  }
}
