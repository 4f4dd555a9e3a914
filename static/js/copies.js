// Wiring: a button that copies what an element says. A shape that a link leads to opens itself.

// The page is the same wherever it is served; the address to ask is this one.
const base = document.getElementById('base');
if (base) base.textContent = `HALO="${location.origin}"`;
for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;

for (const button of document.querySelectorAll('[data-copies]')) {
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.getAttribute('data-copies') ?? '');
    if (!source) return;
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(source.textContent ?? '');
    } catch {
      getSelection()?.selectAllChildren(source);
      said = 'Press Ctrl+C';
    }
    button.textContent = said;
    setTimeout(() => { button.textContent = 'Copy'; }, 1600);
  });
}

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener('hashchange', open);
open();
