// What a repair changes of a text, exactly.

/** A finding that has a fix, and those that are fixed at once. @typedef {Finding & {fix: Fix}} Fixable @typedef {Fixable[]} Repair */

/** The text with the edits of some findings made, from the end to the beginning; where two touch the same place the first wins.
 * @param {string} text @param {Finding[]} findings */
export const withFixes = (text, findings) => {
  const places = byteOffsets(text);
  const edits = findings.flatMap((each) => (each.fix?.edits ?? []).map((edit) => ({ from: places(edit.start), to: places(edit.end), text: writtenFor(text, each, edit.text) })));
  edits.sort((one, other) => one.from - other.from || one.to - other.to);
  let made = "", at = 0;
  for (const edit of edits) {
    if (edit.from < at) continue;
    made += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return made + text.slice(at);
};

/** The text of an edit; a page of ASCII stays one, by escapes. @param {string} page @param {Finding} finding @param {string} text */
const writtenFor = (page, { syntax }, text) => {
  if (/^[\0-\x7f]*$/.test(text) || !/^[\0-\x7f]*$/.test(page)) return text;
  return syntax === "json-ld"
    ? text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text.replace(/[^\0-\x7f]/gu, (point) => `&#${point.codePointAt(0)};`);
};

/** UTF-16 offset of a byte of the text's UTF-8. @param {string} text @returns {(byte: number) => number} */
export const byteOffsets = (text) => {
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
  return (offset) => known.get(offset) ?? text.length;
};

const MOST_ROUNDS = 50;
const NO_HARM = new Set(["microdata-content-attribute", "rich-result-retired", "recommended-property-missing"]);
const ORDER_OF_HARM = ["error", "warning", "info"];

/** Every safe fix made that does no harm, as `waypost validate --fix` makes them (waypost/fixes): the fixes of a broken script together
 * or not at all, and no fix that causes another finding or costs an item. Null if a newer check replaced this one.
 * @param {string} text @param {(text: string) => Promise<FileReport|null|undefined>} judge a text -> its file of a report, or null */
export const fixedAll = async (text, judge) => {
  let file = await judge(text);
  /** @type {Set<string>} */
  let barred = new Set();
  for (let round = 0; file && round < MOST_ROUNDS; round += 1) {
    // A script that is read from now on gives other scripts other numbers: first these, in a round of their own.
    const ofTypes = repairsIn(file.findings.filter(isOfType), barred), offered = ofTypes.length ? ofTypes : repairsIn(file.findings, barred);
    const waiting = [offered].filter((group) => group.length), denied = new Set();
    /** @type {Repair[]} */
    let accepted = [];
    /** @type {[string, FileReport]|null} */
    let last = null;
    if (!waiting.length) break;
    while (waiting.length) {
      const group = /** @type {Repair[]} */ (waiting.pop()), tried = [...accepted, ...group];
      const made = withFixes(text, tried.flat()), found = await judge(made);
      if (!found) return null;
      if (isHarmless(file, found, tried.flat(), text)) [accepted, last] = [tried, [made, found]];
      else if (group.length === 1) denied.add(nameOf(group[0]));
      else waiting.push(group.slice(group.length >> 1), group.slice(0, group.length >> 1));
    }
    barred = last ? new Set() : new Set([...barred, ...denied]);
    if (last) [text, file] = last;
  }
  return file && text;
};

const nameOf = (/** @type {Repair} */ repair) => JSON.stringify(repair.flatMap(({ fix }) => fix.edits.map(({ start, end, text }) => [start, end, text])));
/** @param {Finding} finding @returns {finding is Fixable} */
const isSafe = (finding) => finding.fix?.safe === true;
const isOfType = (/** @type {Finding} */ { rule }) => rule === "jsonld-script-type-misspelled";
const isOfSyntax = (/** @type {Finding} */ { rule, syntax }) => syntax === "json-ld" && rule.startsWith("json-") && rule !== "json-duplicate-key";

/** Fixes to try together, each a list of findings that are fixed at once. Other fixes of a broken script wait until it is strict JSON.
 * @param {Finding[]} findings @param {Set<string>} barred */
const repairsIn = (findings, barred) => {
  const broken = new Set(findings.filter((each) => isOfSyntax(each) && each.severity === "error").map(({ block }) => block));
  /** @type {Map<number|undefined, Repair>} */
  const scripts = new Map();
  /** @type {Repair[]} */
  const repairs = [];
  for (const each of findings.filter(isSafe)) {
    if (each.syntax !== "json-ld" || !broken.has(each.block)) repairs.push([each]);
    else if (each.rule.startsWith("json-")) {
      const repair = scripts.get(each.block);
      if (repair) repair.push(each); else scripts.set(each.block, [each]);
    }
  }
  /** @type {Edit[]} */
  const taken = [];
  /** @type {Repair[]} */
  const chosen = [];
  for (const repair of [...repairs, ...scripts.values()]) {
    const edits = repair.flatMap(({ fix }) => fix.edits);
    const meets = (/** @type {Edit} */ one, /** @type {Edit} */ two) => (one.start < two.end && two.start < one.end) || one.start === two.start;
    const isApart = edits.every((one, n) => ![...taken, ...edits.slice(n + 1)].some((two) => meets(one, two)));
    if (barred.has(nameOf(repair)) || !isApart) continue;
    taken.push(...edits);
    chosen.push(repair);
  }
  return chosen;
};

/** @param {FileReport} before @param {FileReport} after @param {Fixable[]} fixed @param {string} text before */
const isHarmless = (before, after, fixed, text) => {
  const had = (/** @type {Item} */ one, /** @type {Item} */ two) => one.eligible.every((name) => two.eligible.includes(name));
  const rangeOf = originalRange(fixed, text);
  if (fixed.some(isOfType)) return keepsItems(before.items, after.items, had) && !hasNew(before.findings, outsideScripts(after.findings, fixed, text, rangeOf), new Set(fixed), rangeOf);
  if (before.items.length !== after.items.length) return false;
  if (!before.items.every((item, n) => had(item, after.items[n]))) return false;
  const hasGained = after.items.some((item, n) => !had(item, before.items[n]));
  const scripts = new Set(fixed.filter(isOfSyntax).map(({ block }) => block));
  if (after.findings.some((each) => isOfSyntax(each) && each.severity === "error" && scripts.has(each.block))) return false;
  const harmful = after.findings.filter(({ rule, severity }) => !NO_HARM.has(rule) && !(hasGained && rule === "feature-not-eligible" && severity !== "error"));
  return !hasNew(before.findings, harmful, new Set(fixed), rangeOf);
};

/** Are all items still there, in order and with their rich results, among items that were not read before?
 * @param {Item[]} before @param {Item[]} after @param {(one: Item, two: Item) => boolean} had */
const keepsItems = (before, after, had) => {
  const rest = [...after], named = (/** @type {Item} */ { types, name, id, syntax }) => JSON.stringify([types, name, id, syntax]);
  return before.every((old) => {
    const at = rest.findIndex((each) => named(each) === named(old) && had(old, each));
    rest.splice(0, at + 1);
    return at >= 0;
  });
};

/** Findings that do not stand in a script which is read for the first time after the fixes.
 * @param {Finding[]} findings @param {Fixable[]} fixed @param {string} text before @param {(at: number) => [number, number]} rangeOf */
const outsideScripts = (findings, fixed, text, rangeOf) => {
  const places = byteOffsets(text), bytes = new TextEncoder();
  const scripts = fixed.filter(isOfType).map(({ fix: { edits: [{ start }] } }) => {
    const from = places(start), end = text.slice(from).search(/<\/script/i);
    return [start, start + bytes.encode(text.slice(from, from + Math.max(end, 0))).length];
  });
  return findings.filter(({ rule, start }) => {
    const [low, high] = rangeOf(start);
    return !NO_HARM.has(rule) && !scripts.some(([first, last]) => first <= low && high <= last);
  });
};

/** Offsets in bytes after the fixes -> [first, last] possible offset before them. @param {Fixable[]} fixed @param {string} page
 * @returns {(at: number) => [number, number]} */
const originalRange = (fixed, page) => {
  let shift = 0;
  const bytes = new TextEncoder();
  const ranges = fixed.flatMap((each) => each.fix.edits.map((edit) => ({ ...edit, text: writtenFor(page, each, edit.text) })))
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map(({ start, end, text }) => {
      const first = start + shift;
      shift += bytes.encode(text).length - (end - start);
      return { start, end, first, last: end + shift };
    });
  return (at) => {
    const range = ranges.findLast(({ first }) => first <= at);
    if (!range) return [at, at];
    if (at < range.last || (at === range.last && range.start < range.end)) return [range.start, range.end];
    return [at - range.last + range.end, at - range.last + range.end];
  };
};

/** A message without the rich results that the finding costs, which change with the rest of the item. @param {Finding} finding */
const withoutCost = ({ message }) => message.split("; not eligible for ")[0];

/** Is a finding new, or still there after its fix? A fixed finding makes room for another of the same rule in the same block.
 * @param {Finding[]} before @param {Finding[]} after @param {Set<Finding>} fixed @param {(at: number) => [number, number]} rangeOf */
const hasNew = (before, after, fixed, rangeOf) => {
  const kindOf = (/** @type {Finding} */ { rule, profile }) => `${rule} ${profile}`, homeOf = (/** @type {Finding} */ { rule, syntax, block }) => `${rule} ${syntax} ${block}`;
  /** @type {Map<string, Finding[]>} */
  const places = new Map();
  /** @type {Map<string, number>} */
  const room = new Map();
  const grow = (/** @type {Finding} */ each, /** @type {number} */ by) => room.set(homeOf(each), (room.get(homeOf(each)) || 0) + by);
  for (const each of before) {
    places.set(kindOf(each), [...(places.get(kindOf(each)) || []), each]);
    if (fixed.has(each)) grow(each, 1);
  }
  for (const each of after) {
    const [low, high] = rangeOf(each.start), isHere = (/** @type {Finding} */ old) => low <= old.start && old.start <= high;
    const known = places.get(kindOf(each)) || [], at = known.findIndex(isHere);
    if (at >= 0) {
      const [old] = known.splice(at, 1);
      if (fixed.has(old) && old.fix?.edits.some((edit) => edit.start <= old.start && old.start <= edit.end)) return true;
      if (ORDER_OF_HARM.indexOf(each.severity) < ORDER_OF_HARM.indexOf(old.severity)) return true;
      if (fixed.has(old)) grow(old, -1);
    } else if ((room.get(homeOf(each)) || 0) > 0) grow(each, -1);
    else if (!before.some((old) => !fixed.has(old) && isHere(old) && old.rule === each.rule && withoutCost(old) === withoutCost(each)
      && ORDER_OF_HARM.indexOf(old.severity) <= ORDER_OF_HARM.indexOf(each.severity)) && ![...fixed].some((one) => isExplainedBy(one, each, low, high))) return true;
  }
  return false;
};

/** Has a fix only brought to light a finding about the same value that is no worse? As `_shows` in waypost/fixes.
 * @param {Finding} fixed @param {Finding} each @param {number} low @param {number} high possible offsets of `each` before the fixes */
const isExplainedBy = ({ rule, syntax, block, severity, pointer, fix }, each, low, high) => {
  const edits = fix?.edits ?? [];
  const milder = ORDER_OF_HARM.indexOf(each.severity) - ORDER_OF_HARM.indexOf(severity);
  if (each.syntax !== syntax || each.block !== block || milder < 0) return false;
  // An error is worth a warning about the same object.
  if (severity === "error" && milder > 0 && each.pointer.startsWith(pointer.slice(0, Math.max(pointer.lastIndexOf("/"), 0)))) return true;
  // `undefined` was no value before it became null.
  if (edits.some(({ start, end }) => start <= low && high <= end)) return milder > 0 || (rule.startsWith("json-") && each.rule === "required-property-missing");
  // The name in front of the value was changed in letter case alone, which pointers do not show.
  if (each.pointer === pointer && edits.every(({ start, end }) => start < end && end <= low)) return true;
  const holder = pointer.slice(0, pointer.lastIndexOf("/") + 1);
  return edits.some(({ text }) => {
    const renamed = holder + text.replace(/^["' ]+|["' ]+$/g, "");
    return renamed !== pointer && [each.pointer, each.pointer.replace(/\/\d+$/, "")].includes(renamed);
  });
};
