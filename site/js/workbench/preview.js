// The preview page: a request, the unified record that comes of it, and the card. All of it is made in this page; a send
// asks the service the same and says whether it answers the same.

const NOWHERE = "about:blank";
/** More than this nobody reads here, and browsers take seconds to lay it out; what is copied is whole. */
const MOST_OF_A_VALUE = 2_000, MOST_OF_A_REQUEST = 20_000;
const CONTEXT = "https://schema.org";

/** The document that a request stands for; the same steps as src/waypost/preview/request.py.
 * @param {any} asked @param {any} data */
const documentOf = (asked, data) => {
  const home = asked.site?.domain ? `https://${asked.site.domain}/` : null;
  if (asked.kind === "schema") {
    const made = { "@context": CONTEXT, "@type": "WebSite", id: home || NOWHERE, name: asked.site?.name || "", url: home || NOWHERE };
    return { document: asked.site?.description ? { ...made, description: asked.site.description } : made, filled: Object.keys(asked.site || {}) };
  }
  const { standard, members } = data.kinds[asked.kind];
  const name = asked.site?.name;
  const party = (/** @type {string} */ type) => ({ "@type": type, name, ...(home ? { url: home } : {}) });
  const offered = { ...(home ? { url: home } : {}), ...(name ? { provider: party("Organization"), isPartOf: party("WebSite") } : {}) };
  const given = { ...asked.document };
  if (typeof given.url === "string" && given.url !== NOWHERE && !WEB_ADDRESS.test(given.url)) delete given.url;
  const filled = Object.fromEntries(Object.entries(offered).filter(([key]) => !(key in given) && members.includes(key)));
  const whole = { "@context": CONTEXT, "@type": standard, ...given, ...filled };
  if (!("url" in whole)) whole.url = NOWHERE;
  if (!("id" in whole)) whole.id = whole.url;
  return { document: whole, filled: Object.keys(filled) };
};

/** The answer of this browser to a request. @param {any} engine @param {any} asked @param {any} data */
const answerTo = (engine, asked, data) => {
  const home = asked.site?.domain ? `https://${asked.site.domain}/` : null;
  if (asked.markup !== undefined) return { ...engine.preview({ markup: asked.markup, site: home, kind: data.kinds[asked.kind].service }), findings: [], filled: [] };
  const { document: made, filled } = documentOf(asked, data);
  if (!engine.isDocument(made)) return { nothing: "the document does not conform to the unified model: a member is unknown, or has a value it cannot have", findings: [], filled };
  const kind = asked.kind === "schema" ? undefined : data.kinds[asked.kind].service;
  return { ...engine.preview({ document: made, kind }), findings: [], filled };
};

/** @param {any} value @returns {any} */
const sorted = (value) => Array.isArray(value) ? value.map(sorted)
  : value && typeof value === "object" ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;

/** The paths at which two answers differ. @param {any} one @param {any} other @param {string} [at] @returns {string[]} */
const differences = (one, other, at = "") => {
  if (JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))) return [];
  const both = one && other && typeof one === "object" && typeof other === "object" && Array.isArray(one) === Array.isArray(other);
  if (!both) return [at || "/"];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) => differences(one[key], other[key], `${at}/${key}`)).slice(0, 12);
};

/** @param {any} home */
const previewBench = (home) => {
  const data = shared();
  const engine = engineOf();
  const api = document.querySelector('meta[name="waypost-api"]')?.getAttribute("content") || "";
  const canSend = api !== "" || location.protocol.startsWith("http");
  const endpoint = `${api || (canSend ? location.origin : "")}/api/ai/snippet`;
  /** @type {any} */
  const state = { view: "form", surface: "search", language: "curl", how: "document", asked: structuredClone(data.start) };
  /** @type {any} */
  let live = null;
  /** @type {any} */
  let local = null;

  const form = el("div", { class: "stack" });
  const record = el("div", {});
  const drawing = el("div", {});
  const facts = el("dl", { class: "facts" });
  const below = el("div", { class: "below" });
  const said = el("p", { class: "hint", role: "status" });
  const sending = el("button", { class: "btn btn-go", type: "button", onclick: () => send() }, "Send to the service");

  const kinds = el("select", { id: "kind", onchange: () => { begin(kinds.value); } }, el("option", { value: "schema" }, "WebSite: the site itself"),
    ...Object.entries(data.kinds).map(([kind, each]) => el("option", { value: kind }, each.standard)));

  /** Something is not there yet: it is loaded, and then the work is done again, unless something else was asked meanwhile.
   * @param {any} fault @param {() => void} again */
  const after = async (fault, again) => {
    const { asked } = state;
    try {
      await partOf(fault, say);
    } catch (wrong) {
      say(/** @type {Error} */ (wrong).message);
      return;
    }
    if (state.asked === asked) again();
  };
  const say = (/** @type {string} */ words) => { said.textContent = words; };

  const begin = (/** @type {string} */ kind) => {
    if (kind !== "schema" && !Object.hasOwn(data.kinds, kind)) return;
    if (kind !== "schema" && !data.kinds[kind].document) { after({ part: "examples" }, () => begin(kind)); return; }
    const site = state.asked.site || data.start.site;
    state.asked = kind === "schema" ? { kind, site } : { kind, site, ...(state.how === "markup" ? { markup: data.kinds[kind].markup } : { document: data.kinds[kind].document }) };
    changed(true);
  };
  const changed = (/** @type {boolean} */ redraw) => { live = null; if (redraw) drawForm(); drawResult(); };
  const later = settled(() => changed(false), 150);

  const field = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ attributes, /** @type {string} */ hint = "") => {
    const many = attributes.rows !== undefined;
    const made = el(many ? "textarea" : "input", { id: `f-${name}`, name, ...attributes, ...(hint ? { "aria-describedby": `h-${name}` } : {}), oninput: () => {
      state.asked.site = { ...state.asked.site, [name]: made.value };
      if (made.value === "") delete state.asked.site[name];
      later();
    } });
    made.value = state.asked.site?.[name] || "";
    return el("div", { class: "field" }, el("label", { for: `f-${name}` }, label, el("code", {}, `site.${name}`)), made, hint && el("p", { class: "hint", id: `h-${name}` }, hint));
  };

  const jsonField = (/** @type {string} */ label, /** @type {any} */ value, /** @type {(value: any) => void} */ take) => {
    const fault = el("p", { class: "hint", id: "h-json", role: "alert" });
    const area = el("textarea", { id: "f-json", rows: "16", spellcheck: "false", class: "code-area", "aria-describedby": "h-json", oninput: () => {
      try {
        const made = JSON.parse(area.value);
        if (made === null || typeof made !== "object" || Array.isArray(made)) throw new SyntaxError("an object is wanted");
        fault.textContent = "";
        area.removeAttribute("aria-invalid");
        take(made);
        later();
      } catch (wrong) {
        fault.textContent = `Not read: ${/** @type {Error} */ (wrong).message}`;
        area.setAttribute("aria-invalid", "true");
      }
    } });
    area.value = JSON.stringify(value, null, 2);
    return el("div", { class: "field grow" }, el("label", { for: "f-json" }, label), area, fault);
  };

  const drawForm = () => {
    kinds.value = state.asked.kind;
    const own = state.asked.kind !== "schema";
    const siteFields = [
      field("name", "Site name", { maxlength: "120", autocomplete: "off" }),
      field("domain", "Domain", { maxlength: "253", autocomplete: "off", spellcheck: "false", dir: "ltr" }, "A host name. It is never fetched."),
      ...(own ? [] : [field("description", "Description", { rows: "4", maxlength: "500" })]),
    ];
    const markup = el("textarea", { id: "f-markup", rows: "14", spellcheck: "false", class: "code-area", oninput: () => { state.asked.markup = markup.value; later(); } });
    markup.value = state.asked.markup || "";
    keepingFocus(form, () => fill(form,
      el("div", { class: "field" }, el("label", { for: "kind" }, "Kind", el("code", {}, "kind")), kinds),
      segments("view", "Request as", [["form", "Form"], ["json", "JSON"]], state.view, (value) => { state.view = value; drawForm(); }),
      ...(state.view === "json"
        ? [jsonField("The request", state.asked, (value) => { state.asked = value; })]
        : [...siteFields, own && segments("how", "The thing as", [["document", "Document"], ["markup", "My page"]], state.asked.markup !== undefined ? "markup" : "document", (value) => { state.how = value; begin(state.asked.kind); }),
          own && (state.asked.markup !== undefined
            ? el("div", { class: "field grow" }, el("label", { for: "f-markup" }, "HTML or JSON-LD", el("code", {}, "markup")), markup)
            : jsonField("Members of the unified model", state.asked.document || {}, (value) => { state.asked.document = value; }))]),
      el("p", { class: "tags actions" }, canSend && sending, shareButton(() => state.asked, said)),
      said));
  };

  const drawResult = () => {
    const began = performance.now();
    try {
      local = answerTo(engine, state.asked, data);
      drawing.removeAttribute("aria-busy");
      judgeMarkup();
    } catch (fault) {
      if (/** @type {any} */ (fault).part) {
        drawing.setAttribute("aria-busy", "true");
        after(fault, drawResult);
        return;
      }
      local = { nothing: `this request cannot be read (${/** @type {Error} */ (fault).message})`, findings: [], filled: [] };
    }
    const ms = performance.now() - began;
    if (local.nothing) fill(record, el("p", { class: "note" }, "No record."));
    else drawRecord();
    drawDrawing();
    drawFacts(ms);
    drawBelow();
  };

  /** What stands in a page of one's own is judged too, in slices, after its card is drawn. */
  const judgeMarkup = async () => {
    const { asked } = state;
    const own = local;
    local.awaited = asked.markup !== undefined;
    if (!local.awaited) return;
    const url = asked.site?.domain ? `https://${asked.site.domain}/` : null;
    try {
      const report = await judged({ text: asked.markup, url }, () => own === local, say);
      if (!report) return;
      local.findings = report.files[0].findings;
      say("");
    } catch (fault) {
      say(/** @type {Error} */ (fault).message);
    }
    local.awaited = false;
    if (own === local) drawBelow();
  };

  const originOf = (/** @type {string} */ name) => {
    const found = local.origins?.[name];
    if (found?.length) return found.map((/** @type {any} */ each) => each.line ? `written at ${each.line}:${each.column}` : each.path || each.pointer || "").filter(Boolean).join(", ") || "from the markup";
    if (state.asked.kind === "schema") return { "@context": "fixed by the mapping", "@type": "from the kind", id: "made from site.domain", url: "made from site.domain" }[name] || `site.${name}`;
    if (local.filled.includes(name)) return "taken from the site";
    if (state.asked.document && name in state.asked.document) return `document.${name}`;
    return "made by the mapping";
  };

  const drawRecord = () => {
    const present = Object.entries(local.unified);
    const wanted = (data.kinds[state.asked.kind === "schema" ? "website" : state.asked.kind]?.recommended || []).filter((/** @type {string} */ name) => !(name in local.unified));
    fill(record, el("table", { class: "map" }, el("caption", { class: "vh" }, "Fields of the unified record and where each value came from"), el("colgroup", {}, el("col"), el("col")),
      el("thead", { class: "vh" }, el("tr", {}, el("th", { scope: "col" }, "Field"), el("th", { scope: "col" }, "Value and origin"))),
      el("tbody", {}, ...present.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, el("a", { href: link(`model/${name.replace(/^@/, "")}/`) }, el("code", {}, name))),
        el("td", {}, brief(spoken(value), MOST_OF_A_VALUE), el("small", {}, originOf(name))))),
      ...wanted.map((/** @type {string} */ name) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, name)), el("td", { class: "absent" }, "Not given", el("small", {}, "recommended")))))));
  };

  const surfaces = globalThis.waypost.surfaces({ el, shape, tag });

  const drawDrawing = () => {
    if (state.surface === "social") { fill(drawing, ...[surfaces.social(state.asked.markup, local.nothing ? null : local.snippet, withGraph)].flat()); return; }
    if (local.nothing) { fill(drawing, el("div", { class: "stage" }, el("div", { class: "stage-card" }, el("p", { class: "snip-gap" }, shape("open"), `No card: ${local.nothing}.`)))); return; }
    const { snippet } = local;
    const stage = state.surface === "agent"
      ? el("div", { class: "stage" }, el("div", { class: "stage-card" }, el("pre", { tabindex: "0", class: "agent" }, surfaces.agent(snippet))))
      : el("div", { class: "stage" }, el("div", { class: "stage-card" }, state.surface === "phone" ? el("div", { class: "phone" }, drawCard(snippet, data.cards)) : drawCard(snippet, data.cards)),
        state.surface === "search" && surfaces.ruler({ title: local.unified.name, description: local.unified.description }), el("p", { class: "snip-note" }, el("span", {}, "A drawing of the record, not a promise of how any search engine will show it.")));
    const kinds = { supported: ["go", "go"], restricted: ["heed", "heed"], retired: ["gone", "gone"], none: ["note", "note"] };
    fill(drawing, stage, el("p", { class: "tags" }, tag(kinds[snippet.status][0], kinds[snippet.status][1], data.cards.status[snippet.status])));
  };

  /** A page of the kind that is chosen, with Open Graph that says a little less than its markup. */
  const withGraph = () => {
    const kind = state.asked.kind === "schema" ? "news" : state.asked.kind;
    const { document: made, markup } = data.kinds[kind];
    if (!made) { after({ part: "examples" }, withGraph); return; }
    const quoted = (/** @type {any} */ text) => String(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    const image = [made.image].flat()[0];
    const said = [["title", made.name], ["description", made.description], ["image", image?.url || image?.contentUrl || image], ["image:width", image?.width], ["image:height", image?.height], ["url", made.url]];
    const head = said.filter(([, text]) => text).map(([name, text]) => `<meta property="og:${name}" content="${quoted(text)}">`).join("\n");
    state.how = "markup";
    state.asked = { kind, site: state.asked.site || data.start.site, markup: `<!doctype html>\n<title>${quoted(made.name)}</title>\n${head}\n<script type="application/ld+json">\n${markup}\n</script>\n` };
    changed(true);
  };

  const drawFacts = (/** @type {number} */ ms) => {
    const differs = live?.snippet ? differences({ snippet: local.snippet, unified: local.unified }, { snippet: live.snippet, unified: live.unified }) : [];
    const agreement = !live ? tag("note", "note", "Not sent") : live.problem ? tag("heed", "heed", "No live answer")
      : differs.length ? tag("stop", "fault", `Differs at ${differs.join(", ")}`) : tag("go", "same", "Same as this browser");
    const meta = live?.meta;
    fill(facts,
      fact("Time", meta ? `${meta.time.toFixed(1)} ms` : `${ms.toFixed(1)} ms`, meta ? "in the service" : ""),
      fact("Fetched", meta ? `${clock(meta.fetched)} UTC` : "now"),
      fact("Source", meta ? meta.source : "This browser", meta ? "POST /api/ai/snippet" : "nothing was sent"),
      fact("Provider", meta ? meta.provider : `waypost registry ${engine.version}`),
      el("div", {}, el("dt", { class: "vh" }, "Agreement"), el("dd", {}, el("span", { role: "status" }, agreement))));
  };

  const drawBelow = () => {
    const notes = [...(local.filled || []).filter(() => state.asked.kind !== "schema").map((/** @type {string} */ name) => el("li", {}, shape("note", "i-note"), el("div", {}, el("b", {}, `${name} was taken from the site`), el("p", {}, "The document does not give it."))))];
    const shown = local.findings.filter((/** @type {any} */ each) => each.severity !== "info");
    const problem = live?.problem && el("div", { class: "panel" }, el("h3", {}, live.problem.title || "No answer"), el("p", {}, live.problem.detail || ""),
      ...(live.problem.errors || []).map((/** @type {any} */ each) => el("p", {}, el("code", {}, each.pointer || each.parameter || each.header || ""), ` ${each.detail}`)));
    fill(below,
      el("section", { "aria-labelledby": "h-find" }, el("div", { class: "row-h" }, el("h2", { id: "h-find" }, "Findings")), problem,
        shown.length || notes.length ? el("div", {}, shown.length > 0 && findingList(shown), notes.length > 0 && el("ul", { class: "finds" }, ...notes)) : el("p", { class: "note" }, local.awaited ? "Being judged…" : "Nothing to say against it.")),
      el("section", { "aria-labelledby": "h-code" }, el("div", { class: "row-h" }, el("h2", { id: "h-code" }, "Use it"),
        segments("language", "Language", [["curl", "curl"], ["python", "Python"], ["javascript", "JavaScript"], ["json-ld", "JSON"]], state.language, (value) => { state.language = value; drawBelow(); document.querySelector(`input[name=language][value="${value}"]`)?.focus(); })),
        codeFigure(codeFor(state.language))));
  };

  const codeFigure = (/** @type {string} */ text) => el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, "Without a key: the preview needs none"), copyButton("Copy", text)), el("pre", { tabindex: "0" }, el("code", {}, brief(text, MOST_OF_A_REQUEST))));
  const codeFor = (/** @type {string} */ language) => {
    const where = canSend ? endpoint : "http://127.0.0.1:8000/api/ai/snippet";
    const body = JSON.stringify(state.asked, null, 2);
    if (language === "python") return `import httpx\n\nanswer = httpx.post(\n    "${where}",\n    json=${pythonOf(state.asked)},\n)\nprint(answer.json()["snippet"])\n`;
    if (language === "javascript") return `const answer = await fetch("${where}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify(${body}),\n});\nconsole.log((await answer.json()).snippet);\n`;
    if (language === "json-ld") return JSON.stringify(local.unified ?? state.asked, null, 2);
    return `curl ${where} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body.replaceAll("'", "'\\''")}'\n`;
  };

  const send = async () => {
    sending.disabled = true;
    said.textContent = "Sending…";
    try {
      const answer = await fetch(endpoint, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(state.asked), credentials: "omit", signal: AbortSignal.timeout(10_000) });
      const told = await answer.json();
      live = answer.ok ? told : { problem: told };
      said.textContent = answer.status === 429 ? `Too many requests: try again in ${answer.headers.get("Retry-After") || "a few"} seconds.` : "";
    } catch {
      live = { problem: { title: "No API answered", detail: `Nothing answered at ${endpoint}. What is shown was made in this browser.` } };
      said.textContent = "";
    }
    sending.disabled = false;
    drawResult();
  };

  fill(home, el("div", { class: "bench" },
    el("section", { class: "step", "aria-labelledby": "h-req" }, el("div", { class: "step-h" }, el("span", { class: "post", "aria-hidden": "true" }, el("b", {}, "1")), el("h2", { id: "h-req" }, "Request")), form),
    el("section", { class: "step", "aria-labelledby": "h-uni" }, el("div", { class: "step-h" }, el("span", { class: "post", "aria-hidden": "true" }, el("b", {}, "2")), el("h2", { id: "h-uni" }, "Unified record")), record),
    el("section", { class: "step", "aria-labelledby": "h-card" }, el("div", { class: "step-h" }, el("span", { class: "post", "aria-hidden": "true" }, el("b", {}, "3")), el("h2", { id: "h-card" }, "Snippet"),
      segments("surface", "Card surface", [["search", "Search"], ["phone", "Phone"], ["social", "Social"], ["agent", "Agent"]], state.surface, (value) => { state.surface = value; drawDrawing(); })), drawing),
    el("section", { class: "facts-s", "aria-label": "About this answer" }, facts)), below);
  drawForm();
  drawResult();
  return { restore: (/** @type {any} */ value) => {
    if (value.kind !== "schema" && !(typeof value.kind === "string" && Object.hasOwn(data.kinds, value.kind))) return;
    state.asked = value;
    state.how = value.markup !== undefined ? "markup" : "document";
    changed(true);
  }, begin };
};

/** A value as Python writes it. @param {any} value @returns {string} */
const pythonOf = (value) => value === null ? "None" : value === true ? "True" : value === false ? "False"
  : Array.isArray(value) ? `[${value.map(pythonOf).join(", ")}]`
    : typeof value === "object" ? `{${Object.entries(value).map(([key, each]) => JSON.stringify(key) + ": " + pythonOf(each)).join(", ")}}` : JSON.stringify(value);

start(previewBench);
