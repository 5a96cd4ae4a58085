// SPDX-License-Identifier: Apache-2.0
// Long tasks and the drain, with their progress.
import { $, announce } from './common.js';
import { give, sentence } from './api.js';
import { plural, size } from './words.js';

const TASKS = {
  verify: {
    words: (report) => `${plural(report.checked, 'file')} of ${report.total.toLocaleString('en')}, ${size(report.bytes)} read: ${report.damaged} damaged, ${report.missing} missing`,
    ratio: (report) => report.total > 0 ? report.checked / report.total : 1,
  },
  gc: {
    words: (report) => `${plural(report.evicted, 'file')} evicted, ${plural(report.orphans, 'stray file')} and ${plural(report.dropped, 'empty row')} removed${report.index_bytes_after > 0 ? `, the index has ${size(report.index_bytes_after)}` : ''}`,
    ratio: (report) => ({ evicting: 0.1, sweeping: 0.4, compacting: 0.8 }[report.stage] ?? 1),
  },
};

let isDraining = false;
const states = {};

/// True once the order to drain was given.
export const drains = () => isDraining;

export function build() {
  for (const name of Object.keys(TASKS)) $(`#${name}`).addEventListener('click', () => start(name));
  $('#reload').addEventListener('click', reload);
  $('#drain').addEventListener('click', () => { $('#drain-result').textContent = ''; $('#drain-dialog').showModal(); });
  $('#drain-close').addEventListener('click', () => $('#drain-dialog').close());
  $('#drain-go').addEventListener('click', drain);
}

async function start(name) {
  try {
    show({ tasks: [await give(`/admin/${name}`)] });
  } catch (error) {
    say(name, sentence(error), 'error');
  }
}

/// Shows the result of an order beside its button.
function say(name, text, kind) {
  $(`#${name}-words`).textContent = text;
  $(`#${name}-words`).className = kind;
  announce(text);
}

async function reload() {
  try {
    const { changed, needs_restart: waiting, reasons } = await give('/admin/reload');
    const words = [changed.length ? `In force: ${changed.join(', ')}.` : '', waiting.length ? `After a restart: ${waiting.map((key) => `${key} (${reasons[key]})`).join(', ')}.` : ''];
    say('reload', words.filter(Boolean).join(' ') || 'Nothing has changed.', 'quiet');
  } catch (error) {
    say('reload', sentence(error), 'error');
  }
}

/// Shows the progress of the tasks in one report.
export function show(report) {
  for (const task of report.tasks) {
    const { words, ratio } = TASKS[task.task] ?? {};
    const before = states[task.task];
    states[task.task] = task.state;
    if (!words || task.state === 'idle') continue;
    const numbers = task[task.task];
    const isRunning = task.state === 'running';
    const progress = $(`#${task.task}-progress`);
    progress.hidden = !isRunning;
    progress.value = numbers ? ratio(numbers) : 0;
    $(`#${task.task}`).disabled = isRunning;
    const text = `${isRunning ? 'Runs' : 'Done'}${numbers ? `: ${words(numbers)}` : ''}.`;
    if (before !== task.state || isRunning) {
      $(`#${task.task}-words`).textContent = text;
      $(`#${task.task}-words`).className = 'quiet number';
    }
    if (before === 'running' && !isRunning) announce(text);
  }
  if (isDraining) $('#drain-words').textContent = `Draining: ${plural(Math.round(report.second.requests_in_flight ?? 0), 'request')} in flight, ${plural(Math.round(report.second.connections ?? 0), 'connection')} open.`;
}

async function drain() {
  $('#drain-go').disabled = true;
  try {
    await give('/admin/drain');
    isDraining = true;
    $('#drain').disabled = true;
    $('#drain-words').textContent = 'Draining.';
    $('#drain-dialog').close();
    announce('The daemon drains.');
  } catch (error) {
    $('#drain-result').textContent = sentence(error);
  }
  $('#drain-go').disabled = false;
}

/// Called when the daemon answers no longer, which is the aim of a drain.
export function ended() {
  if (isDraining) $('#drain-words').textContent = 'The daemon has ended.';
}
