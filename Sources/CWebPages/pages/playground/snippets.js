// SPDX-License-Identifier: Apache-2.0
// Code to paste elsewhere: the state in the syntax of each place.
import { $, announce, copy, el } from './common.js';
import { segments } from './segments.js';
import { picture } from './preview.js';
import { isSigning, needsSignature } from './signature.js';
import { signing } from './signing.js';
import * as store from './state.js';

let settings = null;
let kind = 'URL';
let forms = {};

export function build(options) {
  settings = options;
  forms = { ...Object.fromEntries(dialectForms()), ...(needsSignature() ? unsigned(others) : others), Sign };
  const tabs = el('div', { class: 'segments', role: 'group', 'aria-label': 'Form' });
  const button = el('button', { type: 'button', class: 'button primary', id: 'copy', click: take }, 'Copy');
  $('#snippets').replaceChildren(el('div', { class: 'head' }, el('h2', {}, 'Code to copy'), button), tabs,
    el('pre', { id: 'snippet', tabindex: '0', 'aria-label': 'Text to paste' }), el('p', { class: 'quiet', id: 'snippet-note' }));
  segments(tabs, Object.keys(forms).map((name) => [name, name]), kind, (name) => { kind = name; show(); });
  // A single letter must not act in the whole page, where speech input would type it (WCAG 2.1.4).
  $('#snippets').addEventListener('keydown', (event) => {
    if (event.key === 'c' && !event.ctrlKey && !event.metaKey && !event.altKey) take();
  });
  store.onChange(show);
  show();
}

export function show() {
  const { text, note } = forms[kind]();
  $('#snippet').textContent = text;
  $('#snippet-note').textContent = note ?? '';
}

async function take() {
  const done = await copy($('#snippet').textContent);
  $('#copy').textContent = done ? 'Copied' : 'Select it by hand';
  announce(done ? 'Copied' : 'The browser does not let the page copy');
  setTimeout(() => { $('#copy').textContent = 'Copy'; }, 1500);
}

const at = (path, over = {}, state = store.state()) => `${location.origin}${path}?${store.query(state, over)}`;
const native = (over) => at('/img', over);
const html = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/// Widths for `srcset`: the ladder in the settings, or half, one, one and a half and two times the requested
/// width.
function widths() {
  const asked = Number(store.state().options.w) || picture.width || 800;
  const steps = settings.widths.length ? settings.widths.filter((step) => step <= asked * 2) : [0.5, 1, 1.5, 2].map((factor) => Math.round(asked * factor));
  return steps.length ? steps : [asked];
}

/// The height for a width, if both are requested.
function box(width) {
  const { w, h } = store.state().options;
  const ratio = Number(h) / Number(w);
  return Number.isFinite(ratio) && ratio > 0 ? { w: width, h: Math.round(width * ratio) } : { w: width };
}

const srcset = (over = {}) => widths().map((width) => `${native({ ...box(width), ...over })} ${width}w`).join(',\n    ');
const dimensions = () => (picture.width ? ` width="${picture.width}" height="${picture.height}"` : '');

const missing = 'Here this URL needs a signature; “Sign” shows how it is made.';
const signed = 'Signed by Pictor for this page. Each change needs another signature; “Sign” shows how it is made.';

/// The URL of the picture that is shown: with its signature if Pictor signs for this page.
const shownURL = () => (isSigning() && picture.target ? `${location.origin}${picture.target}` : native());

/// The forms, with the note that each of their URLs must be signed.
const unsigned = (all) => Object.fromEntries(Object.entries(all).map(([name, form]) => [name, () => ({ ...form(), note: missing })]));

/// One form for each available dialect.
const dialects = {
  native: ['URL', shownURL, 'Options that have their default value are left out.'],
  weserv: ['wsrv.nl', () => at('/', weserv()), 'The same by the rules of wsrv.nl, which itself does not know every option.'],
  next: ['next/image', () => nextImage(), 'next/image passes only a width and a quality.'],
};

/// wsrv.nl enlarges pictures unless `we` forbids it, whereas Pictor enlarges only if asked to.
const weserv = () => (store.state().options.we === '0' ? { we: '' } : { we: '1' });

function nextImage() {
  const { url, options } = store.state();
  return `${location.origin}/_next/image?url=${encodeURIComponent(url)}&w=${Number(options.w) || 640}&q=${Number(options.q) || 75}`;
}

function dialectForms() {
  return settings.dialects.filter(({ name }) => dialects[name]).map(({ name, is_signed: isSigned }) => {
    const [title, text, note] = dialects[name];
    return [title, () => ({ text: text(), note: !isSigned ? note : name === 'native' && isSigning() && picture.target ? signed : missing })];
  });
}

/// A loader for next/image, which passes width and quality; the other options come from the state.
function loader() {
  const { options } = store.state();
  const ratio = Number(options.h) / Number(options.w);
  const height = Number.isFinite(ratio) && ratio > 0 ? `&h=\${Math.round(width * ${ratio})}` : '';
  const rest = store.query({ url: '', options: { output: 'auto', ...options } }, { w: '', h: '', q: '' });
  return `// next.config.js: images: { loader: 'custom', loaderFile: './pictor.js' }
export default function pictor({ src, width, quality }) {
  // Of a picture of the site itself, src is a path.
  const { href } = new URL(src, 'https://www.example.com');
  return \`${location.origin}/img?url=\${encodeURIComponent(href)}&w=\${width}${height}&q=\${quality ?? ${Number(options.q) || 75}}&${rest}\`;
}`;
}

const others = {
  img: () => ({
    text: `<img src="${html(native())}"\n  srcset="${html(srcset())}"\n  sizes="(max-width: ${Number(store.state().options.w) || 800}px) 100vw, ${Number(store.state().options.w) || 800}px"\n ${dimensions()} alt="" loading="lazy">`,
    note: 'Width and height keep the page from jumping; put into sizes what your layout does.',
  }),
  picture: () => ({
    text: `<picture>\n${['avif', 'webp'].map((output) => `  <source type="image/${output}" srcset="${html(srcset({ output }))}" sizes="100vw">`).join('\n')}\n  <img src="${html(native({ output: 'jpg' }))}"${dimensions()} alt="" loading="lazy">\n</picture>`,
    note: 'output=auto does the same by the Accept field, with one URL.',
  }),
  CSS: () => ({ text: `background-image: image-set(\n${[1, 2].map((dpr) => ['avif', 'webp'].map((output) => `  url("${native({ output, dpr: dpr === 1 ? '' : dpr })}") type("image/${output}") ${dpr}x`).join(',\n')).join(',\n')});` }),
  Loader: () => ({ text: loader(), note: 'Put the address of your site where www.example.com stands.' }),
  curl: () => ({ text: `curl -sS -D - -o picture '${native().replaceAll("'", "'\\''")}'` }),
};

const Sign = () => ({ text: signing(), note: 'The key stays on your server. On the command line, `pictor url make` does the same.' });
