// @ts-check
// The collector of findings. Counterpart of waypost/validate/{collector,fingerprints}.py.

import { resultName } from "./causes.js";
import { isBetweenTags, nodeInWords, subjectOf } from "./item.js";
import { Arr, Obj, decoding, floatText } from "./json.js";
import { Thing } from "./page.js";
import { atOnce } from "./parts.js";
import { sha256 } from "./sha256.js";
import { Num, addTo } from "./strings.js";
import { head, partition, words } from "./text.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { Draft } from "./item.js" */
/** @import { Page, ReadError, Related, Span } from "./page.js" */

export const SEVERITIES = ["error", "warning", "info"];
const MOST_FINDINGS = 10_000;
export const MOST_STEPS = 200;

/** Finishes drafts into findings: place, pointer, fingerprint; keeps them in document order, each once. */
export class FindingCollector {
  /** @param {RuleContext} context @param {Set<string>} byProfile rules in whose name profiles speak @param {Map<Thing, number>} [verdicts] */
  constructor(context, byProfile, verdicts = new Map()) {
    this.context = context;
    this.byProfile = byProfile;
    this.truncated = false;
    /** @type {Map<string, Finding>} */
    this.taken = new Map();
    /** @type {Map<string, string[]>} */
    this.at = new Map();
    /** Findings about unknown types, by place. @type {Map<string, Finding>} */
    this.unknownTypes = new Map();
    /** Blocks, and places of types, that no search engine reads. @type {Set<string>} */
    this.unread = new Set();
    /** @type {Map<string, number>} */
    this.prints = new Map();
    /** Index of the verdict about each node that was evaluated. @type {Map<Thing, number>} */
    this.verdicts = verdicts;
    this.roots = new Map(context.page.roots.map((node, number) => [node, number]));
    /** @type {Map<number|null, number>|null} */
    this.firstItems = null;
    /** Placeholders of templates, as spans. @type {Set<string>} */
    this.leftTemplates = new Set();
    /** Types without itemscope by the places of their effects. @type {Map<string, ReadError>} */
    this.causes = new Map();
    for (const error of context.page.readErrors) for (const at of error.detail?.causes || []) this.causes.set(at, error);
    /** Items in which an attribute without a closing quote hides markup, and scripts whose names have no meaning. */
    const blocks = (/** @type {string} */ name) =>
      new Set(context.page.readErrors.filter(({ rule }) => rule === name).map(({ syntax, block }) => `${syntax} ${block}`));
    this.hidden = blocks("html-attribute-unclosed");
    this.meaningless = new Set([...blocks("jsonld-context-missing"), ...blocks("rdfa-vocab-missing")]);
    /** Places of types of RDFa that no vocabulary defines. */
    this.withoutVocab = new Set(context.page.readErrors.filter(({ rule }) => rule === "rdfa-vocab-missing").map(({ span }) => `${span.start} ${span.end}`));
    for (const { rule, span, related = [], detail } of context.page.readErrors)
      if (/template-left|not-a-number/.test(rule) || detail?.correction === "null")
        for (const { start, end } of [span, ...related.map((/** @type {any} */ [, at]) => at)]) this.leftTemplates.add(`${start} ${end}`);
  }

  /** The number of the item that holds a node or refers to it. @param {Thing|null} node */
  itemOf(node) {
    for (let steps = 0; node && !this.roots.has(node) && steps < MOST_STEPS; steps++)
      node = node.sameAs || node.parent || node.referrers[0]?.[0] || null;
    return (node && this.roots.get(node)) ?? null;
  }

  /** The number of the verdict about the nearest node that holds a node or refers to it. @param {Thing|null} node */
  verdictOf(node) {
    for (let steps = 0; node && !this.verdicts.has(node) && steps < MOST_STEPS; steps++)
      node = node.sameAs || node.parent || node.referrers[0]?.[0] || null;
    return (node && this.verdicts.get(node)) ?? null;
  }

  /** Name of the node that stands apart from its item and holds a node; null for what stands in its item. @param {Thing|null} node */
  nodeApart(node) {
    for (let steps = 0; node && !this.roots.has(node) && steps < MOST_STEPS; steps++) {
      if (!node.sameAs && (!node.parent || node.block.isApart?.(node))) return nodeInWords(node);
      node = node.sameAs || node.parent;
    }
    return null;
  }

  /** The number of the first item of a script; null for other markup, and where names and types were guessed. @param {string} syntax @param {number|null} block */
  firstItemOf(syntax, block) {
    if (syntax !== "json-ld" || this.context.page.guessed.has(/** @type {number} */ (block))) return null;
    if (!this.firstItems) {
      const scripts = [...this.roots].filter(([node]) => node.block.syntax === "json-ld");
      this.firstItems = new Map(scripts.reverse().map(([node, number]) => [node.block.index, number]));
    }
    return this.firstItems.get(block) ?? null;
  }

  /** @param {string} name @param {ReadError} readError @param {Authority} authority @param {Draft} draft */
  takeReadError(name, readError, authority, draft) {
    const item = this.firstItemOf(readError.syntax, readError.block) ?? this.itemOf(readError.detail.holder);
    const verdict = item === null ? null : this.verdicts.get(this.context.page.roots[item]) ?? null;
    this.keep(name, draft.authority || authority, draft, { ...readError, item, verdict, readError });
  }

  /** @param {string} name @param {Authority} authority @param {Draft} draft */
  take(name, authority, draft) {
    if (draft.readError) return this.takeReadError(name, draft.readError, authority, draft);
    const { page } = this.context;
    const { node, prop = null, index = null, part = "value" } = draft;
    if (!node) return this.keep(name, authority, draft, { span: draft.span || { start: 0, end: 0 } });
    const span = draft.span || page.spanOf(node, prop, index, part);
    const [home, at, number] = page.home(node, prop, index);
    let pointer = home.block.pointer(home, at !== null && home.props.has(at) ? at : null, number);
    if (part === "key" && home.block.syntax === "json-ld") pointer = pointer.replace(/(?:\/\d+)+$/, "");
    this.keep(name, authority, draft, {
      span,
      syntax: home.block.syntax,
      block: home.block.index,
      pointer,
      subject: subjectOf(node),
      item: this.itemOf(node),
      verdict: this.verdictOf(node),
      apart: this.nodeApart(node),
    });
  }

  /** @param {string} name @param {Authority} authority @param {Draft} draft
   * @param {{span: Span, syntax?: string, block?: number|null, pointer?: string, subject?: string, edits?: [Span, string][], related?: Related[], item?: number|null, verdict?: number|null, apart?: string|null, readError?: ReadError}} place */
  keep(name, authority, draft, { span, syntax = "html", block = null, pointer = "", subject = "", edits = [], related = [], item = null, verdict = null, apart, readError }) {
    if (draft.edits?.length) edits = draft.edits;
    if (draft.related?.length) related = draft.related;
    const property = draft.property || draft.prop || null;
    const at = `${span.start} ${span.end}`;
    const key = JSON.stringify([name, at, draft.profile || null, draft.message]);
    if (this.taken.has(key) || (!readError && this.leftTemplates.has(at))) return;
    // What a profile reports as empty has no further error.
    if (!draft.profile && draft.node && draft.prop && this.context.emptyRequired.get(draft.node)?.includes(draft.prop)) return;
    if (!readError && (this.hidden.has(`${syntax} ${block}`) || (draft.profile && this.hasNoVocab(draft.node)))) return;
    if (!readError && /^re.*-property-missing$/.test(name) && this.meaningless.has(`${syntax} ${block}`)) return;
    const cause = !readError && draft.prop && this.causes.get(`${draft.part === "key" ? name : ""} ${at}`);
    if (cause) {
      const { profile, severity } = draft, { finding, detail } = cause;
      if (finding && profile && severity === "error" && finding.severity !== severity)
        Object.assign(finding, { severity, profile, message: `${detail.message}; ${resultName(profile)} need it` });
      return;
    }
    const guessedError = syntax === "json-ld" && this.context.page.guessed.get(/** @type {number} */ (block));
    if (guessedError && readError !== guessedError) return; // the recovered name may never have been on the page
    if (name === "value-unfit" && (this.raisesType(draft) || this.isReported(at, draft))) return;
    if (name === "feature-not-eligible" && draft.prop && this.isReported(at, draft, true)) return;
    if (this.taken.size >= MOST_FINDINGS) {
      this.truncated = true;
      return;
    }
    if (readError && draft.severity === "error" && name !== "json-duplicate-key")
      this.unread.add(block === null ? at : `${syntax} ${block}`);
    const { page } = this.context;
    const { from, to, ...place } = page.places.place(span);
    if (draft.prop) addTo(this.at, at, key);
    const about = draft.profile && this.byProfile.has(name) ? `profiles/${draft.profile}` : `rules/${name}`;
    /** @type {Finding} */
    const finding = withoutNothing({
      rule: name,
      severity: draft.severity,
      // A profile of a company is the company's word.
      authority: authority === "google" && draft.profile && this.context.profiles.features.get(draft.profile)?.isOwn ? "project" : authority,
      profile: draft.profile,
      message: draft.message,
      hint: draft.hint,
      syntax,
      block,
      pointer,
      property,
      ...place,
      doc_url: `/${about}/`,
      fingerprint: this.fingerprint(name, draft, subject, pointer, span, syntax),
      fix: fixOf(edits, (draft.safe ?? true) && !(syntax === "json-ld" && page.broken.has(block)), page, syntax),
      related: related.length ? related.map(([message, where]) => this.related(message, where)) : null,
      compared: draft.compared?.map(([source, value, where]) => {
        const { line, column, from: start, to: end } = page.places.place(where);
        return { source, value, line, column, from: start, to: end };
      }),
      from,
      to,
      item,
      verdict,
      node: apart,
    });
    if (readError) readError.finding = finding;
    if (name === "unknown-type") this.unknownTypes.set(at, finding);
    this.taken.set(key, finding);
  }

  /** Is a node, or one that holds it, RDFa whose type no vocabulary defines? @param {Thing|null|undefined} node */
  hasNoVocab(node) {
    for (let n = 0; this.withoutVocab.size && node?.block.syntax === "rdfa" && n < MOST_STEPS; n++, node = node.parent) {
      const { start, end } = this.context.page.spanOf(node, null, null, "type");
      if (this.withoutVocab.has(`${start} ${end}`)) return true;
    }
    return false;
  }

  /**
   * Does an error keep search engines from reading a node: in its script, or in the name of its type?
   * @param {Thing} node
   */
  isUnread(node) {
    const { start, end } = this.context.page.spanOf(node, null, null, "type");
    return this.unread.has(`${node.block.syntax} ${node.block.index}`) || this.unread.has(`${start} ${end}`);
  }

  /**
   * Does another rule report this value? Then its finding gets the higher severity.
   * @param {string} at
   * @param {Draft} draft
   * @param {boolean} [isMissed] a result is missed by it, while another is earned
   */
  isReported(at, { severity, profile }, isMissed) {
    const findings = (this.at.get(at) || []).flatMap((key) => this.taken.get(key) || []).filter((each) => each.severity !== "info");
    const [first] = findings;
    if (isMissed && first) {
      // An error is one for the sake of another result, which is named first.
      const names = [(first.severity === "error" && first.profile) || [], profile || []].flat();
      Object.assign(first, { profile: first.profile || profile, message: `${first.message}; not eligible for ${names.map(resultName).join(" and ")}` });
    } else if (first && severity === "error" && !findings.some((each) => each.severity === "error"))
      Object.assign(first, { severity, profile });
    return !!first;
  }

  /**
   * Is the value a node of unknown types only? unknown-type reports it, at the type, and as an error where a result needs the value.
   * @param {Draft} draft
   */
  raisesType({ node, prop, index, part, severity }) {
    const value = node && prop && part !== "key" ? /** @type {any[]} */ (node.props.get(prop))[index || 0] : null;
    const types = value instanceof Thing ? value.types : [];
    const isUnknown = types.length > 0 && !types.some((name) => this.context.vocabulary.types.has(name));
    if (isUnknown && severity === "error") {
      const { start, end } = this.context.page.spanOf(value, null, null, "type"), known = this.unknownTypes.get(`${start} ${end}`);
      if (known) known.severity = severity;
    }
    return isUnknown;
  }

  /** @param {string} message @param {Related[1]} where a span, or the arguments of `Page.spanOf` */
  related(message, where) {
    const span = Array.isArray(where) ? this.context.page.spanOf(.../** @type {[Thing]} */ (where)) : where;
    const [line, column] = this.context.page.places.lineAndColumn(span.start);
    return { message, line, column };
  }

  /** Made of the rule, subject and value, never of the place. @param {string} name @param {Draft} draft @param {string} subject @param {string} pointer
   * @param {Span} span @param {string} syntax */
  fingerprint(name, draft, subject, pointer, span, syntax) {
    const printed = [name, draft.profile || ""];
    if (draft.about) printed.push(...draft.about);
    else {
      const path = pointer
        .split("/")
        .filter((part) => !/^\p{Nd}+$/u.test(part))
        .join("/");
      const isPlace = draft.part === "node" || !draft.prop;
      const text = isPlace ? "" : this.context.page.text.slice(span.start, span.end);
      printed.push(subject, path, head(plainText(text, syntax), 200), draft.prop ? "" : draft.property || "");
    }
    const print = sha256(printed.join("|")).slice(0, 16);
    const times = (this.prints.get(print) || 0) + 1;
    this.prints.set(print, times);
    return times === 1 ? print : `${print}-${times}`;
  }

  /** Other findings about a placeholder follow from it; the placeholder's finding gets their severity. */
  findings() {
    for (const keys of this.at.values()) {
      const taken = keys.map((key) => /** @type {[string, Finding]} */ ([key, this.taken.get(key)]));
      const finding = taken.find(([, { rule }]) => rule === "placeholder-value")?.[1];
      const others = taken.filter(([, { rule }]) => rule !== "placeholder-value");
      if (!finding || !others.length) continue;
      const missed = [];
      for (const [key, { severity, rule, profile, message }] of others) {
        this.taken.delete(key);
        if (SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(finding.severity)) finding.severity = severity;
        const words = rule === "feature-not-eligible" && profile ? resultName(profile) : partition(message, "; not eligible for ")[2];
        if (words) missed.push({ profile, words });
      }
      if (missed.length)
        Object.assign(finding, {
          profile: finding.profile || missed[0].profile,
          message: `${finding.message}; not eligible for ${missed.map(({ words }) => words).join(" and ")}`,
        });
    }
    for (const finding of this.taken.values()) this.addSentence(finding);
    return [...this.taken.values()].sort(inOrderOfPlace);
  }

  /** Add what Search Console says; last, because a finding may get a profile late. @param {Finding} finding */
  addSentence(finding) {
    const { rule, profile, property } = finding;
    const known = profile && property && this.context.sentences[profile]?.[property.split(/, | or /).sort().join("|")];
    const found = known && Object.entries(known).find(([, rules]) => rules.split(" ").includes(rule));
    if (found) finding.search_console = found[0];
  }
}
/** @param {Finding} one @param {Finding} two */
export const inOrderOfPlace = (one, two) =>
  one.start - two.start ||
  SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(two.severity) ||
  one.end - two.end ||
  (one.rule < two.rule ? -1 : one.rule > two.rule ? 1 : 0);
/** Members that are there. @template T @param {{ [K in keyof T]: T[K] | null }} members @returns {T} */
export const withoutNothing = (members) =>
  /** @type {T} */ (Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)));
/**
 * A value without what reformatting may change: white space, and in JSON the escapes and the order of keys.
 * @param {string} text
 * @param {string} syntax
 */
const plainText = (text, syntax) => {
  let plain = text;
  if (syntax === "json-ld" && text) {
    const { found, value, repairs } = atOnce(decoding(text));
    const written = found && repairs.every((each) => each.rule === "json-duplicate-key") ? plainJson(value) : null;
    plain = typeof value === "string" && written !== null ? value : (written ?? text);
  }
  return words(plain).join("");
};
/**
 * Compact JSON with sorted keys, null where a number is beyond all others.
 * @param {any} value
 * @returns {string|null}
 */
const plainJson = (value) => {
  if (value instanceof Num) return value.whole ? String(value) : floatText(Number(value.text));
  if (value instanceof Arr) {
    const parts = value.items.map((entry) => plainJson(entry.value));
    return parts.includes(null) ? null : `[${parts.join(",")}]`;
  }
  if (!(value instanceof Obj)) return JSON.stringify(value);
  const parts = [...value.members]
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, entry]) => [JSON.stringify(key), plainJson(entry.value)]);
  return parts.some(([, part]) => part === null) ? null : `{${parts.map((each) => each.join(":")).join(",")}}`;
};
/** Rewriting displayed text is not safe, and elements inside it are not rewritten at all.
 * @param {[Span, string][]} edits @param {boolean} safe @param {Page} page @param {string} syntax */
const fixOf = (edits, safe, page, syntax) => {
  if (!edits.length) return null;
  for (const [span] of edits) {
    if (span.start >= span.end || !isBetweenTags(page, span, syntax)) continue;
    if (page.text.slice(span.start, span.end).includes("<")) return null;
    safe = false;
  }
  return {
    safe,
    edits: edits.map(([span, text]) => {
      const { start, end, from, to } = page.places.place(span);
      return { start, end, text, from, to };
    }),
  };
};
