// The badge of a card: eligibility of an item for its result by the findings of this page. Counterpart of
// waypost/report/_eligibility.py: the same words.

/** @param {string} status of the card @param {Record<string, string>} kinds what holds for a kind, by status
 * @param {any} [file] the report's, where a page was checked @param {number} [number] of the item @returns {{state: string, text: string}} */
const badgeOf = (status, kinds, file, number = -1) => {
  const item = file?.items[number];
  if (!item) return { state: "unknown", text: `${kinds[status]}; whether a page qualifies was not checked` };
  const found = file.findings.filter((/** @type {any} */ each) => each.item === number);
  const errors = found.filter((/** @type {any} */ each) => each.severity === "error" && !item.eligible.includes(each.profile));
  if (item.eligible.length) {
    const limit = status === "restricted" ? ", which Google shows for some sites or places only" : "";
    const missed = [...new Set(errors.map((/** @type {any} */ each) => each.profile).filter(Boolean))];
    return { state: "eligible", text: `eligible for ${resultsOf(item.eligible)}${limit}${missed.length ? "; not for " + resultsOf(missed) : ""}` };
  }
  if (item.retired.length || status === "retired" || status === "none") return { state: "no_result", text: kinds[item.retired.length ? "retired" : status] };
  return { state: "not_eligible", text: `not eligible: ${reasonsOf(errors, found)}` };
};

/** @param {any[]} errors @param {any[]} found */
const reasonsOf = (errors, found) => {
  const missing = new Set(errors.filter(({ rule }) => rule === "required-property-missing").map((each) => each.property || each.message)).size;
  const wrong = errors.filter(({ rule }) => rule !== "required-property-missing").length;
  const parts = [missing && `${missing === 1 ? "1 required property" : withCommas(missing) + " required properties"} missing`, wrong && numbered(wrong, "error")].filter(Boolean);
  if (parts.length) return parts.join(", ");
  const missedMessage = found.find(({ rule }) => rule === MISSED)?.message || "";
  return afterColon(missedMessage) || missedMessage || "the page does not have what such a result needs";
};
