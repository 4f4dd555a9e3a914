// Wiring of the framed chart: it shows what its address says; points open in a window of their own.

import { chart } from './chart.js';
import { need, suffix } from './dom.js';
import { still } from './rules.js';
import { stateOf } from './url.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').Range} Range */

const doc = /** @type {Doc} */ (JSON.parse(need('figure').textContent ?? ''));
let state = stateOf(location.search);

const view = chart({
  plotly: need('stage').dataset.plotly ?? '',
  choose: (id) => { open(`/points/${encodeURIComponent(id)}${suffix()}`, '_blank', 'noopener'); },
  unpin: () => {},
  zoom: (x, y) => shown({ xr: numbers(x, state.logX) ?? state.xr, yr: numbers(y, state.logY) ?? state.yr }),
  reset: () => shown(stateOf(location.search)),
  placed: still(),
});

/** @param {Partial<import('./types.js').State>} part */
function shown(part) {
  state = { ...state, ...part };
  void view.show(doc, state);
}

/** @param {Range | null} range @param {boolean} log @returns {Range | null} */
const numbers = (range, log) => (range && log ? [10 ** range[0], 10 ** range[1]] : range);

document.addEventListener('theme', () => void view.render());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void view.render());
shown({});
