// SPDX-License-Identifier: Apache-2.0
// Options that are set by pointing at the original: the rectangle to keep and the focal point, by mouse, touch and
// keys.
import { $, announce, el } from './common.js';
import { canvas, onResult, picture, showView } from './preview.js';
import { segments } from './segments.js';
import * as store from './state.js';
import { isPinching } from './zoom.js';

const layer = el('div', { class: 'layer', hidden: true });
const frame = el('div', { class: 'crop', tabindex: '0', role: 'application', hidden: true, 'aria-label': 'Rectangle to keep. Arrow keys move it, with Shift they change its size.' });
const point = el('div', { class: 'focal', tabindex: '0', role: 'application', hidden: true, 'aria-label': 'Focal point. Arrow keys move it.' });
const kept = el('div', { class: 'kept', hidden: true });
let tool = 'none';
let start = null;

export function build() {
  layer.append(kept, frame, point);
  canvas.append(layer);
  segments($('#tools'), [['none', 'Look'], ['crop', 'Crop'], ['focal', 'Focal point']], 'none', use);
  layer.addEventListener('pointerdown', down);
  layer.addEventListener('pointermove', drag);
  layer.addEventListener('pointerup', up);
  layer.addEventListener('pointercancel', () => { start = null; });
  frame.addEventListener('keydown', keyed);
  point.addEventListener('keydown', keyed);
  store.onChange(draw);
  onResult(draw);
  new ResizeObserver(draw).observe(canvas);
}

function use(name) {
  tool = name;
  const isOn = name !== 'none';
  if (isOn) {
    showView('original');
    announce(name === 'crop' ? 'Drag a rectangle over the original, or use the arrow keys.' : 'Click what matters most, or use the arrow keys.');
  } else showView('slider');
  layer.hidden = !isOn;
  if (name === 'crop' && !crop()) setCrop({ x: 0.1, y: 0.1, w: 0.8, h: 0.8 });
  if (name === 'focal' && !store.state().options.fpx) setPoint(0.5, 0.5);
  draw();
  (name === 'crop' ? frame : point).focus({ preventScroll: true });
}

/// Where the original lies within the canvas, in CSS pixels.
function area() {
  const { original } = picture;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!original?.width || !original.height || !width) return null;
  const factor = Math.min(width / original.width, height / original.height);
  const size = { width: original.width * factor, height: original.height * factor };
  return { ...size, left: (width - size.width) / 2, top: (height - size.height) / 2 };
}

/// The state's crop in fractions of the original; null if there is none, or if it is not a crop of the
/// original.
function crop() {
  const { options } = store.state();
  const { original } = picture;
  if (!original || options.precrop !== '1' || !options.cw || !options.ch) return null;
  const part = (text, whole) => (String(text ?? '0').endsWith('%') ? parseFloat(text) / 100 : Number(text ?? 0) / whole);
  return { x: part(options.cx, original.width), y: part(options.cy, original.height), w: part(options.cw, original.width), h: part(options.ch, original.height) };
}

function setCrop({ x, y, w, h }) {
  const { original } = picture;
  if (!original) return;
  const pixels = (value, whole) => Math.round(value * whole);
  const left = Math.min(Math.max(0, x), 1);
  const top = Math.min(Math.max(0, y), 1);
  store.set({
    cx: pixels(left, original.width) || '', cy: pixels(top, original.height) || '',
    cw: Math.max(1, pixels(Math.min(w, 1 - left), original.width)), ch: Math.max(1, pixels(Math.min(h, 1 - top), original.height)), precrop: '1',
  });
}

function setPoint(x, y) {
  const part = (value) => Math.min(1, Math.max(0, value)).toFixed(3).replace(/\.?0+$/, '') || '0';
  const { w, h } = store.state().options;
  // A focal point matters only for a cut, which needs a box with both sides.
  store.set({ a: 'focal', fpx: part(x), fpy: part(y), fit: 'cover', ...(w && h ? {} : { w: w ?? 400, h: h ?? 400 }) });
}

function place(event) {
  const bounds = canvas.getBoundingClientRect();
  const within = area();
  if (!within) return null;
  const part = (value) => Math.min(1, Math.max(0, value));
  return { x: part((event.clientX - bounds.left - within.left) / within.width), y: part((event.clientY - bounds.top - within.top) / within.height) };
}

function down(event) {
  const at = place(event);
  if (!at) return;
  event.preventDefault();
  layer.setPointerCapture(event.pointerId);
  start = at;
  if (tool === 'focal') setPoint(at.x, at.y);
}

function drag(event) {
  if (isPinching()) start = null;
  const at = start && place(event);
  if (!at) return;
  if (tool === 'focal') setPoint(at.x, at.y);
  else if (Math.hypot(at.x - start.x, at.y - start.y) > 0.01) setCrop({ x: Math.min(at.x, start.x), y: Math.min(at.y, start.y), w: Math.abs(at.x - start.x), h: Math.abs(at.y - start.y) });
}

function up(event) { drag(event); start = null; }

function keyed(event) {
  const [x, y] = { ArrowLeft: [-0.01, 0], ArrowRight: [0.01, 0], ArrowUp: [0, -0.01], ArrowDown: [0, 0.01] }[event.key] ?? [];
  if (x === undefined) return;
  event.preventDefault();
  if (tool === 'focal') {
    const { fpx, fpy } = store.state().options;
    setPoint(Number(fpx ?? 0.5) + x, Number(fpy ?? 0.5) + y);
    return;
  }
  const box = crop();
  if (!box) return;
  if (event.shiftKey) setCrop({ ...box, w: Math.max(0.02, box.w + x), h: Math.max(0.02, box.h + y) });
  else setCrop({ ...box, x: Math.min(1 - box.w, Math.max(0, box.x + x)), y: Math.min(1 - box.h, Math.max(0, box.y + y)) });
}

function draw() {
  const within = area();
  if (!within || tool === 'none') return;
  const put = (node, x, y, w, h) => {
    node.style.left = `${within.left + x * within.width}px`;
    node.style.top = `${within.top + y * within.height}px`;
    if (w !== undefined) { node.style.width = `${w * within.width}px`; node.style.height = `${h * within.height}px`; }
  };
  const box = tool === 'crop' ? crop() : null;
  frame.hidden = !box;
  if (box) put(frame, box.x, box.y, box.w, box.h);
  const { options } = store.state();
  point.hidden = tool !== 'focal';
  const [x, y] = [Number(options.fpx ?? 0.5), Number(options.fpy ?? 0.5)];
  put(point, x, y);
  const cover = tool === 'focal' ? keptOf(options, x, y) : null;
  kept.hidden = !cover;
  if (cover) put(kept, cover.x, cover.y, cover.w, cover.h);
}

/// The part that `cover` keeps around the focal point, in fractions of the original.
function keptOf(options, x, y) {
  const [width, height] = [Number(options.w), Number(options.h)];
  const { original } = picture;
  if (!(width > 0 && height > 0) || options.fit !== 'cover') return null;
  const factor = Math.max(width / original.width, height / original.height);
  const [w, h] = [width / factor / original.width, height / factor / original.height];
  const from = (centre, part) => Math.min(1 - part, Math.max(0, centre - part / 2));
  return { x: from(x, w), y: from(y, h), w, h };
}
