// @ts-check
// What is said about faults met while reading: JSON, JSON-LD, Microdata, HTML. Each rule is the twin of the module of its
// name in waypost/validate/rules/, which documents it.

/** @param {any} trouble */
const moreOf = ({ detail: { count = 1 } }) => (count > 1 ? ` (and ${grouped(count - 1)} more in this block)` : "");
/** @param {string} text @param {number} [most] */
const short = (text, most = 40) => clip(text, most);
/** @param {any} trouble */
const isGuessless = ({ detail: { safe = true } }) => safe;

/** A rule about a fault met while reading. @param {string} name @param {string} authority @param {string} severity
 * @param {string|((detail: any, trouble: any) => string)} message @param {string|null|((detail: any, trouble: any) => string|null)} hint
 * @param {{more?: boolean, safe?: boolean|((trouble: any) => boolean)}} [how] */
const reading = (name, authority, severity, message, hint, { more = false, safe = true } = {}) =>
  rule(name, {
    authority,
    explain: (trouble) => ({
      severity,
      message:
        (typeof message === "string" ? message : message(trouble.detail, trouble)) + (more ? moreOf(trouble) : ""),
      hint: typeof hint === "function" ? hint(trouble.detail, trouble) : hint,
      safe: typeof safe === "function" ? safe(trouble) : safe,
    }),
  });
const MORE = { more: true };
const MORE_UNSAFE = { more: true, safe: false };
const UNSAFE = { safe: false };
const MORE_MAYBE = { more: true, safe: isGuessless };
/** @param {any} detail */
const lacksQuotes = (detail) => (detail.half ? "opening quote" : "quotes");

reading(
  "html-repeated-root-tag",
  "html",
  "error",
  "the tags html and body are repeated so often that the page was not read",
  "write each of them once",
);
reading(
  "html-too-deep",
  "html",
  "warning",
  "this item or property stands below 511 other elements, deeper than parsers keep apart",
  "close the elements that are opened again and again above it",
);
reading(
  "html-values-too-large",
  "html",
  "error",
  "the values of the properties add up to many times the page: they were not judged",
  "put a property on the innermost element that holds its value",
);
reading(
  "json-bad-escape",
  "json",
  "error",
  ({ written }) => `${short(written, 24)} is no escape of JSON`,
  "escape for JSON, not for JavaScript",
  MORE_MAYBE,
);
reading(
  "json-byte-order-mark",
  "json",
  "error",
  "an invisible byte-order mark (U+FEFF) in the JSON",
  "save the included file without a byte-order mark",
  MORE,
);
reading(
  "json-cdata-wrapper",
  "json",
  "warning",
  "a CDATA wrapper around the JSON",
  "take the wrapper away: HTML needs none",
);
reading("json-comment", "json", "warning", "a comment; JSON has none", "take the comment away", MORE);
reading(
  "json-control-character",
  "json",
  "error",
  ({ code }) => {
    const name =
      code === 9 ? "tab" : code === 10 ? "line break" : code === 13 ? "carriage return" : "control character";
    return `a raw ${name} inside a text`;
  },
  "write it as an escape, best by letting a JSON encoder write the text",
  MORE,
);
rule("json-duplicate-key", {
  authority: "json",
  explain: ({ detail: { key, same } }) => ({
    severity: same ? "warning" : "error",
    message: `${short(key)} stands twice in this object, ${same ? "with the same value" : "and only the last is read"}`,
    hint: same ? "take one away" : "keep one, or put both values in a list",
  }),
});
reading(
  "json-empty-block",
  "json",
  "warning",
  ({ kind = "nothing" }) => `the block holds ${kind === "nothing" ? "nothing at all" : `only an empty ${kind}`}`,
  "fill it, or leave the script out",
);
reading(
  "json-entity-encoded",
  "json",
  "error",
  "the JSON is encoded as HTML text (&quot; for quotes); inside a script nothing decodes it",
  "write the JSON into the script unescaped, with </ as <\\/",
);
reading("json-html-comment-wrapper", "json", "warning", "an HTML comment around the JSON", "take <!-- and --> away");
reading(
  "json-leading-text",
  "json",
  "error",
  ({ written = "" }) => `${short(written)} stands before the JSON`,
  "leave only the JSON in the script",
  UNSAFE,
);
reading(
  "json-literal-case",
  "json",
  "error",
  ({ written, meant }) => `${short(written, 24)} is no word of JSON; ${meant} is`,
  ({ meant }) => `write ${meant}`,
  MORE,
);
reading(
  "json-lone-surrogate",
  "json",
  "warning",
  "half of a two-part character escape; the other half is missing",
  "write the whole character, or leave it out",
  MORE_UNSAFE,
);
reading(
  "json-malformed-number",
  "json",
  "error",
  ({ written, kind }) =>
    kind === "too large"
      ? `the number ${short(written)} is too large to be one`
      : `${short(written)} is not how JSON writes a number`,
  ({ meant }) => (meant === undefined ? null : `write ${meant}, or put quotes around it if it is a code`),
  MORE_UNSAFE,
);
reading(
  "json-mismatched-bracket",
  "json",
  "error",
  ({ written, wanted }) => `${written} where ${wanted} must come first`,
  "close what was opened last",
  UNSAFE,
);
reading(
  "json-missing-bracket",
  "json",
  "error",
  ({ written }) => `${written} is missing before this name`,
  "open the object here",
  MORE_UNSAFE,
);
reading(
  "json-missing-colon",
  "json",
  "error",
  "no colon between this name and its value",
  "put a colon there",
  MORE_UNSAFE,
);
reading(
  "json-missing-comma",
  "json",
  "error",
  ({ instead }) => (instead ? `${instead} stands where a comma belongs` : "a comma is missing before this"),
  "put a comma between the members",
  MORE,
);
reading(
  "json-missing-key",
  "json",
  "error",
  "a value without a name, inside an object",
  "give it a name, or put the values in a list",
  MORE,
);
reading(
  "json-missing-value",
  "json",
  "error",
  "this name has no value",
  "write a value, or leave the property out",
  MORE,
);
reading(
  "json-not-a-number",
  "json",
  "error",
  ({ written }) => `${short(written, 24)} is no JSON number`,
  "leave the property out, or write null",
  MORE_UNSAFE,
);
reading(
  "json-not-an-object",
  "json",
  "error",
  ({ kind }) => `${kind} stands where an object was expected; it describes nothing`,
  "put an object with @context and @type here, or take this away",
);
reading(
  "json-odd-space",
  "json",
  "error",
  ({ code }) => `U+${hex(code, 4).toUpperCase()} between values; JSON takes it for a fault, not for a space`,
  "put a plain space there",
  MORE,
);
reading(
  "json-single-quotes",
  "json",
  "error",
  "single quotes; JSON wants double ones",
  "write it with a JSON encoder",
  MORE_MAYBE,
);
reading(
  "json-template-left",
  "json",
  "error",
  ({ written }) => `the placeholder ${short(written)} was never filled in`,
  "see why the template engine does not reach this script",
  MORE,
);
reading(
  "json-too-deep",
  "waypost",
  "error",
  ({ most }) => `nested more than ${grouped(most)} levels deep; what lies deeper was not read`,
  "refer to things by @id instead of repeating them inside each other",
);
reading(
  "json-too-large",
  "waypost",
  "error",
  ({ most, what }) => `more than ${grouped(most)} ${what}; what comes after was not read`,
  "spread the data over several pages",
);
reading(
  "json-trailing-comma",
  "json",
  "error",
  ({ extra }) => (extra ? "one comma too many" : "a comma before the closing bracket"),
  "take the comma away",
  MORE,
);
reading("json-trailing-semicolon", "json", "error", "a semicolon behind the JSON", "take the semicolon away");
reading(
  "json-trailing-text",
  "json",
  "error",
  ({ written }) => `${short(written)} stands behind the end of the JSON`,
  "take it away, or find the bracket that closes too early",
  { safe: isGuessless },
);
reading(
  "json-two-values",
  "json",
  "error",
  ({ number: many }) => `${many} values in one block; JSON is exactly one`,
  "put them in a list, or each in a script of its own",
);
reading(
  "json-typographic-quotes",
  "json",
  "error",
  "curly quotes; JSON wants straight ones",
  "replace them with straight double quotes",
  MORE_MAYBE,
);
reading(
  "json-unescaped-quote",
  "json",
  "error",
  "a double quote inside a text without a backslash",
  'write it as \\", best by letting a JSON encoder write the text',
  MORE_UNSAFE,
);
reading(
  "json-unexpected-text",
  "json",
  "error",
  ({ written }) => `${short(written)} does not belong here`,
  "take it away, or put quotes around what is a text",
  MORE_UNSAFE,
);
reading(
  "json-unquoted-key",
  "json",
  "error",
  (detail) => `the name ${short(detail.written)} has no ${lacksQuotes(detail)}`,
  "put every name in double quotes",
  MORE,
);
reading(
  "json-unquoted-value",
  "json",
  "error",
  (detail) => `the text ${short(detail.written)} has no ${lacksQuotes(detail)}`,
  "put it in double quotes, best with a JSON encoder",
  MORE_UNSAFE,
);
reading(
  "json-unreadable",
  "json",
  "error",
  ({ found }) => `this is not JSON: it begins with ${short(found)}`,
  "write one JSON object, and try it in a JSON parser before it is published",
);
reading(
  "json-unterminated",
  "json",
  "error",
  ({ what, early }) =>
    what === "text"
      ? "the text that begins here has no closing quote"
      : early
        ? `this ${what} is never closed`
        : `the block ends inside of ${what === "object" ? "an object" : "a list"}`,
  "close it; see whether the end of the data is missing too",
  UNSAFE,
);
reading(
  "jsonld-context-invalid",
  "json",
  "error",
  ({ kind }) => `the @context is ${kind}; it must be an address or an object`,
  'write "@context": "https://schema.org"',
);
reading(
  "jsonld-context-missing",
  "json",
  "error",
  ({ kind }) => `the @context is ${kind === "absent" ? "missing" : "empty"}, so no name here has a meaning`,
  'add "@context": "https://schema.org"',
  UNSAFE,
);
rule("jsonld-context-misspelled", {
  authority: "json",
  explain: ({ detail: { written, isElsewhere }, span }) => ({
    severity: isElsewhere ? "error" : "warning",
    message: `"${clip(written)}" is not the address of schema.org; it was read as if it were`,
    hint: 'write "https://schema.org"',
    edits: [[span, '"https://schema.org"']],
  }),
});
reading(
  "jsonld-keyword-value-invalid",
  "json",
  "error",
  ({ keyword, kind }) =>
    `${keyword} is ${kind}; it must be ${keyword === "@type" ? "a text or a list of texts" : "one text"}`,
  ({ keyword }) => (keyword === "@type" ? "put the name of a type here" : "put one address here"),
);
reading(
  "jsonld-remote-context",
  "json",
  "info",
  ({ written }) => `the context ${clip(written)} is not fetched; its terms are left alone`,
  null,
);
rule("jsonld-script-type-misspelled", {
  authority: "html",
  explain: ({ detail: { written }, span }) => ({
    severity: "error",
    message: `the script is of the type ${quoted(written)}: nobody reads it as JSON-LD`,
    hint: "write application/ld+json",
    edits: [[span, "application/ld+json"]],
  }),
});
rule("jsonld-unknown-keyword", {
  authority: "json",
  explain: ({ detail: { written, meant }, span }) =>
    meant === written
      ? {
          severity: "warning",
          message: `${clip(written)} is no keyword of JSON-LD: it is ignored with everything below it`,
          hint: /^.\p{Ll}/u.test(written) ? `properties have no @: ${clip(written.slice(1))}` : null,
        }
      : {
          severity: "error",
          message: `${written} is no keyword of JSON-LD; ${meant} is, in lower case`,
          hint: `write ${meant}`,
          edits: [[span, `"${meant}"`]],
        },
});
rule("jsonld-vocab-without-slash", {
  authority: "json",
  explain: ({ detail: { written }, span }) => ({
    severity: "warning",
    message: `a name appended to "${clip(written)}" is no schema.org name; the slash is missing`,
    hint: `write "${strip(written)}/"`,
    edits: [[span, `"${strip(written)}/"`]],
  }),
});
reading(
  "markup-in-noscript",
  "html",
  "info",
  "structured data inside noscript is not read by consumers that run scripts",
  "move it out of the noscript element",
);
reading(
  "microdata-content-attribute",
  "html",
  "info",
  ({ count, tag }) =>
    `content on ${clip(tag)} is not in the standard (${count === 1 ? "once" : `${count} times`} here)`,
  "write <data value>, <time datetime> or <meta content> instead",
);
reading(
  "microdata-itemid-without-itemtype",
  "html",
  "warning",
  ({ id }) => `itemid ${quoted(id)} on an item without itemtype`,
  "add itemtype, or leave itemid out",
);
reading(
  "microdata-itemref-cycle",
  "html",
  "warning",
  ({ names }) =>
    `itemref makes this item its own ${listed(names.slice(0, 4).map((/** @type {string} */ name) => clip(name, 30)))}`,
  "point itemref at elements that do not hold this item",
);
reading(
  "microdata-itemref-missing-target",
  "html",
  "warning",
  ({ id }) => `no element has the id ${quoted(id)}`,
  "write an id of this page, without #, or leave the word out",
);
reading(
  "microdata-itemscope-without-itemtype",
  "html",
  "info",
  "itemscope without itemtype: nothing says what the properties in it describe",
  'add itemtype="https://schema.org/..." to the tag',
);
reading(
  "microdata-itemtype-not-absolute",
  "html",
  "error",
  ({ written }) => `the type ${quoted(written)} is not an absolute URL`,
  ({ name }) => `write https://schema.org/${clip(name)}`,
);
reading(
  "microdata-itemtype-without-itemscope",
  "html",
  "error",
  "itemtype without itemscope: no item begins here",
  "add itemscope to the same tag",
);
reading(
  "microdata-orphan-property",
  "html",
  "warning",
  ({ names, count }) => {
    const shown = [
      ...names.slice(0, 4).map((/** @type {string} */ name) => clip(name, 30)),
      ...(names.length > 4 ? ["others"] : []),
    ];
    return `${listed(shown)}: ${count === 1 ? "a property" : `${count} properties`} outside every item`;
  },
  "move it into the element with itemscope, or point to it with itemref",
);
reading(
  "value-object-invalid",
  "json",
  "error",
  ({ more, kind }) =>
    more === undefined
      ? `@value is ${kind}; it must be a text, a number, true, false or null`
      : `${clip(more)} stands beside @value; an object is either a value or a thing, never both`,
  ({ more }) =>
    more === undefined
      ? "write the object itself, without @value around it"
      : "take @value away, or move the property to the object around this one",
);
