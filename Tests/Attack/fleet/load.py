# SPDX-License-Identifier: Apache-2.0
"""Clients, and what they were answered."""

import hashlib
import http.client
import itertools
import queue
import random
import threading
import urllib.parse

from . import network
from .servers import Balancer

WIDTHS = (16, 24)


def target(url, width):
    return f"/img?url={urllib.parse.quote(url, safe='')}&w={width}&output=png"


def zipf(count, originals, seed):
    """Pairs of an original's number and a width, as a public asks: the original of rank r by 1/r."""
    generator = random.Random(seed)
    weights = list(itertools.accumulate(1 / rank for rank in range(1, originals + 1)))
    numbers = generator.choices(range(originals), cum_weights=weights, k=count)
    return [(number, generator.choice(WIDTHS)) for number in numbers]


class Answer:
    def __init__(self, status, digest="", tag="", node="", error="", is_again=False):
        """`is_again`: to a request that was asked twice, since its kept connection had ended."""
        self.status, self.digest, self.tag, self.node, self.error, self.is_again = status, digest, tag, node, error, is_again

    @property
    def looks(self):
        return self.digest, self.tag


def ask(questions, gallery, clients=16, address=network.HUB, port=Balancer.PORT, at=None):
    """Asks the balancer by so many clients on lasting connections. `at` maps numbers of requests to what happens before them.

    Returns the answers in the order of the questions."""
    work = queue.SimpleQueue()
    answers = [None] * len(questions)
    for index in range(len(questions)):
        work.put(index)
    events, lock = dict(at or {}), threading.Lock()

    def client():
        connection = None
        while True:
            try:
                index = work.get_nowait()
            except queue.Empty:
                return
            with lock:
                event = events.pop(index, None)
            if event:
                event()
            number, width = questions[index]
            for is_again in (False, True):
                is_new = connection is None
                connection = connection or http.client.HTTPConnection(address, port, timeout=60)
                try:
                    connection.request("GET", target(gallery.url(number), width))
                    reply = connection.getresponse()
                    body = reply.read()
                    answers[index] = Answer(
                        reply.status, hashlib.sha256(body).hexdigest(), reply.headers["ETag"], reply.headers["X-Node"],
                        "" if reply.status == 200 else " ".join(body.decode("utf-8", "replace").split())[:200], is_again)
                    break
                except (OSError, http.client.HTTPException) as error:
                    connection.close()
                    connection = None
                    answers[index] = Answer(0, error=f"{type(error).__name__}: {error}")
                    # A kept connection may end before its next request: that is asked again, as every client does (RFC 9112 §9.3.1).
                    if is_new or is_again:
                        break

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
