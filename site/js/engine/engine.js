// @ts-check
// Interface of the engine for the site. `Waypost.load` takes the registry's data and gives an engine with `validate`
// and `preview`; both answer with the data that the command line prints as JSON, or throw `PartMissing`.

import "../rules/preview.card.js";
import "../rules/preview.cleaning.js";
import { Catalogue, NothingToShow, isThing } from "./catalogue.js";
import { instant } from "./dates.js";
import { OFFERS, atOnce, offered } from "./parts.js";
import { asJson, asMaps, use } from "./python.js";
import { Types } from "./types.js";

/** @import { Mapping } from "./catalogue.js" */
/** @import { RegistryData } from "./registry.js" */

export class Engine {
  /** @param {RegistryData} data what the scripts of the parts left in one global; those that come later add to it */
  constructor(data) {
    this.data = data;
    /** The registry's digest: the same that `waypost version` shows. @type {string} */
    this.version = data.version;
    this.cards = new Catalogue(data, new Types(data.types, false));
    /** What parts made for this engine, by their names. @type {Record<string, any>} */
    this.made = {};
  }

  /** Is a part there? @param {string} name */
  has(name) {
    return name in OFFERS;
  }

  /** What a part offers, made for this engine. @param {string} name */
  part(name) {
    return (this.made[name] ||= offered(name)(this));
  }

  /** What is known of cards: of those of all types as soon as all types are known. @returns {Catalogue} */
  get catalogue() {
    return this.has("reading") ? this.part("reading").catalogue : this.cards;
  }

  get vocabulary() {
    return this.part("reading").vocabulary;
  }

  /** The report about one page: that of `waypost validate --format json` with this one file, what could
   * not be checked, and with each finding `from` and `to`, its UTF-16 offsets in the text as given.
   * @param {LintOptions} options */
  validate(options) {
    return atOnce(this.validating(options));
  }

  /** The same in steps. It returns the report.
   * @param {LintOptions} options @returns {Generator<undefined, LintReport>} */
  validating(options) {
    return this.part("validating").report(options);
  }

  /** The unified document of a page's main thing and its card, as `waypost preview --json`, with where each field was written.
   * `nothing` holds the reason where there is no card.
   * @param {{kind?: string, site?: string|null, document?: Json, markup?: string, page?: import("./page.js").Page, item?: number, media?: "html"|"json", now?: Date|string|number}} request
   *   kind      the service type that is wanted; `nothing` where the thing is of another.
   *   site      the address the markup came from: relative addresses resolve against it.
   *   item      the number of the page's item, as reports count items; the main one by default.
   *   document  a document of the unified model, or JSON-LD as objects; else `markup` is read.
   *   page      a page that was read before (`seen` of a check), in place of `markup`. */
  preview({ kind, site = null, document, markup = "", page, item, media, now }) {
    const moment = instantOf(now);
    try {
      const made =
        document && this.isDocument(document)
          ? this.ofDocument(document, moment)
          : document
            ? this.ofPage(JSON.stringify(document), site, "json", moment)
            : this.ofPage(page || markup, site, media, moment, kind, item);
      if (kind && made.service_type !== kind) throw new NothingToShow(`this is a ${made.service_type}, not a ${kind}`);
      return made;
    } catch (error) {
      if (!(error instanceof NothingToShow)) throw error;
      return { nothing: error.message };
    }
  }

  /** A text as a page. @param {string} markup @param {string|null} [site] @returns {import("./page.js").Page} */
  read(markup, site = null) {
    return atOnce(this.part("reading").reading(markup, "-", site));
  }

  /** How a page may show, surface by surface: that of `waypost preview --json`, with `from` and `to` at each place.
   * @param {{page?: import("./page.js").Page|null, markup?: string, site?: string|null, preview?: Preview|null, now?: Date|string|number, item?: number}} request
   *   page     a page that was read; else `markup` is read.
   *   item     the number of the page's item that comes first.
   *   preview  in place of a page: the card of a document of the unified model. */
  surfaces({ page = null, markup, site = null, preview = null, now, item }) {
    const read = page || markup === undefined ? page : this.read(markup, site);
    return this.part("surfaces").of({ page: read, site, preview, now, item });
  }

  /** @param {Json} document */
  isDocument(document) {
    return isThing(document) && this.catalogue.isUnified(document);
  }

  /** @param {Json} document @param {bigint} now */
  ofDocument(document, now) {
    const types = [
      document["@type"],
      ...(document.itemListElement || []).map((/** @type {Json} */ each) => each["@type"]),
    ];
    const service = types
      .map((name) => (typeof name === "string" ? this.catalogue.serviceTypes.serviceOf(name) : null))
      .find(Boolean);
    if (!service) throw new NothingToShow(`${types[0]} has no card: there is nothing to draw`);
    return this.drawn(asMaps(document), /** @type {Mapping} */ (this.catalogue.mappings.get(service)), now, [], {});
  }

  /**
   * @param {any} given a text, or a page that was read
   * @param {string|null} site
   * @param {"html"|"json"|undefined} media
   * @param {bigint} now
   * @param {string} [kind]
   * @param {number} [item]
   */
  ofPage(given, site, media, now, kind, item) {
    const reader = this.part("reading");
    const { document, mapping, about, places, ...more } =
      typeof given === "string" ? reader.main(given, site, media, kind, item) : reader.mainOf(given, site, kind, item);
    return { ...this.drawn(document, mapping, now, about, places), ...more };
  }

  /**
   * @param {Map<string, any>} found
   * @param {Mapping} mapping
   * @param {bigint} now
   * @param {string[]} about
   * @param {Preview["origins"]} origins
   */
  drawn(found, mapping, now, about, origins) {
    const { document } = use("preview.cleaning").safe_document(found, this.catalogue.registry);
    if (!document.get("name")) throw new NothingToShow(`the ${document.get("@type")} has no name: a card needs one`);
    const snippet = asJson(use("preview.card").make_card(document, mapping, this.catalogue, now, about));
    // A picture leaves out what the page does not say.
    if (snippet.image) snippet.image = Object.fromEntries(Object.entries(snippet.image).filter(([, value]) => value !== null));
    return { service_type: mapping.service, standard_type: snippet.standard_type, unified: asJson(document), origins, snippet };
  }
}

/** @typedef {{text: string, path?: string, url?: string|null, media?: "html"|"json", now?: Date|string|number, types?: string[],
 *   profiles?: string[], also?: string[], seen?: (page: any) => void}} LintOptions
 *   seen   called with the page as soon as it is read: its items with their values.
 *   types  only what concerns items of these types, or of their subtypes; all by default. */

/** An instant; now where nothing is given. @param {Date|string|number|undefined} given */
export const instantOf = (given) => instant(given === undefined ? new Date() : new Date(given));

/** An engine over the registry's data. @param {RegistryData} data */
Waypost.load = (data) => new Engine(data);
