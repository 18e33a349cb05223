// @ts-check
// Profiles: requirements of a consumer for its rich results, evaluated as schemas/profiles/ defines them. Counterpart of
// waypost/validate/profiles/; without its shortcuts for speed; the findings are the same.

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
const OUTSIDE = "it lies outside its scale";
const MISSPELT = "its type is written in the wrong letter case";
const DEEPEST_REQUIREMENT = 10;
const FILTER = /\[\w+\]/g;

/** @typedef {(look: Look, node: Thing) => boolean|null} Test */
/** @typedef {{node: Thing, prop: string|null, at: number|null, value: Value}} Hit */

/** State of the evaluation of a page by the profiles. */
class EvaluationContext {
  /** @param {RuleContext} ruleContext */
  constructor(ruleContext) {
    this.ruleContext = ruleContext;
    this.page = ruleContext.page;
    this.vocabulary = ruleContext.vocabulary;
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
const textOf = (value) => {
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
  // Google's own example writes "Math solver" where its table says "Math Solver".
  return textOf(value)?.toLowerCase() === literal.toLowerCase();
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
   * [present values, objects that lack one]; both are empty where nothing can be required.
   * @param {EvaluationContext} context
   * @param {Thing} scope
   * @returns {[Hit[], Thing[]]}
   */
  context(context, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return [[], [scope]];
    if (this.simple) {
      const found = this.at(context, scope);
      return [found, found.length ? [] : [scope]];
    }
    const { reached, named, excused } = this.walk(context, scope);
    const hits = named;
    /** @type {Thing[]} */
    const lacking = [];
    let isExcused = excused;
    for (const node of reached) {
      const found = this.at(context, node);
      if (found.length) addAll(hits, found);
      else if (isReference(node) && node !== scope) isExcused = true;
      else lacking.push(node);
    }
    if (!reached.length && !named.length && !isExcused) lacking.push(scope);
    return [hits, lacking];
  }

  /** @param {EvaluationContext} context @param {Thing} scope */
  present(context, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return false;
    if (this.simple) return /** @type {Value[]} */ (scope.props.get(this.last)).some(isPresent);
    return this.context(context, scope)[0].length > 0;
  }

  /** The objects at its end. @param {EvaluationContext} context @param {Thing} scope @returns {Thing[]} */
  allObjects(context, scope) {
    if (this.first !== null && !scope.props.has(this.first)) return [];
    return this.walk(context, scope).reached.flatMap((node) => thingsAt(context, node, this.last, this.test).things);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @returns {{reached: Thing[], named: Hit[], excused: boolean}} */
  walk(context, scope) {
    let nodes = this.up ? linksOf(scope).map(([holder]) => holder) : [scope];
    /** @type {Hit[]} */
    const named = [];
    for (const [n, { prop, test }] of this.way.entries()) {
      const ends = n === this.way.length - 1 && this.last === "name" && NAMED_BY_TEXT.has(prop);
      /** @type {Thing[]} */
      const reached = [];
      for (const node of nodes) {
        const { things, texts } = thingsAt(context, node, prop, test);
        addAll(reached, things);
        if (ends) addAll(named, texts);
      }
      if (!reached.length)
        return { reached: [], named, excused: nodes.some((node) => node !== scope && isReference(node)) };
      nodes = reached;
    }
    return { reached: nodes, named, excused: false };
  }

  /** @param {EvaluationContext} context @param {Thing} node @returns {Hit[]} */
  at(context, node) {
    if (this.last === "@id") return node.id ? [{ node, prop: null, at: null, value: node.id }] : [];
    if (this.last === "@type") return node.types.map((name) => ({ node, prop: null, at: null, value: name }));
    /** @type {Hit[]} */
    const found = [];
    (node.props.get(this.last) || []).forEach((value, at) => {
      if (isPresent(value) && (!this.test || (value instanceof Thing && this.test(context, value))))
        found.push({ node, prop: this.last, at, value });
    });
    return found;
  }
}
/**
 * Objects and texts that a property holds; what a Role holds in its turn counts for the Role.
 * @param {EvaluationContext} context
 * @param {Thing} node
 * @param {string} prop
 * @param {Test|null} test
 */
const thingsAt = (context, node, prop, test) => {
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
      else if (isPresent(value) && (!test || test(context, value))) things.push(value);
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
  const [[form, operand]] = Object.entries(condition);
  switch (form) {
    case "present": {
      const path = new Path(operand, filters);
      return (context, node) => path.present(context, node);
    }
    case "absent": {
      const path = new Path(operand, filters);
      return (context, node) => !path.present(context, node);
    }
    case "number": {
      const path = new Path(operand, filters);
      return (context, node) => path.context(context, node)[0].some(({ value }) => !(value instanceof Thing) && number(value) !== null);
    }
    case "path":
      return compared(condition, filters);
    case "type":
      return typed(operand, filters);
    case "nested": {
      const types = operand.in ? new Set(operand.in) : null;
      return (context, node) =>
        linksOf(node).some(
          ([holder, prop]) => (!operand.by || operand.by.includes(prop)) && (!types || context.areA(holder.types, types)),
        );
    }
    case "not": {
      const test = compileCondition(operand, filters);
      return (context, node) => {
        const truth = test(context, node);
        return truth === null ? null : !truth;
      };
    }
    case "all":
      return combined(operand, filters, false);
    case "any":
      return combined(operand, filters, true);
    case "intent":
      return (context) => (context.asserting ? true : null);
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
    return (context, node) => path.context(context, node)[0].some((hit) => (number(hit.value)?.compare(bound) ?? 0) > 0);
  }
  const accepted = asList(condition.is);
  return (context, node) => path.context(context, node)[0].some((hit) => accepted.some((each) => equals(hit.value, each)));
};
/** @param {any} operand @param {Map<string, Test>} filters @returns {Test} */
const typed = (operand, filters) => {
  const included = new Set(asList(operand.is)),
    never = new Set(asList(operand.except || []));
  const path = operand.path ? new Path(operand.path, filters) : null;
  return (context, node) => {
    const things = path ? path.allObjects(context, node) : [node];
    if (things.some((each) => context.areA(each.types, included) && !context.areA(each.types, never))) return true;
    return things.length && !things.some((each) => each.types.length) ? null : false;
  };
};
/**
 * All conditions, or any: the first decisive result counts, else unknown.
 * @param {any[]} conditions
 * @param {Map<string, Test>} filters
 * @param {boolean} settles
 * @returns {Test}
 */
const combined = (conditions, filters, settles) => {
  const tests = conditions.map((each) => compileCondition(each, filters));
  return (context, node) => {
    /** @type {boolean|null} */
    let known = !settles;
    for (const test of tests) {
      const found = test(context, node);
      if (found === settles) return settles;
      if (found === null) known = null;
    }
    return known;
  };
};
/** @type {Test} */
const isLastItem = (_, node) => linksOf(node).some(([holder, prop]) => lastItem(holder, prop) === node);
/** Last items of holders by property: computed again for each item, a long list would take quadratic time.
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
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
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
/** One address of the web, or path from the root, with spaces in it. */
const SPACED_URL = /^(?:https?:\/\/[^ /]+)?\/(?:(?! (?:https?:)?\/\/)[^\t\r\n])*$/i;
/** @param {any} value */
const readsText = (value) => typeof value === "string" || value instanceof Num;
/** @param {any} value @returns {boolean} */
const readsUrl = (value) => {
  if (value instanceof Thing) return !!(value.id || isTrue(value.get("url")) || isTrue(value.get("contentUrl")));
  if (typeof value !== "string") return false;
  let text = strip(value);
  if (COMMON_URL.test(text)) return true;
  if (hasSpace(text) && SPACED_URL.test(head(text, 2000))) text = text.replaceAll(" ", "%20"); // as browsers and crawlers do
  const found = address(head(text, 2000));
  return found.error === null && ["", "http", "https"].includes(found.scheme) && text !== "" && !hasSpace(text);
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
  Time: [(value) => typeof value === "string" && !("error" in readTime(value)), "a time of day"],
  Duration: [(value) => typeof value === "string" && readDuration(value) !== null, "a duration"],
  Number: [(value) => isFewDigits(value) || number(value) !== null, "a plain number"],
  Integer: [(value) => isFewDigits(value) || !!number(value)?.isWhole, "a whole number"],
  Boolean: [(value) => truthOf(value) !== null, "true or false"],
  currency: [(value, tables) => typeof value === "string" && tables.currencies.has(strip(value)), "a currency code (ISO 4217)"],
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
    "a country code (ISO 3166-1)",
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
  email: [(value) => typeof value === "string" && value.includes("@"), "an e-mail address"],
  "URL template": [(value) => typeof value === "string" && value.includes("{"), "a URL with a placeholder"],
  link: [
    (value) => (value instanceof Thing ? !!value.id || value.block.syntax !== "json-ld" : readsUrl(value)),
    "a URL, or an object with an @id",
  ],
  temporal: [readsText, "a period"],
  year: [(value) => !(value instanceof Thing) && /^[0-9]{4}$/.test(strip(str(value))), "a year"],
};

/**
 * Result of fitting a value: a mismatch (`wrong` is the reason), a fit, or a shape to evaluate.
 * @typedef {{wrong?: string, shape?: string, closed?: boolean}} Fit
 */
/** @type {Fit} */
const FITS = {};

/** Members of an enumeration in words; of many the first ones. @param {string[]} members @param {string} what */
const membersInWords = (members, what) =>
  members.length <= 8 ? joinWords(members, "or") : `${members.slice(0, 4).join(", ")} or another of ${members.length} ${what}`;

/** One `value` of an entry, compiled. `isPlain`: only plain kinds, whose errors rules report. */
class Kinds {
  /** @param {string} text @param {ProfileSet} profileSet */
  constructor(text, profileSet) {
    const { enums, shapes } = profileSet.consumer;
    /** @type {((value: any, tables: Tables) => boolean)[]} */
    this.reads = [];
    /** @type {any[]} */
    this.enums = [];
    /** @type {Set<string>} */
    this.types = new Set();
    /** @type {{name: string, included: Set<string>, excluded: Set<string>}[]} */
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
        const source = shapes[name].rule ? profileSet.profile(shapes[name].rule) : shapes[name];
        const included = new Set(source.types || []);
        this.shapes.push({ name, included, excluded: new Set(source.exclude_types || []) });
        expected.push(joinWords([...included].sort(), "or"));
      } else if (Object.hasOwn(READS, kind)) {
        this.reads.push(READS[kind][0]);
        expected.push(READS[kind][1]);
      } else {
        this.types.add(kind);
        expected.push(kind);
      }
    }
    this.expected = joinWords(unique(expected), "or");
    this.isPlain = !this.enums.length && !this.types.size && !this.shapes.length;
    this.hasScale = text === "rating";
  }

  /** @param {EvaluationContext} context @param {Hit} hit @returns {Fit} */
  fit(context, hit) {
    const { value } = hit;
    if (this.reads.some((reads) => reads(value, context.ruleContext.tables)))
      return this.hasScale && use("validate.ratings").scale_missed(hit.node, value) ? { wrong: OUTSIDE } : FITS;
    if (this.enums.some((each) => isOfEnum(context, each, value))) return FITS;
    return value instanceof Thing ? this.asThing(context, value) : this.asText(context, hit);
  }

  /** @param {EvaluationContext} context @param {Thing} node @returns {Fit} */
  asThing(context, node) {
    if (this.enums.length && !this.types.size && !this.shapes.length) {
      if (isReference(node) && node.id && textOf(node) === strip(node.id)) return FITS; // of another vocabulary
      return { wrong: `it is ${textOf(node) || "an object"} where ${this.expected} is expected`, closed: true };
    }
    if (isTypeMisspelt(node)) return { wrong: MISSPELT }; // reported by type-wrong-case
    return isReference(node) ? FITS : this.asTypes(context, node.types);
  }

  /** @param {EvaluationContext} context @param {string[]} types @returns {Fit} */
  asTypes(context, types) {
    if (types.some((name) => name.includes(":") || name.endsWith("Role"))) return FITS;
    if (!types.length)
      return this.shapes.length
        ? { shape: this.shapes[0].name }
        : this.types.size
          ? FITS
          : { wrong: "it is an object" };
    const shape = this.shapes.find(({ included, excluded }) => context.areA(types, included) && !context.areA(types, excluded));
    if (shape) return { shape: shape.name };
    if (context.areA(types, this.types)) return FITS;
    const are = types.join(" and ");
    if (this.isPlain && this.expected.endsWith("ImageObject") && types.includes("ImageObject"))
      return { wrong: "it is an ImageObject without an address: url or contentUrl" };
    if (this.isPlain) return { wrong: `it is an object of type ${are}, not ${this.expected}` };
    return { wrong: `it is of type ${are} where ${this.expected} is expected`, closed: true };
  }

  /** @param {EvaluationContext} context @param {Hit} hit @returns {Fit} */
  asText(context, { value, prop }) {
    if (typeof value === "string" && (this.types.size || this.shapes.length)) {
      const text = strip(value);
      if (
        (prop !== null && NAMED_BY_TEXT.has(prop)) ||
        text.includes("://") ||
        context.vocabulary.types.has(textOf(text) || "")
      )
        return FITS;
      return { wrong: `it is a text where ${this.expected} is expected`, closed: true };
    }
    if ((value instanceof Num || typeof value === "boolean") && this.types.has("QuantitativeValue") && number(value))
      return FITS;
    if (this.isPlain) return { wrong: `it is not ${this.expected}` };
    const displayed = textOf(value);
    return {
      wrong: `it is ${typeof value === "boolean" ? value : displayed === null ? "None" : repr(displayed)} where ${this.expected} is expected`,
      closed: true,
    };
  }
}
/**
 * Words as written; members, types and properties by their bare names.
 * @param {EvaluationContext} context
 * @param {any} listing
 * @param {Value} value
 */
const isOfEnum = (context, listing, value) => {
  if (listing.open) return true;
  if (listing.kind === "type") return value instanceof Thing && context.areA(value.types, new Set(listing.members));
  if (value instanceof Thing && value.types.length && !value.id)
    return value.types.some((name) => listing.members.includes(name));
  const text = textOf(value);
  return listing.members.includes(text) || (!!listing.any_case && listing.members.includes(text?.toLowerCase()));
};

// Entries as checks, and what they find in a node.

const REQUIRED = 0;
const SOFT = 1;
const RECOMMENDED = 2;
const UNCERTAIN = 3;
const LIMIT = 4;
/** Gap between an entry and the markup; see `Gap` in waypost/validate/profiles/model.py.
 * @typedef {{kind: string, node: Thing, path: string, ask: string, prop: string|null, at: number|null, words: string, rule: string|null, loses: string|null,
 *   certain: boolean, severity: string|null, held: boolean, own: boolean}} Fault */
/** @param {string} prefix @param {string} path */
const belowPath = (prefix, path) => (prefix ? prefix + path.replaceAll("|", `|${prefix}`) : path);
/** @param {Gap} gap @param {string} prefix @param {string|null} [loses] @returns {Gap} */
const belowGap = (gap, prefix, loses = null) => ({
  ...gap,
  path: gap.held ? gap.path : belowPath(prefix, gap.path),
  loses: gap.loses || loses,
});

/** Gaps between a set of requirements and a node. */
class Outcome {
  constructor() {
    /** Is a required list too short? A warning, and no result. */
    this.isShort = false;
    /** @type {Gap[]} */
    this.required = [];
    /** @type {Gap[]} */
    this.soft = [];
    /** @type {Gap[]} */
    this.limits = [];
    /** @type {Map<string, Thing>} */
    this.recommended = new Map();
    /** @type {Map<string, string[]>} */
    this.maybeRecommended = new Map();
    /** @type {Map<string, string[]>} */
    this.maybeRequired = new Map();
  }

  /** @param {number} level @param {Gap} gap */
  add(level, gap) {
    (level === REQUIRED ? this.required : level === LIMIT ? this.limits : this.soft).push(gap);
  }

  /**
   * Take over what was found in a nested object.
   * @param {Outcome} inside
   * @param {string} prefix
   * @param {number} level
   * @param {string|null} loses
   */
  lift(inside, prefix, level, loses) {
    if (level === REQUIRED) for (const gap of inside.required) this.required.push(belowGap(gap, prefix));
    else if (level !== UNCERTAIN) {
      for (const gap of inside.required)
        if (gap.certain && !gap.own) this.soft.push(belowGap(gap, prefix, loses));
    }
    if (level === UNCERTAIN) return;
    for (const gap of inside.soft) this.soft.push(belowGap(gap, prefix, loses));
    for (const gap of inside.limits) this.limits.push(belowGap(gap, prefix));
    for (const [own, theirs] of /** @type {[Map<string, any>, Map<string, any>][]} */ ([
      [this.recommended, inside.recommended],
      [this.maybeRecommended, inside.maybeRecommended],
      [this.maybeRequired, inside.maybeRequired],
    ])) {
      for (const [path, what] of theirs) if (!own.has(belowPath(prefix, path))) own.set(belowPath(prefix, path), what);
    }
  }
}

class Requirements {
  /**
   * @param {any} source a profile or shape
   * @param {ProfileSet} profileSet
   * @param {string|null} loses
   * @param {boolean} isProfile
   */
  constructor(source, profileSet, loses, isProfile) {
    /** @type {Check[]} */
    this.checks = [];
    for (const [level, part] of /** @type {[number, string][]} */ ([
      [REQUIRED, "required"],
      [RECOMMENDED, "recommended"],
      [LIMIT, "limits"],
    ])) {
      for (const entry of source[part] || []) this.checks.push(new Check(entry, level, profileSet));
    }
    this.loses = loses;
    this.isProfile = isProfile;
  }

  /**
   * Gaps of a node, computed once; none while the same evaluation is under way further up.
   * @param {EvaluationContext} context
   * @param {Thing} node
   * @returns {Outcome}
   */
  evaluate(context, node, depth = 0) {
    const known = context.outcomes.get(node) || new Map();
    context.outcomes.set(node, known);
    const before = known.get(this);
    if (before) return before;
    if (before === null || depth > DEEPEST_REQUIREMENT) return new Outcome();
    known.set(this, null);
    const outcome = new Outcome();
    for (const check of this.checks) check.run(context, node, outcome, depth);
    known.set(this, outcome);
    return outcome;
  }
}

/** One entry, compiled. */
class Check {
  /** @param {any} entry @param {number} part @param {ProfileSet} profileSet */
  constructor(entry, part, profileSet) {
    this.entry = entry;
    this.profileSet = profileSet;
    const isMild =
      entry.row === "recommended" || (entry.severity && !entry.waits) || !["table", "prose"].includes(entry.basis || "table");
    this.level = entry.beta ? UNCERTAIN : part === REQUIRED && isMild ? SOFT : part;
    this.when = entry.when ? compileCondition(entry.when, profileSet.filters) : null;
    this.intents = intentsOf(entry.when);
    if (!this.intents.length && entry.beta) this.intents = ["trial"];
    this.each = entry.each ? new Path(entry.each, profileSet.filters) : null;
    this.prefix = entry.each ? `${entry.each}.` : "";
    /** @type {string[]} */
    const texts = entryPaths(entry);
    this.paths = new Map(texts.map((text) => [text, new Path(text, profileSet.filters)]));
    this.only = { text: texts[0], path: /** @type {Path} */ (this.paths.get(texts[0])) };
    this.whole = texts.join("|");
    /**
     * Missing path: as reported, and from the object without it.
     * @type {Map<string, {path: string, localPath: string, held: boolean}>}
     */
    this.missingPlaces = new Map();
    this.kinds = new Map(
      texts.flatMap((text) => {
        const kind = entry.values?.[text] ?? entry.value;
        return kind ? [/** @type {[string, Kinds]} */ ([text, profileSet.kinds(kind)])] : [];
      }),
    );
    this.prefer = entry.prefer ? profileSet.kinds(entry.prefer) : null;
    this.limits = limitsOf(entry);
    this.isPlain = !this.limits.length && !this.prefer && [...this.kinds.values()].every((each) => each.isPlain);
    this.isCounted = !!(entry.min_items || entry.max_items || entry.unique || entry.includes);
  }

  /**
   * Evaluate a node, or every object that `each` reaches from it.
   * @param {EvaluationContext} context
   * @param {Thing} node
   * @param {Outcome} outcome
   * @param {number} depth
   */
  run(context, node, outcome, depth) {
    const scopes = this.each ? this.each.allObjects(context, node).filter((each) => !isReference(each)) : [node];
    for (const scope of scopes) {
      const holds = this.when ? this.when(context, scope) : true;
      if (holds === false) continue;
      const level = holds === null ? UNCERTAIN : this.level;
      if (this.entry.absent) this.absent(context, scope, outcome, level);
      else if (this.entry.any_of_groups) this.anyOfGroups(context, scope, outcome, level, depth);
      else if (this.entry.any_of) this.anyOf(context, scope, outcome, level, depth);
      else this.path(context, scope, outcome, level, depth);
    }
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} node @param {string} text */
  missing(outcome, level, node, text) {
    const { entry } = this;
    if (entry.default !== undefined) return;
    let place = this.missingPlaces.get(text);
    if (!place) {
      const held = text.startsWith("^."),
        localPath = withoutPrefix(text.replace(FILTER, ""), "^.");
      place = { held, localPath, path: held ? localPath : belowPath(this.prefix, localPath) };
      this.missingPlaces.set(text, place);
    }
    const { held, localPath, path } = place;
    if (level === RECOMMENDED) {
      if (!outcome.recommended.has(path)) outcome.recommended.set(path, node);
    } else if (level === UNCERTAIN) {
      const maybe = this.level === REQUIRED || this.level === SOFT ? outcome.maybeRequired : outcome.maybeRecommended;
      if (!maybe.has(path)) maybe.set(path, this.intents);
    } else {
      this.recordGap(outcome, level, "missing", node, path, localPath, null, "", true, held);
    }
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} kind
   * @param {Thing} node
   * @param {string} path
   * @param {string} localPath
   * @param {Hit|null} hit
   * @param {string} words
   * @param {boolean} [certain]
   * @param {boolean} [held]
   */
  recordGap(outcome, level, kind, node, path, localPath, hit, words, certain = true, held = false) {
    const { rule = null, severity = null } = this.entry;
    const { prop, at } = hit || { prop: null, at: null };
    outcome.add(level, { kind, node, path, localPath, prop, at, words, rule, loses: null, certain, severity, held, own: false });
  }

  /** Is presence enough, because rules report the values? @param {number} level */
  presenceIsEnough(level) {
    return level === UNCERTAIN || (level === RECOMMENDED && this.isPlain);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  path(context, scope, outcome, level, depth) {
    const { text, path } = this.only;
    if (path.simple && !this.isCounted && this.presenceIsEnough(level)) {
      if (!path.present(context, scope)) this.missing(outcome, level, scope, text);
      return;
    }
    const [hits, lacking] = path.context(context, scope);
    for (const node of lacking) this.missing(outcome, level, node, text);
    if (!hits.length) return;
    if (this.isCounted) this.checkCounts(outcome, level, scope, text, hits);
    this.values(context, outcome, level, text, hits, depth);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOf(context, scope, outcome, level, depth) {
    const { entry } = this;
    const presenceIsEnough = this.presenceIsEnough(level) || (!this.kinds.size && !this.limits.length);
    if (level !== REQUIRED && !entry.exclusive && presenceIsEnough) {
      for (const path of this.paths.values()) if (path.present(context, scope)) return;
      this.missing(outcome, level, scope, this.whole);
      return;
    }
    const found = [...this.paths]
      .map(([text, path]) => ({ text, hits: path.context(context, scope)[0] }))
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
        `only one of ${joinWords(found.map(({ text }) => text))} may be given`,
      );
    const total = found.reduce((sum, { hits }) => sum + hits.length, 0);
    if (entry.min_items_total && total < entry.min_items_total)
      this.limit(outcome, level, scope, found[0].text, `it has ${numberOfValues(total)}, but at least ${entry.min_items_total} are needed`);
    const all = found.flatMap(({ text, hits }) => hits.map((hit) => ({ text, hit, outcome: new Outcome() })));
    if (
      this.isPlain &&
      all.some(
        ({ text, hit }) => !isUnfilled(hit.value) && this.kinds.get(text)?.fit(context, hit).wrong === undefined,
      )
    )
      return;
    for (const each of all) this.value(context, each.outcome, REQUIRED, each.text, each.hit, depth);
    const noneHolds = all.every((each) => each.outcome.required.length);
    if (entry.some && !noneHolds) return;
    const nearestOne = level === REQUIRED && noneHolds ? nearestOf(all.map((each) => each.outcome)) : null;
    for (const each of all) {
      if (each.outcome === nearestOne) outcome.lift(each.outcome, "", REQUIRED, null);
      else if (level !== UNCERTAIN && !entry.some) outcome.lift(each.outcome, "", level === LIMIT ? LIMIT : SOFT, null);
    }
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOfGroups(context, scope, outcome, level, depth) {
    const found = new Map([...this.paths].map(([text, path]) => [text, path.context(context, scope)[0]]));
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
    for (const [text, hits] of found) if (hits.length) this.values(context, outcome, level, text, hits, depth);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level */
  absent(context, scope, outcome, level) {
    const [[text, path]] = this.paths;
    const above = new Set(linksOf(scope).map(([holder]) => holder));
    const hit = path.context(context, scope)[0].find((each) => !above.has(each.value)); // pointing back at the holder is fine
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
   * @param {string} operand
   * @param {Hit|null} [hit]
   * @param {boolean} [hard]
   */
  limit(outcome, level, node, text, problem, hit = null, hard = false) {
    if (level === UNCERTAIN) return;
    const localPath = text.replace(FILTER, "");
    this.recordGap(outcome, hard && level === REQUIRED ? REQUIRED : LIMIT, "limit", node, this.prefix + localPath, localPath, hit, problem);
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} scope @param {string} text @param {Hit[]} hits */
  checkCounts(outcome, level, scope, text, hits) {
    const { entry } = this,
      many = hits.length;
    const isShort = many < entry.min_items;
    if (isShort && level === REQUIRED) outcome.isShort = true;
    if (isShort && !entry.told_by)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}, but at least ${entry.min_items} are needed`, hits[0]);
    if (entry.max_items && many > entry.max_items)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}, but only ${entry.max_items} ${entry.max_items === 1 ? "is" : "are"} allowed`, hits[entry.max_items], true);
    if (entry.unique) {
      const seen = new Set();
      for (const hit of hits) {
        const name = textOf(hit.value);
        if (seen.has(name)) this.limit(outcome, level, hit.node, text, "it is given twice", hit, true);
        seen.add(name);
      }
    }
    for (const each of entry.includes || []) {
      if (!hits.some((hit) => equals(hit.value, each))) this.missing(outcome, level, scope, `${text} ${each}`);
    }
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit[]} hits
   * @param {number} depth
   */
  values(context, outcome, level, text, hits, depth) {
    if (this.presenceIsEnough(level)) return;
    const filled = hits.filter((hit) => !isUnfilled(hit.value)); // a single one is enough
    hits = filled.length ? filled : hits.slice(0, 1);
    if (!this.entry.some) {
      for (const hit of hits) this.value(context, outcome, level, text, hit, depth);
      return;
    }
    const tried = hits.map((hit) => {
      const each = new Outcome();
      this.value(context, each, REQUIRED, text, hit, depth);
      return each;
    });
    outcome.lift(fewest(tried), "", level, null);
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit} hit
   * @param {number} depth
   */
  value(context, outcome, level, text, hit, depth) {
    const kinds = this.kinds.get(text);
    const path = this.prefix + withoutPrefix(text.replace(FILTER, ""), "^.");
    const isMild = level === REQUIRED && this.entry.misfit && !(hit.value instanceof Thing);
    if (isMild) level = SOFT;
    if (level === REQUIRED && isUnfilled(hit.value)) {
      this.unfit(outcome, level, path, hit, "it is a placeholder that was never filled in", false);
      return;
    }
    const { value, prop } = hit;
    if (this.prefer && !NAMED_BY_TEXT.has(prop || "") && typeof value === "string" && /^https?:\/\/[^ ]+$/.test(strip(value))) {
      this.unfit(outcome, level, path, hit, `it is a URL where ${this.prefer.expected} is expected`, true);
      return;
    }
    if (kinds) {
      const fit = kinds.fit(context, hit);
      if (fit.wrong !== undefined) {
        if (fit.closed || isMild || level === REQUIRED) this.unfit(outcome, level, path, hit, fit.wrong, !!(fit.closed || isMild));
        return;
      }
      if (fit.shape !== undefined && hit.value instanceof Thing)
        this.shape(context, outcome, level, path, hit.value, fit.shape, depth);
    }
    for (const limit of this.limits) {
      const wrong = limit(hit.value);
      if (wrong) this.unfit(outcome, level, path, hit, wrong, true);
    }
    if (this.prefer && this.prefer.fit(context, hit).wrong !== undefined)
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
    this.recordGap(outcome, level, "unfit", hit.node, path, wrong === OUTSIDE ? "bestRating|worstRating" : path, hit, wrong, certain);
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} path
   * @param {Thing} node
   * @param {string} name
   * @param {number} depth
   */
  shape(context, outcome, level, path, node, name, depth) {
    const requirements = this.profileSet.shape(name);
    if (!requirements.checks.length || (requirements.isProfile && level !== REQUIRED)) return; // the profile's own evaluation of the node reports it
    const inside = requirements.evaluate(context, node, depth + 1);
    if (!requirements.isProfile) outcome.lift(inside, `${path}.`, level, requirements.loses);
    else for (const gap of inside.required) outcome.required.push({ ...belowGap(gap, `${path}.`), own: true });
  }
}
/** Paths of an entry as written in the profile, without repetitions. @param {any} entry @returns {string[]} */
const entryPaths = (entry) =>
  entry.absent
    ? [entry.absent]
    : entry.path
      ? [entry.path]
      : unique([...(entry.any_of || []), ...(entry.any_of_groups || []).flat()]);
/** The nearest of alternatives: few faults first, and of these a wrong value before a count of 0, which says nothing. @param {Outcome[]} tried */
const nearestOf = (tried) => {
  const isLimited = (/** @type {Outcome} */ { required }) => required.some(({ words }) => words?.startsWith("0 is below"));
  const few = Math.min(...tried.map(({ required }) => required.length));
  const near = tried.filter(({ required }) => required.length === few);
  return near.find((each) => !isLimited(each)) ?? near[0];
};
/** @param {number} count */
const numberOfValues = (count) => (count === 1 ? "1 value" : `${count} values`);
/** The first outcome with the fewest required gaps. @param {Outcome[]} tried */
const fewest = (tried) => tried.reduce((one, two) => (two.required.length < one.required.length ? two : one));
/** @param {any} literal */
const plainLiteral = (literal) => (typeof literal === "boolean" ? String(literal) : str(literal));
/** @param {any} value */
const displayValue = (value) => (value instanceof Thing ? "the object" : repr(clip(plainLiteral(value))));
/**
 * The bounds of a single value: each returns the mismatch, or null.
 * @param {any} entry
 * @returns {((value: any) => string|null)[]}
 */
const limitsOf = (entry) => {
  /** @type {((value: any) => string|null)[]} */
  const limits = [];
  if (entry.equals !== undefined)
    limits.push((value) =>
      equals(value, entry.equals) ? null : `it is ${displayValue(value)}, but must be ${plainLiteral(entry.equals)}`,
    );
  if (entry.pattern !== undefined) {
    const pattern = rx()(/** @type {any} */ ({ raw: [entry.pattern] }));
    const requirement = entry.rule || `it does not match ${entry.pattern}`;
    limits.push((value) =>
      typeof value !== "string" || pattern.test(head(value, 2000))
        ? null
        : `${displayValue(value)} does not fit: ${requirement}`,
    );
  }
  for (const [key, isWrong, problem] of /** @type {[string, (way: number) => boolean, string][]} */ ([
    ["min", (way) => way < 0, "at least"],
    ["max", (way) => way > 0, "at most"],
    ["gt", (way) => way <= 0, "above"],
  ])) {
    if (entry[key] === undefined) continue;
    const bound = Dec.of(String(entry[key]));
    limits.push((value) => {
      const exactly = number(value);
      return exactly && isWrong(exactly.compare(bound)) ? `it is ${exactly}, but must be ${problem} ${canonical(bound)}` : null;
    });
  }
  if (entry.time)
    limits.push((value) =>
      (momentOf(value)?.form ?? "datetime") === "datetime" ? null : `it is ${displayValue(value)}, a date without time and time zone`,
    );
  if (entry.max_length !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) > entry.max_length
        ? `it has ${size(value)} characters, but only ${entry.max_length} are allowed`
        : null,
    );
  }
  if (entry.min_length !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) < entry.min_length
        ? `it has ${size(value)} characters, but at least ${entry.min_length} are needed`
        : null,
    );
  }
  return limits;
};

/** The profiles of one consumer with what they share. */
class ProfileSet {
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
   * Requirements of a shape, or of the profile that it names.
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

/** A profile, compiled when a node first needs it. */
class Feature {
  /** @param {any} profile @param {ProfileSet} profileSet @param {number} rank */
  constructor(profile, profileSet, rank) {
    this.profile = profile;
    this.profileSet = profileSet;
    this.rank = rank;
    /** @type {string} */
    this.name = profile.name;
    /** Types of items whose ratings the consumer shows. */
    this.reviewable = new Set(profileSet.consumer.enums.reviewableType?.members);
    this.when = profile.applies_when ? compileCondition(profile.applies_when, profileSet.filters) : null;
    this.supposedWhen = profile.supposed_when ? compileCondition(profile.supposed_when, profileSet.filters) : null;
    /** @type {Requirements|null} */
    this.made = null;
  }

  /** First property of each required path. @returns {string[]} */
  get requiredNames() {
    return (this.profile.required || []).flatMap((/** @type {any} */ entry) =>
      (entry.each ? [entry.each] : entryPaths(entry)).map((path) => withoutPrefix(path, "^.").split(".")[0]),
    );
  }

  /** First property of each path that is read, of a profile that requires none; else none. @returns {string[]} */
  get optionalNames() {
    const { required = [], recommended = [], limits = [] } = this.profile;
    const names = (required.length ? [] : [...recommended, ...limits]).flatMap((/** @type {any} */ entry) =>
      (entry.each ? [entry.each] : entryPaths(entry)).map((path) => withoutPrefix(path, "^.").split(".")[0].split("[")[0]),
    );
    return names.length ? ["name", ...names] : [];
  }

  /** Properties that a list for summaries requires of the item of each entry. @returns {string[]} */
  get owedByEntries() {
    const paths = this.profile.required.flatMap(entryPaths).filter((/** @type {string} */ path) => path.startsWith("item."));
    return paths.map((/** @type {string} */ path) => path.slice(5)).sort();
  }

  /** @param {EvaluationContext} context @param {Thing} node */
  evaluate(context, node) {
    this.made ||= new Requirements(this.profile, this.profileSet, null, true);
    return this.made.evaluate(context, node);
  }

  /** @param {string} today */
  status(today) {
    const { retired_on: retired, status } = this.profile;
    return retired && today < retired ? undefined : status;
  }

  /**
   * Types of the profile by which it applies to a node.
   * @param {string[]} types
   * @param {Vocabulary} vocabulary
   * @returns {string[]}
   */
  typesIn(types, vocabulary) {
    const { types: included, exclude_types: excluded, exclude_alone: alone = [] } = this.profile;
    if (excluded && vocabulary.areA(types, new Set(excluded))) return [];
    const lines = types
      .map((name) => vocabulary.ancestors(name))
      .filter((line) => !alone.some((/** @type {string} */ each) => line.has(each)));
    return included.filter((/** @type {string} */ each) => lines.some((line) => line.has(each)));
  }
}

/** All features, and for types of nodes the few that matter. */
class ProfileEngine {
  /** @param {any} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    this.vocabulary = vocabulary;
    const profiles = new Map(data.profiles.map((/** @type {any} */ each) => [each.name, each]));
    const houses = new Map(data.consumers.map((/** @type {any} */ each) => [each.name, new ProfileSet(each, profiles)]));
    /** @type {Map<string, Feature>} */
    this.features = new Map(
      data.profiles.map((/** @type {any} */ each, /** @type {number} */ rank) => [
        each.name,
        new Feature(each, /** @type {ProfileSet} */ (houses.get(each.name.split("/")[0])), rank),
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
   * Feature of the list of a subject whose entries are summaries of other pages, and have a URL of their own.
   * @param {Subject} subject
   */
  summaryOf({ node, among }) {
    const [holder, via] = among || [null, ""];
    if (!holder || via !== "item" || node.get("url") === null) return null;
    const isFor = (/** @type {Feature} */ { profile: { summary, types, item_types: items } }) =>
      summary && this.vocabulary.areA(holder.types, new Set(types)) && this.vocabulary.areA(node.types, new Set(items));
    return [...this.features.values()].find(isFor) || null;
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

// Subjects: nodes of a page that could earn a result.

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
/** Properties that lead from a subject to a node of the graph which the page states for itself. */
const LINKS = new Set(["author", "copyrightHolder", "creator", "isPartOf", "parentOrganization", "provider", "publisher", "sourceOrganization", "worksFor"]);
const SITE = new Set(["WebPage", "WebSite"]);
const WEB_PAGE = new Set(["WebPage"]);
const ITEM_LIST = new Set(["ItemList"]);
const NO_LIST = new Set(["BreadcrumbList", "HowToSection", "HowToStep", "OfferCatalog"]);
const DATA_FEED = new Set(["DataFeed"]);
/** `linked`: a subject only refers to the node, which gets a verdict, and at most warnings.
 * @typedef {{node: Thing, root: Thing, nested: boolean, among: [Thing, string]|null, linked?: boolean}} Subject */

/**
 * All subjects of a page, each once: roots and main entities, breadcrumbs, content, linked nodes.
 * @param {EvaluationContext} context
 * @returns {Subject[]}
 */
const subjectsOf = (context) => {
  const { page } = context;
  const pages = page.nodes.filter(
    (node) => !node.parent && node.referrers.length && context.areA(node.types, WEB_PAGE) && !node.sameAs,
  );
  /** Nodes that the markup first holds inside another node, and that stand for themselves elsewhere. */
  const apart = new Set(page.nodes.flatMap((each) => (each.sameAs && !each.parent ? [each.sameAs] : [])));
  const named = [...apart].filter((node) => node.via === "item" && node.types.length && !node.foreign);
  const alone = (/** @type {Thing} */ node) => ({ node, root: node, nested: false, among: null });
  const seen = new Set();
  /** @type {Subject[]} */
  const found = [];
  const grow = (/** @type {Subject[]} */ some, /** @type {(subject: Subject) => Subject[]} */ next) => {
    for (const subject of some) {
      // grows while it is walked
      if (seen.has(subject.node)) continue;
      seen.add(subject.node);
      found.push(subject);
      for (const each of next(subject)) some.push(each);
    }
    return some;
  };
  const mainEntities = (/** @type {Subject} */ subject) => mainOf(context, subject);
  const main = grow([...page.roots, ...pages].map(alone), mainEntities);
  main.push(...grow(named.map(alone), mainEntities));
  for (const node of page.nodes) {
    if (!node.types.includes("BreadcrumbList") || (!node.parent && !node.referrers.length)) continue;
    if (seen.has(node) || node.foreign || node.hollow || node.sameAs || isReference(node)) continue;
    seen.add(node);
    found.push({ node, root: node, nested: false, among: null });
  }
  grow(main.flatMap(contentOf), contentOf);
  /** @param {Subject} subject @returns {Subject[]} */
  const linkedTo = ({ node, root }) => {
    const isSite = context.areA(node.types, SITE);
    return [...node.props.keys()].filter((prop) => LINKS.has(prop) || (isSite && prop === "about")).flatMap((prop) =>
      node.nodes(prop).filter((inner) => {
        const isApart = !inner.parent || (inner.id !== null && apart.has(inner));
        return isApart && inner.types.length && !inner.foreign && !isReference(inner);
      }).map((inner) => ({ node: inner, root, nested: false, among: /** @type {[Thing, string]} */ ([node, prop]), linked: true })));
  };
  grow(main.flatMap(linkedTo), linkedTo);
  return found;
};
/** @param {EvaluationContext} context @param {Subject} subject @returns {Subject[]} */
const mainOf = (context, { node, root }) => {
  if (!MAIN.some((prop) => node.props.has(prop))) return [];
  const isA = (/** @type {Set<string>} */ types) => context.areA(node.types, types);
  const subjectsAt = (/** @type {Thing[]} */ nodes, /** @type {[Thing, string]|null} */ among = null) =>
    nodes.filter((each) => !isReference(each)).map((each) => ({ node: each, root, nested: false, among }));
  const found = node
    .nodes("mainEntityOfPage")
    .filter((page) => context.areA(page.types, WEB_PAGE) && MAIN.some((prop) => page.props.has(prop)))
    .map((page) => ({ node: page, root, nested: false, among: /** @type {[Thing, string]|null} */ (null) }));
  if (isA(WEB_PAGE)) found.push(...subjectsAt([...node.nodes("mainEntity"), ...node.nodes("breadcrumb")]));
  if (isA(ITEM_LIST) && !isA(NO_LIST)) {
    const items = node
      .nodes("itemListElement")
      .flatMap((element) =>
        element.props.has("item") ? element.nodes("item") : element.types.includes("ListItem") ? [] : [element],
      );
    addAll(found, subjectsAt(items, [node, "item"]));
  }
  if (isA(DATA_FEED)) addAll(found, subjectsAt(node.nodes("dataFeedElement"), [node, "dataFeedElement"]));
  return found;
};
/** @param {Subject} subject @returns {Subject[]} */
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
 * Feature applied to a node, with the outcome.
 * @typedef {{feature: Feature, by: string[], outcome: Outcome, restricted: boolean, asked: boolean, supposed: boolean}} Case
 */

/** Evaluation of a page by the profiles that apply to its nodes, and by profiles requested by name. */
class ProfileEvaluator {
  /** @param {RuleContext} ruleContext @param {ProfileEngine} engine @param {Set<string>} requested */
  constructor(ruleContext, engine, requested) {
    this.context = new EvaluationContext(ruleContext);
    this.engine = engine;
    this.requested = requested;
    /** Profiles that nothing on the page is about. */
    this.unmet = new Set(requested);
    this.today = isoDay(ruleContext.now);
    /** @type {Map<Thing, Map<string, number>>} */
    this.misspelt = new Map();
    this.builder = new FindingBuilder(this.misspelt, ruleContext);
    /** @type {Set<Thing>} */
    this.tried = new Set();
    /** @type {Map<Thing, Set<string>>} */
    this.eligible = new Map();
    /** @type {Map<Thing, Set<string>>} */
    this.retiredFor = new Map();
    /** Results that an item, as one of a list, misses by an error. @type {Map<Thing, Set<string>>} */
    this.missed = new Map();
    /** Results of each node that was evaluated. @type {Map<Thing, {root: Thing, via: string|null, eligible: Set<string>, missed: Map<string, any>, retired: Set<string>, lapsed: any[]}>} */
    this.byNode = new Map();
    /** Requested profiles of which a subject was evaluated. @type {Set<string>} */
    this.found = new Set();
    /** By the condition of such a profile. @type {[Subject, {feature: Feature, by: string[]}][]} */
    this.inapplicable = [];
  }

  /** Results of a node. @param {Subject} subject */
  resultsOf({ node, root, nested, linked, among }) {
    let results = this.byNode.get(node);
    if (!results) this.byNode.set(node, results = { root, via: among && (nested || linked) ? among[1] : null, eligible: new Set(), missed: new Map(), retired: new Set(), lapsed: [] });
    return results;
  }

  /** In steps, one for each subject. @returns {Generator<undefined, Draft[]>} */
  *run() {
    // A consumer does not see what stands under a name in the wrong letter case.
    const { page, nodesBySign } = this.context.ruleContext;
    const before = (nodesBySign.get("miscased") || []).map((node) => {
      const { props } = node,
        wrong = [.../** @type {Iterable<[string, number[]]>} */ (use("validate.spelling").misspelt_values(node, page))];
      node.props = new Map(props);
      for (const [name, numbers] of wrong) {
        const values = [.../** @type {Value[]} */ (props.get(name))];
        for (const number of numbers) values[number] = null;
        node.props.set(name, values);
      }
      this.misspelt.set(node, new Map(wrong.map(([name, [first]]) => [name, first])));
      return { node, props };
    });
    try {
      return yield* this.evaluateSubjects();
    } finally {
      for (const { node, props } of before) node.props = props;
    }
  }

  /** @returns {Generator<undefined, Draft[]>} */
  *evaluateSubjects() {
    const { unmet } = this;
    for (const subject of subjectsOf(this.context)) {
      const features = this.engine.featuresFor(subject.node.types);
      if (!subject.nested) this.resultsOf(subject); // also where the type has no rich result of its own
      if (!features.length) continue;
      yield;
      this.node(subject, features);
    }
    this.assertConditions();
    for (const name of [...this.found, ...this.inapplicable.map(([, { feature }]) => feature.name)]) unmet.delete(name);
    for (const name of [...unmet].sort()) {
      this.inapplicable = [];
      this.everywhere(/** @type {Feature} */ (this.engine.features.get(name)));
      this.assertConditions();
    }
    this.olds();
    for (const [node, results] of this.byNode) if (results.eligible.size) results.lapsed = lapsesOf(this.context.ruleContext, node, [...results.eligible].sort());
    return this.builder.drafts();
  }

  /** Evaluate requested profiles whose condition no item meets: the name of a profile asserts the condition. */
  assertConditions() {
    for (const [subject, applied] of [...this.inapplicable]) if (!this.found.has(applied.feature.name)) this.node(subject, [applied], true);
  }

  /** @param {Thing} root @param {string} name @param {Map<Thing, Set<string>>} earned */
  note(root, name, earned = this.eligible) {
    earned.set(root, (earned.get(root) || new Set()).add(name));
  }

  /** @param {Subject} subject @param {{feature: Feature, by: string[]}[]} features @param {boolean} [asserted] the condition is */
  node(subject, features, asserted) {
    /** @type {Candidate[]} */
    const cases = [];
    for (const { feature, by } of features) {
      const requested = this.requested.has(feature.name) && !subject.linked;
      if (subject.nested && !requested && !isPresent(subject.node)) continue; // a type alone says nothing
      /** @type {boolean|null} */
      let applies = true;
      if (feature.when && !asserted) {
        this.context.asserting = requested;
        applies = feature.when(this.context, subject.node);
        this.context.asserting = false;
        if (!applies && (applies === false || !feature.supposedWhen?.(this.context, subject.node))) {
          if (requested) this.inapplicable.push([subject, { feature, by }]);
          continue;
        }
      }
      if (requested && !asserted) this.found.add(feature.name);
      const status = feature.status(this.today);
      if (status === "retired") this.retired(subject, feature, requested);
      else {
        const outcome = feature.evaluate(this.context, subject.node);
        if (!applies && (outcome.required.length || outcome.isShort)) continue; // what the caller may not even have intended
        cases.push({ feature, by, outcome, restricted: status === "restricted", requested, supposed: !applies });
      }
    }
    if (!subject.nested && !subject.linked && isTypeMisspelt(subject.node) && cases.some((each) => !each.restricted && !each.supposed))
      this.context.ruleContext.costlyTypes.add(subject.node);
    if (!cases.length) return;
    if (subject.linked) this.reportLinked(subject, cases);
    else this.report(subject, this.withoutSummaries(subject, cases));
  }

  /**
   * Leave out the results that an entry of a list owes the page at its URL, and report what the list requires.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  withoutSummaries(subject, cases) {
    const feature = this.engine.summaryOf(subject);
    if (!feature) return cases;
    const owed = feature.owedByEntries;
    const own = [...subject.node.props.keys()].filter((name) => !owed.includes(name));
    const excused = cases.filter(
      (each) => !isEarned(each) && !each.requested && !each.feature.requiredNames.some((name) => own.includes(name)),
    );
    if (excused.length) {
      const missed = new Outcome();
      const { required } = feature.evaluate(this.context, /** @type {[Thing, string]} */ (subject.among)[0]);
      missed.required = required.filter((gap) => gap.node === subject.node);
      this.builder.required(feature, missed, "warning");
    }
    for (const each of excused) {
      this.noteMissed(subject, each, "info");
      this.builder.notEligible(subject, each.feature, each.outcome, owed);
    }
    return cases.filter((each) => !excused.includes(each));
  }

  /** A node that a subject refers to: what it earns, and what it misses by a warning. @param {Subject} subject @param {Candidate[]} cases */
  reportLinked(subject, cases) {
    this.tried.add(subject.node);
    for (const each of cases) {
      if (this.countsForNode(subject, each)) this.resultsOf(subject).eligible.add(each.feature.name);
      else if (isEarned(each) && each.outcome.isShort) this.noteMissed(subject, each, "warning");
      else if (!isEarned(each)) {
        this.noteMissed(subject, each, "warning");
        this.builder.notEligible(subject, each.feature, each.outcome);
      }
    }
  }

  /** Does a node earn a result itself? Ratings and reviews inside an item are part of the item's results.
   * @param {Subject} subject @param {Candidate} candidate */
  countsForNode(subject, candidate) {
    const { node, nested } = subject, { feature, outcome } = candidate;
    if (!isEarned(candidate) || outcome.isShort || isTypeMisspelt(node) || isRated(subject)) return false;
    return (nested || this.isLongEnough(subject, feature)) && [...node.props.values()].flat().some(isPresent) && isIdentified(node, feature);
  }

  /** @param {Subject} subject @param {Feature} feature */
  isLongEnough({ node, among }, feature) {
    const [holder] = among || [null], least = feature.profile.list_min_items;
    const count = holder ? holder.nodes("itemListElement").length : 1;
    if (count < least) this.builder.tooFew(node, feature, count);
    return !(count < least);
  }

  /** @param {Subject} subject @param {Candidate} candidate @param {string} severity */
  noteMissed(subject, { feature, outcome }, severity) {
    if (isRated(subject)) {
      const [holder] = /** @type {[Thing, string]} */ (subject.among);
      if (holder !== subject.root || this.tried.has(holder) || !this.context.areA(holder.types, feature.reviewable)) return;
      subject = { node: holder, root: holder, nested: false, among: null };
    }
    const { missed } = this.resultsOf(subject), [count, why] = this.builder.reasons(outcome);
    missed.delete(feature.name);
    missed.set(feature.name, { profile: feature.name, count, why, severity });
  }

  /** Has a node a property that is not in the vocabulary, and may be a misspelled one? @param {Thing} node */
  hasUnknown({ props }) {
    return [...props.keys()].some((name) => !this.context.vocabulary.properties.has(name));
  }

  /** @param {Subject} subject @param {Candidate[]} cases */
  report(subject, cases) {
    const supposed = cases.filter((each) => isEarned(each) && each.supposed);
    const earned = cases.filter((each) => isEarned(each) && !each.supposed);
    this.tried.add(subject.node);
    // What another result lacks says more.
    const isAlone = !subject.nested && cases.every((each) => isEarned(each) && !each.supposed);
    for (const each of cases.filter(isEarned)) {
      const { name } = each.feature;
      if (!each.outcome.isShort && this.countsForRoot(subject, each.feature)) {
        this.note(subject.root, name);
        if (subject.nested) this.resultsOf({ node: subject.root, root: subject.root, nested: false, among: null }).eligible.add(name);
      }
      if (this.countsForNode(subject, each)) this.resultsOf(subject).eligible.add(name);
      else if (each.outcome.isShort && !each.supposed) this.noteMissed(subject, each, "warning");
      else if (isAlone && !this.hasUnknown(subject.node) && !isIdentified(subject.node, each.feature)) {
        const { missed } = this.resultsOf(subject);
        missed.delete(name);
        missed.set(name, { profile: name, count: 1, why: "it has none of the properties that they read", severity: "info" });
        this.builder.nothingRead(subject, each.feature);
      }
    }
    /** @type {Candidate[]} */
    const excused = [];
    for (const group of this.unearned(cases, earned)) {
      const [near, ...others] = [...group].sort(byNearness);
      this.reportRequired(subject, near);
      excused.push(...others);
      earned.push(near);
    }
    excused.push(...cases.filter((each) => !earned.includes(each) && !excused.includes(each) && !supposed.includes(each)));
    for (const each of excused) {
      if (each.requested) {
        this.reportRequired(subject, each);
        earned.push(each);
      } else if (!isEarned(each)) {
        this.noteMissed(subject, each, "warning");
        this.builder.notEligible(subject, each.feature, each.outcome);
      }
    }
    this.reportRest(subject, earned);
    for (const each of supposed) this.builder.supposed(subject, each.feature);
  }

  /**
   * Is a result that a node earns one of its item's? Of content, the stars of an item without a result of its own are.
   * @param {Subject} subject
   * @param {Feature} feature
   */
  countsForRoot(subject, feature) {
    const { node, root, nested, among } = subject;
    if (isTypeMisspelt(node) || isTypeMisspelt(root)) return false;
    const [holder, via] = among || [null, ""];
    if (nested)
      return (
        /^(?:aggregateRating|reviews?)$/.test(via) &&
        holder === root &&
        !this.tried.has(root) &&
        this.context.areA(root.types, feature.reviewable)
      );
    return this.isLongEnough(subject, feature) && [...node.props.values()].flat().some(isPresent) && isIdentified(node, feature);
  }

  /**
   * Warnings, restrictions and recommendations of the results that a node earns or is nearest to.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  reportRest(subject, cases) {
    for (const each of cases) {
      this.builder.soft(each.feature, each.outcome);
      if (each.restricted && isEarned(each)) this.builder.restricted(subject, each.feature);
    }
    this.builder.recommended(
      subject,
      cases.filter((each) => isEarned(each) || !subject.nested),
    );
  }

  /**
   * The missed features that no earned one excuses, grouped so that one of a group would do.
   * @param {Candidate[]} cases
   * @param {Candidate[]} earned
   */
  unearned(cases, earned) {
    /** @type {Candidate[][]} */
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

  /** @param {Subject} subject @param {Candidate} missed */
  reportRequired(subject, missed) {
    if (!(missed.restricted || subject.nested)) this.note(subject.root, missed.feature.name, this.missed);
    const isMild = missed.restricted || (subject.nested && !missed.requested);
    this.noteMissed(subject, missed, isMild ? "warning" : "error");
    this.builder.required(missed.feature, missed.outcome, isMild ? "warning" : "error", subject.node);
  }

  /** @param {Subject} subject @param {Feature} feature @param {boolean} requested */
  retired(subject, feature, requested) {
    if (subject.linked) this.resultsOf(subject).retired.add(feature.name);
    if (subject.linked || (subject.nested && !requested)) return;
    this.note(subject.root, feature.name, this.retiredFor);
    this.resultsOf(subject).retired.add(feature.name);
    this.builder.retired(subject.node, feature);
    if (requested) this.builder.required(feature, feature.evaluate(this.context, subject.node), "info");
  }

  /** Evaluate a profile requested by name on nodes that are no subjects. @param {Feature} feature */
  everywhere(feature) {
    for (const node of this.context.page.nodes) {
      if (node.foreign || node.reference || node.sameAs) continue;
      const by = feature.typesIn(node.types, this.context.vocabulary);
      if (!by.length) continue;
      this.unmet.delete(feature.name);
      this.node({ node, root: node, nested: false, among: null }, [{ feature, by }]);
    }
  }

  /** Report the first node of data-vocabulary.org, the vocabulary before schema.org. */
  olds() {
    const feature = this.engine.oldVocabulary;
    const node =
      feature &&
      this.context.page.nodes.find(
        (each) => each.foreign && each.types.some((name) => partition(name, "/")[2].includes(DATA_VOCABULARY)),
      );
    if (!feature || !node) return;
    this.note(node, feature.name, this.retiredFor);
    this.resultsOf({ node, root: node, nested: false, among: null }).retired.add(feature.name);
    this.builder.retired(node, feature);
    this.unmet.delete(feature.name);
  }
}
/** @param {Thing} node */
const isTypeMisspelt = ({ types, miscased }) =>
  types.length > 0 && types.every((name) => miscased?.has(`@type:${name}`));
/** Is a node a rating or a review inside an item? @param {Subject} subject */
const isRated = ({ nested, among }) => nested && /^(?:aggregateRating|reviews?)$/.test(among?.[1] || "");
/** Does a node say what it is, where its profile requires nothing? The first of the properties may not be empty.
 * @param {Thing} node @param {Feature} feature */
const isIdentified = (node, feature) => {
  const names = feature.profile.identified_by || feature.optionalNames;
  return !names.length || names.some((/** @type {string} */ name) => node.get(name) !== null);
};

// Results that the markup earns and that are not shown now.

/** Latest value of a property, clipped, if all its values are dates in the past; else empty.
 * @param {RuleContext} context @param {Thing} node @param {string} prop @param {boolean} [wholeDay] */
const lastPast = ({ now }, node, prop, wholeDay) => {
  let latest = "";
  for (const value of node.props.get(prop) || []) {
    const text = typeof value === "string" ? strip(value) : "";
    if (!text) continue;
    // A time of day stands behind the tenth character of the usual form.
    const found = (wholeDay && momentOf([...text].slice(0, 10).join(""))) || momentOf(text);
    if (!found || !isPast(found, now)) return "";
    if (text > latest) latest = text;
  }
  return clip(latest);
};
/** @type {(kind: string, prop: string, words: string) => (context: RuleContext, node: Thing) => any} */
const lapseBy = (kind, prop, words) => (context, node) => {
  const since = lastPast(context, node, prop);
  return since && { kind, since, text: words + since };
};
/** @param {RuleContext} context @param {Thing} product */
const priceLapse = (context, product) => {
  const offers = product.nodes("offers").flatMap((offer) => (offer.nodes("offers").length ? offer.nodes("offers") : [offer]));
  const past = offers.slice(0, 201).map((offer, n) => (n < 200 ? lastPast(context, offer, offer.get("priceValidUntil") !== null ? "priceValidUntil" : "validThrough") : ""));
  const since = past.every(Boolean) ? past.reduce((one, two) => (two > one ? two : one), "") : "";
  return since && { kind: "price-expired", since, text: `the price was valid until ${since}` };
};
/** @type {Record<string, (context: RuleContext, node: Thing) => any>} */
const LAPSES = {
  "google/event": (context, event) => {
    // A postponed event has no new date yet, and a schedule repeats.
    const status = event.get("eventStatus"), name = status instanceof Thing ? status.id : status;
    if (event.get("eventSchedule") !== null || (typeof name === "string" && bare(name) === "EventPostponed")) return null;
    const ends = event.get("endDate") !== null;
    if (ends && event.get("startDate") !== null && !lastPast(context, event, "startDate")) return null;
    // Without an end it is over with its day.
    const since = ends ? lastPast(context, event, "endDate") : lastPast(context, event, "startDate", true);
    return since && { kind: "event-over", since, text: `the event ended on ${since}` };
  },
  "google/job-posting": lapseBy("job-closed", "validThrough", "applications closed on "),
  "google/merchant-listing": priceLapse,
  "google/product-snippet": priceLapse,
  "google/video": lapseBy("video-expired", "expires", "the video expired on "),
};
/** @param {RuleContext} context @param {Thing} node @param {string[]} eligible */
const lapsesOf = (context, node, eligible) => {
  const found = eligible.map((name) => LAPSES[name]?.(context, node)).filter(Boolean);
  return found.filter((each, n) => found.findIndex(({ text }) => text === each.text) === n);
};
/** @param {Candidate} each */
const isEarned = (each) => !each.outcome.required.length;
/** Fewest gaps first; of equals, the profile with fewest requirements. @param {Candidate} one @param {Candidate} two */
const byNearness = (one, two) =>
  Number(one.restricted) - Number(two.restricted) ||
  one.outcome.required.length - two.outcome.required.length ||
  (one.feature.profile.required || []).length - (two.feature.profile.required || []).length ||
  one.feature.rank - two.feature.rank;

/** Drafts of the findings of a page, by subject and gap: repeated gaps are dropped. */
class FindingBuilder {
  /** @param {Map<Thing, Map<string, number>>} misspelt @param {RuleContext} ruleContext */
  constructor(misspelt, ruleContext) {
    this.misspelt = misspelt;
    this.ruleContext = ruleContext;
    /** @type {Map<string, Draft>} */
    this.draftsByKey = new Map();
    /** @type {Set<string>} */
    this.covered = new Set();
    /** @type {Map<Thing, number>} */
    this.numbers = new Map();
    /** Nodes whose texts are all empty. @type {Set<Thing>} */
    this.emptyNodes = new Set();
    /** Items that would be the value of another. @type {Set<Thing>} */
    this.apart = new Set();
  }

  /** @param {any[]} parts */
  key(...parts) {
    const { numbers } = this;
    return JSON.stringify(
      parts.map((part) => {
        if (!(part instanceof Thing)) return part;
        if (!numbers.has(part)) numbers.set(part, numbers.size);
        return [numbers.get(part)];
      }),
    );
  }

  /** @returns {Draft[]} */
  drafts() {
    return [...this.draftsByKey.values()].filter(({ node, property, part }) => !(this.apart.has(node) && property === "itemReviewed" && part === "node"));
  }

  /** @param {string} key @param {Draft} draft */
  keep(key, draft) {
    const known = this.draftsByKey.get(key);
    if (known) {
      if (SEVERITIES.indexOf(draft.severity) < SEVERITIES.indexOf(known.severity)) {
        Object.assign(known, { severity: draft.severity, profile: draft.profile, message: draft.message });
      }
      return;
    }
    this.draftsByKey.set(key, draft);
  }

  /** @param {Gap} gap */
  gapKey(gap) {
    return gap.kind === "missing"
      ? this.key(gap.node, fromNode(gap))
      : this.key(gap.kind, gap.node, gap.prop, gap.at);
  }

  /** Gaps without repetitions, and without gaps below a missing object. @param {Gap[]} gaps */
  tidy(gaps) {
    /** @type {Map<string, Gap>} */
    const once = new Map();
    for (const gap of gaps) if (!once.has(this.gapKey(gap))) once.set(this.gapKey(gap), gap);
    const paths = pathsWithoutObject(gaps);
    /** Does an object lack one of the alternatives by a gap of its own? @param {Gap} gap */
    const isLacking = ({ node, localPath }) =>
      localPath.split("|").some((path) => {
        const [first, ...rest] = path.split(".");
        return node.nodes(first).some((inner) => once.has(this.key(inner, rest.join("."))));
      });
    return [...once.values()].filter((gap) => gap.kind !== "missing" || !(isBelow(gap.path, paths) || isLacking(gap)));
  }

  /**
   * The property on a missing path as it stands there, misspelled.
   * @param {Thing} node
   * @param {string} path
   */
  misspeltOn(node, path) {
    const { vocabulary, otherNames, moved } = this.ruleContext, names = namesAt(node, path);
    const miscased = path.split(/[.| ]/).find((name) => this.misspelt.get(node)?.has(name));
    if (miscased) return miscased;
    for (const written of [...node.props.keys()].slice(0, 200)) {
      if (vocabulary.properties.has(written)) continue;
      const near = [...nearest(vocabulary.properties, written), ...otherNames.intended(written)];
      const intended = unique(near.filter((each) => names.includes(each))).sort();
      const hint = intended.length && didYouMean(intended, written);
      if (hint) moved.set(node, (moved.get(node) || new Map()).set(written, hint));
      if (intended.length) return written;
    }
  }

  /**
   * Does a property on a path stand there empty or under its former name? Rules of their own report these.
   * @param {Thing} node
   * @param {string} path
   */
  standsOtherwise(node, path) {
    const names = firstNames(path);
    if (path.split(/ with |\|/).some((part) => isEmptyOnWay(node, part.split("."), this.ruleContext))) return true;
    const { properties } = this.ruleContext.vocabulary;
    return [...node.props.keys()].some((name) => (properties.get(name)?.s || []).some((/** @type {string} */ late) => names.includes(late)));
  }

  /** @param {Feature} feature @param {Outcome} outcome @param {string} severity @param {Thing|null} [node] the subject */
  required(feature, outcome, severity, node = null) {
    const gaps = this.tidy(outcome.required), names = node && severity !== "info" ? emptyTexts(node, gaps) : [];
    if (!node || !names.length) {
      for (const gap of gaps) this.gap(feature, gap, severity);
      return;
    }
    for (const name of names) addTo(this.ruleContext.emptyRequired, node, name);
    this.emptyNodes.add(node);
    this.keep(this.key(node, "empty"), {
      severity, rule: "required-property-missing", profile: feature.name, node, part: "node",
      message: `the ${node.types.join(" and ")} is empty: ${joinWords(names)} ${names.length === 1 ? "has" : "have"} no content; ${resultName(feature.name)} need it`,
      hint: "fill in its values, or switch this block off in the program that writes it",
    });
  }

  /** @param {Feature} feature @param {Outcome} outcome */
  soft(feature, outcome) {
    const lacking = pathsWithoutObject(outcome.required);
    for (const gap of this.tidy(outcome.soft)) {
      if (lacking.has(gap.path) || isBelow(gap.path, lacking)) continue;
      const above = gap.path.split(".")[0]; // the result is earned without this object
      this.gap(feature, gap.loses || gap.severity || above === gap.path || outcome.required.length ? gap : { ...gap, loses: above }, "warning", null, gap.severity ? "show" : "need");
    }
    for (const gap of outcome.limits)
      this.gap(feature, gap, "warning", gap.kind === "unfit" && gap.rule && !gap.words.includes(gap.rule) ? gap.rule : null, "expect");
  }

  /** @param {Feature} feature @param {Gap} gap @param {string} severity @param {string|null} [hint] @param {string} [verb] what results do with it */
  gap(feature, gap, severity, hint = null, verb = "need") {
    const key = this.gapKey(gap);
    if (gap.words === MISSPELT) {
      if (severity === "error") this.ruleContext.costlyTypes.add(/** @type {Value[]} */ (gap.node.props.get(gap.prop || ""))[gap.at || 0]);
      return;
    }
    if (severity !== "error" && (this.covered.has(key) || isNeverRated(gap))) return;
    if (gap.severity && (severity === "error" || (gap.kind === "limit" && severity !== "info"))) severity = gap.severity;
    if (this.aboutSpelling(feature, gap, severity, "value-unfit")) return;
    const inId = severity === "info" ? null : addressInId(this.ruleContext, gap);
    if (inId) {
      const [node, span] = inId, property = displayPath(gap.path);
      for (const prop of node.props.keys()) addTo(this.ruleContext.emptyRequired, node, prop);
      this.keep(key, {
        severity, rule: "required-property-missing", profile: feature.name, node, part: "node", property,
        message: `${property} has no address: id is not read as one; ${resultName(feature.name)} need it`,
        hint: "write itemid in place of id", edits: [[span, "itemid"]],
      });
      return;
    }
    const empty = severity === "info" ? undefined : emptyProperty(gap);
    if (empty !== undefined) {
      if (severity === "warning" && isUnrated(gap)) {
        addTo(this.ruleContext.emptyRequired, gap.node, empty);
        return;
      }
      this.keep(
        key,
        isLazy(this.ruleContext, gap.node, empty)
          ? lazyDraft(feature, gap, severity, empty)
          : this.aboutEmpty(feature, gap, severity, empty, verb),
      );
      return;
    }
    const isMissing = gap.kind === "missing";
    const place = severity === "info" ? null : placeNear(this.ruleContext, gap);
    if (place?.misplaced) return this.misplaced(feature, gap, severity, place, "value-unfit");
    if (place?.apart) this.apart.add(place.apart);
    if (gap.kind === "unfit" && severity === "error" && gap.rule && !gap.words.includes(gap.rule)) hint = gap.rule;
    this.keep(
      key,
      {
        severity,
        rule: isMissing ? "required-property-missing" : gap.kind === "unfit" ? "value-unfit" : "profile-limit",
        profile: feature.name,
        node: gap.node,
        prop: isMissing ? null : gap.prop,
        index: gap.at,
        part: isMissing ? "node" : "value",
        property: displayPath(gap.path),
        message: gapMessage(gap, feature, severity, verb),
        hint: (isMissing ? objectHint(gap) || inverseHint(gap) || place?.hint || this.subtypeHint(gap, feature) || gap.rule : hint) || null,
        related: place?.related,
      },
    );
  }

  /** At the properties that would fill a gap elsewhere: the collector raises the findings about them.
   * @param {Feature} feature @param {Gap} gap @param {string} severity @param {NearPlace} place @param {string} rule */
  misplaced(feature, gap, severity, { misplaced = [], hint }, rule) {
    const { moved } = this.ruleContext;
    for (const [number, [node, prop]] of misplaced.entries()) {
      moved.set(node, (moved.get(node) || new Map()).set(prop, hint));
      const message = `${displayPath(gap.path)} is missing; ${resultName(feature.name)} need it`;
      this.keep(number ? this.key(this.gapKey(gap), node, prop) : this.gapKey(gap), { severity, rule, profile: feature.name, node, prop, part: "key", message });
    }
  }

  /** Where a property of a type with a result of its own makes clear that the item is of that type. @param {Gap} gap @param {Feature} feature */
  subtypeHint({ node, path, localPath }, { profile: { exclude_types: excluded } }) {
    if (!excluded || path !== localPath) return null;
    const ownersOf = (/** @type {string} */ prop) => this.ruleContext.vocabulary.properties.get(prop)?.d || [];
    const found = [...node.props.keys()].slice(0, 200).filter((prop) => ownersOf(prop).length === 1 && excluded.includes(ownersOf(prop)[0]));
    if (!found.length) return null;
    const prop = found.find((name) => node.nodes(name).length) || found[0]; // an object says more than an identifier
    const [owner] = ownersOf(prop);
    return `${prop} belongs to ${owner}: write ${owner} as the type`;
  }

  /** At the name of a property that stands there in the wrong letter case. @param {Feature} feature @param {Gap} gap @param {string} severity @param {string} rule */
  aboutSpelling(feature, gap, severity, rule) {
    const prop = this.misspeltOn(gap.node, gap.localPath);
    if (prop) {
      const index = this.misspelt.get(gap.node)?.get(prop);
      const draft = { severity, rule, profile: feature.name, node: gap.node, prop, index, part: "key" };
      this.keep(this.gapKey(gap), { ...draft, message: `${gap.path} is missing; ${resultName(feature.name)} need it` });
    }
    return !!prop;
  }

  /** At a property without content, in place of the finding of `empty-value`.
   * @param {Feature} feature @param {Gap} gap @param {string} severity @param {string} prop @param {string} verb @returns {Draft} */
  aboutEmpty(feature, gap, severity, prop, verb) {
    const { node, path, localPath } = gap;
    const cost = gap.loses ? `this costs the ${gap.loses}` : `${resultName(feature.name)} ${verb} ${isLast(localPath, prop) ? "it" : displayPath(path)}`;
    return this.emptyDraft(feature, gap, severity, "required-property-missing", prop, cost);
  }

  /** @param {Feature} feature @param {Gap} gap @param {string} severity @param {string} rule
   * @param {string} prop @param {string} cost @returns {Draft} */
  emptyDraft(feature, gap, severity, rule, prop, cost) {
    const { node } = gap;
    addTo(this.ruleContext.emptyRequired, node, prop);
    // Alternatives that are empty too have the same cause: offers.price and offers.priceSpecification.price.
    for (const each of gap.localPath.split("|")) {
      const [first, last] = each.split(".");
      for (const inner of last ? node.nodes(first) : [])
        if (inner.props.has(last) && inner.get(last) === null) addTo(this.ruleContext.emptyRequired, inner, last);
    }
    const [path, localPath] = [gap.path, gap.localPath].map((each) => each.split("|")[0]);
    const above = path.endsWith(localPath) ? path.slice(0, path.length - localPath.length) : "";
    const whole = localPath.endsWith("." + prop) ? path : above + prop;
    let [holder, name, below] = [node, prop, ""];
    for (let values; (values = holder.props.get(name) || []).length === 1 && values[0] instanceof Thing && values[0].props.size === 1; below += "." + name) {
      holder = values[0];
      [name] = holder.props.keys();
    }
    addTo(this.ruleContext.emptyRequired, holder, name);
    const { FILL_IN, hint_of: hintOf } = use("validate.rules.empty_value"), hint = hintOf(holder, name, this.ruleContext);
    return {
      severity, rule, authority: rule === "empty-value" ? "waypost" : "google", profile: feature.name, node: holder, prop: name, property: displayPath(gap.path),
      message: `${gap.held || isInside(gap) ? ofNode(prop + below, node) : whole + below} is empty; ${cost}`, hint: hint !== FILL_IN ? hint : gap.rule || "fill it in",
    };
  }

  /**
   * Report a missed result of a node that earns another, as a single finding.
   * @param {Subject} subject
   * @param {Feature} feature
   * @param {Outcome} outcome
   * @param {string[]} [owed] all that an entry owes its list: the finding is information
   */
  notEligible(subject, feature, outcome, owed) {
    let gaps = this.tidy(outcome.required).filter((gap) => gap.words !== MISSPELT);
    if (gaps.every((gap) => this.draftsByKey.has(this.gapKey(gap)))) return;
    for (const gap of gaps) this.covered.add(this.gapKey(gap));
    if (!owed) gaps = gaps.filter((gap) => !this.aboutSpelling(feature, gap, "warning", "feature-not-eligible"));
    const [byRule, rest] = [[], []].map((_, n) => gaps.filter((each) => (!owed && each.kind === "unfit" && !each.certain) !== !!n));
    const cost = `not eligible for ${resultName(feature.name)}`;
    const others = rest.filter((gap) => {
      const empty = owed ? undefined : emptyProperty(gap);
      if (empty !== undefined)
        this.keep(
          this.gapKey(gap),
          isLazy(this.ruleContext, gap.node, empty)
            ? lazyDraft(feature, gap, "warning", empty)
            : this.emptyDraft(feature, gap, "warning", "empty-value", empty, cost),
        );
      if (empty !== undefined) return false;
      const place = owed ? null : placeNear(this.ruleContext, gap);
      if (place?.misplaced) this.misplaced(feature, gap, "warning", place, "feature-not-eligible");
      return !place?.misplaced;
    });
    for (const gap of byRule) {
      const { node, prop, at, path } = gap;
      const draft = { severity: "warning", rule: "feature-not-eligible", profile: feature.name, node, prop, index: at };
      const message = `not eligible for ${resultName(feature.name)}: ${sentence(gap)}`;
      this.keep(this.key(node, feature.name, prop, at), { ...draft, property: path, message });
    }
    if (!others.length) return;
    const [missing, parts] = gapsInWords(others);
    const front = subject.node.parent ? subject.node.types.join(" and ") + ": " : "";
    const place = owed ? null : others.map((gap) => placeNear(this.ruleContext, gap)).find(Boolean);
    this.keep(
      this.key(subject.node, feature.name),
      {
        severity: owed ? "info" : "warning",
        rule: "feature-not-eligible",
        profile: feature.name,
        node: subject.node,
        part: "node",
        hint: owed ? `an entry of a list needs only ${joinWords(owed)}; the page at its url carries the rest` : place?.hint,
        related: place?.related,
        property: missing.length === 1 ? missing[0] : null,
        about: [subjectOf(subject.node)],
        message: `${front}not eligible for ${resultName(feature.name)}: ${parts.join("; ")}`,
      },
    );
  }

  /** [number, words] of the requirements by which an outcome misses the rich result. @param {Outcome} outcome @returns {[number, string]} */
  reasons(outcome) {
    const gaps = this.tidy(outcome.required);
    if (!gaps.length && outcome.isShort) return [1, "its list has too few entries"];
    return [gaps.length, gapsInWords(gaps)[1].join("; ")];
  }

  /** @param {Thing} node @param {Feature} feature @param {number} count */
  tooFew(node, { name, profile: { list_min_items: least } }, count) {
    const draft = { severity: "warning", rule: "profile-limit", profile: name, node, part: "node" };
    const there = count === 1 ? "there is one" : `there are ${count}`;
    const message = `${resultName(name)} are shown only for a list of at least ${least} items; here ${there}`;
    const hint = `put ${least} or more into an ItemList, each as the item of a ListItem`;
    this.keep(this.key(node, name, "list"), { ...draft, message, hint });
  }

  /**
   * Report missing recommended properties of a node in one finding, and uncertain ones in a second.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  recommended(subject, cases) {
    if (this.emptyNodes.has(subject.node)) return;
    /** @type {Map<string, Feature>} */
    const recommended = new Map();
    /** @type {Set<string>} */
    const lacking = new Set();
    const hasNoRequirements = (/** @type {Candidate} */ each) => Number(!(each.feature.profile.required || []).length);
    for (const { feature, outcome } of [...cases].sort((one, two) => hasNoRequirements(one) - hasNoRequirements(two))) {
      for (const gap of [...outcome.required, ...outcome.soft]) if (gap.kind === "missing") lacking.add(gap.path);
      for (const [path, node] of outcome.recommended)
        if (!recommended.has(path) && !this.misspeltOn(node, path) && !this.standsOtherwise(node, path)) recommended.set(path, feature);
    }
    const reported = new Set([...lacking, ...[...lacking].flatMap((path) => path.split("|"))]);
    const above = new Set([...reported, ...recommended.keys()]);
    // A group states for its variants what they have in common.
    const { parent, via } = subject.node;
    /** @type {Record<string, string[]>} */
    const groups = { warning: [], info: [] };
    for (const [path, feature] of recommended) {
      if (!reported.has(path) && !isBelow(path, above) && !(via === "hasVariant" && parent?.props.has(path.split(".")[0])))
        groups[(feature.profile.required || []).length ? "warning" : "info"].push(path);
    }
    for (const [severity, paths] of Object.entries(groups)) {
      if (!paths.length) continue;
      const displayed = paths.map(joinedPath);
      this.keep(
        this.key(subject.node, "recommended", severity),
        {
          severity,
          rule: "recommended-property-missing",
          profile: /** @type {Feature} */ (recommended.get(paths[0])).name,
          node: subject.node,
          part: "node",
          property: displayed.length === 1 ? displayed[0] : null,
          about: [subjectOf(subject.node), severity],
          message: `${subject.node.types.join(" and ")}: ${displayed.length} recommended ${displayed.length === 1 ? "property is" : "properties are"} missing: ${displayed.join(", ")}`,
        },
      );
    }
    for (const [name, field] of /** @type {[string, "maybeRequired"|"maybeRecommended"][]} */ ([
      ["required-property-missing", "maybeRequired"],
      ["recommended-property-missing", "maybeRecommended"],
    ])) {
      for (const { feature, outcome } of cases) {
        const may = [...outcome[field]].filter(
          ([path]) => !recommended.has(path) && !lacking.has(path) && !this.misspeltOn(subject.node, path),
        );
        if (!may.length) continue;
        const displayed = may
          .map(([path, why]) => (why.length ? `${joinedPath(path)} (${why.join(" or ")})` : joinedPath(path)))
          .join(", ");
        const verb = field === "maybeRequired" ? "required" : "add";
        this.keep(
          this.key(subject.node, feature.name, name),
          {
            severity: "info",
            rule: name,
            profile: feature.name,
            node: subject.node,
            part: "node",
            property: may.length === 1 ? displayPath(may[0][0]) : null,
            about: [subjectOf(subject.node), "perhaps"],
            message: `${subject.node.types.join(" and ")}: ${verb} if it applies: ${displayed}`,
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
      profile: name,
      node,
      part: "node",
      message: `${profile.title}: no rich result ${since}; the markup is still valid`,
    });
  }

  /** @param {Subject} subject @param {Feature} feature */
  restricted({ node }, { name, profile }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-restricted",
      profile: name,
      node,
      part: "node",
      message: `${profile.title} is shown for some sites or users only`,
      hint: profile.notes,
    });
  }

  /** An item without a single property that the result reads. @param {Subject} subject @param {Feature} feature */
  nothingRead({ node }, { name }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "feature-not-eligible",
      profile: name,
      node,
      part: "node",
      message: `the ${node.types.join(" and ")} has no property that ${resultName(name)} read`,
      about: [subjectOf(node), "nothing read"],
    });
  }

  /** The condition of an earned result that the markup cannot show. @param {Subject} subject @param {Feature} feature */
  supposed({ node }, { name, profile }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-restricted",
      profile: name,
      node,
      part: "node",
      message: `${profile.title} is shown only if ${intentsOf(profile.applies_when).join(" and ")}`,
      hint: profile.notes,
    });
  }
}
/** Missing paths, and all gaps as parts of a sentence, those that are missing first. @param {Gap[]} gaps */
const gapsInWords = (gaps) => {
  const missing = unique(gaps.filter((gap) => gap.kind === "missing").map((gap) => joinedPath(gap.path)));
  return [missing, [...(missing.length ? [`${missing.join(", ")} missing`] : []), ...unique(gaps.filter((gap) => gap.kind !== "missing").map(sentence))]];
};
const FILLED_BY_PROGRAMS = new Set(["image", "logo", "url", "inLanguage", "isPartOf", "mainEntityOfPage", "publisher", "datePublished", "dateModified"]);
/** Properties of an item whose texts are all empty, at least two of which cost a result; else none. @param {Thing} node @param {Gap[]} gaps */
const emptyTexts = (node, gaps) => {
  if (node.parent || node.props.size > 200) return [];
  const isBlank = (/** @type {any} */ value) => !isPresent(value) || (typeof value === "string" && isUnfilled(value));
  const empty = [...node.props].flatMap(([name, values]) => (values.length && values.every(isBlank) ? [name] : []));
  if (empty.length < 2 || [...node.props.keys()].some((name) => !empty.includes(name) && !FILLED_BY_PROGRAMS.has(name))) return [];
  return gaps.some((gap) => gap.node === node && firstNames(gap.localPath).some((name) => empty.includes(name))) ? empty : [];
};
/** The item.name that a list lacks in an item is the name that the item lacks. @param {Gap} gap */
const fromNode = ({ node, localPath }) => {
  const names = localPath.split("."), at = localPath.includes("|") ? -1 : names.indexOf(node.via || "");
  return at < 0 || at > names.length - 2 ? localPath : names.slice(at + 1).join(".");
};
/** Of one too many, the object is there, and its own gaps count. @param {Gap[]} gaps */
const pathsWithoutObject = (gaps) => new Set(gaps.filter((gap) => gap.kind !== "limit").map((gap) => gap.path));
/** Does another path lead to an object of this one? @param {string} path @param {Set<string>} others */
const isBelow = (path, others) => {
  if (!path.includes(".")) return false;
  const parts = partition(path, "|")[0].split(".");
  return parts.slice(1).some((_, n) => others.has(parts.slice(0, n + 1).join(".")));
};
/** The property of the node that is there without content, if that is why the path is missing. @param {Gap} gap */
const emptyProperty = ({ kind, node, localPath }) =>
  kind !== "missing" ? undefined : namesInPaths(localPath).find((name) => {
    const values = node.props.get(name);
    return values?.length && !values.some(isPresent);
  });
/** First names of paths, and last ones: the node of a gap further down lacks the last. @param {string} localPath */
const namesInPaths = (localPath) => [
  ...firstNames(localPath),
  ...localPath.split(/ with |\|/).map((path) => rpartition(path, ".")[2]),
];
/** @param {string} path */
const firstNames = (path) => path.split(/ with |\|/).map((part) => partition(part, ".")[0]);
/** Does a property stand there empty on the way of a path from the node, or from the item to the node and on?
 * @param {Thing} node @param {string[]} names @param {RuleContext} context */
const isEmptyOnWay = (node, names, { emptyRecommended }) =>
  names.some((_, start) => {
    let nodes = !start || names[start - 1] === node.via ? [node] : [];
    return names.slice(start).some((name) => {
      const holders = nodes.slice(0, 200), found = holders.map((each) => each.props.get(name) || []);
      nodes = found.flat().filter((value) => value instanceof Thing);
      return found.some((values, n) => values.some((value) => value !== null) && !values.some(isPresent) && emptyRecommended.add(placeOf(holders[n], name)));
    });
  });
/** Is the property the last of a path without alternatives? @param {string} localPath @param {string} prop */
const isLast = (localPath, prop) => !localPath.includes("|") && rpartition(localPath, ".")[2] === prop;
/** Where a string stands in the place of the object that would have the missing property. @param {Gap} gap */
const objectHint = ({ node, localPath }) => {
  const [prop, last] = localPath.split("|")[0].split(".");
  return last && typeof node.get(prop) === "string" && `${prop} is a string: write it as an object with ${last}`;
};
/** Inverses of properties that profiles require. @type {Record<string, string>} */
const INVERSES = {
  mainEntity: "mainEntityOfPage", offers: "itemOffered", hasVariant: "isVariantOf", hasPart: "isPartOf",
  containsPlace: "containedInPlace", subEvent: "superEvent",
};
/** Where another node states the missing property from its own side, which search engines do not turn round. @param {Gap} gap */
const inverseHint = ({ node, localPath, held }) => {
  if (held) return null;
  for (const name of localPath.split("|")) {
    const inverse = Object.hasOwn(INVERSES, name) ? INVERSES[name] : null;
    const [holder] = (inverse && linksOf(node).find(([, prop]) => prop === inverse)) || [];
    if (!holder) continue;
    const kind = holder.types.join(" and ") || "item", why = `the ${kind} refers to it by ${inverse} only`;
    if (holder.id === null || holder.block.syntax !== "json-ld") return `add ${name} with the ${kind}: ${why}`;
    return `say "${name}": {"@id": "${clip(holder.id)}"}: ${why}`;
  }
  return null;
};
/** Is an empty value that of a rating with counts of 0, which rating-count-zero reports? @param {Gap} gap */
const isUnrated = ({ node, localPath }) => {
  const counts = ["ratingCount", "reviewCount"].map((prop) => node.get(prop)).filter((value) => value !== null);
  return localPath.includes("ratingValue") && counts.length > 0 && counts.every((count) => number(count)?.isZero);
};
/** Does a rating of 0, which rating-out-of-range reports, lack the number of ratings? @param {Gap} gap */
const isNeverRated = ({ node, localPath }) => localPath.includes("ratingCount") && number(node.get("ratingValue"))?.isZero;
/** At a picture without an address: the collector gives its cost to image-lazy-placeholder. @param {Feature} feature @param {Gap} gap @param {string} severity @param {string} prop @returns {Draft} */
const lazyDraft = (feature, gap, severity, prop) => ({
  severity,
  rule: severity === "error" ? "value-unfit" : "feature-not-eligible",
  profile: feature.name,
  node: gap.node,
  prop,
  index: 0,
  property: displayPath(gap.path),
  message: `${prop} is empty; ${resultName(feature.name)} need it`,
});
/** @param {string} path @param {Thing} node */
const ofNode = (path, { types }) => `the ${path} of the ${types.join(" and ") || "holder"}`;
/** Is the gap one of a node inside of another item, whose name alone stands in front of the message? @param {Gap} gap */
const isInside = ({ node, path, localPath }) =>
  path === localPath && !path.startsWith(`${node.via}.`) && node.parent && !node.block.isApart?.(node);
/** @param {Gap} gap @param {Feature} feature @param {string} severity @param {string} verb what results do with it: need or show */
const gapMessage = (gap, feature, severity, verb) => {
  if (gap.kind === "limit") return sentence(gap);
  if (gap.kind === "unfit")
    return sentence(gap) + (severity === "error" ? `; ${resultName(feature.name)} need it` : "");
  const path = displayPath(gap.path);
  const what = gap.held || isInside(gap) ? ofNode(path, gap.node) : path;
  const cost = gap.loses ? `this costs the ${gap.loses}` : `${resultName(feature.name)} ${verb} ${gap.path.includes("|") ? "one of them" : "it"}`;
  return `${what} is missing; ${cost}`;
};
/** A wrong value in words: "it is a text" of the path location is "location is a text". @param {Gap} gap */
const sentence = ({ path, words }) => (words.startsWith("it ") ? path + words.slice(2) : `${path}: ${words}`);
/** a, b or c; of many only the first is named. @param {string} path */
const displayPath = (path) => {
  const each = path.split("|");
  return each.length <= 3 ? joinWords(each, "or") : `${each[0]} (or one of ${each.length - 1} others)`;
};
/** As one entry of a list, whose entries are set apart by commas: a or b or c. @param {string} path */
const joinedPath = (path) => displayPath(path).replace(", ", " or ");
