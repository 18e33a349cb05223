// The verdict about each item. Counterpart of waypost/report/_causes.py: the same words.

const MOST_ENTRIES = 6, MOST_VERDICTS = 8;
const joinNames = (/** @type {string[]} */ names) =>
  names.slice(0, MOST_ENTRIES).join(", ") + (names.length > MOST_ENTRIES ? ` and ${withCommas(names.length - MOST_ENTRIES)} more` : "");

/** @type {Record<string, string>} */
const RULES_IN_WORDS = { "type-wrong-case": "its type", "unknown-type": "its type", "type-address-wrong": "its type", "jsonld-context-missing": "@context" };
/** What to change: the property, else the last name of the pointer, else the rule. @param {any} finding */
const thingOf = ({ property, pointer, rule }) =>
  property?.replaceAll(", ", " or ") || pointer.split("/").filter((/** @type {string} */ part) => part && !/^\d+$/.test(part) && part !== "@graph").pop() ||
  RULES_IN_WORDS[rule] || rule.replaceAll("-", " ");

/** A finding about a whole item as a part of its verdict. @param {any} finding */
const adviceOf = ({ rule, profile, message }) => {
  const text = afterColon(message) || message;
  return rule === MISSED ? `not for ${resultsOf([profile || ""])}: ${text}` : `recommended: ${joinNames(afterColon(text) ? afterColon(text).split(", ") : [text])}`;
};

const moreErrors = (/** @type {number} */ count) => (count ? `; ${numbered(count, "more error")}` : "");

/** Why nothing is read, as a part of a verdict. @param {any[]} findings */
const unreadOf = ([first, ...others]) => (first.rule === LOST_ITEM ? first.message
  : `search engines cannot read this script, see ${first.line}:${first.column}: ${first.message}${moreErrors(others.length)}`);

/** Verdicts about scripts and tags of which no item was read. @param {any[]} findings */
const unreadPlaces = (findings) => groupsOf(findings.filter((each) => (each.item ?? null) === null && isUnread(each)), ({ block, fingerprint }) => block ?? fingerprint)
  .map((found) => {
    const types = [found[0].rule === LOST_ITEM ? "tag with a type" : "JSON-LD script"];
    return { item: { types, line: found[0].line, eligible: [] }, covered: [], text: unreadOf(found), rank: -1 };
  });

/** Verdicts about the items of a page, those with most to do first: `rank` -1 if one cannot be read, 0 with errors, 1 with advice, 2 eligible, 3 neither.
 * @param {any[]} items @param {any[]} findings @param {string} [joint] stands between the parts of a verdict */
const verdictsOf = (items, findings, joint = "; ") => {
  const byItem = new Map(groupsOf(findings.filter((each) => each.severity !== "info"), (each) => each.item).map((own) => [own[0].item, own]));
  return [...unreadPlaces(findings), ...items.map((item, number) => verdictOf(item, byItem.get(number) || [], joint))].sort((one, other) => one.rank - other.rank);
};

/** @param {any} item @param {any[]} own its errors and warnings @param {string} joint */
const verdictOf = (item, own, joint) => {
  const unread = own.filter(isUnread), errors = own.filter((each) => each.severity === "error" && !isUnread(each));
  const covered = own.filter((each) => each.severity === "warning" && each.line === item.line && each.column === item.column
    && (each.rule === MISSED || each.rule === RECOMMENDED));
  const missed = [...new Set(errors.map((each) => each.profile))].filter((name) => name && !item.eligible.includes(name));
  const things = [...new Set(errors.map(thingOf))];
  const parts = [
    unread.length && unreadOf(unread),
    item.eligible.length && `eligible for ${resultsOf(item.eligible)}`,
    missed.length && `not ${item.eligible.length ? "" : "eligible "}for ${resultsOf(missed)}`,
    things.length && `${numbered(things.length, "thing")} to do: ${joinNames(things)}`,
    ...[...covered].sort((one, other) => effectOf(one) - effectOf(other)).map(adviceOf),
  ];
  return { item, covered, text: parts.filter(Boolean).join(joint), rank: unread.length ? -1 : errors.length ? 0 : covered.length ? 1 : item.eligible.length ? 2 : 3 };
};

/** A line for each item with something to do, alike ones together; then a line for the items that are eligible.
 * @param {any[]} made @returns {string[]} */
const verdictLines = (made) => {
  const named = (/** @type {any[]} */ [{ item }, ...others]) =>
    `${labelOf(item)}, line ${item.line}` + (others.length ? ` and ${withCommas(others.length)} more` : "");
  const alike = groupsOf(made.filter(({ rank }) => rank < 2), ({ item, text }) => JSON.stringify([item.types, text]));
  const lines = alike.slice(0, MOST_VERDICTS).map((same) => `${named(same)}: ${same[0].text}`);
  if (alike.length > MOST_VERDICTS) lines.push(`… and ${numbered(alike.length - MOST_VERDICTS, "more item")} with something to do`);
  const earned = groupsOf(made.filter(({ rank }) => rank === 2), ({ item }) => item.eligible.join());
  const parts = earned.map((same) => `${named(same)}, for ${resultsOf(same[0].item.eligible)}`);
  if (parts.length) lines.push(`eligible: ${parts.join("; ")}`);
  return lines;
};

/** A line for each generator of a page: the settings that its findings come from, with the sources. @param {any} file @returns {string[]} */
const adviceLines = ({ advice = [], findings }) => {
  const used = [...findings].sort((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity))
    .flatMap(({ severity, advice: numbers = [] }) => (severity === "info" ? [] : numbers.map((/** @type {number} */ number) => advice[number])));
  return groupsOf([...new Set(used)], ({ generator, version = "" }) => `${generator} ${version}`).slice(0, 3).map((same) => {
    const named = same.slice(0, 3), { generator, version } = named[0];
    const sources = [...new Set(named.map(({ url }) => url))].join(", ");
    return `Its structured data comes from ${[generator, version].filter(Boolean).join(" ")}: ${named.map(({ text }) => text).join("; ")} (${sources})`;
  });
};

const VERDICT = /^(eligible|.+?, line [\d,]+(?: and [\d,]+ more)?): (.+)$/s;
/** Lines of a file for lists: whose verdict it is, else "", and the parts of it. @param {any} file @returns {[string, string[]][]} */
const verdictParts = (file) => [...verdictLines(verdictsOf(file.items, file.findings, "\n")), ...adviceLines(file)].map((line) => {
  const [, whose = "", text = line] = VERDICT.exec(line) || [];
  return [whose, text.split("\n")];
});
