#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU per request for a picture in the cache, compared with nginx serving the same bytes as files.

64 keep-alive connections (wrk -t1 -c64) ask for 32 pictures in turn. The server runs on core 0 with one thread, wrk on
core 1. Rounds of all servers alternate; the ratio of a server is the median of its rounds' ratios to nginx's round
next to it. CPU is user and system time of the server's process, so the kernel's work for its sockets counts on both sides,
and other users of the machine hardly count. With --fleet, a node with Redis and a shared store is measured as well, and compared
with the node that has neither, round by round.
"""

import os
import re
import subprocess
import urllib.parse

from engines import start_redis, start_store, store_flags
from lab import Lab, arguments, build, cpu_seconds, describe_machine, free_port, get, median, require, table
from lab import verdict

PICTURES = 32
SIZES = {"10 KB": 10_000, "100 KB": 100_000}
GOALS = {("memory", "10 KB"): 0.75, ("memory", "100 KB"): 1.15, ("disk", "10 KB"): 1.2, ("disk", "100 KB"): 1.2}
FLEET_GOAL = 1.02


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2, help="of one server in one round")
    parser.add_argument("--against", type=os.path.abspath, help="another binary, to be measured in the same rounds")
    parser.add_argument("--fleet", action="store_true", help="measure a node of a fleet as well; needs redis-server")
    options = parser.parse_args()
    require("wrk", "nginx", "taskset", "gcc", "pkg-config", *["redis-server"] * options.fleet, vips=True)
    describe_machine()
    with Lab() as lab:
        measure(lab, options)


def measure(lab, options):
    for name in ("originals", "files"):
        (lab.folder / name).mkdir()
    subprocess.check_call([build(lab, "picture.c"), "1600", "1200", "1", f"{lab.folder}/originals/p.jpg[Q=90]"])
    source = urllib.parse.quote(f"http://127.0.0.1:{lab.start_origin(lab.folder / 'originals')}/p.jpg", safe="")

    pictor = {
        "memory": lab.start_pictor(options.pictor, "memory", "--server-threads", "1"),
        "disk": lab.start_pictor(
            options.pictor, "disk", "--server-threads", "1", "--cache-memory", "0"),
        "memory, log": lab.start_pictor(options.pictor, "logged", "--server-threads", "1", log=True),
    }
    if options.against:
        pictor["memory, other"] = lab.start_pictor(options.against, "other", "--server-threads", "1")
    if options.fleet:
        flags = [*store_flags(start_store(lab)[1]), "--fleet-redis", start_redis(lab)]
        pictor["memory, fleet"] = lab.start_pictor(options.pictor, "fleet", "--server-threads", "1", *flags)
    quiet, logged = free_port(), free_port()
    worker = lab.start_nginx(
        "static",
        f"server {{ listen 127.0.0.1:{quiet}; root {lab.folder}/files; access_log off; }}"
        f"server {{ listen 127.0.0.1:{logged}; root {lab.folder}/files; access_log static.access.log; }}")

    for size, wanted in SIZES.items():
        targets = make_pictures(pictor, source, wanted, lab.folder / "files", size)
        for pid in [worker, *(pid for pid, _ in pictor.values())]:
            subprocess.check_call(["taskset", "-a", "-p", "-c", "0", str(pid)], stdout=subprocess.DEVNULL)
        pictor_script = script(lab, "pictor", targets)
        nginx_script = script(lab, "nginx", [f"/{size.replace(' ', '')}-{i}.jpg" for i in range(PICTURES)])
        servers = {"nginx": (worker, quiet, nginx_script), "nginx, log": (worker, logged, nginx_script)}
        servers |= {name: (pid, port, pictor_script) for name, (pid, port) in pictor.items()}
        report(size, run(servers, options))


def make_pictures(pictor, source, wanted, folder, size):
    """Asks every daemon for pictures of about `wanted` bytes each, and writes these as files for nginx. Returns the targets."""
    port = pictor["memory"][1]
    low, high = 50, 1600 - PICTURES
    while high - low > 4:
        middle = (low + high) // 2
        if len(get(port, f"/img?url={source}&w={middle + PICTURES // 2}")) < wanted:
            low = middle
        else:
            high = middle
    targets = [f"/img?url={source}&w={low + i}" for i in range(PICTURES)]
    total = 0
    for number, target in enumerate(targets):
        bodies = {get(port, target) for _, port in pictor.values() for _ in range(2)}
        assert len(bodies) == 1, "every daemon answers with the same bytes"
        body = bodies.pop()
        total += len(body)
        (folder / f"{size.replace(' ', '')}-{number}.jpg").write_bytes(body)
    print(f"\n{size}: {PICTURES} pictures of {total // PICTURES:,} bytes on average")
    return targets


def script(lab, name, targets):
    """A script for wrk that asks for the targets in turn, in strings that are built once."""
    lines = ",\n".join(f'"{target}"' for target in targets)
    path = lab.folder / f"{name}.lua"
    path.write_text(f"""
        local targets, requests, next = {{ {lines} }}, {{}}, 0
        function init() for i, target in ipairs(targets) do requests[i] = wrk.format("GET", target) end end
        function request() next = next % #requests + 1 return requests[next] end""")
    return path


def run(servers, options):
    """CPU in µs and requests per second of each server, one value for each round. The first round is a warm-up and does not count."""
    results = {name: [] for name in servers}
    for number in range(options.rounds + 1):
        order = list(servers) if number % 2 else list(reversed(servers))
        for name in order:
            result = load(*servers[name], options.seconds if number else 1)
            if number:
                results[name].append(result)
    return results


def load(pid, port, lua, seconds):
    before = cpu_seconds(pid)
    text = subprocess.check_output(
        ["taskset", "-c", "1", "wrk", "-t1", "-c64", f"-d{seconds}s", "-s", lua, f"http://127.0.0.1:{port}"],
        text=True)
    used = cpu_seconds(pid) - before
    assert "Non-2xx" not in text and "Socket errors" not in text, text
    count = int(re.search(r"(\d+) requests in", text)[1])
    return used / count * 1e6, float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def report(size, results):
    def least(name):
        return min(cpu for cpu, _ in results[name])

    rows = []
    for name, rounds in results.items():
        reference = "nginx, log" if name.endswith("log") else "nginx"
        ratio = median(mine[0] / theirs[0] for mine, theirs in zip(rounds, results[reference]))
        goal = GOALS.get((name, size))
        rows.append([
            name if name.startswith("nginx") else f"pictor, {name}", f"{median(r[0] for r in rounds):.1f}",
            f"{median(r[1] for r in rounds):,.0f}", f"{ratio:.2f}", verdict(ratio, goal) if goal else "",
            f"{least(name):.1f}", f"{least(name) / least(reference):.2f}",
        ])
    table(["server", "CPU µs", "requests/s", "× nginx", "goal", "least", "× nginx"], rows)
    if fleet := results.get("memory, fleet"):
        ratio = median(node[0] / alone[0] for node, alone in zip(fleet, results["memory"]))
        print(f"A node of a fleet ÷ one alone: {ratio:.3f}, {verdict(ratio, FLEET_GOAL)}")


if __name__ == "__main__":
    main()
