// The controls and rows of the page, put in step with a state that the server has not seen.

import { $, $$ } from './dom.js';
import { letter } from './pins.js';
import { merged } from './url.js';

/** @typedef {import('./types.js').State} State */

/** @typedef {import('./points.js').Count} Count */

/** @param {State} state @param {string[]} pins those that this view has @param {string} made query that the page was made for @param {Count} count */
export function reflect(state, pins, made, count) {
  legend(state);
  $('[data-all]')?.setAttribute('aria-checked', String(state.all));
  for (const link of $$('[data-log]')) {
    const isLog = link.dataset.log === 'x' ? state.logX : state.logY;
    mark(link, 'aria-current', (link.dataset.to === 'log') === isLog);
  }
  const reset = document.getElementById('reset');
  if (reset) reset.hidden = !(state.xr || state.yr);
  counts(count);
  rows(state, pins, count);
  const clear = document.getElementById('clear');
  if (clear) clear.hidden = !('filtered' in clear.dataset || state.hide.length);
  links(state, made);
  forms(state, made);
}

/** @param {Count} count */
function counts(count) {
  for (const [id, value] of /** @type {[string, number][]} */ ([['n-drawn', count.drawn], ['n-halo', count.halos], ['n-lost', count.lost]])) {
    const place = document.getElementById(id);
    if (place) place.textContent = value.toLocaleString('en-US');
  }
  const lost = document.getElementById('lost');
  if (lost) lost.hidden = !count.lost;
}

/** @param {State} state */
function legend(state) {
  for (const box of $$('[data-hide]')) {
    const off = state.hide.includes(box.dataset.hide ?? '');
    box.setAttribute('aria-checked', String(!off));
    const row = box.closest('.serie');
    if (row) mark(/** @type {HTMLElement} */ (row), 'data-off', off);
  }
  const all = $$('.serie');
  const count = $('#f-series summary b');
  if (count) count.textContent = `${all.filter((row) => !row.hasAttribute('data-off')).length} of ${all.length}`;
}

/** @param {State} state @param {string[]} pins @param {Count} count */
function rows(state, pins, count) {
  const place = document.getElementById('count');
  const limit = Number(place?.dataset.limit ?? 0);
  let shown = 0;
  for (const row of $$('tr[data-id]')) {
    const { id = '', series = '', standing } = row.dataset;
    row.hidden = shown >= limit || state.hide.includes(series) || (!state.all && standing === 'dominated');
    if (!row.hidden) shown += 1;
    row.classList.toggle('pinned', pins.includes(id));
    row.querySelector('.tag')?.remove();
    const text = pins.includes(id) ? letter(pins, id) : '';
    if (!text) continue;
    const tag = document.createElement('span');
    tag.className = 'tag';
    tag.textContent = text;
    row.firstElementChild?.append(tag);
  }
  const total = count.drawn + count.lost;
  if (place) place.textContent = `${shown.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} points`;
  const all = document.getElementById('all-rows');
  if (!all) return;
  all.hidden = shown >= total;
  all.textContent = `Show all ${total.toLocaleString('en-US')}`;
}

const CLEARED = { all: true, xr: null, yr: null, hide: [], point: [] };

/** Links were written when the page was made; they keep what they mean to change and take the rest from now. @param {State} state @param {string} made */
function links(state, made) {
  const settled = $('[data-settled]')?.dataset.settled;
  for (const link of /** @type {HTMLAnchorElement[]} */ ($$('a[data-go]'))) {
    link.dataset.made ??= link.getAttribute('href') ?? '/';
    const query = merged(new URL(link.dataset.made, location.href).search, made, link.id === 'clear' ? { ...state, ...CLEARED } : state, settled);
    link.setAttribute('href', query ? `/?${query}` : '/');
  }
}

/** Links to another form of this view: what the browser changed goes along. @param {State} state @param {string} made */
function forms(state, made) {
  for (const link of /** @type {HTMLAnchorElement[]} */ ($$('a[data-with]'))) {
    link.dataset.made ??= link.getAttribute('href') ?? '';
    const { pathname, search, hash } = new URL(link.dataset.made, location.href);
    const query = merged(search, made, state);
    link.setAttribute('href', (query ? `${pathname}?${query}` : pathname) + hash);
  }
}

/** @param {HTMLElement} element @param {string} name @param {boolean} on */
function mark(element, name, on) {
  if (on) element.setAttribute(name, name === 'aria-current' ? 'true' : '');
  else element.removeAttribute(name);
}
