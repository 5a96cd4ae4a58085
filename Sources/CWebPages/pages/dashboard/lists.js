// SPDX-License-Identifier: Apache-2.0
// What clients request, what is fetched and what is refused. All strings come from strangers, so they are set
// as text.
import { $, el, milliseconds, percent } from './common.js';
import { explain } from './explain.js';
import { keyed } from './keyed.js';
import { duration, explicable, plural, read } from './words.js';

/// Two lines: the source picture, and the options.
function target() {
  const source = el('span', { class: 'mono source' });
  const options = el('span', { class: 'quiet mono options' });
  return {
    node: el('div', { class: 'target' }, source, options),
    show(text) {
      const asked = read(text);
      source.textContent = asked.source;
      options.textContent = asked.options;
      source.title = text;
    },
  };
}

/// The length in bytes at which the daemon cuts targets. A cut target would be explained wrongly.
const CUT = { popular: 512, mistake: 1024 };

function explainButton(text, cut) {
  const asked = explicable(text);
  const { query, source, options } = read(asked ?? text);
  const unsigned = asked !== text;
  const isCut = new TextEncoder().encode(text).length >= cut;
  const no = isCut ? 'It is too long to be explained.' : asked === null ? 'It has a secret that is not shown, so it cannot be explained here.' : '';
  if (no) return el('span', { class: 'quiet why', title: no }, '–', el('span', { class: 'offscreen' }, no));
  return el('button', { class: 'button', type: 'button', 'aria-label': `Explain ${[source, options].filter(Boolean).join(', ')}`, click: () => explain(query, unsigned) }, 'Explain');
}

function popular(item) {
  const what = target();
  const share = el('b', { class: 'number' });
  const bytes = el('span', { class: 'quiet number' });
  return {
    node: el('li', { class: 'row' }, what.node, el('div', { class: 'amount' }, share, bytes), explainButton(item.target, CUT.popular)),
    show(now) {
      what.show(now.target);
      share.textContent = percent(now.share);
      bytes.textContent = `${percent(now.byte_share)} of bytes`;
    },
  };
}

function mistake(item) {
  const what = target();
  const status = el('b', { class: `number ${item.status >= 500 ? 'bad' : 'warn'}` });
  const when = el('span', { class: 'quiet number' });
  return {
    node: el('li', { class: 'row' }, what.node, el('div', { class: 'amount' }, status, when), explainButton(item.target, CUT.mistake)),
    show(now) {
      what.show(now.target);
      status.textContent = `${now.status}${now.count > 1 ? ` × ${now.count.toLocaleString('en')}` : ''}`;
      when.textContent = `${now.outcome}, ${ago(now.time)}`;
    },
  };
}

let moment = 0;
const ago = (time) => `${duration((moment - time) / 1000)} ago`;

function fetching() {
  const url = el('span', { class: 'mono source' });
  const waiting = el('span', { class: 'quiet number' });
  return {
    node: el('li', { class: 'row' }, url, waiting),
    show(now) {
      url.textContent = now.url;
      url.title = now.url;
      waiting.textContent = now.waiting === 0 ? 'nobody waits' : `${plural(now.waiting, 'request waits', 'requests wait')}`;
    },
  };
}

function origin() {
  const name = el('span', { class: 'mono source' });
  const state = el('b', {});
  const more = el('span', { class: 'quiet number' });
  return {
    node: el('li', { class: 'row' }, name, el('div', { class: 'amount' }, state, more)),
    show(now) {
      name.textContent = now.origin;
      name.title = now.origin;
      const told = health(now);
      state.textContent = told.words;
      state.className = told.tone;
      more.textContent = told.more;
    },
  };
}

/// The state of a resting origin, or how well an origin answers.
function health({ state, retry_after: rest, rests, clients, failed, fetches, milliseconds: mean }) {
  const answers = fetches === undefined ? '' : `${Math.max(1, Math.round(fetches)).toLocaleString('en')} fetched, ${milliseconds(mean)} each`;
  if (state && state !== 'closed') {
    const words = state === 'resting' ? `rests, ${rest > 0 ? `${duration(rest)} more` : 'until asked'}` : 'is tried';
    return { words, tone: state === 'resting' ? 'bad' : 'warn', more: `${plural(rests, 'rest')}${clients ? `, for ${plural(clients, 'client')}` : ''}` };
  }
  return { words: failed > 0 ? `${percent(failed)} fail` : 'answers', tone: failed > 0.05 ? 'bad' : failed > 0 ? 'warn' : 'good', more: answers };
}

/// Resting origins first, then the others, worst first.
function allOrigins({ origins, fetched_origins: fetched }) {
  const known = new Map(fetched.map((each) => [each.origin, each]));
  const resting = origins.map((each) => ({ ...known.get(each.origin), ...each }));
  const names = new Set(origins.map((each) => each.origin));
  return [...resting, ...fetched.filter((each) => !names.has(each.origin))].slice(0, 20);
}

let lists = {};

export function build() {
  lists = {
    targets: keyed($('#targets'), { key: (item) => item.target, make: popular, none: 'Nothing was asked for in the last minutes.' }),
    errors: keyed($('#errors'), { key: (item) => `${item.status} ${item.target}`, make: mistake, none: 'No answer was an error.' }),
    fetching: keyed($('#fetching'), { key: (item) => item.url, make: fetching, none: 'No original is being fetched.' }),
    origins: keyed($('#origins'), { key: (item) => item.origin, make: origin, none: 'No origin was asked in the last minutes.' }),
  };
}

export function show(report) {
  moment = report.time;
  for (const [name, list] of Object.entries(lists)) list(name === 'origins' ? allOrigins(report) : report[name]);
  $('#origins-count').textContent = report.resting_origins > 0 ? `${report.resting_origins.toLocaleString('en')} left alone` : 'worst first';
}
