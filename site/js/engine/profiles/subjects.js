// @ts-check
// Subjects: nodes of a page that could earn a result. Counterpart of waypost/validate/profiles/subjects.py.

import { addAll } from "../strings.js";
import { isReference } from "./paths.js";

/** @import { Thing } from "../page.js" */
/** @import { EvaluationContext } from "./paths.js" */

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
export const subjectsOf = (context) => {
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
