// What Search Console says about a finding, as a link to the page of the message.

import { el, link } from "./dom.js";

/** @param {string} sentence */
export const sentenceLink = (sentence) => {
  const page = /** @type {any} */ (globalThis).WaypostRegistry?.messagePages?.[sentence];
  const words = el("q", {}, sentence);
  return page ? el("a", { href: link(page) }, words) : words;
};
