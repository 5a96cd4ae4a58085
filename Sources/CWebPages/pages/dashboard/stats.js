// SPDX-License-Identifier: Apache-2.0
// The four numbers at the top, over the last ten seconds.
import { $, el, percent, svg } from './common.js';
import { number, OUTCOMES, time } from './words.js';

const RECENT = 10;
const WIDTH = 200;
const HEIGHT = 34;
const names = Object.keys(OUTCOMES);
const HELD = ['memory_hits', 'disk_hits', 'shared_hits', 'stale_answers', 'revalidated'];
const PICTURELESS = ['refused', 'negative', 'synthetic_answers'];

const sum = (values) => values.reduce((all, each) => all + (each ?? 0), 0);
/// The sum of the named series in each of the newest values; null for a second without a report.
const together = (shown, keys, count) => {
  const lists = keys.map((key) => shown.values[key].slice(-count));
  return (lists[0] ?? []).map((each, index) => lists.every((list) => list[index] === null) ? null : sum(lists.map((list) => list[index])));
};

const tiles = [
  { title: 'Requests', hint: 'a second', mark: 'c1', read: (shown, count) => divide(together(shown, names, count), shown.step), now: (values) => number(mean(values)) },
  { title: 'From the cache', hint: 'of pictures, without refusals', mark: 'c2', read: share, now: (values) => percent(values.findLast((each) => each !== null) ?? NaN) },
  { title: '95 % within', hint: 'from the request to the last byte', mark: 'c5', read: (shown, count) => shown.values.latency_95.slice(-count), now: (values) => time(Math.max(...values.filter((each) => each !== null)) || NaN) },
  { title: 'Errors', hint: 'a second, 4xx and 5xx', mark: 'c4', read: (shown, count) => divide(together(shown, ['client_errors', 'server_errors'], count), shown.step), now: (values) => number(mean(values)) },
];

const divide = (values, by) => values.map((each) => each === null ? null : each / by);
const mean = (values) => { const known = values.filter((each) => each !== null); return known.length ? sum(known) / known.length : NaN; };

/// The share of the answers with pictures that were held already, as in the metrics' `pictor:hits:ratio_rate5m`. Each point covers ten
/// seconds, because a single second may have no pictures.
function share(shown, count) {
  const hits = together(shown, HELD, count + RECENT);
  const all = together(shown, names.filter((name) => !PICTURELESS.includes(name)), count + RECENT);
  return all.slice(-count).map((_, index, list) => {
    const end = all.length - list.length + index + 1;
    const total = sum(all.slice(Math.max(0, end - RECENT), end));
    return total > 0 ? sum(hits.slice(Math.max(0, end - RECENT), end)) / total : null;
  });
}

export function build() {
  $('#stats').append(...tiles.map((tile) => {
    tile.value = el('b', { class: 'number' }, '–');
    tile.path = svg('path', { class: `line ${tile.mark}` });
    return el('div', { class: 'panel stat', role: 'group', 'aria-label': tile.title }, el('h2', {}, tile.title), tile.value, el('span', { class: 'quiet' }, tile.hint),
      svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }, tile.path));
  }));
}

export function draw(shown) {
  for (const tile of tiles) {
    const values = tile.read(shown, 60);
    tile.value.textContent = values.length ? tile.now(values.slice(-RECENT)) : '–';
    const top = Math.max(1e-9, ...values.filter((each) => each !== null));
    let isOn = false;
    let path = '';
    values.forEach((value, index) => {
      if (value === null) { isOn = false; return; }
      path += `${isOn ? 'L' : 'M'}${(WIDTH - (values.length - 1 - index) * WIDTH / 59).toFixed(1)} ${(HEIGHT - 2 - value / top * (HEIGHT - 4)).toFixed(1)}`;
      isOn = true;
    });
    tile.path.setAttribute('d', path);
  }
}
