// SPDX-License-Identifier: Apache-2.0
// Purges. The daemon first counts what would be removed, and only a counted order can be carried out.
import { $, announce } from './common.js';
import { give, sentence } from './api.js';
import { plural } from './words.js';

/// The label, hint and example of each kind of purge.
const FIELDS = {
  url: ['URL of the original', 'As it is written after url=.', 'https://host.example/photo.jpg'],
  prefix: ['Beginning of the URLs', 'A scheme, a whole host, and the beginning of a path.', 'https://host.example/products/'],
  host: ['Host', 'A name or an address alone: every scheme and port of it, and a bucket or a folder of that name.', 'host.example'],
  tag: ['Tag', 'As the origin gave it in Cache-Tag or Surrogate-Key.', 'product-42'],
  all: ['Everything', 'All originals and all that was made of them.', ''],
};

let counted = null;

/// Opens the dialog with a kind chosen.
export function open(kind, text = '') {
  $('#purge-kind').value = kind;
  $('#purge-text').value = text;
  forget();
  $('#purge').showModal();
  $(kind === 'all' || !text ? '#purge-kind' : '#purge-count').focus();
}

function order() {
  const kind = $('#purge-kind').value;
  const chosen = kind === 'all' ? { all: true } : { [kind]: $('#purge-text').value.trim() };
  if ($('#purge-soft').checked) chosen.soft = true;
  return chosen;
}

/// The count is no longer valid.
function forget() {
  const [label, hint, example] = FIELDS[$('#purge-kind').value];
  counted = null;
  $('#purge-label').textContent = label;
  $('#purge-hint').textContent = hint;
  $('#purge-text').placeholder = example;
  $('#purge-text').hidden = $('#purge-kind').value === 'all';
  $('#purge-go').disabled = true;
  $('#purge-go').textContent = $('#purge-soft').checked ? 'Make stale' : 'Purge';
  $('#purge-result').textContent = 'Nothing is removed before you have seen how much.';
  $('#purge-result').className = 'quiet';
  $('#purge-text').removeAttribute('aria-invalid');
}

const told = (report) => [
  plural(report.originals, 'original'), plural(report.renditions, 'rendition'), `${plural(report.answers, 'answer')} in memory`,
  plural(report.failures, 'remembered failure'), `${plural(report.fetches, 'fetch', 'fetches')} under way`,
].join(', ');

function say(text, kind) {
  $('#purge-result').textContent = text;
  $('#purge-result').className = kind;
  announce(text);
}

function fail(error) {
  say(sentence(error), 'error');
  if (error.code === 'bad_order') $('#purge-text').setAttribute('aria-invalid', 'true');
}

async function count(event) {
  event.preventDefault();
  forget();
  const wanted = order();
  try {
    const report = await give('/admin/purge', { ...wanted, dry_run: true });
    // The form changed while the daemon counted.
    if (JSON.stringify(wanted) !== JSON.stringify(order())) return;
    const sum = report.originals + report.renditions + report.answers + report.failures + report.fetches;
    counted = sum > 0 ? wanted : null;
    $('#purge-go').disabled = sum === 0;
    say(sum > 0 ? `${wanted.soft ? 'Would be made stale' : 'Would be removed'}: ${told(report)}.` : 'Nothing in the cache matches.', 'found');
  } catch (error) {
    fail(error);
  }
}

async function go() {
  if (!counted) return;
  const wanted = counted;
  counted = null;
  $('#purge-go').disabled = true;
  try {
    say(`${wanted.soft ? 'Made stale' : 'Removed'}: ${told(await give('/admin/purge', wanted))}.`, 'found');
  } catch (error) {
    fail(error);
  }
  $('#purge-count').focus();
}

export function build() {
  $('#purge-open').addEventListener('click', () => open('url'));
  $('#purge-form').addEventListener('submit', count);
  for (const name of ['kind', 'text', 'soft']) $(`#purge-${name}`).addEventListener('input', forget);
  $('#purge-go').addEventListener('click', go);
  $('#purge-close').addEventListener('click', () => $('#purge').close());
}
