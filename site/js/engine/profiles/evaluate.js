// @ts-check
// Evaluation of a page by the profiles that apply. Counterpart of waypost/validate/profiles/evaluate.py.

import { isoDay } from "../dates.js";
import { isPresent } from "../page.js";
import { use } from "../python.js";
import { partition } from "../text.js";
import { FindingBuilder } from "./findings.js";
import { isTypeMisspelt } from "./misspelt.js";
import { EvaluationContext } from "./paths.js";
import { DATA_VOCABULARY } from "./profile-set.js";
import { Outcome } from "./requirements.js";
import { subjectsOf } from "./subjects.js";

/** @import { RuleContext } from "../counterparts.js" */
/** @import { Draft } from "../item.js" */
/** @import { Thing, Value } from "../page.js" */
/** @import { Feature, ProfileEngine } from "./profile-set.js" */
/** @import { Subject } from "./subjects.js" */

/**
 * Feature applied to a node, with the outcome.
 * @typedef {{feature: Feature, by: string[], outcome: Outcome, restricted: boolean, requested: boolean, supposed: boolean}} Candidate
 */

/** Evaluation of a page by the profiles that apply to its nodes, and by profiles requested by name. */
export class ProfileEvaluator {
  /** @param {RuleContext} ruleContext @param {ProfileEngine} engine @param {Set<string>} requested */
  constructor(ruleContext, engine, requested) {
    this.context = new EvaluationContext(ruleContext);
    this.engine = engine;
    this.requested = requested;
    this.own = [...requested].filter((name) => engine.features.get(name)?.isOwn);
    /** Profiles that nothing on the page is about. */
    this.unmet = new Set(requested);
    this.today = isoDay(ruleContext.now);
    /** @type {Map<Thing, Map<string, number>>} */
    this.misspelt = new Map();
    this.builder = new FindingBuilder(this.misspelt, ruleContext);
    /** @type {Set<Thing>} */
    this.tried = new Set();
    /** @type {Map<Thing, Set<string>>} */
    this.eligible = new Map();
    /** @type {Map<Thing, Set<string>>} */
    this.retiredFor = new Map();
    /** Results that an item, as one of a list, misses by an error. @type {Map<Thing, Set<string>>} */
    this.missed = new Map();
    /** Results of each node that was evaluated. @type {Map<Thing, {root: Thing, via: string|null, eligible: Set<string>, missed: Map<string, NotEligible>, retired: Set<string>, lapsed: Lapse[]}>} */
    this.byNode = new Map();
    /** Requested profiles of which a subject was evaluated. @type {Set<string>} */
    this.found = new Set();
    /** By the condition of such a profile. @type {[Subject, {feature: Feature, by: string[]}][]} */
    this.inapplicable = [];
  }

  /** Results of a node. @param {Subject} subject */
  resultsOf({ node, root, nested, linked, among }) {
    let results = this.byNode.get(node);
    if (!results) this.byNode.set(node, results = { root, via: among && (nested || linked) ? among[1] : null, eligible: new Set(), missed: new Map(), retired: new Set(), lapsed: [] });
    return results;
  }

  /** In steps, one for each subject. @returns {Generator<undefined, Draft[]>} */
  *run() {
    // A consumer does not see what stands under a name in the wrong letter case.
    const { page, nodesBySign } = this.context.ruleContext;
    const before = (nodesBySign.get("miscased") || []).map((node) => {
      const { props } = node,
        wrong = [.../** @type {Iterable<[string, number[]]>} */ (use("validate.spelling").misspelt_values(node, page))];
      node.props = new Map(props);
      for (const [name, numbers] of wrong) {
        const values = [.../** @type {Value[]} */ (props.get(name))];
        for (const number of numbers) values[number] = null;
        node.props.set(name, values);
      }
      this.misspelt.set(node, new Map(wrong.map(([name, [first]]) => [name, first])));
      return { node, props };
    });
    try {
      return yield* this.evaluateSubjects();
    } finally {
      for (const { node, props } of before) node.props = props;
    }
  }

  /** @returns {Generator<undefined, Draft[]>} */
  *evaluateSubjects() {
    const { unmet } = this;
    for (const subject of subjectsOf(this.context)) {
      const features = this.engine.featuresFor(subject.node.types, this.own);
      if (!subject.nested) this.resultsOf(subject); // also where the type has no rich result of its own
      if (!features.length) continue;
      yield;
      this.node(subject, features);
    }
    this.assertConditions();
    for (const name of [...this.found, ...this.inapplicable.map(([, { feature }]) => feature.name)]) unmet.delete(name);
    for (const name of [...unmet].sort()) {
      this.inapplicable = [];
      this.everywhere(/** @type {Feature} */ (this.engine.features.get(name)));
      this.assertConditions();
    }
    this.olds();
    for (const [node, results] of this.byNode) if (results.eligible.size) results.lapsed = use("validate.profiles.lapses").lapses(this.context.ruleContext, node, [...results.eligible].sort());
    return this.builder.drafts();
  }

  /** Evaluate requested profiles whose condition no item meets: the name of a profile asserts the condition. */
  assertConditions() {
    for (const [subject, applied] of [...this.inapplicable]) if (!this.found.has(applied.feature.name)) this.node(subject, [applied], true);
  }

  /** @param {Thing} root @param {string} name @param {Map<Thing, Set<string>>} earned */
  note(root, name, earned = this.eligible) {
    earned.set(root, (earned.get(root) || new Set()).add(name));
  }

  /** @param {Subject} subject @param {{feature: Feature, by: string[]}[]} features @param {boolean} [asserted] the condition is */
  node(subject, features, asserted) {
    /** @type {Candidate[]} */
    const cases = [];
    for (const { feature, by } of features) {
      const requested = this.requested.has(feature.name) && !subject.linked;
      if (subject.nested && !requested && !isPresent(subject.node)) continue; // a type alone says nothing
      /** @type {boolean|null} */
      let applies = true;
      if (feature.when && !asserted) {
        this.context.asserting = requested;
        applies = feature.when(this.context, subject.node);
        this.context.asserting = false;
        if (!applies && (applies === false || !feature.supposedWhen?.(this.context, subject.node))) {
          if (requested) this.inapplicable.push([subject, { feature, by }]);
          continue;
        }
      }
      if (requested && !asserted) this.found.add(feature.name);
      const status = feature.status(this.today);
      if (status === "retired") this.retired(subject, feature, requested);
      else {
        const outcome = feature.evaluate(this.context, subject.node);
        if (!applies && (outcome.required.length || outcome.isShort)) continue; // what the caller may not even have intended
        cases.push({ feature, by, outcome, restricted: status === "restricted", requested, supposed: !applies });
      }
    }
    if (!subject.nested && !subject.linked && isTypeMisspelt(subject.node) && cases.some((each) => !each.restricted && !each.supposed))
      this.context.ruleContext.costlyTypes.add(subject.node);
    if (!cases.length) return;
    const others = cases.filter((each) => !each.feature.isOwn);
    if (subject.linked) return this.reportLinked(subject, others);
    if (others.length) this.report(subject, this.withoutSummaries(subject, others));
    // No result of a search engine excuses what a company requires, and the other way round.
    for (const each of cases) if (each.feature.isOwn) this.report(subject, [each]);
  }

  /**
   * Leave out the results that an entry of a list owes the page at its URL, and report what the list requires.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  withoutSummaries(subject, cases) {
    const feature = this.engine.summaryOf(subject);
    if (!feature) return cases;
    const owed = feature.owedByEntries;
    const own = [...subject.node.props.keys()].filter((name) => !owed.includes(name));
    const excused = cases.filter(
      (each) => !isEarned(each) && !each.requested && !each.feature.requiredNames.some((name) => own.includes(name)),
    );
    if (excused.length) {
      const missed = new Outcome();
      const { required } = feature.evaluate(this.context, /** @type {[Thing, string]} */ (subject.among)[0]);
      missed.required = required.filter((gap) => gap.node === subject.node);
      this.builder.required(feature, missed, "warning");
    }
    for (const each of excused) {
      this.noteMissed(subject, each, "info");
      this.builder.notEligible(subject, each.feature, each.outcome, owed);
    }
    return cases.filter((each) => !excused.includes(each));
  }

  /** A node that a subject refers to: what it earns, and what it misses by a warning. @param {Subject} subject @param {Candidate[]} cases */
  reportLinked(subject, cases) {
    this.tried.add(subject.node);
    for (const each of cases) {
      if (this.countsForNode(subject, each)) this.resultsOf(subject).eligible.add(each.feature.name);
      else if (isEarned(each) && each.outcome.isShort) this.noteMissed(subject, each, "warning");
      else if (!isEarned(each)) {
        this.noteMissed(subject, each, "warning");
        this.builder.notEligible(subject, each.feature, each.outcome);
      }
    }
  }

  /** Does a node earn a result itself? Ratings and reviews inside an item are part of the item's results.
   * @param {Subject} subject @param {Candidate} candidate */
  countsForNode(subject, candidate) {
    const { node, nested } = subject, { feature, outcome } = candidate;
    if (!isEarned(candidate) || outcome.isShort || isTypeMisspelt(node) || isRated(subject)) return false;
    return (nested || this.isLongEnough(subject, feature)) && [...node.props.values()].flat().some(isPresent) && isIdentified(node, feature);
  }

  /** @param {Subject} subject @param {Feature} feature */
  isLongEnough({ node, among }, feature) {
    const [holder] = among || [null], least = feature.profile.list_min_items ?? 0;
    const count = holder ? holder.nodes("itemListElement").length : 1;
    if (count < least) this.builder.tooFew(node, feature, count);
    return !(count < least);
  }

  /** @param {Subject} subject @param {Candidate} candidate @param {Severity} severity */
  noteMissed(subject, { feature, outcome }, severity) {
    if (isRated(subject)) {
      const [holder] = /** @type {[Thing, string]} */ (subject.among);
      if (holder !== subject.root || this.tried.has(holder) || !this.context.areA(holder.types, feature.reviewable)) return;
      subject = { node: holder, root: holder, nested: false, among: null };
    }
    const { missed } = this.resultsOf(subject), [count, why] = this.builder.reasons(outcome);
    missed.delete(feature.name);
    missed.set(feature.name, { profile: feature.name, count, why, severity });
  }

  /** Has a node a property that is not in the vocabulary, and may be a misspelled one? @param {Thing} node */
  hasUnknown({ props }) {
    return [...props.keys()].some((name) => !this.context.vocabulary.properties.has(name));
  }

  /** @param {Subject} subject @param {Candidate[]} cases */
  report(subject, cases) {
    const supposed = cases.filter((each) => isEarned(each) && each.supposed);
    const earned = cases.filter((each) => isEarned(each) && !each.supposed);
    this.tried.add(subject.node);
    // What another result lacks says more.
    const isAlone = !subject.nested && cases.every((each) => isEarned(each) && !each.supposed);
    for (const each of cases.filter(isEarned)) {
      const { name } = each.feature;
      if (!each.outcome.isShort && this.countsForRoot(subject, each.feature)) {
        this.note(subject.root, name);
        if (subject.nested) this.resultsOf({ node: subject.root, root: subject.root, nested: false, among: null }).eligible.add(name);
      }
      if (this.countsForNode(subject, each)) this.resultsOf(subject).eligible.add(name);
      else if (each.outcome.isShort && !each.supposed) this.noteMissed(subject, each, "warning");
      else if (isAlone && !this.hasUnknown(subject.node) && !isIdentified(subject.node, each.feature)) {
        const { missed } = this.resultsOf(subject);
        missed.delete(name);
        missed.set(name, { profile: name, count: 1, why: "it has none of the properties that they read", severity: "info" });
        this.builder.nothingRead(subject, each.feature);
      }
    }
    /** @type {Candidate[]} */
    const excused = [];
    for (const group of this.unearned(cases, earned)) {
      const [near, ...others] = [...group].sort(byNearness);
      this.reportRequired(subject, near);
      excused.push(...others);
      earned.push(near);
    }
    excused.push(...cases.filter((each) => !earned.includes(each) && !excused.includes(each) && !supposed.includes(each)));
    for (const each of excused) {
      if (each.requested) {
        this.reportRequired(subject, each);
        earned.push(each);
      } else if (!isEarned(each)) {
        this.noteMissed(subject, each, "warning");
        this.builder.notEligible(subject, each.feature, each.outcome);
      }
    }
    this.reportRest(subject, earned);
    for (const each of supposed) this.builder.supposed(subject, each.feature);
  }

  /**
   * Is a result that a node earns one of its item's? Of content, the stars of an item without a result of its own are.
   * @param {Subject} subject
   * @param {Feature} feature
   */
  countsForRoot(subject, feature) {
    const { node, root, nested, among } = subject;
    if (isTypeMisspelt(node) || isTypeMisspelt(root)) return false;
    const [holder, via] = among || [null, ""];
    if (nested)
      return (
        /^(?:aggregateRating|reviews?)$/.test(via) &&
        holder === root &&
        !this.tried.has(root) &&
        this.context.areA(root.types, feature.reviewable)
      );
    return this.isLongEnough(subject, feature) && [...node.props.values()].flat().some(isPresent) && isIdentified(node, feature);
  }

  /**
   * Warnings, restrictions and recommendations of the results that a node earns or is nearest to.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  reportRest(subject, cases) {
    for (const each of cases) {
      this.builder.soft(each.feature, each.outcome);
      if (each.restricted && isEarned(each)) this.builder.restricted(subject, each.feature);
    }
    this.builder.recommended(
      subject,
      cases.filter((each) => isEarned(each) || !subject.nested),
    );
  }

  /**
   * The missed features that no earned one excuses, grouped so that one of a group would do.
   * @param {Candidate[]} cases
   * @param {Candidate[]} earned
   */
  unearned(cases, earned) {
    /** @type {Candidate[][]} */
    const groups = [];
    for (const each of cases) {
      if (isEarned(each) || earned.some((other) => this.engine.excuses(other.by, each.by))) continue;
      const group = groups.find(
        ([first]) => this.engine.excuses(first.by, each.by) || this.engine.excuses(each.by, first.by),
      );
      if (group) group.push(each);
      else groups.push([each]);
    }
    return groups;
  }

  /** @param {Subject} subject @param {Candidate} missed */
  reportRequired(subject, missed) {
    if (!(missed.restricted || subject.nested)) this.note(subject.root, missed.feature.name, this.missed);
    const isMild = missed.restricted || (subject.nested && !missed.requested);
    this.noteMissed(subject, missed, isMild ? "warning" : "error");
    this.builder.required(missed.feature, missed.outcome, isMild ? "warning" : "error", subject.node);
  }

  /** @param {Subject} subject @param {Feature} feature @param {boolean} requested */
  retired(subject, feature, requested) {
    if (subject.linked) this.resultsOf(subject).retired.add(feature.name);
    if (subject.linked || (subject.nested && !requested)) return;
    this.note(subject.root, feature.name, this.retiredFor);
    this.resultsOf(subject).retired.add(feature.name);
    this.builder.retired(subject.node, feature);
    if (requested) this.builder.required(feature, feature.evaluate(this.context, subject.node), "info");
  }

  /** Evaluate a profile requested by name on nodes that are no subjects. @param {Feature} feature */
  everywhere(feature) {
    for (const node of this.context.page.nodes) {
      if (node.foreign || node.reference || node.sameAs) continue;
      const by = feature.typesIn(node.types, this.context.vocabulary);
      if (!by.length) continue;
      this.unmet.delete(feature.name);
      this.node({ node, root: node, nested: false, among: null }, [{ feature, by }]);
    }
  }

  /** Report the first node of data-vocabulary.org, the vocabulary before schema.org. */
  olds() {
    const feature = this.engine.oldVocabulary;
    const node =
      feature &&
      this.context.page.nodes.find(
        (each) => each.foreign && each.types.some((name) => partition(name, "/")[2].includes(DATA_VOCABULARY)),
      );
    if (!feature || !node) return;
    this.note(node, feature.name, this.retiredFor);
    this.resultsOf({ node, root: node, nested: false, among: null }).retired.add(feature.name);
    this.builder.retired(node, feature);
    this.unmet.delete(feature.name);
  }
}
/** Is a node a rating or a review inside an item? @param {Subject} subject */
const isRated = ({ nested, among }) => nested && /^(?:aggregateRating|reviews?)$/.test(among?.[1] || "");
/** Does a node say what it is, where its profile requires nothing? The first of the properties may not be empty.
 * @param {Thing} node @param {Feature} feature */
const isIdentified = (node, feature) => {
  const names = feature.profile.identified_by || feature.optionalNames;
  return !names.length || names.some((/** @type {string} */ name) => node.get(name) !== null);
};

/** @param {Candidate} each */
const isEarned = (each) => !each.outcome.required.length;
/** Fewest gaps first; of equals, the profile with fewest requirements. @param {Candidate} one @param {Candidate} two */
const byNearness = (one, two) =>
  Number(one.restricted) - Number(two.restricted) ||
  one.outcome.required.length - two.outcome.required.length ||
  (one.feature.profile.required || []).length - (two.feature.profile.required || []).length ||
  one.feature.rank - two.feature.rank;
