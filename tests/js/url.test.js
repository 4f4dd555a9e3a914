import assert from 'node:assert/strict';
import test from 'node:test';
import { askedOf, merged, queryOf, shortened, stateOf, withControl } from '../../static/js/url.js';
import { stateWith } from './document.js';

test('the plain page has an empty query', () => {
  assert.equal(queryOf('', stateOf('')), '');
  assert.deepEqual(stateOf(''), stateWith());
});

test('a state survives its link', () => {
  const states = [
    { all: false }, { logX: true }, { logX: true, logY: true }, { xr: [1.5, 20] }, { yr: [-3, 1e9] },
    { hide: ['a.b~synthetic', 'é & ü'] }, { point: ['p2', 'p1'] }, { at: [-1.5, 40, 1e9] },
    { all: false, logY: true, xr: [0, 1], yr: [0.001, 0.002], hide: ['x'], point: ['p9'] },
  ];
  for (const part of states) {
    const state = stateWith(part);
    assert.deepEqual(stateOf(queryOf('model=m&sort=-y', state)), state);
  }
});

test('what the server owns keeps its order, and ours stands where the server writes it', () => {
  const state = stateWith({ all: false, hide: ['s'] });
  assert.equal(queryOf('chip=a&chip=b&x=k&sort=-y&snapshot=1&hide=old', state), 'chip=a&chip=b&x=k&all=0&hide=s&sort=-y&snapshot=1');
  assert.equal(askedOf('chip=a&all=0&log=x&xr=1,2&point=p&sort=y'), 'chip=a&sort=y');
});

test('readings stand from low to high, once, between our parameters and those of the comparison', () => {
  assert.deepEqual(stateOf('at=60&at=20&at=60&at=&at=fast').at, [20, 60]);
  assert.equal(queryOf('base=s&slo=t:2&price=p', stateWith({ point: ['p'], at: [20] })), 'point=p&at=20&base=s&slo=t%3A2&price=p');
});

test('a range that is none is no range', () => {
  for (const text of ['', '1', '2,1', '1,1', 'a,b', '1,2,3', 'NaN,2', '1,Infinity', ',2']) {
    assert.equal(stateOf(`xr=${text}`).xr, null, text);
  }
});

test('a control replaces its own values and drops what no longer holds', () => {
  assert.equal(withControl('chip=a&chip=b&log=x', 'chip', ['c']), 'chip=c&log=x');
  assert.equal(withControl('chip=a', 'chip', []), '');
  assert.equal(withControl('model=m&workload=w&xr=1,2&hide=s&point=p&log=y', 'model', ['n']), 'model=n&workload=w&log=y');
  assert.equal(withControl('model=m&workload=w', 'model', ['n'], ['workload']), 'model=n');
  assert.equal(withControl('x=k&xr=1,2&yr=3,4', 'x', ['l']), 'x=l&yr=3%2C4');
  assert.equal(withControl('color=run&hide=s', 'color', ['']), '');
});

test('a link keeps what it means to change and takes the rest from now', () => {
  const now = stateWith({ logX: true, hide: ['s'] });
  assert.equal(merged('?sort=chip', '?', now), 'log=x&hide=s&sort=chip');
  assert.equal(merged('?x=k', '?xr=1,2', stateWith({ xr: [1, 2] })), 'x=k');
  assert.equal(merged('?color=run', '?hide=s', now), 'color=run&log=x');
  assert.equal(merged('?log=y', '?', stateWith({ all: false })), 'all=0&log=y');
});

test('a link to another axis leaves a zoom behind that was made after the page', () => {
  const now = stateWith({ xr: [1, 2], yr: [3, 4], hide: ['s'], point: ['p'] });
  assert.equal(merged('?x=k', '?', now), 'x=k&yr=3%2C4&hide=s&point=p');
  assert.equal(merged('?log=y', '?', now), 'log=y&xr=1%2C2&hide=s&point=p');
  assert.equal(merged('?color=run', '?', now), 'color=run&xr=1%2C2&yr=3%2C4&point=p');
  assert.equal(merged('?model=m', '?model=l', now), 'model=m');
});

test('a link that names what the page chose shows the same', () => {
  const now = stateWith({ xr: [1, 2], hide: ['s'] });
  assert.equal(merged('?model=m&snapshot=1', '?', now, 'model=m'), 'model=m&xr=1%2C2&hide=s&snapshot=1');
  assert.equal(merged('?model=m&snapshot=1', '?', now, 'model=n'), 'model=m&snapshot=1');
});

test('a zoom is as long as its span needs', () => {
  assert.deepEqual(shortened([12.3456789, 98.7654321]), [12.35, 98.77]);
  assert.deepEqual(shortened([1234.5678, 45678.9]), [1235, 45679]);
  assert.deepEqual(shortened([0.00012346, 0.00098766]), [0.0001235, 0.0009877]);
});
