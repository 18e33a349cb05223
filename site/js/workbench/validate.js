// The validate page: a page or JSON-LD on the left, every finding on the right, nothing sent anywhere.

const LARGEST = 2 << 20;

/** @param {any} home */
const validateBench = (home) => {
  const { faults, profiles } = globalThis.WaypostValidate;
  const area = el("textarea", { id: "source", spellcheck: "false", autocomplete: "off", rows: "22", class: "code-area", "aria-describedby": "source-hint" });
  const said = el("p", { class: "hint", role: "status" });
  const results = el("div", { class: "stack" });
  const summary = el("p", { class: "lede", role: "status" });
  const file = el("input", { type: "file", accept: ".html,.htm,.json,.jsonld,.txt", class: "vh", id: "file", onchange: async () => { if (file.files?.[0]) opened(file.files[0]); } });
  const kinds = el("select", { id: "examples", onchange: () => { const found = faults[Number(kinds.value)]; if (found) take(found.text); } },
    el("option", { value: "" }, "Choose an example"), ...faults.map((/** @type {any} */ each, /** @type {number} */ number) => el("option", { value: number }, each.name)));
  /** What was judged last: a report, and the text that it is about. @type {any} */
  let report = null;
  let about = "";
  /** Every judging has a number; one that is not the last is given up. */
  let last = 0;
  /** The name of the file that was opened. */
  let path = "-";

  const take = (/** @type {string} */ text, named = "-") => { path = named; area.value = text; judge(); };
  const opened = async (/** @type {File} */ given) => {
    if (given.size > LARGEST) { said.textContent = "This file is more than 2 MB: use the command line for it."; return; }
    take(await given.text(), given.name);
  };
  const options = asking(profiles, () => judge());
  const go = (/** @type {any} */ finding) => { area.focus(); area.setSelectionRange(finding.from, finding.to); scrollTo(finding); };
  const scrollTo = (/** @type {any} */ finding) => {
    const height = parseFloat(getComputedStyle(area).lineHeight) || 20;
    area.scrollTop = Math.max(0, (finding.line - 5) * height);
  };
  /** Places are those of the text that was judged: one that has changed since is judged again first. @param {(text: string) => void} work */
  const onJudged = (work) => { if (area.value === about) work(about); else judge(); };
  const mend = (/** @type {any} */ finding) => onJudged((text) => { take(mended(text, [finding]), path); area.focus(); });
  const mendAll = () => onJudged(async (text) => {
    const own = (last += 1);
    const made = await mendedAll(text, async (each) => (await judged({ ...options.asked(), text: each, path }, () => own === last, say))?.files[0]);
    if (made) take(made, path);
  });

  const say = (/** @type {string} */ words) => { summary.textContent = words; };
  const judge = async () => {
    const own = (last += 1);
    said.textContent = "";
    const text = area.value;
    if (!text.trim()) { fill(results, el("p", { class: "note" }, "Paste a page or JSON-LD, drop a file on the box, or choose an example.")); summary.textContent = ""; return; }
    if (text.length > LARGEST) { fill(results, el("p", { class: "note" }, "This is more than 2 MB: use the command line for it.")); summary.textContent = ""; return; }
    const began = performance.now();
    results.setAttribute("aria-busy", "true");
    try {
      const made = await judged({ ...options.asked(), text, path }, () => own === last, say);
      if (!made) return;
      [report, about] = [made, text];
      draw(performance.now() - began);
    } catch (fault) {
      fill(results, el("p", { class: "note" }, /** @type {Error} */ (fault).message));
      summary.textContent = "Not judged.";
    }
    if (own === last) results.removeAttribute("aria-busy");
  };

  const draw = (/** @type {number} */ ms) => {
    const [found] = report.files;
    const shown = found.findings.filter((/** @type {any} */ each) => each.severity !== "info");
    const notes = found.findings.filter((/** @type {any} */ each) => each.severity === "info");
    const safe = found.findings.filter((/** @type {any} */ each) => each.fix?.safe).length;
    const fails = found.findings.some((/** @type {any} */ each) => options.failing(each.severity));
    const told = verdictLines(verdictsOf(found.items, found.findings));
    summary.textContent = `${summed(report.summary)}; ${found.items.length} item${found.items.length === 1 ? "" : "s"} read. In CI ${fails ? "it fails the build" : "it passes"}.`;
    fill(results,
      found.items.length > 0 && el("section", {}, el("h2", {}, "Verdict"), el("ul", { class: "verdicts" }, ...told.map((line) => el("li", {}, line)), told.length === 0 && el("li", {}, "No rich result is made for what was read, and nothing stands against it."))),
      el("section", { "aria-labelledby": "h-found" }, el("div", { class: "row-h" }, el("h2", { id: "h-found" }, "Findings"),
        safe > 0 && el("button", { class: "btn btn-s", type: "button", onclick: mendAll }, `Apply ${safe} safe fix${safe === 1 ? "" : "es"}`)),
        shown.length ? grouped(shown, found.items, { go, mend, text: about }) : el("p", { class: "note" }, "No error and no warning."),
        notes.length > 0 && el("details", { class: "fold", open: options.chosen().fail === "info" }, el("summary", {}, `${notes.length} more, good to know`), pagedList(folded(notes), { go, mend, text: about }))),
      el("section", { "aria-label": "About this result" }, el("dl", { class: "facts facts-4" },
        fact("Time", `${ms.toFixed(1)} ms`), fact("Source", "This browser", "nothing was sent"), fact("Registry", report.registry_version), fact("Not judged here", `${report.not_judged.length} checks`))),
      el("details", { class: "fold" }, el("summary", {}, "What the browser does not judge"), el("p", { class: "note" }, "The command line and the service judge these too."), el("ul", {}, ...report.not_judged.map((/** @type {any} */ each) => el("li", {}, el("code", {}, each.name), `: ${each.why}`)))),
      el("section", { "aria-labelledby": "h-take" }, el("h2", { id: "h-take" }, "Take it along"), el("p", { class: "tags" },
        shareButton(() => ({ text: area.value, ...options.kept() }), said),
        download("report.json", () => JSON.stringify({ ...report, files: report.files.map(plainFile) }, null, 2), "application/json", "Report as JSON"),
        download("report.md", () => asMarkdown(report), "text/markdown", "Markdown"),
        download("report.sarif", () => asSarif(report, about), "application/sarif+json", "SARIF"),
        download("report.xml", () => asJunit(report, options.failing), "application/xml", "JUnit"),
        download("annotations.txt", () => asGithub(report), "text/plain", "GitHub annotations"),
        copyButton("Copy as CI job", `- run: pip install waypost\n- run: waypost validate public/ --format github${options.flags()}\n`),
        copyButton("Copy as pre-commit hook", `- repo: https://github.com/OWNER/waypost\n  rev: v${report.tool.version}\n  hooks:\n    - id: waypost-validate\n`))));
  };

  const later = settled(judge, 250);
  area.addEventListener("input", () => { last += 1; later(); });
  // Whoever comes to the box is about to need them.
  area.addEventListener("focus", () => { judgingParts(() => {}).catch(() => {}); }, { once: true });
  area.addEventListener("dragover", (event) => { event.preventDefault(); });
  area.addEventListener("drop", async (/** @type {any} */ event) => {
    const [dropped] = event.dataTransfer?.files || [];
    if (!dropped) return;
    event.preventDefault();
    await opened(dropped);
  });
  fill(home, el("div", { class: "two two-bench" },
    el("div", { class: "stack" },
      el("div", { class: "field grow" }, el("label", { for: "source" }, "A page or JSON-LD"), area, el("p", { class: "hint", id: "source-hint" }, "It is judged as you type, in this page alone: nothing is sent.")),
      el("p", { class: "tags" }, el("label", { for: "examples", class: "vh" }, "Example"), kinds, file, el("label", { for: "file", class: "btn btn-s" }, "Open a file")),
      options.element,
      said),
    el("div", { class: "stack" }, summary, results)));
  judge();
  return { restore: (/** @type {any} */ value) => { options.restore(value); if (typeof value.text === "string") take(value.text); } };
};

const FAILS = [["error", "Errors"], ["warning", "Errors and warnings"], ["info", "Everything that is said"]];

/** What may be asked besides, as the command line's options. @param {string[]} profiles @param {() => void} changed */
const asking = (profiles, changed) => {
  const profile = el("select", { id: "profile", onchange: changed }, el("option", { value: "" }, "Those that its items ask for"), ...profiles.map((name) => el("option", {}, name)));
  const types = el("input", { id: "types", autocomplete: "off", spellcheck: "false", placeholder: "Recipe, Event" });
  const address = el("input", { id: "address", type: "url", inputmode: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://www.example.com/page", "aria-describedby": "address-hint" });
  const hint = el("p", { class: "hint", id: "address-hint", role: "status" });
  const fail = el("select", { id: "fail", onchange: changed }, ...FAILS.map(([value, text]) => el("option", { value }, text)));
  const names = () => types.value.split(/[\s,]+/).filter(Boolean);
  const url = () => (/^https?:\/\//i.test(address.value.trim()) && URL.canParse(address.value.trim()) ? address.value.trim() : null);
  const later = settled(changed, 250);
  const typed = () => {
    hint.textContent = address.value.trim() && !url() ? "This is no address that begins with https:// or http://: it is left out." : "";
    later();
  };
  for (const each of [types, address]) each.addEventListener("input", typed);
  const chosen = () => ({ profile: profile.value, types: types.value.trim(), url: address.value.trim(), fail: fail.value });
  const element = el("details", { class: "fold" }, el("summary", {}, "Options"), el("div", { class: "stack" },
    el("div", { class: "field" }, el("label", { for: "profile" }, "Rich result to judge in full ", el("code", {}, "--profile")), profile),
    el("div", { class: "field" }, el("label", { for: "types" }, "Only items of these types"), types),
    el("div", { class: "field" }, el("label", { for: "address" }, "Where the page will stand ", el("code", {}, "--base-url")), address, hint),
    el("div", { class: "field" }, el("label", { for: "fail" }, "What fails a build ", el("code", {}, "--fail-on")), fail)));
  return {
    element,
    chosen,
    asked: () => ({ profiles: profile.value ? [profile.value] : [], types: names(), url: url() }),
    failing: (/** @type {string} */ severity) => severity === "error" || fail.value === "info" || fail.value === severity,
    flags: () => `${profile.value && " --profile " + profile.value}${fail.value === "error" ? "" : " --fail-on " + fail.value}`,
    /** What a link keeps: what differs from the beginning. */
    kept: () => Object.fromEntries(Object.entries(chosen()).filter(([name, value]) => value && !(name === "fail" && value === "error"))),
    /** From a link, which may say anything. @param {any} value */
    restore: (value) => {
      const text = (/** @type {any} */ given) => (typeof given === "string" ? given.slice(0, 2000) : "");
      profile.value = profiles.includes(value.profile) ? value.profile : "";
      types.value = text(value.types);
      address.value = text(value.url);
      fail.value = FAILS.some(([name]) => name === value.fail) ? value.fail : "error";
      element.open = Boolean(profile.value || types.value || address.value || fail.value !== "error");
    },
  };
};

/** Findings below the item that they are about, the items in the order of their first; without headings where there is one.
 * @param {any[]} findings @param {any[]} items @param {any} acts */
const grouped = (findings, items, acts) => {
  const itemOf = (/** @type {any} */ each) => (items[each.item] ? each.item : -1);
  const groups = new Map();
  for (const same of folded(findings)) {
    const key = itemOf(same[0]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(same);
  }
  if (groups.size === 1) return pagedList([...groups.values()].flat(), acts);
  const named = (/** @type {number} */ key) => (key < 0 ? "The page itself" : `${brief(items[key].types.join(", "), 80) || "An item of no type"}, line ${items[key].line}`);
  const listed = (/** @type {any[][]} */ some) => {
    const parts = [];
    for (let from = 0, to; from < some.length; from = to) {
      const key = itemOf(some[from][0]);
      for (to = from + 1; to < some.length && itemOf(some[to][0]) === key;) to += 1;
      parts.push(el("section", {}, el("h3", {}, named(key)), findingList(some.slice(from, to).flat(), acts)));
    }
    return el("div", { class: "stack" }, ...parts);
  };
  return pagedList([...groups.values()].flat(), acts, listed);
};

/** @param {string} name @param {() => string} text @param {string} type @param {string} label */
const download = (name, text, type, label) => el("button", { class: "btn btn-s", type: "button", onclick: () => {
  const address = URL.createObjectURL(new Blob([text()], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
} }, label);

/** A file of the report as the command line prints it. @param {any} file */
const plainFile = ({ suppressed: _suppressed, ...file }) => ({ ...file, findings: file.findings.map(plainFinding) });
/** @param {any} finding */
const plainFinding = ({ from: _from, to: _to, fix, ...rest }) => ({ ...rest, ...(fix && { fix: { ...fix, edits: fix.edits.map(({ from: _start, to: _end, ...edit }) => edit) } }) });

/** @param {any} report */
const asMarkdown = ({ summary, files: [file] }) => {
  const rows = folded(file.findings).map(([each, ...others]) => {
    const hint = each.hint ? ` (${each.hint})` : "", more = others.length ? `; ${numbered(others.length, "more place")}` : "";
    return `- **${each.severity}** ${each.line}:${each.column} \`${each.profile || each.rule}\` ${each.message.replaceAll("|", "\\|")}${hint}${more}`;
  });
  return [`# ${summed(summary)}`, "", ...verdictLines(verdictsOf(file.items, file.findings)).map((line) => `- ${line}`), "", ...rows, ""].join("\n");
};

start(validateBench);
