// The engine of this page. It comes in parts (src/waypost/pages/bundle.py): what is asked of it says which part is not
// there yet, the part is loaded, and it is asked again. What is under way is told in words, and so is what fails.

const SLICE_MS = 20;
/** What the parts are to somebody who waits for them. */
const PARTS = {
  drawing: "what draws cards",
  reading: "the reader of pages and the vocabulary",
  judging: "the rules",
  mending: "the reader of broken JSON",
  guessing: "what values can only mean",
  advising: "the programs that make pages",
  examples: "the examples",
  surfaces: "the rulers of titles",
};

/** @type {Set<string>} */
const loadedParts = new Set();
/** Some parts, loaded together. @param {string[]} names @param {(words: string) => void} say */
const partsAre = async (names, say) => {
  say(`Loading ${names.map((name) => PARTS[name]).join(", ")}…`);
  await Promise.all(names.map(globalThis.waypost.part));
  for (const name of names) loadedParts.add(name);
  say("");
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

/** The part that a fault names is loaded; any other fault goes on. @param {any} fault @param {(words: string) => void} say */
const partOf = async (fault, say) => {
  if (!fault?.part || loadedParts.has(fault.part)) throw fault;
  await partsAre([fault.part], say);
};

/** What the engine says, as soon as every part that is needed for it is there.
 * @param {(engine: any) => any} work @param {(words: string) => void} say */
const answered = async (work, say) => {
  for (;;) {
    try {
      return work(engineOf());
    } catch (fault) {
      await partOf(fault, say);
    }
  }
};

/** What judging needs in any case. @param {(words: string) => void} say */
const judgingParts = async (say) => {
  const later = ["reading", "judging"];
  const missing = globalThis.Waypost ? later.filter((part) => !engineOf().has(part)) : ["drawing", ...later];
  if (missing.length) await partsAre(missing, say);
};

/** The report about a text, made in slices so that the page stays alive: null as soon as it is no longer wanted.
 * @param {any} asked @param {() => boolean} isWanted @param {(words: string) => void} say */
const judged = async (asked, isWanted, say) => {
  await judgingParts(say);
  while (isWanted()) {
    try {
      const steps = engineOf().validating(asked);
      for (let began = performance.now(); ;) {
        const { done, value } = steps.next();
        if (done) {
          await new Promise((go) => setTimeout(go)); // a task of its own for what is drawn of it
          return isWanted() ? value : null;
        }
        if (performance.now() - began < SLICE_MS) continue;
        say("Checking…");
        await new Promise((go) => setTimeout(go));
        if (!isWanted()) return null;
        began = performance.now();
      }
    } catch (fault) {
      await partOf(fault, say);
    }
  }
  return null;
};
