// Content of the box: nothing yet, an address, or a page. An address is fetched by a service, where there is
// one: a browser may not read the pages of other sites.

import { copyButton, el } from "./dom.js";

/** The largest page of a service (MOST_PAGE of src/waypost/api/handlers/page.py), and so of every box. */
export const LARGEST = 2 << 20;
export const TOO_LARGE = "larger than 2 MB. Check it with the command line.";
/** The most files of a folder: the table holds the findings of all of them. */
export const MOST_FILES = 2000;
const PAGES = /\.(?:html?|xhtml|json|jsonld|txt)$/i;
/** Name of a file, with its folders. @param {File} file */
export const fileName = (file) => file.path ?? (file.webkitRelativePath || file.name);
/** Pages among files, in the order of their names. @param {File[]} files */
export const pagesIn = (files) => files.filter((each) => PAGES.test(each.name)).sort((one, two) => (fileName(one) < fileName(two) ? -1 : 1));
/** Files of folders that were dropped, as deep as they are. @param {any[]} entries @returns {Promise<File[]>} */
export const filesBelow = async (entries) => {
  /** @type {File[]} */
  const found = [];
  const waiting = [...entries];
  while (waiting.length && found.length < 5 * MOST_FILES) {
    const entry = waiting.pop();
    if (entry.isFile) {
      /** @type {File} */
      const file = await new Promise((done, failed) => entry.file(done, failed));
      // A file that was dropped does not know its folders.
      file.path = entry.fullPath.replace(/^\//, "");
      found.push(file);
      continue;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) break;
      waiting.push(...some);
    }
  }
  return found;
};
const BARE_HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#]\S*)?$/u;

/** The address that a text is, or null. @param {string} text */
export const addressIn = (text) => {
  const given = text.trim();
  if (!given || given.length > 8192 || /\s|[<>{}"]/.test(given)) return null;
  const address = /^https?:\/\//i.test(given) ? given : BARE_HOST.test(given) ? `https://${given}` : "";
  return address && URL.canParse(address) ? address : null;
};

/** Page of the message of Search Console that a text is, or null: its sentences come with the index of the search. @param {string} text */
export const messagePage = async (text) => {
  const given = text.trim();
  if (given.length < 8 || given.length > 300 || /[{]|<\/|:\/\/|itemscope|\n.*\n/u.test(given)) return null;
  const { waypost } = globalThis;
  await Promise.all(["search", "search-rules", "search-messages"].map(waypost.part));
  const [path, id] = waypost.sentence(given)?.address.split("#") ?? [];
  const { root } = /** @type {HTMLElement} */ (document.querySelector(".find")).dataset;
  return path ? `${root}${path}index.html` + (id ? `#${id}` : "") : null;
};

const apiBase = document.querySelector('meta[name="waypost-api"]')?.getAttribute("content") || "";
export const isServed = location.protocol.startsWith("http");
/** Address of the service; empty in a page that was opened from a folder. */
export const serviceAt = apiBase || (isServed ? location.origin : "");

/** The service that this page came from: a service announces itself in a header (`Server-Timing`), a static host does not. */
export const knownService = apiBase || (/"waypost"/.test(JSON.stringify(performance.getEntries())) ? location.origin : "");

export const noServiceWords = () => (serviceAt
  ? `No page came back from a waypost service at ${serviceAt}. A browser may not read other sites.`
  : "This page was opened from a folder, so there is no service to fetch the address. A browser may not read other sites.");

/** Where a request of this page went, even one without an answer. */
let sentTo = "";
/** @param {string} address */
export const noteSent = (address) => { sentTo = address; };
export const sentWords = () => (sentTo ? `a request was sent to ${sentTo}` : "nothing was sent");

/** What fetches a page when Check is pressed. */
export const fetcher = knownService ? "the service" : "a waypost service, where one runs this site,";

/** The page at an address, fetched by the service. Throws an error whose message is for people; its `isAway` says that no service was there.
 * @param {string} address @returns {Promise<{url: string, status: number, text: string}>} */
export const fetchedPage = async (address) => {
  const away = () => Object.assign(new Error(noServiceWords()), { isAway: true });
  if (!serviceAt) throw away();
  let answer, data;
  noteSent(serviceAt);
  try {
    answer = await fetch(`${serviceAt}/api/page`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ url: address }), credentials: "omit", signal: AbortSignal.timeout(25_000) });
    data = await answer.json();
  } catch {
    throw away();
  }
  if (answer.ok && typeof data?.text === "string") return data;
  if (answer.status === 429) throw new Error(`Too many pages were requested: try again in ${answer.headers.get("Retry-After") || "a few"} seconds.`);
  if (typeof data?.code === "string") throw new Error(`${data.title}: ${data.detail}`);
  throw away();
};

/** What to do where an address cannot be fetched. @param {string} address */
export const insteadOfFetching = (address) => {
  const command = `waypost validate '${address.replaceAll("'", "%27")}'`;
  return el("div", { class: "stack stack-s" },
    el("p", { class: "note" }, "Open the page, choose View page source, copy everything and paste it here. Or in a terminal:"),
    el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, "On your own machine"), copyButton("Copy", command)), el("pre", { tabindex: "0", role: "group", "aria-label": "Command" }, el("code", {}, command))));
};
