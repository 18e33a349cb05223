// @ts-check
// A node of a page -> the unified document, by the mapping of its service type. The twin of waypost/snippet/unified.py
// and catalogue.py: the interpreter of `x-fields` and of the shapes in unified.schema.json. Depth and size are bounded.

const UNIFIED_CONTEXT = "https://schema.org",
  NOWHERE = "about:blank";
const DEEPEST_SHAPE = 8,
  MOST_VALUES = 20_000,
  ROLES_IN_A_ROW = 4;
const SPAN_MEMBERS = ["minValue", "maxValue", "unitCode", "unitText"];

/** @typedef {Record<string, any>} Source */
/** @typedef {{name: string, kinds: string[], sources: Source[], many: boolean, takeAll: boolean, choices: any[],
 *   fallback: any, unique: string[]|null, sort: string, join: string, never: any[]}} Member */
/** @typedef {{name: string, members: Member[], byName: Map<string, Member>, required: string[], types: Set<string>,
 *   text: string, url: string, bare: string[]}} Shape */
/** @typedef {{service: string, standard: string, fields: Member[], has: Set<string>, card: any}} Mapping */
/** @typedef {{node: Thing, prop: string, place: number}} Origin */
/** @typedef {{wrapper: Thing|null, trail: Thing|null, url: string|null, base: string|null}} Setting */

/** @param {string|string[]} value */
const asList = (value) => (Array.isArray(value) ? value : [value]);
/** @param {any[]} sources @returns {Source[]} */
const asSources = (sources) => sources.map((each) => (typeof each === "string" ? { path: each } : each));

/** A registry as the snippet code asks about it. */
class Catalogue {
  /** @param {any} data the registry's data file @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    this.vocabulary = vocabulary;
    this.unified = data.unified;
    this.order = Object.keys(data.unified.properties);
    this.words = data.words;
    this.standings = data.standings;
    this.dispatch = new Dispatch(data.mappings, data.delegates, vocabulary);
    /** @type {Map<string, Shape>} */
    this.shapes = new Map();
    for (const [name, schema] of Object.entries(data.unified.$defs)) {
      const [first] = Object.values(schema.properties || {});
      if (first && "x-from" in /** @type {any} */ (first)) this.shapes.set(name, shapeOf(name, schema));
    }
    /** @type {Map<string, Mapping>} */
    this.mappings = new Map(data.mappings.map((/** @type {any} */ each) => [each.title, this.mapping(each)]));
  }

  /** @param {any} document @returns {Mapping} */
  mapping(document) {
    const { properties } = this.unified;
    const fields = this.order
      .filter((name) => name in document["x-fields"])
      .map((name) => {
        const field = document["x-fields"][name],
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
    return {
      service: document.title,
      standard: document["x-standard-type"],
      fields,
      has: new Set(fields.map((each) => each.name)),
      card: document["x-card"],
    };
  }

  /** Does it fit the schema of the unified model? @param {any} document */
  isUnified(document) {
    return conforms(this.unified, document, this.unified.$defs);
  }
}
/** @param {string} name @param {any} schema @returns {Shape} */
const shapeOf = (name, schema) => {
  const members = Object.entries(/** @type {Record<string, any>} */ (schema.properties)).map(([each, part]) => ({
    name: each,
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
    types: new Set(schema["x-types"] || []),
    text: schema["x-text"] || "",
    url: schema["x-url"] || "",
    bare: schema["x-bare"] || [],
  };
};

/** The keywords of JSON Schema that the registry uses; `format` says nothing here, as in the first interpreter.
 * @param {any} schema @param {any} value @param {Record<string, any>} defs @returns {boolean} */
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

/** Which card a type gets: the nearest ancestor that a mapping starts from. */
class Dispatch {
  /** @param {any[]} mappings @param {any[]} delegates @param {Vocabulary} vocabulary */
  constructor(mappings, delegates, vocabulary) {
    this.vocabulary = vocabulary;
    /** @type {Map<string, {page: number, tie: number, lifts: boolean}>} */
    this.rank = new Map(mappings.map((each) => [each.title, each["x-rank"]]));
    this.starts = new Map(
      mappings.flatMap((each) => each["x-source-types"].map((/** @type {string} */ type) => [type, each.title])),
    );
    this.barred = new Set(mappings.flatMap((each) => each["x-excludes"]));
    this.delegates = [...delegates].sort((one, two) => Number(one.subtypes) - Number(two.subtypes));
    /** @type {Map<string, string|null>} */
    this.known = new Map();
  }

  /** @param {string} name @returns {string|null} */
  serviceOf(name) {
    let known = this.known.get(name);
    if (known === undefined) {
      known = this.nearest(name);
      if (this.known.size < 4096) this.known.set(name, known);
    }
    return known;
  }

  /** @param {string} name */
  nearest(name) {
    if (this.vocabulary.areA([name], this.barred)) return null;
    let level = [name];
    const seen = new Set(level);
    while (level.length) {
      const hits = level.filter((each) => this.starts.has(each)).map((each) => this.starts.get(each));
      if (hits.length) return this.first(hits);
      level = unique(level.flatMap((each) => this.vocabulary.types.get(each)?.p || [])).filter(
        (each) => !seen.has(each),
      );
      for (const each of level) seen.add(each);
    }
    return null;
  }

  /** @param {string[]} services */
  first(services) {
    const tie = (/** @type {string} */ service) => /** @type {any} */ (this.rank.get(service)).tie;
    return services.reduce((one, two) => (tie(two) < tie(one) || (tie(two) === tie(one) && two < one) ? two : one));
  }

  /**
   * [service type, standard type] of something with these types, else null.
   * @param {string[]} types
   * @returns {[string, string]|null}
   */
  service(types) {
    const served = types.flatMap((name) => {
      const service = this.serviceOf(name);
      return service === null ? [] : [{ service, name }];
    });
    if (!served.length) return null;
    const best = this.first(served.map((each) => each.service));
    const names = served.filter((each) => each.service === best).map((each) => each.name);
    return [
      best,
      names.find((name) => !names.some((other) => other !== name && this.vocabulary.isA(other, name))) ?? names[0],
    ];
  }

  /** How something with these types speaks for another thing, if it does. @param {string[]} types */
  delegate(types) {
    for (const name of types) {
      if (this.serviceOf(name) !== null) continue;
      const found = this.delegates.find(
        (each) => name === each.type || (each.subtypes && this.vocabulary.isA(name, each.type)),
      );
      if (found) return found;
    }
    return null;
  }
}

/** One document being made. */
class Unifier {
  /** @param {Catalogue} catalogue @param {Setting} setting @param {Record<string, Origin[]>} origins is filled */
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
   * The thing (or its page) read as a shape of its own.
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
    for (let n = 0; n < ROLES_IN_A_ROW && this.isA(value, ["Role"]); n++) {
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

  /** Members that the entry lacks, from properties of the node that holds it. @param {string} name @param {Source} source
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
    if (!(value instanceof Thing)) return this.told(last, value, reading);
    if (value.props.size) {
      const shape = shapes.find((each) => each.types.size && this.vocabulary.areA(value.types, each.types)) || last;
      return this.build(shape, value, depth, []);
    }
    return value.types.length && !value.id ? null : pointed(last, value.id, reading);
  }

  /** A bare text where an object could stand. @param {Shape} shape @param {Value} value @param {Reading} reading */
  told(shape, value, reading) {
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
      const told = TRANSFORMS[(kinds.length ? kinds : member.kinds)[0]](value, reading);
      if (told.length) made[member.name] = member.many ? told : told[0];
    }
    return shape.text in made ? finished(shape, made) : null;
  }

  /** A node as an object; null where nothing can be read or what is required lacks.
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
/** With defaults, in the order of the shape; null if something required lacks: what a source adds and the place in a list
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
 * Every value at a dotted path of a document, lists opened on the way.
 * @param {any} document
 * @param {string} path
 * @returns {any[]}
 */
const look = (document, path) => {
  let values = [document];
  for (const step of path.split(".")) {
    values = values
      .flat(1)
      .filter((value) => isThing(value) && Object.hasOwn(value, step))
      .map((value) => value[step]);
  }
  return values.flat(1);
};
/** @param {any} value */
const isThing = (value) => !!value && typeof value === "object" && !Array.isArray(value) && !(value instanceof Float);
/**
 * A text that stands for a field because the document holds it under another one.
 * @param {Member} member
 * @param {Record<string, any>} document
 */
const fromFields = (member, document) => {
  for (const source of member.sources) {
    const found = source.field ? look(document, source.field).filter((each) => typeof each === "string") : [];
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
/** A document with plain numbers. @param {any} value @returns {any} */
const plainly = (value) => {
  if (value instanceof Float) return value.value;
  if (Array.isArray(value)) return value.map(plainly);
  return isThing(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainly(each)])) : value;
};
