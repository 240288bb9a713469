/* What the scripts of every page share: find elements, make them, start each part of a page once. */

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A new element. An attribute "onclick" is a listener, false leaves an attribute out, and text is only ever text.
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

export const words = (number, noun, many = `${noun}s`) => `${number} ${number === 1 ? noun : many}`;

// Starts every element that was not started before: Material runs the scripts of a page again
// whenever it swaps the page in, and so each run finds what is new.
export function startEach(selector, start) {
  for (const root of all(`${selector}:not([data-ready])`)) {
    root.dataset.ready = "";
    start(root);
  }
}
