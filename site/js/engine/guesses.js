// @ts-check
// Times of day, durations, and what dates and durations written otherwise can only mean. With dates.js the counterpart of
// waypost/formats/dates.py.

import { CLOCK_PART, LONGEST_DATE, OFFSET_PART, clockOf } from "./dates.js";
import { rx, strip } from "./text.js";

export const TIME = rx("af")`[Tt]?${CLOCK_PART} ?${OFFSET_PART}`;
const AMOUNT = String.raw`(\d+(?:[.,]\d+)?)`;
const DURATION = rx(
  "af",
)`(?<sign>[+\-\u2212]?)P(?:${AMOUNT}Y)?(?:${AMOUNT}M)?(?:${AMOUNT}W)?(?:${AMOUNT}D)?(?:(?<clock>T)(?:${AMOUNT}H)?(?:${AMOUNT}M)?(?:${AMOUNT}S)?)?`;
/** A time of day. @param {string} given */
export const readTime = (given) => {
  const text = strip(given);
  const match = text.length <= LONGEST_DATE ? TIME.exec(text) : null;
  return match
    ? clockOf(/** @type {Record<string, string>} */ (match.groups))
    : { error: "form", detail: "it is not written as hh:mm or hh:mm:ss" };
};

/** Months and seconds of an ISO 8601 duration, else null. @param {string} given */
export const readDuration = (given) => {
  const text = strip(given);
  const match = text.length <= LONGEST_DATE ? DURATION.exec(text) : null;
  if (!match) return null;
  const [, , years, months, weeks, days, clock, hours, minutes, seconds] = match;
  const parts = [years, months, weeks, days, hours, minutes, seconds];
  if (!parts.some(Boolean) || (clock && !hours && !minutes && !seconds)) return null;
  const amounts = parts.map((part) => (part ? Number(part.replace(",", ".")) : 0));
  const length = [604800, 86400, 3600, 60, 1].reduce((sum, unit, n) => sum + amounts[n + 2] * unit, 0);
  const made = { months: amounts[0] * 12 + amounts[1], seconds: length };
  return { ...made, isEmpty: !made.months && !made.seconds };
};
