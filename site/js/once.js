// The page that shows a key once: a button copies the key, and leaving before it was copied or stored asks first. The page
// has this script within it, and its policy allows no other and no request (waypost/api/console/pages.py).
(() => {
  "use strict";
  const field = /** @type {HTMLInputElement} */ (document.getElementById("key"));
  const button = /** @type {HTMLButtonElement} */ (document.getElementById("copy"));
  const voice = /** @type {HTMLElement} */ (document.getElementById("copied"));
  let isStored = false;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      isStored = true;
      voice.textContent = "Copied.";
    } catch {
      field.select();
      voice.textContent = "Not copied: the key is selected, copy it from here.";
    }
  });
  field.addEventListener("copy", () => { isStored = true; });
  document.getElementById("stored")?.addEventListener("click", () => { isStored = true; });
  addEventListener("beforeunload", (event) => { if (!isStored) event.preventDefault(); });
})();
