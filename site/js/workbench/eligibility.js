// The badge of a card: eligibility of an item for its result by the findings of this page. Counterpart of
// waypost/report/_eligibility.py: the same words.

import { MISSED, afterColon, lapsesIn, numbered, resultsOf } from "./causes.js";
import { withCommas } from "./dom.js";

/** @param {string} status of the card @param {Record<string, string>} kinds what holds for a kind, by status
 * @param {FileReport} [file] the report's, where a page was checked @param {number} [number] of the item
 * @param {(string|number)[][]} [places] of the node that the card is about: [syntax, block, pointer] @returns {{state: string, text: string}} */
export const badgeOf = (status, kinds, file, number = -1, places = []) => {
  const unknown = { state: "unknown", text: `${kinds[status]}; whether a page qualifies was not checked` };
  if (!file) return unknown;
  const item = file.items[number], required = new Set(places.map((each) => each.join(" ")));
  const numbers = (file.verdicts || []).flatMap(({ syntax, block, pointer }, n) => (required.has([syntax, block, pointer].join(" ")) ? [n] : []));
  if (!item && !numbers.length) return unknown;
  const nodes = (file.verdicts || []).filter((_, n) => numbers.includes(n)), sources = nodes.length ? nodes : [item];
  const eligible = [...new Set(sources.flatMap((each) => each.eligible))].sort();
  const isRetired = sources.some((each) => each.retired.length);
  const found = file.findings.filter((each) => (nodes.length ? numbers.includes(each.verdict ?? -1) : each.item === number));
  const errors = found.filter((each) => each.severity === "error" && !eligible.includes(each.profile ?? ""));
  const missed = nodes.flatMap((each) => each.not_eligible || []).filter((each) => !eligible.includes(each.profile));
  if (eligible.length) {
    const limit = status === "restricted" ? ", which Google shows for some sites or places only" : "";
    const lost = [...(nodes.length ? [] : errors), ...missed.filter((each) => each.severity === "error")];
    const names = [...new Set(lost.map((each) => each.profile ?? "").filter(Boolean))];
    const past = [...new Set(nodes.map(lapsesIn))].join("");
    return { state: "eligible", text: `eligible for ${resultsOf(eligible)}${limit}${past}${names.length ? "; not for " + resultsOf(names) : ""}` };
  }
  if (!missed.length && (isRetired || status === "retired" || status === "none")) return { state: "no_result", text: kinds[isRetired ? "retired" : status] };
  return { state: "not_eligible", text: `not eligible: ${reasonsOf(errors, found, missed)}` };
};

/** @param {Finding[]} errors @param {Finding[]} found @param {NotEligible[]} lost */
const reasonsOf = (errors, found, lost) => {
  const missing = new Set(errors.filter(({ rule }) => rule === "required-property-missing").map((each) => each.property || each.message)).size;
  const wrong = errors.filter(({ rule }) => rule !== "required-property-missing").length;
  const parts = [missing && `${missing === 1 ? "1 required property" : withCommas(missing) + " required properties"} missing`, wrong && numbered(wrong, "error")].filter(Boolean);
  if (parts.length) return parts.join(", ");
  if (lost.length) return lost[0].why;
  const missedMessage = found.find(({ rule }) => rule === MISSED)?.message || "";
  return afterColon(missedMessage) || missedMessage || "the page does not have what such a result needs";
};
