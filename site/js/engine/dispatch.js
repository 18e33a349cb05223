// @ts-check
// Which rule is called for which node and value. Counterpart of waypost/validate/{dispatch,rulebook}.py.

import { Item } from "./item.js";
import { Thing, isPresent } from "./page.js";
import { Num, addTo } from "./strings.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { Draft } from "./item.js" */
/** @import { Page, ReadError, Value } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

/** One rule: exactly one of `check` (nodes), `value` (present values), `page` and `explain` (errors met while reading).
 * waypost/validate/rulebook.py describes the other members.
 * @typedef {{authority: Authority, types?: string[], properties?: (vocabulary: Vocabulary) => Iterable<string>, values?: string[],
 *   sign?: string, when?: (value: Value) => boolean,
 *   concerns?: (vocabulary: Vocabulary, types: string[], names: string[]) => boolean,
 *   check?: (item: Item) => Iterable<Draft>, value?: (item: Item, prop: string, index: number, value: Value) => Iterable<Draft>,
 *   page?: (context: RuleContext) => Iterable<Draft>, explain?: (error: ReadError) => Draft, aliases?: string[]}} Rule */

/** @type {Map<string, Rule>} */
export const RULES = new Map();
/** @param {string} name @param {Rule} rule */
export const rule = (name, rule) => RULES.set(name, rule);

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
export class Rulebook {
  /** @param {Vocabulary} vocabulary */
  constructor(vocabulary) {
    this.vocabulary = vocabulary;
    const all = [...RULES].sort(([one], [two]) => (one.replaceAll("-", "_") < two.replaceAll("-", "_") ? -1 : 1));
    const of = (/** @type {(rule: Rule) => unknown} */ test) => all.filter(([, each]) => test(each));
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
        for (const draft of each.check?.(item) || []) yield [name, each, draft];
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
          for (const draft of each.value?.(item, prop, index, value) || []) yield [name, each, draft];
        }
      }
    }
  }

  /** Drafts of the rules that a sign triggers. @param {RuleContext} context @returns {Generator<[string, Rule, Draft]>} */
  *aboutSigns(context) {
    for (const [name, each] of this.signed) {
      for (const node of context.nodesBySign.get(/** @type {string} */ (each.sign)) || []) {
        for (const draft of each.check?.(new Item(node, context)) || []) yield [name, each, draft];
      }
    }
  }

  /** @param {RuleContext} context @returns {Generator<[string, Rule, Draft]>} */
  *aboutPage(context) {
    for (const [name, each] of this.pages.filter(([, { sign }]) => !sign || context.nodesBySign.has(sign)))
      for (const draft of each.page?.(context) || []) yield [name, each, draft];
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
export const signsOf = (page) => {
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
