// @ts-check
// Names of types and properties in the model, from addresses or bare words. Counterpart of waypost/reader/names.py.

import { ABSOLUTE } from "./context.js";
import { standardUrl } from "./urls.js";

/** @import { Vocabulary } from "./vocabulary.js" */

const SCHEMA_ADDRESS = /^https?:\/\/(?:www\.)?schema\.org\/+#?(?=.)/i;
const SCHEMA_WITHOUT_SCHEME = /^(?:(?:\/\/)?(?:www\.)?schema\.org\/+#?(?=.)|\/+(?=[A-Za-z]+$))/i;

/** [name, spelling that was corrected, was it an IRI] of an itemtype. @param {Vocabulary} vocabulary @param {string} written
 * @returns {[string, string|null, boolean]} */
export const typeName = (vocabulary, written) => {
  const schema = SCHEMA_ADDRESS.exec(written);
  if (!schema && written.includes(":")) return [written, null, true];
  const start = schema || SCHEMA_WITHOUT_SCHEME.exec(written);
  const name = start ? written.slice(start[0].length).replace(/\/+$/, "") : written;
  const intended = vocabulary.types.has(name) ? null : vocabulary.intendedType(name);
  return intended ? [intended, name, !!schema] : [name, null, !!schema];
};
/** [name, spelling that was corrected] of an itemprop. @param {Vocabulary} vocabulary @param {string} written
 * @returns {[string, string|null]} */
export const propertyName = (vocabulary, written) => {
  const schema = SCHEMA_ADDRESS.exec(written);
  if (!schema && written.includes(":")) return [written, null];
  const name = schema ? written.slice(schema[0].length).replace(/\/+$/, "") : written;
  const intended = vocabulary.properties.has(name) ? null : vocabulary.intendedProperty(name);
  return intended ? [intended, name] : [name, null];
};

/** A URL resolved against the page; as written where it is absolute, broken, or has nothing to resolve against.
 * @param {string} written @param {string|null} base */
export const resolveUrl = (written, base) => {
  const url = written.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "").replace(/[\t\n\r]/g, "");
  return !url || base === null || ABSOLUTE.test(url) ? url : (standardUrl(url, base)?.href ?? url);
};
