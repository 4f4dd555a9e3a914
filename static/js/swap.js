// One request for a change: fetch the page of the new address and put its parts where the old ones are.

import { $$, need } from './dom.js';

let running = /** @type {AbortController | null} */ (null);

/** The page at an address, or null when a later request overtook it. @param {string} address */
export async function fetched(address) {
  running?.abort();
  const mine = (running = new AbortController());
  try {
    const answer = await fetch(address, { signal: mine.signal, headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
    return new DOMParser().parseFromString(await answer.text(), 'text/html');
  } catch (error) {
    if (mine.signal.aborted) return null;
    throw error;
  }
}

/** Drops the request on its way, since the reader went somewhere else. */
export function cancel() {
  running?.abort();
}

/** Replaces every part marked for it; focus, open filters and scrolling stay where they were. @param {Document} page */
export function swap(page) {
  const focus = trail(document.activeElement);
  const scrolled = $$('.scroll').map((box) => box.scrollLeft);
  const column = document.getElementById('filters')?.scrollTop ?? 0;
  for (const old of $$('[data-swap]')) {
    const fresh = page.getElementById(old.id);
    if (!fresh) continue;
    for (const facet of /** @type {HTMLDetailsElement[]} */ ($$('details', fresh))) {
      const before = /** @type {HTMLDetailsElement | null} */ (document.getElementById(facet.id));
      if (before) facet.open = before.open;
    }
    old.replaceWith(document.adoptNode(fresh));
  }
  need('stage').hidden = page.getElementById('stage')?.hidden ?? false;
  need('stage').setAttribute('aria-label', page.getElementById('stage')?.getAttribute('aria-label') ?? '');
  document.title = page.title;
  $$('.scroll').forEach((box, i) => { box.scrollLeft = scrolled[i] ?? 0; });
  const filters = document.getElementById('filters');
  if (filters) filters.scrollTop = column;
  found(focus)?.focus({ preventScroll: true });
}

/** @typedef {{part: string, selector: string, path: number[]} | null} Trail */

/** How to find an element again in a fresh copy of its part. @param {Element | null} element @returns {Trail} */
function trail(element) {
  const part = element?.closest('[data-swap]');
  if (!element || !part || element === part) return null;
  const path = [];
  for (let node = element; node !== part && node.parentElement; node = node.parentElement) path.unshift([...node.parentElement.children].indexOf(node));
  const marks = ['id', 'name', 'value', 'data-hide', 'data-solo', 'data-log', 'data-to', 'data-all', 'data-save'];
  const selector = marks
    .filter((mark) => element.hasAttribute(mark))
    .map((mark) => `[${mark}="${CSS.escape(element.getAttribute(mark) ?? '')}"]`).join('');
  return { part: part.id, selector, path };
}

/** @param {Trail} focus @returns {HTMLElement | null} */
function found(focus) {
  const part = focus && document.getElementById(focus.part);
  if (!part) return null;
  if (focus.selector) return part.querySelector(focus.selector);
  const walked = focus.path.reduce((/** @type {Element | undefined} */ node, at) => node?.children[at], part);
  return walked instanceof HTMLElement ? walked : null;
}
