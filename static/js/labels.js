// Pure: where the name of each series goes, and what the frontiers run through.

/** @typedef {import('./types.js').Box} Box */
/** @typedef {import('./types.js').Label} Label */
/** @typedef {import('./types.js').Size} Size */

/** @typedef {{at: [number, number], reach: number, cost: number}} Obstacle A mark: its place, how far it reaches, what covering it costs. */
/** @typedef {{text: string, color: string, line: [number, number][]}} Named A series: its frontier in pixels, best throughput first. */

const HEIGHT = 16;
/** The farthest that a mark may reach. */
const REACH = 16;
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
  const field = {
    marks: banded(marks, ({ at }) => at[1]),
    runs: banded(named.flatMap(({ line }) => along(line)), (at) => at[1]),
    boxes,
    size,
  };
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
        const cost = costOf(box, field, fine + end, best ? best.cost : Infinity);
        if (!best || cost < best.cost) best = { cost, box };
      }
    }
    if (!best) return [];
    const { box } = /** @type {{box: Box}} */ (best);
    boxes.push(box);
    return [{ text, color, x: box[0], y: (box[1] + box[3]) / 2 }];
  });
}

/** @typedef {{marks: Map<number, Obstacle[]>, runs: Map<number, [number, number][]>, boxes: Box[], size: Size}} Field What a name may cover, things by bands of the height. */

/** @template T @param {T[]} things @param {(thing: T) => number} height @returns {Map<number, T[]>} */
function banded(things, height) {
  const found = new Map();
  for (const thing of things) {
    const band = Math.floor(height(thing) / HEIGHT);
    const there = found.get(band);
    if (there) there.push(thing);
    else found.set(band, [thing]);
  }
  return found;
}

/** What a spot costs; as soon as that is no less than `most`, the rest is not counted. @param {Box} box @param {Field} field @param {number} from @param {number} most */
function costOf(box, { marks, runs, boxes, size }, from, most) {
  const [left, top, right, bottom] = box;
  let cost = from + (left < 4 ? 90 : left < 46 ? 20 : 0) + (right > size.width - 6 ? 90 : 0) + (top < 4 ? 60 : 0) + (bottom > size.height - 28 ? 60 : 0);
  for (const other of boxes) if (overlaps([left, top - 2, right, bottom + 2], other)) cost += 80;
  for (let band = Math.floor((top - 2) / HEIGHT); band <= Math.floor((bottom + 2) / HEIGHT) && cost < most; band += 1) {
    for (const [x, y] of runs.get(band) ?? []) if (x > left - 4 && x < right + 4 && y > top - 2 && y < bottom + 2) cost += 3;
  }
  for (let band = Math.floor((top - REACH) / HEIGHT); band <= Math.floor((bottom + REACH) / HEIGHT) && cost < most; band += 1) {
    for (const { at: [x, y], reach, cost: price } of marks.get(band) ?? []) {
      if (x > left - reach && x < right + reach && y > top - reach && y < bottom + reach) cost += price;
    }
  }
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

/** @param {Box} box @param {[number, number]} at */
export const covers = (box, at) => at[0] > box[0] && at[0] < box[2] && at[1] > box[1] && at[1] < box[3];

/** @param {Box} a @param {Box} b */
export const overlaps = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
