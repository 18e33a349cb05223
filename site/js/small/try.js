// An operation that needs no key, tried from its page: the request as it is sent, and what came of it. Forms hold what the
// schema of the request holds; a member that is left empty is left out.

import { copied, el, fill, link, tag } from "../workbench/dom.js";

const MOST_ANSWERED = 200_000;
const DISPLAYED_HEADERS = ["content-type", "etag", "cache-control", "location", "retry-after", "ratelimit", "ratelimit-policy", "link"];

/** @param {HTMLElement} home */
const tryOut = (home) => {
  const form = /** @type {HTMLFormElement} */ (home.querySelector("form"));
  const [voice, output, button] = /** @type {HTMLElement[]} */ (["[role=status]", "[data-shown]", "form button"].map((selector) => home.querySelector(selector)));
  const { method = "GET", path = "" } = form.dataset;
  const api = document.querySelector('meta[name="waypost-api"]')?.getAttribute("content") || (location.protocol.startsWith("http") ? location.origin : "");

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
    for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-in]"))) {
      const value = valueOf(field);
      if (value === undefined) continue;
      if (field.dataset.in === "path") address = address.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (field.dataset.in === "query") query.set(field.name, value);
      else put(body, field.name.split("."), value);
    }
    const search = query.toString();
    return { address: search ? `${address}?${search}` : address, body: form.dataset.media ? JSON.stringify(body, null, 2) : undefined };
  };

  const figure = (/** @type {string} */ title, /** @type {string} */ text) => {
    const button = el("button", { class: "btn btn-s", type: "button", onclick: () => copied(text, button) }, "Copy");
    return el("figure", { class: "codebox" }, el("figcaption", {}, el("span", {}, title), button), el("pre", { tabindex: "0", role: "group", "aria-label": title }, el("code", {}, text)));
  };
  const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
  const curl = (/** @type {{address: string, body?: string}} */ sending) => [`curl ${method === "GET" ? "" : "-X " + method + " "}${quoted((api || "http://127.0.0.1:8000") + sending.address)}`,
    ...(sending.body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d ${quoted(sending.body)}`])].join(" \\\n");

  const send = async () => {
    /** @type {{address: string, body?: string}} */
    let sending;
    try {
      sending = request();
    } catch {
      voice.textContent = "One of the fields does not hold JSON.";
      return;
    }
    const sent = figure("The request", curl(sending));
    if (!api) {
      fill(output, sent);
      voice.textContent = "This page was opened from a folder, so there is no service to ask. From a terminal it is this request.";
      return;
    }
    button.ariaDisabled = "true"; // a button that is disabled loses the focus
    voice.textContent = "Sending…";
    const began = performance.now();
    try {
      const answer = await fetch(api + sending.address, { method, credentials: "omit", signal: AbortSignal.timeout(10_000), ...(sending.body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: sending.body }) });
      const text = await answer.text();
      const ms = performance.now() - began;
      fill(output, answered(answer, text), sent);
      voice.textContent = `Answered with ${answer.status} in ${ms.toFixed(0)} ms.`;
    } catch {
      fill(output, sent);
      voice.textContent = `No complete answer came from ${api}; it may have received the request. From a terminal it is this one.`;
    }
    button.ariaDisabled = "false";
  };

  /** @param {Response} answer @param {string} text */
  const answered = (answer, text) => {
    const media = answer.headers.get("content-type") || "";
    let formatted = text, problem = "";
    if (/json/.test(media)) {
      try {
        const value = JSON.parse(text);
        formatted = JSON.stringify(value, null, 2);
        if (!answer.ok && /^[a-z][a-z-]{2,60}$/.test(value.code)) problem = value.code;
      } catch { /* shown as it came */ }
    }
    const headers = DISPLAYED_HEADERS.filter((name) => answer.headers.has(name)).map((name) => `${name}: ${answer.headers.get(name)}`);
    const ours = answer.ok || /problem\+json/.test(media);
    return el("div", { class: "stack" },
      el("p", {}, answer.ok ? tag("go", "same", `${answer.status} ${answer.statusText}`) : tag("stop", "fault", `${answer.status} ${answer.statusText}`), " ",
        problem ? el("a", { href: link(`problems/${problem}/`) }, problem) : !ours && `This response is not from waypost: is a service running at ${api}?`),
      headers.length > 0 && el("details", { class: "fold" }, el("summary", {}, "Headers"), el("pre", { tabindex: "0", role: "group", "aria-label": "Headers" }, el("code", {}, headers.join("\n")))),
      figure("The answer", formatted.length > MOST_ANSWERED ? `${formatted.slice(0, MOST_ANSWERED)}\n… and ${(formatted.length - MOST_ANSWERED).toLocaleString("en")} characters more` : formatted));
  };

  home.addEventListener("run", () => { if (button.ariaDisabled !== "true") send(); });
  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-kind=json]"))) field.addEventListener("input", () => field.setCustomValidity(""));
  home.setAttribute("data-ready", "");
};

/** Put a value at a path of names, through objects of no prototype. @param {Record<string, Json>} home @param {string[]} path @param {Json} value */
const put = (home, [name, ...rest], value) => {
  if (!rest.length) home[name] = value;
  else put(Object.hasOwn(home, name) ? home[name] : (home[name] = {}), rest, value);
};

for (const home of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-try]"))) tryOut(home);
