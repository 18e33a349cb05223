// Replaces the page's text for readers without scripts.

/** @param {(home: HTMLElement) => {restore: (value: any) => void, begin?: (kind: string) => void}} makeBench */
const start = async (makeBench) => {
  const home = document.getElementById("workbench");
  if (!home) return;
  await new Promise((go) => setTimeout(go)); // a task of its own: reading the scripts was one
  const bench = makeBench(home);
  const restore = async () => {
    const value = await unpacked(location.hash);
    if (value) bench.restore(value);
    else if (bench.begin && /^#kind=[a-z-]+$/.test(location.hash)) bench.begin(location.hash.slice(6));
  };
  addEventListener("hashchange", restore);
  await restore();
  home.setAttribute("data-ready", "");
};
