// SPDX-License-Identifier: Apache-2.0
// Requests to the admin listener. The token is only in this variable, so it is gone when the tab is closed.

let token = '';
let waiting = [];

export const hasToken = () => token !== '';

/// Sets the token, and resumes the requests that wait for one.
export function setToken(text) {
  token = text;
  const all = waiting;
  waiting = [];
  for (const goOn of all) goOn();
}

/// Waits until another token is set.
export const anotherToken = () => new Promise((goOn) => { waiting.push(goOn); });

/// An answer other than a success, in the API's own words.
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/// Returns a successful answer. Otherwise throws a `Refusal`, or the browser's error if there is no
/// connection.
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

/// The error as a sentence.
export const sentence = (error) => error instanceof Refusal ? error.message : 'The daemon does not answer.';
