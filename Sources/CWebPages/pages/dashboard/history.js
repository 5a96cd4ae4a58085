// SPDX-License-Identifier: Apache-2.0
// The series of the chosen range: read once, then extended by each report.
import { get } from './api.js';

const CAPACITY = { '5min': 300, hour: 3600, day: 1440 };

/// The series that the charts use.
const NAMES = [
  'memory_hits', 'disk_hits', 'shared_hits', 'stale_answers', 'revalidated', 'rendered', 'coalesced', 'negative', 'bypassed', 'refused', 'synthetic_answers',
  'client_errors', 'server_errors', 'fetches', 'failed_fetches', 'sent_bytes', 'received_bytes', 'latency_50', 'latency_95', 'latency_99',
  'cache_95', 'origin_95', 'inspect_95', 'queue_95', 'decode_95', 'encode_95',
  'requests_in_flight', 'waiting_fetches', 'waiting_decodes', 'busy_decoders', 'memory_bytes', 'resident_bytes', 'disk_bytes',
];

const none = () => Object.fromEntries(NAMES.map((name) => [name, []]));

/// `end`: the time of the newest values in seconds since 1970; `step`: seconds between two values.
export const shown = { range: '5min', capacity: CAPACITY['5min'], step: 1, end: 0, values: none() };
/// The last seconds, whatever range is shown.
export const recent = { capacity: 75, step: 1, end: 0, values: none() };

let loading = 0;
/// The number of the last report; 0 for polled reports.
let last = 0;

/// Reads a range, and shows it once it has arrived.
export async function load(range, moment) {
  loading += 1;
  const own = loading;
  const report = await get(`/admin/history?range=${range}&series=${NAMES.join(',')}`);
  // The user has chosen another range meanwhile.
  if (own !== loading) return;
  // The history includes the report that triggered this reading.
  if (moment) last = moment.number;
  Object.assign(shown, { range, capacity: CAPACITY[range], step: report.step, end: report.end });
  for (const name of NAMES) shown.values[name] = report.series[name]?.values ?? [];
  if (report.step > 1) return;
  for (const name of NAMES) recent.values[name] = shown.values[name].slice(-recent.capacity);
  recent.end = report.end;
}

/// Adds a report; seconds that were missed have no values. Ranges in minutes are not extended but read again.
export async function add(report) {
  const now = Math.floor(report.time / 1000);
  // Reports are not exactly a second apart, so their numbers tell how many there were.
  const passed = report.number > 0 && last > 0 ? report.number - last : now - recent.end;
  last = report.number;
  lengthen(recent, now, passed, report.second);
  if (shown.step === 1) lengthen(shown, now, passed, report.second);
  else if (now - shown.end >= shown.step) await load(shown.range).catch(() => {});
}

/// True if the history already includes the report.
export const knows = (report) => report.number > 0 && report.number === last;

function lengthen(history, now, passed, second) {
  if (passed <= 0) return;
  // Reports are slightly more than a second apart, so now and then a second has none.
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
