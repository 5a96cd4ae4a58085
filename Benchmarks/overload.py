#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten times more than can be made, for a minute: how much is still made, and what those notice who ask for what is there.

First the capacity: new renditions a second with twice as many clients as cores, who wait for their answers. Then requests for
new renditions at ten times that rate, whether answered or not, each client giving up after its patience. Beside them, in both
phases, a client that asks for a picture that is held, and one whose copy is still good (304), each at a steady pace, whose
latencies are compared with those of an idle daemon. After the end: the time until a new rendition takes no longer than
twice what it took at capacity.
"""

import asyncio
import collections
import concurrent.futures
import http.client
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import time
import urllib.parse

from lab import Lab, arguments, build, describe_machine, require, table, verdict

ORIGINALS = [("2mp-%d.jpg", "1632", "1224", 6), ("6mp-%d.jpg", "3000", "2000", 2)]
FACTOR = 10
PATIENCE = 10
STEADY = 50


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        sys.exit(asyncio.run(measure(lab, options)))


async def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    names = []
    for pattern, width, height, count in ORIGINALS:
        for number in range(count):
            names.append(pattern % number)
            subprocess.check_call([picture, width, height, str(number), f"{folder}/{names[-1]}[Q=88]"])
    origin = lab.start_origin(folder)
    _, port = lab.start_pictor(options.pictor, "pictor", "--log-level", "error")
    targets = Targets(origin, names, options.seed)
    held = targets.next()
    _, tag, _ = await ask(port, held)

    idle = await steady(port, held, tag, 5)
    capacity, usual = await closed(port, targets, 10)
    # Twice, because the first warms what the kernel and the daemon keep.
    capacity, usual = await closed(port, targets, 10)
    task = asyncio.create_task(steady(port, held, tag, options.seconds))
    counts, took = await opened(port, targets, capacity * FACTOR, options.seconds)
    busy = await task
    recovery = await recover(port, targets, 2 * usual)

    goodput = counts[200] / options.seconds
    print(f"capacity {capacity:.1f} new renditions/s, median {usual * 1000:.0f} ms; answers under load: {dict(sorted(counts.items()))}")
    rows = [["goodput ÷ capacity", f"{goodput / capacity:.2f}", verdict(goodput / capacity, 0.9, least=True)]]
    for name in idle:
        ratio = p99(busy[name]) / p99(idle[name])
        rows.append([f"{name}: p99 busy ÷ idle ({p99(busy[name]) * 1000:.1f} ms, {p99(idle[name]) * 1000:.1f} ms)",
                     f"{ratio:.1f}", verdict(ratio, 2)])
    rows.append(["seconds until all is as usual", f"{recovery:.1f}", verdict(recovery, 2)])
    table(["", "seen", "goal"], rows)
    return 0


def p99(latencies):
    return statistics.quantiles(latencies, n=100)[98]


class Targets:
    """Renditions that were never asked for."""

    def __init__(self, origin, names, seed):
        self.chance, self.origin, self.names, self.number = random.Random(seed), origin, names, 0

    def next(self):
        self.number += 1
        source = urllib.parse.quote(f"http://127.0.0.1:{self.origin}/{self.chance.choice(self.names)}", safe="")
        return f"/img?url={source}&w={300 + self.number % 400}&h={100 + self.number // 400}&fit=cover&output=jpg"


async def ask(port, target, field=None, patience=60):
    """Status, entity tag and seconds; status 0 for none in time."""
    begin = time.monotonic()
    writer = None
    try:
        async with asyncio.timeout(patience):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            lines = [f"GET {target} HTTP/1.1", "Host: localhost", "Connection: close"] + ([field] if field else [])
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            answer = await reader.read()
    except (TimeoutError, OSError):
        return 0, None, time.monotonic() - begin
    finally:
        if writer:
            writer.close()
    head = answer.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    tags = [line.partition(":")[2].strip() for line in head if line.lower().startswith("etag:")]
    status = int(head[0].split()[1]) if head[0] else 0
    return status, tags[0] if tags else None, time.monotonic() - begin


async def closed(port, targets, seconds):
    """Answers a second and the median of their times, with clients that wait."""
    end, times = time.monotonic() + seconds, []

    async def client():
        while time.monotonic() < end:
            status, _, took = await ask(port, targets.next())
            if status == 200:
                times.append(took)

    await asyncio.gather(*(client() for _ in range(2 * os.cpu_count())))
    return len(times) / seconds, statistics.median(times)


async def opened(port, targets, rate, seconds):
    """Statuses and times of requests that come at a rate, whatever becomes of them."""
    counts, times, tasks = collections.Counter(), [], set()

    async def one():
        status, _, took = await ask(port, targets.next(), patience=PATIENCE)
        if time.monotonic() < end:
            counts[status] += 1
            times.append(took)

    begin = time.monotonic()
    end = begin + seconds
    sent = 0
    while (now := time.monotonic()) < end:
        while sent < (now - begin) * rate:
            sent += 1
            task = asyncio.create_task(one())
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.sleep(0.01)
    for task in tasks:
        task.cancel()
    return counts, times


async def steady(port, target, tag, seconds):
    """Latencies of two clients at a steady pace: one gets a picture that is held, the other a 304. In a process of their
    own, so that the crowd's bookkeeping is not in their way."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, steadily, port, target, tag, seconds)


def steadily(port, target, tag, seconds):
    latencies = {"hits": [], "304s": []}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, fields, expected in [("hits", {}, 200), ("304s", {"If-None-Match": tag}, 304)]:
            begin = time.monotonic()
            connection.request("GET", target, headers=fields)
            answer = connection.getresponse()
            answer.read()
            latencies[name].append(time.monotonic() - begin if answer.status == expected else 60)
        time.sleep(1 / STEADY)
    return latencies


async def recover(port, targets, limit):
    begin = time.monotonic()
    while time.monotonic() - begin < 30:
        moment = time.monotonic()
        status, _, took = await ask(port, targets.next())
        if status == 200 and took <= limit:
            return moment - begin
        await asyncio.sleep(0.05)
    return 30


if __name__ == "__main__":
    main()
