# SPDX-License-Identifier: Apache-2.0
"""What one stranger can take of what is everybody's: decoders, renditions, memory."""

import concurrent.futures
import os
import random
import signal
import threading
import time

from lab import client, pictures, proc
from lab.case import case
from lab.daemon import until

ATTACKER = "127.0.0.2"


# MARK: Expensive pictures

@case("13 expensive pictures", "pictures that take a decoder for long do not keep the others from being made")
def expensive(lab):
    big, small = pictures.gradient(900, 700), pictures.gradient(300, 200)
    origin = lab.origin(lambda peer: peer.answer(big if "big" in peer.path else small))
    daemon = lab.daemon()
    stop = threading.Event()
    sent = []

    def attack():
        number = 0
        while not stop.is_set():
            # Four at once, then one every two seconds; nobody waits for them.
            for _ in range(4 if number == 0 else 1):
                number += 1
                connection = client.Connection(daemon.port, source=ATTACKER)
                connection.send(client.target(origin.url(f"/big{number % 3}"), f"w={9000 + number}&we=0&output=png&l=9"))
                sent.append(connection)
            stop.wait(2)

    attacker = threading.Thread(target=attack)
    attacker.start()
    time.sleep(1)
    replies = []
    end = time.monotonic() + 35
    while time.monotonic() < end:
        number = len(replies)
        replies.append(daemon.picture(origin.url(f"/small{number}"), "w=90&output=jpg", source=f"127.0.0.{3 + number % 3}"))
        time.sleep(0.2)
    stop.set()
    attacker.join()
    bad = [str(reply) for reply in replies if not reply.is_good]
    times = sorted(reply.seconds for reply in replies)
    lab.check(not bad, f"{len(bad)} of {len(replies)} small pictures were {sorted(set(bad))}")
    lab.check(times[-1] < 3, f"a small picture took {times[-1]:.1f} s")
    lab.note(f"{len(replies)} small pictures, median {times[len(times) // 2] * 1000:.0f} ms, slowest {times[-1] * 1000:.0f} ms, "
             f"beside {len(sent)} expensive ones")
    for connection in sent:
        connection.close()


# MARK: Renditions

@case("18 renditions of an original", "one client cannot spend a picture's renditions for the others")
def renditions(lab):
    origin = lab.origin(lambda peer: peer.answer(pictures.gradient(400, 300)))
    daemon = lab.daemon("--limits-renditions-per-original", "200")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        spent = list(pool.map(lambda number: daemon.picture(
            origin.url(), f"w={10 + number}", source=ATTACKER).status, range(260)))
    others = {}
    for client_number in range(3, 13):
        for number in range(3):
            reply = daemon.picture(origin.url(), f"w=300&h={20 + client_number * 4 + number}&fit=fill", source=f"127.0.0.{client_number}")
            others[str(reply)] = others.get(str(reply), 0) + 1
    lab.check(spent.count(429) > 0, f"the attacker had {spent.count(200)} of 260")
    lab.check(set(others) == {"200"}, f"ten others, who asked for three each, had {others}")
    lab.note(f"the attacker had {spent.count(200)} of 260 with a limit of 200; ten others had {others}")


# MARK: Base64

@case("17 base64", "forty slow readers of one data: URL share its bytes")
def base64(lab):
    origin = lab.origin(lambda peer: peer.answer(pictures.noise(2300, 2300)))
    daemon = lab.daemon("--cache-memory", "64MiB")
    target = client.target(origin.url(), "output=png&encoding=base64")
    first = daemon.get(target)
    lab.check(first.is_good and first.text.startswith("data:image/png;base64,"), f"the data: URL: {first}")
    time.sleep(1)
    before = proc.resident(daemon.pid) + sum(proc.pinned(daemon.pid))
    readers = []
    for _ in range(40):
        reader = client.Connection(daemon.port, receive_buffer=4096, timeout=60)
        reader.send(target)
        reader.socket.recv(1024)
        readers.append(reader)
    time.sleep(2)
    after = proc.resident(daemon.pid) + sum(proc.pinned(daemon.pid))
    grown = (after - before) / 1e6
    lab.check(grown < 120, f"40 readers of {len(first.body) / 1e6:.0f} MB took {grown:.0f} MB")
    for reader in readers:
        reader.close()
    again = daemon.get(target)
    lab.check(again.is_good and again.body == first.body, f"afterwards: {again}")
    lab.note(f"{before / 1e6:.0f} MB before, {after / 1e6:.0f} MB with 40 readers of {len(first.body) / 1e6:.0f} MB")


# MARK: Killed decoders

@case("8 decoders that are shot", "a picture whose decoder was killed from outside is never called damaged")
def shot_decoders(lab):
    seed = lab.options.seed
    generator = random.Random(seed)
    sources = [pictures.gradient(1400, 1000, hue=number * 20) for number in range(12)]
    origin = lab.origin(lambda peer: peer.answer(sources[int(peer.path[1:])]))
    daemon = lab.daemon("--log-access", "false")
    stop = threading.Event()
    shots = [0]

    def shoot():
        while not stop.is_set():
            # One that is at work, and a moment later another: that may be the one to which the job has gone.
            for _ in range(2):
                victims = daemon.children("decoder") + daemon.children("inspector")
                busy = [pid for pid in victims if proc.state(pid) == "R"] or victims
                if busy:
                    try:
                        os.kill(generator.choice(busy), signal.SIGKILL)
                        shots[0] += 1
                    except ProcessLookupError:
                        pass
                stop.wait(generator.uniform(0.005, 0.06))
            stop.wait(generator.uniform(0.1, 0.9))

    shooter = threading.Thread(target=shoot)
    shooter.start()
    def ask(number):
        return number, daemon.picture(origin.url(f"/{number % 12}"), f"w={40 + number // 12}&output=webp", timeout=60)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(ask, range(900)))
    stop.set()
    shooter.join()
    counts = {}
    for _, reply in replies:
        counts[str(reply)] = counts.get(str(reply), 0) + 1
    unexpected = {words: count for words, count in counts.items() if words.split()[0] not in ("200", "503")}
    lab.check(not unexpected, f"beside 200 and 503 there was {unexpected}")
    lab.check(daemon.is_alive, f"the daemon {daemon.end}")
    lab.check(counts.get("200", 0) > 600, f"only {counts.get('200', 0)} of {len(replies)} pictures were made")
    until(lambda: len(daemon.children("decoder")) >= 2, 10)
    failed = [number for number, reply in replies if reply.status != 200]
    remembered = [str(reply) for _, reply in map(ask, failed) if reply.status != 200]
    lab.check(not remembered, f"afterwards {len(remembered)} of {len(failed)} still were {sorted(set(remembered))}")
    lab.note(f"{shots[0]} shots, answers {counts}, seed {seed}")
