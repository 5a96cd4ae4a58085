// SPDX-License-Identifier: Apache-2.0
// What every page needs: making elements, formatting numbers, the theme. Text is always set as text, never as
// HTML.

/// Makes an element: `el('p', {class: 'quiet'}, 'text', child)`. Functions become listeners, true becomes an empty attribute.
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  assign(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/// The same in SVG's namespace.
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', name);
  assign(node, attributes);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function assign(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
}

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/// `41.2 kB`: bytes in decimal units, as for files.
export function bytes(count) {
  if (!Number.isFinite(count)) return '–';
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count;
  let unit = -1;
  do { value /= 1000; unit += 1; } while (value >= 999.5 && unit < units.length - 1);
  return `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/// `−98.7 %`, with a real minus sign.
export function percent(ratio, digits = 1) {
  if (!Number.isFinite(ratio)) return '–';
  const text = (Math.abs(ratio) * 100).toFixed(digits);
  return `${ratio < 0 && Number(text) !== 0 ? '−' : ''}${text} %`;
}

/// `18 ms`, `1.24 s`.
export function milliseconds(value) {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1000) return `${(value / 1000).toFixed(2)} s`;
  return value >= 10 ? `${Math.round(value)} ms` : `${value.toFixed(1)} ms`;
}

/// Calls `work` at once, then at most every `pause` milliseconds, and always with the last arguments.
export function throttle(work, pause) {
  let timer = 0;
  let last = 0;
  return (...values) => {
    clearTimeout(timer);
    const wait = Math.max(0, last + pause - performance.now());
    timer = setTimeout(() => { last = performance.now(); work(...values); }, wait);
  };
}

/// Remembers the choice of light or dark for the tab; without a choice the system's applies.
export function themeButton(button) {
  const root = document.documentElement;
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const saved = read('theme');
  if (saved === 'dark' || saved === 'light') root.dataset.theme = saved;
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { sessionStorage.setItem('theme', root.dataset.theme); } catch { /* Storage is off: the choice ends with the page. */ }
  });
}

function read(key) {
  try { return sessionStorage.getItem(key); } catch { return null; }
}

/// Announces `text` to screen readers, by the page's live region.
export function announce(text) {
  const region = $('#announcer');
  if (region) region.textContent = text;
}

/// Copies text; false if the browser does not allow it.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el('textarea', { 'aria-hidden': 'true', class: 'offscreen' });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
