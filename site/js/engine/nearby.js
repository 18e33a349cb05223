// @ts-check
// Names that stand for a property, and addresses in the attribute `id`. Counterpart of waypost/registry/other_names.py and
// waypost/validate/profiles/addresses.py. Where else a value may stand is translated from profiles/nearby.py.

import { use } from "./python.js";
import { addTo, casefold } from "./strings.js";
import { size } from "./text.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { Related, Span, Thing } from "./page.js" */
/** @import { Gap } from "./profiles/requirements.js" */
/** @import { RegistryData } from "./registry.js" */

/** Where a value stands, and what to do; see `Place` of profiles/nearby.py.
 * @typedef {{hint: string, misplaced: [Thing, string][], apart: Thing|null, related: Related[]}} NearPlace */

const MOST_NEAR = 200;
const ADDRESS_IN_ID = /[ \t-\r](id)[ \t-\r]*=[ \t-\r]*["']?https?:\/\//i;

/** Names that stand for a property, see schemas/other-names.json. */
export class OtherNames {
  /** @param {RegistryData["validating"]["otherNames"]} data */
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

/** First property of each alternative of a path, seen from the node. @type {(node: Thing, path: string) => string[]} */
export const namesAt = (node, path) => use("validate.profiles.nearby").names_at(node, path);
/** Place of the value that a gap misses. @type {(context: RuleContext, gap: Gap) => NearPlace|null} */
export const placeNear = (context, gap) => use("validate.profiles.nearby").place_of(context, gap);

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
