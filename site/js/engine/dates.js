// @ts-check
// ISO 8601 as structured data uses it: the date, time or duration in a string, or the error in it. Counterpart of
// waypost/formats/dates.py. Instants are microseconds since the first day of the year 1, as BigInt.

import { rx, strip } from "./text.js";

/** @typedef {{form: string, first: bigint, last: bigint, zoned: boolean, notes: string[]}} Moment */
/** @typedef {{error: string, detail: string}} Slip */

const DATE_PART = String.raw`(?<year>\d{4})(?:-(?<month>\d\d)(?:-(?<day>\d\d))?|-?W(?<week>\d\d)(?:-?(?<weekday>\d))?|-(?<ordinal>\d{3})|(?<basic>\d{4}))?`;
export const CLOCK_PART = String.raw`(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?::?(?<second>\d\d)(?<fraction>[.,]\d+)?)?)?`;
export const OFFSET_PART = String.raw`(?<offset>[Zz]|[+\-\u2212]\d\d(?::?\d\d)?)?`;
export const MOMENT = rx("af")`${DATE_PART}(?:(?<joint>[Tt ])\s?${CLOCK_PART} ?${OFFSET_PART})?`;
const ANCIENT = rx("af")`(?<sign>[+\-\u2212])\d{4,10}(?:-\d\d(?:-\d\d)?)?|0000`;
export const LONGEST_DATE = 80;
const SECOND = 1_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Days since 0001-01-01. @param {number} year @param {number} month @param {number} day */
const dayNumber = (year, month, day) =>
  Math.round(new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000) + 719_162;
/** Number of a day, "2026-11-29"; null for a day that the calendar lacks. @param {string} text @returns {number|null} */
export const dayNumberOf = (text) => {
  const found = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (!found) return null;
  const [year, month, day] = found.slice(1).map(Number);
  return year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ? null : dayNumber(year, month, day);
};
const END_OF_TIME = BigInt(dayNumber(9999, 12, 31) + 1) * DAY - 1n;
/** An instant of the clock. @param {Date} date */
export const instant = (date) => BigInt(date.getTime()) * 1000n + 719_162n * DAY;
/** The day of an instant, YYYY-MM-DD. @param {bigint} when */
export const isoDay = (when) => new Date(Number(when / DAY - 719_162n) * 86_400_000).toISOString().slice(0, 10);
/** @param {number} year @param {number} month */
export const daysIn = (year, month) =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31;

/** @type {Map<string, Moment|Slip>} */
const readBefore = new Map();
/** What date, or date and time, a text names. @param {string} given @returns {Moment|Slip} */
export const readDate = (given) => {
  let found = readBefore.get(given);
  if (!found) {
    found = readDateText(strip(given));
    if (readBefore.size > 4096) readBefore.clear();
    if (given.length < 200) readBefore.set(given, found);
  }
  return found;
};
/** @param {string} text @returns {Moment|Slip} */
const readDateText = (text) => {
  const match = text.length <= LONGEST_DATE ? MOMENT.exec(text) : null;
  if (!match) return ancient(text) || { error: "form", detail: "it is not written as ISO 8601" };
  const found = /** @type {Record<string, string>} */ (match.groups);
  /** @type {string[]} */
  const notes = [];
  const day = dayOf(found, notes);
  if ("error" in day) return day;
  if (!found.joint) {
    return {
      form: day.form,
      first: day.first,
      last: day.after === null ? END_OF_TIME : day.after - 1n,
      zoned: false,
      notes,
    };
  }
  if (day.form === "year" || day.form === "month" || (day.form === "week" && !found.weekday)) {
    return { error: "form", detail: "a time of day needs a complete date before it" };
  }
  return atClock(day.first, found, notes);
};
/** @param {object} found @returns {found is Slip} */
export const isSlip = (found) => "error" in found;
/** 12 December 2026, December 2026 or 2026, of an ISO 8601 date or date-time. @param {string} value */
export const dayInWords = (value) => {
  const [year, month, day] = value.slice(0, 10).split("-");
  return [day && String(Number(day)), month && MONTH_NAMES[Number(month) - 1], year].filter(Boolean).join(" ");
};
/** The moment a value names, null if it is no text or cannot be read. @param {unknown} value @returns {Moment|null} */
export const momentOf = (value) => {
  if (typeof value !== "string") return null;
  const found = readDate(value);
  return isSlip(found) ? null : found;
};
/** @param {Record<string, string>} found @param {string[]} notes
 * @returns {{form: string, first: bigint, after: bigint|null}|Slip} */
const dayOf = (found, notes) => {
  const year = Number(found.year);
  if (!year) return { error: "calendar", detail: "there is no year 0000" };
  let { month, day } = found;
  if (found.basic) {
    notes.push("basic");
    month = found.basic.slice(0, 2);
    day = found.basic.slice(2);
  }
  if (found.week) return weekOf(year, Number(found.week), Number(found.weekday || 0));
  if (found.ordinal) {
    const ordinal = Number(found.ordinal);
    const days = year < 9999 ? dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1) : 365;
    if (ordinal < 1 || ordinal > days) return { error: "calendar", detail: `the year ${year} has no day ${ordinal}` };
    return whole("ordinal", dayNumber(year, 1, 1) + ordinal - 1, 1);
  }
  if (!month) {
    return {
      form: "year",
      first: BigInt(dayNumber(year, 1, 1)) * DAY,
      after: year < 9999 ? BigInt(dayNumber(year + 1, 1, 1)) * DAY : null,
    };
  }
  if (Number(month) < 1 || Number(month) > 12) return { error: "calendar", detail: `there is no month ${month}` };
  const many = daysIn(year, Number(month));
  if (!day) return whole("month", dayNumber(year, Number(month), 1), many);
  if (Number(day) < 1 || Number(day) > many) {
    return {
      error: "calendar",
      detail: `${MONTH_NAMES[Number(month) - 1]} ${year} has ${many} days`,
    };
  }
  return whole("date", dayNumber(year, Number(month), Number(day)), 1);
};
/** @param {string} form @param {number} first @param {number} days */
const whole = (form, first, days) => {
  const after = BigInt(first + days) * DAY;
  return { form, first: BigInt(first) * DAY, after: after > END_OF_TIME ? null : after };
};
/** @param {number} year @param {number} week @param {number} weekday */
const weekOf = (year, week, weekday) => {
  if (weekday > 7) return { error: "calendar", detail: `a week has no day ${weekday}` };
  const fourth = dayNumber(year, 1, 4),
    monday = fourth - (fourth % 7);
  const nextFourth = dayNumber(year + 1, 1, 4);
  const day = monday + (week - 1) * 7 + (weekday || 1) - 1;
  if (
    week < 1 ||
    monday + (week - 1) * 7 >= nextFourth - (nextFourth % 7) ||
    day < 0 ||
    BigInt(day) * DAY > END_OF_TIME
  ) {
    return { error: "calendar", detail: `the year ${year} has no week ${String(week).padStart(2, "0")}` };
  }
  return whole("week", day, weekday ? 1 : 7);
};
/** @param {bigint} day @param {Record<string, string>} found @param {string[]} notes @returns {Moment|Slip} */
const atClock = (day, found, notes) => {
  const clock = clockOf(found);
  if ("error" in clock) return clock;
  if (found.joint === " ") notes.push("space");
  else if (found.joint === "t") notes.push("lower-case");
  const grain = found.fraction ? 1n : found.second ? SECOND : found.minute ? MINUTE : HOUR;
  const zoned = clock.offset !== null;
  const shift = zoned ? BigInt(/** @type {number} */ (clock.offset)) * MINUTE : 0n;
  let first = day + clock.micros,
    last = first + grain - 1n;
  const isOut = last + 1n > END_OF_TIME || first - shift < 0n || last - shift > END_OF_TIME || last - shift < 0n;
  if (isOut) first = last = day > 1_826_000n * DAY ? END_OF_TIME : 0n;
  else [first, last] = [first - shift, last - shift];
  return { form: "datetime", first, last, zoned, notes: [...notes, ...clock.notes] };
};
/** @param {Record<string, string>} found
 * @returns {{micros: bigint, offset: number|null, notes: string[]}|Slip} */
export const clockOf = (found) => {
  const hour = Number(found.hour || 0),
    minute = Number(found.minute || 0);
  let second = Number(found.second || 0);
  const notes = [];
  if (found.fraction && found.fraction[0] === ",") notes.push("comma");
  if (found.minute && !found.colon) notes.push("clock-basic");
  if (second === 60 && [59, 29, 44].includes(minute)) {
    notes.push("leap-second");
    second = 59;
  }
  if (hour > 24 || minute > 59 || second > 59 || (hour === 24 && (minute || second))) {
    const displayed = [found.hour, found.minute, found.second].filter(Boolean).join(":");
    return { error: "clock", detail: `no clock shows ${displayed}` };
  }
  if (hour === 24) notes.push("24:00");
  const fraction = found.fraction ? Number(`0.${found.fraction.slice(1, 16)}`) : 0;
  const offset = offsetOf(found.offset, notes);
  if (offset !== null && typeof offset === "object") return offset;
  const micros = BigInt(hour * 3600 + minute * 60 + second) * SECOND + BigInt(Math.round(fraction * 1e6));
  return { micros, offset, notes };
};
/** Minutes east of UTC. @param {string|undefined} text @param {string[]} notes @returns {number|null|Slip} */
const offsetOf = (text, notes) => {
  if (!text) return null;
  if (text === "Z" || text === "z") {
    if (text === "z") notes.push("lower-case");
    return 0;
  }
  const digits = text.slice(1).replace(":", "");
  if (!text.includes(":")) notes.push(digits.length === 4 ? "offset-basic" : "offset-short");
  if (text[0] === "\u2212") notes.push("minus");
  const hours = Number(digits.slice(0, 2)),
    minutes = Number(digits.slice(2) || 0);
  // The offsets in use reach from -12:00 to +14:00.
  if (minutes > 59 || hours * 60 + minutes > (text[0] === "+" ? 14 : 12) * 60) {
    return { error: "offset", detail: `no place on earth is ${text} from UTC` };
  }
  return (hours * 60 + minutes) * (text[0] === "+" ? 1 : -1);
};
/** Years outside 0001..9999. @param {string} text @returns {Moment|null} */
const ancient = (text) => {
  const match = ANCIENT.exec(text);
  if (!match) return null;
  const edge = match.groups && match.groups.sign === "+" ? END_OF_TIME : 0n;
  return { form: "ancient", first: edge, last: edge, zoned: false, notes: [] };
};
const FAR_WEST = 12n * HOUR;
const FAR_EAST = 14n * HOUR;
/** @param {bigint} when @param {bigint} by */
const shifted = (when, by) => (when + by < 0n || when + by > END_OF_TIME ? when : when + by);
/**
 * Is every instant of one earlier than every one of the other, wherever on earth?
 * @param {Moment} one
 * @param {Moment} other
 */
export const isBefore = (one, other) => {
  if (one.zoned === other.zoned) return one.last < other.first;
  return one.zoned ? one.last < shifted(other.first, -FAR_EAST) : shifted(one.last, FAR_WEST) < other.first;
};
/** @param {bigint} now @returns {Moment} */
const atNow = (now) => ({ form: "datetime", first: now, last: now, zoned: true, notes: [] });
/** @param {Moment} one @param {bigint} now */
export const isPast = (one, now) => isBefore(one, atNow(now));
/** @param {Moment} one @param {bigint} now */
export const isFuture = (one, now) => isBefore(atNow(now), one);
