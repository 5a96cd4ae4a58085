#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cache with a million entries: the time from the start to the first answer, a row's look-up, bytes of index and memory per entry.

The daemon makes and keeps one picture; the other rows are copies of this picture's rows with other keys and without files,
inserted in random order as by a daemon. Every start uses a fresh copy of that folder, because soon after a start the
sweep begins to drop rows without files. The first answer is the one picture, from disk.
"""

import http.server
import os
import random
import shutil
import sqlite3
import struct
import threading
import time
import urllib.parse
import zlib

from lab import Lab, arguments, cpu_seconds, describe_machine, get, median, memory, table, verdict

MB = 1 << 20
LOOKUPS = 20_000


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--originals", type=int, default=300_000)
    parser.add_argument("--renditions", type=int, default=700_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    describe_machine()
    print(f"{options.originals:,} originals, {options.renditions:,} renditions, seed {options.seed}")
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    source = urllib.parse.quote(f"http://127.0.0.1:{origin.server_port}/picture.png", safe="")
    target = f"/img?url={source}&w=30"
    empty = start(lab, options, "empty", target)
    stop(lab)
    shutil.copytree(lab.folder / "empty-cache", lab.folder / "full-cache")
    index = lab.folder / "full-cache/index.sqlite"
    bare = os.path.getsize(index)
    fill(index, options)

    entries = options.originals + options.renditions
    starts = []
    for number in range(options.rounds):
        name = f"round-{number}"
        shutil.copytree(lab.folder / "full-cache", lab.folder / f"{name}-cache")
        starts.append(start(lab, options, name, target))
        stop(lab)
        shutil.rmtree(lab.folder / f"{name}-cache")
    origin.shutdown()

    wall, cpu, resident = (median(values) for values in zip(*starts))
    lookup = median(lookups(index, options.seed))
    table(["", "measured", "goal"], [
        ["start to first answer, s of wall", f"{wall:.2f}", verdict(wall, 2)],
        ["  of CPU", f"{cpu:.2f}", ""],
        ["  the same with an empty cache, s of wall", f"{empty[0]:.2f}", ""],
        ["look-up of a row in the index, µs at the median", f"{lookup:.1f}", verdict(lookup, 50)],
        ["index, bytes an entry", f"{(os.path.getsize(index) - bare) / entries:.0f}", ""],
        ["memory, bytes an entry", f"{(resident - empty[2]) / entries:.0f}", ""],
    ])


def start(lab, options, name, target):
    """Wall and CPU seconds until the first answer, and the resident bytes after it."""
    began = time.monotonic()
    pid, port = lab.start_pictor(options.pictor, name, "--decoder-processes", "1", "--cache-disk", "1TiB")
    get(port, target)
    return time.monotonic() - began, cpu_seconds(pid), memory(pid)[0]


def stop(lab):
    process = lab.processes.pop()
    process.terminate()
    process.wait(60)


def fill(index, options):
    mix = random.Random(options.seed)
    database = sqlite3.connect(index)
    database.execute("PRAGMA cache_size=-1000000")
    for name, count in [("originals", options.originals), ("renditions", options.renditions)]:
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        row = database.execute(f"SELECT * FROM {name}").fetchone()
        statement = f"INSERT INTO {name} VALUES ({','.join('?' * len(columns))})"
        database.executemany(statement, (copy(columns, row, mix, number) for number in range(count)))
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def copy(columns, row, mix, number):
    """The row with another key."""
    values = dict(zip(columns, row))
    values["key"] = mix.randbytes(len(values["key"]))
    if "digest" in values:
        values["digest"] = mix.randbytes(32)
    if "url" in values:
        values["url"] = f"https://images.example.com/photos/2024/{number:08d}/original.jpg"
    return list(values.values())


def lookups(index, seed):
    """Microseconds that each of many reads of a row by its key takes, including Python's share."""
    database = sqlite3.connect(f"file:{index}?mode=ro", uri=True)
    keys = [key for key, in database.execute(f"SELECT key FROM originals LIMIT {LOOKUPS * 4}")]
    random.Random(seed).shuffle(keys)
    for key in keys[:LOOKUPS]:
        began = time.perf_counter()
        database.execute("SELECT fields FROM originals WHERE key=?", (key,)).fetchone()
        yield (time.perf_counter() - began) * 1e6


class Origin(http.server.BaseHTTPRequestHandler):
    """Serves one small PNG."""

    def do_GET(self):
        picture = png(60, 40)
        self.send_response(200)
        fields = {"Content-Type": "image/png", "Content-Length": len(picture), "Cache-Control": "max-age=86400"}
        for name, value in {**fields, "ETag": '"one"'}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(picture)

    def log_message(self, *_):
        pass


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(x * 4 % 256 for x in range(width * 3)) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


main()
