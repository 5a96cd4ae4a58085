#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws contact sheets of `a=attention` next to libvips' smartcrop, to be judged by eye: which of the two cuts keeps the subject?

Each row is one picture: as it is, then for each shape Pictor's cut and smartcrop's (`attention`). Transparent parts are on
grey. Sheets are JPEGs with up to --rows rows each.

    lab/bin/python Benchmarks/subjects.py --to sheets A.jpg B.png …          # `lab`: see encoders.py
    lab/bin/python Benchmarks/subjects.py --to sheets --shape 90x240 A.jpg

If `--box NAME=LEFT,TOP,RIGHT,BOTTOM` (parts of the sides, 0 to 1) gives a picture's subject, the share of the box that each
cut keeps is printed, and written below the cut.
"""

import io
import pathlib

import numpy
import pyvips
from PIL import Image, ImageDraw, ImageOps

from lab import Lab, Pictures, arguments, describe_machine, require, table

SHAPES = ["80x240", "160x240", "240x240", "240x80"]
CELL, GAP, LINE = 240, 12, 16
GROUND = (128, 128, 128)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="+", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, required=True, help="the folder of the sheets")
    parser.add_argument("--shape", action="append", help="WIDTHxHEIGHT, at most 240 a side; several times for several")
    parser.add_argument("--box", action="append", default=[], help="NAME=LEFT,TOP,RIGHT,BOTTOM, where the subject of a file is")
    parser.add_argument("--rows", type=int, default=6, help="of a sheet")
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    options.to.mkdir(parents=True, exist_ok=True)
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    shapes = [tuple(map(int, shape.split("x"))) for shape in options.shape or SHAPES]
    boxes = {}
    for box in options.box:
        name, _, sides = box.rpartition("=")
        boxes[name] = tuple(map(float, sides.split(",")))
    folder, origin = lab.start_originals()
    pictures = Pictures(lab, options.pictor, origin)
    rows, kept = [], []
    for number, path in enumerate(options.pictures):
        file = folder / f"{number}.png"
        upright(path).save(file)
        row = [(upright(path), path.name)]
        for shape in shapes:
            cuts = {"pictor": pictor(pictures, file.name, shape), "smartcrop": smartcrop(file, shape)}
            for name, cut in cuts.items():
                words = name
                if path.name in boxes:
                    share = share_kept(file, boxes[path.name], cut, shape)
                    kept.append([path.name, f"{shape[0]} × {shape[1]}", name, f"{share:.0%}"])
                    words += f" {share:.0%}"
                row.append((cut, words))
        rows.append(row)
    for start in range(0, len(rows), options.rows):
        path = options.to / f"sheet-{start // options.rows + 1}.jpg"
        sheet(rows[start:start + options.rows]).save(path, quality=90)
        print(path)
    if kept:
        table(["picture", "shape", "cut by", "of the box"], kept)


def upright(path):
    picture = ImageOps.exif_transpose(Image.open(path))
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


# MARK: Cuts

def pictor(pictures, name, shape):
    return picture_of(pictures.make(name, f"w={shape[0]}&h={shape[1]}&fit=cover&a=attention&we=0&output=png"))


def smartcrop(file, shape):
    made = pyvips.Image.thumbnail(str(file), shape[0], height=shape[1], crop="attention")
    return picture_of(made.write_to_buffer(".png"))


def picture_of(file):
    picture = Image.open(io.BytesIO(file))
    return picture.convert("RGBA" if picture.has_transparency_data else "RGB")


def opaque(picture):
    ground = Image.new("RGB", picture.size, GROUND)
    ground.paste(picture, mask=picture.getchannel("A") if picture.mode == "RGBA" else None)
    return ground


def share_kept(file, box, cut, shape):
    """The share of the box that lies in the cut. The cut is searched for in the resized picture, because both have the same scale."""
    whole = picture_of(file.read_bytes())
    scale = max(shape[0] / whole.width, shape[1] / whole.height)
    size = max(shape[0], round(whole.width * scale)), max(shape[1], round(whole.height * scale))
    pixels = numpy.asarray(opaque(whole.resize(size, Image.LANCZOS)), dtype=float)
    wanted = numpy.asarray(opaque(cut.resize(shape)), dtype=float)
    places = [(x, y) for x in range(size[0] - shape[0] + 1) for y in range(size[1] - shape[1] + 1)]
    x, y = min(places, key=lambda place: numpy.abs(
        pixels[place[1]:place[1] + shape[1], place[0]:place[0] + shape[0]] - wanted).sum())
    left, top, right, bottom = box[0] * size[0], box[1] * size[1], box[2] * size[0], box[3] * size[1]
    across = max(0, min(right, x + shape[0]) - max(left, x))
    down = max(0, min(bottom, y + shape[1]) - max(top, y))
    return across * down / max(1e-9, (right - left) * (bottom - top))


# MARK: Sheets

def sheet(rows):
    width = GAP + max(len(row) for row in rows) * (CELL + GAP)
    page = Image.new("RGB", (width, GAP + len(rows) * (CELL + LINE + GAP)), "white")
    draw = ImageDraw.Draw(page)
    for number, row in enumerate(rows):
        top = GAP + number * (CELL + LINE + GAP)
        for column, (picture, words) in enumerate(row):
            left = GAP + column * (CELL + GAP)
            small = ImageOps.contain(picture, (CELL, CELL)) if max(picture.size) > CELL else picture
            page.paste(opaque(small), (left, top))
            draw.text((left, top + CELL + 2), words, fill="black")
    return page


main()
