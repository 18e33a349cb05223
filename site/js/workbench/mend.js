// What a repair changes of a text, exactly.

/** The text with the edits of some findings made, from the end to the beginning; where two touch the same place the first wins.
 * @param {string} text @param {any[]} findings */
const mended = (text, findings) => {
  const places = byteOffsets(text);
  const edits = findings.flatMap((each) => each.fix.edits.map((/** @type {any} */ edit) => ({ from: places(edit.start), to: places(edit.end), text: edit.text })));
  edits.sort((one, other) => one.from - other.from || one.to - other.to);
  let made = "", at = 0;
  for (const edit of edits) {
    if (edit.from < at) continue;
    made += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return made + text.slice(at);
};

/** UTF-16 offset of a byte of the text's UTF-8. @param {string} text @returns {(byte: number) => number} */
const byteOffsets = (text) => {
  /** @type {Map<number, number>} */
  const known = new Map();
  let byte = 0;
  for (let at = 0; at < text.length;) {
    known.set(byte, at);
    const point = /** @type {number} */ (text.codePointAt(at));
    byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    at += point > 0xffff ? 2 : 1;
  }
  known.set(byte, text.length);
  return (wanted) => known.get(wanted) ?? text.length;
};

const MOST_ROUNDS = 50;
const NO_HARM = new Set(["microdata-content-attribute", "rich-result-retired"]);
const ABOUT_MISSING = new Set(["recommended-property-missing", "feature-not-eligible"]);

/** Every safe fix made that does no harm, as `waypost validate --fix` makes them (waypost/fix): the fixes of a broken script together
 * or not at all, and no fix that causes another finding or costs an item. Null if judging was given up.
 * @param {string} text @param {(text: string) => Promise<any>} judge a text -> its file of a report, or null */
const mendedAll = async (text, judge) => {
  let file = await judge(text);
  /** @type {Set<string>} */
  let barred = new Set();
  for (let round = 0; file && round < MOST_ROUNDS; round += 1) {
    const waiting = [repairsIn(file.findings, barred)].filter((group) => group.length), refused = new Set();
    /** @type {any[][]} */
    let accepted = [];
    /** @type {any} */
    let last = null;
    if (!waiting.length) break;
    while (waiting.length) {
      const group = /** @type {any[][]} */ (waiting.pop()), tried = [...accepted, ...group];
      const made = mended(text, tried.flat()), found = await judge(made);
      if (!found) return null;
      if (isHarmless(file, found, tried.flat())) [accepted, last] = [tried, [made, found]];
      else if (group.length === 1) refused.add(nameOf(group[0]));
      else waiting.push(group.slice(group.length >> 1), group.slice(0, group.length >> 1));
    }
    barred = last ? new Set() : new Set([...barred, ...refused]);
    if (last) [text, file] = last;
  }
  return file && text;
};

const nameOf = (/** @type {any[]} */ repair) => JSON.stringify(repair.flatMap(({ fix }) => fix.edits.map((/** @type {any} */ { start, end, text }) => [start, end, text])));
const isOfSyntax = (/** @type {any} */ { rule, syntax }) => syntax === "json-ld" && rule.startsWith("json-") && rule !== "json-duplicate-key";

/** Fixes to try together, each a list of findings that are fixed at once. Other fixes of a broken script wait until it is strict JSON.
 * @param {any[]} findings @param {Set<string>} barred */
const repairsIn = (findings, barred) => {
  const broken = new Set(findings.filter((each) => isOfSyntax(each) && each.severity === "error").map(({ block }) => block));
  const scripts = new Map(), repairs = [];
  for (const each of findings.filter(({ fix }) => fix?.safe)) {
    if (each.syntax !== "json-ld" || !broken.has(each.block)) repairs.push([each]);
    else if (each.rule.startsWith("json-")) {
      if (!scripts.has(each.block)) scripts.set(each.block, []);
      scripts.get(each.block).push(each);
    }
  }
  /** @type {any[]} */
  const taken = [], chosen = [];
  for (const repair of [...repairs, ...scripts.values()]) {
    const edits = repair.flatMap((/** @type {any} */ { fix }) => fix.edits);
    const meets = (/** @type {any} */ one, /** @type {any} */ two) => (one.start < two.end && two.start < one.end) || one.start === two.start;
    const isApart = edits.every((/** @type {any} */ one, /** @type {number} */ n) => ![...taken, ...edits.slice(n + 1)].some((two) => meets(one, two)));
    if (barred.has(nameOf(repair)) || !isApart) continue;
    taken.push(...edits);
    chosen.push(repair);
  }
  return chosen;
};

/** @param {any} before @param {any} after files of reports @param {any[]} fixed findings */
const isHarmless = (before, after, fixed) => {
  if (before.items.length !== after.items.length) return false;
  const had = (/** @type {any} */ one, /** @type {any} */ two) => one.eligible.every((/** @type {string} */ name) => two.eligible.includes(name));
  if (!before.items.every((/** @type {any} */ item, /** @type {number} */ n) => had(item, after.items[n]))) return false;
  const hasGained = after.items.some((/** @type {any} */ item, /** @type {number} */ n) => !had(item, before.items[n]));
  const scripts = new Set(fixed.filter(isOfSyntax).map(({ block }) => block));
  if (after.findings.some((/** @type {any} */ each) => isOfSyntax(each) && each.severity === "error" && scripts.has(each.block))) return false;
  const counts = new Map(), key = (/** @type {any} */ { rule, profile }) => `${rule} ${profile}`;
  for (const each of before.findings) counts.set(key(each), (counts.get(key(each)) || 0) + 1);
  for (const each of after.findings) {
    if (NO_HARM.has(each.rule) || (hasGained && ABOUT_MISSING.has(each.rule) && each.severity !== "error")) continue;
    const left = (counts.get(key(each)) || 0) - 1;
    if (left < 0) return false;
    counts.set(key(each), left);
  }
  return true;
};
