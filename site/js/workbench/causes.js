// Alike findings together. Counterpart of waypost/report/_causes.py: the same words.

import { withCommas } from "./dom.js";

export const ORDER = ["error", "warning", "info"];
export const MISSED = "feature-not-eligible";
export const RECOMMENDED = "recommended-property-missing";
export const LOST_ITEM = "microdata-itemtype-without-itemscope";
const LONGEST_NAME = 60;
/** Entries of a list with the same key together. @template T @param {T[]} list @param {(each: T) => unknown} key @returns {T[][]} */
export const groupsOf = (list, key) => {
  /** @type {Map<unknown, T[]>} */
  const groups = new Map();
  for (const each of list) {
    const name = key(each), same = groups.get(name);
    if (same) same.push(each); else groups.set(name, [each]);
  }
  return [...groups.values()];
};

/** Index of the node that a finding is about; in a report without verdicts that of the item. @param {Finding} finding */
export const numberOfNode = ({ verdict, item }) => verdict ?? item;

/** Does a finding keep consumers from reading items at all: the text of a script, or a type without itemscope? @param {Finding} finding */
export const isUnread = ({ severity, rule, profile }) => severity === "error" && ((rule === LOST_ITEM && !profile) || (rule.startsWith("json-") && rule !== "json-duplicate-key"));

/** -1 for a finding that costs whole items, 0 for one that costs a result, 1 for a wrong value, 2 for advice. @param {Finding} finding */
export const effectOf = (finding) => (isUnread(finding) ? -1 : finding.rule === RECOMMENDED ? 2 : finding.profile ? 0 : 1);

/** Alike findings together, greatest effect first, else in the order of their places. @param {Finding[]} findings @returns {Finding[][]} */
export const folded = (findings) =>
  groupsOf(findings, (each) => (each.pointer === undefined ? each : globalThis.Waypost.causeOf(each))).sort((one, other) =>
    ORDER.indexOf(one[0].severity) - ORDER.indexOf(other[0].severity) || effectOf(one[0]) - effectOf(other[0]) || other.length - one.length);

const inWords = (/** @type {string[]} */ words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : words[0]);
export const numbered = (/** @type {number} */ number, /** @type {string} */ noun) => `${withCommas(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Further values that alike findings quote: "also 'Foo', 'Bar' and 3 more"; empty without any. @param {Finding[]} same */
export const moreValues = (same) => {
  const [, ...others] = new Set(same.map(({ message, property }) => message.match(/(?<!\w)'[^']+'/)?.[0] ?? property ?? ""));
  const named = others.length <= 3 ? others : [...others.slice(0, 2), `${withCommas(others.length - 2)} more`];
  return named.length ? `also ${inWords(named)}` : "";
};

/** An item in words: Product 'Loma kettle'. @param {Item} item */
export const labelOf = (item) => {
  const name = [...(item.name || "")];
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).join("").trimEnd()}…` : name.join("");
  const types = item.types.join(" and ") || "item without a type";
  return short ? `${types} '${short}'` : types;
};

/** Rich results in words: "google/product-snippet" is "product snippet results". @param {string[]} profiles */
export const resultsOf = (profiles) => `${inWords([...new Set(profiles.map((each) => globalThis.Waypost.resultName(each).slice(0, -8)))])} results`;

/** Why earned results are not shown now: ", but the event ended on 2019-05-01". @param {Item} node */
export const lapsesIn = ({ lapsed = [] }) => (lapsed.length ? `, but ${inWords([...new Set(lapsed.map((each) => each.text))])}` : "");

export const afterColon = (/** @type {string} */ text) => (text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "");

/** The numbers of a report in words: causes, and their places where there are more. @param {Summary} summary */
export const summed = ({ errors, warnings, infos, causes = {} }) => {
  /** @type {[string, number, number|undefined][]} */
  const numbers = [["error", errors, causes.errors], ["warning", warnings, causes.warnings], ["note", infos, causes.infos]];
  const parts = numbers.filter(([, places]) => places).map(([noun, places, number = places]) => numbered(number, noun) + (places > number ? ` (${withCommas(places)} places)` : ""));
  return parts.length ? parts.join(", ") : "Nothing wrong";
};
