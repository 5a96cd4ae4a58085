#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long browsers wait if requests for a site's pictures follow Zipf's law, and three of four browsers take AVIF.

2,000 originals of 0.5 to 12 MP (a few pictures, each with other bytes after its end), four widths, `output=auto`.
Requests come at a steady pace whether the earlier ones were answered or not (open loop), so that a slow server has more and
more of them open. Each side is a fresh daemon with an empty cache, which gets the very same requests. Sides and rounds alternate.

A side consists of flags for `pictor serve`, after the path of the binary if it is another one:

    Benchmarks/mix.py --side '' --side '--decoder-avif-jobs 1' --side '/path/to/pictor --decoder-processes 3'

Other servers run behind nginx, which caches their answers by URL and by Accept. Each is given as a name, a command and a target, and
must choose the format by Accept itself. CPU is that of nginx and the server:

    Benchmarks/mix.py --side '' --peer imgproxy 'env IMGPROXY_BIND=127.0.0.1:{port} IMGPROXY_AUTO_AVIF=true IMGPROXY_AUTO_WEBP=true
        IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES=1 imgproxy' '/insecure/rs:fit:{width}:0/plain/{url}'
"""

import bisect
import concurrent.futures
import http.client
import itertools
import random
import shlex
import subprocess
import threading
import time
import urllib.parse

from lab import Lab, arguments, build, cpu_seconds, cpu_seconds_of_children, describe_machine, free_port, require, table
from lab import wait_for_port

PICTURES = [(800, 600), (1200, 900), (1632, 1224), (2000, 1500), (3000, 2000), (4032, 3024)]
# Few are large.
SHARES = [5, 5, 4, 3, 2, 1]
WIDTHS = [160, 320, 640, 1200]
ACCEPTS = [("image/avif,image/webp,*/*", 75), ("image/webp,*/*", 20), ("*/*", 5)]
PATIENCE = 30


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--side", action="append", help="flags of `pictor serve`; twice or more, or beside --peer")
    parser.add_argument("--peer", action="append", nargs=3, metavar=("NAME", "COMMAND", "TARGET"), default=[])
    parser.add_argument("--originals", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=15, help="requests a second")
    parser.add_argument("--seconds", type=int, default=60, help="of each round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    make_originals(lab, folder, options.originals)
    origin = lab.start_origin(folder)
    sides = [Pictor(options.pictor, side) for side in options.side or ([""] if options.peer else ["", "--decoder-avif-jobs 1"])]
    sides += [Peer(*peer) for peer in options.peer]
    rows = []
    for number in range(options.rounds):
        requests = list(draw(options, random.Random(options.seed + number)))
        for index in range(len(sides)) if number % 2 == 0 else reversed(range(len(sides))):
            side = sides[index]
            rows.append([f"round {number + 1}: {side.title}", *run(lab, f"{number}-{index}", side, origin, requests)])
    table(["ms", "p50", "p95", "p99", "made: p50", "p95", "p99", "not 200", "CPU s", "MB sent"], rows)


def make_originals(lab, folder, count):
    picture = build(lab, "picture.c")
    bodies = []
    for number, (width, height) in enumerate(PICTURES):
        file = lab.folder / f"{number}.jpg"
        subprocess.check_call([picture, str(width), str(height), str(number + 1), f"{file}[Q=85]"])
        bodies += [file.read_bytes()] * SHARES[number]
    chooser = random.Random(0)
    for number in range(count):
        (folder / f"{number}.jpg").write_bytes(chooser.choice(bodies) + number.to_bytes(4, "big"))


def draw(options, chooser):
    """Draws requests: the time in seconds, the original, the width, and the client's Accept field."""
    shares = list(itertools.accumulate(1 / rank for rank in range(1, options.originals + 1)))
    for number in range(int(options.rate * options.seconds)):
        original = bisect.bisect(shares, chooser.random() * shares[-1])
        accept, = chooser.choices([name for name, _ in ACCEPTS], [share for _, share in ACCEPTS])
        yield number / options.rate, min(original, options.originals - 1), chooser.choice(WIDTHS), accept


class Pictor:
    """A daemon with the flags of a `--side`."""

    def __init__(self, binary, words):
        self.title = words or "as it is"
        self.flags = shlex.split(words)
        self.binary = binary if not self.flags or self.flags[0].startswith("-") else self.flags.pop(0)

    def start(self, lab, name):
        """The port to ask, and the processes whose CPU counts."""
        _, port = lab.start_pictor(self.binary, name, *self.flags)
        return port, [lab.processes[-1]]

    def target(self, url, width):
        return f"/img?url={urllib.parse.quote(url, safe='')}&w={width}&output=auto"


class Peer:
    """Another image server, with nginx and its cache in front."""

    def __init__(self, title, command, target):
        self.title, self.command, self.pattern = title, command, target

    def start(self, lab, name):
        behind, port = free_port(), free_port()
        server = lab.start(shlex.split(self.command.format(port=behind)), f"peer-{name}")
        wait_for_port(behind, self.title, server)
        lab.start_nginx(
            f"front-{name}",
            f"proxy_cache_path {lab.folder}/front-{name}-cache keys_zone=one:10m max_size=4g inactive=1d;"
            " map $http_accept $taken { default other; ~image/avif avif; ~image/webp webp; }"
            f" server {{ listen 127.0.0.1:{port}; access_log off; location / {{ proxy_pass http://127.0.0.1:{behind};"
            " proxy_cache one; proxy_cache_key $request_uri|$taken; proxy_cache_valid 200 1h; proxy_cache_lock on;"
            " proxy_ignore_headers Cache-Control Expires Set-Cookie Vary; add_header X-Cache $upstream_cache_status; } }")
        front = lab.processes[-1]
        wait_for_port(port, f"nginx before {self.title}", front)
        return port, [server, front]

    def target(self, url, width):
        return self.pattern.format(url=url, quoted=urllib.parse.quote(url, safe=""), width=width)


def run(lab, name, side, origin, requests):
    port, processes = side.start(lab, name)
    local = threading.local()
    start = time.monotonic() + 0.5

    def ask(request):
        due, original, width, accept = request
        time.sleep(max(0, start + due - time.monotonic()))
        target = side.target(f"http://127.0.0.1:{origin}/{original}.jpg", width)
        try:
            if not hasattr(local, "connection"):
                local.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            local.connection.request("GET", target, headers={"Accept": accept})
            answer = local.connection.getresponse()
            length = len(answer.read())
            was_made = "encode" in answer.headers.get("Server-Timing", "") or answer.headers.get("X-Cache") == "MISS"
            status = answer.status
        except (OSError, http.client.HTTPException):
            del local.connection
            status, length, was_made = 0, 0, True
        # Counted since the request was due, not since a thread was free to send it.
        return (time.monotonic() - start - due) * 1e3, status, length, was_made

    with concurrent.futures.ThreadPoolExecutor(128) as pool:
        answers = list(pool.map(ask, requests))
    cpu = sum(cpu_seconds(process.pid) + cpu_seconds_of_children(process.pid) for process in processes)
    for process in reversed(processes):
        process.terminate()
        process.wait(30)
    made = [time for time, _, _, was_made in answers if was_made]
    return [*percentiles([time for time, *_ in answers]), *percentiles(made),
            sum(status != 200 for _, status, *_ in answers), f"{cpu:.1f}",
            f"{sum(length for _, _, length, _ in answers) / 1e6:.1f}"]


def percentiles(times):
    times = sorted(times) or [0]
    return [f"{times[min(len(times) - 1, int(len(times) * share))]:.0f}" for share in (0.5, 0.95, 0.99)]


main()
