// @ts-check
// Addresses of the web in documents. Counterpart of waypost/formats/web_addresses.py.

import { ABSOLUTE } from "./context.js";
import { isWebAddress } from "./safe.js";
import { partition, size, squeezed } from "./text.js";
import { standardUrl } from "./urls.js";

export const LONGEST_ADDRESS = 8_000;
const NOT_IN_URI = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu;
const STRAY_PERCENT = /%(?![0-9A-Fa-f]{2})/g;

/**
 * An absolute http(s) address as the URL standard writes it, and as RFC 3986 reads it.
 * @param {string} given
 * @param {string|null} base
 */
export const absolute = (given, base) => {
  const value = squeezed(given);
  if (!value || size(value) > LONGEST_ADDRESS) return null;
  if (!ABSOLUTE.test(value) && !/[/.#?]/.test(value)) return null;
  const url = standardUrl(value, base);
  return url && isWebAddress(url.href) && url.hostname ? asUri(url.href) : null;
};
/** @param {string} value */
export const asUri = (value) => {
  const [before, mark, query] = partition(value, "?");
  const [start, scheme, rest] = partition(before, "://");
  const brackets = (/** @type {string} */ text) => text.replaceAll("[", "%5B").replaceAll("]", "%5D");
  const [host, slash, path] = partition(rest, "/");
  const whole = scheme ? start + scheme + host + slash + brackets(path) + mark + brackets(query) : value;
  const [front, hash, fragment] = partition(whole, "#");
  return (front + hash + fragment.replaceAll("#", "%23"))
    .replace(NOT_IN_URI, encodeURIComponent)
    .replace(STRAY_PERCENT, "%25");
};
