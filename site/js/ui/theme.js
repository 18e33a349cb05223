// Light or dark: the system's setting until the reader chooses.

for (const button of document.querySelectorAll(".theme")) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const update = () => { button.ariaPressed = `${dark()}`; };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("waypost-theme", root.dataset.theme); } catch { /* it holds for this page */ }
    update();
  });
  system.addEventListener("change", update);
  update();
}
