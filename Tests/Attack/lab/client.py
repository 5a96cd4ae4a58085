# SPDX-License-Identifier: Apache-2.0
"""A client of plain sockets, which can come from any address of 127.0.0.0/8 and tells a whole answer from a cut one."""

import socket
import time
import urllib.parse


class Reply:
    """`status` 0 says that there was no answer, and `error` why."""

    def __init__(self, status=0, fields=None, body=b"", error=None, seconds=0.0, is_whole=False):
        self.status, self.fields, self.body, self.error = status, fields or {}, body, error
        self.seconds, self.is_whole = seconds, is_whole

    def __getitem__(self, name):
        return self.fields.get(name.lower())

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def code(self):
        """The stable word of a refusal."""
        match = self.text.partition('"error":"')[2].partition('"')[0]
        return match if self.status >= 400 else ""

    @property
    def is_good(self):
        return self.status == 200 and self.is_whole

    def __str__(self):
        words = [str(self.status)]
        if self.code:
            words.append(self.code)
        if self.error:
            words.append(self.error)
        elif not self.is_whole:
            words.append(f"cut after {len(self.body)} bytes")
        return " ".join(words)


def target(url, options="", path="/img"):
    return f"{path}?url={urllib.parse.quote(url, safe='')}" + (f"&{options}" if options else "")


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
        return True
    except OSError:
        return False


class Connection:
    """One connection, used again for each request."""

    def __init__(self, port, source="127.0.0.1", timeout=60, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, target, method="GET", fields=(), body=b"", host="localhost"):
        names = [name.lower() for name, _ in fields]
        lines = [f"{method} {target} HTTP/1.1"] + ([] if "host" in names else [f"Host: {host}"])
        lines += [f"{name}: {value}" for name, value in fields]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        self.socket.sendall("\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body)

    def receive(self, method="GET"):
        """The next answer. What goes wrong on the way is told, not raised."""
        start = time.monotonic()
        reply = Reply()
        try:
            while b"\r\n\r\n" not in self.buffer:
                self._more()
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            first, *rest = head.decode("latin-1").split("\r\n")
            reply.status = int(first.split(" ")[1])
            for line in rest:
                name, _, value = line.partition(":")
                reply.fields[name.lower()] = value.strip()
            length = 0 if method == "HEAD" or reply.status in (204, 304) else int(reply["content-length"] or 0)
            while len(self.buffer) < length:
                self._more()
            reply.body, self.buffer = self.buffer[:length], self.buffer[length:]
            reply.is_whole = True
        except (OSError, ValueError, IndexError) as error:
            reply.body = self.buffer
            reply.error = str(error) or type(error).__name__
        reply.seconds = time.monotonic() - start
        return reply

    def _more(self):
        part = self.socket.recv(262144)
        if not part:
            raise ConnectionError("closed")
        self.buffer += part

    def close(self):
        self.socket.close()


def get(port, target, source="127.0.0.1", timeout=60, method="GET", fields=(), body=b"", host="localhost"):
    start = time.monotonic()
    try:
        connection = Connection(port, source, timeout)
    except OSError as error:
        return Reply(error=str(error), seconds=time.monotonic() - start)
    try:
        connection.send(target, method, [("Connection", "close"), *fields], body, host)
    except OSError:
        pass  # An answer may be there all the same.
    reply = connection.receive(method)
    connection.close()
    reply.seconds = time.monotonic() - start
    return reply
