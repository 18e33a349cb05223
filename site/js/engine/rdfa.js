// @ts-check
// RDFa 1.1 by the processing rules of RDFa Core 1.1, section 7.5, with property copying of HTML+RDFa 1.1. Counterpart of
// waypost/reader/rdfa.py: elements with a `typeof`, and other subjects of properties, become nodes.

import { SEEN_IN, noteSeen } from "./lookalikes.js";
import { Carrier, ItemBlock, UnclosedAttributes, attributeOf } from "./markup.js";
import { typeName } from "./names.js";
import { Thing } from "./page.js";
import { OFFERS } from "./parts.js";
import { ADDRESS_ATTRIBUTES, RelatedObject, ResourceContext, elementOf, hasPlainValue, isTypedResource, resourceValueAttribute, targetOf } from "./rdfa-context.js";
import { addTo } from "./strings.js";
import { unique, words } from "./text.js";
import { FORMATTING } from "./tree.js";

/** @import { Dialect, Values } from "./markup.js" */
/** @import { Page, Value } from "./page.js" */
/** @import { Resource } from "./rdfa-context.js" */
/** @import { Tree } from "./tree.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const RDFA_COPY = "http://www.w3.org/ns/rdfa#copy";
const RDFA_PATTERN = "http://www.w3.org/ns/rdfa#Pattern";
const MOST_COPIED = 100_000;
const MOST_LEVELS = 1_024;
const CARRIERS_A_STEP = 200;
const DOCUMENT_TAG = /^(?:html|head|body)$/;

/** Where a node is written. `pairs`: its properties and what carries each value, in order.
 * @typedef {{element: Element, written: Map<string, (Element|Carrier)[]>, pairs: [string, Element|Carrier][]}} ResourceOrigin */

/**
 * The nodes of a page with the element of each, in steps.
 * @param {Page} page
 * @param {Tree} tree
 * @param {Vocabulary} vocabulary
 * @param {Values} values
 * @returns {Generator<undefined, [Element, Thing][]>}
 */
function* readingResources(page, tree, vocabulary, values) {
  const context = new ResourceContext(page, tree, vocabulary);
  let carriers = tree.select("[typeof],[property],[rel],[rev]");
  // An object of an unfinished `rel` may be written by an address alone.
  if (carriers.some((element) => context.isHanging(element)))
    carriers = tree.select("[typeof],[property],[rel],[rev],[about],[resource],[href],[src],base[data-href]");
  yield;
  return yield* new ResourceReader(context, values).reading(carriers);
}

class ResourceReader {
  /** @param {ResourceContext} context @param {Values} values */
  constructor(context, values) {
    this.context = context;
    this.page = context.page;
    this.values = values;
    /** @type {Dialect} */
    this.dialect = {
      syntax: "rdfa",
      scope: "typeof",
      types: "typeof",
      keys: "property",
      ids: ["about", "resource", "href", "src"],
      valueAttribute: resourceValueAttribute,
      nameOf: (element, word) => context.propertyOf(context.inside(element), word)?.[0] ?? null,
    };
    /** @type {Map<Resource, Thing>} */
    this.nodes = new Map();
    /** Properties of the page, and those of links' targets. @type {[Element, string][]} */
    this.outside = [];
    /** @type {[Element, string][]} */
    this.ofLinks = [];
    /** @type {Map<string, Thing>} */
    this.named = new Map();
    /** @type {Set<Thing>} */
    this.copiers = new Set();
    /** @type {Set<Element>} */
    this.completed = new Set();
    this.tops = 0;
    this.unclosed = new UnclosedAttributes(this.page, context.tree, "rdfa");
  }

  /** @param {Element[]} carriers @returns {Generator<undefined, [Element, Thing][]>} */
  *reading(carriers) {
    this.findOriginals(carriers);
    for (const [number, element] of carriers.entries()) {
      if (number % CARRIERS_A_STEP === 0) yield;
      this.makeNodes(element);
    }
    for (const [number, element] of carriers.entries()) {
      if (number % CARRIERS_A_STEP === 0) yield;
      this.fill(element);
    }
    if (this.copiers.size) this.copy();
    this.report();
    return [...this.nodes].map(([resource, node]) => [elementOf(resource), node]);
  }

  /** @param {Element[]} carriers */
  findOriginals(carriers) {
    const { tree, originals } = this.context, formatting = carriers.filter(({ localName }) => FORMATTING.has(localName));
    if (new Set(formatting.map((element) => tree.number(element))).size === formatting.length) return;
    for (const element of formatting) {
      const number = tree.number(element);
      if (number >= 0 && !originals.has(number)) originals.set(number, element);
    }
  }

  /** A node for an element with `typeof`, and for another resource with properties. @param {Element} element */
  makeNodes(element) {
    const { context } = this;
    if (context.original(element) !== element) return;
    for (const attribute of ["typeof", "property"]) this.unclosed.check(element, attribute);
    const [subject, isLink] = context.subject(element);
    const hasProperties = element.hasAttribute("property") || context.hasRelation(element);
    // Carriers come in document order, so that a parent's node exists before those inside it.
    if (hasProperties && subject && !isLink && !this.nodes.has(subject)) this.make(subject);
    if (isTypedResource(element) && !this.nodes.has(element)) this.make(element);
  }

  /** Resource of which another one is a value by the way it is written, and the properties of which it is.
   * @param {Resource} resource @returns {[Resource|null, [string, string|null][]]} */
  holder(resource) {
    const { context } = this, element = elementOf(resource), isObject = resource instanceof RelatedObject;
    const around = context.around(element), state = context.inside(element);
    if (context.hasRelation(element) && (isObject || !element.hasAttribute("about"))) {
      const names = context.related(element, "rel", state);
      if (names.length) return [isObject ? element : around.subject, names];
    }
    if (isObject) return [null, []];
    // Where a literal is given, the text is the value, and the typed element is a node of its own.
    const isTyped = isTypedResource(element);
    if (isTyped && !hasPlainValue(element) && !element.hasAttribute("about") && around.subject && !around.isLink) {
      const names = context.names(element, state);
      if (names.length) return [around.subject, names];
    }
    return around.hanging && resource !== around.subject && isTyped ? this.hung(around.hanging) : [null, []];
  }

  /** Subject of an unfinished `rel`, and its properties. @param {Element} hanging @returns {[Resource|null, [string, string|null][]]} */
  hung(hanging) {
    const names = this.context.related(hanging, "rel", this.context.inside(hanging));
    return [hanging.hasAttribute("about") ? hanging : this.context.around(hanging).subject, names];
  }

  /** @param {Resource} resource */
  make(resource) {
    const [holder, names] = this.holder(resource);
    const parent = (holder && names.length && this.nodes.get(holder)) || null;
    const block = parent ? parent.block : new ItemBlock(this.context.tree, this.dialect, this.tops++);
    if (!parent) this.page.blocks.push(block);
    const origin = { element: elementOf(resource), written: new Map(), pairs: [] };
    const node = new Thing(block, origin, parent, parent ? names[0][0] : null);
    this.nodes.set(resource, node);
    this.describe(node, resource, origin.element);
  }

  /** Types and id of a node. @param {Thing} node @param {Resource} resource @param {Element} element */
  describe(node, resource, element) {
    const { context } = this, state = context.inside(element), isObject = resource instanceof RelatedObject;
    /** @type {Set<string>} */
    const types = new Set();
    for (const word of isObject ? [] : words(element.getAttribute("typeof") || "")) {
      const iri = context.expanded(state, word);
      const [name, spelled] = iri ? typeName(context.vocabulary, iri) : [`_:${word}`, null];
      if (spelled !== null) node.noteSpelling(`@type:${name}`, spelled);
      types.add(name);
    }
    node.types = [...types];
    node.foreign = types.size > 0 && node.types.every((name) => name.includes(":"));
    // On a typed element `href` names the item; next to a plain `property` it is the value.
    const naming = types.size || !element.hasAttribute("property") || isObject ? ["about", ...ADDRESS_ATTRIBUTES] : ["about", "resource"];
    const own = naming.find((name) => attributeOf(element, name) !== null && !(isObject && name === "about"));
    // The types of these elements are those of the document (HTML+RDFa 1.1, 3.1).
    const isDocument = own === undefined && DOCUMENT_TAG.test(element.localName) && !context.hasRelation(element);
    if (own !== undefined) node.id = context.identifier(element, own);
    else if (isDocument && types.size && !context.around(element).subject) node.id = context.base;
    // A link to the page itself stays an address: it is the page's address that is meant.
    if (node.id !== null && !isDocument && !this.named.has(node.id)) this.named.set(node.id, node);
  }

  /** Properties and values by one element. @param {Element} element */
  fill(element) {
    const { context } = this;
    // Clones of mis-nested formatting repeat attributes that were written once.
    if (context.original(element) !== element) return;
    const state = context.inside(element), around = context.around(element), hasRelation = context.hasRelation(element);
    const isProperty = element.hasAttribute("property");
    if (!isProperty && !hasRelation && !around.hanging) return;
    const [subject, isLink] = context.subject(element);
    const node = (subject && this.nodes.get(subject)) || null;
    if (around.hanging && subject) this.complete(around.hanging, element, subject, around.subject);
    if (hasRelation && node && state.hanging !== element) this.relate(node, element, element, ...this.object(element));
    const names = isProperty ? context.names(element, state) : [];
    if (node && names.length) this.add(node, element, names);
    else if (isProperty && !node) {
      const ours = names.find(([name]) => !name.includes(":"));
      if (ours) (isLink ? this.ofLinks : this.outside).push([element, ours[0]]);
    }
  }

  /** Object of a `rel` or `rev` on an element, and the attribute with it, "" for a node. @param {Element} element @returns {[Value, string]} */
  object(element) {
    if (isTypedResource(element) && !element.hasAttribute("about")) return [this.nodes.get(element) ?? null, ""];
    const attribute = targetOf(element) || "";
    return [this.address(element, attribute), attribute];
  }

  /** Value of an attribute with an address; an item of this page, where it names one. @param {Element} element @param {string} attribute @returns {Value} */
  address(element, attribute) {
    const written = this.values.of(element, attribute);
    const identifier = attribute === "resource" ? this.context.identifier(element, attribute) : written;
    return (identifier !== null && this.named.get(identifier)) || (identifier ?? written);
  }

  /** Give the subject of an unfinished `rel` its object (RDFa Core 7.5, step 12).
   * @param {Element} hanging @param {Element} element @param {Resource} subject @param {Resource|null} object */
  complete(hanging, element, subject, object) {
    const [holder] = this.hung(hanging), node = holder && this.nodes.get(holder);
    if (!node) return;
    if (subject === object) {
      // The object without a name, which is the subject of each property inside.
      if (this.completed.has(hanging)) return;
      this.completed.add(hanging);
    }
    const made = this.nodes.get(subject);
    if (made) this.relate(node, hanging, elementOf(subject), made, "");
    else if (subject !== object) {
      const about = element.hasAttribute("about") ? "about" : targetOf(element);
      if (about === null) return;
      const address = about === "about" ? this.context.identifier(element, about) : this.address(element, about);
      if (address !== null) this.relate(node, hanging, element, (typeof address === "string" && this.named.get(address)) || address, about);
    }
  }

  /** Add an object to a node by `rel`, and the node to the object by `rev`.
   * @param {Thing} node @param {Element} key with `rel` or `rev` @param {Element} element of the object @param {Value} value
   * @param {string} attribute with the object, "" for a node */
  relate(node, key, element, value, attribute) {
    const state = this.context.inside(key);
    for (const name of this.context.related(key, "rel", state)) this.put(node, name, value, new Carrier(key, "rel", element, attribute));
    if (value instanceof Thing)
      for (const name of this.context.related(key, "rev", state)) this.put(value, name, node, new Carrier(key, "rev", node.origin.element, ""));
  }

  /** @param {Thing} node @param {[string, string|null]} name @param {Value} value @param {Element|Carrier} carrier */
  put(node, [name, spelled], value, carrier) {
    if (spelled !== null) node.noteSpelling(name, spelled);
    addTo(node.props, name, value);
    addTo(node.origin.written, name, carrier);
    node.origin.pairs.push([name, carrier]);
    if (value instanceof Thing && value.parent !== node) value.referrers.push([node, name]);
    if (name === RDFA_COPY) this.copiers.add(node);
  }

  /** Add the value of an element with `property` to a node. @param {Thing} node @param {Element} element @param {[string, string|null][]} names */
  add(node, element, names) {
    const [value, attribute] = this.value(element);
    const differs = !node.foreign && attribute !== null && SEEN_IN.has(attribute);
    // The usual place is where the element says so: of a typed element it is the start tag.
    const isUsual = value instanceof Thing || !isTypedResource(element);
    const carrier = isUsual ? element : new Carrier(element, "property", element, attribute);
    for (const name of names) {
      this.put(node, name, value, carrier);
      if (differs) noteSeen(this.page, this.context.tree, node, name[0], /** @type {Value[]} */ (node.props.get(name[0])).length - 1, element);
    }
  }

  /** Value of an element with `property`, and the attribute with it, null for its text. @param {Element} element @returns {[Value, string|null]} */
  value(element) {
    const isRelated = this.context.hasRelation(element);
    let attribute = resourceValueAttribute(element);
    if (!hasPlainValue(element)) {
      const node = !element.hasAttribute("about") && !isRelated && isTypedResource(element) && this.nodes.get(element);
      if (node) return [node, ""];
      // An address that names an item of this page is that item: a reference, not a text.
      if ((attribute === "resource" || attribute === "href") && !isRelated) return [this.address(element, attribute), attribute];
    }
    if (isRelated && attribute !== null && ADDRESS_ATTRIBUTES.includes(attribute)) attribute = null;
    const value = this.values.of(element, attribute);
    if (attribute !== null) this.unclosed.check(element, attribute, false);
    return [value, attribute];
  }

  /** Give each node with `rdfa:copy` what its pattern has, and remove the patterns that were copied (HTML+RDFa 1.1, 3.5). */
  copy() {
    /** @type {Set<Thing>} */
    const used = new Set();
    let left = MOST_COPIED;
    for (const node of this.copiers) {
      /** @type {Set<Thing>} */
      const seen = new Set();
      const present = new Map([...node.props].map(([name, values]) => [name, new Set(values)]));
      const patterns = patternsOf(node.props.get(RDFA_COPY) || []);
      for (const pattern of patterns) {
        if (seen.has(pattern)) continue;
        seen.add(pattern);
        for (const [name, value, carrier] of writtenIn(pattern)) {
          left -= 1;
          if (left < 0) return;
          if (name === RDFA_COPY) patterns.push(...patternsOf([value]));
          else if (node !== pattern && !present.get(name)?.has(value)) {
            present.set(name, (present.get(name) || new Set()).add(value));
            if (value instanceof Thing && value.parent === pattern) value.parent = node; // the first that copies it holds it
            this.put(node, [name, pattern.miscased?.get(name) ?? null], value, carrier);
          }
        }
        const more = pattern.types.filter((name) => name !== RDFA_PATTERN && !node.types.includes(name));
        if (!more.length) continue;
        node.types = [...node.types, ...more];
        node.foreign = node.types.every((name) => name.includes(":"));
      }
      for (const each of seen) used.add(each);
    }
    for (const node of this.copiers) {
      // A copy of anything but patterns stays as it is.
      const copied = (node.props.get(RDFA_COPY) || []).filter((value) => value instanceof Thing);
      if (!copied.every(({ types }) => types.includes(RDFA_PATTERN))) continue;
      node.props.delete(RDFA_COPY);
      node.origin.written.delete(RDFA_COPY);
    }
    this.remove(used);
  }

  /** Remove patterns: they are not part of the page's data once they were copied. @param {Set<Thing>} patterns */
  remove(patterns) {
    this.nodes = new Map([...this.nodes].filter(([, node]) => !patterns.has(node)));
    const gone = new Set([...patterns].filter((node) => !node.parent).map((node) => node.block));
    this.page.blocks = this.page.blocks.filter((block) => !gone.has(block));
    for (const node of this.nodes.values()) {
      let top = node;
      for (let n = 0; n < MOST_LEVELS && top.parent; n++) top = top.parent;
      node.block = top.block;
      node.referrers = node.referrers.filter(([other]) => !patterns.has(other));
    }
    for (const [number, block] of this.page.blocks.filter(({ syntax }) => syntax === "rdfa").entries()) block.index = number;
  }

  /** Errors reported once a page: properties without an item. */
  report() {
    const { context } = this;
    for (const [element, error] of context.meaningless) {
      const node = this.nodes.get(element);
      // With the type of its top all of an item is lost.
      error.block = node && !node.parent ? node.block.index : null;
    }
    // Where markup is part of a value, items may begin and end anywhere: nothing else is reported about them.
    this.unclosed.report((element) => {
      const { subject } = context.inside(element);
      return subject ? this.nodes.get(subject) : undefined;
    });
    if (this.unclosed.found.size) return;
    for (const [rule, found] of /** @type {[string, [Element, string][]][]} */ ([["rdfa-property-outside-item", this.outside], ["rdfa-property-of-link", this.ofLinks]])) {
      if (!found.length) continue;
      // A bound for the message: a page may have any number of such properties.
      const names = unique(found.map(([, name]) => name)).slice(0, 50);
      context.addError(rule, found[0][0], "property", null, { names, count: found.length });
    }
  }
}

/** @param {Value[]} values @returns {Thing[]} */
const patternsOf = (values) => values.filter((value) => value instanceof Thing).filter(({ types }) => types.includes(RDFA_PATTERN));

/** Properties, values and carriers of a node, in the order in which they are written. @param {Thing} node @returns {[string, Value, Element|Carrier][]} */
const writtenIn = (node) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return node.origin.pairs.map((/** @type {[string, Element|Carrier]} */ [name, carrier]) => {
    const number = (counts.get(name) ?? -1) + 1;
    counts.set(name, number);
    return [name, /** @type {Value[]} */ (node.props.get(name))[number], carrier];
  });
};

OFFERS.rdfa = readingResources;
