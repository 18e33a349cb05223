// Runs before anything is painted: marks that scripts run, and applies the stored theme before the first paint.
(() => {
  "use strict";
  const root = document.documentElement;
  root.dataset.js = "";
  try {
    const stored = localStorage.getItem("waypost-theme");
    if (stored === "light" || stored === "dark") root.dataset.theme = stored;
  } catch { /* storage is blocked: the system's theme applies */ }
})();
