// @ts-check
// SHA-256: a fingerprint is needed at once, and the browser's own answers later.

import { hex } from "./text.js";

const UTF8 = new TextEncoder();
/** SHA-256 (FIPS 180-4) of a text in UTF-8, in hexadecimal. @param {string} text */
export const sha256 = (text) => {
  const data = UTF8.encode(text);
  const length = data.length,
    blocks = ((length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(data);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, length << 3);
  const state = Uint32Array.from(SHA_START);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < padded.length; offset += 64) {
    for (let n = 0; n < 16; n++) schedule[n] = view.getUint32(offset + n * 4);
    for (let n = 16; n < 64; n++) {
      const a = schedule[n - 15],
        b = schedule[n - 2];
      schedule[n] =
        schedule[n - 16] +
        schedule[n - 7] +
        (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
        (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let n = 0; n < 64; n++) {
      const one =
        (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[n] + schedule[n]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, n) => {
      state[n] += word;
    });
  }
  return [...state].map((word) => hex(word, 8)).join("");
};

/** @param {number} word @param {number} by */
const turn = (word, by) => (word >>> by) | (word << (32 - by));

/** The first 32 bits of the fractional parts of the cube or square roots of the first primes. */
const [SHA_ROUNDS, SHA_START] = (() => {
  /** @type {number[]} */
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((each) => n % each)) primes.push(n);
  const bits = (/** @type {number} */ root) => Math.floor((root % 1) * 2 ** 32) >>> 0;
  return [primes.map((each) => bits(Math.cbrt(each))), primes.slice(0, 8).map((each) => bits(Math.sqrt(each)))];
})();
