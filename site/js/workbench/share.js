// A link that holds what is on the page. It stands in the fragment, which is never sent to a server.

import { copied, el, withCommas } from "./dom.js";

const LONG_LINK = 8192;
const MOST_SHARED = 3 << 20;

/** @param {Uint8Array} bytes */
const toBase64Url = (bytes) => {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

/** @param {string} text */
const fromBase64Url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));

/** What is passed through a stream, no more than a limit. @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream|DecompressionStream} stream */
export const through = async (bytes, stream) => {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MOST_SHARED) throw new RangeError("the link holds more than a link should");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

/** The fragment that holds a value. @param {Json} value */
export const packed = async (value) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  if (typeof CompressionStream === "undefined") return `#j=${toBase64Url(bytes)}`;
  return `#s=${toBase64Url(await through(bytes, new CompressionStream("deflate-raw")))}`;
};

/** What a fragment holds, or null. It may come from a third party: it is treated as data only. @param {string} fragment */
export const unpacked = async (fragment) => {
  const found = /^#([sj])=([\w-]+)$/.exec(fragment);
  if (!found || found[2].length > 4 * MOST_SHARED) return null;
  try {
    let bytes = fromBase64Url(found[2]);
    if (found[1] === "s") bytes = await through(bytes, new DecompressionStream("deflate-raw"));
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};

/** A button that copies a link to what is shown. @param {() => any} value @param {Element} statusLine */
export const shareButton = (value, statusLine) => el("button", { class: "btn btn-s", type: "button", onclick: async (/** @type {{currentTarget: HTMLButtonElement|null, target: HTMLButtonElement}} */ event) => {
  const fragment = await packed(value());
  history.replaceState(null, "", fragment);
  const address = location.href;
  statusLine.textContent = address.length > LONG_LINK ? `The link has ${withCommas(address.length)} characters: some programs cut it.` : "";
  await copied(address, event.currentTarget ?? event.target);
} }, "Copy link");
