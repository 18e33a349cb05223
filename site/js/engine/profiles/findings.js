// @ts-check
// Findings of profiles in words. Counterpart of waypost/validate/profiles/findings.py.

import { resultName } from "../causes.js";
import { SEVERITIES } from "../collector.js";
import { isLazy, placeOf } from "../counterparts.js";
import { subjectOf } from "../item.js";
import { addressInId, namesAt, placeNear } from "../nearby.js";
import { Thing, isPresent } from "../page.js";
import { isUnfilled } from "../placeholders.js";
import { use } from "../python.js";
import { addTo, clip, joinWords } from "../strings.js";
import { partition, rpartition, unique } from "../text.js";
import { didYouMean, linksOf, nearest } from "../value-kinds.js";
import { number } from "../values.js";
import { intentsOf } from "./conditions.js";
import { MISSPELT } from "./misspelt.js";

/** @import { RuleContext } from "../counterparts.js" */
/** @import { Draft } from "../item.js" */
/** @import { NearPlace } from "../nearby.js" */
/** @import { Value } from "../page.js" */
/** @import { Candidate } from "./evaluate.js" */
/** @import { Feature } from "./profile-set.js" */
/** @import { Gap, Outcome } from "./requirements.js" */
/** @import { Subject } from "./subjects.js" */

/** Drafts of the findings of a page, by subject and gap: repeated gaps are dropped. */
export class FindingBuilder {
  /** @param {Map<Thing, Map<string, number>>} misspelt @param {RuleContext} ruleContext */
  constructor(misspelt, ruleContext) {
    this.misspelt = misspelt;
    this.ruleContext = ruleContext;
    /** @type {Map<string, Draft>} */
    this.draftsByKey = new Map();
    /** @type {Set<string>} */
    this.covered = new Set();
    /** @type {Map<Thing, number>} */
    this.numbers = new Map();
    /** Nodes whose texts are all empty. @type {Set<Thing>} */
    this.emptyNodes = new Set();
    /** Items that would be the value of another. @type {Set<Thing>} */
    this.apart = new Set();
  }

  /** @param {(Thing|string|number|null|undefined)[]} parts */
  key(...parts) {
    const { numbers } = this;
    return JSON.stringify(
      parts.map((part) => {
        if (!(part instanceof Thing)) return part;
        if (!numbers.has(part)) numbers.set(part, numbers.size);
        return [numbers.get(part)];
      }),
    );
  }

  /** @returns {Draft[]} */
  drafts() {
    return [...this.draftsByKey.values()].filter(({ node, property, part }) => !(node && this.apart.has(node) && property === "itemReviewed" && part === "node"));
  }

  /** @param {string} key @param {Draft} draft */
  keep(key, draft) {
    const known = this.draftsByKey.get(key);
    if (known) {
      if (SEVERITIES.indexOf(draft.severity) < SEVERITIES.indexOf(known.severity)) {
        Object.assign(known, { severity: draft.severity, profile: draft.profile, message: draft.message });
      }
      return;
    }
    this.draftsByKey.set(key, draft);
  }

  /** @param {Gap} gap */
  gapKey(gap) {
    return gap.kind === "missing"
      ? this.key(gap.node, fromNode(gap))
      : this.key(gap.kind, gap.node, gap.prop, gap.at);
  }

  /** Gaps without repetitions, and without gaps below a missing object. @param {Gap[]} gaps */
  tidy(gaps) {
    /** @type {Map<string, Gap>} */
    const once = new Map();
    for (const gap of gaps) if (!once.has(this.gapKey(gap))) once.set(this.gapKey(gap), gap);
    const paths = pathsWithoutObject(gaps);
    /** Does an object lack one of the alternatives by a gap of its own? @param {Gap} gap */
    const isLacking = ({ node, localPath }) =>
      localPath.split("|").some((path) => {
        const [first, ...rest] = path.split(".");
        return node.nodes(first).some((inner) => once.has(this.key(inner, rest.join("."))));
      });
    return [...once.values()].filter((gap) => gap.kind !== "missing" || !(isBelow(gap.path, paths) || isLacking(gap)));
  }

  /**
   * The property on a missing path as it stands there, misspelled.
   * @param {Thing} node
   * @param {string} path
   */
  misspeltOn(node, path) {
    const { vocabulary, otherNames, moved } = this.ruleContext, names = namesAt(node, path);
    const miscased = path.split(/[.| ]/).find((name) => this.misspelt.get(node)?.has(name));
    if (miscased) return miscased;
    for (const written of [...node.props.keys()].slice(0, 200)) {
      if (vocabulary.properties.has(written)) continue;
      const near = [...nearest(vocabulary.properties, written), ...otherNames.intended(written)];
      const intended = unique(near.filter((each) => names.includes(each))).sort();
      const hint = intended.length && didYouMean(intended, written);
      if (hint) moved.set(node, (moved.get(node) || new Map()).set(written, hint));
      if (intended.length) return written;
    }
  }

  /**
   * Does a property on a path stand there empty or under its former name? Rules of their own report these.
   * @param {Thing} node
   * @param {string} path
   */
  standsOtherwise(node, path) {
    const names = firstNames(path);
    if (path.split(/ with |\|/).some((part) => isEmptyOnWay(node, part.split("."), this.ruleContext))) return true;
    const { properties } = this.ruleContext.vocabulary;
    return [...node.props.keys()].some((name) => (properties.get(name)?.s || []).some((/** @type {string} */ late) => names.includes(late)));
  }

  /** @param {Feature} feature @param {Outcome} outcome @param {Severity} severity @param {Thing|null} [node] the subject */
  required(feature, outcome, severity, node = null) {
    const gaps = this.tidy(outcome.required), names = node && severity !== "info" ? emptyTexts(node, gaps) : [];
    if (!node || !names.length) {
      for (const gap of gaps) this.gap(feature, gap, severity);
      return;
    }
    for (const name of names) addTo(this.ruleContext.emptyRequired, node, name);
    this.emptyNodes.add(node);
    this.keep(this.key(node, "empty"), {
      severity, rule: "required-property-missing", profile: feature.name, node, part: "node",
      message: `the ${node.types.join(" and ")} is empty: ${joinWords(names)} ${names.length === 1 ? "has" : "have"} no content; ${resultName(feature.name)} need it`,
      hint: "fill in its values, or switch this block off in the program that writes it",
    });
  }

  /** @param {Feature} feature @param {Outcome} outcome */
  soft(feature, outcome) {
    const lacking = pathsWithoutObject(outcome.required);
    for (const gap of this.tidy(outcome.soft)) {
      if (lacking.has(gap.path) || isBelow(gap.path, lacking)) continue;
      const above = gap.path.split(".")[0]; // the result is earned without this object
      this.gap(feature, gap.loses || gap.severity || above === gap.path || outcome.required.length ? gap : { ...gap, loses: above }, "warning", null, gap.severity ? "show" : "need");
    }
    for (const gap of outcome.limits)
      this.gap(feature, gap, "warning", gap.kind === "unfit" && gap.rule && !gap.words.includes(gap.rule) ? gap.rule : null, "expect");
  }

  /** @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {string|null} [hint] @param {string} [verb] what results do with it */
  gap(feature, gap, severity, hint = null, verb = "need") {
    const key = this.gapKey(gap);
    if (gap.words === MISSPELT) {
      if (severity === "error") this.ruleContext.costlyTypes.add(/** @type {Value[]} */ (gap.node.props.get(gap.prop || ""))[gap.at || 0]);
      return;
    }
    if (severity !== "error" && (this.covered.has(key) || isNeverRated(gap))) return;
    if (gap.severity && (severity === "error" || (gap.kind === "limit" && severity !== "info"))) severity = gap.severity;
    if (this.aboutSpelling(feature, gap, severity, "value-unfit")) return;
    const inId = severity === "info" ? null : addressInId(this.ruleContext, gap);
    if (inId) {
      const [node, span] = inId, property = displayPath(gap.path);
      for (const prop of node.props.keys()) addTo(this.ruleContext.emptyRequired, node, prop);
      this.keep(key, {
        severity, rule: "required-property-missing", profile: feature.name, node, part: "node", property,
        message: `${property} has no address: id is not read as one; ${resultName(feature.name)} need it`,
        hint: "write itemid in place of id", edits: [[span, "itemid"]],
      });
      return;
    }
    const empty = severity === "info" ? undefined : emptyProperty(gap);
    if (empty !== undefined) {
      if (severity === "warning" && isUnrated(gap)) {
        addTo(this.ruleContext.emptyRequired, gap.node, empty);
        return;
      }
      this.keep(
        key,
        isLazy(this.ruleContext, gap.node, empty)
          ? lazyDraft(feature, gap, severity, empty)
          : this.aboutEmpty(feature, gap, severity, empty, verb),
      );
      return;
    }
    const isMissing = gap.kind === "missing";
    const place = severity === "info" ? null : placeNear(this.ruleContext, gap);
    if (place?.misplaced.length) return this.misplaced(feature, gap, severity, place, "value-unfit");
    if (place?.apart) this.apart.add(place.apart);
    if (gap.kind === "unfit" && severity === "error" && gap.rule && !gap.words.includes(gap.rule)) hint = gap.rule;
    this.keep(
      key,
      {
        severity,
        rule: isMissing ? "required-property-missing" : gap.kind === "unfit" ? "value-unfit" : "profile-limit",
        profile: feature.name,
        node: gap.node,
        prop: isMissing ? null : gap.prop,
        index: gap.at,
        part: isMissing ? "node" : "value",
        property: displayPath(gap.path),
        message: gapMessage(gap, feature, severity, verb),
        hint: (isMissing ? objectHint(gap) || inverseHint(gap) || place?.hint || this.subtypeHint(gap, feature) || gap.rule : hint) || null,
        related: place?.related,
      },
    );
  }

  /** At the properties that would fill a gap elsewhere: the collector raises the findings about them.
   * @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {NearPlace} place @param {string} rule */
  misplaced(feature, gap, severity, { misplaced = [], hint }, rule) {
    const { moved } = this.ruleContext;
    for (const [number, [node, prop]] of misplaced.entries()) {
      moved.set(node, (moved.get(node) || new Map()).set(prop, hint));
      const message = `${displayPath(gap.path)} is missing; ${resultName(feature.name)} need it`;
      this.keep(number ? this.key(this.gapKey(gap), node, prop) : this.gapKey(gap), { severity, rule, profile: feature.name, node, prop, part: "key", message });
    }
  }

  /** Where a property of a type with a result of its own makes clear that the item is of that type. @param {Gap} gap @param {Feature} feature */
  subtypeHint({ node, path, localPath }, { profile: { exclude_types: excluded } }) {
    if (!excluded || path !== localPath) return null;
    const ownersOf = (/** @type {string} */ prop) => this.ruleContext.vocabulary.properties.get(prop)?.d || [];
    const found = [...node.props.keys()].slice(0, 200).filter((prop) => ownersOf(prop).length === 1 && excluded.includes(ownersOf(prop)[0]));
    if (!found.length) return null;
    const prop = found.find((name) => node.nodes(name).length) || found[0]; // an object says more than an identifier
    const [owner] = ownersOf(prop);
    return `${prop} belongs to ${owner}: write ${owner} as the type`;
  }

  /** At the name of a property that stands there in the wrong letter case. @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {string} rule */
  aboutSpelling(feature, gap, severity, rule) {
    const prop = this.misspeltOn(gap.node, gap.localPath);
    if (prop) {
      const index = this.misspelt.get(gap.node)?.get(prop);
      const draft = { severity, rule, profile: feature.name, node: gap.node, prop, index, part: "key" };
      this.keep(this.gapKey(gap), { ...draft, message: `${gap.path} is missing; ${resultName(feature.name)} need it` });
    }
    return !!prop;
  }

  /** At a property without content, in place of the finding of `empty-value`.
   * @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {string} prop @param {string} verb @returns {Draft} */
  aboutEmpty(feature, gap, severity, prop, verb) {
    const { path, localPath } = gap;
    const cost = gap.loses ? `this costs the ${gap.loses}` : `${resultName(feature.name)} ${verb} ${isLast(localPath, prop) ? "it" : displayPath(path)}`;
    return this.emptyDraft(feature, gap, severity, "required-property-missing", prop, cost);
  }

  /** @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {string} rule
   * @param {string} prop @param {string} cost @returns {Draft} */
  emptyDraft(feature, gap, severity, rule, prop, cost) {
    const { node } = gap;
    addTo(this.ruleContext.emptyRequired, node, prop);
    // Alternatives that are empty too have the same cause: offers.price and offers.priceSpecification.price.
    for (const each of gap.localPath.split("|")) {
      const [first, last] = each.split(".");
      for (const inner of last ? node.nodes(first) : [])
        if (inner.props.has(last) && inner.get(last) === null) addTo(this.ruleContext.emptyRequired, inner, last);
    }
    const [path, localPath] = [gap.path, gap.localPath].map((each) => each.split("|")[0]);
    const above = path.endsWith(localPath) ? path.slice(0, path.length - localPath.length) : "";
    const whole = localPath.endsWith("." + prop) ? path : above + prop;
    let [holder, name, below] = [node, prop, ""];
    for (let values; (values = holder.props.get(name) || []).length === 1 && values[0] instanceof Thing && values[0].props.size === 1; below += "." + name) {
      holder = values[0];
      [name] = holder.props.keys();
    }
    addTo(this.ruleContext.emptyRequired, holder, name);
    const { FILL_IN, hint_of: hintOf } = use("validate.rules.empty_value"), hint = hintOf(holder, name, this.ruleContext);
    return {
      severity, rule, authority: rule === "empty-value" ? "waypost" : "google", profile: feature.name, node: holder, prop: name, property: displayPath(gap.path),
      message: `${gap.held || isInside(gap) ? ofNode(prop + below, node) : whole + below} is empty; ${cost}`, hint: hint !== FILL_IN ? hint : gap.rule || "fill it in",
    };
  }

  /**
   * Report a missed result of a node that earns another, as a single finding.
   * @param {Subject} subject
   * @param {Feature} feature
   * @param {Outcome} outcome
   * @param {string[]} [owed] all that an entry owes its list: the finding is information
   */
  notEligible(subject, feature, outcome, owed) {
    let gaps = this.tidy(outcome.required).filter((gap) => gap.words !== MISSPELT);
    if (gaps.every((gap) => this.draftsByKey.has(this.gapKey(gap)))) return;
    for (const gap of gaps) this.covered.add(this.gapKey(gap));
    if (!owed) gaps = gaps.filter((gap) => !this.aboutSpelling(feature, gap, "warning", "feature-not-eligible"));
    const [byRule, rest] = [[], []].map((_, n) => gaps.filter((each) => (!owed && each.kind === "unfit" && !each.certain) !== !!n));
    const cost = `not eligible for ${resultName(feature.name)}`;
    const others = rest.filter((gap) => {
      const empty = owed ? undefined : emptyProperty(gap);
      if (empty !== undefined)
        this.keep(
          this.gapKey(gap),
          isLazy(this.ruleContext, gap.node, empty)
            ? lazyDraft(feature, gap, "warning", empty)
            : this.emptyDraft(feature, gap, "warning", "empty-value", empty, cost),
        );
      if (empty !== undefined) return false;
      const place = owed ? null : placeNear(this.ruleContext, gap);
      if (place?.misplaced.length) this.misplaced(feature, gap, "warning", place, "feature-not-eligible");
      return !place?.misplaced.length;
    });
    for (const gap of byRule) {
      const { node, prop, at, path } = gap;
      /** @type {Partial<Draft> & {severity: Severity}} */
      const draft = { severity: "warning", rule: "feature-not-eligible", profile: feature.name, node, prop, index: at };
      const message = `not eligible for ${resultName(feature.name)}: ${sentence(gap)}`;
      this.keep(this.key(node, feature.name, prop, at), { ...draft, property: path, message });
    }
    if (!others.length) return;
    const [missing, parts] = gapsInWords(others);
    const front = subject.node.parent ? subject.node.types.join(" and ") + ": " : "";
    const place = owed ? null : others.map((gap) => placeNear(this.ruleContext, gap)).find(Boolean);
    this.keep(
      this.key(subject.node, feature.name),
      {
        severity: owed ? "info" : "warning",
        rule: "feature-not-eligible",
        profile: feature.name,
        node: subject.node,
        part: "node",
        hint: owed ? `an entry of a list needs only ${joinWords(owed)}; the page at its url carries the rest` : place?.hint,
        related: place?.related,
        property: missing.length === 1 ? missing[0] : null,
        about: [subjectOf(subject.node)],
        message: `${front}not eligible for ${resultName(feature.name)}: ${parts.join("; ")}`,
      },
    );
  }

  /** [number, words] of the requirements by which an outcome misses the rich result. @param {Outcome} outcome @returns {[number, string]} */
  reasons(outcome) {
    const gaps = this.tidy(outcome.required);
    if (!gaps.length && outcome.isShort) return [1, "its list has too few entries"];
    return [gaps.length, gapsInWords(gaps)[1].join("; ")];
  }

  /** @param {Thing} node @param {Feature} feature @param {number} count */
  tooFew(node, { name, profile: { list_min_items: least } }, count) {
    /** @type {Partial<Draft> & {severity: Severity}} */
    const draft = { severity: "warning", rule: "profile-limit", profile: name, node, part: "node" };
    const there = count === 1 ? "there is one" : `there are ${count}`;
    const message = `${resultName(name)} are shown only for a list of at least ${least} items; here ${there}`;
    const hint = `put ${least} or more into an ItemList, each as the item of a ListItem`;
    this.keep(this.key(node, name, "list"), { ...draft, message, hint });
  }

  /**
   * Report missing recommended properties of a node in one finding, and uncertain ones in a second.
   * @param {Subject} subject
   * @param {Candidate[]} cases
   */
  recommended(subject, cases) {
    if (this.emptyNodes.has(subject.node)) return;
    /** @type {Map<string, Feature>} */
    const recommended = new Map();
    /** @type {Set<string>} */
    const lacking = new Set();
    const hasNoRequirements = (/** @type {Candidate} */ each) => Number(!(each.feature.profile.required || []).length);
    for (const { feature, outcome } of [...cases].sort((one, two) => hasNoRequirements(one) - hasNoRequirements(two))) {
      for (const gap of [...outcome.required, ...outcome.soft]) if (gap.kind === "missing") lacking.add(gap.path);
      for (const [path, node] of outcome.recommended)
        if (!recommended.has(path) && !this.misspeltOn(node, path) && !this.standsOtherwise(node, path)) recommended.set(path, feature);
    }
    const reported = new Set([...lacking, ...[...lacking].flatMap((path) => path.split("|"))]);
    const above = new Set([...reported, ...recommended.keys()]);
    // A group states for its variants what they have in common.
    const { parent, via } = subject.node;
    /** @type {Map<Severity, string[]>} */
    const groups = new Map([["warning", []], ["info", []]]);
    for (const [path, feature] of recommended) {
      if (!reported.has(path) && !isBelow(path, above) && !(via === "hasVariant" && parent?.props.has(path.split(".")[0])))
        groups.get((feature.profile.required || []).length ? "warning" : "info")?.push(path);
    }
    for (const [severity, paths] of groups) {
      if (!paths.length) continue;
      const displayed = paths.map(joinedPath);
      this.keep(
        this.key(subject.node, "recommended", severity),
        {
          severity,
          rule: "recommended-property-missing",
          profile: /** @type {Feature} */ (recommended.get(paths[0])).name,
          node: subject.node,
          part: "node",
          property: displayed.length === 1 ? displayed[0] : null,
          about: [subjectOf(subject.node), severity],
          message: `${subject.node.types.join(" and ")}: ${displayed.length} recommended ${displayed.length === 1 ? "property is" : "properties are"} missing: ${displayed.join(", ")}`,
        },
      );
    }
    for (const [name, field] of /** @type {[string, "maybeRequired"|"maybeRecommended"][]} */ ([
      ["required-property-missing", "maybeRequired"],
      ["recommended-property-missing", "maybeRecommended"],
    ])) {
      for (const { feature, outcome } of cases) {
        const may = [...outcome[field]].filter(
          ([path]) => !recommended.has(path) && !lacking.has(path) && !this.misspeltOn(subject.node, path),
        );
        if (!may.length) continue;
        const displayed = may
          .map(([path, why]) => (why.length ? `${joinedPath(path)} (${why.join(" or ")})` : joinedPath(path)))
          .join(", ");
        const verb = field === "maybeRequired" ? "required" : "add";
        this.keep(
          this.key(subject.node, feature.name, name),
          {
            severity: "info",
            rule: name,
            profile: feature.name,
            node: subject.node,
            part: "node",
            property: may.length === 1 ? displayPath(may[0][0]) : null,
            about: [subjectOf(subject.node), "perhaps"],
            message: `${subject.node.types.join(" and ")}: ${verb} if it applies: ${displayed}`,
          },
        );
      }
    }
  }

  /** @param {Thing} node @param {Feature} feature */
  retired(node, { name, profile }) {
    const since = profile.retired_on ? `since ${profile.retired_on}` : "any more";
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-retired",
      profile: name,
      node,
      part: "node",
      message: `${profile.title}: no rich result ${since}; the markup is still valid`,
    });
  }

  /** @param {Subject} subject @param {Feature} feature */
  restricted({ node }, { name, profile }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-restricted",
      profile: name,
      node,
      part: "node",
      message: `${profile.title} is shown for some sites or users only`,
      hint: profile.notes,
    });
  }

  /** An item without a single property that the result reads. @param {Subject} subject @param {Feature} feature */
  nothingRead({ node }, { name }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "feature-not-eligible",
      profile: name,
      node,
      part: "node",
      message: `the ${node.types.join(" and ")} has no property that ${resultName(name)} read`,
      about: [subjectOf(node), "nothing read"],
    });
  }

  /** The condition of an earned result that the markup cannot show. @param {Subject} subject @param {Feature} feature */
  supposed({ node }, { name, profile }) {
    this.keep(this.key(node, name), {
      severity: "info",
      rule: "rich-result-restricted",
      profile: name,
      node,
      part: "node",
      message: `${profile.title} is shown only if ${intentsOf(profile.applies_when).join(" and ")}`,
      hint: profile.notes,
    });
  }
}
/** Missing paths, and all gaps as parts of a sentence, those that are missing first. @param {Gap[]} gaps */
const gapsInWords = (gaps) => {
  const missing = unique(gaps.filter((gap) => gap.kind === "missing").map((gap) => joinedPath(gap.path)));
  return [missing, [...(missing.length ? [`${missing.join(", ")} missing`] : []), ...unique(gaps.filter((gap) => gap.kind !== "missing").map(sentence))]];
};
const FILLED_BY_PROGRAMS = new Set(["image", "logo", "url", "inLanguage", "isPartOf", "mainEntityOfPage", "publisher", "datePublished", "dateModified"]);
/** Properties of an item whose texts are all empty, at least two of which cost a result; else none. @param {Thing} node @param {Gap[]} gaps */
const emptyTexts = (node, gaps) => {
  if (node.parent || node.props.size > 200) return [];
  const isBlank = (/** @type {Value} */ value) => !isPresent(value) || (typeof value === "string" && isUnfilled(value));
  const empty = [...node.props].flatMap(([name, values]) => (values.length && values.every(isBlank) ? [name] : []));
  if (empty.length < 2 || [...node.props.keys()].some((name) => !empty.includes(name) && !FILLED_BY_PROGRAMS.has(name))) return [];
  return gaps.some((gap) => gap.node === node && firstNames(gap.localPath).some((name) => empty.includes(name))) ? empty : [];
};
/** The item.name that a list lacks in an item is the name that the item lacks. @param {Gap} gap */
const fromNode = ({ node, localPath }) => {
  const names = localPath.split("."), at = localPath.includes("|") ? -1 : names.indexOf(node.via || "");
  return at < 0 || at > names.length - 2 ? localPath : names.slice(at + 1).join(".");
};
/** Of one too many, the object is there, and its own gaps count. @param {Gap[]} gaps */
const pathsWithoutObject = (gaps) => new Set(gaps.filter((gap) => gap.kind !== "limit").map((gap) => gap.path));
/** Does another path lead to an object of this one? @param {string} path @param {Set<string>} others */
const isBelow = (path, others) => {
  if (!path.includes(".")) return false;
  const parts = partition(path, "|")[0].split(".");
  return parts.slice(1).some((_, n) => others.has(parts.slice(0, n + 1).join(".")));
};
/** The property of the node that is there without content, if that is why the path is missing. @param {Gap} gap */
const emptyProperty = ({ kind, node, localPath }) =>
  kind !== "missing" ? undefined : namesInPaths(localPath).find((name) => {
    const values = node.props.get(name);
    return values?.length && !values.some(isPresent);
  });
/** First names of paths, and last ones: the node of a gap further down lacks the last. @param {string} localPath */
const namesInPaths = (localPath) => [
  ...firstNames(localPath),
  ...localPath.split(/ with |\|/).map((path) => rpartition(path, ".")[2]),
];
/** @param {string} path */
const firstNames = (path) => path.split(/ with |\|/).map((part) => partition(part, ".")[0]);
/** Does a property stand there empty on the way of a path from the node, or from the item to the node and on?
 * @param {Thing} node @param {string[]} names @param {RuleContext} context */
const isEmptyOnWay = (node, names, { emptyRecommended }) =>
  names.some((_, start) => {
    let nodes = !start || names[start - 1] === node.via ? [node] : [];
    return names.slice(start).some((name) => {
      const holders = nodes.slice(0, 200), found = holders.map((each) => each.props.get(name) || []);
      nodes = found.flat().filter((value) => value instanceof Thing);
      return found.some((values, n) => values.some((value) => value !== null) && !values.some(isPresent) && emptyRecommended.add(placeOf(holders[n], name)));
    });
  });
/** Is the property the last of a path without alternatives? @param {string} localPath @param {string} prop */
const isLast = (localPath, prop) => !localPath.includes("|") && rpartition(localPath, ".")[2] === prop;
/** Where a string stands in the place of the object that would have the missing property. @param {Gap} gap */
const objectHint = ({ node, localPath }) => {
  const [prop, last] = localPath.split("|")[0].split(".");
  return last && typeof node.get(prop) === "string" && `${prop} is a string: write it as an object with ${last}`;
};
/** Inverses of properties that profiles require. @type {Record<string, string>} */
const INVERSES = {
  mainEntity: "mainEntityOfPage", offers: "itemOffered", hasVariant: "isVariantOf", hasPart: "isPartOf",
  containsPlace: "containedInPlace", subEvent: "superEvent",
};
/** Where another node states the missing property from its own side, which search engines do not turn round. @param {Gap} gap */
const inverseHint = ({ node, localPath, held }) => {
  if (held) return null;
  for (const name of localPath.split("|")) {
    const inverse = Object.hasOwn(INVERSES, name) ? INVERSES[name] : null;
    const [holder] = (inverse && linksOf(node).find(([, prop]) => prop === inverse)) || [];
    if (!holder) continue;
    const kind = holder.types.join(" and ") || "item", why = `the ${kind} refers to it by ${inverse} only`;
    if (holder.id === null || holder.block.syntax !== "json-ld") return `add ${name} with the ${kind}: ${why}`;
    return `say "${name}": {"@id": "${clip(holder.id)}"}: ${why}`;
  }
  return null;
};
/** Is an empty value that of a rating with counts of 0, which rating-count-zero reports? @param {Gap} gap */
const isUnrated = ({ node, localPath }) => {
  const counts = ["ratingCount", "reviewCount"].map((prop) => node.get(prop)).filter((value) => value !== null);
  return localPath.includes("ratingValue") && counts.length > 0 && counts.every((count) => number(count)?.isZero);
};
/** Does a rating of 0, which rating-out-of-range reports, lack the number of ratings? @param {Gap} gap */
const isNeverRated = ({ node, localPath }) => localPath.includes("ratingCount") && number(node.get("ratingValue"))?.isZero;
/** At a picture without an address: the collector gives its cost to image-lazy-placeholder. @param {Feature} feature @param {Gap} gap @param {Severity} severity @param {string} prop @returns {Draft} */
const lazyDraft = (feature, gap, severity, prop) => ({
  severity,
  rule: severity === "error" ? "value-unfit" : "feature-not-eligible",
  profile: feature.name,
  node: gap.node,
  prop,
  index: 0,
  property: displayPath(gap.path),
  message: `${prop} is empty; ${resultName(feature.name)} need it`,
});
/** @param {string} path @param {Thing} node */
const ofNode = (path, { types }) => `the ${path} of the ${types.join(" and ") || "holder"}`;
/** Is the gap one of a node inside of another item, whose name alone stands in front of the message? @param {Gap} gap */
const isInside = ({ node, path, localPath }) =>
  path === localPath && !path.startsWith(`${node.via}.`) && node.parent && !node.block.isApart?.(node);
/** @param {Gap} gap @param {Feature} feature @param {Severity} severity @param {string} verb what results do with it: need or show */
const gapMessage = (gap, feature, severity, verb) => {
  if (gap.kind === "limit") return sentence(gap);
  if (gap.kind === "unfit")
    return sentence(gap) + (severity === "error" ? `; ${resultName(feature.name)} need it` : "");
  const path = displayPath(gap.path);
  const what = gap.held || isInside(gap) ? ofNode(path, gap.node) : path;
  const cost = gap.loses ? `this costs the ${gap.loses}` : `${resultName(feature.name)} ${verb} ${gap.path.includes("|") ? "one of them" : "it"}`;
  return `${what} is missing; ${cost}`;
};
/** A wrong value in words: "it is a text" of the path location is "location is a text". @param {Gap} gap */
const sentence = ({ path, words }) => (words.startsWith("it ") ? path + words.slice(2) : `${path}: ${words}`);
/** a, b or c; of many only the first is named. @param {string} path */
const displayPath = (path) => {
  const each = path.split("|");
  return each.length <= 3 ? joinWords(each, "or") : `${each[0]} (or one of ${each.length - 1} others)`;
};
/** As one entry of a list, whose entries are set apart by commas: a or b or c. @param {string} path */
const joinedPath = (path) => displayPath(path).replace(", ", " or ");
