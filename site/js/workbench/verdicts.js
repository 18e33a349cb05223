// The verdict about each node. Counterpart of waypost/report/_causes.py: the same words.

import { LOST_ITEM, MISSED, ORDER, RECOMMENDED, afterColon, effectOf, groupsOf, isUnread, labelOf, lapsesIn, numberOfNode, numbered, resultsOf } from "./causes.js";
import { withCommas } from "./dom.js";

const MOST_ENTRIES = 6;
const MOST_VERDICTS = 8;
const joinNames = (/** @type {string[]} */ names) =>
  names.slice(0, MOST_ENTRIES).join(", ") + (names.length > MOST_ENTRIES ? ` and ${withCommas(names.length - MOST_ENTRIES)} more` : "");

/** @type {Record<string, string>} */
const RULES_IN_WORDS = { "type-wrong-case": "its type", "unknown-type": "its type", "type-address-wrong": "its type", "jsonld-context-missing": "@context", "required-property-missing": "its values" };
/** What to change: the property, else the last name of the pointer, else the rule. @param {Finding} finding */
const thingOf = ({ property, pointer, rule }) =>
  property?.replaceAll(", ", " or ") || pointer.split("/").filter((/** @type {string} */ part) => part && !/^\d+$/.test(part) && part !== "@graph").pop() ||
  RULES_IN_WORDS[rule] || rule.replaceAll("-", " ");

/** A finding about a whole item as a part of its verdict. @param {Finding} finding */
const adviceOf = ({ rule, profile, message }) => {
  const text = afterColon(message) || message;
  return rule === MISSED ? `not for ${resultsOf([profile || ""])}: ${text}` : `recommended: ${joinNames(afterColon(text) ? afterColon(text).split(", ") : [text])}`;
};

const moreErrors = (/** @type {number} */ count) => (count ? `; ${numbered(count, "more error")}` : "");

/** Why nothing is read, as a part of a verdict. @param {Finding[]} findings */
const unreadOf = ([first, ...others]) => (first.rule === LOST_ITEM ? first.message
  : `search engines cannot read this script, see ${first.line}:${first.column}: ${first.message}${moreErrors(others.length)}`);

/** Verdicts about scripts and tags of which no item was read. @param {Finding[]} findings */
const unreadPlaces = (findings) => groupsOf(findings.filter((each) => (each.item ?? null) === null && isUnread(each)), ({ block, fingerprint }) => block ?? fingerprint)
  .map((found) => {
    const types = [found[0].rule === LOST_ITEM ? "tag with a type" : "JSON-LD script"];
    return { item: { types, line: found[0].line, eligible: [] }, covered: [], text: unreadOf(found), rank: -1 };
  });

/** Verdicts about the nodes of a page, those with most to do first: `rank` -1 if one cannot be read, 0 with errors, 1 with advice, 2 eligible, 3 neither.
 * @param {FileReport} file @param {string} [joint] stands between the parts of a verdict */
export const verdictsOf = ({ items, verdicts = [], findings }, joint = "; ") => {
  const nodes = verdicts.length ? verdicts : items;
  const byNode = new Map(groupsOf(findings.filter((each) => each.severity !== "info"), numberOfNode).map((own) => [numberOfNode(own[0]), own]));
  return [...unreadPlaces(findings), ...nodes.map((node, number) => verdictOf(node, byNode.get(number) || [], joint))]
    .sort((one, other) => one.rank - other.rank);
};

/** Results that errors cost, and results that a node without any other misses by a warning. @param {Item} node @param {Finding[]} errors @param {Finding[]} covered */
const missedOf = ({ eligible, not_eligible: missed = [], via }, errors, covered) => {
  const apart = new Set(covered.map((each) => each.profile));
  const own = missed.length ? missed.filter((each) => each.severity === "error") : errors.filter((each) => each.profile);
  const others = !eligible.length && !via ? missed.filter((each) => each.severity === "warning" && !apart.has(each.profile)) : [];
  return [...new Set([...own, ...others].map((each) => each.profile ?? ""))].filter((name) => !eligible.includes(name));
};

/** @param {Item} node @param {Finding[]} own its errors and warnings @param {string} joint */
const verdictOf = (node, own, joint) => {
  const { eligible, retired = [] } = node;
  const unread = own.filter(isUnread), errors = own.filter((each) => each.severity === "error" && !isUnread(each));
  const covered = own.filter((each) => each.severity === "warning" && each.line === node.line && each.column === node.column
    && (each.rule === MISSED || each.rule === RECOMMENDED));
  const missed = missedOf(node, errors, covered);
  const things = [...new Set(errors.map(thingOf))];
  const parts = [
    unread.length && unreadOf(unread),
    eligible.length && `eligible for ${resultsOf(eligible)}${lapsesIn(node)}`,
    missed.length && `not ${eligible.length ? "" : "eligible "}for ${resultsOf(missed)}`,
    things.length && `${numbered(things.length, "thing")} to do: ${joinNames(things)}`,
    ...[...covered].sort((one, other) => effectOf(one) - effectOf(other)).map(adviceOf),
  ].filter(Boolean);
  const isRetired = retired.length > 0 && !node.via && !parts.length;
  if (isRetired) parts.push(`no longer shown: ${resultsOf(retired)}`);
  const unused = (node.not_eligible || []).filter((/** @type {any} */ each) => each.why === "it has none of the properties that they read");
  const isSilent = unused.length > 0 && !node.via && !parts.length;
  if (isSilent) parts.push(`it has no property that ${resultsOf(unused.map((/** @type {any} */ each) => each.profile))} read`);
  const rank = unread.length ? -1 : errors.length ? 0 : covered.length || missed.length || isRetired || isSilent ? 1 : eligible.length ? 2 : 3;
  return { item: node, covered, text: parts.join(joint), rank };
};

/** A line for each node with something to do, alike ones together; then a line for the nodes that are eligible.
 * @param {any[]} made @returns {string[]} */
export const verdictLines = (made) => {
  const named = (/** @type {any[]} */ [{ item }, ...others]) =>
    `${labelOf(item)}, line ${item.line}` + (others.length ? ` and ${withCommas(others.length)} more` : "");
  const alike = groupsOf(made.filter(({ rank }) => rank < 2), ({ item, text }) => JSON.stringify([item.types, text]));
  const lines = alike.slice(0, MOST_VERDICTS).map((same) => `${named(same)}: ${same[0].text}`);
  if (alike.length > MOST_VERDICTS) lines.push(`… and ${numbered(alike.length - MOST_VERDICTS, "more item")} with something to do`);
  const earned = groupsOf(made.filter(({ rank }) => rank === 2), ({ item }) => JSON.stringify([item.eligible, lapsesIn(item)]));
  const parts = earned.map((same) => `${named(same)}, for ${resultsOf(same[0].item.eligible)}${lapsesIn(same[0].item)}`);
  if (parts.length) lines.push(`eligible: ${parts.join("; ")}`);
  return lines;
};

/** A line for each generator of a page: the settings that its findings come from, with the sources. @param {FileReport} file @returns {string[]} */
export const adviceLines = ({ advice = [], findings }) => {
  const used = [...findings].sort((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity))
    .flatMap(({ severity, advice: numbers = [] }) => (severity === "info" ? [] : numbers.map((/** @type {number} */ number) => advice[number])));
  return groupsOf([...new Set(used)], (/** @type {Advice} */ { generator, version = "" }) => `${generator} ${version}`).slice(0, 3).map((same) => {
    const named = same.slice(0, 3), { generator, version } = named[0];
    const sources = [...new Set(named.map(({ url }) => url))].join(", ");
    return `Its structured data comes from ${[generator, version].filter(Boolean).join(" ")}: ${named.map(({ text }) => text).join("; ")} (${sources})`;
  });
};

const VERDICT = /^(eligible|.+?, line [\d,]+(?: and [\d,]+ more)?): (.+)$/s;
/** Lines of a file for lists: whose verdict it is, else "", and the parts of it. @param {FileReport} file @returns {[string, string[]][]} */
export const verdictParts = (file) => [...verdictLines(verdictsOf(file, "\n")), ...adviceLines(file)].map((line) => {
  const [, subject = "", text = line] = VERDICT.exec(line) || [];
  return [subject, text.split("\n")];
});
