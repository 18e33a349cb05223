// @ts-check
// The name of a rich result in words, and what alike findings share. Counterpart of `result_name` and `cause_of` in
// waypost/models/finding.py.

import { RESULT_WORDS } from "../data/result-words.js";
import { rpartition } from "./text.js";

/** A rich result in words: "google/product-snippet" is "product snippet results". RESULT_WORDS is put in front of this part
 * by waypost/pages/bundle.py. @param {string} profile @returns {string} */
export const resultName = (profile) => {
  const [consumer, , name] = rpartition(profile, "/");
  if (consumer && consumer !== "google") return `${consumer} ${name.replaceAll("-", " ")} results`;
  return `${RESULT_WORDS[name] || name.replaceAll("-", " ")} results`;
};

const INDEX = /\/[0-9]+(?=\/|$)/g;
const OWN_VALUE = /https?:\/\/[^\p{White_Space}\x1c-\x1f]+|[0-9]+/gu;
/** Key that alike findings share: the counterpart of `cause_of` in models/finding.py. @param {Finding} finding */
export const causeOf = ({ severity, rule, profile, pointer, property, hint, message }) => {
  const where = pointer.replace(INDEX, "");
  return (/^(property-not-of-type|unknown-property)$/.test(rule)
    ? [severity, rule, profile, where.replace(/\/[^/]*$/, ""), "", hint]
    : [severity, rule, profile, where, property, (hint || message).replace(OWN_VALUE, "0")]).join("\0");
};
