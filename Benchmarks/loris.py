#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what 10,000 slow connections cost, and how they affect a normal client.

For two minutes `loris.c` holds connections of nine kinds, as many of each: heads, bodies and chunks that come a byte at
a time, readers that take 16 bytes in three seconds of a large answer, of a hundred pipelined ones, or of one that they
asked for before they shut their side; connections that never send a request, that sent one, and that send one and
connect again. A connection that the daemon closes is opened again at once, or at its next turn if it lasted for less
than a second. A normal client asks 500 times a second for a picture that is there, every second time with its entity
tag, every 50th time on a new connection: before, beside, and after the siege. It runs before all other processes if the
system allows that (SCHED_FIFO), as if it were on another machine. The machine itself is slower during the siege,
because it has both ends of 10,000 connections. To measure that, a second daemon that is not attacked has a normal
client of its own at the same time.

User memory is the daemon's RSS and PSS; the kernel's is that of the TCP buffers of both ends (/proc/net/sockstat).
"""

import http.client
import json
import os
import resource
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

from lab import Lab, allow_descriptors, arguments, build, cpu_seconds, describe_machine, get, memory, require, table, verdict, wait_for

CONNECTIONS = 10_000
SECONDS = 120
QUIET = 20
PAGE = resource.getpagesize()
MB = 1 << 20


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("flags", nargs="*", help="for pictor serve, after --")
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    allow_descriptors(options.connections + 1000)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    (lab.folder / "originals").mkdir()
    picture = build(lab, "picture.c")
    subprocess.check_call([picture, "2400", "1800", "1", f"{lab.folder}/originals/p.jpg[Q=90]"])
    source = urllib.parse.quote(
        f"http://127.0.0.1:{lab.start_origin(lab.folder / 'originals')}/p.jpg", safe="")
    hit, large = (f"/img?url={source}&w=200", f"/img?url={source}&w=1200&output=png")
    pid, port = lab.start_pictor(options.pictor, "pictor", *options.flags)
    for _ in range(200):
        get(port, hit)
    print(f"answers of {len(get(port, hit)):,} and {len(get(port, large)):,} bytes")
    _, quiet_port = lab.start_pictor(options.pictor, "bystander", *options.flags)
    get(quiet_port, hit)
    loris = build(lab, "loris.c")

    def client(seconds, port=port):
        asked = [str(port), str(seconds), hit, entity_tag(port, hit)]
        return subprocess.Popen([loris, "client", *asked], stdout=subprocess.PIPE, text=True)

    before = finish(client(QUIET))
    at_rest, rest = state(pid), Peak(pid)
    with rest:
        siege = subprocess.Popen(
            [loris, "siege", str(port), str(options.connections), str(options.seconds), hit, large],
            # The siege should come from other machines; with this niceness it takes only what the daemon and
            # its client leave.
            stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.nice(19))
        clients = client(options.seconds), client(options.seconds, quiet_port)
        beside, bystander, kinds = *map(finish, clients), finish(siege)
    at_end = state(pid)
    after = finish(client(QUIET))
    wait_for(lambda: state(pid)["descriptors"] <= at_rest["descriptors"], "the daemon to close what is gone")

    latencies(before, beside, bystander, after)
    endings(kinds)
    costs(options, at_rest, rest.most, at_end, state(pid))


def finish(process):
    output = process.communicate()[0]
    if process.returncode:
        print(f"{process.args[1]}: ended with {process.returncode}")
    return json.loads(output)


def entity_tag(port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("HEAD", target)
    return connection.getresponse().getheader("ETag")


# MARK: What the siege costs

def state(pid):
    tcp = next(line for line in Path("/proc/net/sockstat").read_text().splitlines() if line.startswith("TCP:")).split()
    numbers = dict(zip(tcp[1::2], map(int, tcp[2::2])))
    rss, pss = memory(pid)
    return {
        "rss": rss, "pss": pss, "kernel": numbers["mem"] * PAGE, "orphans": numbers["orphan"], "cpu": cpu_seconds(pid),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
    }


class Peak:
    """The largest values of `state` while this is entered. Samples only every five seconds, because `state` slows the daemon down."""

    def __init__(self, pid):
        self.pid, self.most, self.over = pid, state(pid), threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(5):
            now = state(self.pid)
            self.most = {name: max(value, now[name]) for name, value in self.most.items()}


# MARK: Telling

def latencies(before, beside, bystander, after):
    rows = [
        [name, *(f"{run[key]:,}" for key in ("count", "failed", "p50", "p99", "p999", "most")), "yes" if run["realtime"] else "no"]
        for name, run in [("before", before), ("beside the siege", beside), ("of the bystander", bystander), ("after", after)]
    ]
    table(["normal client, µs", "answers", "failed", "p50", "p99", "p99.9", "most", "runs first"], rows)
    for key, goal in [("p50", None), ("p99", 2)]:
        ratio = 2 * beside[key] / (before[key] + after[key])
        print(f"{key} beside the siege against idle: {ratio:.2f} ×" + (f", goal {verdict(ratio, goal)}" if goal else "")
              + f"; against the bystander: {beside[key] / bystander[key]:.2f} ×")
    print()


def endings(kinds):
    columns = ["opened", "408", "503", "answered", "silent", "reset", "refused"]
    rows = [
        [name, *(f"{kind[column]:,}" for column in columns), *(f"{life / 1000:.1f}" for life in kind["life"])]
        for name, kind in kinds["kinds"].items()
    ]
    table(["connections ended by the daemon", *columns, "median s", "longest s"], rows)
    print(f"{kinds['open']:,} open at the end")


def costs(options, rest, peak, end, after):
    def each(name):
        return f"{(peak[name] - rest[name]) / options.connections:,.0f}"

    rows = [
        [name, f"{rest[key] / MB:.1f}", f"{peak[key] / MB:.1f}", f"{after[key] / MB:.1f}", each(key)]
        for name, key in [("daemon, RSS", "rss"), ("daemon, PSS", "pss"), ("kernel's TCP buffers", "kernel")]
    ]
    table(["memory", "before MB", "most MB", "after MB", "bytes a connection"], rows)
    cpu = end["cpu"] - rest["cpu"]
    print(f"daemon's CPU: {cpu:.1f} s in {options.seconds} s, the normal client's answers among it")
    print(f"descriptors: {rest['descriptors']} before, {peak['descriptors']:,} at most, {after['descriptors']} after; "
          f"sockets without an owner: {after['orphans']}")


main()
