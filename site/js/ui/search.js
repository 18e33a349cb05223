// Search over every page. What searches (site/js/small/find.js) comes as a script when the box is first used, and the index
// in parts by section when something is typed, so that it works from a folder too.

import { scripts, waypost } from "./policy.js";

/** @param {string} name @param {Record<string, string>} [attributes] @param {...(Node|string)} children */
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
/** @param {string|undefined} root @param {SearchHit} hit */
const addressOf = (root, { address }) => { const [path, id] = address.split("#"); return `${root}${path}index.html${id ? "#" : ""}${id || ""}`; };
const searchParts = Object.keys(scripts).filter((name) => name.startsWith("search-"));
// Results are displayed when every part is there: a list that changes under the pointer opens the wrong page.
const loaded = () => Promise.all(["search", ...searchParts].map(waypost.part));

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".find"))) {
  const input = /** @type {HTMLInputElement} */ (box.querySelector("input"));
  const panel = /** @type {HTMLElement} */ (box.querySelector(".hits"));
  const list = /** @type {HTMLElement} */ (box.querySelector("[role=listbox]"));
  const status = /** @type {HTMLElement} */ (box.querySelector("[role=status]"));
  /** @type {SearchHit[]} */
  let hits = [];
  let chosen = -1;

  const close = () => { panel.hidden = true; input.ariaExpanded = "false"; choose(-1); };
  const choose = (/** @type {number} */ place) => {
    chosen = place;
    [...list.children].forEach((option, n) => { option.ariaSelected = `${n === chosen}`; });
    if (chosen < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", list.children[chosen].id);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    }
  };
  const show = () => {
    hits = waypost.find(input.value);
    list.replaceChildren(...hits.map((hit, n) => element("div", { role: "option", id: `hit-${n}`, "aria-selected": "false" },
      element("b", {}, hit.title), element("i", {}, hit.kind), element("small", {}, hit.about))));
    list.hidden = !hits.length;
    status.textContent = hits.length ? `${hits.length} found` : "Nothing found. Try other words, or a type, rule or code.";
    status.classList.toggle("vh", hits.length > 0);
    panel.hidden = !input.value.trim();
    input.ariaExpanded = `${!panel.hidden && hits.length > 0}`;
    choose(-1);
  };
  const go = (/** @type {number} */ place) => { if (hits[place]) location.assign(addressOf(box.dataset.root, hits[place])); };
  const ready = () => loaded().then(show, (error) => { panel.hidden = false; status.textContent = error.message; });

  input.addEventListener("focus", () => { waypost.part("search").catch(() => {}); });
  input.addEventListener("input", ready);
  input.addEventListener("keydown", (event) => {
    const step = /** @type {Record<string, number>} */ ({ ArrowDown: 1, ArrowUp: -1 })[event.key];
    if (step && hits.length && !panel.hidden) {
      event.preventDefault();
      choose(chosen + step < -1 ? hits.length - 1 : chosen + step >= hits.length ? -1 : chosen + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      ready().then(() => go(Math.max(chosen, 0)));
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (panel.hidden) input.value = "";
      close();
    }
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => go([...list.children].findIndex((option) => option.contains(/** @type {Node} */ (event.target)))));
  box.addEventListener("focusout", (event) => { if (!box.contains(/** @type {Node|null} */ (event.relatedTarget))) close(); });
  addEventListener("keydown", (event) => {
    const typing = /** @type {Element} */ (event.target).closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !(event.ctrlKey || event.metaKey || event.altKey)) { event.preventDefault(); input.focus(); }
  });
}

// On the page for missing addresses: pages with the most similar address, of the section that the address names.
for (const list of document.querySelectorAll("[data-nearest]")) {
  const steps = decodeURIComponent(location.pathname).replace(/index\.html$/, "").split("/").filter(Boolean);
  const slug = steps.at(-1) || "";
  const sections = /** @type {HTMLElement} */ (list).dataset.nearest?.split(" ").map((pair) => pair.split(":")) || [];
  const own = sections.find(([folder]) => steps.includes(folder));
  Promise.all(["search", `search-${own ? own[1] : "site"}`].map(waypost.part)).then(() => {
    const near = waypost.find(slug.replace(/[-_.]/g, " ")).slice(0, 6);
    const { root } = /** @type {HTMLElement} */ (document.querySelector(".find")).dataset;
    list.replaceChildren(...near.map((hit) => element("li", {},
      element("a", { href: addressOf(root, hit) }, hit.title), ` ${[hit.kind, hit.about].filter(Boolean).join(": ")}`)));
    /** @type {HTMLElement} */ (list.closest("section")).hidden = !near.length;
  }, () => {});
}
