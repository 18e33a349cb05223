// @ts-check
// Everything typed on an HTML page. Counterpart of waypost/reader/__init__.py.

import { join } from "./join.js";
import { readingBlock } from "./jsonld.js";
import { TooMuchText, Values } from "./markup.js";
import { readingItems } from "./microdata.js";
import { resolveUrl } from "./names.js";
import { Page, readError } from "./page.js";
import { offered } from "./parts.js";
import { addTo } from "./strings.js";
import { Marked, valueSpan } from "./tags.js";
import { partition, strip } from "./text.js";
import { Tree } from "./tree.js";

/** @import { Thing } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const DEEPEST_ELEMENT = 511;

const WITH_RDFA = "[typeof]:not([typeof='']):not(script)";
const SELECTORS = { jsonld: 'script[type*="json" i]', microdata: "[itemscope],[itemprop],[itemtype]", opening: "[itemscope],[typeof],[about],[resource],[rel],[rev]" };
const CANONICAL = 'link[rel~="canonical" i][href]';
const JSON_LD = "application/ld+json";
const JSON_LD_ALMOST = /ld.?json|json.?ld/i;

/**
 * Everything typed on an HTML page, in steps.
 * @param {string} given
 * @param {Vocabulary} vocabulary
 * @param {string} path
 * @param {string|null} url
 */
export function* readingPage(given, vocabulary, path, url) {
  const page = new Page(path, given);
  page.url = page.base = url;
  const marked = (page.marked = new Marked(page.text));
  yield* marked.scanning();
  page.ignores = marked.ignores;
  if (marked.denied !== null) {
    const at = marked.denied;
    page.readErrors.push(readError("html-repeated-root-tag", { start: at, end: at + 5 }));
    return page;
  }
  page.isHtml = true;
  if (marked.tooDeep) {
    page.readErrors.push(readError("html-too-deep", marked.tooDeep));
    return page;
  }
  yield;
  const tree = new Tree(marked);
  yield;
  page.ignores ||= tree.select("[data-waypost-ignore]").length > 0;
  addressOf(page, tree);
  const scripts = tree
    .select(SELECTORS.jsonld)
    .filter((each) => each.localName === "script" && isJsonLd(each.getAttribute("type") || ""));
  yield* readingTyped(page, tree, vocabulary, scripts);
  for (const element of tree.select("noscript")) {
    const { start, end } = tree.inside(element);
    if (!/itemscope|itemprop=|ld\+json|typeof=/.test(page.text.slice(start, end))) continue;
    page.readErrors.push(readError("markup-in-noscript", tree.location(element).startTag));
    break;
  }
  for (const script of tree.select(SELECTORS.jsonld)) {
    const type = script.getAttribute("type") || "", text = script.textContent || "";
    if (script.localName !== "script" || isJsonLd(type) || !JSON_LD_ALMOST.test(type) || !text.includes('"@context"'))
      continue;
    const { startTag, attributes } = tree.location(script);
    const written = attributes.get("type");
    page.readErrors.push(
      readError("jsonld-script-type-misspelled", written ? valueSpan(page.text, written, "type") : startTag, {
        written: type,
        safe: offered("repairing").isLinkedData(text),
      }),
    );
  }
  page.readErrors.sort((one, two) => one.span.start - two.span.start || one.span.end - two.span.end);
  yield;
  join(page, vocabulary);
  return page;
}

/** @param {string} type */
const isJsonLd = (type) => strip(partition(type, ";")[0]).toLowerCase() === JSON_LD;

/**
 * The page's canonical address, and the base of its URLs.
 * @param {Page} page
 * @param {Tree} tree
 */
const addressOf = (page, tree) => {
  const baseElement = tree.select("base[data-href]")[0],
    canonical = tree.select(CANONICAL)[0];
  const written = baseElement ? resolveUrl(baseElement.getAttribute("data-href") || "", page.url) : "";
  const base = written.includes("://") ? written : null;
  page.title = strip((tree.select("title")[0]?.textContent ?? "").replace(/\s+/g, " ")).slice(0, 200);
  page.language = tree.document.documentElement.getAttribute("lang");
  const named = canonical ? resolveUrl(canonical.getAttribute("href") || "", base || page.url) : "";
  if (named.includes("://")) {
    page.url = named;
    page.base = base || page.base || named;
  } else if (base) page.base = base;
};

/** Nodes in document order, whichever syntax each is of; in steps.
 * @param {Page} page @param {Tree} tree @param {Vocabulary} vocabulary @param {Element[]} scripts */
function* readingTyped(page, tree, vocabulary, scripts) {
  const items = tree.select(SELECTORS.microdata);
  const typed = tree.marked.mayHaveRdfa ? tree.select(`${SELECTORS.microdata},[typeof]`) : items;
  const numbers = new Map(scripts.map((script, n) => [script, n]));
  const read = (/** @type {Element} */ script) => {
    const { start, end } = tree.inside(script);
    return readingBlock(page, page.text.slice(start, end), start, /** @type {number} */ (numbers.get(script)), vocabulary);
  };
  if (!typed.length) {
    for (const script of scripts) yield* read(script);
    return;
  }
  const deep = typed.find(isTooDeep);
  if (deep) page.readErrors.push(readError("html-too-deep", tree.location(deep).startTag));
  const values = new Values(page);
  /** @type {Map<Element, Thing[]>} */
  const made = new Map();
  /** @type {[string, Generator<undefined, [Element, Thing][]>][]} */
  const readers = [];
  if (items.length) readers.push(["microdata", readingItems(page, tree, vocabulary, items, values)]);
  if (tree.marked.mayHaveRdfa && tree.select(WITH_RDFA).length) readers.push(["rdfa", offered("rdfa")(page, tree, vocabulary, values)]);
  for (const [syntax, reading] of readers) {
    try {
      for (const [element, node] of yield* reading) addTo(made, element, node);
    } catch (error) {
      if (!(error instanceof TooMuchText)) throw error;
      // Half a page would give wrong findings.
      page.blocks = page.blocks.filter((block) => block.syntax !== syntax);
      page.readErrors.push(readError("html-values-too-large", tree.location(error.element).startTag, {}, syntax));
    }
  }
  // A node of RDFa may begin at an element without `typeof`, by `about`, `resource` or `rel` alone.
  const opening = page.blocks.some(({ syntax }) => syntax === "rdfa") ? SELECTORS.opening : SELECTORS.microdata;
  for (const element of tree.select(`${SELECTORS.jsonld},${opening}`)) {
    if (numbers.has(element)) yield* read(element);
    else for (const node of made.get(element) || []) page.nodes.push(node);
  }
}

/** @param {Element} element */
const isTooDeep = (element) => {
  let depth = 0;
  for (let above = element.parentElement; above; above = above.parentElement) depth += 1;
  return depth >= DEEPEST_ELEMENT;
};

/**
 * A file of JSON-LD as one block, in steps.
 * @param {string} given
 * @param {Vocabulary} vocabulary
 * @param {string} path
 * @param {string|null} url
 */
export function* readingData(given, vocabulary, path, url) {
  const page = new Page(path, given);
  page.url = page.base = url;
  yield* readingBlock(page, page.text, 0, 0, vocabulary);
  yield;
  join(page, vocabulary);
  return page;
}
