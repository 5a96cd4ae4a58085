// SPDX-License-Identifier: Apache-2.0
// A chart over time: stacked areas or lines, drawn for the available width. Its values can be read with the pointer, with
// the arrow keys, and by a screen reader, to which it is a slider.
import { el, svg } from './common.js';
import { clock } from './words.js';

/// The chart's least height in pixels.
const LOWEST = 196;
const EDGE = { top: 8, right: 10, bottom: 22, left: 56 };
/// The least distance of two values in pixels; closer ones are merged.
const CLOSEST = 2;
const MINUTE = 60;

/// Makes a chart. `series`: `{label, mark, of(values, index)}`, where the marks are the classes `c1` to `c11`; `stacked`; `mean`:
/// merged values become their mean, else their maximum; `format(value)`; `scale`: the least value at the top of the chart.
export function chart({ title, hint, series, stacked = false, mean = false, format, base = 1000, scale = 1 }) {
  const values = series.map(() => el('b', { class: 'number' }, '–'));
  const legend = el('ul', { class: 'legend' }, ...series.map((one, index) => el('li', {}, el('i', { class: `key ${one.mark}` }), el('span', {}, one.label), values[index])));
  const moment = el('span', { class: 'quiet number moment' }, 'now');
  const grid = svg('g', { class: 'grid' });
  const paths = series.map((one) => svg('path', { class: `${stacked ? 'area' : 'line'} ${one.mark}` }));
  const cursor = svg('line', { class: 'cursor', y1: EDGE.top, visibility: 'hidden' });
  const picture = svg('svg', { 'aria-hidden': 'true' }, grid, svg('g', {}, ...paths), cursor);
  const plot = el('div', { class: 'plot', role: 'slider', tabindex: 0, 'aria-label': `${title}: values over time`, 'aria-valuemin': 0, 'aria-valuemax': 1, 'aria-valuenow': 0, 'aria-valuetext': 'no values yet' }, picture);
  const empty = el('p', { class: 'quiet empty' }, 'No values yet: there is one each second.');
  const node = el('section', { class: 'panel chart', 'aria-label': title }, el('div', { class: 'head' }, el('h2', {}, title), moment), el('p', { class: 'quiet hint' }, hint), legend, el('div', { class: 'frame' }, plot, empty));

  let points = [];
  /// The time that the user looks at; null means now.
  let at = null;
  let history = null;
  let width = 0;
  let height = LOWEST;
  /// False while the chart is scrolled out of view.
  let isSeen = true;

  function draw(shown) {
    history = shown;
    if (width < 80 || !isSeen) return;
    const columns = Math.max(2, Math.floor((width - EDGE.left - EDGE.right) / CLOSEST));
    const size = Math.ceil(shown.capacity / columns);
    points = gather(shown, series, size, mean);
    // A second without a report has no values, which does not mean no answers.
    if (stacked) points = points.filter(({ each }) => each.some((value) => value !== null));
    empty.hidden = points.length > 0;
    const span = shown.capacity * shown.step;
    const x = (time) => width - EDGE.right - (shown.end - time) / span * (width - EDGE.left - EDGE.right);
    const tops = stacked ? points.map(({ each }) => each.reduce((sum, value) => sum + (value ?? 0), 0)) : points.map(({ each }) => Math.max(...each.map((value) => value ?? 0)));
    const ticks = round(Math.max(scale, ...tops), base);
    const top = ticks.at(-1);
    const y = (value) => height - EDGE.bottom - value / top * (height - EDGE.top - EDGE.bottom);
    for (const [name, value] of [['width', width], ['height', height], ['viewBox', `0 0 ${width} ${height}`]]) picture.setAttribute(name, value);
    cursor.setAttribute('y2', height - EDGE.bottom);
    grid.replaceChildren(
      ...ticks.flatMap((tick) => [
        svg('line', { x1: EDGE.left, x2: width - EDGE.right, y1: y(tick), y2: y(tick) }),
        svg('text', { x: EDGE.left - 8, y: y(tick) + 4, 'text-anchor': 'end' }, format(tick)),
      ]),
      ...times(shown.end, span, width).map((time) => svg('text', { x: x(time), y: height - 5, 'text-anchor': 'middle' }, clock(time))));
    const below = points.map(() => 0);
    series.forEach((one, index) => paths[index].setAttribute('d', stacked
      ? area(points, index, below, x, y) : line(points, index, x, y)));
    plot.setAttribute('aria-valuemax', Math.max(1, points.length - 1));
    tell(x);
  }

  function tell(x) {
    const index = at === null ? points.length - 1 : nearest(points, at);
    const point = points[index];
    series.forEach((one, number) => { values[number].textContent = point && Number.isFinite(point.each[number]) ? format(point.each[number]) : '–'; });
    moment.textContent = at === null || !point ? 'now' : clock(point.time, true);
    cursor.setAttribute('visibility', at === null || !point ? 'hidden' : 'visible');
    if (!point) return;
    if (x) for (const name of ['x1', 'x2']) cursor.setAttribute(name, x(point.time));
    // Not updated each second, because a screen reader would read every update.
    if (at === null && document.activeElement === plot) return;
    plot.setAttribute('aria-valuenow', index);
    plot.setAttribute('aria-valuetext', `${clock(point.time, true)}: ${series.map((one, number) => `${one.label} ${values[number].textContent}`).join(', ')}`);
  }

  const look = (time) => { at = time; if (history) draw(history); };
  plot.addEventListener('pointermove', (event) => {
    if (!history || points.length === 0) return;
    const box = plot.getBoundingClientRect();
    const span = history.capacity * history.step;
    look(history.end - (box.right - EDGE.right - event.clientX) / (box.width - EDGE.left - EDGE.right) * span);
  });
  plot.addEventListener('pointerleave', () => { if (document.activeElement !== plot || !plot.matches(':focus-visible')) look(null); });
  plot.addEventListener('blur', () => look(null));
  plot.addEventListener('keydown', (event) => {
    if (points.length === 0) return;
    const last = points.length - 1;
    const index = at === null ? last : nearest(points, at);
    const page = Math.max(1, Math.round(points.length / 10));
    const next = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1, PageDown: index - page, PageUp: index + page, Home: 0, End: last }[event.key];
    if (event.key === 'Escape') look(null);
    if (next === undefined) return;
    event.preventDefault();
    look(points[Math.min(last, Math.max(0, next))].time);
  });
  new ResizeObserver(([entry]) => {
    const { width: wide, height: high } = entry.contentRect;
    if (Math.floor(wide) === width && Math.floor(high) === height) return;
    [width, height] = [Math.floor(wide), Math.max(LOWEST, Math.floor(high))];
    if (history) draw(history);
  }).observe(plot);
  new IntersectionObserver((entries) => {
    isSeen = entries.at(-1).isIntersecting;
    if (isSeen && history) draw(history);
  }).observe(node);
  return { node, draw };
}

/// Merges every `size` values to one point. The groups' limits stay fixed while time passes.
function gather(shown, series, size, mean) {
  const count = Math.max(...Object.values(shown.values).map((values) => values.length));
  const newest = Math.floor(shown.end / shown.step);
  const points = [];
  for (let index = 0; index < count; index += 1) {
    const number = newest - (count - 1 - index);
    const bucket = Math.floor(number / size);
    const each = series.map((one) => one.of(shown.values, index, shown.step));
    const last = points.at(-1);
    if (last?.bucket === bucket) {
      last.time = number * shown.step;
      each.forEach((value, place) => {
        if (!Number.isFinite(value)) return;
        last.counts[place] += 1;
        const held = last.each[place];
        last.each[place] = held === null ? value : mean ? held + (value - held) / last.counts[place] : Math.max(held, value);
      });
    } else {
      points.push({ bucket, time: number * shown.step, counts: each.map((value) => Number.isFinite(value) ? 1 : 0), each: each.map((value) => Number.isFinite(value) ? value : null) });
    }
  }
  return points;
}

const place = (value) => Math.round(value * 10) / 10;

/// The area of a series on top of the earlier ones; `below` grows by it.
function area(points, index, below, x, y) {
  if (points.length === 0) return '';
  const lower = points.map((point, number) => `${place(x(point.time))} ${place(y(below[number]))}`).reverse();
  points.forEach((point, number) => { below[number] += point.each[index] ?? 0; });
  const upper = points.map((point, number) => `${place(x(point.time))} ${place(y(below[number]))}`);
  return `M${upper.join('L')}L${lower.join('L')}Z`;
}

/// A line with gaps where values are missing; a single value is a dot.
function line(points, index, x, y) {
  let path = '';
  let isOn = false;
  points.forEach((point, number) => {
    const value = point.each[index];
    if (value === null) { isOn = false; return; }
    path += `${isOn ? 'L' : 'M'}${place(x(point.time))} ${place(y(value))}`;
    if (!isOn && (points[number + 1]?.each[index] ?? null) === null) path += 'h.1';
    isOn = true;
  });
  return path;
}

/// 0 and three to five round numbers; the last is at least `highest`.
function round(highest, base) {
  if (base === 1024) {
    const step = 2 ** Math.max(0, Math.ceil(Math.log2(highest / 4)));
    return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
  }
  const unit = base ** Math.floor(Math.log(highest) / Math.log(base));
  const rough = highest / unit / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough) * unit;
  const ticks = [0];
  while (ticks.at(-1) < highest * 0.999) ticks.push(ticks.at(-1) + step);
  return ticks;
}

/// Round times within the span, as many as fit.
function times(end, span, width) {
  const room = Math.max(1, Math.floor(width / 90));
  const step = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE).find((each) => span / each <= room) ?? span;
  // Round in the reader's time zone.
  const shift = new Date(end * 1000).getTimezoneOffset() * MINUTE;
  const found = [];
  for (let time = Math.ceil((end - span - shift) / step) * step + shift; time <= end; time += step) if (time - (end - span) > span * 0.03 && end - time > span * 0.03) found.push(time);
  return found;
}

function nearest(points, time) {
  let best = points.length - 1;
  points.forEach((point, index) => { if (Math.abs(point.time - time) < Math.abs(points[best].time - time)) best = index; });
  return best;
}
