// SPDX-License-Identifier: Apache-2.0
// One control: `{node, input, write}`. `tell` is called with the value as text, empty for the default.
import { el } from './common.js';
import { handy, labelOf } from './labels.js';

export function control(option, id, tell) {
  switch (option.kind) {
    case 'flag': return ['0', '1'].includes(option.default_value) ? box(option, id, tell) : select(option, id, tell, ['1', '0'], ['on', 'off']);
    case 'choice': return select(option, id, tell, option.choices);
    case 'color': return swatch(option, id, tell);
    case 'integer': case 'decimal': case 'number_or': return number(option, id, tell);
    default: return text(option, id, tell);
  }
}

function box(option, id, tell) {
  const usual = option.default_value === '1';
  const input = el('input', { type: 'checkbox', id, change: () => tell(input.checked ? '1' : '0') });
  const node = el('div', { class: 'check' }, input);
  return { node, input, write: (value) => { input.checked = value === undefined ? usual : !['0', 'false'].includes(value); } };
}

function select(option, id, tell, values, names = values) {
  const isListed = values.includes(option.default_value);
  const first = isListed ? [] : [el('option', { value: '' }, option.default_value || 'none')];
  const input = el('select', { class: 'field', id, change: () => tell(input.value) },
    ...first, ...values.map((value, index) => el('option', { value }, names[index])));
  return {
    node: input, input,
    write: (value) => {
      const wanted = value ?? (isListed ? option.default_value : '');
      // A value that is not in the list comes from the address and is invalid. It is shown, so that the
      // refusal makes sense.
      if (![...input.options].some((each) => each.value === wanted)) input.append(el('option', { value: wanted }, wanted));
      input.value = wanted;
    },
  };
}

function text(option, id, tell) {
  const list = option.choices?.length ? el('datalist', { id: `${id}-list` }, ...option.choices.map((value) => el('option', { value }))) : null;
  const input = el('input', {
    class: 'field', id, 'data-usual': option.default_value, type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: option.default_value || 'none',
    list: list && `${id}-list`, input: () => tell(input.value),
  });
  return { node: el('div', {}, input, list), input, write: (value) => { keep(input, value ?? ''); } };
}

function swatch(option, id, tell) {
  const pick = el('input', { type: 'color', 'aria-label': `${labelOf(option.name)}, picker`, input: () => tell(pick.value.slice(1)) });
  const input = el('input', { class: 'field mono', id, 'data-usual': option.default_value, type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: option.default_value || 'none', input: () => tell(input.value) });
  const write = (value) => {
    keep(input, value ?? '');
    const hex = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(value ?? option.default_value ?? '')?.[1];
    if (hex) pick.value = `#${hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex}`;
  };
  return { node: el('div', { class: 'swatch' }, pick, input), input, write };
}

function number(option, id, tell) {
  const [low, high] = handy[option.name] ?? [option.minimum, option.maximum];
  const isWide = high - low > 400;
  const input = el('input', {
    class: 'field number', id, 'data-usual': option.default_value, type: 'text', inputmode: 'decimal', autocomplete: 'off',
    placeholder: option.default_value.length > 5 ? 'default' : option.default_value || 'none', input: () => tell(input.value),
  });
  if (isWide) return { node: input, input, write: (value) => keep(input, value ?? '') };
  const step = option.kind === 'decimal' ? (high - low <= 1 ? 0.01 : 0.1) : 1;
  const usual = Number.isFinite(Number(option.default_value)) && option.default_value !== '' ? Number(option.default_value) : null;
  const slider = el('input', {
    type: 'range', min: low, max: high, step, 'aria-label': `${labelOf(option.name)}, slider`,
    input: () => { input.value = slider.value; tell(slider.value); },
  });
  const write = (value) => {
    keep(input, value ?? '');
    const shown = Number(value ?? usual ?? (option.name === 'q' ? 80 : low));
    if (Number.isFinite(shown)) slider.value = shown;
  };
  return { node: el('div', { class: 'range' }, slider, input), input, write };
}

/// Leaves a field alone while somebody types in it, so that the cursor stays.
function keep(input, value) {
  if (document.activeElement === input && input.value.trim() === value) return;
  // The field holds the default, typed by hand, which the state omits.
  if (document.activeElement === input && value === '' && input.dataset.usual === input.value.trim()) return;
  if (input.value !== value) input.value = value;
}
