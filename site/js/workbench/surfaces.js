// Surfaces of a page, drawn from the parts that the engine lays out (schemas/surfaces.json, schemas/layouts): words that point
// to their places, pictures as boxes, and the documentation that each is drawn from.

import { brief, el, fill, link, shape, tag, withCommas } from "./dom.js";

const MOST_OF_A_WORD = 600;
const MOST_OF_AN_ADDRESS = 200;
const MOST_MEASURED = 4000;
/** @typedef {{line: number, column: number, from: number, to: number}} Spot */
/** @typedef {{text: string, label?: string, cut?: string, date?: string, stars?: number, property?: string, places?: Spot[]}} Word */
/** @typedef {{part: string, at?: string, ratio?: string, words: Word[], entries?: Part[][]}} Part */
/** @typedef {{title: string, url: string, dated: string}} Source */
/** @typedef {{result: string|null, title: string, frame: string, source?: Source, documented?: string, differs?: string, parts: Part[]}} Result */
/** @typedef {{surface: string, title: string, group: string, sources: Source[], documented: string, differs: string, retired: {title: string, retired_on: string, url: string}[], results: Result[]}} Surface */
/** @typedef {{point: (word: Word|null) => void, go: (spot: Spot) => void, picture: (url: string) => string|undefined, doubt: (text: string) => string|undefined}} Acts */

const DAY = /** @type {const} */ ({ day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
/** A day in the words of the reader's language; other dates as they are. @param {Word} word */
const dayOf = ({ text, date = "" }) => {
  const language = navigator.language || "en";
  if (language.startsWith("en") || !/^\d{4}-\d\d-\d\d/.test(date) || text.includes(":")) return text;
  return new Date(`${date.slice(0, 10)}T00:00:00Z`).toLocaleDateString(language, DAY);
};
/** Full, half and empty stars. @param {number} value */
const starRow = (value) => {
  const halves = Math.min(Math.max(Math.floor(value * 2 + 0.5), 0), 10), full = Math.floor(halves / 2);
  return el("span", { class: "snip-stars", "aria-hidden": "true" }, "★".repeat(full), halves % 2 > 0 && el("span", { class: "snip-half" }, "★"), "☆".repeat(5 - Math.ceil(halves / 2)));
};
/** Where a word comes from, in words. @param {Word} word */
export const originOf = ({ property, places }) => {
  if (!property) return "";
  const [place, ...more] = places ?? [];
  const where = place ? `line ${withCommas(place.line)}, column ${withCommas(place.column)}` : "";
  return [property, where].filter(Boolean).join(", ") + (more.length ? ` and ${more.length} more` : "");
};

/** A word: a button where its place is known. @param {Word} word @param {Acts} acts @param {string} [tagName] */
const wordOf = (word, acts, tagName = "") => {
  const text = brief(dayOf(word), MOST_OF_A_WORD);
  const texts = [word.stars !== undefined && starRow(word.stars), word.stars !== undefined ? ` ${text}` : text, word.cut && el("span", { class: "serp-cut", title: `Cut: ${brief(word.cut, 200)}` }, "…")];
  const doubt = acts.doubt(word.text);
  const content = word.date && !text.includes(":") ? [el("time", { datetime: word.date }, ...texts)] : texts;
  const label = word.label && !tagName && el("span", { class: "serp-label" }, `${word.label}${word.label.endsWith(":") ? "" : ":"} `);
  if (!word.property) return el("span", { dir: "auto" }, label, ...content);
  const [place] = word.places ?? [];
  return el("span", { dir: "auto" }, label, el("button", {
    class: "word", type: "button", title: originOf(word), "data-from": place?.from, "data-to": place?.to, "data-property": word.property,
    onmouseenter: () => acts.point(word), onmouseleave: () => acts.point(null), onfocus: () => acts.point(word), onblur: () => acts.point(null),
    onclick: () => { if (place) acts.go(place); },
  }, ...(doubt ? [el("span", { class: "snip-raw" }, ...content)] : content)), doubt && " ", doubt && el("span", { class: "snip-doubt" }, shape("heed"), doubt));
};

const WEB = /^https?:\/\//i;
/** A picture: a box, until the reader gives its file. @param {Part} part @param {Acts} acts */
const pictureOf = ({ words: [word], ratio = "1:1", at }, acts) => {
  const file = acts.picture(word.text);
  const name = word.text.split(/[?#]/)[0].split("/").pop() || word.text;
  return el("div", { class: `serp-media r-${ratio.replace(".", "").replace(":", "-")} at-${at || "end"}` },
    ...(file ? [el("img", { src: file, alt: "" })] : [shape("picture", ""), el("span", { class: "num" }, brief(name, 40)), WEB.test(word.text) && el("a", { href: brief(word.text, 2000), target: "_blank", rel: "noopener noreferrer", "aria-label": `Open the picture ${brief(name, 40)} at its own address, in a new tab` }, "Open")]),
    el("button", { class: "word word-media", type: "button", title: `${originOf(word)}: ${brief(word.text, MOST_OF_AN_ADDRESS)}`, "aria-label": `Picture, ${originOf(word)}`, "data-from": word.places?.[0]?.from, "data-to": word.places?.[0]?.to, "data-property": word.property,
      onmouseenter: () => acts.point(word), onmouseleave: () => acts.point(null), onfocus: () => acts.point(word), onblur: () => acts.point(null), onclick: () => { const [place] = word.places ?? []; if (place) acts.go(place); } }, word.property ?? "image"));
};

/** @type {Record<string, (part: Part, acts: Acts) => Node>} */
const KINDS = {
  title: ({ words: [word] }, acts) => el("p", { class: "serp-title" }, wordOf(word, acts)),
  text: ({ words }, acts) => el("p", { class: "serp-text" }, ...words.flatMap((word, number) => [number > 0 && " — ", wordOf(word, acts)])),
  line: ({ words }, acts) => el("p", { class: "serp-line" }, ...words.map((word) => wordOf(word, acts))),
  heading: ({ words: [word] }) => el("p", { class: "serp-h" }, word.text),
  chips: ({ words }, acts) => el("p", { class: "serp-chips" }, ...words.map((word) => el("span", { class: "serp-chip" }, wordOf(word, acts)))),
  rows: ({ words }, acts) => (words.some(({ label }) => label)
    ? el("dl", { class: "serp-rows" }, ...words.flatMap((word) => [el("dt", {}, word.label ?? ""), el("dd", {}, wordOf(word, acts, "dd"))]))
    : el("p", { class: "serp-day" }, ...words.map((word) => wordOf(word, acts)))),
  picture: pictureOf,
  tiles: ({ entries = [] }, acts) => el("div", { class: "serp-tiles" }, ...entries.map((entry) => el("div", { class: "serp-tile" }, ...drawnParts(entry, acts)))),
  steps: ({ entries = [] }, acts) => el("ol", { class: "serp-steps" }, ...entries.map((entry) => el("li", {}, ...drawnParts(entry, acts)))),
};

/** Parts in order; site and address stand together, with the mark of the site before them. @param {Part[]} parts @param {Acts} acts @returns {Node[]} */
const drawnParts = (parts, acts) => {
  /** @type {Node[]} */
  const drawn = [];
  for (let number = 0; number < parts.length; number += 1) {
    const part = parts[number], next = parts[number + 1];
    if (part.part === "site") {
      const isPair = next?.part === "address";
      const initial = [...part.words[0].text][0] ?? "";
      drawn.push(el("div", { class: "serp-site" }, el("span", { class: "snip-mark", "aria-hidden": "true" }, initial.toUpperCase()),
        el("div", {}, el("p", { class: "serp-name" }, ...part.words.map((word) => wordOf(word, acts))), isPair && el("p", { class: "serp-address ltr" }, ...next.words.map((word) => wordOf(word, acts))))));
      if (isPair) number += 1;
    } else if (part.part === "address") drawn.push(el("p", { class: "serp-address ltr" }, ...part.words.map((word) => wordOf(word, acts))));
    else drawn.push(KINDS[part.part](part, acts));
  }
  return drawn;
};

/** 7 July 2026 @param {string} dated */
const dateOfSource = (dated) => new Date(`${dated}T00:00:00Z`).toLocaleDateString("en-GB", DAY);
/** @param {Source} source */
const citation = ({ title, url, dated }) => [el("a", { href: WEB.test(url) ? url : link(url), ...(WEB.test(url) && { rel: "noopener noreferrer" }) }, title), `, ${dateOfSource(dated)}`];
/** @param {Source[]} sources @param {string} documented @param {string} differs */
const notesOf = (sources, documented, differs) => el("details", { class: "serp-notes" },
  el("summary", {}, "Drawn from ", sources[0].title, `, ${dateOfSource(sources[0].dated)}`),
  el("dl", { class: "serp-rows" }, el("dt", {}, "Documented"), el("dd", {}, documented), el("dt", {}, "Differs"), el("dd", {}, differs),
    el("dt", {}, sources.length > 1 ? "Sources" : "Source"), el("dd", {}, ...sources.flatMap((each, number) => [number > 0 && el("br"), ...citation(each)]))));

/** A card of a social network without a picture. @param {Surface} surface @param {Result} result */
const pictureGap = ({ surface }, { parts }) => !parts.some(({ part }) => part === "picture") && el("p", { class: "snip-gap" }, shape("open"), surface === "x" ? "No twitter:image and no og:image given" : "No og:image given");

/** One result, with what is missing in it. @param {Surface} surface @param {Result} result @param {Acts} acts @param {(Node|false)[]} gaps */
const resultOf = (surface, result, acts, gaps) => el("article", { class: `serp is-${surface.surface}`, "data-result": result.result ?? "text", "data-frame": result.frame, "aria-label": `${result.title}, ${surface.title}` },
  el("p", { class: "serp-kind" }, result.result || surface.group !== "search" ? (surface.group === "search" ? result.title : surface.title) : "Text result"),
  el("div", { class: "serp-card" }, ...drawnParts(result.parts, acts), ...gaps),
  result.source && notesOf([result.source], result.documented ?? "", result.differs ?? ""));

/** Surfaces of a group. `gaps` stand in the first result of a search engine. @param {HTMLElement} home @param {Surface[]} surfaces @param {Acts} acts @param {() => (Node|false)[]} gaps */
export const drawSurfaces = (home, surfaces, acts, gaps) => fill(home, ...surfaces.flatMap((surface) => [
  el("section", { class: `serps is-${surface.group}`, "aria-label": surface.title },
    ...surface.results.map((result, number) => resultOf(surface, result, acts, number > 0 ? [] : surface.group === "search" ? gaps() : surface.group === "social" ? [pictureGap(surface, result)] : [])),
    ...surface.retired.map(({ title, retired_on: day, url }) => el("p", { class: "serp-retired" }, tag("gone", "gone", "No longer documented"), ` ${title}: Google stopped showing it${day && " on "}${day && dateOfSource(day)}. `, el("a", { href: url, rel: "noopener noreferrer" }, "Source"))),
    notesOf(surface.sources, surface.documented, surface.differs))]));

/** @type {Map<string, number>|null} */
let widths = null;
/** Width of a text in pixels, by the registry's table. @param {string} text @param {number} size @param {any} data */
const widthOf = (text, size, data) => {
  widths ||= new Map(Object.entries(data.widths).flatMap(([width, characters]) => [.../** @type {string} */ (characters)].map((each) => [each, Number(width)])));
  let units = 0;
  for (const each of text.slice(0, MOST_MEASURED)) units += widths.get(each) ?? data.em / 2;
  return (units * size) / data.em;
};
/** How wide the title and the description are. @param {Surface|undefined} surface */
export const rulerOf = (surface) => {
  const registry = /** @type {any} */ (globalThis).WaypostRegistry.surfaces;
  const device = surface?.surface.split("-")[1];
  const [first] = surface?.results ?? [];
  const rows = [["title", first?.parts.find(({ part }) => part === "title")?.words[0]], ["description", first?.parts.find(({ part }) => part === "text")?.words.at(-1)]];
  const drawn = /** @type {[string, Word|undefined][]} */ (rows).flatMap(([name, word]) => {
    const limit = registry.limits.find((/** @type {any} */ each) => each.name === `${name}-${device}`);
    if (!limit || !word) return [];
    const width = widthOf(word.text + (word.cut ?? ""), limit.size, registry), about = limit.fits === limit.width ? limit.width : `${limit.fits} to ${limit.width}`;
    return [el("div", { class: "gauge", "data-slot": name }, el("p", { class: "gauge-h" }, el("b", {}, limit.title), el("span", { class: "num" }, `${withCommas(Math.round(width))} of about ${about} px`), word.cut ? tag("heed", "heed", "Is cut") : width > limit.fits ? tag("heed", "heed", "May be cut") : tag("go", "same", "Fits")),
      word.cut && el("p", { class: "gauge-text" }, el("span", {}, word.text), "…", el("s", {}, el("span", { class: "vh" }, " cut: "), brief(word.cut, MOST_OF_A_WORD))))];
  });
  return drawn.length > 0 && el("section", { class: "ruler", "aria-label": "Ruler" }, ...drawn,
    el("p", { class: "hint" }, "An estimate, measured in a font with Arial's widths. No search engine promises a width, and any may show other words."));
};
