// The third column of the validate page: how the page shows, with gaps in their places, and what each item comes to.

import { drawCard } from "./card.js";
import { brief, el, fill, link, shape, tag } from "./dom.js";
import { badgeOf } from "./eligibility.js";
import { shared } from "./engine.js";
import { withFixes } from "./fix.js";
import { packed } from "./share.js";
import { verdictParts } from "./verdicts.js";

/** What a card with fixes is drawn of is read once more: not of pages that take long. */
const MOST_READ_AGAIN = 300_000;
/** Slots of a card in words. @type {[string, (snippet: Snippet) => string|null|undefined][]} */
const SLOTS = [["the title", (each) => each.title], ["the price", (each) => each.price?.text], ["the rating", (each) => each.rating?.text], ["the date", (each) => each.date], ["the picture", (each) => each.image?.url],
  ["the author", (each) => each.byline], ["the description", (each) => each.description], ["the site's name", (each) => each.site_name]];

/** @param {[string, string[]]} verdict whose it is, and its parts */
const verdictEntry = ([subject, parts]) => el("li", {}, subject && el("b", {}, subject),
  ...(parts.length > 1 ? [el("ul", { class: "verdicts" }, ...parts.map((part) => el("li", {}, part)))] : [subject && ": ", parts[0]]));

/** What the fixes of a card's findings put into it. @param {Engine} engine @param {{text: string, url: string|null, item?: number}} about @param {Finding[]} found @param {Snippet} before */
const afterFixes = (engine, { text, url, item }, found, before) => {
  const fixes = found.filter((each) => each.fix);
  if (!fixes.length || text.length > MOST_READ_AGAIN) return null;
  let after;
  try {
    after = engine.preview({ markup: withFixes(text, fixes), site: url, item }).snippet;
  } catch {
    return null; // a part that is not there yet: the card is enough
  }
  const gained = after && SLOTS.flatMap(([name, valueOf]) => { const value = valueOf(after); return value && value !== valueOf(before) ? [[name, value]] : []; });
  if (!gained?.length) return null;
  return el("p", { class: "gained" }, `With the ${fixes.length > 1 ? fixes.length : ""} fix${fixes.length > 1 ? "es" : ""}: `.replace(/ {2,}/, " "),
    ...gained.slice(0, 3).flatMap(([name, value], number) => [number ? "; " : "", `${name} reads `, el("b", {}, brief(String(value), 80))]), ".");
};

/** The column. @param {HTMLElement} home @param {{engine: Engine, file: FileReport, made: Preview, text: string, url: string|null, item?: number}} about */
export const drawResult = (home, { engine, file, made, text, url, item }) => {
  const { cards } = shared();
  const found = file.findings.filter((each) => each.severity !== "info" && each.item === made.item);
  const onPreview = (/** @type {string} */ words) => el("p", {}, el("a", { class: "on-preview", href: link("explorer/preview/"), onclick: async (/** @type {MouseEvent} */ event) => {
    event.preventDefault();
    location.href = link("explorer/preview/") + await packed({ markup: text });
  } }, words));
  const parts = [];
  if (made.snippet) {
    const badge = badgeOf(made.snippet.status, cards.status, file, made.item, (made.stands || []).map((/** @type {any} */ each) => each));
    const [kind, drawing] = badge.state === "eligible" ? ["go", "go"] : badge.state === "not_eligible" ? ["stop", "fault"] : ["", "note"];
    parts.push(el("div", { class: "stage" }, el("div", { class: "stage-card" }, drawCard(made.snippet, cards, found))),
      el("p", { class: "badge" }, tag(kind, drawing, badge.text)), afterFixes(engine, { text, url, item }, found, made.snippet),
      el("p", { class: "hint" }, "Drawn from Google's documentation; Google may show other words, or none."),
      onPreview("Phone, social cards and agent text"));
  } else {
    parts.push(el("p", { class: "snip-gap" }, shape("open"), el("span", {}, `No card: ${made.nothing || "there is nothing to draw"}.`)), onPreview("How a search result of the page itself looks"));
  }
  const lines = verdictParts(file);
  if (lines.length) parts.push(el("section", {}, el("h3", {}, "What each item comes to"), el("ul", { class: "verdicts" }, ...lines.map(verdictEntry))));
  fill(home, ...parts);
};
