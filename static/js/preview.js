// Wiring: result files that are dropped on the page, or chosen, are looked at over the stored curves. Nothing is stored.

import { $, el, need } from './dom.js';

/** @typedef {{where: string, reason: string}} Refusal */
/** @typedef {{path: string, role: string, points: number, new: number, duplicates: number, superseded: number, refused: Refusal[], warnings: string[]}} FileVerdict */
/** @typedef {{name: string, label: string, number: boolean, options: {value: string, label: string}[]}} Ask */
/** @typedef {{preview: string | null, address: string | null, asks: Ask[], files: FileVerdict[], totals: {points: number, duplicates: number, refused: number}}} Verdict */
/** @typedef {{name: string, file: File}} Named */

const root = document.documentElement;
const drop = need('drop');
const chooser = /** @type {HTMLInputElement} */ (need('preview-files'));
const dialog = /** @type {HTMLDialogElement} */ (need('verdict'));
const asking = /** @type {HTMLFormElement} */ (need('verdict-ask'));
let depth = 0;
let busy = false;
/** What was dropped last, to be sent again with what no file says. */
let kept = /** @type {Named[]} */ ([]);

/** @param {DragEvent} event */
const hasFiles = (event) => event.dataTransfer?.types.includes('Files') ?? false;

addEventListener('dragenter', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  depth += 1;
  drop.hidden = false;
});
addEventListener('dragover', (event) => { if (hasFiles(event)) event.preventDefault(); });
addEventListener('dragleave', (event) => {
  if (!hasFiles(event)) return;
  depth = Math.max(0, depth - 1);
  drop.hidden = !depth;
});
addEventListener('drop', async (event) => {
  if (!event.dataTransfer || !hasFiles(event)) return;
  event.preventDefault();
  depth = 0;
  drop.hidden = true;
  await look(await dropped(event.dataTransfer));
});
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-preview]')) chooser.click();
});
chooser.addEventListener('change', async () => {
  const files = [...chooser.files ?? []].map((file) => ({ name: file.name, file }));
  chooser.value = '';
  await look(files);
});

/** Every file that was dropped, those in folders with their path. @param {DataTransfer} data @returns {Promise<Named[]>} */
async function dropped(data) {
  // What is not taken at once is gone after the first wait.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const plain = [...data.files].map((file) => ({ name: file.name, file }));
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  return (await Promise.all(entries.map((entry) => (entry ? within(entry) : [])))).flat();
}

/** @param {FileSystemEntry} entry @returns {Promise<Named[]>} */
async function within(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject); });
    return [{ name: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = /** @type {Named[]} */ ([]);
  for (;;) {
    const some = /** @type {FileSystemEntry[]} */ (await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); }));
    if (!some.length) return found;
    for (const inner of some) found.push(...await within(inner));
  }
}

asking.addEventListener('submit', async (event) => {
  event.preventDefault();
  const sets = [...new FormData(asking)].filter(([, value]) => String(value).trim()).map(([name, value]) => `${name}=${String(value).trim()}`);
  if (sets.length) await look(kept, sets);
  else fields()[0]?.focus();
});

/** @param {Named[]} files @param {string[] | null} [sets] what the reader said of them; null before anything was asked */
async function look(files, sets = null) {
  if (!files.length || busy) return;
  busy = true;
  kept = files;
  if (!sets) ask([]);
  root.classList.add('busy');
  say(`Reading ${files.length} file${files.length > 1 ? 's' : ''}…`, [], null);
  const form = new FormData();
  form.append('view', location.search);
  for (const set of sets ?? []) form.append('set', set);
  for (const { name, file } of files) form.append('file', file, name);
  try {
    const answer = await fetch('/api/v1/preview', { method: 'POST', body: form });
    const found = await answer.json();
    if (answer.ok) told(found, !sets);
    else say(found.detail ?? `The server answered ${answer.status}.`, [], null);
  } catch {
    say('The files could not be sent. A file that changed since it was chosen has to be chosen again.', [], null);
  } finally {
    busy = false;
    root.classList.remove('busy');
  }
}

/** @param {Verdict} verdict @param {boolean} mayAsk */
function told(verdict, mayAsk) {
  const troubled = verdict.files.filter(({ role, refused }) => role === 'refused' || refused.length);
  const asks = mayAsk && verdict.preview ? verdict.asks : [];
  if (verdict.preview && verdict.address && !troubled.length && !asks.length) {
    location.assign(verdict.address);
    return;
  }
  const { points, duplicates } = verdict.totals;
  const all = points && points === duplicates ? 'The store holds all of these results already.' : 'There is no result in these files.';
  const some = troubled.length ? 'Some of it could not be read:' : 'The files were read.';
  say(verdict.preview ? some : all, troubled, verdict.address, !verdict.preview ? 'Show them' : asks.length ? 'Show them without' : 'Show the preview');
  ask(asks);
}

const fields = () => [...asking.elements].filter((field) => field instanceof HTMLInputElement);

/** Fields for what no file says; none hides the form. @param {Ask[]} asks */
function ask(asks) {
  asking.hidden = !asks.length;
  need('verdict-fields').replaceChildren(
    ...asks.map(({ name, label, number }) => el('label', {}, el('span', {}, label),
      el('input', { name, autocomplete: 'off', ...(number ? { type: 'number', min: 1, step: 1, inputmode: 'numeric' } : { type: 'text', list: `known-${name}` }) }))),
    ...asks.map(({ name, options }) => el('datalist', { id: `known-${name}` }, ...options.map((option) => el('option', { value: option.value }, option.label)))));
  fields()[0]?.focus();
}

/** @param {string} sentence @param {FileVerdict[]} files @param {string | null} address @param {string} [words] of its link */
function say(sentence, files, address, words = 'Show the preview') {
  need('verdict-said').textContent = sentence;
  need('verdict-files').replaceChildren(...files.slice(0, 20).map(({ path, refused }) => el('li', {},
    el('b', {}, path), ` ${refused.slice(0, 3).map(({ where, reason }) => (where && where !== 'file' ? `${where}: ${reason}` : reason)).join('; ')}${refused.length > 3 ? `; and ${refused.length - 3} more` : ''}`)));
  const go = /** @type {HTMLAnchorElement} */ (need('verdict-go'));
  go.hidden = !address;
  if (address) go.href = address;
  go.textContent = words;
  if (!dialog.open) dialog.showModal();
  if (address) $('#verdict-go')?.focus();
}
