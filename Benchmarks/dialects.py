#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU per request for a picture in memory, asked for in each dialect, compared with /img.

One daemon serves all dialects without keys. 64 keep-alive connections (wrk -t1 -c64) ask for the same pictures, which
are small, so that the cost of parsing the target shows. The server runs on core 0 with one thread, wrk on core 1. Rounds of all
dialects alternate; the ratio of a dialect is the median of its rounds' ratios to the round of /img next to it.
"""

import subprocess
import urllib.parse

from hits import run, script
from lab import Lab, arguments, build, describe_machine, get, median, require, table, verdict

# The widths that next/image uses, up to some 40 KB.
WIDTHS = [16, 32, 48, 64, 96, 128, 256, 384]
GOAL = 1.1


def escaped(source):
    return urllib.parse.quote(source, safe="")


DIALECTS = {
    "native": lambda source, width: f"/img?url={escaped(source)}&w={width}&q=75&output=jpg",
    "weserv": lambda source, width: f"/?url={escaped(source)}&w={width}&q=75&output=jpg",
    "next": lambda source, width: f"/_next/image?url={escaped(source)}&w={width}&q=75",
    "cloudflare": lambda source, width: f"/cdn-cgi/image/w={width},q=75,format=baseline-jpeg/{source}",
    "imgproxy": lambda source, width: f"/_/w:{width}/q:75/plain/{source}@jpg",
    "thumbor": lambda source, width: f"/thumbor/unsafe/{width}x/filters:quality(75):format(jpeg)/{source}",
    "imagor": lambda source, width: f"/imagor/unsafe/{width}x0/filters:quality(75):format(jpg)/{source}",
}


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=2, help="of one dialect in one round")
    options = parser.parse_args()
    require("wrk", "nginx", "taskset", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    (lab.folder / "originals").mkdir()
    subprocess.check_call([build(lab, "picture.c"), "1600", "1200", "1", f"{lab.folder}/originals/p.jpg[Q=90]"])
    source = f"http://127.0.0.1:{lab.start_origin(lab.folder / 'originals')}/p.jpg"
    enabled = [flag for name in ("cloudflare", "imgproxy", "thumbor", "imagor") for flag in (f"--{name}-enabled", "true")]
    pid, port = lab.start_pictor(options.pictor, "dialects", "--server-threads", "1", *enabled)

    pictures, servers, lengths = {}, {}, {}
    for name, target in DIALECTS.items():
        targets = [target(source, width) for width in WIDTHS]
        pictures[name] = [get(port, target) for target in targets for _ in range(2)]
        servers[name] = (pid, port, script(lab, name, targets))
        lengths[name] = len(targets[-1])
    subprocess.check_call(["taskset", "-a", "-p", "-c", "0", str(pid)], stdout=subprocess.DEVNULL)

    results = run(servers, options)
    rows = []
    for name, rounds in results.items():
        ratio = median(mine[0] / native[0] for mine, native in zip(rounds, results["native"]))
        rows.append([
            name, lengths[name], "yes" if pictures[name] == pictures["native"] else "no",
            f"{median(cpu for cpu, _ in rounds):.2f}", f"{ratio:.3f}", verdict(ratio, GOAL)])
    table(["dialect", "bytes of target", "same pictures", "CPU µs", "× native", "goal"], rows)


main()
