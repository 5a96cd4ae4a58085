#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks/fleet.py: simulates a thousand nodes and a hundred million URLs by fleet.c: which nodes answer, and what do origins get?

It compares the ways in which a balancer may spread requests. No daemon runs, and all results are counts. The script takes 1.5 GB of
memory, and 15 minutes of one core."""

import argparse
import pathlib
import subprocess
import tempfile

WAYS = ["hashed", "hashed, bounded loads", "in turn", "in turn, with the store"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1_000)
    parser.add_argument("--urls", type=int, default=100_000_000)
    parser.add_argument("--capacity", type=int, default=50_000, help="pictures that a node keeps")
    parser.add_argument("--requests", type=int, default=200_000_000, help="half of them warm the caches")
    parser.add_argument("--exponent", type=float, default=0.9, help="of Zipf's law; the public of pictures is at 0.8 to 1")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/fleet"
        subprocess.run(["gcc", "-O2", "-o", program, pathlib.Path(__file__).with_name("fleet.c"), "-lm"], check=True)
        print(f"{options.nodes} nodes that keep {options.capacity} pictures each, {options.urls} URLs, {options.requests} requests, "
              f"exponent {options.exponent}, seed {options.seed}")
        print(f"{'':26}{'hits at nodes':>15}{'from the store':>16}{'from origins':>14}{'busiest node':>14}")
        for mode, way in enumerate(WAYS):
            words = [mode, options.nodes, options.urls, options.capacity, options.requests, options.exponent, options.seed]
            line = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout.split()
            count, hits, shared, fetched = map(int, line[:4])
            print(f"{way:26}{hits / count:15.1%}{shared / count:16.1%}{fetched / count:14.1%}{line[4] + ' x':>14}", flush=True)


if __name__ == "__main__":
    main()
