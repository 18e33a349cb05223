// @ts-check
// Types and properties that the vocabulary allows. Counterpart of waypost/validate/value_kinds.py.

import { MOST_STEPS } from "./collector.js";
import { addTo, casefold } from "./strings.js";
import { size, strip, unique } from "./text.js";
import { DATA_TYPES, oneLess } from "./vocabulary.js";

/** @import { Item } from "./item.js" */
/** @import { Span, Thing } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

/** @param {Vocabulary} vocabulary @param {string[]} types @param {string} prop */
export const belongs = (vocabulary, types, prop) => {
  const known = vocabulary.properties.get(prop);
  if (!known || !known.d.length) return true;
  if (vocabulary.propertiesOf(types).has(prop) || types.some((name) => !vocabulary.types.has(name))) return true;
  return known.d.some((domain) => types.some((name) => vocabulary.isA(domain, name)));
};
/**
 * May a node of these types be a value of the property?
 * @param {Vocabulary} vocabulary
 * @param {string[]} types
 * @param {string} prop
 */
export const fits = (vocabulary, types, prop) => {
  const expected = (vocabulary.properties.get(prop)?.r || []).filter((name) => !DATA_TYPES.has(name));
  if (!expected.length || !types.length || types.some((name) => !vocabulary.types.has(name))) return true;
  if (types.length === 1 && types[0] === "Thing") return expected.includes("Thing"); // says no more than that it is something
  return types.some((name) =>
    [...expected, "Role"].some((other) => vocabulary.isA(name, other) || vocabulary.isA(other, name)),
  );
};
/**
 * The (node, property) pairs that hold this node, by nesting or by reference.
 * @param {Thing} node
 * @returns {[Thing, string][]}
 */
export const linksOf = (node) => {
  const found = node.referrers.slice(0, 50);
  return node.parent && node.via !== null && !node.reverse ? [[node.parent, node.via], ...found] : found;
};
/** @param {Item} item @param {string|null} [prop] */
export const mayBeDefinedElsewhere = ({ node, context: { page } }, prop = null) => {
  const { block } = page.home(node, prop, null)[0];
  return (
    block.syntax === "json-ld" &&
    page.readErrors.slice(0, 200).some((each) => each.rule === "jsonld-remote-context" && each.block === block.index)
  );
};
/** @type {WeakMap<Map<string, unknown>, Map<string, string[]>>} */
const slipIndexes = new WeakMap();
/** At most two names at one typing error's distance. @param {Map<string, unknown>} names @param {string} name */
export const nearest = (names, name) => {
  const low = casefold(name).replace(/[ _.-]/g, "");
  if (size(low) < 3 || size(low) > 60) return [];
  let index = slipIndexes.get(names);
  if (!index) {
    index = new Map();
    for (const each of names.keys()) for (const slip of oneLess(casefold(each))) addTo(index, slip, each);
    slipIndexes.set(names, index);
  }
  const whole = (index.get(low) || []).filter((other) => casefold(other) === low);
  if (whole.length) return whole.slice(0, 2);
  const found = unique([...oneLess(low)].sort().flatMap((slip) => index.get(slip) || []));
  const far = (/** @type {string} */ other) => Math.abs(other.length - size(low));
  return found.sort((one, two) => far(one) - far(two) || (one < two ? -1 : 1)).slice(0, 2);
};
/** Longest type with which an invented name ends: Festival for MusicFestival. @param {Map<string, unknown>} types @param {string} name */
export const endOf = (types, name) => {
  for (let start = 1; start < name.length; start++)
    if (/\p{Lu}/u.test(name[start]) && types.has(name.slice(start))) return [name.slice(start)];
  return [];
};
/** @param {string[]} names @param {string} written */
export const didYouMean = (names, written) =>
  strip(written) !== written ? "remove the spaces around it" : names.length ? `did you mean ${names.join(" or ")}?` : null;
/** Edits that put a new name where `old` is written: in a property's key, or in the node's type when `prop` is null.
 * @param {Item} item @param {string|null} prop @param {string} old @param {string} name @returns {[Span, string][]} */
export const renamed = ({ node, context: { page } }, prop, old, name) => {
  const many = prop === null ? 1 : (node.props.get(prop) || []).length;
  if (many > MOST_STEPS) return [];
  const spans = new Map();
  for (let index = 0; index < many; index++) {
    const span = prop === null ? page.spanOf(node, null, null, "type") : page.spanOf(node, prop, index, "key");
    spans.set(`${span.start} ${span.end}`, span);
  }
  /** @type {[Span, string][]} */
  const edits = [];
  for (const span of [...spans.values()].sort((one, two) => one.start - two.start)) {
    const found = page.text.slice(span.start, span.end).split(old);
    if (found.length !== 2) return [];
    const start = span.start + found[0].length;
    edits.push([{ start, end: start + old.length }, name]);
  }
  return edits;
};
