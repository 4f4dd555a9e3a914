// Pure: numbers as the pages print them.

const MINUS = '\u2212';

/** `10,296.4`, a real minus sign, more digits where it would read as zero. @param {number} value @param {number} digits */
export function number(value, digits) {
  const places = value !== 0 && Math.abs(value) < 10 ** -digits ? 1 - Math.floor(Math.log10(Math.abs(value))) : digits;
  const text = value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
  return text.replace('-', MINUS);
}

/** A fraction in percent; a part too small to show is not called zero. @param {number} value */
export const points = (value) => (value > 0 && value < 0.0005 ? '<0.1' : number(value * 100, 1));
