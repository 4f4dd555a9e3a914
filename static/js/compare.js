// Wiring of the comparison: the chart with its reading lines; what they read is the server's to say.

import { chart } from './chart.js';
import { $$, need } from './dom.js';
import { pinned, unpinned } from './pins.js';
import { ruler } from './ruler.js';
import { fetched, swap } from './swap.js';
import { queryOf, shortened, stateOf } from './url.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').Range} Range */

let state = stateOf(location.search);
let doc = read();

const rules = ruler({ change: (at) => void ask({ at }) });
const view = chart({
  plotly: need('stage').dataset.plotly ?? '',
  choose: (id) => {
    if (state.point.includes(id)) location.assign(`/points/${encodeURIComponent(id)}`);
    else change({ point: pinned(state.point, id) });
  },
  unpin: (id) => change({ point: unpinned(state.point, id) }),
  zoom: (x, y) => change({ xr: x && !state.logX ? shortened(x) : state.xr, yr: y && !state.logY ? shortened(y) : state.yr }),
  reset: () => change({ xr: null, yr: null }),
  placed: (at, how, size) => rules.show(at, { ...how, at: how.at.length ? how.at : chosen() }, size),
});

/** Readings that the server chose where the address names none. */
const chosen = () => (need('reads').dataset.chosen ?? '').split(',').filter(Boolean).map(Number);

/** @returns {Doc} */
function read() {
  return JSON.parse(need('figure').textContent ?? '');
}

/** What needs nothing from the server. @param {Partial<State>} part */
function change(part) {
  state = { ...state, ...part };
  push();
  void view.show(doc, state);
}

/** What the tables follow. @param {Partial<State>} part */
async function ask(part) {
  change(part);
  await follow();
}

function push() {
  const query = queryOf(location.search, state);
  const address = `${location.pathname}${query ? `?${query}` : ''}${location.hash}`;
  if (address !== location.pathname + location.search + location.hash) history.pushState(null, '', address);
}

async function follow() {
  state = stateOf(location.search);
  try {
    const page = await fetched(location.pathname + location.search);
    if (!page) return;
    swap(page);
    doc = read();
    await view.show(doc, state);
  } catch {
    location.reload();
  }
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-hide], [data-copy-table]')) : null;
  if (!target || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { hide, copyTable } = target.dataset;
  if (hide !== undefined) {
    event.preventDefault();
    void ask({ hide: (state.hide.includes(hide) ? unpinned(state.hide, hide) : [...state.hide, hide]).sort() });
  } else if (copyTable) void copied(target, copyTable);
});

document.addEventListener('keydown', (event) => {
  if (event.key === ' ' && event.target instanceof HTMLElement && event.target.matches('a[role="checkbox"]')) {
    event.preventDefault();
    event.target.click();
  }
});

/** A table as rows of cells with tabs between them, its units in the head. @param {HTMLElement} button @param {string} id */
async function copied(button, id) {
  const rows = $$(`#${CSS.escape(id)} tr`).map((row) => [...row.children].map((cell) => (/** @type {HTMLElement} */ (cell).innerText).replace(/\s+/g, ' ').trim()).join('\t'));
  let said = 'Copied';
  try {
    await navigator.clipboard.writeText(rows.join('\n'));
  } catch {
    getSelection()?.selectAllChildren(need(id));
    said = 'Press Ctrl+C';
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = 'Copy'; }, 1600);
}

document.addEventListener('change', ({ target }) => {
  const form = target instanceof HTMLSelectElement ? target.form : null;
  if (form?.matches('[data-go-on-change]')) form.requestSubmit();
});
window.addEventListener('popstate', () => void follow());
document.addEventListener('theme', () => void view.render());
void view.show(doc, state);
