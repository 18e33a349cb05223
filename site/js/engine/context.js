// @ts-check
// Contexts of JSON-LD that can be read without a request: the meaning of names. Counterpart of
// waypost/reader/context.py.

import { UrlError } from "./addresses.js";
import { Arr, Obj } from "./json.js";
import { partition, rx, strip } from "./text.js";
import { urljoin } from "./urls.js";
import { isMisspelledHome } from "./vocabulary.js";

/** @import { Vocabulary } from "./vocabulary.js" */

export const SCHEMA = "schema.org";
const KEYWORDS = new Set(
  "base container context direction graph id import included index json language list nest none prefix propagate protected reverse set type value version vocab"
    .split(" ")
    .map((name) => `@${name}`),
);
const KEYWORD_LIKE = /^@[A-Za-z]+$/;
const SCHEMA_IRI = /^https?:\/\/(?:www\.)?schema\.org\/#?(?=.)/i;
const SCHEMA_CONTEXT = /^(?:https?:)?\/\/(?:www\.)?schema\.org(?:\/?#?|\/docs\/jsonldcontext\.json(?:ld)?)$/i;
const SCHEMA_ALMOST = rx("is")`^(?:https?:?/{0,3})?(?:www\.)?schema\.org(?:[/#?\s].*)?\Z`;
const SCHEMA_VOCAB = /^https?:\/\/(?:www\.)?schema\.org[/#]*$/i;
export const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/** What a key stands for, where it is more than a plain property with its right name.
 * @typedef {{name: string, kind: "property"|"keyword"|"reverse"|"drop", spelled: string|null, container: Set<string>,
 *   coerce: string|null, language: string|null, tongues: boolean, context: any}} Term */
/** @typedef {{rule: string, steps: (string|number)[], detail: Record<string, any>}} Remark */

/** @param {string} name @param {Term["kind"]} [kind] @param {string|null} [spelled] @returns {Term} */
const term = (name, kind = "property", spelled = null) => ({
  name,
  kind,
  spelled,
  container: new Set(),
  coerce: null,
  language: null,
  tongues: false,
  context: undefined,
});

export class Context {
  /** @param {Vocabulary} vocabulary @param {string|null} vocab */
  constructor(vocabulary, vocab) {
    this.vocabulary = vocabulary;
    this.vocab = vocab;
    /** @type {string|null} */
    this.base = null;
    /** @type {string|null} */
    this.language = null;
    /** @type {Map<string, any>} */
    this.terms = new Map();
    /** @type {Map<string, string[]>} */
    this.aliases = new Map();
    this.plain = true;
    /** Terms with a context of their own. @type {Set<string>} */
    this.scopes = new Set();
    this.isDraft = false;
    /** @type {Map<string, string|Term>} */
    this.keys = new Map();
  }

  /** @param {string} key @returns {string|Term} */
  key(key) {
    let known = this.keys.get(key);
    if (known === undefined) {
      known = this.keyOf(key);
      if (this.keys.size >= 4096) this.keys.clear();
      this.keys.set(key, known);
    }
    return known;
  }

  /** [bare name or IRI of a type, its spelling if the letter case was corrected] @param {string} name
   * @returns {[string, string|null]} */
  type(name) {
    const iri = this.iri(name);
    if (iri === null) return [`_:${name}`, null];
    if (this.vocabulary.types.has(iri)) return [iri, null];
    const right = this.corrected(iri, false);
    return right ? [right, name] : [iri, null];
  }

  /** The key that stands for a keyword, by its own name or an alias. @param {Obj} raw @param {string} keyword */
  find(raw, keyword) {
    if (raw.has(keyword)) return keyword;
    return (this.aliases.get(keyword) || []).find((alias) => raw.has(alias)) ?? null;
  }

  /** A name as an IRI or a bare schema.org name; null without a meaning in this context. @param {string} name */
  iri(name) {
    let left = 16; // definitions may point at each other
    for (; left; left--) {
      const [target, rest] = this.definition(name);
      if (target === null || target === name) break;
      if (rest && SCHEMA_VOCAB.test(target)) return rest;
      name = target + rest;
    }
    if (!left) return null;
    if (name[0] === "@" || name.startsWith("_:")) return name;
    if (name.startsWith("schema:")) return name.slice(7) || null;
    const schema = SCHEMA_IRI.exec(name);
    if (schema) return name.slice(schema[0].length).replace(/\/+$/, "") || name;
    if (name.includes(":") || this.vocab === SCHEMA) return name;
    return this.vocab === null ? `_:${name}` : this.vocab + name;
  }

  /** @param {string} name @returns {[string|null, string]} */
  definition(name) {
    let target,
      rest = "";
    if (this.terms.has(name)) target = this.terms.get(name);
    else {
      const [prefix, , after] = partition(name, ":");
      if (!after || after.startsWith("//") || !this.terms.has(prefix)) return [null, ""];
      target = this.terms.get(prefix);
      rest = after;
    }
    if (target instanceof Obj) target = target.get("@id");
    return [typeof target === "string" ? target : null, rest];
  }

  /** An `@id` as an absolute IRI where that is possible. @param {string} identifier @param {string|null} given */
  resolve(identifier, given) {
    if (/^(?:https?:\/\/|_:)/.test(identifier)) return identifier;
    if (identifier.includes(":") && this.terms.size) {
      const [prefix, , rest] = partition(identifier, ":");
      let target = this.terms.get(prefix);
      if (target instanceof Obj) target = target.get("@id");
      if (typeof target === "string" && !rest.startsWith("//")) return target + rest;
    }
    if (ABSOLUTE.test(identifier)) return identifier;
    const base = this.base || given;
    if (!base) return identifier || null;
    if (identifier[0] === "#") return partition(base, "#")[0] + identifier;
    try {
      return urljoin(base, identifier);
    } catch (error) {
      if (error instanceof UrlError) return identifier;
      throw error;
    }
  }

  /** This context with a local one applied to it. @param {any} given @param {Remark[]} remarks @returns {Context} */
  extended(given, remarks) {
    if (given instanceof Arr) {
      return given.items.reduce(
        (/** @type {Context} */ context, entry, n) => context.applied(entry.value, [n], remarks),
        this,
      ).settled();
    }
    return this.applied(given, [], remarks).settled();
  }

  /** @returns {Context} */
  withInherited() {
    const ground = schemaContext(this.vocabulary);
    if (this === ground || (!this.terms.size && this.base === null && this.language === null)) return ground;
    const made = this.draft();
    made.vocab = SCHEMA;
    made.terms.set("type", "@type").set("id", "@id");
    return made;
  }

  /** @param {any} given @param {(string|number)[]} steps @param {Remark[]} remarks @returns {Context} */
  applied(given, steps, remarks) {
    if (given === null) return new Context(this.vocabulary, null);
    if (typeof given === "string") return this.named(given, steps, remarks);
    if (given instanceof Obj) return this.inline(given, steps, remarks);
    const kind = typeof given === "boolean" ? String(given) : given instanceof Arr ? "a list" : "a number";
    remarks.push({ rule: "jsonld-context-invalid", steps, detail: { kind } });
    return this;
  }

  /** @param {string} written @param {(string|number)[]} steps @param {Remark[]} remarks @returns {Context} */
  named(written, steps, remarks) {
    const trimmed = strip(written);
    if (!trimmed) return this;
    if (SCHEMA_CONTEXT.test(written)) {
      if (/^http:/i.test(written)) remarks.push({ rule: "jsonld-context-http", steps, detail: { written } });
      return this.withInherited();
    }
    if (SCHEMA_ALMOST.test(trimmed)) {
      remarks.push({ rule: "jsonld-context-misspelled", steps, detail: { written } });
      return this.withInherited();
    }
    if (isMisspelledHome(trimmed)) {
      remarks.push({ rule: "jsonld-context-misspelled", steps, detail: { written, is_elsewhere: true } });
      return this.withInherited();
    }
    remarks.push({ rule: "jsonld-remote-context", steps, detail: { written } });
    if (steps.length || this.vocab === null) return this; // next to others in a list, which still apply
    const made = this.draft();
    made.vocab = null;
    return made;
  }

  /** @param {Obj} given @param {(string|number)[]} steps @param {Remark[]} remarks */
  inline(given, steps, remarks) {
    const made = this.draft();
    for (const [key, entry] of given.members) if (key[0] !== "@") made.terms.set(key, entry.value);
    const imported = given.get("@import");
    if (typeof imported === "string")
      remarks.push({ rule: "jsonld-remote-context", steps: [...steps, "@import"], detail: { written: imported } });
    if (given.has("@vocab")) {
      const vocab = made.prefixed(given.get("@vocab"));
      if (typeof vocab === "string" && SCHEMA_VOCAB.test(strip(vocab))) {
        made.vocab = SCHEMA;
        if (!/[/#]$/.test(vocab)) {
          remarks.push({ rule: "jsonld-vocab-without-slash", steps: [...steps, "@vocab"], detail: { written: vocab } });
        }
      } else if (vocab === "schema:") made.vocab = SCHEMA;
      else made.vocab = typeof vocab === "string" && vocab ? vocab : null;
    }
    if (typeof given.get("@base") === "string") made.base = this.resolve(given.get("@base"), null);
    if (given.has("@language")) {
      const language = given.get("@language");
      made.language = typeof language === "string" ? language : null;
    }
    return made;
  }

  /** `@vocab` with a term or a prefix replaced by its address. @param {any} vocab */
  prefixed(vocab) {
    if (typeof vocab !== "string" || vocab.includes("://")) return vocab;
    const [prefix, , rest] = partition(vocab, ":");
    let target = this.terms.get(prefix);
    if (target instanceof Obj) target = target.get("@id");
    return typeof target === "string" && target.includes("://") ? target + rest : vocab;
  }

  /** This context, ready for use: what follows from its terms is found once, however many contexts made it. */
  settled() {
    if (!this.isDraft) return this;
    this.isDraft = false;
    let odd = false;
    for (const [name, given] of this.terms) {
      odd ||= given instanceof Obj;
      if (given instanceof Obj && given.has("@context")) this.scopes.add(name);
      const target = given instanceof Obj ? given.get("@id") : given;
      if (typeof target === "string" && KEYWORDS.has(target)) {
        const names = this.aliases.get(target);
        if (names) names.push(name);
        else this.aliases.set(target, [name]);
      }
    }
    this.plain =
      !odd && this.language === null && [...this.aliases.keys()].every((each) => each === "@type" || each === "@id");
    return this;
  }

  /** A context to be changed: this one while it is being made, else a copy. @returns {Context} */
  draft() {
    if (this.isDraft) return this;
    const made = new Context(this.vocabulary, this.vocab);
    made.base = this.base;
    made.language = this.language;
    made.terms = new Map(this.terms);
    made.isDraft = true;
    return made;
  }

  /** @param {string} key @returns {string|Term} */
  keyOf(key) {
    const definition = this.terms.get(key);
    if (definition instanceof Obj && typeof definition.get("@reverse") === "string") {
      const name = this.iri(definition.get("@reverse"));
      return name ? this.property(name, key, definition, "reverse") : term(key, "drop");
    }
    if (!key || (this.terms.has(key) && definition === null)) return term(key, "drop");
    const name = this.iri(key);
    if (name === null) return term(key, "drop");
    if (name[0] === "@") return keywordOf(name);
    if (definition instanceof Obj) return this.property(name, key, definition, "property");
    const right = this.corrected(name, true);
    return right === null ? name : term(right, "property", key);
  }

  /** @param {string} name @param {string} key @param {Obj} definition @param {Term["kind"]} kind @returns {Term} */
  property(name, key, definition, kind) {
    const right = this.corrected(name, true);
    const container = definition.get("@container");
    const containers = container instanceof Arr ? container.items.map((entry) => entry.value) : [container];
    const text = (/** @type {string} */ keyword) => {
      const value = definition.get(keyword);
      return typeof value === "string" ? value : null;
    };
    return {
      name: right || name,
      kind,
      spelled: right ? key : null,
      container: new Set(containers.filter((each) => typeof each === "string")),
      coerce: text("@type"),
      language: text("@language"),
      tongues: definition.has("@language"),
      context: definition.get("@context") ?? undefined,
    };
  }

  /**
   * The name as the vocabulary writes it, if it differs in letter case alone.
   * @param {string} name
   * @param {boolean} isProperty
   */
  corrected(name, isProperty) {
    const { vocabulary } = this;
    const known = isProperty ? vocabulary.properties : vocabulary.types;
    if (name.includes(":") || known.has(name)) return null;
    const [stem, dash, suffix] = partition(name, "-"); // `query-input` of actions
    if ((dash && suffix !== "input" && suffix !== "output") || known.has(stem)) return null;
    const right = isProperty ? vocabulary.intendedProperty(stem) : vocabulary.intendedType(stem);
    return right ? right + dash + suffix : null;
  }
}

/** @param {string} name @returns {string|Term} */
const keywordOf = (name) => {
  if (KEYWORDS.has(name)) return term(name, "keyword");
  if (!KEYWORD_LIKE.test(name)) return `_:${name}`;
  const lower = name.toLowerCase();
  return KEYWORDS.has(lower) ? term(lower, "keyword", name) : term(name, "drop", name);
};

/** @type {WeakMap<Vocabulary, Context>} */
const grounds = new WeakMap();
/** The context that "https://schema.org" gives; it makes `type` and `id` aliases. @param {Vocabulary} vocabulary */
export const schemaContext = (vocabulary) => {
  let ground = grounds.get(vocabulary);
  if (!ground) {
    ground = new Context(vocabulary, SCHEMA).draft();
    ground.terms.set("type", "@type").set("id", "@id");
    ground.settled();
    grounds.set(vocabulary, ground);
  }
  return ground;
};
