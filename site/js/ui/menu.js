// The side navigation begins at the current page where its list is longer than the screen; on narrow screens one button
// shows the navigation and leads into it, since it stands before the button; Escape closes it and leads back.
// The place is read in an observer, where the layout is made already: read at once, it would make the layout within the script.
for (const here of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".side [aria-current]"))) {
  const list = /** @type {HTMLElement} */ (here.closest(".side-in"));
  new ResizeObserver((_, observer) => {
    list.scrollTop = here.offsetTop - 96;
    observer.disconnect();
  }).observe(here);
}
for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(".menu"))) {
  const toggle = () => {
    button.ariaExpanded = `${document.documentElement.toggleAttribute("data-menu")}`;
    if (button.ariaExpanded === "false") { button.focus(); return; }
    scrollTo(0, 0);
    /** @type {HTMLElement} */ (document.querySelector(".nav a")).focus();
  };
  button.addEventListener("click", toggle);
  addEventListener("keydown", (event) => { if (event.key === "Escape" && button.ariaExpanded === "true") toggle(); });
}
