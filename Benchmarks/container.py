#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks a daemon in a container of 512 MiB by 64 clients for pictures of 50 to 100 megapixels: no process may be killed.

The daemon runs with its defaults in a memory cgroup of its own (version 1 or 2, as mounted; root needed). The clients
ask for JPEGs, progressive ones too, PNGs, interlaced ones too, WebPs, TIFFs, AVIFs and HEICs, as JPEG, WebP, PNG and AVIF: small, large,
in their own size, cut, turned, blurred, and each recipe once. Beside them one client asks for new renditions of small pictures at a steady pace.
Every request must be answered, by a 200, a 413 or a 503; no process may be killed for lack of memory; and the small pictures must be
served. Memory that belongs to no file (anonymous and shared) is sampled all the time. The page cache does not count, because it fills any
cgroup up to its limit, and the kernel frees it when it needs memory.
"""

import collections
import http.client
import itertools
import os
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time
import urllib.parse

from lab import Lab, arguments, build, descendants, describe_machine, free_port, require, table

# Name, megapixels and encoder options.
LARGE = [
    ("50.jpg", 50, "[Q=85]"), ("50-progressive.jpg", 50, "[Q=85,interlace]"), ("50.png", 50, "[compression=1]"),
    ("50.webp", 50, "[Q=80]"), ("50.tif", 50, "[compression=deflate]"), ("50.avif", 50, "[compression=av1,effort=0]"),
    ("70.jpg", 70, "[Q=85]"), ("70-interlaced.png", 70, "[interlace,compression=1]"), ("70.webp", 70, "[Q=80,lossless,effort=0]"),
    ("100.jpg", 100, "[Q=85]"), ("100-progressive.jpg", 100, "[Q=85,interlace]"), ("100.png", 100, "[compression=1]"),
    ("100.tif", 100, "[compression=deflate,tile]"), ("100.avif", 100, "[compression=av1,effort=0]"),
]
HEIC = ("50.heic", 50, "[compression=hevc,effort=0]")
OUTPUTS = ["jpg", "webp", "avif", "png"]
# Further options; a number makes each request different.
SHAPES = [
    "w={small}", "w={small}&h={small}&fit=cover", "w={small}&h={small}&fit=cover&a=attention", "w={middle}", "w={middle}&ro=90",
    "w={middle}&ro=31", "w={middle}&blur=5", "w={middle}&sharp=2", "w={middle}&flip", "w={middle}&mask=circle", "w={large}",
    "w={large}&ro=180", "w={large}&filt=greyscale", "cx={small}&cy=10&cw=3000&ch=2000", "cx={small}&cy=10&cw=3000&ch=2000&precrop&w=800",
    "w={middle}&trim=10", "w=300&q=auto&h={small}", "dpr=1&q={quality}", "ro=90&q={quality}", "blur=3&q={quality}",
]
SMALL = [("small-1.jpg", "[Q=85]"), ("small-2.jpg", "[Q=85,interlace]"), ("small-3.png", ""), ("small-4.webp", "[Q=80]")]
CLIENTS = 64
PACE = 0.25
PATIENCE = 60
ANSWERS = {200, 413, 503}
SERVED = 0.95
MB = 1 << 20


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=512, help="MiB of the cgroup")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--heic", action="store_true", help="a HEIC, too, which takes minutes to make")
    parser.add_argument("--originals", type=pathlib.Path, help="a folder to keep the pictures in between runs")
    parser.add_argument("--flags", default="", help="settings of the daemon besides, divided by spaces")
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", "vips", vips=True)
    if os.getuid() != 0:
        sys.exit("making a cgroup takes root")
    describe_machine()
    with Lab() as lab:
        folder = options.originals or lab.folder / "originals"
        names = originals(lab, folder, LARGE + ([HEIC] if options.heic else []))
        with Cgroup(options.limit * MB) as group:
            sys.exit(0 if measure(lab, options, folder, names, group) else 1)


def measure(lab, options, folder, names, group):
    origin = lab.start_origin(folder)
    admin = free_port()
    pid, port = lab.start_pictor(
        options.pictor, "pictor", "--admin-listen", f"127.0.0.1:{admin}", *options.flags.split(), within=group)
    decoders = len(descendants(pid))
    at_start = metrics(admin)
    end = time.monotonic() + options.seconds
    targets = Targets(origin, names, options.seed)
    large, small = Tally(), Tally()
    watch = Watch(group, end)
    threads = [threading.Thread(target=client, args=(port, targets, large, end)) for _ in range(CLIENTS)]
    threads.append(threading.Thread(target=prober, args=(port, origin, small, end)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    watch.join()
    return report(group, watch, large, small, pid, decoders, at_start, metrics(admin))


def report(group, watch, large, small, pid, decoders, before, after):
    killed = group.oom_kills()
    alive = pathlib.Path(f"/proc/{pid}").exists()
    served = small.counts[200] / max(1, small.counts.total())
    times = sorted(small.times) or [0]
    strange = {status: count for tally in (large, small) for status, count in tally.counts.items() if status not in ANSWERS}

    def risen(name):
        return int(after.get(name, 0) - before.get(name, 0))

    exceeded = risen("pictor_decoder_price_exceeded_total")
    dead = risen("pictor_decoder_crashes_total") + risen("pictor_decoder_timeouts_total")
    rows = [
        ["large pictures asked for", str(dict(sorted(large.counts.items()))), "200, 413, 503"],
        ["small ones", str(dict(sorted(small.counts.items()))), f"≥ {SERVED:.0%} are 200"],
        ["small ones, half of them within", f"{statistics.median(times):.2f} s", ""],
        ["small ones, 99 of 100 within", f"{times[int(len(times) * 0.99)]:.2f} s", ""],
        ["killed for want of memory", killed, "0"],
        ["the daemon's process", "the same" if alive else "gone", "the same"],
        ["decoders that crashed or were too slow", dead, ""],
        ["decoders started anew", risen("pictor_decoder_restarts_total"), ""],
        ["jobs that took more than their price", exceeded, "0"],
        ["prices ÷ peaks", f"{after.get('pictor_decoder_price_bytes_total', 0) / max(1, after.get('pictor_decoder_peak_bytes_total', 0)):.2f}", ""],
        ["MiB that belong to no file, at most", f"{watch.highest / MB:.0f}", f"< {group.limit / MB:.0f}"],
        ["MiB in all, at most", f"{group.peak() / MB:.0f}", ""],
        ["times that the limit was met", group.limit_hits(), ""],
    ]
    table(["", "seen", "goal"], rows)
    for status, count in sorted(large.reasons.items(), key=lambda item: -item[1])[:12]:
        print(f"{count:>6}  {status}")
    return not killed and alive and not strange and not exceeded and served >= SERVED and decoders > 0


# MARK: The cgroup

class Cgroup:
    """A memory cgroup with a limit and no swap, which is removed at the end."""

    def __init__(self, limit):
        self.limit = limit
        name = f"pictor-bench-{os.getpid()}"
        first = pathlib.Path("/sys/fs/cgroup/memory")
        self.is_first = (first / "memory.limit_in_bytes").exists()
        self.folder = (first if self.is_first else pathlib.Path("/sys/fs/cgroup")) / name

    def __enter__(self):
        if not self.is_first:
            (self.folder.parent / "cgroup.subtree_control").write_text("+memory")
        self.folder.mkdir()
        if self.is_first:
            self.write("memory.limit_in_bytes", self.limit)
            self.write("memory.memsw.limit_in_bytes", self.limit, optional=True)
        else:
            self.write("memory.max", self.limit)
            self.write("memory.swap.max", 0, optional=True)
        return self

    def __exit__(self, *_):
        # The remaining processes are about to end: Lab stops its processes after this.
        for pid in self.read("cgroup.procs").split():
            (self.folder.parent / "cgroup.procs").write_text(pid)
        self.folder.rmdir()

    def wrap(self, command):
        """The command with a prefix that puts it into the cgroup before it starts."""
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh", *command]

    def read(self, file):
        return (self.folder / file).read_text()

    def write(self, file, value, optional=False):
        if not optional or (self.folder / file).exists():
            (self.folder / file).write_text(str(value))

    def numbers(self, file):
        return {name: int(value) for name, value in (line.split() for line in self.read(file).splitlines())}

    def oom_kills(self):
        return self.numbers("memory.oom_control" if self.is_first else "memory.events")["oom_kill"]

    def limit_hits(self):
        return int(self.read("memory.failcnt")) if self.is_first else self.numbers("memory.events")["max"]

    def peak(self):
        return int(self.read("memory.max_usage_in_bytes" if self.is_first else "memory.peak"))

    def without_files(self):
        """Bytes of anonymous and shared memory, which the kernel cannot free by writing files to the disk."""
        stat = self.numbers("memory.stat")
        return stat["total_rss"] + stat["total_shmem"] if self.is_first else stat["anon"] + stat["shmem"]


class Watch(threading.Thread):
    """The highest memory use (`without_files`) of 100 samples a second."""

    def __init__(self, group, end):
        super().__init__()
        self.group, self.end, self.highest = group, end, 0
        self.start()

    def run(self):
        while time.monotonic() < self.end:
            self.highest = max(self.highest, self.group.without_files())
            time.sleep(0.01)


# MARK: Pictures

def originals(lab, folder, wanted):
    folder.mkdir(exist_ok=True)
    os.chmod(folder, 0o755)
    picture = build(lab, "picture.c")
    small, plain = lab.folder / "small.v", None
    subprocess.check_call([picture, "1600", "1200", "1", str(small)])
    for name, flags in SMALL:
        subprocess.check_call(["vips", "copy", str(small), f"{folder / name}{flags}"])
    for name, megapixels, flags in wanted:
        if (folder / name).exists():
            continue
        width = int((megapixels * 1e6 * 4 / 3) ** 0.5) // 4 * 4
        plain = lab.folder / f"{megapixels}.v"
        if not plain.exists():
            subprocess.check_call(["vips", "resize", str(small), str(plain), str(width / 1600), "--kernel", "linear"])
        subprocess.check_call(["vips", "copy", str(plain), f"{lab.folder / name}{flags}"])
        (lab.folder / name).rename(folder / name)
    return [name for name, _, _ in wanted]


class Targets:
    """Request targets that differ from each other, in an order that the seed decides."""

    def __init__(self, origin, names, seed):
        self.origin, self.names, self.chance = origin, names, random.Random(seed)
        self.number, self.lock = itertools.count(), threading.Lock()

    def next(self):
        with self.lock:
            number = next(self.number)
            shape = self.chance.choice(SHAPES).format(
                small=200 + number % 600, middle=1200 + number % 1200, large=4000 + number % 4000, quality=40 + number % 50)
            return address(self.origin, self.chance.choice(self.names), f"{shape}&output={self.chance.choice(OUTPUTS)}")


def address(origin, name, query):
    return f"/img?url={urllib.parse.quote(f'http://127.0.0.1:{origin}/{name}', safe='')}&{query}"


# MARK: Clients

class Tally:
    """Counts answers by their status, refusals by their code, and records how long they took."""

    def __init__(self):
        self.counts, self.reasons, self.times, self.lock = collections.Counter(), collections.Counter(), [], threading.Lock()

    def add(self, status, body, seconds):
        code = body[:120].decode(errors="replace") if status != 200 else ""
        if '"error":"' in code:
            code = code.partition('"error":"')[2].partition('"')[0]
        with self.lock:
            self.counts[status] += 1
            self.reasons[f"{status} {code}".strip()] += 1
            self.times.append(seconds)


def ask(port, target, tally):
    begin = time.monotonic()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", target)
        answer = connection.getresponse()
        status, body = answer.status, answer.read()
        connection.close()
    except (OSError, http.client.HTTPException) as error:
        status, body = 0, repr(error).encode()
    tally.add(status, body, time.monotonic() - begin)
    return status


def client(port, targets, tally, end):
    while time.monotonic() < end:
        # A refused client would be back at once; people are slower.
        if ask(port, targets.next(), tally) != 200:
            time.sleep(0.2)


def prober(port, origin, tally, end):
    for number in itertools.count():
        begin = time.monotonic()
        if begin >= end:
            return
        ask(port, address(origin, SMALL[number % len(SMALL)][0], f"w={100 + number % 1000}&h={100 + number // 1000}&fit=cover&output=webp"), tally)
        time.sleep(max(0, PACE - (time.monotonic() - begin)))


def metrics(port):
    """The values of the metrics without labels, by their names."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#") and "{" not in line)
    return {name: float(value) for name, value in pairs}


main()
