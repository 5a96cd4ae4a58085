// SPDX-License-Identifier: Apache-2.0
// Compares formats of the same picture, and shows how its size grows with quality. Both only on demand, because
// they render new pictures.
import { $, bytes, el, percent, svg } from './common.js';
import { format } from './labels.js';
import { lightness, likeness } from './likeness.js';
import { picture } from './preview.js';
import { target } from './signature.js';
import * as store from './state.js';

const formats = ['avif', 'webp', 'jpg', 'png'];
const qualities = [20, 35, 50, 60, 70, 80, 88, 95];
let run = null;

export function build() {
  const place = el('div', { class: 'compared', id: 'compared', 'aria-live': 'polite' });
  $('#compare').append(
    el('div', { class: 'head' }, el('h2', {}, 'Compare'), el('div', { class: 'segments' },
      el('button', { type: 'button', id: 'compare-formats', click: () => start(place, compareFormats) }, 'Formats'),
      el('button', { type: 'button', id: 'compare-qualities', click: () => start(place, chartQualities) }, 'Bytes over quality'))),
    place);
  store.onChange(() => {
    if (!run) return;
    run.abort();
    run = null;
    // The results belong to an earlier picture.
    if (place.querySelector('.making')) place.replaceChildren(el('p', { class: 'quiet' }, 'The picture has changed meanwhile; ask again.'));
    else place.classList.add('stale');
  });
}

async function start(place, work) {
  run?.abort();
  run = new AbortController();
  place.classList.remove('stale');
  place.replaceChildren(el('p', { class: 'quiet making' }, 'Making pictures…'));
  try {
    await work(place, run.signal);
  } catch (error) {
    if (error.name !== 'AbortError') place.replaceChildren(el('p', { class: 'error' }, error.message));
  }
}

async function make(over, signal) {
  const response = await fetch(await target(store.query(store.state(), over), signal), { signal });
  const blob = await response.blob();
  if (response.ok) return { blob, over };
  let message = `The answer was ${response.status}.`;
  try { ({ message } = JSON.parse(await blob.text())); } catch { /* Not JSON: the status says it. */ }
  throw new Error(message);
}

async function compareFormats(place, signal) {
  const made = await Promise.all(formats.map((output) => make({ output }, signal)));
  const original = picture.original?.size;
  const least = Math.min(...made.map(({ blob }) => blob.size));
  // PNG is lossless, so the others are compared with it.
  const exact = await lightness(made.find(({ over }) => over.output === 'png').blob);
  const list = el('ul', { class: 'cards' });
  for (const { blob, over } of made) {
    const image = el('img', { alt: `As ${format(blob.type)}` });
    image.src = URL.createObjectURL(blob);
    image.addEventListener('load', () => { size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`; URL.revokeObjectURL(image.src); });
    const size = el('span', { class: 'quiet' });
    const alike = likeness(exact, await lightness(blob));
    const saving = original ? percent((blob.size - original) / original) : '';
    list.append(el('li', { class: blob.size === least ? 'least' : null }, image,
      el('b', {}, format(blob.type)), el('span', { class: 'number' }, bytes(blob.size)), size,
      el('span', { class: 'quiet number' }, saving && `${saving} against full size`),
      el('span', { class: 'quiet number' }, alike === null ? '' : `likeness ${alike.toFixed(3)}`),
      el('button', { type: 'button', class: 'button', click: () => store.set({ output: over.output }) }, 'Use')));
  }
  place.replaceChildren(list);
}

async function chartQualities(place, signal) {
  const points = [];
  for (const q of qualities) points.push({ q, size: (await make({ q }, signal)).blob.size });
  const [width, height, left, bottom] = [640, 220, 56, 28];
  const most = Math.max(...points.map(({ size }) => size)) * 1.08;
  const x = (q) => left + (q - qualities[0]) / (qualities.at(-1) - qualities[0]) * (width - left - 16);
  const y = (size) => 10 + (1 - size / most) * (height - bottom - 10);
  const lines = [0, 0.5, 1].map((part) => svg('g', {},
    svg('line', { x1: left, x2: width - 8, y1: y(part * most), y2: y(part * most), class: 'grid' }),
    svg('text', { x: left - 8, y: y(part * most) + 4, 'text-anchor': 'end' }, bytes(Math.round(part * most)))));
  const marks = points.map(({ q, size }) => svg('g', {},
    svg('circle', { cx: x(q), cy: y(size), r: 4 }, svg('title', {}, `q ${q}: ${bytes(size)}`)),
    svg('text', { x: x(q), y: height - 8, 'text-anchor': 'middle' }, String(q))));
  const words = points.map(({ q, size }) => `${q}: ${bytes(size)}`).join(', ');
  place.replaceChildren(
    svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': `Bytes by quality. ${words}` }, ...lines,
      svg('polyline', { points: points.map(({ q, size }) => `${x(q)},${y(size)}`).join(' ') }), ...marks),
    el('div', { class: 'qualities' }, ...points.map(({ q, size }) => el('button', { type: 'button', class: 'button number', click: () => store.set({ q }) }, `q ${q} · ${bytes(size)}`))));
}
