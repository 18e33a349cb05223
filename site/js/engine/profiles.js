// @ts-check
// What a consumer asks of markup before it shows a result: the second interpreter of schemas/profiles/. The twin of
// waypost/validate/profiles/; the shortcuts that only save time are left out, what is said is the same.

const NAMED_BY_TEXT = new Set([
  "about",
  "applicantLocationRequirements",
  "author",
  "brand",
  "contributor",
  "creator",
  "director",
  "eligibleRegion",
  "funder",
  "hiringOrganization",
  "manufacturer",
  "organizer",
  "performer",
  "provider",
  "publisher",
]);
const ROLE_TYPES = new Set(["Role", "OrganizationRole", "EmployeeRole", "PerformanceRole", "LinkRole"]);
const DATA_VOCABULARY = "data-vocabulary.org";
const DEEPEST_REQUIREMENT = 10;
const FILTER = /\[\w+\]/g;

/** @typedef {(look: Look, node: Thing) => boolean|null} Test */
/** @typedef {{node: Thing, prop: string|null, at: number|null, value: Value}} Hit */

/** One look at a page by the profiles. */
class Look {
  /** @param {Scene} scene */
  constructor(scene) {
    this.scene = scene;
    this.page = scene.page;
    this.vocabulary = scene.vocabulary;
    this.asserting = false;
    /** @type {Map<Thing, Map<Requirements, Outcome|null>>} */
    this.outcomes = new Map();
  }

  /** @param {string[]} names @param {Set<string>} of */
  areA(names, of) {
    return this.vocabulary.areA(names, of);
  }
}

/** Does it only point somewhere that this page does not show? @param {Thing} node */
const isReference = (node) => node.reference || (!node.props.size && node.id !== null);
/** @param {Thing} node */
const isRole = (node) => node.types.some((name) => ROLE_TYPES.has(name));
/** @param {any} value @returns {boolean|null} */
const truthOf = (value) => {
  if (typeof value === "boolean") return value;
  const text = value instanceof Thing ? value.id : value;
  const name = typeof text === "string" ? bare(strip(text)) : null;
  return name !== null && /^(?:true|True|TRUE)$/.test(name)
    ? true
    : name !== null && /^(?:false|False|FALSE)$/.test(name)
      ? false
      : null;
};
/** The text of a value, or the bare name of what it points to. @param {any} value @returns {string|null} */
const said = (value) => {
  const text = value instanceof Thing ? value.id : value;
  if (typeof text !== "string")
    return text === null || text === undefined || typeof text === "boolean" ? null : String(text);
  const trimmed = strip(text);
  return bare(trimmed) || trimmed;
};
/** @param {any} value @param {any} literal */
const equals = (value, literal) => {
  if (typeof literal === "boolean") return truthOf(value) === literal;
  if (typeof literal === "number") {
    const exactly = value instanceof Thing ? null : number(value);
    return exactly !== null && exactly.compare(Dec.of(String(literal))) === 0;
  }
  return said(value) === literal;
};

/** A compiled path: `offers.price`, `^.name`, `priceSpecification[active].price`. */
class Path {
  /** @param {string} text @param {Map<string, Test>} filters */
  constructor(text, filters) {
    this.text = text;
    this.up = text.startsWith("^.");
    const steps = withoutPrefix(text, "^.")
      .split(".")
      .map((part) => {
        const [, prop, filter] = /** @type {RegExpExecArray} */ (/^(@?\w+(?:-input)?)(?:\[(\w+)\])?$/.exec(part));
        return { prop, test: filter ? /** @type {Test} */ (filters.get(filter)) : null };
      });
    const last = /** @type {typeof steps[0]} */ (steps.pop());
    this.way = steps;
    this.last = last.prop;
    this.test = last.test;
    this.simple = !this.up && !steps.length && !last.test && this.last[0] !== "@";
    /** The property that a scope must have for anything to be reached; null where it is not so simple. */
    this.first = this.up || text[0] === "@" ? null : (steps[0] || last).prop;
  }

  /**
   * [present values, objects that lack one]; where nothing can be demanded both are empty.
   * @param {Look} look
   * @param {Thing} scope
   * @returns {[Hit[], Thing[]]}
   */
  look(look, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return [[], [scope]];
    if (this.simple) {
      const found = this.at(look, scope);
      return [found, found.length ? [] : [scope]];
    }
    const { reached, named, excused } = this.walk(look, scope);
    const hits = named;
    /** @type {Thing[]} */
    const lacking = [];
    let isExcused = excused;
    for (const node of reached) {
      const found = this.at(look, node);
      if (found.length) addAll(hits, found);
      else if (isReference(node) && node !== scope) isExcused = true;
      else lacking.push(node);
    }
    if (!reached.length && !named.length && !isExcused) lacking.push(scope);
    return [hits, lacking];
  }

  /** @param {Look} look @param {Thing} scope */
  present(look, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return false;
    if (this.simple) return /** @type {Value[]} */ (scope.props.get(this.last)).some(isPresent);
    return this.look(look, scope)[0].length > 0;
  }

  /** The objects at its end. @param {Look} look @param {Thing} scope @returns {Thing[]} */
  allObjects(look, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return [];
    return this.walk(look, scope).reached.flatMap((node) => thingsAt(look, node, this.last, this.test).things);
  }

  /** @param {Look} look @param {Thing} scope @returns {{reached: Thing[], named: Hit[], excused: boolean}} */
  walk(look, scope) {
    let nodes = this.up ? linksOf(scope).map(([holder]) => holder) : [scope];
    /** @type {Hit[]} */
    const named = [];
    for (const [n, { prop, test }] of this.way.entries()) {
      const ends = n === this.way.length - 1 && this.last === "name" && NAMED_BY_TEXT.has(prop);
      /** @type {Thing[]} */
      const reached = [];
      for (const node of nodes) {
        const { things, texts } = thingsAt(look, node, prop, test);
        addAll(reached, things);
        if (ends) addAll(named, texts);
      }
      if (!reached.length)
        return { reached: [], named, excused: nodes.some((node) => node !== scope && isReference(node)) };
      nodes = reached;
    }
    return { reached: nodes, named, excused: false };
  }

  /** @param {Look} look @param {Thing} node @returns {Hit[]} */
  at(look, node) {
    if (this.last === "@id") return node.id ? [{ node, prop: null, at: null, value: node.id }] : [];
    if (this.last === "@type") return node.types.map((name) => ({ node, prop: null, at: null, value: name }));
    /** @type {Hit[]} */
    const found = [];
    (node.props.get(this.last) || []).forEach((value, at) => {
      if (isPresent(value) && (!this.test || (value instanceof Thing && this.test(look, value))))
        found.push({ node, prop: this.last, at, value });
    });
    return found;
  }
}
/**
 * Objects and texts that a property holds; what a Role holds in its turn counts for the Role.
 * @param {Look} look
 * @param {Thing} node
 * @param {string} prop
 * @param {Test|null} test
 */
const thingsAt = (look, node, prop, test) => {
  /** @type {Thing[]} */
  const things = [];
  /** @type {Hit[]} */
  const texts = [];
  (node.props.get(prop) || []).forEach((value, at) => {
    if (value instanceof Thing) {
      if (isRole(value) && value.props.has(prop))
        addAll(
          things,
          value.nodes(prop).filter((each) => !isRole(each)),
        );
      else if (isPresent(value) && (!test || test(look, value))) things.push(value);
    } else if (typeof value === "string" && isPresent(value)) texts.push({ node, prop, at, value });
  });
  return { things, texts };
};

/**
 * A condition as a function of the scope object: true, false, or null where the markup cannot show it.
 * @param {any} condition
 * @param {Map<string, Test>} filters
 * @returns {Test}
 */
const compileCondition = (condition, filters) => {
  const [[form, told]] = Object.entries(condition);
  switch (form) {
    case "present": {
      const path = new Path(told, filters);
      return (look, node) => path.present(look, node);
    }
    case "absent": {
      const path = new Path(told, filters);
      return (look, node) => !path.present(look, node);
    }
    case "path":
      return compared(condition, filters);
    case "type":
      return typed(told, filters);
    case "nested": {
      const types = told.in ? new Set(told.in) : null;
      return (look, node) =>
        linksOf(node).some(
          ([holder, prop]) => (!told.by || told.by.includes(prop)) && (!types || look.areA(holder.types, types)),
        );
    }
    case "not": {
      const test = compileCondition(told, filters);
      return (look, node) => {
        const truth = test(look, node);
        return truth === null ? null : !truth;
      };
    }
    case "all":
      return combined(told, filters, false);
    case "any":
      return combined(told, filters, true);
    case "intent":
      return (look) => (look.asserting ? true : null);
    case "last_item":
      return isLastItem;
    case "external_url":
      return isElsewhere;
    default:
      return isHomePage;
  }
};
/** @param {any} condition @param {Map<string, Test>} filters @returns {Test} */
const compared = (condition, filters) => {
  const path = new Path(condition.path, filters);
  if ("gt" in condition) {
    const bound = Dec.of(String(condition.gt));
    return (look, node) => path.look(look, node)[0].some((hit) => (number(hit.value)?.compare(bound) ?? 0) > 0);
  }
  const wanted = asList(condition.is);
  return (look, node) => path.look(look, node)[0].some((hit) => wanted.some((each) => equals(hit.value, each)));
};
/** @param {any} told @param {Map<string, Test>} filters @returns {Test} */
const typed = (told, filters) => {
  const wanted = new Set(asList(told.is)),
    never = new Set(asList(told.except || []));
  const path = told.path ? new Path(told.path, filters) : null;
  return (look, node) => {
    const things = path ? path.allObjects(look, node) : [node];
    if (things.some((each) => look.areA(each.types, wanted) && !look.areA(each.types, never))) return true;
    return things.length && !things.some((each) => each.types.length) ? null : false;
  };
};
/**
 * All of them, or any: the first that settles it counts, else what is not known.
 * @param {any[]} conditions
 * @param {Map<string, Test>} filters
 * @param {boolean} settles
 * @returns {Test}
 */
const combined = (conditions, filters, settles) => {
  const tests = conditions.map((each) => compileCondition(each, filters));
  return (look, node) => {
    /** @type {boolean|null} */
    let known = !settles;
    for (const test of tests) {
      const found = test(look, node);
      if (found === settles) return settles;
      if (found === null) known = null;
    }
    return known;
  };
};
/** @type {Test} */
const isLastItem = (_, node) => linksOf(node).some(([holder, prop]) => lastItem(holder, prop) === node);
/** Last items of holders by property: found anew for each item, a long list would take quadratic time.
    @type {WeakMap<Thing, Map<string, Thing|null>>} */
const lastItems = new WeakMap();
/** @param {Thing} holder @param {string} prop */
const lastItem = (holder, prop) => {
  const known = lastItems.get(holder) || new Map();
  if (!known.has(prop)) lastItems.set(holder, known.set(prop, lastOf(holder.nodes(prop))));
  return known.get(prop);
};
/** The item with the highest position; the last one where positions are missing or equal. @param {Thing[]} items */
const lastOf = (items) => {
  const positions = items.map((item) => number(item.get("position")));
  const isOrdered =
    items.length > 0 &&
    positions.every((each) => each !== null) &&
    new Set(positions.map((each) => canonical(/** @type {Dec} */ (each)))).size === items.length;
  if (!isOrdered) return items[items.length - 1] ?? null;
  return items.reduce((one, two) =>
    isAbove(/** @type {Dec} */ (number(two.get("position"))), /** @type {Dec} */ (number(one.get("position"))))
      ? two
      : one,
  );
};
/** @type {Test} */
const isElsewhere = ({ page }, node) => {
  const url = node.get("url");
  if (typeof url !== "string") return false;
  if (page.url === null) return null;
  try {
    return urldefrag(urljoin(page.base || page.url, strip(url))) !== urldefrag(page.url);
  } catch (fault) {
    if (fault instanceof UrlFault) return false;
    throw fault;
  }
};
/** @type {Test} */
const isHomePage = ({ page }) => {
  const parts = splitUrl(page.url);
  return parts ? (parts.path === "" || parts.path === "/") && !parts.query : null;
};
/**
 * What a caller would have to assert for a condition to become decidable, in words.
 * @param {any} condition
 * @returns {string[]}
 */
const intentsOf = (condition) => {
  const found = [],
    waiting = [condition];
  for (const each of waiting) {
    if (Array.isArray(each)) waiting.push(...each);
    else if (each && typeof each === "object") {
      if ("intent" in each) found.push(each.intent);
      waiting.push(...Object.values(each));
    }
  }
  return found;
};

// Kinds of values.

const COMMON_URL = rx("af")`https?://[A-Za-z\d][A-Za-z\d.\-]*[A-Za-z\d](?:/\S*)?`;
/** @param {any} value */
const readsText = (value) => typeof value === "string" || value instanceof Num;
/** @param {any} value @returns {boolean} */
const readsUrl = (value) => {
  if (value instanceof Thing) return !!(value.id || isTrue(value.get("url")) || isTrue(value.get("contentUrl")));
  if (typeof value !== "string") return false;
  const text = strip(value);
  if (COMMON_URL.test(text)) return true;
  const found = address(head(text, 2000));
  return found.fault === null && ["", "http", "https"].includes(found.scheme) && text !== "" && !hasSpace(text);
};
/** @param {any} value */
const readsDate = (value) => momentOf(value instanceof Num && value.whole ? String(value) : value) !== null;
/** @param {any} value */
const isFewDigits = (value) => typeof value === "string" && value.length < 20 && isDigits(value);
/** @param {any} value */
const readsGtin = (value) => {
  const digits = strip(value instanceof Thing ? "" : str(value));
  return (
    isDigits(digits) &&
    [8, 12, 13, 14].includes(digits.length) &&
    gs1CheckDigit(digits.slice(0, -1)) === Number(digits.slice(-1))
  );
};
/** @param {string} name @param {Tables} tables */
const isCountry = (name, { countries, longCodes, countryNames }) =>
  countries.has(name.toUpperCase()) || longCodes.has(name.toUpperCase()) || countryNames.has(casefold(name));
/** @type {Record<string, [(value: any, tables: Tables) => boolean, string]>} */
const READS = {
  Text: [readsText, "a text"],
  HTML: [readsText, "a text"],
  URL: [readsUrl, "a URL"],
  Date: [readsDate, "a date"],
  DateTime: [readsDate, "a date and time"],
  Time: [(value) => typeof value === "string" && !("fault" in readTime(value)), "a time of day"],
  Duration: [(value) => typeof value === "string" && readDuration(value) !== null, "a duration"],
  Number: [(value) => isFewDigits(value) || number(value) !== null, "a plain number"],
  Integer: [(value) => isFewDigits(value) || !!number(value)?.isWhole, "a whole number"],
  Boolean: [(value) => truthOf(value) !== null, "true or false"],
  currency: [(value, tables) => typeof value === "string" && tables.currencies.has(strip(value)), "a code of ISO 4217"],
  country: [
    (value, tables) => {
      const text = value instanceof Thing ? (isTrue(value.get("name")) ? value.get("name") : value.id) : value;
      if (typeof text !== "string") return false;
      return (
        text
          .split(",")
          .slice(0, 300)
          .every((name) => isCountry(strip(name), tables)) || isCountry(strip(text), tables)
      );
    },
    "a code of ISO 3166-1",
  ],
  language: [
    (value) => typeof nameOf(value) === "string" && (value instanceof Thing || isLanguageTag(strip(value))),
    "a language tag",
  ],
  gtin: [readsGtin, "a GTIN"],
  isbn13: [
    (value) => {
      const digits = strip(value instanceof Thing ? "" : str(value).replaceAll("-", ""));
      return size(digits) === 13 && readsGtin(digits);
    },
    "an ISBN of 13 digits",
  ],
  rating: [(value) => rating(value) !== null, "a rating"],
  image: [readsUrl, "a URL or an ImageObject"],
  phone: [(value) => readsText(value) && countDigits(str(value)) > 0, "a telephone number"],
  email: [(value) => typeof value === "string" && value.includes("@"), "a mailbox"],
  "URL template": [(value) => typeof value === "string" && value.includes("{"), "a URL with a placeholder"],
  link: [
    (value) => (value instanceof Thing ? !!value.id || value.block.syntax !== "json-ld" : readsUrl(value)),
    "a URL, or an object with an @id",
  ],
  temporal: [readsText, "a period"],
  year: [(value) => !(value instanceof Thing) && /^[0-9]{4}$/.test(strip(str(value))), "a year"],
};

/**
 * How a value fits: as nothing (`wrong` says why), as what is wanted, or as a shape to be judged.
 * @typedef {{wrong?: string, shape?: string, closed?: boolean}} Fit
 */
/** @type {Fit} */
const FITS = {};

/** Members of an enumeration in words; of many the first ones. @param {string[]} members @param {string} what */
const membersInWords = (members, what) =>
  members.length <= 8 ? listed(members, "or") : `${members.slice(0, 4).join(", ")} or another of ${members.length} ${what}`;

/** One `value` of an entry, compiled. `isPlain`: it names nothing but plain kinds, for which rules speak. */
class Kinds {
  /** @param {string} text @param {House} house */
  constructor(text, house) {
    const { enums, shapes } = house.consumer;
    /** @type {((value: any, tables: Tables) => boolean)[]} */
    this.reads = [];
    /** @type {any[]} */
    this.enums = [];
    /** @type {Set<string>} */
    this.types = new Set();
    /** @type {{name: string, wanted: Set<string>, barred: Set<string>}[]} */
    this.shapes = [];
    const expected = [];
    for (const kind of text.split("|")) {
      const [home, , name] = rpartition(kind, ":");
      if (home === "enum") {
        this.enums.push(enums[name]);
        expected.push(membersInWords(enums[name].members, "values"));
      } else if (home === "types") {
        for (const each of enums[name].members) this.types.add(each);
        expected.push(membersInWords(enums[name].members, "types"));
      } else if (home === "shape") {
        const source = shapes[name].rule ? house.profile(shapes[name].rule) : shapes[name];
        const wanted = new Set(source.types || []);
        this.shapes.push({ name, wanted, barred: new Set(source.exclude_types || []) });
        expected.push(listed([...wanted].sort(), "or"));
      } else if (Object.hasOwn(READS, kind)) {
        this.reads.push(READS[kind][0]);
        expected.push(READS[kind][1]);
      } else {
        this.types.add(kind);
        expected.push(kind);
      }
    }
    this.expected = listed(unique(expected), "or");
    this.isPlain = !this.enums.length && !this.types.size && !this.shapes.length;
    this.hasScale = text === "rating";
  }

  /** @param {Look} look @param {Hit} hit @returns {Fit} */
  fit(look, hit) {
    const { value } = hit;
    if (this.reads.some((reads) => reads(value, look.scene.tables)))
      return this.hasScale && scaleMissed(hit.node, value) ? { wrong: "it lies outside its scale" } : FITS;
    if (this.enums.some((each) => isOfEnum(look, each, value))) return FITS;
    return value instanceof Thing ? this.asThing(look, value) : this.asText(look, hit);
  }

  /** @param {Look} look @param {Thing} node @returns {Fit} */
  asThing(look, node) {
    if (this.enums.length && !this.types.size && !this.shapes.length) {
      if (isReference(node) && node.id && said(node) === strip(node.id)) return FITS; // of another vocabulary
      return { wrong: `${said(node) || "an object"} is not ${this.expected}`, closed: true };
    }
    return isReference(node) ? FITS : this.asTypes(look, node.types);
  }

  /** @param {Look} look @param {string[]} types @returns {Fit} */
  asTypes(look, types) {
    if (types.some((name) => name.includes(":") || name.endsWith("Role"))) return FITS;
    if (!types.length)
      return this.shapes.length
        ? { shape: this.shapes[0].name }
        : this.types.size
          ? FITS
          : { wrong: "it is an object" };
    const shape = this.shapes.find(({ wanted, barred }) => look.areA(types, wanted) && !look.areA(types, barred));
    if (shape) return { shape: shape.name };
    if (look.areA(types, this.types)) return FITS;
    const are = types.join(" and ");
    if (this.isPlain) return { wrong: `it is an object of type ${are}, not ${this.expected}` };
    return { wrong: `it is of type ${are} where ${this.expected} is expected`, closed: true };
  }

  /** @param {Look} look @param {Hit} hit @returns {Fit} */
  asText(look, { value, prop }) {
    if (typeof value === "string" && (this.types.size || this.shapes.length)) {
      const text = strip(value);
      if (
        (prop !== null && NAMED_BY_TEXT.has(prop)) ||
        text.includes("://") ||
        look.vocabulary.types.has(said(text) || "")
      )
        return FITS;
      return { wrong: `it is a text where ${this.expected} is expected`, closed: true };
    }
    if ((value instanceof Num || typeof value === "boolean") && this.types.has("QuantitativeValue") && number(value))
      return FITS;
    if (this.isPlain) return { wrong: `it is not ${this.expected}` };
    const told = said(value);
    return {
      wrong: `${typeof value === "boolean" ? value : told === null ? "None" : repr(told)} is not ${this.expected}`,
      closed: true,
    };
  }
}
/**
 * Words as written; members, types and properties by their bare names.
 * @param {Look} look
 * @param {any} listing
 * @param {Value} value
 */
const isOfEnum = (look, listing, value) => {
  if (listing.open) return true;
  if (listing.kind === "type") return value instanceof Thing && look.areA(value.types, new Set(listing.members));
  if (value instanceof Thing && value.types.length && !value.id)
    return value.types.some((name) => listing.members.includes(name));
  return listing.members.includes(said(value));
};

// Entries as checks, and what they find in a node.

const REQUIRED = 0;
const SOFT = 1;
const WANTED = 2;
const PERHAPS = 3;
const LIMIT = 4;
/** Something that an entry finds wrong; see `Fault` in waypost/validate/profiles/requirements.py.
 * @typedef {{kind: string, node: Thing, path: string, ask: string, prop: string|null, at: number|null, words: string, rule: string|null, loses: string|null,
 *   certain: boolean, severity: string|null, held: boolean, own: boolean}} Fault */
/** @param {string} prefix @param {string} path */
const belowPath = (prefix, path) => (prefix ? prefix + path.replaceAll("|", `|${prefix}`) : path);
/** @param {Fault} fault @param {string} prefix @param {string|null} [loses] @returns {Fault} */
const belowFault = (fault, prefix, loses = null) => ({
  ...fault,
  path: fault.held ? fault.path : belowPath(prefix, fault.path),
  loses: fault.loses || loses,
});

/** What one set of requirements finds in one node. */
class Outcome {
  constructor() {
    /** Is a required list too short? A warning, and no result. */
    this.isShort = false;
    /** @type {Fault[]} */
    this.required = [];
    /** @type {Fault[]} */
    this.soft = [];
    /** @type {Fault[]} */
    this.limits = [];
    /** @type {Map<string, Thing>} */
    this.wanted = new Map();
    /** @type {Map<string, string[]>} */
    this.perhaps = new Map();
    /** @type {Map<string, string[]>} */
    this.demanded = new Map();
  }

  /** @param {number} level @param {Fault} fault */
  add(level, fault) {
    (level === REQUIRED ? this.required : level === LIMIT ? this.limits : this.soft).push(fault);
  }

  /**
   * Take over what was found in a nested object.
   * @param {Outcome} inside
   * @param {string} prefix
   * @param {number} level
   * @param {string|null} loses
   */
  lift(inside, prefix, level, loses) {
    if (level === REQUIRED) for (const fault of inside.required) this.required.push(belowFault(fault, prefix));
    else if (level !== PERHAPS) {
      for (const fault of inside.required)
        if (fault.certain && !fault.own) this.soft.push(belowFault(fault, prefix, loses));
    }
    if (level === PERHAPS) return;
    for (const fault of inside.soft) this.soft.push(belowFault(fault, prefix));
    for (const fault of inside.limits) this.limits.push(belowFault(fault, prefix));
    for (const [own, theirs] of /** @type {[Map<string, any>, Map<string, any>][]} */ ([
      [this.wanted, inside.wanted],
      [this.perhaps, inside.perhaps],
      [this.demanded, inside.demanded],
    ])) {
      for (const [path, what] of theirs) if (!own.has(belowPath(prefix, path))) own.set(belowPath(prefix, path), what);
    }
  }
}

class Requirements {
  /**
   * @param {any} source a profile or shape
   * @param {House} house
   * @param {string|null} loses
   * @param {boolean} isProfile
   */
  constructor(source, house, loses, isProfile) {
    /** @type {Check[]} */
    this.checks = [];
    for (const [level, part] of /** @type {[number, string][]} */ ([
      [REQUIRED, "required"],
      [WANTED, "recommended"],
      [LIMIT, "limits"],
    ])) {
      for (const entry of source[part] || []) this.checks.push(new Check(entry, level, house));
    }
    this.loses = loses;
    this.isProfile = isProfile;
  }

  /**
   * What a node lacks; remembered, and nothing where it is already being judged further up.
   * @param {Look} look
   * @param {Thing} node
   * @returns {Outcome}
   */
  judge(look, node, depth = 0) {
    const known = look.outcomes.get(node) || new Map();
    look.outcomes.set(node, known);
    const before = known.get(this);
    if (before) return before;
    if (before === null || depth > DEEPEST_REQUIREMENT) return new Outcome();
    known.set(this, null);
    const outcome = new Outcome();
    for (const check of this.checks) check.run(look, node, outcome, depth);
    known.set(this, outcome);
    return outcome;
  }
}

/** One entry, compiled. */
class Check {
  /** @param {any} entry @param {number} part @param {House} house */
  constructor(entry, part, house) {
    this.entry = entry;
    this.house = house;
    const isMild =
      entry.row === "recommended" || entry.severity || !["table", "prose"].includes(entry.basis || "table");
    this.level = entry.beta ? PERHAPS : part === REQUIRED && isMild ? SOFT : part;
    this.when = entry.when ? compileCondition(entry.when, house.filters) : null;
    this.intents = intentsOf(entry.when);
    if (!this.intents.length && entry.beta) this.intents = ["trial"];
    this.each = entry.each ? new Path(entry.each, house.filters) : null;
    this.prefix = entry.each ? `${entry.each}.` : "";
    /** @type {string[]} */
    const texts = entry.absent
      ? [entry.absent]
      : entry.path
        ? [entry.path]
        : unique([...(entry.any_of || []), ...(entry.any_of_groups || []).flat()]);
    this.paths = new Map(texts.map((text) => [text, new Path(text, house.filters)]));
    this.only = { text: texts[0], path: /** @type {Path} */ (this.paths.get(texts[0])) };
    this.whole = texts.join("|");
    /**
     * What is missing at a path: as it is told, and from the object that lacks it.
     * @type {Map<string, {path: string, ask: string, held: boolean}>}
     */
    this.asks = new Map();
    this.kinds = new Map(
      texts.flatMap((text) => {
        const kind = entry.values?.[text] ?? entry.value;
        return kind ? [/** @type {[string, Kinds]} */ ([text, house.kinds(kind)])] : [];
      }),
    );
    this.prefer = entry.prefer ? house.kinds(entry.prefer) : null;
    this.limits = limitsOf(entry);
    this.isPlain = !this.limits.length && !this.prefer && [...this.kinds.values()].every((each) => each.isPlain);
    this.isCounted = !!(entry.min_items || entry.max_items || entry.unique || entry.includes);
  }

  /**
   * Judge a node, or every object that `each` reaches from it.
   * @param {Look} look
   * @param {Thing} node
   * @param {Outcome} outcome
   * @param {number} depth
   */
  run(look, node, outcome, depth) {
    const scopes = this.each ? this.each.allObjects(look, node).filter((each) => !isReference(each)) : [node];
    for (const scope of scopes) {
      const holds = this.when ? this.when(look, scope) : true;
      if (holds === false) continue;
      const level = holds === null ? PERHAPS : this.level;
      if (this.entry.absent) this.absent(look, scope, outcome, level);
      else if (this.entry.any_of_groups) this.anyOfGroups(look, scope, outcome, level, depth);
      else if (this.entry.any_of) this.anyOf(look, scope, outcome, level, depth);
      else this.path(look, scope, outcome, level, depth);
    }
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} node @param {string} text */
  missing(outcome, level, node, text) {
    const { entry } = this;
    if (entry.default !== undefined) return;
    let asked = this.asks.get(text);
    if (!asked) {
      const held = text.startsWith("^."),
        ask = withoutPrefix(text.replace(FILTER, ""), "^.");
      asked = { held, ask, path: held ? ask : belowPath(this.prefix, ask) };
      this.asks.set(text, asked);
    }
    const { held, ask, path } = asked;
    if (level === WANTED) {
      if (!outcome.wanted.has(path)) outcome.wanted.set(path, node);
    } else if (level === PERHAPS) {
      const told = this.level === REQUIRED || this.level === SOFT ? outcome.demanded : outcome.perhaps;
      if (!told.has(path)) told.set(path, this.intents);
    } else {
      outcome.add(level, {
        kind: "missing",
        node,
        path,
        ask,
        prop: null,
        at: null,
        words: "",
        rule: entry.rule ?? null,
        loses: null,
        certain: true,
        severity: entry.severity ?? null,
        held,
        own: false,
      });
    }
  }

  /** Is presence all that counts, because rules speak about the values? @param {number} level */
  saysNoMore(level) {
    return level === PERHAPS || (level === WANTED && this.isPlain);
  }

  /** @param {Look} look @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  path(look, scope, outcome, level, depth) {
    const { text, path } = this.only;
    if (path.simple && !this.isCounted && this.saysNoMore(level)) {
      if (!path.present(look, scope)) this.missing(outcome, level, scope, text);
      return;
    }
    const [hits, lacking] = path.look(look, scope);
    for (const node of lacking) this.missing(outcome, level, node, text);
    if (!hits.length) return;
    if (this.isCounted) this.counts(outcome, level, scope, text, hits);
    this.values(look, outcome, level, text, hits, depth);
  }

  /** @param {Look} look @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOf(look, scope, outcome, level, depth) {
    const { entry } = this;
    if (!entry.exclusive && (this.saysNoMore(level) || (!this.kinds.size && !this.limits.length))) {
      for (const path of this.paths.values()) if (path.present(look, scope)) return;
      this.missing(outcome, level, scope, this.whole);
      return;
    }
    const found = [...this.paths]
      .map(([text, path]) => ({ text, hits: path.look(look, scope)[0] }))
      .filter(({ hits }) => hits.length);
    if (!found.length) {
      this.missing(outcome, level, scope, this.whole);
      return;
    }
    if (entry.exclusive && found.length > 1)
      this.limit(
        outcome,
        level,
        scope,
        found[0].text,
        `only one of ${listed(found.map(({ text }) => text))} may be given`,
      );
    const total = found.reduce((sum, { hits }) => sum + hits.length, 0);
    if (entry.min_items_total && total < entry.min_items_total)
      this.limit(outcome, level, scope, found[0].text, `it has ${numberOfValues(total)}; at least ${entry.min_items_total} are needed`);
    const all = found.flatMap(({ text, hits }) => hits.map((hit) => ({ text, hit, outcome: new Outcome() })));
    if (
      this.isPlain &&
      all.some(({ text, hit }) => !this.kinds.get(text) || this.kinds.get(text)?.fit(look, hit).wrong === undefined)
    )
      return;
    for (const each of all) this.value(look, each.outcome, REQUIRED, each.text, each.hit, depth);
    const noneHolds = all.every((each) => each.outcome.required.length);
    if (entry.some && !noneHolds) return;
    const nearestOne = level === REQUIRED && noneHolds ? nearestOf(all.map((each) => each.outcome)) : null;
    for (const each of all) {
      if (each.outcome === nearestOne) outcome.lift(each.outcome, "", REQUIRED, null);
      else if (level !== PERHAPS && !entry.some) outcome.lift(each.outcome, "", level === LIMIT ? LIMIT : SOFT, null);
    }
  }

  /** @param {Look} look @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOfGroups(look, scope, outcome, level, depth) {
    const found = new Map([...this.paths].map(([text, path]) => [text, path.look(look, scope)[0]]));
    /** @type {string[][]} */
    const groups = this.entry.any_of_groups;
    const has = (/** @type {string} */ text) => (found.get(text) || []).length > 0;
    if (!groups.some((group) => group.every(has))) {
      const share = (/** @type {string[]} */ group) => group.filter(has).length / group.length;
      const best = groups.reduce((one, two) => (share(two) > share(one) ? two : one));
      const absent = best.filter((text) => !has(text));
      this.missing(
        outcome,
        level,
        scope,
        absent.length === best.length ? groups.map((group) => group.join(" with ")).join("|") : absent.join(" with "),
      );
    }
    for (const [text, hits] of found) if (hits.length) this.values(look, outcome, level, text, hits, depth);
  }

  /** @param {Look} look @param {Thing} scope @param {Outcome} outcome @param {number} level */
  absent(look, scope, outcome, level) {
    const [[text, path]] = this.paths;
    const above = new Set(linksOf(scope).map(([holder]) => holder));
    const hit = path.look(look, scope)[0].find((each) => !above.has(each.value)); // pointing back at the holder is fine
    if (hit)
      this.limit(
        outcome,
        level,
        hit.node,
        text,
        `it does not belong here: ${this.entry.rule || "it is not read here"}`,
        hit,
      );
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {Thing} node
   * @param {string} text
   * @param {string} told
   * @param {Hit|null} [hit]
   * @param {boolean} [hard]
   */
  limit(outcome, level, node, text, told, hit = null, hard = false) {
    if (level === PERHAPS) return;
    const ask = text.replace(FILTER, "");
    outcome.add(hard && level === REQUIRED ? REQUIRED : LIMIT, {
      kind: "limit",
      node,
      path: this.prefix + ask,
      ask,
      prop: hit ? hit.prop : null,
      at: hit ? hit.at : null,
      words: told,
      rule: this.entry.rule ?? null,
      loses: null,
      certain: true,
      severity: this.entry.severity ?? null,
      held: false,
      own: false,
    });
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} scope @param {string} text @param {Hit[]} hits */
  counts(outcome, level, scope, text, hits) {
    const { entry } = this,
      many = hits.length;
    const isShort = many < entry.min_items;
    if (isShort && level === REQUIRED) outcome.isShort = true;
    if (isShort && !entry.told_by)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}; at least ${entry.min_items} are needed`, hits[0]);
    if (entry.max_items && many > entry.max_items)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}; at most ${entry.max_items} may be given`, hits[entry.max_items], true);
    if (entry.unique) {
      const seen = new Set();
      for (const hit of hits) {
        const name = said(hit.value);
        if (seen.has(name)) this.limit(outcome, level, hit.node, text, "it is there twice", hit, true);
        seen.add(name);
      }
    }
    for (const each of entry.includes || []) {
      if (!hits.some((hit) => equals(hit.value, each))) this.missing(outcome, level, scope, `${text} ${each}`);
    }
  }

  /**
   * @param {Look} look
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit[]} hits
   * @param {number} depth
   */
  values(look, outcome, level, text, hits, depth) {
    if (this.saysNoMore(level)) return;
    if (!this.entry.some) {
      for (const hit of hits) this.value(look, outcome, level, text, hit, depth);
      return;
    }
    const tried = hits.map((hit) => {
      const each = new Outcome();
      this.value(look, each, REQUIRED, text, hit, depth);
      return each;
    });
    outcome.lift(fewest(tried), "", level, null);
  }

  /**
   * @param {Look} look
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit} hit
   * @param {number} depth
   */
  value(look, outcome, level, text, hit, depth) {
    const kinds = this.kinds.get(text);
    const path = this.prefix + withoutPrefix(text.replace(FILTER, ""), "^.");
    if (kinds) {
      const fit = kinds.fit(look, hit);
      if (fit.wrong !== undefined) {
        if (fit.closed || level === REQUIRED) this.unfit(outcome, level, path, hit, fit.wrong, !!fit.closed);
        return;
      }
      if (fit.shape !== undefined && hit.value instanceof Thing)
        this.shape(look, outcome, level, path, hit.value, fit.shape, depth);
    }
    for (const limit of this.limits) {
      const wrong = limit(hit.value);
      if (wrong) this.unfit(outcome, level, path, hit, wrong, true);
    }
    if (this.prefer && this.prefer.fit(look, hit).wrong !== undefined)
      this.unfit(outcome, SOFT, path, hit, `it is better given as ${this.prefer.expected}`, true);
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} path
   * @param {Hit} hit
   * @param {string} wrong
   * @param {boolean} certain
   */
  unfit(outcome, level, path, hit, wrong, certain) {
    outcome.add(level, {
      kind: "unfit",
      node: hit.node,
      path,
      ask: path,
      prop: hit.prop,
      at: hit.at,
      words: wrong,
      rule: this.entry.rule ?? null,
      loses: null,
      certain,
      severity: this.entry.severity ?? null,
      held: false,
      own: false,
    });
  }

  /**
   * @param {Look} look
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} path
   * @param {Thing} node
   * @param {string} name
   * @param {number} depth
   */
  shape(look, outcome, level, path, node, name, depth) {
    const requirements = this.house.shape(name);
    if (!requirements.checks.length || (requirements.isProfile && level !== REQUIRED)) return; // a profile's own judgement of the node says it
    const inside = requirements.judge(look, node, depth + 1);
    if (!requirements.isProfile) outcome.lift(inside, `${path}.`, level, requirements.loses);
    else for (const fault of inside.required) outcome.required.push({ ...belowFault(fault, `${path}.`), own: true });
  }
}
/** The nearest of alternatives: few faults first, and of these a wrong value before a count of 0, which says nothing. @param {Outcome[]} tried */
const nearestOf = (tried) => {
  const isLimited = (/** @type {Outcome} */ { required }) => required.some(({ words }) => words?.startsWith("0 is below"));
  const few = Math.min(...tried.map(({ required }) => required.length));
  const near = tried.filter(({ required }) => required.length === few);
  return near.find((each) => !isLimited(each)) ?? near[0];
};
/** @param {number} count */
const numberOfValues = (count) => (count === 1 ? "1 value" : `${count} values`);
/** The first with the fewest required faults. @param {Outcome[]} tried */
const fewest = (tried) => tried.reduce((one, two) => (two.required.length < one.required.length ? two : one));
/** @param {any} literal */
const plainLiteral = (literal) => (typeof literal === "boolean" ? String(literal) : str(literal));
/** @param {any} value */
const shownValue = (value) => (value instanceof Thing ? "the object" : repr(clip(plainLiteral(value))));
/**
 * The bounds of a single value: each says what is wrong, or null.
 * @param {any} entry
 * @returns {((value: any) => string|null)[]}
 */
const limitsOf = (entry) => {
  /** @type {((value: any) => string|null)[]} */
  const limits = [];
  if (entry.equals !== undefined)
    limits.push((value) =>
      equals(value, entry.equals) ? null : `${shownValue(value)} is not ${plainLiteral(entry.equals)}`,
    );
  if (entry.pattern !== undefined) {
    const pattern = rx()(/** @type {any} */ ({ raw: [entry.pattern] }));
    const wanted = entry.rule || `it does not match ${entry.pattern}`;
    limits.push((value) =>
      typeof value !== "string" || pattern.test(head(value, 2000))
        ? null
        : `${shownValue(value)} does not fit: ${wanted}`,
    );
  }
  for (const [key, isWrong, told] of /** @type {[string, (way: number) => boolean, string][]} */ ([
    ["min", (way) => way < 0, "is below"],
    ["max", (way) => way > 0, "is above"],
    ["gt", (way) => way <= 0, "is not above"],
  ])) {
    if (entry[key] === undefined) continue;
    const bound = Dec.of(String(entry[key]));
    limits.push((value) => {
      const exactly = number(value);
      return exactly && isWrong(exactly.compare(bound)) ? `${exactly} ${told} ${canonical(bound)}` : null;
    });
  }
  if (entry.max_length !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) > entry.max_length
        ? `it has ${size(value)} characters, ${entry.max_length} at most`
        : null,
    );
  }
  if (entry.min_length !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) < entry.min_length
        ? `it has ${size(value)} of at least ${entry.min_length} characters`
        : null,
    );
  }
  return limits;
};

/** The profiles of one consumer with what they share. */
class House {
  /** @param {any} consumer @param {Map<string, any>} profiles */
  constructor(consumer, profiles) {
    this.consumer = consumer;
    this.profiles = profiles;
    /** @type {Map<string, Test>} */
    this.filters = new Map();
    for (const [name, condition] of Object.entries(consumer.filters || {}))
      this.filters.set(name, compileCondition(condition, new Map()));
    /** @type {Map<string, Kinds>} */
    this.knownKinds = new Map();
    /** @type {Map<string, Requirements>} */
    this.knownShapes = new Map();
  }

  /** @param {string} name */
  profile(name) {
    return this.profiles.get(`${this.consumer.name}/${name}`);
  }

  /** @param {string} text @returns {Kinds} */
  kinds(text) {
    let known = this.knownKinds.get(text);
    if (!known) this.knownKinds.set(text, (known = new Kinds(text, this)));
    return known;
  }

  /**
   * What a shape asks for. Where it names a profile, what that one asks for.
   * @param {string} name
   * @returns {Requirements}
   */
  shape(name) {
    let known = this.knownShapes.get(name);
    if (!known) {
      const shape = this.consumer.shapes[name];
      known = new Requirements(
        shape.rule ? this.profile(shape.rule) : shape,
        this,
        shape.loses ?? null,
        shape.rule !== undefined,
      );
      this.knownShapes.set(name, known);
    }
    return known;
  }
}

/** One profile and what it compiles to, the latter when a node first asks. */
class Feature {
  /** @param {any} profile @param {House} house @param {number} rank */
  constructor(profile, house, rank) {
    this.profile = profile;
    this.house = house;
    this.rank = rank;
    /** @type {string} */
    this.name = profile.name;
    /** Types of items whose ratings the consumer shows. */
    this.reviewable = new Set(house.consumer.enums.reviewableType?.members);
    this.when = profile.applies_when ? compileCondition(profile.applies_when, house.filters) : null;
    /** @type {Requirements|null} */
    this.made = null;
  }

  /** @param {Look} look @param {Thing} node */
  judge(look, node) {
    this.made ||= new Requirements(this.profile, this.house, null, true);
    return this.made.judge(look, node);
  }

  /** @param {string} today */
  status(today) {
    const { retired_on: retired, status } = this.profile;
    return retired && today < retired ? "supported" : status;
  }

  /**
   * Those of the profile's types by which a node asks for it.
   * @param {string[]} types
   * @param {Vocabulary} vocabulary
   * @returns {string[]}
   */
  typesIn(types, vocabulary) {
    const { types: wanted, exclude_types: barred, exclude_alone: alone = [] } = this.profile;
    if (barred && vocabulary.areA(types, new Set(barred))) return [];
    const lines = types
      .map((name) => vocabulary.ancestors(name))
      .filter((line) => !alone.some((/** @type {string} */ each) => line.has(each)));
    return wanted.filter((/** @type {string} */ each) => lines.some((line) => line.has(each)));
  }
}

/** All features, and for types of nodes the few that matter. */
class ProfileEngine {
  /** @param {any} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    this.vocabulary = vocabulary;
    const profiles = new Map(data.profiles.map((/** @type {any} */ each) => [each.name, each]));
    const houses = new Map(data.consumers.map((/** @type {any} */ each) => [each.name, new House(each, profiles)]));
    /** @type {Map<string, Feature>} */
    this.features = new Map(
      data.profiles.map((/** @type {any} */ each, /** @type {number} */ rank) => [
        each.name,
        new Feature(each, /** @type {House} */ (houses.get(each.name.split("/")[0])), rank),
      ]),
    );
    this.oldVocabulary =
      [...this.features.values()].find((each) => each.profile.types.includes(DATA_VOCABULARY)) ?? null;
    /** @type {Map<string, {feature: Feature, by: string[]}[]>} */
    this.known = new Map();
  }

  /** @param {string[]} types */
  featuresFor(types) {
    const key = JSON.stringify(types);
    let known = this.known.get(key);
    if (!known) {
      known = [...this.features.values()]
        .map((feature) => ({ feature, by: feature.typesIn(types, this.vocabulary) }))
        .filter(({ by }) => by.length);
      if (this.known.size < 4096) this.known.set(key, known);
    }
    return known;
  }

  /**
   * Does a result earned by the types `one` excuse lacking that of the types `other`?
   * @param {string[]} one
   * @param {string[]} other
   */
  excuses(one, other) {
    return !one.every((each) => other.some((name) => each !== name && this.vocabulary.ancestors(name).has(each)));
  }
}

// Which nodes of a page ask for a result.

const MAIN = ["mainEntity", "breadcrumb", "itemListElement", "dataFeedElement", "mainEntityOfPage"];
const CONTENT = new Set([
  "aggregateRating",
  "associatedMedia",
  "hasMemberProgram",
  "hasMerchantReturnPolicy",
  "hasShippingService",
  "hasVariant",
  "image",
  "logo",
  "photo",
  "primaryImageOfPage",
  "review",
  "reviews",
  "trailer",
  "video",
]);
const WEB_PAGE = new Set(["WebPage"]);
const ITEM_LIST = new Set(["ItemList"]);
const NO_LIST = new Set(["BreadcrumbList", "HowToSection", "HowToStep", "OfferCatalog"]);
const DATA_FEED = new Set(["DataFeed"]);
/** @typedef {{node: Thing, root: Thing, nested: boolean, among: [Thing, string]|null}} Asker */

/**
 * Everything on a page that asks for a result, each once: what asks itself first, then its content.
 * @param {Look} look
 * @returns {Asker[]}
 */
const askersOf = (look) => {
  const { page } = look;
  const pages = page.nodes.filter(
    (node) => !node.parent && node.referrers.length && look.areA(node.types, WEB_PAGE) && !node.sameAs,
  );
  /** @type {Asker[]} */
  const main = [...page.roots, ...pages].map((node) => ({ node, root: node, nested: false, among: null }));
  const seen = new Set();
  /** @type {Asker[]} */
  const found = [];
  for (const asker of main) {
    // grows while it is walked
    if (seen.has(asker.node)) continue;
    seen.add(asker.node);
    found.push(asker);
    for (const each of mainOf(look, asker)) main.push(each);
  }
  const content = main.flatMap(contentOf);
  for (const asker of content) {
    if (seen.has(asker.node)) continue;
    seen.add(asker.node);
    found.push(asker);
    for (const each of contentOf(asker)) content.push(each);
  }
  return found;
};
/** @param {Look} look @param {Asker} asker @returns {Asker[]} */
const mainOf = (look, { node, root }) => {
  if (!MAIN.some((prop) => node.props.has(prop))) return [];
  const isA = (/** @type {Set<string>} */ types) => look.areA(node.types, types);
  const asking = (/** @type {Thing[]} */ nodes, /** @type {[Thing, string]|null} */ among = null) =>
    nodes.filter((each) => !isReference(each)).map((each) => ({ node: each, root, nested: false, among }));
  const found = node
    .nodes("mainEntityOfPage")
    .filter((page) => look.areA(page.types, WEB_PAGE) && MAIN.some((prop) => page.props.has(prop)))
    .map((page) => ({ node: page, root, nested: false, among: /** @type {[Thing, string]|null} */ (null) }));
  if (isA(WEB_PAGE)) found.push(...asking([...node.nodes("mainEntity"), ...node.nodes("breadcrumb")]));
  if (isA(ITEM_LIST) && !isA(NO_LIST)) {
    const items = node
      .nodes("itemListElement")
      .flatMap((element) =>
        element.props.has("item") ? element.nodes("item") : element.types.includes("ListItem") ? [] : [element],
      );
    addAll(found, asking(items, [node, "item"]));
  }
  if (isA(DATA_FEED)) addAll(found, asking(node.nodes("dataFeedElement"), [node, "dataFeedElement"]));
  return found;
};
/** @param {Asker} asker @returns {Asker[]} */
const contentOf = ({ node, root }) =>
  [...node.props.keys()]
    .filter((prop) => CONTENT.has(prop))
    .flatMap((prop) =>
      node
        .nodes(prop)
        .filter((each) => !each.foreign && !isReference(each))
        .map((each) => ({ node: each, root, nested: true, among: /** @type {[Thing, string]} */ ([node, prop]) })),
    );

/**
 * A feature that looks at a node, and what it found there.
 * @typedef {{feature: Feature, by: string[], outcome: Outcome, restricted: boolean, asked: boolean}} Case
 */

/** One page being judged by every profile that its nodes ask for, and by those that are asked for by name. */
class Court {
  /** @param {Scene} scene @param {ProfileEngine} engine @param {Set<string>} asked */
  constructor(scene, engine, asked) {
    this.look = new Look(scene);
    this.engine = engine;
    this.asked = asked;
    /** Profiles that nothing on the page is about. */
    this.unmet = new Set(asked);
    this.today = isoDay(scene.now);
    /** @type {Map<Thing, Map<string, number>>} */
    this.misspelt = new Map();
    this.sayings = new Sayings(this.misspelt, scene);
    /** @type {Set<Thing>} */
    this.tried = new Set();
    /** @type {Map<Thing, Set<string>>} */
    this.eligible = new Map();
    /** @type {Map<Thing, Set<string>>} */
    this.retiredFor = new Map();
    /** Results that an item, as one of a list, misses by an error. @type {Map<Thing, Set<string>>} */
    this.missed = new Map();
  }

  /** In steps: one for each node that anything is asked of. @returns {Generator<undefined, Draft[]>} */
  *sitting() {
    // A consumer does not see what stands under a name in the wrong letter case.
    const { page, shown } = this.look.scene;
    const before = (shown.get("miscased") || []).map((node) => {
      const { props } = node,
        wrong = misspelt(node, page);
      node.props = new Map(props);
      for (const [name, , numbers] of wrong) {
        const values = [.../** @type {Value[]} */ (props.get(name))];
        for (const number of numbers) values[number] = null;
        node.props.set(name, values);
      }
      this.misspelt.set(node, new Map(wrong.map(([name, , [first]]) => [name, first])));
      return { node, props };
    });
    try {
      return yield* this.hearing();
    } finally {
      for (const { node, props } of before) node.props = props;
    }
  }

  /** @returns {Generator<undefined, Draft[]>} */
  *hearing() {
    const { unmet } = this;
    for (const asker of askersOf(this.look)) {
      const features = this.engine.featuresFor(asker.node.types);
      if (!features.length) continue;
      yield;
      this.node(asker, features);
      for (const { feature } of features) unmet.delete(feature.name);
    }
    for (const name of [...unmet].sort()) this.everywhere(/** @type {Feature} */ (this.engine.features.get(name)));
    this.olds();
    return this.sayings.drafts();
  }

  /** @param {Thing} root @param {string} name @param {Map<Thing, Set<string>>} earned */
  note(root, name, earned = this.eligible) {
    earned.set(root, (earned.get(root) || new Set()).add(name));
  }

  /** @param {Asker} asker @param {{feature: Feature, by: string[]}[]} features */
  node(asker, features) {
    /** @type {Case[]} */
    const cases = [];
    for (const { feature, by } of features) {
      const asked = this.asked.has(feature.name);
      if (asker.nested && !asked && !isPresent(asker.node)) continue; // a type alone says nothing
      if (feature.when) {
        this.look.asserting = asked;
        const applies = feature.when(this.look, asker.node) === true;
        this.look.asserting = false;
        if (!applies) continue;
      }
      const status = feature.status(this.today);
      if (status === "retired") this.retired(asker, feature, asked);
      else
        cases.push({
          feature,
          by,
          outcome: feature.judge(this.look, asker.node),
          restricted: status === "restricted",
          asked,
        });
    }
    if (cases.length) this.weigh(asker, cases);
  }

  /** @param {Asker} asker @param {Case[]} cases */
  weigh(asker, cases) {
    const earned = cases.filter(isEarned);
    this.tried.add(asker.node);
    for (const each of earned)
      if (!each.outcome.isShort && this.counts(asker, each.feature)) this.note(asker.root, each.feature.name);
    /** @type {Case[]} */
    const excused = [];
    for (const group of this.unearned(cases, earned)) {
      const [near, ...others] = [...group].sort(byNearness);
      this.lacks(asker, near);
      excused.push(...others);
      earned.push(near);
    }
    excused.push(...cases.filter((each) => !earned.includes(each) && !excused.includes(each)));
    for (const each of excused) {
      if (each.asked) {
        this.lacks(asker, each);
        earned.push(each);
      } else if (!isEarned(each)) this.sayings.notEligible(asker, each.feature, each.outcome);
    }
    this.rest(asker, earned);
  }

  /**
   * Is a result that a node earns one of its item's? Of content, the stars of an item without a result of its own are.
   * @param {Asker} asker
   * @param {Feature} feature
   */
  counts({ node, root, nested, among }, feature) {
    if (isTypeMisspelt(node) || isTypeMisspelt(root)) return false;
    const [holder, via] = among || [null, ""];
    if (nested)
      return (
        /^(?:aggregateRating|reviews?)$/.test(via) &&
        holder === root &&
        !this.tried.has(root) &&
        this.look.areA(root.types, feature.reviewable)
      );
    const least = feature.profile.list_min_items;
    const count = holder ? holder.nodes("itemListElement").length : 1;
    if (count < least) this.sayings.tooFew(node, feature, count);
    return !(count < least) && [...node.props.values()].flat().some(isPresent);
  }

  /**
   * What is left to say about the results that a node earns or is nearest to.
   * @param {Asker} asker
   * @param {Case[]} cases
   */
  rest(asker, cases) {
    for (const each of cases) {
      this.sayings.soft(each.feature, each.outcome);
      if (each.restricted && isEarned(each)) this.sayings.restricted(asker, each.feature);
    }
    this.sayings.recommended(
      asker,
      cases.filter((each) => isEarned(each) || !asker.nested),
    );
  }

  /**
   * The missed features that no earned one excuses, grouped so that one of a group would do.
   * @param {Case[]} cases
   * @param {Case[]} earned
   */
  unearned(cases, earned) {
    /** @type {Case[][]} */
    const groups = [];
    for (const each of cases) {
      if (isEarned(each) || earned.some((other) => this.engine.excuses(other.by, each.by))) continue;
      const group = groups.find(
        ([first]) => this.engine.excuses(first.by, each.by) || this.engine.excuses(each.by, first.by),
      );
      if (group) group.push(each);
      else groups.push([each]);
    }
    return groups;
  }

  /** @param {Asker} asker @param {Case} missed */
  lacks(asker, missed) {
    if (!(missed.restricted || asker.nested)) this.note(asker.root, missed.feature.name, this.missed);
    const isMild = missed.restricted || (asker.nested && !missed.asked);
    this.sayings.required(missed.feature, missed.outcome, isMild ? "warning" : "error");
  }

  /** @param {Asker} asker @param {Feature} feature @param {boolean} asked */
  retired(asker, feature, asked) {
    if (asker.nested && !asked) return;
    this.note(asker.root, feature.name, this.retiredFor);
    this.sayings.retired(asker.node, feature);
    if (asked) this.sayings.required(feature, feature.judge(this.look, asker.node), "info");
  }

  /** Try a profile that was asked for by name on nodes that ask for nothing themselves. @param {Feature} feature */
  everywhere(feature) {
    for (const node of this.look.page.nodes) {
      if (node.foreign || node.reference || node.sameAs) continue;
      const by = feature.typesIn(node.types, this.look.vocabulary);
      if (!by.length) continue;
      this.unmet.delete(feature.name);
      this.node({ node, root: node, nested: false, among: null }, [{ feature, by }]);
    }
  }

  /** Things of the vocabulary before schema.org, which nobody else speaks about: the first is enough. */
  olds() {
    const feature = this.engine.oldVocabulary;
    const node =
      feature &&
      this.look.page.nodes.find(
        (each) => each.foreign && each.types.some((name) => partition(name, "/")[2].includes(DATA_VOCABULARY)),
      );
    if (!feature || !node) return;
    this.note(node, feature.name, this.retiredFor);
    this.sayings.retired(node, feature);
    this.unmet.delete(feature.name);
  }
}
/** @param {Thing} node */
const isTypeMisspelt = ({ types, miscased }) =>
  types.length > 0 && types.every((name) => miscased?.has(`@type:${name}`));
/** @param {Case} each */
const isEarned = (each) => !each.outcome.required.length;
/** What is missing least comes first; of equals, what asks for least. @param {Case} one @param {Case} two */
const byNearness = (one, two) =>
  Number(one.restricted) - Number(two.restricted) ||
  one.outcome.required.length - two.outcome.required.length ||
  (one.feature.profile.required || []).length - (two.feature.profile.required || []).length ||
  one.feature.rank - two.feature.rank;

/** Drafts by what they are about: one fault is said once, and what is alike is folded. */
class Sayings {
  /** @param {Map<Thing, Map<string, number>>} misspelt @param {Scene} scene */
  constructor(misspelt, scene) {
    this.misspelt = misspelt;
    this.scene = scene;
    /** @type {Map<string, Draft>} */
    this.said = new Map();
    /** @type {Set<string>} */
    this.covered = new Set();
    /** @type {Map<Thing, number>} */
    this.numbers = new Map();
  }

  /** @param {Thing|null|undefined} node */
  number(node) {
    if (!node) return -1;
    if (!this.numbers.has(node)) this.numbers.set(node, this.numbers.size);
    return this.numbers.get(node);
  }

  /** @param {any[]} parts */
  key(...parts) {
    return JSON.stringify(parts.map((part) => (part instanceof Thing ? `#${this.number(part)}` : part)));
  }

  /** @returns {Draft[]} */
  drafts() {
    return [...this.said.values()];
  }

  /** @param {string} key @param {Draft} draft */
  keep(key, draft) {
    const known = this.said.get(key);
    if (known) {
      if (SEVERITIES.indexOf(draft.severity) < SEVERITIES.indexOf(known.severity)) {
        Object.assign(known, { severity: draft.severity, profile: draft.profile, message: draft.message });
      }
      return;
    }
    this.said.set(key, draft);
  }

  /** @param {Fault} fault */
  faultKey(fault) {
    return fault.kind === "missing"
      ? this.key(fault.node, fault.ask)
      : this.key(fault.kind, fault.node, fault.prop, fault.at);
  }

  /** Each fault once, and none about what lies inside something that is itself missing. @param {Fault[]} faults */
  tidy(faults) {
    /** @type {Map<string, Fault>} */
    const once = new Map();
    for (const fault of [...faults].reverse()) once.set(this.faultKey(fault), fault);
    const missing = new Set([...once.values()].filter((fault) => fault.kind === "missing").map((fault) => fault.path));
    return [...once.values()].filter((fault) => fault.kind !== "missing" || !isBelow(fault.path, missing)).reverse();
  }

  /**
   * The property on a missing path that stands there in the wrong letter case.
   * @param {Thing} node
   * @param {string} path
   */
  misspeltOn(node, path) {
    const wrong = this.misspelt.get(node);
    return wrong && path.split(/[.| ]/).find((name) => wrong.has(name));
  }

  /**
   * Does a property on a path stand there empty or under its former name? Rules of their own report these.
   * @param {Thing} node
   * @param {string} path
   */
  standsOtherwise(node, path) {
    const names = path.split(/ with |\|/).map((part) => partition(part, ".")[0]);
    const isEmpty = (/** @type {string} */ name) => {
      const values = node.props.get(name) || [];
      return values.some((value) => value !== null) && !values.some(isPresent);
    };
    if (names.some(isEmpty)) return true;
    const { properties } = this.scene.vocabulary;
    return [...node.props.keys()].some((name) => (properties.get(name)?.s || []).some((/** @type {string} */ late) => names.includes(late)));
  }

  /** @param {Feature} feature @param {Outcome} outcome @param {string} severity */
  required(feature, outcome, severity) {
    for (const fault of this.tidy(outcome.required)) this.fault(feature, fault, severity);
  }

  /** @param {Feature} feature @param {Outcome} outcome */
  soft(feature, outcome) {
    const lacking = new Set(outcome.required.map((fault) => fault.path));
    for (const fault of this.tidy(outcome.soft)) {
      if (!lacking.has(fault.path) && !isBelow(fault.path, lacking)) this.fault(feature, fault, "warning");
    }
    for (const fault of outcome.limits) this.fault(feature, fault, "warning");
  }

  /** @param {Feature} feature @param {Fault} fault @param {string} severity */
  fault(feature, fault, severity) {
    const key = this.faultKey(fault);
    if (severity !== "error" && this.covered.has(key)) return;
    const prop = this.misspeltOn(fault.node, fault.ask);
    if (prop) {
      const index = this.misspelt.get(fault.node)?.get(prop);
      const draft = { severity, rule: "value-unfit", profile: feature.name, node: fault.node, prop, index, part: "key" };
      this.keep(key, { ...draft, message: `${fault.path} is missing; ${resultName(feature.name)} need it` });
      return;
    }
    const empty = severity === "info" ? undefined : emptyProperty(fault);
    if (empty !== undefined) {
      if (severity === "warning" && isUnrated(fault)) {
        addTo(this.scene.emptyRequired, fault.node, empty);
        return;
      }
      this.keep(
        key,
        isLazy(this.scene, fault.node, empty)
          ? lazyDraft(feature, fault, severity, empty)
          : this.aboutEmpty(feature, fault, severity, empty),
      );
      return;
    }
    const isMissing = fault.kind === "missing";
    const told = fault.kind === "limit" && fault.severity && severity !== "info" ? fault.severity : severity;
    this.keep(
      key,
      {
        severity: told,
        rule: isMissing ? "required-property-missing" : fault.kind === "unfit" ? "value-unfit" : "profile-limit",
        authority: "google",
        profile: feature.name,
        node: fault.node,
        prop: isMissing ? null : fault.prop,
        index: fault.at,
        part: isMissing ? "node" : "value",
        property: shownPath(fault.path),
        message: faultMessage(fault, feature, told),
        hint: fault.rule && isMissing ? fault.rule : null,
      },
    );
  }

  /** At a property without content, in place of the finding of `empty-value`.
   * @param {Feature} feature @param {Fault} fault @param {string} severity @param {string} prop @returns {Draft} */
  aboutEmpty(feature, fault, severity, prop) {
    const { node, path, ask } = fault;
    const cost = fault.loses ? `this costs the ${fault.loses}` : `${resultName(feature.name)} need ${isLast(ask, prop) ? "it" : shownPath(path)}`;
    return this.emptyDraft(feature, fault, severity, "required-property-missing", "google", prop, cost);
  }

  /** @param {Feature} feature @param {Fault} fault @param {string} severity @param {string} rule @param {string} authority
   * @param {string} prop @param {string} cost @returns {Draft} */
  emptyDraft(feature, fault, severity, rule, authority, prop, cost) {
    const { node } = fault;
    addTo(this.scene.emptyRequired, node, prop);
    const [path, ask] = [fault.path, fault.ask].map((each) => each.split("|")[0]);
    const above = path.endsWith(ask) ? path.slice(0, path.length - ask.length) : "";
    const whole = ask.endsWith("." + prop) ? path : above + prop;
    const what = fault.held ? `the ${prop} of the ${node.types.join(" and ") || "holder"}` : whole;
    const hint = emptyHint(node, prop, this.scene);
    return {
      severity, rule, authority, profile: feature.name, node, prop, property: shownPath(fault.path),
      message: `${what} is empty; ${cost}`, hint: hint !== FILL_IN ? hint : fault.rule || "fill it in",
    };
  }

  /**
   * A result that a node misses while it earns another: one line.
   * @param {Asker} asker
   * @param {Feature} feature
   * @param {Outcome} outcome
   */
  notEligible(asker, feature, outcome) {
    const faults = this.tidy(outcome.required);
    if (faults.every((fault) => this.said.has(this.faultKey(fault)))) return;
    for (const fault of faults) this.covered.add(this.faultKey(fault));
    const [byRule, rest] = [[], []].map((_, n) => faults.filter((each) => (each.kind === "unfit" && !each.certain) !== !!n));
    const cost = `not eligible for ${resultName(feature.name)}`;
    const others = rest.filter((fault) => {
      const empty = emptyProperty(fault);
      if (empty !== undefined)
        this.keep(
          this.faultKey(fault),
          isLazy(this.scene, fault.node, empty)
            ? lazyDraft(feature, fault, "warning", empty)
            : this.emptyDraft(feature, fault, "warning", "empty-value", "waypost", empty, cost),
        );
      return empty === undefined;
    });
    for (const fault of byRule) {
      const { node, prop, at, path } = fault;
      const draft = { severity: "warning", rule: "feature-not-eligible", profile: feature.name, node, prop, index: at };
      const message = `not eligible for ${resultName(feature.name)}: ${sentence(fault)}`;
      this.keep(this.key(node, feature.name, prop, at), { ...draft, property: path, message });
    }
    if (!others.length) return;
    const missing = unique(others.filter((fault) => fault.kind === "missing").map((fault) => shownPath(fault.path)));
    const wrong = unique(
      others.filter((fault) => fault.kind !== "missing").map(sentence),
    );
    const parts = [...(missing.length ? [`${missing.join(", ")} missing`] : []), ...wrong];
    const front = asker.node.parent ? asker.node.types.join(" and ") + ": " : "";
    this.keep(
      this.key(asker.node, feature.name),
      {
        severity: "warning",
        rule: "feature-not-eligible",
        authority: "google",
        profile: feature.name,
        node: asker.node,
        part: "node",
        property: missing.length === 1 ? missing[0] : null,
        about: [subjectOf(asker.node)],
        message: `${front}not eligible for ${resultName(feature.name)}: ${parts.join("; ")}`,
      },
    );
  }

  /** @param {Thing} node @param {Feature} feature @param {number} count */
  tooFew(node, { name, profile: { list_min_items: least } }, count) {
    const draft = { severity: "warning", rule: "profile-limit", profile: name, node, part: "node" };
    const there = count === 1 ? "there is one" : `there are ${count}`;
    const message = `${name} is shown only for a list of at least ${least} items; here ${there}`;
    const hint = `put ${least} or more into an ItemList, each as the item of a ListItem`;
    this.keep(this.key(node, name, "list"), { ...draft, message, hint });
  }

  /**
   * What is recommended and missing, over all results of a node: one line, and one of what may be wanted.
   * @param {Asker} asker
   * @param {Case[]} cases
   */
  recommended(asker, cases) {
    /** @type {Map<string, Feature>} */
    const wanted = new Map();
    /** @type {Set<string>} */
    const lacking = new Set();
    const asksMore = (/** @type {Case} */ each) => Number(!(each.feature.profile.required || []).length);
    for (const { feature, outcome } of [...cases].sort((one, two) => asksMore(one) - asksMore(two))) {
      for (const fault of [...outcome.required, ...outcome.soft]) if (fault.kind === "missing") lacking.add(fault.path);
      for (const [path, node] of outcome.wanted)
        if (!wanted.has(path) && !this.misspeltOn(node, path) && !this.standsOtherwise(node, path)) wanted.set(path, feature);
    }
    const told = new Set([...lacking, ...[...lacking].flatMap((path) => path.split("|"))]);
    const above = new Set([...told, ...wanted.keys()]);
    /** @type {Record<string, string[]>} */
    const groups = { warning: [], info: [] };
    for (const [path, feature] of wanted) {
      if (!told.has(path) && !isBelow(path, above))
        groups[(feature.profile.required || []).length ? "warning" : "info"].push(path);
    }
    for (const [severity, paths] of Object.entries(groups)) {
      if (!paths.length) continue;
      const shown = paths.map(shownPath);
      this.keep(
        this.key(asker.node, "recommended", severity),
        {
          severity,
          rule: "recommended-property-missing",
          authority: "google",
          profile: /** @type {Feature} */ (wanted.get(paths[0])).name,
          node: asker.node,
          part: "node",
          property: shown.length === 1 ? shown[0] : null,
          about: [subjectOf(asker.node), severity],
          message: `${asker.node.types.join(" and ")}: ${shown.length} recommended missing: ${shown.join(", ")}`,
        },
      );
    }
    for (const [name, field] of /** @type {[string, "demanded"|"perhaps"][]} */ ([
      ["required-property-missing", "demanded"],
      ["recommended-property-missing", "perhaps"],
    ])) {
      for (const { feature, outcome } of cases) {
        const may = [...outcome[field]].filter(
          ([path]) => !wanted.has(path) && !lacking.has(path) && !this.misspeltOn(asker.node, path),
        );
        if (!may.length) continue;
        const shown = may
          .map(([path, why]) => (why.length ? `${shownPath(path)} (${listed(why, "or")})` : shownPath(path)))
          .join(", ");
        const verb = field === "demanded" ? "required" : "worth adding";
        this.keep(
          this.key(asker.node, feature.name, name),
          {
            severity: "info",
            rule: name,
            authority: "google",
            profile: feature.name,
            node: asker.node,
            part: "node",
            property: may.length === 1 ? shownPath(may[0][0]) : null,
            about: [subjectOf(asker.node), "perhaps"],
            message: `${asker.node.types.join(" and ")}: ${verb} where it applies: ${shown}`,
          },
        );
      }
    }
  }

  /** @param {Thing} node @param {Feature} feature */
  retired(node, { name, profile }) {
    const since = profile.retired_on ? `since ${profile.retired_on}` : "any more";
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-retired",
      authority: "google",
      profile: name,
      node,
      part: "node",
      message: `${profile.title}: no rich result ${since}; the markup is still valid`,
    });
  }

  /** @param {Asker} asker @param {Feature} feature */
  restricted({ node }, { name, profile }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-restricted",
      authority: "google",
      profile: name,
      node,
      part: "node",
      message: `${profile.title} is shown for some sites or users only`,
      hint: profile.notes,
    });
  }
}
/** Does another path lead to an object of this one? @param {string} path @param {Set<string>} others */
const isBelow = (path, others) => {
  if (!path.includes(".")) return false;
  const parts = partition(path, "|")[0].split(".");
  return parts.slice(1).some((_, n) => others.has(parts.slice(0, n + 1).join(".")));
};
/** The property of the node that is there without content, if that is why the path is missing. @param {Fault} fault */
const emptyProperty = ({ kind, node, ask }) =>
  kind !== "missing" ? undefined : namesInPaths(ask).find((name) => {
    const values = node.props.get(name);
    return values?.length && !values.some(isPresent);
  });
/** First names of paths, and last ones: the node of a gap further down lacks the last. @param {string} ask */
const namesInPaths = (ask) => {
  const paths = ask.split(/ with |\|/);
  return [...paths.map((path) => partition(path, ".")[0]), ...paths.map((path) => path.slice(path.lastIndexOf(".") + 1))];
};
/** Is the property the last of a path without alternatives? @param {string} ask @param {string} prop */
const isLast = (ask, prop) => !ask.includes("|") && ask.slice(ask.lastIndexOf(".") + 1) === prop;
/** Is an empty value that of a rating with counts of 0, which rating-count-zero reports? @param {Fault} fault */
const isUnrated = ({ node, ask }) => {
  const counts = ["ratingCount", "reviewCount"].map((prop) => node.get(prop)).filter((value) => value !== null);
  return ask.includes("ratingValue") && counts.length > 0 && counts.every((count) => number(count)?.isZero);
};
/** At a picture without an address: the collector gives its cost to image-lazy-placeholder. @param {Feature} feature @param {Fault} fault @param {string} severity @param {string} prop @returns {Draft} */
const lazyDraft = (feature, fault, severity, prop) => ({
  severity,
  rule: severity === "error" ? "value-unfit" : "feature-not-eligible",
  authority: "google",
  profile: feature.name,
  node: fault.node,
  prop,
  index: 0,
  property: shownPath(fault.path),
  message: `${prop} is empty; ${resultName(feature.name)} need it`,
});
/** @param {Fault} fault @param {Feature} feature @param {string} severity */
const faultMessage = (fault, feature, severity) => {
  if (fault.kind === "limit") return sentence(fault);
  if (fault.kind === "unfit")
    return `${sentence(fault)}${severity === "error" ? "; " + resultName(feature.name) + " need it" : ""}`;
  const path = shownPath(fault.path);
  const what = fault.held ? `the ${path} of the ${fault.node.types.join(" and ") || "holder"}` : path;
  if (fault.loses) return `${what} is missing; this costs the ${fault.loses}`;
  return `${what} is missing; ${resultName(feature.name)} need ${fault.path.includes("|") ? "one of them" : "it"}`;
};
/** A wrong value in words: "it is a text" of the path location is "location is a text". @param {Fault} fault */
const sentence = ({ path, words }) => (words.startsWith("it ") ? path + words.slice(2) : `${path}: ${words}`);
/** a, b or c; of many only the first is named. @param {string} path */
const shownPath = (path) => {
  const each = path.split("|");
  return each.length <= 3 ? listed(each, "or") : `${each[0]} (or one of ${each.length - 1} others)`;
};
