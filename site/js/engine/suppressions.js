// @ts-check
// Comments of a page that ignore findings, and their effect. Counterpart of waypost/validate/suppressions.py and
// waypost/reader/extents.py.

import { withoutNothing } from "./collector.js";
import { RULES, rule } from "./dispatch.js";
import { attributeSpan } from "./markup.js";
import { casefold, joinWords, lstrip } from "./strings.js";
import { head, partition, rx, strip, unique } from "./text.js";
import { Tree } from "./tree.js";

/** @import { Draft } from "./item.js" */
/** @import { Page, Span } from "./page.js" */

const IGNORE_WORD = "waypost-ignore";
const IGNORE_COMMENT = rx(
  "gs",
)`<!--\s{0,8}waypost-ignore(?<kind>-start|-end|-file)?(?![\w\-])(?<said>(?:(?!-->).){0,1000})-->`;
const MOST_WORDS = 200;
const VOID_TAGS = new Set("area base br col embed hr img input link meta source track wbr".split(" "));

rule("suppression-unused", { authority: "waypost" });
rule("suppression-without-reason", { authority: "waypost" });

/**
 * @typedef {{place: Span, scope: Span, rules: string[], reason: string, isComment: boolean, used: Set<string>}} Word
 */

/** How far elements reach in the text of a page. @param {Tree} tree */
const extentsOf = (tree) => {
  const { length } = tree.text;
  /** @type {Map<Element, number>} */
  const ends = new Map();
  const endOf = (/** @type {Element} */ element, /** @type {number} */ limit) => {
    if (tree.number(element) < 0) return limit;
    const { startTag, endTag } = tree.location(element);
    if (endTag) return endTag.end;
    return VOID_TAGS.has(element.localName) ? startTag.end : Math.max(limit, startTag.end);
  };
  const everything = tree.select("*");
  for (const each of everything) {
    if (!ends.has(each)) ends.set(each, endOf(each, length));
    let limit = /** @type {number} */ (ends.get(each));
    if (tree.number(each) >= 0 && !VOID_TAGS.has(each.localName))
      limit = Math.min(limit, tree.location(each).endTag?.start ?? length);
    for (const child of [...each.children].reverse()) {
      ends.set(child, endOf(child, limit));
      if (tree.number(child) >= 0) limit = tree.location(child).startTag.start;
    }
  }
  const starts = everything
    .filter((each) => tree.number(each) >= 0)
    .map((each) => ({
      start: tree.location(each).startTag.start,
      end: /** @type {number} */ (ends.get(each)),
      element: each,
    }))
    .sort((one, two) => one.start - two.start);
  return starts;
};

/** [the rules, the reason] of a word. @param {string} text @returns {{rules: string[], reason: string}} */
const readWord = (text) => {
  const [names, , reason] = partition(text, ":");
  const list = strip(names).toLowerCase();
  return { rules: list ? unique(list.split(rx("g")`[\s,]+`)) : [], reason: strip(reason) };
};

/**
 * Reported findings, ignored findings, and drafts about the comments themselves.
 * @param {Page} page
 * @param {Finding[]} findings
 * @param {Set<string>} known every rule's name
 */
export const splitByWords = (page, findings, known) => {
  const none = { reported: findings, ignored: /** @type {Finding[]} */ ([]), drafts: /** @type {Draft[]} */ ([]) };
  if (/^[{[]/.test(lstrip(page.text)) || !page.marked || page.marked.denied !== null || page.marked.tooDeep)
    return none;
  const { words: ignores, drafts } = wordsOf(new Tree(page.marked));
  const reported = [],
    ignored = [];
  const scopes = ignores.map((word) => page.places.place(word.scope));
  for (const finding of findings) {
    let first = null;
    for (const [n, word] of ignores.entries()) {
      const { start, end } = scopes[n];
      const name = start <= finding.start && finding.start < Math.max(end, start + 1) ? nameFor(word, finding) : null;
      if (name === null) continue;
      word.used.add(name);
      first ||= word;
    }
    if (first)
      ignored.push({ ...finding, suppression: withoutNothing({ kind: "page", reason: first.reason || null }) });
    else reported.push(finding);
  }
  return { reported, ignored, drafts: [...drafts, ...ignores.flatMap((word) => aboutWord(word, known))] };
};
/**
 * Under which of its names a word is about a finding; "" for a word about all.
 * @param {Word} word
 * @param {Finding} finding
 */
const nameFor = (word, finding) => {
  if (!word.rules.length) return "";
  const aliases = RULES.get(finding.rule)?.aliases || [];
  return word.rules.find((name) => name === finding.rule || name === finding.profile || aliases.includes(name)) ?? null;
};
/** Every word of a page in order, and what is wrong with how they stand. @param {Tree} tree */
const wordsOf = (tree) => {
  const { text } = tree;
  /** @type {Word[]} */
  const found = [];
  /** @type {Draft[]} */
  const drafts = [];
  /** @type {Word[]} */
  const open = [];
  const extents = extentsOf(tree);
  for (const comment of text.matchAll(IGNORE_COMMENT)) {
    const { kind, said: written } = /** @type {Record<string, string>} */ (comment.groups);
    const place = { start: comment.index, end: comment.index + comment[0].length };
    if (kind === "-end") {
      const start = open.pop();
      if (start) start.scope = { start: start.scope.start, end: place.start };
      else drafts.push(unusedWord(place, `${IGNORE_WORD}-end ends nothing that was started`, undefined, true));
      continue;
    }
    if (found.length >= MOST_WORDS) break;
    const after = extents.find((each) => each.start >= place.end);
    const scope =
      kind === "-file"
        ? { start: 0, end: text.length }
        : kind === "-start"
          ? { start: place.end, end: text.length }
          : after
            ? { start: after.start, end: after.end }
            : { start: place.end, end: place.end };
    const word = { place, scope, ...readWord(written), isComment: true, used: new Set() };
    found.push(word);
    if (kind === "-start") open.push(word);
  }
  const carrying = extents.filter(
    ({ element }) =>
      element.hasAttribute(`data-${IGNORE_WORD}`) && tree.location(element).attributes.has(`data-${IGNORE_WORD}`),
  );
  for (const { start, end, element } of carrying.slice(0, MOST_WORDS)) {
    const place = attributeSpan(tree, element, `data-${IGNORE_WORD}`);
    found.push({
      place,
      scope: { start, end },
      ...readWord(element.getAttribute(`data-${IGNORE_WORD}`) || ""),
      isComment: false,
      used: new Set(),
    });
  }
  return { words: found, drafts };
};
/** @param {Word} word @param {Set<string>} known @returns {Draft[]} */
const aboutWord = (word, known) => {
  /** @type {Draft[]} */
  const drafts = [];
  if (!word.reason) {
    drafts.push({
      rule: "suppression-without-reason",
      authority: "waypost",
      severity: "info",
      span: word.place,
      message: "no reason is given for ignoring this",
      hint: "add one after a colon, as in `rule-name: until May`",
    });
  }
  const useless = word.rules.filter((name) => !word.used.has(name));
  const finds = `${joinWords(useless)} ${useless.length === 1 ? "matches" : "match"} no finding here any more`;
  const unknown = useless.find((name) => !known.has(name) && !name.includes("/"));
  if (!word.rules.length) {
    if (!word.used.size)
      drafts.push(unusedWord(word.place, "there is nothing to ignore here", undefined, word.isComment));
  } else if (!useless.length) return drafts;
  else if (unknown !== undefined) {
    const intended = nearNames(unknown, [...known]);
    drafts.push(
      unusedWord(
        word.place,
        `there is no rule named ${unknown}`,
        intended.length ? `did you mean ${joinWords(intended, "or")}?` : "`waypost rules` lists them",
      ),
    );
  } else if (useless.length === word.rules.length)
    drafts.push(unusedWord(word.place, finds, undefined, word.isComment));
  else drafts.push(unusedWord(word.place, finds, `keep ${joinWords([...word.used].sort())} alone`));
  return drafts;
};
/** @param {Span} place @param {string} message @param {string} [hint] @param {boolean} [isComment] @returns {Draft} */
const unusedWord = (place, message, hint = "remove it", isComment = false) => ({
  rule: "suppression-unused",
  authority: "waypost",
  severity: "warning",
  span: place,
  message,
  hint,
  edits: isComment ? [[place, ""]] : [],
});

/**
 * Known names close to `name`, as Python's difflib finds them.
 * @param {string} name
 * @param {string[]} known
 */
const nearNames = (name, known, most = 2) => {
  const folded = head(casefold(name), 80);
  const scored = known
    .map((each) => ({ each, ratio: likenessRatio(casefold(each), folded) }))
    .filter(({ ratio }) => ratio >= 0.75);
  return scored
    .sort((one, two) => two.ratio - one.ratio || (one.each < two.each ? 1 : -1))
    .slice(0, most)
    .map(({ each }) => each);
};
/**
 * Twice the letters of the longest matching blocks, over both lengths (Ratcliff and Obershelp).
 * @param {string} one
 * @param {string} two
 */
const likenessRatio = (one, two) => {
  let matches = 0;
  const waiting = [[0, one.length, 0, two.length]];
  while (waiting.length) {
    const [a, b, c, d] = /** @type {number[]} */ (waiting.pop());
    let [at, from, long] = [a, c, 0];
    /** @type {Map<number, number>} */
    let lengths = new Map();
    for (let n = a; n < b; n++) {
      /** @type {Map<number, number>} */
      const next = new Map();
      for (let m = c; m < d; m++) {
        if (one[n] !== two[m]) continue;
        const length = (lengths.get(m - 1) || 0) + 1;
        next.set(m, length);
        if (length > long) [at, from, long] = [n - length + 1, m - length + 1, length];
      }
      lengths = next;
    }
    if (!long) continue;
    matches += long;
    waiting.push([a, at, c, from], [at + long, b, from + long, d]);
  }
  return one.length + two.length ? (2 * matches) / (one.length + two.length) : 1;
};
