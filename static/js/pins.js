// Pure: which points are pinned.

/** More than these side by side say less than the table. */
export const MOST = 4;

/** A new pin comes last; the oldest goes when there are too many. @param {string[]} pins @param {string} id */
export const pinned = (pins, id) => (pins.includes(id) ? pins : [...pins, id].slice(-MOST));

/** @param {string[]} pins @param {string} id */
export const unpinned = (pins, id) => pins.filter((other) => other !== id);

/** A letter from the second pin on, so that card, mark and row can be matched. @param {string[]} pins @param {string} id */
export const letter = (pins, id) => (pins.length > 1 ? String.fromCharCode(65 + pins.indexOf(id)) : '');
