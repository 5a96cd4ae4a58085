// SPDX-License-Identifier: Apache-2.0
// The likeness of two pictures: the mean of SSIM (Wang et al. 2004) over blocks of 8 × 8, of their lightness on white.
// 1 means equal; below 0.95 most people see a difference.

const longest = 800;

/// The `lightness` of a blob, scaled to at most `longest` pixels a side.
export async function lightness(blob) {
  const picture = await createImageBitmap(blob);
  const factor = Math.min(1, longest / Math.max(picture.width, picture.height));
  const [width, height] = [Math.max(1, Math.round(picture.width * factor)), Math.max(1, Math.round(picture.height * factor))];
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0, width, height);
  picture.close();
  const { data } = context.getImageData(0, 0, width, height);
  const values = new Float32Array(width * height);
  for (let i = 0; i < values.length; i += 1) values[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
  return { width, height, values };
}

/// Null if the sizes differ, or a picture is smaller than a block.
export function likeness(a, b) {
  if (a.width !== b.width || a.height !== b.height || a.width < 8 || a.height < 8) return null;
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  let sum = 0;
  let blocks = 0;
  for (let top = 0; top + 8 <= a.height; top += 8) {
    for (let left = 0; left + 8 <= a.width; left += 8) {
      let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];
      for (let row = top; row < top + 8; row += 1) {
        for (let at = row * a.width + left, end = at + 8; at < end; at += 1) {
          const [p, q] = [a.values[at], b.values[at]];
          x += p; y += q; xx += p * p; yy += q * q; xy += p * q;
        }
      }
      const [mx, my] = [x / 64, y / 64];
      const [vx, vy, vxy] = [xx / 64 - mx * mx, yy / 64 - my * my, xy / 64 - mx * my];
      sum += ((2 * mx * my + c1) * (2 * vxy + c2)) / ((mx * mx + my * my + c1) * (vx + vy + c2));
      blocks += 1;
    }
  }
  return sum / blocks;
}
