// SPDX-License-Identifier: Apache-2.0
// The series of the range that is shown: read once, then lengthened by each moment.
import { get } from './api.js';

const CAPACITY = { '5min': 300, hour: 3600, day: 1440 };

/// What the charts ask for.
const NAMES = [
  'memory_hits', 'disk_hits', 'shared_hits', 'stale_answers', 'revalidated', 'rendered', 'coalesced', 'negative', 'bypassed', 'refused', 'synthetic_answers',
  'client_errors', 'server_errors', 'fetches', 'failed_fetches', 'sent_bytes', 'received_bytes', 'latency_50', 'latency_95', 'latency_99',
  'cache_95', 'origin_95', 'inspect_95', 'queue_95', 'decode_95', 'encode_95',
  'requests_in_flight', 'waiting_fetches', 'waiting_decodes', 'busy_decoders', 'memory_bytes', 'resident_bytes', 'disk_bytes',
];

const none = () => Object.fromEntries(NAMES.map((name) => [name, []]));

/// `end`: seconds since 1970, of the newest values; `step`: seconds between two.
export const shown = { range: '5min', capacity: CAPACITY['5min'], step: 1, end: 0, values: none() };
/// The last seconds, whatever range is shown.
export const recent = { capacity: 75, step: 1, end: 0, values: none() };

let loading = 0;
/// The number of the last moment. Polled ones have none.
let last = 0;

/// Reads a range, and shows it when it is there.
export async function load(range, moment) {
  loading += 1;
  const own = loading;
  const report = await get(`/admin/history?range=${range}&series=${NAMES.join(',')}`);
  // The user has chosen another since.
  if (own !== loading) return;
  // The moment that made the page read is in it.
  if (moment) last = moment.number;
  Object.assign(shown, { range, capacity: CAPACITY[range], step: report.step, end: report.end });
  for (const name of NAMES) shown.values[name] = report.series[name]?.values ?? [];
  if (report.step > 1) return;
  for (const name of NAMES) recent.values[name] = shown.values[name].slice(-recent.capacity);
  recent.end = report.end;
}

/// Adds a moment; seconds that were missed have no values. Minutes are not made here but read again.
export async function add(report) {
  const now = Math.floor(report.time / 1000);
  // Moments are a second apart, but not to the millisecond: their numbers tell how many there were.
  const passed = report.number > 0 && last > 0 ? report.number - last : now - recent.end;
  last = report.number;
  lengthen(recent, now, passed, report.second);
  if (shown.step === 1) lengthen(shown, now, passed, report.second);
  else if (now - shown.end >= shown.step) await load(shown.range).catch(() => {});
}

/// True if the moment is in what was read already.
export const knows = (report) => report.number > 0 && report.number === last;

function lengthen(history, now, passed, second) {
  if (passed <= 0) return;
  // A little more than a second lies between two moments, so that now and then a second has none.
  const late = now - history.end - passed;
  const missed = Math.min(late > 1 ? passed + late : passed, history.capacity);
  for (const name of NAMES) {
    const values = history.values[name];
    for (let gap = 1; gap < missed; gap += 1) values.push(null);
    values.push(second[name] ?? null);
    if (values.length > history.capacity) values.splice(0, values.length - history.capacity);
  }
  history.end = Math.abs(late) > 1 ? now : history.end + missed;
}
