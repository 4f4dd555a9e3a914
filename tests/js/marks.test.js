import assert from 'node:assert/strict';
import test from 'node:test';
import { number, points } from '../../static/js/format.js';
import { next } from '../../static/js/keys.js';
import { along, overlaps, place } from '../../static/js/labels.js';
import { letter, MOST, pinned, unpinned } from '../../static/js/pins.js';
import { counted, isSeen, pointsOf, walksOf } from '../../static/js/points.js';
import { ticks, tickText } from '../../static/js/ticks.js';
import { documentOf, SIZE, stateWith } from './document.js';

test('keys walk a series and change it at about the same place', () => {
  const walks = [{ key: 'a', ids: ['a1', 'a2', 'a3'] }, { key: 'none', ids: [] }, { key: 'b', ids: ['b1', 'b2'] }];
  const press = (/** @type {string | null} */ at, /** @type {string} */ key) => next(walks, at, key);
  assert.equal(press(null, 'ArrowRight'), 'a1');
  assert.equal(press('gone', 'ArrowLeft'), 'a1');
  assert.equal(press('a1', 'ArrowRight'), 'a2');
  assert.equal(press('a3', 'ArrowRight'), 'a3');
  assert.equal(press('a1', 'ArrowLeft'), 'a1');
  assert.equal(press('a3', 'ArrowDown'), 'b2');
  assert.equal(press('b1', 'ArrowUp'), 'a1');
  assert.equal(press('b1', 'ArrowDown'), 'b1');
  assert.equal(press('a2', 'Home'), 'a1');
  assert.equal(press('a2', 'End'), 'a3');
  assert.equal(press('a2', 'Enter'), null);
  assert.equal(next([], null, 'ArrowRight'), null);
});

test('walks hold the frontier of what is shown, left to right', () => {
  const doc = documentOf();
  const drawn = pointsOf(doc);
  assert.deepEqual(walksOf(doc, drawn, stateWith()), [{ key: 'a', ids: ['p1', 'p2'] }, { key: 'b', ids: ['p4'] }]);
  assert.deepEqual(walksOf(doc, drawn, stateWith({ hide: ['a'] })), [{ key: 'b', ids: ['p4'] }]);
  assert.deepEqual(walksOf({ ...doc, meta: { ...doc.meta, has_frontier: false } }, drawn, stateWith())[0]?.ids, ['p3', 'p1', 'p2']);
});

test('counts follow what is hidden and what a log axis loses', () => {
  const drawn = pointsOf(documentOf());
  assert.deepEqual(counted(drawn, stateWith()), { drawn: 4, halos: 1, lost: 0 });
  assert.deepEqual(counted(drawn, stateWith({ all: false })), { drawn: 3, halos: 1, lost: 0 });
  assert.deepEqual(counted(drawn, stateWith({ logY: true })), { drawn: 3, halos: 1, lost: 1 });
  assert.deepEqual(counted(drawn, stateWith({ hide: ['a'] })), { drawn: 1, halos: 0, lost: 0 });
  const p4 = drawn.get('p4');
  assert.ok(p4 && isSeen(p4, stateWith()) && !isSeen(p4, stateWith({ logY: true })));
});

test('pins keep their order, never double, and the oldest makes room', () => {
  assert.deepEqual(pinned(['a'], 'b'), ['a', 'b']);
  assert.deepEqual(pinned(['a', 'b'], 'a'), ['a', 'b']);
  const many = Array.from({ length: MOST + 1 }, (_, i) => `p${i}`).reduce(pinned, /** @type {string[]} */ ([]));
  assert.equal(many.length, MOST);
  assert.ok(!many.includes('p0'));
  assert.deepEqual(unpinned(['a', 'b'], 'a'), ['b']);
  assert.deepEqual([letter(['a'], 'a'), letter(['a', 'b'], 'b')], ['', 'B']);
});

test('names stand inside the stage and apart from each other', () => {
  const line = (/** @type {number} */ y) => /** @type {[number, number][]} */ ([[100, y], [300, y + 60], [500, y + 200]]);
  const named = Array.from({ length: 6 }, (_, i) => ({ text: `Series number ${i}`, color: '#000', line: line(60 + 12 * i) }));
  const labels = place(named, [], [[500, 0, 852, 260]], SIZE, (text) => text.length * 7);
  assert.equal(labels.length, 6);
  const boxes = labels.map(({ x, y, text }) => /** @type {[number, number, number, number]} */ ([x, y - 8, x + text.length * 7, y + 8]));
  boxes.forEach((box, i) => {
    assert.ok(box[0] >= 0 && box[2] <= SIZE.width && box[1] >= 0 && box[3] <= SIZE.height);
    assert.ok(boxes.every((other, k) => k === i || !overlaps(box, other)));
  });
});

test('a line is followed closely enough to see what it runs through', () => {
  const steps = along([[0, 0], [60, 0], [60, 30]]);
  steps.slice(1).forEach(([x, y], i) => {
    const [a, b] = steps[i] ?? [0, 0];
    assert.ok(Math.hypot(x - a, y - b) <= 6.001);
  });
});

test('axis marks are round numbers inside the range', () => {
  assert.deepEqual(ticks(0, 158, { log: false, count: 8, share: false }).map(({ text }) => text), ['0', '20', '40', '60', '80', '100', '120', '140']);
  assert.deepEqual(ticks(1.5, 4.2, { log: true, count: 8, share: false }).map(({ text }) => text), ['50', '100', '200', '500', '1k', '2k', '5k', '10k']);
  assert.deepEqual(ticks(2, 2.3, { log: true, count: 5, share: false }).map(({ value }) => value), [100, 120, 140, 160, 180]);
  assert.deepEqual(ticks(0, 1.06, { log: false, count: 7, share: true }).map(({ text }) => text), ['0%', '20%', '40%', '60%', '80%', '100%']);
  assert.deepEqual([tickText(-1500, false), tickText(2.5e6, false), tickText(0.1 + 0.2, false)], ['\u22121.5k', '2.5M', '0.3']);
});

test('numbers read as the server prints them', () => {
  assert.equal(number(10296.44, 1), '10,296.4');
  assert.equal(number(-3.5, 1), '\u22123.5');
  assert.equal(number(0, 1), '0.0');
  assert.deepEqual([number(16551.25, 1), number(16551.35, 1), number(0.15, 1), number(2.5, 0), number(1234567, 0)], ['16,551.2', '16,551.3', '0.1', '2', '1,234,567']);
  assert.equal(number(0.00123, 1), '0.0012');
  assert.deepEqual([points(0.673), points(0), points(0.0001)], ['67.3', '0.0', '<0.1']);
});
