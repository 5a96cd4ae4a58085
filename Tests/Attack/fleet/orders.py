# SPDX-License-Identifier: Apache-2.0
"""What nodes show of a picture, and purges of one."""

import hashlib
import http.client
import time

from lab.daemon import until

from . import load


def look(node, fleet, number):
    """The node's answer for a picture of the origin: status, digest and entity tag."""
    try:
        status, body, fields = node.get(load.target(fleet.gallery.url(number), 16))
    except (OSError, http.client.HTTPException) as error:
        return 0, f"{type(error).__name__}: {error}", None
    return status, hashlib.sha256(body).hexdigest(), fields.get("ETag")


def check_served(fleet, numbers, words):
    """Each node answers for each picture, and all alike."""
    seen = {number: {look(node, fleet, number) for node in fleet.nodes} for number in numbers}
    bad = {number: looks for number, looks in seen.items() if len(looks) > 1 or next(iter(looks))[0] != 200}
    fleet.check(not bad, f"{words}: {len(seen)} pictures at {len(fleet.nodes)} nodes, " + (f"not alike: {bad}" if bad else "alike at all"))


def purge_at(fleet, node, number, words, told=None):
    """Changes a picture at the origin and purges it at a node; returns what each node showed before.

    `told` is what the answer must say of the fleet."""
    before = [look(other, fleet, number) for other in fleet.nodes]
    fleet.check(len(set(before)) == 1 and before[0][0] == 200, f"{words}: all nodes show the same before")
    fleet.gallery.change(number)
    started = time.monotonic()
    status, word = node.purge(fleet.gallery.url(number))
    fleet.check(status == 200 and told in (None, word), f"{words}: purge answered {status} {word} after {time.monotonic() - started:.2f} s")
    fleet.check(look(node, fleet, number)[:2] != before[0][:2], f"{words}: the node itself shows the new picture")
    return before[0]


def check_arrival(fleet, number, before, words, seconds):
    started = time.monotonic()
    has_come = until(lambda: all(look(node, fleet, number)[:2] != before[:2] for node in fleet.nodes), seconds)
    fleet.check(has_come, f"{words}: no node shows the old picture after {time.monotonic() - started:.2f} s")
    looks = {look(node, fleet, number) for node in fleet.nodes}
    fleet.check(len(looks) == 1 and next(iter(looks))[0] == 200, f"{words}: {len(looks)} looks on {len(fleet.nodes)} nodes")


def check_sign(fleet, nodes, holds, words, seconds=15):
    """Something that operators are told by each of these nodes."""
    fleet.check(until(lambda: all(holds(node) for node in nodes), seconds), words)
