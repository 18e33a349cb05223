// Further surfaces of the preview: where a search result cuts its lines, what the page's Open Graph shows, and the text
// that a program reads. They come after the card.

import { RULER } from "../data/ruler.js";

/** @typedef {import("../data/ruler.js").Limit} Limit */

const MOST_MEASURED = 2000;
const MOST_OF_AN_ARGUMENT = 30_000;
const MOST_DISPLAYED = 600;
const ELLIPSIS = "…";

/** @type {Map<string, number>} */
const WIDTHS = new Map(Object.entries(RULER.widths).flatMap(([width, characters]) => [...characters].map((each) => [each, Number(width)])));
const USUAL = WIDTHS.get("a") ?? 0;
const NOTHING = /[\p{M}\p{Cf}]/u;
const WHOLE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]/u;

/** How wide a character is, in parts of the letter's height. What the table does not have is guessed. @param {string} each */
const widthOf = (each) => WIDTHS.get(each) ?? (NOTHING.test(each) ? 0 : WHOLE.test(each) ? RULER.em : USUAL);

/** How wide a text is, and the part that fits on a line: complete words and an ellipsis.
 * @param {string} text @param {{size_px: number, cut_px: number, fits_px: number}} limit */
const measured = (text, limit) => {
  const characters = [...text.slice(0, MOST_MEASURED * 2)].slice(0, MOST_MEASURED);
  const px = (/** @type {number} */ units) => (units * limit.size_px) / RULER.em;
  const most = limit.cut_px - px(widthOf(ELLIPSIS));
  let units = 0, fitting = 0;
  for (const each of characters) {
    units += widthOf(each);
    if (px(units) <= most) fitting += 1;
  }
  const width = px(units);
  if (width <= limit.cut_px) return { width, displayed: text, rest: "" };
  const whole = characters.slice(0, fitting).join("");
  const space = characters[fitting] === " " ? whole.length : whole.lastIndexOf(" ");
  const displayed = (space > 0 ? whole.slice(0, space) : whole).trimEnd();
  return { width, displayed, rest: text.slice(displayed.length), long: characters.join("").length < text.length };
};

/** @param {string} name @param {Record<string, any>} attributes @param {...(Node|false)} children */
const drawing = (name, attributes, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children.filter((each) => each !== false));
  return made;
};

/** With the tools of the workbench: makers of elements. @param {Pick<typeof import("../workbench/dom.js"), "el"|"shape"|"tag"|"withCommas">} tools */
export const makeSurfaces = ({ el, shape, tag, withCommas }) => {
  /** A scale of 100 pixel steps, with the text's width on it. @param {Limit} limit @param {number} width @param {boolean} cut */
  const scale = (limit, width, cut) => {
    const whole = Math.max(limit.cut_px * 1.15, 700);
    const at = (/** @type {number} */ px) => Math.min(px, whole);
    const steps = Array.from({ length: Math.floor(whole / 100) + 1 }, (_, n) => n * 100);
    return drawing("svg", { viewBox: `0 0 ${whole} 30`, preserveAspectRatio: "none", class: `scale${cut ? " is-cut" : ""}`, "aria-hidden": "true" },
      drawing("rect", { class: "scale-all", x: 0, y: 8, width: limit.cut_px, height: 12 }),
      drawing("rect", { class: "scale-text", x: 0, y: 8, width: at(Math.min(width, limit.cut_px)), height: 12 }),
      width > limit.cut_px && drawing("rect", { class: "scale-rest", x: limit.cut_px, y: 8, width: at(width) - limit.cut_px, height: 12 }),
      ...steps.map((step) => drawing("path", { class: "scale-step", d: `M${step} 20V${step % 500 ? 25 : 30}` })),
      ...[...new Set([limit.fits_px, limit.cut_px])].map((edge) => drawing("path", { class: "scale-edge", d: `M${edge} 2V26` })));
  };

  /** @param {{title: string, description?: string}} lines */
  const ruler = (lines) => el("section", { class: "ruler", "aria-label": "Ruler" },
    ...RULER.limits.map((limit) => {
      const text = String(lines[limit.slot] || "").replace(/\s+/g, " ").trim();
      const { width, displayed, rest, long } = measured(text, limit);
      const cut = rest !== "", near = !cut && width > limit.fits_px;
      const about = limit.fits_px === limit.cut_px ? `${limit.cut_px}` : `${limit.fits_px} to ${limit.cut_px}`;
      return el("div", { class: "gauge", "data-slot": limit.slot },
        el("p", { class: "gauge-h" }, el("b", {}, limit.name), el("span", { class: "num" }, `${long ? "more than " : ""}${withCommas(Math.round(width))} of about ${about} px`),
          !text ? tag("note", "note", "Not given") : cut ? tag("heed", "heed", "Is cut") : near ? tag("heed", "heed", "May be cut") : tag("go", "same", "Fits")),
        scale(limit, width, cut),
        cut && el("p", { class: "gauge-text" }, el("span", {}, displayed), ELLIPSIS, el("s", {}, el("span", { class: "vh" }, " cut: "), clip(rest, MOST_DISPLAYED))));
    }),
    el("p", { class: "hint" }, "An estimate, for a wide screen: measured in a font with Arial's widths. No search engine promises a width, and any may show other words."));

  /** What a program that reads the page gets of it: plain text. @param {Snippet} snippet */
  const agent = (snippet) => {
    const doubts = Object.fromEntries(snippet.remarks.map((each) => [each.slot, ` [${each.text}]`]));
    const doubted = (/** @type {string} */ slot, /** @type {string} */ text) => text + (doubts[slot] || "");
    return [
      `${snippet.standard_type}: ${doubted("title", snippet.title)}`,
      snippet.url && `Address: ${snippet.url}`,
      snippet.site_name && `Site: ${doubted("site_name", snippet.site_name)}`,
      snippet.byline && `By: ${doubted("byline", snippet.byline)}`,
      snippet.date && `Date: ${snippet.date}`,
      snippet.rating && `Rating: ${snippet.rating.text}`,
      snippet.price && `Price: ${doubted("price", snippet.price.text)}`,
      snippet.description && `Description: ${doubted("description", snippet.description)}`,
      ...snippet.facts.map((each) => `${each.label}: ` + doubted(`facts/${each.key}`, each.value)),
      ...snippet.items.map((each, number) => `${number + 1}. ` + doubted(`items/${number}`, each.title) + (each.description ? ` (${each.description})` : "")),
      ...snippet.badges,
    ].filter(Boolean).join("\n");
  };

  /** The page's Open Graph as a card, next to the values of the record. `snippet` is null where there is no record.
   * @param {string|undefined} markup @param {Snippet} snippet @param {() => void} example */
  const social = (markup, snippet, example) => {
    const graph = openGraph(markup);
    if (!graph) {
      return el("div", { class: "stage" }, el("div", { class: "stage-card" }, el("p", { class: "snip-gap" }, shape("open"),
        markup === undefined ? "No page yet: Open Graph data is in the head of a page. Start with your page." : "This page has no Open Graph data: no property begins with og:."),
      el("p", { class: "tags" }, el("button", { class: "btn btn-s", type: "button", onclick: example }, "Start from a page that has it"))));
    }
    const gap = (/** @type {string} */ words) => el("p", { class: "snip-gap" }, shape("open"), words);
    const size = graph.width && graph.height ? `${clip(graph.width, 6)} × ${clip(graph.height, 6)}` : "Picture, size not given";
    const rows = [["Title", graph.title, snippet?.title], ["Description", graph.description, snippet?.description], ["Picture", graph.image, snippet?.image?.url], ["Address", graph.url, snippet?.url]];
    return [
      el("div", { class: "stage" }, el("div", { class: "stage-card" },
        el("article", { class: "snip social", "aria-label": "Card of the page's Open Graph" },
          graph.image ? el("div", { class: "social-media" }, shape("picture", ""), el("span", { class: "num" }, size), graph.alt && el("span", {}, clip(graph.alt, 160))) : el("div", { class: "social-media snip-gap" }, el("span", {}, "No og:image given")),
          el("div", { class: "social-text" },
            el("p", { class: "social-site ltr" }, hostOf(graph.url) || snippet?.display_url || clip(graph.site, 80) || "The page's own host"),
            graph.title ? el("p", { class: "social-title" }, clip(graph.title, MOST_DISPLAYED)) : gap("No og:title given"),
            graph.description ? el("p", { class: "social-body" }, clip(graph.description, MOST_DISPLAYED)) : gap("No og:description given")))),
      el("p", { class: "snip-note" }, el("span", {}, "A drawing of the page's Open Graph, not a promise of how anyone will show it. The picture is not fetched."))),
      el("table", { class: "map social-map" }, el("caption", { class: "vh" }, "Open Graph next to the record"), el("colgroup", {}, el("col"), el("col")),
        el("thead", { class: "vh" }, el("tr", {}, el("th", { scope: "col" }, "What"), el("th", { scope: "col" }, "Open Graph, and whether the record agrees"))),
        el("tbody", {}, ...rows.map(([name, cellText, record]) => el("tr", {}, el("th", { scope: "row" }, name),
          el("td", {}, cellText ? clip(cellText, 200) : el("span", { class: "absent" }, "Not given"), el("small", {}, !cellText && !record ? "nor in the record" : !record ? "not in the record" : same(cellText, record) ? "the record says the same" : `the record says ${clip(record, 200)}`)))))),
    ];
  };

  return { ruler, agent, social, openGraph, pageOf, codeFor };
};

const clip = (/** @type {unknown} */ text, /** @type {number} */ most) => { const whole = String(text ?? ""); return whole.length > most ? `${whole.slice(0, most - 1)}${ELLIPSIS}` : whole; };
const plain = (/** @type {unknown} */ text) => String(text).replace(/\s+/g, " ").trim();
const same = (/** @type {unknown} */ one, /** @type {unknown} */ other) => plain(one) === plain(other);
const hostOf = (/** @type {string} */ address) => { try { const { protocol, host } = new URL(address); return /^https?:$/.test(protocol) ? host : ""; } catch { return ""; } };

// A page's <meta> elements; what a comment or an element of plain text holds is none. Each is read through once.
const METAS = /<!--[^]*?(?:-->|$)|<(script|style|textarea|title|template|noscript)\b[^]*?(?:<\/\1\b|$)|<meta(?=[\s/])((?:[^>"'<]|"[^"]*"|'[^']*')*)>/gi;
const META_ATTRIBUTES = /(?:^|[\s/"'])((?:property|name|content)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))/gi;

/** The Open Graph of a page, or null where it has none. Only names and contents are parsed, never what could act.
 * @param {string|undefined} markup */
const openGraph = (markup) => {
  if (!markup || !/og:/i.test(markup)) return null;
  const metas = [...markup.matchAll(METAS)].filter((each) => each[2]).map((each) => `<meta ${[...each[2].matchAll(META_ATTRIBUTES)].map((match) => match[1]).join(" ")}>`);
  const page = new DOMParser().parseFromString(waypost.policy.createHTML(metas.join("")), "text/html");
  /** @type {Record<string, string>} */
  const tags = {};
  for (const meta of page.querySelectorAll("meta[property][content], meta[name][content]")) {
    const name = (meta.getAttribute("property") || meta.getAttribute("name") || "").trim().toLowerCase();
    const content = plain(meta.getAttribute("content"));
    if (name.startsWith("og:") && content && !Object.hasOwn(tags, name)) tags[name] = content;
  }
  if (!Object.keys(tags).length) return null;
  const of = (/** @type {string[]} */ ...names) => names.map((name) => tags[`og:${name}`]).find(Boolean) || "";
  return { title: of("title"), description: of("description"), image: of("image:secure_url", "image", "image:url"), alt: of("image:alt"), width: of("image:width"), height: of("image:height"), url: of("url"), site: of("site_name") };
};

/** A value as Python writes it. @param {Json} value @returns {string} */
const pythonOf = (value) => value === null ? "None" : value === true ? "True" : value === false ? "False"
  : Array.isArray(value) ? `[${value.map(pythonOf).join(", ")}]`
    : typeof value === "object" ? `{${Object.entries(value).map(([key, each]) => JSON.stringify(key) + ": " + pythonOf(each)).join(", ")}}` : JSON.stringify(value);

/** A program that requests a preview. @param {string} language @param {string} where @param {SnippetRequest} request */
const codeFor = (language, where, request) => {
  const body = JSON.stringify(request, null, 2);
  if (language === "python") return `import httpx\n\nanswer = httpx.post(\n    "${where}",\n    json=${pythonOf(request)},\n)\nprint(answer.json()["snippet"])\n`;
  if (language === "javascript") return `const answer = await fetch("${where}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify(${body}),\n});\nconsole.log((await answer.json()).snippet);\n`;
  const command = `curl ${where} \\\n  -H 'Content-Type: application/json' \\\n  `;
  // An argument has at most 128 KiB on Linux; a here-document may be longer.
  return body.length < MOST_OF_AN_ARGUMENT ? `${command}-d '${body.replaceAll("'", "'\\''")}'\n` : `${command}--data-binary @- <<'WAYPOST'\n${body}\nWAYPOST\n`;
};

const quoted = (/** @type {unknown} */ text) => String(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** A page with Open Graph that holds a little less than its markup. @param {Json} made @param {string} markup */
const pageOf = (made, markup) => {
  const image = [made.image].flat()[0];
  const tags = [["title", made.name], ["description", made.description], ["image", image?.url || image?.contentUrl || image], ["image:width", image?.width], ["image:height", image?.height], ["url", made.url]];
  const head = tags.filter(([, text]) => text).map(([name, text]) => `<meta property="og:${name}" content="${quoted(text)}">`).join("\n");
  return `<!doctype html>\n<title>${quoted(made.name)}</title>\n${head}\n<script type="application/ld+json">\n${markup}\n</script>\n`;
};

globalThis.waypost.surfaces = makeSurfaces;
