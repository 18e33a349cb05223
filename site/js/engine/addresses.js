// @ts-check
// Addresses taken apart as Python's urllib.parse does (RFC 3986): the two interpreters must agree on every host.

import { partition, repr, rpartition } from "./text.js";

/** @param {string} text */
export const urlsplit = (text) => {
  let url = text.replace(/^[\0-\x20]+/, "").replace(/[\t\r\n]/g, "");
  let scheme = "",
    netloc = "",
    query = "",
    fragment = "";
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url);
  if (found) {
    scheme = found[1].toLowerCase();
    url = url.slice(found[0].length);
  }
  if (url.startsWith("//")) {
    const end = url.slice(2).search(/[/?#]/);
    netloc = end < 0 ? url.slice(2) : url.slice(2, end + 2);
    url = end < 0 ? "" : url.slice(end + 2);
    if (netloc.includes("[") !== netloc.includes("]")) throw new UrlError("Invalid IPv6 URL");
    if (netloc.includes("[")) checkBracketed(partition(partition(netloc, "[")[2], "]")[0]);
  }
  [url, , fragment] = partition(url, "#");
  [url, , query] = partition(url, "?");
  if (/[^\0-\x7f]/.test(netloc)) {
    const before = netloc.replace(/[@:#?]/g, ""),
      after = before.normalize("NFKC");
    if (before !== after && /[/?#@:]/.test(after)) {
      throw new UrlError(`netloc '${netloc}' contains invalid characters under NFKC normalization`);
    }
  }
  return { scheme, netloc, path: url, query, fragment };
};

export class UrlError extends Error {}
/** @param {string} host */
const checkBracketed = (host) => {
  if (host.startsWith("v")) {
    if (!/^v[a-fA-F0-9]+\..+$/.test(host)) throw new UrlError("IPvFuture address is invalid");
  } else if (/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/.test(host) && !host.endsWith(".")) {
    throw new UrlError("An IPv4 address cannot be in brackets");
  } else {
    const bare = host.replace(/%[^%]+$/, "");
    if (!URL.canParse(`http://[${bare}]/`)) {
      throw new UrlError(`${repr(host)} does not appear to be an IPv4 or IPv6 address`);
    }
  }
};

/** @param {string} netloc */
export const hostinfo = (netloc) => {
  const address = rpartition(netloc, "@")[2];
  const [, open, bracketed] = partition(address, "[");
  let host, port;
  if (open) {
    [host, , port] = partition(bracketed, "]");
    port = partition(port, ":")[2];
  } else [host, , port] = partition(address, ":");
  const [name, percent, zone] = partition(host, "%");
  return { host: name.toLowerCase() + percent + zone, port };
};

/** Parts of a URL; null where it cannot be read. @param {string|null} url */
export const splitUrl = (url) => {
  try {
    return url ? urlsplit(url) : null;
  } catch (error) {
    if (error instanceof UrlError) return null;
    throw error;
  }
};
/** Host, path and query of a URL. @param {string|null} url */
export const addressParts = (url) => {
  const parts = splitUrl(url);
  return parts && { host: hostinfo(parts.netloc).host, path: parts.path, query: parts.query };
};
/** Percent-encoding taken away; bytes that are no UTF-8 become U+FFFD. @param {string} text */
export const unquoted = (text) =>
  text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (found) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(found.slice(1).split("%"), (each) => parseInt(each, 16)),
    ),
  );
