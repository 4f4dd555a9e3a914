// Reading lines in the reader's hand: set by a click, a key or a number, dragged by their flags, read off in a small table.

import { $, el, need } from './dom.js';
import { linesOf, read, settled, valueText } from './reading.js';
import { rules } from './rules.js';
import { MARGIN, placer, ranges } from './scale.js';

/** @typedef {import('./types.js').Doc} Doc */
/** @typedef {import('./types.js').State} State */
/** @typedef {import('./types.js').Size} Size */

/** Pixels within which a line sticks to a point. */
const STICK = 5;

/**
 * @param {{change: (at: number[]) => void}} tell What to do when the reader let go of a line.
 */
export function ruler(tell) {
  const stage = need('stage');
  const layer = el('div', { class: 'rules' });
  const veil = el('div', { class: 'veil', hidden: true });
  stage.append(layer, veil);
  let doc = /** @type {Doc | null} */ (null);
  let state = /** @type {State | null} */ (null);
  let size = /** @type {Size} */ ({ width: 0, height: 0, small: false });
  /** A line that is being moved: which, and where it is. */
  let moving = /** @type {{i: number, x: number} | null} */ (null);
  let wanted = /** @type {number | null} */ (null);

  /** @param {Doc} nextDoc @param {State} nextState @param {Size} nextSize */
  function show(nextDoc, nextState, nextSize) {
    [doc, state, size] = [nextDoc, nextState, nextSize];
    draw();
  }

  const readings = () => (state?.at ?? []).map((x, i) => (moving?.i === i ? moving.x : x));

  function axis() {
    const [low, high] = ranges(/** @type {Doc} */ (doc), /** @type {State} */ (state)).x;
    return { low, high, log: Boolean(state?.logX), width: size.width - MARGIN.l - MARGIN.r };
  }

  /** @param {number} x pixels of the stage @param {boolean} [free] whether it passes points by */
  function valueAt(x, free = false) {
    const { low, high, log, width } = axis();
    const part = Math.min(1, Math.max(0, (x - MARGIN.l) / width));
    const inverse = (/** @type {number} */ at) => (log ? 10 ** at : at);
    const value = inverse(low + part * (high - low));
    const reach = Math.abs(inverse(low + Math.min(1, part + STICK / width) * (high - low)) - value);
    return settled(value, free ? 0 : reach, Math.abs(inverse(high) - inverse(low)), linesOf(/** @type {Doc} */ (doc), /** @type {State} */ (state)));
  }

  function draw() {
    if (!doc || !state) return;
    const focus = layer.contains(document.activeElement) ? Number(/** @type {HTMLElement} */ (document.activeElement).dataset.rule) : -1;
    const at = readings();
    layer.replaceChildren(...rules(doc, state, size, at, flag));
    if (focus >= 0) $(`[data-rule="${focus}"]`, layer)?.focus({ preventScroll: true });
    readout(at, linesOf(doc, state));
  }

  /** @param {number} x @param {number} i */
  function flag(x, i) {
    const { unit, label, share } = /** @type {Doc} */ (doc).meta.x;
    const { low, high, log } = axis();
    return el('span', {
      class: 'flag',
      'data-rule': i,
      role: 'slider',
      tabindex: 0,
      'aria-label': `Reading line on ${label}`,
      'aria-valuemin': log ? 10 ** low : low,
      'aria-valuemax': log ? 10 ** high : high,
      'aria-valuenow': x,
      'aria-valuetext': `${valueText(x, share)} ${share ? '' : unit}`.trim(),
    }, valueText(x, share));
  }

  /** @param {number[]} at @param {ReturnType<typeof linesOf>} lines */
  function readout(at, lines) {
    const place = document.getElementById('readout');
    for (const [id, path] of [['read-compare', '/compare'], ['read-history', '/history']]) {
      const link = /** @type {HTMLAnchorElement | null} */ (document.getElementById(id ?? ''));
      if (!link) continue;
      link.href = `${path}${location.search}`;
      const text = link.dataset[at.length === 1 ? 'one' : at.length ? 'several' : 'none'];
      if (text) link.textContent = text;
    }
    if (!place || !doc) return;
    const { x: across, y: up } = doc.meta;
    place.hidden = !at.length;
    place.replaceChildren(...(at.length ? [el('table', {},
      el('caption', { class: 'vh' }, `${up.label} of each series at the reading lines`),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, `${up.label} (${up.unit}) at`), ...at.map((x, i) => el('th', { scope: 'col', class: 'num' },
        `${valueText(x, across.share)} `,
        el('button', { type: 'button', class: 'link', 'data-drop': i, 'aria-label': `Remove the reading line at ${valueText(x, across.share)}` }, '×'))))),
      el('tbody', {}, ...lines.map(({ series, line }) => el('tr', {},
        named(series), ...at.map((x) => {
          const found = read(line, x);
          if (!found) return el('td', { class: 'num absent', title: 'outside the range of its frontier' }, '–');
          return el('td', { class: 'num', title: found.measured ? 'measured there' : line.meta.leads ? 'through the throughput between two points' : 'on the straight line between two points' }, `${found.measured ? '' : '≈\u2009'}${valueText(found.y, up.share)}`);
        })))),
    )] : []));
  }

  /** @param {import('./types.js').Series} series */
  function named(series) {
    const tone = el('i', { class: 'tone' });
    tone.style.setProperty('--mark', `light-dark(${series.color.light},${series.color.dark})`);
    return el('th', { scope: 'row' }, tone, series.label);
  }

  /** @param {number} x */
  function add(x) {
    if (!state || !Number.isFinite(x) || state.at.includes(x)) return;
    tell.change([...state.at, x].sort((a, b) => a - b));
  }

  /** @param {number} i @param {number} x */
  function move(i, x) {
    if (!state) return;
    const others = state.at.filter((_, place) => place !== i);
    const at = [...new Set([...others, x])].sort((a, b) => a - b);
    const focused = layer.contains(document.activeElement);
    tell.change(at);
    if (focused) requestAnimationFrame(() => $(`[data-rule="${at.indexOf(x)}"]`, layer)?.focus({ preventScroll: true }));
  }

  /** @param {number} i */
  const drop = (i) => { if (state) tell.change(state.at.filter((_, place) => place !== i)); };

  /** @param {boolean} on */
  function setting(on) {
    veil.hidden = !on;
    veil.replaceChildren();
    $('[data-read]')?.setAttribute('aria-pressed', String(on));
  }

  /** @param {PointerEvent} event */
  const across = (event) => event.clientX - stage.getBoundingClientRect().left;

  layer.addEventListener('pointerdown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest('[data-rule]');
    if (!(target instanceof HTMLElement) || event.button) return;
    event.preventDefault();
    event.stopPropagation();
    target.focus({ preventScroll: true });
    moving = { i: Number(target.dataset.rule), x: state?.at[Number(target.dataset.rule)] ?? 0 };
    const follow = (/** @type {PointerEvent} */ next) => {
      if (!moving) return;
      moving = { ...moving, x: valueAt(across(next), next.altKey) };
      wanted ??= requestAnimationFrame(() => { wanted = null; draw(); });
    };
    const done = () => {
      document.removeEventListener('pointermove', follow);
      document.removeEventListener('pointerup', done);
      document.removeEventListener('pointercancel', done);
      const last = moving;
      moving = null;
      if (last && last.x !== state?.at[last.i]) move(last.i, last.x);
      else draw();
    };
    document.addEventListener('pointermove', follow);
    document.addEventListener('pointerup', done);
    document.addEventListener('pointercancel', done);
  });

  layer.addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest('[data-rule]');
    if (!(target instanceof HTMLElement) || !state || event.ctrlKey || event.metaKey) return;
    const i = Number(target.dataset.rule);
    const here = placer(ranges(/** @type {Doc} */ (doc), state), state, size)(state.at[i] ?? 0, 1)?.[0] ?? MARGIN.l;
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (step) move(i, valueAt(here + step * (event.shiftKey ? 10 : 2), true));
    else if (event.key === 'Home') move(i, valueAt(MARGIN.l, true));
    else if (event.key === 'End') move(i, valueAt(size.width - MARGIN.r, true));
    else if (event.key === 'Delete' || event.key === 'Backspace') { drop(i); stage.focus({ preventScroll: true }); }
    else if (event.key === 'Escape') stage.focus({ preventScroll: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  veil.addEventListener('pointermove', (event) => {
    if (!doc || !state) return;
    const ghost = el('div', { class: 'rule ghost' });
    ghost.style.left = `${placer(ranges(doc, state), state, size)(valueAt(across(event)), 1)?.[0] ?? 0}px`;
    veil.replaceChildren(ghost);
  });
  veil.addEventListener('click', (event) => {
    const x = valueAt(event.clientX - stage.getBoundingClientRect().left);
    setting(false);
    add(x);
  });

  stage.addEventListener('keydown', (event) => {
    if (event.target !== stage || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'r') {
      const x = valueAt(MARGIN.l + (size.width - MARGIN.l - MARGIN.r) / 2);
      add(x);
      requestAnimationFrame(() => $(`[data-rule="${state?.at.indexOf(x)}"]`, layer)?.focus({ preventScroll: true }));
      event.preventDefault();
    } else if (event.key === 'Escape' && !veil.hidden) {
      setting(false);
      event.stopImmediatePropagation();
    }
  }, true);
  document.addEventListener('click', ({ target }) => {
    const found = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[data-read], [data-drop]')) : null;
    if (found?.dataset.drop !== undefined) drop(Number(found.dataset.drop));
    else if (found) { setting(Boolean(veil.hidden)); stage.focus({ preventScroll: true }); }
  });
  document.addEventListener('submit', (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (form.id !== 'read-form') return;
    event.preventDefault();
    const input = /** @type {HTMLInputElement} */ (form.querySelector('input[type=number]'));
    if (input.value.trim() !== '') add(Number(input.value));
    input.value = '';
  });

  return { show };
}
