// Alike findings together. Counterpart of waypost/report/_causes.py: the same words.

const ORDER = ["error", "warning", "info"];
const MISSED = "feature-not-eligible", RECOMMENDED = "recommended-property-missing", LOST_ITEM = "microdata-itemtype-without-itemscope";
const LONGEST_NAME = 60;
const groupsOf = (/** @type {any[]} */ list, /** @type {(each: any) => any} */ key) => {
  const groups = new Map();
  for (const each of list) {
    const name = key(each), same = groups.get(name);
    if (same) same.push(each); else groups.set(name, [each]);
  }
  return [...groups.values()];
};

/** Index of the node that a finding is about; in a report without verdicts that of the item. @param {any} finding */
const numberOfNode = ({ verdict, item }) => verdict ?? item;
/** Nodes of a page with a verdict; the items as such where a report has none. @param {any} file @returns {any[]} */
const nodesIn = ({ verdicts = [], items }) => (verdicts.length ? verdicts : items);

/** Does a finding keep consumers from reading items at all: the text of a script, or a type without itemscope? @param {any} finding */
const isUnread = ({ severity, rule, profile }) => severity === "error" && ((rule === LOST_ITEM && !profile) || (rule.startsWith("json-") && rule !== "json-duplicate-key"));

/** -1 for a finding that costs whole items, 0 for one that costs a result, 1 for a wrong value, 2 for advice. @param {any} finding */
const effectOf = (finding) => (isUnread(finding) ? -1 : finding.rule === RECOMMENDED ? 2 : finding.profile ? 0 : 1);

/** Alike findings together, greatest effect first, else in the order of their places. @param {any[]} findings @returns {any[][]} */
const folded = (findings) =>
  groupsOf(findings, (each) => (each.pointer === undefined ? each : globalThis.Waypost.causeOf(each))).sort((one, other) =>
    ORDER.indexOf(one[0].severity) - ORDER.indexOf(other[0].severity) || effectOf(one[0]) - effectOf(other[0]) || other.length - one.length);

const inWords = (/** @type {string[]} */ words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0]);
const numbered = (/** @type {number} */ number, /** @type {string} */ noun) => `${withCommas(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Further values that alike findings quote: "also 'Foo', 'Bar' and 3 more"; empty without any. @param {any[]} same */
const moreValues = (same) => {
  const [, ...others] = new Set(same.map(({ message, property }) => message.match(/(?<!\w)'[^']+'/)?.[0] ?? property ?? ""));
  const named = others.length <= 3 ? others : [...others.slice(0, 2), `${withCommas(others.length - 2)} more`];
  return named.length ? `also ${inWords(named)}` : "";
};

/** An item in words: Product 'Loma kettle'. @param {any} item */
const labelOf = (item) => {
  const name = [...(item.name || "")];
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).join("").trimEnd()}…` : name.join("");
  const types = item.types.join(" and ") || "item without a type";
  return short ? `${types} '${short}'` : types;
};

/** Rich results in words: "google/product-snippet" is "product snippet results". @param {string[]} profiles */
const resultsOf = (profiles) => `${inWords([...new Set(profiles.map((each) => globalThis.Waypost.resultName(each).slice(0, -8)))])} results`;

/** Why earned results are not shown now: ", but the event ended on 2019-05-01". @param {any} node */
const lapsesIn = ({ lapsed = [] }) => (lapsed.length ? `, but ${inWords([...new Set(lapsed.map((/** @type {any} */ each) => each.text))])}` : "");

const afterColon = (/** @type {string} */ text) => (text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "");

/** The numbers of a report in words: causes, and their places where there are more. @param {any} summary */
const summed = ({ errors, warnings, infos, causes = {} }) => {
  const parts = [["error", errors, causes.errors], ["warning", warnings, causes.warnings], ["note", infos, causes.infos]]
    .filter(([, places]) => places)
    .map(([noun, places, number = places]) => numbered(number, noun) + (places > number ? ` (${withCommas(places)} places)` : ""));
  return parts.length ? parts.join(", ") : "Nothing wrong";
};
