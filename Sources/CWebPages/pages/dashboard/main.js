// SPDX-License-Identifier: Apache-2.0
// The dashboard: one stream of reports, and the parts that show them.
import { $, announce, el, themeButton } from './common.js';
import * as actions from './actions.js';
import { hasToken, setToken } from './api.js';
import * as charts from './charts.js';
import * as explain from './explain.js';
import { follow } from './feed.js';
import * as history from './history.js';
import * as lists from './lists.js';
import * as load from './load.js';
import * as purge from './purge.js';
import * as stats from './stats.js';
import * as warm from './warm.js';
import { duration, moment } from './words.js';

const RANGES = [['5min', '5 min'], ['hour', 'Hour'], ['day', 'Day']];

let isLoaded = false;
/// When the report was made that is shown, in milliseconds since 1970; 0 if none is.
let reported = 0;

themeButton($('#theme'));
for (const part of [stats, charts, load, lists, purge, actions, warm, explain]) part.build();
ranges();
signIn();
charts.draw(history.shown);
document.documentElement.dataset.ready = '1';
follow(live, state);

async function live(report) {
  show('live');
  reported = report.time;
  pill(report);
  load.show(report);
  lists.show(report);
  actions.show(report);
  if (!isLoaded) {
    isLoaded = true;
    await history.load(history.shown.range, report).catch(() => { isLoaded = false; });
  }
  if (!history.knows(report)) await history.add(report);
  // The page is hidden, and the next report will draw everything.
  if (document.hidden) return;
  stats.draw(history.recent);
  charts.draw(history.shown);
}

function pill(report) {
  const isAmiss = !report.is_ready || report.remark;
  status(report.is_ready ? report.remark ? 'amiss' : 'ready' : 'bad', actions.drains() ? 'draining' : report.is_ready ? 'ready' : 'not ready');
  $('#remark').hidden = !isAmiss;
  $('#remark').textContent = report.remark ?? '';
  $('#about').textContent = `${report.version} · up ${duration(report.uptime)}`;
}

function status(kind, words) {
  // Unchanged words are not set again, so that screen readers do not repeat them.
  $('#status').dataset.state = kind;
  if ($('#status').textContent === words) return;
  $('#status').textContent = words;
  announce(`The daemon: ${words}`);
}

/// Shows the state of the feed's connection.
function state(name, detail) {
  if (name === 'lost') {
    isLoaded = false;
    status('bad', 'no connection');
    actions.ended();
    outdated();
    $('#about').textContent = `next try in ${detail} s`;
  }
  if (name === 'refused') refused(detail);
}

/// Says how old the numbers are that stay on the page.
function outdated() {
  const text = `The daemon does not answer. What is shown is of ${moment(reported / 1000)}.`;
  $('#remark').hidden = reported === 0;
  if ($('#remark').textContent !== text) $('#remark').textContent = text;
}

function refused(refusal) {
  isLoaded = false;
  // The numbers are hidden, so their age is not told if the connection is lost as well.
  reported = 0;
  $('#remark').hidden = true;
  const isToken = refusal.status === 401;
  status(isToken ? 'wait' : 'bad', isToken ? 'token needed' : 'refused');
  $('#about').textContent = '';
  show(isToken ? 'token' : 'refused');
  $('#refusal').textContent = refusal.message;
  $('#token-error').textContent = isToken && hasToken() ? 'This is not the token of this daemon.' : '';
  $('#token').setAttribute('aria-invalid', String(isToken && hasToken()));
  if (isToken) {
    if (hasToken()) announce($('#token-error').textContent);
    $('#token').focus();
  }
}

/// One of `wait`, `token`, `refused` and `live`.
function show(view) {
  const isAtGate = document.activeElement?.closest('.gate');
  document.documentElement.dataset.view = view;
  // A gate that opens would take the focus with it.
  if (isAtGate && view === 'live') $('#main').focus({ preventScroll: true });
}

function signIn() {
  $('#sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    if (!$('#token').value.trim()) {
      $('#token-error').textContent = 'Enter the token.';
      $('#token').focus();
      return;
    }
    setToken($('#token').value.trim());
    $('#token').value = '';
  });
  $('#again').addEventListener('click', () => setToken(''));
}

function ranges() {
  const buttons = RANGES.map(([name, title]) => el('button', { type: 'button', 'data-value': name, 'aria-pressed': String(name === history.shown.range), click: () => choose(name) }, title));
  $('#ranges').append(...buttons);
  async function choose(name) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.value === name));
    await history.load(name).catch(() => announce('The history could not be read.'));
    charts.draw(history.shown);
  }
}
