// Pure: where an axis is marked. The same rule as app/figures/ticks.py, so that nothing jumps when Plotly takes over.

/** @typedef {{value: number, text: string}} Tick */

/**
 * About `count` marks between two ends; on a log axis the ends are exponents of ten and the values are not.
 * @param {number} low @param {number} high @param {{log: boolean, count: number, share: boolean}} how @returns {Tick[]}
 */
export function ticks(low, high, { log, count, share }) {
  const values = log ? logarithmic(low, high, count) : linear(low, high, count);
  return values.map((value) => ({ value, text: tickText(value, share) }));
}

/** @param {number} value @param {boolean} share */
export function tickText(value, share) {
  if (share) return `${plain(value * 100)}%`;
  for (const [size, prefix] of /** @type {[number, string][]} */ ([[1e9, 'G'], [1e6, 'M'], [1e3, 'k']])) {
    if (Math.abs(value) >= size) return plain(value / size) + prefix;
  }
  return plain(value);
}

/** @param {number} value */
const plain = (value) => String(Number(value.toPrecision(4))).replace('-', '\u2212');

/** @param {number} low @param {number} high @param {number} count */
function linear(low, high, count) {
  const step = nice((high - low) / count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

/** @param {number} low @param {number} high @param {number} count */
function logarithmic(low, high, count) {
  if (high - low < 0.7) return linear(10 ** low, 10 ** high, count).filter((value) => value > 0);
  const factors = high - low <= 4 ? [1, 2, 5] : [1];
  const values = [];
  for (let exponent = Math.floor(low); exponent <= Math.ceil(high); exponent += 1) {
    for (const factor of factors) values.push(factor * 10 ** exponent);
  }
  return values.filter((value) => value >= 10 ** low * (1 - 1e-9) && value <= 10 ** high * (1 + 1e-9));
}

/** @param {number} rough */
function nice(rough) {
  const base = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 5, 10].find((step) => step * base >= rough * (1 - 1e-9)) ?? 10) * base;
}
