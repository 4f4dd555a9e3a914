// Reading lines as they lie over a chart: a line at each x, its number, and a tick where it crosses a frontier.

import { el, need } from './dom.js';
import { linesOf, read, valueText } from './reading.js';
import { MARGIN, placer, ranges } from './scale.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Size} Size */

/**
 * @param {Doc} doc @param {State} state @param {Size} size @param {number[]} at
 * @param {(x: number, i: number) => Element} flag what stands at the foot of a line
 */
export function rules(doc, state, size, at, flag) {
  const spot = placer(ranges(doc, state), state, size);
  const lines = linesOf(doc, state);
  return at.flatMap((x, i) => {
    const left = spot(x, 1)?.[0];
    if (left === undefined || left < MARGIN.l - 1 || left > size.width - MARGIN.r + 1) return [];
    const line = el('div', { class: 'rule' }, flag(x, i), ...lines.flatMap((one) => {
      const found = read(one.line, x);
      const top = found && spot(x, found.y)?.[1];
      if (top === null || top === undefined || top < MARGIN.t - 1 || top > size.height - MARGIN.b + 1) return [];
      const cross = el('i', { class: 'cross' });
      cross.style.top = `${top}px`;
      cross.style.background = `light-dark(${one.series.color.light},${one.series.color.dark})`;
      return [cross];
    }));
    line.style.left = `${left}px`;
    return [line];
  });
}

/** Lines that nobody moves, for charts whose address does not change. */
export function still() {
  const layer = el('div', { class: 'rules fixed' });
  need('stage').append(layer);
  return (/** @type {Doc} */ doc, /** @type {State} */ state, /** @type {Size} */ size) => {
    layer.replaceChildren(...rules(doc, state, size, state.at, (x) => el('span', { class: 'flag' }, valueText(x, doc.meta.x.share))));
  };
}
