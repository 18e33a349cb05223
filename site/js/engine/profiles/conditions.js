// @ts-check
// Conditions of profiles as functions of a node. Counterpart of waypost/validate/profiles/conditions.py.

import { UrlError } from "../addresses.js";
import { splitUrl } from "../addresses.js";
import { asList } from "../catalogue.js";
import { canonical, isAbove } from "../counterparts.js";
import { Thing } from "../page.js";
import { Dec, strip } from "../text.js";
import { urldefrag, urljoin } from "../urls.js";
import { linksOf } from "../value-kinds.js";
import { number } from "../values.js";
import { Path, equals } from "./paths.js";

/** @import { Test } from "./paths.js" */
/** @import { Condition } from "../registry.js" */

/**
 * A condition as a function of the scope object: true, false, or null where the markup cannot show it.
 * @param {Condition} condition
 * @param {Map<string, Test>} filters
 * @returns {Test}
 */
export const compileCondition = (condition, filters) => {
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
/** @param {Condition} condition with a `path` @param {Map<string, Test>} filters @returns {Test} */
const compared = ({ path: text = "", is = [], gt }, filters) => {
  const path = new Path(text, filters);
  if (gt !== undefined) {
    const bound = Dec.of(String(gt));
    return (context, node) => path.context(context, node)[0].some((hit) => (number(hit.value)?.compare(bound) ?? 0) > 0);
  }
  const accepted = asList(is);
  return (context, node) => path.context(context, node)[0].some((hit) => accepted.some((each) => equals(hit.value, each)));
};
/** @param {NonNullable<Condition["type"]>} operand @param {Map<string, Test>} filters @returns {Test} */
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
 * @param {Condition[]} conditions
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
 * @param {Condition|undefined} condition
 * @returns {string[]}
 */
export const intentsOf = (condition) => {
  const found = [],
    waiting = condition ? [condition] : [];
  for (const { intent, not, all = [], any = [] } of waiting) {
    if (intent !== undefined) found.push(intent);
    waiting.push(...(not ? [not] : []), ...all, ...any);
  }
  return found;
};
