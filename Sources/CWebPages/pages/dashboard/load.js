// SPDX-License-Identifier: Apache-2.0
// The machine's resources and how much of them is used: decoders, queues, budgets; and the state of the fleet.
import { $, el, percent } from './common.js';
import { keyed } from './keyed.js';
import { duration, number, plural, size, time } from './words.js';

const STATES = { starting: 'starts', ready: 'idle', busy: 'busy', ended: 'ended' };

/// A bar for sighted readers; the words beside it say the same.
function bar() {
  const fill = el('i');
  return {
    node: el('div', { class: 'bar', 'aria-hidden': 'true' }, fill),
    show(ratio, isOver = false) {
      fill.style.width = `${Math.round(Math.min(1, Math.max(0, ratio || 0)) * 100)}%`;
      fill.classList.toggle('over', isOver);
    },
  };
}

function decoder() {
  const what = el('span', { class: 'what' });
  const since = el('span', { class: 'number since' });
  const memory = el('span', { class: 'quiet number memory' });
  const name = el('span', { class: 'quiet number name' });
  const meter = bar();
  /// The process's memory without a picture; undefined until it was measured.
  let idle;
  return {
    node: el('li', { class: 'decoder' }, name, what, since, meter.node, memory),
    show(item) {
      name.textContent = `№ ${item.number}`;
      what.textContent = item.original ? `${item.original}${item.recipe ? ` → ${item.recipe}` : ''}` : STATES[item.state] ?? item.state;
      what.title = what.textContent;
      what.classList.toggle('quiet', !item.original);
      since.textContent = Number.isFinite(item.milliseconds) ? time(item.milliseconds * 1000) : '';
      if (item.price === undefined) idle = item.resident;
      const taken = item.price === undefined || idle === undefined ? undefined : Math.max(0, item.resident - idle);
      memory.textContent = [
        item.resident === undefined ? '' : `${size(item.resident)} in all`,
        item.price === undefined ? '' : taken === undefined ? `picture priced at ${size(item.price)}` : `picture ${size(taken)} of the ${size(item.price)} it is priced at`,
      ].filter(Boolean).join(', ');
      meter.show(taken / item.price, taken > item.price);
    },
  };
}

const budgets = [
  ['memory', 'Renditions in memory'], ['disk', 'Files on disk'], ['pictures', 'Pictures being decoded'],
].map(([name, title]) => ({ name, title, words: el('span', { class: 'number' }, '–'), meter: bar() }));
const queues = [['requests_in_flight', 'requests in flight'], ['waiting_decodes', 'pictures waiting'], ['waiting_fetches', 'fetches waiting'], ['connections', 'connections']]
  .map(([name, title]) => ({ name, title, value: el('b', { class: 'number' }, '–') }));

let decoders;

export function build() {
  decoders = keyed($('#decoders'), { key: (item) => item.number, make: decoder, none: 'No decoder processes.' });
  $('#queues').append(...queues.map(({ title, value }) => el('li', {}, value, el('span', { class: 'quiet' }, title))));
  $('#budgets').append(...budgets.map(({ title, words, meter }) => el('li', {}, el('div', { class: 'head' }, el('h3', {}, title), words), meter.node)));
}

/// Seconds without news from the fleet after which an alert is shown as well.
const LONG_LAG = 60;

function fleet(node, report) {
  node.hidden = !report;
  if (!report) return;
  node.classList.toggle('bad', !report.is_connected || report.lag_seconds > LONG_LAG);
  node.textContent = `Fleet: ${[
    report.is_connected ? `connected, ${plural(report.peers ?? 0, 'other node')}` : 'Redis is away', `all purges known ${duration(report.lag_seconds)} ago`,
    `${plural(report.outbox, 'purge waits', 'purges wait')} for Redis`, plural(report.gaps, 'gap'),
  ].join(', ')}`;
  node.title = report.position ? `Position in the stream: ${report.position}` : 'No position in the stream yet';
}

export function show(report) {
  decoders(report.decoders);
  fleet($('#fleet'), report.fleet);
  const busy = report.decoders.filter(({ state }) => state === 'busy').length;
  $('#decoders-free').textContent = `${busy} of ${plural(report.decoders.length, 'process', 'processes')} busy`;
  for (const { name, value } of queues) value.textContent = number(report.second[name] ?? NaN);
  for (const { name, words, meter } of budgets) {
    const budget = report.budgets[name];
    if (!budget) continue;
    words.textContent = budget.limit ? `${size(budget.used)} of ${size(budget.limit)} (${percent(budget.used / budget.limit, 0)})` : size(budget.used);
    meter.show(budget.limit ? budget.used / budget.limit : 0);
  }
}
