# SPDX-License-Identifier: Apache-2.0
"""Purges while Redis is well, killed, paused, emptied and out of reach."""

import collections
import signal
import time

from . import load
from .orders import check_arrival, check_served, check_sign, look, purge_at


def purges(fleet):
    nodes = [fleet.node() for _ in range(3)]
    before = purge_at(fleet, nodes[0], 1, "Redis well", "told")
    check_arrival(fleet, 1, before, "Redis well", 1)

    fleet.redis.kill()
    check_sign(fleet, nodes, lambda node: node.metric("pictor_fleet_connected") == 0 and node.logged("the fleet's Redis is away"),
               "Redis killed: metric and log of each node say so")
    check_served(fleet, range(20, 26), "Redis killed")
    before = purge_at(fleet, nodes[1], 2, "Redis killed", "waiting")
    fleet.check(nodes[1].metric("pictor_fleet_outbox") == 1, "Redis killed: the metric says that a purge waits")
    fleet.redis.start()
    check_arrival(fleet, 2, before, "Redis back, empty", 10)
    check_sign(fleet, nodes, lambda node: node.metric("pictor_fleet_connected") == 1 and node.metric("pictor_fleet_outbox") == 0
               and node.logged("the fleet's Redis is back"), "Redis back: metrics and log of each node say so")

    before = purge_at(fleet, nodes[2], 3, "Redis back, empty", "told")
    check_arrival(fleet, 3, before, "Redis back, empty", 1)

    fleet.redis.signal(signal.SIGSTOP)
    check_served(fleet, range(30, 36), "Redis paused")
    before = purge_at(fleet, nodes[0], 4, "Redis paused", "waiting")
    check_sign(fleet, nodes, lambda node: node.metric("pictor_fleet_lag_seconds") >= 3, "Redis paused: the metric of each node says so")
    fleet.redis.signal(signal.SIGCONT)
    check_arrival(fleet, 4, before, "Redis goes on", 10)

    # Emptied with a purge in it that one node has not read.
    nodes[2].kill()
    fleet.nodes.remove(nodes[2])
    before = purge_at(fleet, nodes[0], 3, "a node away")
    fleet.redis.command("FLUSHALL")
    nodes[2].start()
    fleet.nodes.append(nodes[2])
    check_arrival(fleet, 3, before, "a node back, Redis emptied meanwhile", 10)
    check_sign(fleet, nodes[2:], lambda node: node.metric("pictor_fleet_gaps_total") >= 1
               and node.logged("this node does not know all of the fleet's purges"), "a node back: its metric and log say that it missed something")
    check_served(fleet, range(40, 46), "Redis emptied")

    nodes[1].kill()
    fleet.nodes.remove(nodes[1])
    before = purge_at(fleet, nodes[0], 5, "a node away")
    nodes[1].start()
    fleet.nodes.append(nodes[1])
    first = look(nodes[1], fleet, 5)
    fleet.check(first[:2] != before[:2], "a node back: its first answer is the new picture")


def partition(fleet):
    nodes = [fleet.node() for _ in range(3)]
    fleet.balancer("haproxy")
    questions = load.zipf(3_000, 50, fleet.options.seed)
    load.ask(questions, fleet.gallery)

    fleet.redis.machine.cut_off()
    before = {1: purge_at(fleet, nodes[0], 1, "all cut off", "waiting"), 2: purge_at(fleet, nodes[2], 2, "all cut off", "waiting")}
    ask_for(fleet, questions, 30, "all cut off")
    fleet.redis.machine.join()
    for number, old in before.items():
        check_arrival(fleet, number, old, "Redis reached again", 15)

    # Purges on both sides: of the node that has lost Redis, and of one of the two that have not.
    lonely, others = nodes[0], nodes[1:]
    lonely.machine.part_from(fleet.redis.machine)
    check_sign(fleet, [lonely], lambda node: node.metric("pictor_fleet_lag_seconds") >= 3, "one cut off: its metric says so")
    before = {3: purge_at(fleet, lonely, 3, "one cut off", "waiting"), 4: purge_at(fleet, others[0], 4, "one cut off, at another", "told")}
    fleet.nodes.remove(lonely)
    check_arrival(fleet, 4, before[4], "one cut off, the others", 1)
    fleet.nodes.append(lonely)
    ask_for(fleet, questions, 30, "one cut off")
    lonely.machine.meet(fleet.redis.machine)
    for number, old in before.items():
        check_arrival(fleet, number, old, "Redis reached again", 15)


def ask_for(fleet, questions, seconds, words):
    """Load for so long; every answer must be good."""
    ended, rounds, bad = time.monotonic() + seconds, 0, collections.Counter()
    while time.monotonic() < ended:
        answers = load.ask(questions, fleet.gallery)
        bad.update(f"{answer.status} {answer.error}" for answer in answers if answer.status != 200)
        rounds += 1
    fleet.check(not bad, f"{words} for {seconds} s: {rounds} times {len(questions)} requests, {dict(bad) or 'all 200'}")
