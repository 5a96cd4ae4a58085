# SPDX-License-Identifier: Apache-2.0
"""Requests: of all dialects, for good, mutated and odd pictures, whole and mutated themselves."""

import dataclasses
import random
import re
import threading
import time

from lab import client, pictures

RECIPES = (
    "", "w=40", "w=80&h=60&fit=cover", "w=50&output=webp", "w=60&output=jpg", "w=33&output=gif&n=-1", "n=-1&output=webp&w=30",
    "output=json", "w=64&output=auto", "w=40&blur=2", "w=70&filt=sepia&sharp", "w=50&h=50&fit=contain&cbg=red", "w=90&we=0",
    "ro=30&w=40", "mask=circle&w=60", "trim=10", "w=30&encoding=base64", "w=45&tint=red&con=10", "page=0&w=20", "w=20&output=png&l=9",
    "cx=5&cy=5&cw=20&ch=20", "flip&flop&w=44", "w=52&a=attention&h=20&fit=cover", "q=30&w=100&output=jpg", "n=3&w=25&output=gif",
    "w=48&output=tiff", "w=24&output=avif", "json=average,thumbhash&output=json", "w=61&q=auto&output=jpg",
)
ACCEPTS = ("image/avif,image/webp,*/*", "image/webp,*/*", "*/*")


@dataclasses.dataclass
class Asked:
    """A request, and what became of it."""
    name: str
    port: int
    target: str
    method: str = "GET"
    fields: tuple = ()
    source: str = "127.0.0.2"
    is_head_mutated: bool = False
    is_target_mutated: bool = False
    began: float = 0.0
    ended: float = 0.0
    reply: object = None


class Traffic:
    """So many clients, each with a connection that it keeps; together they ask `rate` times a second.

    **Isolation:** a generator and a connection for each thread; `count` is a hint."""

    def __init__(self, daemon, origins, seed, rate, clients, judged):
        self.daemon, self.origins, self.seed = daemon, origins, seed
        self.rate, self.judged = rate, judged
        self.count, self.fresh = 0, 0
        self.tags = {}
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number, clients), daemon=True) for number in range(clients)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(60)

    def _run(self, number, clients):
        chance = random.Random(f"{self.seed} client {number}")
        source = f"127.0.0.{2 + number % 6}"
        connection = None
        pace = clients / self.rate
        due = time.monotonic() + chance.random() * pace
        while not self.stopped.is_set():
            due = max(due + pace, time.monotonic() - 1)
            self.stopped.wait(max(0, due - time.monotonic()))
            asked = self._request(chance, source)
            asked.began = time.time()
            try:
                if connection is None:
                    connection = client.Connection(self.daemon.port, source, timeout=60)
                if asked.is_head_mutated:
                    self._send_mutated(connection, asked, chance)
                else:
                    connection.send(asked.target, asked.method, asked.fields)
                asked.reply = connection.receive(asked.method)
            except OSError as error:
                asked.reply = client.Reply(error=str(error) or type(error).__name__)
            asked.ended = time.time()
            reply = asked.reply
            if reply.error or asked.is_head_mutated or asked.method == "HEAD" or (reply["connection"] or "").lower() == "close":
                if connection is not None:
                    connection.close()
                connection = None
            if reply.status == 200 and reply["etag"] and asked.method == "GET":
                self.tags[asked.target] = reply["etag"]
                if len(self.tags) > 3000:
                    self.tags.clear()
            self.count += 1
            self.judged(asked)

    # MARK: Requests

    def _request(self, chance, source):
        name = self._name(chance)
        # Each picture has one origin, so that what is done to one origin touches some pictures and not all.
        port = self.origins[int(name[1:]) % len(self.origins)].port
        url = f"http://127.0.0.1:{port}/c/{name}/0"
        recipe = chance.choice(RECIPES)
        if chance.random() < 0.2:
            recipe = f"w={chance.randint(5, 200)}&h={chance.randint(5, 200)}&fit=fill"
        dialect = chance.random()
        if dialect < 0.8:
            target = client.target(url, recipe)
        elif dialect < 0.92:
            target = client.target(url, chance.choice(["w=30", "w=40&h=40&fit=cover", "w=30&output=jpg", "t=square&w=20&h=20", "w=x&h=9"]), "/")
        else:
            target = client.target(url, f"w={chance.choice([16, 64, 256])}&q=75", "/_next/image")
        asked = Asked(name, port, target, source=source, fields=(("Accept", chance.choice(ACCEPTS)),))
        kind = chance.random()
        if kind < 0.04:
            asked.is_head_mutated = True
            asked.fields = (("Accept", "*/*"),)
        elif kind < 0.08:
            asked.is_target_mutated = True
            asked.target = self._mutated_target(target, chance)
            if match := re.search(r"%2Fc%2F([gmo]\d+)%2F0", asked.target):
                asked.name = match[1]
        elif kind < 0.12:
            asked.method = "HEAD"
        elif kind < 0.2 and target in self.tags:
            asked.fields += (("If-None-Match", self.tags[target]),)
        elif kind < 0.24:
            asked.fields += (("Range", f"bytes={chance.randint(0, 200)}-{chance.choice(['', '300', '5000'])}"),)
        return asked

    def _name(self, chance):
        kind = chance.random()
        if kind < 0.75:
            return f"g{min(int(chance.expovariate(1 / 15)), 119)}"
        # New ones come slowly, and each is asked for a few times.
        if chance.random() < 0.3:
            self.fresh += 1
        number = max(0, self.fresh - int(chance.expovariate(1 / 10)))
        return f"m{number}" if kind < 0.9 else f"o{number}"

    @staticmethod
    def _mutated_target(target, chance):
        """Still visible ASCII, so that it stays a request line; the source's port stays as well."""
        place = target.find("%2Fc%2F")
        start = chance.choice([0, place, place])
        data = bytearray(target[start:].encode())
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(1, len(data)) if len(data) > 1 else 0
            how = chance.randrange(3)
            if how == 0:
                data[at] = chance.choice(b"%&=?/#0129azAZ-_.~:@!$'()*+,;[]|^`{}\"<>\\")
            elif how == 1:
                data[at:at] = chance.choice([b"%00", b"%", b"&w=1e309", b"&w=nan", b"&n=99999999999999999999", b"%ff%fe", b"&&", b"=", b"%e2%80%a8",
                                             b"&h=-0", b"&crop=inf", b"&w=9223372036854775808", b"&page=-2", b"&delay=" + b"1," * 300])
            else:
                del data[at:at + chance.randint(1, 5)]
        mutated = target[:start] + bytes(data).decode()
        return mutated if mutated.startswith("/") else "/" + mutated

    @staticmethod
    def _send_mutated(connection, asked, chance):
        """The head behind its first line, or the first line's other two words."""
        first = chance.choice(["GET {} HTTP/1.1", "GET {} HTTP/1.1", "get {} HTTP/1.1", "GET {} HTTP/1.0", "GET {} HTTP/2.0", "PUT {} HTTP/1.1",
                               "GET {}  HTTP/1.1", "GET {}", "\r\nGET {} HTTP/1.1", "GET http://x{} HTTP/1.1", "OPTIONS {} HTTP/1.1"])
        rest = ("\r\nHost: localhost\r\nUser-Agent: chaos\r\nAccept: */*\r\n" + chance.choice([
            "", "Content-Length: 0\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\n",
            "X: " + "y" * 20000 + "\r\n", "Content-Length: 99999999999999999999\r\n", "Connection: upgrade\r\nUpgrade: h2c\r\n"])).encode()
        data = first.format(asked.target).encode() + pictures.mutated(rest, chance, 3)
        connection.socket.sendall(data + b"\r\n\r\n")
        # Whoever waits for more than came answers 408 or closes, but not before its time.
        connection.socket.settimeout(15)
