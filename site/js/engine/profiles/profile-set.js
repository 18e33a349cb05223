// @ts-check
// The profiles of a consumer, and the features that matter for a node. Counterpart of
// waypost/validate/profiles/{profile_set,footprint}.py.

import { withoutPrefix } from "../text.js";
import { compileCondition } from "./conditions.js";
import { Requirements, entryPaths } from "./requirements.js";
import { Kinds } from "./values.js";

/** @import { Thing } from "../page.js" */
/** @import { Vocabulary } from "../vocabulary.js" */
/** @import { EvaluationContext, Test } from "./paths.js" */
/** @import { Subject } from "./subjects.js" */
/** @import { Consumer, Profile, RegistryData, Shape } from "../registry.js" */

export const DATA_VOCABULARY = "data-vocabulary.org";

/** The profiles of one consumer with what they share. */
export class ProfileSet {
  /** @param {Consumer} consumer @param {Map<string, Profile>} profiles */
  constructor(consumer, profiles) {
    this.consumer = consumer;
    this.profiles = profiles;
    /** @type {Map<string, Test>} */
    this.filters = new Map();
    for (const [name, condition] of Object.entries(consumer.filters || {}))
      this.filters.set(name, compileCondition(condition, new Map()));
    /** @type {Map<string, Kinds>} */
    this.knownKinds = new Map();
    /** @type {Map<string, Requirements>} */
    this.knownShapes = new Map();
  }

  /** What states the requirements of a shape: the profile that it names, or itself. @param {Shape} shape @returns {Profile|Shape} */
  stating(shape) {
    const { rule = "" } = shape;
    return this.profiles.get(rule.includes("/") ? rule : `${this.consumer.name}/${rule}`) || shape;
  }

  /** @param {string} text @returns {Kinds} */
  kinds(text) {
    let known = this.knownKinds.get(text);
    if (!known) this.knownKinds.set(text, (known = new Kinds(text, this)));
    return known;
  }

  /**
   * Requirements of a shape, or of the profile that it names.
   * @param {string} name
   * @returns {Requirements}
   */
  shape(name) {
    let known = this.knownShapes.get(name);
    if (!known) {
      const shape = this.consumer.shapes[name];
      known = new Requirements(
        this.stating(shape),
        this,
        shape.loses ?? null,
        shape.rule !== undefined,
      );
      this.knownShapes.set(name, known);
    }
    return known;
  }
}

/** A profile, compiled when a node first needs it. */
export class Feature {
  /** @param {Profile} profile @param {ProfileSet} profileSet @param {number} rank */
  constructor(profile, profileSet, rank) {
    this.profile = profile;
    this.profileSet = profileSet;
    this.rank = rank;
    /** @type {string} */
    this.name = profile.name;
    /** A profile of the company whose site this is. */
    this.isOwn = !profile.name.startsWith("google/");
    /** Types of items whose ratings the consumer shows. */
    this.reviewable = new Set(profileSet.consumer.enums.reviewableType?.members);
    this.when = profile.applies_when ? compileCondition(profile.applies_when, profileSet.filters) : null;
    this.supposedWhen = profile.supposed_when ? compileCondition(profile.supposed_when, profileSet.filters) : null;
    /** @type {Requirements|null} */
    this.made = null;
  }

  /** First property of each required path. @returns {string[]} */
  get requiredNames() {
    return (this.profile.required || []).flatMap((entry) =>
      (entry.each ? [entry.each] : entryPaths(entry)).map((path) => withoutPrefix(path, "^.").split(".")[0]),
    );
  }

  /** First property of each path that is read, of a profile that requires none; else none. @returns {string[]} */
  get optionalNames() {
    const { required = [], recommended = [], limits = [] } = this.profile;
    const names = (required.length ? [] : [...recommended, ...limits]).flatMap((entry) =>
      (entry.each ? [entry.each] : entryPaths(entry)).map((path) => withoutPrefix(path, "^.").split(".")[0].split("[")[0]),
    );
    return names.length ? ["name", ...names] : [];
  }

  /** Properties that a list for summaries requires of the item of each entry. @returns {string[]} */
  get owedByEntries() {
    const paths = (this.profile.required || []).flatMap(entryPaths).filter((path) => path.startsWith("item."));
    return paths.map((path) => path.slice(5)).sort();
  }

  /** @param {EvaluationContext} context @param {Thing} node */
  evaluate(context, node) {
    this.made ||= new Requirements(this.profile, this.profileSet, null, true);
    return this.made.evaluate(context, node);
  }

  /** @param {string} today */
  status(today) {
    const { retired_on: retired, status } = this.profile;
    return retired && today < retired ? undefined : status;
  }

  /**
   * Types of the profile by which it applies to a node.
   * @param {string[]} types
   * @param {Vocabulary} vocabulary
   * @returns {string[]}
   */
  typesIn(types, vocabulary) {
    const { types: included, exclude_types: excluded, exclude_alone: alone = [] } = this.profile;
    if (excluded && vocabulary.areA(types, new Set(excluded))) return [];
    const lines = types
      .map((name) => vocabulary.ancestors(name))
      .filter((line) => !alone.some((/** @type {string} */ each) => line.has(each)));
    return included.filter((/** @type {string} */ each) => lines.some((line) => line.has(each)));
  }
}

/** All features, and for types of nodes the few that matter. */
export class ProfileEngine {
  /** @param {RegistryData["validating"]} data @param {Vocabulary} vocabulary */
  constructor(data, vocabulary) {
    this.vocabulary = vocabulary;
    const profiles = new Map(data.profiles.map((each) => [each.name, each]));
    const houses = new Map(data.consumers.map((each) => [each.name, new ProfileSet(each, profiles)]));
    /** @type {Map<string, Feature>} */
    this.features = new Map(
      data.profiles.map((each, rank) => [
        each.name,
        new Feature(each, /** @type {ProfileSet} */ (houses.get(each.name.split("/")[0])), rank),
      ]),
    );
    this.oldVocabulary =
      [...this.features.values()].find((each) => each.profile.types.includes(DATA_VOCABULARY)) ?? null;
    /** @type {Map<string, {feature: Feature, by: string[]}[]>} */
    this.known = new Map();
  }

  /** Features of nodes with these types; of a company's own profiles only those in `own`. @param {string[]} types @param {string[]} [own] */
  featuresFor(types, own = []) {
    const key = JSON.stringify([types, own]);
    let known = this.known.get(key);
    if (!known) {
      known = [...this.features.values()]
        .filter((feature) => !feature.isOwn || own.includes(feature.name))
        .map((feature) => ({ feature, by: feature.typesIn(types, this.vocabulary) }))
        .filter(({ by }) => by.length);
      if (this.known.size < 4096) this.known.set(key, known);
    }
    return known;
  }

  /**
   * Feature of the list of a subject whose entries are summaries of other pages, and have a URL of their own.
   * @param {Subject} subject
   */
  summaryOf({ node, among }) {
    const [holder, via] = among || [null, ""];
    if (!holder || via !== "item" || node.get("url") === null) return null;
    const isFor = (/** @type {Feature} */ { profile: { summary, types, item_types: items } }) =>
      summary && this.vocabulary.areA(holder.types, new Set(types)) && this.vocabulary.areA(node.types, new Set(items));
    return [...this.features.values()].find(isFor) || null;
  }

  /**
   * Does a result earned by the types `one` excuse lacking that of the types `other`?
   * @param {string[]} one
   * @param {string[]} other
   */
  excuses(one, other) {
    return !one.every((each) => other.some((name) => each !== name && this.vocabulary.ancestors(name).has(each)));
  }
}
