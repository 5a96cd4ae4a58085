#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What q=auto is worth: how even the look is over pictures, and the bytes, beside a fixed q of the same mean look.

The look is SSIMULACRA2 (90: no difference seen side by side; 70: hard to see; 50: seen), of pictures of 256 pixels a
side and more, below which it has another scale. All pictures are resized before, so that a rendition has their pixels.

    lab/bin/python Benchmarks/qualities.py --width 640 A.jpg B.png …     # `lab`: see encoders.py
    lab/bin/python Benchmarks/qualities.py --curves A.jpg B.png …        # medians for QualityCurve

Without pictures it draws encoders.py's photograph, screenshot and cut-out.
"""

import http.client
import pathlib
import statistics
import urllib.parse

import numpy
import pyvips
import ssimulacra2
from PIL import Image

from encoders import cut_out, drawn_photo, screenshot
from lab import Lab, arguments, describe_machine, free_port, get

FORMATS = {"jpg": range(40, 96, 5), "webp": range(40, 96, 5), "avif": range(40, 96, 5)}


def originals(paths, width, folder):
    """PNG files of the pictures, which are at most `width` wide."""
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
    """Renditions of the originals, and how like them they look."""

    def __init__(self, port, admin, origin, folder):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.admin, self.origin, self.folder = admin, origin, folder

    def measure(self, number, output, quality):
        """Bytes and the look."""
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
        """Tries of all searches so far, and how many searches there were."""
        lines = get(self.admin, "/metrics").decode().splitlines()
        values = dict(line.rsplit(" ", 1) for line in lines if line.startswith("pictor_quality_"))
        return [float(values.get(f"pictor_quality_{name}_total", 0)) for name in ("tries", "searches")]


def compare(renderer, files):
    """One line for each format."""
    print("| format | way | mean | spread | least | bytes against the fixed q | tries |\n|---|---|--:|--:|--:|--:|--:|")
    for output, qualities in FORMATS.items():
        fixed = {q: [renderer.measure(n, output, q) for n in files] for q in qualities}
        before = renderer.tries()
        found = [renderer.measure(n, output, "auto") for n in files]
        tries, searches = (after - then for after, then in zip(renderer.tries(), before))
        mean = statistics.mean(look for _, look in found)
        means = [statistics.mean(look for _, look in fixed[q]) for q in qualities]
        quality = float(numpy.interp(mean, means, list(qualities)))
        at = [
            tuple(float(numpy.interp(quality, list(qualities), [fixed[q][i][part] for q in qualities])) for part in (0, 1))
            for i in range(len(files))
        ]
        for way, results in ((f"q={quality:.0f}", at), ("q=auto", found)):
            looks = [look for _, look in results]
            ratio = numpy.exp(numpy.mean([numpy.log(r[0] / a[0]) for r, a in zip(results, at)]))
            mean_tries = f"{tries / max(1, searches):.2f}" if way == "q=auto" else "1"
            print(
                f"| {output} | {way} | {statistics.mean(looks):.1f} | {statistics.pstdev(looks):.1f} | {min(looks):.1f} | {ratio:.2f} |"
                f" {mean_tries} |")
        for (number, name), (size, look), (fixed_size, fixed_look) in zip(files.items(), found, at):
            if abs(look - mean) > 4:
                print(f"    {name}: {look:.1f} in {size} bytes, q={quality:.0f} {fixed_look:.1f} in {fixed_size:.0f}")


def curves(renderer, files):
    for output, qualities in FORMATS.items():
        medians = [statistics.median(renderer.measure(n, output, q)[1] for n in files) for q in qualities]
        print(output, [(q, round(m / 100, 3)) for q, m in zip(qualities, medians)])


def main():
    parser = arguments(__doc__)
    parser.add_argument("pictures", nargs="*", type=pathlib.Path)
    parser.add_argument("--width", type=int, default=640)
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
        (curves if options.curves else compare)(renderer, files)


if __name__ == "__main__":
    main()
