/* DOM helpers of all scripts: find and create elements, start each part of a page once. */

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Creates an element. An attribute "onclick" is a listener, false omits an attribute, and text is never parsed as HTML.
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

// Starts every element that is not started yet: Material reruns the scripts of a page
// whenever it swaps the page in.
export function startEach(selector, start) {
  for (const root of all(`${selector}:not([data-ready])`)) {
    root.dataset.ready = "";
    start(root);
  }
}
