// The preview page: the source of a page beside its surfaces, its eligibility, its findings, and the record behind them. All
// of it is made in this browser; a send puts the same request to the service and compares the answers.

import { WEB_ADDRESS, asWords, gapsOf } from "./card.js";
import { labelOf, numbered } from "./causes.js";
import { brief, clock, copyButton, el, fact, fill, link, segments, settled, shape, tag, withCommas, withFocus } from "./dom.js";
import { badgeOf } from "./eligibility.js";
import { engineOf, partOf, shared, validated } from "./engine.js";
import { withFixes } from "./fix.js";
import { LARGEST, addressIn, fetchedPage, insteadOfFetching, knownService, noServiceWords, noteSent, sentWords, serviceAt } from "./intake.js";
import { ignoring, withMissing } from "./note-edits.js";
import { noteOf } from "./note.js";
import { programFor } from "./requests.js";
import { packed, shareButton } from "./share.js";
import { sourceOf } from "./source.js";
import { keep, start } from "./start.js";
import { drawSurfaces, originOf, rulerOf } from "./surfaces.js";

const NOWHERE = "about:blank";
/** Browsers take seconds to lay out more than this; what is copied is complete. */
const MOST_OF_A_VALUE = 2_000;
const MOST_OF_A_REQUEST = 20_000;
const CONTEXT = "https://schema.org";
const PLACEHOLDER = "https://www.example.com/page\n\nor the source of a page, or JSON-LD";
/** Surfaces to choose from: name, title, and those of schemas/surfaces.json that it shows. @type {[string, string, string[]][]} */
const TABS = [["phone", "Google, phone", ["google-phone"]], ["desktop", "Google, desktop", ["google-desktop"]], ["social", "Social", ["open-graph", "x"]], ["agent", "Agent", ["agent"]]];
const MOST_PICTURES = 20;
const LARGEST_PICTURE = 10 << 20;

/** The address of a request's site. @param {SnippetRequest} request */
const homeOf = ({ site }) => (site?.domain ? `https://${site.domain}/` : null);

/** The document that a request stands for; the same steps as src/waypost/preview/request.py.
 * @param {SnippetRequest} request @param {Workbench} data */
const documentOf = (request, data) => {
  const home = homeOf(request);
  if (request.kind === "schema") {
    const made = { "@context": CONTEXT, "@type": "WebSite", id: home || NOWHERE, name: request.site?.name || "", url: home || NOWHERE };
    return { document: request.site?.description ? { ...made, description: request.site.description } : made, filled: Object.keys(request.site || {}) };
  }
  const { standard, members } = data.kinds[request.kind ?? ""];
  const name = request.site?.name;
  const party = (/** @type {string} */ type) => ({ "@type": type, name, ...(home ? { url: home } : {}) });
  const offered = { ...(home ? { url: home } : {}), ...(name ? { provider: party("Organization"), isPartOf: party("WebSite") } : {}) };
  const given = { ...request.document };
  if (typeof given.url === "string" && given.url !== NOWHERE && !WEB_ADDRESS.test(given.url)) delete given.url;
  const filled = Object.fromEntries(Object.entries(offered).filter(([key]) => !(key in given) && members.includes(key)));
  const whole = { "@context": CONTEXT, "@type": standard, ...given, ...filled };
  if (!("url" in whole)) whole.url = NOWHERE;
  if (!("id" in whole)) whole.id = whole.url;
  return { document: whole, filled: Object.keys(filled) };
};

/** The answer of this browser to a request. @param {Engine} engine @param {SnippetRequest} request @param {Workbench} data @param {boolean} anyKind whether the page says the kind @param {any} page what the request's markup was read to */
const answerTo = (engine, request, data, anyKind, page) => {
  if (request.markup !== undefined) {
    const kind = anyKind ? undefined : data.kinds[request.kind ?? ""].service;
    const made = engine.preview({ page, site: homeOf(request), kind, item: request.item });
    return { ...withSiteName(made, request.site?.name), page, findings: [], filled: [] };
  }
  const { document: made, filled } = documentOf(request, data);
  if (!engine.isDocument(made)) return { nothing: "the document does not conform to the unified model: an unknown member or a wrong value", findings: [], filled };
  const kind = request.kind === "schema" ? undefined : data.kinds[request.kind ?? ""].service;
  return { ...engine.preview({ document: made, kind }), findings: [], filled };
};

const hostIn = (/** @type {unknown} */ address) => (typeof address === "string" && WEB_ADDRESS.test(address) && URL.canParse(address) ? new URL(address).host : "");

/** The site's name stands on a card whose markup gives none: else the host would. @param {Preview} made @param {string} [name] */
const withSiteName = (made, name) => {
  const { snippet } = made;
  if (!snippet || !name || (snippet.site_name !== null && snippet.site_name !== hostIn(snippet.url).replace(/^www\./, "").replace(/:\d+$/, ""))) return made;
  return { ...made, snippet: { ...snippet, site_name: name } };
};

/** A document without the mark for an address that nobody gave. @param {Record<string, Json>} made */
const addressed = (made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== NOWHERE));

const MOST_SENT = 1 << 20;
const HEADS = /<script\b[^>]*\bapplication\/ld\+json[^>]*>[^]*?<\/script\s*>|<(?:link|meta)\b[^>]*>|<title\b[^>]*>[^<]*<\/title>/gi;
/** What of a page too large to be sent matters to its card. @param {string} text */
const blocksOf = (text) => (text.match(HEADS) || []).join("\n");

/** @param {Json} value @returns {Json} */
const sorted = (value) => Array.isArray(value) ? value.map(sorted)
  : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;

/** The paths at which two answers differ. @param {Json} one @param {Json} other @param {string} [at] @returns {string[]} */
const differences = (one, other, at = "") => {
  if (JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))) return [];
  const both = one && other && typeof one === "object" && typeof other === "object" && Array.isArray(one) === Array.isArray(other);
  if (!both) return [at || "/"];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => differences(one[key], other[key], `${at}/${key}`)).slice(0, 12);
};

/** @param {HTMLElement} home */
const previewBench = (home) => {
  const data = shared();
  const engine = engineOf();
  const endpoint = `${serviceAt}/api/ai/snippet`;
  /** `request` is sent to the service; of a page its kind and site come from the page, unless `own` gives the site. @type {any} */
  const state = { view: "page", surface: "phone", language: "curl", request: { markup: "" }, own: {}, from: "" };
  /** The answer of the service, with the request and the browser's own answer that it belongs to. @type {any} */
  let live = null;
  /** @type {any} */
  let local = null;
  const isEmpty = () => state.request.markup !== undefined && !state.request.markup.trim();

  const form = el("div", { class: "stack stack-s" });
  const items = el("div", {});
  const record = el("div", {});
  const drawing = el("div", { class: "surfaces" });
  const tabs = el("div", { class: "tabs" }), inputs = el("div", { class: "inputs" });
  const pointed = el("p", { class: "pointed hint", role: "status" });
  const position = el("span", { class: "num hint" });
  const facts = el("dl", { class: "facts" });
  const findings = el("div", { class: "stack stack-s" });
  const use = el("div", {});
  const statusLine = el("p", { class: "hint", role: "status" });
  const badge = el("p", { class: "badge", role: "status" });
  const count = el("summary", {}, "Record");
  const sending = el("button", { class: "btn", type: "button", onclick: () => send() }, "Send to the service");
  const kinds = el("select", { id: "kind", onchange: () => begin(kinds.value) }, el("option", { value: "schema" }, "WebSite: the site itself"),
    ...Object.entries(data.kinds).map(([kind, each]) => el("option", { value: kind }, each.standard)));
  /** Pictures that the reader gave, by file name. Nothing is fetched. @type {Map<string, string>} */
  const pictures = new Map();
  const nameOfPicture = (/** @type {string} */ address) => { try { return decodeURIComponent(address.split(/[?#]/)[0].split("/").pop() || "").toLowerCase(); } catch { return ""; } };
  const pictureFiles = el("input", { type: "file", accept: "image/*", multiple: true, class: "vh", id: "pictures", "aria-label": "Show pictures from files", onchange: async () => {
    for (const given of [...pictureFiles.files ?? []].slice(0, MOST_PICTURES)) {
      if (!/^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/.test(given.type) || given.size > LARGEST_PICTURE) continue;
      const reader = new FileReader();
      await new Promise((done) => { reader.onloadend = done; reader.readAsDataURL(given); });
      if (typeof reader.result === "string") pictures.set(given.name.toLowerCase(), reader.result);
    }
    drawDrawing();
    announce(drawing.querySelector(".serp-media img") ? "" : "No picture of the page has the name of one of these files.");
  } });
  /** Places are those of the text that was checked. @param {(text: string) => string|null} made @param {string} words */
  const edited = (made, words) => {
    if (source.text() !== state.request.markup) { changed(false); return; }
    const text = made(source.text());
    if (text === null) return;
    source.edit(text);
    state.request = { markup: text };
    changed(false);
    announce(words);
    source.focus();
  };
  const applyFix = (/** @type {Finding} */ finding) => edited((text) => withFixes(text, [finding]), `Fixed at ${finding.line}:${finding.column}.`);
  const addMissing = (/** @type {Finding} */ finding) => edited((text) => withMissing(text, finding), "The missing properties are added without values: fill them in.");
  const ignore = (/** @type {Finding} */ finding) => edited((text) => ignoring(text, finding)[0] ?? null, "Ignored by a comment in the source: write the reason there.");
  const source = sourceOf({
    input: () => { state.from = ""; state.request = { markup: source.text() }; later(); },
    noteOf: (same) => noteOf(same, { go: (place) => source.go(place), applyFix, ignore, addMissing, text: source.text() }), placeholder: PLACEHOLDER,
    moved: (number, column, head) => { position.textContent = `Line ${withCommas(number)}, column ${withCommas(column)}`; light(head); },
    toggled: () => {}, isUnfolded: true, attributes: { "aria-label": "Page source, JSON-LD or a URL", "aria-describedby": "h-page", id: "source", tabindex: "0" },
  });
  /** The words of the surfaces that are written where the cursor is. @param {number} head */
  const light = (head) => {
    for (const word of drawing.querySelectorAll(".word")) {
      const { from, to } = /** @type {HTMLElement} */ (word).dataset;
      word.toggleAttribute("data-here", from !== undefined && head >= Number(from) && head <= Number(to) && state.view === "page");
    }
  };
  const NO_WORD = "Point at a word to see the property it comes from; press it to go there.";
  const acts = {
    point: (/** @type {any} */ word) => {
      pointed.textContent = word ? originOf(word) : NO_WORD;
      if (state.view === "page") source.point(word?.places ?? []);
    },
    go: (/** @type {any} */ spot) => { if (state.view === "page") source.go(spot); },
    picture: (/** @type {string} */ address) => pictures.get(nameOfPicture(address)),
    doubt: (/** @type {string} */ text) => doubts.get(text),
  };
  const file = el("input", { type: "file", accept: ".html,.htm,.json,.jsonld,.txt", class: "vh", id: "file", "aria-label": "Open a file", onchange: async () => { const [given] = file.files ?? []; if (given) take(await given.text()); } });
  const examples = el("select", { id: "examples", onchange: () => { if (examples.value) example(examples.value); } }, el("option", { value: "" }, "Try an example"),
    ...Object.entries(data.kinds).map(([kind, each]) => el("option", { value: kind }, each.standard)));

  /** Something is not there yet: it is loaded, and then the work is done again, unless the request has changed meanwhile.
   * @param {unknown} error @param {() => void} again */
  const after = async (error, again) => {
    const { request } = state;
    try {
      await partOf(error, announce);
    } catch (wrong) {
      announce(/** @type {Error} */ (wrong).message);
      return;
    }
    if (state.request === request) again();
  };
  const announce = (/** @type {string} */ words) => { statusLine.textContent = words; };

  /** A kind is begun with its example, as a form. */
  const begin = (/** @type {string} */ kind) => {
    if (kind !== "schema" && !Object.hasOwn(data.kinds, kind)) return;
    if (kind !== "schema" && !data.kinds[kind].document) { after({ part: "examples" }, () => begin(kind)); return; }
    if (state.view === "page") state.view = "form";
    const site = state.view === "form" && state.request.site && state.request.markup === undefined ? state.request.site : data.start.site;
    state.request = { kind, site, document: data.kinds[kind]?.document };
    changed(true);
  };
  /** A page arrives complete, by paste or file. @param {string} text @param {string} [from] where it was fetched */
  const take = (text, from = "") => {
    if (text.length > LARGEST) { announce("This is larger than 2 MB. Preview it with the command line."); return; }
    [state.view, state.from, state.own] = ["page", from, {}];
    state.request = { markup: text };
    source.set(text);
    changed(true);
  };
  const example = (/** @type {string} */ kind) => {
    if (!data.kinds[kind].markup) { after({ part: "examples" }, () => example(kind)); return; }
    take(data.kinds[kind].markup);
  };
  const box = el("input", { id: "place", type: "text", placeholder: "URL, or paste a page", autocomplete: "off", spellcheck: "false", dir: "ltr",
    onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") { event.preventDefault(); show(); } },
    onpaste: (/** @type {ClipboardEvent} */ event) => {
      const given = event.clipboardData?.getData("text/plain") ?? "";
      if (!/[<{]|\n./.test(given.trim())) return;
      event.preventDefault();
      take(given);
    } });
  const show = async () => {
    const given = box.value.trim();
    if (given && given !== state.from) {
      if (!addressIn(given) && !/[<{[]/.test(given)) { announce("This is neither a URL nor the source of a page."); return; }
      take(given);
    }
    const address = addressIn(source.text());
    changed(false);
    if (!address) return;
    announce("Fetching the page…");
    try {
      const page = await fetchedPage(address);
      take(page.text, page.url);
      box.value = page.url;
      announce(page.status >= 400 ? `The server answered with status ${page.status}: this may be an error page.` : "");
    } catch (error) {
      announce(/** @type {Error} */ (error).message);
      fill(findings, insteadOfFetching(address));
    }
  };
  const changed = (/** @type {boolean} */ redraw) => { waiting = false; if (redraw) { live = null; drawForm(); } drawResult(); };
  let waiting = false;
  const settle = settled(() => { if (waiting) changed(false); }, 150, () => state.request.markup?.length || 0);
  const later = () => { waiting = true; settle(); };

  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {Record<string, string>} */ attributes, /** @type {string} */ hint = "") => {
    const many = attributes.rows !== undefined;
    const made = el(many ? "textarea" : "input", { id: `f-${name}`, name, ...attributes, ...(hint ? { "aria-describedby": `h-${name}` } : {}), oninput: () => {
      if (state.view === "page") { state.own[name] = made.value; later(); return; }
      state.request.site = { ...state.request.site, [name]: made.value };
      if (made.value === "") delete state.request.site[name];
      later();
    } });
    made.value = state.request.site?.[name] || "";
    return el("div", { class: "field" }, el("label", { for: `f-${name}` }, label, el("code", {}, `site.${name}`)), made, hint && el("p", { class: "hint", id: `h-${name}` }, hint));
  };

  const jsonField = (/** @type {string} */ label, /** @type {Json} */ value, /** @type {(value: Json) => void} */ put) => {
    const error = el("p", { class: "hint", id: "h-json", role: "alert" });
    const json = el("textarea", { id: "f-json", rows: "16", spellcheck: "false", class: "code-area", "aria-describedby": "h-json", oninput: () => {
      try {
        const made = JSON.parse(json.value);
        if (made === null || typeof made !== "object" || Array.isArray(made)) throw new SyntaxError("expected an object");
        error.textContent = "";
        json.removeAttribute("aria-invalid");
        put(made);
        later();
      } catch (wrong) {
        error.textContent = `Not read: ${/** @type {Error} */ (wrong).message}`;
        json.setAttribute("aria-invalid", "true");
      }
    } });
    json.value = JSON.stringify(value, null, 2);
    return el("div", { class: "field grow" }, el("label", { for: "f-json" }, label), json, error);
  };

  const siteFields = () => [
    field("name", "Site name", { maxlength: "120", autocomplete: "off" }),
    field("domain", "Domain", { maxlength: "253", autocomplete: "off", spellcheck: "false", dir: "ltr" }, "For example www.example.com. It is not fetched.")];
  const kindField = () => el("div", { class: "field" }, el("label", { for: "kind" }, "Kind", el("code", {}, "kind")), kinds);
  const VIEWS = {
    page: () => [
      source.element,
      el("p", { class: "vh", id: "h-page" }, serviceAt ? "Read in this browser as you type. A page is sent only when you press Send to the service. A URL is sent to this site's host, where a waypost service can fetch it." : "Read in this browser as you type. Nothing is sent.")],
    form: () => [el("div", { class: "form-in" }, kindField(), ...siteFields()),
      state.request.kind === "schema" ? field("description", "Description", { rows: "4", maxlength: "500" })
        : jsonField("Members of the unified model", state.request.document || {}, (value) => { state.request.document = value; })],
    json: () => [kindField(), jsonField("The request", state.request, (value) => { state.request = value; })],
  };
  const switchView = (/** @type {string} */ value) => {
    state.view = value;
    if (value === "page" && state.request.markup === undefined) state.request = { markup: source.text() };
    if (value !== "page" && (!state.request.kind || (value === "form" && state.request.markup !== undefined))) { begin("schema"); return; }
    changed(true);
  };
  const drawForm = () => {
    kinds.value = state.request.kind || "";
    if (state.view === "page" && source.text() !== state.request.markup) source.set(state.request.markup || "");
    form.className = state.view === "page" ? "code" : "col-in stack stack-s";
    fill(inputs, segments("view", "Input", [["page", "Your page"], ["form", "Form"], ["json", "JSON request"]], state.view, switchView));
    withFocus(form, () => fill(form, ...VIEWS[/** @type {keyof typeof VIEWS} */ (state.view)]()));
  };

  /** The site that a page names, each value with its source: its canonical address, its WebSite, its Open Graph. */
  const siteOfPage = () => {
    const head = engine.part("surfaces").meta(local.page, null), its = local.declared || {};
    const graph = { site: head.get("og:site_name")?.text, url: head.get("og:url")?.text };
    const first = (/** @type {[any, string][]} */ ...found) => found.find(([value]) => value) || ["", ""];
    const name = first([state.own.name, "from you"], [its.name, "from its WebSite"], [graph.site, "from og:site_name"]);
    const domain = first([state.own.domain, "from you"], [hostIn(its.url), "from its address"], [hostIn(graph.url), "from og:url"], [hostIn(its.home), "from its WebSite"], [hostIn(state.from), "from where it was fetched"]);
    return { name: [String(name[0]).slice(0, 120), name[1]], domain };
  };

  const drawResult = () => {
    const ofPage = state.view === "page";
    home.toggleAttribute("data-empty", isEmpty());
    if (isEmpty()) { local = { nothing: "there is no page yet", findings: [], filled: [], surfaces: [] }; drawNothingYet(); keep(null); return; }
    const address = ofPage && addressIn(state.request.markup);
    const began = performance.now();
    try {
      const page = !address && state.request.markup !== undefined ? readOnce(state.request.markup) : null;
      local = address ? { nothing: `this is a URL, not a page. ${serviceAt ? "Press Show the card to fetch it through the service" : noServiceWords()}`, findings: [], filled: [] } : answerTo(engine, state.request, data, ofPage, page);
      drawing.removeAttribute("aria-busy");
      if (ofPage && !local.nothing) {
        const site = siteOfPage(), [name] = site.name, [domain] = site.domain;
        local.site = site;
        state.request.kind = Object.keys(data.kinds).find((kind) => data.kinds[kind].service === local.service_type);
        delete state.request.site;
        if (name && domain) {
          state.request.site = { name, domain };
          local = { ...answerTo(engine, state.request, data, true, page), site };
        }
      }
      local.surfaces = address ? [] : engine.surfaces({ page, preview: local, site: homeOf(state.request), item: state.request.item });
      if (!address) checkMarkup();
    } catch (error) {
      if (/** @type {{part?: string}} */ (error).part) {
        drawing.setAttribute("aria-busy", "true");
        after(error, drawResult);
        return;
      }
      local = { nothing: `this request cannot be read (${/** @type {Error} */ (error).message})`, findings: [], filled: [], surfaces: [] };
    }
    local.ms = performance.now() - began;
    keep(state.request);
    if (local.nothing) { count.textContent = "Record: none"; fill(record); } else drawRecord();
    drawDrawing();
    drawBadge();
    drawFacts();
    drawUse();
    const own = local;
    const drawChecked = () => { if (own === local) { drawItems(); drawFindings(address && !serviceAt ? address : ""); } };
    // Findings are soon replaced by new ones: emptied meanwhile, all that stands below them would jump up and down.
    if (local.awaited && findings.firstChild) setTimeout(() => own.awaited && drawChecked(), 400); else drawChecked();
  };

  const drawNothingYet = () => {
    for (const each of [items, facts, record, findings, use, badge, tabs, pointed]) fill(each);
    count.textContent = "Record: none yet";
    const starts = ["news", "product", "recipe", "event", "job", "local-business", "video"];
    fill(drawing, el("div", { class: "stage" }, el("div", { class: "stage-card stack stack-s" }, shape("s-empty", "state"), el("p", { class: "snip-gap" }, shape("open"), "Nothing to show yet. Paste a page, or start with an example:"),
      el("ul", { class: "starts" }, ...starts.filter((kind) => data.kinds[kind]).map((kind) => el("li", {}, el("button", { class: "btn btn-s", type: "button", onclick: () => example(kind) }, data.kinds[kind].standard)))))));
  };

  /** A reader's own page is checked too, in slices, after its card is drawn. */
  const checkMarkup = async () => {
    const { request } = state;
    const own = local;
    local.awaited = request.markup !== undefined;
    if (!local.awaited) return;
    try {
      const report = await validated({ text: request.markup, url: homeOf(request) }, () => own === local, announce);
      if (!report) return;
      [local.file] = report.files;
      local.findings = local.file.findings;
      announce("");
    } catch (error) {
      announce(/** @type {Error} */ (error).message);
    }
    local.awaited = false;
    if (own !== local) return;
    if (state.view === "page") source.mark(local.findings, local.file.items);
    drawItems();
    // What was found may be a gap of the card. Drawn again only then: a link in it keeps its focus.
    if (!local.nothing && Object.keys(gapsOf(local.snippet, data.cards, local.findings.filter((/** @type {Finding} */ each) => each.item === local.item))).length) drawDrawing();
    drawBadge();
    drawFindings();
  };

  /** The kind that was found, the site, and the other items that have a card. */
  const drawItems = () => {
    if (state.view !== "page" || local.nothing) { fill(items); return; }
    const able = (local.file?.items || []).map((/** @type {Item} */ item, /** @type {number} */ number) => ({ item, number })).filter((/** @type {{item: Item}} */ each) => each.item.service_type);
    const given = Object.values(local.site).filter(([text]) => text);
    const picked = el("select", { id: "item", onchange: () => { state.request = { markup: state.request.markup, item: Number(picked.value) }; changed(false); document.getElementById("item")?.focus(); } },
      ...able.map((/** @type {{item: Item, number: number}} */ { item, number }) => el("option", { value: number, selected: number === local.item }, `${labelOf(item)}, line ${item.line}`)));
    fill(items, el("div", { class: "found" },
      able.length > 1 ? el("div", { class: "field" }, el("label", { for: "item" }, `${able.length} items have a card`), picked) : el("p", {}, el("b", {}, local.standard_type), " found in the page"),
      el("p", {}, "Site: ", given.map(([text, from]) => `${brief(text, 80)} (${from})`).join(", ") || "not given"),
      el("details", {}, el("summary", {}, "Change"), el("div", { class: "form-in" }, ...siteFields()))));
  };

  const drawBadge = () => {
    if (local.nothing) { fill(badge); return; }
    if (local.awaited) { fill(badge, tag("note", "note", "Checking the page…")); return; }
    const { state: found, text } = badgeOf(local.snippet.status, data.cards.status, local.file, local.item, local.stands);
    /** @type {Record<string, [string, string]>} */
    const drawings = { eligible: ["go", "go"], not_eligible: ["stop", "fault"], no_result: ["gone", "gone"], unknown: ["note", "note"] };
    const [kind, drawn] = drawings[found];
    fill(badge, tag(kind, drawn, `${text[0].toUpperCase()}${text.slice(1)}`));
  };

  const originOfField = (/** @type {string} */ name) => {
    const found = local.origins?.[name];
    if (found?.length) return found.map((/** @type {any} */ each) => each.line ? `written at ${each.line}:${each.column}` : each.path || each.pointer || "").filter(Boolean).join(", ") || "from the markup";
    if (state.request.kind === "schema") return { "@context": "fixed by the mapping", "@type": "from the kind", id: "made from site.domain", url: "made from site.domain" }[name] || `site.${name}`;
    if (local.filled.includes(name)) return "taken from the site";
    if (state.request.document && name in state.request.document) return `document.${name}`;
    return "made by the mapping";
  };

  const drawRecord = () => {
    const present = Object.entries(local.unified);
    count.textContent = `Record: ${present.length} of 54 fields, and where each comes from`;
    const expected = (data.kinds[state.request.kind === "schema" ? "website" : state.request.kind]?.recommended || []).filter((/** @type {string} */ name) => !(name in local.unified));
    fill(record, el("table", { class: "map" }, el("caption", { class: "vh" }, "Fields of the unified record and where each value came from"), el("colgroup", {}, el("col"), el("col")),
      el("thead", { class: "vh" }, el("tr", {}, el("th", { scope: "col" }, "Field"), el("th", { scope: "col" }, "Value and origin"))),
      el("tbody", {}, ...present.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: link(`model/${name.replace(/^@/, "")}/`) }, el("code", {}, name))),
        value === NOWHERE ? el("td", { class: "absent" }, "Not given", el("small", {}, "the page gives no address"))
          : el("td", {}, brief(asWords(value), MOST_OF_A_VALUE), el("small", {}, originOfField(name))))),
      ...expected.map((/** @type {string} */ name) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, name)), el("td", { class: "absent" }, "Not given", el("small", {}, "recommended")))))));
  };

  const drawDrawing = () => {
    if (isEmpty()) { drawNothingYet(); return; }
    drawTabs();
    const [, , names] = /** @type {[string, string, string[]]} */ (TABS.find(([name]) => name === state.surface));
    const drawn = local.surfaces.filter((/** @type {{surface: string}} */ each) => names.includes(each.surface));
    if (!drawn.length) {
      fill(drawing, el("div", { class: "stage-card stack stack-s" }, el("p", { class: "snip-gap" }, shape("open"), el("span", {}, `Nothing to show: ${local.nothing || "the page gives no title, description or picture for this"}.`))));
      return;
    }
    if (local.snippet) drawing.dataset.kind = local.snippet.service_type;
    else delete drawing.dataset.kind;
    doubts = doubtsOf(local.snippet);
    drawSurfaces(drawing, drawn, acts, gapsOfCard);
    const ruler = ["phone", "desktop"].includes(state.surface) && rulerOf(drawn[0]);
    if (ruler) drawing.append(ruler);
    drawing.append(el("p", { class: "hint" }, "Drawings of what the page says, not a promise of how anyone will show it."));
    if (!pointed.textContent) pointed.textContent = NO_WORD;
    if (state.view === "page") light(source.head());
  };
  /** What is missing in the card by a finding. */
  const gapsOfCard = () => {
    if (!local.snippet) return [];
    const gaps = gapsOf(local.snippet, data.cards, local.findings.filter((/** @type {Finding} */ each) => each.item === local.item));
    return Object.values(gaps).map((text) => el("p", { class: "snip-gap" }, shape("open"), el("span", {}, text)));
  };
  /** Doubts by the text that they are about. @type {Map<string, string>} */
  let doubts = new Map();
  /** @param {Snippet|undefined} snippet @returns {Map<string, string>} */
  const doubtsOf = (snippet) => new Map((snippet?.remarks ?? []).flatMap(({ slot, text }) => {
    const [kind, name] = slot.split("/");
    const card = /** @type {any} */ (snippet);
    const value = kind === "facts" ? card.facts.find((/** @type {{key: string}} */ each) => each.key === name)?.value : kind === "items" ? card.items[Number(name)]?.title : kind === "price" ? card.price?.text : card[kind];
    return typeof value === "string" ? [[value, text]] : [];
  }));
  const drawTabs = () => {
    if (tabs.firstChild) return;
    const given = el("span", { class: "filebtn" }, pictureFiles, el("label", { for: "pictures", class: "btn btn-s", "aria-hidden": "true" }, "Pictures from files"));
    fill(tabs, segments("surface", "Surface", TABS.map(([name, title]) => [name, title]), state.surface, (value) => { state.surface = value; drawDrawing(); }), given);
  };
  /** The page that a text was read to, as long as it is the same. @param {string} markup */
  const readOnce = (markup) => {
    const site = homeOf(state.request);
    if (readPage?.markup !== markup || readPage.site !== site) readPage = { markup, site, page: engine.read(markup, site) };
    return readPage.page;
  };
  /** @type {{markup: string, site: string|null, page: any}|null} */
  let readPage = null;

  const drawFacts = () => {
    const isOld = live && live.of !== JSON.stringify(state.request);
    const isAlone = live?.snippet && live.local.nothing;
    const differs = live?.snippet && !isAlone ? differences({ snippet: live.local.snippet, unified: live.local.unified }, { snippet: live.snippet, unified: live.unified }) : [];
    /** @type {[string, string, string]} */
    const agreement = !live ? ["note", "note", "Not sent"] : live.problem ? ["heed", "heed", "No live answer"]
      : isAlone ? ["heed", "heed", "Made by the service alone"] : differs.length ? ["stop", "fault", `Differs at ${differs.join(", ")}`] : ["go", "same", "Same as this browser"];
    const meta = live?.meta;
    const sent = live?.blocks ? "only the blocks that matter were sent: the page has more than 1 MB" : "POST /api/ai/snippet";
    fill(facts,
      fact("Time", `${(meta ? meta.time : local.ms).toFixed(1)} ms`, meta ? "in the service" : ""),
      fact("Fetched", meta ? `${clock(meta.fetched)} UTC` : state.from ? "the page" : "nothing"),
      fact("Source", meta ? meta.source : "This browser", meta ? sent : sentWords() + (live ? ", no usable answer" : "")),
      fact("Provider", meta ? meta.provider : `waypost registry ${engine.version}`),
      el("div", {}, el("dt", { class: "vh" }, "Agreement"), el("dd", {}, tag(...agreement), isOld && " about what stood here before the last edit")));
    return agreement[2];
  };

  const drawFindings = (address = "") => {
    const notes = (local.filled || []).filter(() => state.request.kind !== "schema").map((/** @type {string} */ name) => el("li", {}, shape("note", "i-note"), el("div", {}, el("b", {}, `${name} was taken from the site`), el("p", {}, "The document does not give it."))));
    const counted = ["error", "warning"].map((severity) => [severity, local.findings.filter((/** @type {Finding} */ each) => each.severity === severity).length]).filter(([, count]) => count);
    const problem = live?.problem && el("div", { class: "panel" }, el("h3", {}, live.problem.title || "No answer"), el("p", {}, live.problem.detail || ""),
      ...(live.problem.errors || []).map((/** @type {any} */ each) => el("p", {}, el("code", {}, each.pointer || each.parameter || each.header || ""), ` ${each.detail}`)));
    const isPage = state.request.markup !== undefined;
    fill(findings, problem, address && insteadOfFetching(address),
      notes.length > 0 && el("ul", { class: "finds" }, ...notes),
      isPage && !address && el("p", { class: "note" }, local.awaited ? "Being checked…" : counted.length ? `${counted.map(([severity, count]) => numbered(/** @type {number} */ (count), String(severity))).join(" and ")}, below their lines in the source.` : local.file ? "No error and no warning." : "Nothing was checked."),
      isPage && local.file && el("p", {}, el("button", { class: "btn btn-s", type: "button", onclick: async () => { location.href = `${link("validate/")}${await packed({ text: state.request.markup })}`; } }, "Open in Validate, with fixes")));
  };

  /** The code alone is drawn again: a button that is moved between press and release is not clicked. */
  const drawUse = () => {
    const command = commandInstead(), code = command ? commandFigure(command) : codeFigure(codeFor(state.language)), current = use.querySelector("figure");
    if (current && !command === !use.querySelector("figure[data-command]")) { current.replaceWith(code); return; }
    fill(use, el("div", { class: "row-h" }, el("h2", { id: "h-code" }, "Use it"),
      !command && segments("language", "Language", [["curl", "curl"], ["python", "Python"], ["javascript", "JavaScript"], ["json-ld", "JSON"]], state.language, (value) => { state.language = value; drawUse(); })),
    code, el("p", { class: "tags" }, serviceAt && sending, shareButton(() => state.request, statusLine)));
  };

  const commandFigure = (/** @type {string} */ text) => el("figure", { class: "codebox", "data-command": "" }, el("figcaption", {}, el("span", {}, "In a terminal"), copyButton("Copy", text)), el("pre", { tabindex: "0", role: "group", "aria-label": "Command" }, el("code", {}, text)));
  const codeFigure = (/** @type {string} */ text) => el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, "No key is needed"), copyButton("Copy", text)), el("pre", { tabindex: "0", role: "group", "aria-label": "Request" }, el("code", {}, brief(text, MOST_OF_A_REQUEST))));
  const codeFor = (/** @type {string} */ language) => (language === "json-ld" ? JSON.stringify(addressed(local.unified ?? state.request), null, 2)
    : programFor(language, `${knownService || "http://127.0.0.1:8000"}/api/ai/snippet`, state.request));
  /** What can be pasted: a request that names no kind, or is too large, has no answer, and then the command line has one. */
  const commandInstead = () => {
    const { markup, kind } = state.request;
    if (markup === undefined || (kind && markup.length <= MOST_SENT)) return "";
    const address = addressIn(markup);
    return "waypost preview " + (address ? `'${address.replaceAll("'", "%27")}'` : "page.html");
  };

  /** What is sent is what stands here now: an edit that waits to be drawn is drawn first, and a later one changes nothing of the answer. */
  const send = async () => {
    if (waiting) changed(false);
    if (!state.request.kind) { announce("Nothing of the page has a card."); return; }
    // A button that is disabled loses the focus: one that waits only says so.
    if (sending.ariaDisabled === "true") return;
    sending.ariaDisabled = "true";
    noteSent(endpoint);
    statusLine.textContent = "Sending…";
    const blocks = (state.request.markup || "").length > MOST_SENT;
    const about = { of: JSON.stringify(state.request), local, blocks };
    const body = blocks ? JSON.stringify({ ...state.request, markup: blocksOf(state.request.markup).slice(0, MOST_SENT) }) : about.of;
    try {
      const answer = await fetch(endpoint, { method: "POST", headers: { "Content-Type": "application/json" }, body, credentials: "omit", signal: AbortSignal.timeout(30_000) });
      const reply = await answer.json();
      live = { ...(answer.ok ? reply : { problem: reply }), ...about };
      statusLine.textContent = answer.status === 429 ? `Too many requests: try again in ${answer.headers.get("Retry-After") || "a few"} seconds.` : "";
    } catch {
      live = { problem: { title: "No complete answer", detail: `A request was sent to ${endpoint}. The card was made in this browser.` }, ...about };
      statusLine.textContent = "";
    }
    sending.ariaDisabled = "false";
    const agreement = drawFacts();
    if (local.nothing && live.snippet) drawDrawing();
    if (!statusLine.textContent) announce(live.problem ? agreement : `The service answered: ${agreement.toLowerCase()}.`);
    drawFindings();
  };

  source.element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || addressIn(source.text()))) return;
    event.preventDefault();
    event.stopPropagation();
    show();
  }, true);
  fill(home,
    el("div", { class: "first-line" }, inputs,
      el("div", { class: "field place-field" }, el("label", { for: "place", class: "vh" }, "URL, page source or JSON-LD"), box),
      el("button", { class: "btn btn-go", type: "button", onclick: show }, "Show"),
      el("span", { class: "filebtn" }, file, el("label", { for: "file", class: "btn", "aria-hidden": "true" }, "Open a file")),
      el("label", { for: "examples", class: "vh" }, "Example"), examples),
    statusLine,
    el("div", { class: "columns columns-2" },
      el("section", { class: "col col-src", "aria-labelledby": "h-src" }, el("div", { class: "col-h" }, el("h2", { id: "h-src" }, "Source"), position), form),
      el("section", { class: "col col-res", "aria-labelledby": "h-card" }, el("div", { class: "col-h col-tabs" }, el("h2", { id: "h-card", class: "vh" }, "Surfaces"), tabs, pointed),
        el("div", { class: "col-in stack stack-s" }, items, badge, drawing,
          el("section", { class: "found-in", "aria-labelledby": "h-find" }, el("h2", { id: "h-find" }, "Findings"), findings),
          el("details", { class: "fold" }, count, record),
          el("section", { class: "sec", "aria-label": "Use it" }, use, facts)))));
  drawForm();
  drawResult();
  return { restore: (/** @type {Json} */ value) => {
    if (typeof value.markup === "string") {
      take(value.markup);
      if (Number.isInteger(value.item)) { state.request.item = value.item; changed(false); }
      return;
    }
    if (value.kind !== "schema" && !(typeof value.kind === "string" && Object.hasOwn(data.kinds, value.kind))) return;
    state.view = "form";
    state.request = value;
    changed(true);
  }, begin };
};

start(previewBench);
