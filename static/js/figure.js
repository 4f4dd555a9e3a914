// Pure: the server's figure, the state and the theme make what Plotly draws. Nothing is computed anew but presentation.

import { MARGIN, ranges, seen } from './scale.js';
import { ticks } from './ticks.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Theme} Theme */
/** @typedef {import('./types.js').Size} Size */
/** @typedef {import('./types.js').Label} Label */
/** @typedef {import('./types.js').Trace} Trace */

/** Marks on a phone, so that rings of neighbours do not close up. */
const SMALL = 0.88;

/**
 * @param {Doc} doc @param {State} state @param {Theme} theme @param {Size} size @param {Label[]} labels
 * @returns {{data: Trace[], layout: Record<string, any>}}
 */
export function build(doc, state, theme, size, labels) {
  const range = ranges(doc, state);
  const count = size.small ? { x: 5, y: 6 } : { x: 8, y: 7 };
  return {
    data: seen(doc, state).map((trace) => dressed(trace, doc, theme, size.small ? SMALL : 1)),
    layout: {
      xaxis: { ...axis(theme, range.x, state.logX, count.x, doc.meta.x.share, size), showgrid: false, showline: true, ticks: 'outside' },
      yaxis: { ...axis(theme, range.y, state.logY, count.y, doc.meta.y.share, size), showgrid: true, showline: false, ticks: '' },
      width: size.width,
      height: size.height,
      margin: { ...MARGIN, pad: 0 },
      paper_bgcolor: theme.paper,
      plot_bgcolor: theme.paper,
      font: { family: theme.font, size: 12, color: theme.ink2 },
      hovermode: 'closest',
      hoverdistance: 14,
      dragmode: size.small ? false : 'zoom',
      showlegend: false,
      annotations: labels.map((label) => annotation(label, theme, size)),
      shapes: laid(doc, theme),
    },
  };
}

/**
 * The same picture as a document of its own: with title, axis titles and the legend, the halo explained in it.
 * @param {Doc} doc @param {State} state @param {Theme} theme @param {Size} size @param {Label[]} labels
 */
export function standalone(doc, state, theme, size, labels) {
  const { data, layout } = build(doc, state, theme, { ...size, small: false }, labels);
  const { title, xaxis, yaxis } = doc.figure.layout;
  const legend = doc.figure.data
    .filter(({ meta }) => (meta.role === 'legend' && !state.hide.includes(meta.series)) || meta.role === 'key')
    .map((trace) => dressed(trace, doc, theme, 1));
  const longest = Math.max(12, ...legend.map(({ name }) => name.length));
  const extra = { l: 28, r: longest * 7 + 48, t: 40, b: 34 };
  const margin = { l: MARGIN.l + extra.l, r: MARGIN.r + extra.r, t: MARGIN.t + extra.t, b: MARGIN.b + extra.b };
  const inked = (/** @type {any} */ text, /** @type {number} */ points) => ({ ...text, font: { ...text.font, size: points, color: theme.ink } });
  return {
    data: [...data, ...legend],
    layout: {
      ...layout,
      shapes: [...layout.shapes, ...state.at.map((at) => reading(at, theme))],
      width: size.width + extra.l + extra.r,
      height: size.height + extra.t + extra.b,
      margin,
      title: { ...inked(title, 16), x: 0, xref: 'paper', y: 1, yref: 'container', yanchor: 'top', pad: { t: 14 } },
      xaxis: { ...layout.xaxis, title: inked(xaxis.title, 13) },
      yaxis: { ...layout.yaxis, title: inked(yaxis.title, 13) },
      showlegend: true,
      legend: { x: 1, xanchor: 'left', y: 1, itemsizing: 'trace', tracegroupgap: 0, bgcolor: theme.paper, font: { size: 12, color: theme.ink } },
    },
  };
}

/** @param {Theme} theme @param {[number, number]} range @param {boolean} log @param {number} count @param {boolean} share @param {Size} size */
function axis(theme, range, log, count, share, size) {
  const marked = ticks(range[0], range[1], { log, count, share });
  return {
    type: log ? 'log' : 'linear',
    range,
    autorange: false,
    fixedrange: size.small,
    zeroline: false,
    gridcolor: theme.grid,
    linecolor: theme.rule2,
    tickcolor: theme.rule2,
    ticklen: 4,
    tickfont: { size: 11, color: theme.ink2 },
    tickmode: 'array',
    tickvals: marked.map(({ value }) => value),
    ticktext: marked.map(({ text }) => text),
  };
}

/** @param {Trace} trace @param {Doc} doc @param {Theme} theme @param {number} zoom @returns {Trace} */
function dressed(trace, doc, theme, zoom) {
  const series = doc.meta.series.find(({ key }) => key === trace.meta.series);
  const color = series ? series.color[theme.dark ? 'dark' : 'light'] : theme.ink;
  const copy = /** @type {Trace} */ ({ ...trace, hoverinfo: trace.meta.role === 'dot' ? 'none' : 'skip' });
  delete copy.hovertemplate;
  if (trace.line) copy.line = { ...trace.line, color };
  if (trace.marker) {
    copy.marker = painted(trace, color, theme, zoom);
    copy.cliponaxis = false;
  }
  if (trace.meta.role === 'dot' && trace.opacity !== undefined) copy.opacity = theme.faint;
  return copy;
}

/** @param {Trace} trace @param {string} color @param {Theme} theme @param {number} zoom */
function painted(trace, color, theme, zoom) {
  const marker = { ...trace.marker, size: trace.marker?.size * zoom };
  const line = trace.marker?.line;
  const isRing = Boolean(line?.dash);
  if (isRing) return { ...marker, line: { ...line, color, dash: stretched(line.dash, zoom) } };
  if (trace.meta.hollow) return { ...marker, color: theme.paper, line: { ...line, color } };
  return { ...marker, color, ...(line ? { line: { ...line, color: theme.paper } } : {}) };
}

/** A dash pattern on a ring of another size, so that it still closes. @param {string} dash @param {number} zoom */
function stretched(dash, zoom) {
  return zoom === 1 ? dash : dash.split(',').map((part) => `${(parseFloat(part) * zoom).toFixed(2)}px`).join(',');
}

/** The region that the figure lays under its points, in the reader's colors; readings are drawn by the page, that can move them. @param {Doc} doc @param {Theme} theme */
function laid(doc, theme) {
  const shapes = /** @type {Record<string, any>[]} */ (doc.figure.layout.shapes ?? []);
  return shapes.filter(({ name }) => name === 'region').map((shape) => ({ ...shape, fillcolor: theme.region }));
}

/** @param {number} at @param {Theme} theme */
function reading(at, theme) {
  return { type: 'line', xref: 'x', yref: 'paper', x0: at, x1: at, y0: 0, y1: 1, line: { color: theme.ink2, width: 1, dash: '3px,3px' }, label: { text: String(at), textposition: 'end', font: { size: 11, color: theme.ink2 } } };
}

/** @param {Label} label @param {Theme} theme @param {Size} size */
function annotation(label, theme, size) {
  return {
    xref: 'paper',
    yref: 'paper',
    x: (label.x - MARGIN.l) / (size.width - MARGIN.l - MARGIN.r),
    y: 1 - (label.y - MARGIN.t) / (size.height - MARGIN.t - MARGIN.b),
    xanchor: 'left',
    yanchor: 'middle',
    text: escaped(label.text),
    showarrow: false,
    borderpad: 0,
    font: { family: theme.font, size: 12, color: label.color, weight: 600 },
  };
}

/** Plotly reads a little HTML in texts. @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
