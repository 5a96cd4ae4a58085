# SPDX-License-Identifier: Apache-2.0
"""What origins do to the cache: bytes too many, silence, failures, codings, conditions."""

import concurrent.futures
import email.utils
import gzip
import os
import threading
import time
import zlib

from lab import client, limits, pictures
from lab.case import Skip, case
from lab.daemon import until
from lab.origin import SilentOrigin, certificate


# MARK: Excess bytes

class Cell:
    """One origin, whose every third answer has bytes behind it: of which kind, how late, and how long clients pause."""

    COUNT = 45

    def __init__(self, lab, kind, delay, pause, context):
        self.kind, self.delay, self.pause = kind, delay, pause
        self.name = f"{'TLS' if context else 'plain'} {kind} after {delay} ms, pauses of {pause} ms"
        evil = pictures.flat(7, 7)
        self.excess = {
            "garbage": b"\r\n\0garbage that nobody asked for\r\n\r\n" * 3,
            "response": b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=3600\r\nContent-Length: "
                        + str(len(evil)).encode() + b"\r\n\r\n" + evil}[kind]
        self.bodies = {number: pictures.flat(100 + number, 3) for number in range(self.COUNT)}
        self.origin = lab.origin(self.answer, context=context)

    def answer(self, peer):
        number = int(peer.path[1:])
        peer.answer(self.bodies[number])
        if number % 3 == 1:
            if self.delay == 0:
                peer.send(self.excess)
            else:
                # As a slow script behind a server: the connection goes on meanwhile.
                threading.Timer(self.delay / 1000, self._late, (peer,)).start()

    def _late(self, peer):
        try:
            peer.send(self.excess)
        except (OSError, ValueError):
            pass

    def ask(self, daemon, number):
        """right, wrong (another's picture) or the refusal."""
        reply = daemon.picture(self.origin.url(f"/{number}"), "output=png", timeout=30)
        if not reply.is_good:
            return str(reply)
        return "right" if pictures.png_size(reply.body) == (100 + number, 3) else "wrong"

    def run(self, daemon):
        first = []
        for number in range(self.COUNT):
            first.append(self.ask(daemon, number))
            time.sleep(self.pause / 1000)
        time.sleep(1)
        return first, [self.ask(daemon, number) for number in range(self.COUNT)]

    @property
    def can_be_seen_in_time(self):
        """The excess is there before the next request is sent, with a margin for a busy machine."""
        return self.pause >= self.delay + 30


def _excess(lab, context, **more):
    daemon = lab.daemon("--log-access", "false", **more)
    cells = [Cell(lab, kind, delay, pause, context)
             for kind in ("garbage", "response") for delay in (0, 1, 20, 200) for pause in (0, 30, 150, 300)]
    asked = wrong = late = refused = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for cell, (first, second) in zip(cells, pool.map(lambda cell: cell.run(daemon), cells)):
            others = [answer for answer in first if answer not in ("right", "wrong")]
            asked += len(first)
            wrong += first.count("wrong")
            late += second.count("wrong")
            refused += len(others)
            if cell.can_be_seen_in_time:
                lab.check("wrong" not in first, f"{cell.name}: {first.count('wrong')} of {len(first)} wrong")
                lab.check(not others, f"{cell.name}: {len(others)} of {len(first)} were {sorted(set(others))}")
            lab.check("wrong" not in second, f"{cell.name}: {second.count('wrong')} still wrong a second later")
    counted = daemon.metrics("excess|step|surplus")
    lab.notes.insert(0, f"{wrong} of {asked} wrong at first, {late} a second later, {refused} refused; counted {counted}")


@case("5 excess bytes, plain", "bytes behind an answer never become the next one")
def excess_plain(lab):
    _excess(lab, None)


@case("5 excess bytes, TLS", "nor over TLS")
def excess_tls(lab):
    if os.getuid():
        raise Skip("not root: the daemon cannot be made to trust a certificate of ours")
    made = certificate(lab.folder)
    if made is None:
        raise Skip("openssl is not installed")
    context, file = made
    # No setting trusts a certificate; in a mount namespace of its own, ours is the system's.
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    if not os.path.exists(bundle):
        raise Skip(f"no {bundle} to put ours in the place of")
    _excess(lab, context, wrapper=["unshare", "-m", "sh", "-c", f'mount --bind {file} {bundle} && exec "$@"', "sh"])


# MARK: One client's failures

@case("10 failing URLs", "one client's failing URLs do not rest an origin for the others")
def failing_urls(lab):
    def script(peer):
        kind = peer.path.split("/")[1]
        if kind == "500":
            peer.answer(b"", status="500 Internal Server Error", age=None)
        elif kind == "503":
            peer.answer(b"", status="503 Service Unavailable", age=None, fields=[("Retry-After", "120")])
        elif kind == "429":
            peer.answer(b"", status="429 Too Many Requests", age=None, fields=[("Retry-After", "120")])
        elif kind == "reset":
            peer.reset()
        elif kind == "broken":
            peer.send(b"What?\r\n\r\n")
            peer.reset()
        elif kind == "slow":
            time.sleep(4)
            peer.reset()
        else:
            peer.answer(pictures.flat(30, 20))

    for kind in ("500", "503", "429", "reset", "broken", "slow"):
        origin = lab.origin(script)
        daemon = lab.daemon("--origin-first-byte-timeout", "1s")
        with concurrent.futures.ThreadPoolExecutor(30) as pool:
            list(pool.map(lambda number: daemon.picture(
                origin.url(f"/{kind}/{number}"), "w=9", source="127.0.0.2"), range(30)))
        replies = [daemon.picture(origin.url(f"/good/{number}"), "w=9", source=f"127.0.0.{3 + number % 4}")
                   for number in range(12)]
        bad = [str(reply) for reply in replies if not reply.is_good]
        slowest = max(reply.seconds for reply in replies)
        lab.check(not bad, f"after 30 failures of kind {kind}, {len(bad)} of 12 answers to others were {sorted(set(bad))}")
        lab.check(slowest < 3, f"after 30 failures of kind {kind} others waited {slowest:.1f} s")


@case("10 a host that is down", "an origin that fails for everybody is still left alone")
def host_down(lab):
    origin = lab.origin(lambda peer: peer.reset())
    daemon = lab.daemon()
    for number in range(60):
        daemon.picture(origin.url(f"/{number}"), "w=9", source=f"127.0.0.{2 + number % 6}")
    codes = [daemon.picture(origin.url(f"/x{number}"), "w=9", source=f"127.0.0.{2 + number}").code for number in range(4)]
    lab.check("origin_resting" in codes, f"after 60 failures of 6 clients: {codes}, {len(origin.requests)} requests sent")
    lab.note(f"{len(origin.requests)} requests were sent for 64 URLs")


# MARK: Trickling answers

@case("12 trickling fetches", "128 fetches that trickle do not stop the others")
def trickling(lab):
    stop = threading.Event()

    def trickle(peer):
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n")
        while not stop.is_set():
            peer.send(b"x" * 240)
            time.sleep(0.1)

    slow = [lab.origin(trickle) for _ in range(4)]
    good = lab.origin(lambda peer: peer.answer(pictures.flat(30, 20)))
    young = lab.origin(lambda peer: peer.answer(pictures.flat(31, 20)))
    daemon = lab.daemon()
    lab.check(daemon.picture(good.url("/0"), "w=9").is_good, "no picture before")
    sent = []

    def attack():
        number = 0
        end = time.monotonic() + 25
        while time.monotonic() < end:
            # 128 at once, then 6 a second; nobody waits for the answer.
            for _ in range(128 if number == 0 else 3):
                connection = client.Connection(daemon.port, source="127.0.0.2")
                connection.send(client.target(slow[number % 4].url(f"/{number}"), "w=9"))
                sent.append(connection)
                number += 1
            time.sleep(0.5)

    attacker = threading.Thread(target=attack)
    attacker.start()
    time.sleep(2)
    replies = {"an origin that has answered well": [], "a new origin": []}
    start = time.monotonic()
    number = 0
    while attacker.is_alive():
        number += 1
        for (what, found), origin in zip(replies.items(), (good, young)):
            found.append(daemon.picture(origin.url(f"/{number}"), "w=9", source=f"127.0.0.{3 + number % 3}"))
        time.sleep(0.3)
    attacker.join()
    stop.set()
    for what, found in replies.items():
        bad = [str(reply) for reply in found if not reply.is_good]
        slowest = max(reply.seconds for reply in found)
        lab.check(not bad, f"{what}: {len(bad)} of {len(found)} others' pictures were {sorted(set(bad))}")
        lab.check(slowest < 5, f"{what}: others waited up to {slowest:.1f} s")
        lab.note(f"{what}: {len(found)} answers in {time.monotonic() - start:.0f} s, slowest {slowest * 1000:.0f} ms")
    for connection in sent:
        connection.close()


# MARK: Silence

@case("19 silence", "what may be served stale waits a bounded moment for a silent origin")
def silence(lab):
    state = {"silent": False}

    def script(peer):
        while state["silent"]:
            time.sleep(0.2)
        peer.answer(pictures.flat(30, 20), age="max-age=1", fields=[("ETag", '"x"')])

    for how in ("a connection that is taken and not answered", "packets that are lost"):
        state["silent"] = False
        origin = lab.origin(script)
        daemon = lab.daemon()
        for number in range(100):
            lab.check(daemon.picture(origin.url(f"/{number}"), "w=9").is_good, "no picture before")
        if how.startswith("packets"):
            port = origin.port
            origin.close()
            time.sleep(0.3)
            lab.keep(SilentOrigin(port=port))
        state["silent"] = True
        time.sleep(1.5)
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            replies = list(pool.map(lambda number: daemon.picture(
                origin.url(f"/{number % 100}"), "w=9", source=f"127.0.0.{2 + number % 5}"), range(400)))
        state["silent"] = False
        late = [reply.seconds for reply in replies if reply.seconds > 1.6]
        bad = [str(reply) for reply in replies if not reply.is_good]
        slowest = max(reply.seconds for reply in replies)
        lab.check(not late, f"{how}: {len(late)} of 400 waited over 1.6 s, up to {slowest:.1f} s")
        lab.check(not bad, f"{how}: {len(bad)} of 400 were {sorted(set(bad))}")
        lab.note(f"{how}: slowest {slowest:.2f} s")


@case("19 outage", "the first new picture after an outage comes soon")
def outage(lab):
    state = {"down": True}
    origin = lab.origin(lambda peer: peer.reset() if state["down"] else peer.answer(pictures.flat(30, 20)))
    daemon = lab.daemon()
    start = time.monotonic()
    number = 0
    while time.monotonic() < start + 40:
        number += 1
        daemon.picture(origin.url(f"/{number}"), "w=9", source=f"127.0.0.{2 + number % 9}")
        time.sleep(0.1)
    sent = len(origin.requests)
    state["down"] = False
    end = time.monotonic()
    reply = until(lambda: (lambda reply: reply if reply.is_good else None)(
        daemon.picture(origin.url(f"/after-{time.monotonic()}"), "w=9", source="127.0.0.20")), 40, step=0.3)
    waited = time.monotonic() - end
    lab.check(reply and waited < 4, f"the first new picture came {waited:.1f} s after an outage of 40 s")
    lab.check(sent < number, f"all {sent} requests were sent to an origin that was down")
    lab.note(f"{waited:.1f} s; {sent} of {number} requests were sent while it was down")


@case("19 descriptors", "our own shortage of descriptors is our own 503, and what is held is served")
def descriptors(lab):
    def script(peer):
        time.sleep(0.3)
        peer.answer(pictures.flat(30, 20))
    origin = lab.origin(script)
    daemon = lab.daemon(before=limits.open_files(96))
    held = daemon.picture(origin.url("/held"), "w=9")
    lab.check(held.is_good, f"the first picture: {held}")
    for wave in range(4):
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            replies = list(pool.map(lambda number: daemon.picture(
                origin.url(f"/{wave}-{number}"), "w=9", source=f"127.0.0.{2 + number % 7}"), range(40)))
        blamed = [str(reply) for reply in replies if reply.code.startswith("origin")]
        lab.check(not blamed, f"{len(blamed)} of 40 blame the origin: {sorted(set(blamed))}")
        other = [str(reply) for reply in replies if not reply.is_good and reply.status not in (0, 503) and str(reply) not in blamed]
        lab.check(not other, f"{other}")
    again = daemon.picture(origin.url("/held"), "w=9")
    lab.check(again.is_good and again.body == held.body, f"what is held: {again}")
    later = until(lambda: daemon.picture(origin.url("/later"), "w=9").is_good, 5, step=0.5)
    lab.check(later, "no new picture within 5 s afterwards")


# MARK: The words of HTTP

@case("11 content codings", "a picture in gzip or deflate is shown, and a bomb of either is refused")
def content_codings(lab):
    picture = pictures.gradient(60, 40)
    raw = zlib.compressobj(9, zlib.DEFLATED, -15)
    table = {
        "gzip": ("gzip", gzip.compress(picture)), "x-gzip": ("x-gzip", gzip.compress(picture)),
        "deflate": ("deflate", zlib.compress(picture)), "raw deflate": ("deflate", raw.compress(picture) + raw.flush()),
        "identity": ("identity", picture),
        "bomb": ("gzip", gzip.compress(b"\0" * 300_000_000, 9)), "bombs": ("gzip, gzip", gzip.compress(gzip.compress(b"\0" * 300_000_000))),
        "cut": ("gzip", gzip.compress(picture)[:-30]), "wrong": ("gzip", picture), "compress": ("compress", b"\x1f\x9d\x90abc"),
        "cow": ("cow", picture)}
    origin = lab.origin(lambda peer: peer.answer(table[peer.path[1:].replace("%20", " ")][1], fields=[
        ("Content-Encoding", table[peer.path[1:].replace("%20", " ")][0])]))
    daemon = lab.daemon()
    plain = lab.origin(lambda peer: peer.answer(picture))
    expected = daemon.picture(plain.url(), "w=30&output=png").body
    # What is labelled and not compressed is shown, as browsers show it.
    for name in ("gzip", "x-gzip", "deflate", "raw deflate", "identity", "wrong", "cow"):
        reply = daemon.picture(origin.url(f"/{name.replace(' ', '%20')}"), "w=30&output=png")
        lab.check(reply.is_good and reply.body == expected, f"{name}: {reply}")
    seen = {}
    for name in ("bomb", "bombs", "cut", "compress"):
        reply = daemon.picture(origin.url(f"/{name.replace(' ', '%20')}"), "w=30&output=png")
        lab.check(reply.status in (413, 502), f"{name}: {reply}")
        lab.check(reply.seconds < 5, f"{name} took {reply.seconds:.1f} s")
        seen[name] = str(reply)
    lab.check(daemon.is_alive, f"the daemon {daemon.end}")
    lab.note(f"{seen}")


@case("11 conditions", "a condition by date holds from the answer's Date on, and immutable is passed on")
def conditions(lab):
    origin = lab.origin(lambda peer: peer.answer(
        pictures.flat(30, 20), age="max-age=3600, immutable" if "immutable" in peer.path else "max-age=3600"))
    daemon = lab.daemon()
    reply = daemon.picture(origin.url("/immutable"), "w=9")
    lab.check("immutable" in (reply["cache-control"] or ""), f"Cache-Control: {reply['cache-control']}")
    reply = daemon.picture(origin.url("/plain"), "w=9")
    lab.check("immutable" not in (reply["cache-control"] or ""), f"without it: Cache-Control: {reply['cache-control']}")
    lab.check(reply["last-modified"] is None, f"Last-Modified: {reply['last-modified']}")
    now = time.time()
    for seconds, status in ((3, 304), (60, 304), (-86400, 200)):
        date = email.utils.formatdate(now + seconds, usegmt=True)
        # A date in the future is no valid condition before it has come (RFC 9110 §13.1.3).
        if seconds > 0:
            time.sleep(max(0, min(seconds, 3) + 0.5 - (time.time() - now)))
            if time.time() < now + seconds:
                continue
        answer = daemon.picture(origin.url("/plain"), "w=9", fields=[("If-Modified-Since", date)])
        lab.check(answer.status == status, f"If-Modified-Since {seconds:+} s of the answer: {answer.status}, not {status}")
