// What a check read of a page: its items with their values, the main one first, each value with its place and with what
// findings say of it. The page is the engine's (site/js/engine/page.js).

import { RECOMMENDED, afterColon, groupsOf, isUnread, numberOfNode } from "./causes.js";

const DEEPEST = 4;
const MOST_ROWS = 80;
const MOST_OF_A_PROPERTY = 4;
const MOST_OF_A_VALUE = 110;
const FEWEST_TEASERS = 3;

/** A value that was read, or that is missing: `findings` are about it. `from` and `to` are offsets in the text.
 * @typedef {{name: string, text: string, depth: number, state: ""|"missing"|"more", place: RowPlace|null, findings: Finding[]}} Row
 * @typedef {{from: number, to: number, line: number, column: number}} RowPlace
 * @typedef {{types: string, name: string, syntax: string, place: RowPlace, rows: Row[], findings: Finding[], eligible: string[], retired: string[], number: number, isMain: boolean}} ReadItem
 * @typedef {{main: ReadItem|null, others: ReadItem[], teasers: ReadItem[][], loose: Finding[]}} Reading */

/** @param {any} node */
const titleOf = (node) => {
  const text = ["name", "headline", "title"].map((each) => node.get(each)).find((each) => typeof each === "string");
  return text ? clipped(oneLine(text), 60) : "";
};
/** @param {string} text @param {number} most characters */
const clipped = (text, most) => (text.length > most ? `${[...text.slice(0, most)].slice(0, -1).join("").trimEnd()}…` : text);
const oneLine = (/** @type {string} */ text) => text.replace(/\s+/g, " ").trim();
const typesOf = (/** @type {any} */ node) => clipped(node.types.join(", "), 200);
const isNode = (/** @type {any} */ value) => Boolean(value && value.props instanceof Map);

/** @param {any} value @returns {string} */
const valueInWords = (value) => {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return oneLine(value) ? clipped(oneLine(value), MOST_OF_A_VALUE) : "empty";
  return typeof value === "object" && "text" in value ? String(value.text) : String(value);
};

/** Names that a finding misses at the node of its pointer; none if it is about a value. @param {Finding} finding @returns {string[]} */
const namesMissed = ({ rule, message, property }) => {
  if (rule === RECOMMENDED) return afterColon(message).split(": ").slice(-1)[0].split(", ");
  if (rule !== "required-property-missing") return [];
  return [property || afterColon(message) || message];
};

/** What was read. @param {any} page @param {FileReport} file @param {Json} main place of the main item, [syntax, block, pointer], or null @returns {Reading} */
export const readingOf = (page, file, main) => {
  const keyOf = (/** @type {unknown[]} */ parts) => parts.join(" ");
  /** @type {Map<string, Finding[]>} */
  const byPlace = new Map();
  /** Places at or below which something is found. @type {Set<string>} */
  const around = new Set();
  const weighty = file.findings.filter((each) => each.severity !== "info");
  for (const each of weighty) {
    const key = keyOf([each.syntax, each.block, each.pointer]), known = byPlace.get(key);
    if (known) known.push(each); else byPlace.set(key, [each]);
    for (let pointer = each.pointer || ""; ; pointer = pointer.slice(0, pointer.lastIndexOf("/"))) {
      around.add(keyOf([each.syntax, each.block, pointer]));
      if (!pointer) break;
    }
  }
  const placeOf = (/** @type {any} */ span) => page.places.place(span);
  const used = new Set();
  /** @type {Finding[]} */
  const none = [];

  /** @param {any} root @param {Set<any>} seen nodes that are written out elsewhere */
  const rowsOf = (root, seen) => {
    /** @type {Row[]} */
    const rows = [];
    const missing = (/** @type {any} */ node, /** @type {number} */ depth) => {
      const about = byPlace.get(keyOf([node.block.syntax, node.block.index, node.block.pointer(node, null, null)])) || none;
      for (const finding of about) for (const name of namesMissed(finding)) {
        used.add(finding);
        const short = depth > 0 && name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name;
        const known = rows.find((each) => each.state === "missing" && each.depth >= depth && each.name === short && each.place?.from === finding.from);
        if (known) { known.findings.push(finding); continue; }
        const row = { name: short, text: "", depth, state: /** @type {const} */ ("missing"), place: finding, findings: [finding] };
        // A property of a property stands among those of the other.
        const holder = /^\w+\.\w+$/.test(short) ? rows.findLastIndex((each, at) => each.depth === depth && each.name === short.split(".")[0] && rows[at + 1]?.depth === depth + 1) : -1;
        if (holder < 0) { rows.push(row); continue; }
        let end = holder + 1;
        while (end < rows.length && rows[end].depth > depth) end += 1;
        rows.splice(end, 0, { ...row, name: short.split(".")[1], depth: depth + 1 });
      }
    };
    const walk = (/** @type {any} */ node, /** @type {number} */ depth) => {
      for (const [name, values] of node.props) {
        values.forEach((/** @type {any} */ value, /** @type {number} */ index) => {
          const [home, own, at] = page.home(node, name, index);
          const findings = byPlace.get(keyOf([home.block.syntax, home.block.index, home.block.pointer(home, own, at)]))
            || (values.length === 1 && byPlace.get(keyOf([home.block.syntax, home.block.index, home.block.pointer(home, own, null)]))) || none;
          const own_ = findings.filter((each) => !namesMissed(each).length);
          if (index >= MOST_OF_A_PROPERTY && !own_.length && !hasFindings(value, depth)) {
            const last = rows[rows.length - 1];
            if (last?.state === "more" && last.name === name) last.text = `${Number(last.text.split(" ")[0]) + 1} more`;
            else if (index < 1000) rows.push({ name, text: "1 more", depth, state: "more", place: null, findings: [] });
            return;
          }
          for (const each of own_) used.add(each);
          const place = placeOf(page.spanOf(node, name, index));
          if (!isNode(value)) { rows.push({ name, text: valueInWords(value), depth, state: "", place, findings: own_ }); return; }
          const title = titleOf(value), label = [typesOf(value), title].filter(Boolean).join(" ") || value.id || "item";
          if (seen.has(value) || depth + 1 >= DEEPEST || rows.length > MOST_ROWS * 4) { rows.push({ name, text: label, depth, state: "", place, findings: own_ }); return; }
          seen.add(value);
          const isName = title && value.props.size <= 2 && !hasFindings(value, depth);
          rows.push({ name, text: isName ? title : typesOf(value) || value.id || "item", depth, state: "", place, findings: own_ });
          if (!isName) walk(value, depth + 1);
        });
      }
      missing(node, depth);
    };
    /** Has a node, or what it holds, findings? @param {any} value @param {number} depth */
    const hasFindings = (value, depth) => isNode(value) && depth < DEEPEST && around.has(nodeKey(value));
    seen.add(root);
    walk(root, 0);
    if (rows.length <= MOST_ROWS) return rows;
    const visible = rows.filter((each, number) => number < MOST_ROWS || each.findings.length).slice(0, MOST_ROWS * 4);
    return [...visible, { name: "", text: `${rows.length - visible.length} more values`, depth: 0, state: /** @type {const} */ ("more"), place: null, findings: [] }];
  };

  const verdicts = new Map((file.verdicts || []).map((each, number) => [keyOf([each.syntax, each.block, each.pointer]), number]));
  const nodeKey = (/** @type {any} */ node) => keyOf([node.block.syntax, node.block.index, node.block.pointer(node, null, null)]);
  const byItem = new Map(groupsOf(weighty, ({ item }) => item ?? -1).map((own) => [own[0].item ?? -1, own]));
  const mainNode = main && page.nodes.find((/** @type {any} */ node) => nodeKey(node) === keyOf(main));
  const written = new Set(mainNode ? [mainNode] : []);
  const verdictOfMain = mainNode ? verdicts.get(nodeKey(mainNode)) ?? -1 : -1;
  const isNested = mainNode && !page.roots.includes(mainNode);
  /** @param {any} node @param {number} number of its root @returns {ReadItem} */
  const itemOf = (node, number) => {
    const isMain = node === mainNode, own = byItem.get(number) || none;
    const findings = isNested && own.length ? own.filter((each) => (verdictOfMain >= 0 && numberOfNode(each) === verdictOfMain) === isMain) : own;
    const { eligible = [], retired = [] } = (file.verdicts || [])[verdicts.get(nodeKey(node)) ?? -1] || (isNested && isMain ? {} : file.items[number] || {});
    /** @type {Row[]|null} */
    let rows = null;
    return { types: typesOf(node) || "Item without a type", name: titleOf(node), syntax: node.block.syntax, place: placeOf(page.spanOf(node)), findings, eligible, retired, number, isMain,
      // What is found is shown somewhere, with the value that it quotes or in its own words.
      get rows() {
        if (rows) return rows;
        rows = rowsOf(node, written);
        for (const each of findings) if (!used.has(each)) rows.push({ name: each.property || "", text: "", depth: 0, state: "", place: each, findings: [each] });
        return rows;
      } };
  };
  const others = page.roots.flatMap((/** @type {any} */ node, /** @type {number} */ number) => (node === mainNode ? [] : [itemOf(node, number)]));
  /** @type {Reading} */
  const result = { main: mainNode ? itemOf(mainNode, rootOf(mainNode, page)) : null, others: [], teasers: [], loose: byItem.get(-1) || [] };
  for (const same of groupsOf(/** @type {ReadItem[]} */ (others), (each) => each.types)) {
    if (same.length >= FEWEST_TEASERS || (same.length > 1 && same[0].types === result.main?.types)) result.teasers.push(same); else result.others.push(...same);
  }
  const weightOf = (/** @type {ReadItem} */ { findings }) => (findings.some((each) => each.severity === "error") ? 0 : findings.length ? 1 : 2);
  result.others.sort((one, two) => weightOf(one) - weightOf(two) || one.place.from - two.place.from);
  result.loose = [...result.loose].sort((one, two) => Number(isUnread(two)) - Number(isUnread(one)));
  return result;
};

/** The number of the root that a node belongs to, or -1. @param {any} node @param {any} page */
const rootOf = (node, page) => {
  let root = node;
  for (let steps = 0; root && !page.roots.includes(root) && steps < 100; steps += 1) root = root.parent;
  return root ? page.roots.indexOf(root) : -1;
};
