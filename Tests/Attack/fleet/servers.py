# SPDX-License-Identifier: Apache-2.0
"""The programs of a fleet, each on the machine it is given."""

import http.client
import http.server
import json
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

from lab import ending, object_store, pictures
from lab.daemon import until

from . import network

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUCKET, TOKEN = "pictor-cache", "a-token-for-the-tests"
# Pictures from this number on are too large for an entry of the store.
LARGE = 5_000


def listens(address, port):
    try:
        socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False


def wait_for(program, holds, words):
    """Waits until a program that was just started is ready. One that is not is closed."""
    with ending.closed_on_failure(program):
        if not until(lambda: program.process.poll() is not None or holds(), 30) or program.process.poll() is not None:
            raise OSError(words())


class Gallery:
    """An origin with numbered pictures, no two alike. It counts what is fetched; `change` makes another of one."""

    def __init__(self, address=network.HUB, port=9000):
        self.fetches, self.editions, self.delay, self.lock = {}, {}, 0.0, threading.Lock()
        gallery = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                number = int(self.path.strip("/").partition(".")[0])
                with gallery.lock:
                    gallery.fetches[number] = gallery.fetches.get(number, 0) + 1
                    edition = gallery.editions.get(number, 0)
                time.sleep(gallery.delay)
                tag = f'"{number}-{edition}"'
                is_known = self.headers["If-None-Match"] == tag
                body = b"" if is_known else gallery.picture(number, edition)
                self.send_response(304 if is_known else 200)
                for name, value in (("ETag", tag), ("Cache-Control", "max-age=3600"), ("Content-Type", "image/png")):
                    self.send_header(name, value)
                if not is_known:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, request_queue_size = True, 512

            def handle_error(self, *_):
                """A node that is killed resets its connections."""

        self.address, self.port = address, port
        self.server = Server((address, port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def picture(number, edition):
        """No two numbers have one size and colour, so that another's picture is seen also where it was made smaller."""
        if number >= LARGE:
            return pictures.noise(300, 200, seed=number * 100 + edition)
        return pictures.flat(64 + number % 40, 48 + number // 40, (edition * 37 % 256, number % 251, number // 251))

    def url(self, number):
        return f"http://{self.address}:{self.port}/{number}.png"

    def change(self, number):
        with self.lock:
            self.editions[number] = self.editions.get(number, 0) + 1

    @property
    def total(self):
        with self.lock:
            return sum(self.fetches.values())

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Node:
    """Pictor on a machine of its own."""

    PORT, ADMIN = 8080, 8081

    def __init__(self, program, machine, folder, flags):
        self.machine, self.folder = machine, folder
        self.log, self.access = folder / f"node-{machine.number}.log", folder / f"node-{machine.number}.access"
        self.command = [
            *machine.command, program, "serve", "--server-listen", f"{machine.address}:{self.PORT}", "--server-probes", "true",
            "--admin-listen", f"{machine.address}:{self.ADMIN}", "--cache-directory", str(folder / f"cache-{machine.number}"),
            "--origin-allow-networks", "10.77.0.0/24", "--decoder-processes", "1", "--log-format", "json",
            "--server-trusted-proxies", f"{network.HUB}/32", "--server-client-field", "x-forwarded-for", *flags]
        self.process = None
        self.start()

    def start(self):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PICTOR_ADMIN_TOKEN": TOKEN,
                       "PICTOR_SHARED_STORE_SECRET_KEY": object_store.SECRET}
        with open(self.log, "ab") as log, open(self.access, "ab") as access:
            self.process = subprocess.Popen(self.command, env=environment, stdout=access, stderr=log)
        wait_for(self, lambda: listens(self.machine.address, self.PORT),
                 lambda: f"node {self.machine.number} does not listen:\n{self.log.read_text(errors='replace')[-2000:]}")

    def get(self, target, timeout=60):
        connection = http.client.HTTPConnection(self.machine.address, self.PORT, timeout=timeout)
        connection.request("GET", target)
        reply = connection.getresponse()
        return reply.status, reply.read(), dict(reply.headers)

    def admin(self, method, target, body=None):
        connection = http.client.HTTPConnection(self.machine.address, self.ADMIN, timeout=60)
        connection.request(method, target, body, {"Authorization": f"Bearer {TOKEN}"})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()

    def purge(self, url):
        """The status, and what the answer says of the fleet."""
        status, text = self.admin("POST", "/admin/purge", json.dumps({"url": url}))
        try:
            return status, json.loads(text).get("fleet")
        except ValueError:
            return status, text.strip()

    def logged(self, words):
        """How often its log says so."""
        return self.log.read_text(errors="replace").count(words)

    def metric(self, name, label=""):
        """The sum of its samples, or of those with this label."""
        samples = [float(line.rpartition(" ")[2]) for line in self.admin("GET", "/metrics")[1].splitlines()
                   if re.match(re.escape(name) + r"[{ ]", line) and label in line]
        return sum(samples)

    @property
    def renderings(self):
        return int(self.metric("pictor_renders_total"))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()


class Redis:
    """redis-server on a machine of its own, so that the way to it can be cut."""

    PORT = 6379

    def __init__(self, machine, folder):
        self.machine, self.folder, self.process = machine, folder, None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.machine.command, "redis-server", "--bind", self.machine.address, "--port", str(self.PORT), "--save", "",
             "--appendonly", "no", "--protected-mode", "no", "--dir", str(self.folder)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self, lambda: listens(self.machine.address, self.PORT), lambda: "redis-server does not listen")

    @property
    def address(self):
        return f"redis://{self.machine.address}:{self.PORT}/0"

    def command(self, *words):
        with socket.create_connection((self.machine.address, self.PORT), timeout=10) as connection:
            connection.sendall((" ".join(words) + "\r\n").encode())
            return connection.recv(65536).decode()

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()


class Balancer:
    """HAProxy or nginx by the file in config/deploy, with these nodes in place of the file's, and a field that names the node."""

    PORT = 8000

    def __init__(self, kind, folder, nodes, is_hashed=True):
        self.kind, self.folder, self.process = kind, folder, None
        self.is_hashed, self.log = is_hashed, folder / f"{kind}.log"
        self.file = folder / f"{kind}.conf"
        self.serve(nodes)

    def serve(self, nodes):
        """Takes these nodes; the connections of before end."""
        self.close()
        text = (ROOT / f"config/deploy/{'haproxy.cfg' if self.kind == 'haproxy' else 'nginx.conf'}").read_text()
        self.file.write_text(getattr(self, f"_{self.kind}")(text, nodes))
        command = (["haproxy", "-db", "-f", str(self.file)] if self.kind == "haproxy"
                   else ["nginx", "-c", str(self.file), "-g", f"daemon off; pid {self.folder}/nginx.pid;"])
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(self, lambda: listens(network.HUB, self.PORT), lambda: f"{self.kind} does not listen:\n{self.log.read_text()[-1000:]}")

    def _haproxy(self, text, nodes):
        servers = "".join(f"    server node{n.machine.number} {n.machine.address}:{n.PORT} id {n.machine.number}\n" for n in nodes)
        text = re.sub(r"(    server .*\n)+", servers + "    http-response set-header X-Node %s\n", text)
        text = text.replace("bind 0.0.0.0:80", f"bind {network.HUB}:{self.PORT}").replace("maxconn 20000", "maxconn 4000")
        return text if self.is_hashed else re.sub(r"    balance .*\n    hash-type .*\n", "    balance roundrobin\n", text).replace(
            "    hash-balance-factor 150\n", "")

    def _nginx(self, text, nodes):
        servers = "".join(f"    server {n.machine.address}:{n.PORT} max_fails=2 fail_timeout=2s;\n" for n in nodes)
        text = re.sub(r"(    server [0-9].*;\n)+", servers, text)
        text = text.replace("listen 0.0.0.0:80;", f"listen {network.HUB}:{self.PORT}; add_header X-Node $upstream_addr always;")
        if not self.is_hashed:
            text = text.replace("    hash $pictor_source consistent;\n", "")
        return f"events {{ worker_connections 2048; }}\nhttp {{\naccess_log off; error_log {self.log} error;\n{text}}}\n"

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
            until(lambda: not listens(network.HUB, self.PORT))
