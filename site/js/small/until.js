// A decision expires. A minute before, that is said once; then the panel says so and its actions are off.
/** @param {HTMLElement} panel a decision with `data-expires`, and in it [data-left], [role=status], [data-sentence] and .verdict; `data-past`: the sentence of an expired one */
export const until = (panel) => {
  const end = Date.parse(panel.dataset.expires ?? "");
  const [left, voice, verdict, title] = /** @type {HTMLElement[]} */ (
    ["[data-left]", "[role=status]", ".verdict", "[data-sentence]"].map((selector) => panel.querySelector(selector)));
  let warned = false;
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    left.textContent = seconds ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left` : "";
    if (seconds && seconds <= 60 && !warned) { warned = true; voice.textContent = "Expires in one minute"; }
    if (seconds) return;
    clearInterval(timer);
    verdict.dataset.v = "over";
    panel.classList.replace("is-live", "is-expired");
    title.textContent = `${panel.dataset.past}. Check again.`;
    const [stamp, drawing] = [verdict.querySelector(".stamp b"), verdict.querySelector(".stamp use")];
    if (stamp) stamp.textContent = "EXPIRED";
    drawing?.setAttribute("href", "#gone");
    verdict.querySelector(":scope > svg > use")?.setAttribute("href", "#s-expired");
    voice.textContent = "This decision has expired. Check again.";
    for (const action of /** @type {NodeListOf<HTMLButtonElement>} */ (panel.querySelectorAll(".next a, .next button"))) {
      action.removeAttribute("href");
      action.ariaDisabled = "true";
      action.disabled = true;
    }
  };
  const timer = setInterval(tick, 1000);
  tick();
};

globalThis.waypost.until = until;
