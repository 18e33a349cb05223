// The miniatures of the home page: a paste box that is judged and a card that is drawn, both as one types.

const MOST_SAID = 3;
const WORST_FIRST = ["error", "warning"];
const LARGEST_PASTE = 2 << 20;

/** @param {any} home */
const validateMiniature = (home) => {
  const area = home.querySelector("textarea");
  const said = home.querySelector("[data-said]");
  const voice = home.querySelector("[role=status]");
  const on = home.querySelector("[data-on]");
  const page = on.getAttribute("href");
  const go = (/** @type {any} */ each) => { area.focus(); area.setSelectionRange(each.from, each.to); };
  const mend = (/** @type {any} */ each) => { area.value = mended(area.value, [each]); judge(); area.focus(); };
  const judge = () => {
    const text = area.value;
    if (text.length > LARGEST_PASTE) { fill(said); voice.textContent = "This is more than 2 MB: use the command line for it."; return; }
    const { findings } = text.trim() ? engineOf().validate({ text, path: "-" }).files[0] : { findings: [] };
    const shown = WORST_FIRST.flatMap((severity) => findings.filter((/** @type {any} */ each) => each.severity === severity));
    const more = shown.length - MOST_SAID;
    fill(said, ...shown.slice(0, MOST_SAID).map((/** @type {any} */ each) => el("li", {},
      weight(each.severity), " ",
      el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => go(each) }, `${each.line}:${each.column}`), " ",
      el("b", {}, clipped(each.message)),
      el("p", {}, each.hint && `${clipped(each.hint)} `, el("a", { href: link(each.doc_url.replace(/^\//, "")) }, each.profile || each.rule)),
      each.fix && el("button", { class: "btn btn-s", type: "button", onclick: () => mend(each) }, "Fix"))));
    voice.textContent = !text.trim() ? "Paste a page or JSON-LD: it is judged in this page, and nothing is sent."
      : shown.length === 0 ? "Nothing to say against it. Judged in this page: nothing was sent."
        : `${more > 0 ? `${more} more stand on the page for it. ` : ""}Judged in this page: nothing was sent.`;
    packed({ text }).then((fragment) => on.setAttribute("href", text.trim() && fragment.length < LONG_LINK ? page + fragment : page));
  };
  area.addEventListener("input", settled(judge, 200));
  return judge;
};

/** What is said of a page may quote it at length: here only its beginning. @param {string} text */
const clipped = (text) => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** @param {any} home */
const previewMiniature = (home) => {
  const { kind, name } = home.querySelector("form").elements;
  const stage = home.querySelector("[data-card]");
  const on = home.querySelector("[data-on]");
  const page = on.getAttribute("href");
  const draw = () => {
    const { service, document: example } = shared().kinds[kind.value];
    const made = engineOf().preview({ document: { ...example, name: name.value }, kind: service });
    fill(stage, made.nothing ? el("p", { class: "snip-gap" }, shape("open"), `No card: ${made.nothing}.`) : drawCard(made.snippet, shared().cards));
    on.setAttribute("href", `${page}#kind=${kind.value}`);
  };
  kind.addEventListener("change", () => { name.value = shared().kinds[kind.value].document.name; draw(); });
  name.addEventListener("input", settled(draw, 120));
  return draw;
};

const MINIATURES = { validate: validateMiniature, preview: previewMiniature };
for (const home of document.querySelectorAll("[data-miniature][data-scripts]")) {
  MINIATURES[home.dataset.miniature](home)();
  home.setAttribute("data-ready", "");
}
