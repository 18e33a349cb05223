// A small library of components: h(tag, attributes, ...children) makes elements, render(tree, place) puts them in place.
const h = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const render = (tree, place) => place.replaceChildren(tree);
