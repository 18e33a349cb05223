// The page as text, after its scripts: run in a world of its own, whose functions the page cannot replace.
// Elements that the browser does not display are marked, and shadow trees are put in the place of what they hide.
((most) => {
  const OFTEN_HIDES = /(?:^|\s)(?:hidden|hide|is-hidden|d-none|u-hidden|invisible|uk-hidden|display-none|js-hidden|dn|modal|popup|drawer|offcanvas|tooltip|mobile-nav|mini-cart|minicart|cart-drawer)(?:\s|$)/i;
  const UNSEEN = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "HEAD", "META", "LINK", "TITLE", "BR"]);
  let left = 20000, hasShadow = false;
  const isAway = (element) => {
    const box = element.getBoundingClientRect();
    // The usual ways to keep a text for screen readers: a box of one pixel that is cut off, or one beside the window.
    if (box.width <= 1 && box.height <= 1 && element.textContent.trim()) return getComputedStyle(element).overflow !== "visible";
    return box.right <= 0 && box.width > 0 || box.bottom < -1000;
  };
  const mark = (root) => {
    for (const element of root.children) {
      if (left-- <= 0) return;
      if (UNSEEN.has(element.tagName)) continue;
      if (element.shadowRoot) {
        hasShadow = true;
        mark(element.shadowRoot);
      }
      const isDisplayed = element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false });
      const isContents = !isDisplayed && getComputedStyle(element).display === "contents";
      if (!isDisplayed && !isContents && getComputedStyle(element).visibility === "visible" || isDisplayed && isAway(element)) {
        element.setAttribute("data-waypost-hidden", "");
        continue;
      }
      if (!isDisplayed && !isContents) {
        // A part of an invisible element may be visible.
        if (![...element.querySelectorAll("*")].slice(0, 500).some((inner) => inner.checkVisibility({ visibilityProperty: true }))) {
          element.setAttribute("data-waypost-hidden", "");
          continue;
        }
      }
      if (OFTEN_HIDES.test(element.getAttribute("class") || "")) element.setAttribute("data-waypost-displayed", "");
      if (!/^(?:DEL|S|STRIKE)$/.test(element.tagName) && [...element.childNodes].some((node) => node.nodeType === 3 && /\d/.test(node.data))
        && getComputedStyle(element).textDecorationLine.includes("line-through")) element.setAttribute("data-waypost-struck", "");
      mark(element);
    }
  };
  const flatten = (host) => {
    for (const inner of host.shadowRoot.querySelectorAll("*")) if (inner.shadowRoot) flatten(inner);
    for (const slot of host.shadowRoot.querySelectorAll("slot")) {
      const assigned = slot.assignedNodes();
      slot.replaceWith(...(assigned.length ? assigned : slot.childNodes));
    }
    host.replaceChildren(...host.shadowRoot.childNodes);
  };
  const root = document.documentElement;
  if (!root) return { html: "", size: 0, hasShadow };
  if (document.body) mark(document.body);
  if (hasShadow) for (const element of document.querySelectorAll("*")) if (element.shadowRoot) flatten(element);
  const { doctype } = document;
  const html = (doctype ? `<!DOCTYPE ${doctype.name}>\n` : "") + root.outerHTML;
  return { html: html.length <= most ? html : "", size: html.length, hasShadow };
})
