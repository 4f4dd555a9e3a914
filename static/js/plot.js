// The only module that touches Plotly.

/** @typedef {{data: any[], layout: Record<string, any>}} Figure */
/** @typedef {import('./types.js').Range} Range */

/**
 * @typedef {{
 *   react: (root: HTMLElement, data: any[], layout: Record<string, any>, config: Record<string, any>) => Promise<unknown>,
 *   toImage: (figure: Figure, how: Record<string, any>) => Promise<string>
 * }} Plotly
 * @typedef {HTMLElement & {on: (event: string, run: (found: any) => void) => void}} Plot
 */

const CONFIG = { displayModeBar: false, displaylogo: false, showSendToCloud: false, showTips: false, doubleClick: false, responsive: false };

/** @type {Promise<Plotly> | null} */
let loading = null;

/** Fetches Plotly once, after the page has been painted with its first frame. A saved page has it inside. @param {string} address @returns {Promise<Plotly>} */
export function load(address) {
  const here = /** @type {any} */ (window).Plotly;
  if (here) return Promise.resolve(here);
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.onload = () => resolve(/** @type {any} */ (window).Plotly);
    script.onerror = () => reject(new Error(`${address} cannot be loaded`));
    requestAnimationFrame(() => setTimeout(() => document.head.append(script)));
  });
  return loading;
}

/** @param {Plotly} plotly @param {HTMLElement} root @param {Figure} figure */
export async function draw(plotly, root, figure) {
  await plotly.react(root, figure.data, figure.layout, CONFIG);
}

/**
 * Point ids under the pointer, clicks, zooms in data coordinates, and the double click.
 * @param {HTMLElement} root
 * @param {{hover: (id: string) => void, leave: () => void, click: (id: string) => void, zoom: (x: Range | null, y: Range | null) => void, reset: () => void}} tell
 */
export function listen(root, tell) {
  const plot = /** @type {Plot} */ (root);
  plot.on('plotly_hover', (found) => idOf(found, tell.hover));
  plot.on('plotly_unhover', tell.leave);
  plot.on('plotly_click', (found) => idOf(found, tell.click));
  plot.on('plotly_doubleclick', tell.reset);
  plot.on('plotly_relayout', (changed) => {
    const range = (/** @type {string} */ axis) => {
      const low = changed[`${axis}.range[0]`];
      const high = changed[`${axis}.range[1]`];
      return low === undefined || high === undefined ? null : /** @type {Range} */ ([Math.min(low, high), Math.max(low, high)]);
    };
    const x = range('xaxis');
    const y = range('yaxis');
    if (x || y) tell.zoom(x, y);
  });
}

/** @param {any} found @param {(id: string) => void} tell */
function idOf(found, tell) {
  const id = found?.points?.[0]?.id;
  if (typeof id === 'string') tell(id);
}

/** The figure as the text of an SVG file. @param {Plotly} plotly @param {Figure} figure */
export async function drawn(plotly, figure) {
  const { width, height } = figure.layout;
  const address = await plotly.toImage(figure, { format: 'svg', width, height });
  return decodeURIComponent(address.slice(address.indexOf(',') + 1));
}
