// @ts-check
// The main item of a page. Counterpart of waypost/preview/pick.py.

import "../rules/preview.evidence.js";
import { NothingToShow } from "./catalogue.js";
import { use } from "./python.js";
import { joinWords } from "./strings.js";
import { partition, some, unique } from "./text.js";

/** @import { Catalogue } from "./catalogue.js" */
/** @import { Page, Thing } from "./page.js" */

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
  const tops = root ? [root] : nodes.filter((node) => !node.parent);
  const found = candidatesOf(tops, catalogue, number !== undefined);
  const ofKind = found.filter((each) => each.service === service);
  const best = bestOf(ofKind.length ? ofKind : found, page, catalogue);
  if (!best) {
    const roots = root ? [root] : page.roots.filter(alive);
    throw new NothingToShow(`${withoutCard(roots.length ? roots : tops)}: there is nothing to draw`);
  }
  if (!best.service) throw new NothingToShow(`${withoutCard([best.node])}: there is nothing to draw`);
  return { ...best, trail: trailOf(best, nodes) };
};

/** The item that a page is about, with a card or without one. @param {Page} page @param {Catalogue} catalogue */
export const mainNode = (page, catalogue) => {
  const tops = page.nodes.filter((node) => alive(node) && !node.parent);
  return bestOf(candidatesOf(tops, catalogue, false), page, catalogue)?.node ?? null;
};

/** @param {Thing} node */
const alive = (node) => !node.sameAs && !node.foreign && !node.reference;

/** @param {Thing[]} nodes */
const withoutCard = (nodes) => {
  const types = unique(nodes.flatMap((node) => node.types));
  return types.length ? `${joinWords(types.slice(0, 5))} ${types.length === 1 ? "has" : "have"} no card` : "nothing has a type";
};

/** Items that may be the main one; those without a card have no `service`. @param {Thing[]} nodes @param {Catalogue} catalogue @param {boolean} hasNumber @returns {Picked[]} */
const candidatesOf = (nodes, catalogue, hasNumber) => nodes.flatMap((node) => {
  const picked = resolvePicked(node, catalogue);
  if (picked) return [picked];
  return hasNumber || !use("preview.evidence").has_meaning(node) ? [] : [{ node, service: "", standard: node.types[0], wrapper: null, trail: null, about: node.types }];
});

/** Rank of an item without a card. */
const LAST_RANK = 1000;

/** @param {Picked[]} found @param {Page} page @param {Catalogue} catalogue @returns {Picked|null} */
const bestOf = (found, page, { dispatch }) => {
  const { best_of: numberOf, is_recommended: isRecommended, is_referred: isReferred } = use("preview.evidence");
  const roots = new Set(page.roots);
  const firstArticle = Math.min(...[...dispatch.rank.values()].filter((each) => !each.lifts).map((each) => each.page));
  const candidates = found.map(({ node, service, standard, wrapper }) => {
    const rank = dispatch.rank.get(service)?.page ?? LAST_RANK;
    return {
      node, service, rank, lifts: dispatch.rank.get(service)?.lifts ?? false, leads: rank < firstArticle, wrapped: wrapper !== null,
      lists: standard === "ItemList", recommended: isRecommended(node), referred: !roots.has(node) && isReferred(node),
    };
  });
  return found[numberOf(candidates, page)] ?? null;
};

/** [syntax, block, pointer] of a node, as reports name it. @param {Thing} node */
export const placeOfNode = (node) => [node.block.syntax, node.block.index, node.block.pointer(node, null, null)];

/** [syntax, block, pointer] of a picked node and of the page that stands for it, as reports name them. @param {Picked} picked */
export const placesOfPicked = ({ wrapper, node }) => [...some(wrapper), node].map(placeOfNode);

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
      if (members && catalogue.mappings.get(members[0])?.fields.has("itemListElement")) {
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
