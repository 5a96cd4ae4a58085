#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares colours of pictures with a profile with lcms' conversion, and pictures of high dynamic range with their twins.

Every file below the folders that has an ICC profile and opens in Pillow is asked for as PNG in its own size. The PNG is compared with Pillow's
conversion to sRGB by lcms: relative colorimetric, with black point compensation. Differences are CIE 1976 ΔE, where about 2 is the
least difference that is visible side by side. Partly transparent pixels are left out. The script ends with status 1 if more than one of
a thousand pixels of a file differs by more than 2.

    lab/bin/python Benchmarks/colours.py FOLDER …                            # `lab`: see encoders.py
    lab/bin/python Benchmarks/colours.py --twin seine_hdr_rec2020.avif seine_sdr_gainmap_srgb.avif

A twin is the same picture in standard range. Pictor makes PNGs of both, and the script prints the PSNR between them.
"""

import io
import pathlib
import shutil
import sys

import numpy
from PIL import Image, ImageCms, ImageOps

from lab import Lab, Pictures, arguments, describe_machine, require, table, verdict

GOAL = 2
# From linear light of an sRGB pixel to XYZ with the white point D65 (IEC 61966-2-1).
TO_XYZ = numpy.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--twin", action="append", nargs=2, type=pathlib.Path, default=[], metavar=("HDR", "SDR"))
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    with Lab() as lab:
        sys.exit(0 if measure(lab, options) else 1)


def measure(lab, options):
    folder, origin = lab.start_originals()
    desk = Desk(Pictures(lab, options.pictor, origin), folder)
    rows, missed = [], 0
    for path in sorted(path for root in options.folders for path in root.rglob("*") if path.is_file()):
        if differences := compare(desk, path):
            mean, most, largest, name = differences
            missed += most > GOAL
            rows.append([path.name, name, f"{mean:.2f}", f"{most:.2f}", verdict(most, GOAL), f"{largest:.2f}"])
    if rows:
        table(["ΔE", "profile", "mean", "999 of 1,000", "goal", "largest"], rows)
        print(f"{len(rows) - missed} of {len(rows)} pictures meet the goal")
    twins = [[hdr.name, sdr.name, f"{psnr(desk.make(hdr), desk.make(sdr)):.1f}"] for hdr, sdr in options.twin]
    if twins:
        table(["high dynamic range", "its twin", "dB"], twins)
    return not missed and bool(rows or twins)


class Desk:
    def __init__(self, pictures, folder):
        self.pictures, self.folder, self.count = pictures, folder, 0

    def make(self, path):
        """The rendition as PNG, in the original's size, or None if the daemon refuses it."""
        self.count += 1
        name = f"{self.count}{path.suffix}"
        shutil.copyfile(path, self.folder / name)
        status, _, body = self.pictures.ask(name, "output=png")
        (self.folder / name).unlink()
        return Image.open(io.BytesIO(body)) if status == 200 else None


def compare(desk, path):
    """The differences in ΔE (the mean, the 99.9th percentile and the largest), and the profile's name. None if the two cannot be
    compared."""
    try:
        picture = Image.open(path)
        profile = picture.info.get("icc_profile")
        if not profile or picture.mode not in ("L", "RGB", "RGBA", "CMYK"):
            return None
        picture.load()
        embedded = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        colours = picture.convert("RGB") if picture.mode == "RGBA" else picture
        expected = ImageCms.profileToProfile(
            colours, embedded, ImageCms.createProfile("sRGB"), renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            outputMode="RGB", flags=ImageCms.Flags.BLACKPOINTCOMPENSATION)
        name = ImageCms.getProfileDescription(embedded).strip()
    # Pillow throws RuntimeError for an AVIF that its library does not know.
    except (OSError, RuntimeError, SyntaxError, ValueError, Image.DecompressionBombError, ImageCms.PyCMSError) as error:
        print(f"{path.name}: left out, {error}")
        return None
    made = desk.make(path)
    if made is None:
        print(f"{path.name}: refused")
        return None
    expected = upright(expected, picture)
    if made.size != expected.size:
        print(f"{path.name}: {made.size}, not {expected.size}")
        return None
    difference = numpy.linalg.norm(lab_of(made.convert("RGB")) - lab_of(expected), axis=2)
    if picture.mode == "RGBA":
        difference = difference[numpy.asarray(upright(picture.getchannel("A"), picture)) == 255]
    if not difference.size:
        return None
    return difference.mean(), numpy.quantile(difference, 0.999), difference.max(), name


def upright(picture, original):
    """A rendition, turned by the orientation in its original's EXIF."""
    exif = picture.getexif()
    exif[0x0112] = original.getexif().get(0x0112, 1)
    return ImageOps.exif_transpose(picture)


def lab_of(picture):
    """The pixels in CIELAB, of a picture in sRGB."""
    numbers = numpy.asarray(picture, dtype=float) / 255
    light = numpy.where(numbers <= 0.04045, numbers / 12.92, ((numbers + 0.055) / 1.055) ** 2.4)
    part = light @ TO_XYZ.T / WHITE
    root = numpy.where(part > 216 / 24389, numpy.cbrt(part), (24389 / 27 * part + 16) / 116)
    x, y, z = (root[:, :, axis] for axis in range(3))
    return numpy.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=2)


def psnr(one, other):
    if one is None or other is None or one.size != other.size:
        raise SystemExit("a twin is refused, or of another size")
    pixels = [numpy.asarray(picture.convert("RGB"), dtype=float) for picture in (one, other)]
    return 10 * numpy.log10(255 * 255 / max(numpy.mean((pixels[0] - pixels[1]) ** 2), 1e-6))


main()
