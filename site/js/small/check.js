// A decision in the panel of the other pages about decisions. That about a test host was recorded when the site was built;
// any other destination is checked by the service that this page came from, for those who are signed in to its console.

import { copyButton, el, fill, link, shape } from "../workbench/dom.js";
import { addressIn, isServed } from "../workbench/intake.js";
import { until } from "./until.js";
import { DESTINATIONS } from "../data/destinations.js";

/** @param {string} kind @param {string} drawing @param {string} code @param {string} [folder] */
const codeTag = (kind, drawing, code, folder) => el("span", { class: `tag t-code${kind && " tag-" + kind}` },
  drawing && shape(drawing), folder ? el("a", { href: link(`safety/${folder}/${code}/`) }, code) : code);
const words = (/** @type {string} */ code) => code.replaceAll("_", " ");
/** @type {Record<string, string>} */
const RELATED = { suspected_impersonation: "stop", disputed: "stop", unverified: "open", claimed_unreviewed: "open" };
/** @type {Record<string, string>} */
const RISKS = { high_risk_signal_observed: "stop", elevated_risk_signal_observed: "heed", risk_not_assessed: "open" };

/** What came of each kind of check, in a line of its own: `observed`, then what it found; with its effect on the decision,
 * those that turn it first. @param {Decision["evidence_summary"]} evidence @param {Panel["effects"]} effects @returns {[string, string, Panel["effects"][0]|undefined][]} */
const checksOf = (evidence, effects) => {
  const checks = new Map();
  for (const { type, status, id, summary_code: code } of evidence) {
    // A further piece of the same check is named by its code, or by the last part of its id: `list.match`.
    const outcome = !checks.has(type) || !id ? words(status) : words(code || id.split(".").pop() || "");
    checks.set(type, (checks.get(type) || new Set()).add(outcome));
  }
  const types = new Set([...effects.map((each) => each.type).filter((type) => checks.has(type)), ...checks.keys()]);
  return [...types].map((type) => [type, [...checks.get(type)].join(", "), effects.find((each) => each.type === type)]);
};

/** @typedef {import("../data/destinations.js").Panel} Panel */
/** @typedef {import("../data/destinations.js").Decision} Decision */

/** The first line of a panel: a shape, a stamp, the sentence and until when it was valid. @param {Panel} found @param {boolean} isLive @param {"h2"|"h3"} level */
const verdictOf = (found, isLive, level) => {
  const { decision } = found;
  const was = decision.action_allowed ? "go" : "stop";
  // A record has a clock, a broken line and its word: it is never drawn as an answer that is live. The day is in the sentence.
  const [kind, drawn, stamp] = isLive ? [was, `v-${was}`, "live"] : ["recorded", "v-over", "clock"];
  const until = decision.expires_at.replace(/:00\.000Z$|\.\d+Z$/, "").split("T");
  return el("div", { class: "verdict", "data-v": kind, "data-was": was }, shape(drawn, ""),
    el("div", {}, el(level, { id: "checked", tabindex: "-1" }, el("span", { class: "stamp" }, shape(stamp), el("b", {}, isLive ? "LIVE" : "RECORDED"), el("span", { class: "vh" }, ":")), " ", el("span", { "data-sentence": true }, isLive ? found.dated : found.past)), el("p", {}, DESTINATIONS.codes.reason_codes[decision.reason_codes[0]])),
    el("p", { class: "until" }, isLive ? "Expires at" : "Was valid until", el("b", { class: "num" }, `${until[1]} UTC`), el("span", {}, isLive ? `${until[0]}; check again after that.` : `${until[0]}; not a live answer`), " ", isLive && el("span", { class: "num", "data-left": true }), isLive && el("span", { class: "vh", role: "status" })));
};

/** A decision as the front page shows it: its nine statements in a line each. @param {Panel} found @param {string} host @param {boolean} isLive */
const briefOf = (found, host, isLive = false) => {
  const { decision } = found, code = (/** @type {string} */ text) => el("code", {}, text);
  const codes = (/** @type {string[]} */ all, /** @type {string} */ none) => (all.length ? all.flatMap((each) => [code(each), " "]) : [none]);
  /** @type {[string, ...(Node|string)[]][]} */
  const rows = [["Request", `${decision.action} at `, code(host)], ["Relationship", code(decision.relationship_status)], ["Risk seen", code(decision.risk_status)],
    ["Evidence", `${decision.evidence_summary.length} checks`], ["Confidence", code(decision.confidence_class)], ["Unknowns", ...codes(decision.unknowns, "none listed")],
    ["Reason codes", ...codes(decision.reason_codes, "none")], ["Policy", code(decision.policy_version)], ["Decision id", code(`${decision.decision_id.slice(0, 8)}…`)]];
  return el("section", { class: `decision ${isLive ? "is-live" : "is-recorded"}`, "aria-labelledby": "checked" }, verdictOf(found, isLive, "h3"),
    el("dl", { class: "kv" }, ...rows.flatMap(([name, ...content]) => [el("dt", {}, name), el("dd", {}, ...content)])));
};

/** @param {Panel} found @param {string} host @param {boolean} isLive whether a service has just made it */
const panelOf = (found, host, isLive = false) => {
  const { codes } = DESTINATIONS;
  const decision = found.decision;
  const related = RELATED[decision.relationship_status] || "go";
  const risk = RISKS[decision.risk_status] || "";
  const cell = (/** @type {string} */ name, /** @type {(Node|string|false)[]} */ ...content) => el("div", { class: name === "Evidence" && "all" }, el("dt", {}, name), el("dd", {}, ...content));
  const list = (/** @type {(Node|string|false)[][]} */ items) => el("ul", {}, ...items.map((item) => el("li", {}, ...item)));
  return el("section", { class: `decision ${isLive ? "is-live" : "is-recorded"}`, "aria-labelledby": "checked" }, verdictOf(found, isLive, "h2"),
    el("dl", { class: "cells" },
      cell("Request", codes.actions[decision.action], el("p", {}, el("code", {}, decision.action), " at ", el("code", {}, host))),
      cell("Relationship", codeTag(related, related, decision.relationship_status), el("p", {}, codes.relationship_statuses[decision.relationship_status])),
      cell("Risk seen", codeTag(risk, risk, decision.risk_status), el("p", {}, codes.risk_statuses[decision.risk_status])),
      cell("Evidence", list(checksOf(decision.evidence_summary, found.effects).map(([type, outcome, effect]) => [el("a", { href: link(`safety/evidence/${type}/`) }, type), `: ${outcome}`,
        effect ? el("p", { class: `effect${effect.turns ? " turns" : ""}` }, effect.text) : false]))),
      cell("Confidence", el("code", {}, decision.confidence_class), el("p", {}, codes.confidence_classes[decision.confidence_class])),
      cell("Unknowns", decision.unknowns.length ? list(decision.unknowns.map((code) => [codeTag("open", "open", code, "unknowns"), el("p", {}, codes.unknowns[code])]))
        : el("span", {}, "None listed"), !decision.unknowns.length && el("p", {}, "An empty list, not a missing one.")),
      cell("Reason codes", ...decision.reason_codes.flatMap((code) => [el("a", { href: link(`safety/reasons/${code}/`) }, el("code", {}, code)), el("p", {}, codes.reason_codes[code])])),
      cell("Policy", el("a", { href: link(`safety/policies/${decision.policy_version}/`) }, el("code", {}, decision.policy_version)), el("p", {}, `Tier ${found.tier}. ${found.because}`)),
      cell("Deciding row", el("span", {}, `${found.row.line}: ${found.row.holds ? "met, like all rows" : "not met"}`),
        el("p", {}, `Required: ${found.row.required.map(words).join(", ") || "nothing"}. Found: ${found.row.found.map(words).join(", ") || "nothing"}.`))),
    el("div", { class: "next" }, el("p", {}, decision.official_alternative ? `The official destination on record is ${decision.official_alternative}. Check it before you act there. ` : "",
      decision.dispute_path ? el("span", {}, "Decision ", el("code", {}, decision.decision_id)) : "A recorded decision about a test host: it allows nothing now. A service makes a new one for each request, with an id for disputes."),
      el("a", { class: "btn", href: decision.dispute_path ? location.origin + decision.dispute_path : link("safety/dispute/") }, decision.dispute_path ? "Dispute this decision" : "Dispute a decision")));
};

/** A stop without a decision: what happened, and what to do. @param {string} why @param {...(Node|string)} todo */
const noDecision = (why, ...todo) => el("section", { class: "panel stack stack-s" }, shape("s-stop", "state state-stop"), el("h2", { id: "checked", tabindex: "-1" }, "Stop: no decision could be made"),
  el("p", {}, why.replace(/\.$/, "") + ". No answer is never an approval."), ...todo);

/** What to do where no service answers. @param {string} address @param {string} action */
const instead = (address, action) => {
  const isTest = Object.hasOwn(DESTINATIONS.hosts, new URL(address).hostname);
  const command = `waypost check '${address.replaceAll("'", "%27")}' --action ${action}${isTest ? " --fixtures" : ""}`;
  return el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, "On your own machine"), copyButton("Copy", command)), el("pre", { tabindex: "0", role: "group", "aria-label": "Command" }, el("code", {}, command)));
};

/** The answer of the service that this page came from to a form of the console, by the session of the browser.
 * @param {string} path @param {Record<string, string>} [fields] @returns {Promise<Json>} */
const ofConsole = async (path, fields) => {
  const answer = await fetch(path, { method: fields ? "POST" : "GET", credentials: "same-origin", headers: { Accept: "application/json" }, body: fields && new URLSearchParams(fields), signal: AbortSignal.timeout(15_000) });
  return answer.json();
};

/** The decision of the service as a panel; whatever is missing is a stop. @param {string} address @param {string} action @param {typeof panelOf} drawn how it is drawn */
const checkedLive = async (address, action, drawn) => {
  if (!isServed) return noDecision("This page was opened from a folder, so there is no service to ask", instead(address, action));
  let session, found;
  try {
    session = await ofConsole("/keys/session");
    if (session.signed_in) found = await ofConsole("/keys/check", { csrf: session.csrf, url: address, intended_action: action });
  } catch {
    return noDecision(session ? `The service at ${location.origin} stopped answering before its decision arrived` : `No waypost service answered at ${location.origin}`, instead(address, action));
  }
  if (session.signed_in === false) {
    return noDecision("You are not signed in; without that, only the front pages of the test hosts are answered, such as https://allow.test/",
      el("p", {}, el("a", { class: "btn btn-go", href: link("keys/") }, "Sign in")), instead(address, action));
  }
  if (found?.decision && typeof found.decision.action_allowed === "boolean") {
    const panel = drawn(found, found.decision.normalized_domain, true);
    panel.dataset.expires = found.decision.expires_at;
    panel.dataset.past = found.past;
    until(panel);
    return panel;
  }
  const detail = found?.errors?.[0]?.detail;
  const why = found?.title && (detail ? `${found.title}: ${detail}` : found.title);
  return noDecision(why || `No waypost service answered at ${location.origin}`, instead(address, action));
};

/** @param {HTMLElement} home */
const checking = (home) => {
  const form = /** @type {HTMLFormElement} */ (home.querySelector("form"));
  const { host, action } = /** @type {{host: HTMLInputElement, action: HTMLSelectElement}} */ (/** @type {unknown} */ (form.elements));
  const [output, hint, voice, button] = /** @type {HTMLElement[]} */ (
    ["[data-shown]", "#check-about", "form [role=status]", "form [type=submit]"].map((selector) => home.querySelector(selector)));
  // The front page shows it in short, and its address stays as it is: the box above has its own history.
  const isBrief = home.dataset.check === "brief", drawing = isBrief ? briefOf : panelOf;
  const samples = [...document.querySelectorAll("[data-samples] code")].map((code) => ({ code, text: code.textContent || "" }));
  let last = 0;
  const show = async () => {
    const mine = last += 1;
    const given = host.value.trim();
    const url = addressIn(given) ? new URL(/** @type {string} */ (addressIn(given))) : null;
    const address = url?.href ?? "";
    const name = url && address === `https://${url.host}/` ? url.host : "";
    const recorded = Object.hasOwn(DESTINATIONS.hosts, name) && DESTINATIONS.hosts[name][action.value];
    // A test host stands in the page's address; whatever else is checked is kept nowhere.
    if (!isBrief) history.replaceState(null, "", recorded ? `#${new URLSearchParams({ host: name, action: action.value })}` : location.pathname);
    for (const { code, text } of samples) {
      code.textContent = text.replaceAll("https://allow.test/", address || "https://allow.test/").replace(/"payment"/g, JSON.stringify(action.value));
    }
    voice.textContent = "Checking…";
    voice.className = "vh";
    button.ariaDisabled = "true"; // a button that is disabled loses the focus
    const drawn = !address ? noDecision("This is neither a URL nor a host")
      : recorded ? (recorded.problem ? noDecision(recorded.problem, el("p", {}, el("a", { href: link("problems/not-ready/") }, "not-ready"))) : drawing(recorded, name))
      : await checkedLive(address, action.value, drawing);
    if (mine !== last) return;
    button.ariaDisabled = "false";
    host.ariaInvalid = String(!address);
    if (!address) hint.textContent = "This is neither a URL nor a host.";
    fill(output, drawn);
    const [title, why] = output.querySelectorAll(":is(h2, h3), :is(h2, h3) + p");
    voice.textContent = drawn.matches(".panel") ? `${title.textContent}. ${why.textContent}` : title.textContent;
  };
  const about = () => {
    host.ariaInvalid = "false";
    const known = /** @type {HTMLElement|null} */ (home.querySelector(`[data-host="${CSS.escape(host.value.trim())}"]`));
    hint.textContent = known ? `A test host. ${known.title}` : "A URL or a host. Checked where a waypost service runs this site and you are signed in.";
  };
  host.addEventListener("input", about);
  home.addEventListener("run", () => { if (button.ariaDisabled !== "true") show(); });
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (home.querySelectorAll("[data-host]"))) {
    each.addEventListener("click", () => { host.value = each.dataset.host ?? ""; about(); show(); });
  }
  const params = new URLSearchParams(isBrief ? "" : location.hash.slice(1));
  // What was typed or chosen while this script was on its way stays.
  const [linkedHost, linkedAction] = [params.get("host") ?? "", params.get("action") ?? ""];
  if (host.value === host.defaultValue && Object.hasOwn(DESTINATIONS.hosts, linkedHost)) host.value = linkedHost;
  if (!action.selectedIndex && [...action.options].some((option) => option.value === linkedAction)) action.value = linkedAction;
  about();
  home.setAttribute("data-ready", "");
  if (home.pressed?.dataset.host) home.pressed.click();
  else if (params.has("host")) show();
};

/** @param {HTMLElement} home */
const disputing = (home) => {
  const [field, voice] = /** @type {[HTMLInputElement, HTMLElement]} */ (["[name=id]", "[role=status]"].map((selector) => home.querySelector(selector)));
  home.addEventListener("run", async () => {
    const path = `/v1/decisions/${field.value.trim().toLowerCase()}/disputes`;
    const report = (/** @type {string} */ why) => { voice.textContent = `${why} At the service that made the decision: ${path}`; };
    if (!isServed) { report("This page was opened from a folder, so there is no service to ask."); return; }
    try {
      const answer = await fetch(path, { headers: { Accept: "text/html" }, credentials: "omit", signal: AbortSignal.timeout(10_000) });
      if (answer.ok) location.assign(path);
      else report(answer.status === 404 ? `There is no decision with this id at ${location.origin}.` : `${location.origin} answered with status ${answer.status}.`);
    } catch {
      report(`${location.origin} did not answer, so it is not known whether it has this decision.`);
    }
  });
  home.setAttribute("data-ready", "");
};

for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-check]"))) if (home.querySelector("form")) checking(home);
for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-dispute]"))) if (home.querySelector("form")) disputing(home);
