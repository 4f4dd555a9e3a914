// Pure: numbers as the pages print them.

const MINUS = '\u2212';

/** `10,296.4`, a real minus sign, more digits where it would read as zero. @param {number} value @param {number} digits */
export function number(value, digits) {
  const places = value !== 0 && Math.abs(value) < 10 ** -digits ? 1 - Math.floor(Math.log10(Math.abs(value))) : digits;
  const [whole = '', part] = fixed(value, places).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return (part === undefined ? grouped : `${grouped}.${part}`).replace('-', MINUS);
}

/** As Python rounds, so that card and table agree: a tie goes to the even digit. @param {number} value @param {number} places */
function fixed(value, places) {
  const scaled = value * 10 ** places;
  const isTie = Number.isInteger(value * 2 ** (places + 1)) && Math.abs(scaled % 1) === 0.5;
  return (isTie ? (2 * Math.round(scaled / 2)) / 10 ** places : value).toFixed(places);
}

/** A fraction in percent; a part too small to show is not called zero. @param {number} value */
export const points = (value) => (value > 0 && value < 0.0005 ? '<0.1' : number(value * 100, 1));
