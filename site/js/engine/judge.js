// @ts-check
// The view of a rule on a node, the dispatch of rules by node and value, and the collector of findings. Counterpart of
// waypost/validate/{item,dispatch,kinds,enumerations,__init__}.py.

/** @typedef {{severity: string, message: string, hint?: string|null, rule?: string, authority?: string, profile?: string|null,
 *   node?: Thing|null, prop?: string|null, index?: number|null, part?: string, span?: Span, property?: string|null,
 *   edits?: [Span, string][], safe?: boolean, trouble?: any, related?: [string, any][], about?: string[]}} Draft */
/** @typedef {{page: Page, vocabulary: Vocabulary, profiles: any, otherNames: any, moved: Map<Thing, Map<string, string>>, also: Set<string>, tables: Tables, now: bigint, nodesBySign: Map<string, Thing[]>, emptyRequired: Map<Thing, string[]>, emptyRecommended: Set<string>, costlyTypes: Set<any>}} Scene */
/** One rule: exactly one of `check` (nodes), `value` (present values), `page` and `explain` (errors met while reading).
 * waypost/validate/rulebook.py describes the other members.
 * @typedef {{authority: string, types?: string[], properties?: (vocabulary: Vocabulary) => Iterable<string>, values?: string[],
 *   sign?: string, when?: (value: Value) => boolean,
 *   concerns?: (vocabulary: Vocabulary, types: string[], names: string[]) => boolean,
 *   check?: (item: Item) => Iterable<Draft>, value?: (item: Item, prop: string, index: number, value: any) => Iterable<Draft>,
 *   page?: (scene: Scene) => Iterable<Draft>, explain?: (trouble: any) => Draft, aliases?: string[]}} Rule */

const SEVERITIES = ["error", "warning", "info"];
const MOST_FINDINGS = 10_000;
const MOST_STEPS = 200;

/** @type {Map<string, Rule>} */
const RULES = new Map();
/** @param {string} name @param {Rule} rule */
const rule = (name, rule) => RULES.set(name, rule);

/** One node with its page: shortcuts for reading, and `error`, `warning` and `info` for drafts of findings. */
class Item {
  /** @param {Thing} node @param {RuleContext} context */
  constructor(node, context) {
    this.node = node;
    this.context = context;
    this.vocabulary = context.vocabulary;
  }

  /** The item of the node that states a type. @param {string} name @returns {Item} */
  ofType(name) {
    return this.node.typedBy ? new Item(this.node.typedBy.get(name) || this.node, this.context) : this;
  }

  /** @param {string} prop */
  get(prop) {
    return this.node.get(prop);
  }

  /** The first present value if it is a text, stripped; else null. @param {string} prop @returns {string|null} */
  text(prop) {
    const value = this.node.get(prop);
    return typeof value === "string" ? strip(value) : null;
  }

  /** [index, value] of every present value. @param {string} prop @returns {[number, Value][]} */
  values(prop) {
    return [...(this.node.props.get(prop) || []).entries()].filter(([, value]) => isPresent(value));
  }

  /** @param {string} prop */
  has(prop) {
    return this.node.get(prop) !== null;
  }

  /** @param {string[]} types */
  isA(...types) {
    return this.vocabulary.areA(this.node.types, new Set(types));
  }

  get name() {
    return this.node.types.join(" and ") || "item";
  }

  /**
   * @param {string} severity
   * @param {string|null} prop
   * @param {string} message
   * @param {string|null} [hint]
   * @param {Partial<Draft>} [more]
   * @returns {Draft}
   */
  newDraft(severity, prop, message, hint = null, more = {}) {
    return { severity, node: this.node, prop, message, hint, ...more };
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  error(prop, message, hint, more) {
    return this.newDraft("error", prop, message, hint, more);
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  warning(prop, message, hint, more) {
    return this.newDraft("warning", prop, message, hint, more);
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  info(prop, message, hint, more) {
    return this.newDraft("info", prop, message, hint, more);
  }

  /** An edit that puts `text` in place of a value or key. Displayed text between two tags stays: an attribute is added.
   * @param {string} prop @param {string} text @param {number|null} [index] @returns {[Span, string]} */
  rewrite(prop, text, index = null) {
    const { page } = this.context;
    const [home, at, number] = page.home(this.node, prop, index);
    const span = home.block.span(home, at, number, "value"),
      spelled = home.block.spelled(text);
    if (isBetweenTags(page.text, span, home.block.syntax)) {
      const tag = page.text.lastIndexOf("<", home.block.span(home, at, number, "key").start - 1);
      const opening = /^<([a-z][a-z0-9-]*)(?=[\s/>])/i.exec(page.text.slice(tag, tag + 40));
      const name = opening?.[1].toLowerCase() || "";
      const isRdfa = home.block.syntax === "rdfa";
      if (opening && (isRdfa || name === "time")) {
        const end = tag + opening[0].length;
        return [{ start: end, end }, ` ${isRdfa ? "content" : "datetime"}="${spelled}"`];
      }
      if (opening && !WITHOUT_ELEMENTS.has(name) && FOR_MACHINES.test(text)) {
        const startTag = page.text.slice(tag, span.start), itemprop = ITEMPROP.exec(startTag);
        if (!itemprop) return [span, spelled];
        const start = tag + itemprop.index, rest = startTag.slice(itemprop.index + itemprop[0].length);
        const displayed = page.text.slice(span.start, span.end);
        if (TIME_VALUE.test(text) && size(displayed) <= 200 && !displayed.includes("<"))
          return [{ start, end: span.end }, `${rest}<time${itemprop[0]} datetime="${spelled}">${displayed}</time>`];
        return [{ start, end: span.start }, `${rest}<meta${itemprop[0]} content="${spelled}">`];
      }
    }
    return [span, spelled];
  }

  /**
   * The edits that write the intended value; none without one.
   * @param {string} prop
   * @param {string|null} intended
   * @param {number} index
   * @returns {[Span, string][]}
   */
  fixes(prop, intended, index) {
    return intended ? [this.rewrite(prop, intended, index)] : [];
  }
}
const ITEMPROP = /\sitemprop\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i;
const TIME_VALUE = /^(?:[0-9]{2}:|[0-9]{4}-[0-9]{2}-|P)/;
const WITHOUT_ELEMENTS = new Set("title textarea option select script style table thead tbody tfoot tr".split(" "));
const FOR_MACHINES = /^(?:-?\d+(?:\.\d+)?(?:\/\d+)?|\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?|\d{4}-\d\d-\d\d(?:T[\d:.+\-Z]*)?|P[\dA-Z.]+|[A-Z]{3})$/;
/** @param {string} text @param {Span} span @param {string} syntax */
const isBetweenTags = (text, span, syntax) => ["microdata", "rdfa"].includes(syntax) && text[span.start - 1] === ">";
/** A node in words: its types and its id or name. @param {Thing} node */
const subjectOf = (node) => {
  const name = isTrue(node.get("name")) ? node.get("name") : node.get("headline");
  return head(`${node.types.slice(0, 201).join(" ")} ${node.id || (typeof name === "string" ? name : "")}`, 200);
};

/** The name of a node, on one line. @param {Thing} node */
const titleOf = (node) => {
  for (const prop of ["name", "headline", "title"]) {
    const value = node.get(prop);
    const name = typeof value === "string" ? words(head(value, 480)).join(" ") : "";
    if (name) return [...name].length > 120 ? `${head(name, 119)}…` : name;
  }
  return null;
};

/** A node in words: Offer 'Spring offer'. @param {Thing} node */
const nodeInWords = (node) => {
  const types = node.types.join(" and ") || "item without a type",
    name = [...(titleOf(node) || "")];
  const short = name.length > 60 ? `${name.slice(0, 59).join("").trimEnd()}…` : name.join("");
  return short ? `${types} '${short}'` : types;
};

/** A rich result in words: "google/product-snippet" is "product snippet results". RESULT_WORDS is put in front of this part
 * by waypost/pages/bundle.py. @param {string} profile @returns {string} */
const resultName = (profile) => {
  const name = rpartition(profile, "/")[2];
  return `${RESULT_WORDS[name] || name.replaceAll("-", " ")} results`;
};

const INDEX = /\/[0-9]+(?=\/|$)/g;
const OWN_VALUE = /https?:\/\/[^\p{White_Space}\x1c-\x1f]+|[0-9]+/gu;
/** Key that alike findings share: the counterpart of `cause_of` in models/finding.py. @param {any} finding */
const causeOf = ({ severity, rule, profile, pointer, property, hint, message }) => {
  const where = pointer.replace(INDEX, "");
  return (/^(property-not-of-type|unknown-property)$/.test(rule)
    ? [severity, rule, profile, where.replace(/\/[^/]*$/, ""), "", hint]
    : [severity, rule, profile, where, property, (hint || message).replace(OWN_VALUE, "0")]).join("\0");
};

/** Tables of the registry's data, by use. */
class Tables {
  /** @param {any} data @param {any[]} profiles */
  constructor(data, profiles) {
    const promising = profiles.filter(
      ({ status, required = [], applies_when: when }) => !status && required.length && (!when || when.any?.some(({ type }) => type && !type.path)),
    );
    /** Types with a result of their own. @type {Set<string>} */
    this.promised = new Set(promising.flatMap(({ types }) => types));
    const rows = (/** @type {string} */ text) => text.split("\n").map((line) => line.split("\t"));
    this.currencies = new Set(data.currencies.split(" "));
    this.signs = new Map(/** @type {[string, string][]} */ (rows(data.signs)));
    const countries = rows(data.countries);
    this.countries = new Set(countries.map(([code]) => code));
    this.longCodes = new Map(countries.map(([code, long]) => [long, code]));
    this.countryNames = new Map(
      countries.flatMap(([code, , ...names]) => names.map((name) => /** @type {[string, string]} */ ([name, code]))),
    );
    this.writtenFor = new Map(/** @type {[string, string][]} */ (rows(data.countryErrors)));
  }
}

// Types and properties that the vocabulary allows.

/** @param {Vocabulary} vocabulary @param {string[]} types @param {string} prop */
const belongs = (vocabulary, types, prop) => {
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
const fits = (vocabulary, types, prop) => {
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
const linksOf = (node) => {
  const found = node.referrers.slice(0, 50);
  return node.parent && node.via !== null && !node.reverse ? [[node.parent, node.via], ...found] : found;
};
/** @param {Item} item @param {string|null} [prop] */
const mayBeDefinedElsewhere = ({ node, context: { page } }, prop = null) => {
  const { block } = page.home(node, prop, null)[0];
  return (
    block.syntax === "json-ld" &&
    page.readErrors.slice(0, 200).some((each) => each.rule === "jsonld-remote-context" && each.block === block.index)
  );
};
/** @type {WeakMap<Map<string, any>, Map<string, string[]>>} */
const slipIndexes = new WeakMap();
/** At most two names at one typing error's distance. @param {Map<string, any>} names @param {string} name */
const nearest = (names, name) => {
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
/** Longest type with which an invented name ends: Festival for MusicFestival. @param {Map<string, any>} types @param {string} name */
const endOf = (types, name) => {
  for (let start = 1; start < name.length; start++)
    if (/\p{Lu}/u.test(name[start]) && types.has(name.slice(start))) return [name.slice(start)];
  return [];
};
/** @param {string[]} names @param {string} written */
const didYouMean = (names, written) =>
  strip(written) !== written ? "remove the spaces around it" : names.length ? `did you mean ${names.join(" or ")}?` : null;
/** Edits that put a new name where `old` is written: in a property's key, or in the node's type when `prop` is null.
 * @param {Item} item @param {string|null} prop @param {string} old @param {string} name @returns {[Span, string][]} */
const renamed = ({ node, context: { page } }, prop, old, name) => {
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

// Which rule is called for which node and value.

/** @typedef {{when: ((value: Value) => boolean)|undefined, checks: [string, Rule][]}} Group */
/** @typedef {{nodes: [string, Rule][], values: [string, Record<string, Group[]>][]}} Plan */

/** @param {Value} value */
const classOf = (value) =>
  typeof value === "string"
    ? "text"
    : value instanceof Thing
      ? "thing"
      : value instanceof Num
        ? "number"
        : typeof value === "boolean"
          ? "boolean"
          : "none";

/** Rules of the engine for nodes of some types, computed once for each combination of types. */
class Rulebook {
  /** @param {Vocabulary} vocabulary */
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    const all = [...RULES].sort(([one], [two]) => (one.replaceAll("-", "_") < two.replaceAll("-", "_") ? -1 : 1));
    const of = (/** @type {(rule: Rule) => any} */ test) => all.filter(([, each]) => test(each));
    this.nodes = of((each) => each.check && !each.sign).map(([name, each]) => ({
      name,
      rule: each,
      ...this.scope(each),
    }));
    this.byValue = of((each) => each.value).map(([name, each]) => ({ name, rule: each, ...this.scope(each) }));
    this.signed = of((each) => each.check && each.sign);
    this.pages = of((each) => each.page);
    /** @type {Map<string, Plan>} */
    this.plans = new Map();
  }

  /** @param {Rule} each */
  scope(each) {
    return {
      types: each.types ? new Set(each.types) : null,
      properties: each.properties ? new Set(each.properties(this.vocabulary)) : null,
    };
  }

  /** @param {string[]} types @param {string[]} names @returns {Plan} */
  plan(types, names) {
    const key = JSON.stringify([types, names]);
    let known = this.plans.get(key);
    if (!known) {
      known = this.made(types, names);
      if (this.plans.size < 4096 && names.length <= 100) this.plans.set(key, known);
    }
    return known;
  }

  /** @param {string[]} types @param {string[]} names @returns {Plan} */
  made(types, names) {
    const fitting = (/** @type {{types: Set<string>|null}} */ each) =>
      !each.types || this.vocabulary.areA(types, each.types);
    const nodes = this.nodes.filter(
      (each) =>
        fitting(each) &&
        (!each.properties || names.some((name) => each.properties?.has(name))) &&
        (!each.rule.concerns || each.rule.concerns(this.vocabulary, types, names)),
    );
    const byValue = this.byValue.filter(fitting);
    /** @type {Plan["values"]} */
    const values = [];
    for (const name of names) {
      const found = [
        ...byValue.filter((each) => each.properties?.has(name)),
        ...byValue.filter((each) => !each.properties),
      ];
      const groups = groupedByClass(found);
      if (Object.keys(groups).length) values.push([name, groups]);
    }
    return { nodes: nodes.map((each) => [each.name, each.rule]), values };
  }

  /** Drafts of the rules about each node and its values, in order; before each node an empty step, so
   * that the caller may yield to the page.
   * @param {RuleContext} context @returns {Generator<[string, Rule, Draft]|undefined>} */
  *aboutNodes(context) {
    for (const node of context.page.nodes) {
      if (node.foreign || node.sameAs) continue;
      yield;
      const plan = this.plan(node.types, [...node.props.keys()]);
      const item = new Item(node, context);
      for (const [name, each] of plan.nodes)
        for (const draft of /** @type {any} */ (each).check(item)) yield [name, each, draft];
      for (const [prop, byClass] of plan.values) yield* this.aboutValues(item, prop, byClass);
    }
  }

  /**
   * @param {Item} item
   * @param {string} prop
   * @param {Record<string, Group[]>} byClass
   * @returns {Generator<[string, Rule, Draft]>}
   */
  *aboutValues(item, prop, byClass) {
    for (const [index, value] of (item.node.props.get(prop) || []).entries()) {
      for (const { when, checks } of byClass[classOf(value)] || []) {
        if (when && !when(value)) continue;
        if (!isPresent(value)) break;
        for (const [name, each] of checks) {
          for (const draft of /** @type {any} */ (each).value(item, prop, index, value)) yield [name, each, draft];
        }
      }
    }
  }

  /** Drafts of the rules that a sign triggers. @param {RuleContext} context @returns {Generator<[string, Rule, Draft]>} */
  *aboutSigns(context) {
    for (const [name, each] of this.signed) {
      for (const node of context.nodesBySign.get(/** @type {string} */ (each.sign)) || []) {
        for (const draft of /** @type {any} */ (each).check(new Item(node, context))) yield [name, each, draft];
      }
    }
  }

  /** @param {RuleContext} context @returns {Generator<[string, Rule, Draft]>} */
  *aboutPage(context) {
    for (const [name, each] of this.pages.filter(([, { sign }]) => !sign || context.nodesBySign.has(sign)))
      for (const draft of /** @type {any} */ (each).page(context)) yield [name, each, draft];
  }
}
/** Rules about a property by the class of the value, rules with one condition together.
 * @param {{name: string, rule: Rule}[]} found @returns {Record<string, Group[]>} */
const groupedByClass = (found) => {
  /** @type {Record<string, Group[]>} */
  const byClass = {};
  for (const { name, rule: each } of found) {
    for (const kind of each.values || ["text", "thing", "number", "boolean"]) {
      const groups = (byClass[kind] ||= []);
      const group = groups.find(({ when }) => when === each.when);
      if (group) group.checks.push([name, each]);
      else groups.push({ when: each.when, checks: [[name, each]] });
    }
  }
  return byClass;
};

/** Sign -> nodes with the sign, in document order. @param {Page} page */
const signsOf = (page) => {
  /** @type {Map<string, Thing[]>} */
  const found = new Map();
  for (const node of page.nodes) {
    if (node.foreign || node.sameAs) {
      if (node.foreign) addTo(found, "foreign", node);
      if (node.sameAs) addTo(found, "merged", node);
      continue;
    }
    const seen = new Set();
    if (node.reference) seen.add("reference");
    if (node.id !== null) seen.add("id");
    if (node.miscased) seen.add("miscased");
    if (node.languages) seen.add("language");
    for (const values of node.props.values()) {
      if (values.length !== 1) seen.add(values.length ? "several" : "empty");
      for (const value of values) {
        if (typeof value === "string") {
          for (const mark of ["#", "&", "<"]) if (value.includes(mark)) seen.add(mark);
        }
        if (!isPresent(value)) seen.add("empty");
      }
    }
    for (const sign of seen) addTo(found, sign, node);
  }
  return found;
};

/** Finishes drafts into findings: place, pointer, fingerprint; keeps them in document order, each once. */
class FindingCollector {
  /** @param {RuleContext} context @param {Set<string>} byProfile rules in whose name profiles speak @param {Map<Thing, number>} [verdicts] */
  constructor(context, byProfile, verdicts = new Map()) {
    this.context = context;
    this.byProfile = byProfile;
    this.truncated = false;
    /** @type {Map<string, any>} */
    this.taken = new Map();
    /** @type {Map<string, string[]>} */
    this.at = new Map();
    /** Findings about unknown types, by place. @type {Map<string, any>} */
    this.unknownTypes = new Map();
    /** Blocks, and places of types, that no search engine reads. @type {Set<string>} */
    this.unread = new Set();
    /** @type {Map<string, number>} */
    this.prints = new Map();
    /** Index of the verdict about each node that was evaluated. @type {Map<Thing, number>} */
    this.verdicts = verdicts;
    this.roots = new Map(context.page.roots.map((node, number) => [node, number]));
    /** @type {Map<any, number>|null} */
    this.firstItems = null;
    /** Placeholders of templates, as spans. @type {Set<string>} */
    this.leftTemplates = new Set();
    /** Types without itemscope by the places of their effects. @type {Map<string, any>} */
    this.causes = new Map();
    for (const error of context.page.readErrors) for (const at of error.detail?.causes || []) this.causes.set(at, error);
    /** Items in which an attribute without a closing quote hides markup, and scripts whose names have no meaning. */
    const blocks = (/** @type {string} */ name) =>
      new Set(context.page.readErrors.filter(({ rule }) => rule === name).map(({ syntax, block }) => `${syntax} ${block}`));
    this.hidden = blocks("html-attribute-unclosed");
    this.meaningless = new Set([...blocks("jsonld-context-missing"), ...blocks("rdfa-vocab-missing")]);
    /** Places of types of RDFa that no vocabulary defines. */
    this.withoutVocab = new Set(context.page.readErrors.filter(({ rule }) => rule === "rdfa-vocab-missing").map(({ span }) => `${span.start} ${span.end}`));
    for (const { rule, span, related = [], detail } of context.page.readErrors)
      if (/template-left|not-a-number/.test(rule) || detail?.correction === "null")
        for (const { start, end } of [span, ...related.map((/** @type {any} */ [, at]) => at)]) this.leftTemplates.add(`${start} ${end}`);
  }

  /** The number of the item that holds a node or refers to it. @param {Thing|null} node */
  itemOf(node) {
    for (let steps = 0; node && !this.roots.has(node) && steps < MOST_STEPS; steps++)
      node = node.sameAs || node.parent || node.referrers[0]?.[0] || null;
    return (node && this.roots.get(node)) ?? null;
  }

  /** The number of the verdict about the nearest node that holds a node or refers to it. @param {Thing|null} node */
  verdictOf(node) {
    for (let steps = 0; node && !this.verdicts.has(node) && steps < MOST_STEPS; steps++)
      node = node.sameAs || node.parent || node.referrers[0]?.[0] || null;
    return (node && this.verdicts.get(node)) ?? null;
  }

  /** Name of the node that stands apart from its item and holds a node; null for what stands in its item. @param {Thing|null} node */
  nodeApart(node) {
    for (let steps = 0; node && !this.roots.has(node) && steps < MOST_STEPS; steps++) {
      if (!node.sameAs && (!node.parent || node.block.isApart?.(node))) return nodeInWords(node);
      node = node.sameAs || node.parent;
    }
    return null;
  }

  /** The number of the first item of a script; null for other markup, and where names and types were guessed. @param {string} syntax @param {number|null} block */
  firstItemOf(syntax, block) {
    if (syntax !== "json-ld" || this.context.page.guessed.has(/** @type {number} */ (block))) return null;
    if (!this.firstItems) {
      const scripts = [...this.roots].filter(([node]) => node.block.syntax === "json-ld");
      this.firstItems = new Map(scripts.reverse().map(([node, number]) => [node.block.index, number]));
    }
    return this.firstItems.get(block) ?? null;
  }

  /** @param {string} name @param {any} readError @param {string} authority @param {Draft} draft */
  takeReadError(name, readError, authority, draft) {
    const item = this.firstItemOf(readError.syntax, readError.block) ?? this.itemOf(readError.detail.holder);
    const verdict = item === null ? null : this.verdicts.get(this.context.page.roots[item]) ?? null;
    this.keep(name, draft.authority || authority, draft, { ...readError, item, verdict, readError });
  }

  /** @param {string} name @param {string} authority @param {Draft} draft */
  take(name, authority, draft) {
    if (draft.readError) return this.takeReadError(name, draft.readError, authority, draft);
    const { page } = this.context;
    const { node, prop = null, index = null, part = "value" } = draft;
    if (!node) return this.keep(name, authority, draft, { span: draft.span || { start: 0, end: 0 } });
    const span = draft.span || page.spanOf(node, prop, index, part);
    const [home, at, number] = page.home(node, prop, index);
    let pointer = home.block.pointer(home, at !== null && home.props.has(at) ? at : null, number);
    if (part === "key" && home.block.syntax === "json-ld") pointer = pointer.replace(/(?:\/\d+)+$/, "");
    this.keep(name, authority, draft, {
      span,
      syntax: home.block.syntax,
      block: home.block.index,
      pointer,
      subject: subjectOf(node),
      item: this.itemOf(node),
      verdict: this.verdictOf(node),
      apart: this.nodeApart(node),
    });
  }

  /** @param {string} name @param {string} authority @param {Draft} draft
   * @param {{span: Span, syntax?: string, block?: number|null, pointer?: string, subject?: string, edits?: [Span, string][], related?: [string, any][], item?: number|null, verdict?: number|null, apart?: string|null, readError?: any}} place */
  keep(name, authority, draft, { span, syntax = "html", block = null, pointer = "", subject = "", edits = [], related = [], item = null, verdict = null, apart, readError }) {
    if (draft.edits?.length) edits = draft.edits;
    if (draft.related?.length) related = draft.related;
    const property = draft.property || draft.prop || null;
    const at = `${span.start} ${span.end}`;
    const key = JSON.stringify([name, at, draft.profile || null, draft.message]);
    if (this.taken.has(key) || (!readError && this.leftTemplates.has(at))) return;
    // What a profile reports as empty has no further error.
    if (!draft.profile && draft.node && draft.prop && this.context.emptyRequired.get(draft.node)?.includes(draft.prop)) return;
    if (!readError && (this.hidden.has(`${syntax} ${block}`) || (draft.profile && this.hasNoVocab(draft.node)))) return;
    if (!readError && /^re.*-property-missing$/.test(name) && this.meaningless.has(`${syntax} ${block}`)) return;
    const cause = !readError && draft.prop && this.causes.get(`${draft.part === "key" ? name : ""} ${at}`);
    if (cause) {
      const { profile, severity } = draft, { finding, detail } = cause;
      if (profile && severity === "error" && finding.severity !== severity)
        Object.assign(finding, { severity, profile, message: `${detail.message}; ${resultName(profile)} need it` });
      return;
    }
    const guessedError = syntax === "json-ld" && this.context.page.guessed.get(/** @type {number} */ (block));
    if (guessedError && readError !== guessedError) return; // the recovered name may never have been on the page
    if (name === "value-unfit" && (this.raisesType(draft) || this.isReported(at, draft))) return;
    if (name === "feature-not-eligible" && draft.prop && this.isReported(at, draft, true)) return;
    if (this.taken.size >= MOST_FINDINGS) {
      this.truncated = true;
      return;
    }
    if (readError && draft.severity === "error" && name !== "json-duplicate-key")
      this.unread.add(block === null ? at : `${syntax} ${block}`);
    const { page } = this.context;
    const { from, to, ...place } = page.places.place(span);
    if (draft.prop) addTo(this.at, at, key);
    const about = draft.profile && this.byProfile.has(name) ? `profiles/${draft.profile}` : `rules/${name}`;
    const finding = withoutNothing({
      rule: name,
      severity: draft.severity,
      authority,
      profile: draft.profile,
      message: draft.message,
      hint: draft.hint,
      syntax,
      block,
      pointer,
      property,
      ...place,
      doc_url: `/${about}/`,
      fingerprint: this.fingerprint(name, draft, subject, pointer, span, syntax),
      fix: fixOf(edits, (draft.safe ?? true) && !(syntax === "json-ld" && page.broken.has(block)), page, syntax),
      related: related.length ? related.map(([message, where]) => this.related(message, where)) : null,
      from,
      to,
      item,
      verdict,
      node: apart,
    });
    if (readError) readError.finding = finding;
    if (name === "unknown-type") this.unknownTypes.set(at, finding);
    this.taken.set(key, finding);
  }

  /** Is a node, or one that holds it, RDFa whose type no vocabulary defines? @param {Thing|null|undefined} node */
  hasNoVocab(node) {
    for (let n = 0; this.withoutVocab.size && node?.block.syntax === "rdfa" && n < MOST_STEPS; n++, node = node.parent) {
      const { start, end } = this.context.page.spanOf(node, null, null, "type");
      if (this.withoutVocab.has(`${start} ${end}`)) return true;
    }
    return false;
  }

  /**
   * Does an error keep search engines from reading a node: in its script, or in the name of its type?
   * @param {Thing} node
   */
  isUnread(node) {
    const { start, end } = this.context.page.spanOf(node, null, null, "type");
    return this.unread.has(`${node.block.syntax} ${node.block.index}`) || this.unread.has(`${start} ${end}`);
  }

  /**
   * Does another rule report this value? Then its finding gets the higher severity.
   * @param {string} at
   * @param {Draft} draft
   * @param {boolean} [isMissed] a result is missed by it, while another is earned
   */
  isReported(at, { severity, profile }, isMissed) {
    const findings = (this.at.get(at) || [])
      .map((key) => this.taken.get(key))
      .filter((each) => each.severity !== "info");
    const [first] = findings;
    if (isMissed && first) {
      // An error is one for the sake of another result, which is named first.
      const names = [first.severity === "error" && first.profile, profile].filter((name) => name);
      Object.assign(first, { profile: first.profile || profile, message: `${first.message}; not eligible for ${names.map(resultName).join(" and ")}` });
    } else if (first && severity === "error" && !findings.some((each) => each.severity === "error"))
      Object.assign(first, { severity, profile });
    return !!first;
  }

  /**
   * Is the value a node of unknown types only? unknown-type reports it, at the type, and as an error where a result needs the value.
   * @param {Draft} draft
   */
  raisesType({ node, prop, index, part, severity }) {
    const value = node && prop && part !== "key" ? /** @type {any[]} */ (node.props.get(prop))[index || 0] : null;
    const types = value instanceof Thing ? value.types : [];
    const isUnknown = types.length > 0 && !types.some((name) => this.context.vocabulary.types.has(name));
    if (isUnknown && severity === "error") {
      const { start, end } = this.context.page.spanOf(value, null, null, "type"), known = this.unknownTypes.get(`${start} ${end}`);
      if (known) known.severity = severity;
    }
    return isUnknown;
  }

  /** @param {string} message @param {any} where a span, or the arguments of `Page.spanOf` */
  related(message, where) {
    const span = Array.isArray(where) ? this.context.page.spanOf(.../** @type {[Thing]} */ (where)) : where;
    const [line, column] = this.context.page.places.lineAndColumn(span.start);
    return { message, line, column };
  }

  /** Made of the rule, subject and value, never of the place. @param {string} name @param {Draft} draft @param {string} subject @param {string} pointer
   * @param {Span} span @param {string} syntax */
  fingerprint(name, draft, subject, pointer, span, syntax) {
    const printed = [name, draft.profile || ""];
    if (draft.about) printed.push(...draft.about);
    else {
      const path = pointer
        .split("/")
        .filter((part) => !/^\p{Nd}+$/u.test(part))
        .join("/");
      const isPlace = draft.part === "node" || !draft.prop;
      const text = isPlace ? "" : this.context.page.text.slice(span.start, span.end);
      printed.push(subject, path, head(plainText(text, syntax), 200), draft.prop ? "" : draft.property || "");
    }
    const print = sha256(printed.join("|")).slice(0, 16);
    const times = (this.prints.get(print) || 0) + 1;
    this.prints.set(print, times);
    return times === 1 ? print : `${print}-${times}`;
  }

  /** Other findings about a placeholder follow from it; the placeholder's finding gets their severity. */
  findings() {
    for (const keys of this.at.values()) {
      const placeholderKey = keys.find((key) => this.taken.get(key).rule === "placeholder-value");
      const others = keys.filter((key) => this.taken.get(key).rule !== "placeholder-value");
      if (placeholderKey === undefined || !others.length) continue;
      const finding = this.taken.get(placeholderKey);
      const missed = [];
      for (const key of others) {
        const { severity, rule, profile, message } = this.taken.get(key);
        this.taken.delete(key);
        if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(finding.severity)) finding.severity = severity;
        const words = rule === "feature-not-eligible" && profile ? resultName(profile) : partition(message, "; not eligible for ")[2];
        if (words) missed.push({ profile, words });
      }
      if (missed.length)
        Object.assign(finding, {
          profile: finding.profile || missed[0].profile,
          message: `${finding.message}; not eligible for ${missed.map(({ words }) => words).join(" and ")}`,
        });
    }
    return [...this.taken.values()].sort(inOrderOfPlace);
  }
}
/** @param {any} one @param {any} two */
const inOrderOfPlace = (one, two) =>
  one.start - two.start ||
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(two.severity) ||
  one.end - two.end ||
  (one.rule < two.rule ? -1 : one.rule > two.rule ? 1 : 0);
/** @param {Record<string, any>} members */
const withoutNothing = (members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
/**
 * A value without what reformatting may change: white space, and in JSON the escapes and the order of keys.
 * @param {string} text
 * @param {string} syntax
 */
const plainText = (text, syntax) => {
  let plain = text;
  if (syntax === "json-ld" && text) {
    const { found, value, repairs } = atOnce(decoding(text));
    const written = found && repairs.every((each) => each.rule === "json-duplicate-key") ? plainJson(value) : null;
    plain = typeof value === "string" && written !== null ? value : (written ?? text);
  }
  return words(plain).join("");
};
/**
 * Compact JSON with sorted keys, null where a number is beyond all others.
 * @param {any} value
 * @returns {string|null}
 */
const plainJson = (value) => {
  if (value instanceof Num) return value.whole ? String(value) : floatText(Number(value.text));
  if (value instanceof Arr) {
    const parts = value.items.map((entry) => plainJson(entry.value));
    return parts.includes(null) ? null : `[${parts.join(",")}]`;
  }
  if (!(value instanceof Obj)) return JSON.stringify(value);
  const parts = [...value.members]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, entry]) => [JSON.stringify(key), plainJson(entry.value)]);
  return parts.some(([, part]) => part === null) ? null : `{${parts.map((each) => each.join(":")).join(",")}}`;
};
/** Rewriting displayed text is not safe, and elements inside it are not rewritten at all.
 * @param {[Span, string][]} edits @param {boolean} safe @param {Page} page @param {string} syntax */
const fixOf = (edits, safe, page, syntax) => {
  if (!edits.length) return null;
  for (const [span] of edits) {
    if (span.start >= span.end || !isBetweenTags(page.text, span, syntax)) continue;
    if (page.text.slice(span.start, span.end).includes("<")) return null;
    safe = false;
  }
  return {
    safe,
    edits: edits.map(([span, text]) => {
      const { start, end, from, to } = page.places.place(span);
      return { start, end, text, from, to };
    }),
  };
};
