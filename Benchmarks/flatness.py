#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the share of equal neighbouring pixels above which to try lossless WebP: bytes and CPU of three files of each picture.

    lab/bin/python Benchmarks/flatness.py --width 0 --width 400 A.png B.png     # `lab`: see encoders.py

Without pictures it draws encoders.py's photograph, screenshot and cut-out, and flat shapes. Width 0 means their own size.
"""

import argparse
import pathlib
import time

import numpy
import pyvips
from PIL import Image, ImageDraw

from encoders import cut_out, drawn_photo, screenshot


def shapes(width, height):
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((width // 8, height // 8, width // 2, height // 2), fill="navy")
    draw.ellipse((width // 3, height // 3, width * 7 // 8, height * 7 // 8), fill="orange")
    return image


def flatness(pixels):
    return float((pixels[:, 1:] == pixels[:, :-1]).all(axis=2).mean()) if pixels.shape[1] > 1 else 0.0


def written(image, suffix, **options):
    """Bytes, and CPU milliseconds, of which the least of three rounds counts."""
    least = float("inf")
    for _ in range(3):
        start = time.process_time()
        file = image.write_to_buffer(suffix, strip=True, **options)
        least = min(least, time.process_time() - start)
    return len(file), least * 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, action="append")
    parser.add_argument("picture", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.picture:
        sources = [(path.name, pyvips.Image.new_from_file(str(path))) for path in arguments.picture]
    else:
        photo = drawn_photo(800, 600)
        drawn = {"photograph": photo, "screenshot": screenshot(800, 600), "cut-out": cut_out(photo), "shapes": shapes(800, 600)}
        sources = [(name, pyvips.Image.new_from_array(numpy.asarray(image))) for name, image in drawn.items()]
    print("| picture | width | flatness | lossless WebP | WebP q 80 | AVIF q 65 | CPU ms |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    rows = []
    for name, source in sources:
        for width in arguments.width or [0, 400]:
            image = source.resize(width / source.width) if 0 < width < source.width else source
            image = image.colourspace("srgb").cast("uchar").copy_memory()
            files = [
                written(image, ".webp", lossless=True, Q=80, effort=2), written(image, ".webp", Q=80, effort=2),
                written(image, ".avif", Q=65, effort=1),
            ]
            rows.append((flatness(image.numpy().reshape(image.height, image.width, -1)), name, image.width, files))
    for share, name, width, files in sorted(rows, key=lambda row: row[0]):
        sizes, times = [f"{size:,}" for size, _ in files], " · ".join(f"{cpu:.0f}" for _, cpu in files)
        print(f"| {name} | {width} | {share:.2f} | {' | '.join(sizes)} | {times} |", flush=True)


if __name__ == "__main__":
    main()
