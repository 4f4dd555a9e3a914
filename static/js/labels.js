// Pure: where the name of each series goes, and what the frontiers run through.

/** @typedef {import('./types.js').Box} Box */
/** @typedef {import('./types.js').Label} Label */
/** @typedef {import('./types.js').Size} Size */

/** @typedef {{at: [number, number], reach: number, cost: number}} Obstacle A mark: its place, how far it reaches, what covering it costs. */
/** @typedef {{text: string, color: string, line: [number, number][]}} Named A series: its frontier in pixels, best throughput first. */

const HEIGHT = 16;
/** Vertices of a frontier that are tried, spread over it: more cost time and find no better place. */
const TRIED = 14;
/** Offsets of a label from a vertex of its own frontier, which part of it lies there, and what the spot costs. */
const SPOTS = /** @type {[number, number, number, number][]} */ ([
  [-6, -20, 0, 0], [12, -14, 0, 0], [15, 0, 0, 0], [0, -20, 0.5, 3], [12, 14, 0, 4], [-6, 20, 0, 5], [-15, 0, 1, 6], [-12, -14, 1, 6],
]);

/**
 * Each series is named on the free side of its own frontier, where the name covers least.
 * @param {Named[]} named @param {Obstacle[]} marks @param {Box[]} taken @param {Size} size @param {(text: string) => number} widthOf
 * @returns {Label[]}
 */
export function place(named, marks, taken, size, widthOf) {
  const boxes = [...taken];
  const runs = named.flatMap(({ line }) => along(line));
  return named.flatMap(({ text, color, line }) => {
    const width = widthOf(text) + 4;
    let best = /** @type {{cost: number, box: Box} | null} */ (null);
    const step = Math.max(1, (line.length - 1) / (TRIED - 1));
    for (let at = 0; at < line.length; at += step) {
      const i = Math.round(at);
      const [x, y] = /** @type {[number, number]} */ (line[i]);
      const end = Math.min(i, line.length - 1 - i) * 1.5 + (i > line.length / 2 ? 4 : 0);
      for (const [dx, dy, part, fine] of SPOTS) {
        const left = x + dx - part * width;
        const box = /** @type {Box} */ ([left, y + dy - HEIGHT / 2, left + width, y + dy + HEIGHT / 2]);
        const cost = fine + end + costOf(box, marks, runs, boxes, size);
        if (!best || cost < best.cost) best = { cost, box };
      }
    }
    if (!best) return [];
    const { box } = /** @type {{box: Box}} */ (best);
    boxes.push(box);
    return [{ text, color, x: box[0], y: (box[1] + box[3]) / 2 }];
  });
}

/** @param {Box} box @param {Obstacle[]} marks @param {[number, number][]} runs @param {Box[]} boxes @param {Size} size */
function costOf(box, marks, runs, boxes, size) {
  let cost = (box[0] < 4 ? 90 : box[0] < 46 ? 20 : 0) + (box[2] > size.width - 6 ? 90 : 0) + (box[1] < 4 ? 60 : 0) + (box[3] > size.height - 28 ? 60 : 0);
  for (const { at, reach, cost: price } of marks) if (covers(grown(box, reach, reach), at)) cost += price;
  const near = grown(box, 4, 2);
  for (const at of runs) if (covers(near, at)) cost += 3;
  for (const other of boxes) if (overlaps(grown(box, 0, 2), other)) cost += 80;
  return cost;
}

/** Points every few pixels along a line. @param {[number, number][]} line @returns {[number, number][]} */
export function along(line) {
  return line.flatMap((to, i) => {
    const from = line[i - 1] ?? to;
    const count = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 6) || 1;
    return Array.from({ length: count + 1 }, (_, k) => /** @type {[number, number]} */ (
      [from[0] + ((to[0] - from[0]) * k) / count, from[1] + ((to[1] - from[1]) * k) / count]));
  });
}

/** @param {Box} box @param {number} x @param {number} y @returns {Box} */
const grown = (box, x, y) => [box[0] - x, box[1] - y, box[2] + x, box[3] + y];

/** @param {Box} box @param {[number, number]} at */
export const covers = (box, at) => at[0] > box[0] && at[0] < box[2] && at[1] > box[1] && at[1] < box[3];

/** @param {Box} a @param {Box} b */
export const overlaps = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
