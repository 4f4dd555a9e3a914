// Pure: which point the arrow keys reach.

/** @typedef {{key: string, ids: string[]}} Walk A series and its points in the order that the keys walk them. */

/**
 * Left and right along a series, up and down to the next one, at about the same place. Null leaves the key alone.
 * @param {Walk[]} walks @param {string | null} current @param {string} key @returns {string | null}
 */
export function next(walks, current, key) {
  const lines = walks.filter(({ ids }) => ids.length);
  const first = lines[0]?.ids[0];
  if (!first || !['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].includes(key)) return null;
  const line = lines.findIndex(({ ids }) => current !== null && ids.includes(current));
  const ids = lines[line]?.ids;
  if (!ids || current === null) return first;
  const at = ids.indexOf(current);
  if (key === 'ArrowLeft') return ids[Math.max(0, at - 1)] ?? null;
  if (key === 'ArrowRight') return ids[Math.min(ids.length - 1, at + 1)] ?? null;
  if (key === 'Home') return ids[0] ?? null;
  if (key === 'End') return ids.at(-1) ?? null;
  const other = lines[Math.max(0, Math.min(lines.length - 1, line + (key === 'ArrowUp' ? -1 : 1)))];
  if (!other || other === lines[line]) return current;
  return other.ids[Math.round((at / Math.max(1, ids.length - 1)) * (other.ids.length - 1))] ?? null;
}
