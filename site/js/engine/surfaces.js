// @ts-check
// Surfaces of a page: results, social cards, and the text for a program. The part that is loaded for them; their results
// are those of waypost/preview/results.py, translated.

import "../rules/preview.results.js";
import { NothingToShow } from "./catalogue.js";
import { instantOf } from "./engine.js";
import { OFFERS } from "./parts.js";
import { asJson, asMaps, use } from "./python.js";

/** @import { Engine } from "./engine.js" */
/** @import { Page } from "./page.js" */

/** @typedef {{node: import("./page.js").Thing|null, slots: Map<string, any>}} ItemCard */

class Surfaces {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    const { views, layouts, limits, widths, em, retired } = /** @type {any} */ (engine.data).surfaces;
    this.specification = {
      views: views.map((/** @type {any} */ view) => ({ ...view, blocks: new Map(Object.entries(view.blocks)) })),
      layouts,
      limits: new Map(limits.map((/** @type {any} */ each) => [each.name, each])),
      retired,
      widths: new Map(Object.entries(widths).flatMap(([width, characters]) => [.../** @type {string} */ (characters)].map((each) => [each, Number(width)]))),
      em,
      words: engine.cards.words,
      vocabulary: engine.catalogue.vocabulary,
    };
    this.results = use("preview.results");
  }

  /** Surfaces of a page as JSON. @param {{page?: Page|null, site?: string|null, preview?: Preview|null, now?: Date|string|number, item?: number}} request */
  of({ page = null, site = null, preview = null, now, item }) {
    const document = !page && preview?.snippet ? { ...preview, unified: asMaps(preview.unified) } : null;
    const cards = page ? [...this.cards(page, site, instantOf(now), item)] : document ? [{ node: null, slots: this.slots(document, new Map(), null) }] : [];
    return asJson(this.results.surfaces_data(this.results.surfaces_of_cards(this.specification, cards, page, page ? this.meta(page, site) : new Map()), page));
  }

  /** Values of the page itself: its head, address, site and trail. @param {Page} page @param {string|null} site @returns {Map<string, any>} */
  meta(page, site) {
    return this.results.meta_of(page, site);
  }

  /** Card of the main item, then those of the other roots. @param {Page} page @param {string|null} site @param {bigint} now @param {number} [item] @returns {Generator<ItemCard>} */
  *cards(page, site, now, item) {
    const seen = new Set();
    const numbers = page.roots.slice(0, this.results.MOST_RESULTS).map((_, number) => number);
    for (const number of [item, ...numbers]) {
      try {
        const { picked, document, mapping, origins } = this.engine.part("reading").read(page, site, undefined, number);
        const preview = this.engine.drawn(document, mapping, now, picked.about, {});
        if (seen.has(picked.node)) continue;
        seen.add(picked.node);
        yield { node: picked.node, slots: this.slots({ ...preview, unified: asMaps(preview.unified) }, origins, page) };
      } catch (error) {
        if (!(error instanceof NothingToShow)) throw error;
        const main = number === undefined ? use("preview.pick").main_node(page, this.engine.catalogue) : null;
        // What is displayed is about the main item, also where it has no card.
        if (!main) continue;
        seen.add(main);
        yield { node: main, slots: new Map() };
      }
    }
  }

  /** Values of a card by name, with their places. @param {any} preview @param {Map<string, any>} origins @param {Page|null} page */
  slots(preview, origins, page) {
    const { card } = /** @type {any} */ (this.engine.catalogue.mappings.get(preview.service_type));
    return this.results.slots_of(preview, card, origins, page);
  }
}

OFFERS.surfaces = (/** @type {Engine} */ engine) => new Surfaces(engine);
