// @ts-check
// Places one step around a node where a value that a rich result misses may stand. Counterpart of profiles/nearby.py.

import { HOLDERS } from "./counterparts.js";
import { Thing } from "./page.js";
import { addTo, casefold } from "./strings.js";
import { size, unique } from "./text.js";
import { belongs, linksOf } from "./value-kinds.js";
import { DATA_TYPES } from "./vocabulary.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { Span } from "./page.js" */
/** @import { Gap } from "./profiles/requirements.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

/** @typedef {{hint: string, misplaced?: [Thing, string][], apart?: Thing, related?: [string, any][]}} NearPlace */

const TOO_GENERAL = new Set(["Thing", "Intangible", "CreativeWork", "StructuredValue", "Enumeration"]);
const MOST_NEAR = 200;
const ADDRESS_IN_ID = /[ \t-\r](id)[ \t-\r]*=[ \t-\r]*["']?https?:\/\//i;

/** Names that stand for a property, see schemas/other-names.json. */
export class OtherNames {
  /** @param {{properties: Record<string, string[]>, words: Record<string, string>, misplaced: Record<string, string>, apart: Record<string, string[]>}} data */
  constructor({ properties, words, misplaced, apart }) {
    this.properties = new Map(Object.entries(properties));
    this.misplaced = new Map(Object.entries(misplaced));
    this.apart = new Map(Object.entries(apart));
    /** @type {Map<string, string[]>} */
    this.byWord = new Map();
    for (const [prop, each] of Object.entries(words)) for (const word of each.split(" ")) addTo(this.byWord, word, prop);
  }

  /** @param {string} name @returns {string[]} */
  intended(name) {
    return size(name) > 40 ? [] : this.byWord.get(casefold(name).replace(/[ _.-]/g, "")) || [];
  }
}

/** First property of each alternative of a path, seen from the node. @param {Thing} node @param {string} path */
export const namesAt = (node, path) =>
  unique(
    path.split(/\||(?: with )/).map((part) => {
      const steps = part.split("."), at = steps.slice(0, -1).indexOf(node.via || "");
      return steps[at + 1];
    }),
  );
/** Is a present property of schema.org not one of the node's types? @param {Vocabulary} vocabulary @param {Thing} node @param {string} name */
const isMisplaced = (vocabulary, node, name) =>
  vocabulary.properties.has(name) && node.types.length > 0 && node.get(name) !== null && !node.props.has("additionalType") && !belongs(vocabulary, node.types, name);
/** @param {Thing} node @param {string} otherwise */
const typesOf = ({ types }, otherwise) => types.join(" and ") || otherwise;

/** @type {((context: RuleContext, node: Thing, name: string) => NearPlace|null|undefined)[]} */
const FINDERS = [
  ({ vocabulary }, node, name) => {
    const own = [...node.props.keys()].slice(0, MOST_NEAR).filter((prop) => isMisplaced(vocabulary, node, prop));
    if (!own.length || !vocabulary.properties.has(name)) return null;
    const ranges = [...HOLDERS].filter(([, prop]) => prop === name).map(([owner]) => owner);
    ranges.push(.../** @type {string[]} */ (vocabulary.properties.get(name)?.r).filter((kind) => !DATA_TYPES.has(kind) && !ranges.includes(kind)));
    for (const owner of ranges) {
      const known = vocabulary.propertiesOf([owner]), found = own.filter((prop) => known.has(prop));
      if (found.length) return { hint: `put it into ${name}, in an object of type ${owner}`, misplaced: found.map((prop) => [node, prop]) };
    }
  },
  ({ vocabulary }, node, name) => {
    for (const [holder, via] of linksOf(node))
      if (!holder.foreign && isMisplaced(vocabulary, holder, name))
        return { hint: `move it into ${via}, to the ${typesOf(node, "object")} that is there`, misplaced: [[holder, name]] };
  },
  ({ vocabulary, otherNames }, node, name) => {
    const usual = otherNames.misplaced.get(name), owner = typesOf(node, "item");
    for (const [prop, inner] of objectsIn(node)) {
      if (inner.get(name) === null) continue;
      if (isMisplaced(vocabulary, inner, name)) return { hint: `move it out of ${prop}, to the ${owner}`, misplaced: [[inner, name]] };
      if (prop === usual) return { hint: `${name} stands inside ${prop}: move it out, to the ${owner}` };
    }
  },
  ({ vocabulary, otherNames }, node, name) => {
    for (const other of otherNames.properties.get(name) || []) {
      if (other === "@id") {
        if (node.id && node.block.syntax === "json-ld" && !node.id.startsWith("_:")) return { hint: `the address stands in @id: write it as ${name} too` };
      } else if (isMisplaced(vocabulary, node, other)) return { hint: `write it as ${name}`, misplaced: [[node, other]] };
      else if (node.get(other) !== null) return { hint: `${other} is there: if that is the ${name}, write it as ${name} too` };
    }
  },
  ({ page, vocabulary, otherNames }, node, name) => {
    const kinds = otherNames.apart.get(name) || vocabulary.properties.get(name)?.r || [];
    const types = new Set(kinds.filter((/** @type {string} */ kind) => !DATA_TYPES.has(kind) && !TOO_GENERAL.has(kind)));
    if (!types.size) return null;
    const found = page.roots.slice(0, MOST_NEAR).filter(
      (root) => root !== node && !root.foreign && !root.reference && root.props.size && vocabulary.areA(root.types, types) && !isWithin(root, node),
    );
    if (found.length !== 1) return null;
    const [apart] = found, kind = apart.types.join(" and ");
    /** @type {[string, any][]} */
    const related = [[`the ${kind}`, [apart, null, null, "node"]]];
    const hint = node.block.syntax === "json-ld" && apart.id && !apart.id.startsWith("_:")
      ? `the ${kind} is on the page: write "${name}": {"@id": "${apart.id}"}`
      : `the ${kind} stands apart on the page: put it into ${name}`;
    return { hint, apart, related };
  },
];
/** @param {Thing} node @returns {[string, Thing][]} */
const objectsIn = (node) =>
  [...node.props].flatMap(([prop, values]) => values.filter((value) => value instanceof Thing).map((value) => /** @type {[string, Thing]} */ ([prop, value]))).slice(0, MOST_NEAR);
/** Does a root hold the node? @param {Thing} root @param {Thing} node */
const isWithin = (root, node) => {
  for (let steps = 0; node.parent && steps < MOST_NEAR; steps++) {
    node = node.parent;
    if (node === root) return true;
  }
  return false;
};

/** Place of the value that a gap misses. @param {RuleContext} context @param {Gap} gap @returns {NearPlace|null} */
export const placeNear = (context, { kind, held, node, localPath }) => {
  if (kind !== "missing" || held) return null;
  const names = namesAt(node, localPath);
  for (const find of FINDERS) {
    for (const name of names) {
      const place = find(context, node, name);
      if (place) return place;
    }
  }
  return null;
};

/** The object of Microdata whose address stands in id instead of itemid, and the name of that attribute.
 * @param {RuleContext} context @param {Gap} gap @returns {[Thing, Span]|null} */
export const addressInId = ({ page }, { node, localPath }) => {
  for (const name of namesAt(node, localPath)) {
    for (const inner of node.nodes(name).slice(0, MOST_NEAR)) {
      if (inner.block.syntax !== "microdata" || inner.id !== null) continue;
      const { start } = page.spanOf(inner);
      const found = ADDRESS_IN_ID.exec(page.text.slice(start, start + 1000).split(">")[0]);
      if (found) return [inner, { start: start + found.index + 1, end: start + found.index + 3 }];
    }
  }
  return null;
};
