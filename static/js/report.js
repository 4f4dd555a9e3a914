// Wiring of a saved report: what the dashboard does without a server. Nothing is fetched, and no address changes.

import { chart } from './chart.js';
import { need } from './dom.js';
import { pinned, unpinned } from './pins.js';
import { counted, pointsOf } from './points.js';
import { reflect } from './reflect.js';
import { still } from './rules.js';

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Range} Range */

const place = document.getElementById('figure');
if (place) run(/** @type {import('./types.js').Doc} */ (JSON.parse(place.textContent ?? '')));

/** @param {import('./types.js').Doc} doc */
function run(doc) {
  let state = /** @type {State} */ (JSON.parse(need('state').textContent ?? ''));
  const points = pointsOf(doc);
  const view = chart({
    plotly: '',
    choose,
    unpin: (id) => change({ point: unpinned(state.point, id) }),
    zoom: (x, y) => change({ xr: zoomed(x, state.logX, state.xr), yr: zoomed(y, state.logY, state.yr) }),
    reset: () => change({ xr: null, yr: null }),
    placed: still(),
  });

  /** @param {Partial<State>} part */
  function change(part) {
    state = { ...state, ...part };
    update();
  }

  function update() {
    reflect(state, state.point.filter((id) => points.has(id)), '', counted(points, state));
    void view.show(doc, state);
  }

  /** A click pins a point; a second one opens its page, where the report knows one. @param {string} id */
  function choose(id) {
    if (!state.point.includes(id)) change({ point: pinned(state.point, id) });
    else if (doc.meta.base) location.assign(`${doc.meta.base}/points/${encodeURIComponent(id)}`);
    else change({ point: unpinned(state.point, id) });
  }

  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('button')) : null;
    if (!target) return;
    const { hide, log, to } = target.dataset;
    if (hide !== undefined) change({ hide: state.hide.includes(hide) ? unpinned(state.hide, hide) : [...state.hide, hide] });
    else if (log) change(log === 'x' ? { logX: to === 'log', xr: null } : { logY: to === 'log', yr: null });
    else if ('all' in target.dataset) change({ all: !state.all });
    else if ('reset' in target.dataset) change({ xr: null, yr: null });
  });
  document.addEventListener('theme', () => void view.render());
  update();
}

/** @param {Range | null} range @param {boolean} log @param {Range | null} before @returns {Range | null} */
function zoomed(range, log, before) {
  if (!range) return before;
  return log ? [10 ** range[0], 10 ** range[1]] : range;
}
