// Pure: numbers as the pages print them.

const MINUS = '\u2212';

/** `10,296.4`, a real minus sign, more digits where it would read as zero. @param {number} value @param {number} digits */
export function number(value, digits) {
  const places = value !== 0 && Math.abs(value) < 10 ** -digits ? 1 - Math.floor(Math.log10(Math.abs(value))) : digits;
  const text = value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
  return text.replace('-', MINUS);
}

/** @param {number} value fraction */
export const percent = (value) => `${number(value * 100, 1)} %`;
