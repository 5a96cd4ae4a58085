#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the cost of a miss with a shared store to that of one without.

JPEGs of 12, 2 and 0.3 MP become 400 pixels wide, one after the other. Every request names another original, so each
answer costs a fetch, a hash, a rendering and two files, and with the store also one or two reads that find nothing and three
writes, or two if the original is small enough to be in its entry. Then a third daemon, with an empty cache and the same bucket,
is asked for the same pictures and finds them there. With --leases a fourth one, with its own prefix in the bucket, also takes
leases from a Redis.

The store is an nginx that takes PUT; it checks no signature. CPU is that of daemon and decoders until the store has
all objects of the round; time is the client's. The sides alternate picture by picture, and none is asked
while another still writes originals or renditions. Entries are written a second later, because the origin's answers are in doubt
until then; the third daemon is asked after that. With --clients so many clients ask at once, and the sides alternate batch by
batch. The ratio is the median of the rounds' ratios. The store's log tells how many requests a miss has made, over how many
connections.

The temporary folder should be in memory: on ext4 the search for a free inode passes recently freed ones, which costs some daemons a
millisecond for each miss and others nothing.
"""

import concurrent.futures
import http.client
import os
import subprocess
import time
import urllib.parse

from engines import start_redis, start_store, store_flags
from lab import Lab, arguments, build, cpu_seconds, descendants, describe_machine, get, median, require
from lab import table, verdict, wait_for

PICTURES = {"12 MP": (4032, 3024), "2 MP": (1632, 1224), "0.3 MP": (640, 480)}
GOAL = 1.1
# The most bytes of an original that is stored within its entry.
ENCLOSED = 128 << 10
# Side → the name that it writes under. Its writes must have arrived before the next side is asked.
WRITERS = {"with": "pictor", "leased": "leased"}


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batch", type=int, default=20, help="pictures of one round")
    parser.add_argument("--clients", type=int, default=1, help="who ask one daemon at once")
    parser.add_argument("--leases", action="store_true", help="measure a node of a fleet as well; needs redis-server")
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", *["redis-server"] * options.leases, vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture, origin, bucket = build(lab, "picture.c"), lab.start_origin(folder), Bucket(*start_store(lab))
    shared = store_flags(bucket.port)
    common = ["--cache-disk", "4GiB", "--decoder-recycle-after", "100000"]
    daemons = {
        "without": lab.start_pictor(options.pictor, "without", *common),
        "with": lab.start_pictor(options.pictor, "with", *common, *shared),
        "found": lab.start_pictor(options.pictor, "found", *common, *shared),
    }
    if options.leases:
        fleet = ["--fleet-redis", start_redis(lab), "--shared-store-prefix", WRITERS["leased"]]
        daemons["leased"] = lab.start_pictor(options.pictor, "leased", *common, *shared, *fleet)
    clients = {name: Client(*daemon, options.clients) for name, daemon in daemons.items()}
    rows = []
    for size, (width, height) in PICTURES.items():
        original = folder / f"{width}.jpg"
        subprocess.check_call([picture, str(width), str(height), "1", f"{original}[Q=90]"])
        rows += compare(options, clients, bucket, origin, original, size)
    ratios = [word for name in daemons if name != "without" for word in [f"{name} ÷ without"]]
    table(["", *daemons, *ratios, "goal of with"], rows)
    count = sum(client.count for name, client in clients.items() if name in WRITERS)
    print(f"A miss made {bucket.reads() / count:.1f} reads and {bucket.writes() / count:.1f} writes; "
          f"{count} of them took {bucket.connections()} connections.")


def compare(options, clients, bucket, origin, original, size):
    """The two rows for one size: CPU and time."""
    rounds = []
    # Each original has a unique name behind its end. Objects besides its entry:
    objects = 1 if original.stat().st_size + 64 <= ENCLOSED else 2
    for number in range(-1, options.rounds):
        for client in clients.values():
            client.begin()
        written = []
        for index in range(0, options.batch, options.clients):
            files = [copy(original, f"{number}-{each}") for each in range(index, index + options.clients)]
            sources = [urllib.parse.quote(f"http://127.0.0.1:{origin}/{file.name}", safe="") for file in files]
            written.append([f"/img?url={source}&w=400&output=jpg" for source in sources])
            order = ["without", "with", "leased"] if index // options.clients % 2 else ["leased", "with", "without"]
            for name in filter(clients.get, order):
                clients[name].ask(written[-1])
                if name in WRITERS:
                    bucket.wait_for_more(objects * len(files))
                    bucket.expect_entries(len(files))
            for file in files:
                file.unlink()
        bucket.wait_for_entries()
        for targets in written:
            clients["found"].ask(targets)
        # The first round warms all.
        if number >= 0:
            rounds.append({name: client.end() for name, client in clients.items()})

    def line(what, index):
        def middle(name):
            return f"{median(each[name][index] for each in rounds) * 1000:.2f}"

        def ratio(name):
            return median(each[name][index] / each["without"][index] for each in rounds)

        others = [name for name in clients if name != "without"]
        return [
            f"{size}, ms of {what}", *map(middle, clients), *[f"{ratio(name):.3f}" for name in others],
            verdict(ratio("with"), GOAL),
        ]

    return [line("CPU", 0), line("time", 1)]


class Client:
    """Asks one daemon, over a connection for each of the concurrent requests, and measures what the pictures cost."""

    def __init__(self, pid, port, connections):
        self.port, self.processes, self.count = port, [pid, *descendants(pid)], 0
        self.connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(connections)]
        self.threads = concurrent.futures.ThreadPoolExecutor(connections)

    def begin(self):
        self.times, self.cpu = [], self.used()

    def ask(self, targets):
        self.times += self.threads.map(self.time, targets, self.connections)
        self.count += len(targets)

    def time(self, target, connection):
        began = time.perf_counter()
        get(self.port, target, connection)
        return time.perf_counter() - began

    def end(self):
        """CPU seconds and wall seconds a picture."""
        return (self.used() - self.cpu) / len(self.times), median(self.times)

    def used(self):
        return sum(map(cpu_seconds, self.processes))


class Bucket:
    """The folder in which the store keeps its objects, and the store's log."""

    def __init__(self, folder, port, log):
        self.folder, self.port, self.log, self.pictures, self.entries = folder, port, log, 0, 0

    def wait_for_more(self, pictures):
        """Waits until the store has the originals (if they are large) and renditions of further pictures. The writer has then got
        its last answer, or is about to."""
        self.pictures += pictures
        wait_for(lambda: self.count(False) >= self.pictures, "the store's originals and renditions")

    def expect_entries(self, entries):
        self.entries += entries

    def wait_for_entries(self):
        wait_for(lambda: self.count(True) >= self.entries, "the store's entries")

    def count(self, are_entries):
        """The number of objects in folders named `u`, which are entries, or in all other folders."""
        return sum(len(files) for path, _, files in os.walk(self.folder) if path.endswith("/u") == are_entries)

    def lines(self):
        return [line.split() for line in self.log.read_text().splitlines()]

    def reads(self):
        """The number of reads for which the store had no object."""
        return sum(method == "GET" and status == "404" for _, method, status in self.lines())

    def writes(self):
        return sum(method == "PUT" for _, method, _ in self.lines())

    def connections(self):
        """The number of connections with misses: all with an answer other than 200."""
        return len({connection for connection, _, status in self.lines() if status != "200"})


def copy(original, name):
    """The same picture in a file with different bytes: those after a JPEG's end do not belong to the picture."""
    file = original.parent / f"{original.stem}-{name}.jpg"
    file.write_bytes(original.read_bytes() + file.name.encode())
    return file


main()
