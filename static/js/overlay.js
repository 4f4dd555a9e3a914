// Selection on the chart: four corner brackets and a letter. Never a ring, since a ring means KV-cache offload.

import { svg } from './dom.js';

/** @typedef {{at: [number, number], kind: 'pin' | 'hover' | 'key', letter: string}} Pick */

const REACH = 13;
const ARM = 5;
const STROKE = { pin: ['var(--ink)', 1.5], hover: ['var(--ink-2)', 1.5], key: ['var(--accent)', 2] };

/** @param {Element} layer @param {Pick[]} picks */
export function draw(layer, picks) {
  layer.replaceChildren(...picks.flatMap(({ at: [x, y], kind, letter }) => {
    const [stroke, width] = STROKE[kind];
    const d = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
      .map(([a, b]) => `M${x + (a ?? 0) * REACH} ${y + (b ?? 0) * (REACH - ARM)}V${y + (b ?? 0) * REACH}H${x + (a ?? 0) * (REACH - ARM)}`).join('');
    const shapes = [svg('path', { d, fill: 'none', stroke: stroke ?? '', 'stroke-width': width ?? 1, class: `pick ${kind}` })];
    if (letter) shapes.push(svg('text', { x: x - 18, y: y - 8, 'text-anchor': 'end', fill: 'var(--ink)', 'font-size': 12, 'font-weight': 600 }, letter));
    return shapes;
  }));
}
