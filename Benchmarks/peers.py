#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU of a whole miss, from the fetch to the last byte, compared with other image servers on this machine.

Without --peer, the other server is thumbor (`pip install thumbor`); the script says so if it is not found. Any other is
given as a name, a command and a target:

    Benchmarks/peers.py --peer imgproxy 'env IMGPROXY_BIND=127.0.0.1:{port} IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES=1
        imgproxy' '/insecure/rs:fit:{width}:0/q:80/plain/{url}@{format}'

Every request names another original: the same picture with other bytes after its end. With --known each was asked
for before, 64 pixels wide, so that a server that keeps originals need not fetch it. CPU is that of the server and all
its children. Sides alternate, and the least of the rounds counts, because all do the same work. All write at a quality of 80.
Servers that use libjpeg-turbo and libwebp make like files at that number; for others, compare the bytes, which are printed.
"""

import http.client
import shlex
import urllib.parse

from lab import Lab, arguments, cpu_seconds, describe_machine, family, free_port, originals, photograph_option, require, table, thumbor
from lab import verdict, wait_for_port

PICTURES = {"2 MP": (1632, 1224, "Q=90"), "6 MP": (3000, 2000, "Q=85"), "12 MP": (4032, 3024, "Q=90")}
RESULTS = [(150, "jpeg"), (400, "jpeg"), (800, "jpeg"), (1600, "jpeg"), (800, "webp")]
GOAL = 0.6
# CPU milliseconds for another width of a known original, up to 800 pixels as JPEG.
KNOWN_GOAL = 30


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--peer", action="append", nargs=3, metavar=("NAME", "COMMAND", "TARGET"), default=[])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--batch", type=int, default=6, help="pictures of one run")
    photograph_option(parser)
    parser.add_argument("--known", action="store_true", help="another width of originals that were asked for before")
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", *["vips"] if options.photograph else [], vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    peers = options.peer or [
        ("thumbor", command, "/unsafe/{width}x0/filters:format({format}):quality(80)/{quoted}") for command in thumbor(lab)]
    if not peers:
        raise SystemExit("thumbor is not installed, and no other server was named by --peer")
    folder = lab.folder / "originals"
    folder.mkdir()
    origin = f"http://127.0.0.1:{lab.start_origin(folder)}"
    pid, port = lab.start_pictor(options.pictor, "pictor", "--cache-disk", "4GiB", "--decoder-recycle-after", "100000")
    sides = {"pictor": (pid, port, "/img?url={quoted}&w={width}&q=80&output={format}")}
    for name, command, target in peers:
        port = free_port()
        server = lab.start(shlex.split(command.format(port=port)), name)
        wait_for_port(port, name, server)
        sides[name] = (server.pid, port, target)
    rows = []
    for size, original, width in originals(lab, options, PICTURES):
        for wanted, output in RESULTS:
            if wanted < width:
                rows.append([f"{size} → {wanted} {output}", *compare(options, sides, origin, folder, original, wanted, output)])
    names = list(sides)
    table(["CPU ms", *names, "÷ best other", "goal", *(f"KB {name}" for name in names)], rows)


def compare(options, sides, origin, folder, original, width, output):
    """Measures all sides, and returns the numbers for one line of the table."""
    least, sizes = {}, {}
    for number in range(-1, options.rounds):
        for name in sides if number % 2 else reversed(sides):
            pid, port, target = sides[name]
            files = [folder / f"{original.stem}-{output}-{width}-{name}-{number}-{index}.jpg" for index in range(options.batch)]
            for file in files:
                file.write_bytes(original.read_bytes() + file.name.encode())
            for file in files if options.known else ():
                ask(port, target, f"{origin}/{file.name}", 64, "jpeg")
            processes = [pid, *family(pid)]
            before = sum(map(cpu_seconds, processes))
            for file in files:
                sizes[name] = ask(port, target, f"{origin}/{file.name}", width, output)
                file.unlink()
            used = (sum(map(cpu_seconds, processes)) - before) / len(files) * 1000
            # The first round warms all.
            if number >= 0:
                least[name] = min(used, least.get(name, used))
    ratio = least["pictor"] / min(used for name, used in least.items() if name != "pictor")
    goal = verdict(least["pictor"], KNOWN_GOAL) if options.known and output == "jpeg" and width <= 800 else verdict(ratio, GOAL)
    return [
        *(f"{used:.1f}" for used in (least[name] for name in sides)), f"{ratio:.2f}", goal,
        *(f"{sizes[name] / 1000:.1f}" for name in sides),
    ]


def ask(port, target, url, width, output):
    """The length of the answer in bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", target.format(
        url=url, quoted=urllib.parse.quote(url, safe=""), width=width, format=output))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"{answer.status} for {target}: {body[:200]!r}")
    return len(body)


main()
