// Narrows a table, a gallery, or the tables of several folds, to the rows that hold every word typed and every choice made, and counts the
// rows that are left: the folds are opened, and those without such rows are hidden by the stylesheet. From the box
// the arrows walk through the rows' links; Enter opens the first, or the one that is walked to. The address keeps what was
// requested, so that a link opens the same rows.
for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.filter[data-table]"))) {
  const table = /** @type {HTMLElement} */ (document.getElementById(/** @type {string} */ (form.dataset.table)));
  const rows = [.../** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("tbody tr, :scope > li"))];
  const folds = [...table.querySelectorAll("details")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const output = /** @type {HTMLElement} */ (form.querySelector("output"));
  const words = /** @type {HTMLInputElement} */ (form.elements.namedItem("words"));
  const narrow = () => {
    const typed = words.value.toLowerCase().split(/\s+/);
    const choices = [...form.querySelectorAll("select")].filter((select) => select.value);
    let left = 0;
    rows.forEach((row, n) => {
      const fits = typed.every((word) => texts[n].includes(word))
        && choices.every((select) => (row.dataset[select.name] || "").split(" ").includes(select.value));
      row.hidden = !fits;
      if (fits) left += 1;
    });
    for (const fold of folds) {
      if (left < rows.length) fold.open = true;
      /** @type {HTMLElement} */ (fold.querySelector(".num")).textContent = `${fold.querySelectorAll("tr:not([hidden]) td:last-child").length}`;
    }
    output.textContent = left === rows.length ? `${left} in all` : `${left} of ${rows.length}`;
  };
  const walk = (/** @type {KeyboardEvent} */ event) => {
    const links = /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll(":is(tbody tr, li):not([hidden]) > :is(th, .thumb-t) a"));
    const all = [words, ...links].filter((each) => !each.closest("details:not([open])"));
    const at = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const to = all[/** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1, Enter: event.target === words ? 1 : -1, Escape: at ? 0 : -1 })[event.key]];
    if (at < 0 || !to) return;
    event.preventDefault();
    if (event.key === "Enter") to.click();
    else to.focus();
  };
  for (const part of [form, table]) part.addEventListener("keydown", walk);
  // A fragment is the choices of a link, or the id of one choice: rules/#json-ld.
  const choose = () => {
    const option = /** @type {HTMLOptionElement|null} */ (form.querySelector(`option[id="${CSS.escape(location.hash.slice(1))}"]`));
    if (option) option.selected = true;
    else for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      Object.assign(form.elements.namedItem(name) || {}, { value });
    }
    narrow();
  };
  addEventListener("hashchange", choose);
  form.addEventListener("input", () => {
    narrow();
    history.replaceState(null, "", `#${new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)]).filter((each) => each[1]))}`);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  choose();
}
