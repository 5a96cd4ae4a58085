// SPDX-License-Identifier: Apache-2.0
// What the format loses: the result against the same picture as lossless PNG, pixel by pixel. The browser blends the two
// (CSS `difference`) and brightens the rest, so the page computes nothing. Black means equal.
import { $, el } from './common.js';
import * as frames from './frames.js';
import { lightness, likeness } from './likeness.js';
import { target } from './signature.js';
import * as store from './state.js';

const strengths = [1, 2, 4, 8, 16, 32];
let view = null;
let ask = null;
let result = null;

export const exact = el('img', { class: 'exact', alt: '', draggable: 'false' });
const slider = el('input', {
  type: 'range', id: 'strength', min: 0, max: strengths.length - 1, value: 3, 'aria-label': 'How much stronger differences are shown', input: strengthen,
});
const factor = el('output', { class: 'number', for: 'strength' });
const words = el('span', { class: 'quiet', id: 'difference-words', role: 'status' });

export function build(node) {
  view = node;
  $('#difference').append(el('label', { for: 'strength' }, 'Stronger'), slider, factor, words);
  strengthen();
}

/// Called when another view was chosen, or another picture has come.
export function show(blob = result) {
  result = blob;
  ask?.abort();
  const isOn = view.dataset.mode === 'difference';
  $('#difference').hidden = !isOn;
  if (isOn && result) compare(result);
}

function strengthen() {
  const strength = strengths[slider.value];
  factor.textContent = `× ${strength}`;
  slider.setAttribute('aria-valuetext', `${strength} times`);
  view.style.setProperty('--strength', String(strength));
}

async function compare(blob) {
  ask = new AbortController();
  const { signal } = ask;
  words.textContent = 'Making the same without loss…';
  exact.removeAttribute('src');
  try {
    if (frames.isPlaying()) { words.textContent = 'An animation is compared frame by frame: pause it.'; return; }
    const query = store.query(store.state(), { ...frames.over(), output: 'png', q: '' });
    const response = await fetch(await target(query, signal), { signal });
    if (!response.ok) throw new Error('refused');
    const whole = await response.blob();
    const alike = likeness(await lightness(whole), await lightness(blob));
    if (signal.aborted) return;
    exact.src = URL.createObjectURL(whole);
    exact.addEventListener('load', () => URL.revokeObjectURL(exact.src), { once: true });
    words.textContent = alike === null ? 'Against the same without loss; too small for a number.' : `Against the same without loss: likeness ${alike.toFixed(3)} (SSIM). ${judge(alike)}`;
  } catch (error) {
    if (error.name !== 'AbortError') words.textContent = 'This result cannot be compared here.';
  }
}

function judge(alike) {
  if (alike > 0.9995) return 'They are the same to the eye.';
  if (alike > 0.98) return 'Side by side, few people see a difference.';
  return alike > 0.93 ? 'Side by side, most people see a difference.' : 'They look different.';
}
