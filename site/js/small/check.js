// The decision about a test host, recorded when the site was built: the same panel as on the other pages about decisions.

/** @param {string} kind @param {string} drawing @param {string} code @param {string} [folder] */
const codeTag = (kind, drawing, code, folder) => el("span", { class: `tag t-code${kind && " tag-" + kind}` },
  drawing && shape(drawing), folder ? el("a", { href: link(`safety/${folder}/${code}/`) }, code) : code);
const words = (/** @type {string} */ code) => code.replaceAll("_", " ");
const RELATED = { suspected_impersonation: "stop", disputed: "stop", unverified: "open", claimed_unreviewed: "open" };
const RISKS = { high_risk_signal_observed: "stop", elevated_risk_signal_observed: "heed", risk_not_assessed: "open" };

/** @param {any} found @param {string} host */
const panelOf = (found, host) => {
  const { codes } = CHECKED;
  const said = found.decision;
  const kind = said.action_allowed ? "go" : "stop";
  const related = /** @type {any} */ (RELATED)[said.relationship_status] || "go";
  const risk = /** @type {any} */ (RISKS)[said.risk_status] || "";
  const until = said.expires_at.replace(/:00\.000Z$|\.\d+Z$/, "").split("T");
  const cell = (/** @type {string} */ name, /** @type {any[]} */ ...content) => el("div", {}, el("dt", {}, name), el("dd", {}, ...content));
  const list = (/** @type {any[]} */ items) => el("ul", {}, ...items.map((item) => el("li", {}, ...item)));
  return el("section", { class: "decision", "aria-labelledby": "checked" },
    el("div", { class: "verdict", "data-v": kind }, shape(`v-${kind}`, ""),
      el("div", {}, el("h2", { id: "checked", tabindex: "-1" }, found.verdict), el("p", {}, codes.reason_codes[said.reason_codes[0]])),
      el("p", { class: "until" }, "Expires at", el("b", { class: "num" }, `${until[1]} UTC`), el("span", {}, `${until[0]}; check again after that`))),
    el("dl", { class: "cells" },
      cell("Request", codes.actions[said.action], el("p", {}, el("code", {}, said.action), " at ", el("code", {}, host))),
      cell("Relationship", codeTag(related, related, said.relationship_status), el("p", {}, codes.relationship_statuses[said.relationship_status])),
      cell("Risk seen", codeTag(risk, risk, said.risk_status), el("p", {}, codes.risk_statuses[said.risk_status])),
      cell("Evidence", list(said.evidence_summary.map((/** @type {any} */ piece) => [el("a", { href: link(`safety/evidence/${piece.type}/`) }, piece.type), `: ${words(piece.status)}`]))),
      cell("Confidence", el("code", {}, said.confidence_class), el("p", {}, codes.confidence_classes[said.confidence_class])),
      cell("Unknowns", said.unknowns.length ? list(said.unknowns.map((/** @type {string} */ code) => [codeTag("open", "open", code, "unknowns"), el("p", {}, codes.unknowns[code])]))
        : el("span", {}, "None listed"), !said.unknowns.length && el("p", {}, "An empty list, not a missing one.")),
      cell("Reason codes", ...said.reason_codes.flatMap((/** @type {string} */ code) => [el("a", { href: link(`safety/reasons/${code}/`) }, el("code", {}, code)), el("p", {}, codes.reason_codes[code])])),
      cell("Policy", el("a", { href: link(`safety/policies/${said.policy_version}/`) }, el("code", {}, said.policy_version)), el("p", {}, `Tier ${found.tier}. ${found.because}`)),
      cell("Deciding row", el("span", {}, `${found.row.line}: ${found.row.holds ? "met, like all rows" : "not met"}`),
        el("p", {}, `Required: ${found.row.required.map(words).join(", ") || "nothing"}. Found: ${found.row.found.map(words).join(", ") || "nothing"}.`))),
    el("div", { class: "next" }, el("p", {}, said.official_alternative ? `The official destination on record is ${said.official_alternative}. Check it before you act there.` : "A service gives every decision an id, which a dispute names."),
      el("a", { class: "btn", href: link("safety/dispute/") }, "Dispute a decision")));
};

/** @param {any} home */
const checking = (home) => {
  const form = home.querySelector("form");
  const { host, action } = form.elements;
  const shown = home.querySelector("[data-shown]");
  const samples = [...document.querySelectorAll("[data-samples] code")].map((code) => [code, code.textContent || ""]);
  const show = () => {
    const found = CHECKED.hosts[host.value][action.value];
    fill(shown, found.problem
      ? el("section", { class: "panel" }, el("h2", { id: "checked", tabindex: "-1" }, "Stop: no decision could be made"), el("p", {}, `${found.problem}. No answer is never an approval.`),
        el("p", {}, el("a", { href: link("problems/not-ready/") }, "not-ready")))
      : panelOf(found, host.value));
    form.querySelector("[role=status]").textContent = found.verdict || "Stop: no decision could be made";
    for (const [code, text] of samples) code.textContent = text.replaceAll("allow.test", host.value).replace(/"upload"/g, JSON.stringify(action.value));
    history.replaceState(null, "", `#${new URLSearchParams({ host: host.value, action: action.value })}`);
  };
  const about = () => { home.querySelector("#check-about").textContent = host.selectedOptions[0].dataset.about; };
  host.addEventListener("change", about);
  home.addEventListener("asked", show);
  const asked = new URLSearchParams(location.hash.slice(1));
  for (const field of [host, action]) {
    const value = asked.get(field.name);
    if (value && [...field.options].some((option) => option.value === value)) field.value = value;
  }
  about();
  if (asked.has("host")) show();
  home.setAttribute("data-ready", "");
};

for (const home of document.querySelectorAll("[data-check]")) checking(home);
