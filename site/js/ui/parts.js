// What a part of a page needs to work comes when it is first used; until then it reads as what it is.

import { waypost } from "./policy.js";

for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-scripts]"))) {
  const load = () => Promise.all(/** @type {string} */ (home.dataset.scripts).split(" ").map(waypost.load)).catch((error) => {
    const status = /** @type {HTMLElement} */ (home.querySelector("[role=status]"));
    status.textContent = error.message;
    status.classList.remove("vh"); // elsewhere it repeats what is seen
  });
  home.addEventListener("focusin", load);
  // A button that is pressed before that is pressed again by what comes.
  home.addEventListener("click", ({ target }) => { if (!home.hasAttribute("data-ready")) { home.pressed = /** @type {Element} */ (target).closest("button"); load(); } });
  home.addEventListener("change", load);
  home.addEventListener("submit", (event) => {
    event.preventDefault();
    load().then(() => home.dispatchEvent(new Event("run")));
  });
  // Focused before this script ran, named by a link, or with a text that the history of the tab holds.
  if (home.matches(location.hash || history.state ? ":focus-within, [data-linked]" : ":focus-within")) load();
}
