// What the stylesheet leaves out of the first layout of a long page is laid out after the first paint, a part in each frame:
// programs that read a page's text (`innerText`) see only what is laid out.
const late = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main > .sec, .two > .panel, .two > * + *"))];
// A timer alone may run several times before a frame, whose layout would then be that of several parts.
const layOut = () => requestAnimationFrame(() => setTimeout(() => {
  const next = late.shift();
  if (!next) return;
  next.dataset.laid = "";
  layOut();
}));
layOut();
