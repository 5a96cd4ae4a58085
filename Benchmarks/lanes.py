#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares pictures of the JPEG lane with a full decode and with libvips' pictures of the same files: likeness and bytes.

Each photograph is written in every sampling of chroma and every orientation. Two daemons, with `decoder.jpeg-lane` and without, are
asked for it in every width: as PNG, for the PSNR against a full decode that is resized by Lanczos in floating point, and as JPEG of the
default quality, for SSIMULACRA 2 and bytes. The JPEG lane passes if it has at most 0.3 dB and 1 point of SSIMULACRA 2 less than
libvips, and if its bytes differ by at most 3 %. The script ends with status 1 if a picture does not pass, or if the lane was not taken.

    lab/bin/python Benchmarks/lanes.py A.jpg B.jpg …                      # `lab`: see encoders.py
    lab/bin/python Benchmarks/lanes.py --orientation 1 --width 400 A.jpg

With --zone it asks for a zone plate in grey instead, 1600 pixels a side, whose rings become as fine as pixels towards its far sides. In a
smaller picture most of it must be grey, and everything else there is an error. The script ends with status 1 below 45 dB.

Without photographs it draws encoders.py's. Above 48 dB no difference is visible; the script prints how many of the failures lie there.
"""

import io
import pathlib
import sys

import numpy
import ssimulacra2
from PIL import Image, ImageOps

from encoders import drawn_photo
from lab import Lab, Pictures, arguments, describe_machine, require, table, verdict

ZONE_SIDE = 1600
ZONE_WIDTHS = [1200, 800, 640, 500, 450, 401, 400, 267, 200, 160, 100, 64]
ZONE_GOAL = 45
# Pillow's names of the samplings.
SAMPLINGS = {"4:4:4": 0, "4:2:2": 1, "4:2:0": 2}
WIDTHS = [150, 400, 800, 1600]
ORIENTATION = 0x0112
# How much worse than libvips' the lane's picture may be: dB, points, and the relative difference in bytes.
PSNR, LOOK, BYTES = -0.3, -1, 0.03
# From this PSNR in dB on, nobody sees a difference.
PLAIN = 48
# SSIMULACRA 2 has another scale for smaller pictures.
LEAST_SIDE = 256


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("pictures", nargs="*", type=pathlib.Path)
    parser.add_argument("--width", type=int, action="append")
    parser.add_argument("--sampling", choices=SAMPLINGS, action="append")
    parser.add_argument("--orientation", type=int, choices=range(1, 9), action="append")
    parser.add_argument("--quality", type=int, default=92, help="of the originals")
    parser.add_argument("--zone", action="store_true", help="a zone plate, and no photographs")
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    with Lab() as lab:
        sys.exit(0 if measure(lab, options) else 1)


def measure(lab, options):
    folder, origin = lab.start_originals()
    lanes = [
        Lane(Pictures(lab, options.pictor, origin, "--decoder-jpeg-lane", lane, name=f"lane-{lane}"), lane == "true")
        for lane in ("true", "false")]
    if options.zone:
        return measure_zone(lanes, folder)
    rows, misses, total = [], [], 0
    for sampling in options.sampling or SAMPLINGS:
        for width in options.width or WIDTHS:
            results = []
            for name, photo in photographs(options.pictures):
                for orientation in options.orientation or range(1, 9):
                    file = folder / f"{name}-{sampling.replace(':', '')}-{orientation}.jpg"
                    if not file.exists():
                        write(photo, file, sampling, orientation, options.quality)
                    if result := compare(lab, lanes, file, width):
                        results.append((f"{file.name} → {width}", *result))
            total += len(results)
            if results:
                rows.append([sampling, width, len(results), *summary(results)])
            misses += [result for result in results if not passes(result)]
    table(["", "width", "pictures", "dB, least", "mean", "libvips, mean", "look, least", "mean", "bytes", "to"], rows)
    for name, ours, theirs, look, ratio in misses:
        looks = "" if look is None else f", look {look:+.1f}"
        print(f"{name}: {ours:.1f} dB, libvips {theirs:.1f}{looks}, bytes × {ratio:.3f}")
    beyond = sum(min(ours, theirs) >= PLAIN for _, ours, theirs, *_ in misses)
    print(f"{len(misses)} of {total} miss a bound, of which {beyond} lie above {PLAIN} dB")
    return total > 0 and not misses


def measure_zone(lanes, folder):
    down, across = numpy.mgrid[0:ZONE_SIDE, 0:ZONE_SIDE].astype(float)
    plate = 127.5 + 110 * numpy.cos((across ** 2 + down ** 2) * numpy.pi / (2 * ZONE_SIDE))
    file = folder / "zone.jpg"
    Image.fromarray(numpy.rint(plate).astype(numpy.uint8)).convert("RGB").save(file, quality=95, subsampling=0)
    whole = Image.open(file).convert("RGB")
    rows, least = [], 1000
    for width in ZONE_WIDTHS:
        expected = resized(whole, width, width)
        ours, theirs = (psnr(pixels_of(lane.make(file.name, width, "png")), expected) for lane in lanes)
        least = min(least, ours)
        rows.append([width, f"{ZONE_SIDE / width:.2f}", f"{ours:.1f}", verdict(round(ours, 1), ZONE_GOAL, least=True), f"{theirs:.1f}"])
    table(["zone plate to", "factor", "lane, dB", "goal", "libvips"], rows)
    return least >= ZONE_GOAL


def summary(results):
    """Cells of a row: the differences of PSNR, libvips' own PSNR, the differences of SSIMULACRA 2, and the range of the ratios of bytes."""
    gains = [ours - theirs for _, ours, theirs, *_ in results]
    looks = [look for *_, look, _ in results if look is not None]
    ratios = [ratio for *_, ratio in results]
    mean_look = f"{numpy.mean(looks):+.2f}" if looks else "–"
    return [
        f"{min(gains):+.2f}", f"{numpy.mean(gains):+.2f}", f"{numpy.mean([theirs for _, _, theirs, *_ in results]):.1f}",
        f"{min(looks):+.2f}" if looks else "–", mean_look, f"{min(ratios):.3f}", f"{max(ratios):.3f}"]


def passes(result):
    _, ours, theirs, look, ratio = result
    return ours >= theirs + PSNR and (look is None or look >= LOOK) and abs(ratio - 1) <= BYTES


# MARK: Originals

def photographs(paths):
    """The name and the upright picture of each photograph, read one at a time."""
    if not paths:
        drawn = drawn_photo(2400, 1800)
        yield "drawn", Image.fromarray(numpy.asarray(drawn.write_to_memory()).reshape(drawn.height, drawn.width, 3))
    for number, path in enumerate(paths):
        yield f"{number}-{path.stem}".replace(" ", "-"), ImageOps.exif_transpose(Image.open(path)).convert("RGB")


def write(photo, file, sampling, orientation, quality):
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    photo.save(file, quality=quality, subsampling=SAMPLINGS[sampling], exif=exif)


# MARK: Renditions

class Lane:
    def __init__(self, pictures, is_planar):
        self.pictures, self.is_planar = pictures, is_planar

    def make(self, name, width, output):
        """The bytes of a rendition. Ends the program if the wrong lane made it."""
        status, fields, body = self.pictures.ask(name, f"w={width}&output={output}")
        if status != 200:
            raise SystemExit(f"{name}: {status} {body[:200]!r}")
        if ("desc=planar" in fields.get("Server-Timing", "")) != self.is_planar:
            raise SystemExit(f"{name}, {width}, {output}: not the lane that was asked for")
        return body


def compare(lab, lanes, file, width):
    """The PSNR of both lanes, the difference in SSIMULACRA 2 (None for a small picture), and the ratio of bytes, each of the JPEG
    lane against libvips. None if the file is no wider than `width`."""
    whole = ImageOps.exif_transpose(Image.open(file)).convert("RGB")
    if whole.width <= width:
        return None
    pixels = [pixels_of(lane.make(file.name, width, "png")) for lane in lanes]
    expected = resized(whole, pixels[0].shape[1], pixels[0].shape[0])
    ours, theirs = (psnr(made, expected) for made in pixels)
    files = [lane.make(file.name, width, "jpg") for lane in lanes]
    look = None
    if min(expected.shape[:2]) >= LEAST_SIDE:
        right = lab.folder / "right.png"
        Image.fromarray(numpy.rint(expected).astype(numpy.uint8)).save(right)
        looks = []
        for made in files:
            path = lab.folder / "made.png"
            Image.fromarray(pixels_of(made)).save(path)
            looks.append(ssimulacra2.compute_ssimulacra2(str(right), str(path)))
        look = looks[0] - looks[1]
    return ours, theirs, look, len(files[0]) / len(files[1])


def pixels_of(file):
    return numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB"))


def resized(picture, width, height):
    """The picture resized by Lanczos with three lobes in floating point; values are 0…255."""
    bands = [
        numpy.asarray(Image.fromarray(numpy.asarray(band, dtype=numpy.float32)).resize((width, height), Image.LANCZOS))
        for band in picture.split()]
    return numpy.clip(numpy.stack(bands, axis=2), 0, 255)


def psnr(made, expected):
    if made.shape != expected.shape:
        raise SystemExit(f"{made.shape} for {expected.shape}")
    return 10 * numpy.log10(255 * 255 / max(numpy.mean((made - expected) ** 2), 1e-6))


main()
