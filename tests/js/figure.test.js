import assert from 'node:assert/strict';
import test from 'node:test';
import { build, standalone } from '../../static/js/figure.js';
import { isInside, MARGIN, placer, rangeOf, ranges } from '../../static/js/scale.js';
import { documentOf, SIZE, stateWith, themeOf } from './document.js';

const roles = (/** @type {any} */ figure) => figure.data.map((/** @type {any} */ { meta }) => `${meta.series ?? ''}:${meta.role}:${meta.standing ?? ''}`);

test('every drawn offload point keeps its ring, whatever is hidden', () => {
  const ringed = ['a:ring:frontier'];
  for (const part of [{}, { all: false }, { logX: true, logY: true }, { hide: ['b'] }, { xr: [1, 100] }]) {
    const drawn = roles(build(documentOf(), stateWith(part), themeOf(), SIZE, []));
    assert.deepEqual(drawn.filter((role) => role.includes('ring')), ringed);
  }
  assert.deepEqual(roles(build(documentOf(), stateWith({ hide: ['a'] }), themeOf(), SIZE, [])), ['b:dot:frontier']);
});

test('dominated points go, and nothing else', () => {
  const all = roles(build(documentOf(), stateWith(), themeOf(), SIZE, []));
  const best = roles(build(documentOf(), stateWith({ all: false }), themeOf(), SIZE, []));
  assert.deepEqual(all.filter((role) => !best.includes(role)), ['a:dot:dominated']);
});

test('the document from the server is never changed', () => {
  const doc = documentOf();
  standalone(doc, stateWith({ logY: true }), { ...themeOf(), dark: true }, { ...SIZE, small: true }, []);
  build(doc, stateWith(), themeOf(), { ...SIZE, small: true }, []);
  assert.deepEqual(doc, documentOf());
});

test('colors follow the theme and belong to the series', () => {
  const [line, ring, , dot, hollow] = build(documentOf(), stateWith(), { ...themeOf(), dark: true, paper: '#000' }, SIZE, []).data;
  assert.equal(line?.line?.color, '#ffaaaa');
  assert.deepEqual([ring?.marker?.color, ring?.marker?.line.color, ring?.marker?.line.dash], ['rgba(0,0,0,0)', '#ffaaaa', '3.20px,2.14px']);
  assert.deepEqual([dot?.marker?.color, dot?.marker?.line.color], ['#ffaaaa', '#000']);
  assert.deepEqual([hollow?.marker?.color, hollow?.marker?.line.color], ['#000', '#aaffaa']);
});

test('on a phone the ring shrinks with its dashes, so that it still closes', () => {
  const ring = build(documentOf(), stateWith(), themeOf(), { ...SIZE, small: true }, []).data[1]?.marker;
  const [dash = 0, gap = 0] = ring?.line.dash.split(',').map(parseFloat);
  assert.ok(Math.abs((Math.PI * ring?.size) / (dash + gap) - 10) < 0.05);
});

test('an export has title, axis titles, and a legend that explains the halo', () => {
  const { data, layout } = standalone(documentOf(), stateWith({ hide: ['b'] }), themeOf(), SIZE, []);
  assert.deepEqual([layout.title.text, layout.xaxis.title.text, layout.yaxis.title.text], ['A title', 'X (u)', 'Y (v)']);
  assert.ok(layout.showlegend);
  assert.deepEqual(data.filter(({ showlegend }) => showlegend).map(({ name }) => name), ['a', 'dashed halo: used KV-cache offload']);
  assert.equal(layout.width - layout.margin.l - layout.margin.r, SIZE.width - MARGIN.l - MARGIN.r);
  assert.equal(layout.height - layout.margin.t - layout.margin.b, SIZE.height - MARGIN.t - MARGIN.b);
});

test('traces are drawn by their depth', () => {
  const doc = documentOf();
  doc.figure.data.reverse().forEach((/** @type {any} */ trace) => { if (trace.meta.role === 'line') trace.meta.depth = -2; if (trace.meta.role === 'ring') trace.meta.depth = -1; });
  const { data } = build(doc, stateWith(), themeOf(), SIZE, []);
  assert.deepEqual(data.map(({ meta }) => meta.role), ['line', 'ring', 'dot', 'dot', 'dot']);
});

test('names are escaped, since Plotly reads markup in texts', () => {
  const [name] = build(documentOf(), stateWith(), themeOf(), SIZE, [{ text: 'a<b>&c', color: '#000', x: 444, y: 8 }]).layout.annotations;
  assert.equal(name.text, 'a&lt;b>&amp;c');
  assert.deepEqual([name.x, name.y], [0.5, 1]);
});

test('ranges start at zero, hold what is seen, and take a zoom as it is', () => {
  assert.deepEqual(ranges(documentOf(), stateWith()), { x: [0, 40 * 1.06], y: [0, 300 * 1.06] });
  assert.deepEqual(ranges(documentOf(), stateWith({ hide: ['b'] })).x, [0, 20 * 1.06]);
  assert.deepEqual(ranges(documentOf(), stateWith({ xr: [3, 7] })).x, [3, 7]);
  assert.deepEqual(ranges(documentOf(), stateWith({ xr: [10, 100], logX: true })).x, [1, 2]);
  assert.deepEqual(rangeOf([], false, null), [0, 1.06]);
  assert.deepEqual(rangeOf([-2], false, null), [-2.12, 1]);
  assert.deepEqual(rangeOf([0, -1], true, null), [0, 1]);
  assert.deepEqual(rangeOf([10], true, null), [0.97, 1.03]);
  assert.deepEqual(rangeOf([10, 100], true, [-5, 10]), [0.96, 2.04]);
});

test('places are pixels of the stage, and a log axis has none for zero', () => {
  const spot = placer({ x: [0, 10], y: [0, 100] }, stateWith(), SIZE);
  assert.deepEqual(spot(0, 0), [MARGIN.l, SIZE.height - MARGIN.b]);
  assert.deepEqual(spot(10, 100), [SIZE.width - MARGIN.r, MARGIN.t]);
  assert.equal(placer({ x: [0, 1], y: [0, 1] }, stateWith({ logY: true }), SIZE)(1, 0), null);
  assert.ok(isInside(spot(5, 50), SIZE));
  assert.ok(!isInside(spot(11, 50), SIZE));
  assert.ok(!isInside(null, SIZE));
});
