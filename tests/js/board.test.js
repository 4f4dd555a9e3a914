import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dressed, swapped } from '../../static/js/board.js';

/** @returns {any} */
const documentOf = () => ({
  figure: {
    data: [{ type: 'scatter', x: [1, null], y: [2, null], marker: { color: '#111111', line: { color: '#fbfbfa' } } }],
    layout: {
      title: { text: 'A title' },
      paper_bgcolor: '#fbfbfa',
      shapes: [{ fillcolor: '#ebecea' }],
      xaxis: { title: { text: 'X' }, range: [0, 20], tickvals: [0, 5, 10, 15], ticktext: ['0', '5', '10', '15'] },
      yaxis: { title: { text: 'Y' }, range: [0, 4], tickvals: [0, 2], ticktext: ['0', '2'] },
    },
  },
  meta: { dark: { '#111111': '#eeeeee', '#fbfbfa': '#111417', '#ebecea': '#1f2428' } },
});

test('every color has its dark twin, and light is left as it came', () => {
  const dark = dressed(documentOf(), true, { width: 400, height: 300, small: false });
  assert.equal(dark.data[0].marker.color, '#eeeeee');
  assert.equal(dark.data[0].marker.line.color, '#111417');
  assert.equal(dark.layout.paper_bgcolor, '#111417');
  assert.equal(dark.layout.shapes[0].fillcolor, '#1f2428');
  const light = dressed(documentOf(), false, { width: 400, height: 300, small: false });
  assert.deepEqual(light.data, documentOf().figure.data);
});

test('the document is not changed, and gaps stay gaps', () => {
  const doc = documentOf();
  const dark = dressed(doc, true, { width: 400, height: 300, small: false });
  assert.deepEqual(doc, documentOf());
  assert.deepEqual(dark.data[0].x, [1, null]);
});

test('titles are the page\'s, and marks make room for each other', () => {
  const narrow = dressed(documentOf(), false, { width: 52 + 60, height: 300, small: true });
  assert.equal(narrow.layout.title, undefined);
  assert.equal(narrow.layout.xaxis.title, undefined);
  assert.deepEqual(narrow.layout.xaxis.ticktext, ['0', '10']);
  const wide = dressed(documentOf(), false, { width: 800, height: 300, small: false });
  assert.deepEqual(wide.layout.xaxis.ticktext, ['0', '5', '10', '15']);
  assert.deepEqual([wide.layout.width, wide.layout.height], [800, 300]);
});

test('values that are no colors are left alone', () => {
  assert.deepEqual(swapped({ a: [1, true, null, 'x'] }, { y: 'z' }), { a: [1, true, null, 'x'] });
});
