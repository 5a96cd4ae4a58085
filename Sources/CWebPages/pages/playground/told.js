// SPDX-License-Identifier: Apache-2.0
// The request, and how its answer came about, in sentences.
import { milliseconds } from './common.js';
import { labelOf } from './labels.js';

const doing = { cache: 'asking the caches', origin: 'the origin', inspect: 'reading the header', queue: 'waiting for its turn', decode: 'decoding', encode: 'encoding' };
const fits = {
  inside: 'within', outside: 'at least', cover: 'cut to fill', fill: 'stretched to', contain: 'with bars to fill',
};

/// `640 px wide, never enlarged, as WEBP at quality 60.` Options without a phrase of their own follow with their
/// labels.
export function recipe(options, rows) {
  const left = new Map(Object.entries(options));
  const take = (name) => { const value = left.get(name); left.delete(name); return value; };
  const isOn = (value) => value !== undefined && !['0', 'false'].includes(value);
  const parts = [];
  const [w, h, fit] = [take('w'), take('h'), take('fit')];
  if (w && h) parts.push(`${fits[fit] ?? (fit ? `${fit} of` : 'within')} ${w} × ${h} px`);
  else if (w || h) parts.push(w ? `${w} px wide` : `${h} px high`);
  const dpr = take('dpr');
  if (dpr) parts.push(`for ${dpr} pixels a CSS pixel`);
  if (isOn(take('we'))) parts.push('never enlarged');
  const cut = ['cx', 'cy', 'cw', 'ch'].map(take);
  if (cut.some((value) => value !== undefined)) parts.push(`${isOn(take('precrop')) ? 'of the original, ' : ''}the ${cut[2] ?? 'full'} × ${cut[3] ?? 'full'} px from ${cut[0] ?? 0}, ${cut[1] ?? 0}`);
  const [focus, x, y] = [take('a'), take('fpx'), take('fpy')];
  if (focus === 'focal') parts.push(`around ${Math.round((x ?? 0.5) * 100)} %, ${Math.round((y ?? 0.5) * 100)} %`);
  else if (focus) parts.push(`keeping ${focus}`);
  const [output, q] = [take('output'), take('q')];
  const format = output === 'auto' ? 'in the best format that the browser takes' : output ? `as ${output.toUpperCase()}` : '';
  const quality = q === 'auto' ? 'at the quality that this picture needs' : q ? `at quality ${q}` : '';
  if (format || quality) parts.push([format, quality].filter(Boolean).join(' '));
  for (const [name, value] of left) {
    const row = rows.get(name);
    const label = labelOf(name).toLowerCase();
    parts.push(row?.kind === 'flag' ? (isOn(value) ? label : `not ${label}`) : `${label} ${value}`);
  }
  if (!parts.length) return 'The original, encoded again.';
  const text = parts.join(', ');
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/// The members of `Cache-Status` (RFC 9211) from this node, and from the nodes' shared store; empty if there is
/// none.
export function levels(status) {
  const member = (name) => status.split(', ').find((each) => each.split(';')[0] === name) ?? '';
  return { node: member('pictor'), store: member('pictor-store') };
}

/// The story that `Cache-Status` tells.
export function story(status) {
  const { node, store } = levels(status);
  const value = (name) => new RegExp(`${name}=([\\w-]+)`).exec(node)?.[1];
  const lifetime = Number(value('ttl'));
  const fresh = lifetime > 0 ? `, and stays fresh for ${duration(lifetime)} more` : '';
  const [outcome, origin, was] = [value('detail'), value('fwd-status'), value('fwd')];
  const fetched = origin === '304' ? 'The origin said that the original had not changed; the picture was made from it'
    : store.includes(';hit') && !origin ? 'The original was in the store that the nodes share; the picture was made from it'
    : was ? `The original was fetched${origin ? ` (${origin})` : ''}, and the picture was made from it` : 'The original was held already; the picture was made from it';
  const passed = store.includes('detail=late') ? ' The store that the nodes share was late, so the origin was asked beside it.'
    : store.includes('detail=silent') ? ' The store that the nodes share did not answer.' : '';
  switch (outcome) {
    case 'memoryHit': return `It was in memory${fresh}.`;
    case 'diskHit': return `It was on disk${fresh}.`;
    case 'sharedHit': return `It was in the store that the nodes share${fresh}.`;
    case 'coalesced': return 'Another request was having it made, and it serves both.';
    case 'revalidated': return 'It was held beyond its lifetime, and the origin confirmed it.';
    case 'stale': return 'It is served from the cache after its lifetime, while the origin is asked again.';
    case 'bypassed': return 'It was made for this request alone, and is kept nowhere, as its origin asked.';
    case 'rendered': return `${fetched} just now${fresh}.${passed}`;
    default: return '';
  }
}

/// The stages in `Server-Timing` that took longest.
export function time(times, total) {
  const told = times.filter(({ duration: each }) => each >= 0.05).sort((a, b) => b.duration - a.duration).slice(0, 3);
  if (!told.length) return `No stage took measurable time; this browser waited ${milliseconds(total)} in all.`;
  const parts = told.map(({ name, duration: each }, index) => `${index === 0 ? sentence(doing[name] ?? name) : doing[name] ?? name} took ${milliseconds(each)}`);
  const last = parts.pop();
  return `${parts.length ? `${parts.join(', ')} and ${last}` : last}; this browser waited ${milliseconds(total)} in all.`;
}

/// Why the picture has this format. `original` is the original's format, if it is known.
export function reason(type, options, headers, original) {
  const note = headers.get('Pictor-Note') ?? '';
  if (note.includes('avif-too-large')) return `${type} because AVIF of so many pixels would take too long.`;
  if (note === 'avif-later') return `${type} for now; AVIF is made behind this answer, for the next requests.`;
  if (note === 'avif-not-made') return `${type} because no AVIF is made of this picture.`;
  if (note) return `${type}, with a note: ${note}.`;
  if (options.output === 'auto') return `${type} is the best that the browser's Accept allows for this picture.`;
  if (options.output && options.output !== 'json') return `${type} because output=${options.output} asks for it.`;
  if (!original) return '';
  return original.toUpperCase().replace('JPG', 'JPEG') === type ? `${type} because the original is one, and nothing else was asked for.` : `${type} because Pictor writes no ${original.toUpperCase()}, and no format was asked for.`;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

function duration(seconds) {
  for (const [size, unit] of [[86400, 'day'], [3600, 'hour'], [60, 'minute']]) {
    if (seconds >= size) { const count = Math.round(seconds / size); return `${count} ${unit}${count === 1 ? '' : 's'}`; }
  }
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}
