#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares q=auto with a fixed q of the same mean look: how even the look is over all pictures, and the bytes.

The look is SSIMULACRA2 (90: no difference seen side by side; 70: hard to see; 50: seen). Pictures have sides of at least 256
pixels, because smaller ones have another scale. All pictures are resized first, so renditions have the same size.

Two rows show what a choice of q by SSIMULACRA2 itself could reach: a q for each picture so that all have the mean
look, and the values of q with the fewest bytes at this mean, however each picture looks.

    lab/bin/python Benchmarks/qualities.py --width 640 A.jpg B.png …     # `lab`: see encoders.py
    lab/bin/python Benchmarks/qualities.py --curves A.jpg B.png …        # medians for QualityCurve

Without pictures it draws encoders.py's photograph, screenshot and cut-out. `--formats jpg` and `--step 10` save time.
"""

import http.client
import pathlib
import statistics
import urllib.parse

import numpy
import pyvips
import ssimulacra2
from PIL import Image
from scipy.interpolate import PchipInterpolator

from encoders import cut_out, drawn_photo, screenshot
from lab import Lab, arguments, describe_machine, free_port, get

FORMATS = ["jpg", "webp", "avif"]
QUALITIES = range(20, 96)


def originals(paths, width, folder):
    """PNG files of the pictures, at most `width` wide."""
    if paths:
        images = [(path.name, pyvips.Image.thumbnail(str(path), width, height=100_000, size="down")) for path in paths]
    else:
        photo = drawn_photo(800, 600)
        images = [("photograph", photo), ("screenshot", screenshot(800, 600)), ("cut-out", cut_out(photo))]
    files = {}
    for number, (name, image) in enumerate(images):
        if image.hasalpha():
            image = image.flatten(background=[255, 255, 255])
        image = image.colourspace("srgb").cast("uchar").copy_memory()
        if min(image.width, image.height) < 256:
            print(f"{name}: less than 256 pixels a side")
            continue
        image.write_to_file(str(folder / f"{number}.png"), strip=True)
        files[number] = name
    return files


class Renderer:
    """Makes renditions of the originals, and measures them."""

    def __init__(self, port, admin, origin, folder):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.admin, self.origin, self.folder = admin, origin, folder

    def measure(self, number, output, quality):
        """Bytes and look (SSIMULACRA2) of a rendition."""
        source = urllib.parse.quote(f"{self.origin}/{number}.png", safe="")
        self.connection.request("GET", f"/img?url={source}&output={output}&q={quality}&we=1")
        reply = self.connection.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise SystemExit(f"{number}, {output}, q={quality}: {reply.status} {body[:200]}")
        made = pyvips.Image.new_from_buffer(body, "").colourspace("srgb")
        pixels = numpy.asarray(made.write_to_memory()).reshape(made.height, made.width, made.bands)[:, :, :3]
        path = self.folder / "made.png"
        Image.fromarray(numpy.ascontiguousarray(pixels)).save(path)
        return len(body), ssimulacra2.compute_ssimulacra2(str(self.folder / f"{number}.png"), str(path))

    def tries(self):
        """The number of tries in all searches so far, and the number of searches."""
        lines = get(self.admin, "/metrics").decode().splitlines()
        values = dict(line.rsplit(" ", 1) for line in lines if line.startswith("pictor_quality_"))
        return [float(values.get(f"pictor_quality_{name}_total", 0)) for name in ("tries", "searches")]


class Fixed:
    """Bytes and looks of every picture at every fixed quality, interpolated by curves through the measured qualities. A row is a
    picture."""

    def __init__(self, measured, qualities):
        everything = numpy.array([[measured[q][picture] for q in qualities] for picture in range(len(measured[qualities[0]]))])
        self.qualities = numpy.arange(qualities[0], qualities[-1] + 0.1, 0.25)
        self.logarithms = PchipInterpolator(qualities, numpy.log(everything[:, :, 0]), axis=1)(self.qualities)
        self.looks = PchipInterpolator(qualities, everything[:, :, 1], axis=1)(self.qualities)

    def at(self, indices):
        """Bytes and look of each picture at the quality with its index in `indices`."""
        rows = numpy.arange(len(self.looks))
        return list(zip(numpy.exp(self.logarithms[rows, indices]), self.looks[rows, indices]))

    def of_mean(self, mean):
        """The index of the one quality at which the mean look of all pictures is nearest to `mean`."""
        return int(numpy.abs(self.looks.mean(axis=0) - mean).argmin())

    def of_look(self, look):
        """For each picture, the index of the quality at which its look is nearest to `look`."""
        return numpy.abs(self.looks - look).argmin(axis=1)

    def cheapest(self, mean):
        """For each picture, the index of a quality, so that all reach a mean look with the fewest bytes. A point of look has the
        same price, in the logarithm of bytes, for all pictures, and the price is searched for."""
        low, high = 0.0, 5.0
        for _ in range(50):
            price = (low + high) / 2
            chosen = (self.logarithms - price * self.looks).argmin(axis=1)
            reached = self.looks[numpy.arange(len(chosen)), chosen].mean()
            low, high = (price, high) if reached < mean else (low, price)
        return (self.logarithms - high * self.looks).argmin(axis=1)


def table(output, names, fixed, found, tries):
    """The rows for a format. `found` holds the bytes and looks of q=auto."""
    mean = statistics.mean(look for _, look in found)
    index = fixed.of_mean(mean)
    at = fixed.at([index] * len(found))
    ways = {
        f"q={fixed.qualities[index]:.0f}": (at, "1"), "q=auto": (found, f"{tries:.2f}"),
        "the mean look each": (fixed.at(fixed.of_look(mean)), ""), "the fewest bytes": (fixed.at(fixed.cheapest(mean)), ""),
    }
    for way, (results, mean_tries) in ways.items():
        looks = [look for _, look in results]
        ratio = numpy.exp(numpy.mean([numpy.log(r[0] / a[0]) for r, a in zip(results, at)]))
        total = sum(size for size, _ in results) / sum(size for size, _ in at)
        print(
            f"| {output} | {way} | {statistics.mean(looks):.1f} | {statistics.pstdev(looks):.1f} | {min(looks):.1f} | {ratio:.2f} |"
            f" {total:.2f} | {mean_tries} |")
    for name, (size, look), (fixed_size, fixed_look) in zip(names, found, at):
        if abs(look - mean) > 4:
            print(f"    {name}: {look:.1f} in {size} bytes, fixed {fixed_look:.1f} in {fixed_size:.0f}")


def compare(renderer, files, formats, step):
    print("| format | way | mean | spread | least | bytes | all bytes | tries |\n|---|---|--:|--:|--:|--:|--:|--:|")
    qualities = sorted({*QUALITIES[::step], QUALITIES[-1]})
    for output in formats:
        measured = {q: [renderer.measure(n, output, q) for n in files] for q in qualities}
        before = renderer.tries()
        found = [renderer.measure(n, output, "auto") for n in files]
        tries, searches = (after - then for after, then in zip(renderer.tries(), before))
        table(output, files.values(), Fixed(measured, qualities), found, tries / max(1, searches))


def curves(renderer, files, formats, step):
    for output in formats:
        qualities = sorted({*QUALITIES[::step], 89, 90, QUALITIES[-1]})
        medians = [statistics.median(renderer.measure(n, output, q)[1] for n in files) for q in qualities]
        print(output, [(q, round(m / 100, 3)) for q, m in zip(qualities, medians)])


def main():
    parser = arguments(__doc__)
    parser.add_argument("pictures", nargs="*", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--step", type=int, default=5, help="of the fixed qualities that are measured")
    parser.add_argument("--curves", action="store_true")
    options = parser.parse_args()
    describe_machine()
    with Lab() as lab:
        folder = lab.folder / "originals"
        folder.mkdir(mode=0o755)
        files = originals(options.pictures, options.width, folder)
        origin = f"http://127.0.0.1:{lab.start_origin(folder)}"
        admin = free_port()
        _, port = lab.start_pictor(options.pictor, "pictor", admin=f"127.0.0.1:{admin}")
        renderer = Renderer(port, admin, origin, folder)
        (curves if options.curves else compare)(renderer, files, options.formats, options.step)


if __name__ == "__main__":
    main()
