// @ts-check
// Which types there are and what they descend from. With vocabulary.js the counterpart of waypost/registry/vocabulary.py.

import { PartMissing } from "./parts.js";
import { partition, withoutSuffix } from "./text.js";

/** @typedef {{p: string[], s: string[], l: string|null}} TypeTerm */

export class Types {
  /** @param {string} packed see `packed_types` of pages/bundle.py
   * @param {boolean} isWhole whether these are all types; else the part for reading is wanted for any other */
  constructor(packed, isWhole) {
    this.isWhole = isWhole;
    /** @type {Map<string, Set<string>>} */
    this.lines = new Map();
    /** @type {Map<string, TypeTerm>} */
    this.types = unpackedTypes(packed);
  }

  /** The type itself and everything it descends from. @param {string} name @returns {Set<string>} */
  ancestors(name) {
    let known = this.lines.get(name);
    if (!known) {
      if (!this.isWhole && !this.types.has(name)) throw new PartMissing("reading");
      known = new Set([name]);
      for (const each of known) for (const parent of this.types.get(each)?.p || []) known.add(parent);
      if (this.types.has(name)) this.lines.set(name, known);
    }
    return known;
  }

  /** @param {string} name @param {string} of */
  isA(name, of) {
    return name === of || this.ancestors(name).has(of);
  }

  /** Is any of these types one of `of`, or a subtype of one? @param {string[]} names @param {Set<string>} of */
  areA(names, of) {
    for (const name of names) for (const each of this.ancestors(name)) if (of.has(each)) return true;
    return false;
  }
}

/** Types as a walk down the tree: depth, name, further parents, "!" for the attic, ">" and successors.
 * @param {string} packed @returns {Map<string, TypeTerm>} */
const unpackedTypes = (packed) => {
  /** @type {string[]} */
  const way = [];
  /** @type {[string, TypeTerm][]} */
  const found = [];
  for (const written of packed.split(" ")) {
    const [entry, , late] = partition(written, ">");
    const [name, ...parents] = withoutSuffix(entry, "!").slice(1).split(",");
    const depth = parseInt(entry[0], 36);
    way.length = depth;
    found.push([
      name,
      {
        p: depth ? [way[depth - 1], ...parents] : parents,
        s: late ? late.split(",") : [],
        l: entry.endsWith("!") ? "attic" : null,
      },
    ]);
    way.push(name);
  }
  return new Map(found.sort(([one], [two]) => (one < two ? -1 : 1)));
};
