// What a repair changes of a text, exactly.

/** The text with the edits of some findings made, from the end to the beginning; where two touch the same place the first wins.
 * @param {string} text @param {any[]} findings */
const mended = (text, findings) => {
  const places = byteOffsets(text);
  const edits = findings.flatMap((each) => each.fix.edits.map((/** @type {any} */ edit) => ({ from: places(edit.start), to: places(edit.end), text: edit.text })));
  edits.sort((one, other) => one.from - other.from || one.to - other.to);
  let made = "", at = 0;
  for (const edit of edits) {
    if (edit.from < at) continue;
    made += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return made + text.slice(at);
};

/** UTF-16 offset of a byte of the text's UTF-8. @param {string} text @returns {(byte: number) => number} */
const byteOffsets = (text) => {
  /** @type {Map<number, number>} */
  const known = new Map();
  let byte = 0;
  for (let at = 0; at < text.length;) {
    known.set(byte, at);
    const point = /** @type {number} */ (text.codePointAt(at));
    byte += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    at += point > 0xffff ? 2 : 1;
  }
  known.set(byte, text.length);
  return (wanted) => known.get(wanted) ?? text.length;
};
