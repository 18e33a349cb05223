// @ts-check
// Surfaces of a page: results, social cards, and the text for a program. Counterpart of waypost/preview/surfaces.py; the
// layouts are those of the registry, laid out by what src/waypost/preview/layouts.py is translated to.

import "../rules/preview.layouts.js";
import { NothingToShow, displayUrl, firstText, hostOf } from "./card.js";
import { instantOf } from "./engine.js";
import { headOf, slotOf } from "./head.js";
import { Thing } from "./page.js";
import { OFFERS } from "./parts.js";
import { mainNode } from "./pick.js";
import "./plain.js";
import { use } from "./python.js";
import { dayInWords } from "./show.js";
import { squeezed, words } from "./text.js";

/** @import { Engine } from "./engine.js" */
/** @import { Slot } from "./head.js" */
/** @import { Page, Span } from "./page.js" */
/** @import { Origin } from "./unified.js" */

const MOST_RESULTS = 12;
/** @type {Record<string, string[]>} */
const INNER_NAMES = {
  price: ["price", "lowPrice", "highPrice", "priceSpecification.price"],
  rating: ["ratingValue"],
  byline: ["name"],
  image: ["url", "contentUrl"],
  site_name: ["name"],
};
const PLAIN_NAMES = ["name", "url", "text"];

/** @typedef {{node: Thing|null, slots: Map<string, Slot>}} Card */

class Surfaces {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    const { views, layouts, limits, widths, em, retired } = /** @type {any} */ (engine.data).surfaces;
    this.views = views.map((/** @type {any} */ view) => ({ ...view, blocks: new Map(Object.entries(view.blocks)) }));
    this.layouts = layouts;
    this.retired = retired;
    this.limits = new Map(limits.map((/** @type {any} */ each) => [each.name, each]));
    this.widths = new Map(Object.entries(widths).flatMap(([width, characters]) => [.../** @type {string} */ (characters)].map((each) => [each, Number(width)])));
    this.em = em;
    this.laid = use("preview.layouts");
  }

  get reader() {
    return this.engine.part("reading");
  }

  /** Surfaces of a page as JSON. @param {{page?: Page|null, site?: string|null, preview?: Preview|null, now?: Date|string|number, item?: number}} request */
  of({ page = null, site = null, preview = null, now, item }) {
    const cards = page ? [...this.cards(page, site, instantOf(now), item)] : preview?.snippet ? [{ node: null, slots: this.slots(preview, {}, null) }] : [];
    const meta = page ? this.meta(page, site) : new Map();
    const main = cards[0] ?? null;
    return this.views.flatMap((/** @type {any} */ view) => {
      const scopeOf = (/** @type {Map<string, Slot>} */ slots, /** @type {Thing|null} */ node) => ({
        page, node, slots, meta, device: view.device, blocks: view.blocks, limits: this.limits, widths: this.widths, em: this.em, words: this.engine.cards.words,
      });
      /** @type {{layout: any, parts: any[]}[]} */
      let results = [];
      for (const [layout, node, slots] of page && view.group === "search" ? this.matches(page, cards, view) : []) {
        const scope = scopeOf(slots, node);
        if (!this.laid.holds(layout.when, scope)) continue;
        const parts = this.laid.parts_of(layout.parts, scope, 0);
        if (parts.length) results.push({ layout, parts });
      }
      const names = new Set(results.map(({ layout }) => layout.name));
      results = results.filter(({ layout }) => !layout.unless.some((/** @type {string} */ name) => names.has(name))).slice(0, MOST_RESULTS);
      if (!results.some(({ layout }) => layout.frame === "result")) {
        const parts = this.laid.parts_of(view.parts, scopeOf(main?.slots ?? new Map(), page ? (main?.node ?? null) : null), 0);
        if (parts.length) results.unshift({ layout: null, parts });
      }
      if (!results.length) return [];
      const { name, title, group, sources, documented, differs } = view;
      const retired = page && group === "search" ? this.retiredOf(page) : [];
      return [{ surface: name, title, group, sources, documented, differs, retired, results: results.map((each) => resultData(each, page)) }];
    });
  }

  /** Layouts with the first item that each is for, the main item's first. @param {Page} page @param {Card[]} cards @param {any} view @returns {[any, Thing, Map<string, Slot>][]} */
  matches(page, cards, view) {
    const main = cards[0]?.node ?? null;
    const alive = page.nodes.filter((node) => node.sameAs === null && !node.foreign && !node.reference);
    const ordered = [...(main ? [main] : []), ...alive.filter((node) => node.parent === null)];
    const { vocabulary } = this.engine.catalogue;
    /** @type {[any, Thing][]} */
    const found = [];
    for (const layout of this.layouts) {
      if (layout.device && layout.device !== view.device) continue;
      const types = new Set(layout.types), exclude = new Set(layout.exclude), entries = new Set(layout.entries);
      const nodes = layout.main && main ? [main] : [...ordered, ...(layout.nested ? alive : [])];
      const node = nodes.find((each) => vocabulary.areA(each.types, types) && !vocabulary.areA(each.types, exclude) && hasEntry(each, entries, vocabulary));
      if (node) found.push([layout, node]);
    }
    const slots = new Map(cards.map((card) => [card.node, card.slots]));
    const rank = (/** @type {[any, Thing]} */ [layout, node]) => Number(layout.frame !== "result") * 2 + Number(node !== main);
    return found.sort((one, two) => rank(one) - rank(two)).map(([layout, node]) => [layout, node, slots.get(node) ?? new Map()]);
  }

  /** @param {Page} page */
  retiredOf(page) {
    const kinds = new Set(page.nodes.filter((node) => !node.foreign && !node.reference).flatMap((node) => node.types));
    return this.retired.filter((/** @type {any} */ each) => each.types.some((/** @type {string} */ name) => kinds.has(name)))
      .map((/** @type {any} */ { title, retired_on, url }) => ({ title, retired_on, url }));
  }

  /** Card of the main item, then those of the other roots. @param {Page} page @param {string|null} site @param {bigint} now @param {number} [item] @returns {Generator<Card>} */
  *cards(page, site, now, item) {
    const seen = new Set();
    const numbers = page.roots.slice(0, MOST_RESULTS).map((_, number) => number);
    for (const number of [item, ...numbers]) {
      try {
        const { picked, document, mapping, origins } = this.reader.read(page, site, undefined, number);
        const preview = this.engine.drawn(document, mapping, now, picked.about, {});
        if (seen.has(picked.node)) continue;
        seen.add(picked.node);
        yield { node: picked.node, slots: this.slots(preview, origins, page) };
      } catch (error) {
        if (!(error instanceof NothingToShow)) throw error;
        const main = number === undefined ? mainNode(page, this.reader.catalogue) : null;
        // What is displayed is about the main item, also where it has no card.
        if (!main) continue;
        seen.add(main);
        yield { node: main, slots: new Map() };
      }
    }
  }

  /** Values of a card by name, with their places. @param {Preview} preview @param {Record<string, Origin[]>} origins @param {Page|null} page */
  slots(preview, origins, page) {
    const { service_type: service = "", unified } = preview, snippet = /** @type {Snippet} */ (preview.snippet);
    const { card } = /** @type {any} */ (this.engine.catalogue.mappings.get(service));
    /** @type {Map<string, Slot>} */
    const made = new Map();
    const add = (/** @type {string} */ name, /** @type {string|null|undefined} */ text, /** @type {any[]} */ specs, date = "", stars = -1) => {
      if (!text) return;
      const [property, spans] = this.places(name, specs, origins, page);
      made.set(name, slotOf(text, property, spans, date, stars));
    };
    add("title", unified.name, ["name", "mainEntity.name", "headline"]);
    add("url", snippet.url, ["url"]);
    add("host", hostOf(snippet.url), ["url"]);
    add("display_url", snippet.display_url, ["breadcrumb", "url"]);
    add("site_name", snippet.site_name, [...card.site, "url"]);
    add("description", squeezed(firstText(unified, card.description) ?? ""), card.description);
    add("byline", snippet.byline, card.byline);
    if (snippet.date) {
      add("date", dayInWords(snippet.date), card.date, snippet.date);
      if (!card.date.includes("startDate")) add("published", dayInWords(snippet.date), card.date, snippet.date);
    }
    if (snippet.rating) add("rating", snippet.rating.text, card.rating, "", snippet.rating.stars);
    add("price", snippet.price?.text, card.price);
    add("image", snippet.image?.url, card.image);
    add("type", snippet.standard_type, ["@type"]);
    const specs = new Map(card.facts.map((/** @type {any} */ each) => [each.key, each.from]));
    for (const { key, label, value } of snippet.facts) add(`facts/${key}`, `${label}\n${value}`, /** @type {any[]} */ (specs.get(key)));
    const groups = card.items.groups.map((/** @type {any} */ each) => each.from);
    snippet.items.forEach((item, number) => add(`items/${number}`, `${number + 1}.\n${item.title}` + (item.description ? ` (${item.description})` : ""), groups));
    snippet.badges.forEach((badge, number) => add(`badges/${number}`, `\n${badge}`, card.badges[0].when.slice(0, 1)));
    for (const { key, value } of snippet.facts) made.set(`value/${key}`, { .../** @type {Slot} */ (made.get(`facts/${key}`)), text: value });
    return made;
  }

  /** Property and spans of the first path that the page gives. @param {string} name @param {any[]} specs @param {Record<string, Origin[]>} origins @param {Page|null} page @returns {[string, Span[]]} */
  places(name, specs, origins, page) {
    let first = "";
    for (const spec of specs) {
      const path = typeof spec === "string" ? spec : spec.path;
      first ||= path;
      const [field, ...steps] = path.split(".");
      const found = Object.hasOwn(origins, field) ? origins[field] : [];
      if (!found.length || !page) continue;
      const rest = steps.join(".");
      const spans = found.slice(0, 3).flatMap((each) => this.laid.spans_at(page, { node: each.node, prop: each.prop, place: each.place }, rest, INNER_NAMES[name] ?? PLAIN_NAMES));
      return [`${found[0].prop}${rest ? "." : ""}${rest}`, spans];
    }
    return [first, []];
  }

  /** Values of the page itself. @param {Page} page @param {string|null} site */
  meta(page, site) {
    const made = headOf(page);
    const graph = made.get("og:url"), source = made.get("canonical") ?? graph;
    const address = page.url || site || graph?.text || null;
    const spans = source?.spans ?? [], written = made.has("canonical") ? "link canonical" : "og:url";
    const host = hostOf(address);
    if (host) {
      made.set("host", slotOf(host, written, spans));
      made.set("trail", slotOf(/** @type {string} */ (displayUrl(address, host, {})), written, spans));
    }
    const website = page.nodes.find((node) => node.types.includes("WebSite") && typeof node.get("name") === "string");
    if (website) made.set("site", slotOf(/** @type {string} */ (website.get("name")), "WebSite name", [page.spanOf(website, "name", 0)]));
    else if (made.has("og:site_name")) made.set("site", /** @type {Slot} */ (made.get("og:site_name")));
    else if (host) made.set("site", /** @type {Slot} */ (made.get("host")));
    const trail = host ? trailSteps(page) : [];
    if (host && trail.length) made.set("trail", slotOf([host, ...trail.slice(0, -1).map(([name]) => name)].join(" › "), "BreadcrumbList", trail.map(([, span]) => span)));
    return made;
  }
}

/** Is an entry of a list of one of some types? Entries that are addresses alone may be. @param {Thing} node @param {Set<string>} types @param {any} vocabulary */
const hasEntry = (node, types, vocabulary) => {
  const named = node.nodes("itemListElement").flatMap((step) => [...step.nodes("item"), step]).filter((each) => each.types.length && !each.types.includes("ListItem"));
  return !types.size || !named.length || named.some((each) => vocabulary.areA(each.types, types));
};

/** Names of the steps of the first breadcrumb trail. @param {Page} page @returns {[string, Span][]} */
const trailSteps = (page) => {
  const list = page.nodes.find((node) => node.types.includes("BreadcrumbList") && node.sameAs === null);
  return (list?.nodes("itemListElement") ?? []).flatMap((step) => {
    const holder = [step, ...step.nodes("item")].find((each) => typeof each.get("name") === "string");
    return holder ? [/** @type {[string, Span]} */ ([words(/** @type {string} */ (holder.get("name"))).join(" "), page.spanOf(holder, "name", 0)])] : [];
  }).slice(0, 7);
};

/** @param {{layout: any, parts: any[]}} result @param {Page|null} page */
const resultData = ({ layout, parts }, page) => ({
  ...(layout ? { result: layout.name, title: layout.title, frame: layout.frame, source: layout.source, documented: layout.documented, differs: layout.differs } : { result: null, title: "Text result", frame: "result" }),
  parts: parts.map((part) => partData(part, page)),
});

/** @param {any} part @param {Page|null} page @returns {any} */
const partData = ({ kind, at, ratio, words, entries }, page) => ({
  part: kind,
  ...(at && { at }),
  ...(ratio && { ratio }),
  words: words.map((/** @type {any} */ word) => wordData(word, page)),
  ...(entries.length && { entries: entries.map((/** @type {any[]} */ entry) => entry.map((each) => partData(each, page))) }),
});

/** @param {any} word @param {Page|null} page */
const wordData = ({ text, label, property, date, stars, rest, spans }, page) => ({
  text,
  ...(label && { label }),
  ...(rest && { cut: rest }),
  ...(date && { date }),
  ...(stars >= 0 && { stars }),
  ...(property && { property }),
  ...(property && page && {
    places: [...new Map(spans.map((/** @type {Span} */ span) => [`${span.start} ${span.end}`, span])).values()].map((span) => {
      const { line, column, start, end, from, to } = page.places.place(/** @type {Span} */ (span));
      return { line, column, start, end, from, to };
    }),
  }),
});

OFFERS.surfaces = (/** @type {Engine} */ engine) => new Surfaces(engine);
