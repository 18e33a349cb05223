// The files of a folder, read and checked: by a worker where the browser makes one, else here, in slices between which the
// page stays alive. A page that was opened from a folder of the disk has no worker in most browsers.

import { root } from "./dom.js";
import { folderPage, unchecked } from "./folder-page.js";
import { LARGEST, TOO_LARGE } from "./intake.js";
import { packed } from "./packed.js";

/** @typedef {import("./folder-page.js").FolderPage} FolderPage */

const WORKER_PARTS = ["drawing", "reading", "validating", "rdfa", "repairing", "guessing", "advising", "displayed"];

/** Addresses of the site's scripts, by name. */
const addresses = () => Object.fromEntries(globalThis.waypost.scripts.split(" ").map((each) => [each.split(".")[0], `${root}assets/${each}.js`]));

/** @param {File[]} files @param {string[]} names @param {Partial<LintRequest>} request @param {(page: FolderPage) => void} take @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether a worker did it */
const byWorker = (files, names, request, take, signal) => new Promise((done, failed) => {
  const urls = addresses();
  /** @type {Worker} */
  let worker;
  try {
    worker = new Worker(globalThis.waypost.policy.createScriptURL(urls.folder));
  } catch {
    done(false);
    return;
  }
  let isReady = false;
  const end = (/** @type {() => void} */ what) => { worker.terminate(); what(); };
  signal.addEventListener("abort", () => end(() => done(true)), { once: true });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    end(() => (isReady ? failed(new Error("The worker stopped: reload the page, or use the command line.")) : done(false)));
  });
  worker.addEventListener("message", ({ data }) => {
    if (data.isReady) isReady = true;
    else if (data.parse !== undefined) worker.postMessage({ tree: packed(new DOMParser().parseFromString(globalThis.waypost.policy.createHTML(data.parse), "text/html")) });
    else if (data.page) take(data.page);
    else if (data.isDone) end(() => done(true));
  });
  const parts = Object.fromEntries(WORKER_PARTS.map((name) => [name, new URL(urls[name], location.href).href]));
  worker.postMessage({ files, names, request, parts, largest: LARGEST, tooLarge: TOO_LARGE });
});

/** Check of the page: makes a report in slices, null once it is no longer current.
 * @typedef {(request: LintRequest, isCurrent: () => boolean, announce: (words: string) => void) => Promise<LintReport|null>} Validated */

/** @param {File[]} files @param {string[]} names @param {Partial<LintRequest>} request @param {(page: FolderPage) => void} take @param {AbortSignal} signal
 * @param {Validated} validated */
const inSlices = async (files, names, request, take, signal, validated) => {
  for (const [number, file] of files.entries()) {
    if (signal.aborted) return;
    if (file.size > LARGEST) { take(unchecked(number, names[number], TOO_LARGE)); continue; }
    try {
      /** @type {any} */
      let page = null;
      const report = await validated({ ...request, text: await file.text(), path: names[number], seen: (each) => { page = each; } }, () => !signal.aborted, () => {});
      if (report) take(folderPage(number, report, page));
    } catch (error) {
      take(unchecked(number, names[number], /** @type {Error} */ (error).message));
    }
  }
};

/** Read and check files; `take` gets each page in the order of the files.
 * @param {File[]} files @param {string[]} names @param {Partial<LintRequest>} request @param {(page: FolderPage) => void} take @param {AbortSignal} signal
 * @param {Validated} validated what checks a page where there is no worker
 * @returns {Promise<"worker"|"page">} where they were read */
export const readFiles = async (files, names, request, take, signal, validated) => {
  if (await byWorker(files, names, request, take, signal)) return "worker";
  await inSlices(files, names, request, take, signal, validated);
  return "page";
};
