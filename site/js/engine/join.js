// @ts-check
// Nodes with one `@id` become one, references become what they refer to. Counterpart of waypost/reader/join.py; the roots
// are found by waypost/reader/roots.py, translated.

import "../rules/reader.roots.js";
import { Thing, isPresent } from "./page.js";
import { use } from "./python.js";
import { addAll } from "./strings.js";
import { str, strip } from "./text.js";

/** @import { Page, Value } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const TYPES_AS_VALUES = new Set(["Action", "Enumeration"]);
const DEPTH = 3;
const MOST_COMPARED = 64;

/** @param {Page} page @param {Vocabulary} vocabulary */
export const join = (page, vocabulary) => {
  /** @type {Map<string, Thing[]>} */
  const groups = new Map();
  for (const node of page.nodes) {
    if (node.id === null) continue;
    // Names of blank nodes hold in one script; all RDFa of a page is one document.
    const document = node.block.syntax === "json-ld" ? page.blocks.indexOf(node.block) : "";
    const key = node.id.startsWith("_:") ? `${document} ${node.id}` : node.id;
    const known = groups.get(key);
    if (known) known.push(node);
    else groups.set(key, [node]);
  }
  /** @type {Thing[]} */
  const moved = [];
  const unread = new Set(page.readErrors.flatMap(({ rule, block }) => (rule === "jsonld-remote-context" ? block ?? [] : [])));
  for (const [key, nodes] of groups) {
    const head = nodes.find((node) => !node.reference);
    if (!head) continue;
    if (head.id === key) page.byId.set(key, head);
    if (nodes.length > 1) addAll(moved, gather(head, nodes, unread, vocabulary));
  }
  if (moved.length) redirect(page.nodes, moved);
  page.roots = use("reader.roots").roots_of(page.nodes).filter((/** @type {Thing} */ node) => !page.orphans.has(node));
  for (let n = 0, isFound = true; isFound && n < 20; n++) {
    isFound = false;
    for (const node of page.nodes.toReversed()) {
      const { types } = node;
      if (!node.hollow && node.parent && node.id === null && ![...node.props.values()].flat().some(isPresent))
        node.hollow = types.every((name) => vocabulary.types.has(name)) && !vocabulary.areA(types, TYPES_AS_VALUES);
      else continue;
      isFound ||= node.hollow && node.block.syntax === "microdata"; // only itemref puts an object before its holder
    }
  }
};

/** Make the first stated node of a group stand for all of it.
 * @param {Thing} head @param {Thing[]} nodes @param {Set<number>} unread @param {Vocabulary} vocabulary */
const gather = (head, nodes, unread, vocabulary) => {
  const typesOf = (/** @type {Thing} */ { block, types }) =>
    block.syntax === "json-ld" && unread.has(block.index) ? types.filter((name) => vocabulary.types.has(name) || name.includes(":")) : types;
  head.types = typesOf(head);
  /** @type {Map<string, Set<string>>} */
  const known = new Map();
  const others = nodes.filter((node) => node !== head);
  for (const other of others) {
    other.sameAs = head;
    if (other.reference) {
      other.reference = false;
      if (!head.types.length) takeTypes(head, other, other.types);
    } else {
      takeTypes(head, other, typesOf(other));
      head.foreign = head.foreign && other.foreign;
      takeOver(head, other, known);
    }
  }
  return others;
};

/** Add types of another node to the head. @param {Thing} head @param {Thing} other @param {string[]} types */
const takeTypes = (head, other, types) => {
  for (const name of types) {
    if (head.types.includes(name)) continue;
    head.types = [...head.types, name];
    head.typedBy = (head.typedBy || new Map()).set(name, other);
    const spelled = other.miscased?.get(`@type:${name}`);
    if (spelled) head.noteSpelling(`@type:${name}`, spelled);
  }
};

/**
 * Add the values of another node with the same id to the head.
 * @param {Thing} head
 * @param {Thing} other
 * @param {Map<string, Set<string>>} known
 */
const takeOver = (head, other, known) => {
  for (const [prop, values] of other.props) {
    const spelled = other.miscased?.get(prop);
    if (!head.props.has(prop) && spelled !== undefined) head.noteSpelling(prop, spelled);
    const own = head.props.get(prop) || [];
    head.props.set(prop, own);
    let likenesses = known.get(prop);
    if (!likenesses) {
      likenesses = new Set(own.map((value) => likeness(value)));
      known.set(prop, likenesses);
    }
    const before = likenesses;
    const fresh = values.map((value) => likeness(value)).map((like) => (before.has(like) ? null : like));
    values.forEach((value, place) => {
      const like = fresh[place];
      if (like === null) return;
      before.add(like);
      head.borrowed ||= new Map();
      head.borrowed.set(`${prop} ${own.length}`, [other, prop, place]);
      const language = other.languageOf(prop, place);
      if (language !== null) head.tag(prop, own.length, language);
      own.push(value);
    });
  }
};

/** @type {WeakMap<Thing, number>} */
const nodeNumbers = new WeakMap();
let lastNumber = 0;
/**
 * Equal for equal values: by id, by text, or by what a node holds near its surface.
 * @param {Value} value
 * @returns {string}
 */
const likeness = (value, depth = DEPTH) => {
  if (!(value instanceof Thing)) return `t${strip(typeof value === "boolean" ? String(value) : str(value))}`;
  if (value.id !== null) return `i${value.id}`;
  if (depth === 0) {
    if (!nodeNumbers.has(value)) nodeNumbers.set(value, ++lastNumber);
    return `n${nodeNumbers.get(value)}`;
  }
  const inside = [...value.props]
    .slice(0, MOST_COMPARED)
    .filter(([, values]) => values.length)
    .map(([prop, values]) =>
      JSON.stringify([prop, values.slice(0, MOST_COMPARED).map((each) => likeness(each, depth - 1))]),
    );
  return `o${JSON.stringify([value.types, inside.sort()])}`;
};

/**
 * Put the head in place of every node that gave way to it, and record in the head the nodes that point at it.
 * @param {Thing[]} nodes
 * @param {Thing[]} moved
 */
const redirect = (nodes, moved) => {
  /** @type {Map<Thing, Set<string>>} */
  const seen = new Map();
  /** @type {[Thing, string][]} */
  const holders = [];
  const add = (/** @type {Thing} */ holder, /** @type {string} */ prop) => {
    const props = seen.get(holder) || new Set();
    seen.set(holder, props);
    if (!props.has(prop)) holders.push([holder, prop]);
    props.add(prop);
  };
  for (const node of moved) {
    if (node.parent && node.via !== null && !node.reverse) add(node.parent.sameAs || node.parent, node.via);
  }
  for (const node of nodes) if (node.reverse && node.via !== null) add(node.sameAs || node, node.via);
  for (const [holder, prop] of holders) {
    const values = holder.props.get(prop) || [];
    values.forEach((value, place) => {
      if (!(value instanceof Thing) || !value.sameAs) return;
      values[place] = value.sameAs;
      const pointing = value.sameAs.referrers;
      const last = pointing[pointing.length - 1];
      if (!last || last[0] !== holder || last[1] !== prop) pointing.push([holder, prop]);
    });
  }
};
