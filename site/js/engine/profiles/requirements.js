// @ts-check
// Entries of profiles as checks, and what they find in a node. Counterpart of
// waypost/validate/profiles/{requirements,gaps,limits,model}.py, without their shortcuts for speed.

import { canonical } from "../counterparts.js";
import { momentOf } from "../dates.js";
import { Thing } from "../page.js";
import { isUnfilled } from "../placeholders.js";
import { clip, joinWords } from "../strings.js";
import { Dec, head, repr, rx, size, str, strip, unique, withoutPrefix } from "../text.js";
import { linksOf } from "../value-kinds.js";
import { number } from "../values.js";
import { compileCondition, intentsOf } from "./conditions.js";
import { FILTER, NAMED_BY_TEXT, Path, equals, isReference, textOf } from "./paths.js";
import { OUTSIDE } from "./values.js";

/** @import { EvaluationContext, Hit } from "./paths.js" */
/** @import { ProfileSet } from "./profile-set.js" */
/** @import { Kinds } from "./values.js" */
/** @import { Entries, Entry, Literal } from "../registry.js" */
/** @import { Value } from "../page.js" */

const REQUIRED = 0;
const SOFT = 1;
const RECOMMENDED = 2;
const UNCERTAIN = 3;
const LIMIT = 4;
const DEEPEST_REQUIREMENT = 10;
/** Gap between an entry and the markup; see `Gap` in waypost/validate/profiles/model.py.
 * @typedef {{kind: string, node: Thing, path: string, localPath: string, prop: string|null, at: number|null, words: string, rule: string|null, loses: string|null,
 *   certain: boolean, severity: Severity|null, held: boolean, own: boolean}} Gap */
/** @param {string} prefix @param {string} path */
const belowPath = (prefix, path) => (prefix ? prefix + path.replaceAll("|", `|${prefix}`) : path);
/** @param {Gap} gap @param {string} prefix @param {string|null} [loses] @returns {Gap} */
const belowGap = (gap, prefix, loses = null) => ({
  ...gap,
  path: gap.held ? gap.path : belowPath(prefix, gap.path),
  loses: gap.loses || loses,
});

/** Gaps between a set of requirements and a node. */
export class Outcome {
  constructor() {
    /** Is a required list too short? A warning, and no result. */
    this.isShort = false;
    /** @type {Gap[]} */
    this.required = [];
    /** @type {Gap[]} */
    this.soft = [];
    /** @type {Gap[]} */
    this.limits = [];
    /** @type {Map<string, Thing>} */
    this.recommended = new Map();
    /** @type {Map<string, string[]>} */
    this.maybeRecommended = new Map();
    /** @type {Map<string, string[]>} */
    this.maybeRequired = new Map();
  }

  /** @param {number} level @param {Gap} gap */
  add(level, gap) {
    (level === REQUIRED ? this.required : level === LIMIT ? this.limits : this.soft).push(gap);
  }

  /**
   * Take over what was found in a nested object.
   * @param {Outcome} inside
   * @param {string} prefix
   * @param {number} level
   * @param {string|null} loses
   */
  lift(inside, prefix, level, loses) {
    if (level === REQUIRED) for (const gap of inside.required) this.required.push(belowGap(gap, prefix));
    else if (level !== UNCERTAIN) {
      for (const gap of inside.required)
        if (gap.certain && !gap.own) this.soft.push(belowGap(gap, prefix, loses));
    }
    if (level === UNCERTAIN) return;
    for (const gap of inside.soft) this.soft.push(belowGap(gap, prefix, loses));
    for (const gap of inside.limits) this.limits.push(belowGap(gap, prefix));
    for (const [own, theirs] of /** @type {[Map<string, any>, Map<string, any>][]} */ ([
      [this.recommended, inside.recommended],
      [this.maybeRecommended, inside.maybeRecommended],
      [this.maybeRequired, inside.maybeRequired],
    ])) {
      for (const [path, what] of theirs) if (!own.has(belowPath(prefix, path))) own.set(belowPath(prefix, path), what);
    }
  }
}

export class Requirements {
  /**
   * @param {Entries} source a profile or shape
   * @param {ProfileSet} profileSet
   * @param {string|null} loses
   * @param {boolean} isProfile
   */
  constructor(source, profileSet, loses, isProfile) {
    /** @type {Check[]} */
    this.checks = [];
    for (const [level, part] of /** @type {[number, "required"|"recommended"|"limits"][]} */ ([
      [REQUIRED, "required"],
      [RECOMMENDED, "recommended"],
      [LIMIT, "limits"],
    ])) {
      for (const entry of source[part] || []) this.checks.push(new Check(entry, level, profileSet));
    }
    this.loses = loses;
    this.isProfile = isProfile;
  }

  /**
   * Gaps of a node, computed once; none while the same evaluation is under way further up.
   * @param {EvaluationContext} context
   * @param {Thing} node
   * @returns {Outcome}
   */
  evaluate(context, node, depth = 0) {
    const known = context.outcomes.get(node) || new Map();
    context.outcomes.set(node, known);
    const before = known.get(this);
    if (before) return before;
    if (before === null || depth > DEEPEST_REQUIREMENT) return new Outcome();
    known.set(this, null);
    const outcome = new Outcome();
    for (const check of this.checks) check.run(context, node, outcome, depth);
    known.set(this, outcome);
    return outcome;
  }
}

/** One entry, compiled. */
class Check {
  /** @param {Entry} entry @param {number} part @param {ProfileSet} profileSet */
  constructor(entry, part, profileSet) {
    this.entry = entry;
    this.profileSet = profileSet;
    const isMild =
      entry.row === "recommended" || (entry.severity && !entry.waits) || !["table", "prose"].includes(entry.basis || "table");
    this.level = entry.beta ? UNCERTAIN : part === REQUIRED && isMild ? SOFT : part;
    this.when = entry.when ? compileCondition(entry.when, profileSet.filters) : null;
    this.intents = intentsOf(entry.when);
    if (!this.intents.length && entry.beta) this.intents = ["trial"];
    this.each = entry.each ? new Path(entry.each, profileSet.filters) : null;
    this.prefix = entry.each ? `${entry.each}.` : "";
    /** @type {string[]} */
    const texts = entryPaths(entry);
    this.paths = new Map(texts.map((text) => [text, new Path(text, profileSet.filters)]));
    this.only = { text: texts[0], path: /** @type {Path} */ (this.paths.get(texts[0])) };
    this.whole = texts.join("|");
    /**
     * Missing path: as reported, and from the object without it.
     * @type {Map<string, {path: string, localPath: string, held: boolean}>}
     */
    this.missingPlaces = new Map();
    this.kinds = new Map(
      texts.flatMap((text) => {
        const kind = entry.values?.[text] ?? entry.value;
        return kind ? [/** @type {[string, Kinds]} */ ([text, profileSet.kinds(kind)])] : [];
      }),
    );
    this.prefer = entry.prefer ? profileSet.kinds(entry.prefer) : null;
    this.limits = limitsOf(entry);
    this.isPlain = !this.limits.length && !this.prefer && [...this.kinds.values()].every((each) => each.isPlain);
    this.isCounted = !!(entry.min_items || entry.max_items || entry.unique || entry.includes);
  }

  /**
   * Evaluate a node, or every object that `each` reaches from it.
   * @param {EvaluationContext} context
   * @param {Thing} node
   * @param {Outcome} outcome
   * @param {number} depth
   */
  run(context, node, outcome, depth) {
    const scopes = this.each ? this.each.allObjects(context, node).filter((each) => !isReference(each)) : [node];
    for (const scope of scopes) {
      const holds = this.when ? this.when(context, scope) : true;
      if (holds === false) continue;
      const level = holds === null ? UNCERTAIN : this.level;
      if (this.entry.absent) this.absent(context, scope, outcome, level);
      else if (this.entry.any_of_groups) this.anyOfGroups(context, scope, outcome, level, depth);
      else if (this.entry.any_of) this.anyOf(context, scope, outcome, level, depth);
      else this.path(context, scope, outcome, level, depth);
    }
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} node @param {string} text */
  missing(outcome, level, node, text) {
    const { entry } = this;
    if (entry.default !== undefined) return;
    let place = this.missingPlaces.get(text);
    if (!place) {
      const held = text.startsWith("^."),
        localPath = withoutPrefix(text.replace(FILTER, ""), "^.");
      place = { held, localPath, path: held ? localPath : belowPath(this.prefix, localPath) };
      this.missingPlaces.set(text, place);
    }
    const { held, localPath, path } = place;
    if (level === RECOMMENDED) {
      if (!outcome.recommended.has(path)) outcome.recommended.set(path, node);
    } else if (level === UNCERTAIN) {
      const maybe = this.level === REQUIRED || this.level === SOFT ? outcome.maybeRequired : outcome.maybeRecommended;
      if (!maybe.has(path)) maybe.set(path, this.intents);
    } else {
      this.recordGap(outcome, level, "missing", node, path, localPath, null, "", true, held);
    }
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} kind
   * @param {Thing} node
   * @param {string} path
   * @param {string} localPath
   * @param {Hit|null} hit
   * @param {string} words
   * @param {boolean} [certain]
   * @param {boolean} [held]
   */
  recordGap(outcome, level, kind, node, path, localPath, hit, words, certain = true, held = false) {
    const { rule = null, severity = null } = this.entry;
    const { prop, at } = hit || { prop: null, at: null };
    outcome.add(level, { kind, node, path, localPath, prop, at, words, rule, loses: null, certain, severity, held, own: false });
  }

  /** Is presence enough, because rules report the values? @param {number} level */
  presenceIsEnough(level) {
    return level === UNCERTAIN || (level === RECOMMENDED && this.isPlain);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  path(context, scope, outcome, level, depth) {
    const { text, path } = this.only;
    if (path.simple && !this.isCounted && this.presenceIsEnough(level)) {
      if (!path.present(context, scope)) this.missing(outcome, level, scope, text);
      return;
    }
    const [hits, lacking] = path.context(context, scope);
    for (const node of lacking) this.missing(outcome, level, node, text);
    if (!hits.length) return;
    if (this.isCounted) this.checkCounts(outcome, level, scope, text, hits);
    this.values(context, outcome, level, text, hits, depth);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOf(context, scope, outcome, level, depth) {
    const { entry } = this;
    const presenceIsEnough = this.presenceIsEnough(level) || (!this.kinds.size && !this.limits.length);
    if (level !== REQUIRED && !entry.exclusive && presenceIsEnough) {
      for (const path of this.paths.values()) if (path.present(context, scope)) return;
      this.missing(outcome, level, scope, this.whole);
      return;
    }
    const found = [...this.paths]
      .map(([text, path]) => ({ text, hits: path.context(context, scope)[0] }))
      .filter(({ hits }) => hits.length);
    if (!found.length) {
      this.missing(outcome, level, scope, this.whole);
      return;
    }
    if (entry.exclusive && found.length > 1)
      this.limit(
        outcome,
        level,
        scope,
        found[0].text,
        `only one of ${joinWords(found.map(({ text }) => text))} may be given`,
      );
    const total = found.reduce((sum, { hits }) => sum + hits.length, 0);
    if (entry.min_items_total && total < entry.min_items_total)
      this.limit(outcome, level, scope, found[0].text, `it has ${numberOfValues(total)}, but at least ${entry.min_items_total} are needed`);
    const all = found.flatMap(({ text, hits }) => hits.map((hit) => ({ text, hit, outcome: new Outcome() })));
    if (
      this.isPlain &&
      all.some(
        ({ text, hit }) => !isUnfilled(hit.value) && this.kinds.get(text)?.fit(context, hit).wrong === undefined,
      )
    )
      return;
    for (const each of all) this.value(context, each.outcome, REQUIRED, each.text, each.hit, depth);
    const noneHolds = all.every((each) => each.outcome.required.length);
    if (entry.some && !noneHolds) return;
    const nearestOne = level === REQUIRED && noneHolds ? nearestOf(all.map((each) => each.outcome)) : null;
    for (const each of all) {
      if (each.outcome === nearestOne) outcome.lift(each.outcome, "", REQUIRED, null);
      else if (level !== UNCERTAIN && !entry.some) outcome.lift(each.outcome, "", level === LIMIT ? LIMIT : SOFT, null);
    }
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level @param {number} depth */
  anyOfGroups(context, scope, outcome, level, depth) {
    const found = new Map([...this.paths].map(([text, path]) => [text, path.context(context, scope)[0]]));
    /** @type {string[][]} */
    const groups = this.entry.any_of_groups || [];
    const has = (/** @type {string} */ text) => (found.get(text) || []).length > 0;
    if (!groups.some((group) => group.every(has))) {
      const share = (/** @type {string[]} */ group) => group.filter(has).length / group.length;
      const best = groups.reduce((one, two) => (share(two) > share(one) ? two : one));
      const absent = best.filter((text) => !has(text));
      this.missing(
        outcome,
        level,
        scope,
        absent.length === best.length ? groups.map((group) => group.join(" with ")).join("|") : absent.join(" with "),
      );
    }
    for (const [text, hits] of found) if (hits.length) this.values(context, outcome, level, text, hits, depth);
  }

  /** @param {EvaluationContext} context @param {Thing} scope @param {Outcome} outcome @param {number} level */
  absent(context, scope, outcome, level) {
    const [[text, path]] = this.paths;
    /** @type {Set<Value>} */
    const above = new Set(linksOf(scope).map(([holder]) => holder));
    const hit = path.context(context, scope)[0].find((each) => !above.has(each.value)); // pointing back at the holder is fine
    if (hit)
      this.limit(
        outcome,
        level,
        hit.node,
        text,
        `it does not belong here: ${this.entry.rule || "it is not read here"}`,
        hit,
      );
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {Thing} node
   * @param {string} text
   * @param {string} problem
   * @param {Hit|null} [hit]
   * @param {boolean} [hard]
   */
  limit(outcome, level, node, text, problem, hit = null, hard = false) {
    if (level === UNCERTAIN) return;
    const localPath = text.replace(FILTER, "");
    this.recordGap(outcome, hard && level === REQUIRED ? REQUIRED : LIMIT, "limit", node, this.prefix + localPath, localPath, hit, problem);
  }

  /** @param {Outcome} outcome @param {number} level @param {Thing} scope @param {string} text @param {Hit[]} hits */
  checkCounts(outcome, level, scope, text, hits) {
    const { entry } = this,
      many = hits.length;
    const isShort = many < (entry.min_items ?? 0);
    if (isShort && level === REQUIRED) outcome.isShort = true;
    if (isShort && !entry.told_by)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}, but at least ${entry.min_items} are needed`, hits[0]);
    if (entry.max_items && many > entry.max_items)
      this.limit(outcome, level, scope, text, `it has ${numberOfValues(many)}, but only ${entry.max_items} ${entry.max_items === 1 ? "is" : "are"} allowed`, hits[entry.max_items], true);
    if (entry.unique) {
      const seen = new Set();
      for (const hit of hits) {
        const name = textOf(hit.value);
        if (seen.has(name)) this.limit(outcome, level, hit.node, text, "it is given twice", hit, true);
        seen.add(name);
      }
    }
    for (const each of entry.includes || []) {
      if (!hits.some((hit) => equals(hit.value, each))) this.missing(outcome, level, scope, `${text} ${each}`);
    }
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit[]} hits
   * @param {number} depth
   */
  values(context, outcome, level, text, hits, depth) {
    if (this.presenceIsEnough(level)) return;
    const filled = hits.filter((hit) => !isUnfilled(hit.value)); // a single one is enough
    hits = filled.length ? filled : hits.slice(0, 1);
    if (!this.entry.some) {
      for (const hit of hits) this.value(context, outcome, level, text, hit, depth);
      return;
    }
    const tried = hits.map((hit) => {
      const each = new Outcome();
      this.value(context, each, REQUIRED, text, hit, depth);
      return each;
    });
    outcome.lift(fewest(tried), "", level, null);
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} text
   * @param {Hit} hit
   * @param {number} depth
   */
  value(context, outcome, level, text, hit, depth) {
    const kinds = this.kinds.get(text);
    const path = this.prefix + withoutPrefix(text.replace(FILTER, ""), "^.");
    const isMild = level === REQUIRED && this.entry.misfit && !(hit.value instanceof Thing);
    if (isMild) level = SOFT;
    if (level === REQUIRED && isUnfilled(hit.value)) {
      this.unfit(outcome, level, path, hit, "it is a placeholder that was never filled in", false);
      return;
    }
    const { value, prop } = hit;
    if (this.prefer && !NAMED_BY_TEXT.has(prop || "") && typeof value === "string" && /^https?:\/\/[^ ]+$/.test(strip(value))) {
      this.unfit(outcome, level, path, hit, `it is a URL where ${this.prefer.expected} is expected`, true);
      return;
    }
    if (kinds) {
      const fit = kinds.fit(context, hit);
      if (fit.wrong !== undefined) {
        if (fit.closed || isMild || level === REQUIRED) this.unfit(outcome, level, path, hit, fit.wrong, !!(fit.closed || isMild));
        return;
      }
      if (fit.shape !== undefined && hit.value instanceof Thing)
        this.shape(context, outcome, level, path, hit.value, fit.shape, depth);
    }
    for (const limit of this.limits) {
      const wrong = limit(hit.value);
      if (wrong) this.unfit(outcome, level, path, hit, wrong, true);
    }
    if (this.prefer && this.prefer.fit(context, hit).wrong !== undefined)
      this.unfit(outcome, SOFT, path, hit, `it is better given as ${this.prefer.expected}`, true);
  }

  /**
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} path
   * @param {Hit} hit
   * @param {string} wrong
   * @param {boolean} certain
   */
  unfit(outcome, level, path, hit, wrong, certain) {
    this.recordGap(outcome, level, "unfit", hit.node, path, wrong === OUTSIDE ? "bestRating|worstRating" : path, hit, wrong, certain);
  }

  /**
   * @param {EvaluationContext} context
   * @param {Outcome} outcome
   * @param {number} level
   * @param {string} path
   * @param {Thing} node
   * @param {string} name
   * @param {number} depth
   */
  shape(context, outcome, level, path, node, name, depth) {
    const requirements = this.profileSet.shape(name);
    if (!requirements.checks.length || (requirements.isProfile && level !== REQUIRED)) return; // the profile's own evaluation of the node reports it
    const inside = requirements.evaluate(context, node, depth + 1);
    if (!requirements.isProfile) outcome.lift(inside, `${path}.`, level, requirements.loses);
    else for (const gap of inside.required) outcome.required.push({ ...belowGap(gap, `${path}.`), own: true });
  }
}
/** Paths of an entry as written in the profile, without repetitions. @param {Entry} entry @returns {string[]} */
export const entryPaths = (entry) =>
  entry.absent
    ? [entry.absent]
    : entry.path
      ? [entry.path]
      : unique([...(entry.any_of || []), ...(entry.any_of_groups || []).flat()]);
/** The nearest of alternatives: few faults first, and of these a wrong value before a count of 0, which says nothing. @param {Outcome[]} tried */
const nearestOf = (tried) => {
  const isLimited = (/** @type {Outcome} */ { required }) => required.some(({ words }) => words?.startsWith("0 is below"));
  const few = Math.min(...tried.map(({ required }) => required.length));
  const near = tried.filter(({ required }) => required.length === few);
  return near.find((each) => !isLimited(each)) ?? near[0];
};
/** @param {number} count */
const numberOfValues = (count) => (count === 1 ? "1 value" : `${count} values`);
/** The first outcome with the fewest required gaps. @param {Outcome[]} tried */
const fewest = (tried) => tried.reduce((one, two) => (two.required.length < one.required.length ? two : one));
/** @param {Value|Literal} literal */
const plainLiteral = (literal) => (typeof literal === "boolean" ? String(literal) : str(literal));
/** @param {Value} value */
const displayValue = (value) => (value instanceof Thing ? "the object" : repr(clip(plainLiteral(value))));
/**
 * The bounds of a single value: each returns the mismatch, or null.
 * @param {Entry} entry
 * @returns {((value: Value) => string|null)[]}
 */
const limitsOf = (entry) => {
  /** @type {((value: Value) => string|null)[]} */
  const limits = [];
  const { equals: literal, max_length: longest, min_length: shortest } = entry;
  if (literal !== undefined)
    limits.push((value) =>
      equals(value, literal) ? null : `it is ${displayValue(value)}, but must be ${plainLiteral(literal)}`,
    );
  if (entry.pattern !== undefined) {
    const pattern = rx()(/** @type {any} */ ({ raw: [entry.pattern] }));
    const requirement = entry.rule || `it does not match ${entry.pattern}`;
    limits.push((value) =>
      typeof value !== "string" || pattern.test(head(value, 2000))
        ? null
        : `${displayValue(value)} does not fit: ${requirement}`,
    );
  }
  for (const [key, isWrong, problem] of /** @type {["min"|"max"|"gt", (way: number) => boolean, string][]} */ ([
    ["min", (way) => way < 0, "at least"],
    ["max", (way) => way > 0, "at most"],
    ["gt", (way) => way <= 0, "above"],
  ])) {
    if (entry[key] === undefined) continue;
    const bound = Dec.of(String(entry[key]));
    limits.push((value) => {
      const exactly = number(value);
      return exactly && isWrong(exactly.compare(bound)) ? `it is ${exactly}, but must be ${problem} ${canonical(bound)}` : null;
    });
  }
  if (entry.time)
    limits.push((value) =>
      (momentOf(value)?.form ?? "datetime") === "datetime" ? null : `it is ${displayValue(value)}, a date without time and time zone`,
    );
  if (longest !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) > longest
        ? `it has ${size(value)} characters, but only ${longest} are allowed`
        : null,
    );
  }
  if (shortest !== undefined) {
    limits.push((value) =>
      typeof value === "string" && size(value) < shortest
        ? `it has ${size(value)} characters, but at least ${shortest} are needed`
        : null,
    );
  }
  return limits;
};
