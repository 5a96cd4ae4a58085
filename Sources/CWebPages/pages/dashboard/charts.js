// SPDX-License-Identifier: Apache-2.0
// The list of charts.
import { $ } from './common.js';
import { chart } from './chart.js';
import { number, OUTCOMES, size, time } from './words.js';

/// Events a second. A minute's value is the sum over the minute.
const rate = (name) => (values, index, step) => divided(values[name][index], step);
const level = (name) => (values, index) => values[name][index];
const divided = (value, by) => Number.isFinite(value) ? value / by : null;

const series = (marks, kind) => marks.map(([name, label, mark]) => ({ label, mark, of: kind(name) }));

const charts = [
  chart({
    title: 'Answers', hint: 'Requests a second, by how their answer came about.', stacked: true, mean: true, format: number,
    series: series(Object.entries(OUTCOMES).map(([name, label], index) => [name, label, `c${index + 1}`]), rate),
  }),
  chart({
    title: 'Time to answer', hint: '50, 95 and 99 of 100 requests were faster.', format: time, scale: 1000,
    series: series([['latency_99', '99 %', 'c4'], ['latency_95', '95 %', 'c5'], ['latency_50', '50 %', 'c1']], level),
  }),
  chart({
    title: 'Time by stage', hint: '95 of 100 requests spent less time in a stage.', format: time, scale: 1000,
    series: series([['cache_95', 'cache', 'c2'], ['origin_95', 'origin', 'c4'], ['inspect_95', 'inspection', 'c6'], ['queue_95', 'waiting', 'c9'], ['decode_95', 'decoding', 'c5'], ['encode_95', 'encoding', 'c1']], level),
  }),
  chart({
    title: 'Traffic', hint: 'Bytes of bodies a second.', mean: true, format: size, base: 1024, scale: 1024,
    series: series([['sent_bytes', 'to clients', 'c1'], ['received_bytes', 'from origins', 'c5']], rate),
  }),
  chart({
    title: 'Fetches', hint: 'Exchanges with origins a second.', mean: true, format: number,
    series: series([['fetches', 'all', 'c6'], ['failed_fetches', 'failed', 'c4']], rate),
  }),
  chart({
    title: 'At work', hint: 'What is under way, and what waits for its turn.', format: number, scale: 4,
    series: series([['requests_in_flight', 'requests', 'c1'], ['busy_decoders', 'busy decoders', 'c2'], ['waiting_decodes', 'pictures waiting', 'c5'], ['waiting_fetches', 'fetches waiting', 'c4']], level),
  }),
  chart({
    title: 'Memory', hint: 'Renditions held, and all of the daemon’s own process.', format: size, base: 1024, scale: 1 << 20,
    series: series([['memory_bytes', 'renditions', 'c2'], ['resident_bytes', 'process', 'c7']], level),
  }),
];

/// Puts the charts on the page.
export function build() {
  $('#charts-first').append(charts[0].node);
  $('#charts').append(...charts.slice(1).map(({ node }) => node));
}

export function draw(history) {
  for (const each of charts) each.draw(history);
}
