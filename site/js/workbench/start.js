// Replaces the page's text for readers without scripts.

import { unpacked } from "./share.js";

/** What is in the box stays in the history of the tab, so that Back and a reload find it; a link holds its own. @param {Json} value or null */
export const keep = (value) => {
  try {
    history.replaceState(value && { bench: value }, "");
  } catch { /* too much for this browser, or too often: what was kept stays */ }
};

/** @typedef {{restore: (value: Json) => void, begin?: (kind: string) => void}} Bench */
/** @param {(home: HTMLElement) => Bench|Promise<Bench>} makeBench */
export const start = async (makeBench) => {
  const home = document.getElementById("workbench");
  if (!home) return;
  await new Promise((go) => setTimeout(go)); // a task of its own: reading the scripts was one
  const stored = history.state?.bench; // an empty bench keeps nothing
  const bench = await makeBench(home);
  const restore = async () => {
    const value = await unpacked(location.hash);
    if (value) bench.restore(value);
    else if (bench.begin && /^#kind=[a-z-]+$/.test(location.hash)) bench.begin(location.hash.slice(6));
  };
  addEventListener("hashchange", restore);
  if (stored) bench.restore(stored);
  else await restore();
  home.setAttribute("data-ready", "");
};
