// A document as plain data: what a thread without a parser of HTML needs of it. Counterpart: workers/tree.js.

/** Nodes in document order. `kinds`: 1 an element, 3 a text, 8 a comment. `texts`: the tag, the text or the comment.
 * @typedef {{parents: number[], kinds: number[], texts: string[], attributes: (string[]|null)[]}} PackedTree
 * parents     number of the node above, -1 for the document
 * attributes  of elements: name, value, name, value */

/** @param {Document} document @returns {PackedTree} */
export const packed = (document) => {
  /** @type {PackedTree} */
  const tree = { parents: [], kinds: [], texts: [], attributes: [] };
  const add = (/** @type {Node} */ node, /** @type {number} */ parent) => {
    const { nodeType } = node;
    if (nodeType !== 1 && nodeType !== 3 && nodeType !== 8) return -1;
    tree.parents.push(parent);
    tree.kinds.push(nodeType);
    const element = nodeType === 1 ? /** @type {Element} */ (node) : null;
    tree.texts.push(element ? element.localName : node.nodeValue ?? "");
    tree.attributes.push(element?.attributes.length ? [...element.attributes].flatMap(({ name, value }) => [name, value]) : null);
    return tree.parents.length - 1;
  };
  // Without recursion: a page may nest as deep as it wants.
  /** @type {number[]} */
  const above = [];
  let node = /** @type {Node|null} */ (document.firstChild), parent = -1;
  while (node) {
    const number = add(node, parent);
    if (node.firstChild) { above.push(parent); parent = number; node = node.firstChild; continue; }
    while (node && !node.nextSibling) {
      node = node.parentNode;
      if (!node || node === document) return tree;
      parent = /** @type {number} */ (above.pop());
    }
    node = node?.nextSibling ?? null;
  }
  return tree;
};
