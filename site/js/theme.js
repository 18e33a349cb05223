// Runs before anything is painted: says that scripts run, and keeps the theme that was chosen, so that nothing flashes.
(() => {
  "use strict";
  const root = document.documentElement;
  root.dataset.js = "";
  try {
    const kept = localStorage.getItem("waypost-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch { /* storage is refused: the system's own theme holds */ }
})();
