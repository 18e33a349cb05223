// The report in the formats of other programs, as the command line writes them. Counterparts of waypost/report/{sarif,junit,github}.py;
// what a rule is in full (its documentation) is left to its page.

import { link } from "./dom.js";
import { byteOffsets } from "./fix.js";

const LEVELS = { error: "error", warning: "warning", info: "note" };
/** @type {Record<Severity, string>} */
const COMMANDS = { error: "error", warning: "warning", info: "notice" };
const CONTROLS = /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Text that cannot move the cursor, change a colour or hide. @param {string} text */
const visibly = (text) => text.replace(CONTROLS, (found) => {
  const code = /** @type {number} */ (found.codePointAt(0));
  if (found === "\t") return "    ";
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
});

/** Where the page of a finding stands, if that can be opened from elsewhere. @param {Pick<Finding, "doc_url">} finding */
const pageOf = (finding) => (location.protocol.startsWith("http") ? new URL(link(finding.doc_url.replace(/^\//, "")), location.href).href : null);

/** The command that prints the page. @param {Finding} finding */
const explains = (finding) => "waypost rules " + finding.doc_url.split("/").slice(2, -1).join("/");

/** SARIF 2.1.0. @param {LintReport} report @param {string} text what it is about */
export const asSarif = (report, text) => {
  const [file] = report.files;
  const place = lineAndUnit(text), unit = byteOffsets(text), lines = text.split("\n");
  const all = [...file.findings, ...(file.suppressed || [])];
  const rules = [...new Set(all.map((each) => each.rule))].sort();
  const pages = new Map(all.map((each) => [each.rule, pageOf({ doc_url: `/rules/${each.rule}/` })]));
  const where = { uri: encodeURIComponent(file.path) };
  const marks = Boolean(file.suppressed?.length);
  return JSON.stringify({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: { driver: { name: report.tool.name, version: report.tool.version, rules: rules.map((id) => ({ id, ...(pages.get(id) && { helpUri: pages.get(id) }) })) } },
      invocations: [{ executionSuccessful: true }],
      columnKind: "utf16CodeUnits",
      newlineSequences: ["\r\n", "\n", "\r"],
      properties: { registryVersion: report.registry_version },
      results: all.map((each) => ({
        ruleId: each.rule,
        ruleIndex: rules.indexOf(each.rule),
        level: LEVELS[each.severity],
        message: { text: each.hint ? `${each.message}\n${each.hint}` : each.message },
        locations: [{ physicalLocation: { artifactLocation: where, region: { ...region(place, each.from, each.to), byteOffset: each.start, byteLength: each.end - each.start } } }],
        partialFingerprints: { "waypost/v1": each.fingerprint },
        properties: picked(each, ["authority", "profile", "syntax", "block", "pointer", "property"]),
        ...(each.related && { relatedLocations: each.related.map((other, id) => ({
          id,
          message: { text: other.message },
          physicalLocation: { artifactLocation: where, region: { startLine: other.line, startColumn: [...(lines[other.line - 1] || "")].slice(0, other.column - 1).join("").length + 1 } },
        })) }),
        ...(each.fix && { fixes: [{
          description: { text: each.hint || (each.fix.safe ? "a safe repair" : "a repair to review") },
          artifactChanges: [{ artifactLocation: where, replacements: each.fix.edits.map((edit) => ({ deletedRegion: region(place, unit(edit.start), unit(edit.end)), insertedContent: { text: edit.text } })) }],
          properties: { safe: each.fix.safe },
        }] }),
        ...(marks && { suppressions: each.suppression ? [{ kind: "inSource", ...(each.suppression.reason && { justification: each.suppression.reason }) }] : [] }),
      })),
    }],
  }, null, 2) + "\n";
};

/** @param {Record<string, Json>} thing @param {string[]} names */
const picked = (thing, names) => Object.fromEntries(names.filter((name) => thing[name] !== undefined && thing[name] !== null).map((name) => [name, thing[name]]));

/** @param {(unit: number) => [number, number]} place @param {number} from @param {number} to */
const region = (place, from, to) => {
  const [startLine, startColumn] = place(from), [endLine, endColumn] = place(to);
  return { startLine, startColumn, endLine, endColumn };
};

/** Line and column, in UTF-16, of an offset in UTF-16. @param {string} text @returns {(unit: number) => [number, number]} */
const lineAndUnit = (text) => {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (unit) => {
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= unit) low = middle; else high = middle;
    }
    return [low + 1, unit - starts[low] + 1];
  };
};

/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };
/** @param {string} text @param {RegExp} which */
export const escaped = (text, which) => text.split("\n").map(visibly).join("\n").replace(which, (found) => ESCAPES[found]);
const inTag = (/** @type {string} */ text) => `"${escaped(text, /[&<>"\n]/g)}"`;

/** JUnit XML: a case for each finding, failed where the finding fails the run. @param {LintReport} report @param {(severity: string) => boolean} fails */
export const asJunit = (report, fails) => {
  const [file] = report.files;
  const displayed = file.findings.filter((each) => fails("info") || each.severity !== "info");
  const failures = displayed.filter((each) => fails(each.severity)).length;
  const name = inTag(file.path), tests = Math.max(displayed.length, 1);
  const cases = displayed.map((each) => {
    const source = each.profile ? `${each.authority}, ${each.profile}` : each.authority;
    const text = escaped([`${file.path}:${each.line}:${each.column}`, each.message, each.hint, `${source}: ${pageOf(each) || explains(each)}`].filter(Boolean).join("\n"), /[&<>]/g);
    return `    <testcase name=${inTag(each.rule + " " + each.line + ":" + each.column)} classname=${name} file=${name} line="${each.line}">\n`
      + (fails(each.severity) ? `      <failure type="${each.severity}" message=${inTag(each.message)}>${text}</failure>\n` : `      <system-out>${each.severity}: ${text}</system-out>\n`)
      + "    </testcase>\n";
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="waypost" tests="${tests}" failures="${failures}" errors="0">\n`
    + `  <testsuite name=${name} tests="${tests}" failures="${failures}" errors="0">\n`
    + (cases.join("") || `    <testcase name="structured data" classname=${name}/>\n`)
    + "  </testsuite>\n</testsuites>\n";
};

/** Workflow commands of GitHub Actions. @param {LintReport} report */
export const asGithub = (report) => {
  const [file] = report.files;
  const data = (/** @type {string} */ text) => visibly(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
  const property = (/** @type {string} */ text) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return file.findings.filter((each) => each.severity !== "info").map((each) => {
    const columns = each.line === each.end_line ? `,col=${each.column},endColumn=${each.end_column}` : "";
    const annotation = [each.message, each.hint, pageOf(each)].map((part) => part ?? "").filter(Boolean).map(data).join("%0A");
    return `::${COMMANDS[each.severity]} file=${property(file.path)},line=${each.line},endLine=${each.end_line}${columns},title=${property(each.rule + " (" + (each.profile || each.authority) + ")")}::${annotation}\n`;
  }).join("");
};
