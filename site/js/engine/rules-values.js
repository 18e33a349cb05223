// @ts-check
// Rules about single values. Each is the counterpart of the module of its name in waypost/validate/rules/, which documents it.

const WORKS = ["Article", "Recipe", "Review", "SocialMediaPosting", "Comment", "Question", "Answer"];
const TEXT = ["text"];
const CAPITALIZED = /^\p{Lu}/u;
/** @param {...string} names */
const named =
  (...names) =>
  () =>
    names;
/** @param {any} value */
const nameOf = (value) => (value instanceof Thing ? value.get("name") : value);
/** @param {any} value */
const personName = (value) => (value instanceof Thing && value.types.includes("Person") ? value.get("name") : null);

const JOINT = rx("g")`\s+(?:and|&|und|et|y|e|og|och|en)\s+|,\s+|;\s*|\s*/\s*`;
rule("author-name-is-a-list", {
  authority: "google",
  types: WORKS,
  properties: named("author"),
  *value(work, prop, index, value) {
    const name = value instanceof Thing && value.types.includes("Person") ? value.get("name") : value;
    if (typeof name !== "string" || size(name) > 300) return;
    if (words(name).length < 3 && !/[,;/]/.test(name)) return;
    const people = strip(name).split(JOINT).map(words);
    if (
      people.length > 1 &&
      people.every((each) => each.length >= 2 && each.length <= 4 && each.every((word) => CAPITALIZED.test(word)))
    ) {
      yield work.info(
        prop,
        `${quoted(name)} names ${people.length} authors`,
        "list each author as a value of its own",
        { index },
      );
    }
  },
});
const LEAD_IN = rx(
  "i",
)`^(?:(?:(?:written|posted|published|reviewed|recipe|words|story|text) by|by)(?: ?:|(?=\s))|aut(?:h?or|eur) ?:)\s*(?=\S)`;
rule("author-name-with-lead-in", {
  authority: "google",
  types: WORKS,
  properties: named("author"),
  *value(work, prop, index, value) {
    const name = nameOf(value);
    const found = typeof name === "string" && size(name) < 200 ? LEAD_IN.exec(strip(name)) : null;
    if (found) {
      yield work.warning(
        prop,
        `the author's name is written ${quoted(name)}`,
        `write ${clip(strip(name).slice(found[0].length))}`,
        { index },
      );
    }
  },
});
const TITLE = rx(
  "f",
)`(?:(?:Dr|Prof|Mr|Mrs|Ms|Sir|Chef)\.? |(?:Professor|Doctor) )\S.*|.*\S,? (?:MD|M\.D\.|PhD|Ph\.D\.|RD|MBA|Esq\.?)|.*\S, (?:[\w ]+ )?(?:[Ee]ditor|[Rr]eporter|[Ww]riter|[Cc]orrespondent|CEO)`;
rule("author-name-with-title", {
  authority: "google",
  types: WORKS,
  properties: named("author"),
  values: ["thing"],
  *value(work, prop, index, value) {
    const name = personName(value);
    if (typeof name === "string" && size(name) < 200 && TITLE.test(strip(name))) {
      yield work.info(
        prop,
        `the author's name ${quoted(name)} has a title or a job in it`,
        "give the name alone; honorificPrefix and jobTitle hold the rest",
        { index },
      );
    }
  },
});

/** @type {Record<string, string>} */
const TRUTHS = { yes: "true", y: "true", 1: "true", on: "true", no: "false", n: "false", 0: "false", off: "false" };
rule("boolean-invalid", {
  authority: "vocabulary",
  properties: (v) => v.kinds.boolean,
  *value(item, prop, index, value) {
    if (typeof value === "boolean" || value instanceof Thing) return;
    const text = strip(str(value));
    const name = typeof value === "string" ? bare(text) : text;
    if (name !== null && (name.toLowerCase() === "true" || name.toLowerCase() === "false")) return;
    const intended = Object.hasOwn(TRUTHS, text.toLowerCase()) ? TRUTHS[text.toLowerCase()] : null;
    yield item.warning(
      prop,
      `${quoted(text)} is neither true nor false`,
      intended ? `write ${intended}` : "write true or false",
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});
const NO_BOOLEANS = new Set([
  "image",
  "logo",
  "screenshot",
  "price",
  "lowPrice",
  "highPrice",
  "minPrice",
  "maxPrice",
  "ratingValue",
  "bestRating",
  "worstRating",
  "latitude",
  "longitude",
]);
rule("boolean-where-value-expected", {
  authority: "vocabulary",
  values: ["boolean"],
  *value(item, prop, index, value) {
    const { kinds, properties } = item.vocabulary;
    if (NO_BOOLEANS.has(prop) || kinds.url.has(prop) || kinds.number.has(prop) || kinds.integer.has(prop)) return;
    const ranges = properties.get(prop)?.r || [];
    if (!ranges.length || ranges.includes("Boolean")) return;
    yield item.warning(prop, `${prop} is ${value}`, "give the value, or leave the property out", { index });
  },
});

const SHOPS = new Set(["LocalBusiness", "LodgingBusiness"]);
rule("coordinate-imprecise", {
  authority: "google",
  properties: named("latitude"),
  *value(item, prop, index, value) {
    if (!number(value)) return;
    const places = size(partition(strip(str(value)), ".")[2]);
    if (places < 5 && linksOf(item.node).some(([holder]) => item.vocabulary.areA(holder.types, SHOPS))) {
      yield item.info(prop, `the latitude ${clip(str(value))} has ${places} decimal place${places === 1 ? "" : "s"}`, "give at least 5", {
        index,
      });
    }
  },
});
rule("coordinate-out-of-range", {
  authority: "vocabulary",
  properties: named("latitude", "longitude"),
  *value(item, prop, index, value) {
    if (value instanceof Thing) return;
    const degrees = number(value);
    if (!degrees) {
      const text = strip(str(value));
      const point = text.replace(",", ".");
      const intended = text.split(",").length === 2 && number(point) ? point : null;
      yield item.warning(
        prop,
        `${quoted(text)} is not a number of degrees`,
        intended ? `write ${intended}` : "write decimal degrees, with a point before the decimals",
        { index, edits: item.fixes(prop, intended, index) },
      );
      return;
    }
    const most = prop === "latitude" ? 90 : 180;
    if (degrees.abs.compare(Dec.of(String(most))) <= 0) return;
    const other = prop === "latitude" ? number(item.get("longitude")) : null;
    const isSwapped = other !== null && other.abs.compare(Dec.of("90")) <= 0;
    yield item.warning(
      prop,
      `the ${prop} is ${clip(str(value))}`,
      isSwapped ? "latitude and longitude seem to be swapped" : `it lies between -${most} and ${most}`,
      { index },
    );
  },
});

rule("country-not-a-code", {
  authority: "google",
  properties: named("addressCountry", "applicableCountry", "returnPolicyCountry"),
  *value(item, prop, index, value) {
    const text = nameOf(value);
    if (typeof text !== "string" || size(strip(text)) < 3) return;
    const { countryNames, longCodes } = item.context.tables;
    const name = strip(text);
    const code = countryNames.get(casefold(name)) || longCodes.get(name.toUpperCase());
    if (!code) return;
    yield item.info(prop, `the country is written ${quoted(name)}`, `write ${code}`, {
      index,
      edits: value instanceof Thing ? [] : item.fixes(prop, code, index),
    });
  },
});
rule("country-unknown", {
  authority: "vocabulary",
  values: TEXT,
  properties: named("addressCountry", "applicableCountry", "returnPolicyCountry", "eligibleRegion", "nationality", "ineligibleRegion", "regionsAllowed"),
  *value(item, prop, index, value) {
    const code = strip(value);
    const { countries, writtenFor } = item.context.tables;
    if (!/^[A-Za-z]{2}$/.test(code) || countries.has(code)) return;
    const upper = code.toUpperCase();
    const intended = countries.has(upper) ? upper : (writtenFor.get(upper) ?? null);
    yield item.warning(
      prop,
      `${quoted(code)} is not a country code`,
      intended ? `write ${intended}` : "take the two letters of ISO 3166-1",
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});
const DIGITAL = new Set(["BTC", "XBT", "ETH", "LTC", "XRP", "DOGE", "USDT", "USDC", "BCH", "ADA", "SOL"]);
const CURRENCY_CODE = /^[A-Z]{3}$/;
rule("currency-unknown", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: named("priceCurrency", "currency", "salaryCurrency", "currenciesAccepted"),
  *value(item, prop, index, value) {
    const { currencies, signs } = item.context.tables;
    const text = str(value), code = strip(text);
    if (currencies.has(code) || DIGITAL.has(code) || prop === "currenciesAccepted") return;
    if (CURRENCY_CODE.test(code) && offered("guessing").withdrawn(code)) return;
    const upper = code.toUpperCase();
    const intended = currencies.has(upper) ? upper : signs.get(code) || signs.get(code.toLowerCase()) || null;
    yield item.warning(
      prop,
      `${quoted(text)} is not a currency code`,
      intended ? `write ${intended}` : "write the three capital letters of ISO 4217",
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});
rule("currency-withdrawn", {
  authority: "vocabulary",
  values: TEXT,
  properties: named("priceCurrency", "currency", "salaryCurrency"),
  *value(item, prop, index, value) {
    const code = strip(value);
    if (item.context.tables.currencies.has(code) || !CURRENCY_CODE.test(code)) return;
    const gone = offered("guessing").withdrawn(code);
    if (!gone) return;
    const [year, now] = gone;
    const what = now ? `was replaced by ${now} in ${year}` : `has not been a currency since ${year}`;
    const hint = now ? `give the price in ${now}` : "give the price in a currency of today";
    yield item.warning(prop, `${quoted(value)} ${what}`, hint, { index });
  },
});

/** @param {Vocabulary} v */
const datesAndTimes = (v) => [...v.kinds.date, ...v.kinds.time];
const DATE_RULE = { properties: datesAndTimes, values: TEXT, unless: isPlainDate };
const TIMES_ALONE = new Set(["opens", "closes", "cutoffTime"]);
/** Note of a readable date or time -> what it is. @type {Record<string, string>} */
const UNCOMMON = {
  basic: "a date without hyphens",
  space: "a date and a time with a space between them",
  "clock-basic": "a time without colons",
  comma: "a time with a comma before its fraction",
  minus: "a time whose offset has a minus sign in place of a hyphen",
};
rule("date-form-uncommon", {
  ...DATE_RULE,
  authority: "waypost",
  *value(item, prop, index, value) {
    const isTime = TIMES_ALONE.has(prop);
    /** @type {any} */
    const found = isTime ? readTime(value) : readDate(value);
    if (isSlip(found)) return;
    const ofForm = found.form === "week" ? "a week date" : found.form === "ordinal" ? "the number of a day" : null;
    const note = Object.keys(UNCOMMON).find((each) => found.notes.includes(each));
    const what = ofForm || (note && UNCOMMON[note]);
    if (!what) return;
    const isWeek = found.form === "week" && isoDay(found.first) !== isoDay(found.last);
    const right = isWeek ? null : offered("guessing").normalForm(value, isTime);
    yield item.warning(prop, `${quoted(value)} is ${what}`, right ? `write ${right}` : "write the day as YYYY-MM-DD", {
      index,
      edits: item.fixes(prop, right, index),
    });
  },
});
rule("date-invalid", {
  ...DATE_RULE,
  values: ["text", "number"],
  authority: "vocabulary",
  *value(item, prop, index, value) {
    if (value instanceof Num) {
      const exactly = value.dec;
      if (exactly.isWhole && exactly.compare(Dec.of("1000")) >= 0 && exactly.compare(Dec.of("2999")) <= 0) return;
    }
    const text = str(value);
    const found = readDate(text);
    if (!isSlip(found) || found.error !== "form" || TIMES_ALONE.has(prop)) return;
    const guessing = offered("guessing");
    if (item.vocabulary.kinds.time.has(prop)) {
      const clock = readTime(text);
      if (!("error" in clock) || clock.error !== "form" || guessing.time(text) || guessing.twoTimes(text) || guessing.isClosed(text)) return;
    }
    if (
      text.includes("/") &&
      [partition(text, "/")[0], partition(text, "/")[2]].every((part) => !isSlip(readDate(part)))
    )
      return;
    const intended = guessing.date(text, item.context.page.language);
    const since = intended ? null : guessing.epoch(text), right = intended || since;
    yield item.warning(
      prop,
      `${quoted(text)} is not an ISO 8601 date`,
      right ? `write ${right}` : guessing.dateAdvice(text),
      { index, edits: item.fixes(prop, right, index), safe: since === null },
    );
  },
});
const NO_DATES = new Set(["1970-01-01", "0001-01-01", "1900-01-01", "1969-12-31"]);
rule("date-is-a-placeholder", {
  authority: "waypost",
  values: TEXT,
  properties: named(
    "datePublished",
    "dateModified",
    "dateCreated",
    "uploadDate",
    "datePosted",
    "validThrough",
    "validFrom",
    "priceValidUntil",
    "expires",
    "startDate",
    "endDate",
    "availabilityStarts",
    "availabilityEnds",
  ),
  *value(item, prop, index, value) {
    const found = NO_DATES.has(strip(value).slice(0, 10)) ? momentOf(value) : null;
    if (!found) return;
    const hour = (found.first / HOUR) % 24n;
    if (hour !== 0n && hour !== 23n && found.form !== "date") return;
    if (found.form === "date" && ["startDate", "endDate", "datePublished", "dateCreated"].includes(prop)) return; // a work or an event may well be of that day
    yield item.warning(prop, `${quoted(value)} is what software prints for no date`, "give the date, or leave it out", {
      index,
    });
  },
});
rule("date-is-an-interval", {
  ...DATE_RULE,
  authority: "vocabulary",
  *value(item, prop, index, value) {
    const [start, slash, end] = partition(strip(value), "/");
    if (!slash || isSlip(readDate(start)) || (strip(end) !== ".." && isSlip(readDate(end)))) return;
    yield item.warning(
      prop,
      `${prop} has two dates in it, ${quoted(value)}`,
      `write ${clip(strip(start))} here, and the last day in the property for the end`,
      { index },
    );
  },
});
rule("date-not-in-calendar", {
  ...DATE_RULE,
  authority: "vocabulary",
  *value(item, prop, index, value) {
    const found = readDate(value);
    if (isSlip(found) && found.error === "calendar") {
      yield item.warning(
        prop,
        `${quoted(value)} is not in the calendar: ${found.detail}`,
        "correct it, or leave the property out",
        { index },
      );
    }
  },
});
rule("date-without-offset", {
  ...DATE_RULE,
  properties: (v) => v.kinds.date,
  authority: "google",
  *value(item, prop, index, value) {
    const found = readDate(value);
    if (!isSlip(found) && found.form === "datetime" && !found.zoned) {
      const isIssue = prop === "uploadDate" || (/^date(?:Published|Modified)$/.test(prop) && item.isA("Article"));
      yield item.newDraft(
        isIssue ? "warning" : "info",
        prop,
        `${quoted(value)} has a time but no time zone`,
        `write ${clip(offered("guessing").normalForm(value, false))}Z if the time is in UTC, else its offset from UTC behind it`,
        { index },
      );
    }
  },
});
rule("duration-empty", {
  authority: "waypost",
  values: TEXT,
  properties: named("totalTime", "duration", "timeRequired"),
  *value(item, prop, index, value) {
    if (readDuration(value)?.isEmpty)
      yield item.warning(prop, `${prop} is zero (${clip(value)})`, "give the time, or leave it out", { index });
  },
});
const MEDIA = ["MediaObject", "Movie", "Episode", "Clip", "MusicRecording"];
rule("duration-in-months", {
  authority: "waypost",
  values: TEXT,
  properties: named("cookTime", "prepTime", "totalTime", "performTime", "duration"),
  *value(item, prop, index, value) {
    const found = readDuration(value);
    if (!found?.months || !item.isA(...(prop === "duration" ? MEDIA : ["Recipe"]))) return;
    const text = strip(value), [, months] = /^P([0-9]{1,4})M$/.exec(text) || [];
    const intended = months ? `PT${months}M` : null;
    const written = clip(text), what = months ? months + " months" : "a time of months or years";
    yield item.warning(prop, `${quoted(text)} is ${what}`, intended ? `write ${intended} for ${months} minutes` : `put a T before the hours, minutes and seconds of ${written}`, {
      index,
      edits: item.fixes(prop, intended, index),
      safe: Number(months) >= 5,
    });
  },
});
rule("duration-invalid", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: (v) => v.kinds.duration,
  *value(item, prop, index, value) {
    const text = str(value);
    if (readDuration(text) || item.isA("MusicRelease", "QuantitativeValue")) return;
    const [first, slash, second] = partition(text, "/");
    if (slash && readDuration(first) && readDuration(second)) return; // schema.org's own pages show a range so
    let intended = typeof value === "string" ? offered("guessing").duration(value) : null;
    if (intended === null && readDuration(text.toUpperCase())) intended = strip(text).toUpperCase();
    yield item.warning(
      prop,
      `${quoted(text)} is not an ISO 8601 duration`,
      intended ? `write ${intended}` : offered("guessing").readings(text),
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});
/** @param {Vocabulary} v */
const enumerated = (v) => [...v.kinds.enumeration, "suitableForDiet"];
rule("enumeration-value-misspelled", {
  authority: "vocabulary",
  values: TEXT,
  properties: enumerated,
  *value(item, prop, index, value) {
    const member = intendedMember(item.vocabulary, prop, value);
    if (member === null) return;
    const right = `https://schema.org/${member}`;
    yield item.newDraft(
      READ_BY_GOOGLE.has(prop) ? "warning" : "info",
      prop,
      `${quoted(value)} is not how ${member} is written`,
      `write ${right}`,
      { index, edits: item.fixes(prop, right, index) },
    );
  },
});
rule("enumeration-value-unknown", {
  authority: "vocabulary",
  properties: enumerated,
  *value(item, prop, index, value) {
    const text = value instanceof Thing && value.reference ? value.id : value;
    const name = typeof text === "string" ? bare(strip(text)) : null;
    if (typeof text !== "string" || name === null) return;
    const { members } = enumeration(item.vocabulary, prop);
    if (!members.size || isMember(item.vocabulary, prop, name) || intendedMember(item.vocabulary, prop, text) !== null)
      return;
    const displayed = members.size <= 12 ? joinWords([...members].sort(), "or") : `one of ${members.size} members`;
    yield item.newDraft(
      READ_BY_GOOGLE.has(prop) || strip(text) !== name ? "warning" : "info",
      prop,
      `${quoted(text)} is not a value of ${prop}`,
      `${prop} takes ${displayed}`,
      { index },
    );
  },
});

const GTINS = named("gtin", "gtin8", "gtin12", "gtin13", "gtin14");
/** @param {any} value */
const digitsOf = (value) => strip(str(value)).replace(/[- ]/g, "");
rule("gtin-check-digit", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: GTINS,
  *value(item, prop, index, value) {
    const digits = digitsOf(value);
    if (!isDigits(digits) || ![8, 12, 13, 14].includes(digits.length)) return;
    const right = gs1CheckDigit(digits.slice(0, -1)),
      last = digits.slice(-1);
    if (Number(last) !== right) {
      yield item.warning(
        prop,
        `the digits of ${quoted(str(value))} do not fit together: the last should be ${right}`,
        "compare the number with the one below the bar code",
        { index },
      );
    }
  },
});
rule("gtin-length", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: GTINS,
  *value(item, prop, index, value) {
    const text = strip(str(value));
    if (prop === "gtin" && text.includes("/")) return;
    const lengths = prop === "gtin" ? [8, 12, 13, 14] : [Number(prop.slice(4))];
    const digits = digitsOf(value);
    if (!isDigits(digits))
      yield item.warning(prop, `${quoted(text)} is not a GTIN`, "write digits only", { index });
    else if (!lengths.includes(digits.length)) {
      const intended =
        typeof value === "string"
          ? `${prop} takes ${joinWords(lengths.map(String), "or")} digits`
          : "write it as a string, with its leading zeros";
      yield item.warning(prop, `${quoted(text)} has ${digits.length} digits`, intended, { index });
    }
  },
});
const PICTURE = [
  "url",
  "contentUrl",
  "thumbnailUrl",
  "embedUrl",
  "thumbnail",
  "mainEntity",
  "image",
  "associatedMedia",
];
const FILE_ENDING = rx()`\.[\w]{2,5}\n?\Z`;
rule("image-value-unreadable", {
  authority: "google",
  properties: named("image", "logo", "screenshot"),
  unless: isPlainAddress,
  *value(item, prop, index, value) {
    const hint = "give the picture's address";
    if (value instanceof Thing) {
      if (value.foreign || value.reference || PICTURE.some((each) => value.props.has(each))) return;
      if (value.id && /^https?:/.test(value.id) && !value.id.includes("#")) return;
      yield item.warning(prop, `the ${prop} has neither url nor contentUrl`, "give the picture's address as url", {
        index,
      });
    } else if (typeof value !== "string")
      yield item.warning(prop, `the ${prop} is ${clip(str(value)).toLowerCase()}, not a URL`, hint, { index });
    else {
      const text = strip(value);
      const isWords =
        text.startsWith("<") || (!/[/:?#]/.test(text) && !FILE_ENDING.test([...text.slice(-12)].slice(-6).join("")));
      if (isWords) yield item.warning(prop, `the ${prop} ${quoted(value)} is not a URL`, hint, { index });
    }
  },
});
rule("in-language-invalid", {
  authority: "vocabulary",
  values: TEXT,
  properties: named("inLanguage", "availableLanguage", "knowsLanguage"),
  *value(item, prop, index, value) {
    const text = strip(value);
    if (isLanguageTag(text) || (prop !== "inLanguage" && !text.includes("_"))) return;
    const right = text.replaceAll("_", "-");
    const intended = right !== text && isLanguageTag(right) ? right : null;
    yield item.warning(
      prop,
      `${quoted(text)} is not a language tag`,
      intended ? `write ${intended}` : "write a language tag (BCP 47)",
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});
rule("isbn-invalid", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: named("isbn"),
  *value(item, prop, index, value) {
    const text = strip(str(value));
    const code = lstripOf(withoutPrefix(withoutPrefix(text, "urn:isbn:"), "ISBN"), ": ")
      .replace(/[ \-‐‑–]/g, "")
      .toUpperCase();
    if (!/^[0-9]+[0-9X]$/.test(code) || ![10, 13].includes(code.length)) {
      yield item.warning(prop, `${quoted(text)} is not an ISBN`, "write its 13 digits (or 10, before 2007)", { index });
      return;
    }
    const right = code.length === 13 ? String(gs1CheckDigit(code.slice(0, -1))) : mod11CheckDigit(code.slice(0, -1));
    if (code.slice(-1) !== right) {
      yield item.warning(
        prop,
        `the digits of ${quoted(text)} do not fit together: the last should be ${right}`,
        "compare it with the book",
        { index },
      );
    }
  },
});
rule("issn-invalid", {
  authority: "vocabulary",
  values: TEXT,
  properties: named("issn"),
  *value(item, prop, index, value) {
    const code = lstripOf(withoutPrefix(strip(value), "ISSN"), ": ")
      .replace(/[- ]/g, "")
      .toUpperCase();
    if (!/^[0-9]{7}[\0-\x7f]$/.test(code))
      yield item.warning(prop, `${quoted(value)} is not an ISSN`, "write four digits, a hyphen and four digits", { index });
    else if (code[7] !== mod11CheckDigit(code.slice(0, 7))) {
      yield item.warning(
        prop,
        `the digits of ${quoted(value)} do not fit together: the last should be ${mod11CheckDigit(code.slice(0, 7))}`,
        "compare it with the periodical",
        { index },
      );
    }
  },
});
const NUTRIENTS = [
  "calories",
  "carbohydrateContent",
  "cholesterolContent",
  "fatContent",
  "fiberContent",
  "proteinContent",
  "saturatedFatContent",
  "sodiumContent",
  "sugarContent",
  "transFatContent",
  "unsaturatedFatContent",
];
const EVENT = new Set(["Event"]);
rule("offer-expired", {
  authority: "google",
  types: ["Offer"],
  properties: named("priceValidUntil", "validThrough"),
  *value(offer, prop, index, value) {
    const found = momentOf(value);
    if (!found || !isPast(found, offer.context.now)) return;
    if (linksOf(offer.node).some(([holder]) => offer.vocabulary.areA(holder.types, EVENT))) return;
    yield offer.warning(
      prop,
      `the price was valid until ${clip(value)}, which is past`,
      "give a new date, or leave it out",
      { index },
    );
  },
});
rule("offset-without-colon", {
  ...DATE_RULE,
  authority: "vocabulary",
  *value(item, prop, index, value) {
    const found = readDate(value);
    if (isSlip(found) || found.form === "week" || found.form === "ordinal" || found.notes.some((note) => note in UNCOMMON)) return;
    if (!found.notes.includes("offset-basic") && !found.notes.includes("offset-short")) return;
    const right = offered("guessing").normalForm(value, false);
    yield item.warning(prop, `the offset in ${quoted(value)} has no colon`, `write ${right}`, {
        index,
        edits: item.fixes(prop, right, index),
      });
  },
});

const PLACEHOLDERS = new Set([
  "undefined",
  "null",
  "nan",
  "[object object]",
  "tbd",
  "fixme",
  "xxx",
  "(null)",
  "none none",
  "n/a",
  "%s",
  "%d",
  "%1$s",
]);
const MARKS_ALONE = /^[[\]{}().,;:\-_/\\|<>"'*#–—]{1,6}$/;
const LEFT_OVER = rx("i")`${UNFILLED.source}|^lorem ipsum(?![\w])|/undefined(?:/|\Z)|^TODO:`;
/** Is it no placeholder? @param {any} value */
const isFilledIn = (value) => {
  if (typeof value !== "string") return true;
  return !isPlaceholder(value) && !(size(value) <= 80 && MAY_BE_SAMPLE.test(value));
};
/** @param {string} value */
const isPlaceholder = (value) => {
  if (value.length < 40 && size(value) < 20) {
    const low = strip(value).toLowerCase();
    // "Todo" is Spanish for everything, and the name of many an app.
    if (strip(value) === "TODO" || PLACEHOLDERS.has(low) || (low.length <= 6 && MARKS_ALONE.test(low)) || EMPTY_LIST.test(low)) return true;
  }
  const start = head(value, 300);
  if (!/[{%<[]|\/undefined/.test(start) && !["lorem", "Lorem", "LOREM", "todo:", "TODO:"].includes(start.slice(0, 5)))
    return false;
  return LEFT_OVER.test(start);
};
const SAMPLE_FIELD =
  "(?:street|postal|mailing|address|city|town|state|province|region|zip|postcode|code|country|phone|telephone|mobile" +
  "|number|e-?mail|company|business|organi[sz]ation|brand|store|shop|web ?site|site|web|page|blog|domain|url|link|logo" +
  "|image|photo|picture|name|title|headline|description|tagline|slogan|text|content|product|author|first|last|full|line)";
const YOURS = `your (?:${SAMPLE_FIELD} ?){1,4}(?:here)?`;
const SAMPLE = new RegExp(
  `^(?:${YOURS}|(?:insert|enter|add|type|put|write) (?:your |the |an? )?(?:${SAMPLE_FIELD} ?){1,4}(?:here)?|${SAMPLE_FIELD} here` +
    "|(?:my|the )?(?:company|business|organi[sz]ation|brand|store|shop|web ?site|site|blog|author|product|event|recipe" +
    "|page|post|article) (?:name|title)|first ?name last ?name|just another wordpress site)$",
  "i",
);
const SAMPLE_OF_ADDRESS = new RegExp(
  `^(?:(?:[0-9]{1,5} )?(?:${YOURS}|any ?(?:town|city|street|state)|street name|street address|address line ?[12]?|city` +
    "|state|province|zip(?: ?code)?|postal code|postcode|country|city name|state zip(?: ?code)?)(?: [0-9]{5})?)$",
  "i",
);
const SAMPLE_HOST =
  /^(?:(?:(?:https?:)?\/\/|[^@ /]{0,60}@)?(?:www\.)?(?:your-?(?:domain|web-?site|site|company|business|store|shop|blog|brand)(?:-?(?:name|here|url))?\.[a-z.]{2,10})(?:[/:?#]|$)|your(?:[._-]?(?:name|e-?mail|address))?@)/i;
const SAMPLE_DIGITS = new Set(["1234567890", "0123456789", "123456789", "5555555555", "0000000000"]);
const MAY_BE_SAMPLE = new RegExp(
  `your|any ?(?:town|city|street|state)|${SAMPLE_FIELD}(?:[^a-z0-9_]|$)|wordpress|1.?2.?3.*4.?5.?6|5.?5.?5.*5.?5.?5|0.?0.?0.*0.?0.?0`,
  "i",
);
const SAMPLE_ADDRESSES = new Set(["streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry", "address"]);
const SAMPLE_LINKS = new Set(["url", "image", "logo", "thumbnailUrl", "contentUrl", "email"]);
const SAMPLE_NAMES = new Set(
  ["name", "legalName", "alternateName", "headline", "title", "description", "author", "publisher", "brand", "telephone"],
);
/** Is a text what a template shows in an empty field? @param {string} prop @param {string} value */
const isSample = (prop, value) => {
  const text = words(value.replaceAll("_", " ").replace(/^[ .!*[\]<>{}()]+|[ .!*[\]<>{}()]+$/g, "")).join(" ");
  if (SAMPLE_ADDRESSES.has(prop)) return text.split(",").some((part) => SAMPLE_OF_ADDRESS.test(strip(part)));
  if (SAMPLE_LINKS.has(prop) && SAMPLE_HOST.test(strip(value))) return true;
  if (prop === "telephone" && !/\p{L}/u.test(text)) {
    const digits = text.replace(/[^0-9]/g, "");
    return SAMPLE_DIGITS.has(digits) || (digits.length === 11 && SAMPLE_DIGITS.has(digits.slice(1)));
  }
  return (SAMPLE_NAMES.has(prop) || SAMPLE_LINKS.has(prop)) && SAMPLE.test(text);
};
const PLACED = new Set(["url", "image", "logo", "thumbnailUrl", "contentUrl"]);
const HOLDERS_OF_NAMES = ["Organization", "Person", "Place", "Brand", "WebSite", "PostalAddress", "ContactPoint", "Product"];
/** Are the marks of a template only a part of the value? @param {Item} item @param {string} text */
const isAboutCode = (item, text) => {
  const found = LEFT_OVER.exec(head(text, 300));
  if (!found || !/^(?:[{<$%]|\[[^o])/i.test(found[0]) || found[0] === text) return false;
  return size(text) > 200 || ["Comment", "SocialMediaPosting", "Question"].some((name) => item.isA(name));
};
rule("placeholder-value", {
  authority: "waypost",
  values: TEXT,
  unless: isFilledIn,
  properties: named(
    "name",
    "headline",
    "title",
    "description",
    "url",
    "image",
    "logo",
    "author",
    "publisher",
    "brand",
    "sku",
    "price",
    "alternateName",
    "legalName",
    "streetAddress",
    "addressLocality",
    "addressRegion",
    "postalCode",
    "addressCountry",
    "address",
    "telephone",
    "email",
    "thumbnailUrl",
    "contentUrl",
    "text",
    "keywords",
    "articleSection",
    "priceCurrency",
    "datePublished",
    "recipeYield",
    "recipeCategory",
    "recipeCuisine",
    "recipeIngredient",
    "recipeInstructions",
    "openingHours",
  ),
  *value(item, prop, index, value) {
    const text = strip(value);
    if (isPlaceholder(value)) {
      if ((prop === "url" && text === "/") || (PLACED.has(prop) && text.startsWith("//")) || isAboutCode(item, text)) return;
    } else if (!isSample(prop, text) || !(item.isA(...HOLDERS_OF_NAMES) || text.toLowerCase().endsWith("here"))) return;
    yield item.warning(prop, `${quoted(value)} is a placeholder`, "check the template or script that should fill it in, or leave the property out", { index });
  },
});

/** A number or an object with one, by the vocabulary. */
const NUMBER_OR_OBJECT =
  "amount annualPercentageRate broadcastFrequencyValue doseValue downPayment endOffset exchangeRateSpread interestRate membershipPointsEarned monthlyMinimumRepaymentAmount numberOfAxles numberOfBathroomsTotal numberOfBedrooms numberOfDoors numberOfForwardGears numberOfPreviousOwners numberOfRooms orderQuantity repetitions seatingCapacity startOffset vehicleSeatingCapacity value".split(
    " ",
  );
/** A scalar as a message shows it. @param {any} value */
const shownScalar = (value) => (typeof value === "boolean" ? String(value) : str(value));
/** Is it an amount by its type or, without a type, by the property that holds it? @param {Item} item */
const isAmountItem = (item) => {
  if (item.node.types.length && !item.isA("StructuredValue")) return false;
  if (item.isA("MonetaryAmount", "QuantitativeValue")) return true;
  const { properties } = item.vocabulary;
  return linksOf(item.node).some(([holder, via]) =>
    via === "value" ? item.vocabulary.areA(holder.types, AMOUNTS) : !item.node.types.length && (properties.get(via)?.r || []).some((/** @type {string} */ name) => AMOUNTS.has(name)),
  );
};
const AMOUNTS = new Set(["MonetaryAmount", "QuantitativeValue"]);
rule("number-invalid", {
  authority: "vocabulary",
  values: ["text", "number", "boolean"],
  properties: ({ kinds }) => [...kinds.number, ...NUMBER_OR_OBJECT],
  *value(item, prop, index, value) {
    if (number(value)) return;
    const isAmount = isAmountItem(item);
    if (prop === "value" && (!isAmount || item.isA("PropertyValue"))) return;
    const text = shownScalar(value), guessing = offered("guessing");
    let { hint, number: intended, apart } = guessing.number(text, `${prop} takes a number alone, with a point before its decimals`);
    if (isAmount && ["value", "minValue", "maxValue"].includes(prop)) {
      const range = guessing.range(text);
      if (range && !intended) hint = `write ${range[0]} as minValue and ${range[1]} as maxValue`;
      else if (apart) hint += item.isA("MonetaryAmount") ? "; currency has the currency" : "; unitText has the unit";
    }
    if (apart) intended = null;
    yield item.warning(prop, `${quoted(text)} is not a number`, hint, { index, edits: item.fixes(prop, intended, index) });
  },
});
const TRAIL = new Set(["BreadcrumbList"]);
const LARGEST_EXACT = Dec.of("9007199254740991");
/** @param {Dec} count */
const isInexact = (count) => count.abs.compare(LARGEST_EXACT) > 0;
/** @param {Item} item @param {string} prop @param {number} index @param {any} value */
const tooLargeCount = (item, prop, index, value) =>
  item.info(prop, `${quoted(str(value))} is above 9007199254740991`, "write the right count: programs that read numbers as doubles change its last digits", { index });
rule("number-loses-digits", {
  authority: "waypost",
  values: ["number"],
  *value(item, prop, index, value) {
    if (!value.whole || !isInexact(value.dec)) return;
    const ranges = item.vocabulary.properties.get(prop)?.r || [];
    const isNumber = ranges.some((/** @type {string} */ name) => name === "Number" || name === "Integer" || name === "Float");
    if (isNumber && !(prop === "value" && item.isA("PropertyValue"))) return;
    const text = str(value);
    yield item.warning(prop, `${clip(text)} changes its last digits where it is read as a double`, `write "${clip(text)}", in quotes`, {
      index,
      edits: item.fixes(prop, text, index),
    });
  },
});
rule("integer-expected", {
  authority: "vocabulary",
  values: ["text", "number", "boolean"],
  properties: ({ kinds }) => [
    ...[...kinds.integer].filter((name) => name !== "ratingCount" && name !== "reviewCount" && name !== "numberOfBathroomsTotal"),
    "merchantReturnDays", "position", "numAdults", "numChildren", "numberOfCredits", "partySize", "typicalCreditsPerTerm",
  ],
  *value(item, prop, index, value) {
    const count = number(value);
    if (count?.isWhole) {
      if (isInexact(count) && (prop !== "position" || item.isA("ListItem"))) yield tooLargeCount(item, prop, index, value);
      return;
    }
    const text = shownScalar(value);
    if (prop === "merchantReturnDays" && !isSlip(readDate(text))) return;
    if (prop === "position" && (!item.isA("ListItem") || linksOf(item.node).some(([holder]) => item.vocabulary.areA(holder.types, TRAIL)))) return;
    const { hint, number: intended, apart } = offered("guessing").number(text, `${prop} takes digits only`, true);
    yield item.warning(prop, `${quoted(text)} is not a whole number`, hint, { index, edits: item.fixes(prop, intended, index), safe: !apart });
  },
});

const PRICE_PROPERTIES = named("price", "lowPrice", "highPrice", "minPrice", "maxPrice");
/** As Python's truth: zero, false, and nothing are not. @param {any} value */
const isTrue = (value) => (value instanceof Num ? !value.dec.isZero : !!value);
/** Code of a sign or code of a currency; null where several use the sign. @param {any} tables @param {string} mark */
const codeOfMark = ({ currencies, signs }, mark) => (currencies.has(mark) ? mark : signs.get(mark) || signs.get(mark.toLowerCase()) || null);
const MORE_DECIMALS = new Set("BHD IQD JOD KWD LYD OMR TND CLF UYW".split(" "));
const NO_DECIMALS = new Set("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" "));
const THREE_DECIMALS = /^([1-9][0-9]{0,2})\.([0-9]{3})$/;
/** Code of the currency of a price, or of a MonetaryAmount or the object that holds its value. @param {Item} item @param {string} name */
const currencyOf = ({ node: start }, name) => {
  for (let node = start, steps = 0; node && steps < 2; node = /** @type {Thing} */ (node.parent), steps++) {
    const code = node.get(name) ?? node.get("salaryCurrency");
    if (typeof code === "string") return strip(code);
  }
  return null;
};
rule("price-ambiguous", {
  authority: "vocabulary",
  values: ["text", "number"],
  properties: named("price", "lowPrice", "highPrice", "minPrice", "maxPrice", "value", "minValue", "maxValue"),
  *value(item, prop, index, value) {
    const text = strip(str(value)), found = str(value).length < 12 && THREE_DECIMALS.exec(text);
    if (!found) return;
    const code = currencyOf(item, /Value$|^value/.test(prop) ? "currency" : "priceCurrency");
    if (!code || !item.context.tables.currencies.has(code) || MORE_DECIMALS.has(code)) return;
    if (item.isA("PriceSpecification", "Offer") && ["referenceQuantity", "unitCode", "unitText", "eligibleQuantity"].some((name) => item.has(name))) return;
    const [, whole, decimals] = found, thousands = whole + decimals;
    const read = `${whole}.${decimals.replace(/0+$/, "")}`.replace(/\.$/, "");
    const hint = NO_DECIMALS.has(code)
      ? `${code} has no decimals: write ${thousands}` + (decimals === "000" ? ` or ${whole}` : "")
      : decimals.endsWith("0")
        ? `write ${thousands} or ${whole}.${decimals.slice(0, 2)}, whichever is meant`
        : `write ${thousands} if that is the price, or round it to two decimals`;
    yield item.warning(prop, `${repr(text)} can be read as ${read} or ${thousands} ${code}; consumers read ${read}`, hint, { index });
  },
});
rule("price-invalid", {
  authority: "google",
  properties: PRICE_PROPERTIES,
  *value(item, prop, index, value) {
    if (value instanceof Thing || number(value)) return;
    const text = shownScalar(value), guessing = offered("guessing");
    let intended = guessing.price(text), safe = true;
    let hint = intended ? `write ${intended}` : guessing.number(text, "write digits alone, with a point before the cents").hint;
    const mark = intended && guessing.priceCurrency(text);
    if (mark) {
      const code = codeOfMark(item.context.tables, mark), given = item.text("priceCurrency");
      if (given === null) [hint, safe] = [`${hint}, and ${code || "the currency"} as priceCurrency`, false];
      else if (code !== given && (code || CURRENCY_CODE.test(mark)))
        [hint, intended] = [`${hint} if ${given} is the currency, else give ${code || mark} as priceCurrency`, null];
    }
    yield item.warning(prop, `${quoted(text)} is not a plain number`, hint, { index, edits: item.fixes(prop, intended, index), safe });
  },
});
rule("rating-count-invalid", {
  authority: "google",
  types: ["AggregateRating"],
  properties: named("ratingCount", "reviewCount"),
  *value(item, prop, index, value) {
    if (value instanceof Thing) return;
    const count = number(value);
    if (count && (!count.negative || count.isZero) && count.isWhole) {
      if (isInexact(count)) yield tooLargeCount(item, prop, index, value);
      return;
    }
    const text = typeof value === "boolean" ? String(value) : words(str(value)).join(" ");
    let { hint, number: intended, apart } = offered("guessing").number(text, "write a whole number, without separators or words", true);
    if (intended?.startsWith("-")) [hint, intended] = ["write how many there are, or leave the rating out", null];
    yield item.warning(prop, `${quoted(text)} is not a count`, hint, { index, edits: item.fixes(prop, intended, index), safe: !apart });
  },
});
const STARS = new Set(["aggregateRating", "reviewRating", "starRating"]);
const OUT_OF = /^([0-9]{1,4}(?:[.,][0-9]{1,9})?) ?(?:\/|out of|of|von|sur|de|av|af|van|su) ?([0-9]{1,4})(?: ?stars?)?$/;
rule("rating-not-a-number", {
  authority: "google",
  types: ["Rating", "AggregateRating"],
  properties: named("ratingValue", "bestRating", "worstRating"),
  *value(item, prop, index, value) {
    if (value instanceof Thing || number(value) || (prop === "ratingValue" && rating(value))) return;
    const text = typeof value === "boolean" ? String(value) : strip(str(value));
    const [, given, best] = OUT_OF.exec(text) || [];
    const fraction = best && prop === "ratingValue" ? `${given}/${best}`.replace(",", ".") : null;
    const found = fraction
      ? { hint: `write ${fraction}`, number: fraction, apart: false }
      : offered("guessing").number(text, "write the number alone, with a point before its decimals");
    const intended = found.apart ? null : found.number;
    const holders = linksOf(item.node);
    if (holders.length && !holders.some(([, via]) => STARS.has(via)) && !intended) return;
    yield item.warning(prop, `${quoted(text)} is not a number`, found.hint, { index, edits: item.fixes(prop, intended, index) });
  },
});
rule("telephone-without-country-code", {
  authority: "google",
  values: TEXT,
  properties: named("telephone"),
  *value(item, prop, index, value) {
    if (countDigits(value) < 7) return;
    const dialled = lstripOf(withoutPrefix(strip(value), "tel:"), "( ");
    if (!/^(?:\+|00)/.test(dialled) && !(dialled.startsWith("1") && countDigits(dialled) === 11)) {
      yield item.info(prop, `${quoted(value)} has no country code`, "write a plus sign and the country code in front of it", { index });
    }
  },
});
rule("thing-where-value-expected", {
  authority: "vocabulary",
  values: ["thing"],
  properties: ({ kinds }) => [
    ...kinds.date,
    ...kinds.time,
    ...kinds.number,
    ...kinds.integer,
    ...kinds.boolean,
    ...kinds.url,
    "price",
    "lowPrice",
    "highPrice",
    "ratingValue",
    "bestRating",
    "worstRating",
    "latitude",
    "longitude",
  ],
  *value(item, prop, index, value) {
    const { vocabulary } = item;
    if (value.foreign || (value.id && (vocabulary.kinds.url.has(prop) || value.reference))) return;
    if (
      value.types.some((/** @type {string} */ name) => vocabulary.isA(name, "Role")) ||
      value.types.includes("PropertyValueSpecification")
    )
      return;
    const known = vocabulary.properties.get(prop);
    const what = value.types.length ? `an object of type ${value.types.join(" and ")}` : "an object";
    yield item.warning(
      prop,
      `${prop} holds ${what}`,
      `${prop} takes ${known ? known.r.join(" or ") : "a plain value"}: give the value itself`,
      { index },
    );
  },
});
/** @type {Record<string, [string, string]>} */
const PAIRS_OF_TIMES = { opens: ["opens", "closes"], closes: ["opens", "closes"], startTime: ["startTime", "endTime"], endTime: ["startTime", "endTime"] };
const LIKE_AN_OFFSET = /^\d\d:\d\d-(\d\d):\d\d$/;
/** Are both times times of the day? 09:00-05:00 may be a time five hours behind UTC. @param {Item} item @param {string} prop @param {string} text */
const areTwo = (item, prop, text) => {
  const found = LIKE_AN_OFFSET.exec(strip(text));
  if (!found || Number(found[1]) > 11) return true;
  const [first, second] = PAIRS_OF_TIMES[prop] || [prop, prop];
  const other = item.text(prop === first ? second : first);
  return first !== second && (other === null || other === strip(text));
};
/** @type {Record<string, string>} */
const RANGES_OF_TIMES = {
  form: "write hours and minutes as hh:mm, in 24 hours",
  clock: "hours go to 23, minutes and seconds to 59",
  offset: "an offset from UTC lies between -12:00 and +14:00",
};
rule("time-invalid", {
  ...DATE_RULE,
  values: ["text", "number"],
  authority: "vocabulary",
  properties: (v) => [...datesAndTimes(v), ...TIMES_ALONE],
  *value(item, prop, index, value) {
    if (typeof value !== "string" && !TIMES_ALONE.has(prop)) return;
    const text = str(value), isDate = item.vocabulary.kinds.date.has(prop), guessing = offered("guessing");
    const times = isDate ? null : guessing.twoTimes(text);
    if (times && areTwo(item, prop, text)) {
      const [first, second] = PAIRS_OF_TIMES[prop] || [];
      const hint = first ? `write ${times[0]} as ${first} and ${times[1]} as ${second}` : `write ${times[0]} or ${times[1]}`;
      yield item.warning(prop, `${prop} has two times in it, ${quoted(text)}`, hint, { index });
      return;
    }
    /** @type {any} */
    let found = readDate(text);
    let intended = null, hint = null;
    if (TIMES_ALONE.has(prop) || (isSlip(found) && found.error === "form" && !isDate)) {
      found = readTime(text);
      if (!isSlip(found)) return;
      intended = guessing.time(text);
      if (guessing.isClosed(text)) hint = "write 00:00 as opens and as closes for a day without opening hours";
      if (found.error === "form" && !TIMES_ALONE.has(prop) && !intended && !hint) return;
    } else if (!isSlip(found) || found.error === "form" || found.error === "calendar") return;
    yield item.warning(
      prop,
      `${quoted(text)} is not a time: ${found.detail}`,
      intended ? `write ${intended}` : hint || RANGES_OF_TIMES[found.error],
      { index, edits: item.fixes(prop, intended, index) },
    );
  },
});

/** Properties whose texts are addresses, although the vocabulary also allows a name or an object. */
const ADDRESSED = ["acquireLicensePage", "hasPart", "inCodeSet", "isPartOf", "license", "menu", "usageInfo", "video"];
/** The text of a value, or what a reference points to. @param {any} value */
const addressOfValue = (value) => (value instanceof Thing && value.reference ? value.id : value);
/** @param {...string} more */
const addresses =
  (...more) =>
  (/** @type {Vocabulary} */ v) => [...v.kinds.url, ...more];
const STARTS_AS_URL = /^(?:https?:[ \t\n\r\f\v]*)?\/\//i;
const SPACED_SCHEME = /^(https?:)[ \t\n\r\f\v]+\/\//i;
rule("url-has-whitespace", {
  authority: "vocabulary",
  properties: addresses(...ADDRESSED, "image", "item", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"),
  values: TEXT,
  unless: isSound,
  *value(item, prop, index, value) {
    const text = strip(value);
    if (!hasSpace(text) || !(STARTS_AS_URL.test(text) || /^\/[^ \t\n\r\f\v/]/.test(text))) return;
    const closed = text.replace(SPACED_SCHEME, "$1//");
    if (
      words(closed)
        .slice(1)
        .some((part) => STARTS_AS_URL.test(part))
    ) {
      yield item.warning(prop, `several URLs in one value (${quoted(text)})`, "write a list of URLs", {
        index,
      });
      return;
    }
    const right = closed.replace(/[ \t\r\n\f]/g, "%20");
    yield item.warning(prop, `${quoted(text)} has white space in it`, `write ${clip(right, 200)}`, {
      index,
      safe: false,
      edits: item.fixes(prop, right, index),
    });
  },
});
const INNER_HOST = /^https?:\/\/[^/?#]*?https?:?\/\/([^/?#:]+)/i;
const DOUBLED = /^(?:https?:\/\/[^/?#]*https?:?\/\/|https?:(?!\/\/))/i;
rule("url-invalid", {
  authority: "vocabulary",
  properties: addresses(...ADDRESSED, "image", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"),
  values: ["text", "thing"],
  unless: isSound,
  *value(item, prop, index, value) {
    const given = addressOfValue(value);
    if (typeof given !== "string" || given.includes("{")) return;
    const text = strip(given);
    if (hasSpace(text)) return; // url-has-whitespace or value-not-a-url
    const intended = withSchemeFixed(text);
    if (intended) {
      const written = clip(withoutSuffix(text, partition(intended, "://")[2]));
      const { host } = address(head(intended, 2000)), isLocal = PRIVATE.test(host);
      const wrong = text.startsWith("//") ? "// stands in front of another scheme" : `${repr(written)} is not a scheme`;
      const reason = wrong + (isLocal ? `, and ${host} is a host of a development machine` : "");
      yield item.warning(
        prop,
        `${quoted(text)} is not a URL: ${reason}`,
        isLocal ? "give the public address" : `write ${clip(intended, 200)}`,
        { index, edits: typeof value === "string" && !isLocal ? item.fixes(prop, intended, index) : [] },
      );
      return;
    }
    let error = address(head(text, 2000)).error, hint = "write the full address, from https:// on";
    if (error === null && DOUBLED.test(text)) {
      error = "two addresses are joined";
      const inner = INNER_HOST.exec(head(text, 2000))?.[1].toLowerCase();
      if (inner && PRIVATE.test(inner)) {
        error += `, and ${inner} is a host of a development machine`;
        hint = "give the public address";
      }
    }
    if (error !== null) yield item.warning(prop, `${quoted(text)} is not a URL: ${clip(error, 100)}`, hint, { index });
  },
});
const PRIVATE = rx(
  "afs",
)`localhost|[^\n]*\.(?:localhost|local|internal|lan)|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|::1|(?!https?$)[a-z\d_-]+`;
rule("url-local-host", {
  authority: "waypost",
  properties: addresses(...ADDRESSED, "image", "logo", "screenshot", "mainEntityOfPage", "urlTemplate"),
  values: ["text", "thing"],
  unless: isSound,
  *value(item, prop, index, value) {
    const text = addressOfValue(value);
    if (typeof text !== "string" || !/^(?:http|\/\/)/i.test(lstrip(text))) return;
    const { host } = address(lstrip(text).startsWith("//") ? "https:" + head(lstrip(text), 2000) : head(text, 2000));
    if (host && PRIVATE.test(host) && !withSchemeFixed(strip(text)))
      yield item.warning(
        prop,
        `${quoted(text)} points to ${host}, which visitors cannot reach`,
        "give the public address",
        { index },
      );
  },
});
const LIKE_A_PATH = rx()`^(?://?|\.{1,2}/|[#?]|[^\s/]+/|[^\s/]+\.[A-Za-z]{2,5}\Z)`;
rule("url-not-absolute", {
  authority: "vocabulary",
  properties: addresses("image", "logo", "screenshot", "mainEntityOfPage"),
  values: TEXT,
  unless: isSound,
  *value(item, prop, index, value) {
    const { base, url } = item.context.page;
    const text = strip(value);
    if (base || url || SCHEME.test(text) || hasSpace(text) || !LIKE_A_PATH.test(text)) return;
    if (text.startsWith("//") && address(head(text, 2000)).error !== null) return; // url-invalid
    yield item.info(
      prop,
      `${quoted(text)} is relative and the page's own address is not known`,
      "write it in full, with https://",
      { index },
    );
  },
});
const NOWHERE_SCHEMES = new Set(["javascript", "vbscript", "file", "blob", "data", "about", "chrome", "content"]);
/** Address of a scheme: no host with a port, and no words behind a colon. */
const OTHER_SCHEME = rx("aif")`(?:[a-z][a-z0-9+\-]*:(?!\d+(?:/|$))|(?:tel|sms|fax|callto):)\S+`;
rule("url-scheme-odd", {
  authority: "google",
  properties: addresses(...ADDRESSED, "image", "logo", "screenshot", "thumbnail", "mainEntityOfPage", "urlTemplate"),
  values: ["text", "thing"],
  unless: isSound,
  *value(item, prop, index, value) {
    const text = addressOfValue(value);
    if (typeof text !== "string") return;
    const address = unescaped(head(text, 2000)), scheme = schemeOf(address);
    const isLazy = item.context.page.lazyImages.some(
      (each) => each.node === item.node && each.prop === prop && each.position === index,
    );
    if (NOWHERE_SCHEMES.has(scheme) && !isLazy)
      yield item.warning(prop, `${prop} is a ${scheme}: address (${quoted(text, 40)})`, "give one with https://", {
        index,
      });
    else if (prop !== "urlTemplate" && scheme && !NOWHERE_SCHEMES.has(scheme) && !["http", "https", "urn"].includes(scheme) && OTHER_SCHEME.test(address) && !withSchemeFixed(address))
      yield item.info(
        prop,
        `${prop} is not a web address (${quoted(address, 40)}): cards and documents leave it out`,
        "give one with https://",
        { index },
      );
  },
});
rule("value-not-a-url", {
  authority: "vocabulary",
  properties: addresses("acquireLicensePage", "inCodeSet", "license", "menu", "urlTemplate", "usageInfo"),
  values: ["text", "number", "boolean"],
  unless: isSound,
  *value(item, prop, index, value) {
    const text = strip(str(value));
    const isWord = (/** @type {string} */ each) =>
      each !== "" && [...each].every((character) => LETTER_OR_DIGIT.test(character));
    const isWords =
      !/[/:?#]|^\./.test(text) && (text.startsWith("@") || hasSpace(text) || (prop === "sameAs" && isWord(text)));
    if (typeof value === "string" && !isWords) return;
    if (prop === "license" && !item.isA("ImageObject", "Dataset")) return;
    yield item.warning(
      prop,
      `${quoted(text)} is not a URL`,
      `${prop} takes a URL: write the full address, from https:// on`,
      { index },
    );
  },
});
