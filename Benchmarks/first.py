#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU of the first answer from disk after a start, and of the second, compared with nginx's proxy_cache.

A daemon makes 1,000 renditions and is stopped. Another starts on the same folder and is asked for each of them twice, one
after the other over one connection. nginx does the same with the same bytes. CPU is that of the process that answers;
the least of the rounds counts, each of which begins with a start. For the first answers, the share of the threads that
answer is printed as well. The rest is the sweep and the scrub after a start, which cost once a start and not once a request.
"""

import http.client
import time
import urllib.parse

from lab import (
    Lab, arguments, build, cpu_seconds, cpu_seconds_of_threads, describe_machine, free_port, require, table, verdict,
    wait_for_port)

import subprocess

GOAL = 60
# The beginnings of names of threads that answer: Pictor's event loops, and nginx's worker.
ANSWERING = ("http-", "nginx")


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--against", help="another pictor, measured in turn")
    parser.add_argument("--renditions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = folder / "0.jpg"
    subprocess.check_call([build(lab, "picture.c"), "400", "300", "1", f"{picture}[Q=80]"])
    content = picture.read_bytes()
    for number in range(options.renditions):
        (folder / f"{number}.jpg").write_bytes(content + number.to_bytes(4, "big"))
    origin = lab.start_origin(folder)
    targets = [target(origin, number) for number in range(options.renditions)]
    sides = {"pictor": lambda: start_pictor(lab, options.pictor, "pictor"), "nginx": lambda: start_nginx(lab, origin)}
    if options.against:
        sides["against"] = lambda: start_pictor(lab, options.against, "against")
    least = {}
    for number in range(-1, options.rounds):
        for side, start in sides.items():
            process, pid, port = start()
            (first, threads), (second, _) = [ask(pid, port, targets) for _ in range(2)]
            passes = [first, threads, second]
            process.terminate()
            process.wait(60)
            # The first round makes the pictures that the others find.
            if number >= 0:
                least[side] = [min(pair) for pair in zip(passes, least.get(side, passes))]
    table(["CPU µs a request", "first", "goal", "of it answering", "second"], [
        [
            side, f"{first:.1f}", verdict(first, GOAL) if side == "pictor" else "", f"{threads:.1f}",
            f"{second:.1f}"
        ]
        for side, (first, threads, second) in least.items()
    ])


def target(origin, number):
    source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{number}.jpg", safe="")
    return f"/img?url={source}&w=200&output=jpg"


def start_pictor(lab, binary, name):
    pid, port = lab.start_pictor(binary, name)
    return lab.processes.pop(), pid, port


def start_nginx(lab, origin):
    """An nginx with a cache. Each target is another key of the cache, but all stand for the same file at the origin."""
    port = free_port()
    pid = lab.start_nginx(
        "nginx",
        f"proxy_cache_path {lab.folder}/nginx-cache keys_zone=one:10m max_size=1g inactive=1d;"
        f" server {{ listen 127.0.0.1:{port}; access_log off; location / {{ proxy_cache one; proxy_cache_valid 1h;"
        f" proxy_cache_key $request_uri; rewrite ^ /0.jpg break; proxy_pass http://127.0.0.1:{origin}; }} }}")
    wait_for_port(port, "nginx")
    return lab.processes.pop(), pid, port


def ask(pid, port, targets):
    """Microseconds of CPU a request without the connection's start: those of the process, and those of the threads that answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.connect()
    # Waits until the start has finished, because its work does not belong to the requests.
    time.sleep(1)
    before, before_threads = cpu_seconds(pid), cpu_seconds_of_threads(pid, ANSWERING)
    for target in targets:
        connection.request("GET", target)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (answer.status, body[:200])
    after, after_threads = cpu_seconds(pid), cpu_seconds_of_threads(pid, ANSWERING)
    return (after - before) / len(targets) * 1e6, (after_threads - before_threads) / len(targets) * 1e6


main()
