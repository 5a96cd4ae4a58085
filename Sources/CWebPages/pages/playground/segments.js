// SPDX-License-Identifier: Apache-2.0
// A row of buttons, one of which is pressed.
import { $$, el } from './common.js';

/// `choices`: pairs of value and word. `tell` is called when another button is pressed.
export function segments(place, choices, first, tell) {
  place.replaceChildren(...choices.map(([value, word]) => el('button', {
    type: 'button', 'data-value': value, 'aria-pressed': String(value === first),
    click: (event) => {
      for (const each of $$('button', place)) each.setAttribute('aria-pressed', String(each === event.currentTarget));
      tell(value);
    },
  }, word)));
}
