// Colours of a line of HTML or JSON. A line is read with the state that the one before it left, so only the lines that
// are seen are read: a page of a megabyte is typed in like a short one.
//
// States: "h" text of a page, "c" comment, "j" JSON in a script, "J" JSON alone, "r" any other script or style, and in a
// tag "t", followed by the state after it and by the quote that is open.

const IN_TAG = /\s+|[^\s=>"'/]+|[=/]|"[^"]*"?|'[^']*'?|>/y;
const IN_JSON = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],:]|[^"\d{}[\],:]+?(?=["\d{}[\],:-]|\b(?:true|false|null)\b|$)|./y;
const TAG_START = /<(\/?[a-z][\w:-]*)/iy;
const SCRIPT_END = /<\/(?:script|style)\b/i;

/** The state at the beginning of a text. @param {string} text */
export const firstState = (text) => (/^\ufeff?\s*[[{]/.test(text) ? "J" : "h");

/** The tokens of a line, as [class or "", text], and the state of the next line.
 * @param {string} line @param {string} state @returns {[[string, string][], string]} */
export const tokensOf = (line, state) => {
  /** @type {[string, string][]} */
  const tokens = [];
  const put = (/** @type {string} */ kind, /** @type {string} */ text) => { if (text) tokens.push([kind, text]); };
  let at = 0;
  while (at < line.length) {
    const [mode] = state;
    if (mode === "t") [at, state] = partOfTag(line, at, state, put);
    else if (mode === "c") {
      const end = line.indexOf("-->", at);
      put("p", line.slice(at, end < 0 ? undefined : end + 3));
      if (end < 0) break;
      [at, state] = [end + 3, "h"];
    } else if (mode === "h") [at, state] = inText(line, at, put);
    else {
      const end = mode === "J" ? -1 : line.slice(at).search(SCRIPT_END);
      const part = end < 0 ? line.slice(at) : line.slice(at, at + end);
      if (mode === "r") put("", part); else inJson(part, put);
      if (end < 0) break;
      [at, state] = [at + end, "h"];
    }
  }
  return [tokens, state];
};

/** Up to the next tag or comment. @param {string} line @param {number} at @param {(kind: string, text: string) => void} put @returns {[number, string]} */
const inText = (line, at, put) => {
  const next = line.indexOf("<", at);
  if (next < 0) { put("", line.slice(at)); return [line.length, "h"]; }
  put("", line.slice(at, next));
  if (line.startsWith("<!--", next)) return [next, "c"];
  TAG_START.lastIndex = next;
  const found = TAG_START.exec(line);
  if (!found) { put("", "<"); return [next + 1, "h"]; }
  put("k", found[0]);
  return [next + found[0].length, /^(?:script|style)$/i.test(found[1]) ? "tr" : "th"];
};

/** One part of a tag. @param {string} line @param {number} at @param {string} state @param {(kind: string, text: string) => void} put @returns {[number, string]} */
const partOfTag = (line, at, state, put) => {
  const after = state[1], quote = state[2];
  if (quote) {
    const end = line.indexOf(quote, at);
    put("s", line.slice(at, end < 0 ? undefined : end + 1));
    return end < 0 ? [line.length, state] : [end + 1, `t${after}`];
  }
  IN_TAG.lastIndex = at;
  const [part] = /** @type {RegExpExecArray} */ (IN_TAG.exec(line));
  if (part === ">") { put("k", part); return [at + 1, after]; }
  const quoted = part[0] === '"' || part[0] === "'";
  put(quoted ? "s" : /^[\s=/]/.test(part) ? "p" : "n", part);
  const holdsJson = after === "r" && /\bjson\b/i.test(part.replace("+", " "));
  const isOpen = quoted && (part.length === 1 || part[part.length - 1] !== part[0]);
  return [at + part.length, `t${holdsJson ? "j" : after}${isOpen ? part[0] : ""}`];
};

/** @param {string} text @param {(kind: string, text: string) => void} put */
const inJson = (text, put) => {
  for (let at = 0; at < text.length;) {
    IN_JSON.lastIndex = at;
    const part = IN_JSON.exec(text)?.[0] || text[at];
    at += part.length;
    const kind = part[0] === '"' ? (/^\s*:/.test(text.slice(at, at + 40)) ? "k" : "s") : /^(?:-?\d|true$|false$|null$)/.test(part) ? "n" : /^[{}[\],:]$/.test(part) ? "p" : "";
    put(kind, part);
  }
};
