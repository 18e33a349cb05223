// Copies the code of a figure.
for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const text = button.textContent;
    button.ariaLive = "polite";
    const code = button.closest("figure").querySelector("pre");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.ariaLive = "off"; button.textContent = text; }, 2000);
  });
}
