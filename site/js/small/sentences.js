// Which message of Search Console a text is, in English or another language in which the wording is documented: the
// sentences are data (`waypost.sentences`). The marks around a property may be any quotation marks, or none.

const QUOTES = /[“”„‟«»‹›"`´‘’‚‛′″'「」『』<>]+/gu;
const OPTIONAL = /\(?\b(?:optional|opcional|facultatif)\b\)?|[(（]省略可[)）]/giu;
const LINKS = new Set(["or", "and", "oder", "ou", "o", "y", "either"]);
const ONE_NAME = /^[@\w.-]+$/;
const NAME = /[@\p{L}_][\p{L}\p{N}_.-]*/gu;

// Chinese writes one quotation behind another, without a comma.
const plain = (/** @type {string} */ text) => text.replace(/([”」』])([“「『])/gu, "$1, $2").replace(QUOTES, '"').replace(OPTIONAL, " ").replace(/\s+/gu, " ").trim();
const escaped = (/** @type {string} */ text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/ /g, "\\s*");

/** @type {{template: string, text: string, length: number, pattern: RegExp, several: boolean, own: string[]}[]|undefined} */
let wordings;
const known = () => (wordings ||= (globalThis.waypost.sentences || []).flatMap(([template, texts, own]) => texts.map((text) => {
  const several = text.includes("{fields}");
  const slot = several ? "\\s*(.+?)\\s*" : '\\s*"?\\s*([@\\p{L}_][\\p{L}\\p{N}_.-]*)\\s*"?\\s*';
  const literal = text.split(/\{fields?\}/).map((part) => escaped(part.replace(QUOTES, '"')));
  // A name at the end of a sentence ends the text, a parenthesis or a clause: "Missing field image".
  const pattern = new RegExp(literal.join(slot) + (literal.at(-1) === "" && several ? "$" : ""), "iu");
  return { template, text: texts[0], length: text.replace(/\{fields?\}/, "").length, pattern, several, own };
})));

const namesIn = (/** @type {string} */ held, /** @type {boolean} */ several) => {
  if (!several) return [held];
  const quoted = [...held.matchAll(/"([^"]+)"/g)].map(([, name]) => name.trim()).filter((name) => ONE_NAME.test(name));
  return quoted.length ? quoted : (held.match(NAME) || []).filter((word) => !LINKS.has(word));
};
const key = (/** @type {string[]} */ names) => names.map((name) => name.toLowerCase()).sort().join(" ");

/** @param {string} text @returns {SearchHit|undefined} */
export const sentenceIn = (text) => {
  const given = plain(text);
  if (given.length < 8) return undefined;
  let best;
  for (const wording of known()) {
    if (best && best.wording.length >= wording.length) continue;
    const match = wording.pattern.exec(given);
    if (match) best = { wording, names: match[1] ? namesIn(match[1], wording.several) : [] };
  }
  if (!best) return undefined;
  const { wording: { template, text: english, own }, names } = best;
  const same = own.find((each) => key(each.split(" ")) === key(names));
  const requested = Object.values(globalThis.waypost.requested || {}).flatMap((each) => each.split(" "));
  const property = template === "missing-field" && !same ? requested.find((name) => name.toLowerCase() === names[0]?.toLowerCase()) : undefined;
  const written = (same?.split(" ") || names).map((name) => `"${name}"`);
  const filled = written.length > 1 ? `${written.slice(0, -1).join(", ")} or ${written.at(-1)}` : written[0] || "“…”";
  const step = same ? `${same.split(" ").map((name) => name.replace(/[^\w]+/g, "-")).join("-")}/` : property ? `#${property}` : "";
  return { address: `messages/${template}/${step}`, title: english.replace(/\{fields?\}/, filled), kind: "Search Console", about: "What it means, and the fix" };
};
