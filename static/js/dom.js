// Building elements: text goes in as text, never as markup.

/** @typedef {Node | string | null | undefined | false} Child */

/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement | null} */
export const $ = (selector, root = document) => root.querySelector(selector);

/** @param {string} selector @param {ParentNode} [root] @returns {HTMLElement[]} */
export const $$ = (selector, root = document) => [...root.querySelectorAll(/** @type {'div'} */ (selector))];

/** An element that the page cannot do without. @param {string} id */
export function need(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** What the address of a point ends with on this page, so that it stays in the same prices and state. */
export const suffix = () => $('[data-suffix]')?.dataset.suffix ?? '';

/** @param {string} tag @param {Record<string, string | number | boolean>} attributes @param {...Child} children */
export function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  return filled(node, attributes, children);
}

/** @param {string} tag @param {Record<string, string | number | boolean>} attributes @param {...Child} children */
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return filled(node, attributes, children);
}

/** @template {Element} T @param {T} node @param {Record<string, string | number | boolean>} attributes @param {Child[]} children @returns {T} */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
