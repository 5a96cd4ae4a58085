#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates orders of the decoders' queue: how long do clients wait if this or that picture is made next?

Requests for pictures of mix.py's sizes, widths and formats come at random (Poisson); none is cached. Times are estimates by Benchmarks/encoders.md,
and each picture's real time differs from the expected one by a factor that is drawn (log-normal, `--error`), because the order only knows
expected times. `--slow` of them are animations and large PNGs of 0.3 to 0.9 s. There are two processes and one more permit, as in the
daemon. The daemon's other rules apply too: a queue that has not been empty for two seconds takes at most a second's work, and a request
is refused if it waits for ten seconds or finds 256 others in the queue.

No daemon runs, and nothing is measured. The same pictures arrive at the same moments in each order. Orders:

    oldest first        whatever happens
    youngest first      whatever happens
    by arrival          the oldest, and the youngest while the oldest has waited for more than 2 s (WaitingOrder.arrival)
    shortest first      by the expected time, whatever happens
    shortest, limit     the same, but before all others those that have waited for more than `--limit`, the oldest first
    by ratio            the highest ratio of wait to expected time; last of all, and the youngest first, what has waited for more than 2 s
                        and more than ten times as long as it takes (WaitingOrder.responseRatio)

Columns: milliseconds from arrival to the finished picture, of all pictures and of slow ones; refusals; pictures made a second; and how many
of all that were asked for were there within 2 s.
"""

import argparse
import heapq
import random

PICTURES = [(800, 600), (1200, 900), (1632, 1224), (2000, 1500), (3000, 2000), (4032, 3024)]
SHARES = [5, 5, 4, 3, 2, 1]
WIDTHS = [160, 320, 640, 1200]
# Nanoseconds for each pixel of the result.
FORMATS = [(106, 75), (27, 20), (6, 5)]
PROCESSES, PERMITS = 2, 3
WAIT_LIMIT, QUEUE_AGE, QUEUE_LENGTH, STANDING_WORK = 2.0, 10.0, 256, 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=10_000, help="in each run")
    parser.add_argument("--error", type=float, default=0.3, help="standard deviation of the logarithm of real ÷ expected time")
    parser.add_argument("--slow", type=float, default=0.02, help="share of slow pictures")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds")
    parser.add_argument("--burst", type=int, default=100, help="pictures that come at once, at half the capacity")
    parser.add_argument("--load", type=float, action="append", help="of the capacity; several times")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    orders = {
        "oldest first": oldest, "youngest first": youngest, "by arrival": by_arrival, "shortest first": shortest,
        "shortest, limit": lambda waiting, now: limited(waiting, now, options.limit), "by ratio": by_ratio,
    }
    print(f"{options.pictures} pictures, real time × e^±{options.error}, {options.slow:.0%} slow, limit {options.limit} s, "
          f"seed {options.seed}")
    print(f"{'load':10}{'order':18}{'p50':>8}{'p95':>8}{'p99':>8}{'longest':>9}{'slow p95':>10}{'503':>8}{'made/s':>8}{'in 2 s':>8}")
    for load in options.load or [0.5, 0.8, 0.95, 1.5, 10]:
        pictures = draw(options, random.Random(options.seed), load)
        for title, order in orders.items():
            tell(f"{load:.0%}", title, run(pictures, order))
    pictures = burst(draw(options, random.Random(options.seed), 0.5), options, random.Random(options.seed))
    for title, order in orders.items():
        tell("burst", title, run(pictures, order))


class Picture:
    __slots__ = ("arrived", "expected", "real", "slow")

    def __init__(self, arrived, chooser, options):
        self.arrived = arrived
        self.slow = chooser.random() < options.slow
        if self.slow:
            self.expected = chooser.uniform(0.3, 0.9)
        else:
            (width, height), = chooser.choices(PICTURES, SHARES)
            wide = min(width, chooser.choice(WIDTHS))
            (cost,), = chooser.choices([(cost,) for cost, _ in FORMATS], [share for _, share in FORMATS])
            self.expected = 2e-3 + width * height * 2.5e-9 + wide * wide * height / width * cost * 1e-9
        self.real = self.expected * chooser.lognormvariate(-options.error ** 2 / 2, options.error)


def draw(options, chooser, load):
    pictures = [Picture(0, chooser, options) for _ in range(options.pictures)]
    pace = sum(picture.real for picture in pictures) / len(pictures) / PROCESSES / load
    now = 0
    for picture in pictures:
        now += chooser.expovariate(1 / pace)
        picture.arrived = now
    return pictures


def burst(pictures, options, chooser):
    """The pictures, with `options.burst` more that arrive at once every 30 seconds."""
    times = range(30, int(pictures[-1].arrived), 30)
    more = [Picture(time, chooser, options) for time in times for _ in range(options.burst)]
    return sorted(pictures + more, key=lambda picture: picture.arrived)


# The orders: `waiting` is sorted by arrival; each returns an index.

def oldest(waiting, now):
    return 0


def youngest(waiting, now):
    return len(waiting) - 1


def by_arrival(waiting, now):
    return youngest(waiting, now) if is_overdue(waiting[0], now) else 0


def shortest(waiting, now):
    return min(range(len(waiting)), key=lambda index: waiting[index].expected)


def limited(waiting, now, limit):
    return 0 if now - waiting[0].arrived > limit else shortest(waiting, now)


def by_ratio(waiting, now):
    def rank(index):
        wait = now - waiting[index].arrived
        ratio = wait / max(5e-3, waiting[index].expected)
        return -wait if is_overdue(waiting[index], now) and ratio > 10 else ratio
    return max(range(len(waiting)), key=rank)


def is_overdue(picture, now):
    return now - picture.arrived > WAIT_LIMIT


def run(pictures, order):
    """The seconds that each picture took, or None for a refusal, and how long everything took."""
    waiting, admitted, ends, fates = [], [], [], {}
    busy, since, mean = 0, None, 0.0
    now = 0
    arrivals = iter(pictures)
    coming = next(arrivals, None)

    def settle():
        nonlocal busy, since
        while waiting and now - waiting[0].arrived >= QUEUE_AGE:
            fates[waiting.pop(0)] = None
        while waiting and len(admitted) + busy < PERMITS:
            admitted.append(waiting.pop(order(waiting, now)))
        while admitted and busy < PROCESSES:
            picture = admitted.pop(0)
            busy += 1
            heapq.heappush(ends, (now + picture.real, id(picture), picture))
        since = (now if since is None else since) if waiting else None

    def length():
        if since is None or now - since <= WAIT_LIMIT or not mean:
            return QUEUE_LENGTH
        return min(QUEUE_LENGTH, max(PERMITS, int(STANDING_WORK / mean) * PERMITS))

    while coming or ends:
        if coming and (not ends or coming.arrived <= ends[0][0]):
            now = coming.arrived
            ahead = sum(not is_overdue(picture, now) for picture in waiting)
            if waiting and ahead >= length():
                fates[coming] = None
            else:
                waiting.append(coming)
                settle()
                if len(waiting) > length() and is_overdue(waiting[0], now):
                    fates[waiting.pop(0)] = None
            coming = next(arrivals, None)
        else:
            now, _, picture = heapq.heappop(ends)
            busy -= 1
            mean += (picture.real - mean) / 8 if mean else picture.real
            fates[picture] = now - picture.arrived
            settle()
    return fates, now


def tell(load, title, result):
    fates, seconds = result
    times = sorted(time for time in fates.values() if time is not None)
    slow = sorted(time for picture, time in fates.items() if picture.slow and time is not None) or [0]
    print(f"{load:10}{title:18}{at(times, .5):8.0f}{at(times, .95):8.0f}{at(times, .99):8.0f}{times[-1] * 1e3:9.0f}{at(slow, .95):10.0f}"
          f"{1 - len(times) / len(fates):8.1%}{len(times) / seconds:8.1f}{sum(time <= 2 for time in times) / len(fates):8.1%}")


def at(times, share):
    return times[min(len(times) - 1, int(len(times) * share))] * 1e3


if __name__ == "__main__":
    main()
