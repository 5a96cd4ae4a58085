// SPDX-License-Identifier: Apache-2.0
// Numbers, times and requests in words.

/// `1,284`, `12.5`, `0.42`: three significant digits, or more for large numbers.
export function number(value) {
  if (!Number.isFinite(value)) return '–';
  const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/// `211 MiB`: binary units, in which budgets are set.
export function size(bytes) {
  if (!Number.isFinite(bytes)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return `${value.toLocaleString('en', { maximumFractionDigits: unit === 0 || value >= 100 ? 0 : 1 })} ${units[unit]}`;
}

/// Microseconds as `86 ms`.
export function time(microseconds) {
  if (!Number.isFinite(microseconds)) return '–';
  if (microseconds < 999.5) return `${Math.round(microseconds)} µs`;
  if (microseconds < 999_500) return `${number(microseconds / 1000)} ms`;
  return `${number(microseconds / 1_000_000)} s`;
}

/// Seconds as `6 d 4 h`: the two largest units.
export function duration(seconds) {
  const parts = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]];
  let rest = Math.max(0, Math.round(seconds));
  const words = [];
  for (const [unit, length] of parts) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || words.length > 0) words.push(`${count} ${unit}`);
  }
  return words.slice(0, 2).filter((word, index) => index === 0 || !word.startsWith('0 ')).join(' ') || '0 s';
}

/// Seconds since 1970 as `14:03`, optionally with seconds.
export const clock = (seconds, withSeconds = false) => new Date(seconds * 1000)
  .toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: withSeconds ? '2-digit' : undefined });

/// Seconds since 1970 as `14:03:21`, with the date before it if that day is not the present one: `30 Nov 2026, 14:03:21`.
export function moment(seconds, now = new Date()) {
  const then = new Date(seconds * 1000);
  if (then.toDateString() === now.toDateString()) return clock(seconds, true);
  return `${then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock(seconds, true)}`;
}

/// `1 original`, `2 originals`.
export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/// The source and options of a request's target, and the query for its explanation.
export function read(target) {
  const cut = target.indexOf('?');
  const path = cut < 0 ? target : target.slice(0, cut);
  const query = cut < 0 ? '' : target.slice(cut + 1);
  // In these URLs a plus is no space, unlike in forms.
  const source = new URLSearchParams(query.replaceAll('+', '%2B')).get('url');
  const whole = `target=${encodeURIComponent(target)}`;
  if (!source) return { source: target, options: '', query: whole };
  const options = query.split('&').filter((part) => !/^(url|sig|exp)=/.test(part)).join('&');
  if (path === '/img') return { source, options: options || 'as it is', query };
  return { source, options: `${path} ${options}`, query: whole };
}

/// The daemon's placeholder for a secret.
const HIDDEN = 'REDACTED';

/// The target without its signature, for which an explanation can be asked; null if another secret is hidden in it. A `sig`
/// behind a second question mark belongs to the source's URL.
export function explicable(target) {
  const unsigned = target.replace(/(^[^?]*\?|&)sig=REDACTED(&|$)/, (_, before, after) => (after ? before : before.slice(0, -1))).replace(/^([^?]*?)\/REDACTED\//, '$1/unsafe/');
  return unsigned.includes(HIDDEN) ? null : unsigned;
}

/// The outcomes in the history, in words.
export const OUTCOMES = {
  memory_hits: 'from memory', disk_hits: 'from disk', shared_hits: 'from the store', stale_answers: 'stale', revalidated: 'revalidated',
  rendered: 'rendered', coalesced: 'joined another', negative: 'known to fail', bypassed: 'not kept', refused: 'refused',
  synthetic_answers: 'no picture',
};
