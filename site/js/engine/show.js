// @ts-check
// How a card writes values of a unified document: the closed list of `show` words in `x-card`. Counterpart of
// waypost/preview/show.py.

import { isThing } from "./catalogue.js";
import { MONTH_NAMES, momentOf } from "./dates.js";
import { Dec, Float, amountOf, general, grouped, head, isDigits, isNumber, partition, rx, strip, unique, withoutSuffix, withoutTags } from "./text.js";

/** @typedef {{words: any, document: any, most: number}} Wording */
/** @typedef {(values: any[], wording: Wording) => string|null} Show */

const SPAN_PARTS = rx(
  "f",
)`P(?:([0-9.]+)Y)?(?:([0-9.]+)M)?(?:([0-9.]+)W)?(?:([0-9.]+)D)?(?:T(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?`;
const DIGITS_ONLY = /^\p{Nd}+$/u;
const HUMP = /(?<=[a-z])(?=[A-Z])/g;
const MOST_UNITS = 1e9;
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const TOWN = ["addressLocality", "addressRegion", "addressCountry"];
/** @type {Record<string, string>} */
const RETURNS = {
  MerchantReturnNotPermitted: "No returns",
  MerchantReturnUnlimitedWindow: "Returns at any time",
  MerchantReturnFiniteReturnWindow: "Returns accepted",
};

/** A scalar as a card writes it; of an object, its name. @param {Json} given */
const shortTextOf = (given) => {
  const value = isThing(given) ? given.name : given;
  if (value instanceof Float || (typeof value === "number" && !Number.isInteger(value)))
    return general(amountOf(value));
  return typeof value === "string" || typeof value === "number" ? withoutTags(String(value)) : "";
};
/** @template T @param {T[]} values @returns {T|null} */
const firstOf = (values) => values.find(Boolean) ?? null;
/** @param {string[]} values @param {number} most @param {string} joint */
const joinedUp = (values, most, joint = ", ") => unique(values.filter(Boolean)).slice(0, most).join(joint) || null;
/** A number with thousands separated, as Python's "," writes it. @param {any} value */
export const separated = (value) => {
  const text = value instanceof Float ? `${value.value}.0` : String(value);
  if (text.includes("e")) return text;
  const [sign, amount] = text.startsWith("-") ? ["-", text.slice(1)] : ["", text];
  const [whole, point, rest] = partition(amount, ".");
  return sign + grouped(whole) + point + rest;
};
/** @param {string} text */
const minutesText = (text) => text.padStart(2, "0");

/** Years to seconds of an ISO 8601 duration; null where no card has room. @param {any} value */
const unitsOf = (value) => {
  const found = typeof value === "string" ? SPAN_PARTS.exec(value) : null;
  const units = found ? found.slice(1).map((each) => (each ? Number(each) : 0)) : null;
  return units && !units.some(Number.isNaN) && Math.max(...units) < MOST_UNITS ? units : null;
};
/** Half to even, as Python rounds. @param {number} value */
const rounded = (value) => {
  const low = Math.floor(value),
    rest = value - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
};

/** @param {any} value */
const addressText = (value) => {
  if (!isThing(value)) return shortTextOf(value);
  const town = ["postalCode", "addressLocality"]
    .map((key) => shortTextOf(value[key]))
    .filter(Boolean)
    .join(" ");
  return [shortTextOf(value.streetAddress), town, shortTextOf(value.addressRegion), shortTextOf(value.addressCountry)]
    .filter(Boolean)
    .join(", ");
};
/** @param {any} value */
const placeText = (value) => {
  if (!isThing(value)) return shortTextOf(value);
  if (value["@type"] === "VirtualLocation") return "Online";
  return [shortTextOf(value.name), addressText(value.address)].filter(Boolean).join(", ");
};
/** Codes by their words. @param {string} value @param {Wording} wording */
export const inWords = (value, { words: { words: known, endings } }) => {
  if (Object.hasOwn(known, value)) return known[value];
  for (const ending of endings) {
    if (value.endsWith(ending) && value !== ending && /^\p{L}+$/u.test(value)) {
      const spaced = withoutSuffix(value, ending).replace(HUMP, " ");
      return spaced[0].toUpperCase() + spaced.slice(1).toLowerCase();
    }
  }
  return value;
};
/** Mon–Fri, Sun @param {any} value @param {Wording} wording */
const daysText = (value, { words: { days: short } }) => {
  const names = Array.isArray(value) ? value.filter((day) => typeof day === "string") : [];
  /** @type {number[][]} */
  const runs = [];
  for (const [day, name] of DAYS.entries()) {
    if (!names.includes(name)) continue;
    const run = runs[runs.length - 1];
    if (run && run[run.length - 1] === day - 1) run.push(day);
    else runs.push([day]);
  }
  const brief = runs.map((run) => short[DAYS[run[0]]] + (run.length > 1 ? `–${short[DAYS[run[run.length - 1]]]}` : ""));
  return [
    ...brief,
    ...names.filter((day) => !DAYS.includes(day) && Object.hasOwn(short, day)).map((day) => short[day]),
  ].join(", ");
};

/** A price of the document as a number. @param {any} value @returns {Dec|null} */
export const priceNumber = (value) => {
  const text = typeof value === "string" ? strip(value).replaceAll("_", "") : "";
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?$/.test(text) ? Dec.of(text) : null;
};
/**
 * €1,299.00: thousands are separated, the rest is as written.
 * @param {string} value
 * @param {string|null} currency
 * @param {Json} card
 */
export const inCurrency = (value, currency, card) => {
  const [whole, point, rest] = partition(value, ".");
  const brief =
    isDigits(whole || "0") && whole.length < 40 ? grouped(String(BigInt(whole || "0"))) + point + rest : value;
  if (!currency) return brief;
  return Object.hasOwn(card.currency, currency) ? card.currency[currency] + brief : `${currency} ${brief}`;
};
/** @param {any} low @param {any} high @param {any} currency @param {Json} card */
const moneySpan = (low, high, currency, card) => {
  const code = typeof currency === "string" ? currency : null;
  return unique([low, high])
    .filter((each) => priceNumber(each))
    .map((each) => inCurrency(each, code, card))
    .join(" – ");
};

export const PRICES = ["price", "lowPrice", "highPrice", "minPrice", "maxPrice"];
const BEFORE = ["ListPrice", "StrikethroughPrice", "MSRP", "SRP"];
/** 12 December 2026, December 2026 or 2026, of an ISO 8601 date or date-time. @param {string} value */
export const dayInWords = (value) => {
  const [year, month, day] = value.slice(0, 10).split("-");
  return [day && String(Number(day)), month && MONTH_NAMES[Number(month) - 1], year].filter(Boolean).join(" ");
};
/** 12 December 2026, 19:30, in the offset that the page gives. @param {string} value */
const momentInWords = (value) => dayInWords(value) + (value.length > 10 ? `, ${value.slice(11, 16)}` : "");
/** Dates of the calendar among values. @param {any[]} values @returns {string[]} */
const datesAmong = (values) => values.filter((value) => momentOf(value));
/** 0 for an offer that can be bought now, as far as it says; 1 for one to order; 2 for one that cannot be bought.
 * @param {Json} offer @param {Json} card */
export const tierOf = ({ availability: state = null }, card) =>
  state === null || card.buyable.includes(state) ? 0 : card.to_order.includes(state) ? 1 : 2;
/** The offers that are easiest to buy. @param {Json[]} offers @param {Json} card */
export const easiestOf = (offers, card) => {
  const best = Math.min(...offers.map((each) => tierOf(each, card)));
  return offers.filter((each) => tierOf(each, card) === best);
};
/** The offer, then its price lines without kind and member tier. @param {Json} offer @returns {any[]} */
export const priceHolders = (offer) => {
  const lines = Array.isArray(offer.priceSpecification) ? offer.priceSpecification : [];
  return [
    offer,
    ...lines.filter(
      (/** @type {any} */ each) => isThing(each) && !("priceType" in each) && !("validForMemberTier" in each),
    ),
  ];
};
/** Does an offer have a readable price, its own or in a price line? @param {Json} offer */
export const hasPrice = (offer) => priceHolders(offer).some((holder) => PRICES.some((key) => priceNumber(holder[key])));

/** @type {Record<string, Show>} */
export const SHOWS = {
  address: (values) => firstOf(values.map(addressText)),
  availability: (values, wording) => {
    const offers = values.filter((each) => isThing(each) && ("availability" in each || hasPrice(each)));
    const state = easiestOf(offers, wording.words)
      .map((each) => each.availability)
      .find(Boolean);
    return inWords(shortTextOf(state), wording) || null;
  },
  clock: (values) => {
    for (const value of values) {
      const units = unitsOf(value);
      let seconds;
      if (units) seconds = Math.trunc(units[3] * 86_400 + units[4] * 3_600 + units[5] * 60 + units[6]);
      else if (isNumber(value) && amountOf(value) >= 0 && amountOf(value) < MOST_UNITS)
        seconds = Math.trunc(amountOf(value));
      else continue;
      const [hour, minute, second] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(
        String,
      );
      return hour === "0"
        ? `${minute}:${minutesText(second)}`
        : `${hour}:${minutesText(minute)}:${minutesText(second)}`;
    }
    return null;
  },
  count: (values) => (values.length ? grouped(values.length) : null),
  date: (values) => datesAmong(values).map(dayInWords)[0] ?? null,
  delivery: (values, { words: card }) => {
    for (const value of values) {
      const rate = isThing(value) ? value.shippingRate : null;
      if (!isThing(rate)) continue;
      const low = rate.value ?? rate.minValue,
        high = rate.value ?? rate.maxValue;
      if (priceNumber(high)?.isZero) return "Free delivery";
      const brief = moneySpan(low, high, rate.currency, card);
      if (brief) return brief;
    }
    return null;
  },
  hours: (values, wording) => {
    const all = values.filter(isThing);
    const usual = all.filter((each) => !("validFrom" in each) && !("validThrough" in each));
    const brief = (usual.length ? usual : all)
      .slice(0, 14)
      .filter(({ opens, closes }) => typeof opens === "string" && typeof closes === "string")
      .map(({ opens, closes, dayOfWeek }) => {
        const times = opens === "00:00" && closes === "00:00" ? "closed" : `${opens}–${closes}`;
        return strip(`${daysText(dayOfWeek, wording)} ${times}`);
      });
    return unique(brief).join("; ") || null;
  },
  list: (values, { most }) => joinedUp(values.map(shortTextOf), most),
  "list-price": (values, { words: card }) => {
    for (const offer of values.filter(isThing)) {
      for (const line of Array.isArray(offer.priceSpecification) ? offer.priceSpecification : []) {
        if (!isThing(line) || !BEFORE.includes(line.priceType)) continue;
        const code = "priceCurrency" in line ? line.priceCurrency : offer.priceCurrency;
        const brief = moneySpan(line.price, line.price, code, card);
        if (brief) return brief;
      }
    }
    return null;
  },
  number: (values) => {
    const found = values.find(isNumber);
    return found === undefined ? null : separated(found);
  },
  place: (values, { most }) => joinedUp(values.map(placeText), Math.min(most, 3), "; "),
  returns: (values) => {
    for (const value of values) {
      if (!isThing(value)) continue;
      const { merchantReturnDays: days, returnPolicyCategory: kind } = value;
      const isFinite =
        Number.isInteger(days) &&
        days > 0 &&
        kind !== "MerchantReturnNotPermitted" &&
        kind !== "MerchantReturnUnlimitedWindow";
      const brief = isFinite ? `${days}-day returns` : Object.hasOwn(RETURNS, String(kind)) ? RETURNS[kind] : "";
      if (brief)
        return value.returnFees === "FreeReturn" && kind !== "MerchantReturnNotPermitted" ? `${brief}, free` : brief;
    }
    return null;
  },
  salary: (values, { words: card }) => {
    for (const value of values) {
      if (!isThing(value)) continue;
      const brief = moneySpan(value.minValue ?? value.value, value.maxValue ?? value.value, value.currency, card);
      if (brief)
        return strip(`${brief} ${Object.hasOwn(card.pay, String(value.unitText)) ? card.pay[value.unitText] : ""}`);
    }
    return null;
  },
  text: (values) => firstOf(values.map(shortTextOf)),
  "time-span": (values) => {
    for (const value of values) {
      const units = unitsOf(value);
      if (!units) continue;
      const [years, months, weeks, wholeDays, hours, minutes, seconds] = units;
      const total = rounded(hours * 60 + minutes + seconds / 60);
      const clock = Math.floor(total / 60);
      const days = clock >= 24 ? wholeDays + Math.floor(clock / 24) : wholeDays;
      const names = /** @type {[number, string][]} */ ([
        [years, "y"],
        [months, "mo"],
        [weeks, "wk"],
        [days, "d"],
        [clock >= 24 ? clock % 24 : clock, "h"],
        [total % 60, "min"],
      ]);
      return (
        names
          .filter(([amount]) => amount)
          .map(([amount, unit]) => `${general(amount)} ${unit}`)
          .join(" ") || `${general(seconds)} s`
      );
    }
    return null;
  },
  moment: (values, { document }) => {
    const [start] = datesAmong(values);
    if (!start) return null;
    const [end] = datesAmong([document.endDate]);
    const brief = momentInWords(start);
    if (!end || end === start) return brief;
    if (end.slice(0, 10) !== start.slice(0, 10)) return `${brief} – ${momentInWords(end)}`;
    return start.length > 10 && end.length > 10 ? `${brief} – ${end.slice(11, 16)}` : brief;
  },
  words: (values, wording) =>
    joinedUp(
      values.map((value) => inWords(shortTextOf(value), wording)),
      wording.most,
    ),
  workplace: (values, { document }) => {
    const brief = values.filter(isThing).map((value) => {
      if (value["@type"] === "VirtualLocation") {
        const names = Array.isArray(document.eligibleRegion) ? document.eligibleRegion.map(shortTextOf) : [];
        return names.length ? `Remote (${names.slice(0, 5).join(", ")})` : "Remote";
      }
      const near = Object.fromEntries(
        TOWN.filter((key) => isThing(value.address) && key in value.address).map((key) => [key, value.address[key]]),
      );
      return addressText(near) || placeText(value);
    });
    return joinedUp(brief, 3, "; ");
  },
  year: (values) => values.map((value) => head(shortTextOf(value), 4)).find((text) => DIGITS_ONLY.test(text)) ?? null,
};
