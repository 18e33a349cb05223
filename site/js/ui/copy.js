// Copies the code of a figure.
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(".copy"))) {
  button.addEventListener("click", async () => {
    const label = /** @type {Text} */ (button.firstChild); // behind it, for a screen reader, the name of the code
    button.ariaLive = "polite";
    const code = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (button.closest("figure")).querySelector("pre"));
    try {
      await navigator.clipboard.writeText(code.textContent);
      label.data = "Copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      label.data = "Selected";
    }
    setTimeout(() => { button.ariaLive = "off"; label.data = "Copy"; }, 2000);
  });
}
