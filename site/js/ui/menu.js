// On narrow screens one button shows the navigation.
for (const button of document.querySelectorAll(".menu")) {
  button.addEventListener("click", () => {
    button.ariaExpanded = document.documentElement.toggleAttribute("data-menu");
    if (button.ariaExpanded === "true") window.scrollTo(0, 0);
  });
}
