// @ts-check
// Markup against the text that people see, a part of its own: all of it is translated (waypost/validate/displayed), and
// loaded, with the words of 25 languages, when a page has something to compare.

import "../rules/reader.visible.js";
import "../rules/validate.displayed.words.js";
import "../rules/validate.displayed.lines.js";
import "../rules/validate.displayed.amounts.js";
import "../rules/validate.displayed.page.js";
import "../rules/validate.displayed.offers.js";
import "../rules/validate.displayed.ratings.js";
import "../rules/validate.displayed.events.js";
import "../rules/validate.displayed.compare.js";
import { OFFERS } from "./parts.js";
import { use } from "./python.js";

/** @import { RuleContext } from "./counterparts.js" */

const LISTS = globalThis.WaypostRegistry.displayed;
/** @param {Record<string, string>} record */
const asMap = (record) => new Map(Object.entries(record));

OFFERS.displayed = {
  words: {
    signs: asMap(LISTS.signs),
    languages: new Map(Object.entries(LISTS.languages).map(([name, words]) => /** @type {const} */ ([name, asMap(words)]))),
  },
  differences: (/** @type {RuleContext} */ context) => use("validate.displayed.compare").differences(context),
};
