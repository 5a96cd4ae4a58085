#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what observation costs a hit: access log, traces and scrapes, each alone and all together, compared with none.

Every side is a daemon of its own; rounds of all sides alternate, and the ratio of a side is the median of its rounds' ratios
to the plain round next to it. `pictor bench` asks for one picture in memory at a fixed rate, so that a collector keeps up and
no span is dropped, because dropping is cheaper than sending. CPU is user and system time of the daemon's process, so it
includes the threads for the log and for the spans. Allocations and system calls are counted as in counts.py.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from counting import count, counted
from lab import Lab, arguments, build, cpu_seconds, describe_machine, free_port, get, median, require, table

LOG = ["--log-format", "json"]
# Name → access log, flags, whether /metrics is scraped each second; {collector} is the collector's address.
TRACES = ["--traces-endpoint", "{collector}", "--traces-ratio"]
SIDES = {
    "plain": (False, [], False),
    "access log": (True, LOG, False),
    "traces, 1 in 100": (False, [*TRACES, "0.01"], False),
    "traces, each": (False, [*TRACES, "1"], False),
    "scraped each second": (False, [], True),
    "all, traces 1 in 100": (True, [*LOG, *TRACES, "0.01"], True),
    "all, traces each": (True, [*LOG, *TRACES, "1"], True),
}
ACCEPT = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"


class Collector(http.server.BaseHTTPRequestHandler):
    """A collector of traces that discards all spans."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


class Side:
    """One daemon, with the kinds of observation in its name."""

    def __init__(self, lab, options, name, collector, word, preload=None):
        log, flags, self.is_scraped = SIDES[name]
        self.admin = free_port()
        flags = [flag.replace("{collector}", collector) for flag in flags]
        self.pid, self.port = lab.start_pictor(
            options.pictor, word, "--server-threads", "1", *flags, log=log, preload=preload, admin=f"127.0.0.1:{self.admin}")

    def page(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.admin}/metrics", headers={"Accept": ACCEPT})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.read().decode()

    def value(self, sample):
        return sum(float(line.split()[1]) for line in self.page().splitlines() if line.startswith(sample + " "))

    def scraped(self, work):
        """Does `work`. If this side is to be scraped, the page of metrics is read once a second meanwhile."""
        ended = threading.Event()

        def scrape():
            while not ended.wait(1):
                self.page()

        scraper = threading.Thread(target=scrape)
        if self.is_scraped:
            scraper.start()
        try:
            return work()
        finally:
            ended.set()
            if self.is_scraped:
                scraper.join()


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3, help="of one side in one round")
    parser.add_argument("--rate", type=int, default=3000, help="requests a second")
    options = parser.parse_args()
    require("nginx", "gcc", "strace", "taskset", "pkg-config", vips=True)
    describe_machine()
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    with Lab() as lab:
        measure(lab, options, f"http://127.0.0.1:{collector.server_address[1]}")


def measure(lab, options, collector):
    (lab.folder / "originals").mkdir()
    subprocess.check_call([build(lab, "picture.c"), "400", "300", "1", f"{lab.folder}/originals/p.jpg"])
    source = urllib.parse.quote(f"http://127.0.0.1:{lab.start_origin(lab.folder / 'originals')}/p.jpg", safe="")
    target = f"/img?url={source}&w=200"
    sides = {name: Side(lab, options, name, collector, f"side{number}") for number, name in enumerate(SIDES)}
    print(f"{len(get(sides['plain'].port, target)):,} bytes, {options.rate:,} a second")
    for side in sides.values():
        get(side.port, target)
        subprocess.check_call(["taskset", "-a", "-p", "-c", "0", str(side.pid)], stdout=subprocess.DEVNULL)
    rounds = run(options, sides, target)
    for name, side in sides.items():
        lost = side.value('pictor_trace_spans_total{result="dropped"}') + side.value('pictor_trace_spans_total{result="failed"}')
        if lost:
            sys.exit(f"{name}: {lost:.0f} spans were lost; ask less often")
    report(rounds, counts(lab, options, collector, target))


def run(options, sides, target):
    """CPU in µs of a hit on each side, one value for each round. The first round is a warm-up and does not count."""
    results = {name: [] for name in sides}
    for number in range(options.rounds + 1):
        for name in list(sides) if number % 2 else reversed(sides):
            side = sides[name]
            value = side.scraped(lambda: load(options, side, target, options.seconds if number else 1))
            if number:
                results[name].append(value)
    return results


def load(options, side, target, seconds):
    before = cpu_seconds(side.pid)
    text = subprocess.check_output(
        ["taskset", "-c", "1", options.pictor, "bench", "--json", "--connections", "16", "--rate", str(options.rate),
         "--duration", str(seconds), f"http://127.0.0.1:{side.port}{target}"], text=True)
    # Spans and log lines are sent in batches; the second in which they leave belongs to these requests.
    time.sleep(1.2)
    used = cpu_seconds(side.pid) - before
    result = json.loads(text)
    done = result["requests"]
    if result["failures"] or done < 0.9 * options.rate * seconds:
        sys.exit(f"the load was not given: {text}")
    return used / done * 1e6


def counts(lab, options, collector, target):
    """The number of allocations and system calls for a hit on each side."""
    counter = build(lab, "allocations.c", "-shared", "-fPIC")
    results = {}
    for number, name in enumerate(SIDES):
        word = f"counted{number}"
        os.environ["ALLOCATIONS"] = str(counted(lab, word))
        side = Side(lab, options, name, collector, word, preload=counter)
        results[name] = side.scraped(lambda: count(lab, side.pid, side.port, word, target))
    return results


def report(rounds, counts):
    rows = []
    for name, values in rounds.items():
        ratio = median(mine / plain for mine, plain in zip(values, rounds["plain"]))
        extra = median(mine - plain for mine, plain in zip(values, rounds["plain"]))
        allocated, calls = counts[name]
        rows.append([name, f"{median(values):.1f}", f"{ratio:.2f}", f"{extra:+.1f}", f"{min(values):.1f}", f"{allocated:.2f}", f"{calls:.2f}"])
    table(["a hit", "CPU µs", "× plain", "more µs", "least", "allocations", "system calls"], rows)


main()
