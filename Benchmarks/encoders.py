#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the options of each encoder: bytes at equal likeness, and CPU milliseconds.

Likeness is SSIMULACRA2 (90: no difference seen side by side; 70: hard to see; 50: seen). Every set of options is
tried at several qualities. The bytes at the wanted likeness are interpolated between them, and so is the quality that
gives this likeness. CPU is that of this process, including the threads of the encoders.

    python3 -m venv lab && lab/bin/pip install pyvips ssimulacra2     # beside apt-get install libvips-dev
    lab/bin/python Benchmarks/encoders.py --photo A.jpg --photo B.jpg

Without photographs it draws one that is about as hard to compress as they are. The other pictures are always drawn: a
screenshot with text, and a cut-out with soft edges.
"""

import argparse
import io
import math
import pathlib
import re
import tempfile
import time

import numpy
import pyvips
import ssimulacra2
from PIL import Image, ImageDraw, ImageFont

# MARK: Pictures


def drawn_photo(width, height, seed=7):
    """A substitute for a photograph: noise of all scales, stronger at the coarse ones, with edges across it."""
    random, total = numpy.random.default_rng(seed), numpy.zeros((height, width, 3))
    for octave in range(8):
        cells = (max(2, height >> (7 - octave)), max(2, width >> (7 - octave)), 3)
        layer = random.normal(size=cells) * 0.62 ** octave
        image = [
            numpy.asarray(Image.fromarray(layer[:, :, band].astype(numpy.float32)).resize((width, height), Image.BICUBIC))
            for band in range(3)
        ]
        total += numpy.stack(image, axis=2)
    y, x = numpy.mgrid[0:height, 0:width]
    total += numpy.where((x * 3 + y * 2) % (width / 2) < width / 5, 0.5, 0)[:, :, None]
    grey = total.mean(axis=2, keepdims=True)
    total = grey + (total - grey) * 0.35
    return pyvips.Image.new_from_array(numpy.clip(118 + 46 * total, 0, 255).astype(numpy.uint8))


def screenshot(width, height):
    """Flat areas, one-pixel lines and small text, which lossy encoders smear."""
    image = Image.new("RGB", (width, height), (250, 250, 252))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, height // 14), fill=(36, 41, 56))
    draw.rectangle((0, height // 14, width // 5, height), fill=(236, 239, 244))
    words = "the quick brown fox jumps over the lazy dog 0123456789 (render) {recipe} = original".split()
    font, line = ImageFont.load_default(13), 0
    for y in range(height // 14 + 10, height - 20, 18):
        color = [(30, 30, 30), (180, 40, 40), (20, 90, 170), (30, 120, 60)][line % 4]
        text = " ".join(words[(line * 5 + i) % len(words)] for i in range(14))
        draw.text((width // 5 + 14, y), text, fill=color, font=font)
        draw.text((10, y), words[line % len(words)], fill=(90, 90, 110), font=font)
        if line % 6 == 0:
            draw.line((width // 5, y - 3, width, y - 3), fill=(210, 214, 222))
        line += 1
    return pyvips.Image.new_from_array(numpy.asarray(image))


def cut_out(photo):
    """The photograph in an ellipse whose edge fades to transparent."""
    y, x = numpy.mgrid[0:photo.height, 0:photo.width]
    radius = numpy.hypot((x / photo.width - 0.5) * 2, (y / photo.height - 0.5) * 2)
    alpha = numpy.clip((0.95 - radius) / 0.15, 0, 1) * 255
    return photo.bandjoin(pyvips.Image.new_from_array(alpha.astype(numpy.uint8))).copy(interpretation="srgb")


def thumbnail(path, width):
    options = {"export_profile": "srgb"} if has_profile(path) else {}
    return pyvips.Image.thumbnail(path, width, **options).copy_memory()


def has_profile(path):
    return pyvips.Image.new_from_file(path).get_typeof("icc-profile-data") != 0


# MARK: Ways of writing

LOSSY = {
    "JPEG": (".jpg", [40, 55, 68, 78, 88], {
        "4:2:0": {}, "4:2:0, optimised": {"optimize_coding": True},
        "4:2:0, progressive": {"interlace": True, "optimize_coding": True},
        "4:2:0, optimised, our tables": {"progressive": False}, "4:2:0, progressive, our tables": {"progressive": True},
        "4:4:4": {"subsample_mode": "off"},
    }),
    "WebP": (".webp", [50, 65, 78, 88, 95], {
        "effort 0": {"effort": 0}, "effort 1": {"effort": 1}, "effort 2": {"effort": 2}, "effort 3": {"effort": 3},
        "effort 4": {"effort": 4}, "effort 6": {"effort": 6},
        "effort 2, sharp chroma": {"effort": 2, "smart_subsample": True},
    }),
    "AVIF": (".avif", [40, 52, 62, 72, 84], {
        "effort 0": {"effort": 0}, "effort 1": {"effort": 1}, "effort 2": {"effort": 2}, "effort 4": {"effort": 4},
        "effort 0, 4:4:4": {"effort": 0, "subsample_mode": "off"},
    }),
    "JPEG XL": (".jxl", [45, 60, 72, 82, 90], {
        "effort 3": {"effort": 3}, "effort 5": {"effort": 5}, "effort 7": {"effort": 7},
    }),
}
ALPHA = {
    "WebP": (".webp", [50, 65, 78, 88, 95], {
        f"alpha {quality}": {"effort": 2, "alpha_q": quality} for quality in (100, 90, 75, 50)
    }),
    "AVIF": (".avif", [40, 52, 62, 72, 84], {"effort 0": {"effort": 0}, "effort 2": {"effort": 2}}),
}
EXACT = {
    "PNG": (".png", {
        **{f"level {level}, no filter": {"compression": level, "filter": "none"} for level in (1, 6, 9)},
        **{f"level {level}, all filters": {"compression": level, "filter": "all"} for level in (1, 3, 6, 9)},
        "level 6, sub": {"compression": 6, "filter": "sub"}, "level 6, up": {"compression": 6, "filter": "up"},
        "level 6, paeth": {"compression": 6, "filter": "paeth"},
        "palette, effort 1": {"palette": True, "effort": 1, "filter": "none"},
        "palette, effort 4": {"palette": True, "effort": 4, "filter": "none"},
        "palette, effort 7": {"palette": True, "effort": 7, "filter": "none"},
    }),
    "WebP": (".webp", {f"lossless, effort {effort}": {"lossless": True, "effort": effort} for effort in (0, 1, 2, 4)}),
    "TIFF": (".tif", {
        "deflate, no predictor": {"compression": "deflate"},
        "deflate, predictor": {"compression": "deflate", "predictor": "horizontal"},
        "LZW, predictor": {"compression": "lzw", "predictor": "horizontal"},
        "JPEG q 80": {"compression": "jpeg", "Q": 80},
    }),
    "GIF": (".gif", {
        **{f"effort {effort}": {"effort": effort} for effort in (1, 3, 7, 10)},
        "effort 3, no dither": {"effort": 3, "dither": 0}, "effort 3, dither 0.5": {"effort": 3, "dither": 0.5},
    }),
    "JPEG XL": (".jxl", {f"lossless, effort {effort}": {"lossless": True, "effort": effort} for effort in (3, 5)}),
}


def encoded(image, suffix, options):
    """The file, and the CPU milliseconds that it took: the lesser of two runs, because a busy machine disturbs that one less."""
    times = []
    for _ in range(2):
        start = time.process_time()
        if "progressive" in options:
            file = with_our_tables(image, options["Q"], options["progressive"])
        else:
            file = image.write_to_buffer(suffix, **options, **({} if suffix == ".gif" else {"strip": True}))
        times.append((time.process_time() - start) * 1000)
    return file, min(times)


def our_tables():
    """Pictor's quantization tables (quality 50, row by row) for files with rounding. libvips without mozjpeg only offers libjpeg's own."""
    source = (pathlib.Path(__file__).resolve().parent.parent / "Sources/CEncoders/JPEG.c").read_text()
    tables = re.search(r"for_rounding = {\s*{(.*?)},\s*{(.*?)},\s*};", source, re.S).groups()
    return [[int(step) for step in re.findall(r"\d+", table)] for table in tables]


def with_our_tables(image, quality, progressive):
    """A JPEG with Pictor's tables, scaled as jpeg_set_quality() does. Pillow writes it, because it takes tables as they are."""
    scale = 5000 // quality if quality < 50 else 200 - quality * 2
    tables = [[min(max((step * scale + 50) // 100, 1), 255) for step in table] for table in our_tables()]
    pixels = numpy.asarray(image.write_to_memory()).reshape(image.height, image.width, image.bands)[:, :, :3]
    file = io.BytesIO()
    Image.fromarray(numpy.ascontiguousarray(pixels).squeeze()).save(
        file, "JPEG", qtables=tables, subsampling=2, optimize=True, progressive=progressive)
    return file.getvalue()


def likeness(image, file, folder):
    """SSIMULACRA2. Of a picture with alpha, the lesser of the values on a dark and on a light background."""
    grounds, scores = ([48], [208]) if image.hasalpha() else ([0],), []
    for ground in grounds:
        paths = []
        for name, picture in (("a", image), ("b", pyvips.Image.new_from_buffer(file, ""))):
            if picture.format != "uchar":
                picture = picture.colourspace("srgb").cast("uchar")
            if picture.hasalpha():
                picture = picture.flatten(background=ground * 3)
            path = folder / f"{name}.png"
            picture.write_to_file(str(path), compression=0, strip=True)
            paths.append(str(path))
        scores.append(ssimulacra2.compute_ssimulacra2(*paths))
    return min(scores)


def at(target, points, of):
    """The result at the target score, interpolated between the two nearest qualities; None if the target lies outside of all scores."""
    points = sorted(points, key=lambda point: point["score"])
    for low, high in zip(points, points[1:]):
        if low["score"] <= target <= high["score"]:
            part = (target - low["score"]) / max(1e-9, high["score"] - low["score"])
            return math.exp(math.log(of(low)) * (1 - part) + math.log(of(high)) * part)
    return None


# MARK: Tables


def lossy_table(title, image, target, ways, folder):
    print(f"\n### {title}, {image.width} × {image.height}, SSIMULACRA2 = {target}\n")
    print("| format | way | q | bytes | against the first | CPU ms |")
    print("|---|---|--:|--:|--:|--:|")
    for format, (suffix, qualities, options) in ways.items():
        first = None
        for way, option in options.items():
            points = []
            for quality in qualities:
                file, cpu = encoded(image, suffix, {**option, "Q": quality})
                points.append({"q": quality, "bytes": len(file), "cpu": cpu, "score": likeness(image, file, folder)})
            size = at(target, points, lambda point: point["bytes"])
            if size is None:
                reach = f"{min(p['score'] for p in points):.0f}…{max(p['score'] for p in points):.0f}"
                print(f"| {format} | {way} | – | reaches {reach} | | |", flush=True)
                continue
            first = first or size
            quality, cpu = (at(target, points, lambda point: point[key]) for key in ("q", "cpu"))
            print(
                f"| {format} | {way} | {quality:.0f} | {size:,.0f} | {size / first:.2f} | {cpu:.0f} |", flush=True)


def exact_table(title, image, folder):
    print(f"\n### {title}, {image.width} × {image.height}, without a quality\n")
    print("| format | way | bytes | SSIMULACRA2 | CPU ms |")
    print("|---|---|--:|--:|--:|")
    for format, (suffix, options) in EXACT.items():
        for way, option in options.items():
            file, cpu = encoded(image, suffix, option)
            score = likeness(image, file, folder)
            print(f"| {format} | {way} | {len(file):,} | {score:.1f} | {cpu:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photo", action="append", default=[], help="a photograph; may be given several times")
    parser.add_argument("--target", type=float, default=70, help="the SSIMULACRA2 at which bytes are compared")
    arguments = parser.parse_args()
    pyvips.cache_set_max(0)
    print(f"libvips {pyvips.version(0)}.{pyvips.version(1)}.{pyvips.version(2)}")

    def photos(width):
        made = [thumbnail(path, width) for path in arguments.photo]
        return made or [drawn_photo(width, width * 3 // 4)]

    with tempfile.TemporaryDirectory(prefix="pictor-encoders-") as name:
        folder = pathlib.Path(name)
        for index, photo in enumerate(photos(800)):
            lossy_table(f"Photograph {index + 1}", photo, arguments.target, LOSSY, folder)
        lossy_table("Small photograph", photos(200)[0], arguments.target, LOSSY, folder)
        lossy_table("Screenshot", screenshot(800, 600), arguments.target, LOSSY, folder)
        lossy_table("Cut-out", cut_out(photos(600)[0]), arguments.target, ALPHA, folder)
        exact_table("Photograph 1", photos(800)[0], folder)
        exact_table("Screenshot", screenshot(800, 600), folder)
        exact_table("Cut-out", cut_out(photos(600)[0]), folder)


if __name__ == "__main__":
    main()
