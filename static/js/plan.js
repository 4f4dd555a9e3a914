// A changed input is worked out at once: the server's page for it, its parts put where the old ones are.

import { $$, need } from './dom.js';

const form = /** @type {HTMLFormElement} */ (need('inputs'));
let running = /** @type {AbortController | null} */ (null);

/** What the form asks for; fields left as they come are left out. */
function asked() {
  const pairs = [...new FormData(form)].filter(([, value]) => value !== '').map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(pairs).toString();
  return query ? `/plan?${query}` : '/plan';
}

/** @param {string} address @param {boolean} step whether this is a step to come back from */
async function go(address, step) {
  running?.abort();
  const mine = (running = new AbortController());
  try {
    const answer = await fetch(address, { signal: mine.signal, headers: { Accept: 'text/html' } });
    if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (mine.signal.aborted) return;
    if (step) history.pushState(null, '', new URL(answer.url).pathname + new URL(answer.url).search);
    show(page);
  } catch {
    if (!mine.signal.aborted) location.assign(address);
  }
}

/** @param {Document} page */
function show(page) {
  const focus = document.activeElement?.id;
  for (const old of $$('[data-swap]')) {
    const fresh = page.getElementById(old.id);
    if (!fresh) continue;
    for (const group of /** @type {HTMLDetailsElement[]} */ ($$('details', fresh))) {
      const before = /** @type {HTMLDetailsElement | null} */ (document.getElementById(group.id));
      if (before) group.open = before.open;
    }
    old.replaceWith(document.adoptNode(fresh));
  }
  document.title = page.title;
  if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
}

form.addEventListener('change', () => void go(asked(), true));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void go(asked(), true);
});
addEventListener('popstate', () => void go(location.pathname + location.search, false));
