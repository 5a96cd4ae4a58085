// SPDX-License-Identifier: Apache-2.0
// Requests to the admin listener. The token is in this variable alone: it goes with the tab.

let token = '';
let waiting = [];

export const hasToken = () => token !== '';

/// Takes a token, and lets those go on who wait for one.
export function setToken(text) {
  token = text;
  const all = waiting;
  waiting = [];
  for (const goOn of all) goOn();
}

/// Until there is another token.
export const anotherToken = () => new Promise((goOn) => { waiting.push(goOn); });

/// An answer that is no success, in the API's own words.
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/// The answer, if it is a success; else throws a `Refusal`, or what the browser throws without a connection.
export async function open(path, { order, signal, accept } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (accept) headers.Accept = accept;
  const answer = await fetch(path, {
    method: order === undefined ? 'GET' : 'POST', cache: 'no-store', headers, signal,
    body: order === undefined ? undefined : JSON.stringify(order),
  });
  if (answer.ok) return answer;
  const words = await answer.json().catch(() => ({}));
  throw new Refusal(answer.status, String(words.error ?? ''), String(words.message ?? `The daemon answered ${answer.status}.`));
}

export const get = async (path, options) => (await open(path, options)).json();
export const give = async (path, order = {}) => (await open(path, { order })).json();

/// What went wrong, as a sentence.
export const sentence = (error) => error instanceof Refusal ? error.message : 'The daemon does not answer.';
