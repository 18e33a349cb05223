// @ts-check
// Times of day, durations, and what dates and durations written otherwise can only mean. With dates.js the twin of
// waypost/formats/dates.py.

const TIME = rx("af")`[Tt]?${CLOCK_PART} ?${OFFSET_PART}`;
const AMOUNT = String.raw`(\d+(?:[.,]\d+)?)`;
const DURATION = rx(
  "af",
)`(?<sign>[+\-\u2212]?)P(?:${AMOUNT}Y)?(?:${AMOUNT}M)?(?:${AMOUNT}W)?(?:${AMOUNT}D)?(?:(?<clock>T)(?:${AMOUNT}H)?(?:${AMOUNT}M)?(?:${AMOUNT}S)?)?`;
/** A text that names a day, month, year or instant with its offset in no unusual way. @param {any} value */
const isPlainDate = (value) => {
  const found = momentOf(value);
  return !!found && !found.notes.length && (found.zoned || ["date", "month", "year"].includes(found.form));
};

/** A time of day. @param {string} given */
const readTime = (given) => {
  const text = strip(given);
  const match = text.length <= LONGEST_DATE ? TIME.exec(text) : null;
  return match
    ? clockOf(/** @type {Record<string, string>} */ (match.groups))
    : { fault: "form", detail: "it is not written as hh:mm or hh:mm:ss" };
};

/** Months and seconds of an ISO 8601 duration, else null. @param {string} given */
const readDuration = (given) => {
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

const MONTHS = new Map(
  "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,september sep sept,october oct,november nov,december dec"
    .split(",")
    .flatMap((names, n) => names.split(" ").map((name) => /** @type {[string, number]} */ ([name, n + 1]))),
);
const SLASHED = rx("af")`(\d{4})([/.\-])(\d{1,2})\2(\d{1,2})`;
const YEAR_LAST = rx("af")`(\d{1,2})([/\-])(\d{1,2})\2(\d{4})`;
const DOTTED = rx("af")`(\d{1,2})\.(\d{1,2})\.(\d{4})`;
const MONTH_FIRST = rx("af")`(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})`;
const DAY_FIRST = rx("af")`(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]{3,9})\.?,? (\d{4})`;
/** @param {string} year @param {string|number} month @param {string} day */
const asDate = (year, month, day) => {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (y < 1 || m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return null;
  return `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`;
};

/** The ISO date that a date written otherwise can only mean. @param {string} text */
const guessDate = (text) => {
  const flat = casefold(words(text).join(" "));
  if (size(flat) > LONGEST_DATE) return null;
  let found = SLASHED.exec(flat);
  if (found) return asDate(found[1], found[3], found[4]);
  found = DOTTED.exec(flat);
  if (found && (Number(found[1]) > 12 || Number(found[1]) === Number(found[2])))
    return asDate(found[3], found[2], found[1]);
  found = YEAR_LAST.exec(flat);
  if (found) {
    const [, one, , other, year] = found;
    if (Number(one) > 12 && Number(other) <= 12) return asDate(year, other, one);
    return Number(other) > 12 && Number(one) <= 12 ? asDate(year, one, other) : null;
  }
  found = MONTH_FIRST.exec(flat);
  if (found) return asDate(found[3], MONTHS.get(found[1]) || 0, found[2]);
  found = DAY_FIRST.exec(flat);
  return found ? asDate(found[3], MONTHS.get(found[2]) || 0, found[1]) : null;
};

const SPELLED_OUT = rx(
  "ay",
)`(\d+(?:[.,]\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?)(?![a-z])[., ]*(?:and )?`;
const UNTIMED = rx("af")`p((?:\d+h)?\d+m\d+(?:\.\d+)?s|\d+h(?:\d+m)?|\d+(?:\.\d+)?s)`;
const CLOCKED = rx("af")`(\d{1,3}):([0-5]\d):([0-5]\d)`;
/** The ISO duration that "30 minutes" or "01:20:00" can only mean. @param {string} text */
const guessDuration = (text) => {
  const flat = casefold(words(text).join(" "));
  if (size(flat) > LONGEST_DATE) return null;
  let found = CLOCKED.exec(flat);
  if (found) {
    const parts = /** @type {string[]} */ (found.slice(1)).map((each, n) =>
      Number(each) ? Number(each) + "HMS"[n] : "",
    );
    return `PT${parts.join("") || "0S"}`;
  }
  found = UNTIMED.exec(flat);
  if (found) return `PT${found[1].toUpperCase()}`;
  /** @type {Record<string, string>} */
  const units = {};
  for (let at = 0; at < flat.length;) {
    found = matchAt(SPELLED_OUT, flat, at);
    const unit = found ? found[2][0].toUpperCase() : "";
    if (!found || unit in units) return null;
    units[unit] = found[1].replace(",", ".");
    at += found[0].length;
  }
  const said = (/** @type {string} */ letters) =>
    [...letters].map((unit) => (unit in units ? units[unit] + unit : "")).join("");
  const clock = said("HMS");
  return Object.keys(units).length ? `P${said("WD")}${clock ? "T" + clock : ""}` : null;
};
