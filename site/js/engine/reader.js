// @ts-check
// A text as a page, and the main item of a page as a document of the unified model.

import "../rules/preview.pick.js";
import "../rules/preview.unified.js";
import { NothingToShow } from "./catalogue.js";
import { readingData, readingPage } from "./html.js";
import { OFFERS, atOnce } from "./parts.js";
import { use } from "./python.js";
import { ReadingCatalogue } from "./reading-catalogue.js";
import { some } from "./text.js";
import { parseHtml } from "./tree.js";
import { Vocabulary } from "./vocabulary.js";

/** @import { Mapping } from "./catalogue.js" */
/** @import { Engine } from "./engine.js" */
/** @import { Page } from "./page.js" */
/** Where a value of a document comes from. @typedef {{node: import("./page.js").Thing, prop: string, place: number}} Origin */

export class Reader {
  /** @param {Engine} engine */
  constructor(engine) {
    this.vocabulary = new Vocabulary(engine.data.reading.vocabulary);
    this.catalogue = new ReadingCatalogue(engine.data, this.vocabulary);
  }

  /** A text as a page, in steps. @param {string} text @param {string} path @param {string|null} url @param {"html"|"json"|undefined} media */
  reading(text, path, url, media) {
    const isJson = media ? media === "json" : /\.json(?:ld)?$/i.test(path) || /^\ufeff?[ \t\r\n]*[{[]/.test(text);
    if (isJson) return readingData(text, this.vocabulary, path, url);
    if (!parseHtml) throw new Error("HTML needs a browser's parser");
    return readingPage(text, this.vocabulary, path, url);
  }

  /** The main item of a text. @param {string} markup @param {string|null} site @param {"html"|"json"|undefined} media @param {string} [kind] @param {number} [item] */
  main(markup, site, media, kind, item) {
    return this.mainOf(atOnce(this.reading(markup, "-", site, media)), site, kind, item);
  }

  /** The document of a page's main item, where each field was written, the item's number, and the site that the page names.
   * @param {Page} page @param {string|null} site @param {string} [kind] @param {number} [item] */
  mainOf(page, site, kind, item) {
    const { picked, document, mapping, origins } = this.read(page, site, kind, item);
    const places = Object.fromEntries(
      [...origins].map(([field, found]) => [field, found.map((each) => originPlace(each, page))]),
    );
    const website = page.nodes.find((node) => node.types.includes("WebSite") && node.get("name"));
    const declared = { url: page.url, name: website?.get("name") ?? null, home: website?.get("url") ?? null };
    return { document, mapping, about: picked.about, places, item: use("preview.pick").root_number(page, picked), stands: [...some(picked.wrapper), picked.node].map(placeOfNode), declared };
  }

  /** [syntax, block, pointer] of the item that a page is about, with a card or without one. @param {Page} page */
  mainPlace(page) {
    const node = use("preview.pick").main_node(page, this.catalogue);
    return node && placeOfNode(node);
  }

  /** The item that is picked, its document, and where each field comes from.
   * @param {Page} page @param {string|null} site @param {string} [kind] @param {number} [item] */
  read(page, site, kind, item) {
    const picked = use("preview.pick").main_item(page, this.catalogue, kind, item);
    if (typeof picked === "string") throw new NothingToShow(picked);
    const mapping = /** @type {Mapping} */ (this.catalogue.mappings.get(picked.service));
    const url = page.url || site;
    /** @type {Map<string, Origin[]>} */
    const origins = new Map();
    const setting = { wrapper: picked.wrapper, trail: picked.trail, url, base: page.base || url };
    const document = use("preview.unified").unify(picked.node, mapping, picked.standard, this.catalogue, setting, origins);
    return { picked, document, mapping, origins };
  }
}

/** [syntax, block, pointer] of a node, as reports name it. @param {import("./page.js").Thing} node */
const placeOfNode = (node) => [node.block.syntax, node.block.index, node.block.pointer(node, null, null)];

/** @param {Origin} origin @param {Page} page */
const originPlace = ({ node, prop, place }, page) => {
  const [home, at, index] = page.home(node, prop, place);
  return {
    property: prop,
    syntax: home.block.syntax,
    block: home.block.index,
    pointer: home.block.pointer(home, at, index),
    ...page.places.place(page.spanOf(node, prop, place)),
  };
};

OFFERS.reading = (/** @type {Engine} */ engine) => new Reader(engine);
