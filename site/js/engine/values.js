// @ts-check
// What plain values say: numbers, prices, codes, check digits, addresses. The twin of waypost/values.py.

const MOST = 64;
const NUMBER = rx("af")`[+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})(?:[eE][+-]?\d{1,3})?`;
const HUGE = Dec.of("1e60");

/** A number or the text of one ("4.5", "-3", "1e3"), else null. @param {any} value @returns {Dec|null} */
const number = (value) => {
  if (typeof value === "string") {
    const text = strip(value);
    return size(text) <= MOST && NUMBER.test(text) ? Dec.of(text) : null;
  }
  if (value instanceof Num) {
    const exact = value.dec;
    return exact.abs.compare(HUGE) < 0 ? exact : null;
  }
  return null;
};

const FRACTION = rx("af")`([+-]?\d{1,9}(?:\.\d{1,9})?) ?/ ?(\d{1,9}(?:\.\d{1,9})?)`;
const PERCENT = rx("af")`([+-]?\d{1,9}(?:\.\d{1,9})?) ?%`;

/** A number, a percentage or a fraction, and what it is out of. @param {any} value */
const rating = (value) => {
  const plain = number(value);
  if (plain) return { value: plain, outOf: null };
  if (typeof value !== "string" || size(value) > MOST) return null;
  let found = PERCENT.exec(strip(value));
  if (found) return { value: Dec.of(found[1]), outOf: Dec.of("100") };
  found = FRACTION.exec(strip(value));
  return found ? { value: Dec.of(found[1]), outOf: Dec.of(found[2]) } : null;
};

const FREE = new Set(["free", "free of charge", "gratis", "kostenlos", "gratuit"]);
const MONEY_TEXT = rx("f")`[\d.,'’ ]*\d[\d.,'’ ]*`;
const CODE_OR_SIGN = rx(
  "g",
)`^(?:[A-Z]{3}|[A-Z]{0,2}[$€£¥₹₽₺₩₫₴]|zł|Kč|kr\.?)\s*|\s*(?:[A-Z]{3}|[$€£¥₹₽₺₩₫₴]|zł|Kč|kr\.?)$`;
const GROUPED = rx("f")`(\d{1,3}(?:(?<group>[.,'’ ])\d{3})(?:\k<group>\d{3})*)(?:(?<point>[.,])(?<cents>\d{1,2}))?`;
const CENTS = rx("f")`(\d+)[.,](\d{1,2})`;

/** The plain number that a price written for people can only mean, else null. @param {string} text */
const plainPrice = (text) => {
  let flat = words(text).join(" ");
  if (size(flat) > MOST) return null;
  if (FREE.has(casefold(flat))) return "0";
  flat = strip(flat.replace(CODE_OR_SIGN, ""));
  if (!MONEY_TEXT.test(flat)) return null;
  if (isDigits(flat)) return flat;
  const cents = CENTS.exec(flat);
  if (cents) return `${cents[1]}.${cents[2]}`;
  const found = GROUPED.exec(flat);
  if (!found || !found.groups || found.groups.group === found.groups.point) return null;
  const groups = (flat.match(/[.,'’ ]/g) || []).length;
  if (!found.groups.point && groups === 1 && ".,".includes(found.groups.group)) return null; // 1.299 may be one and a bit
  const digits = (found[1].match(DIGITS) || []).join("");
  return found.groups.point ? `${digits}.${found.groups.cents}` : digits;
};

/** GS1 General Specifications, 7.9. @param {string} digits */
const gs1CheckDigit = (digits) => {
  const total = [...digits].reverse().reduce((sum, digit, n) => sum + Number(digit) * (n % 2 ? 1 : 3), 0);
  return (10 - (total % 10)) % 10;
};
/** The last character of an ISBN-10 or ISSN: weights fall to 2, X is ten. @param {string} digits */
const mod11CheckDigit = (digits) => {
  const total = [...digits].reduce((sum, digit, n) => sum + Number(digit) * (digits.length + 1 - n), 0);
  const rest = (11 - (total % 11)) % 11;
  return rest === 10 ? "X" : String(rest);
};

const LANGUAGE_TAG = rx(
  "aif",
)`(?:[a-z]{2,3}(?:-[a-z]{3}){0,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+|i-[a-z]{2,8}`;
/** Formed like a BCP 47 language tag. @param {string} text */
const isLanguageTag = (text) => size(text) <= MOST && LANGUAGE_TAG.test(text);

// RFC 3986 addresses as Python's urllib.parse takes them apart: the two interpreters must agree on every host.

/** @param {string} text */
const urlsplit = (text) => {
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
    if (netloc.includes("[") !== netloc.includes("]")) throw new UrlFault("Invalid IPv6 URL");
    if (netloc.includes("[")) checkBracketed(partition(partition(netloc, "[")[2], "]")[0]);
  }
  [url, , fragment] = partition(url, "#");
  [url, , query] = partition(url, "?");
  if (/[^\0-\x7f]/.test(netloc)) {
    const before = netloc.replace(/[@:#?]/g, ""),
      after = before.normalize("NFKC");
    if (before !== after && /[/?#@:]/.test(after)) {
      throw new UrlFault(`netloc '${netloc}' contains invalid characters under NFKC normalization`);
    }
  }
  return { scheme, netloc, path: url, query, fragment };
};
class UrlFault extends Error {}
/** @param {string} host */
const checkBracketed = (host) => {
  if (host.startsWith("v")) {
    if (!/^v[a-fA-F0-9]+\..+$/.test(host)) throw new UrlFault("IPvFuture address is invalid");
  } else if (/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/.test(host) && !host.endsWith(".")) {
    throw new UrlFault("An IPv4 address cannot be in brackets");
  } else {
    const bare = host.replace(/%[^%]+$/, "");
    if (!URL.canParse(`http://[${bare}]/`)) {
      throw new UrlFault(`${repr(host)} does not appear to be an IPv4 or IPv6 address`);
    }
  }
};
/** @param {string} netloc */
const hostinfo = (netloc) => {
  const told = rpartition(netloc, "@")[2];
  const [, open, bracketed] = partition(told, "[");
  let host, port;
  if (open) {
    [host, , port] = partition(bracketed, "]");
    port = partition(port, ":")[2];
  } else [host, , port] = partition(told, ":");
  const [name, percent, zone] = partition(host, "%");
  return { host: name.toLowerCase() + percent + zone, port };
};
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
const urljoin = (base, text) => {
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
const urldefrag = (text) => (text.includes("#") ? urlunparse({ ...urlparse(text), fragment: "" }) : text);

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const NO_HOST = /[<>"^`{|}\\ %]/;
/**
 * A text as a URL: its scheme ("" when relative) and host; `fault` says why it is none.
 * @param {string} given @returns {{scheme: string, host: string, fault: string|null}}
 */
const address = (given) => {
  const text = strip(given);
  const found = SCHEME.exec(text);
  const scheme = found ? found[1].toLowerCase() : "";
  if (scheme !== "http" && scheme !== "https" && !text.startsWith("//")) return { scheme, host: "", fault: null };
  let host = "";
  try {
    const told = hostinfo(urlsplit(text).netloc);
    host = told.host;
    if (told.port && !isDigits(told.port)) {
      throw new UrlFault(`Port could not be cast to integer value as ${repr(told.port)}`);
    }
    if (told.port && Number(told.port) > 65535) throw new UrlFault("Port out of range 0-65535");
  } catch (fault) {
    if (!(fault instanceof UrlFault)) throw fault;
    return { scheme, host: "", fault: fault.message };
  }
  if (!host) return { scheme, host: "", fault: "it names no host" };
  if (NO_HOST.test(host) || hasSpace(host) || host.includes("..") || host.startsWith(".")) {
    return { scheme, host, fault: `${repr(host)} is no host name` };
  }
  return { scheme, host, fault: null };
};

/** A text as the URL standard reads it, null where it is none. A percent sign in a host, which some browsers leave there,
 * stands for a character that no host may have. @param {string} text @param {string|null} base @returns {URL|null} */
const standardUrl = (text, base) => {
  try {
    const url = base ? new URL(text, base) : new URL(text);
    return url.hostname.includes("%") && /^(?:https?|ftp|wss?|file):$/.test(url.protocol) ? null : url;
  } catch {
    return null;
  }
};

const PLAIN_ADDRESS = rx(
  "af",
)`https?://(?!localhost|127\.|10\.|192\.168\.)(?:[A-Za-z0-9](?:[A-Za-z0-9\-_]*[A-Za-z0-9])?\.)+(?!local\b|internal\b|lan\b|localhost\b)[A-Za-z]{2,24}(?::\d{1,5})?(?:[/?#][^\s{}<>\[\]%]*(?:%[0-9A-Fa-f]{2}[^\s{}<>\[\]%]*)*)?`;
/** A well-formed http(s) address of a public name, about which no rule has anything to say. @param {any} value */
const isPlainAddress = (value) => typeof value === "string" && size(value) < 300 && PLAIN_ADDRESS.test(value);
/** @param {any} value */
const isSound = (value) =>
  value instanceof Thing ? !value.reference || value.id === null || isPlainAddress(value.id) : isPlainAddress(value);
