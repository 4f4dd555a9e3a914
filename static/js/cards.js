// The card of a point, for hovering and for pins: everything on it comes from the figure's own columns.

import { el, suffix, svg } from './dom.js';
import { number, points } from './format.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./points.js').Drawn} Drawn */
/** @typedef {import('./dom.js').Child} Child */

const WIDTH = 268;

/**
 * @param {Doc} doc @param {Drawn} point @param {{pinned: boolean, letter?: string}} how
 * @returns {Child[]}
 */
export function card(doc, point, { pinned, letter = '' }) {
  const word = (/** @type {string} */ name) => wordOf(doc, name, point.i);
  const offload = word('offload') ?? '';
  const rows = figures(doc, point);
  return [
    el('header', {},
      glyph(point),
      el('strong', {}, word('title')),
      letter && el('span', { class: 'tag' }, letter),
      pinned && el('button', { type: 'button', class: 'x', 'data-unpin': point.id, 'aria-label': `Unpin ${word('title')}` },
        svg('svg', { width: 10, height: 10, 'aria-hidden': 'true' }, svg('path', { d: 'M1 1 9 9M9 1 1 9', stroke: 'currentColor', 'stroke-width': 1.4 })))),
    el('p', { class: 'brief' }, ...rows.slice(0, 2).flatMap(({ value, unit }, i) => [i ? ' · ' : '', el('b', {}, value), ` ${unit}`])),
    el('p', { class: 'sub' }, word('sub')),
    el('p', { class: word('kind') ? 'off on' : 'off' }, offload),
    ...tiers(doc, point.i),
    word('doubts') && el('p', { class: 'doubts' }, `! ${word('doubts')}`),
    el('dl', {}, ...rows.flatMap(({ label, value, unit }, i) => [
      el('dt', {}, label),
      el('dd', {}, i < 2 ? el('b', {}, value) : value, unit && el('span', {}, ` ${unit}`)),
    ])),
    pinned && el('p', { class: 'go' },
      doc.meta.base !== null && el('a', { class: 'link', href: `${doc.meta.base ?? ''}/points/${point.id}${suffix()}` }, 'Open point'),
      el('span', {}, standing(doc, point))),
  ];
}

/** One line for a screen reader. @param {Doc} doc @param {Drawn} point */
export function spoken(doc, point) {
  const word = (/** @type {string} */ name) => wordOf(doc, name, point.i);
  const rows = figures(doc, point).map(({ label, value, unit }) => `${label} ${value} ${unit}`);
  return [word('title'), word('sub'), word('offload'), ...rows, standing(doc, point), word('doubts')].filter(Boolean).join(', ');
}

/** @param {Doc} doc @param {Drawn} point */
function standing(doc, point) {
  const doubts = doc.meta.cards.flags[point.i] ?? 0;
  const place = doc.meta.has_frontier ? (point.frontier ? 'Pareto optimal' : 'dominated') : '';
  return [place, doubts ? `${doubts} ${doubts > 1 ? 'doubts' : 'doubt'}` : ''].filter(Boolean).join(' · ');
}

/** @param {Doc} doc @param {string} name @param {number} i */
function wordOf(doc, name, i) {
  const column = doc.meta.cards.words[name];
  const code = column?.codes[i];
  return code === null || code === undefined ? null : column?.words[code] ?? null;
}

/** @param {Doc} doc @param {string} column @param {number} i */
const valueOf = (doc, column, i) => doc.meta.cards.numbers[column]?.[i] ?? null;

/** The numbers that the point has; of alternatives the first. @param {Doc} doc @param {Drawn} point */
function figures(doc, point) {
  const taken = new Set();
  return doc.meta.card.numbers.flatMap(({ column, label, unit, digits, share, first_of }) => {
    const value = column === 'x' || column === 'y' ? point[column] : valueOf(doc, column, point.i);
    if (value === null || (first_of && taken.has(first_of))) return [];
    if (first_of) taken.add(first_of);
    return [share ? { label, value: points(value), unit: '%' } : { label, value: number(value, digits), unit }];
  });
}

/** The bar of where the prompt came from, and its key. @param {Doc} doc @param {number} i @returns {Child[]} */
function tiers(doc, i) {
  const { tiers: known, computed, ceiling, combined } = doc.meta.card;
  const isCombined = valueOf(doc, combined.column, i) !== null && combined.absent.every((column) => valueOf(doc, column, i) === null);
  const parts = known.flatMap(({ column, label, tier }) => {
    const share = valueOf(doc, column, i);
    if (share === null) return [];
    const whole = isCombined && column === combined.column;
    const over = known.filter((other) => combined.absent.includes(other.column)).map((other) => other.label);
    return [{ share, label: whole ? `${over.join(' + ')}, ${combined.label}` : label, tier: whole ? 'combined' : tier }];
  });
  const rest = valueOf(doc, computed.column, i);
  if (rest !== null) parts.push({ share: rest, label: computed.label, tier: 'computed' });
  if (!parts.length) return [];
  const top = valueOf(doc, ceiling.column, i);
  const key = parts.map(({ label, share, tier }) => el('span', {}, el('i', { class: `t-${tier}` }), label, el('b', {}, `${points(share)} %`)));
  const sum = parts.reduce((all, { share }) => all + share, 0);
  if (sum < 0.995) key.push(el('span', {}, el('i', { class: 't-rest' }), 'rest', el('b', {}, 'not reported')));
  if (top !== null) key.push(el('span', {}, el('i', { class: 'tick' }), ceiling.label, el('b', {}, `${points(top)} %`)));
  return [bar(parts, top), el('div', { class: 'tl' }, ...key)];
}

/** @param {{share: number, tier: string}[]} parts @param {number | null} top */
function bar(parts, top) {
  const whole = Math.max(1, parts.reduce((sum, { share }) => sum + share, 0));
  let x = 0;
  const shapes = parts.flatMap(({ share, tier }) => {
    const width = Math.max(0.5, (share / whole) * WIDTH - 1);
    const at = { x: x.toFixed(1), width: width.toFixed(1) };
    x += (share / whole) * WIDTH;
    if (tier !== 'combined') return [svg('rect', { class: `t-${tier}`, ...at, y: 5, height: 12 })];
    return [svg('rect', { class: 't-combined', ...at, y: 5, height: 6 }), svg('rect', { class: 't-dram', ...at, y: 11, height: 6 })];
  });
  const mark = top === null ? null : svg('path', { d: `M${((top / whole) * WIDTH).toFixed(1)} 0V22`, stroke: 'var(--ink)', 'stroke-width': 1.5 });
  const frame = svg('rect', { class: 't-rest', x: 0.5, y: 5.5, width: WIDTH - 1, height: 11 });
  return svg('svg', { class: 'bar', viewBox: `0 0 ${WIDTH} 22`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, x < WIDTH - 2 && frame, ...shapes, mark);
}

/** @param {Drawn} point */
function glyph({ series: { color, symbol }, hollow, halo, notch }) {
  const use = (/** @type {string} */ name) => svg('use', { href: `#m-${name}` });
  return svg('svg', { class: 'glyph', viewBox: '-10 -10 20 20', 'aria-hidden': 'true', style: `--mark:light-dark(${color.light},${color.dark})` },
    halo && use('ring'), use(`${symbol}${hollow ? '-o' : ''}`), notch && use('notch'));
}
