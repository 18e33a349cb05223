// The drawing of a snippet: the structure that site/templates/parts/card.html documents.

const SLOTS = ["site", "description", "image", "byline", "date", "rating", "price"];

/** Slots that a mapping expects and the record leaves empty. @param {any} snippet @param {any} cards */
const gapsOf = (snippet, cards) => SLOTS.filter((slot) => (cards.asked[snippet.service_type] || []).includes(slot) && snippet[slot === "site" ? "site_name" : slot] === null);

/** @param {any} snippet @param {any} cards */
const drawCard = (snippet, cards) => {
  const gaps = gapsOf(snippet, cards);
  const media = cards.media[snippet.service_type] || "none";
  const gap = (/** @type {string} */ slot) => gaps.includes(slot) && el("p", { class: "snip-gap" }, shape("open"), cards.gaps[slot]);
  const first = [...(snippet.site_name || snippet.title)][0] || "";
  const facts = [
    snippet.rating && el("span", {}, el("span", { class: "snip-stars", "aria-hidden": "true" }, cards.stars[Math.floor(snippet.rating.stars + 0.5)] || ""), ` ${snippet.rating.text}`),
    snippet.price && el("span", {}, brief(snippet.price.text)),
    snippet.byline && el("span", {}, brief(snippet.byline)),
    snippet.date && el("span", {}, snippet.date.slice(0, 10)),
  ].filter(Boolean);
  const size = snippet.image && snippet.image.width && snippet.image.height ? `${snippet.image.width} × ${snippet.image.height}` : "Picture";
  return el("article", { class: "snip", "data-kind": snippet.service_type, "aria-label": `Card of ${snippet.title}` },
    el("div", { class: "snip-site" }, el("span", { class: "snip-mark", "aria-hidden": "true" }, first.toUpperCase()),
      el("span", {}, el("b", {}, brief(snippet.site_name || "")), el("i", { class: "ltr" }, brief(snippet.display_url || "")))),
    gap("site"),
    el("div", { class: "snip-in", "data-media": media },
      el("div", {},
        el("p", { class: "snip-title" }, titleOf(snippet)),
        facts.length > 0 && el("p", { class: "snip-facts" }, ...facts),
        gap("rating"), gap("price"), gap("byline"), gap("date"),
        snippet.description ? el("p", { class: "snip-body" }, snippet.description) : gap("description"),
        snippet.facts.length > 0 && el("dl", { class: "snip-rows" }, ...snippet.facts.flatMap((/** @type {any} */ each) => [el("dt", {}, each.label), el("dd", {}, each.value)]))),
      media !== "none" && snippet.image && el("div", { class: "snip-media", "data-media": media }, shape(snippet.service_type === "VideoSnippet" ? "play" : "picture", ""), el("span", {}, size)),
      media !== "none" && !snippet.image && gaps.includes("image") && el("div", { class: "snip-media snip-gap", "data-media": media }, el("span", {}, cards.gaps.image))),
    snippet.items.length > 0 && el("ol", { class: "snip-list" }, ...snippet.items.map((/** @type {any} */ each, /** @type {number} */ number) =>
      el("li", {}, el("span", { class: "num" }, String(number + 1)), el("span", {}, each.title), each.description && el("small", {}, each.description)))),
    el("div", { class: "snip-foot" }, el("span", {}, snippet.standard_type), ...snippet.badges.map((/** @type {string} */ each) => el("span", { class: "tag" }, each))));
};

const WEB_ADDRESS = /^https?:\/\//i;
/** A link out only to the web: an address may be anything. @param {any} snippet */
const titleOf = (snippet) => WEB_ADDRESS.test(snippet.url || "") ? el("a", { href: snippet.url, rel: "noopener noreferrer" }, snippet.title) : snippet.title;

/** A value for people: names before structure. @param {any} value @returns {string} */
const asWords = (value) => {
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(asWords).join(", ");
  if (typeof value.name === "string" && value.name) return value.name;
  return Object.entries(value).filter(([key]) => key !== "@type").map(([key, each]) => Object.keys(value).length > 2 || typeof each === "object" ? `${key} ${asWords(each)}` : asWords(each)).join(", ");
};
