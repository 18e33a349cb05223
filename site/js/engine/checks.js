// @ts-check
// Rules that are data: one file of schemas/checks/ is one rule. The counterpart of waypost/validate/table_rules.py,
// function for function; schemas/meta/check.schema.json describes the members of a file.

import { isBefore, isFuture, isPast, momentOf } from "./dates.js";
import { rule } from "./dispatch.js";
import { Thing } from "./page.js";
import { casefold, clip } from "./strings.js";
import { Dec, grouped, repr, rx, size, str, strip } from "./text.js";
import { number } from "./values.js";

/** @import { Rule } from "./dispatch.js" */
/** @import { Draft, Item } from "./item.js" */
/** @import { ReadError } from "./page.js" */

/** @typedef {{message: string, when?: Record<string, any>, hint?: string, severity?: Severity}} Case */
/** @typedef {{kind: string, authority: Authority, severity: Severity, aliases?: string[], types?: string[], properties?: string[],
 *   property_kinds?: string[], except_properties?: string[], values?: string[], subject?: string, pairs?: [string, string][],
 *   compare?: string, at?: string, when?: any, message?: string, hint?: string, cases?: Case[],
 *   corrections?: {ignoring?: string, hint?: string, unsure?: Record<string, string>}, related?: string, edit?: string,
 *   safe?: boolean|string, per_block?: boolean}} TableCheck */
/** @typedef {(item: Item, value: any, text: string) => boolean} Condition */

/** Add the rules. Returns the names of those that cannot run here: a company's pattern may be one of Python alone.
 * @param {Record<string, TableCheck>} checks @returns {string[]} */
export const addChecks = (checks) =>
  Object.entries(checks).filter(([name, check]) => {
    try {
      rule(name, { authority: check.authority, aliases: check.aliases, types: check.types, ...(KINDS_OF_CHECK[check.kind] || readErrorRule)(check) });
      return false;
    } catch {
      return true;
    }
  }).map(([name]) => name);

// Templates: {name} clipped to 60 characters, {name 40} to 40, {'name'} in quotes, {name,} with thousands separated.

const FIELD = /\{('?)([a-z_]+)\1(?: ([0-9]+))?(,?)\}/g;
/** A message or hint with its fields filled in. @param {string} template @param {Record<string, any>} fields */
const fill = (template, fields) =>
  template.replace(FIELD, (_, quote, name, most, separated) => {
    const text = separated ? grouped(fields[name]) : clip(str(fields[name]), Number(most || 60));
    return quote ? repr(text) : text;
  });
/** The text of a fix: fields are stripped and never clipped. @param {string} template @param {Record<string, any>} fields */
const fillEdit = (template, fields) => template.replace(FIELD, (_, __, name) => strip(str(fields[name])));
/** @param {TableCheck} check @returns {Case[]} */
const messagesOf = (check) => check.cases || [{ message: check.message || "" }];
/** The finding of one case. @param {TableCheck} check @param {Case} found @param {Record<string, any>} fields @param {Partial<Draft>} [more]
 * @returns {Draft} */
const draftOf = (check, found, fields, more) => {
  const hint = found.hint || check.hint;
  return {
    severity: found.severity || check.severity,
    message: fill(found.message, fields),
    hint: hint ? fill(hint, fields) : null,
    ...more,
  };
};

// Errors met while reading: `when` compares members of the error's detail; true means present and not false.

/** How many more errors of this rule the block has, for the end of a message. @param {ReadError} error */
export const countSuffix = ({ detail: { count = 1 } }) => (count > 1 ? ` (and ${grouped(count - 1)} more in this block)` : "");
/** @param {Record<string, any>} when @param {Record<string, any>} detail */
const describes = (when, detail) =>
  Object.entries(when).every(([name, value]) =>
    value === true ? (detail[name] ?? false) !== false : detail[name] === value,
  );
/** @param {TableCheck} check @returns {Partial<Rule>} */
const readErrorRule = (check) => ({
  explain: (error) => {
    const { detail, span } = error;
    const found = /** @type {Case} */ (messagesOf(check).find(({ when = {} }) => describes(when, detail)));
    const draft = draftOf(check, found, detail);
    if (check.per_block) draft.message += countSuffix(error);
    draft.safe = check.safe === "as-read" ? (detail.safe ?? true) : check.safe !== false;
    if (check.edit) draft.edits = [[span, fillEdit(check.edit, detail)]];
    return draft;
  },
});

// Values: every condition of `when` must hold for the value, or for the text that `subject` reads from it.

/** The text that a check reads: the value itself, or of a node its `name` or its `@id`.
 * @param {any} value @param {string|undefined} subject @returns {string|null} */
const textOfValue = (value, subject) => {
  if (!(value instanceof Thing)) return str(value);
  const text = subject === "name" ? value.get("name") : subject === "id" ? value.id : null;
  return typeof text === "string" ? text : null;
};
/** @param {any} when @param {string} expression @returns {Condition} */
const matches = ({ ignore_case: ignoreCase, longest = 100_000 }, expression) => {
  const parts = Object.assign([expression], { raw: [expression] });
  const pattern = rx(ignoreCase ? "i" : "")(parts);
  return (_, __, text) => size(text) <= longest && pattern.test(strip(text));
};
/** @type {Record<string, (when: any, operand: any) => Condition>} */
const CONDITIONS = {
  matches,
  does_not_match: (when, expression) => {
    const matching = matches(when, expression);
    return (item, value, text) => !matching(item, value, text);
  },
  one_of: (_, words) => (__, ___, text) => words.includes(strip(text)),
  not_one_of: (_, words) => (__, ___, text) => !words.includes(strip(text)),
  longer_than: (_, most) => (__, ___, text) => size(strip(text)) > most,
  not_a: (_, kind) => (__, value) => {
    const found = number(value);
    return !found || (kind === "whole number" && !found.isWhole);
  },
  below: (_, bound) => (__, value) => (number(value)?.compare(Dec.of(String(bound))) ?? 0) < 0,
  date: (_, tense) => (item, value) => {
    const found = momentOf(value);
    return !!found && (tense === "past" ? isPast : isFuture)(found, item.context.now);
  },
  is_page_address: () => (item, _, text) => !!item.context.page.url && strip(text) === item.context.page.url,
};
/** @param {any} when @returns {Condition} */
const conditionOf = (when = {}) => {
  const own = Object.keys(CONDITIONS).filter((name) => name in when).map((name) => CONDITIONS[name](when, when[name]));
  return (item, value, text) => own.every((condition) => condition(item, value, text));
};
/** @param {TableCheck} check @returns {Partial<Rule>} */
const valueRule = (check) => {
  const condition = conditionOf(check.when);
  const cases = messagesOf(check).map((found) => ({ found, condition: conditionOf(found.when) }));
  const { properties = [], property_kinds: kinds = [], except_properties: except = [] } = check;
  return {
    properties: (v) =>
      [...properties, ...kinds.flatMap((kind) => [.../** @type {any} */ (v.kinds)[kind]])].filter((name) => !except.includes(name)),
    values: check.values || ["text"],
    *value(item, prop, index, value) {
      const text = textOfValue(value, check.subject);
      if (text === null || !condition(item, value, text)) return;
      const { found } = /** @type {{found: Case}} */ (cases.find((each) => each.condition(item, value, text)));
      const fields = { property: prop, value: text, length: size(strip(text)) };
      const draft = draftOf(check, found, fields, { node: item.node, prop, index });
      /** @type {[string|null, boolean]} */
      let fix = [check.edit ? fillEdit(check.edit, fields) : null, check.safe !== false];
      if (check.corrections) {
        fix = correction(check.corrections, check.when.not_one_of, text);
        if (fix[0] && check.corrections.hint) draft.hint = fill(check.corrections.hint, { correction: fix[0] });
      }
      yield { ...draft, edits: item.fixes(prop, fix[0], index), safe: fix[1] };
    },
  };
};
/** The word that a text stands for, and whether writing it is safe.
 * @param {NonNullable<TableCheck["corrections"]>} corrections @param {string[]} words @param {string} text @returns {[string|null, boolean]} */
const correction = ({ ignoring = "", unsure = {} }, words, text) => {
  const foldedWord = (/** @type {string} */ word) =>
    [...word.toUpperCase()].filter((character) => !ignoring.includes(character)).join("");
  const key = foldedWord(strip(text));
  const word = words.find((each) => foldedWord(each) === key);
  return word ? [word, true] : [Object.hasOwn(unsure, key) ? unsure[key] : null, false];
};

// Pairs: two properties of one node are compared.

/** @type {Record<string, (item: Item, prop: string) => any>} */
const READERS_OF_PAIRS = {
  date: (item, prop) => momentOf(item.text(prop)),
  number: (item, prop) => number(item.get(prop)),
  text: (item, prop) => item.text(prop) || null,
};
/** @type {Record<string, (first: any, second: any) => boolean>} */
const RELATIONS = {
  "second before first": (first, second) => isBefore(second, first),
  "second below first": (first, second) => second.compare(first) < 0,
  "second not above first": (first, second) => second.compare(first) <= 0,
  "second same as first": (first, second) => casefold(first) === casefold(second),
};
/** @param {TableCheck} check @returns {Partial<Rule>} */
const pairRule = (check) => {
  const read = READERS_OF_PAIRS[check.compare || "text"],
    relation = RELATIONS[check.when];
  const pairs = check.pairs || [];
  return {
    properties: () => pairs.map(([, second]) => second),
    *check(item) {
      const written = (/** @type {string} */ prop, /** @type {any} */ value) => (value instanceof Dec ? value : item.text(prop));
      for (const [first, second] of pairs) {
        const low = read(item, first),
          high = read(item, second);
        if (low === null || high === null || !relation(low, high)) continue;
        const fields = {
          first_property: first, first: written(first, low),
          second_property: second, second: written(second, high),
        };
        const found = /** @type {Case} */ (messagesOf(check).find(({ when }) => !when || item.isA(when.type)));
        const [prop, other] = check.at === "first" ? [first, second] : [second, first];
        /** @type {[string, any][]} */
        const related = check.related ? [[fill(check.related, fields), [item.node, other]]] : [];
        yield draftOf(check, found, fields, { node: item.node, prop, related });
      }
    },
  };
};
/** @type {Record<string, (check: TableCheck) => Partial<Rule>>} */
const KINDS_OF_CHECK = { value: valueRule, pair: pairRule };
