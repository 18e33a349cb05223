// @ts-check
// A unified document -> the card, by the `x-card` of its mapping. Counterpart of waypost/preview/card.py.

import { UrlError, hostinfo, urlsplit } from "./addresses.js";
import { NOWHERE, isThing, valuesAt } from "./catalogue.js";
import { isFuture, isPast, isoDay, momentOf } from "./dates.js";
import { isLeftOver, isUnfilled } from "./placeholders.js";
import { PRICES, SHOWS, dayInWords, easiestOf, hasPrice, inCurrency, inWords, priceHolders, priceNumber, separated, tierOf } from "./show.js";
import { Dec, amountOf, cut, general, isNumber, partition, squeezed, str, strip, unique, withoutPrefix, withoutTags } from "./text.js";

/** @import { Catalogue, Mapping } from "./catalogue.js" */
/** @import { Moment } from "./dates.js" */

const ARROW = " › ";

/** Why there is no card. */
export class NothingToShow extends Error {}

/**
 * The card of a unified document.
 * @param {Json} document
 * @param {Mapping} mapping
 * @param {Catalogue} catalogue
 * @param {bigint} now
 * @param {string[]} about
 */
export const makeCard = (document, mapping, catalogue, now, about) => {
  const { card } = mapping,
    cardWords = catalogue.words,
    { lengths } = cardWords;
  const url = typeof document.url === "string" && document.url !== NOWHERE ? document.url : null;
  const host = hostOf(url);
  const address = displayUrl(url, host, document);
  const title = squeezed(String(document.name));
  const siteName = firstText(document, card.site);
  const description = firstText(document, card.description);
  const rated = valuesOfPaths(document, card.rating).find(isThing) ?? null;
  const names = valuesOfPaths(document, card.byline).filter((each) => typeof each === "string");
  const wording = (/** @type {number} */ most) => ({ words: cardWords, document, most });
  const type = String(document["@type"]);
  const price = priceOf(
    card.price.flatMap((/** @type {any} */ spec) => select(document, spec)),
    cardWords,
    now,
  );
  const facts = card.facts.flatMap((/** @type {any} */ spec) => {
    const value = SHOWS[spec.show](valuesOfPaths(document, spec.from), wording(spec.most ?? 10));
    return value ? [{ key: spec.key, label: spec.label, value: cut(value, lengths.description) }] : [];
  });
  const items = [...itemsOf(document, card.items, cardWords, now)];
  const { labels } = cardWords;
  /** @type {[string, string[], string[]?, boolean?][]} */
  const drawn = [
    ["title", [title], labels.texts, card.code],
    ["site_name", [siteName || ""], labels.others],
    ["display_url", (address || "").split(ARROW).slice(1)],
    ["description", [description || ""], labels.texts, card.code],
    ["byline", names, labels.others],
    ["price", [price?.text || ""]],
    ...facts.map((/** @type {any} */ fact) => [`facts/${fact.key}`, fact.value.split(", "), labels.others]),
    ...items.map((item, n) => [`items/${n}`, [item.title, item.description || ""], [], card.code]),
  ];
  return {
    service_type: mapping.service,
    standard_type: type,
    status: statusOf(mapping.service, about.length ? about : [type], catalogue, now),
    title: cut(title, lengths.title),
    url,
    display_url: address,
    site_name: siteName ? cut(siteName, lengths.title) : host,
    description: description ? cut(description, lengths.description) : null,
    image: pictureOf(document, card.image),
    byline: byline(names.map((each) => cut(each, lengths.title))),
    date: valuesOfPaths(document, card.date).find((each) => momentOf(each)) ?? null,
    rating: starRating(rated),
    price,
    facts,
    badges: card.badges
      .filter((/** @type {any} */ each) => holds(document, each.when, now))
      .map((/** @type {any} */ each) => each.text),
    items,
    remarks: drawn.flatMap((each) => remarksOf(cardWords.remarks, ...each)),
  };
};
/** The first doubt about the values of a slot: a placeholder, or a label as in "By: Ann" and "Posted by Ann".
 * @param {Json} texts @param {string} slot @param {string[]} values @param {string[]} [labels]
 * @param {boolean} [code] whether the texts may be about code */
const remarksOf = (texts, slot, values, labels = [], code = false) => {
  for (const value of values) {
    if (code ? isUnfilled(value) : isLeftOver(value)) return [{ slot, text: texts.placeholder }];
    const [start, colon, rest] = partition(value, ":").map(strip);
    const low = value.toLowerCase();
    const leadIn = slot === "byline" && labels.find((each) => each.endsWith("by") && low.startsWith(`${each} `));
    const label = colon && rest && labels.includes(start.toLowerCase()) ? `${start}:` : value.slice(0, (leadIn || "").length);
    if (label && value.length > label.length + 1) return [{ slot, text: texts.label.replace("{label}", () => label) }];
  }
  return [];
};
/** Status of such results at the search engine at a moment; the best of several rules counts.
 * @param {string} service @param {string[]} types @param {Catalogue} catalogue @param {bigint} now */
const statusOf = (service, types, catalogue, now) => {
  const found = new Set();
  for (const standing of catalogue.standings) {
    if (!standing.services.includes(service) || !catalogue.vocabulary.areA(types, new Set(standing.types))) continue;
    found.add(standing.retired_on && isoDay(now) < standing.retired_on ? "supported" : standing.status);
  }
  return ["supported", "restricted", "retired"].find((each) => found.has(each)) ?? "none";
};
/** The values at a path; `where` filters what its first step holds. @param {Json} document @param {Json} spec */
const select = (document, spec) => {
  if (typeof spec === "string") return valuesAt(document, spec);
  const [first, , rest] = partition(spec.path, ".");
  return valuesAt(document, first)
    .filter((entry) => Object.entries(spec.where || {}).every(([key, value]) => isThing(entry) && entry[key] === value))
    .flatMap((entry) => (rest ? valuesAt(entry, rest) : [entry]));
};
/**
 * The values of the first of several paths that has any.
 * @param {Json} document
 * @param {Json[]} specs
 * @returns {any[]}
 */
const valuesOfPaths = (document, specs) =>
  specs.map((spec) => select(document, spec)).find((found) => found.length) ?? [];
/** @param {Json} document @param {Json[]} specs */
export const firstText = (document, specs) => {
  for (const spec of specs) {
    for (const value of select(document, spec))
      if (typeof value === "string" && withoutTags(value)) return withoutTags(value);
  }
  return null;
};
/** a, b, c and 2 more @param {string[]} names */
const byline = (names, most = 3) => {
  const every = unique(names.filter(Boolean));
  const rest = every.length - most;
  return every.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "") || null;
};
/** @param {string|null} url */
export const splitUrl = (url) => {
  try {
    return url ? urlsplit(url) : null;
  } catch (error) {
    if (error instanceof UrlError) return null;
    throw error;
  }
};
/** @param {string|null} url */
export const hostOf = (url) => {
  const parts = splitUrl(url);
  const host = parts ? hostinfo(parts.netloc).host : "";
  return host ? withoutPrefix(host, "www.") : null;
};
/**
 * Host, then the trail without the page itself and the home page; else the path without its end.
 * @param {string|null} url
 * @param {string|null} host
 * @param {Json} document
 */
export const displayUrl = (url, host, document) => {
  if (!url || !host) return null;
  const crumbs = valuesAt(document, "breadcrumb").filter(isThing);
  let names;
  if (crumbs.length) {
    const last = crumbs[crumbs.length - 1];
    const same = (/** @type {any} */ one) => partition(str(one), "#")[0].replace(/\/+$/, "");
    const isItself = !("item" in last) || same(last.item) === same(url) || last.name === document.name;
    const trail = isItself ? crumbs.slice(0, -1) : crumbs;
    names = trail.filter((each) => "name" in each && !isHome(each.item, host)).map((each) => String(each.name));
  } else {
    const segments = (splitUrl(url)?.path || "").split("/").filter(Boolean);
    names = segments.slice(0, -1).map((each) => squeezed(unquoted(each)));
  }
  return [host, ...names.slice(0, 6).map((name) => cut(name, 40))].join(ARROW);
};
/** Percent-encoding taken away; bytes that are no UTF-8 become U+FFFD. @param {string} text */
const unquoted = (text) =>
  text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (found) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(found.slice(1).split("%"), (each) => parseInt(each, 16)),
    ),
  );
/** @param {any} url @param {string} host */
const isHome = (url, host) => {
  if (typeof url !== "string" || hostOf(url) !== host) return false;
  const parts = splitUrl(url);
  return !!parts && (parts.path === "" || parts.path === "/") && !parts.query;
};
/** @param {Json} document @param {Json[]} specs */
const pictureOf = (document, specs) => {
  const found = valuesOfPaths(document, specs).find((value) => isThing(value) && typeof value.url === "string");
  if (!found) return null;
  return Object.fromEntries(
    ["url", "width", "height", "caption"]
      .filter((key) => (found[key] ?? null) !== null)
      .map((key) => [key, found[key]]),
  );
};
/** A rating inside its scale; others no result shows. @param {Json} given */
export const starRating = (given) => {
  if (!given || ![given.ratingValue, given.bestRating, given.worstRating].every(isNumber)) return null;
  const [value, best, worst] = [given.ratingValue, given.bestRating, given.worstRating].map(amountOf);
  if (best <= worst || !(worst <= value && value <= best)) return null;
  const [whole, tenths] = halfUp(1 + ((value - worst) / (best - worst)) * 4);
  const count = [given.ratingCount, given.reviewCount].find((each) => Number.isInteger(each)) ?? null;
  const text = `${general(value)}/${general(best)}${count ? " (" + separated(count) + ")" : ""}`;
  return { value: given.ratingValue, best: given.bestRating, stars: Number(`${whole}.${tenths}`), count, text };
};
/** One decimal place, half up, going by the shortest decimal form of the number. @param {number} value */
const halfUp = (value) => {
  const exactly = Dec.of(String(value));
  const tenths =
    exactly.exponent >= -1
      ? exactly.digits * 10n ** BigInt(exactly.exponent + 1)
      : ((exactly.digits * 2n) / 10n ** BigInt(-exactly.exponent - 1) + 1n) / 2n;
  return [tenths / 10n, tenths % 10n];
};
/**
 * The span of prices of the offers that are easiest to buy, in the currency of the first.
 * @param {Json[]} offers
 * @param {Json} card
 * @param {bigint} now
 */
const priceOf = (offers, card, now) => {
  const priced = offers.filter((offer) => isThing(offer) && hasPrice(offer));
  if (!priced.length) return null;
  const easiest = easiestOf(priced, card);
  const prices = easiest.flatMap(pricesOf);
  const { currency } = prices[0];
  const known = [
    ...new Map(prices.filter((each) => each.currency === currency).map((each) => [each.text, each])).values(),
  ].sort((one, two) => one.amount.compare(two.amount));
  const first = known[0],
    last = known[known.length - 1];
  const ends = first.amount.compare(last.amount) ? [first, last] : [first];
  const brief = ends.map((each) => (each.amount.isZero ? "Free" : inCurrency(each.text, currency, card))).join(" – ");
  const notes = [
    (ends.length === 1 ? boundOf(easiest) : "") + brief,
    currency === null && brief !== "Free" && "currency not given",
    tierOf(easiest[0], card) && inWords(easiest[0].availability, { words: card, document: {}, most: 1 }),
    ...datesOfSale(easiest, now),
  ];
  return { text: notes.filter(Boolean).join(" · "), low: first.text, high: last.text, currency };
};
/** "From " or "Up to ", where the offers give one end of a range. @param {Json[]} offers */
const boundOf = (offers) => {
  const keys = PRICES.filter((key) => offers.some((offer) => priceHolders(offer).some((holder) => holder[key])));
  const within = (/** @type {string[]} */ names) => keys.every((key) => names.includes(key));
  return within(["lowPrice", "minPrice"]) ? "From " : within(["highPrice", "maxPrice"]) ? "Up to " : "";
};
/** Why none of the offers is valid at the time: all have ended, or none has begun. @param {Json[]} offers @param {bigint} now */
const datesOfSale = (offers, now) => {
  const ends = offers.map((offer) => offer.validThrough ?? offer.priceValidUntil);
  const starts = offers.map((offer) => offer.validFrom);
  const every = (/** @type {any[]} */ given, /** @type {(one: Moment, now: bigint) => boolean} */ test) =>
    given.every((each) => {
      const moment = momentOf(each);
      return moment && test(moment, now);
    });
  return [
    every(ends, isPast) && `expired on ${dayInWords(ends[0])}`,
    every(starts, isFuture) && `from ${dayInWords(starts[0])}`,
  ];
};
/** @param {Json} offer */
const pricesOf = (offer) => {
  for (const holder of priceHolders(offer)) {
    const found = PRICES.map((key) => holder[key]).flatMap((text) => {
      const amount = priceNumber(text);
      return amount ? [{ text, amount }] : [];
    });
    if (!found.length) continue;
    const code = "priceCurrency" in holder ? holder.priceCurrency : offer.priceCurrency;
    return found.map((each) => ({ ...each, currency: typeof code === "string" ? code : null }));
  }
  return [];
};
/** @param {Json} document @param {Json[]} conditions @param {bigint} now */
const holds = (document, conditions, now) =>
  conditions.every((condition) => isSo(condition, select(document, condition), now));
/**
 * One condition of the closed list: is, in, present, past, future.
 * @param {Json} condition
 * @param {any[]} values
 * @param {bigint} now
 */
const isSo = (condition, values, now) => {
  if ("is" in condition) return values.some((value) => value === condition.is);
  if ("in" in condition) return values.some((value) => typeof value === "string" && condition.in.includes(value));
  if ("present" in condition) return values.length > 0 === condition.present;
  const moments = values.map(momentOf).filter((each) => each !== null);
  if ("past" in condition) return moments.some((each) => isPast(each, now)) === condition.past;
  return moments.some((each) => isFuture(each, now)) === condition.future;
};
/** @param {Json} document @param {Json} spec @param {Json} card @param {bigint} now */
function* itemsOf(document, spec, card, now) {
  let left = spec.most;
  for (const group of spec.groups) {
    if (!holds(document, group.when || [], now)) continue;
    for (const entry of select(document, group.where ? { path: group.from, where: group.where } : group.from)) {
      const title = isThing(entry) ? firstText(entry, group.title) : null;
      if (!title || left <= 0) continue;
      left -= 1;
      const summary = group.description
        .map((/** @type {any} */ part) => partText(entry, part, card))
        .filter(Boolean)
        .join(" · ");
      const url =
        group.url
          .flatMap((/** @type {string} */ path) => valuesAt(entry, path))
          .find((/** @type {any} */ each) => typeof each === "string") ?? null;
      yield {
        title: cut(title, card.lengths.description),
        url,
        description: cut(summary, group.cut ?? card.lengths.description) || null,
      };
    }
  }
}
/** @param {Json} entry @param {Json} part @param {Json} card */
const partText = (entry, part, card) => {
  if ("say" in part) return String(part.say);
  const value = SHOWS[part.show || "text"](select(entry, part.path), { words: card, document: entry, most: 10 });
  return value ? value + ((value === "1" && part.after_one) || part.after || "") : null;
};
