// SPDX-License-Identifier: Apache-2.0
// The request: the picture's URL and the options that differ from their defaults. The page's own address has the
// same query as /img, so a link to the page shares the state.

const listeners = new Set();
let current = { url: '', options: {} };
const past = [];
const future = [];
const deepest = 200;
let known = new Map();
let lastChange = { name: '', at: 0 };

/// `rows` are the options of the table. Synonyms are accepted and replaced by the name.
export function begin(rows, first) {
  known = new Map(rows.flatMap((row) => [row.name, ...row.synonyms].map((name) => [name, row.name])));
  current = read(location.search);
  if (!current.url) current = Object.keys(current.options).length ? { ...current, url: first.url } : first;
  addEventListener('popstate', () => { current = read(location.search); tell(); });
}

export const state = () => current;

/// Calls `work` after each change.
export function onChange(work) { listeners.add(work); }

/// Sets several options at once; an empty value removes one. Consecutive turns of one knob are a single step
/// of undo.
export function set(options, { url } = {}) {
  const next = { url: url ?? current.url, options: { ...current.options } };
  for (const [name, value] of Object.entries(options)) {
    if (value === '' || value === null || value === undefined) delete next.options[name];
    else next.options[name] = String(value);
  }
  if (query(next) === query(current)) return;
  const name = Object.keys(options).join();
  const now = performance.now();
  if (!name || name !== lastChange.name || now - lastChange.at > 800) past.push(current);
  if (past.length > deepest) past.shift();
  lastChange = { name, at: now };
  future.length = 0;
  move(next);
}

export function reset() {
  set(Object.fromEntries(Object.keys(current.options).map((name) => [name, ''])));
}

export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

export function undo() {
  if (!past.length) return;
  future.push(current);
  lastChange = { name: '', at: 0 };
  move(past.pop());
}

export function redo() {
  if (!future.length) return;
  past.push(current);
  lastChange = { name: '', at: 0 };
  move(future.pop());
}

function move(next) {
  current = next;
  const text = query(current);
  history.replaceState(null, '', text ? `${location.pathname}?${text}` : location.pathname);
  tell();
}

function tell() { for (const work of listeners) work(current); }

function read(search) {
  const options = {};
  let url = '';
  // For `/img` a plus is no space, unlike in forms.
  for (const [name, value] of new URLSearchParams(search.replaceAll('+', '%2B'))) {
    if (name === 'url') url = value;
    else if (known.has(name)) options[known.get(name)] = value;
  }
  return { url, options };
}

/// One value, percent-encoded; characters that a query may contain stay readable.
export function escape(text) {
  return encodeURIComponent(text).replace(/%2C/g, ',').replace(/%3A/g, ':').replace(/%2F/g, '/');
}

/// The query of `/img` for a state, the URL first; `over` replaces options.
export function query({ url, options }, over = {}) {
  const all = { ...options, ...over };
  const pairs = Object.entries(all).filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${escape(value)}`);
  return [...(url ? [`url=${encodeURIComponent(url)}`] : []), ...pairs].join('&');
}
