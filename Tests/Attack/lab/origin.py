# SPDX-License-Identifier: Apache-2.0
"""Origins that do what a case tells them."""

import socket
import ssl
import subprocess
import threading
import time


class Peer:
    """A request, and the connection it came on."""

    def __init__(self, connection, head):
        self.connection, self.head = connection, head
        self.target = head.split(b" ", 2)[1].decode("latin-1")
        self.path = self.target.partition("?")[0]

    def field(self, name):
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                return value.strip().decode("latin-1")
        return None

    def send(self, data):
        self.connection.sendall(data)

    def answer(self, body=b"", status="200 OK", kind="image/png", fields=(), length=None, age="max-age=3600"):
        """A whole answer; `age` None says nothing of a lifetime."""
        lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
        lines += [f"Content-Type: {kind}"] if kind else []
        lines += [f"Cache-Control: {age}"] if age else []
        lines += [f"{name}: {value}" for name, value in fields]
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def close(self):
        """Closes in mid-answer; the script may return."""
        self.reset()

    def reset(self):
        # SO_LINGER of 0 seconds: the other side sees a reset.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()


class Origin:
    """A thread a connection; `script(peer)` answers one request."""

    def __init__(self, script, address="127.0.0.1", port=0, context=None, backlog=512):
        self.script, self.address, self.context = script, address, context
        self.listener = socket.create_server((address, port), backlog=backlog)
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self.is_open = True
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path="/picture.png"):
        return f"{'https' if self.context else 'http'}://{self.address}:{self.port}{path}"

    def _accept(self):
        while self.is_open:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            buffer = b""
            while self.is_open:
                while b"\r\n\r\n" not in buffer:
                    part = connection.recv(65536)
                    if not part:
                        return
                    buffer += part
                head, _, buffer = buffer.partition(b"\r\n\r\n")
                self.requests.append(head)
                self.script(Peer(connection, head))
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    def close(self):
        self.is_open = False
        # Ends the accept as well.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()


class SilentOrigin:
    """A host whose packets are lost: its listener's queue is full, so the kernel drops every new SYN."""

    def __init__(self, address="127.0.0.1", port=0):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((address, port))
        self.listener.listen(0)
        self.address, self.port = address, self.listener.getsockname()[1]
        self.fillers = []
        for _ in range(4):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex((address, self.port))
            self.fillers.append(filler)
        time.sleep(0.1)

    def url(self, path="/picture.png"):
        return f"http://{self.address}:{self.port}{path}"

    def close(self):
        for filler in self.fillers:
            filler.close()
        self.listener.close()


def certificate(folder):
    """A certificate for 127.0.0.1, signed by itself: (context of a server, file of the certificate). None without openssl."""
    key, file = folder / "tls.key", folder / "tls.pem"
    try:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file],
            check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)
    return context, file
