// @ts-check
// The mappings and shapes of the registry with the sources of their members. Counterpart of waypost/preview/catalogue.py;
// the records have the names that the translated modules of the preview read.

import { Catalogue, asList } from "./catalogue.js";
import { asMaps } from "./python.js";

/** @import { Vocabulary } from "./vocabulary.js" */

const SOURCE = {
  path: "", of: "node", field: "", as: "", only: [], share: [], into: "", types: [], not: [], unless: "", join: "",
  pick: "first", same: false, back: true,
};

/** @param {any} given */
const sourceOf = (given) => {
  const { add = {}, table = {}, fill = {}, ...other } = typeof given === "string" ? { path: given } : given;
  return { ...SOURCE, ...other, add: asMaps(add), table: asMaps(table), fill: asMaps(fill) };
};

/** @param {string} name @param {any} schema @param {any} as @param {any[]} from @param {any} more */
const memberOf = (name, schema, as, from, more) => ({
  name,
  kinds: asList(as),
  sources: from.map(sourceOf),
  many: schema.type === "array",
  choices: (schema.items || schema).enum || [],
  unique: schema.uniqueItems ? [] : null,
  sort: "",
  join: "",
  never: [],
  default: null,
  take_all: false,
  ...more,
});

/** The catalogue with the sources of a document's fields, by mapping. */
export class ReadingCatalogue extends Catalogue {
  /** @param {any} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    super(data, vocabulary);
    this.vocabulary = vocabulary;
    this.order = Object.keys(data.unified.properties);
    /** @type {Map<string, any>} */
    this.shapes = new Map(
      Object.entries(data.reading.shapes).map(([name, rules]) => [name, shapeOf(name, data.unified.$defs[name], rules)]),
    );
    for (const mapping of this.mappings.values()) mapping.fields = this.fields(data.reading.fields[mapping.service]);
  }

  /** @param {Record<string, any>} rules the `x-fields` of a mapping */
  fields(rules) {
    const names = this.order.filter((name) => name in rules);
    return new Map(
      names.map((name) => {
        const { as, from, take, sort = "", unique } = rules[name];
        const given = { sort, take_all: take === "all", ...(unique && { unique }) };
        return [name, memberOf(name, this.unified.properties[name], as, from, given)];
      }),
    );
  }
}

/** @param {string} name @param {any} schema its JSON Schema @param {any} rules its `x-` words, and under `members` those of its members */
const shapeOf = (name, schema, rules) => {
  const members = Object.entries(/** @type {Record<string, any>} */ (schema.properties)).map(([each, own]) => {
    const part = { ...own, ...rules.members[each] };
    const { "x-join": join = "", "x-not": never = [], default: usual = null } = part;
    const given = { join, never, default: asMaps(usual), take_all: part["x-take"] === "all" };
    return /** @type {[string, any]} */ ([each, memberOf(each, part, part["x-as"], part["x-from"], given)]);
  });
  return {
    name,
    members: new Map(members),
    required: schema.required || [],
    types: rules["x-types"] || [],
    text: rules["x-text"] || "",
    url: rules["x-url"] || "",
    bare: rules["x-bare"] || [],
  };
};
