#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""File sizes of animations: a GIF as WebP in its own size, and as GIF of half its width, compared with gifsicle.

The first table is about files that Pictor made; no WebP should be larger than its GIF. gifsicle (`apt-get install gifsicle`) resizes with
`--resize-method lanczos3 -O3`, where it is installed. dB is the PSNR of frames against the file's frames, resized in full colour: the mean and the
least. gifsicle keeps a file's palette, which shows in the bytes and edges of drawings. The second table is about libvips' own saver. Its frames
have half the width, and are not steadied as Pictor's are (Sources/CVips/Steady.c). Bytes are relative to Pictor's options (the first row);
CPU and PSNR stand beside them.

    lab/bin/python Benchmarks/animations.py A.gif B.gif …                  # `lab`: see encoders.py

Without files it draws five: a camera that moves over a photograph, a drawing in which something moves, a text that scrolls, a camera that
stands still, with noise and dither, and a screen on which somebody types, each frame of which has its own palette.
"""

import pathlib
import shutil
import subprocess
import time

import numpy
import pyvips
from PIL import Image, ImageDraw

from encoders import drawn_photo, screenshot
from flatness import shapes
from lab import Lab, Pictures, arguments, describe_machine, require, table, verdict

# The options for an animation's frames, as in Sources/Imaging/Formats/Encoding.swift; then the alternatives.
OPTIONS = [
    {"effort": 3, "dither": 0.5}, *({"effort": 3, "dither": 0.5, "interframe_maxerror": error} for error in (2, 4, 8, 16)),
    {"effort": 3, "dither": 0}, {"effort": 3, "dither": 0, "interframe_maxerror": 8}, {"effort": 4, "dither": 1},
    *({"effort": 3, "dither": 0.5, "interpalette_maxerror": error} for error in (0, 2, 10)),
]


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("gifs", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    pyvips.cache_set_max(0)
    with Lab() as lab:
        folder, origin = lab.start_originals()
        files = [shutil.copyfile(path, folder / f"{number}-{path.name.replace(' ', '-')}") for number, path in enumerate(options.gifs)]
        files = files or drawn(folder)
        by_pictor(Pictures(lab, options.pictor, origin), files)
        by_libvips(files)


def drawn(folder):
    photo = numpy.asarray(drawn_photo(520, 390).numpy())
    text = numpy.asarray(screenshot(400, 900).numpy())
    drawing = shapes(400, 300)
    frames = {
        "photograph": [Image.fromarray(photo[step:step + 300, step * 2:step * 2 + 400]) for step in range(30)],
        "drawing": [moved(drawing, step) for step in range(30)],
        "text": [Image.fromarray(text[step * 8:step * 8 + 300]) for step in range(30)],
        "camera": standing(photo[:300, :400]),
        "screen": [typed(text[:300], step) for step in range(30)],
    }
    files = []
    for name, pictures in frames.items():
        files.append(folder / f"{name}.gif")
        pictures[0].save(files[-1], save_all=True, append_images=pictures[1:], duration=80, loop=0)
    return files


def moved(drawing, step):
    frame = drawing.copy()
    ImageDraw.Draw(frame).ellipse((step * 10, 200, step * 10 + 60, 260), fill="green")
    return frame


def standing(photo):
    """Frames in which a disc in negative colours moves over the photograph, with one palette for all and dither, as ffmpeg writes them."""
    random, frames = numpy.random.default_rng(5), []
    y, x = numpy.mgrid[0:photo.shape[0], 0:photo.shape[1]]
    for step in range(30):
        disc = (numpy.hypot(x - 40 - step * 10, y - 150) < 38)[:, :, None]
        frame = numpy.where(disc, 255 - photo, photo) + random.normal(scale=2, size=photo.shape)
        frames.append(Image.fromarray(numpy.clip(frame, 0, 255).astype(numpy.uint8)))
    palette = Image.fromarray(numpy.concatenate([numpy.asarray(frame) for frame in frames[::6]])).quantize(255)
    return [frame.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG) for frame in frames]


def typed(page, step):
    frame = Image.fromarray(page)
    draw = ImageDraw.Draw(frame)
    draw.rectangle((100, 200, 390, 226), fill="white")
    draw.text((105, 206), "a line that somebody types in"[:step], fill="black")
    return frame


# MARK: Files that Pictor made

def by_pictor(pictures, files):
    gifsicle = shutil.which("gifsicle")
    if not gifsicle:
        print("gifsicle is not installed")
    rows = []
    for file in files:
        with Image.open(file) as gif:
            width, frames = gif.width, gif.n_frames
        webp = pictures.make(file.name, "n=-1&output=webp")
        half = pictures.make(file.name, f"n=-1&output=gif&w={width // 2}")
        theirs = by_gifsicle(gifsicle, file, width // 2) if gifsicle else None
        wanted = frames_of(halved(file, width // 2))
        length, share = file.stat().st_size, len(webp) / file.stat().st_size
        rows.append([
            file.name, frames, f"{length:,}", f"{len(webp):,}", f"{share:.2f}", verdict(share, 1), f"{len(half):,}", likeness(half, wanted),
            *([f"{len(theirs):,}", likeness(theirs, wanted), f"{len(half) / len(theirs):.2f}"] if theirs else ["–"] * 3)])
    table(["bytes", "frames", "GIF", "WebP", "÷ GIF", "goal", "GIF of half the width", "dB", "gifsicle's", "dB", "÷"], rows)


def by_gifsicle(gifsicle, file, width):
    return subprocess.run(
        [gifsicle, "--resize-width", str(width), "--resize-method", "lanczos3", "-O3", file], stdout=subprocess.PIPE,
        check=True).stdout


# MARK: Options of libvips

def by_libvips(files):
    for file in files:
        with Image.open(file) as gif:
            width = gif.width // 2
        strip = halved(file, width)
        wanted = frames_of(strip)
        rows, first = [], None
        for options in OPTIONS:
            start = time.process_time()
            made = strip.write_to_buffer(".gif", **options)
            cpu = (time.process_time() - start) * 1000
            first = first or len(made)
            rows.append([
                ", ".join(f"{name} {value}" for name, value in options.items()), f"{len(made):,}", f"{len(made) / first:.2f}",
                f"{cpu:.0f}", likeness(made, wanted)])
        table([f"{file.name}, {width} wide", "bytes", "÷ first", "CPU ms", "dB"], rows)


# MARK: Likeness

def halved(file, width):
    return pyvips.Image.thumbnail(f"{file}[n=-1]", width, height=100_000).copy_memory()


def likeness(made, wanted):
    """The mean and the least PSNR of the frames in dB, or a dash if the frames' number or size differs."""
    frames = frames_of_gif(made)
    if [frame.shape for frame in frames] != [frame.shape for frame in wanted]:
        return "–"
    found = [psnr(*pair) for pair in zip(frames, wanted)]
    return f"{numpy.mean(found):.1f} {min(found):.1f}"


def frames_of(strip):
    """The pixels of each frame, with transparent ones on grey."""
    height = strip.get("page-height") if strip.get_typeof("page-height") else strip.height
    flat = strip.flatten(background=[128, 128, 128]) if strip.hasalpha() else strip
    pixels = flat.colourspace("srgb").cast("uchar").numpy().astype(float)
    return [pixels[top:top + height] for top in range(0, strip.height, height)]


def frames_of_gif(file):
    return frames_of(pyvips.Image.new_from_buffer(file, "[n=-1]"))


def psnr(one, other):
    return 10 * numpy.log10(255 * 255 / max(numpy.mean((one - other) ** 2), 1e-6))


if __name__ == "__main__":
    main()
