// @ts-check
// Rules about nodes, and about the page. Each is the counterpart of the module of its name in
// waypost/validate/rules/, which documents it.

/** @param {string} a @param {Thing} node @param {string} prop @returns {[string, any]} */
const alsoAt = (a, node, prop) => [a, [node, prop]];
/** @param {Item} item @param {string} prop */
const momentIn = (item, prop) => momentOf(item.text(prop));
/** @param {Item} item @param {string} prop */
const numberIn = (item, prop) => number(item.get(prop));
/** @param {Dec} one @param {Dec} two */
const isAbove = (one, two) => one.compare(two) > 0;
const COUNTS = ["ratingCount", "reviewCount"];
/** @param {Item|Thing} item */
const hasNoRatings = (item) => {
  const counts = COUNTS.map((prop) => number(item.get(prop))).filter(Boolean);
  return counts.length > 0 && counts.every((count) => count?.isZero);
};
/**
 * The lowest and highest of the scale that a rating lies outside of; a zero with no count above 0 stands for no ratings.
 * @param {Item|Thing} item
 * @param {Value} value
 * @returns {Dec[]|null}
 */
const scaleMissed = (item, value) => {
  const found = rating(value);
  if (!found) return null;
  const worst = numberIn(item, "worstRating"),
    best = numberIn(item, "bestRating");
  let low = worst ?? Dec.of("1"),
    high = best ?? (isAbove(low, Dec.of("5")) ? low : Dec.of("5"));
  if (found.outOf) [low, high] = [Dec.of("0"), found.outOf];
  else if (best && !worst && isAbove(low, high)) low = high;
  return isAbove(low, high) ||
    (!isAbove(low, found.value) && !isAbove(found.value, high)) ||
    (found.value.isZero && hasNoRatings(item))
    ? null
    : [low, high];
};

rule("attic-term", {
  authority: "vocabulary",
  concerns: (v, types, names) =>
    names.some((name) => v.kinds.attic.has(name)) || types.some((name) => v.types.get(name)?.attic),
  *check(item) {
    const { types, kinds } = item.vocabulary;
    for (const name of item.node.types) {
      const known = types.get(name);
      if (known && known.attic && !known.s.length)
        yield item.ofType(name).warning(null, `the type ${name} was withdrawn from schema.org`, "leave it out", { part: "type" });
    }
    for (const name of item.node.props.keys()) {
      if (kinds.attic.has(name))
        yield item.warning(name, `the property ${name} was withdrawn from schema.org`, "leave it out", { part: "key" });
    }
  },
});
const NUMBER_THE_STEPS = "number the steps 1, 2, 3";
rule("breadcrumb-position", {
  authority: "google",
  types: ["BreadcrumbList"],
  properties: named("itemListElement"),
  *check(trail) {
    const steps = trail.node.nodes("itemListElement").filter((step) => !step.reference);
    const at = (/** @type {Thing} */ node, /** @type {string} */ message, hint = NUMBER_THE_STEPS) => ({
      severity: "warning",
      node,
      prop: "position",
      message,
      hint,
    });
    /** @type {{step: Thing, position: Dec}[]} */
    const found = [];
    let isReadable = true;
    for (const step of steps) {
      const value = step.get("position");
      if (value === null) continue; // the profile requires it
      const position = number(value);
      if (!position || !position.isWhole) {
        yield at(step, `the position ${value instanceof Thing ? "of an object" : quoted(str(value))} is not a whole number`);
        isReadable = false;
      } else if (isReadable && found.some((each) => each.position.compare(position) === 0)) {
        yield at(step, `the position ${position} occurs twice in the trail`);
        return;
      } else found.push({ step, position });
    }
    if (found.length < steps.length || steps.length < 2) return; // breadcrumb-single-item reports a single step
    found.sort((one, two) => one.position.compare(two.position));
    const first = found[0],
      last = found[found.length - 1];
    if (first.position.compare(Dec.of("1")))
      yield at(first.step, `the trail starts at position ${first.position}`, "start at 1");
    else if (last.position.compare(Dec.of(String(found.length)))) {
      yield at(last.step, `the positions leave a gap: ${found.length} steps, the last at ${last.position}`);
    }
  },
});
rule("breadcrumb-single-item", {
  authority: "google",
  types: ["BreadcrumbList"],
  properties: named("itemListElement"),
  *check(trail) {
    const steps = trail.values("itemListElement");
    if (steps.length === 1 && steps[0][1] instanceof Thing) {
      yield trail.warning(
        "itemListElement",
        "the breadcrumb trail has only one step",
        "add the pages above this one, or leave the trail out",
        { part: "key" },
      );
    }
  },
});
rule("coordinates-zero", {
  authority: "waypost",
  types: ["GeoCoordinates", "Place"],
  properties: named("latitude"),
  *check(place) {
    if (numberIn(place, "latitude")?.isZero && numberIn(place, "longitude")?.isZero) {
      yield place.warning("latitude", "latitude and longitude are both 0", "give the real place, or leave them out");
    }
  },
});
/** @type {Record<string, string[]>} */
const COUNTED = {
  answerCount: ["acceptedAnswer", "suggestedAnswer"],
  numberOfItems: ["itemListElement"],
  offerCount: ["offers"],
  numTracks: ["track"],
};
rule("count-below-what-is-listed", {
  authority: "vocabulary",
  properties: () => Object.keys(COUNTED),
  *check(item) {
    for (const [prop, entriesIn] of Object.entries(COUNTED)) {
      const count = numberIn(item, prop);
      if (!count) continue;
      const things = entriesIn.reduce((sum, kind) => sum + new Set(item.node.nodes(kind)).size, 0);
      if (isAbove(Dec.of(String(things)), count))
        yield item.warning(prop, `${prop} is ${count}, but the list has ${things}`, `write ${things}, or more if the list is cut`);
    }
  },
});
rule("data-vocabulary-org", {
  authority: "google",
  *page({ page }) {
    const node = page.nodes.find(
      (each) => each.foreign && each.types.some((name) => name.includes("data-vocabulary.org/")),
    );
    if (node)
      yield {
        severity: "warning",
        node,
        part: "type",
        message: `the type ${clip(node.types[0])} is of a vocabulary that search engines no longer read`,
        hint: "use schema.org",
      };
  },
});
rule("date-modified-before-published", {
  authority: "vocabulary",
  types: ["CreativeWork"],
  properties: named("dateModified"),
  *check(work) {
    const published = momentIn(work, "datePublished"),
      modified = momentIn(work, "dateModified");
    if (!published || !modified || !isBefore(modified, published)) return;
    if (NO_DATES.has((work.text("dateModified") || "").slice(0, 10))) return; // date-is-a-placeholder reports it
    if (modified.zoned === published.zoned && published.first - modified.last < MINUTE) return;
    yield work.warning(
      "dateModified",
      `dateModified (${work.text("dateModified")}) is before datePublished (${work.text("datePublished")})`,
      "correct one of the two, or leave dateModified out",
      { related: [alsoAt("published here", work.node, "datePublished")] },
    );
  },
});
rule("death-before-birth", {
  authority: "vocabulary",
  types: ["Person", "Organization"],
  properties: named("deathDate", "dissolutionDate"),
  *check(item) {
    for (const [first, last] of [
      ["birthDate", "deathDate"],
      ["foundingDate", "dissolutionDate"],
    ]) {
      const begin = momentIn(item, first),
        end = momentIn(item, last);
      if (begin && end && begin.form !== "ancient" && isBefore(end, begin)) {
        yield item.warning(
          last,
          `${last} (${item.text(last)}) is before ${first} (${item.text(first)})`,
          "swap the two dates, or correct the year",
          { related: [alsoAt(`${first} is here`, item.node, first)] },
        );
      }
    }
  },
});

/** Does the picture's address stand elsewhere on its tag? image-lazy-placeholder reports it. @param {RuleContext} context @param {Thing} node @param {string} prop */
const isLazy = ({ page }, node, prop) => page.lazyImages.some((image) => image.node === node && image.prop === prop);
/** @param {RuleContext} context @param {Thing} node @param {string} prop @param {number} index */
const isLazyAt = ({ page }, node, prop, index) =>
  page.lazyImages.some((image) => image.node === node && image.prop === prop && image.position === index);
/** Path to a nested node from its item, as in review.author; empty for an item. @param {Thing} node */
const pathAbove = (node) => {
  const names = [];
  while (node.parent && node.via && names.length < 4) {
    names.unshift(node.via);
    node = node.parent;
  }
  return names.join(".");
};
/** A profile reports an empty object that a rich result requires. @param {Thing} node @param {RuleContext} context */
const isInEmptyRequired = (node, { emptyRequired }) => {
  for (; node.hollow && node.parent && node.via; node = node.parent)
    if (emptyRequired.get(node.parent)?.includes(node.via)) return true;
  return false;
};
/** Does a rich result recommend the property or the empty object around it? @param {Thing} node @param {string} prop @param {RuleContext} context @returns {boolean} */
const isExpected = (node, prop, context) =>
  context.emptyRecommended.has(placeOf(node, prop)) || !!(node.hollow && node.parent && node.via && isExpected(node.parent, node.via, context));
/** A property of alike objects in a list, or of items of a type. @param {Thing} node @param {string} prop */
const placeOf = (node, prop) => `${node.via || node.types} ${prop}`;
const FILL_IN = "fill in what is empty, or leave out what is not needed";
/** @type {Record<string, string>} */
const READ_FROM = { ...URL_ATTRIBUTES, ...VALUE_ATTRIBUTES };
rule("empty-value", {
  authority: "waypost",
  *page(context) {
    for (const node of context.displayed.get("empty") || []) yield* emptyIn(node, context);
  },
});
/** @param {Thing} node @param {RuleContext} context @returns {Generator<Draft>} */
function* emptyIn(node, context) {
  /** @type {string[]} */
  const expected = [];
  /** @type {string[]} */
  const others = [];
  for (const [prop, values] of node.props) {
    if (context.emptyRequired.get(node)?.includes(prop) || isLazy(context, node, prop)) continue;
    if (values.some((value) => isPresent(value) || (value instanceof Thing && value.props.size))) continue; // told inside
    if (prop.endsWith("-input")) continue; // an <input> stands for what people will type
    const isWritten = values.some((value) => value !== null);
    (isWritten && (isExpected(node, prop, context) || emptyHint(node, prop, context) !== FILL_IN) ? expected : others).push(prop);
  }
  for (const [names, severity] of /** @type {[string[], string][]} */ ([
    [expected, "warning"],
    [others, "info"],
  ])) {
    if (!names.length) continue;
    const hint = emptyHint(node, names[0], context);
    if (hint === FILL_IN && isInEmptyRequired(node, context)) continue;
    const above = pathAbove(node),
      all = names.length <= 6 ? joinWords(names) : `${names.slice(0, 6).join(", ")} and others`,
      displayed = !above ? all : names.length === 1 ? `${above}.${all}` : `${all} of ${above}`;
    const about = [subjectOf(node.parent || node), node.via || "", ...[...names].sort()];
    yield new Item(node, context).newDraft(
      severity,
      names[0],
      `${displayed} ${names.length === 1 ? "is" : "are"} empty`,
      hint,
      { about },
    );
  }
  for (const [prop, values] of node.props) {
    const blank = values.flatMap((value, index) =>
      typeof value === "string" && !isPresent(value) && !isLazyAt(context, node, prop, index) ? [index] : [],
    );
    if (!blank.length || !values.some(isPresent)) continue;
    const above = pathAbove(node);
    yield new Item(node, context).newDraft(
      "info",
      prop,
      `${blank.length} of ${values.length} values of ${above ? above + "." + prop : prop} ${blank.length === 1 ? "is" : "are"} empty`,
      "leave out what is empty",
      { index: blank[0], about: [subjectOf(node.parent || node), node.via || "", prop, "one of several"] },
    );
  }
}
/**
 * The cause is the missing attribute that would hold the tag's value.
 * @param {Thing} node
 * @param {string} prop
 * @param {RuleContext} context
 */
const emptyHint = (node, prop, { page }) => {
  if (node.block.syntax !== "microdata") return FILL_IN;
  const span = page.spanOf(node, prop);
  const tag = /^<([a-zA-Z]+)/.exec(page.text.slice(span.start, span.start + 40));
  const attribute = tag ? READ_FROM[tag[1].toLowerCase()] : undefined;
  if (!tag || !attribute) return FILL_IN;
  const text = page.text.slice(span.start, span.end);
  if (text.includes(`${attribute}=`)) return FILL_IN; // an element inside, or an attribute that is empty
  const other = ["value", "data-src", "content", "src", "href"].find((each) => text.includes(` ${each}=`));
  return `the value of <${tag[1]}> is read from ${attribute}${other ? ", not from " + other : ""}`;
};

rule("event-in-the-past", {
  authority: "google",
  types: ["Event"],
  properties: named("startDate"),
  *check(event) {
    const prop = event.has("endDate") ? "endDate" : "startDate";
    const found = momentIn(event, prop);
    if (found && isPast(found, event.context.now)) yield event.info(prop, `the event is over (${event.text(prop)})`);
  },
});
rule("event-starts-at-midnight", {
  authority: "google",
  types: ["Event"],
  properties: named("startDate"),
  *check(event) {
    const text = event.text("startDate");
    if (text && momentOf(text)?.form === "datetime" && text.slice(11, 16) === "00:00") {
      yield event.info(
        "startDate",
        `the event starts at midnight (${text})`,
        `if the time is not known, write ${text.slice(0, 10)}`,
      );
    }
  },
});
const PLAIN_TEXTS = [
  "name",
  "headline",
  "alternativeHeadline",
  "alternateName",
  "title",
  "jobTitle",
  "recipeIngredient",
  "recipeYield",
  "streetAddress",
  "addressLocality",
  "telephone",
  "sku",
  "articleSection",
  "recipeCategory",
  "recipeCuisine",
];
const HTML_TAG = rx(
  "i",
)`</?(?:a|b|br|p|i|em|strong|span|div|u|sup|sub|small|li|ul|ol|h[1-6]|img|font|script|style|table|td|tr)(?:\s*/?|\s+[a-z][\w\-]*\s*=[^<>]{0,300})>`;
rule("html-in-text", {
  authority: "waypost",
  properties: () => PLAIN_TEXTS,
  sign: "<",
  *check(item) {
    for (const prop of PLAIN_TEXTS) {
      const tagged = (item.node.props.get(prop) || []).flatMap((value, index) => {
        const found = typeof value === "string" && value.includes("<") ? HTML_TAG.exec(value) : null;
        return found ? [{ index, value, tag: found[0] }] : [];
      });
      if (!tagged.length) continue;
      const { index, value, tag } = tagged[0];
      const more = tagged.length > 1 ? `, and ${tagged.length - 1} more of its values have tags` : "";
      yield item.warning(
        prop,
        `${prop} has the tag ${clip(tag, 30)} in it (${quoted(value, 40)})${more}`,
        "write plain text",
        { index },
      );
    }
  },
});
const SINGLE = new Set([
  "name",
  "headline",
  "datePublished",
  "dateModified",
  "dateCreated",
  "startDate",
  "endDate",
  "birthDate",
  "deathDate",
  "foundingDate",
  "uploadDate",
  "duration",
  "price",
  "priceCurrency",
  "ratingValue",
  "ratingCount",
  "reviewCount",
  "bestRating",
  "worstRating",
  "sku",
  "isbn",
  "mpn",
  "gtin",
  "gtin13",
  "legalName",
  "taxID",
  "vatID",
]);
rule("id-conflicting-values", {
  authority: "waypost",
  *page({ page, vocabulary }) {
    for (const node of page.byId.values()) {
      if (!node.borrowed || node.foreign) continue;
      /** @type {Map<string, any>} */
      const noted = new Map();
      for (const [place, [other]] of node.borrowed) {
        const [prop, , at] = rpartition(place, " ");
        const index = Number(at),
          values = /** @type {Value[]} */ (node.props.get(prop));
        if (!SINGLE.has(prop) || index === 0 || agree(node, prop, values[0], values[index], index)) continue;
        const [first] = node.borrowed.get(`${prop} 0`) || [node];
        if (prop === "name" && isStep(first) !== isStep(other)) continue;
        if (noted.has(prop)) {
          noted.get(prop).further++;
          continue;
        }
        const draft = {
          severity: prop === "name" && vocabulary.areA(node.types, LABELLED) ? "info" : "warning",
          message: `${prop} is ${conflictText(values[index])} here and ${conflictText(values[0])} in another node with the same @id`,
          hint: "keep one of the two, or give different items different ids",
          node,
          prop,
          index,
          related: [
            ["the other one", [node, prop, 0, "value"]],
            ["this node", [other, null, null, "node"]],
          ],
        };
        noted.set(prop, { draft, further: 0 });
      }
      for (const { draft, further } of noted.values())
        yield further ? { ...draft, message: `${draft.message} (and ${grouped(further)} more)` } : draft;
    }
  },
});
/** Types whose name no rich result shows: plugins name one page in two ways, and give one id to all entries of a menu. */
const LABELLED = new Set(["WebPage", "SiteNavigationElement"]);
/** Is a node the page that a step of a breadcrumb trail leads to? @param {Thing} node */
const isStep = ({ via, parent }) => via === "item" && !!parent?.types.includes("ListItem");
/** @param {Thing} node @param {string} prop @param {Value} one @param {Value} two @param {number} index */
const agree = (node, prop, one, two, index) => {
  if (one instanceof Thing || two instanceof Thing) return true;
  const [a, b] = [node.languageOf(prop, 0), node.languageOf(prop, index)];
  if (a !== undefined && b !== undefined && a !== b) return true;
  const plain = (/** @type {Value} */ value) => casefold(words(unescapedAll(str(value))).join(" "));
  return plain(one) === plain(two);
};
/** @param {Value} value */
const conflictText = (value) => clip(typeof value === "string" ? `"${value}"` : str(value), 40);
rule("id-duplicated", {
  authority: "waypost",
  *page({ page, vocabulary }) {
    const isRelated = (/** @type {string} */ one, /** @type {string} */ two) =>
      !vocabulary.types.has(one) ||
      !vocabulary.types.has(two) ||
      one === "Thing" ||
      two === "Thing" ||
      [...vocabulary.ancestors(one)].some((each) => each !== "Thing" && vocabulary.ancestors(two).has(each));
    for (const node of page.nodes) {
      const other = node.sameAs;
      if (!other || !node.types.length || !other.types.length || node.foreign) continue;
      if (node.types.some((one) => isRelated(one, other.types[0]))) continue;
      yield {
        severity: "warning",
        message: `the @id ${clip(node.id || "")} stands for ${node.types[0]} here and for ${other.types[0]} elsewhere`,
        hint: "give each item an @id of its own",
        node,
        span: node.block.span(node, "@id"),
        related: [[`the ${other.types[0]}`, [other, null, null, "node"]]],
      };
    }
  },
});
rule("image-lazy-placeholder", {
  authority: "html",
  *page(context) {
    for (const { node, prop, position, attribute, address, edits } of context.page.lazyImages) {
      yield new Item(node, context).warning(
        prop,
        `${prop} is ${(node.props.get(prop) || [])[position] ? "a placeholder" : "empty"}: the picture's address stands in ${attribute} (${clip(address, 80)})`,
        `write it into src with loading="lazy", or give it as <link itemprop="${prop}" href="...">`,
        { index: position, edits, safe: false },
      );
    }
  },
});
rule("visible-value-differs", {
  authority: "google",
  *page(context) {
    const { page, tables } = context;
    for (const { node, prop, position, tag, text } of page.visible) {
      const value = (node.props.get(prop) || [])[position];
      if (typeof value !== "string") continue;
      const money = { currency: node.get("priceCurrency"), signs: tables.signs, currencies: tables.currencies };
      if (offered("guessing").differs({ prop, tag, text, value, language: page.language, ...money }))
        yield new Item(node, context).info(
          prop,
          `the markup says ${quoted(value)} and people read ${quoted(text)}`,
          "correct the one that is wrong, and write both from one value",
          { index: position },
        );
    }
  },
});
const FORBIDDEN = rx()`[\s<>"{}|\\^\x60]`;
const HOST_AS_PATH = /^(?:.*\/)?(www\.[a-z0-9-]+\.[a-z]{2,}(?:[/#].*)?)$/i;
rule("id-not-an-iri", {
  authority: "json",
  sign: "id",
  *check(item) {
    const {
      node,
      context: { page },
    } = item;
    const name = node.id;
    if (name === null || size(name) > 2000) return;
    const idDraft = (/** @type {string} */ message, /** @type {string} */ hint) => ({
      severity: "warning",
      message,
      hint,
      node,
      span: node.block.span(node, "@id"),
    });
    const found = FORBIDDEN.exec(name);
    if (runsScript(name))
      yield idDraft(
        `the @id ${clip(name, 40)} is a ${schemeOf(name)}: address, which names nothing`,
        "give one with https://, or leave it out",
      );
    else if (found) {
      yield idDraft(
        `the @id ${clip(name)} holds ${isBlank(found[0]) ? "a space" : found[0]}, which no address may hold`,
        "encode it, or leave it out",
      );
    } else if (name.startsWith("www.") || name.replace("://www.", "://").includes("/www.")) {
      const span = node.block.span(node, "@id");
      const text = page.text.slice(span.start, span.end).replace(/^"+|"+$/g, "");
      if (/^www\./i.test(text) && HOST_AS_PATH.test(text))
        yield idDraft(`the @id ${clip(text)} has no scheme and is taken for a path`, `write https://${clip(text)}`);
    }
  },
});
rule("id-relative-without-base", {
  authority: "json",
  *page({ page }) {
    if (page.base !== null) return;
    const relative = page.nodes.filter(
      (node) => node.id && !node.foreign && !/^(?:[A-Za-z][A-Za-z0-9+.-]*:|#|_:)/.test(node.id),
    );
    if (!relative.length) return;
    const node = relative[0],
      more = relative.length > 1 ? ` (and ${relative.length - 1} more)` : "";
    yield {
      severity: "info",
      message: `the @id ${clip(node.id || "")} is relative, and the page's address is unknown${more}`,
      hint: "name the page's address with --base-url, or write the id in full",
      node,
      span: node.block.span(node, "@id"),
    };
  },
});
const TAG_OF_LANGUAGE =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|i-[a-z]+)(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?|x(?:-[a-z0-9]{1,8})+)$/i;
/** @param {string} language */
const isTag = (language) => language.length <= 100 && TAG_OF_LANGUAGE.test(language);
rule("language-tag-invalid", {
  authority: "json",
  *page(context) {
    const reported = new Set();
    for (const node of context.displayed.get("language") || []) {
      for (const [prop, values] of node.props) {
        for (const index of values.keys()) {
          const language = node.languageOf(prop, index);
          if (language === undefined || reported.has(language) || isTag(language)) continue;
          reported.add(language);
          const hyphens = language.replaceAll("_", "-");
          yield new Item(node, context).warning(
            prop,
            `${quoted(language, 40)} is not a language tag`,
            isTag(hyphens) ? `write ${hyphens}` : "write a tag such as en or pt-BR",
            { index },
          );
        }
      }
    }
  },
});
rule("list-position-duplicate", {
  authority: "google",
  types: ["ItemList"],
  properties: named("itemListElement"),
  *check(items) {
    if (items.isA("BreadcrumbList")) return; // breadcrumb-position reports it
    /** @type {Map<string, Thing>} */
    const seen = new Map();
    for (const node of items.node.nodes("itemListElement")) {
      const position = number(node.get("position"));
      if (!position) continue;
      const key = position.exponent > 200 ? String(position) : canonical(position);
      const before = seen.get(key);
      if (before) {
        yield {
          severity: "warning",
          node,
          prop: "position",
          message: `the position ${position} occurs twice in the list`,
          hint: "number the entries 1, 2, 3",
          related: [alsoAt("the first time", before, "position")],
        };
        return;
      }
      seen.set(key, node);
    }
  },
});
/** A number in one spelling. @param {Dec} value */
const canonical = (value) => {
  const plain = value.plain();
  const shortest = plain.includes(".") ? plain.replace(/\.?0+$/, "") : plain;
  return shortest === "-0" ? "0" : shortest;
};
rule("nutrition-without-unit", {
  authority: "vocabulary",
  types: ["NutritionInformation"],
  properties: () => NUTRIENTS,
  *check(food) {
    const amounts = [...food.node.props.keys()].filter((prop) => NUTRIENTS.includes(prop) && numberIn(food, prop));
    if (amounts.length) {
      yield food.info(
        amounts[0],
        `${joinWords(amounts)} ${amounts.length === 1 ? "has" : "have"} no unit`,
        `write ${clip(str(food.get(amounts[0])))} ${amounts[0] === "calories" ? "calories or kJ" : "g or mg"}`,
        { about: [subjectOf(food.node.parent || food.node), ...[...amounts].sort()] },
      );
    }
  },
});
rule("property-not-of-type", {
  authority: "vocabulary",
  concerns: (v, types, names) => types.length > 0 && names.some((name) => !v.propertiesOf(types).has(name)),
  *check(item) {
    const { vocabulary, node } = item;
    const types = [...node.types, ...addedTypes(item)];
    for (const name of node.props.keys()) {
      if (belongs(vocabulary, types, name) || (item.isA("Role") && linksOf(node).some(([, via]) => via === name)))
        continue;
      if (name === "isbn" && item.isA("Product")) continue; // as Google reads it
      const hint = item.context.moved.get(node)?.get(name) || homeOf(vocabulary, types, name);
      yield item.warning(name, `${name} is not a property of ${item.name}`, hint, { part: "key" });
    }
  },
});
/** @type {Record<string, string>} */
const HOLDERS = {
  Offer: "offers",
  AggregateRating: "aggregateRating",
  NutritionInformation: "nutrition",
  PostalAddress: "address",
  GeoCoordinates: "geo",
};
/** Where a property belongs: into an object that the item may have, else the types with the property. @param {Vocabulary} vocabulary @param {string[]} types @param {string} name */
const homeOf = (vocabulary, types, name) => {
  const owners = vocabulary.properties.get(name)?.d || [];
  for (const [owner, prop] of Object.entries(HOLDERS)) {
    if (owners.includes(owner) && belongs(vocabulary, types, prop)) return `put it into ${prop}, in an object of type ${owner}`;
  }
  const displayed = owners.length <= 3 ? joinWords(owners, "or") : owners.slice(0, 3).join(", ") + " and others";
  return `it belongs to ${displayed}`;
};
/** The types of schema.org that `additionalType` gives the node. @param {Item} item */
const addedTypes = (item) =>
  item
    .values("additionalType")
    .map(([, value]) => (value instanceof Thing ? value.id : value))
    .flatMap((value) => (typeof value === "string" && size(value) < 200 ? [bare(value) ?? ""] : []))
    .filter((name) => item.vocabulary.types.has(name));
rule("property-wrong-case", {
  authority: "vocabulary",
  sign: "miscased",
  *check(item) {
    const { node } = item;
    for (const [name, written, wrong] of misspelt(node, item.context.page)) {
      const isAlsoRight = wrong.length < /** @type {Value[]} */ (node.props.get(name)).length;
      yield item.warning(
        name,
        `the property is written ${quoted(written)}: letter case counts`,
        isAlsoRight ? `leave it out: ${name} is there too` : `write ${name}`,
        { index: wrong[0], part: "key", edits: isAlsoRight ? [] : renamed(item, name, written, name) },
      );
    }
  },
});
rule("rating-bounds-reversed", {
  authority: "vocabulary",
  types: ["Rating"],
  properties: named("bestRating", "worstRating"),
  *check(item) {
    const worst = numberIn(item, "worstRating"),
      best = numberIn(item, "bestRating");
    if (!best && worst && worst.compare(Dec.of("5")) >= 0)
      yield item.warning("worstRating", `worstRating (${worst}) is not below the usual best of 5`, "give bestRating");
    else if (best && !worst && best.compare(Dec.of("1")) <= 0)
      yield item.warning("bestRating", `bestRating (${best}) is not above the usual worst of 1`, "give worstRating");
    else if (best && worst && worst.compare(best) >= 0)
      yield item.warning(
        "worstRating",
        `bestRating (${best}) is not above worstRating (${worst})`,
        "swap the two, or correct one",
      );
  },
});
rule("rating-count-zero", {
  authority: "google",
  types: ["AggregateRating"],
  properties: named("ratingCount", "reviewCount"),
  *check(item) {
    const counts = ["ratingCount", "reviewCount"].filter((prop) => item.has(prop));
    if (!counts.length || !counts.every((prop) => numberIn(item, prop)?.isZero)) return;
    const [prop, ...others] = counts;
    yield item.warning(prop, `${prop} is 0`, "leave the rating out until the first one is given", {
      related: others.map((other) => [`${other} is 0 too`, [item.node, other]]),
    });
  },
});
rule("rating-out-of-range", {
  authority: "google",
  types: ["Rating", "AggregateRating"],
  properties: named("ratingValue"),
  *check(item) {
    const holders = linksOf(item.node);
    if (holders.length && !holders.some(([, via]) => STARS.has(via))) return; // a claim's truth or a work's age rating has a scale of its own
    const { properties } = item.vocabulary;
    const isBound = (/** @type {string} */ name) => name === "bestRating" || name === "worstRating";
    const unknown = [...item.node.props.keys()].slice(0, 200).filter((name) => !properties.has(name));
    if (unknown.some((name) => nearest(properties, name).some(isBound))) return; // the name is reported, which costs the scale
    const isUsual = !numberIn(item, "worstRating") && !numberIn(item, "bestRating");
    for (const [index, value] of item.values("ratingValue")) {
      const scale = scaleMissed(item, value);
      if (!scale) continue;
      const named = isUsual ? "the usual scale of 1 to 5" : `its scale of ${scale[0]} to ${scale[1]}`;
      let hint = "give bestRating and worstRating, or correct it";
      if (rating(value)?.value.isZero) {
        const counted = COUNTS.find((prop) => !(numberIn(item, prop)?.isZero ?? true));
        hint = counted ? `${counted} is ${numberIn(item, counted)}: give the average, or leave the rating out` : "leave the rating out until the first one is given";
      }
      yield item.warning("ratingValue", `the rating ${clip(str(value))} is outside ${named}`, hint, { index });
    }
  },
});
const INGREDIENT_LINE = rx("gi")`\n\s*\S|<br(?![\w])|<li(?![\w])|\s•\s`;
const INGREDIENT_AMOUNT = rx("g")`[,;]\s*(?:\d|[¼-¾⅓-⅞])`;
rule("recipe-ingredients-in-one-text", {
  authority: "google",
  types: ["Recipe"],
  properties: named("recipeIngredient"),
  *check(recipe) {
    const values = recipe.values("recipeIngredient");
    if (values.length !== 1 || typeof values[0][1] !== "string") return;
    const given = values[0][1],
      text = head(strip(given), 5000);
    const lines = recipe.node.block.syntax === "json-ld" ? (text.match(INGREDIENT_LINE) || []).length : 0;
    const amounts = (text.match(INGREDIENT_AMOUNT) || []).length;
    if (lines < 2 && amounts < 3) return;
    yield recipe.warning(
      "recipeIngredient",
      `${Math.max(lines, amounts) + 1} ingredients stand in one text (${quoted(given, 40)})`,
      "write a list with one ingredient each",
    );
  },
});
const TEXT_RANGES = new Set(["URL", "Text", "PropertyValue", "PronounceableText", "CssSelectorType", "XPathType"]);
rule("reference-as-text", {
  authority: "json",
  sign: "#",
  *check(item) {
    const {
      node,
      context: { page },
      vocabulary,
    } = item;
    if (!page.byId.size || node.block.syntax !== "json-ld") return;
    for (const [prop, values] of node.props) {
      for (const [index, value] of values.entries()) {
        if (typeof value !== "string" || !value.includes("#") || size(value) > 2000) continue;
        const target = page.byId.get(value) || page.byId.get(partition(page.base || "", "#")[0] + value);
        const known = vocabulary.properties.get(prop);
        if (!target || !known || known.r.some((each) => TEXT_RANGES.has(each))) continue;
        const [span, spelled] = item.rewrite(prop, value, index);
        yield item.warning(
          prop,
          `${clip(value)} is the @id of a node of this page, but stands here as a plain text`,
          `write {"@id": ${clip(spelled)}}`,
          { index, edits: [[span, `{"@id": ${spelled}}`]], related: [["the node", [target, null, null, "node"]]] },
        );
      }
    }
  },
});
rule("reference-dangling", {
  authority: "json",
  *page({ page }) {
    const isOwn = (/** @type {string} */ text) => text === page.url || text === page.base;
    const isOfThisPage = (/** @type {string} */ name) => {
      const [before, hash] = partition(name, "#");
      return name[0] === "#" || name.startsWith("_:") || (!!hash && isOwn(before));
    };
    const shortName = (/** @type {string} */ name) => {
      const [before, hash, fragment] = partition(name, "#");
      return hash && (isOwn(before) || before === "") ? `#${fragment}` : name;
    };
    /** @type {Map<string, string>|null} */
    let slips = null;
    for (const node of page.nodes) {
      if (!node.reference || node.foreign || node.id === null || !isOfThisPage(node.id)) continue;
      slips ||= slipsOf(page, shortName);
      const name = shortName(node.id);
      const known = slips;
      const slip = slipsOfName(name).find((each) => known.has(each));
      const intended = slip === undefined ? null : slips.get(slip);
      yield {
        severity: "warning",
        message: `no node of this page has the @id ${clip(name)}`,
        hint: intended ? `did you mean ${clip(intended)}?` : "add the node, or write its properties here",
        node,
        span: node.block.span(node, "@id"),
      };
    }
  },
});
/**
 * Every id of the page, complete and with one letter left out.
 * @param {Page} page
 * @param {(name: string) => string} shortName
 */
const slipsOf = (page, shortName) => {
  /** @type {Map<string, string>} */
  const slips = new Map();
  if (page.byId.size > 1000) return slips;
  for (const name of [...page.byId.keys()].map(shortName).reverse())
    for (const slip of slipsOfName(name)) slips.set(slip, name);
  return slips;
};
/** @param {string} name */
const slipsOfName = (name) => {
  const low = casefold(name).replace(/^[#/_:]+|[#/_:]+$/g, "");
  if (size(low) > 60) return [low];
  const letters = [...low];
  return [low, ...letters.map((_, n) => [...letters.slice(0, n), ...letters.slice(n + 1)].join(""))];
};
const REPEATED = ["sameAs", "image", "url", "keywords", "recipeCategory", "recipeCuisine", "gtin", "sku"];
rule("repeated-value", {
  authority: "waypost",
  properties: () => REPEATED,
  sign: "several",
  *check(item) {
    for (const prop of REPEATED) {
      const seen = new Set();
      for (const [index, value] of item.values(prop)) {
        if (typeof value !== "string") continue;
        if (seen.has(value)) {
          yield item.info(prop, `${prop} gives ${quoted(value)} twice`, "leave the second out", { index });
          break;
        }
        seen.add(value);
      }
    }
  },
});
rule("role-without-its-property", {
  authority: "vocabulary",
  types: ["Role"],
  *check(role) {
    const vias = unique(linksOf(role.node).map(([, via]) => via)).sort();
    if (vias.length && !vias.some((via) => role.has(via))) {
      yield role.warning(
        null,
        `the ${role.name} in ${vias[0]} has no ${vias[0]} of its own`,
        `put the real value into its ${vias[0]}`,
        { property: vias[0] },
      );
    }
  },
});
const SALARY_UNITS = ["HOUR", "DAY", "WEEK", "MONTH", "YEAR"];
const INTENDED_UNITS = new Map(
  Object.entries({
    HOURLY: "HOUR",
    HR: "HOUR",
    DAILY: "DAY",
    WEEKLY: "WEEK",
    MONTHLY: "MONTH",
    YEARLY: "YEAR",
    ANNUALLY: "YEAR",
    ANNUAL: "YEAR",
    ANNUM: "YEAR",
    PA: "YEAR",
  }),
);
rule("salary-unit-unknown", {
  authority: "google",
  types: ["QuantitativeValue", "MonetaryAmount"],
  properties: named("unitText"),
  *check(item) {
    const isSalary = linksOf(item.node).some(
      ([holder, via]) =>
        via === "baseSalary" || (via === "value" && linksOf(holder).some(([, further]) => further === "baseSalary")),
    );
    if (!isSalary) return;
    for (const [index, value] of item.values("unitText")) {
      if (typeof value !== "string" || SALARY_UNITS.includes(strip(value))) continue;
      const word = withoutPrefix(strip(value).toUpperCase(), "PER ").replace(/\.+$/, "").replaceAll(".", "");
      const single = withoutSuffix(word, "S");
      const intended = SALARY_UNITS.includes(single) ? single : (INTENDED_UNITS.get(word) ?? null);
      yield item.warning(
        "unitText",
        `${quoted(value)} is not a unit of a salary`,
        `write ${intended || SALARY_UNITS.join(", ")}`,
        { index, edits: item.fixes("unitText", intended, index) },
      );
    }
  },
});
/**
 * What takes its place today; a successor may have been superseded itself.
 * @param {Vocabulary} vocabulary
 * @param {string} name
 */
const successorsOf = (vocabulary, name) => {
  let found = [name];
  for (let n = 0; n < 5; n++) {
    const further = found.flatMap((each) => {
      const late = vocabulary.properties.get(each)?.s || [];
      return late.length ? late : [each];
    });
    if (further.join() === found.join()) break;
    found = further;
  }
  return found;
};
rule("superseded-property", {
  authority: "vocabulary",
  properties: (v) => [...v.kinds.superseded].filter((name) => name !== "menu"),
  *check(item) {
    const { vocabulary, node } = item;
    for (const name of node.props.keys()) {
      if (name === "menu" || !vocabulary.kinds.superseded.has(name)) continue;
      const successors = successorsOf(vocabulary, name);
      const [only] = successors;
      const ranges = vocabulary.properties.get(name)?.r || [],
        takes = vocabulary.properties.get(only)?.r || [];
      const isSafe =
        successors.length === 1 &&
        ranges.length > 0 &&
        vocabulary.properties.has(only) &&
        ranges.every((each) => takes.includes(each));
      yield item.warning(
        name,
        `${name} has been superseded by ${joinWords(successors, "or")}`,
        `use ${joinWords(successors, "or")}`,
        { part: "key", edits: isSafe && !node.props.has(only) ? renamed(item, name, name, only) : [] },
      );
    }
  },
});
rule("superseded-type", {
  authority: "vocabulary",
  concerns: (v, types) => types.some((name) => v.types.get(name)?.s.length),
  *check(item) {
    const { types } = item.vocabulary;
    for (const name of item.node.types) {
      const late = types.get(name)?.s || [];
      if (!late.length) continue;
      const only = late.length === 1 && types.has(late[0]) ? late[0] : null, stated = item.ofType(name);
      yield stated.warning(
        null,
        `the type ${name} has been superseded by ${joinWords(late, "or")}`,
        `use ${joinWords(late, "or")}`,
        {
          part: "type",
          edits: only ? renamed(stated, null, name, only) : [],
          safe: ["Code", "Season", "Taxi"].includes(name),
        },
      );
    }
  },
});
const ESCAPED_TWICE = /&amp;(?:amp|lt|gt|quot|apos|nbsp|#[0-9]{1,6}|#x[0-9a-f]{1,5});/i;
const ESCAPED_IN_HTML = /&(?:amp|quot|apos|nbsp|#0?39|#x27);/i;
const ESCAPED_ONCE = /&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|[nm]dash|hellip|#[0-9]{1,6}|#x[0-9a-f]{1,5});/i;
const ANY_TAG = /<\/?[a-z][^<>]{0,300}>/i;
/**
 * Every text of the nodes with an ampersand that may be a reference.
 * @param {RuleContext} context
 * @returns {Generator<{node: Thing, prop: string, index: number, value: string}>}
 */
function* withReferences(context) {
  for (const node of context.displayed.get("&") || []) {
    for (const [prop, values] of node.props) {
      for (const [index, value] of values.entries()) {
        if (typeof value === "string" && value.includes("&") && value.includes(";") && !ANY_TAG.test(value))
          yield { node, prop, index, value };
      }
    }
  }
}
rule("text-double-escaped", {
  authority: "google",
  *page(context) {
    for (const { node, prop, index, value } of withReferences(context)) {
      const inJson = node.block.syntax === "json-ld";
      if (
        inJson
          ? !ESCAPED_TWICE.test(value)
          : ["text", "articleBody", "reviewBody"].includes(prop) || !ESCAPED_IN_HTML.test(value)
      )
        continue;
      let plain = value;
      for (let n = 0; n < 5; n++) plain = unescaped(plain);
      const item = new Item(node, context);
      const before = [...value.slice(0, value.indexOf("&"))],
        after = [...value.slice(value.indexOf("&"))];
      yield item.warning(
        prop,
        `${prop} is escaped for HTML twice: ${clip([...before.slice(-20), ...after.slice(0, 30)].join(""), 50)}`,
        size(plain) <= 50 ? `write ${clip(plain, 50)}` : "escape it once less: JSON needs no HTML escapes at all",
        { index, edits: inJson ? [item.rewrite(prop, plain, index)] : [] },
      );
    }
  },
});
rule("text-with-entities", {
  authority: "json",
  *page(context) {
    /** @type {Map<number, {node: Thing, prop: string, index: number, value: string}[]>} */
    const found = new Map();
    for (const each of withReferences(context)) {
      if (each.node.block.syntax === "json-ld" && ESCAPED_ONCE.test(each.value) && !ESCAPED_TWICE.test(each.value))
        addTo(found, each.node.block.index, each);
    }
    for (const places of found.values()) {
      const [{ node, prop, index, value }] = places;
      const [first] = /** @type {RegExpExecArray} */ (ESCAPED_ONCE.exec(value));
      const more = places.length > 1 ? ` (and ${places.length - 1} more in this block)` : "";
      /** @type {Map<string, [Span, string]>} */
      const edits = new Map();
      for (const each of places) {
        const plain = unescaped(each.value);
        if (ANY_TAG.test(plain) || edits.size >= 1000) continue;
        const edit = new Item(each.node, context).rewrite(each.prop, plain, each.index);
        const key = `${edit[0].start} ${edit[0].end}`;
        if (!edits.has(key)) edits.set(key, edit);
      }
      yield new Item(node, context).info(
        prop,
        `${prop} holds ${first}, an HTML entity, which JSON does not know${more}`,
        `write ${repr(unescaped(first))} in its place`,
        { index, edits: [...edits.values()], about: [] },
      );
    }
  },
});
rule("total-time-too-short", {
  authority: "vocabulary",
  types: ["Recipe", "HowTo"],
  properties: named("totalTime"),
  *check(recipe) {
    const total = readDuration(recipe.text("totalTime") || "");
    if (!total || total.months || total.isEmpty) return;
    for (const part of ["prepTime", "cookTime", "performTime"]) {
      const spent = readDuration(recipe.text(part) || "");
      if (!spent || spent.months || spent.seconds <= total.seconds) continue;
      yield recipe.warning(
        "totalTime",
        `the total time (${recipe.text("totalTime")}) is shorter than ${part} (${recipe.text(part)})`,
        `correct totalTime or ${part}`,
        { related: [alsoAt(part, recipe.node, part)] },
      );
      return;
    }
  },
});
const NAMELESS = /^https?:\/\/(?:www\.)?schema\.org\/*#?$/i;
const ABOUT_A_SUBJECT = /^https?:\/\/(?:[a-z-]+\.){0,3}(?:wikipedia|wikidata)\.org\//i;
const QUOTED_HOME = /^["'“”„]+(https?:\/\/(?:www\.)?schema\.org\/[^"'“”„]+)["'“”„]*$/i;
rule("type-address-wrong", {
  authority: "vocabulary",
  *page(context) {
    const { page, vocabulary } = context;
    for (const node of page.nodes) {
      if (!node.foreign || node.sameAs) continue;
      for (const text of node.types) {
        if (size(text) > 200) continue;
        const [, inside] = QUOTED_HOME.exec(text) || [], name = (inside || text).split(/[/#]/).pop() || "";
        if (NAMELESS.test(text)) {
          yield new Item(node, context).error(
            null,
            `${quoted(text)} is not a type: the name is missing`,
            "put the name of the type behind it, as in https://schema.org/Recipe",
            { part: "type" },
          );
        } else if (ABOUT_A_SUBJECT.test(text)) {
          yield new Item(node, context).warning(
            null,
            `${quoted(text)} is an article about a subject, not a type: search engines skip this item`,
            "take a type of schema.org, and give the article as its sameAs or additionalType",
            { part: "type" },
          );
        } else if (inside || isMisspelledHome(text)) {
          const intended = vocabulary.types.has(name) ? name : vocabulary.intendedType(name);
          if (intended)
            yield new Item(node, context).error(
              null,
              `${quoted(text)} is not a type of schema.org`,
              `write https://schema.org/${intended}`,
              { part: "type" },
            );
        }
      }
    }
  },
});
rule("type-missing", {
  authority: "vocabulary",
  concerns: (_, types, names) => names.length > 0 && !types.length,
  *check(item) {
    const {
      node,
      vocabulary: { properties },
    } = item;
    const known = node.block.syntax === "json-ld" ? [...node.props.keys()].filter((prop) => properties.has(prop)) : [];
    if (!known.length) return;
    if (!node.parent && !node.referrers.length) {
      const owner = (/** @type {string} */ prop) => (properties.get(prop)?.d || ["Thing"]).join();
      const telling = known.find((prop) => !/^Thing$|,/.test(owner(prop)));
      const own = telling ? `: ${telling} is a property of ${owner(telling)}` : " with the type of the item, such as Product or Organization";
      yield item.warning(null, `the object with ${joinWords(known.slice(0, 3))} has no @type`, `add "@type"${own}`);
      return;
    }
    const expected = (properties.get(node.via || "")?.r || []).filter((name) => !DATA_TYPES.has(name));
    if (expected.length === 1) return;
    const choice = expected.length ? `one of ${joinWords(expected.slice(0, 4), "or")}` : "the type of the item";
    yield item.info(null, `the ${node.via || "node"} has no @type`, `add "@type": ${choice}`);
  },
});
rule("type-wrong-case", {
  authority: "vocabulary",
  sign: "miscased",
  *check(item) {
    for (const [canonicalName, spelled] of item.node.miscased || []) {
      if (!canonicalName.startsWith("@type:")) continue;
      const intended = canonicalName.slice(6), stated = item.ofType(intended);
      const severity = item.context.costlyTypes.has(item.node) ? "error" : "warning";
      yield stated.newDraft(severity, null, `the type is written ${quoted(spelled)}: letter case counts`, `write ${intended}`, {
        part: "type",
        edits: renamed(stated, null, spelled, intended),
      });
    }
  },
});
rule("unknown-property", {
  authority: "vocabulary",
  concerns: (v, _, names) => names.some((name) => !v.properties.has(name)),
  *check(item) {
    const { node, vocabulary } = item;
    if (node.types.some((name) => !vocabulary.types.has(name) && !name.includes(":"))) return;
    const strange = [...node.props.keys()].filter((name) => {
      const [stem, , form] = rpartition(name, "-");
      return (
        !vocabulary.properties.has(name) &&
        !name.includes(":") &&
        !item.context.also.has(name) &&
        !((form === "input" || form === "output") && vocabulary.properties.has(stem))
      );
    });
    for (const name of strange.slice(0, 50)) {
      if (mayBeDefinedElsewhere(item, name)) continue;
      const hint =
        item.context.moved.get(node)?.get(name) ||
        didYouMean(nearest(vocabulary.properties, name), name) ||
        didYouMean(item.context.otherNames.intended(name).filter((/** @type {string} */ prop) => belongs(vocabulary, node.types, prop)), name) ||
        (vocabulary.types.has(name) && `${name} is a type: name the property that holds it`) ||
        (name.includes(",") && node.block.syntax !== "json-ld" && "separate several names with spaces") ||
        null;
      if (hint) yield item.warning(name, `schema.org has no property ${quoted(name)}`, hint, { part: "key" });
      else
        yield item.warning(
          name, `the property ${quoted(name)} is not in schema.org ${vocabulary.release}`,
          "check the name, or list it under [vocabulary] in waypost.toml", { part: "key" },
        );
    }
  },
});
/** @type {Record<string, string>} */
const SYNTAX_NAMES = { "json-ld": "JSON-LD", microdata: "Microdata", rdfa: "RDFa" };
rule("syntaxes-differ", {
  authority: "google",
  *page(context) {
    const roots = context.page.roots.slice(0, 200);
    if (new Set(roots.map((root) => root.block.syntax)).size < 2) return;
    /** @type {Map<string, Thing>} */
    const firsts = new Map();
    for (const root of roots) {
      const name = root.get("name");
      if (root.foreign || typeof name !== "string" || !context.vocabulary.areA(root.types, new Set(["Product"]))) continue;
      const first = firsts.get(strip(name)) || root;
      firsts.set(strip(name), first);
      if (first.block.syntax === root.block.syntax) continue;
      for (const [via, prop] of [["offers", "price"], ["offers", "availability"], ["aggregateRating", "ratingValue"]]) {
        const [one] = first.nodes(via), [other] = root.nodes(via);
        const [before, after] = [one, other].map((node) => (node ? node.get(prop) : null));
        if (before === null || after === null || !isOther(before, after)) continue;
        const syntax = SYNTAX_NAMES[first.block.syntax];
        yield new Item(other, context).info(
          prop, `${via}.${prop} is ${quoted(String(textOf(after)))} here and ${quoted(String(textOf(before)))} in ${syntax}`,
          "make both the same, or leave one of the two descriptions out",
          { related: [[`the product in ${syntax}`, [one, prop]]] },
        );
      }
    }
  },
});
/** Are both of one kind, and different? @param {any} one @param {any} other */
const isOther = (one, other) => {
  if (one instanceof Thing || other instanceof Thing) return textOf(one) !== null && textOf(other) !== null && textOf(one) !== textOf(other);
  const [before, after] = [number(one), number(other)];
  if (before && after) return before.compare(after) !== 0;
  return !before && !after && textOf(one) !== textOf(other);
};
const LISTS = new Set(["BreadcrumbList", "ItemList"]);
/** @type {Record<string, string>} */
const LIST_HINTS = {
  "json-ld": "put them into itemListElement of an object of type BreadcrumbList",
  microdata: 'add itemscope itemtype="https://schema.org/BreadcrumbList" to the element around them',
};
rule("list-item-outside-list", {
  authority: "google",
  *page(context) {
    const { page, vocabulary } = context;
    const loose = page.roots.filter((node) => node.types.includes("ListItem") && !node.foreign && node.props.size);
    if (!loose.length) return;
    const lists = page.nodes.filter((node) => !node.foreign && vocabulary.areA(node.types, LISTS));
    if (lists.some((node) => node.get("itemListElement") === null)) return;
    const isTrail = loose.some((node) => node.get("position") !== null && ["item", "name", "url"].some((name) => node.get(name) !== null));
    yield new Item(loose[0], context)[isTrail && !lists.length ? "error" : "warning"](
      null,
      loose.length === 1
        ? "this ListItem is outside a list, so it is the step of no trail"
        : `these ${loose.length} ListItems are outside a list, so they are the steps of no trail`,
      LIST_HINTS[loose[0].block.syntax],
      { part: "node", about: ["outside a list"] },
    );
  },
});
rule("unknown-type", {
  authority: "vocabulary",
  concerns: (v, types) => types.some((name) => !v.types.has(name)),
  *check(item) {
    const { types, members, release } = item.vocabulary;
    const isAlone = !item.node.types.some((name) => types.has(name));
    for (const name of item.node.types) {
      if (types.has(name) || name.includes(":") || !strip(name) || item.context.also.has(name)) continue;
      const stated = item.ofType(name);
      if (mayBeDefinedElsewhere(stated)) continue;
      let intended = nearest(types, name), message = `schema.org has no type ${quoted(name)}`, hint = didYouMean(intended, name);
      if (members.has(name)) hint = `it is a value of ${members.get(name)?.join(", ")}: use it as a property's value`;
      else if (name.includes(",") && name.split(",").every((part) => types.has(strip(part)))) {
        intended = name.split(",").map(strip);
        hint = "write several types as a list of strings, one type each";
      } else if (!hint) {
        message = `the type ${quoted(name)} is not in schema.org ${release}`;
        hint = didYouMean(endOf(types, name), name) || "take a type from https://schema.org/docs/full.html, or list it under [vocabulary] in waypost.toml";
      }
      const isCostly = isAlone && intended.length > 0 && costsResult(item.context, item.node, intended);
      yield stated[isCostly ? "error" : "warning"](null, message, hint, { part: "type" });
    }
  },
});
/** Does a node that is not read as one of these types cost a rich result: its own, or one of its holder? Counterpart of costs.py.
 * @param {RuleContext} context @param {Thing} node @param {string[]} types */
const costsResult = ({ profiles }, node, types) =>
  (!node.parent && profiles.featuresFor(types).some((/** @type {any} */ { feature: { profile } }) => profile.status !== "retired" && (profile.required || []).some(isStrict))) ||
  linksOf(node).some(([holder, prop]) => !holder.foreign && needsProperty(profiles, holder, prop));
/** @param {any} entry */
const isStrict = ({ when, beta, row, severity, basis = "table" }) =>
  !when && !beta && row !== "recommended" && !severity && (basis === "table" || basis === "prose");
/** Does a rich result of the holder require the property, with no alternative on the page? @param {any} profiles @param {Thing} holder @param {string} prop */
const needsProperty = (profiles, { types, props }, prop) =>
  profiles.featuresFor(types).some((/** @type {any} */ { feature: { profile } }) =>
    profile.status !== "retired" &&
    (profile.required || []).filter(isStrict).some((/** @type {any} */ { each, path, any_of = [], any_of_groups = [] }) => {
      const paths = each ? [each] : path ? [path] : [...any_of, ...any_of_groups.flat()];
      const names = new Set(paths.map((/** @type {string} */ text) => text.split(/[.[]/)[0]));
      return names.has(prop) && ![...names].some((name) => name !== prop && props.has(name));
    }),
  );
rule("wrong-type-of-thing", {
  authority: "vocabulary",
  *check(item) {
    const { node, vocabulary } = item;
    if (!node.types.length || (!node.parent && !node.referrers.length)) return;
    if (!node.referrers.length && (node.via === null || fits(vocabulary, node.types, node.via))) return;
    for (const [holder, prop] of linksOf(node)) {
      if (holder.foreign || fits(vocabulary, node.types, prop)) continue;
      const expected = (vocabulary.properties.get(prop)?.r || []).filter((name) => !DATA_TYPES.has(name));
      const displayed = expected.length <= 4 ? joinWords(expected, "or") : `${expected.slice(0, 4).join(", ")} and others`;
      yield {
        severity: "warning", node: holder, prop,
        index: Math.max((holder.props.get(prop) || []).slice(0, 1000).indexOf(node), 0),
        message: `${prop} of ${holder.types.join(" and ") || "the item"} has an object of type ${item.name}`,
        hint: `${prop} expects ${displayed}`,
      };
    }
  },
});
rule("rating-of-unsupported-type", {
  authority: "google",
  properties: named("aggregateRating", "review", "reviews"),
  *check(item) {
    const { node, vocabulary } = item;
    if (node.parent || !node.types.length || node.types.some((name) => !vocabulary.types.has(name))) return;
    const [{ reviewable }] = item.context.profiles.features.values();
    if (item.isA(...reviewable, "Review", "Rating")) return;
    for (const prop of ["aggregateRating", "review", "reviews"]) {
      const value = item.get(prop);
      if (!(value instanceof Thing) || !isPresent(value) || !belongs(vocabulary, node.types, prop)) continue;
      const message = `Google shows no stars for the rating of a ${item.name}`;
      yield item.warning(prop, message, "put it on the product, business or work that it rates", { part: "key" });
      return;
    }
  },
});
rule("rating-self-serving", {
  authority: "google",
  types: ["Organization"],
  properties: named("aggregateRating", "review", "reviews"),
  *check(item) {
    if (item.isA("VacationRental") || /^item(?:ListElement)?$/.test(item.node.via || "")) return;
    const isRating = (/** @type {string} */ prop) => ["aggregateRating", "review", "reviews"].includes(prop);
    const prop = [...item.node.props.keys()].find((each) => isRating(each) && item.get(each) instanceof Thing);
    if (prop === undefined) return;
    const message = `${item.name}: Google shows no stars for ratings that a business publishes about itself`;
    yield item.info(prop, message, "leave it as it is, and expect no stars from it", { part: "key" });
  },
});
rule("several-products", {
  authority: "google",
  *page(context) {
    const isA = (/** @type {Thing} */ { types }, /** @type {string} */ name) =>
      context.vocabulary.areA(types, new Set([name]));
    const products = context.page.roots.filter((root) => isA(root, "Product") && !isA(root, "ProductGroup"));
    const nameOfProduct = (/** @type {Thing} */ root) => root.get("name");
    const names = unique(products.map(nameOfProduct).filter((name) => typeof name === "string"));
    const second = products.find((root) => nameOfProduct(root) === names[1]);
    if (names.length < 2 || !second) return;
    yield new Item(second, context).info(
      null,
      `${names.length} products on this page: Google shows product results for pages about one`,
      "mark up each product on its own page, and the list as an ItemList of their addresses",
    );
  },
});
