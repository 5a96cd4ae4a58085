#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a decoder's growth in memory for one picture with the price that `JobPrice` expects.

One decoder makes every picture, the same one twice, and the daemon's own measure of the second is read from its log: the high-water
mark (VmHWM), less what the decoder held before, less the original's file, which is mapped. Pictures are first of all kinds of sources, made
small; then of all outputs in the original's size, also of a JPEG that its EXIF rotates; then of the operations of recipes, in the
original's size or half of it. Sizes are in bytes per pixel of the original.
A price below the peak is marked, because it would admit more work than there is memory for. A price of more than four times the peak,
without the fixed part, is marked as well, because it wastes memory.

With --pictures all files below a folder are asked for instead, odd and damaged ones as well, each made small and in its own size, and every
job that took more than its price is named:

    Benchmarks/prices.py --pictures FOLDER
"""

import collections
import http.client
import json
import pathlib
import struct
import subprocess
import sys
import urllib.parse

from lab import Lab, arguments, build, describe_machine, free_port, get, require, table, wait_for

# Name, the `vips` command that makes the file from a TIFF, and its options.
SOURCES = [
    ("jpeg", "jpegsave", "[Q=90]"), ("jpeg progressive", "jpegsave", "[Q=90,interlace]"), ("png", "pngsave", ""),
    ("png interlaced", "pngsave", "[interlace]"), ("png 16 bit", "16", ""), ("webp", "webpsave", "[Q=85]"),
    ("webp lossless", "webpsave", "[lossless]"), ("gif", "gifsave", "[effort=1]"), ("avif", "heifsave", "[compression=av1,effort=0]"),
    ("heic", "heifsave", "[compression=hevc]"), ("tiff", "tiffsave", "[compression=deflate]"),
]
SUFFIX = {"jpegsave": "jpg", "pngsave": "png", "webpsave": "webp", "gifsave": "gif", "tiffsave": "tif", "16": "png"}
SIZES = [(3000, 2000), (6000, 4000)]
OUTPUTS = [
    "output=jpg", "output=jpg&il", "output=png", "output=png&il", "output=webp", "output=webp&ll", "output=gif", "output=tiff", "output=avif",
    "output=jxl", "output=jxl&ll", "output=jpg&q=auto", "output=webp&q=auto", "output=jpg&maxbytes=60000",
    # With full chroma.
    "output=jpg&q=95", "output=jpg&il&q=95", "output=avif&q=95", "output=jpg&q=auto:0.95", "output=avif&q=auto:0.95",
]
OUTPUT_SIZES = [(1200, 800), (2400, 1600)]
# For a JPEG that its EXIF mirrors, and one that it turns.
ORIENTATIONS = {"mirrored": 2, "turned": 6}
ORIENTED_OUTPUTS = ["output=jpg", "output=jpg&q=95", "output=png", "output=webp", "output=avif", "output=avif&q=95"]
# By recipe, for a JPEG and for a PNG with alpha.
HALF = "w=1500&h=1000&fit=fill"
STEPS = [
    "ro=90", "ro=31", "flip", "flop", "blur", "blur=3", "blur=100", "sharp", "sharp=2", "trim", "trim&w=300", "mask=circle",
    "mask=star&mbg=fff", "radius=200", "pad=300", "radius=200&pad=300&pbg=fff", "pixelate=24", "filt=greyscale", "filt=duotone", "tint=704214", "bri=20", "con=20", "gam", "mod=1.2,1.2,30",
    "cx=50&cy=50&cw=2000&ch=1500", "cx=60&cy=50&cw=2000&ch=1500&precrop", "cx=50&cy=50&cw=2000&ch=1500&precrop&w=300",
    "cw=1000&ch=1000&ca=attention", "cw=1000&ch=1000&ca=attention&precrop&w=300", "w=1000&h=1000&fit=cover&a=attention", "w=1000&h=1000&fit=cover&a=entropy", "w=1500&h=1500&fit=contain&cbg=fff", "w=1500&h=1500&fit=contain&cblur", HALF,
    f"{HALF}&ro=31", f"{HALF}&blur=3", f"{HALF}&sharp=2", f"{HALF}&mask=circle", "w=4000&we", "w=6000&h=4000&fit=fill",
]
# Texts over a picture of 1500 by 1000: a number of characters in a script, at a size in pixels, in colour or with further
# options.
SCRIPTS = {
    "Latin": "Pictor writes what it is told, and wraps it. ", "Arabic": "مرحبا بالعالم، هذا نص طويل. ",
    "Han": "圓周率是一個數學常數。", "emoji": "👍🏽👨‍👩‍👧‍👦🏳️‍🌈😀",
}
TEXTS = [(1, 10), (1, 500), (20, 120), (60, 60), (200, 10), (200, 40), (200, 90)]
TEXT_STEPS = ["", "&output=png", "&blur=3", "&radius=200&pad=300", "&tcol=80ff0000&tpos=br&twidth=50%25", "&ro=31"]
# For each file in a folder.
FOLDER_QUERIES = ["w=100&output=jpg", "output=webp"]
MB = 1 << 20
FIXED = 16 * MB


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=pathlib.Path, help="a folder of files to ask for")
    parser.add_argument("--formats", default="jpeg,png,webp,gif,avif,heic,tiff,bmp,ico,svg,jxl", help="that are read of them")
    options = parser.parse_args()
    require(*["nginx"] if options.pictures else ["nginx", "gcc", "pkg-config", "vips"], vips=not options.pictures)
    describe_machine()
    with Lab() as lab:
        sys.exit(0 if (measure_folder if options.pictures else measure)(lab, options) else 1)


def measure_folder(lab, options):
    folder = options.pictures.resolve()
    desk = Desk(lab, options, folder, "--decoder-formats", options.formats)
    statuses, below, read = collections.Counter(), 0, 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        for query in FOLDER_QUERIES:
            statuses[desk.status(name, query)] += 1
            measures = desk.measures()
            for measure in measures[read:]:
                if int(measure["peak"]) > int(measure["price"]):
                    below += 1
                    peak, price = (int(measure[key]) / MB for key in ("peak", "price"))
                    print(f"{name} ({measure['original']}): {peak:.1f} MB, price {price:.1f}, {measure['recipe']}", flush=True)
            read = len(measures)
    counted = desk.metric("pictor_decoder_price_exceeded_total")
    print(f"{sum(statuses.values()):,} requests: " + ", ".join(f"{count:,} × {status}" for status, count in sorted(statuses.items())))
    print(f"{read:,} jobs were measured, {below} of them above their prices; the daemon counted {counted:.0f}")
    return read > 0 and counted == 0


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    desk = Desk(lab, options, folder, "--decoder-memory", "64GiB")
    rows = []
    for name, save, flags in SOURCES:
        for width, height in SIZES:
            make(lab, picture, folder, f"{name} {width}", width, height, save, flags)
            rows.append(desk.row(name, f"{name} {width}", lambda turn: f"w={200 + turn}&output=jpg", width * height))
    table(["source, to 200 pixels", *desk.columns], rows)

    rows = []
    for output in OUTPUTS:
        for width, height in OUTPUT_SIZES:
            make(lab, picture, folder, f"out {width}", width, height, "jpegsave", "[Q=90]")
            rows.append(desk.row(output, f"out {width}", lambda turn: f"w={width - turn}&h={height}&fit=fill&{output}", width * height))
    table(["JPEG to the same size, as", *desk.columns], rows)

    rows = []
    for name, orientation in ORIENTATIONS.items():
        for width, height in OUTPUT_SIZES:
            orient(folder / f"out-{width}", folder / f"{name}-{width}", orientation)
            for output in ORIENTED_OUTPUTS:
                across, down = (height, width) if orientation > 4 else (width, height)
                rows.append(desk.row(
                    f"{name}, {output}", f"{name} {width}", lambda turn: f"w={across - turn}&h={down}&fit=fill&{output}", width * height))
    table(["JPEG with an orientation, as", *desk.columns], rows)

    width, height = SIZES[0]
    make(lab, picture, folder, f"alpha {width}", width, height, "alpha", "")
    for name, title in [(f"jpeg {width}", "JPEG"), (f"alpha {width}", "PNG with alpha")]:
        rows = [desk.row(step, name, lambda turn: f"{step}&q={70 + turn}&output=webp", width * height) for step in STEPS]
        table([title, *desk.columns], rows)
    rows = []
    for script, sample in SCRIPTS.items():
        if not has_font(sample):
            print(f"left out, since no font has it: {script}")
            continue
        for length, size in TEXTS:
            for step in TEXT_STEPS if (script, length, size) == ("Latin", 60, 60) else [""]:
                words = urllib.parse.quote((sample * 200)[:length])
                rows.append(desk.row(
                    f"{length} × {size} px {script}{step}", f"jpeg {width}",
                    lambda turn: f"w={1500 - turn}&h=1000&fit=fill&text={words}&tsize={size}{step}", width * height))
    table(["text over 1500 × 1000", *desk.columns], rows)
    with_metrics = desk.metric("pictor_decoder_price_exceeded_total")
    print(f"the daemon counted {with_metrics:.0f} decoders above their prices, the first of each two jobs included")
    print(f"{desk.exceeded} of {desk.count} prices are below the peak")
    return desk.exceeded == 0 and with_metrics == 0


def has_font(sample):
    """Whether this machine has a font with the first character of the text."""
    found = subprocess.run(["fc-list", f":charset={ord(sample[0]):x}"], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())


class Desk:
    """A daemon with one decoder, and the measures of it in the daemon's log."""

    columns = ["MP", "peak MB", "B/px", "price MB", "price ÷ peak", ""]

    def __init__(self, lab, options, folder, *flags):
        self.origin = lab.start_origin(folder)
        self.log = lab.folder / "pictor.log"
        self.admin = free_port()
        _, self.port = lab.start_pictor(
            options.pictor, "pictor", "--decoder-processes", "1", "--decoder-recycle-after", "1000000", "--decoder-recycle-above", "16GiB",
            "--decoder-timeout", "5m", "--origin-maximum-body", "1GiB", "--log-level", "debug",
            "--log-format", "json", "--decoder-fonts", "sans", "--decoder-writes", "jxl", *flags,
            admin=f"127.0.0.1:{self.admin}")
        self.count = self.exceeded = 0
        self.read, self.known = 0, []

    def row(self, title, name, query, pixels):
        price, peak = self.ask(name, query)
        self.count += 1
        self.exceeded += peak > price
        mark = "BELOW" if peak > price else "far above" if price - FIXED > 4 * peak else ""
        return [
            title, f"{pixels / 1e6:.1f}", f"{peak / MB:.1f}", f"{peak / pixels:.2f}", f"{price / MB:.1f}", f"{price / max(1, peak):.1f}", mark]

    def ask(self, name, query):
        """Price and peak in bytes of a job, which is done twice: the second time counts."""
        source = urllib.parse.quote(f"http://127.0.0.1:{self.origin}/{name.replace(' ', '-')}", safe="")
        for turn in (1, 2):
            said = len(self.measures())
            get(self.port, f"/img?url={source}&{query(turn)}")
            wait_for(lambda: len(self.measures()) > said, "a measure")
        last = self.measures()[-1]
        return int(last["price"]), int(last["peak"])

    def metric(self, name):
        lines = get(self.admin, "/metrics").decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))

    def status(self, name, query):
        """The status of the answer for a file, or 0 if there is no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=330)
        source = urllib.parse.quote(f"http://127.0.0.1:{self.origin}/{urllib.parse.quote(name)}", safe="")
        try:
            connection.request("GET", f"/img?url={source}&{query}")
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()

    def measures(self):
        """All measures in the log so far. Each call reads only the new lines, and of these only whole ones."""
        with open(self.log, "rb") as log:
            log.seek(self.read)
            text = log.read()
        whole = text[:text.rfind(b"\n") + 1]
        self.read += len(whole)
        self.known += [json.loads(line) for line in whole.splitlines() if b'"decoder measured"' in line]
        return self.known


def orient(plain, path, orientation):
    """Writes a JPEG with an EXIF segment after its first marker. The segment has one directory with one entry (EXIF 2.32 §4.6.2)."""
    tiff = b"MM" + struct.pack(">HIHHHIHHI", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    exif = b"Exif\0\0" + tiff
    start, rest = plain.read_bytes()[:2], plain.read_bytes()[2:]
    path.write_bytes(start + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + rest)


def make(lab, picture, folder, name, width, height, save, flags):
    path = folder / name.replace(" ", "-")
    if path.exists():
        return
    plain = lab.folder / f"plain-{width}.v"
    if not plain.exists():
        subprocess.check_call([picture, str(width), str(height), "1", str(plain)])
    if save == "alpha":
        clear = lab.folder / "clear.v"
        subprocess.check_call(["vips", "bandjoin_const", plain, clear, "180"])
        subprocess.check_call(["vips", "copy", clear, f"{folder / 'clear.png'}[compression=1]"])
        (folder / "clear.png").rename(path)
        return
    if save == "16":
        deep = lab.folder / "deep.v"
        subprocess.check_call(["vips", "cast", plain, deep, "ushort", "--shift"])
        subprocess.check_call(["vips", "copy", deep, f"{folder / 'deep.png'}"])
        (folder / "deep.png").rename(path)
        return
    suffix = SUFFIX.get(save) or ("avif" if "av1" in flags else "heic")
    made = folder / f"made.{suffix}"
    subprocess.check_call(["vips", "copy", str(plain), f"{made}{flags}"])
    made.rename(path)


main()
