// SPDX-License-Identifier: Apache-2.0
// Renders pictures before they are requested. The length of an order is limited, so a long list becomes several
// orders.
import { $, announce } from './common.js';
import { get, give, sentence } from './api.js';
import { plural } from './words.js';

/// The most bytes of targets in an order; the daemon accepts 16 KiB in all.
const LONGEST = 12_000;

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/// Splits the list into parts that fit an order each.
function parts(targets) {
  const found = [[]];
  let length = 0;
  for (const target of targets) {
    const size = new TextEncoder().encode(JSON.stringify(target)).length + 1;
    if (length + size > LONGEST && found.at(-1).length > 0) { found.push([]); length = 0; }
    found.at(-1).push(target);
    length += size;
  }
  return found;
}

async function warm(event) {
  event.preventDefault();
  const targets = $('#warm-targets').value.split('\n').map((line) => line.trim()).filter(Boolean);
  if (targets.length === 0) { say('There is no request in the list.', 'error'); return; }
  const sum = { held: 0, made: 0, failed: 0 };
  const failures = [];
  $('#warm-go').disabled = true;
  say(`Runs: ${plural(targets.length, 'picture')}.`, 'quiet');
  try {
    for (const part of parts(targets)) {
      let report = await give('/admin/warm', { targets: part, accept: $('#warm-accept').value.trim() });
      while (report.state === 'running') {
        tell(report, sum, targets.length, 'Runs');
        await pause(500);
        report = await get('/admin/warm');
      }
      for (const name of Object.keys(sum)) sum[name] += report[name];
      failures.push(...report.failures);
    }
    tell({ held: 0, made: 0, failed: 0 }, sum, targets.length, 'Done');
    const words = failures.map(({ target, status, error }) => `${status} ${error}: ${target}`);
    say([$('#warm-words').textContent, ...words].join('\n'), failures.length ? 'error' : 'found');
  } catch (error) {
    say(sentence(error), 'error');
  }
  $('#warm-progress').hidden = true;
  $('#warm-now').textContent = '';
  $('#warm-go').disabled = false;
}

/// Shows the progress of the current part and the earlier ones. Not in a live region, because a screen reader would read it
/// twice a second.
function tell(report, sum, total, word) {
  const [held, made, failed] = ['held', 'made', 'failed'].map((name) => sum[name] + report[name]);
  const text = `${word}: ${held + made + failed} of ${plural(total, 'picture')}, ${made} made, ${held} held before, ${failed} failed.`;
  $('#warm-words').textContent = text;
  $('#warm-progress').hidden = word === 'Done';
  $('#warm-progress').value = (held + made + failed) / total;
  $('#warm-now').textContent = text;
}

function say(text, kind) {
  $('#warm-result').textContent = text;
  $('#warm-result').className = kind;
  announce(text);
}

export function build() {
  $('#warm-open').addEventListener('click', () => $('#warm').showModal());
  $('#warm-close').addEventListener('click', () => $('#warm').close());
  $('#warm-form').addEventListener('submit', warm);
}
