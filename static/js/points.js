// Pure: the drawn points one by one, read off the columns of the figure.

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Series} Series */
/** @typedef {{id: string, i: number, x: number, y: number, series: Series, frontier: boolean, halo: boolean}} Drawn */
/** @typedef {{drawn: number, halos: number, lost: number}} Count */

/** Every point of the document, by id. @param {Doc} doc @returns {Map<string, Drawn>} */
export function pointsOf(doc) {
  const { id, series, frontier, numbers } = doc.meta.cards;
  const ringed = new Set(doc.figure.data.flatMap(({ ids, meta }) => (meta.role === 'ring' && ids ? ids : [])));
  return new Map(id.map((key, i) => [key, {
    id: key,
    i,
    x: numbers.x?.[i] ?? NaN,
    y: numbers.y?.[i] ?? NaN,
    series: /** @type {Series} */ (doc.meta.series[series[i] ?? 0]),
    frontier: frontier[i] === 1,
    halo: ringed.has(key),
  }]));
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
