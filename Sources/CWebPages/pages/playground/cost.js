// SPDX-License-Identifier: Apache-2.0
// The cost of a picture: the outcome, the time of each stage, the bytes; and how the request was understood.
import { $, bytes, el, milliseconds, percent } from './common.js';
import { format, labelOf } from './labels.js';
import { onResult, picture, tag } from './preview.js';
import * as store from './state.js';
import * as told from './told.js';

const stages = { cache: 'Caches', origin: 'Origin', inspect: 'Header', queue: 'Queue', decode: 'Decode', encode: 'Encode' };
const outcomes = {
  rendered: 'rendered; next time from memory', memoryHit: 'from memory', diskHit: 'from disk', sharedHit: 'from the shared store', coalesced: 'shared with another request',
  revalidated: 'confirmed by the origin', stale: 'from the cache, after its lifetime', bypassed: 'made for this request, and kept nowhere',
};
let last = null;
let rows = new Map();

/// `options` are the rows of the table.
export function build(options) {
  rows = new Map(options.map((row) => [row.name, row]));
  for (const [place, title] of [['#cost', 'Time taken'], ['#why', 'How it was made']]) $(place).append(el('h2', {}, title));
  onResult((result) => {
    if (result) last = result;
    if (last) show();
    if (result) why(result, result.response.headers.get('Cache-Status') ?? '');
  });
}

function show() {
  const { response, blob, milliseconds: total } = last;
  const status = response.headers.get('Cache-Status') ?? '';
  const outcome = /detail=([\w-]+)/.exec(told.levels(status).node)?.[1] ?? '';
  const times = timings(response.headers.get('Server-Timing') ?? '');
  $('#cost').replaceChildren(
    el('div', { class: 'head' }, el('h2', {}, 'Time taken'), el('span', { class: 'pill' }, outcomes[outcome] ?? outcome)),
    bars(times), legend(times, total));
  const { original } = picture;
  const saved = original?.size ? (blob.size - original.size) / original.size : NaN;
  const kind = format(blob.type);
  $('#facts').replaceChildren(
    fact(bytes(blob.size), `${kind} bytes`), fact(saved > 0.0005 ? `+${percent(saved)}` : percent(saved), 'against full size', saved < -0.0005 ? 'good' : saved > 0.0005 ? 'warn' : ''),
    fact(picture.width ? `${picture.width} × ${picture.height}` : '–', 'pixels'), fact(kept(response.headers), 'clients keep it'));
  tag('after', 'Result', `${kind} ${picture.width ? `${picture.width} × ${picture.height}` : ''} · ${bytes(blob.size)}`);
  if (original) tag('before', 'Full size', `${String(original.format ?? '').toUpperCase()} ${original.width} × ${original.height} · ${bytes(original.size)}`);
}

/// Parses `name;desc=…;dur=1.2` for each stage (W3C Server Timing).
export function timings(text) {
  return text.split(',').map((part) => {
    const [name, ...rest] = part.trim().split(';');
    const value = (key) => rest.map((each) => each.trim()).find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1);
    return { name, duration: Number(value('dur')), note: value('desc') ?? '' };
  }).filter(({ name, duration }) => name && Number.isFinite(duration));
}

function bars(times) {
  const sum = times.reduce((total, { duration }) => total + duration, 0) || 1;
  const label = times.map(({ name, duration }) => `${stages[name] ?? name} ${milliseconds(duration)}`).join(', ');
  const stack = el('div', { class: 'stack', role: 'img', 'aria-label': label || 'No stage took measurable time' });
  for (const { name, duration } of times) {
    const bar = el('i', { class: `stage-${name}` });
    bar.style.flexGrow = String(Math.max(duration / sum, 0.004));
    stack.append(bar);
  }
  return stack;
}

function legend(times, total) {
  return el('div', { class: 'legend number' },
    ...times.map(({ name, duration, note }) => el('span', {}, el('i', { class: `stage-${name}` }), `${stages[name] ?? name} ${milliseconds(duration)}${note ? ` (${note.replaceAll('"', '')})` : ''}`)),
    el('span', { class: 'quiet' }, `${milliseconds(total)} in this browser`));
}

function fact(value, words, tone = '') { return el('div', {}, el('b', { class: tone }, value), el('span', { class: 'quiet' }, words)); }

/// How long a client may still keep the answer: its lifetime less its age.
function kept(headers) {
  const lifetime = /max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1];
  if (lifetime === undefined) return 'not kept';
  const value = Math.max(0, Number(lifetime) - Number(headers.get('Age') ?? 0));
  for (const [size, unit] of [[86400, 'd'], [3600, 'h'], [60, 'min']]) if (value >= size) return `${Math.round(value / size)} ${unit}`;
  return `${value} s`;
}

async function why({ response, blob, milliseconds: total }, status) {
  const { options } = store.state();
  const place = $('#why');
  const entries = [];
  const add = (term, ...value) => entries.push(el('dt', { class: 'quiet' }, term), el('dd', {}, ...value));
  for (const [name, value] of Object.entries(options)) add(labelOf(name), value);
  let recipe = '';
  try {
    const reply = await fetch(`/playground/recipe?${store.query(store.state())}`);
    if (reply.ok) ({ recipe } = await reply.json());
  } catch { /* The picture is there; its recipe is not shown. */ }
  add('Canonical recipe', el('span', { class: 'mono' }, recipe || 'no options: the original, encoded again'));
  add('Cache-Status', el('span', { class: 'mono' }, status));
  for (const name of ['Cache-Control', 'ETag', 'Vary', 'Pictor-Note']) {
    const value = response.headers.get(name);
    if (value) add(name, el('span', { class: 'mono' }, value));
  }
  const sentences = [
    told.recipe(options, rows), told.story(status), told.time(timings(response.headers.get('Server-Timing') ?? ''), total),
    told.reason(format(blob.type), options, response.headers, picture.original?.format),
  ].filter(Boolean);
  place.replaceChildren(el('h2', {}, 'How it was made'), el('div', { class: 'told' }, ...sentences.map((text) => el('p', {}, text))), el('dl', { class: 'number' }, ...entries));
}
