// Asks waypost whether an action may go ahead, and takes everything but a clear yes for a stop. No dependencies.
//
//   import { may, require } from "./check.mjs";
//   await require("https://shop.example/pay", "payment");   // throws Stopped
//   pay();
//
// Around a tool, `fetch` or an MCP client, so that no call goes ahead without asking:
//
//   const waypost = guard();
//   const pay = waypost.tool("payment", (order) => order.checkout, async (order) => { ... });
//   const payingFetch = waypost.fetch("payment");
//   const client = waypost.client(mcp, { pay: { action: "payment", url: "checkout" }, list_orders: null });
//
//   WAYPOST_SERVICE=http://127.0.0.1:8000 WAYPOST_API_KEY=wp_test_... node check.mjs https://allow.test/ payment
//
// For servers: a key has no place in a browser, and the service answers none.

import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const MEMBERS = {
  decision_id: "string", normalized_domain: "string", relationship_status: "string", risk_status: "string",
  action: "string", action_allowed: "boolean", reason_codes: "array", confidence_class: "string", unknowns: "array",
  expires_at: "string", dispute_path: "string",
};
// A value that is not here is from a later service; a stop for such a reason is shown, an approval with one is none.
export const KNOWN = {
  relationship_status: [
    "unverified", "suspected_impersonation", "verified_official", "verified_affiliate", "claimed_unreviewed",
    "disputed", "declared_merchant",
  ],
  risk_status: [
    "no_high_risk_signal_observed", "high_risk_signal_observed", "elevated_risk_signal_observed", "risk_not_assessed",
  ],
  confidence_class: ["high", "medium", "low", "insufficient"],
  reason_codes: [
    "brand_impersonation_signal", "no_decisive_signal", "official_relationship_verified",
    "affiliate_relationship_verified", "relationship_claim_unreviewed", "relationship_disputed",
    "relationship_review_expired", "brand_name_similarity", "threat_list_match", "redirect_to_other_domain",
    "insecure_transport", "non_public_address", "recently_registered", "required_evidence_missing",
    "credentials_in_url", "risk_beside_verified_owner", "risk_signal_blocks_action", "action_unspecified",
    "redirects_elsewhere", "published_by_strangers", "counterparty_mismatch", "ownership_changed",
    "sign_in_receiver_not_verified", "filled_in_by_url", "not_a_function_of_the_owner", "payee_mismatch",
    "actions_frozen", "merchant_declared", "amount_not_permitted", "action_not_permitted",
  ],
  unknowns: [
    "official_relationship_not_confirmed", "dns_not_resolved", "dns_timeout", "tls_not_checked",
    "tls_handshake_failed", "http_not_fetched", "redirect_target_not_checked", "registration_age_unavailable",
    "registry_rdap_unsupported", "rdap_rate_limited", "certificate_history_unavailable",
    "threat_list_not_configured", "threat_list_stale", "page_content_not_inspected",
    "structured_data_not_inspected", "public_suffix_list_stale", "brand_registry_stale",
    "shared_hosting_tenant_not_attributable", "idn_display_ambiguous", "policy_input_incomplete",
    "claimed_brand_unknown", "ownership_continuity_unknown",
    "sign_in_receiver_not_checked", "network_check_not_made",
    "alternative_review_expired", "page_publisher_unknown", "payee_not_verified", "merchant_evidence_not_read",
  ],
};
// No policy lets these stand beside an approval: such an answer contradicts itself, and is a stop.
const NEVER_ALLOWED = {
  relationship_status: ["suspected_impersonation", "disputed"],
  risk_status: ["high_risk_signal_observed", "risk_not_assessed"],
  confidence_class: ["insufficient"],
  reason_codes: [
    "brand_impersonation_signal", "relationship_disputed", "threat_list_match", "required_evidence_missing",
    "risk_beside_verified_owner", "risk_signal_blocks_action", "action_unspecified",
    "counterparty_mismatch", "payee_mismatch", "actions_frozen", "amount_not_permitted", "action_not_permitted",
  ],
  unknowns: ["policy_input_incomplete"],
};
// The same for every action but a visit, which gives nothing away.
const NEVER_ALLOWED_SENSITIVE = {
  relationship_status: ["unverified", "claimed_unreviewed"],
  risk_status: ["elevated_risk_signal_observed"],
  confidence_class: ["low"],
  reason_codes: [
    "ownership_changed", "published_by_strangers", "redirects_elsewhere", "sign_in_receiver_not_verified",
    "filled_in_by_url", "not_a_function_of_the_owner",
  ],
  unknowns: ["official_relationship_not_confirmed", "tls_not_checked"],
};
const UNCONFIRMED = "official_relationship_not_confirmed";
// What the caller knows about the destination and the payment, as POST /v1/agent-safety takes it.
const DETAILS = ["claimed_brand", "payee", "payment_endpoint", "signed_checkout", "amount", "referred_by"];
const MOST_BYTES = 1 << 20;
const LONGEST_MS = 24 * 60 * 60 * 1000;
const MOST_STORED = 256;
// After a freeze of the organization, or a dispute, no allow is used for longer.
const REUSE_MS = 5_000;
const MOST_REDIRECTS = 5;

/** The action must not go ahead. `decision` is what the service decided, if it did. */
export class Stopped extends Error {
  constructor(reasons, decision = null) {
    super(`stop: ${reasons.join(", ")}`);
    this.name = "Stopped";
    this.reasons = reasons;
    this.decision = decision;
  }
}

/**
 * The decision, if this action may go ahead at this URL now. Throws Stopped in every other case. `options.details` has
 * what you know: `claimed_brand`, `payee`, `payment_endpoint`, `signed_checkout`, `amount`, `referred_by`.
 */
export async function require(url, action, options = {}) {
  let decision;
  if (hasTwoHosts(url)) throw new Stopped(["invalid_url"]);
  try {
    decision = await send(url, action, options);
  } catch (error) {
    if (error instanceof Stopped) throw error;
    // Its message may hold the key or the URL: only its kind is reported.
    throw new Stopped([error?.name === "TimeoutError" ? "timeout" : "no_answer"]);
  }
  const host = hostOf(url);
  if (decision.action !== action) throw new Stopped(["other_action"], decision);
  if (decision.normalized_domain !== host) throw new Stopped(["other_destination"], decision);
  if (decision.action_allowed !== true) throw new Stopped(decision.reason_codes, decision);
  if (decision.reason_codes.length === 0) throw new Stopped(["contradiction"], decision);
  for (const [name, known] of Object.entries(KNOWN)) {
    if (![decision[name]].flat().every((each) => known.includes(each))) throw new Stopped(["unknown_value"], decision);
  }
  const tables = action === "visit" ? [NEVER_ALLOWED] : [NEVER_ALLOWED, NEVER_ALLOWED_SENSITIVE];
  // A shop outside the registry, by the operator's own policy: for payments alone, and with a reason of its own.
  const isDeclared = decision.relationship_status === "declared_merchant";
  if (isDeclared && !(["payment", "checkout"].includes(action) && decision.reason_codes.includes("merchant_declared"))) {
    throw new Stopped(["contradiction"], decision);
  }
  for (const [name, values] of tables.flatMap(Object.entries)) {
    const held = [decision[name]].flat().filter((each) => !(isDeclared && each === UNCONFIRMED));
    if (held.some((each) => values.includes(each))) throw new Stopped(["contradiction"], decision);
  }
  if (!holds(decision)) throw new Stopped(["expired"], decision);
  return decision;
}

/** Whether this action may go ahead at this URL now. */
export async function may(url, action, options = {}) {
  try {
    await require(url, action, options);
    return true;
  } catch {
    return false;
  }
}

/** Whether a decision's time is not over. Look again at the moment of acting. */
export function holds(decision, now = Date.now()) {
  return now < decision.ends;
}

/**
 * A guard around the tools of an agent. `options` as of `require`. An allow is used for five seconds, for the same URL,
 * action and details only; whatever is not allowed throws Stopped, and nothing is called.
 */
export function guard(options = {}) {
  const allowed = new Map();

  async function check(url, action, details = options.details) {
    // A digest, because a URL may hold secrets.
    const place = createHash("sha256").update(JSON.stringify([String(url), action, details])).digest("hex");
    const stored = allowed.get(place);
    if (stored && holds(stored) && Date.now() < stored.since + REUSE_MS) return stored;
    allowed.delete(place);
    const since = Date.now();
    const decision = Object.freeze({ ...(await require(url, action, { ...options, details })), since });
    allowed.set(place, decision);
    if (allowed.size > MOST_STORED) allowed.delete(allowed.keys().next().value);
    return decision;
  }

  async function checkAll(urls, action, details) {
    const decisions = [];
    for (const url of urls) decisions.push(await check(url, action, details));
    for (const decision of decisions) if (!holds(decision)) throw new Stopped(["expired"], decision);
  }

  return Object.freeze({
    require: check,

    /**
     * The function, which runs only after an allow for `action` at the URL that `find` takes from its arguments, or at
     * each URL of a list. `details` has the facts of the arguments about the payment, such as its payee and amount.
     */
    tool(action, find, run, details = () => options.details) {
      const guarded = async function (...args) {
        const urls = found(find, args);
        const given = JSON.stringify(details(...args));
        await checkAll(urls, action, given === undefined ? undefined : JSON.parse(given));
        // Whoever holds the arguments may have changed them while the answer was awaited.
        const same = found(find, args).join(" ") === urls.join(" ") && JSON.stringify(details(...args)) === given;
        if (!same) throw new Stopped(["other_destination"]);
        return run.apply(this, args);
      };
      return Object.defineProperty(guarded, "name", { value: run.name });
    },

    /** `fetch` for an action. It follows redirects of one host, each checked; one to another host is a stop. */
    fetch(action, inner = globalThis.fetch) {
      return async (input, init) => {
        const request = new Request(input, init);
        const follows = request.redirect === "follow";
        let { url, method, headers } = request;
        // Read once: a redirect may need the body again.
        let body = request.body === null ? undefined : await request.arrayBuffer();
        for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
          await check(url, action);
          const redirect = follows ? "manual" : request.redirect;
          const response = await inner(url, { ...init, method, headers, body, redirect, signal: request.signal });
          if (response.url && hostOf(response.url) !== hostOf(url)) throw new Stopped(["redirects_elsewhere"]);
          if (!follows) return response;
          if (response.type === "opaqueredirect") throw new Stopped(["redirect_target_not_checked"]);
          const location = response.headers.get("location");
          if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
          await response.body?.cancel();
          const to = redirected(location, url);
          headers = new Headers(headers);
          if (to.origin !== new URL(url).origin) remove(headers, /^(authorization|cookie|proxy-authorization)$/);
          if ((response.status === 303 && method !== "HEAD") || (response.status < 303 && method === "POST")) {
            method = "GET";
            body = undefined;
            remove(headers, /^content-/);
          }
          url = to.href;
        }
        throw new Stopped(["redirect_target_not_checked"]);
      };
    },

    /**
     * An MCP client whose tools are guarded. `tools` has, for each tool by name, its `action` and the `url`: the name
     * of an argument or a function of the arguments; `null` for a tool that gives nothing away. Others are stopped.
     * `details`, a function of the arguments, has the facts about the payment.
     */
    client(mcp, tools) {
      const before = async (params) => {
        const rule = Object.hasOwn(tools, params?.name) ? tools[params.name] : undefined;
        if (rule === null) return params;
        if (rule === undefined) throw new Stopped(["undeclared_tool"]);
        const sent = structuredClone(params);
        const find = typeof rule.url === "string" ? (given) => given[rule.url] : rule.url;
        const given = sent.arguments ?? {};
        await checkAll(found(find, [given]), rule.action, rule.details ? rule.details(given) : options.details);
        return sent;
      };
      return new Proxy(mcp, {
        get(target, name) {
          const member = Reflect.get(target, name, target);
          if (typeof member !== "function") return member;
          if (name === "callTool") return async (params, ...rest) => member.call(target, await before(params), ...rest);
          if (name !== "request") return member.bind(target);
          return async (request, ...rest) => {
            const isCall = request?.method === "tools/call";
            return member.call(target, isCall ? { ...request, params: await before(request.params) } : request, ...rest);
          };
        },
      });
    },
  });
}

function hostOf(url) {
  return new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** The URLs in the arguments. No URL contains a space, so they may be joined by one. */
function found(find, args) {
  try {
    const urls = [find(...args)].flat();
    if (urls.length > 0 && !urls.some(hasTwoHosts)) return urls.map((url) => new URL(url).href);
  } catch {
    // The stop below.
  }
  throw new Stopped(["invalid_url"]);
}

/**
 * Whether programs read different hosts in a URL, because a backslash stands before the path: `https://a.test\@b.test/`
 * leads `fetch` to a.test, and programs that read it by RFC 3986 to b.test.
 */
function hasTwoHosts(url) {
  return String(url).replace(/^[^:]*:\/*/, "").split(/[/?#]/, 1)[0].includes("\\");
}

/** The address that a redirect leads to; Stopped where that is another host. */
function redirected(location, url) {
  if (!URL.canParse(location, url)) throw new Stopped(["redirect_target_not_checked"]);
  const to = new URL(location, url);
  if (hostOf(to) !== hostOf(url)) throw new Stopped(["redirects_elsewhere"]);
  return to;
}

function remove(headers, names) {
  for (const name of [...headers.keys()]) if (names.test(name)) headers.delete(name);
}

/** The details of a request. Stopped for a name that the service does not know: it would be no check of the detail. */
function detailsOf({ details = {} }) {
  if (Object.keys(details).some((name) => !DETAILS.includes(name))) throw new Stopped(["unknown_detail"]);
  return details;
}

async function send(url, action, options) {
  const { service = process.env.WAYPOST_SERVICE, key = process.env.WAYPOST_API_KEY, timeoutMs = 10_000 } = options;
  const base = new URL(service);
  const here = ["localhost", "127.0.0.1", "[::1]"].includes(base.hostname);
  if (base.protocol !== "https:" && !(base.protocol === "http:" && here)) throw new Stopped(["insecure_service"]);
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) throw new Stopped(["no_key"]);
  new URL(url);
  const started = Date.now();
  const response = await fetch(new URL("/v1/agent-safety", base), {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs), // the body's time is in it
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ url, intended_action: action, ...detailsOf(options) }),
  });
  if (response.status !== 200) throw new Stopped([`status_${response.status}`]);
  if (!/^application\/json\s*(;|$)/i.test(response.headers.get("content-type") ?? "")) throw new Stopped(["unreadable"]);
  return checked(await read(response), response.headers.get("date"), started);
}

async function read(response) {
  const pieces = [];
  let length = 0;
  for await (const piece of response.body) {
    length += piece.length;
    if (length > MOST_BYTES) throw new Stopped(["too_large"]);
    pieces.push(piece);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
    const answer = JSON.parse(text);
    if (repeats(text)) throw new Error();
    return answer;
  } catch {
    throw new Stopped(["unreadable"]);
  }
}

/** Whether an object in a JSON text has a member twice: `JSON.parse` takes the last, another reader the first. */
function repeats(text) {
  const open = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (token.endsWith(":")) {
      const name = JSON.parse(token.slice(0, -1));
      if (open.at(-1).has(name)) return true;
      open.at(-1).add(name);
    }
  }
  return false;
}

/** The decision if it is whole, with `ends`: until when it holds by our own clock, in milliseconds since 1970. */
function checked(answer, date, started) {
  if (answer === null || typeof answer !== "object" || Array.isArray(answer)) throw new Stopped(["unreadable"]);
  for (const [name, kind] of Object.entries(MEMBERS)) {
    const value = answer[name];
    const good = kind === "array" ? Array.isArray(value) && value.every((each) => typeof each === "string")
                                  : typeof value === kind;
    if (!Object.hasOwn(answer, name) || !good) throw new Stopped(["unreadable"]);
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(answer.expires_at)) throw new Stopped(["unreadable"]);
  const expires = Date.parse(answer.expires_at);
  const sent = Date.parse(date ?? "");
  // Where our clock is behind the service's, the decision still holds no longer than it was given.
  const ends = Math.min(expires, started + LONGEST_MS, Number.isNaN(sent) ? Infinity : started + (expires - sent));
  if (Number.isNaN(ends)) throw new Stopped(["unreadable"]);
  return Object.freeze({ ...answer, ends });
}

if (fileURLToPath(import.meta.url) === resolve(process.argv[1] ?? "")) {
  const [url, action = "payment", timeoutMs = "10000"] = process.argv.slice(2);
  try {
    const decision = await require(url, action, { timeoutMs: Number(timeoutMs) });
    console.log(`may go ahead at ${decision.normalized_domain} until ${decision.expires_at}`);
  } catch (stop) {
    console.error(stop instanceof Stopped ? stop.message : "stop");
    process.exitCode = 1;
  }
}
