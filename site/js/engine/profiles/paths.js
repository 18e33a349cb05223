// @ts-check
// Paths of profiles, and what they reach. Counterpart of waypost/validate/profiles/{paths,nodes}.py.

import { Thing, isPresent } from "../page.js";
import { addAll } from "../strings.js";
import { Dec, strip, withoutPrefix } from "../text.js";
import { linksOf } from "../value-kinds.js";
import { number } from "../values.js";
import { bare } from "../vocabulary.js";

/** @import { RuleContext } from "../counterparts.js" */
/** @import { Value } from "../page.js" */
/** @import { Outcome, Requirements } from "./requirements.js" */
/** @import { Literal } from "../registry.js" */

export const NAMED_BY_TEXT = new Set([
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

export const FILTER = /\[\w+\]/g;

/** @typedef {(context: EvaluationContext, node: Thing) => boolean|null} Test */
/** @typedef {{node: Thing, prop: string|null, at: number|null, value: Value}} Hit */

/** State of the evaluation of a page by the profiles. */
export class EvaluationContext {
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
export const isReference = (node) => node.reference || (!node.props.size && node.id !== null);
/** @param {Thing} node */
const isRole = (node) => node.types.some((name) => ROLE_TYPES.has(name));
/** @param {Value} value @returns {boolean|null} */
export const truthOf = (value) => {
  if (typeof value === "boolean") return value;
  const text = value instanceof Thing ? value.id : value;
  const name = typeof text === "string" ? bare(strip(text)) : null;
  return name !== null && /^(?:true|True|TRUE)$/.test(name)
    ? true
    : name !== null && /^(?:false|False|FALSE)$/.test(name)
      ? false
      : null;
};
/** The text of a value, or the bare name of what it points to. @param {Value} value @returns {string|null} */
export const textOf = (value) => {
  const text = value instanceof Thing ? value.id : value;
  if (typeof text !== "string")
    return text === null || text === undefined || typeof text === "boolean" ? null : String(text);
  const trimmed = strip(text);
  return bare(trimmed) || trimmed;
};
/** @param {Value} value @param {Literal} literal */
export const equals = (value, literal) => {
  if (typeof literal === "boolean") return truthOf(value) === literal;
  if (typeof literal === "number") {
    const exactly = value instanceof Thing ? null : number(value);
    return exactly !== null && exactly.compare(Dec.of(String(literal))) === 0;
  }
  // Google's own example writes "Math solver" where its table says "Math Solver".
  return textOf(value)?.toLowerCase() === literal.toLowerCase();
};

/** A compiled path: `offers.price`, `^.name`, `priceSpecification[active].price`. */
export class Path {
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
