// Wiring of the dashboard: the address is the state, every control changes it, the rest follows.

import { chart } from './chart.js';
import { $, $$, need, suffix } from './dom.js';
import { fileName, outlined, png, save } from './download.js';
import { pinned, unpinned } from './pins.js';
import { counted, pointsOf } from './points.js';
import { reflect } from './reflect.js';
import { ruler } from './ruler.js';
import { cancel, fetched, swap } from './swap.js';
import { askedOf, queryOf, shortened, stateOf, withControl } from './url.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').Range} Range */

const root = document.documentElement;
/** The query that the page on screen was made for. */
let made = location.search;
let state = stateOf(location.search);
let doc = read();

const rules = ruler({ change: (at) => change({ at }) });
const view = chart({
  plotly: need('stage').dataset.plotly ?? '',
  choose,
  unpin: (id) => change({ point: unpinned(state.point, id) }),
  zoom: (x, y) => change({ xr: zoomed(x, state.logX, state.xr), yr: zoomed(y, state.logY, state.yr) }),
  reset: () => { if (state.xr || state.yr) change({ xr: null, yr: null }); },
  placed: rules.show,
});

/** @returns {Doc} */
function read() {
  return JSON.parse(need('figure').textContent ?? '');
}

/** A change that needs nothing from the server. @param {Partial<State>} part */
function change(part) {
  state = { ...state, ...part };
  push(queryOf(location.search, state));
  update();
}

function update() {
  const points = pointsOf(doc);
  reflect(state, state.point.filter((id) => points.has(id)), made, counted(points, state));
  void view.show(doc, state);
}

/** @param {string} query */
function push(query) {
  const address = `${location.pathname}${query ? `?${query}` : ''}${location.hash}`;
  if (address !== location.pathname + location.search + location.hash) history.pushState(null, '', address);
}

/** Another view: its address first, then its page. @param {string} query */
async function go(query) {
  push(query);
  await follow();
}

/** Brings the page in line with the address. */
async function follow() {
  if (askedOf(location.search) === askedOf(made)) {
    cancel();
    state = stateOf(location.search);
    update();
    return;
  }
  const wanted = location.search;
  root.classList.add('busy');
  try {
    const page = await fetched(location.pathname + wanted);
    if (!page) return;
    swap(page);
    made = wanted;
    state = stateOf(location.search);
    doc = read();
    update();
  } catch {
    location.reload();
  } finally {
    if (made === location.search || askedOf(made) === askedOf(location.search)) root.classList.remove('busy');
  }
}

/** A click pins a point; a second one opens its page. @param {string} id */
function choose(id) {
  if (state.point.includes(id)) location.assign(`/points/${encodeURIComponent(id)}${suffix()}`);
  else change({ point: pinned(state.point, id) });
}

/** @param {Range | null} range @param {boolean} log @param {Range | null} before @returns {Range | null} */
function zoomed(range, log, before) {
  if (!range) return before;
  return log ? [Number((10 ** range[0]).toPrecision(5)), Number((10 ** range[1]).toPrecision(5))] : shortened(range);
}

/** @param {string} key */
function toggled(key) {
  const hide = state.hide.includes(key) ? unpinned(state.hide, key) : [...state.hide, key];
  change({ hide: hide.sort() });
}

/** @param {string} key */
function solo(key) {
  const others = doc.meta.series.map((series) => series.key).filter((other) => other !== key);
  const isAlone = !state.hide.includes(key) && others.every((other) => state.hide.includes(other));
  change({ hide: isAlone ? [] : others.sort() });
}

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const target = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('a, button')) : null;
  if (!target) return;
  const { hide, solo: only, log, to, save: kind, fold } = target.dataset;
  if (hide !== undefined) toggled(hide);
  else if (only !== undefined) solo(only);
  else if (log) change(log === 'x' ? { logX: to === 'log', xr: null } : { logY: to === 'log', yr: null });
  else if ('all' in target.dataset) change({ all: !state.all });
  else if ('reset' in target.dataset) change({ xr: null, yr: null });
  else if ('go' in target.dataset) void go(new URL(/** @type {HTMLAnchorElement} */ (target).href).search.slice(1));
  else if (kind) void download(kind);
  else if (fold !== undefined) folded(target);
  else return;
  event.preventDefault();
});

/** Links that act as boxes and switches take the space bar as well. */
document.addEventListener('keydown', (event) => {
  const target = event.target;
  if (event.key === ' ' && target instanceof HTMLElement && target.matches('a[role="checkbox"], a[role="switch"]')) {
    event.preventDefault();
    target.click();
  }
  const sheet = need('filters');
  if (event.key === 'Escape' && sheet.classList.contains('open')) {
    sheet.classList.remove('open');
    $('.title [data-fold]')?.focus();
  }
});

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement || target instanceof HTMLInputElement) || target.form?.id !== 'fbody') return;
  const { name } = target;
  const values = target instanceof HTMLSelectElement || target.type === 'radio'
    ? [target.value]
    : $$(`#fbody input[name="${CSS.escape(name)}"]:checked`).map((box) => /** @type {HTMLInputElement} */ (/** @type {unknown} */ (box)).value);
  const without = target instanceof HTMLSelectElement ? target.selectedOptions[0]?.dataset.without : undefined;
  void go(withControl(location.search, name, values.sort(), without ? [without] : []));
});

document.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('popstate', () => void follow());
document.addEventListener('theme', () => void view.render());

/** @param {HTMLElement} button */
function folded(button) {
  const sheet = need('filters');
  if (matchMedia('(max-width: 860px)').matches) {
    const open = sheet.classList.toggle('open');
    for (const one of $$('button[data-fold]')) one.setAttribute('aria-expanded', String(open));
    (open ? $('select', sheet) : $('.title [data-fold]'))?.focus();
    return;
  }
  const shut = root.dataset.fold !== 'shut';
  if (shut) root.dataset.fold = 'shut';
  else delete root.dataset.fold;
  told(button, shut);
  try {
    localStorage.setItem('halo.fold', shut ? 'shut' : 'open');
  } catch { /* storage may be switched off */ }
}

/** @param {HTMLElement} button @param {boolean} shut */
function told(button, shut) {
  button.setAttribute('aria-expanded', String(!shut));
  button.setAttribute('aria-label', shut ? 'Show the filters' : 'Fold the filters away');
}

/** @param {string} kind */
async function download(kind) {
  const { text, size, paper } = await view.picture();
  const file = outlined(text, paper);
  const blob = kind === 'svg' ? new Blob([file], { type: 'image/svg+xml' }) : await png(file, size);
  save(blob, fileName(doc.meta.title, kind));
}

const fold = $('.fhead [data-fold]');
if (fold) told(fold, root.dataset.fold === 'shut');
// The first frame and the controls come from the server as the address asks: they are painted before the rest is made.
requestAnimationFrame(() => setTimeout(update));
