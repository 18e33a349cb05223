// Shape of a page's markup, and pages of one template. Counterpart of waypost/crawl/shapes.py.

const DEEPEST = 12;
const MOST_PATHS = 500;
const LIKE = 0.5, LEAST_COMMON = 0.8;
const MOST_LEADERS = 200;
/** @type {Record<string, string>} */
const SYNTAX_NAMES = { "json-ld": "JSON-LD", microdata: "Microdata", rdfa: "RDFa" };

/** @typedef {{types: string[], props: Map<string, any[]>, block: {syntax: string}}} Typed */

/** @param {{types: string[]}} node */
const typeOf = ({ types }) => (types.length === 1 ? types[0] : [...types].sort().join("+")) || "-";

/** Paths of a page, sorted: `json-ld Product`, `json-ld Product/offers:Offer/price`. @param {{roots: Typed[]}} page */
export const pathsOf = (page) => {
  /** @type {Set<string>} */
  const found = new Set();
  const add = (/** @type {Typed} */ node, /** @type {string} */ path, /** @type {number} */ depth, /** @type {Set<Typed>} */ above) => {
    if (found.size >= MOST_PATHS) return;
    found.add(path);
    if (depth >= DEEPEST || above.has(node)) return;
    above.add(node);
    for (const [prop, values] of node.props) {
      let isText = false;
      for (const value of values) {
        if (value?.props instanceof Map) add(value, `${path}/${prop}:${typeOf(value)}`, depth + 1, above);
        else isText = true;
      }
      if (isText && found.size < MOST_PATHS) found.add(`${path}/${prop}`);
    }
    above.delete(node);
  };
  for (const root of page.roots) add(root, `${root.block.syntax} ${typeOf(root)}`, 0, new Set());
  return [...found].sort();
};

/** Root items of a shape: `json-ld Product`. @param {string[]} paths */
const rootsOf = (paths) => paths.filter((each) => !each.includes("/"));

/** Name of a template: the types of the root items, by syntax. @param {string[]} paths */
export const templateName = (paths) => {
  /** @type {Map<string, string[]>} */
  const bySyntax = new Map();
  for (const root of rootsOf(paths)) {
    const at = root.indexOf(" "), syntax = SYNTAX_NAMES[root.slice(0, at)] ?? root.slice(0, at);
    bySyntax.set(syntax, [...bySyntax.get(syntax) ?? [], root.slice(at + 1).replaceAll("+", " and ")]);
  }
  return [...bySyntax].map(([syntax, types]) => `${types.join(", ")} in ${syntax}`).join("; ");
};

/** Pages by template, most pages first. Pages are of a template where the root items have the same types and most paths are
 * the same. @template {{paths: string[]}} P @param {P[]} pages @returns {{name: string, pages: P[]}[]} */
export const templatesOf = (pages) => {
  /** @type {Map<string, P[]>} */
  const shapes = new Map();
  for (const page of pages) {
    const key = page.paths.join("\n");
    shapes.set(key, [...shapes.get(key) ?? [], page]);
  }
  /** @type {Map<string, {paths: Set<string>, pages: P[]}[]>} */
  const leaders = new Map();
  for (const [key, same] of [...shapes].sort(([one, ones], [two, twos]) => twos.length - ones.length || (one < two ? -1 : 1))) {
    const mine = new Set(key ? same[0].paths : []), roots = rootsOf(same[0].paths).join("\n"), known = leaders.get(roots) ?? [];
    leaders.set(roots, known);
    const leader = known.slice(0, MOST_LEADERS).find(({ paths }) => {
      const common = [...mine].filter((path) => paths.has(path)).length;
      return common >= LIKE * (mine.size + paths.size - common) && common >= LEAST_COMMON * Math.min(mine.size, paths.size);
    });
    if (leader) leader.pages.push(...same); else known.push({ paths: mine, pages: [...same] });
  }
  const found = [...leaders.values()].flat().sort((one, two) => two.pages.length - one.pages.length);
  /** @type {Map<string, number>} */
  const names = new Map();
  return found.map(({ paths, pages: same }) => {
    const name = templateName([...paths].sort()) || "No structured data", number = (names.get(name) ?? 0) + 1;
    names.set(name, number);
    return { name: number > 1 ? `${name} (${number})` : name, pages: same };
  });
};
