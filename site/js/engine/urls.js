// @ts-check
// Addresses put together: relative ones resolved as Python's urllib.parse does, or as the URL standard does.

import { urlsplit } from "./addresses.js";

const RELATIVE = new Set([
  "",
  "ftp",
  "http",
  "gopher",
  "nntp",
  "imap",
  "wais",
  "file",
  "https",
  "shttp",
  "mms",
  "prospero",
  "rtsp",
  "rtsps",
  "rtspu",
  "sftp",
  "svn",
  "svn+ssh",
  "ws",
  "wss",
]);
const PARAMS = new Set([
  "",
  "ftp",
  "hdl",
  "prospero",
  "http",
  "imap",
  "https",
  "shttp",
  "rtsp",
  "rtsps",
  "rtspu",
  "sip",
  "sips",
  "mms",
  "sftp",
  "tel",
]);
/** @param {string} text @param {string} [scheme] */
const urlparse = (text, scheme = "") => {
  const parts = { ...urlsplit(text), params: "" };
  parts.scheme ||= scheme;
  if (PARAMS.has(parts.scheme) && parts.path.includes(";")) {
    const at = parts.path.indexOf(";", Math.max(parts.path.lastIndexOf("/"), 0));
    if (at >= 0) {
      parts.params = parts.path.slice(at + 1);
      parts.path = parts.path.slice(0, at);
    }
  }
  return parts;
};

/** @param {{scheme: string, netloc: string, path: string, params?: string, query: string, fragment: string}} parts */
const urlunparse = ({ scheme, netloc, path, params = "", query, fragment }) => {
  let url = params ? `${path};${params}` : path;
  if (netloc || (scheme && RELATIVE.has(scheme) && !url.startsWith("//"))) {
    if (url && !url.startsWith("/")) url = `/${url}`;
    url = `//${netloc}${url}`;
  }
  if (scheme) url = `${scheme}:${url}`;
  if (query) url += `?${query}`;
  return fragment ? `${url}#${fragment}` : url;
};

/** @param {string} base @param {string} text */
export const urljoin = (base, text) => {
  if (!base) return text;
  if (!text) return base;
  const from = urlparse(base),
    to = urlparse(text, from.scheme);
  if (to.scheme !== from.scheme || !RELATIVE.has(to.scheme)) return text;
  if (to.netloc) return urlunparse(to);
  const { netloc } = from;
  if (!to.path && !to.params) {
    return urlunparse({ ...to, netloc, path: from.path, params: from.params, query: to.query || from.query });
  }
  const before = from.path.split("/");
  if (before[before.length - 1] !== "") before.pop();
  let segments = to.path.split("/");
  if (!to.path.startsWith("/")) {
    segments = [...before, ...segments];
    segments = segments.filter((each, n) => n === 0 || n === segments.length - 1 || each);
  }
  const path = [];
  for (const each of segments) {
    if (each === "..") path.pop();
    else if (each !== ".") path.push(each);
  }
  if ([".", ".."].includes(segments[segments.length - 1])) path.push("");
  return urlunparse({ ...to, netloc, path: path.join("/") || "/" });
};

/** @param {string} text */
export const urldefrag = (text) => (text.includes("#") ? urlunparse({ ...urlparse(text), fragment: "" }) : text);

/** A text as the URL standard reads it, null where it is none. A percent sign in a host, which some browsers leave there,
 * stands for a character that no host may have. @param {string} text @param {string|null} base @returns {URL|null} */
export const standardUrl = (text, base) => {
  try {
    const url = base ? new URL(text, base) : new URL(text);
    return url.hostname.includes("%") && /^(?:https?|ftp|wss?|file):$/.test(url.protocol) ? null : url;
  } catch {
    return null;
  }
};
