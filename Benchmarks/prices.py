#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a decoder's memory grows by for one picture, by source format and by output: the measure behind `JobPrice`.

One decoder makes every picture, the same one twice; its high-water mark (VmHWM) is reset before the second and read after
it. What it held before is taken off. Bytes per pixel are of the original's pixels in the first table, where the result is small,
and of the result's in the second, where original and result have one size; there, what loading costs is in it too.
"""

import pathlib
import subprocess
import urllib.parse

from lab import Lab, arguments, build, descendants, describe_machine, get, require, table

# Name, command of the vips tool that makes it out of a TIFF, and how it differs.
SOURCES = [
    ("jpeg", "jpegsave", "[Q=90]"), ("jpeg progressive", "jpegsave", "[Q=90,interlace]"), ("png", "pngsave", ""),
    ("png interlaced", "pngsave", "[interlace]"), ("png 16 bit", "16", ""), ("webp", "webpsave", "[Q=85]"),
    ("webp lossless", "webpsave", "[lossless]"), ("gif", "gifsave", "[effort=1]"), ("avif", "heifsave", "[compression=av1,effort=0]"),
    ("heic", "heifsave", "[compression=hevc]"), ("tiff", "tiffsave", "[compression=deflate]"),
]
SUFFIX = {"jpegsave": "jpg", "pngsave": "png", "webpsave": "webp", "gifsave": "gif", "tiffsave": "tif", "16": "png"}
SIZES = [(3000, 2000), (6000, 4000)]
OUTPUTS = ["jpg", "png", "webp", "gif", "avif"]
OUTPUT_SIZES = [(1200, 800), (2400, 1600)]
MB = 1 << 20


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    origin = lab.start_origin(folder)
    pid, port = lab.start_pictor(
        options.pictor, "pictor", "--decoder-processes", "1", "--decoder-recycle-after", "1000000",
        "--decoder-recycle-above", "16GiB", "--decoder-timeout", "5m", "--decoder-jail", "off")

    rows = []
    for name, save, flags in SOURCES:
        cells = [name]
        for width, height in SIZES:
            make(lab, picture, folder, f"{name} {width}", width, height, save, flags)
            grown = growth(pid, port, origin, f"{name} {width}", lambda turn: f"w={200 + turn}&output=jpg")
            cells += [f"{grown / MB:.1f}", f"{grown / width / height:.2f}"]
        rows.append(cells)
    table(["source, to 200 pixels"] + [f"{w * h / 1e6:.0f} MP {unit}" for w, h in SIZES for unit in ("MB", "B/px")], rows)

    rows = []
    for output in OUTPUTS:
        cells = [output]
        for width, height in OUTPUT_SIZES:
            make(lab, picture, folder, f"out {width}", width, height, "jpegsave", "[Q=90]")
            grown = growth(
                pid, port, origin, f"out {width}", lambda turn: f"w={width - turn}&h={height}&fit=fill&output={output}")
            cells += [f"{grown / MB:.1f}", f"{grown / width / height:.2f}"]
        rows.append(cells)
    table(["JPEG to the same size as"] + [f"{w * h / 1e6:.1f} MP {unit}" for w, h in OUTPUT_SIZES for unit in ("MB", "B/px")], rows)


def make(lab, picture, folder, name, width, height, save, flags):
    path = folder / name.replace(" ", "-")
    if path.exists():
        return
    plain = lab.folder / f"plain-{width}.v"
    if not plain.exists():
        subprocess.check_call([picture, str(width), str(height), "1", str(plain)])
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


def growth(pid, port, origin, name, query):
    """Bytes at the highest point of the second of two equal jobs, above what the decoder held before it."""
    source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{name.replace(' ', '-')}", safe="")
    highest = 0
    for turn in (1, 2):
        decoders = descendants(pid)
        before = {decoder: status(decoder, "VmRSS") for decoder in decoders}
        for decoder in decoders:
            pathlib.Path(f"/proc/{decoder}/clear_refs").write_text("5")
        get(port, f"/img?url={source}&{query(turn)}")
        highest = max(status(decoder, "VmHWM") - before[decoder] for decoder in decoders)
    return highest


def status(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(field)


main()
