// @ts-check
// Rules about errors met while reading that are no tables (the others: schemas/checks/). Each is the counterpart of the
// module of its name in waypost/validate/rules/, which documents it.

rule("json-odd-space", {
  authority: "json",
  explain: (error) => ({
    severity: "error",
    message: `U+${hex(error.detail.code, 4).toUpperCase()} between values; JSON does not allow it as a space${countSuffix(error)}`,
    hint: "put a plain space there",
  }),
});
rule("jsonld-unknown-keyword", {
  authority: "json",
  explain: ({ detail: { written, intended }, span }) =>
    intended === written
      ? {
          severity: "warning",
          message: `${clip(written)} is not a keyword of JSON-LD: it is ignored with everything below it`,
          hint: /^.\p{Ll}/u.test(written) ? `properties have no @: ${clip(written.slice(1))}` : null,
        }
      : {
          severity: "error",
          message: `${written} is not a keyword of JSON-LD; ${intended} is, in lower case`,
          hint: `write ${intended}`,
          edits: [[span, `"${intended}"`]],
        },
});
/** The first four names of a list. @param {string[]} names */
const someNames = (names) => names.slice(0, 4).map((name) => clip(name, 30));
rule("microdata-itemref-cycle", {
  authority: "html",
  explain: ({ detail: { names } }) => ({
    severity: "warning",
    message: `itemref makes this item a part of itself (${joinWords(someNames(names))})`,
    hint: "point itemref at elements that do not hold this item",
  }),
});
rule("microdata-orphan-property", {
  authority: "html",
  explain: ({ detail: { names, count, isItem, isOfPage } }) => {
    const shown = joinWords([...someNames(names), ...(names.length > 4 ? ["others"] : [])]);
    if (isOfPage && !isItem)
      return {
        severity: "info",
        message: (count === 1 ? "the property" : `${count} properties`) + ` in the head, ${shown}, ` + (count === 1 ? "belongs" : "belong") + " to no item",
        hint: "leave itemprop out, or write itemscope and itemtype on the html element",
      };
    return isItem
      ? {
          severity: "info",
          message:
            count === 1
              ? `this item is the ${shown} of no item, so it is read as an item of the page`
              : `${count} items are properties of no item (${shown}), so they are read as items of the page`,
          hint: "leave itemprop out, or move the item into the one that it belongs to",
        }
      : {
          severity: "warning",
          message:
            count === 1
              ? `the property ${shown} is outside every item, so search engines skip it`
              : `${count} properties are outside every item, so search engines skip them: ${shown}`,
          hint: "move what belongs to an item into its element, or point to it with itemref",
        };
  },
});
rule("microdata-itemtype-without-itemscope", {
  authority: "html",
  *page({ page, vocabulary, tables }) {
    for (const readError of page.readErrors) {
      if (readError.rule !== "microdata-itemtype-without-itemscope") continue;
      const { type, lost, isValue, message, property } = readError.detail;
      const isCostly = lost && type && vocabulary.areA([type], tables.promised);
      yield {
        severity: isCostly && !page.nodes.some(({ types }) => types.includes(type)) ? "error" : "warning",
        message,
        property,
        hint: isValue ? "leave itemtype out here" : "add itemscope to the same tag",
        readError,
      };
    }
  },
});
