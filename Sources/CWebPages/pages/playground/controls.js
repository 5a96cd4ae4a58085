// SPDX-License-Identifier: Apache-2.0
// A control for each option of the table, by its kind. A new option in the table appears without further
// code.
import { $, $$, el } from './common.js';
import { labelOf } from './labels.js';
import { control } from './control.js';
import * as store from './state.js';

const rows = new Map();
const openAtFirst = new Set(['Size', 'Format']);

/// Fills the form from the groups of `options.json`.
export function build(groups) {
  const place = $('#groups');
  for (const group of groups) {
    const count = el('span', { class: 'quiet count' });
    const body = el('div', { class: 'rows' });
    place.append(el('details', { open: openAtFirst.has(group.name), 'data-group': group.name },
      el('summary', {}, el('span', {}, group.name), count), body));
    for (const option of group.options) body.append(row(option));
  }
  $('#find').addEventListener('input', find);
  $('#controls').addEventListener('submit', (event) => event.preventDefault());
  $('#reset').addEventListener('click', () => store.reset());
  store.onChange(show);
  show(store.state());
}

function row(option) {
  const id = `o-${option.name}`;
  const made = control(option, id, (value) => store.set({ [option.name]: plain(option, value) }));
  const error = el('span', { class: 'error', id: `${id}-error`, hidden: true });
  const hint = el('span', { class: 'offscreen', id: `${id}-hint` }, ...words(option.meaning), '. Values: ', ...words(option.values), '.');
  const label = el('label', { for: id }, labelOf(option.name), labelOf(option.name) === option.name ? null : el('code', {}, option.name));
  const node = el('div', { class: 'row', 'data-option': option.name }, label, made.node, error, hint);
  node.addEventListener('focusin', () => explain(option));
  node.addEventListener('pointerenter', () => explain(option));
  made.input.setAttribute('aria-describedby', `${id}-hint ${id}-error`);
  rows.set(option.name, { ...made, option, node, error });
  return node;
}

/// The default is expressed by leaving the option out.
function plain(option, value) {
  const text = String(value).trim();
  return text === option.default_value ? '' : text;
}

/// Text from the table; parts between backticks are code.
export function words(text) {
  return text.split('`').map((part, index) => (index % 2 ? el('code', {}, part) : part));
}

function explain(option) {
  $('#about').replaceChildren(
    el('p', {}, el('strong', {}, labelOf(option.name)), ' – ', ...words(option.meaning), '.'),
    el('p', { class: 'quiet' }, ...words(option.values), `; default: ${option.default_value || 'none'}`));
}

function show({ options }) {
  for (const { option, node, write } of rows.values()) {
    const value = options[option.name];
    node.classList.toggle('changed', value !== undefined);
    write(value);
  }
  for (const details of $$('#groups details')) {
    const count = $$('.row.changed', details).length;
    $('.count', details).textContent = count ? `${count} set` : '';
  }
  $('#reset').disabled = Object.keys(options).length === 0;
}

function find() {
  const text = $('#find').value.trim().toLowerCase();
  for (const details of $$('#groups details')) {
    let found = 0;
    for (const node of $$('.row', details)) {
      const { option } = rows.get(node.dataset.option);
      const all = [option.name, ...option.synonyms, labelOf(option.name), option.meaning].join(' ').toLowerCase();
      node.hidden = text !== '' && !all.includes(text);
      if (!node.hidden) found += 1;
    }
    details.hidden = found === 0;
    if (text !== '') details.open = found > 0;
  }
}

/// Shows the API's message at the control that it names. False if it names none.
export function showError(message) {
  clearErrors();
  const name = /"([^"]+)"/.exec(message)?.[1];
  const row = rows.get(name) ?? [...rows.values()].find(({ option }) => option.synonyms.includes(name));
  if (!row) return false;
  row.error.textContent = message;
  row.error.hidden = false;
  row.input.setAttribute('aria-invalid', 'true');
  row.node.closest('details').open = true;
  return true;
}

export function clearErrors() {
  for (const { error, input } of rows.values()) {
    error.hidden = true;
    error.textContent = '';
    input.removeAttribute('aria-invalid');
  }
}
