// Takes the place of what the page says without a script, once everything it needs is there.

(async () => {
  const home = document.getElementById("workbench");
  const kind = home?.getAttribute("data-workbench");
  const benches = { preview: previewBench, validate: validateBench };
  if (!home || !kind || !globalThis.Waypost || !globalThis.WaypostRegistry || !globalThis.WaypostWorkbench) return;
  const engine = globalThis.Waypost.load(globalThis.WaypostRegistry);
  const bench = benches[kind](home, engine, globalThis.WaypostWorkbench);
  const restore = async () => {
    const value = await unpacked(location.hash);
    if (value) bench.restore(value);
    else if (kind === "preview" && /^#kind=[a-z-]+$/.test(location.hash)) {
      const name = location.hash.slice(6);
      if (Object.hasOwn(globalThis.WaypostWorkbench.kinds, name)) bench.begin(name);
    }
  };
  addEventListener("hashchange", restore);
  await restore();
  home.setAttribute("data-ready", "");
})();
