// SPDX-License-Identifier: Apache-2.0
// The daemon's reports, one a second: from a stream of server-sent events, or by polling if there is no stream.
import { anotherToken, get, open, Refusal } from './api.js';

/// Milliseconds without an event after which a connection counts as dead; far longer than the pause between
/// two events.
const SILENCE = 10_000;
/// The number of polls, a second apart, before the stream is tried again.
const QUESTIONS = 120;
/// The longest pause between two tries, in seconds.
const LONGEST = 20;
const LARGEST = 4_000_000;

const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

/// Calls `live(report)` for each report, and `state(name, detail)` for `open`, `lost` (seconds to the next try) and `refused`
/// (the refusal). Never returns.
export async function follow(live, state) {
  let failures = 0;
  const take = (report) => {
    if (failures >= 0) state('open');
    failures = -1;
    live(report);
  };
  for (;;) {
    let moments = 0;
    try {
      await stream((report) => { moments += 1; take(report); }).catch(unlessRefused);
      // There is no stream, none is free, or a proxy holds it back; polling gives the same reports.
      if (moments === 0 && await questions(take).catch(unlessRefused)) continue;
    } catch (refusal) {
      state('refused', refusal);
      failures = 0;
      await anotherToken();
      continue;
    }
    failures = Math.max(failures, 0) + 1;
    const seconds = Math.min(LONGEST, 2 ** (failures - 1));
    state('lost', seconds);
    await pause(seconds * 1000);
  }
}

/// False for errors that may be gone at the next try; throws errors that need another token or another host name.
function unlessRefused(error) {
  if (error instanceof Refusal && [401, 403, 421].includes(error.status)) throw error;
  return false;
}

async function questions(take) {
  for (let count = 0; count < QUESTIONS; count += 1) {
    take(await get('/admin/live'));
    await pause(1000);
  }
  return true;
}

async function stream(take) {
  const control = new AbortController();
  // The browser may keep the page, with its stream, for the back button.
  addEventListener('pagehide', () => control.abort(), { once: true, signal: control.signal });
  let timer = setTimeout(() => control.abort(), SILENCE);
  try {
    const answer = await open('/admin/events', { signal: control.signal, accept: 'text/event-stream' });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => control.abort(), SILENCE);
      text += value;
      if (text.length > LARGEST) throw new Error('an event without end');
      const blocks = text.split('\n\n');
      text = blocks.pop();
      const last = blocks.map(data).findLast((each) => each !== null);
      if (last !== undefined) take(JSON.parse(last));
    }
  } finally {
    clearTimeout(timer);
    control.abort();
  }
}

/// The data of a `live` event; null for other events and comments.
function data(block) {
  const lines = block.split('\n');
  if (!lines.includes('event: live')) return null;
  return lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trimStart()).join('\n');
}
