// Options of a check, as those of the command line.

import { el, settled } from "./dom.js";

const FAILS = [["error", "Errors"], ["warning", "Errors and warnings"], ["info", "Everything, notes too"]];

/** The form of the options. @param {string[]} profiles @param {() => void} changed */
export const lintOptions = (profiles, changed) => {
  const profile = el("select", { id: "profile", onchange: changed }, el("option", { value: "" }, "All that apply to its items"), ...profiles.map((name) => el("option", {}, name)));
  const types = el("input", { id: "types", autocomplete: "off", spellcheck: "false", placeholder: "Recipe, Event" });
  const address = el("input", { id: "address", type: "url", inputmode: "url", autocomplete: "off", spellcheck: "false", placeholder: "https://www.example.com/page", "aria-describedby": "address-hint" });
  const hint = el("p", { class: "hint", id: "address-hint", role: "status" });
  const fail = el("select", { id: "fail", onchange: changed }, ...FAILS.map(([value, text]) => el("option", { value }, text)));
  const names = () => types.value.split(/[\s,]+/).filter(Boolean);
  const url = () => (/^https?:\/\//i.test(address.value.trim()) && URL.canParse(address.value.trim()) ? address.value.trim() : null);
  const later = settled(changed, 250);
  const typed = () => {
    hint.textContent = address.value.trim() && !url() ? "This is not an address that begins with https:// or http://: it is left out." : "";
    later();
  };
  for (const each of [types, address]) each.addEventListener("input", typed);
  const chosen = () => ({ profile: profile.value, types: types.value.trim(), url: address.value.trim(), fail: fail.value });
  const element = el("details", { class: "pop" }, el("summary", { class: "btn" }, "Options"), el("div", { class: "pop-in stack stack-s" },
    el("div", { class: "field" }, el("label", { for: "profile" }, "Rich result to check in full ", el("code", {}, "--profile")), profile),
    el("div", { class: "field" }, el("label", { for: "types" }, "Only items of these types"), types),
    el("div", { class: "field" }, el("label", { for: "address" }, "URL of the page ", el("code", {}, "--base-url")), address, hint),
    el("div", { class: "field" }, el("label", { for: "fail" }, "What fails the build ", el("code", {}, "--fail-on")), fail)));
  return {
    element,
    chosen,
    /** @param {string} [usual] where the page comes from, unless an option says where it will stand */
    request: (usual = "") => ({ profiles: profile.value ? [profile.value] : [], types: names(), url: url() || usual || null }),
    failing: (/** @type {string} */ severity) => severity === "error" || fail.value === "info" || fail.value === severity,
    flags: () => `${profile.value && " --profile " + profile.value}${fail.value === "error" ? "" : " --fail-on " + fail.value}`,
    /** What a link keeps: what differs from the beginning. */
    retained: () => Object.fromEntries(Object.entries(chosen()).filter(([name, value]) => value && !(name === "fail" && value === "error"))),
    /** From a link, which may hold anything. @param {Json} value */
    restore: (value) => {
      const text = (/** @type {unknown} */ given) => (typeof given === "string" ? given.slice(0, 2000) : "");
      profile.value = profiles.includes(value.profile) ? value.profile : "";
      types.value = text(value.types);
      address.value = text(value.url);
      fail.value = FAILS.some(([name]) => name === value.fail) ? value.fail : "error";
    },
  };
};
