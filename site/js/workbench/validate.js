// The validate page: one box for a page, JSON-LD or an address, and next to it the report, errors first.

import { folded, nodesIn, numberOfNode, numbered, summed } from "./causes.js";
import { brief, copyButton, el, fact, fill, settled, shape } from "./dom.js";
import { editorOf } from "./editor.js";
import { checkingParts, validated } from "./engine.js";
import { asGithub, asJunit, asSarif } from "./exports.js";
import { findingList, pagedList } from "./findings.js";
import { fixedAll, withFixes } from "./fix.js";
import { LARGEST, addressIn, fetchedPage, fetcher, insteadOfFetching, noServiceWords, sentWords, serviceAt } from "./intake.js";
import { outcomeOf } from "./outcome.js";
import { asPage, asPicture, ownUrl } from "./sendon.js";
import { shareButton } from "./share.js";
import { keep, start } from "./start.js";
import { adviceLines, verdictLines, verdictParts, verdictsOf } from "./verdicts.js";

/** @param {HTMLElement} home */
const validateBench = (home) => {
  const { examples, profiles, repository } = globalThis.WaypostValidate;
  const area = el("textarea", { id: "source", spellcheck: "false", autocomplete: "off", autocapitalize: "off", rows: "24", class: "code-area", "aria-describedby": "source-hint",
    placeholder: "https://www.example.com/page\n\nor the source of a page, or JSON-LD:\n\n{\n  \"@context\": \"https://schema.org\",\n  \"@type\": \"Recipe\"\n}" });
  const editor = editorOf(area, (finding) => go(finding));
  const statusLine = el("p", { class: "hint", role: "status" });
  const results = el("div", { class: "stack" });
  /** What a report shows, from the page as it is without a script. */
  const legend = home.querySelector("[data-legend]");
  const line = el("p", { class: "lede" });
  const outcome = el("div", { class: "outcome", role: "status" }, line);
  const answer = el("section", { class: "stack stack-s answer", "aria-label": "Result" }, outcome, results);
  const file = el("input", { type: "file", accept: ".html,.htm,.json,.jsonld,.txt", class: "vh", id: "file", "aria-label": "Open a file", onchange: async () => { if (file.files?.[0]) opened(file.files[0]); } });
  const kinds = el("select", { id: "examples", onchange: () => { const found = examples[Number(kinds.value)]; if (kinds.value !== "" && found) take(found.text); } },
    el("option", { value: "" }, "Try an example"), ...examples.map((each, number) => el("option", { value: number }, each.name)));
  /** The text that was checked last. */
  let about = "";
  /** Every check has a number; one that is not the last is given up. */
  let last = 0;
  /** What was typed waits to be checked; pressing Check does not wait. */
  let waiting = false;
  /** The name of the file that was opened. */
  let path = "-";
  /** The address of the page in the box, where a service fetched it. */
  let fetched = "";

  /** A complete text is checked at once, and on a phone its result comes first. */
  const take = (/** @type {string} */ text, named = "-", from = "") => {
    waiting = false;
    [path, fetched] = [named, from];
    editor.set(text);
    return check().then(arrange);
  };
  const opened = async (/** @type {File} */ given) => {
    if (given.size > LARGEST) { statusLine.textContent = "This file is larger than 2 MB. Check it with the command line."; return; }
    take(await given.text(), given.name);
  };
  const options = lintOptions(profiles, () => check());
  const go = (/** @type {Finding} */ finding) => { if (editor.whole() === about) editor.go(finding); else check(); };
  /** Places are those of the text that was checked: one that has changed since is checked again first. @param {(text: string) => void} work */
  const onChecked = (work) => { if (editor.whole() === about) work(about); else check(); };
  const again = (/** @type {string} */ text) => take(text, path, fetched);
  const applyFix = (/** @type {Finding} */ finding) => onChecked((text) => { again(withFixes(text, [finding])); area.focus(); });
  const fixAll = () => onChecked(async (text) => {
    const own = (last += 1);
    const made = await fixedAll(text, async (each) => (await validated({ ...options.request(), text: each, path }, () => own === last, announce))?.files[0]);
    if (!made) return;
    await again(made);
    area.focus();
    if (made === text) statusLine.textContent = "Nothing was fixed: the fix would lead to another finding. The button Fix at the finding applies it anyway.";
  });

  const announce = (/** @type {string} */ words) => { if (words) showOutcome("note", words); };
  /** The first line of the answer: a shape, the result, and its meaning. */
  const showOutcome = (/** @type {string} */ kind, /** @type {string} */ title, more = "") => {
    outcome.dataset.kind = kind;
    line.textContent = title;
    fill(outcome, shape({ stop: "fault", heed: "heed", go: "go" }[kind] || "note"), el("div", {}, line, more && el("p", {}, more)));
  };
  const nothing = () => {
    showOutcome("note", "Nothing checked yet", "Paste a page, JSON-LD or a URL, open a file, or start with an example:");
    fill(results, el("ul", { class: "starts" }, ...examples.map((each) => el("li", {}, el("button", { class: "btn btn-s", type: "button", onclick: () => take(each.text) }, each.name)))), legend);
  };
  const check = async () => {
    const own = (last += 1);
    statusLine.textContent = "";
    const text = editor.whole();
    keep(text.trim() && !addressIn(text) ? { text, ...options.retained() } : null);
    if (!text.trim()) { nothing(); return; }
    if (text.length > LARGEST) { showOutcome("note", "Not checked", "This is larger than 2 MB. Check it with the command line."); fill(results); return; }
    const address = addressIn(text);
    if (address) { ofAddress(address); return; }
    const began = performance.now();
    results.setAttribute("aria-busy", "true");
    try {
      const made = await validated({ ...options.request(fetched), text, path }, () => own === last, announce);
      if (!made) return;
      about = text;
      draw(made, performance.now() - began);
    } catch (error) {
      fill(results);
      showOutcome("note", "Not checked", /** @type {Error} */ (error).message);
    }
    if (own === last) results.removeAttribute("aria-busy");
  };

  /** The box holds an address: nothing of its page is known yet. @param {string} address */
  const ofAddress = (address) => {
    showOutcome("note", "This is a URL, not a page", serviceAt ? `Press Check: ${fetcher} fetches the page, and this browser checks it.` : noServiceWords());
    fill(results, !serviceAt && insteadOfFetching(address));
  };
  const fetchAndCheck = async (/** @type {string} */ address) => {
    const own = (last += 1);
    showOutcome("note", "Fetching the page…");
    fill(results);
    try {
      const page = await fetchedPage(address);
      if (own !== last) return;
      await take(page.text, "-", page.url);
      if (page.status >= 400) statusLine.textContent = `The server answered with status ${page.status}: this may be an error page.`;
    } catch (error) {
      if (own !== last) return;
      showOutcome("note", "Not fetched", /** @type {Error} */ (error).message);
      fill(results, insteadOfFetching(address));
    }
  };
  const start = () => {
    waiting = false;
    const address = addressIn(editor.whole());
    if (address && serviceAt) return fetchAndCheck(address).then(arrange);
    return check().then(arrange);
  };

  const draw = (/** @type {LintReport} */ report, /** @type {number} */ ms) => {
    const [found] = report.files;
    const displayed = found.findings.filter((each) => each.severity !== "info");
    const notes = found.findings.filter((each) => each.severity === "info");
    const safe = found.findings.filter((each) => each.fix?.safe).length;
    const fails = found.findings.some((each) => options.failing(each.severity));
    const lines = verdictParts(found);
    const made = outcomeOf(report, fails);
    const where = fetched || (path === "-" ? ownUrl(about) : path);
    const acts = { go, applyFix, text: about };
    showOutcome(made.kind, made.title, made.detail);
    editor.mark(found.findings);
    fill(results,
      lines.length > 0 && el("section", {}, el("h2", {}, "Verdict"), el("ul", { class: "verdicts" }, ...lines.map(verdictEntry))),
      displayed.length > 0 && el("section", { "aria-labelledby": "h-found" }, el("div", { class: "row-h" }, el("h2", { id: "h-found" }, "Findings"),
        safe > 0 && el("button", { class: "btn btn-s", type: "button", onclick: fixAll }, `Apply ${safe} safe fix${safe === 1 ? "" : "es"}`)),
        grouped(displayed, nodesIn(found), acts)),
      notes.length > 0 && el("details", { class: "fold", open: options.chosen().fail === "info" }, el("summary", {}, `${numbered(notes.length, "note")}, good to know`), pagedList(folded(notes), acts)),
      el("section", { "aria-labelledby": "h-send" }, el("h2", { id: "h-send" }, "Share this report"),
        el("p", { class: "note" }, "The link contains the page itself, in its fragment, which is not sent to a server. The other two are files."),
        el("p", { class: "tags" }, shareButton(() => ({ text: editor.whole(), ...options.retained() }), statusLine),
          download("waypost-report.html", () => asPage(report, made, where), "text/html", "Report as HTML"),
          download("waypost-report.png", () => asPicture(report, made, where), "image/png", "Report as image"))),
      el("details", { class: "fold" }, el("summary", {}, "Export for tools: JSON, SARIF, JUnit, CI"), el("p", { class: "tags" },
        download("report.json", () => JSON.stringify({ ...report, files: report.files.map(plainFile) }, null, 2), "application/json", "Report as JSON"),
        download("report.md", () => asMarkdown(report), "text/markdown", "Markdown"),
        download("report.sarif", () => asSarif(report, about), "application/sarif+json", "SARIF"),
        download("report.xml", () => asJunit(report, options.failing), "application/xml", "JUnit"),
        download("annotations.txt", () => asGithub(report), "text/plain", "GitHub annotations"),
        copyButton("Copy as CI job", `- run: pip install 'waypost @ git+${repository}@v${report.tool.version}'\n- run: waypost validate public/ --format github${options.flags()}\n`),
        copyButton("Copy as pre-commit hook", `- repo: ${repository}\n  rev: v${report.tool.version}\n  hooks:\n    - id: waypost\n`))),
      el("details", { class: "fold" }, el("summary", {}, "About this check"), el("dl", { class: "facts facts-4" },
        fact("Time", `${ms.toFixed(1)} ms`), fact("Checked by", "this browser", sentWords()), fact("Registry", report.registry_version), fact("Not checked here", `${report.not_checked.length} checks`)),
      el("p", { class: "note" }, "Only the command line and the service check these:"), el("ul", { class: "verdicts" }, ...report.not_checked.map((each) => el("li", {}, el("code", {}, each.name), `: ${each.why}`)))));
  };

  const later = settled(() => { if (waiting) { waiting = false; check(); } }, 250, () => editor.whole().length);
  area.addEventListener("input", () => { last += 1; waiting = true; later(); });
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || addressIn(editor.whole()))) return;
    event.preventDefault();
    start();
  });
  // Needed as soon as the box has the focus.
  area.addEventListener("focus", () => { checkingParts(() => {}).catch(() => {}); }, { once: true });
  area.addEventListener("dragover", (event) => { event.preventDefault(); });
  area.addEventListener("drop", async (event) => {
    const [dropped] = event.dataTransfer?.files || [];
    if (!dropped) return;
    event.preventDefault();
    await opened(dropped);
  });
  const box = el("section", { class: "stack stack-s", "aria-label": "Your page" },
    el("div", { class: "field" }, el("label", { for: "source" }, "Page source, JSON-LD or a URL"), editor.element,
      el("p", { class: "hint", id: "source-hint" }, serviceAt ? "Checked in this browser as you type. A page is never sent. A URL is sent to this site's host, where a waypost service can fetch it." : "Checked in this browser as you type. Nothing is sent.")),
    el("p", { class: "tags" }, el("button", { class: "btn btn-go", type: "button", onclick: start }, "Check"), file, el("label", { for: "file", class: "btn", "aria-hidden": "true" }, "Open a file"), el("label", { for: "examples", class: "vh" }, "Example"), kinds),
    statusLine,
    options.element);
  const both = el("div", { class: "two two-bench" }, box, answer);
  const narrow = matchMedia("(max-width: 60rem)");
  /** On a narrow screen a result stands above the box, in the order of reading too; nothing moves while the reader types. */
  const arrange = () => {
    if (narrow.matches && editor.whole().trim()) { if (both.firstChild !== answer) both.prepend(answer); } else if (both.lastChild !== answer) both.append(answer);
  };
  narrow.addEventListener("change", arrange);
  fill(home, both);
  check();
  return { restore: (/** @type {Json} */ value) => {
    options.restore(value);
    if (typeof value.text !== "string") return;
    if (addressIn(value.text)) { editor.set(value.text); start(); } else take(value.text);
  } };
};

const FAILS = [["error", "Errors"], ["warning", "Errors and warnings"], ["info", "Everything, notes too"]];

/** Options of a check, as those of the command line. @param {string[]} profiles @param {() => void} changed */
const lintOptions = (profiles, changed) => {
  const profile = el("select", { id: "profile", onchange: changed }, el("option", { value: "" }, "All that apply to its items"), ...profiles.map((name) => el("option", {}, name)));
  const types = el("input", { id: "types", autocomplete: "off", spellcheck: "false", placeholder: "Recipe, Event" });
  const address = el("input", { id: "address", type: "url", inputmode: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://www.example.com/page", "aria-describedby": "address-hint" });
  const hint = el("p", { class: "hint", id: "address-hint", role: "status" });
  const fail = el("select", { id: "fail", onchange: changed }, ...FAILS.map(([value, text]) => el("option", { value }, text)));
  const names = () => types.value.split(/[\s,]+/).filter(Boolean);
  const url = () => (/^https?:\/\//i.test(address.value.trim()) && URL.canParse(address.value.trim()) ? address.value.trim() : null);
  const later = settled(changed, 250);
  const typed = () => {
    hint.textContent = address.value.trim() && !url() ? "This is not an address that begins with https:// or http://: it is left out." : "";
    later();
  };
  for (const each of [types, address]) each.addEventListener("input", typed);
  const chosen = () => ({ profile: profile.value, types: types.value.trim(), url: address.value.trim(), fail: fail.value });
  const element = el("details", { class: "fold" }, el("summary", {}, "Options"), el("div", { class: "stack" },
    el("div", { class: "field" }, el("label", { for: "profile" }, "Rich result to check in full ", el("code", {}, "--profile")), profile),
    el("div", { class: "field" }, el("label", { for: "types" }, "Only items of these types"), types),
    el("div", { class: "field" }, el("label", { for: "address" }, "URL of the page ", el("code", {}, "--base-url")), address, hint),
    el("div", { class: "field" }, el("label", { for: "fail" }, "What fails the build ", el("code", {}, "--fail-on")), fail)));
  return {
    element,
    chosen,
    /** @param {string} [usual] where the page comes from, unless an option says where it will stand */
    request: (usual = "") => ({ profiles: profile.value ? [profile.value] : [], types: names(), url: url() || usual || null }),
    failing: (/** @type {string} */ severity) => severity === "error" || fail.value === "info" || fail.value === severity,
    flags: () => `${profile.value && " --profile " + profile.value}${fail.value === "error" ? "" : " --fail-on " + fail.value}`,
    /** What a link keeps: what differs from the beginning. */
    retained: () => Object.fromEntries(Object.entries(chosen()).filter(([name, value]) => value && !(name === "fail" && value === "error"))),
    /** From a link, which may hold anything. @param {Json} value */
    restore: (value) => {
      const text = (/** @type {unknown} */ given) => (typeof given === "string" ? given.slice(0, 2000) : "");
      profile.value = profiles.includes(value.profile) ? value.profile : "";
      types.value = text(value.types);
      address.value = text(value.url);
      fail.value = FAILS.some(([name]) => name === value.fail) ? value.fail : "error";
      element.open = Boolean(profile.value || types.value || address.value || fail.value !== "error");
    },
  };
};

/** @param {[string, string[]]} verdict whose it is, and its parts */
const verdictEntry = ([subject, parts]) => el("li", {}, subject && el("b", {}, subject),
  ...(parts.length > 1 ? [el("ul", { class: "verdicts" }, ...parts.map((part) => el("li", {}, part)))] : [subject && ": ", parts[0]]));

/** Findings below the item that they are about, the items in the order of their first; without headings where there is one.
 * @param {Finding[]} findings @param {Item[]} items @param {import("./findings.js").Acts} acts */
const grouped = (findings, items, acts) => {
  const itemOf = (/** @type {Finding} */ each) => { const number = numberOfNode(each) ?? -1; return items[number] ? number : -1; };
  /** @type {Map<number, Finding[][]>} */
  const groups = new Map();
  for (const same of folded(findings)) {
    const key = itemOf(same[0]);
    const group = groups.get(key);
    if (group) group.push(same); else groups.set(key, [same]);
  }
  if (groups.size === 1) return pagedList([...groups.values()].flat(), acts);
  const named = (/** @type {number} */ key) => (key < 0 ? "The page itself" : `${brief(items[key].types.join(", "), 80) || "An item of no type"}, line ${items[key].line}`);
  const section = (/** @type {Finding[][]} */ some) => {
    const parts = [];
    for (let from = 0, to; from < some.length; from = to) {
      const key = itemOf(some[from][0]);
      for (to = from + 1; to < some.length && itemOf(some[to][0]) === key;) to += 1;
      parts.push(el("section", {}, el("h3", {}, named(key)), findingList(some.slice(from, to).flat(), acts)));
    }
    return el("div", { class: "stack" }, ...parts);
  };
  return pagedList([...groups.values()].flat(), acts, section);
};

/** @param {string} name @param {() => string|Blob|Promise<Blob>} text @param {string} type @param {string} label */
const download = (name, text, type, label) => el("button", { class: "btn btn-s", type: "button", onclick: async () => {
  const address = URL.createObjectURL(new Blob([await text()], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
} }, label);

/** A file of the report as the command line prints it. @param {FileReport} file */
const plainFile = ({ suppressed: _suppressed, ...file }) => ({ ...file, findings: file.findings.map(plainFinding) });
/** @param {Finding} finding */
const plainFinding = ({ from: _from, to: _to, fix, ...rest }) => ({ ...rest, ...(fix && { fix: { ...fix, edits: fix.edits.map(({ from: _start, to: _end, ...edit }) => edit) } }) });

/** @param {LintReport} report */
const asMarkdown = ({ summary, files: [file] }) => {
  const rows = folded(file.findings).map(([each, ...others]) => {
    const hint = each.hint ? ` (${each.hint})` : "", more = others.length ? `; ${numbered(others.length, "more place")}` : "";
    return `- **${each.severity}** ${each.line}:${each.column} \`${each.profile || each.rule}\` ${each.message.replaceAll("|", "\\|")}${hint}${more}`;
  });
  return [`# ${summed(summary)}`, "", ...[...verdictLines(verdictsOf(file)), ...adviceLines(file)].map((line) => `- ${line}`), "", ...rows, ""].join("\n");
};

start(validateBench);
