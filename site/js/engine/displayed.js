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

const { signs, languages } = globalThis.WaypostRegistry.displayed;
const kinds = Object.entries(languages).map(([name, words]) => /** @type {const} */ ([name, new Map(Object.entries(words))]));

OFFERS.displayed = {
  words: { signs: new Map(Object.entries(signs)), languages: new Map(kinds) },
  differences: (/** @type {RuleContext} */ context) => use("validate.displayed.compare").differences(context),
};
