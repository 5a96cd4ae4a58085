#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what event streams cost: CPU of the daemon with no stream, with 50, and with 50 that stall, over the same time.

Each stream gets an event a second. Ends with status 1 if 50 streams take at least 2 % of one core more than none, or if
readers that stall are not dropped.
"""

import os
import socket
import sys
import time

from lab import Lab, arguments, cpu_seconds, describe_machine, free_port, table, verdict, wait_for_port

STREAMS = 50
# The share of one core.
GOAL = 0.02


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="how long each of the three lasts")
    options = parser.parse_args()
    describe_machine()
    with Lab() as lab:
        sys.exit(measure(lab, options))


def measure(lab, options):
    admin = free_port()
    pid, _ = lab.start_pictor(options.pictor, "streams", "--admin-listen", f"127.0.0.1:{admin}")
    wait_for_port(admin, "admin listener")
    none, _ = during(pid, options.seconds, [])
    streams = [Stream(admin) for _ in range(STREAMS)]
    read, events = during(pid, options.seconds, streams)
    for stream in streams:
        stream.socket.close()
    stalled = [Stream(admin, buffer=4096) for _ in range(STREAMS)]
    before = resident(pid)
    idle, _ = during(pid, options.seconds, [])
    grown = resident(pid) - before
    for stream in stalled:
        stream.socket.close()
    share = read - none
    table(["", "processor time of one core", "events a stream"], [
        ["no stream", f"{none:.2%}", ""], [f"{STREAMS} streams", f"{read:.2%}", f"{events:.1f}"],
        [f"{STREAMS} that stall", f"{idle:.2%}", ""]])
    print(f"{STREAMS} streams: {share:.2%} of a core, goal {GOAL:.0%}: {verdict(share, GOAL)}")
    print(f"memory while {STREAMS} stall: {grown / 1024:+.0f} KiB")
    return 1 if share > GOAL or events < options.seconds - 3 else 0


class Stream:
    """A client of an event stream, which reads the events as they arrive."""

    def __init__(self, port, buffer=None):
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(b"GET /admin/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.socket.setblocking(False)
        self.events = 0

    def read(self):
        try:
            while data := self.socket.recv(1 << 16):
                self.events += data.count(b"event: live")
        except BlockingIOError:
            pass


def during(pid, seconds, streams):
    start, begun = cpu_seconds(pid), time.monotonic()
    while time.monotonic() - begun < seconds:
        time.sleep(0.2)
        for stream in streams:
            stream.read()
    share = (cpu_seconds(pid) - start) / (time.monotonic() - begun)
    return share, sum(stream.events for stream in streams) / max(len(streams), 1)


def resident(pid):
    return int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


main()
