// One panel of code in several languages. The choice is kept, and holds on every page; samples name the service that this
// page came from: a service announces itself in a header (`Server-Timing`), a static host does not.

{
  const panels = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-langs]"))];
  const served = /** @type {HTMLMetaElement} */ (document.querySelector('meta[name="waypost-api"]')).content || /"waypost"/.test(JSON.stringify(performance.getEntries())) && location.origin || "";
  /** @type {string|null|undefined} */
  let language;
  const show = (some = panels) => {
    for (const panel of some) {
      const figures = [.../** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll("[data-lang]"))];
      const chosen = figures.find((figure) => figure.dataset.lang === (panel.dataset.langs ? /** @type {HTMLInputElement|null} */ (panel.querySelector(":checked"))?.value : language)) || figures[0];
      for (const figure of figures) figure.hidden = figure !== chosen;
      for (const input of panel.querySelectorAll("input")) input.checked = input.value === chosen.dataset.lang;
    }
    if (language) try { localStorage.setItem("waypost-language", language); } catch { /* as below */ }
  };
  try {
    // A choice that was made before this script ran; the browser restores none (`autocomplete`).
    language = /** @type {HTMLInputElement|null} */ (document.querySelector("[data-langs=''] :checked:not([checked])"))?.value || localStorage.getItem("waypost-language");
  } catch { /* private windows have no storage */ }
  show();
  // A panel of something else than languages has a choice of its own, which is not kept.
  for (const panel of panels) panel.addEventListener("change", (event) => { if (panel.dataset.langs) { show([panel]); return; } language = /** @type {HTMLInputElement} */ (event.target).value; show(); });
  const form = /** @type {HTMLFormElement|null} */ (document.querySelector("[data-base]")), field = /** @type {HTMLInputElement|null} */ (form?.querySelector("input") ?? null);
  let base = "";
  try {
    base = localStorage.getItem("waypost-base") ?? "";
  } catch { /* as above */ }
  if (!/^https?:/.test(base)) base = "";
  if (field) field.value = base;
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    try {
      localStorage.setItem("waypost-base", field?.value.trim().replace(/\/+$/, "") ?? "");
    } catch { /* then it holds for no page */ }
    location.reload();
  });
  for (const code of base || served ? document.querySelectorAll("main pre") : []) {
    const texts = document.createTreeWalker(code, 4);
    while (texts.nextNode()) {
      const text = /** @type {Text} */ (texts.currentNode);
      text.data = text.data.replaceAll("http://127.0.0.1:8000", base || served);
    }
  }
}
