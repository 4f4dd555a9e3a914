// Saving the chart as a file, in the colors and the zoom that the reader sees.

/** Labels may cross faint marks, so they carry an outline of paper; the page has it from its style sheet. @param {string} text @param {string} paper */
export function outlined(text, paper) {
  const file = new DOMParser().parseFromString(text, 'image/svg+xml');
  for (const label of file.querySelectorAll('.annotation-text')) {
    label.setAttribute('paint-order', 'stroke');
    label.setAttribute('stroke', paper);
    label.setAttribute('stroke-width', '3');
    label.setAttribute('stroke-linejoin', 'round');
  }
  return new XMLSerializer().serializeToString(file);
}

/** @param {string} text @param {{width: number, height: number}} size @param {number} [scale] @returns {Promise<Blob>} */
export async function png(text, size, scale = 2) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = size.width * scale;
  canvas.height = size.height * scale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large for this browser'))), 'image/png');
  });
}

/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** `halo-kimi-k2-5-agentic.png` @param {string} title @param {string} kind */
export const fileName = (title, kind) =>
  `${['halo', ...title.toLowerCase().split(/[^a-z0-9]+/)].filter(Boolean).join('-').slice(0, 80)}.${kind}`;
