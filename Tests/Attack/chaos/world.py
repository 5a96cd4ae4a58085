# SPDX-License-Identifier: Apache-2.0
"""The pictures of the chaos, and two origins that serve them: one that misbehaves, and one that does not.

A picture is known by its name and a variant, so that both origins, and whoever judges, make the same bytes of it. The
misbehaving origin writes down what it did to whom (`OriginAction`), and which variant it delivered."""

import collections
import dataclasses
import gzip
import random
import re
import threading
import time
import zlib

from lab import pictures
from lab.origin import Origin

# Seconds for which what was done to a URL may show in its answers: the longest failure memory without an origin's own
# word (negative.no-picture), and a fetch.
MEMORY = 75
# The same for content that is no picture, which a later 304 of the origin confirms.
CONFIRMED_MEMORY = 375

PLAIN = {"502", "503 origin_resting"}
ANY_REFUSAL = {"404", "410", "413", "415", "422", "429", "502", "503", "504", "508"}


@dataclasses.dataclass
class OriginAction:
    """`statuses`: the refusals that it explains. `loosens`: the connection may be out of step after it."""
    time: float
    port: int
    kind: str
    variant: str
    statuses: frozenset
    loosens: bool = False


class World:
    """**Isolation:** a lock around what was done; pictures are pure functions of the seed."""

    def __init__(self, seed):
        self.seed = seed
        self.bases = [pictures.gradient(160, 120, hue=number * 25) for number in range(6)]
        self.bases += [pictures.gif(60, 40, 1), pictures.gif(60, 40, 9), pictures.noise(60, 50)]
        self.odd = [data for _, data in [*pictures.odd_drawings(), *pictures.odd_rasters()]]
        self.lock = threading.Lock()
        self.actions = collections.defaultdict(lambda: collections.deque(maxlen=400))
        self.loose = collections.defaultdict(lambda: collections.deque(maxlen=400))
        self.failures = collections.defaultdict(lambda: collections.deque(maxlen=400))
        self.counts = collections.Counter()

    # MARK: Pictures

    def is_mutated(self, name):
        return name[0] in "mo"

    def content(self, name, variant):
        """g12: a good one; m12: mutated; o12: odd. Variants: a version, then cutN (its first bytes) or padN (more behind)."""
        number = int(name[1:])
        version, cut, pad = variant, None, None
        if "cut" in variant:
            version, _, cut = variant.partition("cut")
        elif "pad" in variant:
            version, _, pad = variant.partition("pad")
        generator = random.Random(f"{self.seed} {name} {version}")
        if name[0] == "o":
            data = self.odd[number % len(self.odd)]
            if number >= len(self.odd):
                data = pictures.mutated(data, generator)
        elif name[0] == "m":
            data = pictures.mutated(generator.choice(self.bases), generator)
        else:
            # Of each of the first bases there is one for every name and version, so that a mixed-up one is seen.
            kind = number % (len(self.bases) + 6)
            data = (self.bases[kind] if kind < len(self.bases) and int(version) == 0 and number < len(self.bases)
                    else pictures.flat(50 + number % 90, 40 + (number * 7 + int(version)) % 60,
                                       (number % 256, int(version) * 40 % 256, number // 256)))
        if cut is not None:
            return data[:int(cut)]
        return data + b"\0excess" * int(pad) if pad is not None else data

    # MARK: What was done

    def note(self, action, name):
        with self.lock:
            self.actions[name].append(action)
            self.counts[action.kind] += 1
            if action.loosens:
                self.loose[action.port].append(action.time)
            if action.statuses:
                self.failures[action.port].append(action.time)

    def done_to(self, name, since):
        with self.lock:
            return [action for action in self.actions.get(name, ()) if action.time >= since]

    def was_loose(self, port, since):
        with self.lock:
            return any(moment >= since for moment in self.loose[port])

    def failing(self, port, since):
        """How many answers of this origin failed since then."""
        with self.lock:
            return sum(moment >= since for moment in self.failures[port])


class QuietOrigin(Origin):
    """/q/NAME/VARIANT, faithfully."""

    def __init__(self, world):
        def script(peer):
            if match := re.fullmatch(r"/q/([gmo]\d+)/(\d(?:(?:cut|pad)\d+)?)", peer.path):
                peer.answer(world.content(*match.groups()), kind="application/octet-stream", age="max-age=86400")
            else:
                peer.answer(b"", status="404 Not Found", age="max-age=86400")
        super().__init__(script)


class ChaosOrigin(Origin):
    """The same at /c/NAME/0, as it likes. Other versions come and go.

    One that `loosens` also does what may leave a connection out of step; what it serves is judged less strictly."""

    LOOSENING = ("do_mutated_head", "do_broken_chunks", "do_too_long", "do_two_framings", "do_excess", "do_transfer_coding")

    def __init__(self, world, generator, loosens, trouble=0.4):
        self.world, self.generator, self.trouble = world, generator, trouble
        self.mischief = [name for name in dir(self) if name.startswith("do_") and (loosens or name not in self.LOOSENING)]
        super().__init__(self._script)

    def _script(self, peer):
        match = re.fullmatch(r"/c/([gmo]\d+)/0", peer.path)
        if not match:
            peer.answer(b"", status="404 Not Found")
            return
        name = match[1]
        chance = self.generator
        # A new version every twenty minutes or so of each name's own.
        version = str(int(time.time() + zlib.crc32(name.encode()) % 1200) // 1200 % 3) if name[0] == "g" else "0"
        body = self.world.content(name, version)
        tag = f'"{name}-{version}"'
        age = chance.choice(["max-age=0", "max-age=1", "max-age=2", "max-age=5", "max-age=30", "max-age=300", "no-cache", "no-store",
                             "max-age=1, stale-while-revalidate=5", "private", "s-maxage=2", "max-age=60, immutable"])
        say = ReplyWriter(self, peer, name, version, body, tag, age)
        if chance.random() >= self.trouble:
            say.note("well")
            if peer.field("If-None-Match") == tag:
                peer.answer(b"", status="304 Not Modified", kind=None, fields=[("ETag", tag)], length=0, age=age)
            elif (part := peer.field("Range")) and peer.field("If-Range") in (None, tag):
                say.part(part)
            else:
                say.well()
            return
        getattr(self, chance.choice(self.mischief))(say, chance)

    # MARK: Heads

    def do_odd_fields(self, say, chance):
        say.note("odd fields")
        say.well(fields=[("X-" + "y" * chance.randint(1, 400), "z" * chance.randint(0, 3000)) for _ in range(chance.randint(1, 20))])

    def do_other_type(self, say, chance):
        say.note("other type")
        say.well(kind=chance.choice([None, "text/html", "image/jpeg; charset=\xff", "", "x" * 500]))

    def do_mutated_head(self, say, chance):
        head = say.head()
        length = head.index(b"Content-Length")
        end = head.index(b"\r\n", length)
        say.note("mutated head", ANY_REFUSAL, loosens=True)
        # All but the number that says where the body ends.
        before, after = pictures.mutated(head[:length], chance, 2), pictures.mutated(head[end:], chance, 2)
        say.raw(before + head[length:end] + after + say.body)
        say.end()

    def do_early_answers(self, say, chance):
        say.note("early answers")
        say.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n" * chance.randint(1, 4))
        say.well()

    def do_greeting(self, say, chance):
        say.note("no HTTP", PLAIN)
        say.raw(chance.choice([b"220 mail.example ESMTP\r\n", b"\0" * 100, b"HTTP/9.9 200\r\n\r\n", b"ICY 200 OK\r\n\r\n", b"\r\n" * 50]))
        say.end()

    # MARK: Framing

    def do_chunks(self, say, chance):
        say.note("chunks")
        body, data = say.body, b""
        while body:
            size = chance.randint(1, 900)
            extension = chance.choice([b"", b"", b";a=b", b' ; a="b"'])
            data += b"%x" % len(body[:size]) + extension + b"\r\n" + body[:size] + b"\r\n"
            body = body[size:]
        say.raw(say.head(coding="chunked") + data + b"0\r\n" + chance.choice([b"", b"X: y\r\n"]) + b"\r\n")

    def do_broken_chunks(self, say, chance):
        say.note("broken chunks", PLAIN, loosens=True)
        say.raw(say.head(coding="chunked") + chance.choice([b"-1", b"g", b"ffffffffffffffffff", b"0x10", b"7fffffffffffffff"])
                + b"\r\n" + say.body)
        say.end()

    def do_until_close(self, say, chance):
        say.note("until close")
        say.raw(say.head(coding="") + say.body)
        say.end()

    def do_cut_until_close(self, say, chance):
        count = chance.randrange(len(say.body) + 1)
        say.note("cut, until close", variant=f"{say.version}cut{count}")
        say.raw(say.head(coding="") + say.body[:count])
        say.end()

    def do_too_short(self, say, chance):
        say.note("length too long", PLAIN)
        say.raw(say.head() + say.body[:chance.randrange(len(say.body) + 1)])
        chance.choice([say.end, say.peer.reset])()

    def do_too_long(self, say, chance):
        count = chance.randrange(len(say.body) + 1)
        say.note("length too short", variant=f"{say.version}cut{count}", loosens=True)
        say.raw(say.head(length=count) + say.body)

    def do_padding(self, say, chance):
        count = chance.randint(1, 200)
        say.note("padding", variant=f"{say.version}pad{count}")
        body = self.world.content(say.name, f"{say.version}pad{count}")
        say.raw(say.head(length=len(body)) + body)

    def do_two_framings(self, say, chance):
        say.note("two framings", PLAIN | {"415", "422"}, loosens=True)
        say.raw(say.head(extra=chance.choice([b"Transfer-Encoding: chunked\r\n", b"Content-Length: 0\r\n", b"Content-Length: -1\r\n",
                                              b"Content-Length: 5, 6\r\n"])) + say.body)
        say.end()

    # MARK: Excess

    def do_excess(self, say, chance):
        other = pictures.flat(7, 7)
        excess = chance.choice([
            b"garbage\r\n\r\n" * 5, b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=300\r\nContent-Length: "
            + str(len(other)).encode() + b"\r\n\r\n" + other])
        delay = chance.choice([0, 0.001, 0.02, 0.2])
        say.note("excess", loosens=True)
        say.well()
        if delay:
            time.sleep(delay)
        say.note("excess", loosens=True)
        say.raw(excess)

    # MARK: Codings

    def do_content_coding(self, say, chance):
        name, data = chance.choice([("gzip", gzip.compress(say.body)), ("deflate", zlib.compress(say.body))])
        say.note("content coding")
        say.raw(say.head(length=len(data), extra=f"Content-Encoding: {name}\r\n".encode()) + data)

    def do_wrong_coding(self, say, chance):
        name = chance.choice(["gzip", "deflate", "br", "gzip, gzip", "zstd"])
        data = chance.choice([say.body, gzip.compress(say.body)[:-20], gzip.compress(b"\0" * 3_000_000), b""])
        say.note("wrong content coding", {"413", "415", "422", "502"})
        say.raw(say.head(length=len(data), extra=f"Content-Encoding: {name}\r\n".encode()) + data)

    def do_transfer_coding(self, say, chance):
        say.note("transfer coding", PLAIN, loosens=True)
        say.raw(say.head(coding=chance.choice(["gzip", "gzip, chunked", "gzip, gzip, gzip", "identity", "x"])) + gzip.compress(say.body))
        say.end()

    # MARK: Time

    def do_pause(self, say, chance):
        say.note("pauses")
        data = say.head() + say.body
        for place in sorted(chance.sample(range(len(data)), 3)):
            say.raw(data[say.sent:place])
            time.sleep(chance.uniform(0, 0.3))
        say.raw(data[say.sent:])

    def do_stall(self, say, chance):
        say.note("stall", {"502", "504", "503 origin_resting"})
        data = say.head() + say.body
        say.raw(data[:chance.randrange(len(data))])
        time.sleep(8)
        say.end()

    # MARK: Statuses

    def do_status(self, say, chance):
        status = chance.choice(["500 X", "503 X", "404 X", "410 X", "429 X", "403 X", "204 X", "206 X", "304 X", "418 X", "200 "])
        if status == "200 ":
            say.note("no body", {"415"})
            say.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return
        say.note(f"status {status[:3]}", {"404", "410", "415", "429", "502", "503 origin_status", "503 origin_resting"})
        extra = f"Retry-After: {chance.randint(0, 2)}\r\n" if status[:3] in ("429", "503") else ""
        length = "" if status[:3] in ("204", "304") else "Content-Length: 3\r\n"
        say.raw(f"HTTP/1.1 {status}\r\n{length}{extra}\r\n".encode() + (b"bad" if length else b""))

    def do_redirect(self, say, chance):
        if "again" in say.peer.target and chance.random() < 0.7:
            say.note("well")
            say.well()
            return
        say.note("redirect", {"508", "502"})
        say.raw(f"HTTP/1.1 302 Found\r\nLocation: /c/{say.name}/0?again{chance.randrange(9)}\r\nContent-Length: 0\r\n\r\n".encode())


class ReplyWriter:
    """One reply of the origin, written piece by piece."""

    def __init__(self, origin, peer, name, version, body, tag, age):
        self.origin, self.peer, self.name, self.version = origin, peer, name, version
        self.body, self.tag, self.age, self.sent = body, tag, age, 0

    def note(self, kind, statuses=(), variant=None, loosens=False):
        if variant:
            # Other bytes have another tag, or they would be held for good.
            self.tag = f'"{self.name}-{variant}"'
        self.origin.world.note(
            OriginAction(time.time(), self.origin.port, kind, variant or self.version, frozenset(statuses), loosens), self.name)

    def head(self, length=None, coding=None, extra=b""):
        """`coding` in place of the length; an empty one: neither."""
        framing = (f"Content-Length: {len(self.body) if length is None else length}\r\n" if coding is None
                   else f"Transfer-Encoding: {coding}\r\n" if coding else "")
        return (f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: {self.age}\r\nETag: {self.tag}\r\n{framing}"
                .encode() + extra + b"\r\n")

    def raw(self, data):
        self.peer.send(data)
        self.sent += len(data)

    def well(self, fields=(), kind="image/png"):
        self.peer.answer(self.body, kind=kind, fields=[("ETag", self.tag), *fields], age=self.age)

    def part(self, field):
        first, _, last = field.partition("=")[2].partition("-")
        first = int(first)
        last = int(last) if last else len(self.body) - 1
        self.peer.answer(self.body[first:last + 1], status="206 Partial Content", age=self.age,
                         fields=[("ETag", self.tag), ("Content-Range", f"bytes {first}-{last}/{len(self.body)}")])

    def end(self):
        self.peer.connection.shutdown(2)
