// The one Trusted Types policy of the site. Markup is only ever parsed into inert documents; a script may only be one of
// those that the build lists in front of this one: `waypost.scripts`, their names with the digits of their content.
const waypost = (window.waypost ||= {});
const siteRoot = document.querySelector(".find")?.dataset.root ?? "";
const scripts = Object.fromEntries(waypost.scripts.split(" ").map((each) => [each.split(".")[0], `${siteRoot}assets/${each}.js`]));
waypost.policy ||= (() => {
  const own = new Set(Object.values(scripts));
  const rules = {
    createHTML: (text) => text,
    createScriptURL: (url) => {
      if (own.has(url)) return url;
      throw new TypeError("no script of this site");
    },
  };
  return window.trustedTypes?.createPolicy("waypost-parse", rules) || rules;
})();

// A script of the site's own, loaded when it is first needed, and once: a script, so that it works from a folder too.
// Scripts requested together run in the order of the requests.
const loads = {};
waypost.load = (url) => (loads[url] ||= new Promise((done, failed) => {
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
waypost.part = (name) => waypost.load(scripts[name]);
// What a part of a page needs to work comes when it is first used; until then it reads as what it is.
for (const home of document.querySelectorAll("[data-scripts]")) {
  const load = () => Promise.all(home.dataset.scripts.split(" ").map(waypost.load)).catch((error) => {
    const status = home.querySelector("[role=status]");
    status.textContent = error.message;
    status.classList.remove("vh"); // elsewhere it repeats what is seen
  });
  home.addEventListener("focusin", load);
  // A button that is pressed before that is pressed again by what comes.
  home.addEventListener("click", ({ target }) => { if (!home.hasAttribute("data-ready")) { home.pressed = target.closest("button"); load(); } });
  home.addEventListener("change", load);
  home.addEventListener("submit", (event) => {
    event.preventDefault();
    load().then(() => home.dispatchEvent(new Event("run")));
  });
  // Focused before this script ran, named by a link, or with a text that the history of the tab holds.
  if (home.matches(location.hash || history.state ? ":focus-within, [data-linked]" : ":focus-within")) load();
}

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
