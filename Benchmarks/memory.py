#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resident memory: of the daemon at its start, of an idle connection, of daemon and decoders over 2,000 renderings.

Renderings are mixed: JPEGs of 12, 6 and 2 MP, a PNG with alpha and a WebP, to widths from 100 to 1200 as JPEG, WebP,
PNG and AVIF, in an order that a printed seed decides. No decoder is replaced meanwhile, so what leaks or fragments
stays to be seen. Idle connections have each been answered once. RSS and PSS are those of /proc/PID/smaps_rollup;
what the kernel holds for sockets is in neither.
"""

import http.client
import random
import resource
import socket
import subprocess
import urllib.parse

from lab import Lab, arguments, build, descendants, describe_machine, get, in_parallel, memory, require, table, verdict

# File, size, weight in the mix.
ORIGINALS = [
    ("12mp.jpg[Q=90]", "4032", "3024", 2), ("6mp.jpg[Q=90]", "3000", "2000", 4),
    ("2mp.jpg[Q=90]", "1632", "1224", 6), ("1mp.png", "1200", "900", 2), ("2mp.webp[Q=85]", "1632", "1224", 2),
]
OUTPUTS = ["jpg"] * 5 + ["webp"] * 4 + ["png", "avif"]
CONNECTIONS = 10_000
RENDERINGS = 2000
STEP = 250
CLIENTS = 4
MB = 1 << 20


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--renderings", type=int, default=RENDERINGS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    require("nginx", "gcc", "pkg-config", vips=True)
    limit = CONNECTIONS + 1000
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < limit:
        raise SystemExit(f"needs ulimit -Hn of {limit}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    folder = lab.folder / "originals"
    folder.mkdir()
    picture = build(lab, "picture.c")
    for name, width, height, _ in ORIGINALS:
        subprocess.check_call([picture, width, height, "1", f"{folder}/{name}"])
    origin = lab.start_origin(folder)
    daemon = lab.start_pictor(
        options.pictor, "pictor", "--server-maximum-connections", str(CONNECTIONS + 100),
        "--server-idle-timeout", "10m", "--decoder-recycle-after", "1000000", "--decoder-recycle-above", "8GiB")
    at_start(daemon[0])
    connections(daemon, origin)
    renderings(daemon, origin, options)


def at_start(pid):
    rows = []
    for name, process in [("daemon", pid), *(("decoder", child) for child in descendants(pid))]:
        rss, pss = memory(process)
        rows.append([name, f"{rss / MB:.1f}", f"{pss / MB:.1f}"])
    table(["at start", "RSS MB", "PSS MB"], rows)


def connections(daemon, origin):
    pid, port = daemon
    target = address(origin, "2mp.jpg", 200, "jpg", 80)
    for _ in range(200):
        get(port, target)
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    before = memory(pid)[0]
    held = []
    for _ in range(CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(request)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        answer.read()
        held.append(connection)
    each = (memory(pid)[0] - before) / CONNECTIONS
    for connection in held:
        connection.close()
    table(
        ["connections", "bytes each", "goal"],
        [[f"{CONNECTIONS:,} idle, each answered once", f"{each:,.0f}", verdict(each, 4096)]])


def renderings(daemon, origin, options):
    pid, port = daemon
    print(f"mix of seed {options.seed}")
    mix = random.Random(options.seed)
    names = [name.partition("[")[0] for name, *_ in ORIGINALS]
    weights = [weight for *_, weight in ORIGINALS]
    rows, decoders = [], []
    for done in range(STEP, options.renderings + 1, STEP):
        targets = [
            address(
                origin, mix.choices(names, weights)[0], mix.randrange(100, 1200), mix.choice(OUTPUTS),
                mix.randrange(60, 90))
            for _ in range(STEP)
        ]
        ask(port, targets)
        sizes = [memory(child)[0] / MB for child in descendants(pid)]
        decoders.append(sizes)
        rows.append([f"{done:,}", f"{memory(pid)[0] / MB:.1f}", *(f"{size:.1f}" for size in sizes)])
    table(["renderings", "daemon MB"] + [f"decoder {i + 1} MB" for i in range(len(decoders[0]))], rows)

    largest = max(map(max, decoders))
    print(f"largest decoder: {largest:.1f} MB, goal {verdict(largest, 120)}")
    settled = decoders[500 // STEP - 1:]
    growth = sum(settled[-1]) / sum(settled[0])
    print(f"decoders at the end against the 500th: {growth:.2f} ×, goal {verdict(growth, 1.1)}")


def ask(port, targets):
    def client(share):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for target in share:
            get(port, target, connection)

    in_parallel(CLIENTS, client, [targets[start::CLIENTS] for start in range(CLIENTS)])


def address(origin, name, width, output, quality):
    source = urllib.parse.quote(f"http://127.0.0.1:{origin}/{name}", safe="")
    q = "" if output == "png" else f"&q={quality}"
    return f"/img?url={source}&w={width}&output={output}{q}"


main()
