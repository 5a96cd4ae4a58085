// SPDX-License-Identifier: Apache-2.0
// The playground: puts the parts together once the option table is there.
import { $, el, themeButton } from './common.js';
import * as compare from './compare.js';
import * as controls from './controls.js';
import * as cost from './cost.js';
import * as preview from './preview.js';
import * as signature from './signature.js';
import * as snippets from './snippets.js';
import * as store from './state.js';
import * as tools from './tools.js';

themeButton($('#theme'));
const settings = await fetch('/playground/options.json').then((answer) => answer.json()).catch((error) => {
  $('#refusal').hidden = false;
  $('#retry').hidden = true;
  $('#problem').textContent = 'The list of options could not be read. Load the page again.';
  throw error;
});
const rows = settings.groups.flatMap((group) => group.options);
store.begin(rows, { url: settings.samples[0].url, options: { w: '640' } });

controls.build(settings.groups);
source();
samples();
undoing();
cost.build(rows);
tools.build();
signature.build(settings, preview.again);
preview.build();
snippets.build(settings);
preview.onResult(snippets.show);
compare.build();
stack();
document.documentElement.dataset.ready = '1';
performance.mark('ready');

function source() {
  const field = $('#source');
  const show = () => { if (document.activeElement !== field) field.value = store.state().url; };
  const take = () => store.set({}, { url: field.value.trim() });
  store.onChange(show);
  show();
  $('#source-form').addEventListener('submit', (event) => { event.preventDefault(); take(); });
  field.addEventListener('change', take);
  field.addEventListener('paste', () => setTimeout(take));
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const text = (event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain')).split('\n').find((line) => line && !line.startsWith('#'));
    if (text) use(text.trim());
  });
  addEventListener('paste', (event) => {
    if (event.target.closest('input, select, textarea')) return;
    const text = event.clipboardData.getData('text/plain').trim();
    if (/^https?:\/\//i.test(text)) use(text);
  });
}

function use(url, options = {}) {
  $('#source').value = url;
  // A rectangle of another picture has no meaning here.
  store.set({ cx: '', cy: '', cw: '', ch: '', precrop: '', n: '', ...options }, { url });
}

function samples() {
  const buttons = settings.samples.map(({ title, url, thumbnail, options }) => {
    const button = el('button', { type: 'button', class: 'sample', click: () => use(url, options) }, el('img', { src: thumbnail, alt: '', width: 56, height: 40 }), el('span', {}, title));
    return { button, url };
  });
  $('#samples').replaceChildren(...buttons.map(({ button }) => button));
  const show = () => { for (const { button, url } of buttons) button.setAttribute('aria-pressed', String(url === store.state().url)); };
  store.onChange(show);
  show();
}

function undoing() {
  const show = () => { $('#undo').disabled = !store.canUndo(); $('#redo').disabled = !store.canRedo(); };
  $('#undo').addEventListener('click', store.undo);
  $('#redo').addEventListener('click', store.redo);
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z' || event.target.closest('input:is([type=text], [type=search], [type=password])')) return;
    event.preventDefault();
    if (event.shiftKey) store.redo(); else store.undo();
  });
  store.onChange(show);
  show();
}

/// In a narrow view the picture stands before the options, and so in the document, whose order the focus follows.
function stack() {
  const narrow = matchMedia('(max-width: 820px)');
  const controls = $('#controls');
  const stage = $('#stage');
  const place = () => {
    const [first, second] = narrow.matches ? [stage, controls] : [controls, stage];
    // What is moved loses the focus.
    if (first.contains(document.activeElement)) first.after(second); else second.before(first);
  };
  narrow.addEventListener('change', place);
  place();
}
