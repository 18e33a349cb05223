// The one Trusted Types policy of the site. Markup is only ever parsed into inert documents; a script may only be one of
// those that the build lists in front of this one: `waypost.scripts`, their names with the digits of their content.
export const waypost = (globalThis.waypost ||= /** @type {Site} */ ({}));
const siteRoot = /** @type {HTMLElement|null} */ (document.querySelector(".find"))?.dataset.root ?? "";
export const scripts = Object.fromEntries(waypost.scripts.split(" ").map((each) => [each.split(".")[0], `${siteRoot}assets/${each}.js`]));
waypost.policy ||= (() => {
  const own = new Set(Object.values(scripts));
  const rules = {
    createHTML: (/** @type {string} */ text) => text,
    createScriptURL: (/** @type {string} */ url) => {
      if (own.has(url)) return url;
      throw new TypeError("no script of this site");
    },
  };
  return window.trustedTypes?.createPolicy("waypost-parse", rules) || rules;
})();

// A script of the site's own, loaded when it is first needed, and once: a script, so that it works from a folder too.
// Scripts requested together run in the order of the requests.
/** @type {Record<string, Promise<Event>>} */
const loads = {};
waypost.load = (/** @type {string} */ url) => (loads[url] ||= new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = waypost.policy.createScriptURL(url);
  script.async = false;
  script.addEventListener("load", done);
  script.addEventListener("error", () => {
    delete loads[url];
    script.remove();
    failed(new Error("A part of this page did not load. Reload it."));
  });
  document.head.append(script);
}));
waypost.part = (/** @type {string} */ name) => waypost.load(scripts[name]);
