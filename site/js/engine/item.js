// @ts-check
// The view of a rule on a node. Counterpart of waypost/validate/item.py.

import { isPresent } from "./page.js";
import { isTrue } from "./python.js";
import { head, size, strip, words } from "./text.js";

/** @import { RuleContext } from "./counterparts.js" */
/** @import { ReadError, Related, Span, Thing, Value } from "./page.js" */

/** @typedef {{severity: Severity, message: string, hint?: string|null, rule?: string, authority?: Authority, profile?: string|null,
 *   node?: Thing|null, prop?: string|null, index?: number|null, part?: string, span?: Span, property?: string|null,
 *   edits?: [Span, string][], safe?: boolean, readError?: ReadError, related?: Related[], about?: string[],
 *   compared?: [Compared["source"], string, Span][]}} Draft */

/** One node with its page: shortcuts for reading, and `error`, `warning` and `info` for drafts of findings. */
export class Item {
  /** @param {Thing} node @param {RuleContext} context */
  constructor(node, context) {
    this.node = node;
    this.context = context;
    this.vocabulary = context.vocabulary;
  }

  /** The item of the node that states a type. @param {string} name @returns {Item} */
  ofType(name) {
    return this.node.typedBy ? new Item(this.node.typedBy.get(name) || this.node, this.context) : this;
  }

  /** @param {string} prop */
  get(prop) {
    return this.node.get(prop);
  }

  /** The first present value if it is a text, stripped; else null. @param {string} prop @returns {string|null} */
  text(prop) {
    const value = this.node.get(prop);
    return typeof value === "string" ? strip(value) : null;
  }

  /** [index, value] of every present value. @param {string} prop @returns {[number, Value][]} */
  values(prop) {
    return [...(this.node.props.get(prop) || []).entries()].filter(([, value]) => isPresent(value));
  }

  /** @param {string} prop */
  has(prop) {
    return this.node.get(prop) !== null;
  }

  /** @param {string[]} types */
  isA(...types) {
    return this.vocabulary.areA(this.node.types, new Set(types));
  }

  get name() {
    return this.node.types.join(" and ") || "item";
  }

  /**
   * @param {Severity} severity
   * @param {string|null} prop
   * @param {string} message
   * @param {string|null} [hint]
   * @param {Partial<Draft>} [more]
   * @returns {Draft}
   */
  newDraft(severity, prop, message, hint = null, more = {}) {
    return { severity, node: this.node, prop, message, hint, ...more };
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  error(prop, message, hint, more) {
    return this.newDraft("error", prop, message, hint, more);
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  warning(prop, message, hint, more) {
    return this.newDraft("warning", prop, message, hint, more);
  }

  /** @param {string|null} prop @param {string} message @param {string|null} [hint] @param {Partial<Draft>} [more] */
  info(prop, message, hint, more) {
    return this.newDraft("info", prop, message, hint, more);
  }

  /** An edit that puts `text` in place of a value or key. Displayed text between two tags stays: an attribute is added.
   * @param {string} prop @param {string} text @param {number|null} [index] @returns {[Span, string]} */
  rewrite(prop, text, index = null) {
    const { page } = this.context;
    const [home, at, number] = page.home(this.node, prop, index);
    const span = home.block.span(home, at, number, "value"),
      spelled = home.block.spelled(text);
    if (isBetweenTags(page, span, home.block.syntax)) {
      const tag = page.text.lastIndexOf("<", home.block.span(home, at, number, "key").start - 1);
      const opening = /^<([a-z][a-z0-9-]*)(?=[\s/>])/i.exec(page.text.slice(tag, tag + 40));
      const name = opening?.[1].toLowerCase() || "";
      const isRdfa = home.block.syntax === "rdfa";
      if (opening && (isRdfa || name === "time")) {
        const end = tag + opening[0].length;
        return [{ start: end, end }, ` ${isRdfa ? "content" : "datetime"}="${spelled}"`];
      }
      if (opening && !WITHOUT_ELEMENTS.has(name) && FOR_MACHINES.test(text)) {
        const startTag = page.text.slice(tag, span.start), itemprop = ITEMPROP.exec(startTag);
        if (!itemprop) return [span, spelled];
        const start = tag + itemprop.index, rest = startTag.slice(itemprop.index + itemprop[0].length);
        const displayed = page.text.slice(span.start, span.end);
        if (TIME_VALUE.test(text) && size(displayed) <= 200 && !displayed.includes("<"))
          return [{ start, end: span.end }, `${rest}<time${itemprop[0]} datetime="${spelled}">${displayed}</time>`];
        return [{ start, end: span.start }, `${rest}<meta${itemprop[0]} content="${spelled}">`];
      }
    }
    return [span, spelled];
  }

  /**
   * The edits that write the intended value; none without one.
   * @param {string} prop
   * @param {string|null} intended
   * @param {number} index
   * @returns {[Span, string][]}
   */
  fixes(prop, intended, index) {
    return intended ? [this.rewrite(prop, intended, index)] : [];
  }
}
const ITEMPROP = /\sitemprop\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/i;
const TIME_VALUE = /^(?:[0-9]{2}:|[0-9]{4}-[0-9]{2}-|P)/;
const WITHOUT_ELEMENTS = new Set("title textarea option select script style table thead tbody tfoot tr".split(" "));
const FOR_MACHINES = /^(?:-?\d+(?:\.\d+)?(?:\/\d+)?|\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?|\d{4}-\d\d-\d\d(?:T[\d:.+\-Z]*)?|P[\dA-Z.]+|[A-Z]{3})$/;
/** @param {{text: string}} page @param {Span} span @param {string} syntax */
export const isBetweenTags = ({ text }, span, syntax) => ["microdata", "rdfa"].includes(syntax) && text[span.start - 1] === ">";
/** A node in words: its types and its id or name. @param {Thing} node */
export const subjectOf = (node) => {
  const name = isTrue(node.get("name")) ? node.get("name") : node.get("headline");
  return head(`${node.types.slice(0, 201).join(" ")} ${node.id || (typeof name === "string" ? name : "")}`, 200);
};

/** The name of a node, on one line. @param {Thing} node */
export const titleOf = (node) => {
  for (const prop of ["name", "headline", "title"]) {
    const value = node.get(prop);
    const name = typeof value === "string" ? words(head(value, 480)).join(" ") : "";
    if (name) return [...name].length > 120 ? `${head(name, 119)}…` : name;
  }
  return null;
};

/** A node in words: Offer 'Spring offer'. @param {Thing} node */
export const nodeInWords = (node) => {
  const types = node.types.join(" and ") || "item without a type",
    name = [...(titleOf(node) || "")];
  const short = name.length > 60 ? `${name.slice(0, 59).join("").trimEnd()}…` : name.join("");
  return short ? `${types} '${short}'` : types;
};
