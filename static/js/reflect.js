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
  rows(state, pins);
  links(state, made);
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

/** @param {State} state @param {string[]} pins */
function rows(state, pins) {
  let shown = 0;
  for (const row of $$('tr[data-id]')) {
    const { id = '', series = '', standing } = row.dataset;
    row.hidden = state.hide.includes(series) || (!state.all && standing === 'dominated');
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
  const count = document.getElementById('count');
  if (count) count.textContent = `${shown.toLocaleString('en-US')} of ${Number(count.dataset.total).toLocaleString('en-US')} points`;
}

/** Links were written when the page was made; they keep what they mean to change and take the rest from now. @param {State} state @param {string} made */
function links(state, made) {
  for (const link of /** @type {HTMLAnchorElement[]} */ ($$('a[data-go]'))) {
    link.dataset.made ??= link.getAttribute('href') ?? '/';
    const query = merged(new URL(link.dataset.made, location.href).search, made, state);
    link.setAttribute('href', query ? `/?${query}` : '/');
  }
}

/** @param {HTMLElement} element @param {string} name @param {boolean} on */
function mark(element, name, on) {
  if (on) element.setAttribute(name, name === 'aria-current' ? 'true' : '');
  else element.removeAttribute(name);
}
