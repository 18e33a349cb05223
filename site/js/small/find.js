// Which entries of the index a text finds. Every word counts by how rare it is and where it stands: the name and the title
// before the text, a whole word before a beginning, a beginning before one typing error. Synonyms add words. Entries with
// all words come before those with some. The index comes in parts by section of the site (`waypost.index`): what is there
// is searched. A sentence of Search Console leads to its page before all others.

import { sentenceIn } from "./sentences.js";
import { COMMON, SYNONYMS } from "../data/synonyms.js";

const LEAST_FOR_A_SLIP = 5;
const MOST_DISPLAYED = 12;
const BEGINNING = 0.7;
const SLIP = 0.25;
const SYNONYM = 0.6;
const PROPERTY = 1.5;
/** @type {["title"|"about"|"content", number][]} */
const WEIGHTS = [["title", 3], ["about", 1.2], ["content", 1]];
// People search for guides more often than for single fields.
/** @type {Record<string, number>} */
const KINDS = { "Search Console": 0.5, Home: 0.6, Field: 0.7, Mapping: 0.6, "Recorded decision": 0.5, Operation: 0.8, Problem: 0.9, Policy: 0.8, "Earlier policy": 0.4 };
// What every page of a kind is about, though none says it.
/** @type {Record<string, string>} */
const IMPLIED = { "Rich result": "required recommended properties missing eligible smallest minimal example markup template" };

/** @param {string} text @returns {string[]} */
const wordsOf = (text) => text.toLowerCase().replaceAll("json-ld", "jsonld").match(/[\p{L}\p{N}]+/gu) || [];
const split = (/** @type {string} */ text) => text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2");
const common = new Set(COMMON.split(" "));
const unique = (/** @type {string[]} */ words) => [...new Set(words)];

/** Whether `word`, or a beginning of it, is `typed` but for one letter too many, too few, another, or two changed places.
 * @param {string} typed @param {string} word */
const slipped = (typed, word) => {
  if (typed.length < LEAST_FOR_A_SLIP || typed[0] !== word[0]) return false;
  let at = 0;
  while (at < typed.length && typed[at] === word[at]) at += 1;
  const rest = typed.slice(at + 1);
  return word.startsWith(rest, at + 1) || word.startsWith(rest, at) || word.startsWith(typed.slice(at), at + 1)
    || (typed[at] === word[at + 1] && typed[at + 1] === word[at] && word.startsWith(typed.slice(at + 2), at + 2));
};

const stem = (/** @type {string} */ word) => word.length > 4 ? word.replace(/(?:ies|ied)$/, "y").replace(/(?:ing|ed|es|s)$/, "") : word.replace(/^(.{3})s$/, "$1");

/** How well one word of a text fits a typed one, from 0 to 1. @param {string} typed @param {string} typedStem @param {string} word */
const fit = (typed, typedStem, word) => {
  if (word === typed) return 1;
  if (stem(word) === typedStem) return 0.95;
  if (word.startsWith(typed) && typed.length > 1) return BEGINNING * (0.6 + 0.4 * typed.length / word.length);
  return 0;
};

/** @param {string} folder @param {string} kind @param {IndexRow} row */
const entryOf = (folder, kind, [step, named, about, content]) => {
  const title = named || (/^(Fi|Pr)/.test(kind) ? step : step[0].toUpperCase() + step.slice(1).replaceAll("_", " ")); // a field and a problem are named by a code
  const address = `${folder}${folder && "/"}${step}${step.includes("#") || !(folder || step) ? "" : "/"}`;
  const name = step.includes("#") ? "" : step;
  return {
    address, kind, title, about: about || (named && !step.includes("#") ? `${folder.split("/").slice(1).concat(step).join("/")}` : ""),
    whole: [title.toLowerCase(), name.toLowerCase(), ...(kind === "Operation" ? [about.split(" ")[1]] : []), ...(name && folder.includes("/") ? [`${folder.split("/").pop()}/${name}`] : [])],
    properties: new Set((globalThis.waypost.requested?.[`google/${step}`] || "").toLowerCase().split(" ").filter(() => kind === "Rich result")),
    texts: { title: unique([title, name].flatMap((text) => [...wordsOf(text), ...wordsOf(split(text))])), about: wordsOf(about), content: wordsOf(`${content} ${kind} ${IMPLIED[kind] || ""}`) },
  };
};
/** @typedef {ReturnType<typeof entryOf>} Entry */
/** @type {Entry[]} */
let entries = [];
let partsRead = -1;
/** Entries of the parts that are there: read again when a further part has come. */
const read = () => {
  const index = globalThis.waypost.index || [];
  if (index.length === partsRead) return;
  partsRead = index.length;
  entries = [...index].sort(([one], [other]) => one - other).flatMap(([, folder, kind, rows]) => rows.map((row) => entryOf(folder, kind, row)));
  globalThis.waypost.entries = entries;
};
/** @typedef {{word: string, others: Set<string>}} Term */
const phrases = Object.entries(SYNONYMS).map(([phrase, words]) => ({ phrase: wordsOf(phrase), words: wordsOf(words) }));

/** Terms of a query: each typed word with its synonyms. @param {string} text @returns {Term[]} */
const termsOf = (text) => {
  const all = wordsOf(text);
  const typed = all.filter((word) => !common.has(word));
  const terms = unique(typed.length ? typed : all).map((word) => ({ word, others: /** @type {Set<string>} */ (new Set()) }));
  const typedWords = terms.map((term) => term.word);
  for (const { phrase, words } of phrases) {
    const rareWords = phrase.filter((word) => !common.has(word));
    const at = rareWords.map((word) => typedWords.findIndex((typed) => stem(typed) === stem(word)));
    if (!at.includes(-1)) for (const place of at) words.forEach((word) => terms[place].others.add(word));
  }
  return terms;
};

/** @param {Entry} entry @param {string} word @param {boolean} slips whether a word with one typing error counts */
const strength = (entry, word, slips) => {
  const end = stem(word);
  let best = entry.properties.has(word) ? PROPERTY : 0;
  for (const [where, weight] of WEIGHTS) {
    for (const each of entry.texts[where]) {
      const fits = fit(word, end, each) || (slips && slipped(word, each) ? SLIP : 0);
      if (fits * weight > best) best = fits * weight;
    }
  }
  return best;
};

const strengths = (/** @type {string} */ word, /** @type {boolean} */ slips) => {
  const found = entries.map((entry) => strength(entry, word, slips));
  const rare = Math.log(1 + entries.length / (1 + found.filter(Boolean).length));
  return found.map((each) => each * rare);
};

/** The strength of a term for every entry: the word itself, else a misspelling, and its synonyms for less. @param {Term} term */
const weighed = ({ word, others }) => {
  let own = strengths(word, false);
  if (!others.size && !own.some(Boolean)) own = strengths(word, true);
  const strengthsOfOthers = [...others].map((other) => strengths(other, false));
  return own.map((each, place) => {
    const synonyms = strengthsOfOthers.map((found) => found[place]).sort((a, b) => b - a);
    return Math.max(each, SYNONYM * (synonyms[0] || 0)) + 0.15 * ((synonyms[1] || 0) + (synonyms[2] || 0)) + 0.1 * Math.min(each, synonyms[0] || 0);
  });
};

/** @param {string} text @returns {SearchHit[]} */
globalThis.waypost.find = (text) => {
  read();
  const query = text.trim().toLowerCase();
  const terms = termsOf(text);
  const sentence = sentenceIn(text);
  if (!terms.length) return sentence ? [sentence] : [];
  const found = terms.map(weighed);
  const ranked = entries.map((entry, place) => {
    const matched = found.filter((each) => each[place] > 0).length;
    const exact = entry.whole.includes(query) ? 1000 : entry.whole.some((name) => name.startsWith(query)) ? 4 : 0;
    const sum = found.reduce((total, each) => total + each[place], 0) / Math.sqrt(terms.length);
    return /** @type {[number, Entry, number]} */ ([exact + sum * (matched / terms.length) ** 1.5 * (KINDS[entry.kind] ?? 1), entry, place]);
  });
  const hits = ranked
    .filter(([weight]) => weight > 0)
    .sort(([a, first, one], [b, second, two]) => b - a || first.title.length - second.title.length || one - two)
    .slice(0, MOST_DISPLAYED)
    .map(([, entry]) => entry);
  return sentence ? [sentence, ...hits.filter(({ address }) => address !== sentence.address)].slice(0, MOST_DISPLAYED) : hits;
};
globalThis.waypost.sentence = sentenceIn;
read();
