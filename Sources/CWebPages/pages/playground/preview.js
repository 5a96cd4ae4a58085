// SPDX-License-Identifier: Apache-2.0
// The picture: fetched again when the state changes, while the previous fetch is aborted. Original and result
// lie over each other, and a slider uncovers one or the other.
import { $, announce, bytes, el, throttle } from './common.js';
import { clearErrors, showError } from './controls.js';
import * as difference from './difference.js';
import * as frames from './frames.js';
import { format } from './labels.js';
import { target as signed } from './signature.js';
import { segments } from './segments.js';
import * as store from './state.js';
import * as zoom from './zoom.js';

const views = [['slider', 'Slider'], ['result', 'Result'], ['original', 'Original'], ['difference', 'Difference']];
/// A browser's Accept header for a picture in a page, which decides `output=auto`.
const accept = 'image/avif,image/webp,image/*,*/*;q=0.8';
/// Refusals of what was asked for: the same request gets them again.
const lasting = new Set(['bad_parameter', 'signature_missing', 'signature_wrong']);
let ask = null;
let shown = '';
let original = { url: '' };
/// The source of the result that is shown.
let source = '';
/// The result that is shown or loading, and the timer before it is announced.
let result = null;
let telling = 0;
const results = new Set();
export const picture = { width: 0, height: 0, original: null, target: '' };

const before = el('img', { class: 'before', alt: 'The original', draggable: 'false' });
const after = el('img', { class: 'after', alt: 'The picture as it comes out', draggable: 'false' });
const cut = el('input', { type: 'range', class: 'cut', min: 0, max: 100, value: 50, 'aria-label': 'Where the result begins' });
/// A result that is no picture, such as JSON.
const text = el('pre', { class: 'text', tabindex: '0', 'aria-label': 'The result as text', hidden: true });
const tags = { before: el('span', { class: 'tag left' }), after: el('span', { class: 'tag right' }) };
export const canvas = el('div', { class: 'canvas' }, before, difference.exact, after, el('span', { class: 'handle' }), cut);

/// Calls `work` with each answer: `{response, bytes, milliseconds}`.
export function onResult(work) { results.add(work); }

export function build() {
  const view = $('#view');
  const scroll = el('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Before and after. Plus and minus zoom, 0 fits.' }, canvas);
  view.append(scroll, text, tags.before, tags.after, el('div', { class: 'busy', hidden: true }, 'Making the picture…'));
  cut.addEventListener('input', () => view.style.setProperty('--cut', `${cut.value}%`));
  segments($('#views'), views, 'slider', (name) => { view.dataset.mode = name; difference.show(); });
  view.dataset.mode = 'slider';
  zoom.build(view, scroll, canvas, () => picture);
  difference.build(view);
  after.addEventListener('load', () => { picture.width = after.naturalWidth; picture.height = after.naturalHeight; zoom.draw(); tell(); for (const work of results) work(null); });
  $('#retry').addEventListener('click', () => {
    // The same words once more are announced only if they were away.
    $('#problem').textContent = '';
    again();
  });
  // At most six a second while a knob turns. An aborted fetch costs no rendering if nobody else waits for it.
  const later = throttle(load, 160);
  store.onChange(later);
  frames.build(() => { loadOriginal(store.state().url); later(); });
  load();
}

/// Announces the result to screen readers once the knobs are at rest.
function tell() {
  clearTimeout(telling);
  if (!result) return;
  const words = [format(result.type), picture.width ? `${picture.width} × ${picture.height}` : '', bytes(result.size)].filter(Boolean).join(', ');
  telling = setTimeout(() => announce(words), 1000);
}

/// Fetches the picture again, although nothing has changed.
export function again() {
  shown = '';
  original = { url: '' };
  load();
}

/// Shows the original or both, for tools that draw on it.
export function showView(name) { $(`#views [data-value=${name}]`).click(); }

async function load() {
  const query = store.query(store.state(), frames.over());
  const { url } = store.state();
  if (!url) { askForURL(); return; }
  if (query === shown) return;
  shown = query;
  if (url !== source) age('other');
  // The previous result is outdated, and would be announced over an error.
  clearTimeout(telling);
  ask?.abort();
  ask = new AbortController();
  const { signal } = ask;
  const busy = setTimeout(() => { $('.busy').hidden = false; }, 250);
  const slow = setTimeout(() => announce('The picture is still being made.'), 4000);
  try {
    const start = performance.now();
    if (url !== original.url) loadOriginal(url, signal);
    // Bypasses the browser's cache, so that the effect of Pictor's caches is visible.
    const target = await signed(query, signal);
    const response = await fetch(target, { signal, cache: 'no-store', headers: { Accept: accept } });
    const blob = await response.blob();
    picture.target = target;
    if (response.ok) {
      source = url;
      await show(response, blob, performance.now() - start);
    } else refuse(await refusal(blob, response));
  } catch (error) {
    if (error.name === 'AbortError') return;
    shown = '';
    refuse({ message: 'Pictor does not answer. Is it running?' });
  } finally {
    clearTimeout(busy);
    clearTimeout(slow);
    if (!signal.aborted) $('.busy').hidden = true;
  }
}

/// Tells how the result that is shown belongs to the state: `` if it is the state's, `earlier` if its options differ, `other` if its
/// source does. What no longer belongs to it is hidden or faint.
function age(name) { $('main').dataset.result = name; }

function askForURL() {
  ask?.abort();
  clearTimeout(telling);
  shown = '';
  source = '';
  $('.busy').hidden = true;
  age('other');
  clearErrors();
  problem('Enter the URL of a picture, or choose one of the samples.');
}

async function show(response, blob, milliseconds) {
  clearErrors();
  problem('');
  age('');
  result = blob;
  const isPicture = blob.type.startsWith('image/');
  text.hidden = isPicture;
  if (isPicture) put(after, blob);
  else {
    picture.width = 0;
    put(after);
    const all = await readable(blob);
    if (result !== blob) return;
    text.textContent = all;
    tell();
  }
  difference.show(blob);
  for (const work of results) work({ response, blob, milliseconds });
}

/// Loads the original without any options, and the facts about it.
async function loadOriginal(url, signal) {
  if (original.url !== url) {
    original = { url };
    picture.original = null;
    put(before);
    tag('before', '', '');
    frames.of(1);
  }
  const ask = async (query) => fetch(await signed(query, signal), { signal });
  try {
    const report = await ask(store.query({ url, options: { output: 'json' } }));
    if (original.url !== url || !report.ok) return;
    const known = await report.json();
    // Documents have pages as well, but only one can be written at a time.
    const isAnimation = known.pageHeight !== undefined;
    const response = await ask(store.query({ url, options: isAnimation ? { n: '-1', ...frames.over() } : {} }));
    if (original.url !== url || !response.ok) return;
    const blob = await response.blob();
    if (picture.original === null) frames.of(isAnimation ? known.pages : 1);
    picture.original = { ...known, size: picture.original?.size ?? blob.size };
    put(before, blob);
    for (const work of results) work(null);
  } catch {
    // The request for the picture itself reports the error.
    if (original.url === url) original = { url: '' };
  }
}

/// Shows the picture in an element, or none.
function put(image, blob) {
  const old = image.src;
  if (blob) image.src = URL.createObjectURL(blob); else image.removeAttribute('src');
  if (old) URL.revokeObjectURL(old);
}

/// Text to read: JSON on lines, and not more of a long text than anybody reads.
async function readable(blob) {
  const all = await blob.text();
  try { return JSON.stringify(JSON.parse(all), null, 2); } catch { return all.length > 2000 ? `${all.slice(0, 2000)}…` : all; }
}

async function refusal(blob, response) {
  try { return JSON.parse(await blob.text()); } catch { return { message: `The answer was ${response.status}.` }; }
}

function refuse({ message, error }) {
  $('.busy').hidden = true;
  const isSource = error === 'bad_url' || /"url"/.test(message);
  const isPlaced = !isSource && error === 'bad_parameter' && showError(message);
  if (isSource || !isPlaced) clearErrors();
  age(store.state().url === source ? 'earlier' : 'other');
  problem(message, isSource, !isSource && !lasting.has(error));
  if (isPlaced) announce(message);
}

/// Shows what is wrong, with a button that asks again if that may help.
function problem(message, isSource = false, mayPass = false) {
  const place = $('#problem');
  const wasFocused = document.activeElement === $('#retry');
  $('#refusal').hidden = message === '';
  $('#retry').hidden = !mayPass;
  // A button that goes must not take the focus with it.
  if (wasFocused && !mayPass) $('.scroll').focus({ preventScroll: true });
  if (place.textContent !== message) place.textContent = message;
  const field = $('#source');
  $('#source-error').hidden = !isSource;
  $('#source-error').textContent = isSource ? message : '';
  if (isSource) field.setAttribute('aria-invalid', 'true'); else field.removeAttribute('aria-invalid');
}

/// Writes the label in a corner of the picture.
export function tag(side, title, text) { tags[side].replaceChildren(el('b', {}, title), ` ${text}`); tags[side].hidden = text === ''; }
