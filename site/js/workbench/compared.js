// Values that differ, side by side: in the markup, on the page, in a feed of products.

import { brief, el } from "./dom.js";

const COLUMNS = /** @type {const} */ ({ markup: "Markup", page: "Page", feed: "Feed" });

/** Table of the values of a finding, with a jump to the place of each; nothing for a finding without.
 * @param {Finding} finding @param {((place: any) => void)} [go] */
export const comparedTable = ({ compared }, go) => compared && el("table", { class: "compared" },
  el("thead", {}, el("tr", {}, ...compared.map(({ source }) => el("th", { scope: "col" }, COLUMNS[source])))),
  el("tbody", {}, el("tr", {}, ...compared.map((each) => el("td", {}, el("b", {}, brief(each.value, 120)), " ", go && each.from !== undefined
    ? el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column, of the value in the ${each.source}`, onclick: () => go(each) }, `${each.line}:${each.column}`)
    : el("span", { class: "num" }, `${each.line}:${each.column}`))))));
