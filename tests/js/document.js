// A small figure document, as the server would send it: two series, one halo, one dominated point.

/** @param {string} series @param {string} role @param {string} standing @param {Record<string, any>} rest */
const trace = (series, role, standing, rest) => ({ type: 'scatter', mode: role === 'line' ? 'lines' : 'markers', name: series, meta: { series, role, standing }, ...rest });
const dot = { symbol: 'circle', size: 8, color: '#111111', line: { color: '#fbfbfa', width: 0.8 } };
const ring = { symbol: 'circle', size: 17, color: 'rgba(0,0,0,0)', line: { color: '#111111', width: 1.3, dash: '3.20px,2.14px' } };

/** @returns {any} */
export const documentOf = () => ({
  figure: {
    data: [
      trace('a', 'line', 'frontier', { x: [10, 20], y: [300, 100], line: { color: '#111111', width: 1.75 } }),
      trace('a', 'ring', 'frontier', { x: [10], y: [300], ids: ['p1'], marker: ring, hoverinfo: 'skip' }),
      trace('a', 'dot', 'dominated', { x: [5], y: [50], ids: ['p3'], marker: dot, opacity: 0.38 }),
      trace('a', 'dot', 'frontier', { x: [10, 20], y: [300, 100], ids: ['p1', 'p2'], marker: dot, hovertemplate: '%{y}' }),
      trace('b', 'dot', 'frontier', { x: [40], y: [0], ids: ['p4'], marker: dot, meta: { series: 'b', role: 'dot', standing: 'frontier', hollow: true } }),
      trace('a', 'legend', 'frontier', { x: [null], y: [null], showlegend: true, marker: dot }),
      { type: 'scatter', mode: 'markers', name: 'dashed halo: used KV-cache offload', x: [null], y: [null], showlegend: true, marker: ring, meta: { role: 'key' } },
    ],
    layout: { title: { text: 'A title', font: { size: 16 } }, xaxis: { title: { text: 'X (u)', font: {} } }, yaxis: { title: { text: 'Y (v)', font: {} } } },
  },
  meta: {
    title: 'A title', drawn: 4, has_frontier: true,
    x: { label: 'X', unit: 'u', better: 'higher', share: false }, y: { label: 'Y', unit: 'v', better: 'higher', share: false },
    series: [
      { key: 'a', label: 'Series a', color: { light: '#aa0000', dark: '#ffaaaa', light_ink: '#880000', dark_ink: '#ffbbbb' }, symbol: 'circle', hollow: false, points: 3 },
      { key: 'b', label: 'Series b', color: { light: '#00aa00', dark: '#aaffaa', light_ink: '#008800', dark_ink: '#bbffbb' }, symbol: 'square', hollow: true, points: 1 },
    ],
    cards: { flags: [0, 0, 0, 0], words: {}, numbers: {} },
  },
});

/** @returns {any} */
export const themeOf = () => ({ dark: false, paper: '#fbfbfa', raise: '#fff', ink: '#1a1d21', ink2: '#565c64', grid: '#ebecea', rule2: '#868d87', accent: '#1f57c3', region: '#e6edfa', faint: 0.38, font: 'sans-serif' });

/** @param {Record<string, any>} [part] @returns {any} */
export const stateWith = (part = {}) => ({ all: true, logX: false, logY: false, xr: null, yr: null, hide: [], point: [], at: [], ...part });

export const SIZE = { width: 852, height: 534, small: false };
