// SPDX-License-Identifier: Apache-2.0
// Signed targets, if /img needs them: with the admin token, Pictor signs each URL. The token stays in this tab's memory;
// it is in no URL and in no storage.
import { $, announce, el } from './common.js';

let token = '';
let isNeeded = false;

/// Shows the field for the token if URLs need a signature. `again` is called once a token is given.
export function build(settings, again) {
  isNeeded = settings.dialects.some(({ name, is_signed: isSigned }) => name === 'native' && isSigned);
  $('#token-form').hidden = !isNeeded;
  if (!isNeeded) return;
  const field = el('input', { class: 'field', id: 'token', type: 'password', autocomplete: 'off', 'aria-describedby': 'token-hint token-error' });
  $('#token-form').append(
    el('label', { for: 'token' }, 'Admin token'), field, el('button', { type: 'submit', class: 'button primary' }, 'Sign'),
    el('span', { class: 'quiet', id: 'token-hint' }, 'Pictures need a signature here. The token stays in this tab’s memory.'), el('span', { class: 'error', id: 'token-error' }));
  $('#token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    token = field.value.trim();
    again();
  });
}

export const needsSignature = () => isNeeded;

export const isSigning = () => isNeeded && token !== '';

/// The target of `/img` for a query, signed if necessary and possible.
export async function target(query, signal) {
  if (!isSigning()) return `/img?${query}`;
  const response = await fetch(`/playground/sign?${query}`, { signal, headers: { Authorization: `Bearer ${token}` } });
  const { url, message } = await response.json();
  $('#token-error').textContent = response.status === 401 ? message : '';
  if (response.status === 401) { token = ''; announce(message); }
  // An invalid query is not signed; /img reports the error.
  return url ?? `/img?${query}`;
}
