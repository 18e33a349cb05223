// A decision expires. A minute before, that is said once; then the panel says so and its actions are off.
/** @param {any} panel a decision with `data-expires`, and in it [data-left] and [role=status] */
waypost.until = (panel) => {
  const end = Date.parse(panel.dataset.expires);
  const left = panel.querySelector("[data-left]");
  const voice = panel.querySelector("[role=status]");
  let warned = false;
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
    left.textContent = seconds ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left` : "";
    if (seconds && seconds <= 60 && !warned) { warned = true; voice.textContent = "Expires in one minute"; }
    if (seconds) return;
    clearInterval(timer);
    panel.querySelector(".verdict").dataset.v = "over";
    panel.querySelector(".verdict :is(h2, h3)").textContent = "Expired: check again";
    panel.querySelector(".verdict use").setAttribute("href", "#v-over");
    voice.textContent = "This decision has expired. Check again.";
    for (const action of panel.querySelectorAll(".next a, .next button")) {
      action.removeAttribute("href");
      action.ariaDisabled = "true";
      action.disabled = true;
    }
  };
  const timer = setInterval(tick, 1000);
  tick();
};
