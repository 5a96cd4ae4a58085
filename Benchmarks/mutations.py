#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks for tens of thousands of damaged pictures at full rate: what do they cost, and what do they leave behind?

Small pictures of every format are damaged by a generator that a printed seed decides (bits turned, bytes set to their limits,
pieces cut, doubled and swapped with another picture's) and asked for through a daemon of its own. The daemon may refuse
each with any error but 500. It must not restart or grow, and no descriptor, process or work in flight may remain. /health/live is
asked all the time. Each damaged picture has a number: --only N asks only for that one.
"""

import asyncio
import collections
import http.client
import multiprocessing
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

from lab import Lab, arguments, build, descendants, describe_machine, free_port, memory, require, table, verdict, wait_for_port

FORMATS = {
    "jpg": "[Q=80]", "progressive.jpg": "[Q=80,interlace]", "png": "", "interlaced.png": "[interlace]", "webp": "[Q=80]",
    "lossless.webp": "[lossless]", "gif": "[effort=1]", "avif": "[compression=av1,effort=0]", "heic": "[compression=hevc]",
    "tiff": "[compression=deflate]", "plain.tiff": "",
}
SIZES = [(48, 32), (200, 140)]
OUTPUTS = ["jpg", "webp", "png", "jpg", "webp", "avif"]
CLIENTS = 24
MB = 1 << 20


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", type=int, help="the number of one picture")
    options = parser.parse_args()
    require("gcc", "pkg-config", "vips", vips=True)
    describe_machine()
    print(f"seed {options.seed}")
    with Lab() as lab:
        sys.exit(0 if measure(lab, options) else 1)


def measure(lab, options):
    models = originals(lab)
    port = free_port()
    origin = multiprocessing.Process(target=serve, args=(port, models, options.seed), daemon=True)
    origin.start()
    wait_for_port(port, "origin")
    admin = free_port()
    pid, public = lab.start_pictor(
        options.pictor, "pictor", "--admin-listen", f"127.0.0.1:{admin}", "--cache-memory", "16MiB", "--cache-disk", "64MiB",
        "--log-level", "error", "--origin-maximum-fetches-per-host", "64")
    numbers = [options.only] if options.only is not None else range(options.pictures)
    before, full, statuses = None, None, collections.Counter()
    health = Health(admin)
    started = time.monotonic()
    steps = max(1, len(numbers) // 10)
    sizes = []
    for start in range(0, len(numbers), steps):
        statuses += ask_all(public, port, numbers[start:start + steps])
        sizes.append(memory(pid)[0] / MB)
        before = before or holdings(pid)
        # By now everything bounded is full: caches, remembered failures, the heap's arenas.
        full = sizes[-1] if len(sizes) <= 3 else full
        print(f"{start + len(numbers[start:start + steps]):>8,}: {sizes[-1]:.1f} MB, {dict(sorted(statuses.items()))}", flush=True)
    seconds = time.monotonic() - started
    latencies = health.stop()
    origin.terminate()
    time.sleep(2)
    after = holdings(pid)
    in_flight = metric(admin, "pictor_work_in_flight")

    server_errors = sum(count for status, count in statuses.items() if status >= 500 and status not in (502, 503, 504))
    p99 = statistics.quantiles(latencies, n=100)[98] * 1000 if len(latencies) > 1 else 0
    rows = [
        ["pictures", f"{len(numbers):,} in {seconds:.0f} s", ""],
        ["the daemon's process", "the same" if alive(pid) else "gone", "the same"],
        ["answers 500 and the like, or none", server_errors + statuses[0], "0"],
        ["resident at the end ÷ after three tenths", f"{sizes[-1] / full:.2f}", verdict(sizes[-1] / full, 1.1)],
        ["descriptors then and now", f"{before[0]} {after[0]}", ""],
        ["decoders then and now", f"{before[1]} {after[1]}", ""],
        ["work in flight", in_flight, "0"],
        ["/health/live, 99 of 100 within", f"{p99:.1f} ms of {len(latencies):,}", verdict(p99, 50)],
    ]
    table(["", "seen", "goal"], rows)
    return alive(pid) and not server_errors and not statuses[0] and not in_flight


# MARK: Pictures

def originals(lab):
    picture = build(lab, "picture.c")
    models = []
    for width, height in SIZES:
        plain = lab.folder / f"{width}.v"
        subprocess.check_call([picture, str(width), str(height), "1", str(plain)])
        for name, flags in FORMATS.items():
            path = lab.folder / f"{width}.{name}"
            subprocess.check_call(["vips", "copy", str(plain), f"{path}{flags}"])
            models.append(path.read_bytes())
    return models


def damaged(models, seed, number):
    """The damaged picture with this number. A few are left undamaged."""
    chance = random.Random(seed * 1_000_003 + number)
    data = bytearray(chance.choice(models))
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3, 8])):
        if not data:
            break
        kind, at = chance.randrange(8), min(int(chance.expovariate(1 / 200)), len(data) - 1)
        if chance.random() < 0.5:
            at = chance.randrange(len(data))
        length = chance.choice([1, 2, 4, 16, 256])
        if kind <= 1:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 2:
            data[at:at + length] = chance.choice([b"\x00", b"\xff", b"\x7f", b"\x80"]) * length
        elif kind == 3:
            data[at:at + length] = chance.randbytes(length)
        elif kind == 4:
            del data[at:at + length]
        elif kind == 5:
            data[at:at] = data[at:at + length]
        elif kind == 6:
            del data[at:]
        else:
            other = chance.choice(models)
            data[at:] = other[min(at, len(other)):]
    return bytes(data)


def serve(port, models, seed):
    async def client(reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                number = int(head.split(b" ", 2)[1].lstrip(b"/"))
                body = damaged(models, seed, number)
                writer.write(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def run():
        await (await asyncio.start_server(client, "127.0.0.1", port)).serve_forever()

    # The default action, because the laboratory's own handler would end the loop with a long traceback.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    asyncio.run(run())


# MARK: Clients

def ask_all(port, origin, numbers):
    statuses, lock, pending = collections.Counter(), threading.Lock(), iter(numbers)

    def client():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        mine = collections.Counter()
        while True:
            with lock:
                number = next(pending, None)
            if number is None:
                break
            source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{number}", safe="")
            try:
                connection.request("GET", f"/img?url={source}&w={number % 60 + 1}&output={OUTPUTS[number % len(OUTPUTS)]}&n=-1")
                answer = connection.getresponse()
                answer.read()
                status = answer.status
            except OSError:
                connection.close()
                status = 0
            if status == 0 or status >= 500 and status not in (503, 504):
                print(f"  picture {number}: {status}", flush=True)
            mine[status] += 1
        with lock:
            statuses.update(mine)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


class Health:
    """Asks /health/live 20 times a second, and records the seconds that each answer took."""

    def __init__(self, port):
        self.latencies, self.ended, self.port = [], threading.Event(), port
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ended.wait(0.05):
            begin = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
            connection.request("GET", "/health/live")
            if connection.getresponse().status == 200:
                self.latencies.append(time.monotonic() - begin)
            else:
                self.latencies.append(10)
            connection.close()

    def stop(self):
        self.ended.set()
        self.thread.join()
        return self.latencies


# MARK: What is left

def holdings(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())), len(descendants(pid))


def alive(pid):
    return pathlib.Path(f"/proc/{pid}/fd").exists()


def metric(port, name):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    return sum(int(line.split()[-1]) for line in lines if line.startswith(name + "{") or line.startswith(name + " "))


main()
