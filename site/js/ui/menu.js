// On narrow screens one button shows the navigation.
for (const button of document.querySelectorAll(".menu")) {
  button.addEventListener("click", () => {
    const open = document.documentElement.toggleAttribute("data-menu");
    button.setAttribute("aria-expanded", String(open));
    if (open) window.scrollTo(0, 0);
  });
}
