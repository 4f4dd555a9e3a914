// Runs before anything is painted, so that the reader's theme and folded filters do not flash.
(() => {
  const root = document.documentElement;
  root.classList.remove('no-js');
  try {
    const theme = localStorage.getItem('halo.theme');
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
    if (localStorage.getItem('halo.fold') === 'shut') root.dataset.fold = 'shut';
  } catch { /* storage may be switched off */ }
})();
