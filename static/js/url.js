// Pure: between the query of the address and the state that the browser keeps.

/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Range} Range */

const OWN = ['all', 'log', 'xr', 'yr', 'hide', 'point', 'at'];
/** Parameters that stand behind ours, so that a link reads the same whoever wrote it. */
const LAST = ['base', 'slo', 'price', 'sort', 'rows', 'snapshot', 'preview'];

/** @param {string} search @returns {State} */
export function stateOf(search) {
  const query = new URLSearchParams(search);
  const log = query.getAll('log');
  return {
    all: query.get('all') !== '0',
    logX: log.includes('x'),
    logY: log.includes('y'),
    xr: rangeOf(query.get('xr')),
    yr: rangeOf(query.get('yr')),
    hide: [...new Set(query.getAll('hide'))].filter(Boolean).sort(),
    point: [...new Set(query.getAll('point'))].filter(Boolean),
    at: readingsOf(query.getAll('at')),
  };
}

/** @param {string | null} text @returns {Range | null} */
function rangeOf(text) {
  const parts = (text ?? '').split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [low, high] = parts;
  return parts.length === 2 && low !== undefined && high !== undefined && low < high && Number.isFinite(high - low)
    ? [low, high] : null;
}

/** Readings on x from low to high. @param {string[]} texts */
function readingsOf(texts) {
  const numbers = texts.filter((text) => text.trim() !== '').map(Number).filter(Number.isFinite);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/**
 * The query of `search` with the browser's part replaced by `state`: no question mark, empty for the plain page.
 * @param {string} search @param {State} state
 */
export function queryOf(search, state) {
  const pairs = [...new URLSearchParams(search)].filter(([name]) => !OWN.includes(name));
  const own = /** @type {[string, string][]} */ ([]);
  if (!state.all) own.push(['all', '0']);
  if (state.logX) own.push(['log', 'x']);
  if (state.logY) own.push(['log', 'y']);
  if (state.xr) own.push(['xr', state.xr.join(',')]);
  if (state.yr) own.push(['yr', state.yr.join(',')]);
  own.push(...state.hide.map((key) => /** @type {[string, string]} */ (['hide', key])));
  own.push(...state.point.map((id) => /** @type {[string, string]} */ (['point', id])));
  own.push(...state.at.map((value) => /** @type {[string, string]} */ (['at', String(value)])));
  const last = pairs.filter(([name]) => LAST.includes(name));
  return new URLSearchParams([...pairs.filter(([name]) => !LAST.includes(name)), ...own, ...last]).toString();
}

/** The part of a query that only the server can answer. @param {string} search */
export function askedOf(search) {
  return new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => !OWN.includes(name))).toString();
}

/** What no longer holds when a control changes. @type {Record<string, string[]>} */
const VOIDS = {
  model: ['xr', 'yr', 'hide', 'point', 'base', 'rows'],
  workload: ['xr', 'yr', 'hide', 'point', 'base', 'rows'],
  color: ['hide', 'base'],
  x: ['xr', 'at'],
  y: ['yr', 'sort'],
};

/**
 * Where a link leads now: it was written when the page was made, and what it does not mean to change has moved on.
 * @param {string} link query of the link @param {string} made query of the page when it was made @param {State} now
 * @param {string} settled what the page chose for a view that left it open: naming it changes nothing
 */
export function merged(link, made, now, settled = '') {
  const target = stateOf(link);
  const base = stateOf(made);
  const next = { ...now };
  for (const name of /** @type {(keyof State)[]} */ (Object.keys(now))) {
    if (JSON.stringify(target[name]) !== JSON.stringify(base[name])) Object.assign(next, { [name]: target[name] });
  }
  const from = values(made, settled);
  const to = values(link, settled);
  const gone = Object.keys(VOIDS).flatMap((name) => (from(name) === to(name) ? [] : VOIDS[name] ?? []));
  if (target.logX !== base.logX) gone.push('xr');
  if (target.logY !== base.logY) gone.push('yr');
  for (const name of gone) if (name in next) Object.assign(next, { [name]: target[/** @type {keyof State} */ (name)] });
  return queryOf(link, next);
}

/** @param {string} search @param {string} settled @returns {(name: string) => string} */
function values(search, settled) {
  const query = new URLSearchParams(search);
  const chosen = new URLSearchParams(settled);
  return (name) => String((query.has(name) ? query : chosen).getAll(name));
}

/**
 * The query after a control of the form took new values. Empty ones are defaults, which links leave out.
 * @param {string} search @param {string} name @param {string[]} values @param {string[]} [without]
 */
export function withControl(search, name, values, without = []) {
  const gone = [...(VOIDS[name] ?? []), ...without];
  const pairs = [...new URLSearchParams(search)];
  const at = pairs.findIndex(([key]) => key === name);
  const fresh = values.filter(Boolean).map((value) => /** @type {[string, string]} */ ([name, value]));
  const before = (at < 0 ? pairs : pairs.slice(0, at)).filter(([key]) => key !== name && !gone.includes(key));
  const after = (at < 0 ? [] : pairs.slice(at)).filter(([key]) => key !== name && !gone.includes(key));
  return queryOf(new URLSearchParams([...before, ...fresh, ...after]).toString(), stateOf(String(new URLSearchParams([...before, ...after]))));
}

/** A zoom in numbers short enough for a link, a thousandth of the span apart at most. @param {Range} range @returns {Range} */
export function shortened(range) {
  const span = range[1] - range[0];
  const digits = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(span))));
  return [Number(range[0].toFixed(digits)), Number(range[1].toFixed(digits))];
}
