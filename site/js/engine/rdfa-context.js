// @ts-check
// What RDFa attributes mean where they stand: vocabulary, prefixes and subject inside each element, names and identifiers.
// Counterpart of the same parts of waypost/reader/rdfa.py. Of the tables `RDFA_PREFIXES` and `LINK_TYPES` are its own.

import { LINK_TYPES, RDFA_PREFIXES } from "../data/rdfa.js";
import { attributeOf, attributeSpan, valueAttribute } from "./markup.js";
import { propertyName, resolveUrl } from "./names.js";
import { readError } from "./page.js";
import { lstripOf } from "./strings.js";
import { partition, rstripOf, rx, strip, words } from "./text.js";
import { FORMATTING } from "./tree.js";
import { isMisspelledHome } from "./vocabulary.js";

/** @import { Page, ReadError } from "./page.js" */
/** @import { Tree } from "./tree.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const SCHEMA_HOME = "https://schema.org/";
const VOCAB_RIGHT = /^https?:\/\/(?:www\.)?schema\.org\/+#?$/iu;
const VOCAB_ALMOST = /^(?:https?:)?\/{0,2}(?:www\.)?schema\.org(?:[/#].*)?$/isu;
const VOCAB_BARE = /^(?:https?:)?\/{0,2}(?:www\.)?schema\.org\/?$/iu;
const PREFIX_DECLARED = rx("g")`(?<![^\s:])([^\s:]+):\s+(\S+)`;
export const ADDRESS_ATTRIBUTES = ["resource", "href", "src"];
const LINK_WORDS = new Set(LINK_TYPES.split(" "));

/** Object of the `rel` of an element with `about`, which is the subject: one element, two resources. */
export class RelatedObject {
  /** @param {Element} element */
  constructor(element) {
    this.element = element;
  }
}
/** @typedef {Element|RelatedObject} Resource */
/** Evaluation context inside an element. `subject`: resource with the properties, null for the page. `isLink`: the subject is
 * only the target of an `href` or `src` without a property. `hanging`: element with `rel` or `rev` whose objects are the next
 * resources inside.
 * @typedef {{vocab: string|null, prefixes: Record<string, string>, subject: Resource|null, isLink: boolean, hanging: Element|null}} ResourceState */

/** @param {Resource} resource */
export const elementOf = (resource) => (resource instanceof RelatedObject ? resource.element : resource);
/** @param {Element} element */
export const isTypedResource = (element) => strip(element.getAttribute("typeof") || "") !== "";
/** Attribute of an element that names an object, null without one. @param {Element} element */
export const targetOf = (element) => ADDRESS_ATTRIBUTES.find((name) => attributeOf(element, name) !== null) ?? null;
/** Does a `property` take a literal whatever else the element has? @param {Element} element */
export const hasPlainValue = (element) => element.hasAttribute("content") || element.hasAttribute("datatype");
/** Attribute with an element's value; null where the text is the value (RDFa Core 7.5, step 11). @param {Element} element */
export const resourceValueAttribute = (element) => {
  for (const name of ["content", "datetime"]) if (element.hasAttribute(name)) return name;
  if (element.hasAttribute("datatype")) return null;
  // A link without a target is its text; other elements without these attributes are read as Microdata reads them.
  return targetOf(element) ?? (/^(?:a|area)$/.test(element.localName) ? null : valueAttribute(element));
};

export class ResourceContext {
  /** @param {Page} page @param {Tree} tree @param {Vocabulary} vocabulary */
  constructor(page, tree, vocabulary) {
    this.page = page;
    this.tree = tree;
    this.vocabulary = vocabulary;
    this.base = page.base;
    /** @type {Map<Element|null, ResourceState>} */
    this.states = new Map([[null, { vocab: null, prefixes: RDFA_PREFIXES, subject: null, isLink: false, hanging: null }]]);
    /** @type {Map<Element, RelatedObject>} */
    this.objects = new Map();
    /** Number of a tag -> element, where the tree has clones of elements for mis-nested formatting. @type {Map<number, Element>} */
    this.originals = new Map();
    /** Types without a vocabulary, and the errors about them. @type {[Element, ReadError][]} */
    this.meaningless = [];
  }

  /** @param {string} rule @param {Element} element @param {string} attribute @param {number|null} word @param {Record<string, any>} detail */
  addError(rule, element, attribute, word, detail) {
    this.page.readErrors.push(readError(rule, attributeSpan(this.tree, element, attribute, word), detail, "rdfa"));
  }

  /** State inside an element, computed from the outermost ancestor without a known state. @param {Element|null} element @returns {ResourceState} */
  inside(element) {
    /** @type {Element[]} */
    const waiting = [];
    let above = element;
    for (; above && !this.states.has(above); above = above.parentElement) waiting.push(above);
    let state = /** @type {ResourceState} */ (this.states.get(above));
    for (const ancestor of waiting.reverse()) {
      state = this.enter(state, ancestor);
      this.states.set(ancestor, state);
    }
    return state;
  }

  /** @param {Element} element */
  around(element) {
    return this.inside(element.parentElement);
  }

  /** @param {ResourceState} state @param {Element} element @returns {ResourceState} */
  enter(state, element) {
    let { vocab, prefixes, subject, isLink, hanging } = state;
    const vocabulary = element.getAttribute("vocab"), declared = element.getAttribute("prefix");
    // Present but empty differs from absent: `vocab=""` ends the vocabulary of the ancestors.
    if (vocabulary !== null) vocab = this.vocabOf(element, strip(vocabulary));
    if (declared) prefixes = this.prefixesOf(element, declared, prefixes);
    const isTyped = isTypedResource(element);
    // A bare `typeof="Product"` has no meaning by the standard. Reading it as schema.org, with one error, says more than silence.
    if (isTyped && vocab === null && this.isVocabMissing(element)) vocab = SCHEMA_HOME;
    const isAbout = element.hasAttribute("about"), isProperty = element.hasAttribute("property");
    if (this.hasRelationIn(element, { ...state, vocab, prefixes })) {
      const isObject = isTyped && !isAbout;
      subject = isAbout ? this.objectOf(element) : this.original(element);
      hanging = isObject || targetOf(element) ? null : element;
      isLink = !isObject && !hanging && !element.hasAttribute("resource");
    } else if (isTyped) [subject, isLink, hanging] = [this.original(element), false, null];
    else if (isAbout) [subject, isLink, hanging] = [element, false, null];
    // With `property` and no literal, `resource` and `href` are the value, not a new subject (RDFa Core 7.5, step 5).
    else if (isProperty && !hasPlainValue(element)) hanging = null;
    else if (targetOf(element)) [subject, isLink, hanging] = [element, !element.hasAttribute("resource"), null];
    else if (isProperty) hanging = null;
    const isSame = prefixes === state.prefixes && vocab === state.vocab && subject === state.subject;
    return isSame && isLink === state.isLink && hanging === state.hanging ? state : { vocab, prefixes, subject, isLink, hanging };
  }

  /** @param {Element} element */
  objectOf(element) {
    const known = this.objects.get(element) || new RelatedObject(element);
    this.objects.set(element, known);
    return known;
  }

  /** New subject of an element (RDFa Core 7.5, steps 5 and 6), and whether it is only the target of a link.
   * @param {Element} element @returns {[Resource|null, boolean]} */
  subject(element) {
    const around = this.around(element);
    if (element.hasAttribute("about")) return [this.original(element), false];
    if (this.hasRelation(element) || (element.hasAttribute("property") && !hasPlainValue(element))) return [around.subject, around.isLink];
    const { subject, isLink } = isTypedResource(element) || targetOf(element) ? this.inside(element) : around;
    return [subject, isLink];
  }

  /** Has the `rel` or `rev` of an element an effect? @param {Element} element */
  hasRelation(element) {
    if (!element.hasAttribute("rel") && !element.hasAttribute("rev")) return false;
    const { vocab, prefixes } = this.inside(element);
    return this.hasRelationIn(element, { ...this.around(element), vocab, prefixes });
  }

  /** The same, in a state around the element with the vocabulary and prefixes inside it. @param {Element} element @param {ResourceState} around */
  hasRelationIn(element, around) {
    if (!element.hasAttribute("rel") && !element.hasAttribute("rev")) return false;
    // A relation of the page itself (`<link rel="alternate">`), or of a link's target, is none of an item.
    if (!element.hasAttribute("about") && (!around.subject || around.isLink)) return false;
    return this.related(element, "rel", around).length > 0 || this.related(element, "rev", around).length > 0;
  }

  /** Has an element a relation whose objects are the next resources inside? @param {Element} element */
  isHanging(element) {
    return this.inside(element).hanging === element;
  }

  /** @param {Element} element @param {string} written */
  vocabOf(element, written) {
    if (!written) return null;
    if (VOCAB_RIGHT.test(written)) return SCHEMA_HOME;
    if (!VOCAB_ALMOST.test(written) && !isMisspelledHome(written)) return written;
    this.addError("rdfa-vocab-misspelled", element, "vocab", null, { written, home: "vocab" });
    return SCHEMA_HOME;
  }

  /** Prefixes of an element over those around it. A prefix for schema.org needs the slash at its end.
   * @param {Element} element @param {string} written @param {Record<string, string>} around */
  prefixesOf(element, written, around) {
    const list = words(written), found = Object.create(around);
    for (const [, name, iri] of written.matchAll(PREFIX_DECLARED)) {
      const isWrong = !VOCAB_RIGHT.test(iri) && (VOCAB_BARE.test(iri) || isMisspelledHome(iri));
      if (isWrong) this.addError("rdfa-vocab-misspelled", element, "prefix", list.indexOf(iri), { written: iri, home: "prefix" });
      found[name.toLowerCase()] = isWrong ? SCHEMA_HOME : iri;
    }
    return found;
  }

  /** Is a bare type of schema.org written without a vocabulary? Reports it. @param {Element} element */
  isVocabMissing(element) {
    const list = words(element.getAttribute("typeof") || ""), number = list.findIndex((word) => this.vocabulary.types.has(word));
    if (number < 0) return false;
    this.addError("rdfa-vocab-missing", element, "typeof", number, { name: list[number] });
    this.meaningless.push([element, /** @type {ReadError} */ (this.page.readErrors.at(-1))]);
    return true;
  }

  /** The element itself; for a clone made for mis-nested formatting, the original. @param {Element} element */
  original(element) {
    if (!this.originals.size || !FORMATTING.has(element.localName)) return element;
    return this.originals.get(this.tree.number(element)) || element;
  }

  /** IRI of a word; null for a word without meaning here. @param {ResourceState} state @param {string} word */
  expanded(state, word) {
    const [prefix, colon, rest] = partition(word, ":");
    if (!colon) return state.vocab === null ? null : state.vocab + word;
    const known = state.prefixes[prefix.toLowerCase()];
    // "https://example.com" looks like a prefix "https" with the rest "//...": an IRI, whatever prefixes are declared.
    return known === undefined || rest.startsWith("//") ? word : known + rest;
  }

  /** [name, spelling that was corrected]; null without a meaning. @param {ResourceState} state @param {string} word @returns {[string, string|null]|null} */
  propertyOf(state, word) {
    const iri = this.expanded(state, word);
    return iri === null ? null : propertyName(this.vocabulary, iri);
  }

  /** Properties by `property`. @param {Element} element @param {ResourceState} state @returns {[string, string|null][]} */
  names(element, state) {
    return words(element.getAttribute("property") || "").flatMap((word) => {
      const name = this.propertyOf(state, word);
      return name ? [name] : [];
    });
  }

  /** Properties by `rel` or `rev`. Words like "nofollow" are ignored.
   * @param {Element} element @param {string} attribute @param {ResourceState} state @returns {[string, string|null][]} */
  related(element, attribute, state) {
    const written = element.getAttribute(attribute);
    if (!written) return [];
    // Next to `property` only words with a prefix count (HTML+RDFa 1.1, 3.1).
    const isProperty = element.hasAttribute("property"), isLink = !isTypedResource(element) && targetOf(element) !== null;
    return words(written).flatMap((word) => {
      const [prefix, colon, rest] = partition(word, ":");
      if (colon ? !(prefix.toLowerCase() in state.prefixes) && !rest.startsWith("//") : isProperty || (isLink && LINK_WORDS.has(word.toLowerCase())))
        return [];
      const name = this.propertyOf(state, word);
      return name && (name[0].includes(":") || this.vocabulary.properties.has(name[0])) ? [name] : [];
    });
  }

  /** IRI in an attribute that names a resource, or the name of a blank node. @param {Element} element @param {string} attribute @returns {string|null} */
  identifier(element, attribute) {
    let written = strip(attributeOf(element, attribute) || "");
    if (attribute === "about" || attribute === "resource") {
      // Square brackets mark a safe CURIE (RDFa Core 7.4.3), of which an empty one names nothing.
      if (written === "[]") return null;
      written = lstripOf(rstripOf(written, "[]"), "[]");
      const [prefix, colon, rest] = partition(written, ":");
      if (prefix === "_" && colon) return written;
      const known = colon && !rest.startsWith("//") ? this.inside(element).prefixes[prefix.toLowerCase()] : undefined;
      if (known !== undefined) return known + rest;
    }
    return resolveUrl(written, this.base) || this.base || null;
  }
}
