# SPDX-License-Identifier: Apache-2.0
"""The store that the nodes share refuses, hangs, lies and is full: what clients get, what operators are told, and purges meanwhile.

Nothing stands between the nodes and the store. It lies because another program has written to its bucket."""

import dataclasses
import itertools
import time
import typing

from lab.daemon import until

from .orders import check_arrival, check_served, look, purge_at
from .servers import BUCKET, LARGE

# The store is waited for, so that each read meets its illness; another node is not waited for longer than by default.
FLAGS = ("--shared-store-hedge", "false", "--shared-store-first-byte-timeout", "1s", "--shared-store-timeout", "3s",
         "--fleet-lease-wait", "2s")
READS, WRITES, IN_USE = "pictor_shared_store_reads_total", "pictor_shared_store_writes_total", "pictor_shared_store_in_use"
SILENT, DAMAGED, UNWRITTEN = ("the shared store is not read for a while", "an object of the shared store is damaged",
                              "the shared store is not written to for a while")


@dataclasses.dataclass
class Illness:
    words: str
    begin: typing.Callable
    end: typing.Callable
    # The metric that grows at the node that reads, or that writes; and a line of its log.
    metric: str
    result: str
    line: str


def illnesses(store):
    def lies(words, change, kinds="uor"):
        return Illness(words, lambda: alter(store, change, kinds), lambda: None, READS, "damaged", DAMAGED)

    return [
        Illness("the store refuses", store.kill, store.start, READS, "error", SILENT),
        Illness("the store hangs", store.pause, store.go_on, READS, "timeout", SILENT),
        lies("wrong bytes in entries", flipped, "u"), lies("wrong bytes in originals", flipped, "o"),
        lies("wrong bytes in renditions", flipped, "r"), lies("all cut short", halved), lies("all another's", exchanged),
        Illness("the store is full", lambda: store.limit(BUCKET, 1), lambda: store.limit(BUCKET, None), WRITES, "failed", UNWRITTEN),
    ]


def ill_store(fleet):
    nodes = [fleet.node(FLAGS) for _ in range(2)]
    purged, news = {}, itertools.count(2_000)
    for place, illness in enumerate(illnesses(fleet.store)):
        numbers = [start + 10 * place + number for number in range(4) for start in (0, LARGE)]
        before = suffer(fleet, illness, nodes, numbers, [next(news) for _ in range(6)])
        purged[numbers[0]] = before
        fleet.check(until(lambda: is_used(fleet, nodes, news), 120, 0.5), f"{illness.words}, no more: both nodes read and write it again")
        check_served(fleet, numbers, f"{illness.words}, no more")
    # A node that is new has nothing but what the store kept.
    fleet.node(FLAGS)
    for number, before in purged.items():
        check_arrival(fleet, number, before, f"a new node, picture {number}", 1)


def suffer(fleet, illness, nodes, numbers, new):
    """Begins and ends it; returns the look of the first picture, from before it was purged meanwhile."""
    words, (first, second) = illness.words, nodes
    right = {number: look(first, fleet, number) for number in numbers}
    fleet.check(all(shown[0] == 200 for shown in right.values()), f"{words}, not yet: the first node makes {len(right)} pictures")
    fleet.check(until(lambda: first.metric("pictor_shared_store_queue") == 0, 60), f"{words}, not yet: all is written")
    # Writes fail at the node that makes what is new, reads at the one that has nothing.
    witness = first if illness.metric == WRITES else second
    signs = (lambda: witness.metric(illness.metric, f'"{illness.result}"')), (lambda: witness.logged(illness.line))
    counts = [sign() for sign in signs]
    illness.begin()
    try:
        started = time.monotonic()
        wrong = {number for number in numbers if look(second, fleet, number) != right[number]}
        fleet.check(not wrong, f"{words}: the second node shows {len(right)} pictures after {time.monotonic() - started:.1f} s, wrong: {wrong or 'none'}")
        check_served(fleet, new, f"{words}, new pictures")
        fleet.check(until(lambda: all(sign() > count for sign, count in zip(signs, counts)), 30),
                    f"{words}: {illness.metric} counts {illness.result}, and the log says so")
        before = purge_at(fleet, first, numbers[0], words, "told")
        check_arrival(fleet, numbers[0], before, words, 10)
    finally:
        illness.end()
    return before


def is_used(fleet, nodes, news):
    """A request tries the store once its rest is over: each node writes a new picture there, and reads the other's."""
    for order in nodes, nodes[::-1]:
        number = LARGE + next(news)
        for node in order:
            look(node, fleet, number)
    return all(node.metric(IN_USE) == 2 for node in nodes)


# MARK: Lies

def alter(store, change, kinds):
    """Writes other bytes under the names of all objects of these kinds."""
    for kind in kinds:
        names = sorted(name for name in store.objects(BUCKET) if name.split("/")[1] == kind)
        bodies = [store.get(f"/{BUCKET}/{name}") for name in names]
        for name, body in zip(names, change(bodies)):
            store.put(f"/{BUCKET}/{name}", body)


def flipped(bodies):
    return [body[:len(body) // 2] + bytes([body[len(body) // 2] ^ 0x40]) + body[len(body) // 2 + 1:] for body in bodies]


def halved(bodies):
    return [body[:len(body) // 2] for body in bodies]


def exchanged(bodies):
    return bodies[1:] + bodies[:1]
