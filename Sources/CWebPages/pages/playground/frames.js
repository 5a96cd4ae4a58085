// SPDX-License-Identifier: Apache-2.0
// Animations: playing, or one frame of the original and the result, chosen by a slider. The chosen frame is not part of
// the state.
import { $, el } from './common.js';

let frame = -1;
let count = 1;
let tell = () => {};

const button = el('button', { type: 'button', class: 'button', id: 'pause', click: () => choose(frame < 0 ? 0 : -1) }, 'Pause');
const slider = el('input', { type: 'range', id: 'frame', min: 1, value: 1, 'aria-label': 'Frame', input: () => choose(Number(slider.value) - 1) });
const words = el('output', { class: 'number quiet', for: 'frame' });

/// `work` is called when another frame is chosen.
export function build(work) {
  tell = work;
  $('#frames').append(button, slider, words);
}

/// Sets up for an original of `frames` frames; the bar is shown for animations only.
export function of(frames) {
  count = frames || 1;
  slider.max = count;
  $('#frames').hidden = count < 2;
  if (frame >= 0) choose(-1);
  show();
}

function choose(next) {
  frame = next;
  show();
  tell();
}

function show() {
  button.textContent = frame < 0 ? 'Pause' : 'Play';
  words.textContent = frame < 0 ? `${count} frames` : `${frame + 1} of ${count}`;
  if (frame >= 0) slider.value = frame + 1;
}

/// What the chosen frame adds to a query; nothing while the animation plays.
export const over = () => (frame < 0 ? {} : { page: frame, n: 1 });

export const isPlaying = () => count > 1 && frame < 0;
