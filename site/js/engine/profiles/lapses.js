// @ts-check
// Results that the markup earns and that are not shown now. Counterpart of waypost/validate/profiles/lapses.py.

import { isPast, momentOf } from "../dates.js";
import { Thing } from "../page.js";
import { clip } from "../strings.js";
import { strip } from "../text.js";
import { bare } from "../vocabulary.js";

/** @import { RuleContext } from "../counterparts.js" */

/** Latest value of a property, clipped, if all its values are dates in the past; else empty.
 * @param {RuleContext} context @param {Thing} node @param {string} prop @param {boolean} [wholeDay] */
const lastPast = ({ now }, node, prop, wholeDay) => {
  let latest = "";
  for (const value of node.props.get(prop) || []) {
    const text = typeof value === "string" ? strip(value) : "";
    if (!text) continue;
    // A time of day stands behind the tenth character of the usual form.
    const found = (wholeDay && momentOf([...text].slice(0, 10).join(""))) || momentOf(text);
    if (!found || !isPast(found, now)) return "";
    if (text > latest) latest = text;
  }
  return clip(latest);
};
/** @type {(kind: string, prop: string, words: string) => (context: RuleContext, node: Thing) => any} */
const lapseBy = (kind, prop, words) => (context, node) => {
  const since = lastPast(context, node, prop);
  return since && { kind, since, text: words + since };
};
/** @param {RuleContext} context @param {Thing} product */
const priceLapse = (context, product) => {
  const offers = product.nodes("offers").flatMap((offer) => (offer.nodes("offers").length ? offer.nodes("offers") : [offer]));
  const past = offers.slice(0, 201).map((offer, n) => (n < 200 ? lastPast(context, offer, offer.get("priceValidUntil") !== null ? "priceValidUntil" : "validThrough") : ""));
  const since = past.every(Boolean) ? past.reduce((one, two) => (two > one ? two : one), "") : "";
  return since && { kind: "price-expired", since, text: `the price was valid until ${since}` };
};
/** @type {Record<string, (context: RuleContext, node: Thing) => any>} */
const LAPSES = {
  "google/event": (context, event) => {
    // A postponed event has no new date yet, and a schedule repeats.
    const status = event.get("eventStatus"), name = status instanceof Thing ? status.id : status;
    if (event.get("eventSchedule") !== null || (typeof name === "string" && bare(name) === "EventPostponed")) return null;
    const ends = event.get("endDate") !== null;
    if (ends && event.get("startDate") !== null && !lastPast(context, event, "startDate")) return null;
    // Without an end it is over with its day.
    const since = ends ? lastPast(context, event, "endDate") : lastPast(context, event, "startDate", true);
    return since && { kind: "event-over", since, text: `the event ended on ${since}` };
  },
  "google/job-posting": lapseBy("job-closed", "validThrough", "applications closed on "),
  "google/merchant-listing": priceLapse,
  "google/product-snippet": priceLapse,
  "google/video": lapseBy("video-expired", "expires", "the video expired on "),
};
/** @param {RuleContext} context @param {Thing} node @param {string[]} eligible */
export const lapsesOf = (context, node, eligible) => {
  const found = eligible.map((name) => LAPSES[name]?.(context, node)).filter(Boolean);
  return found.filter((each, n) => found.findIndex(({ text }) => text === each.text) === n);
};
