// Light or dark: what the system says until somebody chooses.
for (const button of document.querySelectorAll(".theme")) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const tell = () => { button.ariaPressed = dark(); };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("waypost-theme", root.dataset.theme); } catch { /* it holds for this page */ }
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}
