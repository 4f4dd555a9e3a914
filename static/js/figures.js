// Figures of pages: each `[data-figure]` shows the server's frame until Plotly draws the same document over it.

import { dressed } from './board.js';
import { $, $$ } from './dom.js';
import * as plot from './plot.js';
import { theme } from './theme.js';

/** @param {HTMLElement} place */
function wired(place) {
  const doc = JSON.parse($('script', place)?.textContent ?? '');
  const live = /** @type {HTMLElement} */ ($('.live', place));
  let turn = 0;

  async function render() {
    const mine = (turn += 1);
    const plotly = await plot.load(place.dataset.figure ?? '');
    const size = { width: live.clientWidth, height: live.clientHeight, small: matchMedia('(max-width: 860px)').matches };
    if (mine !== turn || !size.width) return;
    const first = !live.classList.contains('js-plotly-plot');
    await plot.draw(plotly, live, dressed(doc, theme().dark, size));
    if (!first) return;
    const { base = '', suffix = '' } = place.dataset;
    const open = (/** @type {string} */ id) => { if (base !== 'none') location.href = `${base}/points/${id}${suffix}`; };
    plot.listen(live, {
      hover: () => live.classList.add('over-point'),
      leave: () => live.classList.remove('over-point'),
      click: open,
      zoom: () => {},
      reset: () => {},
    });
    for (const node of live.querySelectorAll('svg')) node.setAttribute('aria-hidden', 'true');
    // What the frame says stays for readers of the page by ear; what it shows is drawn now.
    place.classList.add('drawn');
  }
  return render;
}

/** @type {Map<Element, () => Promise<void>>} */
const renders = new Map($$('[data-figure]').map((place) => [place, wired(place)]));
/** Figures that were in sight; others wait until they are. @type {Set<Element>} */
const seen = new Set();

const again = () => { for (const place of seen) void renders.get(place)?.(); };
const watch = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || seen.has(target)) continue;
    seen.add(target);
    void renders.get(target)?.();
  }
}, { rootMargin: '200px' });
for (const place of renders.keys()) watch.observe(place);
document.addEventListener('theme', again);
new ResizeObserver(again).observe(document.body);

/** A choice with one menu needs no button. */
for (const menu of $$('form[data-go-on-change] select')) {
  menu.addEventListener('change', () => /** @type {HTMLSelectElement} */ (menu).form?.requestSubmit());
}
