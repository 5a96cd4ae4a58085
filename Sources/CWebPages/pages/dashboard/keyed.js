// SPDX-License-Identifier: Apache-2.0
// Lists that change each second. A row keeps its element while it shows the same thing, so that the focus stays.
import { el } from './common.js';

/// Makes a list. `key(item)` identifies a row, `make(item)` returns `{node, show(item)}`; `none` is the text of an empty list. Rows
/// keep their places while the user is in the list.
export function keyed(parent, { key, make, none }) {
  const rows = new Map();
  const empty = el('li', { class: 'quiet none' }, none);
  parent.append(empty);
  return (items) => {
    const isHeld = parent.contains(document.activeElement) || parent.matches(':hover');
    const keys = new Set(items.map(key));
    for (const [name, row] of rows) {
      if (keys.has(name) || isHeld && row.node.contains(document.activeElement)) continue;
      row.node.remove();
      rows.delete(name);
    }
    let before = null;
    for (const item of items) {
      const name = key(item);
      let row = rows.get(name);
      if (!row) {
        row = make(item);
        rows.set(name, row);
        if (isHeld) parent.append(row.node);
      }
      row.show(item);
      if (!isHeld && row.node !== (before ? before.nextElementSibling : parent.firstElementChild)) {
        if (before) before.after(row.node); else parent.prepend(row.node);
      }
      before = row.node;
    }
    empty.hidden = rows.size > 0;
    parent.append(empty);
  };
}
