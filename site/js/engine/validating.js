// @ts-check
// Report about a page.

import "../data/rules.js";
import { absenceOf, unreadPart } from "./absence.js";
import { causeOf, resultName } from "./causes.js";
import { addChecks } from "./checks.js";
import { FindingCollector, inOrderOfPlace, withoutNothing } from "./collector.js";
import { RuleContext, addRules } from "./counterparts.js";
import { RULES, Rulebook } from "./dispatch.js";
import { instantOf } from "./engine.js";
import { titleOf } from "./item.js";
import { OtherNames } from "./nearby.js";
import { OFFERS } from "./parts.js";
import { ProfileEvaluator } from "./profiles/evaluate.js";
import { ProfileEngine } from "./profiles/profile-set.js";
import { Tables } from "./tables.js";
import { repr } from "./text.js";

/** @import { Advising } from "./advising.js" */
/** @import { Engine, LintOptions } from "./engine.js" */
/** @import { Page } from "./page.js" */
/** @import { Reader } from "./reader.js" */
/** @import { Vocabulary } from "./vocabulary.js" */
/** @import { Consumer } from "./registry.js" */

/** What the browser never checks, with the reason. */
const NEVER_CHECKED = [
  { name: "fetching a URL", why: "a page may not read other sites: the command line and the service do" },
];

const DRAFTS_A_STEP = 100;

export class PageChecker {
  /** @param {Engine} engine */
  constructor(engine) {
    const data = engine.data.validating;
    this.engine = engine;
    this.reader = /** @type {Reader} */ (engine.part("reading"));
    const { vocabulary } = this.reader;
    vocabulary.addMembers(data.members);
    this.vocabulary = vocabulary;
    this.otherNames = new OtherNames(data.otherNames);
    this.tables = new Tables(data.tables, data.profiles);
    /** Sentences of Search Console. */
    this.sentences = data.sentences;
    const enums = (/** @type {Consumer} */ consumer) => new Map(Object.entries(consumer.enums));
    const consumers = new Map(data.consumers.map((each) => [each.name, { enums: enums(each) }]));
    this.registry = { vocabulary, otherNames: this.otherNames, consumers };
    /** Checks of a company with a pattern that is not one of JavaScript. */
    this.unreadable = addChecks(data.checks);
    addRules(this.registry, this.tables);
    this.rulebook = new Rulebook(vocabulary);
    this.profiles = new ProfileEngine(data, vocabulary);
    this.byProfile = new Set(/** @type {string[]} */ (data.byProfile.split(" ")));
    /** Rules that only the command line runs. @type {string[]} */
    this.elsewhere = [...data.elsewhere.split(" "), ...this.unreadable];
    /** What the company whose site this is says of every page. */
    this.usual = { profiles: [], also: [], levels: {}, ...data.usual };
    this.packages = data.packages || {};
    this.names = new Set([...RULES.keys(), ...this.byProfile, ...this.elsewhere]);
  }

  /** @param {LintOptions} options @returns {Generator<undefined, LintReport>} */
  *report({ text, path = "-", url = null, media, now, types = [], profiles: named = [], also = [], seen }) {
    const profiles = named.length ? named : this.usual.profiles;
    const unknown = profiles.find((name) => !this.profiles.features.has(name));
    if (unknown !== undefined) throw new RangeError(`there is no profile named ${repr(unknown)}`);
    const advising = /<(?:meta|script)\b/i.test(text) ? /** @type {Advising} */ (this.engine.part("advising")) : null;
    const page = yield* this.reader.reading(text, path, url, media);
    seen?.(page);
    yield;
    const file = yield* this.validating(page, instantOf(now), profiles, advising, new Set([...this.usual.also, ...also]));
    if (!named.length && profiles.length) file.findings = file.findings.filter((each) => each.rule !== "profile-not-found");
    applyLevels(file, this.usual.levels);
    if (types.length) keepTypes(file, page, new Set(types), this.vocabulary);
    yield;
    const causes = causesOf(file.findings);
    yield;
    const count = (/** @type {Severity} */ severity) =>
      file.findings.filter((each) => each.severity === severity).length;
    return {
      version: 1,
      registry_version: this.engine.version,
      files: [file],
      summary: {
        files: 1,
        items: file.items.length,
        errors: count("error"),
        warnings: count("warning"),
        infos: count("info"),
        skipped: 0,
        ...(file.absence ? { without_data: 1 } : {}),
        ...(file.unread ? { unread: 1 } : {}),
        ...(file.suppressed ? { suppressed: file.suppressed.length } : {}),
        ...(file.findings.length && { causes }),
      },
      tool: { name: "waypost", version: this.engine.data.tool },
      not_checked: [
        ...NEVER_CHECKED,
        ...this.elsewhere.map((name) => ({ name, why: this.whyNot(name) })),
      ],
    };
  }

  /** Why a rule is not checked here. @param {string} name */
  whyNot(name) {
    if (this.unreadable.includes(name)) return "its pattern is not one of JavaScript: the command line and the service check it";
    const held = this.packages[name];
    return held ? `it is a rule in Python of ${held}, which no browser runs: the command line, the editor and the service do` : whyNot(name);
  }

  /**
   * One file of the report, in steps.
   * @param {Page} page
   * @param {bigint} now
   * @param {string[]} requested
   * @param {Advising|null} advising
   * @param {Set<string>} also names of types and properties to accept beyond those of schema.org
   * @returns {Generator<undefined, FileReport>}
   */
  *validating(page, now, requested, advising, also) {
    /** @type {RuleContext} */
    const context = new RuleContext(page, this, now, also);
    const evaluator = new ProfileEvaluator(context, this.profiles, new Set(requested));
    const drafts = page.nodes.length ? yield* evaluator.run() : []; // first: they record which empty properties are required
    const placed = [...evaluator.byNode].map(([node, results]) => ({ node, results, at: page.places.lineAndColumn(page.spanOf(node).start) }))
      .sort((one, other) => one.at[0] - other.at[0] || one.at[1] - other.at[1]);
    const collector = new FindingCollector(context, this.byProfile, new Map(placed.map(({ node }, number) => [node, number])));
    for (const readError of page.readErrors) {
      const known = RULES.get(readError.rule);
      if (known && known.explain) collector.takeReadError(readError.rule, readError, known.authority, known.explain(readError));
    }
    for (const drafted of [this.rulebook.aboutNodes(context), this.rulebook.aboutSigns(context), this.rulebook.aboutPage(context)]) {
      for (const step of drafted) {
        if (!step) {
          yield;
          continue;
        }
        const [name, { authority }, draft] = step;
        collector.take(draft.rule || name, draft.authority || authority, draft);
        if (collector.truncated) break;
      }
    }
    for (const [number, draft] of drafts.entries()) {
      if (number % DRAFTS_A_STEP === 0) yield;
      collector.take(draft.rule || "", draft.authority || "google", draft);
    }
    for (const profile of [...evaluator.unmet].sort()) {
      collector.take("profile-not-found", "waypost", {
        severity: "error",
        profile,
        span: { start: 0, end: 0 },
        message: `this page has no item for ${profile}`,
        hint: "check that the markup is on the page, or name another profile",
      });
    }
    yield;
    let findings = collector.findings(),
      suppressed = null;
    if (page.ignores) {
      const { reported, ignored, drafts } = /** @type {Advising} */ (this.engine.part("advising")).split(page, findings, this.names);
      const about = new FindingCollector(context, this.byProfile);
      for (const draft of drafts) about.take(draft.rule || "", draft.authority || "waypost", draft);
      findings = [...reported, ...about.findings()].sort(inOrderOfPlace);
      suppressed = ignored.length ? ignored : null;
    }
    const items = [];
    for (const node of page.roots) {
      if (items.length % DRAFTS_A_STEP === 0) yield;
      const [line, column] = page.places.lineAndColumn(page.spanOf(node).start);
      const names = (/** @type {Set<string>|undefined} */ found) => [...(found || [])].sort();
      items.push(withoutNothing({
        types: node.types,
        name: titleOf(node),
        id: node.id,
        syntax: node.block.syntax,
        line,
        column,
        service_type: this.reader.catalogue.serviceTypes.ofItem(node),
        eligible: collector.isUnread(node) ? [] : names(evaluator.eligible.get(node)).filter((name) => !evaluator.missed.get(node)?.has(name)),
        retired: names(evaluator.retiredFor.get(node)),
      }));
    }
    yield;
    const verdicts = [];
    for (const { node, results, at: [line, column] } of placed) {
      if (verdicts.length % DRAFTS_A_STEP === 0) yield;
      const isUnread = results.eligible.size > 0 && collector.isUnread(node);
      const missed = [...results.missed.values()];
      verdicts.push(withoutNothing({
        types: node.types,
        name: titleOf(node),
        id: node.id,
        syntax: node.block.syntax,
        block: node.block.index,
        pointer: node.block.pointer(node, null, null),
        line,
        column,
        item: collector.itemOf(node),
        via: results.via,
        eligible: isUnread ? [] : [...results.eligible].sort(),
        not_eligible: missed.length ? missed : null,
        retired: [...results.retired].sort(),
        lapsed: results.lapsed.length && !isUnread ? results.lapsed : null,
      }));
    }
    yield;
    const absence = absenceOf(page, findings, this.engine.data.validating.absence);
    const unread = unreadPart(page, this.engine.data.validating.absence);
    const advice = advising?.advise(page, items, findings) || [];
    return withoutNothing({ path: page.path, items, findings, verdicts: verdicts.length ? verdicts : null, absence, suppressed, advice: advice.length ? advice : null, truncated: collector.truncated || null, unread });
  }
}

/** Levels of rules and profiles as the configuration of a company sets them. Counterpart of `apply` in waypost/config.py.
 * @param {FileReport} file @param {Record<string, string>} levels */
const applyLevels = (file, levels) => {
  if (!Object.keys(levels).length) return;
  const level = (/** @type {Finding} */ each) => levels[each.rule] || levels[each.profile || ""];
  file.findings = file.findings.filter((each) => ![levels[each.rule], levels[each.profile || ""]].includes("off"));
  for (const each of file.findings) each.severity = /** @type {Severity} */ (level(each) || each.severity);
  if (file.suppressed) file.suppressed = file.suppressed.filter((each) => levels[each.rule] !== "off");
  file.findings.sort(inOrderOfPlace);
};

/** How many different causes the findings of each severity have. @param {Finding[]} findings */
const causesOf = (findings) => {
  const causes = [...new Set(findings.map(causeOf))];
  const numberOf = (/** @type {Severity} */ severity) => causes.filter((each) => each.startsWith(severity)).length || undefined;
  return { errors: numberOf("error"), warnings: numberOf("warning"), infos: numberOf("info") };
};

/** @param {string} name */
const whyNot = (name) =>
  name.startsWith("site-")
    ? "it compares the pages of a site"
    : name.startsWith("html-encoding-")
      ? "the browser is given text, not the bytes of a file"
      : "this rule is not in the browser's engine";

/**
 * Leave only what stands in items of some types.
 * @param {FileReport} file
 * @param {Page} page
 * @param {Set<string>} types
 * @param {Vocabulary} vocabulary
 */
const keepTypes = (file, page, types, vocabulary) => {
  const isReported = page.roots.map((root) => vocabulary.areA(root.types, types));
  const blocks = new Set(
    page.roots.filter((_, n) => isReported[n]).map((root) => `${root.block.syntax} ${root.block.index}`),
  );
  const numbers = new Map([...isReported.keys()].filter((n) => isReported[n]).map((n, number) => [n, number]));
  file.items = file.items.filter((_, n) => isReported[n]);
  file.findings = file.findings.filter(
    (each) => each.block === undefined || blocks.has(`${each.syntax} ${each.block}`),
  );
  const places = (file.verdicts || []).map((each) => numbers.has(each.item ?? -1));
  const verdicts = new Map([...places.keys()].filter((n) => places[n]).map((n, number) => [n, number]));
  if (file.verdicts) file.verdicts = file.verdicts.filter((_, n) => places[n]);
  for (const each of file.verdicts || []) each.item = numbers.get(each.item ?? -1);
  for (const each of file.findings) [each.item, each.verdict] = [numbers.get(each.item ?? -1), verdicts.get(each.verdict ?? -1)];
};

OFFERS.validating = (/** @type {Engine} */ engine) => new PageChecker(engine);
Object.assign(Waypost, { causeOf, resultName });
