// @ts-check
// Displayed text of elements of Microdata or RDFa whose value search engines read from an attribute. Counterpart of
// waypost/reader/lookalikes.py.

import { UNSEEN, seenText } from "./markup.js";
import { head, size, strip, words } from "./text.js";

/** @import { Page, Span, Thing } from "./page.js" */
/** @import { Tree } from "./tree.js" */

export const SEEN_IN = new Set(["content", "datetime", "value", "src"]);
const VISIBLE = new Set(
  "price lowPrice highPrice ratingValue name datePublished dateModified dateCreated datePosted uploadDate startDate endDate".split(
    " ",
  ),
);
const LONGEST_DISPLAYED = 200;
const LONGEST_PICTURE = 2_000;
const HIDDEN_FROM_VIEW = '[hidden],[style*="none" i],[data-style*="none" i],[aria-hidden="true"],noscript';
const PICTURE_ATTRIBUTES = ["data-src", "data-original", "data-lazy-src", "data-lazy", "data-srcset", "srcset"];
const STAND_IN =
  /(?:^|[._-])(?:blank|spacer|placeholder|transparent|lazy|lazyload|loading|loader|pixel|1x1|dummy|empty)(?:[._-][a-z0-9._-]*)?\.(?:gif|png|svg|webp|jpe?g)/i;

/** Record the displayed text next to a value in an attribute, where the two may differ.
 * @param {Page} page @param {Tree} tree @param {Thing} node @param {string} prop @param {number} position @param {Element} element */
export const noteSeen = (page, tree, node, prop, position, element) => {
  if (element.localName === "img") {
    const image = lazyImage(tree, element, node.block.syntax);
    if (image) page.lazyImages.push([[node, prop, position], image]);
  } else if (VISIBLE.has(prop)) {
    const text = readableText(element);
    if (text && !element.closest(HIDDEN_FROM_VIEW)) page.visible.push({ node, prop, position, tag: element.localName, text });
  }
};

/** @param {Tree} tree @param {Element} element @param {string} syntax @returns {{attribute: string, address: string, edits: [Span, string][]}|null} */
const lazyImage = (tree, element, syntax) => {
  if (element.hasAttribute("content") || !isStandIn(strip(element.getAttribute("src") || ""))) return null;
  for (const attribute of PICTURE_ATTRIBUTES) {
    const address = pictureAddress(element, attribute);
    if (address) {
      const edits = syntax !== "microdata" || attribute.endsWith("srcset") ? [] : lazyEdits(tree, element, address);
      return { attribute, address, edits };
    }
  }
  return null;
};

/** @param {Tree} tree @param {Element} element @param {string} address @returns {[Span, string][]} */
const lazyEdits = (tree, element, address) => {
  const { startTag, attributes } = tree.location(element);
  const written = attributes.get("itemprop");
  if (!written || element.closest("picture") || element.hasAttribute("id")) return [];
  const itemprop = escapedMarkup(element.getAttribute("itemprop") || "");
  const before = { start: startTag.start, end: startTag.start };
  const start = written.start - (/\s/.test(tree.text[written.start - 1]) ? 1 : 0);
  return [
    [before, `<link itemprop="${itemprop}" href="${escapedMarkup(address)}">`],
    [{ start, end: written.end }, ""],
  ];
};

/** @param {Element} element */
const readableText = (element) => {
  const text = element.textContent || "";
  if (size(text) > LONGEST_DISPLAYED) return "";
  return words(element.querySelector(`br,${UNSEEN}`) ? seenText(element) : text).join(" ");
};

/** Is an address that of no picture: missing, in the page itself, or a file named as a placeholder? @param {string} address */
const isStandIn = (address) => {
  if (!address || address.startsWith("data:") || address.startsWith("#") || address === "about:blank") return true;
  const name = head(address, LONGEST_PICTURE).split("?")[0].split("/").pop() || "";
  return STAND_IN.test(name);
};

/** @param {Element} element @param {string} attribute */
const pictureAddress = (element, attribute) => {
  let written = head(strip(element.getAttribute(attribute) || ""), LONGEST_PICTURE);
  if (attribute.endsWith("srcset")) written = (words(written)[0] || "").replace(/,+$/, "");
  const isUsable = !/^(?:data:|[#{[])/.test(written) && !isStandIn(written);
  return isUsable && words(written).length === 1 ? written : "";
};

/** @param {string} text */
const escapedMarkup = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
