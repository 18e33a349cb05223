// @ts-check
// A node of a page -> the unified document, by the mapping of its service type. Counterpart of waypost/preview/unified.py
// and catalogue.py: the interpreter of `x-fields` and of the shapes in unified.schema.json. Depth and size are bounded.

import { Catalogue, NOWHERE, asList, plainly, sorted, valuesAt } from "./catalogue.js";
import { Thing, isPresent } from "./page.js";
import { lstrip } from "./strings.js";
import { amountOf, some, strip } from "./text.js";
import { TRANSFORMS, absolute, asNumber, asText } from "./transforms.js";

/** @import { Mapping } from "./catalogue.js" */
/** @import { Value } from "./page.js" */
/** @import { Reading } from "./transforms.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const UNIFIED_CONTEXT = "https://schema.org";
const DEEPEST_SHAPE = 8;
const MOST_VALUES = 20_000;
const ROLES_IN_A_ROW = 4;
const SPAN_MEMBERS = ["minValue", "maxValue", "unitCode", "unitText"];

/** @typedef {Record<string, any>} Source */
/** @typedef {{name: string, kinds: string[], sources: Source[], many: boolean, takeAll: boolean, choices: any[],
 *   fallback: any, unique: string[]|null, sort: string, join: string, never: any[]}} Member */
/** @typedef {{name: string, members: Member[], byName: Map<string, Member>, required: string[], types: Set<string>,
 *   text: string, url: string, bare: string[]}} Shape */
/** @typedef {{node: Thing, prop: string, place: number}} Origin */
/** @typedef {{wrapper: Thing|null, trail: Thing|null, url: string|null, base: string|null}} Surroundings */

/** @param {any[]} sources @returns {Source[]} */
const asSources = (sources) => sources.map((each) => (typeof each === "string" ? { path: each } : each));

/** The catalogue with the sources of a document's fields, by mapping. */
export class ReadingCatalogue extends Catalogue {
  /** @param {any} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    super(data, vocabulary);
    this.vocabulary = vocabulary;
    this.order = Object.keys(data.unified.properties);
    /** @type {Map<string, Shape>} */
    this.shapes = new Map();
    for (const [name, rules] of Object.entries(data.reading.shapes)) {
      this.shapes.set(name, shapeOf(name, data.unified.$defs[name], rules));
    }
    for (const mapping of this.mappings.values()) {
      mapping.fields = this.fields(data.reading.fields[mapping.service]);
      mapping.has = new Set(mapping.fields.map((each) => each.name));
    }
  }

  /** @param {Record<string, any>} rules the `x-fields` of a mapping @returns {Member[]} */
  fields(rules) {
    const { properties } = this.unified;
    return this.order
      .filter((name) => name in rules)
      .map((name) => {
        const field = rules[name],
          schema = properties[name];
        return {
          name,
          kinds: asList(field.as),
          sources: asSources(field.from),
          many: schema.type === "array",
          takeAll: field.take === "all",
          choices: (schema.items || schema).enum || [],
          fallback: undefined,
          unique: field.unique ?? (schema.uniqueItems ? [] : null),
          sort: field.sort || "",
          join: "",
          never: [],
        };
      });
  }
}

/** @param {string} name @param {any} schema its JSON Schema @param {any} rules its `x-` words, and under `members` those of its members
 * @returns {Shape} */
const shapeOf = (name, schema, rules) => {
  const whole = Object.entries(/** @type {Record<string, any>} */ (schema.properties));
  const members = whole.map(([each, own]) => ({ ...own, ...rules.members[each], name: each })).map((part) => ({
    name: part.name,
    kinds: asList(part["x-as"]),
    sources: asSources(part["x-from"]),
    many: part.type === "array",
    takeAll: part["x-take"] === "all",
    choices: (part.items || part).enum || [],
    fallback: part.default,
    unique: part.uniqueItems ? [] : null,
    sort: "",
    join: part["x-join"] || "",
    never: part["x-not"] || [],
  }));
  return {
    name,
    members,
    byName: new Map(members.map((each) => [each.name, each])),
    required: schema.required || [],
    types: new Set(rules["x-types"] || []),
    text: rules["x-text"] || "",
    url: rules["x-url"] || "",
    bare: rules["x-bare"] || [],
  };
};

/** One document being made. */
export class Unifier {
  /** @param {ReadingCatalogue} catalogue @param {Surroundings} setting @param {Record<string, Origin[]>} origins is filled */
  constructor(catalogue, setting, origins) {
    this.catalogue = catalogue;
    this.vocabulary = catalogue.vocabulary;
    this.setting = setting;
    this.origins = origins;
    this.left = MOST_VALUES;
    /** @type {Record<string, any>} */
    this.made = {};
  }

  /** @param {Thing} node @param {Mapping} mapping @param {string} standard */
  document(node, mapping, standard) {
    const made = (this.made = /** @type {Record<string, any>} */ ({ "@context": UNIFIED_CONTEXT, "@type": standard }));
    for (const member of mapping.fields) {
      const held = this.member(member, node, 0, member.name);
      if (held !== null) made[member.name] = held;
    }
    for (const member of mapping.fields) {
      const value = member.name in made ? null : fromFields(member, made);
      if (value !== null) made[member.name] = value;
    }
    made.url ??= NOWHERE;
    made.id ??= made.url;
    return Object.fromEntries(this.catalogue.order.filter((name) => name in made).map((name) => [name, made[name]]));
  }

  /**
   * What a field or member holds, null for nothing.
   * @param {Member} member
   * @param {Thing} node
   * @param {number} depth
   * @param {string} [field]
   * @returns {any}
   */
  member(member, node, depth, field = "") {
    let entries = /** @type {any[]} */ ([]);
    for (const source of member.sources) {
      if (source.field) continue;
      entries.push(...this.source(member, source, node, depth, field, entries.length));
      if (entries.length && !member.takeAll && (member.many || !member.join)) break;
    }
    if (member.never.length) entries = entries.filter((each) => !member.never.includes(each));
    if (!entries.length) return null;
    if (member.join) return entries.join(member.join);
    if (!member.many) return entries[0];
    if (member.sort) entries.sort((one, two) => amountOf(one[member.sort] ?? 0) - amountOf(two[member.sort] ?? 0));
    return member.unique === null ? entries : distinct(entries, member.unique);
  }

  /** The entries that one source yields. @param {Member} member @param {Source} source @param {Thing} node @param {number} depth
   * @param {string} field @param {number} before @returns {any[]} */
  source(member, source, node, depth, field, before) {
    const kinds = source.as ? [source.as] : member.kinds;
    if (source.only || source.path === ".") return this.itself(source, kinds, node, depth);
    const found = this.values(source, node, member.many);
    if (member.kinds.length === 1 && member.kinds[0] === "property" && source.path !== "additionalProperty") {
      return this.property(source, found, field);
    }
    /** @type {any[]} */
    const entries = [];
    for (const { value, origin, holder } of found) {
      for (const entry of this.entries(member, source, kinds, value, holder, depth, before + entries.length)) {
        entries.push(entry);
        this.note(field, origin);
      }
      if (entries.length && !member.many && !member.join && !source.same) break;
    }
    return source.same && entries.some((entry) => sorted(plainly(entry)) !== sorted(plainly(entries[0])))
      ? []
      : entries;
  }

  /** @param {string} field @param {Origin|null} origin */
  note(field, origin) {
    if (field && origin) (this.origins[field] ||= []).push(origin);
  }

  /** @param {Source} source @param {Thing} node @returns {Thing|null} */
  scope(source, node) {
    return source.of === "wrapper" ? this.setting.wrapper : source.of === "trail" ? this.setting.trail : node;
  }

  /**
   * The node, or its page, read as a shape of its own.
   * @param {Source} source
   * @param {string[]} kinds
   * @param {Thing} node
   * @param {number} depth
   */
  itself(source, kinds, node, depth) {
    const scope = this.scope(source, node);
    if (!scope || (source.types && !this.vocabulary.areA(scope.types, new Set(source.types)))) return [];
    const shape = /** @type {Shape} */ (this.catalogue.shapes.get(kinds[kinds.length - 1]));
    const made = this.build(shape, scope, depth, source.only || []);
    if (!made || !Object.keys(made).length) return [];
    Object.assign(made, source.add);
    for (const name of source.share || []) {
      if ((this.made[name] ?? NOWHERE) !== NOWHERE) made[name] = this.made[name];
    }
    return [inOrder(shape, made)];
  }

  /**
   * @param {Source} source
   * @param {Thing} node
   * @param {boolean} isList
   * @returns {{value: Value, origin: Origin|null, holder: Thing}[]}
   */
  values(source, node, isList) {
    if (source.of === "page") return [{ value: this.setting.url, origin: null, holder: node }];
    const scope = this.scope(source, node);
    if (!scope) return [];
    let found = this.walk(scope, source.path);
    if (isList) found = this.unlisted(found);
    if (source.types) found = found.filter((each) => this.isA(each.value, source.types));
    return source.not ? found.filter((each) => !this.isA(each.value, source.not)) : found;
  }

  /** @param {Value} value @param {string[]} types */
  isA(value, types) {
    return value instanceof Thing && this.vocabulary.areA(value.types, new Set(types));
  }

  /** Every present value at a dotted path; text ends a walk. @param {Thing} node @param {string} path */
  walk(node, path) {
    const steps = path.split(".");
    const last = /** @type {string} */ (steps.pop());
    let holders = [node];
    for (const step of steps) {
      holders = holders.flatMap((each) =>
        this.own(each, step)
          .map((found) => found.value)
          .filter((value) => value instanceof Thing),
      );
    }
    return holders.flatMap((each) => this.own(each, last));
  }

  /** The present values of a property, with a Role replaced by what it qualifies. @param {Thing} node @param {string} prop
   * @returns {{value: Value, origin: Origin|null, holder: Thing}[]} */
  own(node, prop) {
    if (prop === "@id") return [{ value: node.id, origin: null, holder: node }];
    if (prop === "@type") return [{ value: node, origin: null, holder: node }];
    const found = [];
    for (const [place, value] of (node.props.get(prop) || []).entries()) {
      this.left -= 1;
      if (this.left < 0) break;
      if (isPresent(value))
        found.push({ value: this.behindRoles(value, prop), origin: { node, prop, place }, holder: node });
    }
    return found;
  }

  /** @param {Value} value @param {string} prop */
  behindRoles(value, prop) {
    for (let n = 0; n < ROLES_IN_A_ROW && value instanceof Thing && this.isA(value, ["Role"]); n++) {
      const within = value.get(prop);
      if (within === null) break;
      value = within;
    }
    return value;
  }

  /** An ItemList among the values is replaced by its members, in order of their positions.
   * @param {{value: Value, origin: Origin|null, holder: Thing}[]} found */
  unlisted(found) {
    return found.flatMap((each) => {
      const { value, origin } = each;
      if (!(value instanceof Thing) || !value.types.includes("ItemList")) return [each];
      const members = this.own(value, "itemListElement").map((member) => member.value);
      const places = new Map(members.map((member) => [member, this.position(member)]));
      members.sort((one, two) => {
        const [a, b] = [places.get(one) ?? Infinity, places.get(two) ?? Infinity];
        return a === b ? 0 : a - b;
      });
      return members.map((member) => {
        const item = member instanceof Thing && member.types.includes("ListItem") ? member.get("item") : null;
        return { value: item ?? member, origin, holder: value };
      });
    });
  }

  /** @param {Value} value */
  position(value) {
    const found = value instanceof Thing ? asNumber(value.get("position"), this.plainReading())[0] : undefined;
    return found === undefined ? Infinity : amountOf(found);
  }

  /** @returns {Reading} */
  plainReading() {
    return { vocabulary: this.vocabulary, escaped: false, base: null, choices: [], prop: "" };
  }

  /** @param {Thing} holder @param {any[]} [choices] @param {string} [prop] @returns {Reading} */
  reading(holder, choices = [], prop = "") {
    return {
      vocabulary: this.vocabulary,
      escaped: holder.block.syntax === "json-ld",
      base: this.setting.base,
      choices,
      prop,
    };
  }

  /** One value of the page as entries of the field. @param {Member} member @param {Source} source @param {string[]} kinds
   * @param {Value} value @param {Thing} holder @param {number} depth @param {number} before @returns {any[]} */
  entries(member, source, kinds, value, holder, depth, before) {
    const reading = this.reading(holder, member.choices);
    if (source.unless && asText(value, reading).some((each) => each === this.made[source.unless])) return [];
    if (source.table) {
      const word = TRANSFORMS.term(value, reading)[0] ?? "";
      return Object.hasOwn(source.table, word) ? [{ ...source.table[word] }] : [];
    }
    return this.converted(kinds, value, reading, depth, source, before).map((entry) => {
      if (source.join) {
        const more = this.own(holder, source.join).flatMap((found) => asText(found.value, reading))[0] ?? "";
        return strip(`${entry} ${more}`);
      }
      if (source.into) return { [source.into]: entry, ...source.add };
      if (!source.add && !source.fill) return entry;
      return this.filled(kinds[kinds.length - 1], source, holder, { ...entry, ...source.add });
    });
  }

  /** Members missing in the entry, from properties of the node that holds it. @param {string} name @param {Source} source
   * @param {Thing} holder @param {Record<string, any>} entry */
  filled(name, source, holder, entry) {
    const shape = /** @type {Shape} */ (this.catalogue.shapes.get(name));
    for (const [member, prop] of Object.entries(source.fill || {})) {
      if (member in entry) continue;
      const { kinds } = /** @type {Member} */ (shape.byName.get(member));
      const found = this.own(holder, /** @type {string} */ (prop)).flatMap((each) =>
        TRANSFORMS[kinds[kinds.length - 1]](each.value, this.reading(holder)),
      )[0];
      if (found !== undefined) entry[member] = found;
    }
    return inOrder(shape, entry);
  }

  /**
   * @param {string[]} kinds
   * @param {Value} value
   * @param {Reading} reading
   * @param {number} depth
   * @param {Source} source
   * @param {number} before
   * @returns {any[]}
   */
  converted(kinds, value, reading, depth, source, before) {
    const last = kinds[kinds.length - 1];
    if (kinds.length === 1 && (last === "code" || last === "property"))
      return some(this.named(last, value, source.path, reading));
    if (Object.hasOwn(TRANSFORMS, last)) return TRANSFORMS[last](value, reading);
    const made = this.shaped(kinds, value, reading, depth);
    return made && Object.keys(made).length
      ? [placed(/** @type {Shape} */ (this.catalogue.shapes.get(last)), made, before + 1)]
      : [];
  }

  /** A PropertyValue as {propertyID, value, name?}; a plain value under the name of its property.
   * @param {string} kind @param {Value} value @param {string} prop @param {Reading} reading */
  named(kind, value, prop, reading) {
    const first = (/** @type {Value} */ given) => asText(given, reading)[0];
    if (!(value instanceof Thing)) {
      const found = first(value);
      return found && kind === "code" ? { propertyID: prop, value: found } : null;
    }
    const name = first(value.get("name")),
      code = first(value.get("propertyID"));
    if (kind === "code") {
      const found = first(value.get("value"));
      return found ? { propertyID: code || name || prop, value: found } : null;
    }
    const held = value.get("value");
    const inside = held !== null ? this.tidy(held, "value", reading) : this.span(value, reading);
    if (inside === null || !(code || name)) return null;
    return { propertyID: code || name, value: inside, ...(code && name ? { name } : {}) };
  }

  /** @param {Value} value @param {string} prop @param {Reading} reading */
  tidy(value, prop, reading) {
    return TRANSFORMS.tidy(value, { ...reading, prop })[0] ?? null;
  }

  /** A PropertyValue without a value: the range it gives. @param {Thing} node @param {Reading} reading */
  span(node, reading) {
    const parts = SPAN_MEMBERS.filter((prop) => node.get(prop) !== null)
      .map((prop) => [prop, this.tidy(node.get(prop), prop, reading)])
      .filter(([, part]) => part !== null);
    return parts.length ? Object.fromEntries(parts) : null;
  }

  /**
   * All values of one property as one entry.
   * @param {Source} source
   * @param {{value: Value, origin: Origin|null, holder: Thing}[]} found
   * @param {string} field
   */
  property(source, found, field) {
    const values = [];
    for (const { value, origin, holder } of found) {
      for (const each of TRANSFORMS[source.as || "tidy"](value, this.reading(holder, [], source.path))) {
        values.push(each);
        this.note(field, origin);
      }
    }
    return values.length ? [{ propertyID: source.path, value: values.length === 1 ? values[0] : values }] : [];
  }

  /** @param {string[]} kinds @param {Value} value @param {Reading} reading @param {number} depth */
  shaped(kinds, value, reading, depth) {
    const shapes = kinds.map((kind) => /** @type {Shape} */ (this.catalogue.shapes.get(kind)));
    const last = shapes[shapes.length - 1];
    if (!(value instanceof Thing)) return this.fromText(last, value, reading);
    if (value.props.size) {
      const shape = shapes.find((each) => each.types.size && this.vocabulary.areA(value.types, each.types)) || last;
      return this.build(shape, value, depth, []);
    }
    return value.types.length && !value.id ? null : pointed(last, value.id, reading);
  }

  /** A bare text where an object could stand. @param {Shape} shape @param {Value} value @param {Reading} reading */
  fromText(shape, value, reading) {
    if (shape.url && typeof value === "string" && /^(?:https?:\/\/|\/)/i.test(lstrip(value))) {
      const found = absolute(value, reading.base);
      return found ? finished(shape, { [shape.url]: found }) : null;
    }
    if (!shape.text) return null;
    /** @type {Record<string, any>} */
    const made = {};
    for (const member of shape.members) {
      const kinds = member.sources
        .filter((source) => source.path === shape.text && source.as)
        .map((source) => source.as);
      if (member.name !== shape.text && !kinds.length) continue;
      const results = TRANSFORMS[(kinds.length ? kinds : member.kinds)[0]](value, reading);
      if (results.length) made[member.name] = member.many ? results : results[0];
    }
    return shape.text in made ? finished(shape, made) : null;
  }

  /** A node as an object; null where nothing can be read or a required member is missing.
   * @param {Shape} shape @param {Thing} node @param {number} depth @param {string[]} only */
  build(shape, node, depth, only) {
    if (depth >= DEEPEST_SHAPE || this.left < 0) return null;
    /** @type {Record<string, any>} */
    const made = {};
    for (const member of shape.members) {
      if ((only.length && !only.includes(member.name)) || isLater(member, "none")) continue;
      const value = this.member(member, node, depth + 1);
      if (value !== null) made[member.name] = value;
    }
    if (!Object.keys(made).some((key) => key !== "@type") && !shape.bare.includes(made["@type"])) return null;
    return only.length ? made : finished(shape, made);
  }
}

/** @param {Member} member @param {string} kind */
const isLater = (member, kind) => member.kinds.length === 1 && member.kinds[0] === kind;
/** @param {Shape} shape @param {Record<string, any>} made */
const inOrder = (shape, made) =>
  Object.fromEntries(shape.members.filter(({ name }) => name in made).map(({ name }) => [name, made[name]]));
/** Only an address is known of it. @param {Shape} shape @param {string|null} target @param {Reading} reading */
const pointed = (shape, target, reading) => {
  const found = shape.url && target && !target.includes("#") ? absolute(target, reading.base) : null;
  return found ? finished(shape, { [shape.url]: found }) : null;
};
/** With defaults, in the order of the shape; null if a required member is missing: what a source adds and the place in a list
 * come later. @param {Shape} shape @param {Record<string, any>} made */
const finished = (shape, made) => {
  for (const { name, fallback } of shape.members) if (fallback !== undefined && !(name in made)) made[name] = fallback;
  const isComplete = shape.required.every((name) => {
    const member = /** @type {Member} */ (shape.byName.get(name));
    return name in made || isLater(member, "none") || isLater(member, "position");
  });
  return isComplete ? inOrder(shape, made) : null;
};
/**
 * Without a position of its own, a member of a list has that of its place.
 * @param {Shape} shape
 * @param {Record<string, any>} made
 * @param {number} place
 */
const placed = (shape, made, place) => {
  const missing = shape.members.filter((member) => isLater(member, "position") && !(member.name in made));
  if (!missing.length) return made;
  for (const member of missing) made[member.name] = place;
  return inOrder(shape, made);
};
/**
 * A text that stands for a field because the document holds it under another one.
 * @param {Member} member
 * @param {Record<string, any>} document
 */
const fromFields = (member, document) => {
  for (const source of member.sources) {
    const found = source.field ? valuesAt(document, source.field).filter((each) => typeof each === "string") : [];
    if (found.length) return found[source.pick === "last" ? found.length - 1 : 0];
  }
  return null;
};
/**
 * Entries in order, equal ones once; equal in `names`, or wholly without names.
 * @param {any[]} entries
 * @param {string[]} names
 */
const distinct = (entries, names) => {
  const seen = new Set();
  return entries.filter((entry) => {
    const key = JSON.stringify(names.length ? names.map((name) => entry[name] ?? null) : entry);
    return !seen.has(key) && seen.add(key);
  });
};
