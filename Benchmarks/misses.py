#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures per second that are rendered, compared with the same libvips calls in a bare loop.

JPEGs of 12, 6 and 2 MP become 800 pixels wide, as JPEG and as WebP, with all cores busy: one decoder process a core
and two clients a core on one side, one thread a core and vips_concurrency 1 in one process on the other. Every request
names another original, so each answer costs a fetch, a hash, a rendering and two files. The loop reads files and discards
its results. Short runs of both sides alternate; the ratio is the median of the pairs' ratios.

`loop` makes the calls that Pictor's decoders make; `thumbnail` calls vips_thumbnail_buffer. CPU is that of daemon and
decoders together. Origin and clients share the cores with the daemon, so they affect its wall time but not its CPU.

With --jail the other side is Pictor without jails for its decoders, so that the ratio shows what the jails cost: for pictures by
the JPEG lane, and for the same by libvips.

With --lane the other sides are the loop, in one thread, and Pictor with decoder.jpeg-lane off: the decoders' CPU for a
picture, for several sizes, samplings and widths, and also that of a whole miss, with fetch, digest and files, which the loop
does not do. The least of the rounds counts, because all do the same work. --photograph names a file in place of the drawn ones.
If it lies on its side, its height differs in the loop, which does not rotate.
"""

import os
import subprocess
import time
import urllib.parse

from lab import Lab, arguments, build, cpu_seconds, descendants, describe_machine, get, in_parallel, median, originals
from lab import photograph_option, require, table, verdict

PICTURES = {"12 MP": (4032, 3024), "6 MP": (3000, 2000), "2 MP": (1632, 1224)}
GOAL = 0.92
JAIL_GOAL = 0.97
# For the lane: width and format → the loop's CPU over Pictor's. Then the encoder options of the originals.
LANE_GOALS = {(150, "jpeg"): 1.75, (400, "jpeg"): 1.75, (800, "jpeg"): 2, (1600, "jpeg"): 2.7, (800, "webp"): 1.5}
LANE_PICTURES = {
    "2 MP 4:4:4": (1632, 1224, "Q=90"), "6 MP 4:2:0": (3000, 2000, "Q=85"),
    "12 MP 4:2:0": (4032, 3024, "Q=88,subsample-mode=on"), "12 MP 4:4:4": (4032, 3024, "Q=90"),
    "26 MP 4:2:0": (6240, 4160, "Q=80"),
}


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=24, help="pictures of one run")
    parser.add_argument("--jail", action="store_true", help="what the walls around the decoders cost")
    parser.add_argument("--lane", action="store_true", help="what decoder.jpeg-lane saves")
    photograph_option(parser)
    options = parser.parse_args()
    if options.photograph and not options.lane:
        parser.error("--photograph goes with --lane")
    require("nginx", "gcc", "pkg-config", *["vips"] if options.photograph else [], vips=True)
    describe_machine()
    with Lab() as lab:
        (measure_lane if options.lane else measure_jail if options.jail else measure)(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture, loop = build(lab, "picture.c"), build(lab, "loop.c")
    origin = lab.start_origin(folder)
    daemon = lab.start_pictor(options.pictor, "pictor", "--cache-disk", "4GiB", "--decoder-recycle-after", "100000")
    rows = []
    for size, (width, height) in PICTURES.items():
        original = folder / f"{width}.jpg"
        subprocess.check_call([picture, str(width), str(height), "1", f"{original}[Q=90]"])
        for output in ("jpeg", "webp"):
            rows.append([f"{size} → {output}", *compare(lab, options, daemon, origin, loop, original, output)])
    table(
        ["", "KB in", "loop /s", "pictor /s", "× loop", "goal", "CPU ms loop", "pictor", "× CPU", "× thumbnail"],
        rows)


def compare(lab, options, daemon, origin, loop, original, output):
    """Measures both sides, and returns the numbers for one line of the table."""
    cores = os.cpu_count()
    runs = []
    run_pictor(daemon, origin, copies(original, cores * 2, f"{output}-warm"), output, cores * 2)
    for number in range(options.rounds):
        files = copies(original, options.batch, f"{output}-{number}")
        sides = {
            "loop": lambda: run_loop(loop, files, output, "shrink", cores),
            "pictor": lambda: run_pictor(daemon, origin, files, output, cores * 2),
            "thumbnail": lambda: run_loop(loop, files, output, "thumbnail", cores),
        }
        order = list(sides) if number % 2 else list(reversed(sides))
        results = {name: sides[name]() for name in order}
        runs.append({name: (len(files) / wall, cpu / len(files) * 1000) for name, (wall, cpu) in results.items()})
        for file in files:
            file.unlink()

    def middle(side, index):
        return median(run[side][index] for run in runs)

    def ratio(side, index):
        return median(run["pictor"][index] / run[side][index] for run in runs)

    return [
        original.stat().st_size // 1000, f"{middle('loop', 0):.1f}", f"{middle('pictor', 0):.1f}",
        f"{ratio('loop', 0):.2f}", verdict(ratio("loop", 0), GOAL, least=True), f"{middle('loop', 1):.1f}",
        f"{middle('pictor', 1):.1f}", f"{ratio('loop', 1):.2f}", f"{ratio('thumbnail', 0):.2f}",
    ]


def measure_jail(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    origin = lab.start_origin(folder)
    rows = []
    # libvips compiles loops at run time, and the lane does not.
    for lane, title in (("true", ""), ("false", ", by libvips")):
        daemons = {
            jail: lab.start_pictor(
                options.pictor, f"{jail}-{lane}", "--decoder-jail", jail, "--decoder-jpeg-lane", lane, "--cache-disk", "4GiB",
                "--decoder-recycle-after", "100000")
            for jail in ("off", "require")
        }
        for size, (width, height) in PICTURES.items():
            original = folder / f"{width}.jpg"
            subprocess.check_call([picture, str(width), str(height), "1", f"{original}[Q=90]"])
            rows.append([f"{size}{title}", *compare_jails(options, daemons, origin, original)])
    table(["→ JPEG", "off /s", "require /s", "÷ off", "CPU ms off", "require", "off ÷ require", "goal"], rows)


def compare_jails(options, daemons, origin, original):
    """Measures with and without jails, and returns the numbers for one line of the table. The goal is a ratio of CPU, which a
    busy machine disturbs less than wall time."""
    clients = os.cpu_count() * 2
    runs = []
    for number in range(-1, options.rounds):
        files = copies(original, options.batch, f"jail-{number}")
        order = list(daemons) if number % 2 else list(reversed(daemons))
        results = {jail: run_pictor(daemons[jail], origin, files, "jpeg", clients) for jail in order}
        # The first round warms both.
        if number >= 0:
            runs.append({jail: (len(files) / wall, cpu / len(files) * 1000) for jail, (wall, cpu) in results.items()})
        for file in files:
            file.unlink()

    def middle(jail, index):
        return f"{median(run[jail][index] for run in runs):.1f}"

    cpu = median(run["off"][1] / run["require"][1] for run in runs)
    wall = median(run["require"][0] / run["off"][0] for run in runs)
    return [
        middle("off", 0), middle("require", 0), f"{wall:.3f}", middle("off", 1), middle("require", 1), f"{cpu:.3f}",
        verdict(cpu, JAIL_GOAL, least=True),
    ]


def measure_lane(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    loop = build(lab, "loop.c")
    origin = lab.start_origin(folder)
    daemons = {
        lane: lab.start_pictor(
            options.pictor, f"lane-{lane}", "--decoder-jpeg-lane", lane, "--cache-disk", "4GiB",
            "--decoder-recycle-after", "100000")
        for lane in ("true", "false")
    }
    rows = []
    for size, original, width in originals(lab, options, LANE_PICTURES):
        original = original.rename(folder / original.name)
        for (wanted, output), goal in LANE_GOALS.items():
            if wanted < width:
                numbers = compare_lanes(options, daemons, origin, loop, original, (wanted, output), goal)
                rows.append([f"{size} → {wanted} {output}", *numbers])
    table(["CPU ms", "loop", "lane off", "lane on", "loop ÷ on", "goal", "off ÷ on", "whole miss", "loop ÷"], rows)


def compare_lanes(options, daemons, origin, loop, original, wanted, goal):
    """Measures the lanes, and returns the numbers for one line of the table."""
    width, output = wanted
    least = {}
    for number in range(-1, options.rounds):
        files = copies(original, options.batch, f"{width}-{output}-{number}")
        for lane in ("loop", "true", "false") if number % 2 else ("false", "true", "loop"):
            if lane == "loop":
                used = {"loop": run_loop(loop, files, output, "shrink", 1, width)[1]}
            else:
                decoders = [(pid, cpu_seconds(pid)) for pid in descendants(daemons[lane][0])]
                whole = run_pictor(daemons[lane], origin, files, output, 1, width)[1]
                used = {lane: sum(cpu_seconds(pid) - before for pid, before in decoders), f"{lane}, whole": whole}
            # The first round warms all.
            for name, seconds in used.items() if number >= 0 else ():
                least[name] = min(seconds / len(files) * 1000, least.get(name, seconds * 1000))
        for file in files:
            file.unlink()
    ratio = least["loop"] / least["true"]
    return [
        *(f"{least[name]:.1f}" for name in ("loop", "false", "true")), f"{ratio:.2f}", verdict(ratio, goal, least=True),
        f"{least['false'] / least['true']:.2f}", f"{least['true, whole']:.1f}",
        f"{least['loop'] / least['true, whole']:.2f}",
    ]


def copies(original, count, name):
    """Copies of a picture in files with different bytes: those after a JPEG's end do not belong to the picture."""
    content = original.read_bytes()
    files = [original.parent / f"{original.stem}-{name}-{index}.jpg" for index in range(count)]
    for file in files:
        file.write_bytes(content + file.name.encode())
    return files


def run_loop(loop, files, output, calls, threads, width=800):
    wall, cpu = subprocess.check_output(
        [loop, str(threads), output, calls, *map(str, files)], text=True,
        env={**os.environ, "LOOP_WIDTH": str(width)}).split()
    return float(wall), float(cpu)


def run_pictor(daemon, origin, files, output, clients, width=800):
    """Wall and CPU seconds until every file has a rendition."""
    pid, port = daemon

    def ask(file):
        source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{file.name}", safe="")
        get(port, f"/img?url={source}&w={width}&output={'jpg' if output == 'jpeg' else output}")

    processes = [pid, *descendants(pid)]
    cpu, began = sum(map(cpu_seconds, processes)), time.monotonic()
    in_parallel(clients, ask, files)
    return time.monotonic() - began, sum(map(cpu_seconds, processes)) - cpu


main()
