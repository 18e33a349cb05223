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
  const mend = (/** @type {any} */ each) => { if (area.value === about) area.value = mended(about, [each]); judge(); area.focus(); };
  const say = (/** @type {string} */ words) => { voice.textContent = words; };
  /** The text that the findings are about, and the number of the last judging: one that is not the last is given up. */
  let about = "", last = 0;
  const judge = async () => {
    const own = (last += 1);
    const text = area.value;
    if (text.length > LARGEST_PASTE) { fill(said); say("This is more than 2 MB: use the command line for it."); return; }
    try {
      const report = text.trim() ? await judged({ text, path: "-" }, () => own === last, say) : { files: [{ findings: [] }] };
      if (report && own === last) { about = text; show(report.files[0].findings); }
    } catch (fault) {
      say(/** @type {Error} */ (fault).message);
    }
  };
  const show = (/** @type {any[]} */ findings) => {
    const text = about;
    const shown = WORST_FIRST.flatMap((severity) => findings.filter((/** @type {any} */ each) => each.severity === severity));
    const more = shown.length - MOST_SAID;
    fill(said, ...shown.slice(0, MOST_SAID).map((/** @type {any} */ each) => el("li", {},
      weight(each.severity), " ",
      el("button", { class: "place num", type: "button", "aria-label": `Go to ${each.line}:${each.column}, line and column`, onclick: () => go(each) }, `${each.line}:${each.column}`), " ",
      el("b", {}, clipped(each.message)),
      el("p", {}, each.hint && `${clipped(each.hint)} `, el("a", { href: link(each.doc_url.replace(/^\//, "")) }, each.profile || each.rule),
        ...(each.fix ? [" ", el("button", { class: "btn btn-s", type: "button", onclick: () => mend(each) }, "Fix")] : [])))));
    voice.textContent = !text.trim() ? "Paste a page or JSON-LD: it is judged in this page, and nothing is sent."
      : shown.length === 0 ? "Nothing to say against it. Judged in this page: nothing was sent."
        : `${more > 0 ? more + " more stand on the page for it. " : ""}Judged in this page: nothing was sent.`;
    packed({ text }).then((fragment) => on.setAttribute("href", text.trim() && fragment.length < LONG_LINK ? page + fragment : page));
  };
  const later = settled(judge, 200);
  area.addEventListener("input", () => { last += 1; later(); });
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
  const voice = home.querySelector("[role=status]");
  const spoken = voice.textContent;
  let last = 0;
  const draw = async () => {
    const own = (last += 1);
    const { service, document: example } = shared().kinds[kind.value];
    const asked = { document: { ...example, name: name.value }, kind: service };
    let made;
    try {
      made = await answered((engine) => engine.preview(asked), (words) => { voice.textContent = words || spoken; });
    } catch (fault) {
      voice.textContent = /** @type {Error} */ (fault).message;
    }
    if (!made || own !== last) return;
    fill(stage, made.nothing ? el("p", { class: "snip-gap" }, shape("open"), `No card: ${made.nothing}.`) : drawCard(made.snippet, shared().cards));
    on.setAttribute("href", `${page}#kind=${kind.value}`);
  };
  kind.addEventListener("change", () => { name.value = shared().kinds[kind.value].document.name; draw(); });
  name.addEventListener("input", settled(draw, 120));
  return draw;
};

const MINIATURES = { validate: validateMiniature, preview: previewMiniature };
for (const home of document.querySelectorAll("[data-miniature][data-scripts]")) {
  // What each of them needs comes when it is used itself.
  const begin = () => { MINIATURES[home.dataset.miniature](home)(); home.setAttribute("data-ready", ""); };
  const used = () => Promise.all(home.dataset.scripts.split(" ").map(globalThis.waypost.load)).then(begin, () => {});
  if (home.matches(":focus-within")) used();
  else home.addEventListener("focusin", used, { once: true });
}
