// What the stylesheet leaves out of the first layout of a long page is laid out after the first paint, a part in each task:
// programs that read a page's text (`innerText`) see only what is laid out.
const late = [...document.querySelectorAll("main > .sec, .two > .panel, .two > * + *, .door + .door")];
const layOut = () => {
  const part = late.shift();
  if (!part) return;
  part.dataset.laid = "";
  setTimeout(layOut);
};
requestAnimationFrame(() => setTimeout(layOut));
