// An operation, tried from its page: the request as it is sent, and what came of it. Forms hold what the schema of the request
// holds; a member that is left empty is left out. A key stays in its field alone, and goes to one address: the reader's.

import { copied, el, fill, link, tag } from "../workbench/dom.js";

const MOST_ANSWERED = 200_000;
const DISPLAYED_HEADERS = ["content-type", "etag", "cache-control", "location", "retry-after", "ratelimit", "ratelimit-policy", "link"];
const KEY = /^[\x21-\x7e]+$/; // what a header can hold

/** Where requests go: the reader's own base address, else the service of this site; `rejection` has the reason why the policy of
 * the page keeps requests from it. @returns {{api: string, rejection: string}} */
const destination = () => {
  const own = location.protocol.startsWith("http") ? location.origin : "";
  const ofSite = document.querySelector('meta[name="waypost-api"]')?.getAttribute("content") || own;
  let base = "";
  try {
    base = localStorage.getItem("waypost-base") ?? "";
  } catch { /* private windows have no storage */ }
  if (!/^https?:/.test(base) || !URL.canParse(base)) return { api: ofSite, rejection: "" };
  const reachable = [...new Set([own, ofSite].filter(Boolean).map((each) => new URL(each).origin))];
  const why = reachable.length ? `the security policy of this site allows requests to ${reachable.join(" and ")} alone` : "it was opened from a folder";
  return { api: base, rejection: reachable.includes(new URL(base).origin) ? ""
    : `The base address ${base} cannot be reached from this page: ${why}. Send shows the request for a terminal.` };
};

/** @param {HTMLElement} home */
const tryOut = (home) => {
  const form = /** @type {HTMLFormElement} */ (home.querySelector("form"));
  const [voice, output, button] = /** @type {HTMLElement[]} */ (["[role=status]", "[data-shown]", "form button"].map((selector) => home.querySelector(selector)));
  const { method = "GET", path = "" } = form.dataset;
  const key = /** @type {HTMLInputElement|null} */ (form.querySelector("[data-key]"));
  const { api, rejection } = destination();
  if (rejection) voice.textContent = rejection;
  // Leaving keeps no key, not even in the copy of the page that Back shows.
  if (key) addEventListener("pagehide", () => { key.value = ""; });

  /** What a field holds, or undefined. @param {HTMLInputElement} field */
  const valueOf = (field) => {
    field.setCustomValidity("");
    const text = field.value;
    if (text === "") return undefined;
    if (field.dataset.kind === "json") {
      try {
        return JSON.parse(text);
      } catch (error) {
        field.setCustomValidity(`Not JSON: ${/** @type {Error} */ (error).message}`);
        field.reportValidity();
        throw error;
      }
    }
    return { number: Number(text), boolean: text === "true" }[/** @type {"number"|"boolean"} */ (field.dataset.kind)] ?? text;
  };

  const request = () => {
    let address = path;
    const query = new URLSearchParams();
    /** @type {Record<string, Json>} */
    const body = {};
    /** @type {Record<string, string>} */
    const headers = {};
    for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-in]"))) {
      const value = valueOf(field);
      if (value === undefined) continue;
      if (field.dataset.in === "path") address = address.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (field.dataset.in === "query") query.set(field.name, value);
      else if (field.dataset.in === "header") headers[field.name] = String(value);
      else put(body, field.name.split("."), value);
    }
    const search = query.toString();
    const hasBody = form.dataset.media && method !== "GET";
    if (hasBody) headers["Content-Type"] = "application/json";
    return { address: search ? `${address}?${search}` : address, headers, body: hasBody ? JSON.stringify(body, null, 2) : undefined };
  };

  const figure = (/** @type {string} */ title, /** @type {string} */ text) => {
    const button = el("button", { class: "btn btn-s", type: "button", onclick: () => copied(text, button) }, "Copy");
    return el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, title), button), el("pre", { tabindex: "0", role: "group", "aria-label": title }, el("code", {}, text)));
  };
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  /** @typedef {{address: string, headers: Record<string, string>, body?: string}} Sending */
  /** The request for a terminal: a key is named by its variable. @param {Sending} sending */
  const curl = (sending) => [`curl ${method === "GET" ? "" : "-X " + method + " "}${quoted((api || "http://127.0.0.1:8000") + sending.address)}`,
    ...(key ? ['  -H "Authorization: Bearer $WAYPOST_API_KEY"'] : []),
    ...Object.entries(sending.headers).map(([name, value]) => `  -H ${quoted(name + ": " + value)}`),
    ...(sending.body === undefined ? [] : [`  -d ${quoted(sending.body)}`])].join(" \\\n");

  const send = async () => {
    /** @type {Sending} */
    let sending;
    try {
      sending = request();
    } catch {
      voice.textContent = "One of the fields does not hold JSON.";
      return;
    }
    const sent = figure("The request", curl(sending));
    const secret = key?.value.trim() ?? "";
    const unsent = rejection || (!api && "This page was opened from a folder, so there is no service to ask. From a terminal it is this request.")
      || (key && !secret && "Nothing was sent: this operation needs a key, and its field is empty. From a terminal it is this request.")
      || (key && !KEY.test(secret) && "Nothing was sent: the key has a character that keys do not have, such as a space.");
    if (unsent) {
      fill(output, sent);
      voice.textContent = unsent;
      return;
    }
    const headers = key ? { ...sending.headers, Authorization: `Bearer ${secret}` } : sending.headers;
    button.ariaDisabled = "true"; // a button that is disabled loses the focus
    voice.textContent = "Sending…";
    const began = performance.now();
    try {
      const answer = await fetch(api + sending.address, { method, headers, body: sending.body, credentials: "omit", cache: "no-store", redirect: key ? "error" : "follow", signal: AbortSignal.timeout(10_000) });
      const text = await answer.text();
      const ms = performance.now() - began;
      fill(output, answered(answer, text), sent);
      voice.textContent = `Answered with ${answer.status} in ${ms.toFixed(0)} ms.`;
    } catch {
      fill(output, sent);
      const elsewhere = key && new URL(api).origin !== location.origin ? " A service lets pages of its own address alone use a key." : "";
      voice.textContent = `No complete answer came from ${api}; it may have received the request.${elsewhere} From a terminal it is this one.`;
    }
    button.ariaDisabled = "false";
  };

  /** @param {Response} answer @param {string} text */
  const answered = (answer, text) => {
    const media = answer.headers.get("content-type") || "";
    let formatted = text, problem = "";
    /** @type {Record<string, any>} */
    let found = {};
    if (/json/.test(media)) {
      try {
        const value = JSON.parse(text);
        formatted = JSON.stringify(value, null, 2);
        if (!answer.ok && /^[a-z][a-z-]{2,60}$/.test(value?.code)) [problem, found] = [value.code, value];
      } catch { /* shown as it came */ }
    }
    const headers = DISPLAYED_HEADERS.filter((name) => answer.headers.has(name)).map((name) => `${name}: ${answer.headers.get(name)}`);
    const ours = answer.ok || /problem\+json/.test(media);
    return el("div", { class: "stack" },
      el("p", {}, answer.ok ? tag("go", "same", `${answer.status} ${answer.statusText}`) : tag("stop", "fault", `${answer.status} ${answer.statusText}`), " ",
        problem ? el("a", { href: link(`problems/${problem}/`) }, problem) : !ours && `This response is not from waypost: is a service running at ${api}?`),
      problem && explained(found),
      headers.length > 0 && el("details", { class: "fold" }, el("summary", {}, "Headers"), el("pre", { tabindex: "0", role: "group", "aria-label": "Headers" }, el("code", {}, headers.join("\n")))),
      figure("The answer", formatted.length > MOST_ANSWERED ? `${formatted.slice(0, MOST_ANSWERED)}\n… and ${(formatted.length - MOST_ANSWERED).toLocaleString("en")} characters more` : formatted));
  };

  // A field that is folded away cannot have the focus, and its error would not be seen.
  form.addEventListener("invalid", ({ target }) => { const fold = /** @type {Element} */ (target).closest("details"); if (fold) fold.open = true; }, true);
  home.addEventListener("run", () => { if (button.ariaDisabled !== "true") send(); });
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-kind=json]"))) field.addEventListener("input", () => field.setCustomValidity(""));
  home.setAttribute("data-ready", "");
};

/** A problem document in words: what is wrong, and where in the request. @param {Record<string, any>} problem */
const explained = ({ title, detail, errors }) => {
  const places = Array.isArray(errors) ? errors : [];
  const words = [title ?? "Refused", detail ?? ""].map(String);
  const [heading, why] = words[1].toLowerCase().startsWith(words[0].toLowerCase()) ? ["", words[1].replace(/^./, (first) => first.toUpperCase())] : words;
  return el("div", { class: "panel stack stack-s", "data-problem": true }, el("p", {}, heading && el("b", {}, heading), heading && why && ": ", why),
    places.length > 0 && el("ul", {}, ...places.map((place) => el("li", {}, el("code", {}, String(place.pointer ?? place.parameter ?? place.header ?? place.code)), ` ${place.detail ?? ""}`))));
};

/** Put a value at a path of names, through objects of no prototype. @param {Record<string, Json>} home @param {string[]} path @param {Json} value */
const put = (home, [name, ...rest], value) => {
  if (!rest.length) home[name] = value;
  else put(Object.hasOwn(home, name) ? home[name] : (home[name] = {}), rest, value);
};

for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-try]"))) tryOut(home);
