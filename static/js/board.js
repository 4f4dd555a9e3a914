// Pure: a figure document in the reader's colors and at the size of its place. It knows no figure by name.

import { MARGIN } from './scale.js';

/** @typedef {import('./types.js').Size} Size */

/** Pixels that a mark on the horizontal axis needs for its text. */
const ROOM = 26;

/**
 * @param {{figure: {data: any[], layout: Record<string, any>}, meta: {dark: Record<string, string>}}} doc
 * @param {boolean} dark @param {Size} size @returns {{data: any[], layout: Record<string, any>}}
 */
export function dressed(doc, dark, size) {
  const { title: _, ...layout } = swapped(doc.figure.layout, dark ? doc.meta.dark : {});
  return {
    data: swapped(doc.figure.data, dark ? doc.meta.dark : {}),
    layout: {
      ...layout,
      xaxis: spaced(bare(layout.xaxis), size.width - MARGIN.l - MARGIN.r),
      yaxis: bare(layout.yaxis),
      width: size.width,
      height: size.height,
      margin: { ...MARGIN, pad: 0 },
      showlegend: false,
      dragmode: false,
    },
  };
}

/** The page prints the titles. @param {Record<string, any>} axis */
function bare({ title: _, ...axis }) {
  return axis;
}

/** Every second mark where all of them would run into each other. @param {Record<string, any>} axis @param {number} width */
function spaced(axis, width) {
  const step = Math.ceil((axis.tickvals.length * ROOM) / Math.max(width, 1));
  const kept = (/** @type {any[]} */ values) => values.filter((_, place) => place % step === 0);
  return { ...axis, tickvals: kept(axis.tickvals), ticktext: kept(axis.ticktext) };
}

/** A copy in which each color that has a twin is that twin. @template T @param {T} value @param {Record<string, string>} twins @returns {T} */
export function swapped(value, twins) {
  if (typeof value === 'string') return /** @type {any} */ (twins[value] ?? value);
  if (Array.isArray(value)) return /** @type {any} */ (value.map((item) => swapped(item, twins)));
  if (value === null || typeof value !== 'object') return value;
  return /** @type {any} */ (Object.fromEntries(Object.entries(value).map(([key, item]) => [key, swapped(item, twins)])));
}
