// @ts-check
// The part of the DOM that the engine uses, over a tree that a parser made in another thread (workbench/packed.js): a
// worker has no parser of HTML. tests/test_folder_worker.py compares its reports with those of the browser's own tree.

/** @import { PackedTree } from "../workbench/packed.js" */

const PART = /^([a-z]+)?((?:\[[^\]]*\]|:not\((?:[a-z]+|\[[^\]]*\])\))*)$/;
const TESTS = /:not\([^)]*\)|\[[^\]]*\]/g;
const TEST = /^\[([a-z-]+)(?:([*~]?=)(?:"([^"]*)"|'([^']*)')( i)?)?\]$/;

/** @typedef {(element: Packed) => boolean} Test */
/** @type {Map<string, Test>} */
const known = new Map();

/** @param {string} selector one of those that the engine uses: tags, attributes, `:not` of one of both @returns {Test} */
const testOf = (selector) => {
  let test = known.get(selector);
  if (!test) {
    const tests = selector.split(",").map(partOf);
    known.set(selector, (test = (element) => tests.some((each) => each(element))));
  }
  return test;
};

/** @param {string} part @returns {Test} */
const partOf = (part) => {
  const [, tag, rest] = PART.exec(part) ?? unknown(part);
  const tests = (rest.match(TESTS) ?? []).map((each) => (each.startsWith(":not(") ? not(testOf(each.slice(5, -1))) : attributeTest(each)));
  return (element) => (!tag || element.localName === tag) && tests.every((each) => each(element));
};

/** @param {Test} test @returns {Test} */
const not = (test) => (element) => !test(element);

/** @param {string} written @returns {Test} */
const attributeTest = (written) => {
  const [, name, operation, double, single, isLoose] = TEST.exec(written) ?? unknown(written);
  const folded = (/** @type {string} */ text) => (isLoose ? text.toLowerCase() : text), value = folded(double ?? single ?? "");
  return (element) => {
    const own = element.getAttribute(name);
    if (own === null || !operation) return own !== null;
    const text = folded(own);
    return operation === "=" ? text === value : operation === "*=" ? text.includes(value) : text.split(/[\t\n\f\r ]+/).includes(value);
  };
};

/** @param {string} selector @returns {never} */
const unknown = (selector) => { throw new Error(`${selector} is not a selector of the engine`); };

/** Element, text or comment. */
class Packed {
  /** @param {number} nodeType @param {string} text @param {string[]|null} attributes @param {Packed|null} parent */
  constructor(nodeType, text, attributes, parent) {
    this.nodeType = nodeType;
    this.localName = nodeType === 1 ? text : "";
    this.data = nodeType === 1 ? "" : text;
    this.parentNode = parent;
    /** @type {Packed|null} */
    this.parentElement = parent?.nodeType === 1 ? parent : null;
    /** @type {Packed[]} */
    this.childNodes = [];
    /** @type {Packed|null} */
    this.firstChild = null;
    /** @type {Packed|null} */
    this.nextSibling = null;
    /** @type {{name: string, value: string}[]} */
    this.attributes = [];
    /** @type {Map<string, string>} */
    this.own = new Map();
    for (let n = 0; attributes && n < attributes.length; n += 2) {
      this.own.set(attributes[n], attributes[n + 1]);
      this.attributes.push({ name: attributes[n], value: attributes[n + 1] });
    }
  }

  get children() { return this.childNodes.filter((each) => each.nodeType === 1); }

  /** @returns {string} */
  get textContent() {
    if (this.nodeType === 3) return this.data;
    let text = "";
    for (const each of this.below()) if (each.nodeType === 3) text += each.data;
    return text;
  }

  /** @param {string} name */
  getAttribute(name) { return this.own.get(name) ?? null; }
  /** @param {string} name */
  hasAttribute(name) { return this.own.has(name); }
  /** @param {string} selector */
  matches(selector) { return testOf(selector)(this); }

  /** @param {string} selector */
  closest(selector) {
    const test = testOf(selector);
    for (let each = /** @type {Packed|null} */ (this); each?.nodeType === 1; each = each.parentNode) if (test(each)) return each;
    return null;
  }

  /** What is inside, in document order. @returns {Generator<Packed>} */
  *below() {
    for (let node = this.firstChild; node;) {
      yield node;
      if (node.firstChild) { node = node.firstChild; continue; }
      /** @type {Packed|null} */
      let up = node;
      while (up && up !== this && !up.nextSibling) up = up.parentNode;
      node = up && up !== this ? up.nextSibling : null;
    }
  }

  /** @param {string} selector */
  querySelectorAll(selector) {
    const test = selector === "*" ? () => true : testOf(selector);
    return [...this.below()].filter((each) => each.nodeType === 1 && test(each));
  }

  /** @param {string} selector @returns {Packed|null} */
  querySelector(selector) {
    const test = testOf(selector);
    for (const each of this.below()) if (each.nodeType === 1 && test(each)) return each;
    return null;
  }

  /** Walks over comments. */
  createTreeWalker() {
    const nodes = this.below();
    return { nextNode: () => {
      let step = nodes.next();
      while (!step.done && step.value.nodeType !== 8) step = nodes.next();
      return step.done ? null : step.value;
    } };
  }

  get documentElement() { return this.querySelector("html"); }
}

/** @param {PackedTree} tree @returns {Packed} the document */
export const unpacked = ({ parents, kinds, texts, attributes }) => {
  const document = new Packed(9, "", null, null);
  /** @type {Packed[]} */
  const nodes = [];
  parents.forEach((above, number) => {
    const parent = above < 0 ? document : nodes[above], node = new Packed(kinds[number], texts[number], attributes[number], parent);
    const before = parent.childNodes[parent.childNodes.length - 1];
    if (before) before.nextSibling = node; else parent.firstChild = node;
    parent.childNodes.push(node);
    nodes.push(node);
  });
  return document;
};
