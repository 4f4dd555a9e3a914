import assert from 'node:assert/strict';
import test from 'node:test';
import { linesOf, read, settled, valueText } from '../../static/js/reading.js';
import { documentOf, stateWith } from './document.js';

const line = (/** @type {any} */ part = {}) => /** @type {any} */ ({ x: [10, 20, 40], y: [300, 200, 100], meta: { role: 'line' }, ...part });

test('a reading is measured, on the straight line between two points, or nothing', () => {
  assert.deepEqual(read(line(), 20), { y: 200, measured: true });
  assert.deepEqual(read(line(), 20.00001), { y: 200, measured: true });
  assert.deepEqual(read(line(), 30), { y: 150, measured: false });
  assert.equal(read(line(), 9), null);
  assert.equal(read(line(), 40.1), null);
});

test('what follows a throughput is read through it', () => {
  // A price of 6 per chip: at half way the throughput is 2.5, so the cost is 6 / 2.5 and not the mean of 2 and 3.
  const cost = line({ x: [0, 1], y: [2, 3], meta: { role: 'line', leads: [3, 2], inverse: true } });
  assert.ok(Math.abs((read(cost, 0.5)?.y ?? 0) - 2.4) < 1e-12);
  const perUsd = line({ x: [0, 1], y: [0.5, 1 / 3], meta: { role: 'line', leads: [3, 2], inverse: false } });
  assert.ok(Math.abs((read(perUsd, 0.5)?.y ?? 0) - 2.5 / 6) < 1e-12);
  const unknown = line({ x: [0, 1], y: [2, 3], meta: { role: 'line', leads: [3, null], inverse: true } });
  assert.equal(read(unknown, 0.5)?.y, 2.5);
});

test('a series of one point is read at that point alone, and hidden ones not at all', () => {
  const found = linesOf(documentOf(), stateWith());
  assert.deepEqual(found.map(({ series }) => series.key), ['a', 'b']);
  assert.deepEqual(read(/** @type {any} */ (found[1]).line, 40), { y: 0, measured: true });
  assert.equal(read(/** @type {any} */ (found[1]).line, 39), null);
  assert.deepEqual(linesOf(documentOf(), stateWith({ hide: ['a'] })).map(({ series }) => series.key), ['b']);
});

test('a line sticks to a near point and is short elsewhere', () => {
  const lines = [{ line: line({ x: [41.23457], y: [1] }) }];
  assert.equal(settled(41.3, 0.2, 100, lines), 41.23457);
  assert.equal(settled(43.123456, 0.2, 100, lines), 43.1);
});

test('values have four digits that matter', () => {
  assert.equal(valueText(12345.678, false), '12,350');
  assert.equal(valueText(0.12345, true), '12.35 %');
});
