#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures resident memory: of the daemon at its start, of an idle connection, of daemon and decoders over 2,000 renderings; of all
processes after 1,000 renderings, compared with thumbor; of a decoder at its peak for one picture, compared with a bare loop of libvips.

Renderings are mixed: JPEGs of 12, 6 and 2 MP, a PNG with alpha and a WebP, to widths from 100 to 1200 as JPEG, WebP,
PNG and AVIF, in an order that a printed seed decides. No decoder is replaced meanwhile, so leaks and fragmentation
show. Idle connections have each been answered once. RSS and PSS are those of /proc/PID/smaps_rollup; neither contains the
kernel's memory for sockets. In the comparison with thumbor (`pip install thumbor`; the script says so if it is not found)
neither server keeps pictures in memory, and each page of memory counts once for all processes of a side, which needs root.
PSS would be too small, because it divides pages of libraries that other programs use as well.

A peak is VmHWM of proc(5): of `loop.c`, and of the only decoder of a daemon, reset before each picture (clear_refs), once with the JPEG
lane and once with libvips. Libraries and the original's bytes count on both sides. The median of the rounds counts.

`--only beside` measures only the comparison with thumbor, and `--only peak` only the peaks.
"""

import http.client
import os
import pathlib
import random
import shlex
import socket
import subprocess
import urllib.parse

from lab import Lab, allow_descriptors, arguments, build, descendants, describe_machine, distinct, family, free_port, get, in_parallel, kind, median
from lab import memory, require, table, thumbor, verdict, wait_for_port

# File, size, weight in the mix.
ORIGINALS = [
    ("12mp.jpg[Q=90]", "4032", "3024", 2), ("6mp.jpg[Q=90]", "3000", "2000", 4),
    ("2mp.jpg[Q=90]", "1632", "1224", 6), ("1mp.png", "1200", "900", 2), ("2mp.webp[Q=85]", "1632", "1224", 2),
]
OUTPUTS = ["jpg"] * 5 + ["webp"] * 4 + ["png", "avif"]
CONNECTIONS = 10_000
# The peaks: size and encoder options, and the widths that are made.
PEAKS = {
    "2 MP 4:2:0": (1632, 1224, "Q=80"), "12 MP 4:2:0": (4032, 3024, "Q=80"), "12 MP 4:4:4": (4032, 3024, "Q=90"),
    "26 MP 4:2:0": (6240, 4160, "Q=80"),
}
PEAK_WIDTHS = (400, 800, 1600)
ROUNDS = 5
RENDERINGS = 2000
STEP = 250
# Full before the 500th rendering, so later growth is not the cache's.
CACHE = "16MiB"
CLIENTS = 4
BESIDE = 1000
GOAL = 60
MB = 1 << 20


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--renderings", type=int, default=RENDERINGS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["beside", "peak"])
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    allow_descriptors(CONNECTIONS + 1000)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    for name, width, height, _ in ORIGINALS:
        subprocess.check_call([picture, width, height, "1", f"{folder}/{name}"])
    origin = lab.start_origin(folder)
    if not options.only:
        alone(lab, origin, options)
    if options.only != "peak":
        beside(lab, origin, options)
    if options.only != "beside":
        peaks(lab, picture, folder, origin, options)


def alone(lab, origin, options):
    daemon = lab.start_pictor(
        options.pictor, "pictor", "--server-maximum-connections", str(CONNECTIONS + 100),
        "--server-idle-timeout", "10m", "--decoder-recycle-after", "1000000", "--decoder-recycle-above", "8GiB",
        "--cache-memory", CACHE)
    at_start(daemon[0])
    connections(daemon, origin)
    renderings(daemon, origin, options)


def at_start(pid):
    rows = []
    for name, process in [("daemon", pid), *((kind(child), child) for child in descendants(pid))]:
        rss, pss = memory(process)
        rows.append([name, f"{rss / MB:.1f}", f"{pss / MB:.1f}"])
    table(["at start", "RSS MB", "PSS MB"], rows)


def connections(daemon, origin):
    pid, port = daemon
    target = address(origin, "2mp.jpg", 200, "jpg", 80)
    for _ in range(200):
        get(port, target)
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    before = memory(pid)[0]
    held = []
    for _ in range(CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(request)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        answer.read()
        held.append(connection)
    each = (memory(pid)[0] - before) / CONNECTIONS
    for connection in held:
        connection.close()
    table(
        ["connections", "bytes each", "goal"],
        [[f"{CONNECTIONS:,} idle, each answered once", f"{each:,.0f}", verdict(each, 4096)]])


def renderings(daemon, origin, options):
    pid, port = daemon
    print(f"mix of seed {options.seed}")
    mix = random.Random(options.seed)
    names = [name.partition("[")[0] for name, *_ in ORIGINALS]
    weights = [weight for *_, weight in ORIGINALS]
    rows, daemons, decoders = [], [], []
    for done in range(STEP, options.renderings + 1, STEP):
        targets = [
            address(
                origin, mix.choices(names, weights)[0], mix.randrange(100, 1200), mix.choice(OUTPUTS),
                mix.randrange(60, 90))
            for _ in range(STEP)
        ]
        ask(port, targets)
        sizes = [memory(child)[0] / MB for child in descendants(pid)]
        decoders.append(sizes)
        daemons.append([memory(pid)[0] / MB])
        rows.append([f"{done:,}", f"{daemons[-1][0]:.1f}", *(f"{size:.1f}" for size in sizes)])
    table(["renderings", "daemon MB"] + [f"{kind(child)} MB" for child in descendants(pid)], rows)

    largest = max(map(max, decoders))
    print(f"largest of them: {largest:.1f} MB, goal {verdict(largest, 120)}")
    for name, steps in [("daemon", daemons), ("decoders", decoders)]:
        growth = sum(steps[-1]) / sum(steps[500 // STEP - 1])
        print(f"{name} at the end against the 500th: {growth:.2f} ×, goal {verdict(growth, 1.1)}")


def beside(lab, origin, options):
    """Compares memory after the same renderings by Pictor and thumbor, one after the other."""
    mix = random.Random(options.seed)
    names = [name.partition("[")[0] for name, *_ in ORIGINALS]
    weights = [weight for *_, weight in ORIGINALS]
    wanted = [
        (mix.choices(names, weights)[0], mix.randrange(100, 1200), mix.choice(["jpg", "jpg", "webp", "webp", "png"]),
         mix.randrange(60, 90))
        for _ in range(BESIDE)]
    sides = {"pictor": lab.start_pictor(options.pictor, "beside", "--cache-memory", "0")}
    for command in thumbor(lab):
        port = free_port()
        server = lab.start(shlex.split(command.format(port=port)), "thumbor")
        wait_for_port(port, "thumbor", server)
        sides["thumbor"] = (server.pid, port)
    if "thumbor" not in sides:
        print("thumbor is not installed")
    rows = []
    for name, (pid, port) in sides.items():
        target = address if name == "pictor" else thumbors_address
        ask(port, [target(origin, *picture) for picture in wanted])
        processes = [pid, *family(pid)]
        pages = distinct(processes) if os.geteuid() == 0 else None
        pss = sum(memory(process)[1] for process in processes) / MB
        rows.append([
            name, len(processes), *(f"{size / MB:.1f}" for size in pages or []), *([] if pages else ["–", "–"]), f"{pss:.1f}",
            verdict(pages[0] / MB, GOAL) if pages else "needs root"])
    table([f"after {BESIDE:,} renderings", "processes", "distinct MB", "of no file", "PSS MB", "goal"], rows)


def peaks(lab, picture, folder, origin, options):
    """Compares the peaks of one decoder, which makes picture after picture, with those of the loop, which starts anew for each picture."""
    loop = build(lab, "loop.c")
    sides = {
        lane: lab.start_pictor(
            options.pictor, f"lane-{lane}", "--decoder-processes", "1", "--decoder-jpeg-lane", lane, "--decoder-recycle-after",
            "100000", "--cache-memory", "0")
        for lane in ("true", "false")
    }
    rows = []
    for size, (width, height, encoder) in PEAKS.items():
        file = folder / f"peak-{len(rows)}.jpg"
        subprocess.check_call([picture, str(width), str(height), "1", f"{file}[{encoder}]"])
        for output in ("jpg", "webp"):
            for wanted in PEAK_WIDTHS:
                if wanted >= width:
                    continue
                of_loop = median(
                    peak_of_loop(loop, file, output, wanted) for _ in range(ROUNDS))
                of_lane, of_libvips = (
                    median(
                        peak_of_decoder(daemon, address(origin, file.name, wanted, output, 80 - number))
                        for number in range(ROUNDS))
                    for daemon in sides.values())
                rows.append([
                    f"{size} → {wanted} {output}", *(f"{peak / MB:.1f}" for peak in (of_loop, of_lane, of_libvips)),
                    f"{of_lane / of_loop:.2f}", verdict(of_lane / of_loop, 1)])
    table(["peak", "loop MB", "lane MB", "by libvips MB", "lane ÷ loop", "goal"], rows)


def peak_of_loop(loop, file, output, width):
    process = subprocess.Popen(
        [loop, "1", "webp" if output == "webp" else "jpeg", "shrink", str(file)], stdout=subprocess.DEVNULL,
        env={**os.environ, "LOOP_WIDTH": str(width)})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit("the loop has failed")
    return usage.ru_maxrss * 1024


def peak_of_decoder(daemon, target):
    pid, port = daemon
    # One decoder works, another waits to take its place.
    decoders = [child for child in family(pid) if kind(child) == "decoder"]
    for decoder in decoders:
        # Resets VmHWM.
        pathlib.Path(f"/proc/{decoder}/clear_refs").write_text("5")
    get(port, target)
    return max(map(peak, decoders))


def peak(pid):
    """The largest resident size of a process so far (VmHWM), in bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("the kernel tells no peak")


def ask(port, targets):
    def client(share):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for target in share:
            get(port, target, connection)

    in_parallel(CLIENTS, client, [targets[start::CLIENTS] for start in range(CLIENTS)])


def address(origin, name, width, output, quality):
    source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{name}", safe="")
    q = "" if output == "png" else f"&q={quality}"
    return f"/img?url={source}&w={width}&output={output}{q}"


def thumbors_address(origin, name, width, output, quality):
    source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{name}", safe="")
    output = "jpeg" if output == "jpg" else output
    return f"/unsafe/{width}x0/filters:format({output}):quality({quality})/{source}"


main()
