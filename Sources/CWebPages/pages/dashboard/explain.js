// SPDX-License-Identifier: Apache-2.0
// What the caches hold for a request, and what would happen if it came now.
import { $, el } from './common.js';
import { get, sentence } from './api.js';
import * as purge from './purge.js';
import { duration, plural, size } from './words.js';

const row = (name, ...words) => [el('dt', {}, name), el('dd', {}, ...words)];

/// The question that the dialog currently shows. Answers to earlier questions are dropped.
let latest = null;

/// Asks for an explanation, and shows the answer. `unsigned` is true if the request had a signature, which is
/// not known here, so the answer does not cover it.
export async function explain(query, unsigned = false) {
  const question = {};
  const note = unsigned ? [el('p', { class: 'quiet' }, 'Asked without its signature, which is not shown here. One that is wrong or over is refused, whatever this says.')] : [];
  latest = question;
  const dialog = $('#explain');
  const body = $('#explain-body');
  $('#explain-verdict').textContent = '';
  body.replaceChildren(el('p', { class: 'quiet' }, 'Asking …'));
  $('#explain-purge').hidden = true;
  dialog.showModal();
  try {
    const found = await get(`/admin/explain?${query}`);
    if (latest !== question) return;
    // A live region, so that screen readers announce the answer.
    $('#explain-verdict').textContent = verdict(found);
    body.replaceChildren(...note, ...told(found));
    $('#explain-purge').hidden = false;
    $('#explain-purge').onclick = () => { dialog.close(); purge.open('url', found.asked.source); };
  } catch (error) {
    if (latest !== question) return;
    body.replaceChildren(...note, el('p', { class: 'error', role: 'alert' }, sentence(error)));
  }
}

const places = { memory: 'in memory', disk: 'on disk', shared: 'in the store that the nodes share' };

const verdict = ({ failure, forecast }) => failure ? `${failure.status} ${failure.error}: ${failure.message}` : `It would be ${/hit/i.test(forecast.outcome) ? 'a hit' : forecast.outcome}.`;

function told({ asked, original, shared, rendition, failure, origin, profile, forecast }) {
  const held = original && [
    `${original.format} ${original.width}×${original.height}, ${size(original.bytes)}, `,
    original.freshness.seconds_left > 0 ? `fresh for ${duration(original.freshness.seconds_left)}` : `stale since ${duration(-original.freshness.seconds_left)}`,
    `, ${plural(original.renditions, 'rendition')} on disk`,
  ].join('');
  const made = rendition && `${rendition.format} ${rendition.width}×${rendition.height}, ${rendition.held_in ? `${size(rendition.bytes)}, held ${places[rendition.held_in] ?? rendition.held_in}` : 'not held'}`;
  const health = { closed: 'is asked as usual', resting: `is left alone for ${duration(origin.retry_after)}`, probing: 'is being tried' }[origin.state] ?? origin.state;
  return [
    el('p', { class: 'quiet' }, forecast.why),
    el('dl', {},
      ...row('Source', el('span', { class: 'mono' }, asked.source)),
      ...row('Recipe', el('span', { class: 'mono' }, asked.recipe || 'as it is')),
      ...row('Original', held ?? (shared ? `not held here, ${size(shared.bytes)} in the store that the nodes share` : 'not held')),
      ...row('Rendition', made ?? 'not held'),
      ...row('Origin', `${origin.origin} ${health}${profile ? `, by the profile ${profile.name}` : ''}`),
      ...(forecast.lease_holder ? row('At work', `the node ${forecast.lease_holder}`) : []),
      ...(failure?.remembered ? row('Remembered', `for ${duration(failure.remembered)} more`) : [])),
  ];
}

export function build() {
  $('#explain-close').addEventListener('click', () => $('#explain').close());
}
