// The engine of this page. It comes in parts (src/waypost/pages/bundle.py): a call that needs a part which is not
// there yet names it; the part is loaded and the call repeated. Progress and failures are announced in words.

const SLICE_MS = 20;
/** Names of the parts for a reader who waits for them. @type {Record<PartName, string>} */
const PARTS = {
  drawing: "what draws cards",
  reading: "the reader of pages and the vocabulary",
  validating: "the rules",
  rdfa: "the reader of RDFa",
  repairing: "the reader of broken JSON",
  guessing: "what values can only mean",
  advising: "the programs that make pages",
  examples: "the examples",
  surfaces: "the surfaces",
  displayed: "what people read on pages",
};

/** @type {Set<string>} */
const loadedParts = new Set();
/** Some parts, loaded together. @param {PartName[]} names @param {(words: string) => void} announce */
const partsAre = async (names, announce) => {
  announce(`Loading ${names.map((name) => PARTS[name]).join(", ")}…`);
  await Promise.all(names.map(globalThis.waypost.part));
  for (const name of names) loadedParts.add(name);
  announce("");
};

/** @type {Engine|null} */
let made = null;
/** Throws what names a part, if that is not there. */
export const engineOf = () => {
  if (!globalThis.Waypost) throw Object.assign(new Error("the engine is not there yet"), { part: "drawing" });
  return (made ||= globalThis.Waypost.load(globalThis.WaypostRegistry));
};

/** Kinds, and the words of cards. */
export const shared = () => globalThis.WaypostWorkbench;

/** Load the part that an error names; throw any other error. @param {unknown} error @param {(words: string) => void} announce */
export const partOf = async (error, announce) => {
  const part = /** @type {{part?: PartName}|undefined} */ (error)?.part;
  if (!part || loadedParts.has(part)) throw error;
  // The surfaces take names that the reader leaves.
  await partsAre(part === "surfaces" ? ["reading", "surfaces"] : [part], announce);
};

/** What the engine returns, as soon as every part that is needed for it is there.
 * @template T @param {(engine: Engine) => T} work @param {(words: string) => void} announce */
export const answered = async (work, announce) => {
  for (;;) {
    try {
      return work(engineOf());
    } catch (error) {
      await partOf(error, announce);
    }
  }
};

/** Parts that every check needs. @param {(words: string) => void} announce */
export const checkingParts = async (announce) => {
  /** @type {PartName[]} */
  const all = ["drawing", "reading", "validating"];
  const missing = globalThis.Waypost ? all.slice(1).filter((part) => !engineOf().has(part)) : all;
  if (missing.length) await partsAre(missing, announce);
};

/** The report about a text, made in slices so that the page stays alive: null as soon as a newer request replaces it.
 * @param {LintRequest} request @param {() => boolean} isCurrent @param {(words: string) => void} announce */
export const validated = async (request, isCurrent, announce) => {
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
