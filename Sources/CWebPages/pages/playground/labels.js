// SPDX-License-Identifier: Apache-2.0
// Labels for options, and names of formats. An option that is not listed has its name as its label.

const labels = {
  w: 'Width', h: 'Height', ar: 'Aspect ratio', zoom: 'Zoom', dpr: 'Pixel density', minw: 'Minimum width', minh: 'Minimum height', fit: 'Fit', turnbox: 'Turn the box', we: 'Never enlarge', wr: 'Never reduce', shrinkbox: 'Shrink the box', linear: 'Linear light', a: 'Keep',
  ax: 'Shift, x', ay: 'Shift, y', fpx: 'Focal point, x', fpy: 'Focal point, y', cx: 'Crop left', cy: 'Crop top', cw: 'Crop width', ch: 'Crop height', ca: 'Crop from',
  precrop: 'Crop the original', trim: 'Trim border', tbg: 'Border colour', mask: 'Shape', mtrim: 'Trim to shape',
  mbg: 'Around the shape', radius: 'Round corners', pad: 'Padding', pbg: 'Padding colour', ro: 'Rotate', rbg: 'Corner colour', flip: 'Flip', flop: 'Mirror', preturn: 'Turn first',
  bg: 'Background', cbg: 'Bar colour', cblur: 'Blurred bars', filt: 'Filter', start: 'Duotone dark', stop: 'Duotone light', tint: 'Tint',
  bri: 'Brightness', con: 'Contrast', gam: 'Gamma', mod: 'Modulate', sat: 'Saturation', hue: 'Hue', blur: 'Blur',
  pixelate: 'Pixelate', sharp: 'Sharpen', sharpf: 'Flat areas', sharpj: 'Jagged areas', wm: 'Watermark', wmp: 'Watermark place', wmx: 'Watermark shift, x', wmy: 'Watermark shift, y', wms: 'Watermark width', wmh: 'Watermark height',
  wmo: 'Watermark opacity', text: 'Text', tpos: 'Text place', tx: 'Text shift, x', ty: 'Text shift, y', tsize: 'Text size', tcol: 'Text colour', tfont: 'Font', talign: 'Text alignment', twidth: 'Text width', output: 'Format', asis: 'As it came', svg: 'Keep a drawing', q: 'Quality', fq: 'Quality by format', maxbytes: 'Maximum bytes', l: 'PNG level', af: 'PNG filters', il: 'Progressive',
  ll: 'Lossless', profile: 'Colours', metadata: 'Metadata', gainmap: 'Gain map', json: 'JSON details', n: 'Frames', page: 'First frame', loop: 'Loops',
  delay: 'Delay', default: 'Fallback', filename: 'File name', attachment: 'Save as a file', v: 'Version', encoding: 'Encoding', maxage: 'Lifetime',
  priority: 'Priority', preset: 'Preset',
};

export const labelOf = (name) => labels[name] ?? name;

/// `WEBP` for `image/webp`, `JSON`, and `TEXT` for other text.
export const format = (type) => type.replace(/;.*/, '').replace(/^text\/plain$/, 'text').replace(/^.*\//, '').toUpperCase();

/// Practical bounds of sliders, for options that allow a wider range.
export const handy = {
  dpr: [0.5, 4], ro: [-180, 180], hue: [-180, 180], sat: [0, 3], blur: [0.3, 20], n: [1, 32],
};
