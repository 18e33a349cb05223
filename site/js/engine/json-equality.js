// @ts-check
// Equality of JSON values.

import { Arr, Obj } from "./json.js";
import { Num } from "./strings.js";

/** Are two JSON values equal? 1 is neither 1.0 nor true.
 * @param {any} one @param {any} two @returns {boolean} */
export const isSameValue = (one, two) => {
  try {
    return isSame(one, two);
  } catch (error) {
    if (error instanceof RangeError) return false; // too deep to compare
    throw error;
  }
};
/** @param {any} one @param {any} two @returns {boolean} */
const isSame = (one, two) => {
  if (one instanceof Num && two instanceof Num) return one.whole === two.whole && one.dec.compare(two.dec) === 0;
  if (one instanceof Arr && two instanceof Arr) {
    return (
      one.items.length === two.items.length && one.items.every((each, n) => isEqual(each.value, two.items[n].value))
    );
  }
  if (one instanceof Obj && two instanceof Obj) {
    return (
      one.members.size === two.members.size &&
      [...one.members].every(([key, entry]) => two.has(key) && isEqual(entry.value, two.get(key)))
    );
  }
  return one === two;
};
/**
 * As Python's ==: 1, 1.0 and true are equal inside of containers.
 * @param {any} one
 * @param {any} two
 * @returns {boolean}
 */
const isEqual = (one, two) => {
  const [a, b] = [one, two].map((each) => (typeof each === "boolean" ? new Num(each ? "1" : "0", true) : each));
  return a instanceof Num && b instanceof Num ? a.dec.compare(b.dec) === 0 : isSame(a, b);
};
