// @ts-check
// JSON-LD as nodes: text of one script in, its nodes and errors out. Counterpart of waypost/reader/jsonld.py.

import { Context, SCHEMA, schemaContext } from "./context.js";
import { JsonBlock, inner, kindOf, propertiesOf, valuesOf } from "./json-block.js";
import { Arr, Obj, decoding } from "./json.js";
import { Thing } from "./page.js";
import { grouped, strip } from "./text.js";

/** @import { Remark, Term } from "./context.js" */
/** @import { Way } from "./json-block.js" */
/** @import { Entry } from "./json.js" */
/** @import { Page, ReadError } from "./page.js" */
/** @import { Vocabulary } from "./vocabulary.js" */

const MOST_DEPTH = 200;
const MOST_NODES = 100_000;
const MOST_CONTEXT_TERMS = 200_000;
const MOST_NOTED = 200;
const NODES_A_STEP = 200;
const LONGEST_REST = 200_000;
const PAGES = new Set(["WebPage", "WebSite"]);

/** Repairs that may guess where a text or an object ends. */
const OF_STRUCTURE =
  /^json-(?:mismatched-bracket|missing-(?:bracket|colon|comma)|une(?:scaped-quote|xpected-text)|unquoted-value|unterminated)$/;

/** Read one script, or a file, of JSON-LD into the page, in steps.
 * @param {Page} page @param {string} text @param {number} start @param {number} index @param {Vocabulary} vocabulary */
export function* readingBlock(page, text, start, index, vocabulary) {
  const block = new JsonBlock(text, start, index);
  page.blocks.push(block);
  const found = yield* decoding(text);
  block.encoded = found.encoded;
  const { text: whole } = page, end = start + text.length;
  const cut = found.repairs.find(({ rule }) => rule === "json-unterminated");
  let isCut = false;
  if (cut && cut.detail.what === "text" && whole.slice(end, end + 8).toLowerCase() === "</script") {
    const rest = whole.slice(end + 8, end + LONGEST_REST).toLowerCase(), closed = rest.indexOf("</script"), opened = rest.indexOf("<script");
    isCut = closed >= 0 && !(opened >= 0 && opened < closed) && /[\]}]\s{0,1000}$/.test(rest.slice(0, closed));
  }
  if (!found.isSound && !isCut) page.broken.add(index);
  const guesses = found.repairs.filter(({ rule, detail }) => OF_STRUCTURE.test(rule) && !detail.safe);
  const isTemplate = found.repairs.some(({ rule }) => rule === "json-template-left");
  const dots = found.repairs.find(({ rule }) => rule === "json-ellipsis");
  if (isCut && cut) {
    const span = { start: end, end: end + 8 };
    /** @type {ReadError} */
    const broken = { ...block.fail(cut), rule: "json-script-end-in-text", span, detail: {}, edits: [[span, "<\\/script"]], related: [] };
    page.guessed.set(index, broken);
    page.readErrors.push(broken);
  } else if (dots) {
    const broken = block.fail(dots);
    page.guessed.set(index, broken);
    page.readErrors.push(broken);
  } else if (!isTemplate && guesses.reduce((sum, { detail }) => sum + (detail.count ?? 1), 0) > 1) {
    const first = guesses.reduce((one, two) => (two.start < one.start ? two : one)),
      quote = text.lastIndexOf('"', first.start - 1),
      others = found.repairs.length - 1;
    const broken = block.fail(first);
    broken.related = [];
    if (first.start && quote >= 0 && first.rule !== "json-unescaped-quote")
      broken.related.push(["probably this quote ends a text too early", { start: start + quote, end: start + quote + 1 }]);
    const more = others === 1 ? "another error" : `${grouped(others)} more errors`;
    if (others) broken.related.push([`${more} in this script may follow from this one`, broken.span]);
    page.guessed.set(index, broken);
    page.readErrors.push(broken);
  } else for (const repair of found.repairs) page.readErrors.push(block.fail(repair));
  yield;
  const { value } = found.top;
  const isFilled = value instanceof Obj ? value.members.size : value instanceof Arr && value.items.length;
  const types = found.found && isFilled && !/@context|schema\.org/.test(text) ? typeTexts(value) : null;
  if (types && !types.some((name) => isKnownType(name, vocabulary)) && (types.length || !/"@(?:type|id|graph|context)"/i.test(text)))
    page.readErrors.push(block.readError("jsonld-application-data", { up: null, step: "", entry: found.top }, types.length ? { name: types[0] } : {}, "node"));
  else if (found.found) yield* new JsonReader(page, block, vocabulary).reading(found.top);
}

/** Types in the objects of a value, as written and in document order. @param {any} top @returns {string[]} */
const typeTexts = (top) => {
  /** @type {string[]} */
  const found = [], waiting = [top];
  while (waiting.length) {
    const value = /** @type {any} */ (waiting.pop());
    /** @type {[string, Entry][]} */
    const entries = value instanceof Obj ? [...value.members] : value instanceof Arr ? value.items.map((entry) => ["", entry]) : [];
    for (const [key, { value: held }] of entries)
      if (key.toLowerCase() === "@type")
        found.push(...(held instanceof Arr ? held.items.map((entry) => entry.value) : [held]).filter((each) => typeof each === "string"));
    for (const [, entry] of entries.reverse()) waiting.push(entry.value);
  }
  return found;
};
/** @param {string} name @param {Vocabulary} vocabulary */
const isKnownType = (name, vocabulary) => {
  const bare = strip(name).split(/[:/#]/).pop() || "";
  return vocabulary.types.has(bare) || !!vocabulary.intendedType(bare);
};

/** @typedef {{node: Thing|null, way: Way, context: Context, depth: number}} Task */

/** Walks one decoded block, outside in and in document order, without recursion. */
class JsonReader {
  /** @param {Page} page @param {JsonBlock} block @param {Vocabulary} vocabulary */
  constructor(page, block, vocabulary) {
    this.page = page;
    this.block = block;
    this.schema = schemaContext(vocabulary);
    this.empty = new Context(vocabulary, null);
    /** @type {Task[]} */
    this.waiting = [];
    /** @type {ReadError[]} */
    this.readErrors = [];
    this.termsLeft = MOST_CONTEXT_TERMS;
    /** @type {Set<string>} */
    this.seen = new Set();
    this.remote = false;
    /** Nodes with an empty `@id`. @type {[Thing, Way][]} */
    this.unnamed = [];
    /** @type {Map<Context, Map<string, Context>>} */
    this.scoped = new Map();
  }

  /** @param {Entry} top @returns {Generator<undefined, void>} */
  *reading(top) {
    const { value } = top;
    /** @type {Way} */
    const way = { up: null, step: "", entry: top };
    if (value === null) this.report("json-empty-block", way, {});
    else if (!(value instanceof Obj || value instanceof Arr)) this.report("json-not-an-object", way, { kind: kindOf(value), is_member: false });
    else if (!(value instanceof Obj ? value.members.size : value.items.length)) {
      this.report("json-empty-block", way, { kind: value instanceof Obj ? "object" : "list" });
    }
    this.waiting.push({ node: null, way, context: this.empty, depth: 0 });
    while (this.waiting.length) {
      if (this.page.nodes.length % NODES_A_STEP === 0) yield;
      const task = /** @type {Task} */ (this.waiting.pop());
      if (task.node) this.fill(task.node, task.way, task.context, task.depth);
      else this.top(task.way, task.context, task.depth);
    }
    for (const [node, way] of this.unnamed) {
      if (node.via === "mainEntityOfPage" || this.schema.vocabulary.areA(node.types, PAGES)) continue;
      node.id = null;
      node.reference = false;
      if (node.props.size || node.types.length) this.report("jsonld-id-empty", way, {});
    }
    this.readErrors.sort((one, two) => one.span.start - two.span.start || one.span.end - two.span.end);
    this.page.readErrors.push(...this.readErrors);
  }

  /**
   * @param {string} rule
   * @param {Way} way
   * @param {Record<string, any>} detail
   * @param {{at?: string, once?: boolean}} [how]
   */
  report(rule, way, detail, { at = "value", once = false } = {}) {
    if ((once && this.seen.has(rule)) || this.readErrors.length >= MOST_NOTED) return;
    this.seen.add(rule);
    this.readErrors.push(this.block.readError(rule, way, detail, at));
  }

  /** A node that no property holds. @param {Way} way @param {Context} context @param {number} depth */
  top(way, context, depth) {
    const raw = way.entry.value;
    if (raw instanceof Arr) {
      if (depth < MOST_DEPTH) {
        for (let n = raw.items.length - 1; n >= 0; n--) {
          this.waiting.push({ node: null, way: { up: way, step: n, entry: raw.items[n] }, context, depth: depth + 1 });
        }
      } else this.report("json-too-deep", way, { most: MOST_DEPTH }, { at: "node", once: true });
      return;
    }
    if (!(raw instanceof Obj)) {
      if (way.up && raw !== null) this.report("json-not-an-object", way, { kind: kindOf(raw), is_member: typeof way.step === "number" });
      return;
    }
    if (raw.has("@context")) context = this.context(inner(way, "@context"), context);
    if (isOnlyContainer(raw, context)) {
      for (const keyword of ["@included", "@graph"]) {
        const key = context.find(raw, keyword);
        if (key) this.waiting.push({ node: null, way: inner(way, key), context, depth: depth + 1 });
      }
      return;
    }
    if (context.vocab === null && !context.terms.size && !this.remote) {
      context = this.schema;
      if (!isSelfContained(raw)) this.withoutContext(raw, way);
    }
    this.fill(new Thing(this.block, null), way, context, depth, true);
  }

  /** @param {Way} way @param {Context} context @param {any} [given] of the definition of a term @param {boolean} [isApart] */
  context(way, context, given = way.entry.value, isApart = false) {
    if (given instanceof Obj || given instanceof Arr) {
      this.termsLeft -= 8 + (given instanceof Obj ? given.members.size : given.items.length) + context.terms.size;
    }
    if (this.termsLeft < 0) {
      this.seen.add("jsonld-context-missing");
      this.report("json-too-large", way, { what: "context definitions", most: MOST_CONTEXT_TERMS }, { once: true });
      return context;
    }
    /** @type {Remark[]} */
    const remarks = [];
    const made = context.extended(given, remarks);
    for (const { rule, steps, detail } of remarks) {
      this.remote ||= rule === "jsonld-remote-context";
      this.report(
        rule,
        isApart ? way : steps.reduce((/** @type {Way} */ at, step) => inner(at, step), way),
        detail,
        { at: isApart ? "node" : "value", once: isApart },
      );
    }
    return made;
  }

  /** The contexts of a node's own members and of the nodes inside, by the contexts of its types' definitions.
   * @param {Way} way @param {Context} context @returns {[Context, Context]} */
  scopedBy(way, context) {
    const raw = way.entry.value;
    const given = ["@type", ...(context.aliases.get("@type") || [])].flatMap((key) => {
      const value = raw.get(key);
      return value instanceof Arr ? value.items.map((entry) => entry.value) : [value];
    });
    const types = [...new Set(given)].filter((name) => context.scopes.has(name)).sort();
    if (!types.length) return [context, context];
    const local = (/** @type {string} */ name) => context.terms.get(name).get("@context");
    const known = this.scoped.get(context) || new Map();
    this.scoped.set(context, known);
    const key = types.join("\n");
    let made = known.get(key);
    if (!made) {
      made = types.reduce((before, name) => this.context(way, before, local(name), true), context);
      known.set(key, made);
    }
    const isPropagated = types.some((name) => local(name) instanceof Obj && local(name).get("@propagate") === true);
    return [made, isPropagated ? made : context];
  }

  /** @param {Thing} node @param {Way} way @param {Context} context @param {number} depth @param {boolean} [scoped] */
  fill(node, way, context, depth, scoped = false) {
    const raw = way.entry.value;
    if (!scoped && raw.has("@context")) context = this.context(inner(way, "@context"), context);
    let around = context; // of the nodes inside
    if (context.scopes.size) [context, around] = this.scopedBy(way, context);
    node.origin = { way, raw, context };
    if (depth >= MOST_DEPTH) {
      this.report("json-too-deep", way, { most: MOST_DEPTH }, { at: "node", once: true });
      return;
    }
    if (this.page.nodes.length >= MOST_NODES) {
      this.report("json-too-large", way, { what: "nodes", most: MOST_NODES }, { at: "node", once: true });
      return;
    }
    this.page.nodes.push(node);
    /** @type {Task[]} */
    const children = [];
    for (const [key, value, at, term] of propertiesOf(raw, way, context)) {
      if (typeof term !== "string" && term.kind !== "property") {
        this.keyword(term, key, value, node, at, context, depth, children, around);
        continue;
      }
      let name = /** @type {string} */ (term);
      if (typeof term !== "string") {
        name = term.name;
        if (term.spelled !== null) node.noteSpelling(name, term.spelled);
      }
      this.values(value, node, name, at, context, depth, children, term, around);
    }
    if (node.reverse) turnAround(node);
    finish(node, context);
    for (let n = children.length - 1; n >= 0; n--) this.waiting.push(children[n]);
  }

  /** The values of a property, however they are wrapped.
   * @param {any} given @param {Thing} node @param {string} name @param {Way} way @param {Context} context
   * @param {number} depth @param {Task[]} children @param {string|Term} term @param {Context} around */
  values(given, node, name, way, context, depth, children, term, around) {
    const held = node.props.get(name) || [];
    node.props.set(name, held);
    let within = around,
      coerced = false;
    if (typeof term !== "string") {
      coerced = term.coerce === "@id" || term.coerce === "@vocab";
      if (term.context !== undefined) within = this.context(way, around, term.context, true);
    }
    for (const { value, way: at, language } of valuesOf(given, way, term, context)) {
      if (value instanceof Obj) held.push(this.child(node, name, at, within, depth, children));
      else if (coerced && typeof value === "string" && (value[0] === "#" || value[0] === "_")) {
        const pointing = new Obj();
        pointing.members.set("@id", { ...at.entry, ks: -1, ke: -1 });
        held.push(this.child(node, name, { ...at, entry: { ...at.entry, value: pointing } }, within, depth, children));
      } else {
        if (language !== undefined) node.tag(name, held.length, language);
        held.push(value);
      }
    }
    if (given instanceof Obj || given instanceof Arr) this.checkLiterals(given, way, context);
  }

  /**
   * @param {Thing} node
   * @param {string} name
   * @param {Way} way
   * @param {Context} context
   * @param {number} depth
   * @param {Task[]} children
   */
  child(node, name, way, context, depth, children) {
    const child = new Thing(this.block, null, node, name);
    children.push({ node: child, way, context, depth: depth + 1 });
    return child;
  }

  /**
   * Value objects with other members, or without a value.
   * @param {Obj|Arr} given
   * @param {Way} way
   * @param {Context} context
   */
  checkLiterals(given, way, context) {
    const ways = given instanceof Arr ? given.items.map((entry, n) => ({ up: way, step: n, entry })) : [way];
    for (const at of ways) {
      const { value } = at.entry;
      const key = value instanceof Obj ? context.find(value, "@value") : null;
      if (key === null) continue;
      const held = value.get(key);
      if (held instanceof Obj || held instanceof Arr) {
        this.report("value-object-invalid", at, { kind: kindOf(held) }, { at: "node" });
        continue;
      }
      const more = [...value.members.keys()].find((each) => each[0] !== "@" && typeof context.key(each) === "string");
      if (more !== undefined) this.report("value-object-invalid", at, { more }, { at: "node" });
    }
  }

  /** A member that is no property of the node.
   * @param {Term} term @param {string} key @param {any} value @param {Thing} node @param {Way} at @param {Context} context
   * @param {number} depth @param {Task[]} children @param {Context} around */
  keyword(term, key, value, node, at, context, depth, children, around) {
    const { name, kind } = term;
    if (kind === "reverse") {
      this.reversed(value, node, name, at, around, depth, children);
      return;
    }
    if (term.spelled !== null && name[0] === "@") {
      this.report("jsonld-unknown-keyword", at, { written: key, meant: name }, { at: "key" });
    }
    if (kind === "drop") return;
    if (name === "@type") {
      for (const type of this.types(value, node, at, around)) if (!node.types.includes(type)) node.types.push(type);
    } else if (name === "@id") {
      if (typeof value === "string") {
        node.id = context.resolve(strip(value), this.page.base);
        if (!strip(value)) this.unnamed.push([node, at]);
      } else this.report("jsonld-keyword-value-invalid", at, { keyword: "@id", kind: kindOf(value) });
    } else if (name === "@graph" || name === "@included") {
      children.push({ node: null, way: at, context: around, depth: depth + 1 });
    } else if (name === "@reverse" && value instanceof Obj) {
      for (const [prop, entry] of value.members) {
        const made = context.key(prop);
        if (typeof made !== "string" && made.kind !== "property") continue;
        this.reversed(
          entry.value,
          node,
          typeof made === "string" ? made : made.name,
          { up: at, step: prop, entry },
          around,
          depth,
          children,
        );
      }
    }
  }

  /** Nodes whose property this node is.
   * @param {any} given @param {Thing} node @param {string} name @param {Way} way @param {Context} context @param {number} depth
   * @param {Task[]} children */
  reversed(given, node, name, way, context, depth, children) {
    for (const { value, way: at } of valuesOf(given, way, "", context)) {
      if (value instanceof Obj) this.child(node, name, at, context, depth, children).reverse = true;
    }
  }

  /** @param {any} given @param {Thing} node @param {Way} way @param {Context} context */
  types(given, node, way, context) {
    /** @type {Set<string>} */
    const found = new Set();
    const ways = given instanceof Arr ? given.items.map((entry, n) => ({ up: way, step: n, entry })) : [way];
    for (const at of ways) {
      const one = at.entry.value;
      if (typeof one !== "string") {
        this.report("jsonld-keyword-value-invalid", at, { keyword: "@type", kind: kindOf(one) });
        continue;
      }
      const [name, spelled] = context.type(one);
      if (spelled !== null) node.noteSpelling(`@type:${name}`, spelled);
      if (name) found.add(name);
    }
    return found;
  }

  /** Report that no context defines the names, with the fix. @param {Obj} raw @param {Way} way */
  withoutContext(raw, way) {
    const rule = "jsonld-context-missing";
    if (this.seen.has(rule) || this.seen.has("jsonld-context-invalid") || !raw.members.size) return;
    this.seen.add(rule);
    const has = raw.has("@context");
    const readError = has
      ? this.block.readError(rule, inner(way, "@context"), { kind: "empty" })
      : this.block.readError(rule, way, { kind: "absent" }, "node");
    const { end } = readError.span;
    this.readErrors.push({
      ...readError,
      edits: has
        ? [[readError.span, '"https://schema.org"']]
        : [[{ start: end, end }, '"@context": "https://schema.org", ']],
    });
  }
}

/** A node written under a reverse property holds the node around it. @param {Thing} node */
const turnAround = (node) => {
  const parent = /** @type {Thing} */ (node.parent),
    via = /** @type {string} */ (node.via);
  node.props.set(via, [...(node.props.get(via) || []), parent]);
  parent.referrers.push([node, via]);
};

/** Is it ours, and is it more than a pointer? @param {Thing} node @param {Context} context */
const finish = (node, context) => {
  const isForeign = (/** @type {string} */ name) => name.includes(":");
  if (node.types.length) node.foreign = node.types.every(isForeign);
  else if (node.props.size) node.foreign = [...node.props.keys()].every(isForeign);
  else node.foreign = node.parent ? node.parent.foreign : context.vocab !== SCHEMA;
  if (!node.props.size && node.id !== null) node.reference = node.parent !== null || !node.types.length;
};

const CONTAINER_KEYWORDS = new Set(["@graph", "@included", "@context", "@id", "@index"]);
/** Does an object only hold a graph? @param {Obj} raw @param {Context} context */
const isOnlyContainer = (raw, context) => {
  if (!context.find(raw, "@graph") && !context.find(raw, "@included")) return false;
  return [...raw.members.keys()].every((key) => {
    const term = context.key(key);
    return typeof term !== "string" && CONTAINER_KEYWORDS.has(term.name);
  });
};
/** Needs an object no context, because every name in it is a keyword or an IRI? @param {Obj} raw */
const isSelfContained = (raw) => {
  if ([...raw.members.keys()].some((key) => key[0] !== "@" && !key.includes("://"))) return false;
  if (!raw.has("@type")) return false;
  const given = raw.get("@type");
  const types = given instanceof Arr ? given.items.map((entry) => entry.value) : [given];
  return types.every((each) => typeof each === "string" && each.includes("://"));
};
