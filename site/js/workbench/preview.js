// The preview page: a reader's own page, its card, its eligibility, and the record behind them. All of it is
// made in this browser; a send puts the same request to the service and compares the answers.

import { WEB_ADDRESS, asWords, drawCard, gapsOf } from "./card.js";
import { folded, labelOf, numbered } from "./causes.js";
import { brief, clock, copyButton, el, fact, fill, link, segments, settled, shape, tag, withCommas, withFocus } from "./dom.js";
import { editorOf } from "./editor.js";
import { badgeOf } from "./eligibility.js";
import { engineOf, partOf, shared, validated } from "./engine.js";
import { pagedList } from "./findings.js";
import { LARGEST, addressIn, fetchedPage, insteadOfFetching, knownService, noServiceWords, noteSent, sentWords, serviceAt } from "./intake.js";
import { packed, shareButton } from "./share.js";
import { keep, start } from "./start.js";

const NOWHERE = "about:blank";
/** Browsers take seconds to lay out more than this; what is copied is complete. */
const MOST_OF_A_VALUE = 2_000;
const MOST_OF_A_REQUEST = 20_000;
const CONTEXT = "https://schema.org";

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

/** The answer of this browser to a request. @param {Engine} engine @param {SnippetRequest} request @param {Workbench} data @param {boolean} anyKind whether the page says the kind */
const answerTo = (engine, request, data, anyKind) => {
  if (request.markup !== undefined) {
    const kind = anyKind ? undefined : data.kinds[request.kind ?? ""].service;
    const made = engine.preview({ markup: request.markup, site: homeOf(request), kind, item: request.item });
    return { ...withSiteName(made, request.site?.name), findings: [], filled: [] };
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
  const state = { view: "page", surface: "search", language: "curl", request: { markup: "" }, own: {}, from: "" };
  /** The answer of the service, with the request and the browser's own answer that it belongs to. @type {any} */
  let live = null;
  /** @type {any} */
  let local = null;
  const isEmpty = () => state.request.markup !== undefined && !state.request.markup.trim();

  const form = el("div", { class: "stack stack-s" });
  const items = el("div", {});
  const record = el("div", {});
  const drawing = el("div", {});
  const facts = el("dl", { class: "facts" });
  const findings = el("div", { class: "stack stack-s" });
  const use = el("div", {});
  const statusLine = el("p", { class: "hint", role: "status" });
  const badge = el("p", { class: "badge", role: "status" });
  const count = el("summary", {}, "Record");
  const sending = el("button", { class: "btn", type: "button", onclick: () => send() }, "Send to the service");
  const kinds = el("select", { id: "kind", onchange: () => begin(kinds.value) }, el("option", { value: "schema" }, "WebSite: the site itself"),
    ...Object.entries(data.kinds).map(([kind, each]) => el("option", { value: kind }, each.standard)));
  const area = el("textarea", { id: "f-markup", rows: "12", spellcheck: "false", autocomplete: "off", autocapitalize: "off", class: "code-area", "aria-describedby": "h-page", placeholder: "https://www.example.com/page\n\nor the source of a page, or JSON-LD",
    oninput: () => { state.from = ""; state.request = { markup: editor.whole() }; later(); } });
  const editor = editorOf(area, (finding) => editor.go(finding));
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
    editor.set(text);
    changed(true);
  };
  const example = (/** @type {string} */ kind) => {
    if (!data.kinds[kind].markup) { after({ part: "examples" }, () => example(kind)); return; }
    take(data.kinds[kind].markup);
  };
  const show = async () => {
    const address = addressIn(editor.whole());
    changed(false);
    if (!address) return;
    announce("Fetching the page…");
    try {
      const page = await fetchedPage(address);
      take(page.text, page.url);
      announce(page.status >= 400 ? `The server answered with status ${page.status}: this may be an error page.` : "");
    } catch (error) {
      announce(/** @type {Error} */ (error).message);
      fill(findings, insteadOfFetching(address));
    }
  };
  const changed = (/** @type {boolean} */ redraw) => { waiting = false; if (redraw) { live = null; drawForm(); } drawResult(); };
  let waiting = false;
  /** @type {any} */
  let surfaces = null;
  const surfacesOf = () => {
    if (!globalThis.waypost.surfaces) throw Object.assign(new Error("not there yet"), { part: "surfaces" });
    return globalThis.waypost.surfaces({ el, shape, tag, withCommas });
  };
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
      el("div", { class: "field" }, el("label", { for: "f-markup" }, "Page source, JSON-LD or a URL"), editor.element,
        el("p", { class: "hint", id: "h-page" }, serviceAt ? "Read in this browser as you type. A page is sent only when you press Send to the service. A URL is sent to this site's host, where a waypost service can fetch it." : "Read in this browser as you type. Nothing is sent.")),
      el("p", { class: "tags" }, el("button", { class: "btn btn-go", type: "button", onclick: show }, "Show the card"), file, el("label", { for: "file", class: "btn", "aria-hidden": "true" }, "Open a file"), el("label", { for: "examples", class: "vh" }, "Example"), examples)],
    form: () => [el("div", { class: "form-in" }, kindField(), ...siteFields()),
      state.request.kind === "schema" ? field("description", "Description", { rows: "4", maxlength: "500" })
        : jsonField("Members of the unified model", state.request.document || {}, (value) => { state.request.document = value; })],
    json: () => [kindField(), jsonField("The request", state.request, (value) => { state.request = value; })],
  };
  const switchView = (/** @type {string} */ value) => {
    state.view = value;
    if (value === "page" && state.request.markup === undefined) state.request = { markup: editor.whole() };
    if (value !== "page" && (!state.request.kind || (value === "form" && state.request.markup !== undefined))) { begin("schema"); return; }
    changed(true);
  };
  const drawForm = () => {
    kinds.value = state.request.kind || "";
    if (state.view === "page" && editor.whole() !== state.request.markup) editor.set(state.request.markup || "");
    withFocus(form, () => fill(form,
      segments("view", "Input", [["page", "Your page"], ["form", "Form"], ["json", "JSON request"]], state.view, switchView),
      ...VIEWS[/** @type {keyof typeof VIEWS} */ (state.view)](), statusLine));
  };

  /** The site that a page names, each value with its source: its canonical address, its WebSite, its Open Graph. */
  const siteOfPage = () => {
    const graph = surfaces.openGraph(state.request.markup) || {}, its = local.declared || {};
    const first = (/** @type {[any, string][]} */ ...found) => found.find(([value]) => value) || ["", ""];
    const name = first([state.own.name, "from you"], [its.name, "from its WebSite"], [graph.site, "from og:site_name"]);
    const domain = first([state.own.domain, "from you"], [hostIn(its.url), "from its address"], [hostIn(graph.url), "from og:url"], [hostIn(its.home), "from its WebSite"], [hostIn(state.from), "from where it was fetched"]);
    return { name: [String(name[0]).slice(0, 120), name[1]], domain };
  };

  const drawResult = () => {
    const ofPage = state.view === "page";
    home.toggleAttribute("data-empty", isEmpty());
    if (isEmpty()) { local = { nothing: "there is no page yet", findings: [], filled: [] }; drawNothingYet(); keep(null); return; }
    const address = ofPage && addressIn(state.request.markup);
    const began = performance.now();
    try {
      surfaces ||= surfacesOf();
      local = address ? { nothing: `this is a URL, not a page. ${serviceAt ? "Press Show the card to fetch it through the service" : noServiceWords()}`, findings: [], filled: [] } : answerTo(engine, state.request, data, ofPage);
      drawing.removeAttribute("aria-busy");
      if (ofPage && !local.nothing) {
        const site = siteOfPage(), [name] = site.name, [domain] = site.domain;
        local.site = site;
        state.request.kind = Object.keys(data.kinds).find((kind) => data.kinds[kind].service === local.service_type);
        delete state.request.site;
        if (name && domain) {
          state.request.site = { name, domain };
          local = { ...answerTo(engine, state.request, data, true), site };
        }
      }
      if (!address) checkMarkup();
    } catch (error) {
      if (/** @type {{part?: string}} */ (error).part) {
        drawing.setAttribute("aria-busy", "true");
        after(error, drawResult);
        return;
      }
      local = { nothing: `this request cannot be read (${/** @type {Error} */ (error).message})`, findings: [], filled: [] };
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
    for (const each of [items, facts, record, findings, use, badge]) fill(each);
    count.textContent = "Record: none yet";
    const starts = ["news", "product", "recipe", "event", "job", "local-business", "video"];
    fill(drawing, el("div", { class: "stage" }, el("div", { class: "stage-card stack stack-s" }, el("p", { class: "snip-gap" }, shape("open"), "No card yet. Paste a page above, or start with an example:"),
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
    if (state.view === "page") editor.mark(local.findings);
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

  const originOf = (/** @type {string} */ name) => {
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
          : el("td", {}, brief(asWords(value), MOST_OF_A_VALUE), el("small", {}, originOf(name))))),
      ...expected.map((/** @type {string} */ name) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, name)), el("td", { class: "absent" }, "Not given", el("small", {}, "recommended")))))));
  };

  const drawDrawing = () => {
    if (isEmpty()) { drawNothingYet(); return; }
    if (state.surface === "social") { fill(drawing, ...[surfaces.social(state.request.markup, local.nothing ? null : local.snippet, withGraph)].flat()); return; }
    if (local.nothing) {
      fill(drawing, el("div", { class: "stage" }, el("div", { class: "stage-card stack stack-s" },
        el("p", { class: "snip-gap" }, shape("open"), el("span", {}, `No card: ${local.nothing}.`)))));
      return;
    }
    const { snippet } = local;
    const own = local.findings.filter((/** @type {Finding} */ each) => each.item === local.item);
    fill(drawing, state.surface === "agent"
      ? el("div", { class: "stage" }, el("div", { class: "stage-card" }, el("pre", { tabindex: "0", role: "group", "aria-label": "Agent", class: "agent" }, surfaces.agent(snippet))))
      : el("div", { class: "stage" }, el("div", { class: "stage-card" }, state.surface === "phone" ? el("div", { class: "phone" }, drawCard(snippet, data.cards, own)) : drawCard(snippet, data.cards, own)),
        state.surface === "search" && surfaces.ruler({ title: local.unified.name, description: local.unified.description }), el("p", { class: "snip-note" }, el("span", {}, "A drawing of the record, not a promise of how any search engine will show it."))));
  };

  /** A page of the kind that is chosen, with Open Graph that holds a little less than its markup. */
  const withGraph = () => {
    const kind = state.request.kind && state.request.kind !== "schema" ? state.request.kind : "news";
    const { document: made, markup } = data.kinds[kind];
    if (!made) { after({ part: "examples" }, withGraph); return; }
    take(surfaces.pageOf(made, markup));
  };

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
    const displayed = local.findings.filter((/** @type {Finding} */ each) => each.severity !== "info");
    const of = (/** @type {boolean} */ own) => displayed.filter((/** @type {Finding} */ each) => (each.item === undefined || each.item === local.item) === own);
    const go = state.view === "page" ? { go: (/** @type {Finding} */ finding) => editor.go(finding) } : {};
    const [own, others] = local.item === undefined || local.item < 0 ? [displayed, []] : [of(true), of(false)];
    const problem = live?.problem && el("div", { class: "panel" }, el("h3", {}, live.problem.title || "No answer"), el("p", {}, live.problem.detail || ""),
      ...(live.problem.errors || []).map((/** @type {any} */ each) => el("p", {}, el("code", {}, each.pointer || each.parameter || each.header || ""), ` ${each.detail}`)));
    const isPage = state.request.markup !== undefined;
    fill(findings, problem, address && insteadOfFetching(address),
      own.length > 0 && pagedList(folded(own), go), notes.length > 0 && el("ul", { class: "finds" }, ...notes),
      !own.length && !notes.length && !address && el("p", { class: "note" }, local.awaited ? "Being checked…" : !isPage ? "Only a page is checked." : local.nothing && !others.length ? "Nothing was checked." : "No error and no warning about this item."),
      others.length > 0 && el("details", { class: "fold" }, el("summary", {}, `${numbered(others.length, "finding")} about other items`), pagedList(folded(others), go)),
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
    : surfaces?.codeFor(language, `${knownService || "http://127.0.0.1:8000"}/api/ai/snippet`, state.request) ?? "");
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

  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || addressIn(editor.whole()))) return;
    event.preventDefault();
    show();
  });
  fill(home, el("section", { class: "panel ask", "aria-label": "What to draw" }, form),
    items,
    el("div", { class: "pair" },
      el("section", { "aria-labelledby": "h-card" }, el("div", { class: "row-h" }, el("h2", { id: "h-card" }, "Card"),
        segments("surface", "Card surface", [["search", "Search"], ["phone", "Phone"], ["social", "Social"], ["agent", "Agent"]], state.surface, (value) => { state.surface = value; drawDrawing(); })), badge, drawing),
      el("section", { "aria-labelledby": "h-find" }, el("div", { class: "row-h" }, el("h2", { id: "h-find" }, "Findings")), findings)),
    el("details", { class: "fold" }, count, record),
    el("section", { class: "sec", "aria-label": "Use it" }, use, facts));
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
