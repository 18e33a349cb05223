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

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
