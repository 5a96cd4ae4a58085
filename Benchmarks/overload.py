#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for ten times more than can be made, for a minute: how much is still made, and how long do hits take meanwhile?

Five phases, each with a steady pace of requests for a cached picture and for its 304: nothing else (idle);
twice as many clients as cores, who ask for new pictures and wait for them (capacity); requests for new pictures at ten times
that rate, whether they are answered or not (overload); the capacity once more, because a shared machine is faster at one time than at
another; and hundreds of clients who ask anew as soon as they are refused (impatience). Every new picture has an original of its
own, by its URL, and a random size, so it costs a fetch, a hash, a rendering and two files. After the overload: the time
until a new picture takes no longer than twice what it took at capacity, and what the daemon still holds when all have been
answered.

All requests come from load.c, one thread, which runs before all other processes if the system allows that (SCHED_FIFO), as
if it were on another machine. The script prints its CPU and how late it was. If it was the bottleneck, the other figures
are void, and the script says so and fails.
"""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.parse

from lab import (
    Lab, arguments, build, cpu_seconds, cpu_seconds_of_children, describe_machine, descriptors, free_port, require, table,
    verdict)

ORIGINALS = [("2mp-%d.jpg", "1632", "1224", 6), ("6mp-%d.jpg", "3000", "2000", 2)]
FACTOR = 10
PATIENCE = 10
PROBES = 100
# The client's share of one processor; and its lag in microseconds.
CLIENT_SHARE, CLIENT_LAG = 0.25, 1000


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60, help="of the overload")
    parser.add_argument("--idle", type=int, default=15, help="seconds")
    parser.add_argument("--capacity", type=int, default=15, help="seconds")
    parser.add_argument("--factor", type=float, default=FACTOR)
    parser.add_argument("--impatient", type=int, default=512, help="clients who ask anew at once when refused")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--details", action="store_true", help="prints what the client reports of each phase")
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        sys.exit(measure(lab, options))


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    sources = []
    origin = lab.start_origin(folder)
    for pattern, width, height, count in ORIGINALS:
        for number in range(count):
            name = pattern % number
            subprocess.check_call([picture, width, height, str(number), f"{folder}/{name}[Q=88]"])
            sources.append(urllib.parse.quote(f"http://127.0.0.1:{origin}/{name}", safe=""))
    admin = free_port()
    daemon, port = lab.start_pictor(
        options.pictor, "pictor", "--log-level", "error", "--admin-listen", f"127.0.0.1:{admin}")
    load = Load(build(lab, "load.c"), daemon, port, sources, options)

    before = WorkInProgress(daemon, admin, origin)
    idle = load.run("idle", options.idle)
    load.run("warm-up", options.capacity / 3, clients=2 * os.cpu_count())
    usual = load.run("capacity", options.capacity, clients=2 * os.cpu_count())
    busy = load.run(
        "overload", options.seconds, rate=usual.rate * options.factor, usual=2 * usual.report["new"]["p50"])
    after = WorkInProgress.settled(daemon, admin, origin, before)
    again = load.run("capacity again", options.capacity, clients=2 * os.cpu_count())
    storm = load.run("impatience", options.capacity, clients=options.impatient)
    return report(options, idle, usual, busy, again, storm, before, after)


class Load:
    """The client that makes the requests, with one run for each phase."""

    def __init__(self, program, daemon, port, sources, options):
        self.program, self.daemon, self.port, self.sources, self.options = program, daemon, port, sources, options
        self.next = 1
        self.held = f"/img?url={sources[0]}&w=480&output=jpg"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(2):
            connection.request("GET", self.held)
            answer = connection.getresponse()
            answer.read()
        self.tag = answer.headers["ETag"]

    def run(self, name, seconds, **mode):
        words = dict(
            port=self.port, seconds=seconds, seed=self.options.seed, probes=PROBES, patience=PATIENCE, held=self.held,
            tag=self.tag, first=self.next, **mode)
        before = self.spent()
        text = subprocess.check_output(
            [self.program, *(f"{word}={value}" for word, value in words.items()), *self.sources], text=True)
        cpu = tuple(now - then for now, then in zip(self.spent(), before))
        phase = Phase(name, seconds, json.loads(text), cpu)
        self.next = phase.report["next"]
        if self.options.details:
            print(name, json.dumps(phase.report), "CPU", phase.cpu, flush=True)
        return phase

    def spent(self):
        """CPU seconds of the daemon's process, and of its decoders."""
        return cpu_seconds(self.daemon), cpu_seconds_of_children(self.daemon)


class Phase:
    def __init__(self, name, seconds, report, cpu):
        self.name, self.seconds, self.report, self.cpu = name, seconds, report, cpu
        self.served = report["statuses"].get("200", 0)
        self.share = report["cpu"] / seconds

    def p99(self, kind):
        return self.report[kind]["p99"]

    @property
    def rate(self):
        return self.served / self.seconds

    def client_is_bottleneck(self, idle):
        """Whether the client was too busy, or late for a reason other than the machine (compared with the idle phase). If so, the
        figures measure the client and not the daemon."""
        return self.share > CLIENT_SHARE or self.p99("lag") > max(CLIENT_LAG, 2 * idle.p99("lag"))


class WorkInProgress:
    """The daemon's open descriptors, and its work for requests under way."""

    GAUGES = ("pictor_requests_in_flight", "pictor_work_in_flight", "pictor_decoder_queue_length")

    def __init__(self, daemon, admin, origin):
        self.descriptors = descriptors(daemon, origin)
        connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=10)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        self.under_way = sum(float(line.split()[-1]) for line in lines if line.startswith(self.GAUGES))

    @staticmethod
    def settled(daemon, admin, origin, before):
        """The work in progress after at most ten seconds, because closed connections of clients are noticed a moment later."""
        for _ in range(100):
            held = WorkInProgress(daemon, admin, origin)
            if held.descriptors <= before.descriptors and not held.under_way:
                break
            time.sleep(0.1)
        return held


def report(options, idle, usual, busy, again, storm, before, after):
    client(idle, usual, busy, again, storm)
    answers = dict(busy.report["statuses"])
    print(
        f"capacity {usual.rate:.1f} new pictures/s, afterwards {again.rate:.1f}, median {usual.report['new']['p50'] / 1000:.0f} ms; overload: "
        f"{busy.report['asked']} asked, answered in time: {answers}, after the end: {busy.report['late']}, "
        f"given up after {PATIENCE} s: {busy.report['hung_up']}")
    shed = answers.get("503", 0)
    if shed:
        # The CPU of the daemon's process, less what it spends on pictures that are made.
        each = usual.cpu[0] / max(1, usual.served)
        print(f"CPU of the daemon's process for a refusal: {(busy.cpu[0] - each * busy.served) / shed * 1e6:.0f} µs\n")
    goodput, persistent = busy.rate / usual.rate, storm.rate / again.rate
    rows = [
        ["goodput ÷ capacity", f"{goodput:.2f}", verdict(goodput, 0.9, least=True)],
        ["the same, of the capacity before and after", f"{2 * busy.rate / (usual.rate + again.rate):.2f}", ""],
        [f"{options.impatient} impatient clients: goodput ÷ capacity afterwards", f"{persistent:.2f}", ""],
    ]
    for kind in ("hits", "304s"):
        ratio = busy.p99(kind) / idle.p99(kind)
        counts = f"{busy.p99(kind)} µs of {busy.report[kind]['count']}, {idle.p99(kind)} µs of {idle.report[kind]['count']}"
        rows.append([f"{kind}: p99 busy ÷ idle ({counts})", f"{ratio:.1f}", verdict(ratio, 2)])
    recovery = busy.report["recovery"]
    rows.append(["seconds until all is as usual", f"{recovery:.2f}" if recovery >= 0 else "never", verdict(recovery if recovery >= 0 else 99, 2)])
    rows.append(["requests that were not answered as they should be", sum(sum(p.report["wrong"]) for p in (idle, usual, busy, again, storm)) + busy.report["without_retry"], "0"])
    rows.append(["descriptors left, and work under way", f"{after.descriptors - before.descriptors:+}, {after.under_way:.0f}", "0"])
    table(["", "seen", "goal"], rows)
    if idle.p99("lag") > CLIENT_LAG:
        print(f"The machine is not quiet: with nothing to do the client was late by {idle.p99('lag')} µs (p99).")
    if any(phase.client_is_bottleneck(idle) for phase in (idle, usual, busy)):
        print("VOID: the client was the bottleneck; these figures are its own.")
        return 1
    return 0


def client(*phases):
    """Prints how much CPU the measuring client used, and how late it was."""
    table(
        ["client", "requests", "of one processor", "late p99 µs", "late max µs", "runs first"],
        [[phase.name, phase.report["asked"] + phase.report["probed"], f"{phase.share:.1%}", phase.p99("lag"),
          phase.report["lag"]["max"], "yes" if phase.report["realtime"] else "no"] for phase in phases])


if __name__ == "__main__":
    main()
