// The one Trusted Types policy of the site. Markup is only ever parsed into inert documents; a script may only be
// one of the site's own assets, named without a host.
const waypost = (window.waypost ||= {});
waypost.policy ||= (() => {
  const rules = {
    createHTML: (text) => text,
    createScriptURL: (url) => {
      if (/^(\.\.\/)*assets\/[a-z]+\.[0-9a-f]{10}\.js$|^\/([\w.-]+\/)*assets\/[a-z]+\.[0-9a-f]{10}\.js$/.test(url)) return url;
      throw new TypeError("not one of the site's own scripts");
    },
  };
  return window.trustedTypes ? window.trustedTypes.createPolicy("waypost-parse", rules) : rules;
})();

// A script of the site's own, loaded when it is first needed, and once: a script, so that it works from a folder too.
const loads = {};
waypost.load = (url) => (loads[url] ||= new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = waypost.policy.createScriptURL(url);
  script.async = false;
  script.addEventListener("load", done);
  script.addEventListener("error", () => { delete loads[url]; failed(new Error("a part of this page is not there")); });
  document.head.append(script);
}));
// What a part of a page needs to work comes when it is first used; until then it reads as what it is.
for (const home of document.querySelectorAll("[data-scripts]")) {
  const load = () => Promise.all(home.dataset.scripts.split(" ").map(waypost.load)).catch((fault) => {
    home.querySelector("[role=status]").textContent = fault.message;
  });
  home.addEventListener("focusin", load);
  home.addEventListener("submit", (event) => {
    event.preventDefault();
    load().then(() => home.dispatchEvent(new Event("asked")));
  });
  if (location.hash && "linked" in home.dataset) load();
}

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
