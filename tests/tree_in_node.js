// The part of the DOM that the engine uses, over trees that Python's parser made: [tag, attributes, children], texts,
// and {comment}. `treeOf` gives the tree of a source.

const PART = /([a-z]+)?((?:\[[^\]]*\]|:not\((?:[a-z]+|\[[^\]]*\])\))*)$/;
const TEST = /\[([a-z-]+)(?:([*~]?=)(?:"([^"]*)"|'([^']*)')( i)?)?\]/;

const matches = (element, selector) => selector.split(",").some((part) => {
  const [, tag, tests] = PART.exec(part);
  return (!tag || element.localName === tag) && (tests.match(/:not\([^)]*\)|\[[^\]]*\]/g) || []).every((test) => {
    if (test.startsWith(":not(")) return !matches(element, test.slice(5, -1));
    const [, name, operation, double, single, isLoose] = TEST.exec(test);
    const own = element.getAttribute(name);
    if (own === null || !operation) return own !== null;
    const [one, two] = [own, double ?? single].map((text) => (isLoose ? text.toLowerCase() : text));
    return operation === "=" ? one === two : operation === "*=" ? one.includes(two) : one.split(/[\t\n\f\r ]+/).includes(two);
  });
});

class Node {
  constructor(parent, given) {
    this.parentElement = parent?.localName ? parent : null;
    [this.nodeType, this.data] = typeof given === "string" ? [3, given] : Array.isArray(given) ? [1, ""] : [8, given.comment];
    const [tag, own, inside] = Array.isArray(given) ? given : ["", {}, []];
    this.localName = tag;
    this.own = own;
    this.childNodes = inside.map((each) => new Node(this, each));
    this.childNodes.forEach((each, number) => { each.nextSibling = this.childNodes[number + 1] || null; });
    this.children = this.childNodes.filter((each) => each.nodeType === 1);
    this.firstChild = this.childNodes[0] || null;
    this.attributes = Object.entries(own).map(([name, value]) => ({ name, value }));
  }
  get textContent() { return this.nodeType === 3 ? this.data : this.childNodes.filter((each) => each.nodeType !== 8).map((each) => each.textContent).join(""); }
  getAttribute(name) { return Object.hasOwn(this.own, name) ? this.own[name] : null; }
  hasAttribute(name) { return Object.hasOwn(this.own, name); }
  closest(selector) { for (let each = this; each; each = each.parentElement) if (matches(each, selector)) return each; return null; }
  matches(selector) { return matches(this, selector); }
  *below() { for (const each of this.childNodes) { yield each; yield* each.below(); } }
  querySelectorAll(selector) { return [...this.below()].filter((each) => each.nodeType === 1 && (selector === "*" || matches(each, selector))); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
  // For `Tree.endTags`, which walks over comments.
  createTreeWalker() { const found = [...this.below()].filter((each) => each.nodeType === 8); return { nextNode: () => found.shift() || null }; }
  get documentElement() { return this.querySelector("html"); }
}

globalThis.treesFrom = (treeOf) => {
  globalThis.DOMParser = class { parseFromString(source) { return new Node(null, ["", {}, treeOf(source)]); } };
};
