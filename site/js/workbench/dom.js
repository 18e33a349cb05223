// Small makers of elements. Text only ever becomes text: nothing here takes markup.

/** A child of an element; what is null, undefined or false is left out. @typedef {Node|string|null|undefined|false} Child */
/** @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Record<string, any>} [attributes] listeners begin with "on" @param {...Child} children */
export const el = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else made.setAttribute(key, String(value));
  }
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== false));
  return made;
};

const SVG = "http://www.w3.org/2000/svg";
/** One of the frame's drawings. @param {string} name @param {string} [className] */
export const shape = (name, className = "i") => {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  if (className) svg.setAttribute("class", className);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  svg.append(use);
  return svg;
};

/** @param {string} kind @param {string} drawing @param {...(Node|string)} text */
export const tag = (kind, drawing, ...text) => el("span", { class: `tag${kind ? " tag-" + kind : ""}` }, drawing && shape(drawing), ...text);

/** Kind and drawing by severity. @type {Record<Severity, [string, string]>} */
export const WEIGHTS = { error: ["stop", "fault"], warning: ["heed", "heed"], info: ["note", "note"] };
/** Severity of a finding: always a shape and the word. @param {Severity} severity @param {string} [before] */
export const weight = (severity, before = "") => tag(WEIGHTS[severity][0], WEIGHTS[severity][1], `${before}${severity}`);

/** One of several: a group of radio buttons. @param {string} name @param {string} label @param {[string, string][]} options @param {string} chosen @param {(value: string) => void} changed */
export const segments = (name, label, options, chosen, changed) => el("div", { class: "seg", role: "radiogroup", "aria-label": label },
  ...options.map(([value, text]) => el("label", {},
    el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => changed(value) }), el("span", {}, text))));

/** @param {Element} home @param {...Child} children */
export const fill = (home, ...children) => home.replaceChildren(...children.filter((each) => each !== null && each !== undefined && each !== false));

/** What can have the focus: a field, or a button. @typedef {HTMLInputElement} Field */

/** Draw again and keep the focus: the field of the same id (or the choice of the same name and value) gets
 * the focus and the selection back.
 * @param {Element} home @param {() => void} draw */
export const withFocus = (home, draw) => {
  const before = /** @type {Field|null} */ (document.activeElement);
  const held = before && home.contains(before);
  const chosen = held && typeof before.selectionStart === "number" ? [before.selectionStart, before.selectionEnd] : null;
  draw();
  if (!held || document.activeElement === before) return;
  const fields = [.../** @type {NodeListOf<Field>} */ (home.querySelectorAll("input, select, textarea, button"))];
  const now = fields.find((field) => before.id ? field.id === before.id : before.name && field.name === before.name && field.value === before.value);
  if (!now) return;
  now.focus({ preventScroll: true });
  if (chosen) now.setSelectionRange(chosen[0], chosen[1]);
};

/** Where the site begins, seen from this page: links work from a folder too. */
export const root = document.querySelector(".find")?.getAttribute("data-root") ?? "";
/** @param {string} address */
export const link = (address) => {
  const [path, fragment] = address.split("#");
  return `${root}${path.endsWith("/") || path === "" ? path + "index.html" : path}${fragment ? "#" + fragment : ""}`;
};

/** @param {string} text @param {HTMLButtonElement} button it has its own words back after two seconds, however often it is pressed */
export const copied = async (text, button) => {
  const before = (button.words ||= button.textContent);
  button.ariaLive = "polite";
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => { button.ariaLive = "off"; button.textContent = before; }, 2000);
};

/** Call a function when nothing has happened for a while; `size` says how much there is to do, and so how long to wait.
 * @param {() => void} work @param {number} ms @param {() => number} [size] in characters */
export const settled = (work, ms, size = () => 0) => {
  let timer = 0;
  return () => { clearTimeout(timer); timer = setTimeout(work, ms + size() / 1000); };
};

const CLOCK_TIME = /T(\d\d:\d\d:\d\d)/;
export const clock = (/** @type {string} */ text) => CLOCK_TIME.exec(text)?.[1] ?? text;

/** A whole number with commas: 12,345. `Intl.NumberFormat` takes some 40 ms to start, which would hold the page up.
 * @param {number} number */
export const withCommas = (number) => String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");

const LONGEST_DISPLAYED = 300;
/** A text of any length, cut to what is readable here. @param {string} text */
export const brief = (text, most = LONGEST_DISPLAYED) => (text.length > most ? `${text.slice(0, most)}… (${withCommas(text.length)} characters)` : text);

export const fact = (/** @type {string} */ name, /** @type {string|Node} */ value, /** @type {string} */ more = "") => el("div", {}, el("dt", {}, name), el("dd", { class: "num" }, value, more && el("small", {}, ` ${more}`)));

export const copyButton = (/** @type {string} */ label, /** @type {string} */ text) => el("button", { class: "btn btn-s", type: "button", onclick: (/** @type {{currentTarget: HTMLButtonElement}} */ event) => copied(text, event.currentTarget) }, label);

/** A button that saves a file. @param {string} name @param {() => string|Blob|Promise<Blob>} text @param {string} type @param {string} label */
export const download = (name, text, type, label) => el("button", { class: "btn btn-s", type: "button", onclick: async () => {
  const address = URL.createObjectURL(new Blob([await text()], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
} }, label);
