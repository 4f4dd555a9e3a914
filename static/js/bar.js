// The top bar of every page: theme and copying the link.

import { $, $$ } from './dom.js';

const root = document.documentElement;

/** @returns {string} */
function stored() {
  try {
    return localStorage.getItem('halo.theme') ?? 'system';
  } catch {
    return root.dataset.theme ?? 'system';
  }
}

/** @param {string} theme */
function show(theme) {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const button of $$('[data-set-theme]')) button.setAttribute('aria-pressed', String(button.dataset.setTheme === theme));
  document.dispatchEvent(new CustomEvent('theme'));
}

for (const button of $$('[data-set-theme]')) {
  button.addEventListener('click', () => {
    const theme = button.dataset.setTheme ?? 'system';
    try {
      localStorage.setItem('halo.theme', theme);
    } catch { /* storage may be switched off: the choice lasts for this page */ }
    show(theme);
  });
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.dispatchEvent(new CustomEvent('theme')));
show(stored());

for (const [name, address] of /** @type {[string, () => string][]} */ ([['[data-copy]', settled], ['[data-copy-frozen]', frozen]])) {
  const button = $(name);
  const label = button?.textContent ?? '';
  button?.addEventListener('click', async () => {
    button.textContent = (await copied(address())) ? button.dataset.copied ?? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => { button.textContent = label; }, 1600);
  });
}

document.addEventListener('click', async ({ target }) => {
  const button = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[data-copy-embed]')) : null;
  if (!button) return;
  const label = button.textContent ?? '';
  button.textContent = (await copied(frame())) ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => { button.textContent = label; }, 1600);
});

/** The code of a frame with this view in it. */
function frame() {
  const box = document.createElement('iframe');
  const here = new URL(settled());
  const set = { src: `${here.origin}/embed${here.search}`, width: '960', height: '600', style: 'border:0', loading: 'lazy', title: document.title };
  for (const [name, value] of Object.entries(set)) box.setAttribute(name, value);
  return box.outerHTML;
}

/** The same, held to the snapshot that made this page. */
function frozen() {
  const here = new URL(settled());
  here.searchParams.set('snapshot', $('[data-snapshot]')?.dataset.snapshot ?? '');
  return here.href;
}

/** This address, with what the page chose for the reader spelled out: tomorrow's choice may be another. */
function settled() {
  const here = new URL(location.href);
  const chosen = [...new URLSearchParams($('[data-settled]')?.dataset.settled ?? '')];
  const missing = chosen.filter(([name]) => !here.searchParams.has(name));
  if (missing.length) here.search = new URLSearchParams([...missing, ...here.searchParams]).toString();
  return here.href;
}

/** Clipboards need a secure page; elsewhere the address is selected for the reader to copy. @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
