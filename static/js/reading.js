// Pure: what the drawn frontiers say at an x. The same rule as app/compare/readings.py; nothing is extrapolated.

import { seen } from './scale.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Series} Series */
/** @typedef {import('./types.js').Trace} Trace */
/** @typedef {{y: number, measured: boolean} | null} Read */

/** A reading within this part of a point's x is a reading of that point: figures carry seven digits. */
const NEAR = 1e-6;

/**
 * The shown series with their frontiers from low x to high; one of a single point has that point.
 * @param {Doc} doc @param {State} state @returns {{series: Series, line: Trace}[]}
 */
export function linesOf(doc, state) {
  if (!doc.meta.has_frontier) return [];
  const shown = seen(doc, { ...state, all: false });
  return doc.meta.series.filter(({ key }) => !state.hide.includes(key)).flatMap((series) => {
    const own = shown.filter(({ meta }) => meta.series === series.key);
    const line = own.find(({ meta }) => meta.role === 'line') ?? own.find(({ meta }) => meta.role === 'dot');
    return line ? [{ series, line }] : [];
  });
}

/** @param {Trace} line @param {number} at @returns {Read} */
export function read(line, at) {
  const xs = /** @type {number[]} */ (line.x);
  const ys = /** @type {number[]} */ (line.y);
  const here = xs.findIndex((x) => Math.abs(x - at) <= NEAR * Math.max(Math.abs(x), Math.abs(at)));
  if (here >= 0) return { y: ys[here] ?? NaN, measured: true };
  if (line.meta.role !== 'line') return null;
  const right = xs.findIndex((x) => x > at);
  if (right <= 0) return null;
  const left = right - 1;
  const way = (at - (xs[left] ?? NaN)) / ((xs[right] ?? NaN) - (xs[left] ?? NaN));
  return { y: between(line, left, right, way), measured: false };
}

/** Straight, or through the throughput that y follows: then price or power per chip go straight as well. @param {Trace} line @param {number} a @param {number} b @param {number} way */
function between(line, a, b, way) {
  const ends = /** @type {[number, number]} */ ([line.y[a], line.y[b]]);
  const { leads, inverse } = line.meta;
  const tputs = leads && /** @type {[number | null, number | null]} */ ([leads[a] ?? null, leads[b] ?? null]);
  if (!tputs || tputs[0] === null || tputs[1] === null || Math.min(...ends, tputs[0], tputs[1]) <= 0) return straight(ends, way);
  const known = /** @type {[number, number]} */ (tputs);
  const perChip = /** @type {[number, number]} */ (ends.map((end, i) => (inverse ? end * known[i === 0 ? 0 : 1] : known[i === 0 ? 0 : 1] / end)));
  return inverse ? straight(perChip, way) / straight(known, way) : straight(known, way) / straight(perChip, way);
}

/** @param {[number, number]} ends @param {number} way */
const straight = ([from, to], way) => from + (to - from) * way;

/** The x of a frontier point that is near enough on the screen, else the x itself in few digits. @param {number} at @param {number} reach in x @param {number} span of the axis in x @param {{line: Trace}[]} lines */
export function settled(at, reach, span, lines) {
  const all = /** @type {number[]} */ (lines.flatMap(({ line }) => line.x).filter((x) => x !== null));
  const near = all.filter((x) => Math.abs(x - at) <= reach).sort((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
  if (near !== undefined) return near;
  const digits = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(span))));
  return Number(at.toFixed(digits));
}

/** Four digits that matter, as the pages print numbers. @param {number} value @param {boolean} share */
export function valueText(value, share) {
  const shown = share ? value * 100 : value;
  const text = shown.toLocaleString('en-US', { maximumSignificantDigits: 4 });
  return text.replace('-', '\u2212') + (share ? ' %' : '');
}
