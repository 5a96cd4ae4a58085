// SPDX-License-Identifier: Apache-2.0
// The zoom: fitted, or a number of screen pixels for each pixel of the picture. By buttons and keys, by the wheel with
// Ctrl (which a trackpad's pinch sends), and by two fingers; the point under them stays in place.
import { $, $$ } from './common.js';
import { segments } from './segments.js';

const choices = [['0', 'Fit'], ['1', '1:1'], ['2', '2:1'], ['4', '4:1']];
const largest = 16;
let view = null;
let place = null;
let canvas = null;
let size = () => ({ width: 0, height: 0 });
/// 0 means fitted.
let factor = 0;
let pinch = null;

/// `measure` returns the picture's size in pixels.
export function build(node, scroll, drawn, measure) {
  [view, place, canvas, size] = [node, scroll, drawn, measure];
  segments($('#zooms'), choices, '0', (value) => set(Number(value)));
  place.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    // One notch of a wheel is about 100, a trackpad's step a few.
    about(shown() * Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 150), event.clientX, event.clientY);
  }, { passive: false });
  for (const name of ['touchstart', 'touchmove', 'touchend', 'touchcancel']) place.addEventListener(name, touched, { passive: false });
  place.addEventListener('keydown', (event) => {
    if (event.target !== place || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { '+': 1.25, '=': 1.25, '-': 0.8 }[event.key];
    if (!step && event.key !== '0') return;
    event.preventDefault();
    const { left, top, width, height } = place.getBoundingClientRect();
    if (step) about(shown() * step, left + width / 2, top + height / 2); else set(0);
  });
  draw();
}

/// True during a zoom with two fingers, so that tools ignore them.
export const isPinching = () => pinch !== null;

/// Fits the canvas to the picture's size, which may have changed.
export function draw() {
  const { width, height } = size();
  view.dataset.zoom = String(factor);
  canvas.classList.toggle('zoomed', factor > 0);
  canvas.style.width = factor ? `${width * factor / devicePixelRatio}px` : '';
  canvas.style.height = factor ? `${height * factor / devicePixelRatio}px` : '';
}

function set(value) {
  factor = value;
  for (const each of $$('#zooms button')) each.setAttribute('aria-pressed', String(Number(each.dataset.value) === factor));
  draw();
}

/// The factor at which the whole picture is visible.
function fitted() {
  const { width, height } = size();
  return width && height ? Math.min(place.clientWidth / width, place.clientHeight / height) * devicePixelRatio : 1;
}

const shown = () => factor || fitted();

/// Shows the picture at a factor, and keeps a point of the page in place.
function about(wanted, x, y) {
  const { width, height } = size();
  if (!width) return;
  const before = part(x, y, shown());
  const least = fitted();
  // A factor as small as the fitted one means fitted; one near a button's factor becomes that factor.
  const next = wanted <= least * 1.001 ? 0 : Math.min(largest, wanted);
  set(next && (choices.map(([value]) => Number(value)).find((value) => value > least && Math.abs(next / value - 1) < 0.02) ?? next));
  if (!factor) return;
  const bounds = place.getBoundingClientRect();
  place.scrollLeft = before.x * canvas.offsetWidth - (x - bounds.left) + margin(place.clientWidth, canvas.offsetWidth);
  place.scrollTop = before.y * canvas.offsetHeight - (y - bounds.top) + margin(place.clientHeight, canvas.offsetHeight);
}

const margin = (room, taken) => Math.max(0, (room - taken) / 2);

/// The place of a point of the page within the picture, in fractions of its width and height.
function part(x, y, at) {
  const bounds = canvas.getBoundingClientRect();
  const { width, height } = size();
  const [w, h] = [width * at / devicePixelRatio, height * at / devicePixelRatio];
  return { x: (x - bounds.left - (bounds.width - w) / 2) / w, y: (y - bounds.top - (bounds.height - h) / 2) / h };
}

function touched(event) {
  const [a, b] = event.touches;
  if (!b) { pinch = null; return; }
  // Otherwise the browser may use two fingers for scrolling, and not release them.
  if (event.cancelable) event.preventDefault();
  const distance = Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
  pinch ??= { distance, factor: shown() };
  about(pinch.factor * distance / pinch.distance, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
}
