// The engine, once what it needs is there; the same for every part of a page that uses it.
/** @type {any} */
let known = null;
const engineOf = () => (known ||= globalThis.Waypost.load(globalThis.WaypostRegistry));
const shared = () => globalThis.WaypostWorkbench;
