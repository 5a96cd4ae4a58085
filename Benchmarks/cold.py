#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time until the answer for a tiny picture that is not in the cache, compared with another binary.

One client sends one request at a time over one connection, to the two daemons in turn; each pair of requests is for
another picture. The pictures are tiny, so the time is that of everything around the rendering: fetch, header, queue, processes,
files. The difference is that within a pair; its median and quartiles are over all pairs. `inspect` is the time of the
inspector processes, from this daemon's Server-Timing: its median and its upper quartile.

A pause before each request lets the work that the previous one left come to its end. If new files are slow to make
(on ext4 without a journal, after many were deleted), TMPDIR=/dev/shm avoids the file system.
"""

import http.client
import os
import statistics
import struct
import time
import urllib.parse
import zlib

from lab import Lab, arguments, describe_machine, require, table

PAUSE = 0.02  # seconds
CASES = ["output=json", "w=2&output=png", "w=2&output=jpg"]


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--against", type=os.path.abspath, required=True, help="the other binary")
    parser.add_argument("--case", choices=CASES, action="append", help="all of them unless given")
    parser.add_argument("--pairs", type=int, default=600, help="of requests, of each kind")
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def picture(number):
    """A PNG of 4 × 4 pixels, whose colour is the number."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = (b"\0" + struct.pack(">I", number)[1:] * 4) * 4
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    origin = f"http://127.0.0.1:{lab.start_origin(folder)}"
    daemons = [
        http.client.HTTPConnection("127.0.0.1", lab.start_pictor(binary, name)[1], timeout=60)
        for name, binary in (("this", options.pictor), ("other", options.against))]
    rows = []
    for number, case in enumerate(options.case or CASES):
        pairs, inspections = [], []
        for pair in range(number << 16, (number << 16) + options.pairs + 50):
            (folder / f"{pair}.png").write_bytes(picture(pair))
            source = urllib.parse.quote(f"{origin}/{pair}.png", safe="")
            # The second daemon finds the origin's caches warm, so the order alternates between pairs.
            order = [0, 1] if pair % 2 else [1, 0]
            times = {index: ask(daemons[index], source, case) for index in order}
            pairs.append((times[0][0], times[1][0]))
            inspections.append(times[0][1])
        pairs, inspections = pairs[50:], inspections[50:]
        differences = statistics.quantiles([mine - theirs for mine, theirs in pairs])
        mine, theirs = (statistics.median(times) for times in zip(*pairs))
        _, inspect, slow = statistics.quantiles(inspections)
        rows.append([case, f"{mine:.0f}", f"{theirs:.0f}", *(f"{value:+.0f}" for value in differences),
                     f"{inspect:.0f}", f"{slow:.0f}"])
    table(["µs", "this", "other", "quartile", "median", "quartile", "inspect", "quartile"], rows)


def ask(daemon, source, case):
    """Microseconds that the request took, and that its inspections took of them."""
    time.sleep(PAUSE)
    started = time.perf_counter()
    daemon.request("GET", f"/img?url={source}&{case}")
    answer = daemon.getresponse()
    answer.read()
    took = (time.perf_counter() - started) * 1e6
    assert answer.status == 200, answer.status
    stages = dict(stage.split(";dur=") for stage in answer.headers["Server-Timing"].split(", "))
    return took, float(stages.get("inspect", 0)) * 1e3


main()
