// Two edits of the source that no fix makes: a comment that ignores a finding where it stands, and the names of the
// properties that an item lacks, without values, so that what is missing has its line. Counterpart of waypost/lsp/actions.py.

const WHY = "the reason";
const TAG = /^<[a-z]/i;
const DOCTYPE = /^\s*<!doctype[^>]*>\s*/i;
const NAMES = /(?:missing|needs?): ([A-Za-z, ]+)$/;
const JSON_START = /^\s*[[{]/;
const NAME = /^[A-Za-z]+$/;
const MISSING = /^(?:recommended-property-missing|required-property-missing|feature-not-eligible)$/;

/** Is the text JSON, which has no place for a comment? @param {string} text */
const isJson = (text) => JSON_START.test(text);

/** The start of the element that a finding is in. @param {string} text @param {number} from */
const elementAt = (text, from) => {
  const low = text.toLowerCase(), script = low.lastIndexOf("<script", from);
  if (script >= 0 && !low.slice(script, from).includes("</script")) return script;
  let at = from;
  while (at >= 0 && !TAG.test(text.slice(at, at + 2))) at = at > 0 ? text.lastIndexOf("<", at - 1) : -1;
  return at;
};

/** Texts in which a finding is ignored, from the narrowest: in its element, on the page. None for JSON.
 * @param {string} text @param {Finding} finding @returns {string[]} */
export const ignoring = (text, { rule, from }) => {
  if (isJson(text)) return [];
  const line = text.includes("\r\n") ? "\r\n" : "\n", at = elementAt(text, from), found = [];
  if (at >= 0) {
    const indent = text.slice(text.lastIndexOf("\n", at - 1) + 1, at), ends = indent.trim() ? "" : line + indent;
    found.push(`${text.slice(0, at)}<!-- waypost-ignore ${rule}: ${WHY} -->${ends}${text.slice(at)}`);
  }
  const top = DOCTYPE.exec(text)?.[0].length ?? 0;
  return [...found, `${text.slice(0, top)}<!-- waypost-ignore-file ${rule}: ${WHY} -->${line}${text.slice(top)}`];
};

/** Names of the properties that a finding misses in its own item. @param {Finding} finding @returns {string[]} */
const missingIn = ({ rule, message, property }) => {
  if (!MISSING.test(rule)) return [];
  const named = NAMES.exec(message)?.[1].split(/, | and /) ?? (/ missing$/.test(message) ? [message.replace(/ missing$/, "").split(/[ :]+/).pop() ?? ""] : []);
  return (named.length ? named : [property ?? ""]).filter((name) => NAME.test(name));
};

/** The text with the missing properties of an item of JSON-LD, each with an empty value to fill in; null where the item is not
 * an object that begins where the finding points. @param {string} text @param {Finding} finding @returns {string|null} */
export const withMissing = (text, finding) => {
  const names = missingIn(finding), { from } = finding;
  if (!names.length || finding.syntax !== "json-ld" || text[from] !== "{") return null;
  const rest = text.slice(from + 1), isEmpty = /^\s*\}/.test(rest), space = /^\s*/.exec(rest)?.[0] ?? "";
  const indent = space.includes("\n") ? `\n${space.slice(space.lastIndexOf("\n") + 1)}` : " ";
  const added = names.map((name) => `${indent}"${name}": ""`).join(",");
  return `${text.slice(0, from + 1)}${added}${isEmpty ? "" : ","}${rest}`;
};
