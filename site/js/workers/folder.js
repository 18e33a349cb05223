// The worker of a folder: reads and checks one file after the other. A worker has no parser of HTML, so that the page parses
// (the browser's own parser, a few milliseconds a page) and sends the tree; everything else happens here.

import { folderPage, unchecked } from "../workbench/folder-page.js";
import { unpacked } from "./tree.js";

/** @import { PackedTree } from "../workbench/packed.js" */

class TreeMissing extends Error {
  /** @param {string} source */
  constructor(source) {
    super("the tree of this page is not there yet");
    this.source = source;
  }
}

const worker = /** @type {any} */ (globalThis);
/** @type {Map<string, PackedTree>} */
const trees = new Map();
worker.DOMParser = class {
  /** @param {string} text */
  parseFromString(text) {
    const source = String(text), tree = trees.get(source);
    if (!tree) throw new TreeMissing(source);
    return unpacked(tree);
  }
};
/** Addresses of the engine's parts, by name. @type {Record<string, string>} */
let parts = {};
const rules = {
  createHTML: (/** @type {string} */ text) => text,
  createScriptURL: (/** @type {string} */ url) => {
    if (Object.values(parts).includes(url)) return url;
    throw new TypeError("no script of this site");
  },
};
worker.waypost = { policy: worker.trustedTypes?.createPolicy("waypost-parse", rules) || rules };
const load = (/** @type {string[]} */ ...names) => worker.importScripts(...names.map((name) => worker.waypost.policy.createScriptURL(parts[name])));

/** @type {Engine} */
let engine;
/** @type {((tree: PackedTree) => void)|null} */
let waiting = null;
const treeOf = (/** @type {number} */ number, /** @type {string} */ source) => new Promise((/** @type {(tree: PackedTree) => void} */ done) => {
  waiting = done;
  worker.postMessage({ parse: source, number });
});

/** @param {number} number @param {string} path @param {string} text @param {Partial<LintRequest>} request */
const checked = async (number, path, text, request) => {
  /** @type {any} */
  let page = null;
  trees.clear();
  for (;;) {
    try {
      const steps = engine.validating({ ...request, text, path, seen: (each) => { page = each; } });
      for (;;) {
        const { done, value } = steps.next();
        if (done) return folderPage(number, value, page);
      }
    } catch (error) {
      const part = /** @type {{part?: string}} */ (error).part;
      if (error instanceof TreeMissing) trees.set(error.source, await treeOf(number, error.source));
      else if (part && parts[part] && !engine.has(part)) load(part);
      else throw error;
    }
  }
};

/** @param {{files: File[], names: string[], largest: number, tooLarge: string, request: Partial<LintRequest>}} given */
const readAll = async ({ files, names, largest, tooLarge, request }) => {
  for (const [number, file] of files.entries()) {
    /** @type {import("../workbench/folder-page.js").FolderPage} */
    let page;
    try {
      page = file.size > largest ? unchecked(number, names[number], tooLarge) : await checked(number, names[number], await file.text(), request);
    } catch (error) {
      page = unchecked(number, names[number], /** @type {Error} */ (error).message);
    }
    worker.postMessage({ page });
  }
  worker.postMessage({ isDone: true });
};

worker.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
  if (data.tree) { waiting?.(data.tree); return; }
  parts = data.parts;
  load("drawing", "reading", "validating");
  engine = worker.Waypost.load(worker.WaypostRegistry);
  worker.postMessage({ isReady: true });
  readAll(data);
});
