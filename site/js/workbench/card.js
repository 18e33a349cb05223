// The drawing of a snippet: the structure that site/templates/parts/card.html documents.

import { brief, el, shape } from "./dom.js";

const MOST_OF_A_MESSAGE = 160;
const AROUND = /\/(?:@graph|mainEntity|[0-9]+)(?=\/|$)/g;
/** Is a finding about the property of a slot, at the item itself or inside what belongs to the slot?
 * @param {Finding} finding @param {string} slot @param {Cards} cards */
const isAbout = (finding, slot, cards) => {
  const names = (finding.property || "").split(" or ");
  if (finding.severity === "info" || !names.some((/** @type {string} */ name) => cards.slots[slot].includes(name))) return false;
  const path = finding.pointer.replace(AROUND, "").split("/").filter((/** @type {string} */ each) => each && !each.startsWith("#"));
  if (path.length && names.includes(path[path.length - 1])) path.pop();
  if (finding.node) path.push(finding.node.split(" ")[0]);
  return path.every((/** @type {string} */ each) => (cards.inside[slot] || []).includes(each));
};

/** Empty slots that a finding of the item is about, and its words. Counterpart of waypost/pages/card_gaps.py.
 * @param {Snippet} snippet @param {Cards} cards @param {Finding[]} findings @returns {Record<string, string>} */
export const gapsOf = (snippet, cards, findings) => Object.fromEntries((cards.drawn[snippet.service_type] || [])
  .filter((/** @type {string} */ slot) => snippet[/** @type {keyof Snippet} */ (slot === "site" ? "site_name" : slot)] === null).flatMap((/** @type {string} */ slot) => {
    const finding = findings.find((each) => isAbout(each, slot, cards));
    if (!finding) return [];
    const message = [...finding.message.split("; ")[0]];
    const short = message.length > MOST_OF_A_MESSAGE ? `${message.slice(0, MOST_OF_A_MESSAGE - 1).join("")}…` : message.join("");
    return [[slot, `${cards.gaps[slot][["required-property-missing", "feature-not-eligible"].includes(finding.rule) ? 0 : 1]}: ${short}`]];
  }));

const MONTH_AND_YEAR = /** @type {const} */ ({ month: "long", year: "numeric" });
/** 4 May 2026, May 2026 or 2026, of an ISO 8601 date or date-time. @param {string} value */
const dayInWords = (value) => {
  const [year, month, day] = value.slice(0, 10).split("-");
  if (!month) return year;
  return new Date(`${year}-${month}-${day || "01"}T00:00:00Z`).toLocaleDateString("en-GB", { timeZone: "UTC", ...MONTH_AND_YEAR, ...(day ? { day: "numeric" } : {}) });
};
/** The day of a card, unless a fact has it. @param {Snippet} snippet */
const dayToDraw = ({ date, facts }) => {
  const day = date && dayInWords(date);
  return day && !facts.some((fact) => fact.value.startsWith(day)) ? day : "";
};
/** The facts of a card without an availability that stands behind the price already. @param {Snippet} snippet */
const factsToDraw = ({ price, facts }) => facts.filter((fact) => fact.key !== "availability" || !(price?.text.split(" · ") || []).includes(fact.value));
/** Full, half and empty stars. @param {number} value */
const starsOf = (value) => {
  const halves = Math.min(Math.max(Math.floor(value * 2 + 0.5), 0), 10), full = Math.floor(halves / 2);
  return el("span", { class: "snip-stars", "aria-hidden": "true" }, "★".repeat(full), halves % 2 > 0 && el("span", { class: "snip-half" }, "★"), "☆".repeat(5 - Math.ceil(halves / 2)));
};

/** @param {Snippet} snippet @param {Cards} cards @param {Finding[]} [found] findings about the item */
export const drawCard = (snippet, cards, found = []) => {
  const gaps = gapsOf(snippet, cards, found);
  const media = cards.media[snippet.service_type] || "none";
  const gap = (/** @type {string} */ slot) => Object.hasOwn(gaps, slot) && el("p", { class: "snip-gap" }, shape("open"), el("span", {}, gaps[slot]));
  const doubts = Object.fromEntries(snippet.remarks.map((each) => [each.slot, each.text]));
  const value = (/** @type {string} */ slot, /** @type {string} */ text) => (Object.hasOwn(doubts, slot)
    ? [el("span", { class: "snip-raw" }, text), " ", el("span", { class: "snip-doubt" }, shape("heed"), doubts[slot])] : [text]);
  const first = [...(snippet.site_name || snippet.title)][0] || "";
  const day = dayToDraw(snippet), rows = factsToDraw(snippet);
  const facts = [
    snippet.rating && el("span", {}, starsOf(snippet.rating.stars), ` ${snippet.rating.text}`),
    snippet.price && el("span", {}, ...value("price", brief(snippet.price.text))),
    snippet.byline && el("span", { dir: "auto" }, ...value("byline", brief(snippet.byline))),
    day && el("span", {}, el("time", { datetime: snippet.date }, day)),
  ].filter(Boolean);
  const size = snippet.image && snippet.image.width && snippet.image.height ? `${snippet.image.width} × ${snippet.image.height}` : "Picture";
  const title = value("title", snippet.title);
  return el("article", { class: "snip", "data-kind": snippet.service_type, "aria-label": `Card of ${snippet.title}` },
    el("div", { class: "snip-site" }, el("span", { class: "snip-mark", "aria-hidden": "true" }, first.toUpperCase()),
      el("span", {}, el("b", { dir: "auto" }, ...value("site_name", brief(snippet.site_name || ""))), el("i", { class: "ltr" }, ...value("display_url", brief(snippet.display_url || ""))))),
    gap("site"),
    el("div", { class: "snip-in", "data-media": media },
      el("div", {},
        // A link out only to the web: an address may be anything.
        el("p", { class: "snip-title", dir: "auto" }, ...(WEB_ADDRESS.test(snippet.url || "") ? [el("a", { href: snippet.url, rel: "noopener noreferrer" }, ...title)] : title)),
        facts.length > 0 && el("p", { class: "snip-facts" }, ...facts),
        gap("rating"), gap("price"), gap("byline"), gap("date"),
        snippet.description ? el("p", { class: "snip-body", dir: "auto" }, ...value("description", snippet.description)) : gap("description"),
        rows.length > 0 && el("dl", { class: "snip-rows" }, ...rows.flatMap((each) => [el("dt", {}, each.label), el("dd", { dir: "auto" }, ...value(`facts/${each.key}`, each.value))]))),
      media !== "none" && snippet.image && el("div", { class: "snip-media", "data-media": media }, shape(snippet.service_type === "VideoSnippet" ? "play" : "picture", ""), el("span", {}, size)),
      media !== "none" && !snippet.image && Object.hasOwn(gaps, "image") && el("div", { class: "snip-media snip-gap", "data-media": media }, el("span", {}, gaps.image))),
    snippet.items.length > 0 && el("ol", { class: "snip-list" }, ...snippet.items.map((each, number) =>
      el("li", {}, el("span", { class: "num" }, String(number + 1)), el("span", { dir: "auto" }, ...value(`items/${number}`, each.title)), each.description && el("small", { dir: "auto" }, each.description)))),
    el("div", { class: "snip-foot" }, el("span", {}, snippet.standard_type), ...snippet.badges.map((/** @type {string} */ each) => el("span", { class: "tag" }, each))));
};

export const WEB_ADDRESS = /^https?:\/\//i;

/** A value for people: names before structure. @param {Json} value @returns {string} */
export const asWords = (value) => {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(asWords).join(", ");
  if (typeof value.name === "string" && value.name) return value.name;
  return Object.entries(value).filter(([key]) => key !== "@type").map(([key, each]) => Object.keys(value).length > 2 || typeof each === "object" ? `${key} ${asWords(each)}` : asWords(each)).join(", ");
};
