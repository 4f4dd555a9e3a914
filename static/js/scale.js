// Pure: the part of the figure that is seen, its ranges, and where a number lies on the stage in pixels.

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Size} Size */
/** @typedef {import('./types.js').Range} Range */

/** Pixels around the plot; `.frame1` of site.css has the same. */
export const MARGIN = { l: 44, r: 8, t: 8, b: 26 };

/** What the state shows, in the order in which it is drawn. @param {Doc} doc @param {State} state */
export function seen(doc, state) {
  return doc.figure.data.filter(({ meta }) =>
    meta.role !== 'legend' && meta.role !== 'key' && !state.hide.includes(meta.series)
      && (state.all || meta.standing !== 'dominated'))
    .sort((a, b) => (a.meta.depth ?? 0) - (b.meta.depth ?? 0));
}

/**
 * Both ranges in axis coordinates: exponents of ten on a log axis.
 * @param {Doc} doc @param {State} state @returns {{x: Range, y: Range}}
 */
export function ranges(doc, state) {
  const dots = seen(doc, state).filter(({ meta }) => meta.role === 'dot');
  const all = (/** @type {'x' | 'y'} */ name) => dots.flatMap((trace) => trace[name]).filter((value) => value !== null);
  return {
    x: rangeOf(all('x'), state.logX, state.xr),
    y: rangeOf(all('y'), state.logY, state.yr),
  };
}

/** @param {number[]} values @param {boolean} log @param {Range | null} given @returns {Range} */
export function rangeOf(values, log, given) {
  if (given && !log) return given;
  if (given && given[0] > 0) return [Math.log10(given[0]), Math.log10(given[1])];
  if (log) {
    const exponents = values.filter((value) => value > 0).map(Math.log10);
    if (!exponents.length) return [0, 1];
    const low = Math.min(...exponents);
    const high = Math.max(...exponents);
    const pad = Math.max(0.04 * (high - low), 0.03);
    return [low - pad, high + pad];
  }
  const top = values.length ? Math.max(...values) : 1;
  return top > 0 ? [0, top * 1.06] : [Math.min(...values) * 1.06 || -1, 1];
}

/** @typedef {(x: number, y: number) => [number, number] | null} Place */

/**
 * From numbers to pixels of the stage; null for what a log axis cannot show.
 * @param {{x: Range, y: Range}} range @param {State} state @param {Size} size @returns {Place}
 */
export function placer(range, state, size) {
  const width = size.width - MARGIN.l - MARGIN.r;
  const height = size.height - MARGIN.t - MARGIN.b;
  return (x, y) => {
    if ((state.logX && x <= 0) || (state.logY && y <= 0)) return null;
    const right = ((state.logX ? Math.log10(x) : x) - range.x[0]) / (range.x[1] - range.x[0]);
    const up = ((state.logY ? Math.log10(y) : y) - range.y[0]) / (range.y[1] - range.y[0]);
    return [MARGIN.l + right * width, MARGIN.t + (1 - up) * height];
  };
}

/** @param {[number, number] | null} at @param {Size} size @returns {at is [number, number]} */
export function isInside(at, size) {
  return at !== null && at[0] >= MARGIN.l - 0.5 && at[0] <= size.width - MARGIN.r + 0.5
    && at[1] >= MARGIN.t - 0.5 && at[1] <= size.height - MARGIN.b + 0.5;
}
