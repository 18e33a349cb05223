// @ts-check
// The engine comes in parts, so that a page loads first what it shows first. What needs a part that is not there yet throws
// `PartMissing`: the caller loads the part and calls again, so no other code has to know the dependencies.

export class PartMissing extends Error {
  /** @param {string} part */
  constructor(part) {
    super(`the part of the engine for ${part} is not there yet`);
    this.part = part;
  }
}

/** What each part offers to those that come before it, by its name in order.json. @type {Record<string, any>} */
export const OFFERS = {};

/** @param {string} part */
export const offered = (part) => {
  if (!(part in OFFERS)) throw new PartMissing(part);
  return OFFERS[part];
};

/** Long work is written in steps, so that the caller may yield in between; this runs all steps at once.
 * @template T @param {Generator<undefined, T>} steps @returns {T} */
export const atOnce = (steps) => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return /** @type {T} */ (value);
  }
};
