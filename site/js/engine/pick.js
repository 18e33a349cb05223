// @ts-check
// The main item of a page. Counterpart of waypost/preview/pick.py.

import { NothingToShow } from "./card.js";
import { Thing } from "./page.js";
import { casefold, joinWords } from "./strings.js";
import { partition, rpartition, some, strip, unique, withoutPrefix } from "./text.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { Page } from "./page.js" */

export const MOST_DELEGATIONS = 5;

/**
 * @typedef {{node: Thing, service: string, standard: string, wrapper: Thing|null, trail: Thing|null, about: string[]}} Picked
 */
/**
 * The main item of a page: roots first; a page or a list stands for the item it is about.
 * @param {Page} page
 * @param {Catalogue} catalogue
 * @param {string} [service] of this service type, if the page has one of it
 * @param {number} [number] of the root item that speaks; every root may by default
 * @returns {Picked}
 */
export const pick = (page, catalogue, service, number) => {
  const alive = (/** @type {Thing} */ node) => !node.sameAs && !node.foreign && !node.reference;
  const nodes = page.nodes.filter(alive);
  if (!nodes.length) {
    throw new NothingToShow(
      page.readErrors.length
        ? "no item of schema.org could be read here: validate the page to see why"
        : "there is no structured data on this page",
    );
  }
  const root = number === undefined ? undefined : page.roots[number];
  if (number !== undefined && !root) throw new NothingToShow(`the page has no item ${number}: it has ${page.roots.length}, counted from 0`);
  const roots = root ? [root] : page.roots.filter(alive);
  const tops = root ? [] : nodes.filter((node) => !node.parent);
  const named = tops.filter((node) => isOfThePage(node, page));
  for (const candidates of [[...roots, ...named], tops]) {
    const all = unique(candidates).flatMap((node) => some(resolvePicked(node, catalogue)));
    if (!all.length) continue;
    const ofKind = all.filter((each) => each.service === service);
    const found = ofKind.length ? ofKind : all;
    const best = found.reduce((one, two) =>
      precedes(order(two, page, catalogue), order(one, page, catalogue)) ? two : one,
    );
    return { ...best, trail: trailOf(best, nodes) };
  }
  const types = unique((roots.length ? roots : tops).flatMap((node) => node.types));
  const what = types.length
    ? `${joinWords(types.slice(0, 5))} ${types.length === 1 ? "has" : "have"} no card`
    : "nothing has a type";
  throw new NothingToShow(`${what}: there is nothing to draw`);
};

/** [syntax, block, pointer] of a picked node and of the page that stands for it, as reports name them. @param {Picked} picked */
export const placesOfPicked = ({ wrapper, node }) => [...some(wrapper), node].map((each) => [each.block.syntax, each.block.index, each.block.pointer(each, null, null)]);

/** The number of the root item that a picked item belongs to, as reports count items; -1 outside all of them.
 * @param {Page} page @param {Picked} picked */
export const rootNumber = (page, picked) => {
  for (const begin of [picked.wrapper, picked.node]) {
    let node = begin;
    while (node && !page.roots.includes(node)) node = /** @type {any} */ (node).parent;
    if (node) return page.roots.indexOf(node);
  }
  return -1;
};

/**
 * What the page names as its main entity first, then by rank.
 * @param {Picked} picked
 * @param {Page} page
 * @param {Catalogue} catalogue
 */
const order = (picked, page, { dispatch }) => {
  const isNamed = picked.wrapper !== null || isOfThePage(picked.node, page);
  const rank = /** @type {any} */ (dispatch.rank.get(picked.service));
  return [Number(!(isNamed && rank.lifts)), rank.page, Number(!isNamed)];
};

/** @param {number[]} one @param {number[]} two */
const precedes = (one, two) => {
  const at = one.findIndex((each, n) => each !== two[n]);
  return at >= 0 && one[at] < two[at];
};

/**
 * The node that shows for this one, after as many delegations as there are, within reason.
 * @param {Thing} start
 * @param {Catalogue} catalogue
 * @returns {Picked|null}
 */
const resolvePicked = (start, catalogue) => {
  let node = start;
  /** @type {Thing|null} */
  let wrapper = null;
  const seen = new Set();
  for (let n = 0; n < MOST_DELEGATIONS; n++) {
    if (seen.has(node)) return null;
    seen.add(node);
    const served = catalogue.dispatch.service(node.types);
    if (served) {
      const about = [...node.types, ...(wrapper ? wrapper.types : [])];
      return { node, service: served[0], standard: served[1], wrapper, trail: null, about };
    }
    const delegate = catalogue.dispatch.delegate(node.types);
    const target = delegate ? delegated(node, delegate.path) : null;
    if (!target) return null;
    if (delegate.keeps) {
      const members = catalogue.dispatch.service(target.types);
      if (members && catalogue.mappings.get(members[0])?.has.has("itemListElement")) {
        return { node, service: members[0], standard: delegate.type, wrapper, trail: null, about: target.types };
      }
    } else wrapper = node;
    node = target;
  }
  return null;
};

/**
 * The first node at a path; of a ListItem without the last step, the ListItem's own place is skipped.
 * @param {Thing} node
 * @param {string} path
 * @returns {Thing|null}
 */
const delegated = (node, path) => {
  const [step, , rest] = partition(path, ".");
  const value = node.nodes(step)[0];
  if (!value || !rest) return value ?? null;
  return value.nodes(rest)[0] ?? (value.types.includes("ListItem") ? null : value);
};

/** Does the node declare that this page is about it? @param {Thing} node @param {Page} page */
const isOfThePage = (node, page) =>
  (node.props.get("mainEntityOfPage") || []).some((value) => {
    const target = value instanceof Thing ? value.id || value.get("url") : value;
    return typeof target === "string" && (page.url === null || coreOf(target) === coreOf(page.url));
  });

/** @param {string} text */
const coreOf = (text) =>
  casefold(withoutPrefix(rpartition(partition(strip(text), "#")[0], "://")[2], "www.").replace(/\/+$/, ""));

/**
 * Its own trail, else that of a page it belongs to, else the first on the page.
 * @param {Picked} picked
 * @param {Thing[]} nodes
 */
const trailOf = (picked, nodes) => {
  /** @type {Thing[]} */
  const around = [
    picked.node,
    ...some(picked.wrapper),
    ...picked.node.nodes("mainEntityOfPage"),
    ...picked.node.nodes("isPartOf"),
  ];
  for (const node of around) {
    const found = node.nodes("breadcrumb").find((value) => value.props.has("itemListElement"));
    if (found) return found;
  }
  return nodes.find((node) => node.types.includes("BreadcrumbList") && node.props.has("itemListElement")) ?? null;
};
