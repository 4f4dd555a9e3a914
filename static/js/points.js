// Pure: the drawn points one by one, read off the columns of the figure.

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Series} Series */
/** @typedef {{id: string, i: number, x: number, y: number, series: Series, frontier: boolean, hollow: boolean, halo: boolean, notch: boolean}} Drawn */
/** @typedef {{drawn: number, halos: number, lost: number}} Count */

/**
 * Every point of the document, by id. The dot traces hold them; cards have a line for each, in the order of the dots.
 * @param {Doc} doc @returns {Map<string, Drawn>}
 */
export function pointsOf(doc) {
  const series = new Map(doc.meta.series.map((one) => [one.key, one]));
  const idsOf = (/** @type {string} */ role) => new Set(doc.figure.data.flatMap(({ ids, meta }) => (meta.role === role && ids ? ids : [])));
  const ringed = idsOf('ring');
  const notched = idsOf('notch');
  const found = new Map();
  for (const { ids = [], x, y, meta } of doc.figure.data.filter((trace) => trace.meta.role === 'dot')) {
    ids.forEach((id, i) => found.set(id, {
      id,
      i: found.size,
      x: x[i] ?? NaN,
      y: y[i] ?? NaN,
      series: series.get(meta.series),
      frontier: meta.standing === 'frontier',
      hollow: meta.hollow === true,
      halo: ringed.has(id),
      notch: notched.has(id),
    }));
  }
  return found;
}

/** @param {Drawn} point @param {State} state */
export const isSeen = (point, state) => isWanted(point, state) && !isLost(point, state);

/** @param {Drawn} point @param {State} state */
const isWanted = (point, state) => !state.hide.includes(point.series.key) && (state.all || point.frontier);

/** What a log axis cannot show. @param {Drawn} point @param {State} state */
const isLost = (point, state) => (state.logX && point.x <= 0) || (state.logY && point.y <= 0);

/** @param {Map<string, Drawn>} points @param {State} state @returns {Count} */
export function counted(points, state) {
  const wanted = [...points.values()].filter((point) => isWanted(point, state));
  const drawn = wanted.filter((point) => !isLost(point, state));
  return { drawn: drawn.length, halos: drawn.filter(({ halo }) => halo).length, lost: wanted.length - drawn.length };
}

/**
 * What the arrow keys walk: the frontier of each shown series from left to right, else all its points.
 * @param {Doc} doc @param {Map<string, Drawn>} points @param {State} state
 */
export function walksOf(doc, points, state) {
  return doc.meta.series.filter(({ key }) => !state.hide.includes(key)).map(({ key }) => ({
    key,
    ids: [...points.values()]
      .filter((point) => point.series.key === key && isSeen(point, state) && (point.frontier || !doc.meta.has_frontier))
      .sort((a, b) => a.x - b.x || a.y - b.y || a.i - b.i)
      .map(({ id }) => id),
  }));
}
