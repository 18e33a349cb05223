// The side navigation begins at the current page where its list is longer than the screen; on narrow screens one button
// shows the navigation.
for (const here of document.querySelectorAll(".side [aria-current]")) here.closest(".side-in").scrollTop = here.offsetTop - 96;
for (const button of document.querySelectorAll(".menu")) {
  button.addEventListener("click", () => {
    button.ariaExpanded = document.documentElement.toggleAttribute("data-menu");
    if (button.ariaExpanded === "true") window.scrollTo(0, 0);
  });
}
