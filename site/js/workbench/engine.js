// The engine of this page. It comes in parts (src/waypost/pages/bundle.py): a call that needs a part which is not
// there yet names it; the part is loaded and the call repeated. Progress and failures are announced in words.

const SLICE_MS = 20;
/** Names of the parts for a reader who waits for them. */
const PARTS = {
  drawing: "what draws cards",
  reading: "the reader of pages and the vocabulary",
  validating: "the rules",
  repairing: "the reader of broken JSON",
  guessing: "what values can only mean",
  advising: "the programs that make pages",
  examples: "the examples",
  surfaces: "the rulers of titles",
};

/** @type {Set<string>} */
const loadedParts = new Set();
/** Some parts, loaded together. @param {string[]} names @param {(words: string) => void} announce */
const partsAre = async (names, announce) => {
  announce(`Loading ${names.map((name) => PARTS[name]).join(", ")}…`);
  await Promise.all(names.map(globalThis.waypost.part));
  for (const name of names) loadedParts.add(name);
  announce("");
};

/** @type {any} */
let made = null;
/** Throws what names a part, if that is not there. */
const engineOf = () => {
  if (!globalThis.Waypost) throw Object.assign(new Error("the engine is not there yet"), { part: "drawing" });
  return (made ||= globalThis.Waypost.load(globalThis.WaypostRegistry));
};

/** Kinds, and the words of cards. */
const shared = () => globalThis.WaypostWorkbench;

/** Load the part that an error names; throw any other error. @param {any} error @param {(words: string) => void} announce */
const partOf = async (error, announce) => {
  if (!error?.part || loadedParts.has(error.part)) throw error;
  await partsAre([error.part], announce);
};

/** What the engine returns, as soon as every part that is needed for it is there.
 * @param {(engine: any) => any} work @param {(words: string) => void} announce */
const answered = async (work, announce) => {
  for (;;) {
    try {
      return work(engineOf());
    } catch (error) {
      await partOf(error, announce);
    }
  }
};

/** Parts that every check needs. @param {(words: string) => void} announce */
const checkingParts = async (announce) => {
  const later = ["reading", "validating"];
  const missing = globalThis.Waypost ? later.filter((part) => !engineOf().has(part)) : ["drawing", ...later];
  if (missing.length) await partsAre(missing, announce);
};

/** The report about a text, made in slices so that the page stays alive: null as soon as a newer request replaces it.
 * @param {any} request @param {() => boolean} isCurrent @param {(words: string) => void} announce */
const validated = async (request, isCurrent, announce) => {
  await checkingParts(announce);
  while (isCurrent()) {
    try {
      const steps = engineOf().validating(request);
      for (let began = performance.now(); ;) {
        const { done, value } = steps.next();
        if (done) {
          await new Promise((go) => setTimeout(go)); // a task of its own for what is drawn of it
          return isCurrent() ? value : null;
        }
        if (performance.now() - began < SLICE_MS) continue;
        announce("Checking…");
        await new Promise((go) => setTimeout(go));
        if (!isCurrent()) return null;
        began = performance.now();
      }
    } catch (error) {
      await partOf(error, announce);
    }
  }
  return null;
};

/** What a browser did not do for want of RDFa, and the command that does. @param {number} items @param {string} done @param {string} command */
const rdfaWords = (items, done, command) => `${numbered(items, "item")} in RDFa ${items === 1 ? "was" : "were"} not ${done}: the browser does not read RDFa. Save the page and run: waypost ${command} page.html`;
