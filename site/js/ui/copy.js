// Copies the code of a figure.
for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const [label] = button.childNodes; // behind it, for a screen reader, the name of the code
    button.ariaLive = "polite";
    const code = button.closest("figure").querySelector("pre");
    try {
      await navigator.clipboard.writeText(code.textContent);
      label.data = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      label.data = "Selected";
    }
    setTimeout(() => { button.ariaLive = "off"; label.data = "Copy"; }, 2000);
  });
}
