// The chart on the page: figure, names, brackets, cards, and what pointer and keys do on it.

import { card, spoken } from './cards.js';
import { $$, el, need } from './dom.js';
import { build, standalone } from './figure.js';
import { next } from './keys.js';
import { along, covers, place } from './labels.js';
import * as overlay from './overlay.js';
import { letter } from './pins.js';
import * as plot from './plot.js';
import { isSeen, pointsOf, walksOf } from './points.js';
import { isInside, MARGIN, placer, ranges } from './scale.js';
import { theme } from './theme.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Box} Box */
/** @typedef {import('./types.js').Size} Size */
/** @typedef {import('./types.js').Range} Range */
/** @typedef {import('./points.js').Drawn} Drawn */
/** @typedef {[number, number]} Spot */

/**
 * @param {{plotly: string, choose: (id: string) => void, unpin: (id: string) => void, zoom: (x: Range | null, y: Range | null) => void, reset: () => void, placed?: (doc: Doc, state: State, size: Size) => void}} tell
 */
export function chart(tell) {
  const stage = need('stage');
  const root = need('chart');
  const layer = /** @type {Element} */ (stage.querySelector('.over'));
  const float = need('float');
  const dock = need('dock');
  const said = need('said');
  let doc = /** @type {Doc | null} */ (null);
  let state = /** @type {State | null} */ (null);
  let points = /** @type {Map<string, Drawn>} */ (new Map());
  let hovered = /** @type {string | null} */ (null);
  let reached = /** @type {string | null} */ (null);
  let plotly = /** @type {plot.Plotly | null} */ (null);
  let turn = 0;
  const measure = document.createElement('canvas').getContext('2d');

  /** @param {Doc} nextDoc @param {State} nextState */
  async function show(nextDoc, nextState) {
    if (nextDoc !== doc) points = pointsOf(nextDoc);
    doc = nextDoc;
    state = nextState;
    if (hovered && !points.has(hovered)) leave();
    if (reached && !points.has(reached)) reached = null;
    await render();
  }

  async function render() {
    if (!doc || !state || !doc.meta.drawn) return;
    const mine = (turn += 1);
    pins();
    if (!plotly) {
      plotly = await plot.load(tell.plotly);
      if (mine !== turn) return;
    }
    const now = setting();
    if (!now.size.width) return;
    const first = !root.classList.contains('js-plotly-plot');
    await plot.draw(plotly, root, build(doc, state, now.theme, now.size, now.labels));
    if (first) {
      plot.listen(root, { hover, leave, click: tell.choose, zoom: tell.zoom, reset: tell.reset });
      document.getElementById('frame1')?.remove();
      for (const node of root.querySelectorAll('svg')) node.setAttribute('aria-hidden', 'true');
    }
    brackets();
    tell.placed?.(doc, state, size());
    stage.dataset.drawn = String(Number(stage.dataset.drawn ?? 0) + 1);
  }

  /** @returns {Size} */
  const size = () => ({ width: stage.clientWidth, height: stage.clientHeight, small: matchMedia('(max-width: 860px)').matches });

  /** Everything that depends on the window, the theme and the state. */
  function setting() {
    const at = /** @type {Doc} */ (doc);
    const how = /** @type {State} */ (state);
    const now = size();
    const colors = theme();
    const spot = placer(ranges(at, how), how, now);
    return { size: now, theme: colors, spot, labels: now.small ? [] : labels(at, how, now, colors, spot) };
  }

  /** @param {Doc} at @param {State} how @param {Size} now @param {import('./types.js').Theme} colors @param {import('./scale.js').Place} spot */
  function labels(at, how, now, colors, spot) {
    const marks = [...points.values()].filter((point) => isSeen(point, how)).flatMap((point) => {
      const where = spot(point.x, point.y);
      return isInside(where, now) ? [{ at: where, reach: point.frontier ? 9 : 5, cost: point.frontier ? 6 : 1 }] : [];
    });
    const named = walksOf(at, points, how).flatMap(({ key, ids }) => {
      const series = at.meta.series.find((one) => one.key === key);
      const line = spotsOf(ids, spot).filter((where) => isInside(where, now));
      return series && line.length
        ? [{ text: series.label, color: series.color[colors.dark ? 'dark_ink' : 'light_ink'], line: line.sort((a, b) => a[1] - b[1]) }]
        : [];
    });
    const left = dock.offsetLeft;
    const cards = $$('.card', dock).map((one) => /** @type {Box} */ ([
      left + one.offsetLeft - 8, dock.offsetTop + one.offsetTop - 8, left + one.offsetLeft + one.offsetWidth + 8, dock.offsetTop + one.offsetTop + one.offsetHeight + 8]));
    const picked = how.point.flatMap((id) => spotsOf([id], spot)).map(([x, y]) => /** @type {Box} */ ([x - 30, y - 15, x + 15, y + 15]));
    if (measure) measure.font = `600 12px ${colors.font}`;
    return place(named, marks, [...cards, ...picked], now, (text) => measure?.measureText(text).width ?? text.length * 7);
  }

  /** @param {string[]} ids @param {import('./scale.js').Place} spot @returns {Spot[]} */
  function spotsOf(ids, spot) {
    return ids.flatMap((id) => {
      const point = points.get(id);
      const where = point && spot(point.x, point.y);
      return where ? [where] : [];
    });
  }

  function brackets() {
    if (!doc || !state) return;
    const now = size();
    const spot = placer(ranges(doc, state), state, now);
    const how = state;
    const pick = (/** @type {string | null} */ id, /** @type {'pin' | 'hover' | 'key'} */ kind) => {
      const point = id ? points.get(id) : undefined;
      const where = point && isSeen(point, how) ? spot(point.x, point.y) : null;
      return point && isInside(where, now) ? [{ at: where, kind, letter: kind === 'pin' ? letter(shown(), point.id) : '' }] : [];
    };
    overlay.draw(layer, [...state.point.flatMap((id) => pick(id, 'pin')), ...pick(hovered, 'hover'), ...pick(reached, 'key')]);
  }

  /** Pinned points that this view has. */
  const shown = () => (state?.point ?? []).filter((id) => points.has(id));

  /** Pins dock in the better corner, which is empty by definition; a card that covers a frontier all the same folds. */
  function pins() {
    if (!doc || !state) return;
    const at = doc;
    const ids = shown();
    dock.classList.toggle('low', at.meta.y.better === 'lower');
    dock.classList.toggle('left', at.meta.x.better === 'lower');
    dock.replaceChildren(...ids.map((id) => {
      const point = /** @type {Drawn} */ (points.get(id));
      return el('article', { class: 'card', 'data-card': id, tabindex: 0, 'aria-label': spoken(at, point) }, ...card(at, point, { pinned: true, letter: letter(ids, id) }));
    }));
    const now = size();
    if (now.small || !ids.length) return;
    const runs = frontiers();
    for (const one of $$('.card', dock)) {
      const left = dock.offsetLeft + one.offsetLeft;
      const top = dock.offsetTop + one.offsetTop;
      const box = /** @type {Box} */ ([left - 12, top - 12, left + one.offsetWidth + 12, top + one.offsetHeight + 12]);
      one.classList.toggle('fold', left < MARGIN.l || runs.some((where) => covers(box, where)));
    }
  }

  /** @returns {Spot[]} */
  function frontiers() {
    if (!doc || !state) return [];
    const now = size();
    const spot = placer(ranges(doc, state), state, now);
    return walksOf(doc, points, state).flatMap(({ ids }) => along(spotsOf(ids, spot))).filter((where) => isInside(where, now));
  }

  /** @param {string} id */
  function hover(id) {
    const point = points.get(id);
    if (!doc || !state || !point || state.point.includes(id) || size().small) return;
    hovered = id;
    float.replaceChildren(...card(doc, point, { pinned: false }).filter((child) => child instanceof Node));
    float.dataset.card = id;
    float.hidden = false;
    beside(point);
    brackets();
    stage.classList.add('over-point');
  }

  /** The hover card takes the side that covers least of the frontiers, and never the point. @param {Drawn} point */
  function beside(point) {
    if (!doc || !state) return;
    const now = size();
    const [x, y] = placer(ranges(doc, state), state, now)(point.x, point.y) ?? [0, 0];
    const width = float.offsetWidth;
    const height = float.offsetHeight;
    const runs = frontiers();
    const spots = /** @type {Spot[]} */ ([[x + 20, y - height - 12], [x + 20, y + 16], [x - width - 20, y - height - 12], [x - width - 20, y + 16], [x - width - 20, y - height / 2], [x + 20, y - height / 2]])
      .map(([left, top]) => /** @type {Spot} */ ([Math.max(4, Math.min(now.width - width - 4, left)), Math.max(4, Math.min(now.height - height - 4, top))]))
      .map(([left, top]) => ({ left, top, box: /** @type {Box} */ ([left - 14, top - 14, left + width + 14, top + height + 14]) }))
      .map((one) => ({ ...one, cost: runs.filter((where) => covers(one.box, where)).length + (covers(one.box, [x, y]) ? 1000 : 0) }))
      .sort((a, b) => a.cost - b.cost);
    float.style.left = `${spots[0]?.left ?? 0}px`;
    float.style.top = `${spots[0]?.top ?? 0}px`;
  }

  function leave() {
    hovered = null;
    float.hidden = true;
    delete float.dataset.card;
    stage.classList.remove('over-point');
    brackets();
  }

  stage.addEventListener('keydown', (event) => {
    if (!doc || !state || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = next(walksOf(doc, points, state), reached, event.key);
    if (to) {
      event.preventDefault();
      reached = to;
      const point = points.get(to);
      said.textContent = point ? `${point.series.label}: ${spoken(doc, point)}` : '';
      brackets();
    } else if (event.key === 'Enter' && reached) {
      event.preventDefault();
      tell.choose(reached);
    } else if (event.key === 'Escape') {
      if (reached || hovered) {
        reached = null;
        leave();
      } else if (state.point.length) tell.unpin(state.point.at(-1) ?? '');
      else stage.blur();
    }
  });
  stage.addEventListener('blur', () => { reached = null; brackets(); });
  dock.addEventListener('click', ({ target }) => {
    const id = target instanceof Element ? target.closest('[data-unpin]')?.getAttribute('data-unpin') : null;
    if (id) tell.unpin(id);
  });
  new ResizeObserver(() => requestAnimationFrame(() => { if (plotly) void render(); })).observe(stage);

  /** The chart as a file's text, with its size. */
  async function picture() {
    if (!doc || !state) throw new Error('there is no chart to save');
    plotly ??= await plot.load(tell.plotly);
    const now = setting();
    const figure = standalone(doc, state, now.theme, now.size, now.labels);
    const { width, height } = figure.layout;
    return { text: await plot.drawn(plotly, figure), size: { width, height }, paper: now.theme.paper };
  }

  return { show, render, picture, shown };
}
