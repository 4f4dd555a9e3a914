// The colors of the style sheet, as Plotly needs them.

/** @typedef {import('./types.js').Theme} Theme */

/** @returns {Theme} */
export function theme() {
  const probe = document.createElement('i');
  document.body.append(probe);
  const color = (/** @type {string} */ name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const style = getComputedStyle(document.documentElement);
  const forced = document.documentElement.dataset.theme;
  const found = {
    dark: forced ? forced === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches,
    paper: color('paper'),
    raise: color('raise'),
    ink: color('ink'),
    ink2: color('ink-2'),
    grid: color('grid'),
    rule2: color('rule-2'),
    accent: color('accent'),
    region: color('accent-soft'),
    faint: Number(style.getPropertyValue('--faint')),
    font: style.getPropertyValue('--font').trim(),
  };
  probe.remove();
  return found;
}
