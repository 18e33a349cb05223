// @ts-check
// Mappings of the registry for cards, and the schema of the unified model. With reading-catalogue.js the counterpart of
// waypost/preview/catalogue.py.

import "../rules/registry.service_types.js";
import { asMaps, use } from "./python.js";
import { size, unique } from "./text.js";

/** @import { Types } from "./types.js" */

/** Why there is no card. */
export class NothingToShow extends Error {}

/** @template T @param {T|T[]} value @returns {T[]} */
export const asList = (value) => (Array.isArray(value) ? value : [value]);

/** The keywords of JSON Schema that the registry uses; `format` is not checked, as in the command line.
 * @param {Json} schema @param {any} value @param {Record<string, any>} defs @returns {boolean} */
const conforms = (schema, value, defs) => {
  if (schema.$ref && !conforms(defs[schema.$ref.slice(8)], value, defs)) return false;
  if (schema.type && !hasType(asList(schema.type), value)) return false;
  if ("const" in schema && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (schema.anyOf && !schema.anyOf.some((/** @type {any} */ each) => conforms(each, value, defs))) return false;
  if (typeof value === "string") {
    if (size(value) < (schema.minLength ?? 0) || size(value) > (schema.maxLength ?? Infinity)) return false;
    return !schema.pattern || new RegExp(schema.pattern, "u").test(value);
  }
  if (typeof value === "number") return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) return false;
    if (schema.uniqueItems && unique(value.map((each) => sorted(each))).length < value.length) return false;
    return !schema.items || value.every((each) => conforms(schema.items, each, defs));
  }
  if (!value || typeof value !== "object") return true;
  const keys = Object.keys(value);
  if (
    keys.length < (schema.minProperties ?? 0) ||
    (schema.required || []).some((/** @type {string} */ key) => !(key in value))
  )
    return false;
  return keys.every((key) => {
    if (schema.properties && Object.hasOwn(schema.properties, key))
      return conforms(schema.properties[key], value[key], defs);
    const further = schema.additionalProperties;
    return further === undefined || further === true || (further !== false && conforms(further, value[key], defs));
  });
};

/** @param {string[]} types @param {any} value */
const hasType = (types, value) =>
  types.some((type) => {
    if (type === "integer") return Number.isInteger(value);
    if (type === "array") return Array.isArray(value);
    if (type === "null") return value === null;
    return type === "object" ? !!value && typeof value === "object" && !Array.isArray(value) : typeof value === type;
  });

/** A value as text that does not depend on the order of keys. @param {any} value @returns {string} */
const sorted = (value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? JSON.stringify(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])]),
      )
    : Array.isArray(value)
      ? JSON.stringify(value.map(sorted))
      : JSON.stringify(value);

/** @typedef {{service: string, standard: string, card: any, fields: Map<string, any>}} Mapping */

/** Mapping whose card is made once it is drawn. @param {any} data @returns {Mapping} */
const mappingOf = (data) => {
  /** @type {any} */
  let card;
  return {
    service: data.title,
    standard: data["x-standard-type"],
    fields: new Map(),
    get card() {
      return (card ||= asMaps(data["x-card"]));
    },
  };
};

/** Registry in the form that the code for cards needs. */
export class Catalogue {
  /** @param {any} data the registry's data file @param {Types} vocabulary */
  constructor(data, vocabulary) {
    this.vocabulary = vocabulary;
    this.unified = data.unified;
    this.words = asMaps(data.words);
    /** @type {any} */
    this.cleaned = null;
    this.standings = data.standings;
    const ranked = data.mappings.map((/** @type {any} */ each) => [each.title, asMaps({ ...each, "x-card": null })]);
    this.serviceTypes = new (use("registry.service_types").ServiceTypes)(new Map(ranked), data.delegates, vocabulary);
    /** @type {Map<string, Mapping>} */
    this.mappings = new Map(data.mappings.map((/** @type {any} */ each) => [each.title, mappingOf(each)]));
  }

  /** What a document is cleaned by: the names of its members. @returns {any} */
  get registry() {
    return (this.cleaned ||= { unified: asMaps({ properties: this.unified.properties, $defs: this.unified.$defs }) });
  }

  /** Does the document conform to the schema of the unified model? @param {Json} document */
  isUnified(document) {
    return conforms(this.unified, document, this.unified.$defs);
  }
}

/** @param {any} value */
export const isThing = (value) => !!value && typeof value === "object" && !Array.isArray(value);
