// Search over every page. The index and what searches it (site/js/small/find.js) come as a script when the box is first
// used, so that it works from a folder too.
const addressOf = (root, { address }) => { const [path, id] = address.split("#"); return `${root}${path}index.html${id ? "#" : ""}${id || ""}`; };
const loaded = () => waypost.part("search");

for (const box of document.querySelectorAll(".find")) {
  const input = box.querySelector("input");
  const panel = box.querySelector(".hits");
  const list = box.querySelector("[role=listbox]");
  const status = box.querySelector("[role=status]");
  let hits = [];
  let chosen = -1;

  const close = () => { panel.hidden = true; input.ariaExpanded = "false"; choose(-1); };
  const choose = (place) => {
    chosen = place;
    [...list.children].forEach((option, n) => { option.ariaSelected = n === chosen; });
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
    input.ariaExpanded = !panel.hidden && hits.length > 0;
    choose(-1);
  };
  const go = (place) => { if (hits[place]) location.assign(addressOf(box.dataset.root, hits[place])); };
  const ready = () => loaded().then(show, (error) => { panel.hidden = false; status.textContent = error.message; });

  input.addEventListener("focus", () => { loaded().catch(() => {}); });
  input.addEventListener("input", ready);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
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
  list.addEventListener("click", (event) => go([...list.children].indexOf(event.target.closest("[role=option]"))));
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) close(); });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !(event.ctrlKey || event.metaKey || event.altKey)) { event.preventDefault(); input.focus(); }
  });
}

// On the page for missing addresses: pages with the most similar address.
for (const list of document.querySelectorAll("[data-nearest]")) {
  const slug = decodeURIComponent(location.pathname).replace(/index\.html$/, "").split("/").filter(Boolean).pop() || "";
  loaded().then(() => {
    const near = waypost.find(slug.replace(/[-_.]/g, " ")).slice(0, 6);
    const root = document.querySelector(".find").dataset.root;
    list.replaceChildren(...near.map((hit) => element("li", {},
      element("a", { href: addressOf(root, hit) }, hit.title), ` ${[hit.kind, hit.about].filter(Boolean).join(": ")}`)));
    list.closest("section").hidden = !near.length;
  }, () => {});
}
