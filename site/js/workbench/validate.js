// The validate page: a line for the page to check, the verdict, and three columns: what was read, the source with findings
// below their lines, and the result.

import { folded, numbered } from "./causes.js";
import { brief, el, fact, fill, settled, shape, withCommas } from "./dom.js";
import { answered, checkingParts, engineOf, validated } from "./engine.js";
import { pagedList } from "./findings.js";
import { fixedAll, withFixes } from "./fix.js";
import { LARGEST, TOO_LARGE, addressIn, fetchedPage, fetcher, filesBelow, insteadOfFetching, messagePage, noServiceWords, pagesIn, sentWords, serviceAt } from "./intake.js";
import { ignoring, withMissing } from "./note-edits.js";
import { noteOf } from "./note.js";
import { lintOptions } from "./options.js";
import { outcomeOf } from "./outcome.js";
import { excerptsOf } from "./excerpts.js";
import { readingOf } from "./reading.js";
import { drawResult } from "./result.js";
import { ownUrl } from "./sendon.js";
import { sourceOf } from "./source.js";
import { keep, start } from "./start.js";
import { exportMenu, shareMenu } from "./takeaway.js";
import { treeOf } from "./tree.js";

const FILES = ".html,.htm,.json,.jsonld,.txt";
const PLACEHOLDER = "The source of a page, or JSON-LD:\n\n{\n  \"@context\": \"https://schema.org\",\n  \"@type\": \"Recipe\"\n}";

/** @param {HTMLElement} home */
const validateBench = (home) => {
  const { examples, profiles, repository, install } = globalThis.WaypostValidate;
  /** What a report shows, from the page as it is without a script. */
  const legend = home.querySelector("[data-legend]");
  const narrow = matchMedia("(max-width: 60rem), print");
  const statusLine = el("p", { class: "hint", role: "status" });
  const line = el("p", { class: "lede" });
  const verdict = el("div", { class: "outcome", role: "status" }, line);
  const acts = el("div", { class: "sum-acts" });
  const sum = el("section", { class: "sum", "aria-label": "Verdict" }, verdict, acts);
  const read = el("div", { class: "col-in" }), files = el("div"), instead = el("div", { class: "col-in stack" }), excerpts = el("div", { class: "excerpts" }), result = el("div", { class: "col-in stack stack-s" });
  const position = el("span", { class: "num hint" }), folding = el("button", { class: "btn btn-s", type: "button", hidden: true, onclick: () => source.fold(!folding.dataset.folded) });
  const editing = el("button", { class: "btn btn-s edit-source", type: "button", onclick: () => { const isOpen = columns.toggleAttribute("data-editing"); editing.textContent = isOpen ? "Show the findings" : "Edit the source"; if (isOpen) source.focus(); } }, "Edit the source");

  /** The text that was checked last, its report, and what was read. */
  let about = "";
  /** @type {{report: LintReport, page: any, made: Preview}|null} */
  let current = null;
  /** Every check has a number; one that is not the last is given up. */
  let last = 0;
  /** What was typed waits to be checked; pressing Check does not wait. */
  let waiting = false;
  /** The name of the file that was opened, the address that a service fetched, and fixes that can be undone. */
  let path = "-", fetched = "", fixes = 0;

  const input = () => { last += 1; waiting = true; later(); };
  const source = sourceOf({
    input, noteOf: (same) => noteOf(same, noteActs()), placeholder: PLACEHOLDER,
    moved: (number, column) => { position.textContent = `Line ${withCommas(number)}, column ${withCommas(column)}`; },
    toggled: (isFolded, canFold) => {
      folding.dataset.folded = isFolded ? "yes" : "";
      folding.textContent = isFolded ? "Show all lines" : "Show only findings";
      folding.hidden = !canFold;
    },
    attributes: { id: "source", "aria-label": "Source" },
  });
  const box = el("input", { id: "place", type: "text", inputmode: "url", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "URL, or paste a page or JSON-LD here", "aria-describedby": "place-hint" });
  const file = el("input", { type: "file", multiple: true, accept: FILES, class: "vh", id: "file", "aria-label": "Open files", onchange: () => open([...file.files ?? []]) });
  const folder = el("input", { type: "file", webkitdirectory: true, class: "vh", id: "folder", "aria-label": "Open a folder", onchange: () => open([...folder.files ?? []]) });
  const kinds = el("select", { id: "examples", "aria-label": "Example", onchange: () => { const found = examples[Number(kinds.value)]; if (kinds.value !== "" && found) take(found.text); } },
    el("option", { value: "" }, "Examples"), ...examples.map((each, number) => el("option", { value: number }, each.name)));
  const options = lintOptions(profiles, () => check());

  const announce = (/** @type {string} */ words) => { if (words) showOutcome("note", words); };
  /** The first line of the answer: a shape, the result, and its meaning. */
  const showOutcome = (/** @type {string} */ kind, /** @type {string} */ title, more = "") => {
    sum.dataset.kind = verdict.dataset.kind = kind;
    line.textContent = title;
    fill(verdict, shape({ stop: "fault", heed: "heed", go: "go" }[kind] || "note"), el("div", {}, line, more && el("p", {}, more)));
  };
  /** Nothing is known of what is in the box. @param {...(Node|false)} words */
  const forget = (...words) => {
    current = null;
    about = "";
    for (const each of [read, acts, result, excerpts]) fill(each);
    fill(instead, ...words);
    columns.toggleAttribute("data-empty", true);
    folding.hidden = true;
    source.mark([]);
  };
  /** A complete text is checked at once. */
  const take = (/** @type {string} */ text, named = "-", from = "") => {
    waiting = false;
    fixes = 0;
    [path, fetched] = [named, from];
    box.value = from;
    source.set(text);
    return check();
  };
  const open = async (/** @type {File[]} */ given) => {
    const pages = pagesIn(given);
    fill(files);
    if (given.length && !pages.length) { statusLine.textContent = "There is no HTML or JSON file among these."; return; }
    if (pages.length === 1) { await opened(pages[0]); return; }
    if (!pages.length) return;
    await globalThis.waypost.part("files");
    globalThis.waypost.folder(files, pages, { request: options.request(), show: (text, named) => take(text, named), close: () => file.focus(), version: () => globalThis.WaypostRegistry?.version ?? "", validated });
  };
  const opened = async (/** @type {File} */ given) => {
    if (given.size > LARGEST) { statusLine.textContent = `This file is ${TOO_LARGE}`; return; }
    await take(await given.text(), given.name);
  };
  /** Places are those of the text that was checked: one that has changed since is checked again first. @param {(text: string) => void} work */
  const onChecked = (work) => { if (source.text() === about) work(about); else check(); };
  const go = (/** @type {{from: number, to: number, line?: number}} */ place) => onChecked(() => {
    const entry = narrow.matches && !columns.hasAttribute("data-editing") && excerpts.querySelector(`[data-at="${place.from}"]`);
    if (entry instanceof HTMLElement) { entry.focus(); entry.scrollIntoView({ block: "start" }); return; }
    if (narrow.matches && !columns.hasAttribute("data-editing")) editing.click();
    source.go(place);
  });
  const edited = async (/** @type {string} */ made, /** @type {string} */ words) => {
    fixes += 1;
    source.edit(made);
    await check();
    statusLine.textContent = words;
  };
  const applyFix = (/** @type {Finding} */ finding) => onChecked((text) => { edited(withFixes(text, [finding]), `Fixed at ${finding.line}:${finding.column}.`); source.focus(); });
  const fixAll = () => onChecked(async (text) => {
    const own = (last += 1);
    const made = await fixedAll(text, async (each) => (await validated({ ...options.request(), text: each, path }, () => own === last, announce))?.files[0]);
    if (!made) return;
    if (made === text) { await check(); statusLine.textContent = "Nothing was fixed: the fix would lead to another finding. The button Fix at the finding applies it anyway."; } else await edited(made, "All safe fixes are made.");
    source.focus();
  });
  const undo = async () => { fixes = Math.max(0, fixes - 1); source.undo(); await check(); statusLine.textContent = "The last change is undone."; source.focus(); };
  /** A comment before the element, or for the page: the first with which the finding is gone. */
  const ignore = (/** @type {Finding} */ finding) => onChecked(async (text) => {
    const own = (last += 1), alike = (/** @type {Finding[]} */ all) => all.filter((each) => each.fingerprint === finding.fingerprint).length;
    const before = alike(current?.report.files[0].findings ?? []);
    for (const made of ignoring(text, finding)) {
      const report = await validated({ ...options.request(fetched), text: made, path }, () => own === last, announce);
      if (!report) return;
      if (alike(report.files[0].findings) >= before) continue;
      await edited(made, "Ignored by a comment in the source: write the reason there.");
      source.focus();
      return;
    }
    await check();
    statusLine.textContent = "No comment can ignore this finding.";
  });
  const addMissing = (/** @type {Finding} */ finding) => onChecked(async (text) => {
    const made = withMissing(text, finding);
    if (made === null) return;
    await edited(made, "The missing properties are added without values: fill them in.");
    source.go({ from: finding.from, to: finding.from + 1 });
  });
  const noteActs = () => ({ go, applyFix, ignore, addMissing, text: about });

  const nothing = () => {
    showOutcome("note", "Nothing checked yet", "Enter a URL, paste a page or JSON-LD, open files, or start with an example.");
    forget(el("div", {}, shape("s-empty", "state"), el("h3", {}, "Start with an example"), el("ul", { class: "starts" }, ...examples.map((each) => el("li", {}, el("button", { class: "btn btn-s", type: "button", onclick: () => take(each.text) }, each.name))))), legend ?? false);
  };
  const check = async () => {
    const own = (last += 1);
    statusLine.textContent = "";
    const text = source.text();
    keep(text.trim() && !addressIn(text) ? { text, ...options.retained() } : null);
    if (!text.trim()) { nothing(); return; }
    if (text.length > LARGEST) { showOutcome("note", "Not checked", `This is ${TOO_LARGE}`); forget(); return; }
    const address = addressIn(text);
    if (address) { ofAddress(address); return; }
    const began = performance.now();
    columns.setAttribute("aria-busy", "true");
    try {
      /** @type {any} */
      let page = null;
      const report = await validated({ ...options.request(fetched), text, path, seen: (each) => { page = each; } }, () => own === last, announce);
      if (!report) return;
      const url = options.request(fetched).url;
      const made = await answered((engine) => engine.preview({ page, site: url }), announce);
      await source.ready();
      if (own !== last) return;
      about = text;
      current = { report, page, made };
      draw(report, page, made, performance.now() - began);
    } catch (error) {
      showOutcome("note", "Not checked", /** @type {Error} */ (error).message);
      forget();
    }
    if (own === last) columns.removeAttribute("aria-busy");
  };

  /** The box holds an address: nothing of its page is known yet. @param {string} address */
  const ofAddress = (address) => {
    showOutcome("note", "This is a URL, not a page", serviceAt ? `Press Check: ${fetcher} fetches the page, and this browser checks it.` : noServiceWords());
    forget(!serviceAt && insteadOfFetching(address));
  };
  const fetchAndCheck = async (/** @type {string} */ address) => {
    const own = (last += 1);
    showOutcome("note", "Fetching the page…");
    try {
      const page = await fetchedPage(address);
      if (own !== last) return;
      await take(page.text, "-", page.url);
      if (page.status >= 400) statusLine.textContent = `The server answered with status ${page.status}: this may be an error page.`;
    } catch (error) {
      if (own !== last) return;
      showOutcome("note", "Not fetched", /** @type {Error} */ (error).message);
      forget(insteadOfFetching(address));
    }
  };
  const begin = async () => {
    waiting = false;
    const given = box.value.trim(), text = source.text();
    const message = await messagePage(given || text).catch(() => null);
    if (message) { location.assign(message); return null; }
    if (given && given !== fetched) {
      const address = addressIn(given);
      if (address && serviceAt) return fetchAndCheck(address);
      if (address) { ofAddress(address); return null; }
      if (/[<{[]/.test(given)) return take(given);
      statusLine.textContent = "This is neither a URL nor the source of a page, nor a message of Search Console.";
      return null;
    }
    const address = addressIn(text);
    return address && serviceAt ? fetchAndCheck(address) : check();
  };

  const draw = (/** @type {LintReport} */ report, /** @type {any} */ page, /** @type {Preview} */ made, /** @type {number} */ ms) => {
    const [found] = report.files;
    const notes = found.findings.filter((each) => each.severity === "info");
    const safe = found.findings.filter((each) => each.fix?.safe).length;
    const main = made.stands?.[made.stands.length - 1] ?? engineOf().part("reading").mainPlace(page);
    const outcome = outcomeOf(report, found.findings.some((each) => options.failing(each.severity)), main);
    const where = fetched || (path === "-" ? ownUrl(about) : path);
    const reading = readingOf(page, found, main);
    const url = options.request(fetched).url;
    const isEmpty = !found.items.length && !found.findings.length;
    columns.toggleAttribute("data-empty", false);
    showOutcome(outcome.kind, outcome.title, [outcome.detail, where && brief(where.replace(/^https?:\/\//, ""), 70)].filter(Boolean).join(" · "));
    source.mark(found.findings, found.items);
    const taken = { report, outcome, where, text: about, options, content: () => ({ text: source.text(), ...options.retained() }), statusLine, repository, install };
    fill(acts,
      safe > 0 && el("button", { class: "btn btn-go", type: "button", onclick: fixAll }, `Apply ${safe} safe fix${safe === 1 ? "" : "es"}`),
      fixes > 0 && source.canUndo() && el("button", { class: "btn", type: "button", onclick: undo }, "Undo"),
      shareMenu(taken), exportMenu(taken));
    const treeActs = { go, choose: (/** @type {import("./reading.js").ReadItem} */ item) => choose(item, found, page, url) };
    fill(read, isEmpty ? el("p", { class: "note" }, "No item: the page has no JSON-LD, Microdata or RDFa.") : null, ...treeOf(reading, treeActs),
      notes.length > 0 && el("details", { class: "fold", open: options.chosen().fail === "info" }, el("summary", {}, `${numbered(notes.length, "note")}, good to know`), pagedList(folded(notes), { go })),
      el("details", { class: "fold" }, el("summary", {}, "About this check"), el("dl", { class: "facts facts-4" },
        fact("Time", `${ms.toFixed(1)} ms`), fact("Checked by", "this browser", sentWords()), fact("Registry", report.registry_version), fact("Not checked here", `${report.not_checked.length} checks`)),
      el("p", { class: "note" }, "Only the command line and the service check these:"), el("ul", { class: "verdicts" }, ...report.not_checked.map((each) => el("li", {}, el("code", {}, each.name), `: ${each.why}`)))));
    fill(instead);
    drawResult(result, { engine: engineOf(), file: found, made, text: about, url });
    drawExcerpts();
  };
  /** On a phone and on paper findings are a list, each with the lines around it. */
  const drawExcerpts = () => {
    const found = narrow.matches && current?.report.files[0].findings.filter((each) => each.severity !== "info");
    fill(excerpts, found && found.length > 0 && excerptsOf(folded(found), about, noteActs()));
  };
  const choose = (/** @type {import("./reading.js").ReadItem} */ item, /** @type {FileReport} */ found, /** @type {any} */ page, /** @type {string|null} */ url) => {
    for (const each of read.querySelectorAll(".item-h")) each.toggleAttribute("data-chosen", false);
    const number = item.isMain ? undefined : item.number;
    try {
      const made = engineOf().preview({ page, site: url, item: number });
      drawResult(result, { engine: engineOf(), file: found, made, text: about, url, item: number });
    } catch (error) {
      statusLine.textContent = /** @type {Error} */ (error).message;
    }
    go(item.place);
  };

  const later = settled(() => { if (waiting) { waiting = false; check(); } }, 250, () => source.length());
  box.addEventListener("paste", (event) => {
    const given = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[<{]|\n./.test(given.trim())) return;
    event.preventDefault();
    take(given);
  });
  box.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); begin(); } });
  source.element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || addressIn(source.text()))) return;
    event.preventDefault();
    event.stopPropagation();
    begin();
  }, true);
  // Needed as soon as there is something to check.
  for (const each of [box, source.element]) each.addEventListener("focusin", () => { checkingParts(() => {}).catch(() => {}); }, { once: true });
  home.addEventListener("dragover", (event) => { event.preventDefault(); });
  home.addEventListener("drop", async (event) => {
    const items = [...event.dataTransfer?.items ?? []];
    if (!items.some((each) => each.kind === "file")) return;
    event.preventDefault();
    event.stopPropagation();
    const entries = items.map((each) => each.webkitGetAsEntry?.()).filter((each) => each?.isDirectory);
    await open(entries.length ? await filesBelow(/** @type {any[]} */ (entries)) : [...event.dataTransfer?.files ?? []]);
  }, true);
  addEventListener("click", (event) => { for (const each of home.querySelectorAll("details.pop[open]")) if (!each.contains(/** @type {Node} */ (event.target))) each.removeAttribute("open"); });
  home.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && /** @type {Element} */ (event.target).closest("details.pop[open]");
    if (menu) { menu.removeAttribute("open"); menu.querySelector("summary")?.focus(); }
  });
  const columns = el("div", { class: "columns", "data-empty": "" },
    el("section", { class: "col col-read", "aria-labelledby": "h-read" }, el("div", { class: "col-h" }, el("h2", { id: "h-read" }, "What was read")), read),
    el("section", { class: "col col-src", "aria-labelledby": "h-src" }, el("div", { class: "col-h" }, el("h2", { id: "h-src" }, "Source and findings"), position, folding, editing), excerpts, el("div", { class: "code" }, source.element)),
    el("section", { class: "col col-res", "aria-labelledby": "h-res" }, el("div", { class: "col-h" }, el("h2", { id: "h-res" }, "Result")), instead, result));
  const first = el("div", { class: "first-line" },
    el("div", { class: "field place-field" }, el("label", { for: "place", class: "vh" }, "URL, page source or JSON-LD"), box,
      el("p", { class: "vh", id: "place-hint" }, serviceAt ? "Checked in this browser as you type. A page is never sent. A URL is sent to this site's host, where a waypost service can fetch it." : "Checked in this browser as you type. Nothing is sent.")),
    el("button", { class: "btn btn-go", type: "button", onclick: begin }, "Check"),
    el("span", { class: "filebtn" }, file, el("label", { for: "file", class: "btn", "aria-hidden": "true" }, "Open files")),
    el("span", { class: "filebtn open-folder" }, folder, el("label", { for: "folder", class: "btn", "aria-hidden": "true" }, "Open a folder")),
    kinds, options.element);
  narrow.addEventListener("change", drawExcerpts);
  fill(home, first, statusLine, files, sum, columns);
  nothing();
  return { restore: (/** @type {Json} */ value) => {
    options.restore(value);
    if (typeof value.text !== "string") return;
    if (addressIn(value.text)) { box.value = value.text; begin(); } else take(value.text);
  } };
};

start(validateBench);
